"""May an environment be made here? Names, parts of paths and target folders, checked before anything is changed.

May an environment be made here? Names and target folders, checked before anything is changed.

Refused: what cannot be a folder's name, what is there already, system folders, folders that cannot be written
or are too small. Allowed but named: spaces, other alphabets, signs that trip shells. Nothing is created, except
an empty folder for an instant where the permission bits would not tell (root, read-only mounts, quotas).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePath

from wizard.environment.model import TARGET_IS_LINK, TARGET_NOT_EMPTY, TARGET_NOT_WRITABLE
from wizard.environment.remove.unfinished import holds_something, unfinished_run
from wizard.model.errors import ErrorText, UsageError, gigabytes_apart
from wizard.model.messages import Message, message
from wizard.system.places import places
from wizard.system.traits import of

BAD_PREFIX = ErrorText(
    "bad-prefix",
    "The folder given for the environment is empty or not a path.",
    "Give a full path, such as ~/torch-envs/demo.",
)
TARGET_IS_FILE = ErrorText(
    "target-is-file",
    "“{path}” is a file, not a folder.",
    "Choose another name.",
)

# One part of a path: what can't be a folder's name, and what works but makes other tools stumble.
#
# One rule for both systems: a name that only works on one of them breaks a classroom's shared folder or a lab's recipe.
# Pure text; whether the folder can be made is looked at in `naming.py`.

_WINDOWS_DEVICES = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"}
)
_FILLERS = "\u034f\u115f\u1160\u3164\uffa0"
_SEPARATORS = "/\\"
_ILLEGAL = ':*?"<>|'  # refused by Windows; a colon also splits PATH on Linux
_STUMBLING = "!#$%&'();=^`,~"  # legal, but shells and activation scripts trip over them
_CLOUD_FOLDERS = re.compile(r"[/\\](?:OneDrive|Dropbox|Google Drive|iCloudDrive|Nextcloud)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Flaw:
    """`reason` names the sentence (`error.bad-name.<reason>`), `part` the piece that is wrong."""

    reason: str
    part: str = ""


def find_flaw(name: str, os_name: str) -> Flaw | None:
    """Return why this can't be a folder's name on "linux" or "windows"; None when it can."""
    if not name or name.isspace():
        return Flaw("empty")
    if name in (".", ".."):
        return Flaw("dots", name)
    return _find_bad_character(name) or _find_bad_shape(name, os_name)


def _find_bad_character(name: str) -> Flaw | None:
    for character in name:
        if character in _SEPARATORS:
            return Flaw("separator", character)
        if character in _ILLEGAL:
            return Flaw("character", character)
        if is_invisible(character):
            return Flaw("invisible", f"U+{ord(character):04X}")
    return None


def is_invisible(character: str) -> bool:
    """Return whether it cannot be seen or encoded: control and format characters, lone surrogates, line separators,
    and the fillers, letters and marks with no shape (of Unicode's Default_Ignorable_Code_Point those that no
    writing needs: emoji and Mongolian carry selectors)."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _FILLERS


def _find_bad_shape(name: str, os_name: str) -> Flaw | None:
    if name.startswith("-"):
        return Flaw("hyphen", "-")
    if name.startswith("~"):
        return Flaw("tilde", "~")
    if name[0].isspace() or name[-1].isspace() or name.endswith("."):
        return Flaw("edge")
    if name.split(".")[0].rstrip().upper() in _WINDOWS_DEVICES:
        return Flaw("device", name.split(".")[0])
    system = of(os_name)
    length = len(name.encode()) if system.names_are_bytes else len(name)
    return Flaw("long") if length > system.longest_name else None


def hazards(path: str, os_name: str) -> tuple[Message, ...]:
    """Return what is allowed and works here, but is known to trip other tools."""
    found = []
    if any(character.isspace() for character in path):
        found.append(message("environments.hazard.space", path=path))
    if not path.isascii():
        found.append(message("environments.hazard.letters", path=path))
    if odd := sorted({character for character in path if character in _STUMBLING}):
        found.append(
            message(
                "environments.hazard.signs",
                "The path “{path}” contains {signs}, which command lines may read as commands.",
                path=path,
                signs=" ".join(odd),
            )
        )
    longest = of(os_name).longest_sure_path
    if longest is not None and len(path) > longest:
        found.append(message("environments.hazard.long", path=path, length=len(path)))
    if _CLOUD_FOLDERS.search(path):
        found.append(message("environments.hazard.cloud", path=path))
    return tuple(found)


_CONDA_RESERVED = frozenset({"base", "root"})
LONGEST_PREFIX = 240  # bytes; conda packages keep 255 for the prefix that is written into their binaries
_DEVICE_PATHS = ("\\\\?\\", "\\\\.\\")


class BadName(UsageError):
    """Code `bad-name`; the reason has a sentence of its own."""

    def __init__(self, name: str, flaw: Flaw) -> None:
        super().__init__("bad-name", name=_printable(name), reason=flaw.reason, part=flaw.part)

    @property
    def summary(self) -> Message:
        return Message(f"error.bad-name.because.{self.params['reason']}", self.params)


def check_name(name: str, os_name: str) -> None:
    """Refuse a name that is none. Raises UsageError `bad-name`. A name becomes one folder below the environments
    folder."""
    flaw = find_flaw(name, os_name)
    if flaw is None and name.lower() in _CONDA_RESERVED:
        flaw = Flaw("conda", name)
    if flaw:
        raise BadName(name, flaw)


def absolute_prefix(text: str, base: Path | None = None) -> Path:
    """Return `~` and relative paths (from `base`, else the current folder) made absolute; `..` resolved as text."""
    written = Path(text).expanduser()
    return Path(os.path.normpath((base or Path.cwd()) / written))


def check_place(prefix: PurePath, os_name: str, home: PurePath | None = None) -> None:
    """Check the part that needs no disk: absolute, not a system folder, no impossible part, not too long."""
    shown = _printable(str(prefix))
    if of(os_name).dos_paths and prefix.drive.startswith(_DEVICE_PATHS):  # pip and conda stumble over them
        raise BadName(shown, Flaw("character", prefix.drive[2]))
    if not prefix.is_absolute():
        raise UsageError(
            "target-relative",
            "“{path}” is not a full path.",
            "Give the whole path of the new environment, from the root or the drive letter on.",
            path=shown,
        )
    for part in prefix.parts[1:]:
        if part == "..":
            raise BadName(shown, Flaw("dots", ".."))
    if places(os_name).is_system_folder(prefix) or (home is not None and (prefix == home or prefix in home.parents)):
        raise UsageError(
            "target-is-system",
            "The system or your whole account needs “{path}”.",
            "Choose a new folder inside your home folder or on a data disk.",
            path=shown,
        )
    if len(prefix.parts) > 1 and (flaw := find_flaw(prefix.name, os_name)):
        raise BadName(prefix.name, flaw)
    if len(str(prefix).encode(errors="surrogateescape")) > LONGEST_PREFIX:
        raise UsageError(
            "target-too-long",
            "The path is too long: packages bear at most {longest} bytes. It is “{path}”.",
            "Choose a folder closer to the top of the disk, or a shorter name.",
            path=shown,
            longest=LONGEST_PREFIX,
        )


def check_prefix(prefix: Path, os_name: str, needed_bytes: int | None = None) -> tuple[Message, ...]:
    """Return what is allowed but may trip other tools. Raises UsageError (`bad-name`, `target-…`)."""
    check_place(prefix, os_name, _home())
    try:
        _check_existing(prefix)
        parent = nearest_existing(prefix)
        for part in prefix.relative_to(parent).parts:
            if flaw := find_flaw(part, os_name):
                raise BadName(part, flaw)
        # A link in the middle may lead into a system folder.
        check_place(parent.resolve() / prefix.relative_to(parent), os_name, _home())
        _check_writable(parent, prefix)
        _check_space(parent, needed_bytes)
    except OSError as error:
        raise UsageError(TARGET_NOT_WRITABLE, details=str(error), path=str(prefix)) from error
    return hazards(str(prefix), os_name)


def nearest_existing(prefix: Path) -> Path:
    """Return the prefix itself or the closest folder above that is there; a folder that we may not enter hides its
    own."""
    return next((place for place in (prefix, *prefix.parents) if os.path.exists(place)), Path(prefix.anchor))  # noqa: PTH110


def is_environment(prefix: Path) -> bool:
    return (prefix / "conda-meta" / "history").is_file() or (prefix / "pyvenv.cfg").is_file()


def _check_existing(prefix: Path) -> None:
    if prefix.is_symlink():
        raise UsageError(TARGET_IS_LINK, path=str(prefix))
    if run := unfinished_run(prefix):
        raise UsageError(
            "target-unfinished",
            "In “{path}” is an environment that was begun and not finished (run {run}).",
            "Resume it or remove it on the first page[| (or: torch-wizard resume {run}, torch-wizard runs "
            "--remove {run})], or choose another name.",
            path=str(prefix),
            run=run,
        )
    if is_environment(prefix):
        raise UsageError(
            "target-is-environment",
            "There is already an environment in “{path}”.",
            "Choose another name; or install into the existing environment[| (--into with its folder)]: what is "
            "replaced can be brought back.",
            path=str(prefix),
        )
    if prefix.is_dir() and holds_something(prefix):
        raise UsageError(TARGET_NOT_EMPTY, path=str(prefix))
    if prefix.exists() and not prefix.is_dir():
        raise UsageError(TARGET_IS_FILE, path=str(prefix))


def _check_writable(parent: Path, prefix: Path) -> None:
    if not parent.is_dir():
        raise UsageError(TARGET_IS_FILE, path=str(parent))
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UsageError(TARGET_NOT_WRITABLE, path=str(prefix))
    # As root the bits allow everything, and Windows' bits say nothing: only trying tells.
    Path(tempfile.mkdtemp(prefix=".torch-setup-", dir=parent)).rmdir()


def _check_space(parent: Path, needed_bytes: int | None) -> None:
    free = shutil.disk_usage(parent).free
    if needed_bytes is not None and free < needed_bytes:
        wanted, left = gigabytes_apart(needed_bytes, free)
        raise UsageError(
            "target-no-space",
            "The disk of “{path}” has {free} GB free, and about {needed} GB are needed.",
            "Free some space, or choose a folder on another disk.",
            path=str(parent),
            needed=wanted,
            free=left,
        )


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # no HOME, no entry in passwd
        return None


def _printable(text: str) -> str:
    """Control characters and undecodable bytes shown as escapes, so that the sentence stays one line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
