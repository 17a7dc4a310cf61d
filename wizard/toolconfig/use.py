"""A mirror as the lasting choice of pip, uv and conda: which keys of which files must say what. Nothing is written.

Only sources that serve everything can be a lasting default: packages (pip, uv) and conda-forge (conda). Torch
wheels cannot: an index of theirs has torch and little else, for one CUDA version. "official" means the
tool's own default, so our keys are taken out.
"""

from __future__ import annotations

import contextlib
import netrc
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.sources.table import FORGE, MirrorRow, mirror_rows
from wizard.toolconfig.edit import SETTINGS_SECRET, parsed, value_of, value_or_none
from wizard.toolconfig.files import SettingsFile, own_file, settings_files, variables
from wizard.toolconfig.model import Edit, Tool, UserContext
from wizard.transfer.address import address_problem
from wizard.undo.user_file import read


def overridden(tool: Tool, path: Path, key: str, around: UserContext) -> tuple[Message, ...]:
    """Return the reasons why `key` in `path` would not be used: a variable, a stronger file, a variable that hides the
    file. They are shown before anything is written, so that nobody believes in a file that is not read."""
    return tuple(_reasons(tool, path, key, around))


def _reasons(tool: Tool, path: Path, key: str, around: UserContext) -> Iterator[Message]:
    option = key.partition(".")[2] if tool is Tool.PIP else key
    files = settings_files(tool, around)
    at = next((number for number, file in enumerate(files) if file.path == path), None)
    named = {row.name for row in variables(tool) if around.environ.get(row.name)}
    for row in variables(tool):
        if row.name in named and (row.key == option or (at is None and not row.key)):
            kind = "variable" if row.key else "not-read"
            yield message(f"settings-file.outdone.{kind}", variable=row.name, path=str(path), tool=tool.value)
    for other in files[at + 1 :] if at is not None else ():
        if value_or_none(other, key) is not None:
            yield message("settings-file.outdone.file", other=str(other.path), path=str(path), name=key)
    if tool is Tool.PIP and key.startswith("global."):  # [install] of any file is stronger
        inner = f"install.{option}"
        for other in files:
            if other.path != path and value_or_none(other, inner) is not None:
                yield message("settings-file.outdone.file", other=str(other.path), path=str(path), name=inner)


_NOT_IN_NAMES = re.compile(r"[^A-Z0-9]")


def has_login(url: str, around: UserContext) -> bool:
    """Tell whether an address is somebody's private source without holding a password: pip and uv take those from
    ~/.netrc, uv also from variables named after the entry. Such a source is left alone. The file names the host; its
    `default` entry speaks of no host and does not count."""
    named = around.environ.get("NETRC")
    places = [named] if named else [str(around.home / name) for name in (".netrc", "_netrc")]
    for place in places:
        with contextlib.suppress(OSError, ValueError):
            if _names(Path(place), urlsplit(url).hostname or ""):
                return True
    return False


def _names(file: Path, host: str) -> bool:
    """Tell whether a netrc file names a host; in one that Python's reader does not understand the bare name is enough,
    for another tool's may. Raises OSError, ValueError."""
    try:
        return host in netrc.netrc(str(file)).hosts
    except (netrc.NetrcParseError, UnicodeDecodeError):
        return bool(host) and host.encode() in file.read_bytes().split()


def is_guarded(entry: Mapping[str, Any], around: UserContext) -> bool:
    """Tell whether an `[[index]]` entry of uv's is told to log in, or has its user or password in a variable."""
    if entry.get("authenticate") == "always":
        return True
    name = _NOT_IN_NAMES.sub("_", str(entry.get("name") or "").upper())
    return bool(name) and any(around.environ.get(f"UV_INDEX_{name}_{part}") for part in ("USERNAME", "PASSWORD"))


PACKAGES, CONDA = "packages", "conda"
LASTING = {PACKAGES: "pypi", CONDA: FORGE}  # kind on the command line -> kind in matrices/mirrors.toml
OFFICIAL = "official"


@dataclass(frozen=True, slots=True)
class SettingsRequest:
    """What one tool's file should say. `url` None: the tool's own default. `key` is the one that decides."""

    tool: Tool
    path: Path
    key: str
    url: str | None
    edits: tuple[Edit, ...]
    notices: tuple[Message, ...]


def rows_of(mirror: str, kinds: tuple[str, ...]) -> dict[str, MirrorRow]:
    """Return a mirror's rows by kind; an address stands for an index of packages of one's own. Raises UsageError
    `settings-no-mirror`, `settings-not-lasting`."""
    for kind in kinds:
        if kind not in LASTING:
            raise UsageError(
                "settings-not-lasting",
                "A source of kind “{kind}” is not written into your settings: it does not serve all "
                "packages, and as a default it would break every other install.",
                "This program uses such a source for a single install only; leave --kind out, or choose "
                "packages or conda.",
                kind=kind,
            )
    if mirror.startswith("https://") and not address_problem(mirror):
        return {PACKAGES: MirrorRow(kind=LASTING[PACKAGES], id=mirror, layout="simple", url=mirror)}
    known = {
        kind: row
        for kind, in_table in LASTING.items()
        for row in mirror_rows()
        if (row.kind, row.id) == (in_table, mirror) and kind in (kinds or LASTING)
    }
    if not known:
        names = sorted({row.id for row in mirror_rows() if row.kind in LASTING.values()})
        raise UsageError(
            "settings-no-mirror",
            "There is no lasting source called “{id}”.",
            "Choose one of these: {known}.",
            id=mirror,
            known=", ".join(names),
        )
    return known


def mirror_requests(rows: dict[str, MirrorRow], around: UserContext) -> tuple[SettingsRequest, ...]:
    """Return what each tool's file should say. Raises WizardError `settings-secret`, `settings-unreadable`,
    `settings-mark`."""
    found: list[SettingsRequest] = []
    if PACKAGES in rows:
        url = None if rows[PACKAGES].id == OFFICIAL else rows[PACKAGES].address()
        found += [pip_request(url, around), uv_request(url, around)]
    if CONDA in rows:
        url = None if rows[CONDA].id == OFFICIAL else rows[CONDA].address()
        found.append(conda_request(url, around))
    return tuple(found)


def pip_request(url: str | None, around: UserContext) -> SettingsRequest:
    """Return the change of pip's settings that sets its index; None takes it out again."""
    path = own_file(Tool.PIP, around)
    content = read(path) or b""
    present = [key for key in ("global.index-url", "install.index-url") if value_of(Tool.PIP, path, content, key)]
    keys = present if url is None else list(dict.fromkeys(["global.index-url", *present]))
    _check_login(Tool.PIP, path, content, keys, around)
    edits = tuple(Edit(Tool.PIP, path, key, url) for key in keys)
    notices = (*overridden(Tool.PIP, path, "global.index-url", around), *_extra(around))
    return SettingsRequest(Tool.PIP, path, "global.index-url", url, edits, notices)


def _extra(around: UserContext) -> Iterator[Message]:
    """Warn of further indexes: pip searches them beside the chosen one, and the newest version of all wins."""
    for file in settings_files(Tool.PIP, around):
        if any(value_or_none(file, f"{section}.extra-index-url") for section in ("global", "install")):
            yield message(
                "settings-file.extra-stays",
                "{path} also names further sources (extra-index-url); pip goes on searching those beside the new one.",
                path=str(file.path),
            )


def _extra_of_uv(around: UserContext) -> Iterator[Message]:
    """Warn of further indexes: uv searches them before the default one, and the first that has a package gives it."""
    for file in settings_files(Tool.UV, around):
        named = [entry for entry in _entries(file) if not (entry.get("default") or entry.get("explicit"))]
        if named or any(value_or_none(file, key) for key in ("extra-index-url", "pip.extra-index-url")):
            yield message(
                "settings-file.uv-extra-stays",
                "{path} also names further indexes; uv goes on asking those first, and takes a package "
                "from the first that has it.",
                path=str(file.path),
            )


def _entries(file: SettingsFile) -> list[dict[str, Any]]:
    """Return the `[[index]]` entries, none of a file that cannot be read: uv itself stumbles over it, not we."""
    try:
        found = parsed(Tool.UV, file.path, read(file.path) or b"").get("index", [])
    except WizardError:
        return []
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def uv_request(url: str | None, around: UserContext) -> SettingsRequest:
    """Return what uv.toml should say. An `[[index]]` entry that is the default beats `index-url`; where one of them is
    used, it stays the one."""
    path = own_file(Tool.UV, around)
    content = read(path) or b""
    present = [key for key in ("index", "index-url", "pip.index-url") if value_of(Tool.UV, path, content, key)]
    keys = present if url is None else present or ["index"]
    _check_login(Tool.UV, path, content, keys, around)
    entries = parsed(Tool.UV, path, content).get("index", [])
    if "index" in keys and any(is_guarded(entry, around) for entry in entries if entry.get("default") is True):
        raise WizardError(SETTINGS_SECRET, path=str(path), key="index")
    edits = tuple(Edit(Tool.UV, path, key, url) for key in keys)
    notices = (*overridden(Tool.UV, path, "index", around), *_extra_of_uv(around))
    return SettingsRequest(Tool.UV, path, keys[0] if keys else "index", url, edits, notices)


def _check_login(tool: Tool, path: Path, content: bytes, keys: list[str], around: UserContext) -> None:
    for key in keys:
        value = value_of(tool, path, content, key)
        if isinstance(value, str) and has_login(value, around):
            raise WizardError(SETTINGS_SECRET, path=str(path), key=key)


def conda_request(url: str | None, around: UserContext) -> SettingsRequest:
    """Return what .condarc should say: the name conda-forge leads to the mirror (its parent folder: conda adds the
    name), and the channels stay."""
    path, key = own_file(Tool.CONDA, around), f"custom_channels.{FORGE}"
    parent = url.rstrip("/").removesuffix(f"/{FORGE}") if url else None
    content = read(path) or b""
    _check_login(Tool.CONDA, path, content, [key], around)
    lists = [value_or_none(file, "channels") for file in settings_files(Tool.CONDA, around)]
    channels = [channel for value in lists for channel in (value if isinstance(value, tuple) else (value,)) if channel]
    edits, notices = [Edit(Tool.CONDA, path, key, parent)], list(overridden(Tool.CONDA, path, key, around))
    if parent and not channels:
        edits.append(Edit(Tool.CONDA, path, "channels", (FORGE,)))
    elif parent and FORGE not in channels:
        notices.append(message("settings-file.forge-not-used", channels=redact(", ".join(channels))))
    if parent and "defaults" in channels:
        notices.append(message("settings-file.defaults-stays"))
    return SettingsRequest(Tool.CONDA, path, key, parent, tuple(edits), tuple(notices))
