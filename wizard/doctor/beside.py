"""What wheels write beside their packages: programs, data, headers, and files that several packages share.

No other package's folder is moved for these, so a snapshot keeps a copy of what is there, or a note that nothing was.
Looks into the wheels and at the disk; changes nothing.
"""

from __future__ import annotations

import configparser
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from wizard.packages.record import place
from wizard.packages.wheel import Wheel, is_inside, read_wheel
from wizard.system.traits import this

_GROUPS = ("console_scripts", "gui_scripts")


def beside(prefix: Path, site: Path, wheels: Iterable[Path], moved: Iterable[str]) -> tuple[str, ...]:
    """Relative to the prefix, with "/": what is there, and where nothing is, the highest folder that would be new."""
    gone = frozenset(moved)
    found: dict[str, None] = {}
    for path in wheels:
        wheel = read_wheel(path)
        inside = (target for entry in wheel.record if (target := place(entry.path)))
        shared = (_relative(prefix, site / target) for target in inside)
        found.update(dict.fromkeys(path for path in shared if os.path.lexists(prefix / path)))
        found.update(dict.fromkeys(_highest_new(prefix, target) for target in _outside(prefix, site, wheel)))
    return tuple(path for path in found if not _is_below(path, gone))


def _outside(prefix: Path, site: Path, wheel: Wheel) -> Iterator[str]:
    programs, endings = this().scripts, this().entry_point_endings
    for name in _programs(wheel):
        yield from (f"{programs}/{name}{ending}" for ending in endings)
    for member in wheel.members:
        first, _, rest = member.filename.partition("/")
        scheme, _, target = rest.partition("/")
        if not first.endswith(".data") or not is_inside(target):
            continue
        yield _relative(prefix, site / first)  # installers put it there first, and take it away when they are done
        if scheme == "scripts":
            yield f"{programs}/{target}"
        elif scheme == "data":
            yield target
        elif scheme == "headers":
            yield from (f"{folder}/{wheel.name}/{target}" for folder in _header_folders(prefix, site))


def _programs(wheel: Wheel) -> Iterator[str]:
    """The names of its entry points; a file that cannot be read makes no programs."""
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            said = archive.read(f"{wheel.dist_info}/entry_points.txt").decode("utf-8", "replace")
        parser = configparser.RawConfigParser(delimiters=("=",), strict=False)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(said)
    except (KeyError, OSError, zipfile.BadZipFile, configparser.Error):
        return
    for group in _GROUPS:
        if parser.has_section(group):
            yield from (name for name in parser.options(group) if is_inside(name))


def _header_folders(prefix: Path, site: Path) -> tuple[str, ...]:
    """A virtual environment's place and an installation's."""
    minor = site.parent.name
    return (f"include/site/{minor}", f"include/{minor}") if minor != "Lib" else ("include", "Include")


def _highest_new(prefix: Path, path: str) -> str:
    top = path
    while not os.path.lexists(prefix / top):
        above = top.rpartition("/")[0]
        if not above or os.path.lexists(prefix / above):
            return top
        top = above
    return path


def _is_below(path: str, folders: frozenset[str]) -> bool:
    while path:
        if path in folders:
            return True
        path = path.rpartition("/")[0]
    return False


def _relative(prefix: Path, path: Path) -> str:
    return os.path.relpath(path, prefix).replace(os.sep, "/")
