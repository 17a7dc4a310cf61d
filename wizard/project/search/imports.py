"""Reads the programs of a project: what they import, where no file of it says which torch it needs, whether one
compiles code of its own when it runs.

As syntax alone. Imports count at the top of a file: one in a function, a condition or `try` may be meant for others.
One file: each question goes through the same programs and their imports.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.formats.conda_words import is_condas_alone
from wizard.project.formats.live import live_nodes
from wizard.project.model import (
    DECIDED,
    DECLARED,
    NEEDING,
    PAIRS,
    RECOMMENDED,
    TORCH,
    FileLine,
    Statement,
    first_few,
    fit_to_show,
    normalized,
    origin_of,
)
from wizard.project.packages.companions import companion
from wizard.project.packages.rows import companion_table
from wizard.project.search.files import DEEPEST_PROGRAM
from wizard.project.search.order import is_plain_readme
from wizard.project.search.reader import ProjectReader
from wizard.project.search.started import started, top_imports

_MOST_FILES = 100
MOST_PROGRAMS = 300  # looked at for what they compile
_EXTENSION, _EXTENSION_MODULE = "cpp_extension", "torch.utils.cpp_extension"
_COMPILING = ("load", "load_inline")
_MOST_NAMED = 12  # modules in one sentence


# Folders of what is not the project's own work, or that no start of it needs.
ASIDE = re.compile(
    r"(?:^|.*/)(?:tests?|docs?|examples?|papers?|demos?|notebooks|bench\w*|deploy\w*|extern\w*|third[_-]?party|3rdparty"
    r"|vendor\w*|submodules|deprecated|legacy|old)/.*|(?:.*/)?(?:test_\w+|\w+_test|conftest)\.py",
    re.IGNORECASE,
)


def read_imports(reader: ProjectReader) -> None:
    """Where nothing at all is said: plan torch and its pair as far as the programs import them, and name the rest.
    Where files say something and nothing of torch, the pair alone; where they name torch, the pair as far as the
    programs import it that a README starts."""
    said = [*reader.found.statements, *reader.found.told]
    lines = [one for one in reader.found.statements if one.group != "imported"]
    is_silent = not any(not one.group for one in said) and not reader.found.sources
    is_named = any(one.name == TORCH for one in lines)
    found = _imported_first(started(reader)) if is_named else _imported(reader)
    pairs = [Statement(one, "", found[one], RECOMMENDED) for one in PAIRS if one in found]
    if not is_silent:
        pairs = [one for one in pairs if all(one.name != each.name for each in said)]
        reader.found.statements += pairs
        for one in pairs:
            reader.found.remark("pair-imported", one.origin, name=one.name)
    elif TORCH in found:
        reader.found.statements += [Statement(TORCH, "", found[TORCH], RECOMMENDED), *pairs]
        others = [_with_release(reader, one) for one in sorted(found.keys() - {TORCH, *PAIRS})]
        if packages := fit_to_show(first_few(others, _MOST_NAMED)):
            reader.found.remark("imports-alone", found[TORCH], packages=packages)
        else:
            reader.found.remark("imports-torch", found[TORCH])


def _imported_first(texts: Mapping[str, str]) -> dict[str, FileLine]:
    """Return what these programs import at their top, by its first line."""
    found = dict[str, FileLine]()
    for file, text in texts.items():
        for module, where in top_imports(file, text) if any(one in text for one in PAIRS) else ():
            found.setdefault(module, where)
    return found


def _imported(reader: ProjectReader) -> dict[str, FileLine]:
    """Return what the programs import at their top and is neither their own nor Python's, by its first line."""
    names = [name for _, name, _ in reader.folder.names() if name.endswith(".py") and not name.endswith("setup.py")]
    own, found = own_modules(names), dict[str, FileLine]()
    notebooks = [name for _, name, _ in reader.folder.names() if name.endswith(".ipynb")]
    read = [*names[:_MOST_FILES], *(notebooks[:_MOST_FILES] if len(notebooks) >= len(names) else ())]
    for name in read:  # beside a few modules the notebooks are the program
        for module, where in top_imports(name, reader.folder.read(name) or ""):
            if module not in own and module not in sys.stdlib_module_names:
                found.setdefault(module, where)
    return found


def _with_release(reader: ProjectReader, module: str) -> str:
    """Return a module with the release that a README names for it (`timm==0.3.2`), as far as it names one alone."""
    told = [reader.folder.read(name) or "" for name in reader.files if is_plain_readme(name)]
    pin = re.compile(rf"(?<![\w./=-]){re.escape(module)}(==\d+(?:\.\w+)+)")
    pins = {match[1] for text in told for match in pin.finditer(text)}
    return module + (pins.pop() if len(pins) == 1 else "")


def own_modules(names: Iterable[str]) -> set[str]:
    return {part for name in names for part in name.removesuffix(".py").split("/")}


def note_needing(reader: ProjectReader) -> None:
    """Note which programs import at their top what only a README or a script names, or what has native code and thus
    may not be had: these programs do not start without it. By itself that asks for nothing."""
    _note_by_hand(reader)
    lines = (one for one in reader.found.statements if one.group in ("", "constraint") and one.name not in DECIDED)
    asked = {one.name for one in lines if one.strength == RECOMMENDED or companion(one.name) or _is_condas(one)}
    of_cards = (row for row in companion_table().companion if row.card and not row.on_cpu)
    asked |= {name for row in of_cards for name in (row.name, *row.also)} if reader.found.asks_for_something else set()
    asked -= {normalized(one) for one in own_modules(name for _, name, _ in reader.folder.names(DEEPEST_PROGRAM))}
    found: dict[str, dict[str, FileLine]] = {}
    for file, text in programs(reader) if asked else ():
        for module, where in () if ASIDE.fullmatch(file) else top_imports(file, text):
            if normalized(module) in asked:
                found.setdefault(normalized(module), {}).setdefault(file, where)
    for name, files in found.items():
        first = next(iter(files.values()))
        reader.found.statements.append(Statement(NEEDING, "", first, RECOMMENDED, name, extras=tuple(files)))


def _is_condas(one: Statement) -> bool:
    return one.conda and is_condas_alone(one.name, one.build)


def _note_by_hand(reader: ProjectReader) -> None:
    """Note what its maker alone gives (`by_hand`) and programs import at their top: the project needs it, and its
    Python, without a line that asks for it. No index has it, so that it is none of the packages to get."""
    rows = (row for row in companion_table().companion if row.by_hand and reader.found.statements)
    named = {one.name for one in reader.found.statements}
    left = {row.name for row in rows if row.name not in named}
    for file, text in programs(reader) if left else ():
        may = () if ASIDE.fullmatch(file) or not any(name in text for name in left) else top_imports(file, text)
        for name, where in ((normalized(module), where) for module, where in may):
            if name in left:
                left.remove(name)
                reader.found.statements.append(Statement(name, "", where, DECLARED, "constraint"))


def tell_compiling(reader: ProjectReader) -> None:
    """Name the first program that has code compiled when it runs (`torch.utils.cpp_extension.load`)."""
    for name, text in programs(reader):
        if _EXTENSION in text and (line := compiles_at(text)):
            reader.found.remark("runs-compiled", origin_of(name, line, text.split("\n")[line - 1]))
            return


def programs(reader: ProjectReader) -> Iterator[tuple[str, str]]:
    """Yield the first programs of the project with their text."""
    names = (name for _, name, _ in reader.folder.names(DEEPEST_PROGRAM))
    names = (name for name in names if name.endswith(".py") and not name.endswith("setup.py"))
    return ((name, reader.folder.read(name) or "") for name in islice(names, MOST_PROGRAMS))


def compiles_at(text: str) -> int:
    """Return the line of the first call that compiles where nobody asks for it by a variable of the environment; 0 for
    none."""
    try:
        tree = parsed(text)
        nodes = list(ast.walk(tree))
    except NO_PYTHON:
        return 0
    named = [(one.module or "", each) for one in nodes if isinstance(one, ast.ImportFrom) for each in one.names]
    named += [("", each) for one in nodes if isinstance(one, ast.Import) for each in one.names]
    whole = {f"{module}.{each.name}".strip("."): each.asname or each.name for module, each in named}
    places = [of for name, of in whole.items() if name == _EXTENSION_MODULE]
    calls = {of for name, of in whole.items() if name in [f"{_EXTENSION_MODULE}.{each}" for each in _COMPILING]}
    calls |= {f"{place}.{each}" for place in (*places, _EXTENSION_MODULE) for each in _COMPILING}
    found = [one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name | ast.Attribute)]
    found = [one for one in found if ast.unparse(one.func) in calls]
    live = {id(one) for one in live_nodes(tree, with_functions=True)} if found else set[int]()
    return min((one.lineno for one in found if id(one) in live), default=0)
