"""Knows the members of uv's workspace: folders of the project that are packages, and none of an index.

uv installs a member from its folder, and all that it needs with it; where the workspace's root is no package, all
members. uv's page on workspaces: https://docs.astral.sh/uv/concepts/projects/workspaces/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import islice
from posixpath import normpath

from wizard.project.formats.toml_files import TomlText, listed, load_toml, table_in
from wizard.project.model import DECLARED, FileLine, Findings, Statement, normalized
from wizard.project.search.files import ProjectFolder
from wizard.project.search.order import folder_of
from wizard.project.search.reader import ProjectReader

_FILE = "pyproject.toml"
_TOOLS = ("uv", "rye", "hatch")  # whose workspaces are written in one way
_NAMING = ("pyproject.toml", "pixi.toml")  # where one table names a package, and another one has its address
_DEEPEST = 8  # folders above a member
_MOST_MEMBERS = 50
_MOST_PATTERNS = 100
_MOST_SEEN = 1_000


@dataclass(frozen=True, slots=True)
class Workspace:
    """`folders`: of its members, by their names; `built`: those that say that they are packages; `plain`: that they are
    none."""

    folders: Mapping[str, str]
    built: frozenset[str]
    plain: frozenset[str]
    is_virtual: bool  # its root is no package
    origin: FileLine


def workspace_of(folder: ProjectFolder) -> Workspace:
    """Return that of the project's own folder; one without members where there is none."""
    text = (folder.read(_FILE) or "") if folder.has_file(_FILE) else ""
    document = load_toml(_FILE, text, Findings()) if "workspace" in text else {}
    table = next(filter(None, (table_in(_tool_of(document, name), "workspace") for name in _TOOLS)), {})
    asked, left = ([str(one) for one in listed(table.get(key))][:_MOST_PATTERNS] for key in ("members", "exclude"))
    names = ((name, folder_of(name)) for name in sorted(_files_of(folder, asked)) if "/" in name)
    members = (name for name, inner in names if _is_among(inner, asked) and not _is_among(inner, left))
    folders, built, plain = dict[str, str](), set[str](), set[str]()
    for name in islice(members, _MOST_MEMBERS):
        its = load_toml(name, folder.read(name) or "", Findings())
        called = table_in(its, "project").get("name")
        key = normalized(called if isinstance(called, str) and called else folder_of(name).rpartition("/")[2])
        folders.setdefault(key, folder_of(name))
        package = _tool_of(its, _TOOLS[0]).get("package")
        if package is False:
            plain.add(key)
        elif package or "build-system" in its:
            built.add(key)
    where = TomlText(_FILE, text).at("members")
    return Workspace(folders, frozenset(built), frozenset(plain), "project" not in document, where)


def read_members(reader: ProjectReader, workspace: Workspace, is_whole: bool = False) -> None:
    """Read what the members need that the lines so far ask for, and the members that these need in turn; their lines
    become folders of the project. `is_whole`: all members, as uv does where the workspace's root is no package."""
    for name, folder in workspace.folders.items() if is_whole else ():
        reader.read(f"{folder}/{_FILE}", workspace.origin)
        if name in workspace.built:
            reader.found.statements.append(Statement(name, "", workspace.origin))
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
    """Give each line of a member its folder. What is said to be a member and lies nowhere here is left out, for the
    index may have a stranger's of that name; so is the root's own name in a member, and what is no package."""
    found, folders = reader.found, workspace.folders
    own = found.packaged if folders else set[str]()
    lost = found.members - {*folders, *found.packaged}
    for one in found.statements:
        if one.name in lost and one.strength == DECLARED and not (one.group or one.url):
            found.remark("member-missing", one.origin, name=one.name)
    left = {*lost, *workspace.plain, *own}
    here = [one for one in found.statements if one.strength == DECLARED and one.origin.file in _NAMING]
    urls = {one.name: one.url for one in here[::-1] if one.url and not (one.group or one.marker)}
    urls |= {name: f"./{folder}" for name, folder in folders.items()}
    found.statements = [
        replace(one, url=urls[one.name])
        if (one in here or one.name in folders) and not one.url and one.name in urls
        else one
        for one in found.statements
        if one.url or one.name not in left or (one.name not in lost and one.strength != DECLARED)
    ]


def _files_of(folder: ProjectFolder, patterns: Iterable[str]) -> set[str]:
    """Return the files of what may be members, within bounds; also in folders that the search passes over."""
    found = set[str]()
    for words in patterns:
        one = normpath(words)
        if "**" in one:
            found |= {name for _, name, _ in folder.names(_DEEPEST) if name.endswith(f"/{_FILE}")}
        elif not one.startswith(("/", "..")):
            there = islice(folder.root.glob(f"{one}/{_FILE}"), _MOST_SEEN)
            found |= {path.relative_to(folder.root).as_posix() for path in there}
    return {*filter(folder.has_file, found)}


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
