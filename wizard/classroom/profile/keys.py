"""The keys that class profiles are signed with: one's own, and the one that each class had when it was first used.

A class is known by its title. Its key is remembered when a setup from a signed profile begins; from then on a profile
of that title that is signed by another key, or by none, is refused. Nobody vouches for the first one but whoever
compares its fingerprint with the teacher's.
"""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wizard.classroom.pack.files import put_bytes
from wizard.classroom.profile.model import ProfileFile
from wizard.classroom.profile.signature import (
    SIGNATURE_KEY_BAD,
    PublicKey,
    SecretKey,
    new_key,
    parse_public,
    parse_secret,
    secret_text,
    sign,
    signature_path,
    verify,
)
from wizard.model.errors import EXPORT_NOT_WRITTEN, UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.model.typed import from_json
from wizard.system import moving, paths

# Marks that show nothing and that a title may hold: those of Khmer and Mongolian, and variation selectors.
_SHAPELESS = re.compile("[\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


@dataclass(frozen=True, slots=True)
class Signer:
    """Who has signed a profile. `key` None: nobody; `is_new`: this class had no key here before."""

    key: PublicKey | None
    is_new: bool = False
    is_own: bool = False

    @property
    def words(self) -> Message:
        if self.key is None:
            return message("profile.unsigned")
        how = "signed" if not self.is_new else "signed-own" if self.is_own else "signed-first"
        return message(f"profile.{how}", fingerprint=self.key.fingerprint)


def check_signature(file: ProfileFile) -> Signer:
    """Raises UsageError `signature-…` for a wrong one, and for another or none where the class had a key."""
    known = _known().get(_name(file))
    before = parse_public(known) if known else None
    title = file.profile.title
    if file.signature is None:
        if before:
            raise UsageError(
                "signature-missing",
                "“{title}” was signed with the key {fingerprint} before, and this profile is not signed.",
                "Get the .minisig file that belongs to it and put it beside the profile, or ask your "
                "teacher; nothing was changed.",
                title=title,
                fingerprint=before.fingerprint,
            )
        return Signer(None)
    key = _signer(file.data, file.signature, before)
    if before and key.key != before.key:
        raise UsageError(
            "signature-changed",
            "“{title}” was signed with the key {before} before, and this profile is signed with "
            "another: {fingerprint}.",
            "Ask your teacher for the profile that is signed with the key of before; nothing was changed[| (in a "
            "terminal: torch-wizard profile verify FILE --key KEY takes a new key)].",
            title=title,
            before=before.fingerprint,
            fingerprint=key.fingerprint,
        )
    return Signer(key, is_new=before is None, is_own=_is_own(key))


def _signer(data: bytes, signature: bytes, known: PublicKey | None) -> PublicKey:
    """A signature of another program does not bring its key."""
    try:
        return verify(data, signature)
    except UsageError as error:
        if error.code != "signature-no-key" or known is None:
            raise
        return verify(data, signature, known)


def remember_key(file: ProfileFile, key: PublicKey | None = None) -> None:
    """`key`: one that a person has named takes the place of another. Raises UsageError `signature-…`, WizardError
    `state-not-writable`."""
    found = key or check_signature(file).key
    if found is None:
        return
    path = _keys_file()
    try:
        put_bytes(path, msgspec.json.format(msgspec.json.encode({**_known(), _name(file): found.text}), indent=1))
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(path.parent)) from error


def _keys_file() -> Path:
    return paths.home() / "class-keys.json"


def _known() -> dict[str, str]:
    """Raises UsageError `class-keys-unreadable`: a damaged file must not make every key a new one."""
    path = _keys_file()
    try:
        known = from_json(path.read_bytes(), dict[str, str])
        for text in known.values():
            parse_public(text)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, UsageError) as error:
        raise UsageError(
            "class-keys-unreadable",
            "The keys of your classes in {path} cannot be read.",
            "Put the file back from a copy, or delete it if you know that each class's next key is "
            "to be taken as its first.",
            details=str(error),
            path=str(path),
        ) from error
    return known


def _name(file: ProfileFile) -> str:
    """Titles that differ in width, case, spaces or selectors are one; look-alikes of other alphabets are not."""
    return " ".join(_SHAPELESS.sub("", unicodedata.normalize("NFKC", file.profile.title)).casefold().split())


# -- one's own


def _is_own(key: PublicKey) -> bool:
    with contextlib.suppress(UsageError):
        return own_key_file().is_file() and key_in(own_key_file()).public.key == key.key
    return False


def key_in(path: Path) -> SecretKey:
    """A teacher's key in a file of its own, ours or minisign's. Raises UsageError `signature-key-…`."""
    try:
        return parse_secret(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(SIGNATURE_KEY_BAD, details=str(error), path=str(path)) from error


def own_key() -> SecretKey:
    """Made when it is first asked for. Raises UsageError `signature-key-…`, WizardError `state-not-writable`."""
    path = own_key_file()
    if os.path.lexists(path):
        return key_in(path)
    key = new_key()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secret_text(key))
    except FileExistsError:  # another start was quicker
        return own_key()
    except OSError as error:
        with contextlib.suppress(OSError):
            moving.unlink(path)
        raise WizardError("state-not-writable", details=str(error), path=str(path.parent)) from error
    return key


def own_key_file() -> Path:
    return paths.home() / "class-key.minisign"


def sign_profile(path: Path, file: ProfileFile, key: SecretKey | None = None) -> PublicKey:
    """Writes the signature beside it; `key` None: one's own. Raises as `own_key`, WizardError `export-not-written`."""
    key, target = key or own_key(), signature_path(path)
    try:
        put_bytes(target, sign(file.data, key, f"{file.sha256} torch-setup class profile"))
    except OSError as error:
        raise WizardError(EXPORT_NOT_WRITTEN, details=str(error), path=str(target)) from error
    return key.public
