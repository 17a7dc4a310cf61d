"""One part of a path: what can't be a folder's name, and what works but makes other tools stumble.

One rule for both systems: a name that only works on one of them breaks a classroom's shared folder or a
lab's recipe. Pure text; whether the folder can be made is looked at in `naming.py`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from wizard.i18n import Message, message
from wizard.system.traits import of

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
    """Why this can't be a folder's name on "linux" or "windows"; None when it can."""
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
    """What is allowed and works here, but is known to trip other tools."""
    found = []
    if any(character.isspace() for character in path):
        found.append(message("environments.hazard.space", path=path))
    if not path.isascii():
        found.append(message("environments.hazard.letters", path=path))
    if odd := sorted({character for character in path if character in _STUMBLING}):
        found.append(message("environments.hazard.signs", path=path, signs=" ".join(odd)))
    longest = of(os_name).longest_sure_path
    if longest is not None and len(path) > longest:
        found.append(message("environments.hazard.long", path=path, length=len(path)))
    if _CLOUD_FOLDERS.search(path):
        found.append(message("environments.hazard.cloud", path=path))
    return tuple(found)
