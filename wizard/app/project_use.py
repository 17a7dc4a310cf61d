"""What a project does once it is installed: what its files import first thing, and the first command of its README.

Both are read by syntax alone, within bounds; nothing of the project is run. The plan carries them: the test at the end
tries the imports, the command is shown as text and never run by us.
"""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from packaging.requirements import InvalidRequirement, Requirement

from wizard.compatibility.model import ProjectImport, ProjectUse
from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.search.files import ProjectFolder
from wizard.project.versions import marker_holds
from wizard.system import paths

_MOST_FILES, _MOST_IN_ALL = 300, 6_000_000
_MOST_IMPORTS = 200
_NOT_ITS_PROGRAM = re.compile(r"(setup|conftest|noxfile|test_.*|.*_test)\.py", re.IGNORECASE)
_README = re.compile(r"readme(\.(md|rst|txt|markdown))?", re.IGNORECASE)
_MOST_COMMAND = 300
_RUNS = re.compile(
    r"(?:[A-Z_][A-Z0-9_]*=[\w./,:-]+\s+)*"
    r"(?:python3?|torchrun|accelerate|deepspeed|streamlit|gradio|uvicorn|jupyter(?:-lab)?|bash|sh|uv\s+run|make)\s+\S"
)
_SETS_UP = re.compile(
    r"-m\s+(?:pip|venv|ensurepip|virtualenv|conda|build)\b|\s-c\b|setup\.py\b|--version\b|accelerate\s+config\b"
    r"|(?:^|[\s/_-])(?:install|setup)[\w-]*(?:\.sh|\.py)?(?:\s|$)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"<[\w ./|-]+>")
_OPERATORS = re.compile(r"[;|&<>`]|\$\(")


def use_of(folder: str, root: ProjectFolder, left: Collection[str] = ()) -> ProjectUse:
    """Return what of the project is tried and shown after a setup. `left`: packages that the plan leaves out."""
    names = [name for _, name, _ in root.names()]
    command, told_by = _first_command(root, names)
    tried = tuple(_imports(root, names))
    return ProjectUse(folder, imports=tried, left=tuple(left), command=command, command_file=told_by)


def promised_of(requirements: Collection[str], python: str) -> tuple[str, ...]:
    """Return those whose marker holds here, without it; not what names no version of a package."""
    found = []
    for words in requirements:
        with contextlib.suppress(InvalidRequirement):
            one = Requirement(words)
            if marker_holds(str(one.marker or ""), paths.os_name(), python):
                found.append(f"{one.name}{one.specifier}")
    return tuple(dict.fromkeys(found))


@dataclass
class _Modules:
    """The project's own modules, each where its name can be found from: beside a file, or from a folder above it."""

    beside: set[tuple[str, str]] = field(default_factory=set)  # folder, module
    packages: set[str] = field(default_factory=set)  # whose folder is no package itself: somebody has it on the path

    @classmethod
    def of(cls, names: Collection[str]) -> _Modules:
        found, packaged = cls(), {str(PurePosixPath(name).parent) for name in names if name.endswith("/__init__.py")}
        for name in map(PurePosixPath, names):
            if name.suffix != ".py":
                continue
            found.beside.add((str(name.parent), name.stem))
            for folder in name.parents:
                found.beside.add((str(folder.parent), folder.name))
                if str(folder) in packaged and str(folder.parent) not in packaged:
                    found.packages.add(folder.name)
        return found

    def has(self, module: str, file: str) -> bool:
        folders = map(str, PurePosixPath(file).parents)
        return module in self.packages or any((folder, module) in self.beside for folder in (*folders, "src", "lib"))


def _imports(root: ProjectFolder, names: Collection[str]) -> Iterator[ProjectImport]:
    own, left = _Modules.of(names), _MOST_IN_ALL
    found: dict[tuple[str, str], ProjectImport] = {}
    files = [
        name for name in names if name.endswith(".py") and not _NOT_ITS_PROGRAM.fullmatch(PurePosixPath(name).name)
    ]
    for name in files[:_MOST_FILES]:
        text = root.read(name) or ""
        left -= len(text)
        if left < 0:
            continue
        for module, taken, line in _taken(text):
            top = module.partition(".")[0]
            if top in sys.stdlib_module_names or own.has(top, name):
                continue
            new = tuple(each for each in taken if (module, each) not in found)
            if new or (module, "") not in found:
                one = ProjectImport(module, new, f"{name}:{line}")
                found.setdefault((module, ""), one)
                found |= dict.fromkeys(((module, each) for each in new), one)
    yield from list(dict.fromkeys(found.values()))[:_MOST_IMPORTS]


def _taken(text: str) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield module, names and line of each import that every start of the file does: not in a function, a condition
    or a `try`, which may do without."""
    try:
        tree = parsed(text)
    except NO_PYTHON:
        return
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((one.name, (), node.lineno) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, tuple(one.name for one in node.names if one.name != "*"), node.lineno


def _first_command(root: ProjectFolder, names: Collection[str]) -> tuple[str, str]:
    """Return it and the file that names it; "" where none does."""
    for name in names:
        if "/" not in name and _README.fullmatch(name) and (command := first_command(root.read(name) or "")):
            return command, name
    return "", ""


def first_command(text: str) -> str:
    """Return the first line of a code block that starts a program of the project; "" for none.

    One line, with nothing of a shell in it but words: no chain, no pipe, no redirection, no letter that is not seen.
    """
    is_code, before = False, ""
    for row in text[:_MOST_IN_ALL].split("\n"):
        words = row.strip()
        if words.startswith(("```", "~~~")):
            is_code, before = not is_code, ""
            continue
        if not (is_code or row.startswith(("    ", "\t", "$ "))):
            before = ""
            continue
        words = before + re.sub(r"^(?:\$|>|%|\(\w+\)\s*\$)\s+", "", words)
        if words.endswith("\\") and len(words) < _MOST_COMMAND:
            before = words[:-1].rstrip() + " "
            continue
        before, words = "", re.sub(r"\s+#\s.*$", "", words)
        if _is_start(words):
            return words
    return ""


def _is_start(words: str) -> bool:
    if len(words) > _MOST_COMMAND or not words.isprintable() or not _RUNS.match(words) or _SETS_UP.search(words):
        return False
    try:
        shlex.split(words)
    except ValueError:
        return False
    return not _OPERATORS.search(_PLACEHOLDER.sub("", words))
