"""Notes the packages with native code that programs import and no line installs, where a README or a manual names their
repository: by a link, by a clone, or as a submodule that is not here. Tells which of the submodules are not here.

What commands install from a repository is the reader's matter; by itself this asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from wizard.project.formats.words import IN_WORDS, LONGEST
from wizard.project.formats.working_folder import without_hidden
from wizard.project.model import RECOMMENDED, FileLine, Statement, cut_between, normalized, origin_of
from wizard.project.packages.companions import companion, repository_of
from wizard.project.search.below import absent_submodules
from wizard.project.search.files import DEEPEST_PROGRAM
from wizard.project.search.imports import ASIDE, own_modules, programs
from wizard.project.search.reader import ProjectReader
from wizard.project.search.started import imported_files, started

_ADDRESS = re.compile(r"(?:https?://|git@)(?:www\.)?github\.com[/:][\w.-]+/[\w-]+")
_IS_TEXT = (".md", ".rst")
_SUBMODULES = ".gitmodules"
_BROUGHT = ("triton",)  # by torch itself
_URL = re.compile(r"https?://\S+")
_FETCHES = re.compile(r"git submodule (?:update|init|sync)|--recurs(?:ive|e-submodules)\b")
_BUILDS = re.compile(
    r"(?:.*/)?(?:setup\.py|CMakeLists\.txt|Makefile|[\w.-]*Dockerfile[\w.-]*|[\w.-]+\.(?:sh|bat|cmake))"
)
_MOST_BUILDS = 200  # files


def note_used(reader: ProjectReader) -> None:
    """Note each such package with the line that names its repository, and tell the first program that imports it."""
    known = {one.name for one in (*reader.found.statements, *reader.found.told)} | {*reader.found.own, *_BROUGHT}
    rows = {row.name for one in known if (row := companion(one))}
    named = {name: at for name, at in _named(reader) if name not in known | rows}
    own = {normalized(one) for one in own_modules(name for _, name, _ in reader.folder.names())}
    modules = {name: _importing(name) for name in named if name not in own}
    for file, text in programs(reader) if reader.found.asks_for_something else ():
        for name in [] if ASIDE.fullmatch(file) else [*modules]:
            if modules[name].search(text):
                del modules[name]
                reader.found.statements.append(Statement(name, "", named[name], RECOMMENDED, IN_WORDS))
                reader.found.remark("used-too", named[name], name=name, program=file)


def tell_submodules(reader: ProjectReader) -> None:
    """Name the repositories that git fetches into the project on demand alone, where they are not here: those that a
    step, a build or a start names, and those that only who uses them needs."""
    absent = absent_submodules(reader)
    are_needed = _needed(reader, absent) if absent else set()
    needed = [path for path in absent if path in are_needed]
    if needed:
        reader.found.remark("submodules", origin_of(_SUBMODULES, 1, ""), folders=cut_between(needed))
    if others := [path for path in absent if path not in needed]:
        reader.found.remark("submodules-aside", origin_of(_SUBMODULES, 1, ""), folders=cut_between(others))


def _needed(reader: ProjectReader, paths: list[str]) -> set[str]:
    """Return those of them that are needed. Each file is gone through once, however many submodules there are."""
    found: set[str] = set()
    for text in _texts(reader, (one for one in reader.files if not one.endswith(".py"))):
        if _FETCHES.search(text):
            return {*paths}
        found |= {path for path in paths if path in text and _whole(path).search(text)}
    files = (one for _, one, _ in reader.folder.names(DEEPEST_PROGRAM) if _BUILDS.fullmatch(one))
    for text in _texts(reader, islice(files, _MOST_BUILDS)) if found < {*paths} else ():
        found |= {path for path in paths if _last(path) in text and _goes_to(path).search(text)}
    left = [path for path in paths if path not in found]
    return found | (_used(reader, left) if left else set())


def _texts(reader: ProjectReader, names: Iterable[str]) -> Iterator[str]:
    return (_URL.sub(" ", reader.folder.read(one) or "") for one in names)


def _used(reader: ProjectReader, paths: list[str]) -> set[str]:
    """Return those that a program uses which is started, or imported by another one where nothing says what is."""
    begun, texts_of = started(reader), dict(programs(reader))
    users: dict[str, list[str]] = {}
    for file, text in {**texts_of, **begun}.items():
        for path in paths if not ASIDE.fullmatch(file) else ():
            if _last(path) in text and _uses(path).search(text):
                users.setdefault(path, []).append(file)
    others = texts_of.items() if users and not begun else ()
    known = {*begun, *(one for file, text in others for one in imported_files(file, text) if one != file)}
    return {path for path, files in users.items() if not known.isdisjoint(files)}


def _last(path: str) -> str:
    return path.rpartition("/")[2]


@lru_cache(maxsize=256)
def _whole(path: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(path)}(?![\w-])")


@lru_cache(maxsize=256)
def _goes_to(path: str) -> re.Pattern[str]:
    return re.compile(rf"(?:[/(]|\bcd ){re.escape(_last(path))}(?![\w-])|{_whole(path).pattern}")


@lru_cache(maxsize=256)
def _uses(path: str) -> re.Pattern[str]:
    last = re.escape(_last(path))
    of_import = rf"^[ \t]*(?:from|import)[ \t]+(?:[\w.]+\.)?{last}\b"
    return re.compile(rf"{of_import}|[\"'/]{re.escape(path)}\b", re.MULTILINE)


def _named(reader: ProjectReader) -> Iterator[tuple[str, FileLine]]:
    texts = [name for name in reader.files if name.lower().endswith(_IS_TEXT)]
    lines = [(name, without_hidden(reader.folder.read(name) or "")) for name in texts]
    lines += [(_SUBMODULES, reader.folder.read(_SUBMODULES) or "")] if reader.folder.has_file(_SUBMODULES) else []
    found: dict[str, FileLine] = {}
    for file, text in lines:
        for number, line in enumerate(text.split("\n"), 1):
            for match in _ADDRESS.finditer(line[: 4 * LONGEST]):
                if name := repository_of(match[0]):
                    found.setdefault(name, origin_of(file, number, line))
    yield from found.items()


def _importing(name: str) -> re.Pattern[str]:
    row = companion(name)
    modules = {one.replace("-", "_") for one in (name, *(row.also if row else ())) if "*" not in one}
    return re.compile(rf"^[ \t]*(?:import|from)[ \t]+(?:{'|'.join(sorted(modules))})\b", re.MULTILINE)
