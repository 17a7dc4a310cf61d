"""Reads what the programs of a project ask for in their own code, and no list says: between which releases a package
must be (`assert mmcv_version <= digit_version(mmcv_maximum_version)`), what they try to import and do not run without,
the torch that a ready binary beside them is made for, and imports that only a Dockerfile or a notebook installs.

As syntax alone. By itself that asks for nothing but what goes with it. One file: each is a look at the same programs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from wizard.compatibility.data.ordering import version_key
from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.model import (
    ASSERTED,
    BINARY,
    BOUND,
    DECIDED,
    GROUND,
    RECOMMENDED,
    TOOLS,
    Statement,
    cut_between,
    first_of,
    is_commented,
    is_run,
    normalized,
    origin_of,
)
from wizard.project.packages.companions import companion, companions_of_module
from wizard.project.packages.rows import companion_table
from wizard.project.search.files import DEEPEST_PROGRAM
from wizard.project.search.imports import ASIDE, own_modules, programs
from wizard.project.search.order import is_lock
from wizard.project.search.reader import ProjectReader
from wizard.project.search.started import top_imports
from wizard.project.versions import can_meet

_VERSION = "__version__"
_SIGNS: tuple[tuple[type[ast.cmpop], str, str, str], ...] = (  # as it stands, turned round, and denied
    (ast.Lt, "<", ">", ">="),
    (ast.LtE, "<=", ">=", ">"),
    (ast.Gt, ">", "<", "<="),
    (ast.GtE, ">=", "<=", "<"),
    (ast.Eq, "==", "==", "!="),
    (ast.NotEq, "!=", "!=", "=="),
)
_TRIES = re.compile(r"^try:", re.MULTILINE)
_BINARY = re.compile(r"(?:^|[-_./])(?:py)?torch[-_]?(\d+\.\d+)(?![\d])[\w.+-]{0,100}\.(?:so|pyd|dll)(?![\w])")
_LONGEST = 300  # characters of a name
_MOST_ASIDE = 60  # files that install, or hold settings
_MOST_CALLS = 5  # around a version
_MOST_BOUNDS = 8  # of one package
# What reads a version whole: `version.parse(…)`, `V(…)`; a function of any name may give something else.
_READS_VERSION = re.compile(r"\w*version|\w*parse|str|l?v", re.IGNORECASE)
_RELEASE = re.compile(
    r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}(?:[-_.]?(?:a|b|rc|alpha|beta|post|dev)[-_.]?[0-9]{0,9})?"
    r"(?:\+[a-z0-9.]{1,20}|\.\*)?"
)


@dataclass(frozen=True, slots=True)
class _Version:
    """A version that stands in a program, or that of a module which it imports; `line`: where."""

    module: str
    release: str
    line: int


def note_demands(reader: ProjectReader) -> None:
    """Note between which releases the programs take what has native code, what they do not run without, and what is
    made for one torch."""
    _note_bounds(reader)
    found: dict[str, Statement] = {}
    for file, text in programs(reader) if reader.found.asks_for_something else ():
        may = (_TRIES.search(text) and ("assert" in text or "raise" in text)) or _BINARY.search(text)
        for one in _of_program(file, text) if may and not ASIDE.fullmatch(file) else ():
            found.setdefault(f"{one.name} {one.group}", one)
    reader.found.statements += found.values()


def tell_needed_aside(reader: ProjectReader) -> None:
    """Name what programs import at their top, and only a Dockerfile, a notebook or a script that was not read
    installs."""
    lines = [one for one in (*reader.found.statements, *reader.found.told) if not one.name.startswith("__")]
    known = {*reader.found.own, *DECIDED, *GROUND, *TOOLS, *(one.name for one in lines)}
    brought = {row.package: row.brings for row in companion_table().imported}
    known |= {each for name in known for each in brought.get(name, ())}
    known |= {row.on_cpu for name in known if (row := companion(name)) and row.on_cpu}  # the same module
    known |= {normalized(one) for one in own_modules(name for _, name, _ in reader.folder.names(DEEPEST_PROGRAM))}
    aside = (name for _, name, _ in reader.folder.names() if name not in reader.files and not is_lock(name))
    aside = (name for name in aside if is_run(name) or name.endswith(".ipynb"))
    found: dict[str, Statement] = {}
    for name in islice(aside, _MOST_ASIDE) if lines else ():
        said = (one for one in reader.alone(name).found.statements if one.strength == RECOMMENDED and not one.group)
        for one in said:
            if one.name not in known and not one.url and not is_commented(one.origin):
                found.setdefault(one.name, one)
    needing: dict[str, list[str]] = {}
    for file, text in programs(reader) if found else ():
        for module, _ in () if ASIDE.fullmatch(file) else top_imports(file, text):
            if normalized(module) in found:
                needing.setdefault(normalized(module), []).append(file)
    for file in dict.fromkeys(found[name].origin.file for name in needing):
        its = [name for name in needing if found[name].origin.file == file]
        words = [f"{found[name]} ({first_of(needing[name])})" for name in its]
        reader.found.remark("needed-aside", found[its[0]].origin, packages=cut_between(words))


def _of_program(file: str, text: str) -> Iterator[Statement]:
    try:
        tree = parsed(text)
        nodes = [*ast.walk(tree)]
        asserted = _asserted(tree, nodes)
    except NO_PYTHON:
        return
    lines = text.split("\n")
    for name, line in asserted:
        yield Statement(ASSERTED, "", origin_of(file, line, lines[line - 1]), RECOMMENDED, name)
    made = {match[1]: one.lineno for one, match in reversed([*_binaries(nodes)])}
    if made:
        first = min(made.values())
        where, of = origin_of(file, first, lines[first - 1]), sorted(made, key=version_key)
        yield Statement(BINARY, "", where, RECOMMENDED, file, extras=tuple(of))


def _binaries(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Constant, re.Match[str]]]:
    """Yield the names of ready libraries that name a release of torch: `libops-torch2.5-cu124.so`."""
    for one in nodes:
        is_name = isinstance(one, ast.Constant) and isinstance(one.value, str) and len(one.value) <= _LONGEST
        if isinstance(one, ast.Constant) and is_name and (match := _BINARY.search(str(one.value))):
            yield one, match


def _asserted(tree: ast.Module, nodes: Iterable[ast.AST]) -> list[tuple[str, int]]:
    """Return what is imported in `try`, and the first line that ends the program where that failed."""
    flags = dict(_flags(tree.body))
    found: dict[str, int] = {}
    for one in nodes if flags else ():
        test = one.test if isinstance(one, ast.Assert) else None
        if isinstance(one, ast.If) and one.body and isinstance(one.body[0], ast.Raise):
            test = one.test.operand if isinstance(one.test, ast.UnaryOp) and isinstance(one.test.op, ast.Not) else None
            test = _is_none(one.test, ast.Is) or test
        elif test is not None:
            test = _is_none(test, ast.IsNot) or test
        if isinstance(test, ast.Name) and test.id in flags:
            found.setdefault(flags[test.id], test.lineno)
    return [*found.items()]


def _is_none(test: ast.expr, op: type[ast.cmpop]) -> ast.expr | None:
    """Return what a condition holds against None."""
    is_one = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], op)
    if isinstance(test, ast.Compare) and is_one and isinstance(test.comparators[0], ast.Constant):
        return test.left if test.comparators[0].value is None else None
    return None


def _flags(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield the names by which a program knows whether a package with native code could be imported, with it."""
    for node in body:
        if not isinstance(node, ast.Try):
            continue
        inner = [one for one in (*node.body, *node.orelse)]
        modules = [each.name for one in inner if isinstance(one, ast.Import) for each in one.names]
        modules += [one.module for one in inner if isinstance(one, ast.ImportFrom) and one.module and not one.level]
        names = {normalized(one.partition(".")[0]) for one in modules}
        packages = [name for module in sorted(names) for name in companions_of_module(module)[:1]]
        imported = [each for one in inner if isinstance(one, ast.Import | ast.ImportFrom) for each in one.names]
        known = [each.asname or each.name.partition(".")[0] for each in imported]
        given = ((one.value, each) for one in inner if isinstance(one, ast.Assign) for each in one.targets)
        known += [
            to.id for of, to in given if isinstance(to, ast.Name) and isinstance(of, ast.Constant) and of.value is True
        ]
        yield from ((name, packages[0]) for name in known if len(packages) == 1)


def _note_bounds(reader: ProjectReader) -> None:
    named = {one.name for one in reader.found.statements}
    found: dict[str, Statement] = {}
    for file, text in programs(reader) if reader.found.asks_for_something else ():
        if _VERSION not in text or not ("assert" in text or "raise" in text) or ASIDE.fullmatch(file):
            continue
        for module, specifier, line in bounds_in(text):
            packages = companions_of_module(module)
            at = origin_of(file, line, text.split("\n")[line - 1])
            for name in [one for one in packages if one in named] or packages[:1]:
                one = Statement(BOUND, specifier, at, RECOMMENDED, name, extras=(module,))
                before = found.setdefault(name, one)
                both = {*before.specifier.split(","), *specifier.split(",")}
                if before is not one and len(both) <= _MOST_BOUNDS and can_meet(before.specifier, specifier):
                    found[name] = replace(before, specifier=",".join(sorted(both)))
    reader.found.statements += found.values()


def bounds_in(text: str) -> list[tuple[str, str, int]]:
    """Return each module of which a program takes some releases alone, with these and the line that says the last of
    them."""
    try:
        said = [*_said(parsed(text).body)]
    except NO_PYTHON:
        return []
    bounds: dict[str, dict[str, int]] = {}
    for module, specifier, line in said:
        try:
            SpecifierSet(specifier)
        except InvalidSpecifier:
            continue
        of = bounds.setdefault(module, {})
        if len(of) < _MOST_BOUNDS:
            of.setdefault(specifier, line)
    return [(module, ",".join(of), max(of.values())) for module, of in bounds.items()]


def _said(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str, int]]:
    known: dict[str, _Version] = {}
    modules: dict[str, str] = {}
    for node in body:
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name: one.name for one in node.names}
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            known.pop(name, None)
            if held := _version(node.value, known, modules):
                known[name] = held
        elif isinstance(node, ast.Assert):
            yield from _compared(node.test, known, modules, is_denied=False)
        elif isinstance(node, ast.If) and not node.orelse and node.body and isinstance(node.body[-1], ast.Raise):
            yield from _compared(node.test, known, modules, is_denied=True)


def _compared(
    test: ast.expr, known: dict[str, _Version], modules: dict[str, str], is_denied: bool
) -> Iterator[tuple[str, str, int]]:
    """Yield what a condition says of versions, all of which must hold; `is_denied`: it must not hold."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _compared(test.operand, known, modules, not is_denied)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or if is_denied else ast.And):
        for one in test.values:
            yield from _compared(one, known, modules, is_denied)
    elif isinstance(test, ast.Compare) and (not is_denied or len(test.ops) == 1):
        sides = [_version(one, known, modules) for one in (test.left, *test.comparators)]
        for left, op, right in zip(sides, test.ops, sides[1:], strict=False):
            if left and right and bool(left.module) != bool(right.module):
                sign = _sign(op, is_turned=bool(right.module), is_denied=is_denied)
                named, given = (left, right) if left.module else (right, left)
                if sign and sign != "!=":
                    yield named.module, f"{sign}{given.release}", given.line


def _sign(op: ast.cmpop, is_turned: bool, is_denied: bool) -> str:
    for kind, plain, turned, _ in _SIGNS:
        if isinstance(op, kind):
            sign = turned if is_turned else plain
            return next(row[3] for row in _SIGNS if row[1] == sign) if is_denied else sign
    return ""


def _version(node: ast.expr, known: dict[str, _Version], modules: dict[str, str]) -> _Version | None:
    for _ in range(_MOST_CALLS):
        called = node.func if isinstance(node, ast.Call) and len(node.args) == 1 else None
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        if isinstance(node, ast.Call) and _READS_VERSION.fullmatch(name):
            node = node.args[0]
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute) and node.attr == _VERSION and isinstance(node.value, ast.Name):
        module = modules.get(node.value.id, "")
        return _Version(normalized(module), "", node.lineno) if module and "." not in module else None
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _RELEASE.fullmatch(node.value):
        return _Version("", node.value, node.lineno)
    return None
