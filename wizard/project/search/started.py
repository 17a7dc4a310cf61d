"""Reads which programs of a project are started, by way of which files, and what of their imports no file declares.

As syntax alone: those in `try`, for type checkers alone, in tests and documents may be missing, and are passed over.
One file: each look goes through the same programs and their imports.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice

from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.formats.by_name import unquoted
from wizard.project.model import (
    DECIDED,
    DECLARED,
    PAIRS,
    TORCH,
    FileLine,
    Statement,
    normalized,
    origin_of,
    parted,
)
from wizard.project.packages.companions import companion, companions_of_module
from wizard.project.packages.rows import companion_table, packages_by_module
from wizard.project.search.below import absent_submodules
from wizard.project.search.extras import named_extras
from wizard.project.search.files import DEEPEST_PROGRAM
from wizard.project.search.order import is_plain_readme
from wizard.project.search.reader import ProjectReader

_MOST_PROGRAMS = 300
_MOST_SCRIPTS = 20  # of a shell, that READMEs start
_MOST_LOOKED = 2_000  # names of files that the imports of one program may mean
_MOST_UNKNOWN = 200  # modules
_LEAST = 4  # letters of a name without its `py`
_ALWAYS = frozenset({TORCH, "numpy"})  # in every setup, whoever asks for it
_ADDS_FOLDERS = "sys.path"
_ITSELF = "__main__"  # the program that runs, as its own modules import it
_WITH_EXTRAS = ("setup.py", "setup.cfg", "pyproject.toml")
_OPTIONS = r"(?:[ \t]+-[\w-]+(?:=\S+)?(?:[ \t]+[\w:./]+)??){0,6}"
# In a README, or in a script that one starts: a program that is started, by its file or as a module.
_STARTS = re.compile(
    r"(?:^|[\s`;&])(?:python[\d.]*|torchrun|deepspeed|uv[ \t]+run|accelerate[ \t]+launch|streamlit[ \t]+run)"
    rf"{_OPTIONS}[ \t]+(?:\.{{1,2}}/)*"
    r"(?:(?P<name>(?:[\w-]+/)*[\w-]+\.py)|-m[ \t]+(?P<module>[A-Za-z_][\w.]*))(?=[`\s]|$)",
    re.MULTILINE,
)
_SCRIPTS = re.compile(r"(?:^|[\s`;&])(?:\./)?(?P<name>(?:[\w.-]+/)*[\w-]+\.sh)(?=[`\s]|$)", re.MULTILINE)
# A line of a notebook's cell that imports at its top, as the file keeps it.
_CELL_IMPORT = re.compile(r'\s*("(?:import|from) (?:[^"\\]|\\.)*"),?\s*')
# What no person starts to use the project.
_FOR_AUTHORS = re.compile(
    r"(?:.*/)?(?:tests?|docs?)/.*|(?:.*/)?(?:setup|conftest|test_\w+|\w+_test)\.py", re.IGNORECASE
)


def started(reader: ProjectReader) -> dict[str, str]:
    """Return the programs that a README starts and the project's own package, with all files of the project that these
    import at their top, each with its text."""
    packages = [
        f"{below}{name.replace('-', '_')}/__init__.py" for name in reader.found.packaged for below in ("", "src/")
    ]
    left = [*programs_named(reader), *filter(reader.folder.has_file, sorted(packages))]
    return dict(_with_imported(reader, tuple(left)))


@lru_cache(maxsize=1)
def _with_imported(reader: ProjectReader, starts: tuple[str, ...]) -> Mapping[str, str]:
    """Return these with what they import of the project, each with its text; several looks go through the same."""
    left, texts, seen = [*starts], dict[str, str](), set[str]()
    adds_folders = False  # to the places where modules are looked for
    while left and len(texts) < _MOST_PROGRAMS:
        file = left.pop(0)
        if file in texts:
            continue
        texts[file] = reader.folder.read(file) or ""
        adds_folders |= _ADDS_FOLDERS in texts[file]
        for names in islice(_files_of_modules(file, texts[file]), _MOST_LOOKED if len(seen) < 10 * _MOST_LOOKED else 0):
            new = [name for name in names if name not in seen]
            seen |= {*names}
            found = [name for name in new if reader.folder.has_file(name)]
            if new and not found and adds_folders:
                found = _elsewhere(reader, names)
            left += found
    return texts


def programs_named(reader: ProjectReader) -> list[str]:
    """Return the programs that READMEs start, also by way of scripts for a shell, each once."""
    texts = [reader.folder.read(name) or "" for name in reader.files if is_plain_readme(name)]
    scripts = dict.fromkeys(one["name"] for text in texts for one in _SCRIPTS.finditer(text))
    texts += [reader.folder.read(name) or "" for name in _found(reader, islice(scripts, _MOST_SCRIPTS))]
    named = dict[str, None]()
    for one in (one for text in texts for one in _STARTS.finditer(text)):
        named.setdefault(one["name"] or f"{one['module'].replace('.', '/')}.py")
    return [name for name in _found(reader, islice(named, _MOST_PROGRAMS)) if not _FOR_AUTHORS.fullmatch(name)]


def _found(reader: ProjectReader, names: Iterable[str]) -> Iterator[str]:
    """Yield the files of these names: from the root, else below, where a README went before it starts them."""
    for name in names:
        below = reader.folder.named(name)
        if file := reader.folder.resolve(name) or (below[0] if len(below) == 1 else ""):
            yield file


def _elsewhere(reader: ProjectReader, names: Iterable[str]) -> list[str]:
    """Return the one file of the project that these may be, below whichever folder a program adds."""
    below = {file for name in names for file in reader.folder.named(name)}
    return [*below] if len(below) == 1 else []


def imported_files(file: str, text: str) -> Iterator[str]:
    """Yield the names of the files that a program's imports at its top may be, from the root and beside it."""
    return chain.from_iterable(_files_of_modules(file, text))


def _files_of_modules(file: str, text: str) -> Iterator[list[str]]:
    """Yield for each module that a program imports at its top the names of the files that it may be, from the root and
    beside it."""
    try:
        body = parsed(text).body
    except NO_PYTHON:
        return
    folder = file.split("/")[:-1]
    for node in body:
        names, roots = list[str](), [[], folder] if folder else [[]]
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module or ''}.{one.name}".strip(".") for one in node.names)]
            roots = [folder[: len(folder) + 1 - node.level]] if node.level else roots
        for part in (name.split(".")[:most] for name in names if name for most in range(1, _deep(name) + 1)):
            paths = ["/".join([*root, *part]) for root in roots]
            yield [name for path in paths for name in (f"{path}.py", f"{path}/__init__.py")]


def _deep(module: str) -> int:
    """Return how many parts of a module's name may be folders of the project."""
    return min(module.count("."), DEEPEST_PROGRAM) + 1


def tell_undeclared(reader: ProjectReader, begun: Mapping[str, str]) -> None:
    """Name what the programs in `begun`, with their texts, import at their top and no file names. Of packages that are
    not known with all that they bring one may bring it, what no row has may come in a package of another name, and what
    is imported in a function some uses need alone."""
    lines = [one for one in (*reader.found.statements, *reader.found.told) if not one.name.startswith("__")]
    named = {one.name for one in lines if one.name in PAIRS or one.name not in DECIDED}
    is_told = any(one.key.endswith((".imports-alone", ".imports-torch")) for one in reader.found.remarks)
    texts = begun if lines and not is_told else {}
    of_index = {one.name for one in lines if not one.url} & named  # what an older state brings no row says
    brought, rows = _brought(of_index | _ALWAYS) | named, companion_table().imported
    known = {module.partition(".")[0] for row in rows if {row.package, *row.also} & brought for module in row.modules}
    known |= {*sys.stdlib_module_names, _ITSELF, *(_own(reader) if texts else ())}
    absent = [path.rpartition("/")[2] for path in absent_submodules(reader)] if texts else []
    adding = [text for text in texts.values() if _ADDS_FOLDERS in text]
    lacks_folders = any(name in text for name in absent for text in adding)  # a module may lie in one of these
    packages = packages_by_module()
    is_open = _is_open(lines, named)
    groups: dict[str, dict[str, FileLine]] = {"perhaps": {}, "unknown": {}, "late": {}}
    for module, where in _new_ones(texts, top_imports, known, brought, lacks_folders):
        package = packages.get(module, module)
        if package in PAIRS and is_open:  # a torch of lines that are open may bring it
            continue
        if module in packages and not is_open:
            reader.found.remark("undeclared-import", where, module=module, package=package)
        else:
            groups["perhaps" if module in packages else "unknown"].setdefault(package, where)
    for module, where in _new_ones(texts, _later_imports, known, brought, lacks_folders):
        groups["late"].setdefault(packages.get(module, module), where)
    for code, found in groups.items():
        for words in parted([f"{name} ({where.file}:{where.line})" for name, where in found.items()]):
            reader.found.remark(f"undeclared-{code}", next(iter(found.values())), packages=words)


def tell_of_extras(reader: ProjectReader, begun: Mapping[str, str]) -> None:
    """Name what the programs in `begun` import at their top, and only an extra or a group of the project has that
    nobody takes or names."""
    lines = [one for one in reader.found.statements if not one.name.startswith("__") and one.group != "imported"]
    plain = _brought({one.name for one in lines if not one.group or one.strength != DECLARED} | _ALWAYS)
    told = named_extras(reader.found.remarks)
    of_groups: dict[str, Statement] = {}
    for one in lines:
        is_extra = one.origin.file in _WITH_EXTRAS and one.strength == DECLARED and one.group not in ("", "constraint")
        if is_extra and one.name not in plain and normalized(one.group) not in told:
            of_groups.setdefault(one.name, one)
    packages = packages_by_module()
    for file, text in begun.items() if of_groups else ():
        for module, where in top_imports(file, text):
            of = of_groups.pop(normalized(packages.get(module, module)), None)
            if of is not None:
                reader.found.remark("import-of-extra", where, package=of.name, extra=of.group, place=str(of.origin))


def _new_ones(
    texts: Mapping[str, str],
    imports: Callable[[str, str], Iterator[tuple[str, FileLine]]],
    known: set[str],
    brought: Collection[str],
    lacks_folders: bool,
) -> Iterator[tuple[str, FileLine]]:
    """Yield each module once that is not among the known ones, which it is from then on. What is in no row may be of a
    folder that the program adds to its places, or of the tree that it was copied from."""
    of_rows = {module for row in companion_table().imported for module in row.modules}
    count = 0
    for file, text in texts.items():
        is_open = lacks_folders or _ADDS_FOLDERS in text or _is_copied(file, text, known | of_rows)
        for module, where in imports(file, text):
            if module in known:
                continue
            known.add(module)
            count += module not in of_rows
            may_be = is_open or count > _MOST_UNKNOWN or _is_of(module, brought)
            if module in of_rows or not may_be:
                yield module, where


def _is_copied(file: str, text: str, known: Collection[str]) -> bool:
    """Return whether a program imports itself by a name that it has in another tree: `models.net` in `ops/net.py`."""
    name = file.rpartition("/")[2].removesuffix(".py")
    found = re.finditer(rf"^[ \t]*(?:from|import)[ \t]+(\w+)(?:\.\w+)*\.{re.escape(name)}\b", text, re.MULTILINE)
    return any(one[1] not in known for one in found)


def _is_open(lines: Iterable[Statement], named: Collection[str]) -> bool:
    """Return whether some of what is asked for may bring packages that no row names."""
    rows = {one for row in companion_table().imported if not row.more for one in (row.package, *row.also)}
    asked = [one for one in lines if one.group in ("", "constraint") and one.name in named]
    return any(one.url or one.name not in rows or (one.conda and one.strength == DECLARED) for one in asked)


def _brought(named: Iterable[str]) -> set[str]:
    """Return the packages that come with these, as far as rows say it, and these."""
    table = companion_table().imported
    rows = {one: (row.package, *row.brings) for row in table for one in (row.package, *row.also)}
    left, found = [*named], set[str]()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += rows.get(name, ())
    return found


def _own(reader: ProjectReader) -> set[str]:
    """Return what modules of the project may be called, by its files, its folders and its names."""
    own = {part for _, name, _ in reader.folder.names(DEEPEST_PROGRAM) for part in name.split("/")}
    own |= {part for path in absent_submodules(reader) for part in path.split("/")}
    return {one.removesuffix(".py") for one in own} | {one.replace("-", "_") for one in reader.found.own}


def _is_of(module: str, brought: Collection[str]) -> bool:
    """Return whether a module may be of one of these packages, by its name or by how one of both begins or ends:
    `ffmpeg` of ffmpeg-python, `Bio` of biopython; with or without hyphens and a `py` before it."""
    name = normalized(module)
    rows = {row.name for one in brought if (row := companion(one))}
    if {name, *name.split("-")} & ({*brought} - {TORCH}) or rows & {*companions_of_module(name)}:
        return True
    parts = [part for one in brought for part in (one, *one.split("-"))]
    plain = name.replace("-", "").removeprefix("py")  # PyQt-Toast-Notification brings pyqttoast
    squeezed = [one.replace("-", "").removeprefix("py") for one in brought if len(plain) >= _LEAST]
    return any(
        part.startswith(its) or part.endswith(its)
        for its, names in ((name, parts), (plain, squeezed))
        for part in names
    )


def _later_imports(file: str, text: str) -> Iterator[tuple[str, FileLine]]:
    """Yield the modules that a program imports in a function or behind a condition, each with its line; not what is in
    `try` or for type checkers alone."""
    try:
        left: list[ast.AST] = [parsed(text)]
    except NO_PYTHON:
        return
    lines = text.split("\n")
    while left:
        node = left.pop()
        if isinstance(node, ast.Try) or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names if not getattr(node, "level", 0) else ():
                yield name.partition(".")[0], origin_of(file, node.lineno, lines[node.lineno - 1])
        left += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)][::-1]


def top_imports(file: str, text: str) -> Iterator[tuple[str, FileLine]]:
    """Yield the modules that a program or a notebook imports at its top, each with its line."""
    if file.endswith(".ipynb"):
        for number, line in enumerate(text.split("\n"), 1):
            if (cell := _CELL_IMPORT.fullmatch(line)) and (words := unquoted(cell[1]).strip()):
                yield from ((module, origin_of(file, number, words)) for module, _ in top_imports("", words))
        return
    try:
        tree = parsed(text)
    except NO_PYTHON:
        return
    lines = text.split("\n")
    for node in tree.body:
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
        yield from ((name.partition(".")[0], origin_of(file, node.lineno, lines[node.lineno - 1])) for name in names)
