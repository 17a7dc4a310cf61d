"""The user's own conda and mamba settings, merged as conda merges them: lists and maps add up, single values win.

Files in conda's order, then CONDA_* variables; `#!final`, `#!top` and `#!bottom` count. What becomes of the
names of channels is for `conda_names`; nothing is judged here.

One file: the files and how they are merged follow one rule of conda's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wizard.model.messages import Message, message
from wizard.system.places import places
from wizard.undo.user_file import read_file

# Where conda and mamba keep their settings, and one such file as flat rows with their line numbers.
#
# The places are conda's own search path (26.7), lowest precedence first. Nothing is merged here; that is
# done below. YAML is read with ruamel.yaml, loaded only when there is a file.

MARKS = ("final", "top", "bottom")  # conda's `#!final`: what is found later does not count; first or last in a list
_NAMES = (".condarc", "condarc")
_ENDINGS = (".yml", ".yaml")
Scalar = str | bool | None


@dataclass(frozen=True, slots=True)
class CondaRow:
    """`channels: [a]` is ("channels", None, "a"); `custom_channels: {a: b}` is ("custom_channels", "a", "b")."""

    key: str
    name: str | None
    value: Scalar
    line: int
    marks: frozenset[str] = frozenset()
    shape: str = "scalar"  # scalar | list | map | lists (a map of lists)


@dataclass(frozen=True, slots=True)
class CondaFile:
    path: Path
    rows: tuple[CondaRow, ...]
    for_mamba: bool = False  # .mambarc: conda does not read it

    def of(self, key: str) -> tuple[CondaRow, ...]:
        return tuple(row for row in self.rows if row.key == key)


def conda_places(
    environ: Mapping[str, str], home: Path, os_name: str, root: Path, conda_root: Path | None
) -> tuple[Path, ...]:
    """Files and folders (condarc.d), lowest precedence first; most do not exist. `root`: the file system ("/")."""
    folders = places(os_name).conda_settings(environ, root)
    if conda_root:
        folders.append(conda_root)
    if environ.get("XDG_CONFIG_HOME"):
        folders.append(Path(environ["XDG_CONFIG_HOME"]) / "conda")
    folders += [home / ".config" / "conda", home / ".conda"]
    found = [place for folder in folders for place in _in_folder(folder)]
    found += [home / ".condarc", home / ".mambarc"]
    active = environ.get("CONDA_PREFIX")
    if active and Path(active) != conda_root:
        found += _in_folder(Path(active))
    found += [Path(environ[name]).expanduser() for name in ("CONDARC", "MAMBARC") if environ.get(name)]
    return tuple(dict.fromkeys(found))


def _in_folder(folder: Path) -> tuple[Path, ...]:
    return (*(folder / name for name in _NAMES), folder / "condarc.d", folder / ".mambarc")


def conda_files(places: tuple[Path, ...]) -> Iterator[Path]:
    """Those that are there; of a folder its YAML files by name, as conda takes them."""
    for place in places:
        try:
            if place.is_dir():
                yield from (path for path in sorted(place.iterdir()) if path.suffix in _ENDINGS)
            elif place.exists():
                yield place
        except OSError:  # a folder of somebody else's: conda passes it over too
            continue


def conda_root_of(environ: Mapping[str, str]) -> Path | None:
    """The installation that the shell is set up for."""
    if environ.get("CONDA_ROOT"):
        return Path(environ["CONDA_ROOT"])
    executable = environ.get("CONDA_EXE")
    if executable and Path(executable).is_absolute():
        return Path(executable).parent.parent
    return Path(environ["MAMBA_ROOT_PREFIX"]) if environ.get("MAMBA_ROOT_PREFIX") else None


def parse_conda_file(text: str, path: Path) -> CondaFile:
    """Raises ValueError for what is not YAML or no table; odd values inside are left out."""
    from ruamel.yaml import YAML

    try:
        document = YAML(typ="rt", pure=True).load(text)
    except Exception as error:  # ruamel raises half a dozen kinds, and others where odd YAML makes it stumble
        raise ValueError(_first_line(error)) from error
    if document is not None and not isinstance(document, Mapping):
        raise ValueError("not a table of settings")
    lines = text.splitlines()
    rows = tuple(row for key, value in (document or {}).items() for row in _rows(document, key, value, lines))
    return CondaFile(path, rows, for_mamba=path.name == ".mambarc")


def _first_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or (str(error).splitlines() or [type(error).__name__])[0]
    return f"{said} (line {mark.line + 1})" if mark is not None else str(said)


def _rows(document: Any, key: Any, value: Any, lines: list[str]) -> Iterator[CondaRow]:
    if not isinstance(key, str):
        return
    line = _line(document, key, 1)
    marks = _marks(lines, line)
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                at = _line(value, index, line)
                own = _marks(lines, at) - {"final"} if at != line else frozenset()
                yield CondaRow(key, None, str(item), at, own | marks & {"final"}, "list")
        if not value:
            yield CondaRow(key, None, None, line, marks, "list")
    elif isinstance(value, Mapping):
        yield from _map_rows(key, value, line, marks)
    else:
        yield CondaRow(key, None, _as_scalar(value), line, marks)


def _map_rows(key: str, table: Any, line: int, marks: frozenset[str]) -> Iterator[CondaRow]:
    for name, value in table.items():
        at = _line(table, name, line)
        is_list = isinstance(value, list)
        for place, item in enumerate(value if is_list else (value,)):
            if isinstance(item, (str, bool)) or item is None:
                own = _line(value, place, at) if is_list else at
                yield CondaRow(key, str(name), _as_scalar(item), own, marks, "lists" if is_list else "map")


def _line(holder: Any, key: Any, default: int) -> int:
    """Counted from 1. A key that came in by `<<` has no place of its own."""
    is_list = isinstance(holder, list)
    try:
        place = holder.lc.item(key) if is_list else holder.lc.key(key)
        return int(place[0]) + 1
    except (AttributeError, KeyError, TypeError, IndexError):
        return default


def _marks(lines: list[str], line: int) -> frozenset[str]:
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    return frozenset(mark for mark in MARKS if f"#!{mark}" in written)


def _as_scalar(value: Any) -> Scalar:
    return value if isinstance(value, bool) or value is None else str(value)


_VARIABLE = "CONDA_"
_LISTS = ("channels", "default_channels", "allowlist_channels", "whitelist_channels")
_ALIASES = {"channel": "channels", "verify_ssl": "ssl_verify", "whitelist_channels": "allowlist_channels"}
_FALSE_WORDS = ("false", "no", "off", "n", "0")
_TRUE_WORDS = ("true", "yes", "on", "y", "1")
_BLANK = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(frozen=True, slots=True)
class CondaValues:
    """As written, variables filled in. `custom` and `servers` are (name, value); later ones have won already."""

    channels: tuple[str, ...] = ()
    default_channels: tuple[str, ...] = ()
    alias: str | None = None
    custom: tuple[tuple[str, str], ...] = ()
    multi: tuple[tuple[str, tuple[str, ...]], ...] = ()
    mirrored: tuple[tuple[str, tuple[str, ...]], ...] = ()  # mamba's alone
    priority: str = "flexible"
    ssl_verify: str | bool | None = None
    servers: tuple[tuple[str, str], ...] = ()  # proxy_servers: by scheme, or scheme://host
    offline: bool = False
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CondaReading:
    values: CondaValues
    files: tuple[CondaFile, ...] = ()
    notices: tuple[Message, ...] = ()
    broken: tuple[tuple[Path, str], ...] = field(default=())


def read_conda_settings(
    environ: Mapping[str, str], home: Path, os_name: str, root: Path, conda_root: Path | None
) -> CondaReading:
    """Never raises: what cannot be read becomes a notice."""
    files: list[CondaFile] = []
    broken: list[tuple[Path, str]] = []
    for path in conda_files(conda_places(environ, home, os_name, root, conda_root)):
        try:
            files.append(parse_conda_file(read_file(path).decode("utf-8-sig"), path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError) as error:
            broken.append((path, (str(error).splitlines() or [type(error).__name__])[0]))
    notices = tuple(message("settings.unreadable", file=str(path), problem=problem) for path, problem in broken)
    return CondaReading(merge_conda(tuple(files), environ), tuple(files), notices, tuple(broken))


def merge_conda(files: tuple[CondaFile, ...], environ: Mapping[str, str]) -> CondaValues:
    """Files with the lowest precedence first; variables beat them, and add to lists."""
    rows = [_renamed(file.rows, environ) for file in files]
    rows.append(_variable_rows(environ))
    values = {key: _scalar(rows, key) for key in ("channel_alias", "channel_priority", "ssl_verify", "offline")}
    verify, alias = values["ssl_verify"], values["channel_alias"]
    return CondaValues(
        channels=_list(rows, "channels"),
        default_channels=_list(rows, "default_channels"),
        alias=alias if isinstance(alias, str) and alias else None,
        custom=tuple((name, found[-1]) for name, found in _map(rows, "custom_channels")),
        multi=_map(rows, "custom_multichannels"),
        mirrored=_map(rows, "mirrored_channels"),
        priority=_priority(values["channel_priority"]),
        ssl_verify=False if is_false(verify) else True if is_true(verify) else verify,
        servers=tuple((name, found[-1]) for name, found in _map(rows, "proxy_servers")),
        offline=is_true(values["offline"]),
        allowed=_list(rows, "allowlist_channels"),
    )


def is_false(value: Scalar) -> bool:
    return value is False or (isinstance(value, str) and value.lower() in _FALSE_WORDS)


def is_true(value: Scalar) -> bool:
    return value is True or (isinstance(value, str) and value.lower() in _TRUE_WORDS)


def _priority(value: Scalar) -> str:
    """conda takes the old true and false as well."""
    if is_false(value):
        return "disabled"
    return str(value).lower() if isinstance(value, str) and not is_true(value) else "flexible"


def _renamed(rows: Iterable[CondaRow], environ: Mapping[str, str]) -> list[CondaRow]:
    return [
        CondaRow(_ALIASES.get(row.key, row.key), row.name, fill_in(row.value, environ), row.line, row.marks, row.shape)
        for row in rows
    ]


def fill_in(value: Scalar, environ: Mapping[str, str]) -> Scalar:
    """`${TOKEN}` from the variables, as conda does; one that is not set stays as it is written."""
    if not isinstance(value, str) or "$" not in value:
        return value
    return _BLANK.sub(lambda found: environ.get(found[1] or found[2], found[0]), value)


def _variable_rows(environ: Mapping[str, str]) -> list[CondaRow]:
    rows = []
    for name, value in environ.items():
        key = _ALIASES.get(name[len(_VARIABLE) :].lower(), name[len(_VARIABLE) :].lower())
        if not name.startswith(_VARIABLE) or not value:
            continue
        if key in _LISTS:
            rows += [CondaRow(key, None, item.strip(), 0, shape="list") for item in value.split(",") if item.strip()]
        else:
            rows.append(CondaRow(key, None, value, 0))
    return rows


def _counted(rows: list[list[CondaRow]], key: str) -> list[list[CondaRow]]:
    """One entry per source that has the key, up to the first that calls itself final."""
    kept = []
    for source in rows:
        own = [row for row in source if row.key == key]
        if own:
            kept.append(own)
        if any("final" in row.marks for row in own):
            break
    return kept


def _scalar(rows: list[list[CondaRow]], key: str) -> Scalar:
    found = [row.value for source in _counted(rows, key) for row in source if row.shape == "scalar"]
    return found[-1] if found else None


def _list(rows: list[list[CondaRow]], key: str) -> tuple[str, ...]:
    """The nearest source first; what is marked top or bottom before and after all others."""
    sources = [[row for row in source if row.shape == "list"] for source in _counted(rows, key)]
    nearest = [row for source in reversed(sources) for row in source]
    top = [row for source in sources for row in source if "top" in row.marks]
    bottom = [row for source in reversed(sources) for row in source if "bottom" in row.marks]
    lowest = {row.value for row in bottom}
    ordered = [row.value for row in (*top, *nearest) if row.value not in lowest]
    return tuple(dict.fromkeys(value for value in (*ordered, *(row.value for row in bottom)) if isinstance(value, str)))


def _map(rows: list[list[CondaRow]], key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name by name; the nearest source that has a name says all about it."""
    merged: dict[str, tuple[str, ...]] = {}
    for source in _counted(rows, key):
        own: dict[str, tuple[str, ...]] = {}
        for row in source:
            if row.name is not None and isinstance(row.value, str):
                own[row.name] = (*own.get(row.name, ()), row.value)
        merged.update(own)
    return tuple(merged.items())


def certificate_file(verify: str | bool | None, home: Path) -> str | None:
    """The authority file that conda would use, where it is one that can be read: a stale path helps nobody."""
    if not isinstance(verify, str):
        return None
    path = Path(str(home / verify[2:]) if verify.startswith("~/") else verify)
    return str(path) if path.is_file() and os.access(path, os.R_OK) else None


def proxy_server(servers: Iterable[tuple[str, str]]) -> str | None:
    known = dict(servers)
    return known.get("https") or known.get("http") or known.get("all")
