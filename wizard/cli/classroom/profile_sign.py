"""`torch-wizard profile key | sign | verify`: who vouches for a class profile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wizard.classroom.profile.signature import (
    SIGNATURE_KEY_BAD,
    PublicKey,
    SecretKey,
    parse_public,
    public_text,
    signature_path,
    verify,
)
from wizard.cli.command import Arguments, argument, command, option
from wizard.cli.help import N_
from wizard.cli.terminal import Terminal, put_new
from wizard.model.errors import EXPORT_EXISTS, EXPORT_NOT_WRITTEN, ExitStatus, UsageError, WizardError
from wizard.model.messages import message

if TYPE_CHECKING:
    from wizard.classroom.profile.model import ProfileFile

_FILE = argument("profile", "FILE")


@command("key", option("--output", "-o", metavar="FILE", help=N_("also write it to a new file, as minisign reads it")))
def key(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.classroom.profile.keys import own_key, own_key_file

    public = own_key().public
    if arguments.output:
        path = Path(arguments.output).expanduser()
        try:
            put_new(path, public_text(public).encode())
        except FileExistsError as error:
            raise UsageError(EXPORT_EXISTS, path=str(path)) from error
        except OSError as error:
            raise WizardError(EXPORT_NOT_WRITTEN, details=str(error), path=str(path)) from error
    terminal.line(public.text)
    terminal.say(
        message(
            "profile.key",
            "Your key: {fingerprint}. Give the line above, or these signs, to the class another way "
            "than the profile. The secret half is in {path}; keep a copy, for a class does not take "
            "another key.",
            fingerprint=public.fingerprint,
            path=str(own_key_file()),
        )
    )
    return ExitStatus.DONE


@command("sign", _FILE, option("--key", metavar="KEYFILE", help=N_("a minisign key file in place of your own key")))
def sign(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.classroom.profile.read import read_profile

    path = Path(arguments.profile).expanduser()
    sign_with(path, read_profile(path), named_key(arguments.key), terminal)
    return ExitStatus.DONE


def named_key(text: str | None) -> SecretKey:
    """That of a file; one's own for None and "". Raises as `own_key`."""
    from wizard.classroom.profile.keys import key_in, own_key

    return key_in(Path(text).expanduser()) if text else own_key()


def sign_with(path: Path, file: ProfileFile, key: SecretKey, terminal: Terminal) -> None:
    """Sign a profile beside its file and say with which key."""
    from wizard.classroom.profile.keys import sign_profile

    public = sign_profile(path, file, key)
    terminal.say(
        message(
            "profile.sign.done",
            "Signed with the key {fingerprint}: {path}. Hand it out together with the profile; "
            "[{page.class}|`pack build`] takes it along.",
            path=str(signature_path(path)),
            fingerprint=public.fingerprint,
        )
    )


@command(
    "verify",
    _FILE,
    option(
        "--key", metavar="KEY|FILE", help=N_("the class's key, as the teacher gives it; remembered in place of another")
    ),
)
def check_signed(arguments: Arguments, terminal: Terminal) -> int:
    """With `--key`: that key must have signed it, and is from then on the class's."""
    from wizard.classroom.profile.keys import check_signature, remember_key
    from wizard.classroom.profile.read import read_profile

    file = read_profile(Path(arguments.profile).expanduser())
    if arguments.key is None:
        signer = check_signature(file)
        terminal.say(signer.words)
        return ExitStatus.DONE if signer.key else ExitStatus.FAILED
    if file.signature is None:
        raise UsageError(
            "signature-none",
            "{file} is not signed: there is no .minisig file beside it.",
            "Get that file from whoever made the profile, or sign it [on the page {page.class}|with `torch-wizard "
            "profile sign`].",
            file=arguments.profile,
        )
    wanted = _named(arguments.key)
    verify(file.data, file.signature, wanted)
    remember_key(file, wanted)
    terminal.say(
        message(
            "profile.verify.remembered",
            "Signed with the key {fingerprint}, which from now on is the key of “{title}” on this computer.",
            title=file.profile.title,
            fingerprint=wanted.fingerprint,
        )
    )
    return ExitStatus.DONE


def _named(text: str) -> PublicKey:
    """A key, or the file of one."""

    path = Path(text).expanduser()
    try:
        return parse_public(path.read_text(encoding="utf-8") if path.is_file() else text)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(SIGNATURE_KEY_BAD, details=str(error), path=text) from error
