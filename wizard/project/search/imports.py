"""Reads what the programs of a project import, where no file of it says which packages it needs.

As syntax alone, and at the top of a file: a name in a function, a condition or `try` may be meant for others.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from wizard.model.syntax import parsed
from wizard.project.model import PAIRS, RECOMMENDED, TORCH, FileLine, Statement, fit_to_show, origin_of
from wizard.project.search.reader import ProjectReader

_MOST_FILES = 100
_MOST_NAMED = 12  # modules in one sentence


def read_imports(reader: ProjectReader) -> None:
    """Where nothing at all is said: plan torch and its pair as far as the programs import them, and name the rest."""
    if any(not one.group for one in (*reader.found.statements, *reader.found.told)) or reader.found.sources:
        return
    names = [name for _, name, _ in reader.folder.names() if name.endswith(".py") and not name.endswith("setup.py")]
    own = {part for name in names for part in name.removesuffix(".py").split("/")}
    found: dict[str, FileLine] = {}
    for name in names[:_MOST_FILES]:
        for module, where in _imports(name, reader.folder.read(name) or ""):
            if module not in own and module not in sys.stdlib_module_names:
                found.setdefault(module, where)
    if TORCH not in found:
        return
    family = (TORCH, *PAIRS)
    reader.found.statements += [Statement(one, "", found[one], RECOMMENDED) for one in family if one in found]
    others = sorted(found.keys() - {*family})
    more = f" (+{len(others) - _MOST_NAMED})" if len(others) > _MOST_NAMED else ""
    packages = fit_to_show(", ".join(others[:_MOST_NAMED]) + more) or "–"
    reader.found.remark("imports-alone", found[TORCH], packages=packages)


def _imports(file: str, text: str) -> Iterator[tuple[str, FileLine]]:
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.split("\n")
    for node in tree.body:
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
        yield from ((name.partition(".")[0], origin_of(file, node.lineno, lines[node.lineno - 1])) for name in names)
