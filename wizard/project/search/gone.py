"""Reads where a project's programs use what a newer release of a package, Python or torch no longer has (`np.float`).

As syntax alone: modules, cells of notebooks, and Cython by its lines. What is within `try`, but where each of its ways
has such a name, or behind a look at a version is meant for both; what a program puts in itself (`np.float = float`) is
there. Which names these are is a row (`gone`) of `matrices/companions.toml`; so are modules that a package needs and
programs put in themselves (`torch_bound`). One file: each is a look at the same uses.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeGuard

from wizard.compatibility.data.ordering import version_key
from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.formats.by_name import unquoted
from wizard.project.model import (
    BEGUN,
    CODE,
    MENDED,
    OF_ALL,
    PYTHON,
    RECOMMENDED,
    WHOLE,
    WITH_CODE,
    WITHIN,
    Statement,
    origin_of,
)
from wizard.project.packages.rows import Gone, companion_table
from wizard.project.search.imports import ASIDE, programs
from wizard.project.search.reader import ProjectReader

_LOOKS = re.compile(r"version|hasattr|platform")  # a condition that asks what is there
# One that reads 0.10 and every later release as 0.1 or 0.2: what is meant for the old ones is reached there, too.
_MISREADS = re.compile(r"float\(\w+\.__version__\[:3\]\) < 0?\.\d+")
_USUAL = (3, 10)  # an older Python costs more than a line in a function that may never be reached
_MOST_OTHERS = 100  # files of Cython, and notebooks
_MOST_CELLS = 500  # of a notebook
_MOST_PARTS = 20  # of one name
_CYTHON = (".pyx", ".pxd")
_WORDS_OF_NOBODY = re.compile(  # strings and comments of Cython
    r"(\"{3}|'{3})[\s\S]*?(?:\1|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*"
)
_IMPORTS = re.compile(r"\s*import\s+([A-Za-z_]\w*)(?:\s+as\s+([A-Za-z_]\w*))?\s*;?\s*$")
_GUARDS = re.compile(r"(?P<indent>\s*)(?:try|except|else|finally|if|elif)\b(?P<test>.*)")
_NAMED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\.([A-Za-z_]\w*)(?![\w.])(\s*=(?!=))?")
# What only a model has, and no dict or tensor; and the keys of a program's own settings in what it saved.
_OF_MODELS = frozenset({"eval", "fuse", "modules", "named_parameters", "parameters", "state_dict", "train"})
_SETTINGS = frozenset({"args", "cfg", "config", "hparams", "opt", "opts"})
_MODULES = "sys.modules"
# A line of a cell that is none of Python's: what a shell or the notebook itself does.
_MAGIC = re.compile(r"^(\s*)(?:[!%?].*|[^\s#][^#]*\?\s*)$")


@dataclass
class _Uses:
    """What one program names, by the full names: `numpy.float` of `np.float`, each with its line."""

    names: dict[str, str] = field(default_factory=dict)  # of modules, by what the program calls them
    used: list[tuple[str, int, bool]] = field(default_factory=list)  # with: where it is imported already
    # with the options given, and how many arguments without their names
    called: list[tuple[str, int, frozenset[str], int]] = field(default_factory=list)
    whole: list[tuple[str, int]] = field(default_factory=list)  # calls that give a model or settings as objects
    own: set[str] = field(default_factory=set)  # what it puts in itself
    ways: list[list[_Uses]] = field(default_factory=list)  # of each `try` what is tried, and what is done instead

    def read(self, nodes: Iterable[ast.AST], is_start: bool = True) -> None:
        for node in nodes:
            if isinstance(node, ast.Try) or (isinstance(node, ast.If) and _looks(ast.unparse(node.test))):
                self.own |= {self._full(one) for one in ast.walk(node) if _is_set(one)}
                self.ways += [self._ways_of(node, is_start)] if isinstance(node, ast.Try) else []
                continue
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node, is_start)
            elif isinstance(node, ast.Call):
                given = frozenset(one.arg or "**" for one in node.keywords)
                plain = sum(not isinstance(one, ast.Starred) for one in node.args)
                self.called.append((self._full(node.func), node.lineno, given, plain))
            elif _is_set(node):
                self.own.add(self._full(node))
            elif isinstance(node, ast.Attribute):
                self.used.append((self._full(node), node.lineno, is_start))
            inner = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            self.read(ast.iter_child_nodes(node), is_start and not inner)

    def read_whole(self, body: Iterable[ast.stmt]) -> None:
        """Note the calls of which what they give is used as a model, or as settings that are no dict; in each function
        by the names that it gives them."""
        nodes = list(_outside_try(body))
        held: dict[str, ast.Call] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                calls = (one for one in ast.walk(node.value) if isinstance(one, ast.Call) and self._full(one.func))
                if call := next(calls, None):
                    held[node.targets[0].id] = call
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.read_whole(node.body)
        for node in nodes:
            if isinstance(node, ast.Attribute) and (call := _whole_of(node, held)):
                self.whole.append((self._full(call.func), call.lineno))

    def _ways_of(self, node: ast.Try, is_start: bool) -> list[_Uses]:
        ways = []
        for body in (node.body, *(one.body for one in node.handlers)):
            ways.append(_Uses({**self.names}))
            ways[-1].read(body, is_start)
        return ways

    def _import(self, node: ast.Import | ast.ImportFrom, is_start: bool) -> None:
        module = getattr(node, "module", None) or ""
        if getattr(node, "level", 0):
            return
        for one in node.names:
            full = f"{module}.{one.name}".strip(".")
            first = one.name.partition(".")[0]
            self.names[one.asname or first] = full if one.asname or module else first
            self.used += [(full, node.lineno, is_start), (module, node.lineno, is_start)]

    def _full(self, node: ast.expr) -> str:
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        held = self.names.get(node.id, "") if isinstance(node, ast.Name) else ""
        return ".".join([held, *reversed(parts)]) if held else ""


def _outside_try(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield what is run here, in its order, without what is in functions and in `try`."""
    left = [*nodes][::-1]
    while left:
        node = left.pop()
        if not isinstance(node, ast.Try):
            yield node
            inner = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            left += [] if inner else [*ast.iter_child_nodes(node)][::-1]


def _whole_of(node: ast.Attribute, held: dict[str, ast.Call]) -> ast.Call | None:
    """Return the call whose value is asked for what only a model has, or whose settings for a name of theirs."""
    is_whole, at = node.attr in _OF_MODELS, node.value
    if isinstance(at, ast.Subscript) and isinstance(at.slice, ast.Constant) and at.slice.value in _SETTINGS:
        is_whole |= not hasattr(dict, node.attr)
    for _ in range(_MOST_PARTS if is_whole else 0):
        if isinstance(at, ast.Name):
            return held.get(at.id)
        if isinstance(at, ast.Call) and not isinstance(at.func, ast.Attribute):
            return None
        if isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) and isinstance(at.func.value, ast.Name):
            return held.get(at.func.value.id, at)
        if not isinstance(at, ast.Attribute | ast.Subscript | ast.Call):
            return None
        at = at.func if isinstance(at, ast.Call) else at.value
    return None


def _looks(condition: str) -> bool:
    return bool(_LOOKS.search(condition)) and not _MISREADS.fullmatch(condition)


def _is_set(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)


def note_gone(reader: ProjectReader, begun: Collection[str]) -> None:
    """Note the first line for each row, of the programs in `begun`, which a README starts, the one that is reached
    first; that asks for nothing. A use in a function of others is none of Python's: it may never be reached, and an
    older Python costs more than an older NumPy."""
    rows = companion_table().gone if reader.found.asks_for_something else ()
    last = {row: "|".join(sorted({name.rpartition(".")[2] for name in row.names})) for row in rows}
    may_use = {row: re.compile(rf"\b(?:{names})\b") for row, names in last.items()}
    found: dict[Gone, list[Statement]] = {}
    whole: dict[Gone, list[Statement]] = {}
    own: set[str] = set()
    for file, text in _sources(reader) if rows else ():
        here = [] if ASIDE.fullmatch(file) else [row for row in rows if may_use[row].search(text)]
        if not here:
            continue
        uses, lines = _uses_of(file, text)
        own |= uses.own
        is_begun = file in begun
        for row, (name, line, starts) in ((each, use) for each in here for use in _of_row(each, uses)):
            is_late = row.package == PYTHON and not starts
            if is_late and not is_begun:
                continue
            at = origin_of(file, line, lines[line - 1])
            one = Statement(CODE, row.kept, at, RECOMMENDED, row.package, local=row.unless, extras=(name,))
            build = WITHIN if is_late and version_key(row.kept) < _USUAL else BEGUN if is_begun else ""
            one = replace(one, build=build if row.package not in OF_ALL or build == WITHIN else "")
            beside = replace(one, name=WITH_CODE, extras=(name, row.beside))
            found.setdefault(row, []).append(beside if row.beside else one)
            if (name, line) in uses.whole:
                whole.setdefault(row, []).append(replace(one, build=WHOLE))
    order = {file: at for at, file in enumerate(begun)}
    for row, places in (found | whole).items():
        one = _first_reached(places, order, is_call=bool(row.unless))
        if not own & {*row.names} and not reader.folder.named(f"{one.extras[0]}.py"):
            reader.found.statements.append(one)


def note_mended(reader: ProjectReader, begun: Collection[str]) -> None:
    """Note the first line of each module that the project's own programs put in its place for others to import, and by
    whose lack a row bounds torch. By itself that asks for nothing."""
    left = {row.module for row in companion_table().torch_bound if row.module}
    for file, text in programs(reader) if reader.found.asks_for_something else ():
        wanted = {one for one in left if one in text} if _MODULES in text else set()
        lines = _put_in_place(text) if wanted and (file in begun or not ASIDE.fullmatch(file)) else {}
        for module in sorted(wanted & {*lines}):
            where = origin_of(file, lines[module], text.split("\n")[lines[module] - 1])
            reader.found.statements.append(Statement(MENDED, "", where, RECOMMENDED, module))
            left.remove(module)


def _put_in_place(text: str) -> dict[str, int]:
    """Return the modules of `sys.modules["…"] = …` and `sys.modules.setdefault("…", …)`, by whatever name holds the
    words, each with its line."""
    try:
        nodes = [*ast.walk(parsed(text))]
    except NO_PYTHON:
        return {}
    held: dict[str, str] = {}
    for one in nodes:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
            held |= {to.id: one.value.value for to in one.targets if isinstance(to, ast.Name)}
    found: dict[str, int] = {}
    for one in nodes:
        key: ast.expr | None = None
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and ast.unparse(one.value) == _MODULES:
            key = one.slice
        elif isinstance(one, ast.Call) and one.args and ast.unparse(one.func) == f"{_MODULES}.setdefault":
            key = one.args[0]
        name = key.value if isinstance(key, ast.Constant) else held.get(key.id) if isinstance(key, ast.Name) else None
        if key is not None and isinstance(name, str):
            found.setdefault(name, key.lineno)
    return found


def _first_reached(places: list[Statement], order: dict[str, int], is_call: bool) -> Statement:
    """Return the use that a start comes to first; of calls with how many others may be refused a file, too."""
    first = min(places, key=lambda one: (one.build == WITHIN, order.get(one.origin.file, len(order))))
    return replace(first, further=len({one.origin for one in places}) - 1) if is_call else first


def _sources(reader: ProjectReader) -> Iterator[tuple[str, str]]:
    """Yield the modules, then the files of Cython, then the notebooks, each with its text."""
    yield from programs(reader)
    for endings in (_CYTHON, (".ipynb",)):
        names = (name for _, name, _ in reader.folder.names() if name.endswith(endings))
        yield from ((name, reader.folder.read(name) or "") for name in islice(names, _MOST_OTHERS))


def _uses_of(file: str, text: str) -> tuple[_Uses, list[str]]:
    """Return what a file uses, and its lines as a person typed them."""
    uses, lines = _Uses(), text.split("\n")
    if file.endswith(_CYTHON):
        return _of_cython(text), lines
    if file.endswith(".ipynb"):
        lines = [
            unquoted(line.strip().rstrip(",")).rstrip() if line.strip().startswith('"') else line for line in lines
        ]
        for first, cell in _cells(text, lines):
            _read_into(uses, cell, first)
        return uses, lines
    _read_into(uses, text)
    return uses, lines


def _read_into(uses: _Uses, text: str, first: int = 1) -> None:
    """Read a program that begins in that line of its file; one that is no Python says nothing."""
    try:
        body = ast.increment_lineno(parsed(text), first - 1).body
        uses.read(body)
        uses.read_whole(body)
    except NO_PYTHON:
        return


def _cells(text: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the cells of a notebook that hold Python, each with its first line in the file; the lines of what is kept
    in one line are not known apart, and none is yielded of it."""
    try:
        cells = json.loads(text)["cells"]
        codes = [one["source"] for one in cells if one["cell_type"] == "code" and isinstance(one["source"], list)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    at = 0
    for source in ([str(line).rstrip() for line in code] for code in codes[:_MOST_CELLS]):
        starts = (one for one in range(at, len(lines)) if source and lines[one] == source[0])
        first = next((one for one in starts if lines[one : one + len(source)] == source), None)
        if first is not None and not source[0].startswith("%%"):
            yield first + 1, "\n".join(_MAGIC.sub(r"\1pass", line) for line in source)
        at = at if first is None else first + len(source)


def _of_cython(text: str) -> _Uses:
    """Return what Cython uses of the modules that it imports; `cimport` alone brings the names of C. What is in `try`
    or behind a look at a version is left out, by the lines that are indented below."""
    uses, below = _Uses(), -1
    plain = _WORDS_OF_NOBODY.sub(lambda one: "\n" * one[0].count("\n"), text)
    for number, line in enumerate(plain.split("\n"), 1):
        indent = len(line) - len(line.lstrip())
        guard = _GUARDS.match(line)
        if line.strip() and indent <= below and not (guard and indent == below):
            below = -1
        if below < 0 and guard and (line.strip() == "try:" or _looks(guard["test"])):
            below = indent
        if match := _IMPORTS.match(line):
            uses.names[match[2] or match[1]] = match[1]
        for match in _NAMED.finditer(line):
            full = f"{uses.names[match[1]]}.{match[2]}" if match[1] in uses.names else ""
            if full and match[3]:
                uses.own.add(full)
            elif full and below < 0:
                uses.used.append((full, number, False))
    return uses


def _of_row(row: Gone, uses: _Uses) -> Iterator[tuple[str, int, bool]]:
    """Yield the uses of what a row names, each with its line and whether every start gets there."""
    calls = [one for one in uses.called if one[0] in row.names] if row.unless or row.given or row.most >= 0 else []
    if row.unless:
        options = {row.unless, *row.unless_also, "**"}
        yield from ((name, at, False) for name, at, given, _ in calls if not given & options)
        return
    if row.given or row.most >= 0:
        of_call = ((name, at, row.given in given or plain > row.most >= 0) for name, at, given, plain in calls)
        yield from ((name, at, False) for name, at, is_gone in of_call if is_gone)
        return
    yield from (one for one in uses.used if one[0] in row.names)
    for ways in uses.ways:  # of which none is left
        firsts = [next(_of_row(row, one), None) for one in ways]
        if all(firsts):
            yield from filter(None, firsts[:1])
