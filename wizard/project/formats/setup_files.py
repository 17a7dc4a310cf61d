"""Reads setup.cfg, .python-version, and setup.py by its syntax alone: nothing of a project is ever run.

What setup.py computes (a list read from a file, a version taken from somewhere) is not guessed: names that are bound
to plain lists and strings are followed, `open("requirements.txt")` is read as that file, the rest is not seen.

One file: what stands in these files is one reading of expressions.
"""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator
from dataclasses import replace

from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.formats.live import joined_words, live_nodes
from wizard.project.formats.requirements import logical_lines, statements_of
from wizard.project.formats.toml_files import TomlText
from wizard.project.model import LOCKED, PYTHON, FileLine, Findings, Statement, origin_of
from wizard.project.versions import python_specifier

OWN_CUDA = "own-cuda"  # the remark of a project that compiles CUDA code, and nothing without it
_COMPILED = ("CppExtension", "cythonize", "Extension", "Pybind11Extension", "CMakeExtension")
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
    found.name_itself(file, config.get("metadata", "name", fallback=None))
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


def read_settings(file: str, text: str, found: Findings) -> None:
    """Read nbdev's settings.ini, from which its setup.py takes everything."""
    config = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        config.read_string(text)
    except configparser.Error:
        return  # anybody's settings
    lines, own = TomlText(file, text), config.defaults()
    if "lib_name" not in own and "min_python" not in own:
        return
    if least := own.get("min_python"):
        found.statements.append(Statement(PYTHON, python_specifier(f">={least}"), lines.at("min_python")))
    for key, group in (("requirements", ""), ("pip_requirements", ""), ("dev_requirements", "dev")):
        for words in own.get(key, "").split():
            for one in statements_of(words, lines.at(words), found):
                found.statements.append(replace(one, group=group))


def read_setup_py(file: str, text: str, found: Findings) -> None:
    """Read what setup.py asks as syntax only: it is never run."""
    try:
        tree = parsed(text)
    except NO_PYTHON as error:
        found.remark("unreadable-file", origin_of(file, getattr(error, "lineno", 1) or 1, type(error).__name__))
        return
    SetupReader(file, text, tree, found).read()


class SetupReader:
    """One setup.py: the arguments of its call of `setup`, through names that are bound to literals."""

    def __init__(self, file: str, text: str, tree: ast.Module, found: Findings) -> None:
        self.file, self.lines, self.tree, self.found = file, text.split("\n"), tree, found
        self.bound: dict[str, ast.expr] = {}
        self.seen, self._budget = 0, [_MOST_NODES]
        self._tables: set[int] = set()
        self._told: set[FileLine] = set()  # lines that are computed
        self._systems = [one for node in self._walk(tree) for one in _of_systems(node)]
        for node in self._walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.bound[target.id] = node.value
        for node in self._walk(tree):
            for name, opened in _read_from(node):
                self.bound[name] = opened
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
        self._compiled(calls)
        given = [keyword for call in calls for keyword in call.keywords]
        for keyword in [inner for one in given for inner in self._keywords(one)]:
            value = self._bound(keyword.value)
            if keyword.arg == "python_requires" and isinstance(value, ast.Constant) and isinstance(value.value, str):
                where = origin_of(self.file, value.lineno, self._line(value.lineno))
                self.found.statements.append(Statement(PYTHON, python_specifier(value.value), where))
            elif keyword.arg == "name" and isinstance(value, ast.Constant):
                self.found.name_itself(self.file, value.value)
            elif keyword.arg in ("install_requires", "setup_requires"):
                self._list(value, "")
            elif keyword.arg == "extras_require":
                for key, entry in _entries_of(value):
                    self._list(self._bound(entry), key)
                if isinstance(value, ast.Call | ast.DictComp):  # of a function, or of what lies in a folder
                    self._list(value, "extras", 1)

    def _compiled(self, calls: list[ast.Call]) -> None:
        """Say once that the project itself is compiled unasked; with CUDA alone, or where there is a card."""
        live = live_nodes(self.tree)
        nodes = {last_name(node): node for node in live if isinstance(node, ast.Name | ast.Attribute)}
        on_card = nodes.get("CUDAExtension")
        on_any = next((nodes[name] for name in _COMPILED if name in nodes), None)
        on_any = None if on_card and any(map(_stops_without_card, self._walk(self.tree))) else on_any
        if node := on_card or on_any or self._made_elsewhere(calls, live):
            code = "own-some" if not (on_card or on_any) else OWN_CUDA if not on_any else ""
            code = code or ("own-either" if on_card else "own-cpp")
            self.found.remark(code, origin_of(self.file, node.lineno, self._line(node.lineno)))

    def _made_elsewhere(self, calls: list[ast.Call], live: list[ast.AST]) -> ast.expr | None:
        """Return what is put into the list of extensions by a call, of a class of the project's as a rule."""
        value = next((one.value for call in calls for one in call.keywords if one.arg == "ext_modules"), None)
        names = {last_name(value)} if isinstance(value, ast.Name) else set()
        if isinstance(value, ast.Call):
            bodies = (one for one in self._walk(self.tree) if isinstance(one, ast.FunctionDef))
            of = next((one for one in bodies if one.name == last_name(value.func)), None)
            returns = (one.value for one in self._walk(of) if isinstance(one, ast.Return)) if of else ()
            names = {one.id for one in returns if isinstance(one, ast.Name)}
        added = (found[1] for node in live if (found := _added(node)) and found[0] in names)
        return next((one for one in added if any(isinstance(part, ast.Call) for part in ast.walk(one))), None)

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
        if isinstance(of, ast.DictComp) and isinstance(key, ast.Constant):
            return self._line_of(str(key.value), of)
        if not isinstance(of, ast.Dict) or not isinstance(key, ast.Constant):
            return None
        pairs = zip(of.keys, of.values, strict=True)
        return next((held for name, held in pairs if isinstance(name, ast.Constant) and name.value == key.value), None)

    def _line_of(self, package: str, table: ast.DictComp) -> ast.Constant | None:
        """Return the line of one package in a list from which a dictionary is made by names (`deps["torch"]`); the
        others are of extras."""
        names = [node.id for node in self._walk(table) if isinstance(node, ast.Name) and node.id in self.bound]
        lines = [node for name in names for node in self._walk(self.bound[name]) if isinstance(node, ast.Constant)]
        lines = [one for one in lines if isinstance(one.value, str) and re.match("[A-Za-z0-9]", one.value)]
        if id(table) not in self._tables:
            self._tables.add(id(table))
            for one in lines:
                self._string(str(one.value), one.lineno, "extras")
        begins = re.compile(rf"{re.escape(package)}(?![\w.-])", re.IGNORECASE)
        return next((one for one in lines if begins.match(str(one.value))), None)

    def _list(self, value: ast.expr, group: str, depth: int = 0) -> None:
        """Every string of the expression; a call stands for the lists that its function's body names."""
        self.seen += 1
        if depth > 6 or self.seen > 200:
            return
        if depth == 0:
            self._tell_computed(value, group)
        followed = False
        parts = {id(part) for node in self._walk(value) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        given = (one for node in self._walk(value) if isinstance(node, ast.Call) for one in _arguments(node))
        parts |= {id(one) for one in given if not _FILE.fullmatch(str(one.value))}  # `encoding="utf-8"` is no package
        parts |= self._put_together(value, group)
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
                self._function(node.func.id, group)

    def _tell_computed(self, value: ast.expr, group: str) -> None:
        if computed := self._computed(value):
            where = origin_of(self.file, computed.lineno, self._line(computed.lineno))
            if not (group and where in self._told):
                self.found.remark("setup-computed", where, **({"group": group} if group else {}))
            self._told.add(where)

    def _put_together(self, value: ast.expr, group: str) -> set[int]:
        """Take the words that are put together of others; return which nodes these are."""
        taken: set[int] = set()
        given = {id(one) for node in self._walk(value) if isinstance(node, ast.Call) for one in _values_of(node)}
        for node in self._walk(value):
            if not isinstance(node, ast.BinOp | ast.JoinedStr) or id(node) in taken:
                continue
            words = joined_words(node, self._bound, self._budget)
            if words is not None or self._budget[0] < 0:  # pieces of what is too much are no packages
                taken |= {id(part) for part in ast.walk(node)}
            is_name = words is not None and (id(node) not in given or _FILE.fullmatch(words))
            if words is not None and is_name:  # `read(HERE + "_list")` is none
                self._string(words, node.lineno, group)
        return taken

    def _computed(self, value: ast.expr, depth: int = 0) -> ast.expr | None:
        """Return the first part of a list whose words stand nowhere in the file."""
        inner: list[ast.expr] = []
        if isinstance(value, ast.Constant) or depth > 6 or joined_words(value, self._bound, self._budget) is not None:
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

    def _function(self, name: str, group: str) -> None:
        """`install_requires=read_requirements()`: the file that its body opens."""
        for node in self._walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                for one in self._walk(node):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str) and _FILE.fullmatch(one.value):
                        self._string(one.value, one.lineno, group)

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
                self.found.statements.append(replace(one, group=group, marker=one.marker or self._marker(line)))

    def _marker(self, line: int) -> str:
        """Return for which system a line is, by the condition that it stands in; "" for all."""
        around = [(end - start, marker) for start, end, marker in self._systems if start <= line <= end]
        return min(around)[1] if around else ""


def _read_from(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that get what `with open(…) as file` reads, each with that call."""
    opened = node.items[0] if isinstance(node, ast.With) else None
    if not isinstance(node, ast.With) or opened is None or not isinstance(opened.optional_vars, ast.Name):
        return
    for one in node.body:
        names = (
            {inner.id for inner in ast.walk(one.value) if isinstance(inner, ast.Name)}
            if isinstance(one, ast.Assign)
            else set()
        )
        if isinstance(one, ast.Assign) and opened.optional_vars.id in names:
            yield from ((target.id, opened.context_expr) for target in one.targets if isinstance(target, ast.Name))


def _of_systems(node: ast.AST) -> Iterator[tuple[int, int, str]]:
    """Yield the lines that a condition has for one system, and for the others, with their markers."""
    if not isinstance(node, ast.If | ast.IfExp):
        return
    test = ast.unparse(node.test).lower()
    named = re.search(r"win32|windows|'nt'|linux|darwin", test)
    if not named or not re.search(r"platform|os\.name", test):
        return
    system = {"linux": "linux", "darwin": "darwin"}.get(named[0], "win32")
    signs = ("!=", "==") if "!=" in test or test.startswith("not ") else ("==", "!=")
    for sign, part in zip(signs, (node.body, node.orelse), strict=True):
        lines = [part] if isinstance(part, ast.expr) else part
        if lines:
            yield lines[0].lineno, lines[-1].end_lineno or lines[-1].lineno, f"sys_platform {sign} '{system}'"


def _stops_without_card(node: ast.AST) -> bool:
    """Return whether it is a look for CUDA behind which nothing is built without it."""
    if not isinstance(node, ast.If) or "cuda" not in ast.unparse(node.test).lower():
        return False
    is_turned = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
    return any(isinstance(one, ast.Raise) for one in (node.body if is_turned else node.orelse))


def _added(node: ast.AST) -> tuple[str, ast.expr] | None:
    """Return the name of a list and what `+=`, `append` or `extend` puts into it."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        of, is_adding = node.func.value, node.func.attr in ("append", "extend")
        return (of.id, node.args[0]) if is_adding and isinstance(of, ast.Name) else None
    return None


def _entries_of(value: ast.expr) -> list[tuple[str, ast.expr]]:
    """Return what a dictionary holds, also one that `dict(…)` makes."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        return [(one.arg or "extras", one.value) for one in value.keywords]
    pairs = zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
    return [(str(key.value) if isinstance(key, ast.Constant) else "extras", held) for key, held in pairs]


def _arguments(call: ast.Call) -> Iterator[ast.Constant]:
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return (one for one in values if isinstance(one, ast.Constant))


def _is_setup(func: ast.expr) -> bool:
    return last_name(func) == "setup"


def last_name(node: ast.AST) -> str:
    """Return the last part of a name; "" for what is none."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def read_python_version(name: str, text: str, found: Findings) -> None:
    """The version that the authors work with: a preference."""
    match = re.match(r"\s*(?:python-)?(\d+\.\d+)", text)
    if match:
        where = origin_of(name, 1, text.split("\n")[0])
        found.statements.append(Statement(PYTHON, f"=={match[1]}.*", where, LOCKED))


def _values_of(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]
