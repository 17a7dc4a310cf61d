"""Knows the members of a workspace (uv, rye, hatch): folders of the project that are packages, and none of an index.

uv installs a member from its folder, and all that it needs with it; where the workspace's root is no package, all
members. rye has all of them in its one environment, hatch those of an environment in that. The tools' own pages:
docs.astral.sh/uv/concepts/projects/workspaces, rye.astral.sh/guide/pyproject, hatch.pypa.io (environments).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import Any

from wizard.project.folders.walk import Patterns
from wizard.project.formats.toml_files import TomlText, listed, load_toml, table_in
from wizard.project.model import DECLARED, LOCKED, FileLine, Findings, Statement, is_folder, normalized
from wizard.project.search.files import ProjectFolder
from wizard.project.search.reader import ProjectReader

_FILE, _OF_HATCH = "pyproject.toml", "hatch.toml"
_NAMING = ("pyproject.toml", "pixi.toml")  # where one table names a package, and another one has its address
_MOST_MEMBERS = 150
_MOST_PATTERNS = 100


@dataclass(frozen=True, slots=True)
class Workspace:
    """`folders`: of its members, by their names; `built`: those that say that they are packages; `plain`: that they are
    none. `extras`: of a member, as hatch installs it."""

    folders: Mapping[str, str]
    built: frozenset[str]
    plain: frozenset[str]
    is_virtual: bool  # its root is no package
    takes_all: bool  # its tool has all members in the one environment
    is_cut: bool  # there is more than was looked at
    extras: Mapping[str, tuple[str, ...]]
    origin: FileLine


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the tables say: patterns of members, those with their extras; patterns of what is none."""

    members: Mapping[str, tuple[str, ...]]
    left: tuple[str, ...]
    takes_all: bool = False


def workspace_of(folder: ProjectFolder) -> Workspace:
    """Return that of the project's own folder; one without members where there is none."""
    texts = {name: (folder.read(name) or "") if folder.has_file(name) else "" for name in (_FILE, _OF_HATCH)}
    documents = {name: load_toml(name, of, Findings()) if "workspace" in of else {} for name, of in texts.items()}
    asked = _asked(documents[_FILE], documents[_OF_HATCH])
    members, is_cut = _members(folder, asked)
    folders, built, plain, extras = dict[str, str](), set[str](), set[str](), dict[str, tuple[str, ...]]()
    for its_folder, of_hatch in members.items():
        name = f"{its_folder}/{_FILE}"
        its = load_toml(name, folder.read(name) or "", Findings())
        called = table_in(its, "project").get("name")
        key = normalized(called if isinstance(called, str) and called else its_folder.rpartition("/")[2])
        folders.setdefault(key, its_folder)
        extras.setdefault(key, of_hatch)
        package = _tool_of(its, "uv").get("package")
        if package is False or _tool_of(its, "rye").get("virtual") is True:
            plain.add(key)
        elif package or "build-system" in its or of_hatch:
            built.add(key)
    first = _FILE if documents[_FILE] else _OF_HATCH
    where = TomlText(first, texts[first]).at("members" if "members" in texts[first] else "workspace")
    is_virtual = "project" not in documents[_FILE] and first == _FILE
    kinds = (frozenset(built), frozenset(plain), is_virtual)
    return Workspace(folders, *kinds, asked.takes_all, is_cut, extras, where)


def _asked(document: Mapping[str, Any], of_hatch: Mapping[str, Any]) -> _Asked:
    """Return what uv, rye or hatch has. rye's without members has all packages below; hatch has its environment
    `default` unasked, and of another one the members are folders all the same."""
    rye = _tool_of(document, "rye")
    hatch = {**_tool_of(document, "hatch"), **of_hatch}
    every = table_in(hatch, "envs")
    envs = {name: table_in(table_in(every, name), "workspace") for name in every}
    tables = [table_in(of, "workspace") for of in (_tool_of(document, "uv"), rye, hatch)]
    members, left = dict[str, tuple[str, ...]](), list[str]()
    for table in (*filter(None, tables[:2]), *filter(None, (*envs.values(), tables[2]))):
        for one in listed(table.get("members"))[:_MOST_PATTERNS]:
            extras = listed(one.get("features")) if isinstance(one, dict) else []
            members.setdefault(str(one.get("path") if isinstance(one, dict) else one), tuple(map(str, extras)))
        left += [str(one) for one in listed(table.get("exclude"))[:_MOST_PATTERNS]]
    if "workspace" in rye and not members:
        members["**"] = ()
    return _Asked(members, tuple(left), "workspace" in rye or bool(envs.get("default")))


def _members(folder: ProjectFolder, asked: _Asked) -> tuple[dict[str, tuple[str, ...]], bool]:
    """Return the folders of the members, with the extras of each, and whether there may be more of them."""
    search, found = Patterns(folder.root, _FILE), dict[str, tuple[str, ...]]()
    for words, extras in asked.members.items():
        pattern = normpath(words)
        for name in () if pattern.startswith(("/", "..")) else search.reached(pattern.split("/")):
            is_one = name not in found and name.strip(".") and folder.has_file(f"{name}/{_FILE}")
            if is_one and not _is_among(name, asked.left):
                if len(found) == _MOST_MEMBERS:
                    return found, True
                found[name] = extras
    return dict(sorted(found.items())), search.stopped


def read_members(reader: ProjectReader, workspace: Workspace, is_whole: bool = False) -> None:
    """Read what the members need that the lines so far ask for, and the members that these need in turn; their lines
    become folders of the project. `is_whole`: all members, as uv does where the workspace's root is no package."""
    for name, folder in workspace.folders.items() if is_whole else ():
        reader.read(f"{folder}/{_FILE}", workspace.origin)
        if name in workspace.built:
            of_hatch = tuple(sorted(workspace.extras[name]))
            reader.found.statements.append(Statement(name, "", workspace.origin, extras=of_hatch))
    read: dict[str, frozenset[str]] = {}
    while True:
        lines = [one for one in reader.found.statements if one.strength == DECLARED and not one.group]
        asked: dict[str, set[str]] = {}
        for one in (one for one in lines if one.name in workspace.folders):
            asked.setdefault(one.name, set()).update(map(normalized, one.extras))
        new = {name: frozenset(extras) for name, extras in asked.items() if read.get(name) != frozenset(extras)}
        if not new:
            break
        for name, extras in new.items():
            file = f"{workspace.folders[name]}/{_FILE}"
            reader.read(file, next(one.origin for one in lines if one.name == name))
            reader.found.statements = [
                replace(one, group="") if one.origin.file == file and normalized(one.group) in extras else one
                for one in reader.found.statements
            ]
        read |= new
    _link(reader, workspace)


def _link(reader: ProjectReader, workspace: Workspace) -> None:
    """Give each line of a member its folder, and what a lock has from one. What is said to be a member and lies nowhere
    here is left out, for the index may have a stranger's of that name; so is the root's own name in a member, and what
    is no package."""
    found, folders = reader.found, workspace.folders
    if workspace.is_cut:
        found.remark("members-cut", workspace.origin, most=len(folders))
    own = found.packaged if folders else set[str]()
    lost = found.members - {*folders, *found.packaged}
    for one in found.statements:
        if one.name in lost and one.strength == DECLARED and not (one.group or one.url):
            found.remark("member-missing", one.origin, name=one.name)
    left = {*lost, *workspace.plain, *own}
    here = [one for one in found.statements if one.strength == DECLARED and one.origin.file in _NAMING]
    locked = [one for one in found.statements if one.strength == LOCKED and is_folder(one.url) and one.name != "."]
    urls = {one.name: one.url for one in locked}
    urls |= {one.name: one.url for one in here[::-1] if one.url and not (one.group or one.marker)}
    urls |= {name: f"./{folder}" for name, folder in folders.items()}
    found.statements = [
        replace(one, url=urls[one.name])
        if (one in here or one.name in folders) and not one.url and one.name in urls
        else one
        for one in found.statements
        if one.url or one.name not in left or (one.name not in lost and one.strength != DECLARED)
    ]


def _tool_of(document: Mapping[str, object], name: str) -> dict[str, object]:
    return table_in(table_in(document, "tool"), name)


def _is_among(folder: str, patterns: Iterable[str]) -> bool:
    """Return whether a folder is one of a workspace's: `*` stands for what is in one folder, `**` for any folders
    between (uv's page on workspaces: members are globs)."""
    return any(_matches(folder.split("/"), one.removeprefix("./").rstrip("/").split("/")) for one in patterns)


def _matches(folders: Sequence[str], pattern: Iterable[str]) -> bool:
    reached = {0}  # how many of the folders the pattern may have gone through so far
    for part in pattern:
        steps = {at + 1 for at in reached if at < len(folders) and fnmatchcase(folders[at], part)}
        reached = {*range(min(reached), len(folders) + 1)} if part == "**" and reached else steps
    return len(folders) in reached
