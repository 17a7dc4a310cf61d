"""Notes the packages with native code that programs import and no line installs, where a README or a manual names their
repository: by a link, by a clone, or as a submodule that is not here. Tells which of the submodules are not here.

What commands install from a repository is the reader's matter; by itself this asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    needed = [path for path in absent if _is_needed(reader, path)]
    if needed:
        reader.found.remark("submodules", origin_of(_SUBMODULES, 1, ""), folders=cut_between(needed))
    if others := [path for path in absent if path not in needed]:
        reader.found.remark("submodules-aside", origin_of(_SUBMODULES, 1, ""), folders=cut_between(others))


def _is_needed(reader: ProjectReader, path: str) -> bool:
    name = path.rpartition("/")[2]
    texts = [_URL.sub(" ", reader.folder.read(one) or "") for one in reader.files if not one.endswith(".py")]
    whole = re.compile(rf"(?<![\w-]){re.escape(path)}(?![\w-])")
    if any(_FETCHES.search(text) or whole.search(text) for text in texts):
        return True
    files = [one for _, one, _ in reader.folder.names(DEEPEST_PROGRAM) if _BUILDS.fullmatch(one)][:_MOST_BUILDS]
    last = re.compile(rf"(?:[/(]|\bcd ){re.escape(name)}(?![\w-])|{whole.pattern}")
    if any(last.search(_URL.sub(" ", reader.folder.read(one) or "")) for one in files):
        return True
    used = re.compile(
        rf"^[ \t]*(?:from|import)[ \t]+(?:[\w.]+\.)?{re.escape(name)}\b|[\"'/]{re.escape(path)}\b", re.MULTILINE
    )
    begun, texts_of = started(reader), dict(programs(reader))
    users = [file for file, text in {**texts_of, **begun}.items() if used.search(text) and not ASIDE.fullmatch(file)]
    others = () if begun else ((file, text) for file, text in texts_of.items() if users)
    imported = {one for file, text in others for one in imported_files(file, text) if one != file}
    return any(file in begun or file in imported for file in users)


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
