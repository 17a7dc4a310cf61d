"""Reads what the programs of a project use that Windows lacks: modules of Python's own, NCCL, Linux's ways to draw.

What these are is rows (`of_unix`) of `matrices/companions.toml`. Read where a start of the project comes by: in `try`
or behind a condition it may be meant for others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.formats.words import WINDOWS_ALONE
from wizard.project.model import OLD_BUILD, RECOMMENDED, UNIX, Statement, origin_of
from wizard.project.packages.rows import companion_table
from wizard.project.search.below import is_built_by_another
from wizard.project.search.imports import ASIDE, programs
from wizard.project.search.reader import ProjectReader
from wizard.project.search.started import started, top_imports

# A line that installs the project from its folder.
_INSTALLS_ITSELF = re.compile(
    r"\bpip3? install (?:-{1,2}[\w-]{1,30} ){0,4}[\"']?\.(?=[\s\"'\[`]|$)"
    r"|\bpython[\d.]* setup\.py (?:install|develop)\b",
    re.MULTILINE,
)
_GROUP = "init_process_group"
_OTHERS = ("gloo", "os.name", "sys.platform", "platform.system")  # who names these has thought of other systems


def note_unix(reader: ProjectReader) -> None:
    """Note the first line of each kind that the starts of the project come by, and all modules; where no README starts
    a program, of any program. By itself that asks for nothing."""
    texts = started(reader) if reader.found.statements else {}
    texts = texts or (dict(programs(reader)) if reader.found.statements else {})
    found = [one for file, text in texts.items() if not ASIDE.fullmatch(file) for one in _of_unix(file, text)]
    first = {one.group: one for one in reversed(found)}
    if "module" in first:
        places = {one.extras[0]: f"{one.extras[0]} ({one.origin})" for one in reversed(found) if one.group == "module"}
        first["module"] = replace(first["module"], extras=tuple(reversed(places.values())))
    reader.found.statements += reversed(first.values())


def note_old_setup(reader: ProjectReader) -> None:
    """Note what the project's own setup.py imports at its top and newer setuptools lack, where something installs the
    project itself. By itself that asks for nothing."""
    names = {row.package for row in companion_table().old_build if not row.before}
    text = reader.folder.read("setup.py") or "" if reader.folder.has_file("setup.py") else ""
    texts = (reader.folder.read(name) or "" for name in reader.files if text)
    is_installed = not is_built_by_another(reader, "") and any(map(_INSTALLS_ITSELF.search, texts))
    for module, where in top_imports("setup.py", text) if is_installed else ():
        if module in names:
            reader.found.statements.append(Statement(OLD_BUILD, "", where, RECOMMENDED, module))
            return


def _of_unix(file: str, text: str) -> Iterator[Statement]:
    lines = text.split("\n")

    def stands(line: int, kind: str, name: str) -> Statement:
        where = origin_of(file, line, lines[line - 1])
        return Statement(UNIX, "", where, RECOMMENDED, kind, WINDOWS_ALONE, extras=(name,))

    if any(name in text for name in _named("module")):
        modules = [(module, where.line) for module, where in top_imports(file, text)]
        yield from (stands(line, "module", name) for name, line in modules if name in _named("module"))
    may_set = any(name.partition("=")[0] in text for name in _named("setting"))
    is_for_others = any(word in text for word in _OTHERS)
    try:
        tree = parsed(text if may_set or _GROUP in text else "")
    except NO_PYTHON:
        return
    settings = [(_setting(node), node.lineno) for node in tree.body if isinstance(node, ast.Assign)]
    yield from (stands(line, "setting", name) for name, line in settings if name in _named("setting"))
    backends = [] if is_for_others else list(_backends(tree))
    yield from (stands(line, "backend", name) for line, name in backends if name in _named("backend"))


@lru_cache(maxsize=3)
def _named(kind: str) -> frozenset[str]:
    return frozenset(name for row in companion_table().of_unix if row.kind == kind for name in row.names)


def _setting(node: ast.Assign) -> str:
    """Return `NAME=value` of `os.environ["NAME"] = "value"`; "" for anything else."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Subscript) and isinstance(value, ast.Constant):
        name = target.slice
        is_set = isinstance(name, ast.Constant) and ast.unparse(target.value).endswith("environ")
        return f"{ast.literal_eval(name)!s}={value.value!s}" if is_set else ""
    return ""


def _backends(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what groups of processes are made with, each with its line, also as what a function takes unasked."""
    for node in ast.walk(tree):
        given: list[ast.expr] = []
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(_GROUP):
            given = [*node.args[:1], *(one.value for one in node.keywords if one.arg == "backend")]
        elif isinstance(node, ast.FunctionDef) and node.args.defaults:
            named = [one.arg for one in node.args.args][-len(node.args.defaults) :]
            given = [one for name, one in zip(named, node.args.defaults, strict=False) if name == "backend"]
        yield from ((one.lineno, str(one.value)) for one in given if isinstance(one, ast.Constant))
