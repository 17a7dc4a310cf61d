"""Reads setup.cfg, and setup.py by its syntax alone: nothing of a project is ever run.

What setup.py computes (a list read from a file, a version taken from somewhere) is not guessed: names that are bound
to plain lists and strings are followed, `open("requirements.txt")` is read as that file, the rest is not seen.
"""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator
from dataclasses import replace

from wizard.model.syntax import parsed
from wizard.project.model import PYTHON, Findings, Statement, origin_of
from wizard.project.requirements import logical_lines, statements_of
from wizard.project.toml_files import TomlText, python_specifier

_MOST_NODES = 200_000
_MOST_PARTS = 1_000
_FILE = re.compile(r"[\w./-]*requirements[\w.-]*\.(txt|in)")


def read_setup_cfg(file: str, text: str, found: Findings) -> None:
    """Read what setup.cfg asks of Python and packages; a file that cannot be parsed is a remark."""
    config = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        config.read_string(text)
    except configparser.Error as error:
        found.remark("unreadable-file", origin_of(file, getattr(error, "lineno", 1) or 1, type(error).__name__))
        return
    lines = TomlText(file, text)
    if config.has_section("options"):
        options = config["options"]
        python = options.get("python_requires", "")
        if python:
            where = lines.at("python_requires", "options")
            found.statements.append(Statement(PYTHON, python_specifier(python), where))
        _entries(options.get("install_requires", ""), "options", "", lines, found)
    if config.has_section("options.extras_require"):
        for group, value in config["options.extras_require"].items():
            _entries(value, "options.extras_require", group, lines, found)


def _entries(value: str, head: str, group: str, lines: TomlText, found: Findings) -> None:
    if value.strip().startswith("file:"):
        for name in re.split(r"[,\s]+", value.strip()[len("file:") :].strip()):
            found.include(name, lines.at(name, head), group)
        return
    for _, words in logical_lines(value):
        for one in statements_of(words, lines.at(words, head), found):
            found.statements.append(replace(one, group=group))


def read_setup_py(file: str, text: str, found: Findings) -> None:
    """Read what setup.py asks as syntax only: it is never run."""
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        found.remark("unreadable-file", origin_of(file, getattr(error, "lineno", 1) or 1, type(error).__name__))
        return
    SetupReader(file, text, tree, found).read()


class SetupReader:
    """One setup.py: the arguments of its call of `setup`, through names that are bound to literals."""

    def __init__(self, file: str, text: str, tree: ast.Module, found: Findings) -> None:
        self.file, self.lines, self.tree, self.found = file, text.split("\n"), tree, found
        self.bound: dict[str, ast.expr] = {}
        self.seen = 0
        for node in self._walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.bound[target.id] = node.value
        for node in self._walk(tree):
            if (added := _added(node)) and added[0] in self.bound:
                name, value = added
                self.bound[name] = ast.copy_location(ast.BinOp(self.bound[name], ast.Add(), value), value)

    def _walk(self, node: ast.AST) -> Iterator[ast.AST]:
        for number, one in enumerate(ast.walk(node)):
            if number > _MOST_NODES:
                return
            yield one

    def read(self) -> None:
        """Note the arguments of each call of `setup` whose values stand in the file itself."""
        calls = [node for node in self._walk(self.tree) if isinstance(node, ast.Call) and _is_setup(node.func)]
        given = [keyword for call in calls for keyword in call.keywords]
        for keyword in [inner for one in given for inner in self._keywords(one)]:
            value = self._bound(keyword.value)
            if keyword.arg == "python_requires" and isinstance(value, ast.Constant) and isinstance(value.value, str):
                where = origin_of(self.file, value.lineno, self._line(value.lineno))
                self.found.statements.append(Statement(PYTHON, python_specifier(value.value), where))
            elif keyword.arg in ("install_requires", "setup_requires"):
                self._list(value, "")
            elif keyword.arg == "extras_require" and isinstance(value, ast.Dict):
                for key, entry in zip(value.keys, value.values, strict=True):
                    self._list(self._bound(entry), str(key.value) if isinstance(key, ast.Constant) else "extras")

    def _keywords(self, keyword: ast.keyword) -> list[ast.keyword]:
        """Return it, or those of the dictionary that `**` names."""
        value = self._bound(keyword.value)
        if keyword.arg is None and isinstance(value, ast.Call):
            return value.keywords
        if keyword.arg is None and isinstance(value, ast.Dict):
            pairs = zip(value.keys, value.values, strict=True)
            return [ast.keyword(str(key.value), one) for key, one in pairs if isinstance(key, ast.Constant)]
        return [keyword]

    def _line(self, number: int) -> str:
        return self.lines[number - 1] if number <= len(self.lines) else ""

    def _bound(self, value: ast.expr, depth: int = 0) -> ast.expr:
        if isinstance(value, ast.Name) and value.id in self.bound and depth < 5:
            return self._bound(self.bound[value.id], depth + 1)
        if isinstance(value, ast.Subscript) and depth < 5:
            entry = self._entry(value)
            return value if entry is None else self._bound(entry, depth + 1)
        return value

    def _entry(self, value: ast.Subscript) -> ast.expr | None:
        """Return what a dictionary that stands in the file holds under that key; None where it is not seen."""
        of, key = self._bound(value.value), value.slice
        if not isinstance(of, ast.Dict) or not isinstance(key, ast.Constant):
            return None
        pairs = zip(of.keys, of.values, strict=True)
        return next((held for name, held in pairs if isinstance(name, ast.Constant) and name.value == key.value), None)

    def _list(self, value: ast.expr, group: str, depth: int = 0) -> None:
        """Every string of the expression; a call stands for the lists that its function's body names."""
        self.seen += 1
        if depth > 6 or self.seen > 200:
            return
        if depth == 0 and (computed := self._computed(value)):
            self.found.remark("setup-computed", origin_of(self.file, computed.lineno, self._line(computed.lineno)))
        followed = False
        parts = {id(part) for node in self._walk(value) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        for node in self._walk(value):
            if id(node) in parts:
                continue
            if isinstance(node, ast.Subscript):  # its words are a key
                entry = self._entry(node)
                key = node.slice if entry is None else node
                parts |= {id(part) for part in self._walk(key)}
                if entry is not None:
                    self._list(entry, group, depth + 1)
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self._string(node.value, node.lineno, group)
            elif isinstance(node, ast.Name) and node.id in self.bound and depth < 5:
                self._list(self.bound[node.id], group, depth + 1)
                followed = True
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not followed:
                self._function(node.func.id)

    def _computed(self, value: ast.expr, depth: int = 0) -> ast.expr | None:
        """Return the first part of a list whose words stand nowhere in the file."""
        inner: list[ast.expr] = []
        if isinstance(value, ast.Constant) or depth > 6:
            return None
        if isinstance(value, ast.List | ast.Tuple | ast.Set):
            inner = value.elts[:_MOST_PARTS]
        elif isinstance(value, ast.BinOp):
            inner = [value.left, value.right]
        elif isinstance(value, ast.Starred):
            inner = [value.value]
        elif (bound := self._bound(value)) is not value:
            inner = [bound]
        else:
            return None if self._names_a_file(value) else value
        return next((found for one in inner if (found := self._computed(one, depth + 1))), None)

    def _names_a_file(self, value: ast.expr) -> bool:
        """Return whether the words of a call or a comprehension, or of the function that it calls, name a list of
        requirements: that is read."""
        called = {
            node.func.id for node in self._walk(value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        bodies = [one for one in self._walk(self.tree) if isinstance(one, ast.FunctionDef) and one.name in called]
        nodes = (node for one in (value, *bodies) for node in self._walk(one))
        return any(
            isinstance(node, ast.Constant) and isinstance(node.value, str) and _FILE.fullmatch(node.value)
            for node in nodes
        )

    def _function(self, name: str) -> None:
        """`install_requires=read_requirements()`: the file that its body opens."""
        for node in self._walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                for one in self._walk(node):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str) and _FILE.fullmatch(one.value):
                        self._string(one.value, one.lineno, "")

    def _string(self, words: str, line: int, group: str) -> None:
        where = origin_of(self.file, line, self._line(line))
        if _FILE.fullmatch(words):
            self.found.include(words, where, group)
            return
        if len(words) > 300 or not re.match(r"[A-Za-z0-9]", words) or "\n" in words:
            return
        silent = Findings()  # a string in a computed list may be anything: no remark for what is no requirement
        for one in statements_of(words, where, silent):
            if not silent.remarks:
                self.found.statements.append(replace(one, group=group))


def _added(node: ast.AST) -> tuple[str, ast.expr] | None:
    """Return the name of a list and what `+=`, `append` or `extend` puts into it."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        of, is_adding = node.func.value, node.func.attr in ("append", "extend")
        return (of.id, node.args[0]) if is_adding and isinstance(of, ast.Name) else None
    return None


def _is_setup(func: ast.expr) -> bool:
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    return name == "setup"
