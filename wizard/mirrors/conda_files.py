"""Where conda and mamba keep their settings, and one such file as flat rows with their line numbers.

The places are conda's own search path (26.7), lowest precedence first. Nothing is merged here; that is
`conda_settings`. YAML is read with ruamel.yaml, loaded only when there is a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.system.places import places

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
