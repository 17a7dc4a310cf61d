"""Reads conda's files (environment.yml, explicit lists, `conda list` exports) in pip's words, and pixi's tables.

YAML is read as data with its lines and without aliases (a few lines of them can stand for gigabytes). Channels and
build strings are kept as they are; what conda calls pytorch is torch. One file: pixi's tables are in conda's words.

An environment of pixi is the tables without a name and those of its features. The one called default counts; where no
table without a name asks for torch and several environments do, each its own, it is the one with the newest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from wizard.compatibility.data.ordering import version_key
from wizard.model.distributions import FAMILY
from wizard.project.file_choice import WITHOUT_CARD, names_a_computer, names_card
from wizard.project.formats.commands import read_commands
from wizard.project.formats.conda_words import conda_names, conda_specifier, conda_statement, name_of_conda
from wizard.project.formats.requirements import read_line, version_of_address
from wizard.project.formats.toml_files import TomlText, listed, load_toml, poetry_statement, table_in
from wizard.project.model import (
    DECIDED,
    DECLARED,
    IN_LOCK,
    LOCKED,
    MADE_FOR,
    PYTHON,
    RECOMMENDED,
    TORCH,
    AddressLine,
    FileLine,
    Findings,
    Statement,
    cut_between,
    origin_of,
)
from wizard.project.versions import ENDLESS, can_meet

_FILE = re.compile(
    r"/(?P<platform>noarch|[a-z]+-[a-z0-9_]+)/(?P<name>[^/]+)-(?P<version>[^-/]+)-(?P<build>[^-/]+)\.(?:conda|tar\.bz2)"
)
_PLATFORMS = {"linux-64": "linux", "win-64": "win32"}
_WHEELS = {"x86_64": "linux", "win_amd64": "win32"}
_WHEEL_PLATFORM = re.compile(r"win_amd64|x86_64(?=\.whl)")
_NO_PLATFORM = re.compile(r"macosx|aarch64|arm64")
_TORCH_WHEEL = re.compile(r"https?://\S+/torch-\d\S*\.whl")
_SELECTOR = re.compile(r"\s#\s*\[(?P<words>[a-z0-9 ]+)\]\s*$")
_NAMED_PLATFORM = re.compile(
    r"^(?:\s*- (?:name: )?| {4,}|\s*platform: )((?:linux|win|osx)-[a-z0-9]+):?\s*$", re.MULTILINE
)
_MOST_LINES, _DEEPEST, _MOST_LISTS = 20_000, 100, 20_000
_BRACKETS = re.compile(r"[\[{}\]]")
_OF_LOCK = [re.compile(rf'^\s*"?{key}"?\s*:', re.MULTILINE) for key in ("version", "packages?")]
_SYSTEMS = {"linux": "sys_platform == 'linux'", "win": "sys_platform == 'win32'", "osx": "sys_platform == 'darwin'"}
_TARGETS = {**_SYSTEMS, "unix": "sys_platform != 'win32'"}  # of pixi
_CUDA_PAGE = re.compile(r"https?://[^/]*pytorch[^/]*/.*/(cu\d{2,3})/?")
_PUTS_IN = re.compile(r"\bpip3? install ")  # of a task of pixi


def read_conda_lock(file: str, text: str, found: Findings) -> None:
    """Read the torch and the Python of a pixi.lock or a conda-lock.yml, by the addresses in it."""
    if not all(part.search(text) for part in _OF_LOCK) and "@EXPLICIT" not in text:
        found.remark("unreadable-file", origin_of(file, 1, "no list of packages"))
    seen: dict[str, Statement] = {}
    for number, line in enumerate(text.split("\n"), 1):
        marker = ""
        if ENDLESS.search(line):
            found.remark("unreadable-line", origin_of(file, number, line))
            continue
        if wheel := _TORCH_WHEEL.search(line):
            if _NO_PLATFORM.search(wheel[0]):  # a Mac's, or of another processor
                continue
            name, (specifier, local) = TORCH, version_of_address(wheel[0])
            kind = _WHEEL_PLATFORM.search(wheel[0])
            marker = f"sys_platform == '{_WHEELS[kind[0]]}'" if kind else ""
        elif (match := _FILE.search(line)) and match["platform"] in _PLATFORMS:
            marker = f"sys_platform == '{_PLATFORMS[match['platform']]}'"
            specifier, _ = conda_specifier(f"=={match['version']}")
            name, local = name_of_conda(match["name"], specifier), ""
        else:
            continue
        one = Statement(name, specifier, origin_of(file, number, line), LOCKED, local=local, marker=marker)
        if specifier and name in (TORCH, PYTHON):
            before = seen.setdefault(f"{one}+{local}", one)
            seen[f"{one}+{local}"] = before if before.marker == marker else replace(before, marker="")
    found.statements += seen.values()
    named = {platform for platform in _NAMED_PLATFORM.findall(text) if platform.split("-")[0] in _SYSTEMS}
    if named:
        markers = " or ".join(dict.fromkeys(_SYSTEMS[one.split("-")[0]] for one in sorted(named)))
        where = origin_of(file, 1, f"platforms: {', '.join(sorted(named))}")
        found.statements.append(Statement(MADE_FOR, "", where, LOCKED, group=IN_LOCK, marker=markers))


def read_explicit(file: str, text: str, found: Findings) -> None:
    """`@EXPLICIT` lists of addresses, and `# platform:` of exports."""
    for number, line in enumerate(text.split("\n")[:_MOST_LINES], 1):
        where = origin_of(file, number, line)
        match = _FILE.search(line)
        if match and not match["name"].startswith("_"):
            specifier, _ = conda_specifier(f"=={match['version']}")
            name = name_of_conda(match["name"], specifier)
            found.statements.append(Statement(name, specifier, where, build=match["build"], conda=True))


def read_environment(file: str, text: str, found: Findings) -> None:
    """Read an environment.yml: channels, conda's packages and the section for pip."""
    document = load_yaml(file, text, found)
    if not isinstance(document, dict):
        return
    for channel, line in _lines(document.get("channels")):
        if isinstance(channel, str):
            found.sources.append(AddressLine("channel", channel, origin_of(file, line, channel)))
    source = text.split("\n")
    for entry, line in _lines(document.get("dependencies")):
        if isinstance(entry, str):
            written = source[line - 1] if line <= len(source) else entry
            _package(entry, origin_of(file, line, written), written, found)
        elif isinstance(entry, dict):
            for words, at in _lines(entry.get("pip")):
                if isinstance(words, str):
                    written = source[at - 1] if at <= len(source) else words
                    read_line(re.sub(r"\s#.*$", "", words), origin_of(file, at, written), found)
    # pip comes after conda: its pin is what is there in the end; under another name of conda's it is no second wish.
    of_pip = {one.name: one.specifier for one in found.statements if one.origin.file == file and not one.conda}
    found.statements = [
        one
        for one in found.statements
        if not (one.conda and one.origin.file == file and one.name in of_pip)
        or (one.name in one.origin.text and (one.name in DECIDED or "==" not in of_pip[one.name]))
    ]


def read_cog(file: str, text: str, found: Findings) -> None:
    """Read what a cog.yaml builds its image from: a recommendation, as a Dockerfile's."""
    document = load_yaml(file, text, found)
    build = table_in(document if isinstance(document, dict) else {}, "build")
    source = text.split("\n")
    for words, line in _lines(build.get("python_packages")):
        read_line(str(words), origin_of(file, line, source[line - 1]), found, RECOMMENDED)
    for name, key in ((PYTHON, "python_version"), ("cudatoolkit", "cuda")):
        version, line = str(build.get(key) or ""), next((at for at, one in enumerate(source, 1) if key in one), 1)
        if re.fullmatch(r"\d+\.\d+(\.\d+)?", version):
            numbers = ".".join(version.split(".")[:2])
            where = origin_of(file, line, source[line - 1])
            found.statements.append(Statement(name, f"=={numbers}.*", where, RECOMMENDED))


def _package(entry: str, where: FileLine, written: str, found: Findings) -> None:
    if ENDLESS.search(entry):
        found.remark("unreadable-line", where)
    elif statement := conda_statement(entry, where):
        found.statements.append(_selected(statement, written))
        matters = statement.name in (PYTHON, *FAMILY) or statement.name in conda_names()
        if matters and not statement.specifier and re.search(r"[=<>~!]\??\s*\d", entry.split("=*")[0]):
            found.remark("bound-unread", statement.origin, package=statement.name)


def _selected(statement: Statement, written: str) -> Statement:
    """With conda's `# [linux]` as a marker."""
    match = _SELECTOR.search(written)
    marker = _SYSTEMS.get(match["words"].strip(), "") if match else ""
    return replace(statement, marker=marker) if marker else statement


def load_yaml(file: str, text: str, found: Findings) -> Any:
    """Return plain lists and mappings that know their lines; None for what is no YAML or holds an alias."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if text.count("\n") > _MOST_LINES or re.search(r"(^|[\s\[{,:-])\*[A-Za-z0-9_]+\s*($|[,\]}])", text, re.MULTILINE):
        found.remark("yaml-alias", origin_of(file, 1, ""))
        return None
    if line := _too_deep(text):
        found.remark("unreadable-file", origin_of(file, line, "lists too deep, or too many"))
        return None
    try:
        return YAML(typ="rt").load(text.replace("\t", "    "))
    except (YAMLError, ValueError, RecursionError, TypeError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = (mark.line if mark else 0) + 1
        found.remark("unreadable-file", origin_of(file, line, str(getattr(error, "problem", "")) or "YAML"))
        return None


def _too_deep(text: str) -> int:
    """Return the line where brackets stand too deep in each other, or are too many, for a reading that ends soon; 0 for
    none. Those of texts and comments count: where these end is for the reading itself to say."""
    depth = opened = 0
    for number, line in enumerate(text.split("\n"), 1):
        for sign in _BRACKETS.findall(line):
            is_opened = sign in "[{"
            depth, opened = depth + 1 if is_opened else max(0, depth - 1), opened + is_opened
            if depth > _DEEPEST or opened > _MOST_LISTS:
                return number
    return 0


def _lines(entries: Any) -> Iterator[tuple[Any, int]]:
    """Yield each entry of a plain list with its line; a tag (`!!python/object…`) makes something else of one."""
    if not isinstance(entries, list) or getattr(getattr(entries, "tag", None), "value", None):
        return
    places = getattr(getattr(entries, "lc", None), "data", None) or {}
    for number, entry in enumerate(entries):
        yield entry, places.get(number, (0,))[0] + 1


def read_pixi(file: str, text: str, found: Findings) -> None:
    """Read pixi.toml, or what a pyproject.toml has for pixi."""
    document = load_toml(file, text, found)
    is_part = file.endswith("pyproject.toml")
    pixi = table_in(table_in(document, "tool"), "pixi") if is_part else document
    if pixi:
        PixiReader(pixi, "tool.pixi." if is_part else "", TomlText(file, text), found).read()


class PixiReader:
    """One set of pixi's tables; `prefix` is what their names begin with in the file."""

    def __init__(self, pixi: Mapping[str, Any], prefix: str, lines: TomlText, found: Findings) -> None:
        self.pixi, self.prefix, self.lines, self.found = pixi, prefix, lines, found

    def read(self) -> None:
        """Note channels, the systems, the CUDA of the system, and what the tables ask for, by their feature."""
        workspace = table_in(self.pixi, "workspace") or table_in(self.pixi, "project")
        for channel in listed(workspace.get("channels")):
            if isinstance(channel, str):
                self.found.sources.append(AddressLine("channel", channel, self.lines.at(channel)))
        platforms = [one for one in listed(workspace.get("platforms")) if isinstance(one, str)]
        systems = [_SYSTEMS[name] for one in platforms if (name := one.split("-")[0]) in _SYSTEMS]
        if systems:
            marker = " or ".join(dict.fromkeys(systems))
            where = self.lines.at(platforms[0])
            self.found.statements.append(Statement(MADE_FOR, "", where, LOCKED, group=IN_LOCK, marker=marker))
        self.found.statements += self._of_one_environment(list(self._statements()))
        default = dict(self._environments()).get("default", ())
        for head, group, marker, tables in self._tables():
            for name, task in table_in(tables, "tasks").items():
                command = task.get("cmd") if isinstance(task, dict) else task
                words = " ".join(map(str, command)) if isinstance(command, list) else str(command or "")
                if _PUTS_IN.search(words):
                    self._read_task(self.lines.at(str(name), f"{head}tasks"), words, marker, group in ("", *default))

    def _read_task(self, where: FileLine, command: str, marker: str, counts: bool) -> None:
        """Read what a task installs: a repository there is a part of the project, which no table could build."""
        before, first = len(self.found.statements), command.split("\n")[0].strip()
        below = self.lines.lines[where.line - 1 :]
        start = next((number for number, line in enumerate(below) if first and first in line), 0)
        read_commands(where.file, "\n" * (where.line - 1 + start) + command, self.found)
        self.found.statements[before:] = [
            replace(
                one,
                strength=DECLARED if counts and one.url.startswith("git+") else one.strength,
                marker=one.marker or marker,
            )
            for one in self.found.statements[before:]
        ]

    def _of_one_environment(self, read: list[Statement]) -> list[Statement]:
        """Return what was read, that of the environment's features as what the project itself asks for; where
        environments ask each for a torch of its own, without the others' features."""
        environments = dict(self._environments())
        features, left = environments.get("default", ()), frozenset[str]()
        torch = [one for one in read if one.name == TORCH]
        groups = {one.group for one in torch}
        asking = {name: of for name, of in environments.items() if groups & set(of)}
        agree = all(can_meet(one.specifier, other.specifier) for one in torch for other in torch)
        is_one = len({frozenset(groups & set(of)) for of in asking.values()}) == 1
        chosen, others = "default", list[str]()
        if groups & {"", *features}:  # another one is for another kind of computer, or has another torch
            further = {name: set(of) - set(features) for name, of in environments.items()}
            others = [name for name, of in further.items() if groups & of or (of and names_a_computer(name))]
            read = list(self._apart_without_card(read, environments))
        elif asking and (is_one or not agree):
            chosen = max(asking, key=lambda name: _newest(read, asking[name]))
            features = asking[chosen]
            left = frozenset(feature for of in asking.values() for feature in of) - set(features)
            others = [name for name in asking if name != chosen]
        if others:
            where = self.lines.at(chosen, f"{self.prefix}environments")
            self.found.remark("environments", where, chosen=chosen, others=cut_between(others))
        kept = (one for one in read if one.group not in left)
        return [replace(one, group="") if one.group in features else one for one in kept]

    def _apart_without_card(
        self, read: list[Statement], environments: Mapping[str, tuple[str, ...]]
    ) -> Iterator[Statement]:
        """Yield what was read, that of an environment for computers without a card as a group of its own."""
        default = set(environments.get("default", ()))
        without = (name for name in environments if names_card(name, "cpu") and not names_card(name, "nvidia"))
        name = next(without, "default")
        own = set(environments.get(name, ()))
        for one in read:
            if one.group in default - own and name != "default":
                self.found.card_lines.add(one.origin)
            yield replace(one, group=f"{WITHOUT_CARD}{name}") if one.group in own - default else one

    def _environments(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each environment with its features."""
        for name, value in table_in(self.pixi, "environments").items():
            features = value.get("features") if isinstance(value, dict) else value
            yield str(name), tuple(one for one in listed(features) if isinstance(one, str))

    def _statements(self) -> Iterator[Statement]:
        for head, group, marker, tables in self._tables():
            cuda = table_in(tables, "system-requirements").get("cuda")
            if isinstance(cuda, str) and re.fullmatch(r"\d+(\.\d+)*", cuda):
                where = self.lines.at("cuda", f"{head}system-requirements")
                yield Statement("__cuda", f">={cuda}", where, group=group)
            for name, value in table_in(tables, "dependencies").items():
                where = self.lines.at(str(name), f"{head}dependencies")
                is_of_folder = isinstance(value, dict) and not {"path", "git", "url"}.isdisjoint(value)
                named = poetry_statement(str(name), value, where, group) if is_of_folder else None
                named = named and replace(named, marker=marker, conda=True)
                yield named or _conda_statement(str(name), value, where, group, marker)
            for name, value in table_in(tables, "pypi-dependencies").items():
                where = self.lines.at(str(name), f"{head}pypi-dependencies")
                if one := poetry_statement(str(name), value, where, group):
                    page = _CUDA_PAGE.fullmatch(str(value.get("index"))) if isinstance(value, dict) else None
                    tag = page[1] if page and one.name in FAMILY else ""
                    both = " and ".join(f"({part})" for part in (marker, one.marker) if part)
                    yield replace(one, marker=both, local=one.local or tag)

    def _tables(self) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
        """Yield the tables with the head of their names, their feature and the marker of their system."""
        features = [(f"feature.{name}.", str(name), of) for name, of in table_in(self.pixi, "feature").items()]
        for head, feature, tables in [("", "", self.pixi), *features]:
            if not isinstance(tables, dict):
                continue
            yield f"{self.prefix}{head}", feature, "", tables
            for target, table in table_in(tables, "target").items():
                marker = _TARGETS.get(str(target).split("-")[0], "")
                if isinstance(table, dict):
                    yield f"{self.prefix}{head}target.{target}.", feature, marker, table


def _newest(read: list[Statement], features: tuple[str, ...]) -> tuple[list[tuple[int, ...]], int]:
    """Return the versions of torch and Python that the features name, and how few they are."""
    of = [one for one in read if one.group in features]
    versions = [
        max((version_key(one.specifier) for one in of if one.name == name), default=()) for name in (TORCH, PYTHON)
    ]
    return versions, -len(features)


def _conda_statement(name: str, value: Any, where: FileLine, group: str, marker: str) -> Statement:
    build = str(value.get("build", "")) if isinstance(value, dict) else ""
    version = str(value.get("version", "")) if isinstance(value, dict) else str(value)
    specifier, named = conda_specifier(version)
    known = name_of_conda(name, specifier)
    return Statement(known, specifier, where, group=group, marker=marker, build=build or named, conda=True)
