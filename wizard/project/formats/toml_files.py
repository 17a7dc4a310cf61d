"""Reads pyproject.toml (PEP 621, dependency groups, poetry, uv) and Pipfile; other tools' tables have `tool_tables`.

TOML readers forget lines, so a statement's line is the next one in the file that holds its words: enough to point at.

One file: all of them are TOML, and share how a line is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from wizard.model.distributions import FAMILY
from wizard.model.typed import from_toml
from wizard.project.file_choice import is_developing
from wizard.project.formats.requirements import editable, requirement, statements_of, version_of_address
from wizard.project.model import (
    CODE,
    IN_LOCK,
    LOCKED,
    MADE_FOR,
    PYTHON,
    RECOMMENDED,
    AddressLine,
    FileLine,
    Findings,
    Statement,
    normalized,
    origin_of,
)
from wizard.project.packages.rows import companion_table
from wizard.project.versions import can_meet, poetry_specifier, python_specifier

_TASKS = re.compile(r"[\[.](?:tasks|scripts)[\].]")
_TORCH_PAGE = re.compile(r"https://download\.pytorch\.org/whl/[\w./-]+")
_MOST_LOOKED = 20_000_000  # lines, for all values of a file: about two seconds
_MOST_PARTS = 1_000  # of a key
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_EDITABLE = re.compile(r"\s*(?:-e|--editable)[\s=]+")
_MOST_DEPTH = 40  # of dependency groups that include each other


class TomlText:
    """The file's text, asked for the line of a value: searched on from the table's head, and from the answer before."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.lines = file, text.split("\n")
        self._heads: dict[str, int] = {"": 0}
        self._reached: dict[str, int] = {}
        self._left = _MOST_LOOKED

    def at(self, words: str, head: str = "") -> FileLine:
        """Return the line where these words stand, first below `head`; the head's own line where they stand nowhere."""
        start = self._head(head)
        reached = self._reached.get(head, start)
        order = chain(range(reached, len(self.lines)), range(start, reached), range(start))
        for number in order if words and self._left > 0 else ():
            self._left -= 1
            line = self.lines[number]
            if words in line and _stands_in(words, line) and not line.lstrip().startswith("#"):
                self._reached[head] = number
                return origin_of(self.file, number + 1, line)
        return origin_of(self.file, start + 1, self.lines[start] if self.lines else "")

    def enter(self, key: str, head: str) -> None:
        """Search on from the line of a key below that head, whose values may be those of another one, too."""
        is_key = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        start = self._head(head)
        self._left -= len(self.lines)
        if self._left <= 0:
            return
        self._reached[head] = next(
            (number for number in range(start, len(self.lines)) if is_key.match(self.lines[number])), start
        )

    def _head(self, head: str) -> int:
        if head not in self._heads:
            found = re.compile(rf"\s*(\[\[?\s*{re.escape(head)}\s*\]|{re.escape(head.rsplit('.', 1)[-1])}\s*=)")
            self._heads[head] = next((number for number, line in enumerate(self.lines) if found.match(line)), 0)
        return self._heads[head]


def _stands_in(words: str, line: str) -> bool:
    """Return whether they begin in the line as a name does: not within another one."""
    at = line.find(words)
    while at > 0 and (line[at - 1].isalnum() or line[at - 1] in "_.-"):
        at = line.find(words, at + 1)
    return at >= 0


def load_toml(file: str, text: str, found: Findings) -> dict[str, Any]:
    """Return {} with a remark for what is no TOML, or has a key of so many parts that its reading takes minutes."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_PARTS and _QUOTED.sub("", line).count(".") > _MOST_PARTS:
            found.remark("unreadable-file", origin_of(file, number, "nested too deep"))
            return {}
    try:
        return from_toml(text)
    except ValueError as error:
        place = re.search(r"at line (\d+)", str(error))
        found.remark("unreadable-file", origin_of(file, int(place[1]) if place else 1, str(error)))
        return {}


def read_pyproject(file: str, text: str, found: Findings) -> None:
    """Read a pyproject.toml: PEP 621, dependency groups, poetry, uv and setuptools' dynamic files."""
    document, lines = load_toml(file, text, found), TomlText(file, text)
    project, tool = table_in(document, "project"), table_in(document, "tool")
    found.name_itself(file, project.get("name") or table_in(tool, "poetry").get("name"))
    _python(project.get("requires-python"), "project", lines, found)
    before = len(found.statements)
    take_strings(table_in(tool, "uv").get("override-dependencies"), "tool.uv", "constraint", lines, found)
    found.statements[before:] = [replace(one, override=True) for one in found.statements[before:]]
    take_strings(project.get("dependencies"), "project", "", lines, found)
    for group, entries in table_in(project, "optional-dependencies").items():
        lines.enter(str(group), "project.optional-dependencies")
        take_strings(entries, "project.optional-dependencies", str(group), lines, found)
    _build_requires(table_in(document, "build-system").get("requires"), lines, found)
    _backend(file, table_in(document, "build-system").get("build-backend"), lines, found)
    groups = table_in(document, "dependency-groups")
    unasked = {str(one) for one in listed(table_in(tool, "uv").get("default-groups")) if not is_developing(str(one))}
    for group in groups:
        lines.enter(str(group), "dependency-groups")
        of = "" if str(group) in unasked else str(group)
        take_strings(_group(groups, str(group)), "dependency-groups", of, lines, found)
    _poetry(table_in(tool, "poetry"), lines, found)
    take_strings(table_in(table_in(tool, "flit"), "metadata").get("requires"), "tool.flit.metadata", "", lines, found)
    _uv(table_in(tool, "uv"), lines, found)
    _dynamic(table_in(table_in(tool, "setuptools"), "dynamic"), lines, found)
    hooks = table_in(table_in(table_in(tool, "hatch"), "metadata"), "hooks")
    for name in listed(table_in(hooks, "requirements_txt").get("files")):
        found.include(str(name), lines.at(str(name), "tool.hatch.metadata.hooks.requirements_txt"), "")
    _torch_pages(lines, found, _unused(table_in(tool, "uv")) | _unused_sources(table_in(tool, "poetry")))


def _backend(file: str, backend: Any, lines: TomlText, found: Findings) -> None:
    """Say that the project itself is compiled, where that is what it is built with."""
    words = backend.partition(".")[0] if isinstance(backend, str) and "/" not in file else ""
    for row in companion_table().build_backend:
        if row.backend == words:
            found.remark("own-backend", lines.at(str(backend), "build-system"), backend=str(backend), needs=row.needs)


def _build_requires(entries: Any, lines: TomlText, found: Findings) -> None:
    """The torch that the project itself is built with: a recommendation where nothing else names one. What is built
    with a NumPy before 2 does not load with a newer one."""
    own = Findings()
    take_strings(entries, "build-system", "", lines, own)
    of_numpy = [one for one in own.statements if one.name == "numpy" and not one.marker]
    old = [one for one in of_numpy if not can_meet(one.specifier, ">=2")]
    found.statements += [Statement(CODE, "<2", one.origin, RECOMMENDED, one.name) for one in old]
    found.statements += [replace(one, strength=RECOMMENDED) for one in own.statements if one.name in FAMILY]


def read_pipfile(file: str, text: str, found: Findings) -> None:
    """Read a Pipfile: its packages, those for development, its Python and its sources."""
    document, lines = load_toml(file, text, found), TomlText(file, text)
    _python(table_in(document, "requires").get("python_version"), "requires", lines, found)
    take_table(table_in(document, "packages"), "packages", "", lines, found)
    take_table(table_in(document, "dev-packages"), "dev-packages", "dev", lines, found)
    for source in listed(document.get("source")):
        take_index(source, "source", lines, found)


def table_in(within: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = within.get(name)
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _python(value: Any, head: str, lines: TomlText, found: Findings) -> None:
    if isinstance(value, str) and value.strip() not in ("", "*"):
        specifier = python_specifier(value)
        found.statements.append(Statement(PYTHON, specifier, lines.at(value, head)))


def take_strings(entries: Any, head: str, group: str, lines: TomlText, found: Findings) -> None:
    if isinstance(entries, str):
        found.remark("dependencies-unread", lines.at(entries, head))
    for entry in listed(entries):
        if isinstance(entry, str):
            given = _EDITABLE.match(entry)  # of PDM; that it is a folder is told with the others
            into = Findings(here=found.here) if given else found
            words = editable(entry[given.end() :], found) if given else entry
            for one in statements_of(words, lines.at(entry, head), into):
                found.statements.append(replace(one, group=group))
            found.remarks += [one for one in into.remarks if given and not (group or one.key.endswith("local-path"))]


def _group(groups: Mapping[str, Any], name: str, depth: int = 0) -> list[str]:
    """The strings of a dependency group and of those that it includes."""
    entries: list[str] = []
    for entry in listed(groups.get(name)):
        if isinstance(entry, str):
            entries.append(entry)
        elif isinstance(entry, dict) and depth < _MOST_DEPTH and len(entries) < 10_000:
            entries += _group(groups, str(entry.get("include-group")), depth + 1)
    return entries


def _poetry(poetry: Mapping[str, Any], lines: TomlText, found: Findings) -> None:
    take_table(table_in(poetry, "dependencies"), "tool.poetry.dependencies", "", lines, found)
    take_table(table_in(poetry, "dev-dependencies"), "tool.poetry.dev-dependencies", "dev", lines, found)
    left = []  # what `poetry install` takes unasked is declared, but for what only the authors need
    for group, table in table_in(poetry, "group").items():
        if isinstance(table, dict):
            head = f"tool.poetry.group.{group}.dependencies"
            left += [str(group)] if table.get("optional") or is_developing(str(group)) else []
            take_table(table_in(table, "dependencies"), head, str(group) if group in left else "", lines, found)
    if left:
        found.remark("groups-left", lines.at("", f"tool.poetry.group.{left[0]}.dependencies"), groups=", ".join(left))
    unused = _unused_sources(poetry)
    for source in listed(poetry.get("source")):
        if not (isinstance(source, dict) and source.get("url") in unused):
            take_index(source, "tool.poetry.source", lines, found)


def _unused_sources(poetry: Mapping[str, Any]) -> set[str]:
    """Return the addresses from which only what names them comes, and nothing does."""
    groups = (table_in(of, "dependencies") for of in table_in(poetry, "group").values() if isinstance(of, dict))
    tables = (table_in(poetry, "dependencies"), table_in(poetry, "dev-dependencies"), *groups)
    used = {one.get("source") for table in tables for one in _entries(table.values())}
    sources = [one for one in listed(poetry.get("source")) if isinstance(one, dict)]
    asked = [one for one in sources if one.get("priority") == "explicit" and one.get("name") not in used]
    return {str(one.get("url")) for one in asked}


def take_table(table: Mapping[str, Any], head: str, group: str, lines: TomlText, found: Findings) -> None:
    for name, value in table.items():
        for one in value if isinstance(value, list) else [value]:
            where = lines.at(str(name), head)
            if str(name).lower() == PYTHON:
                _python(one, head, lines, found)
                continue
            statement = poetry_statement(str(name), one, where, group)
            if statement:
                found.statements.append(statement)
                version = str(one.get("version", "") if isinstance(one, dict) else one)
                if not statement.specifier and re.search(r"\d", version):
                    found.remark("bound-unread", where, package=statement.name)


def poetry_statement(name: str, value: Any, where: FileLine, group: str) -> Statement | None:
    if isinstance(value, str):
        value = {"version": value}
    if not isinstance(value, dict):
        return None
    url = _address(value)
    markers = [str(marker) for marker in (value.get("markers"), value.get("marker")) if marker]
    platform = value.get("platform")
    markers += [f"sys_platform == '{platform}'"] if isinstance(platform, str) else []
    version = str(value.get("version", ""))
    local = re.search(r"\+([A-Za-z0-9.]+)", version)
    if python := poetry_specifier(str(value.get("python", ""))):
        markers += re.sub(r"([<>=!~]+)([^,]+)", r"python_version \1 '\2'", python).split(",")
    plain = requirement(f"x; {' and '.join(f'({one})' for one in markers)}", where) if markers else None
    linked, of_link = version_of_address(url)
    return Statement(
        normalized(name),
        poetry_specifier(re.sub(r"\+[A-Za-z0-9.]+", "", version)) or linked,
        where,
        group=group or ("extras" if value.get("optional") else ""),
        marker=plain.marker if plain else "",
        local=local[1].lower() if local else of_link,
        url=url,
        extras=tuple(sorted(extra for extra in listed(value.get("extras")) if isinstance(extra, str))),
    )


def _address(value: Mapping[str, Any]) -> str:
    """As pip writes it."""
    inner = value.get("subdirectory")
    within = f"#subdirectory={inner}" if isinstance(inner, str) and inner else ""
    if "git" in value:
        tag = value.get("tag") or value.get("rev") or value.get("branch")
        at = f"@{tag}" if isinstance(tag, str) else ""
        return re.sub(r"^(?!git\+)", "git+", str(value["git"])) + at + within
    if "url" in value:
        return str(value["url"]) + ("" if "#" in str(value["url"]) else within)
    return str(value.get("path", ""))


def _uv(uv: Mapping[str, Any], lines: TomlText, found: Findings) -> None:
    take_strings(uv.get("dev-dependencies"), "tool.uv", "dev", lines, found)
    take_strings(uv.get("constraint-dependencies"), "tool.uv", "constraint", lines, found)
    lines.enter("environments", "tool.uv")
    made_for(uv.get("environments"), lines, found, "tool.uv")
    unused = _unused(uv)
    for index in listed(uv.get("index")):
        if isinstance(index, dict) and index.get("url") in unused:
            continue
        take_index(index, "tool.uv.index", lines, found, _marker_of_index(uv, index))
    for name in ("index-url", "extra-index-url", "find-links"):
        for url in [uv[name]] if isinstance(uv.get(name), str) else listed(uv.get(name)):
            kind = "find-links" if name == "find-links" else "index"
            found.sources.append(AddressLine(kind, str(url), lines.at(str(url))))
    for name, value in table_in(uv, "sources").items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict) and ("git" in one or "url" in one or "path" in one):
                linked = poetry_statement(str(name), one, lines.at(str(name), "tool.uv.sources"), "constraint")
                if linked:
                    found.statements.append(linked)
    parts = (str(name) for name, value in table_in(uv, "sources").items() if _is_member(value))
    found.members |= set(map(normalized, parts))
    # Names that uv has to build with the project's torch stand here and nowhere else.
    for name in table_in(uv, "extra-build-dependencies"):
        where = lines.at(str(name), "tool.uv.extra-build-dependencies")
        found.statements.append(Statement(normalized(str(name)), "", where, group="constraint"))


def _is_member(value: Any) -> bool:
    """Return whether a source is a part of the project itself, and none of the index."""
    return any(one.get("workspace") is True for one in _entries([value]))


def _unused(uv: Mapping[str, Any]) -> set[str]:
    """Return the addresses of indexes from which only what names them comes, and nothing does."""
    used = {one.get("index") for one in _entries(table_in(uv, "sources").values())}
    indexes = [one for one in listed(uv.get("index")) if isinstance(one, dict) and one.get("explicit") is True]
    return {str(one.get("url")) for one in indexes if one.get("name") not in used}


def _entries(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the tables of `tool.uv.sources`, of which a package may have several."""
    every = (one for value in values for one in (value if isinstance(value, list) else [value]))
    return [one for one in every if isinstance(one, dict)]


def _marker_of_index(uv: Mapping[str, Any], index: Any) -> str:
    """Return for which computers torch and its pair come from an index; "" for all."""
    name = index.get("name") if isinstance(index, dict) else None
    of = [table_in(uv, "sources").get(package) for package in FAMILY]
    uses = [one for one in _entries(of) if one.get("index") == name]
    markers = list(dict.fromkeys(str(one.get("marker") or "") for one in uses))
    return " or ".join(f"({one})" for one in markers) if all(markers) else ""


def take_index(table: Any, head: str, lines: TomlText, found: Findings, marker: str = "") -> None:
    if isinstance(table, dict) and isinstance(table.get("url"), str):
        found.sources.append(AddressLine("index", table["url"], lines.at(table["url"], head), marker=marker))


def _torch_pages(lines: TomlText, found: Findings, unused: set[str]) -> None:
    """PyTorch's own pages in places that no tool reads any more (dependency_links): they tell which CUDA was meant.
    Tasks with a page each (`install-cuda11`, `install-cpu`) are what a person chooses from, and tell nothing."""
    known = {source.url for source in found.sources} | unused
    pages: list[AddressLine] = []
    of_tasks, head = list[AddressLine](), ""
    for number, line in enumerate(lines.lines, 1):
        match, head = _TORCH_PAGE.search(line), line if line.startswith("[") else head
        if match and match[0] not in known and not line.lstrip().startswith("#"):
            into = of_tasks if _TASKS.search(head) else pages
            into.append(AddressLine("index", match[0], origin_of(lines.file, number, line)))
    found.sources += [*pages, *(of_tasks if len({one.url for one in of_tasks}) == 1 else ())]


def _dynamic(dynamic: Mapping[str, Any], lines: TomlText, found: Findings) -> None:
    """`dependencies = {file = ["requirements.txt"]}` of setuptools."""
    value = table_in(dynamic, "dependencies").get("file")
    for name in [value] if isinstance(value, str) else listed(value):
        found.include(str(name), lines.at(str(name), "tool.setuptools.dynamic"), "")


def made_for(markers: Any, lines: TomlText, found: Findings, head: str = "") -> None:
    """Note the systems that a lock is made for, where it names them; `head`: the table that does."""
    named = [one for one in listed(markers) if isinstance(one, str)]
    if named:
        marker = " or ".join(f"({one})" for one in named) if len(named) > 1 else named[0]
        found.statements.append(Statement(MADE_FOR, "", lines.at(named[0], head), LOCKED, group=IN_LOCK, marker=marker))
