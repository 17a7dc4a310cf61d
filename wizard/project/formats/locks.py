"""Reads locks: of uv, poetry, pdm, pipenv, and pylock.toml.

A lock is what was chosen once, on some other computer: its versions are kept where they run, its files never taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from wizard.model.distributions import FAMILY
from wizard.model.messages import Message
from wizard.model.typed import from_json
from wizard.project.file_choice import is_developing
from wizard.project.formats.requirements import read_requirements, requirement
from wizard.project.formats.toml_files import TomlText, listed, load_toml, made_for, table_in
from wizard.project.formats.words import WINDOWS_ALONE
from wizard.project.model import (
    IN_LOCK,
    LOCKED,
    MADE_FOR,
    PYTHON,
    UNIX,
    Findings,
    Statement,
    cut_between,
    is_folder,
    normalized,
    origin_of,
)
from wizard.project.versions import ENDLESS, marker_holds, python_specifier

_PACKAGE = re.compile(r"\s*\[\[\s*packages?\s*\]\]")

_ANY_PYTHON = "3.11"  # for markers that ask for systems
_PLATFORM = re.compile(r"-(?:[\w.]*?[._])?(linux|manylinux|musllinux|macosx|win)(?:_|32)[\w.]*\.whl$")
_SYSTEMS = {"macosx": "darwin", "win": "win32", **dict.fromkeys(("linux", "manylinux", "musllinux"), "linux")}
_MARKERS = {"windows": WINDOWS_ALONE, "linux": 'sys_platform == "linux"'}
_TAKEN = {"windows": re.compile(r"-any\.whl|win_amd64|win32"), "linux": re.compile(r"-any\.whl|linux")}


def read_lock(file: str, text: str, found: Findings) -> None:
    """Read the packages of a uv.lock, poetry.lock, pdm.lock or pylock.toml, each with the line where its entry begins;
    Pipfile.lock is JSON, requirements.lock a list of pip's."""
    if file.rpartition("/")[2].lower() == "requirements.lock":
        read_requirements(file, text, found, LOCKED)
        is_told = ("project.remark.local-path", file)  # rye writes `-e file:.`, which is no line that a person mends
        found.remarks = [one for one in found.remarks if (one.key, one.params.get("file")) != is_told]
        return
    if text.lstrip().startswith("{"):
        _read_pipfile_lock(file, text, found)
        return
    document = load_toml(file, text, found)
    packages = document.get("package") or document.get("packages")
    if _is_no_lock(document, packages, found.remarks, file):
        found.remark("unreadable-file", origin_of(file, 1, "no list of packages"))
    sources: list[Statement] = []
    heads = [number for number, line in enumerate(text.split("\n"), 1) if _PACKAGE.match(line)]
    for number, package in enumerate(packages if isinstance(packages, list) else []):
        line = heads[number] if number < len(heads) else 1
        if isinstance(package, dict) and ENDLESS.search(str(package.get("version"))):
            found.remark("unreadable-line", origin_of(file, line, f"{package.get('name')} {package['version']}"))
        elif statement := _statement(package, file, line):
            found.statements.append(statement)
            if _is_source_alone(package) and not _is_on_demand(package):
                sources.append(statement)
    named = document.get("supported-markers") or document.get("environments")
    entries = [one for one in listed(packages) if isinstance(one, dict)]
    found.statements += _lacking_wheels(file, entries, [str(one) for one in listed(named)], found.statements)
    if sources:
        names = cut_between([one.name for one in sources])
        found.remark("lock-source", sources[0].origin, packages=names, count=len(sources))
    made_for(named, TomlText(file, text), found)
    of_wheels = None if named else _system_of_wheels(file, listed(document.get("packages")), heads)
    found.statements += [of_wheels] if of_wheels else []
    asks = document.get("requires-python") or table_in(document, "metadata").get("python-versions")
    if isinstance(asks, str) and asks.strip() not in ("", "*"):
        where = TomlText(file, text).at(asks)
        found.statements.append(Statement(PYTHON, python_specifier(asks), where, LOCKED, group=IN_LOCK))


def _is_no_lock(document: Mapping[str, Any], packages: Any, remarks: Sequence[Message], file: str) -> bool:
    """Return whether it is TOML without packages that have names; not where a remark says that it is no TOML, nor for a
    lock of nothing."""
    if not document:
        return all(one.params.get("file") != file for one in remarks)
    if packages in (None, []):
        return not document.keys() & {"version", "lock-version", "metadata", "created-by"}
    return not any(isinstance(one, dict) and isinstance(one.get("name"), str) for one in listed(packages))


def _read_pipfile_lock(file: str, text: str, found: Findings) -> None:
    try:
        document = from_json(text, dict[str, dict[str, Any]])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        found.remark("unreadable-file", origin_of(file, 1, str(error)))
        return
    lines = TomlText(file, text)
    for name, entry in document.get("default", {}).items():
        if isinstance(entry, dict) and isinstance(version := entry.get("version"), str):
            one = requirement(f"{name}{version}", lines.at(f'"{name}"', "default"))
            found.statements += [replace(one, strength=LOCKED)] if one else []
            if ENDLESS.search(version):
                found.remark("unreadable-line", lines.at(f'"{name}"', "default"))


def _statement(package: Any, file: str, line: int) -> Statement | None:
    if not isinstance(package, dict):
        return None
    name, version = package.get("name"), package.get("version")
    if _is_list(package) or not (isinstance(name, str) and isinstance(version, str)) or not re.match(r"\d", version):
        return None
    public, _, local = version.partition("+")
    where = origin_of(file, line, f"{name} {version}")
    marker = package.get("marker")
    marker = marker if isinstance(marker, str) else _of_uv(package)
    url = "" if normalized(name) in FAMILY else _address(package)
    pin = "" if is_folder(url) else f"=={public}"
    return Statement(normalized(name), pin, where, LOCKED, marker=marker, local=local, url=url)


def _is_list(package: Mapping[str, Any]) -> bool:
    """Return whether it is the project itself, or nothing but a list of what it needs, as uv says."""
    source = table_in(package, "source")
    return "virtual" in source or source.get("editable") == "."


def _address(package: Mapping[str, Any]) -> str:
    """Return where a lock has a package from, if that is no index: what an index has of its name may be another one.
    uv and poetry (`source`), pdm and pylock.toml (`directory`, `vcs`) each write it in their own way."""
    source, vcs = table_in(package, "source"), table_in(package, "vcs")
    kind, url = source.get("type"), source.get("url")
    inner = table_in(package, "directory").get("path") or (url if kind in ("directory", "file") else "")
    inner = inner or source.get("editable") or source.get("directory") or source.get("path") or package.get("path")
    if isinstance(inner, str) and inner:
        return inner if inner.startswith((".", "/")) else f"./{inner}"
    git = vcs.get("url") or (url if kind == "git" else source.get("git")) or package.get("git")
    if isinstance(git, str) and git:
        given = vcs.get("commit-id") or source.get("resolved_reference") or package.get("revision")
        address, _, commit = git.partition("#")
        at = given if isinstance(given, str) else commit
        return f"git+{address.partition('?')[0]}{f'@{at}' if at else ''}"
    far = (url if kind in (None, "url") else "") or package.get("url") or table_in(package, "archive").get("url")
    return far if isinstance(far, str) else ""


def _of_uv(package: Mapping[str, Any]) -> str:
    """Return for which computers uv has an entry, as one marker; "" for all, or where that hangs on extras."""
    ways = [one for one in listed(package.get("resolution-markers")) if isinstance(one, str)]
    return "" if any("extra" in one for one in ways) else " or ".join(f"({one})" for one in ways)


def _is_source_alone(package: Mapping[str, Any]) -> bool:
    """Return whether the lock shows files of an index for it, and no wheel among them."""
    files = [*listed(package.get("files")), package.get("sdist")]
    names = [str(one.get("file") or one.get("url") or one.get("name")) for one in files if isinstance(one, dict)]
    return bool(names) and not package.get("wheels") and not any(name.endswith(".whl") for name in names)


def _lacking_wheels(
    file: str, packages: Sequence[Mapping[str, Any]], made: Sequence[str], known: Sequence[Statement]
) -> Iterator[Statement]:
    """Yield for each system what a uv.lock has for others alone. `made`: the markers of the systems that it was made
    for; of others uv writes down no wheels, and nothing is known."""
    for os, marker in _MARKERS.items():
        if made and not any(marker_holds(one, os, _ANY_PYTHON) for one in made):
            continue
        if lacking := _without(os, packages):
            its = (one.origin for one in known if one.origin.file == file and one.name == lacking[0])
            where = next(its, origin_of(file, 1, ""))
            group = "lock" if marker == WINDOWS_ALONE else "lock-linux"
            yield Statement(UNIX, "", where, LOCKED, group, marker, extras=tuple(lacking))


def _without(os: str, packages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what a uv.lock has for other systems alone, and the project needs on this one, too: what one of its
    entries asks for with no marker that leaves it out, from the project itself on. torch brings its own parts anew."""
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for one in packages:
        entries.setdefault(str(one.get("name")), []).append(one)
    left = [str(one.get("name")) for one in packages if {"virtual", "editable"} & {*table_in(one, "source")}]
    reached = dict.fromkeys(left)
    while left:
        name = left.pop()
        of_this = (one for one in entries.get(name, []) if name not in FAMILY and _is_for(os, one))
        asked = [one for entry in of_this for one in listed(entry.get("dependencies")) if isinstance(one, dict)]
        meant = (one for one in asked if marker_holds(str(one.get("marker", "")), os, _ANY_PYTHON))
        names = dict.fromkeys(str(one.get("name")) for one in meant)
        left += [one for one in names if one not in reached]
        reached |= names
    locked = (name for name in reached if name in entries and name not in FAMILY)
    return [name for name in locked if all(_is_of_others(os, one) for one in entries[name])]


def _system_of_wheels(file: str, packages: Sequence[Any], heads: Sequence[int]) -> Statement | None:
    """Return for which system a pylock.toml was made, where no key says it: the only one that its wheels are for."""
    found = dict[str, Statement]()
    for number, one in enumerate(packages):
        for wheel in listed(one.get("wheels")) if isinstance(one, dict) else ():
            name = str(wheel.get("name") or wheel.get("url") or wheel.get("path")) if isinstance(wheel, dict) else ""
            tag = _PLATFORM.search(name)
            if tag and (system := _SYSTEMS[tag[1]]) not in found:
                where = origin_of(file, heads[number] if number < len(heads) else 1, name.rpartition("/")[2])
                found[system] = Statement(MADE_FOR, "", where, LOCKED, IN_LOCK, marker=f'sys_platform == "{system}"')
    return next(iter(found.values())) if len(found) == 1 else None


def _is_for(os: str, package: Mapping[str, Any]) -> bool:
    markers = [str(one) for one in listed(package.get("resolution-markers"))]
    return not markers or any(marker_holds(one, os, _ANY_PYTHON) for one in markers)


def _is_of_others(os: str, package: Mapping[str, Any]) -> bool:
    """Return whether an entry shows wheels, none of which this system takes, and no source."""
    files = [
        str(one.get("url") or one.get("path") or "") for one in listed(package.get("wheels")) if isinstance(one, dict)
    ]
    return bool(files) and not package.get("sdist") and not any(_TAKEN[os].search(one) for one in files)


def _is_on_demand(package: Mapping[str, Any]) -> bool:
    """Return whether an extra alone, or what only the authors need, brings it, as poetry and pdm write that down."""
    groups = [str(one) for one in [*listed(package.get("groups")), package.get("category")] if one]
    return package.get("optional") is True or (bool(groups) and all(map(is_developing, groups)))
