"""Reads whether the programs of a project have torch compile what they run, which it does for newer cards alone: by no
option, or by one that is on as it stands.

A class that settings choose by a name (`register_module(module=Muon, name='Muon_2')`) compiles nothing where none does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice

from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.model import COMPILES, RECOMMENDED, Statement, origin_of
from wizard.project.search.files import DEEPEST_PROGRAM
from wizard.project.search.imports import ASIDE, programs
from wizard.project.search.reader import ProjectReader

_LONGEST = 300  # characters of a line
_MOST_ASIDE = 60  # files with settings
_HOLD_NAMES = (".py", ".yaml", ".yml", ".json", ".toml", ".sh", ".md")
_MOST_HOLDING = 2_000  # files
_REGISTERS = re.compile(r"\bregister\w*\(([^#]*)")
_WORD = re.compile(r"\w+")
_MOST_CLASSES, _MOST_REGISTERED = 50, 10_000
_CALLED = re.compile(r"\bname=[\"']([\w-]+)[\"']")
_MOST_OF_COMPILE = 50  # of one program; and programs


def note_compiling(reader: ProjectReader, begun: Mapping[str, str]) -> None:
    """Note the first line that has torch compile, of what is started and of the other programs."""
    texts = chain(begun.items(), programs(reader)) if reader.found.asks_for_something else iter(())
    texts = ((file, text) for file, text in texts if "torch.compile" in text and not ASIDE.fullmatch(file))
    compiling = (one for file, text in islice(texts, _MOST_OF_COMPILE) for one in _compiling(reader, file, text))
    reader.found.statements += islice(compiling, 1)


def _compiling(reader: ProjectReader, file: str, text: str) -> list[Statement]:
    """Return the first line that has torch compile what it runs, by no option or by one that is on as it stands, and
    where that is said."""
    try:
        tree = parsed(text)
        calls, given = [*_compile_calls(tree.body, None, is_start=True)], _given(ast.walk(tree))
    except NO_PYTHON:
        return []
    lines = text.split("\n")
    for line, option in calls[:_MOST_OF_COMPILE]:
        values = given.get(option, set())
        place = file if values == {True} or not option else "" if values else _switched_on(reader, option)
        if place:
            more = (place, option) if option else ()
            one = Statement(COMPILES, "", origin_of(file, line, lines[line - 1]), RECOMMENDED, file, extras=more)
            return [] if _waits_for_name(reader, file, tree) else [one]
    return []


def _waits_for_name(reader: ProjectReader, file: str, tree: ast.Module) -> bool:
    """Return whether each class of a program is one of those that settings choose by a name, and none names one."""
    classes = [one.name for one in tree.body if isinstance(one, ast.ClassDef)]
    known = _registered(reader) if len(classes) <= _MOST_CLASSES else {}
    named: dict[str, re.Pattern[str]] = {}
    for each in classes:
        given = next((name for place, name in known.get(each, {}).items() if place != file), None)
        if given is None:
            return False
        named[each] = re.compile(rf"\b{re.escape(given)}\b")
    for name in _holding(reader) if named else ():
        text = "" if name == file else reader.folder.read(name) or ""
        left = {each: words for each, words in named.items() if words.search(text)}
        for line in (line[:_LONGEST] for line in text.split("\n") if left):
            if any(words.search(line) and each not in _registers(line) for each, words in left.items()):
                return False
    return bool(classes)


@lru_cache(maxsize=1)
def _registered(reader: ProjectReader) -> Mapping[str, Mapping[str, str]]:
    """Return what lines with `register_module(…, name='…')` name, by file the first name that is given to it. Of each
    file the text is let go before the next: data may be gigabytes."""
    found: dict[str, dict[str, str]] = {}
    for name in _holding(reader):
        text = reader.folder.read(name) or ""
        for line in (line[:_LONGEST] for line in text.split("\n") if "register" in line) if "register" in text else ():
            called = _CALLED.search(line) if len(found) < _MOST_REGISTERED else None
            for each in _registers(line) if called else ():
                found.setdefault(each, {}).setdefault(name, called[1] if called else "")
    return found


def _holding(reader: ProjectReader) -> Iterator[str]:
    """Yield the first files that may register a class, or choose one."""
    names = (name for _, name, _ in reader.folder.names(DEEPEST_PROGRAM) if name.endswith(_HOLD_NAMES))
    return islice(names, _MOST_HOLDING)


def _registers(line: str) -> set[str]:
    return {word for match in _REGISTERS.finditer(line) for word in _WORD.findall(match[1])}


def _compile_calls(nodes: Iterable[ast.AST], option: str | None, is_start: bool) -> Iterator[tuple[int, str]]:
    """Yield the lines, each with the option that it hangs on; not what is tried, or done by other conditions."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            of_decorator = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
            yield from ((one.lineno, "") for one in of_decorator if _is_compile(one))
            yield from _compile_calls(node.body, option, is_start=is_start and isinstance(node, ast.ClassDef))
        elif isinstance(node, ast.If):
            test = node.test
            name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
            if option is None and "compile" in name:
                yield from _compile_calls(node.body, name, is_start)
        elif not isinstance(node, ast.Try | ast.Lambda | ast.IfExp):
            is_call = isinstance(node, ast.Call) and _is_compile(node.func)
            if isinstance(node, ast.Call) and is_call and (option or is_start):
                yield node.lineno, option or ""
            yield from _compile_calls(ast.iter_child_nodes(node), option, is_start)


def _is_compile(node: ast.expr) -> bool:
    is_its = isinstance(node, ast.Attribute) and node.attr == "compile" and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Attribute) and is_its and ast.unparse(node.value) == "torch"


def _given(nodes: Iterable[ast.AST]) -> dict[str, set[bool]]:
    """Return what a program has for options where nobody gives another: defaults of functions and of classes, and
    what it sets itself."""
    found: dict[str, set[bool]] = {}
    for one in nodes:
        pairs: list[tuple[str, ast.expr | None]] = []
        if isinstance(one, ast.arguments):
            named = [*one.posonlyargs, *one.args]
            pairs = [
                (of.arg, value) for of, value in zip(named[len(named) - len(one.defaults) :], one.defaults, strict=True)
            ]
            pairs += [(of.arg, value) for of, value in zip(one.kwonlyargs, one.kw_defaults, strict=True)]
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            pairs = [(one.target.id, one.value)]
        elif isinstance(one, ast.Assign):
            pairs = [(target.id, one.value) for target in one.targets if isinstance(target, ast.Name)]
        for name, value in pairs:
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                found.setdefault(name, set()).add(value.value)
    return found


@lru_cache(maxsize=64)
def _switched_on(reader: ProjectReader, option: str) -> str:
    """Return the first settings of the project that have an option on, where none has it off."""
    switch = re.compile(rf"^[ \t]*{re.escape(option)}:[ \t]*(true|false)\b", re.MULTILINE | re.IGNORECASE)
    names = (name for _, name, _ in reader.folder.names() if name.endswith((".yaml", ".yml")))
    found = ((name, switch.findall(reader.folder.read(name) or "")) for name in islice(names, _MOST_ASIDE))
    said = [(name, {one.lower() for one in values}) for name, values in found if values]
    return said[0][0] if said and all(values == {"true"} for _, values in said) else ""
