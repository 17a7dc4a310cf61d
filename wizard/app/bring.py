"""Brings the program to a computer far away: its archive, by ssh, checked there and resumed where a line was lost.

What could not work there is said before anything goes. A project or a profile that lies here goes as the files that
were read of it, for as long as a plan is made of them there.

One file: what goes there, and how it is put there.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.app.host import ATTEMPTS, LINE_LOST, MARK, PLACE, FarHost, said
from wizard.classroom.profile.keys import check_signature
from wizard.classroom.profile.model import ProfileFile
from wizard.classroom.profile.read import read_profile
from wizard.classroom.profile.signature import signature_path
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.model.errors import ErrorText, UsageError, WizardError, gigabytes_apart
from wizard.model.messages import Message, bytes_text, message
from wizard.process import Outcome, run
from wizard.project.open_lines import day_of
from wizard.project.read import read_project

# One line each: a login shell of the csh kind takes no other.
_LOOK = PLACE + (
    'echo torch-setup:; printf "%s %s\\n" "$(uname -s)" "$(uname -m)"; '
    "for t in tar xz sha256sum; do command -v $t >/dev/null || echo lacks $t; done; "
    'if [ -n "$1" ] && [ -x "$d/$1/torch-wizard" ]; then ln -sfn "$1" "$d/current"; echo whole; '
    'elif [ -n "$1" ] && [ -f "$d/$1.part" ]; then echo part $(wc -c < "$d/$1.part"); '
    'elif [ -x "$d/current/torch-wizard" ] || command -v torch-wizard >/dev/null; then echo there; fi; '
    'p="$d"; while [ ! -d "$p" ]; do p=$(dirname "$p"); done; [ -w "$p" ] || echo closed "$p"; '
    'case ",$(findmnt -no OPTIONS -T "$p" 2>/dev/null)," in *,noexec,*) echo noexec "$p";; esac; '
    'set -- $(df -Pk "$p" | tail -n 1); echo room "$4"'
)
# A full disk is not left full; what a lost line left stays, to go on with.
_TAKE = PLACE + (
    'umask 077; mkdir -p "$d" || exit 1; cat >> "$d/$1.part"; s=$?; [ $s != 1 ] || rm -f "$d/$1.part"; exit $s'
)
_UNPACK = PLACE + (
    'cd "$d" || exit 1; s=$(sha256sum < "$1.part" | cut -c1-64); '
    'if [ "$s" != "$1" ]; then rm -f "$1.part"; exit 66; fi; '
    'rm -rf "$1.new" "$1"; mkdir "$1.new" && tar -xJf "$1.part" -C "$1.new" --strip-components=1 '
    '&& { [ -x "$1.new/torch-wizard" ] || { rm -rf "$1.new" "$1.part"; echo "$d"; exit 67; }; } '
    '&& mv "$1.new" "$1" && rm -f "$1.part" && ln -sfn "$1" current || { rm -rf "$1.new"; exit 1; }'
)
_SEND = PLACE + (
    's="$h/sent/$1"; umask 077; rm -rf "$s"; mkdir -p "$s" && tar -xf - -C "$s" || { rm -rf "$s"; exit 1; }; '
    'echo torch-setup:; echo "$s"'
)
_TAKE_AWAY = PLACE + 'rm -rf "$h/sent/$1"; rmdir "$h/sent" 2>/dev/null; exit 0'
_ALTERED, _NOT_RUN = 66, 67
_MADE_FOR = re.compile(r"-linux-(x86_64|aarch64)\.tar\.xz")
_UNPACKED = 5  # times the archive: itself, and what comes out of it

HOST_NOEXEC = ErrorText(
    "host-noexec",
    "No program may be run from {path} on {host}: its disk is mounted with noexec.",
    "Log in there and set TORCH_WIZARD_HOME to a folder on another disk.",
)
HOST_KEY_CHANGED = ErrorText(
    "host-key-changed",
    "{host} shows another key than the one that ssh knows: it was set up anew, or somebody stands in between.",
    "Ask who looks after it. Only if it was set up anew: remove the old key with “`ssh-keygen -R`”, go there once "
    "with “`ssh {host}`”, then try again.",
)
HOST_UNREACHABLE = ErrorText(
    "host-unreachable",
    "ssh does not get to {host}: {said}",
    "Try it by hand with “`ssh {host}`”: it must get there without a question, by a key or an agent, and the "
    "computer must be known.",
)


def bring(host: FarHost, archive: Path | None, tell: Callable[[Message], None] = lambda words: None) -> None:
    """Have the program there. `tell`: how much is about to go.

    Raises Cancelled, UsageError, WizardError `host-…`.
    """
    digest = _digest(archive) if archive else ""
    looked = _look(host, digest)
    if looked.state == "whole" or (archive is None and looked.state == "there"):
        return
    _check_system(host, looked)
    if archive is None:
        raise UsageError(
            "host-no-program",
            "There is no Torch Setup on {host} yet.",
            "Name the archive for Linux[| (--archive)], TorchSetup-…-linux-{machine}.tar.xz: it is brought there.",
            host=host.address,
            machine=looked.machine,
        )
    size = archive.stat().st_size
    _check_fits(host, looked, archive, size)
    for attempt in range(ATTEMPTS):
        here = looked.here
        if here >= size:
            break
        told = bytes_text(size - here)
        tell(message("host.bringing", "Bringing the program to {host} ({size}) …", host=host.address, size=told))
        outcome = host.ask(_TAKE, digest, stdin_file=archive, stdin_from=here)
        if outcome.ok:
            break
        if outcome.exit_code != LINE_LOST:
            raise _not_put(host, outcome)
        if attempt == ATTEMPTS - 1:
            raise _unreachable(host, outcome)
        time.sleep(2**attempt)
        looked = _look(host, digest)
    _unpack(host, digest)


@contextlib.contextmanager
def sent(host: FarHost, files: Mapping[str, bytes]) -> Iterator[str]:
    """Have these files (by relative name) in a folder there, whose path is given, and take it away in the end.

    Raises Cancelled, WizardError `host-…`.
    """
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder, "sent.tar")
        with tarfile.open(packed, "w") as tar:
            for name, data in files.items():
                one = tarfile.TarInfo(name)
                one.size, one.mode = len(data), 0o600
                tar.addfile(one, io.BytesIO(data))
        digest.update(packed.read_bytes())
        outcome = host.ask(_SEND, digest.hexdigest(), stdin_file=packed)
    if outcome.exit_code == LINE_LOST:
        raise _unreachable(host, outcome)
    place = outcome.stdout.partition(MARK)[2].partition("\n")[0]
    if not (outcome.ok and place):
        raise _not_put(host, outcome)
    try:
        yield place
    finally:
        run(host.request(_TAKE_AWAY, digest.hexdigest()))


@dataclass(frozen=True, slots=True)
class Along:
    """`files`: by their names for the other side; `named`: which of them, or which folder, the option names; `further`:
    options with what is known here alone."""

    option: str
    files: Mapping[str, bytes]
    named: str
    profile: ProfileFile | None = None
    further: tuple[str, ...] = ()


def of_project(path: Path, as_of: str | None = None) -> Along:
    """Read the files of a project that say what it needs, and no other. `as_of`: the day that was asked for; else its
    own goes along, since the files get another there. Raises as `read_project`."""
    project = read_project(path)
    day = day_of(project, load_matrix(), Choices(as_of=as_of))
    further = ("--as-of", day) if day and not as_of else ()
    folder = Path(project.folder).resolve()
    name = folder.name or "project"
    files = {}
    for each in project.files:
        with contextlib.suppress(OSError):
            files[f"{name}/{each}"] = (folder / each).read_bytes()
    return Along("--project", files, f"{name}/{path.name}" if path.is_file() else name, further=further)


def of_profile(path: Path) -> Along:
    """Read it, its signature held against the key that this computer knows. Raises UsageError `profile-…`,
    `signature-…`."""
    file = read_profile(path)
    check_signature(file)
    signature = {signature_path(Path(path.name)).name: file.signature} if file.signature else {}
    return Along("--profile", {path.name: file.data, **signature}, path.name, file)


@contextlib.contextmanager
def options_of(host: FarHost, along: Iterable[Along]) -> Iterator[list[str]]:
    """Have the files of all of them there, and give the options that name them. Raises as `sent`."""
    with contextlib.ExitStack() as stack:
        yield [
            word
            for one in along
            for word in (one.option, f"{stack.enter_context(sent(host, one.files))}/{one.named}", *one.further)
        ]


def _digest(archive: Path) -> str:
    """Raises UsageError `host-archive-unreadable`."""
    try:
        digest = hashlib.sha256()
        with archive.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
        return digest.hexdigest()
    except OSError as error:
        raise UsageError(
            "host-archive-unreadable",
            "{path} cannot be read.",
            "Name the archive for Linux (TorchSetup-…-linux-x86_64.tar.xz).",
            details=str(error),
            path=str(archive),
        ) from error


@dataclass(frozen=True, slots=True)
class _Looked:
    """`state`: "whole", "there" or "" (nothing, or a part: `here` bytes). `closed`, `noexec`: a folder where nothing
    may be written, or where no program is run."""

    machine: str
    state: str = ""
    here: int = 0
    room: int | None = None
    closed: str = ""
    noexec: str = ""
    lacks: tuple[str, ...] = ()


def _look(host: FarHost, digest: str) -> _Looked:
    """Raises Cancelled, WizardError `host-…`."""
    outcome = host.ask(_LOOK, digest)
    _, mark, told = f"{outcome.stdout}\n".partition(MARK)
    if not outcome.ok:
        raise _unreachable(host, outcome)
    system, *rest = told.splitlines() or outcome.stdout.splitlines() or [""]
    if not mark or not system.startswith("Linux "):
        raise _other_system(host, system[:80] or "?")
    lines = [line.partition(" ")[::2] for line in rest]
    found = {name: value for name, value in lines if name != "lacks"}
    return _Looked(
        system.removeprefix("Linux "),
        next((name for name in ("whole", "there") if name in found), ""),
        _count(found.get("part", "")) or 0,
        _count(found.get("room", "")),
        found.get("closed", ""),
        found.get("noexec", ""),
        tuple(value for name, value in lines if name == "lacks"),
    )


def _count(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else None


def _check_system(host: FarHost, looked: _Looked) -> None:
    """Raises WizardError `host-other-system`, `host-lacks`, `host-closed`, `host-noexec`."""
    if looked.machine not in ("x86_64", "aarch64"):
        raise _other_system(host, f"Linux {looked.machine}")
    if looked.lacks:
        raise WizardError(
            "host-lacks",
            "{host} has no {programs}, without which nothing can be unpacked there.",
            "Have it installed there; nothing was changed.",
            host=host.address,
            programs=", ".join(looked.lacks),
        )
    if looked.closed:
        raise WizardError(
            "host-closed",
            "{path} on {host} may not be written, so the program cannot be put there.",
            "Log in there and make that folder yours; nothing was changed.",
            host=host.address,
            path=looked.closed,
        )
    if looked.noexec:
        raise WizardError(HOST_NOEXEC, host=host.address, path=looked.noexec)


def _check_fits(host: FarHost, looked: _Looked, archive: Path, size: int) -> None:
    """Raises WizardError `host-other-machine`, `host-no-room`."""
    made_for = _MADE_FOR.search(archive.name)
    if made_for and made_for[1] != looked.machine:
        raise WizardError(
            "host-other-machine",
            "{host} is a computer of the kind {machine}, and {archive} is made for {made_for}.",
            "Name the archive whose name ends in linux-{machine}.tar.xz; nothing was changed.",
            host=host.address,
            machine=looked.machine,
            archive=archive.name,
            made_for=made_for[1],
        )
    needed, free = _UNPACKED * size - looked.here, (looked.room or 0) * 1024
    if looked.room is not None and free < needed:
        wants, has = gigabytes_apart(needed, free)
        raise WizardError(
            "host-no-room",
            "The program wants {needed} GB on {host}, and {free} GB are free there.",
            "Make room there; nothing was changed.",
            host=host.address,
            needed=wants,
            free=has,
        )


def _other_system(host: FarHost, system: str) -> WizardError:
    return WizardError(
        "host-other-system",
        "{host} is no Linux that this program could be brought to ({system}).",
        "Log in there and start it from its source: python3 start.py.",
        host=host.address,
        system=system,
    )


def _unpack(host: FarHost, digest: str) -> None:
    outcome = host.ask(_UNPACK, digest)
    if outcome.exit_code == _ALTERED:
        raise WizardError(
            "host-altered",
            "What came to {host} is not the archive that was sent; it was removed there.",
            "Try again: it is sent anew.",
            host=host.address,
        )
    if outcome.exit_code == _NOT_RUN:
        raise WizardError(HOST_NOEXEC, host=host.address, path=(outcome.stdout.splitlines() or ["?"])[-1])
    if outcome.exit_code == LINE_LOST:
        raise _unreachable(host, outcome)
    if not outcome.ok:
        raise _not_put(host, outcome)


def _not_put(host: FarHost, outcome: Outcome) -> WizardError:
    return WizardError(
        "host-not-unpacked",
        "The program could not be put on {host}: {said}",
        "Look whether the disk there has room (about 1 GB) and its home folder may be written.",
        details=outcome.tail(),
        host=host.address,
        said=said(outcome),
    )


def _unreachable(host: FarHost, outcome: Outcome) -> WizardError:
    if "HOST IDENTIFICATION HAS CHANGED" in outcome.stderr:
        return WizardError(HOST_KEY_CHANGED, details=outcome.tail(), host=host.address)
    return WizardError(HOST_UNREACHABLE, details=outcome.tail(), host=host.address, said=said(outcome))
