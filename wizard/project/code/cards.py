"""Reads whether the programs of a project cannot start without an NVIDIA card, or use one unless they are told not to.

The programs that a README starts count first, with what they call of the project's other files. What a module has
below `__main__` for itself is none where other files import it. One file: each look follows the same calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.model import BFLOAT16, CARD, RECOMMENDED, SWITCH, FileLine, Statement, origin_of
from wizard.project.search.imports import ASIDE, MOST_PROGRAMS, programs
from wizard.project.search.order import is_plain_readme
from wizard.project.search.reader import ProjectReader
from wizard.project.search.started import imported_files, programs_named, started

_DEEPEST_CALL = 3  # files that one start goes through
_MOST_CALLS = 5_000  # of one start
_MAY_WANT_CARD = re.compile(r"\.cuda\b|[\"']cuda")
_LOOKS = re.compile(r"is_available|(?<!% torch\.cuda\.)device_count")
_ASSERTED = re.compile(r"^[ \t]*assert torch\.cuda\.is_available\(\)", re.MULTILINE)
_ON_CARD = re.compile(r".*\.cuda|torch\.cuda\.(?:\w+Tensor|set_device)")
_TAKES_DEVICE = re.compile(r".*\.to|(?:torch\.)?set_default_(?:device|tensor_type)")
# A word that is given to these is no device that anything is put on.
_NO_DEVICE = re.compile(
    r".*\b(?:device|autocast|\w*GradScaler|print|add_argument|get|setdefault|pop|\w+with|replace|r?split|getattr|hasattr"
    r"|index|count|append|add|remove|format|join|log|info|warn(?:ing)?|debug|is_built|register\w*|set|choice|option"
    r"|skip\w*|parametrize|import_module|environ\w*|getenv)",
    re.IGNORECASE,
)
_IS_DEVICE = re.compile(r"cuda(?::\d+)?")
_DEVICE_DEFAULT = re.compile(r"device\b[^\n]{0,80}=\s?[\"']cuda")
_FROM = re.compile(r"^[ \t]*from[ \t]+([A-Za-z_][\w.]*)[ \t]+import\b", re.MULTILINE)  # in code that a README shows
_IS_CPU = "cpu"
# A function that a package's list of commands names: `net = "net.cli:main"`.
_COMMAND = re.compile(r"^[ \t]*[\"']?[\w.-]+\s?=\s?[\"']?([A-Za-z_][\w.]*):([A-Za-z_]\w*)[\"']", re.MULTILINE)
_WITH_COMMANDS = ("pyproject.toml", "setup.cfg", "setup.py")
_MOST_NAMES = 50  # functions with a device of their own
_IS_CARD = re.compile(r"cuda(?::\d+)?|torch\.cuda\.\w+")
_MAY_USE_CARD = re.compile(r"cuda|gpu|device|accelerat|\.to\(|trainer|fabric|pipeline", re.IGNORECASE)
_IMPORTS_TORCH = re.compile(r"^(?:import|from)[ \t]+torch\b", re.MULTILINE)
# An option that takes the card away: `add_argument("--cuda", action="store_false")`.
_SWITCH = re.compile(
    r"add_argument\(\s{0,40}(?:[\"']-\w[\"'],\s{0,40})?[\"'](?P<option>--(?:use[-_])?(?:cuda|gpu))[\"'],[^()]{0,200}?"
    r"\baction\s?=\s?[\"']store_false[\"'](?P<more>[^()]{0,200})\)"
)
_WITH_LOOK = re.compile(
    r"(?:cuda|gpu)\b[^\n]{0,40}\band\b[^\n]{0,40}is_available"
    r"|is_available\(\)[^\n]{0,20}\band\b[^\n]{0,40}(?:cuda|gpu)"
)
_OF_NUMBERS = ("torch_dtype", "dtype")
_OTHER_NUMBERS = re.compile(r"is_bf16_supported|float16 if|get_device_capability")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAY_NOT_RUN = (ast.If, ast.While, ast.Try, ast.IfExp, ast.BoolOp, ast.Lambda)
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class _Module:
    """A file of the project, as far as calls are followed into it."""

    file: str
    text: str
    body: list[ast.stmt]
    functions: dict[str, _Function]  # that no call has reached so far
    cards: dict[str, int]  # names that mean the card alone, each with its line
    origins: dict[str, tuple[str, int, str]]  # names from other modules: which, how far up, and the name there
    looks: bool  # it asks whether there is a card, and may go on without one


def note_cards(reader: ProjectReader) -> None:
    """Note the first program that uses a card in a line which every start of it reaches, or that has an option to go
    without, and whether none names a card."""
    _note_unused_card(reader)
    texts = dict(programs(reader)) if reader.found.asks_for_something else {}
    named = [name for name in programs_named(reader) if name in texts]
    may_want = any(map(_MAY_WANT_CARD.search, texts.values()))
    named, starts = (named, _of_nobody(texts, named)) if may_want else ([], iter(()))
    calls, switches, begun = _Calls(reader), list[Statement](), started(reader)
    commands = [(file, function) for file, function in _commands(reader) if file in texts]
    for ways in ([*((name, "") for name in named), *commands], ((name, "") for name in starts)):
        for name, function in ways:
            if place := calls.place(name, function):
                reader.found.statements.append(Statement(CARD, "", place, RECOMMENDED, "systems"))
                return
            switches += _switches(name, texts[name])
        switches += islice(_defaults(reader, begun), 1) if not switches else ()
        if switches:
            break
        begun = texts
    reader.found.statements += switches[:1]


def _commands(reader: ProjectReader) -> Iterator[tuple[str, str]]:
    """Yield the functions that the commands of the project's own package start, each with its file."""
    for name in filter(reader.folder.has_file, _WITH_COMMANDS):
        for match in islice(_COMMAND.finditer(reader.folder.read(name) or ""), _MOST_NAMES):
            path = match[1].replace(".", "/")
            files = (f"{below}{path}{end}" for below in ("", "src/") for end in (".py", "/__init__.py"))
            yield from ((file, match[2]) for file in filter(reader.folder.has_file, files))


def _defaults(reader: ProjectReader, begun: Mapping[str, str]) -> Iterator[Statement]:
    """Yield the options, then the functions, that put what they do on a card where nobody gives them another device: of
    the files in `begun`, and of those that code in a README imports. A function is one where some call there gives it
    none."""
    told = [reader.folder.read(name) or "" for name in reader.files if is_plain_readme(name)]
    names = (match[1].replace(".", "/") + ".py" for text in told for match in _FROM.finditer(text))
    shown = {name: reader.folder.read(name) or "" for name in filter(reader.folder.has_file, names)}
    files = {file: text for file, text in (shown | {**begun}).items() if not ASIDE.fullmatch(file)}
    held = {file: text for file, text in files.items() if _DEVICE_DEFAULT.search(text) and not _LOOKS.search(text)}
    found = [one for file, text in held.items() for one in _default_devices(file, text)]
    for where, _, _, given in (one for one in found if not one[1]):
        yield Statement(CARD, "", where, RECOMMENDED, "systems", build=SWITCH, extras=(given,))
    for where, name, at, given in (one for one in found[:_MOST_NAMES] if one[1]):
        call = re.compile(rf"(?<!def )(?<!class )\b{name}\(((?:[^()]|\([^()]{{0,200}}\)){{0,400}})\)")
        calls = (match[1] for text in (*files.values(), *told) if f"{name}(" in text for match in call.finditer(text))
        if any(not re.search(r"device|\*", words) and words.count(",") < at for words in calls):
            yield Statement(CARD, "", where, RECOMMENDED, "systems", build=SWITCH, extras=(given, name))


def _default_devices(file: str, text: str) -> Iterator[tuple[FileLine, str, int, str]]:
    """Yield the lines of a program that have the card as the device of who gives none: each with the function, "" of
    an option, at which place the device stands there, and what to give instead."""
    try:
        nodes = [*ast.walk(parsed(text))]
    except NO_PYTHON:
        return
    lines = text.split("\n")
    of_class = {id(made): one for one in nodes if isinstance(one, ast.ClassDef) for made in one.body}
    for one in nodes:
        if isinstance(one, ast.Call) and ast.unparse(one.func).endswith(".add_argument") and one.args:
            options = [str(each.value) for each in one.args if isinstance(each, ast.Constant)]
            option = next((each for each in options if each.startswith("--") and "device" in each), "")
            if option and any(each.arg == "default" and _is_device(each.value) for each in one.keywords):
                yield origin_of(file, one.lineno, lines[one.lineno - 1]), "", 0, f"{option} {_IS_CPU}"
        elif isinstance(one, _Function):
            owner = of_class.get(id(one))
            name = owner.name if owner and one.name == "__init__" else "" if owner else one.name
            named = [*one.args.posonlyargs, *one.args.args]
            given = [
                (at, named[at], value)
                for at, value in enumerate(one.args.defaults, len(named) - len(one.args.defaults))
            ]
            given += [
                (len(named), of, value)
                for of, value in zip(one.args.kwonlyargs, one.args.kw_defaults, strict=True)
                if value
            ]
            for at, of, value in given:
                if name and "device" in of.arg and _is_device(value):
                    place = origin_of(file, of.lineno, lines[of.lineno - 1])
                    yield place, name, at - bool(owner), f'{of.arg}="{_IS_CPU}"'


def _is_device(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(_IS_DEVICE.fullmatch(node.value))


def note_bfloat16(reader: ProjectReader) -> None:
    """Note the first line of a program that a README starts, as every start reaches it, that takes bfloat16 whatever
    the card is."""
    for name in programs_named(reader) if reader.found.statements else ():
        text = reader.folder.read(name) or ""
        module = _module_of(name, text) if "bfloat16" in text and not _OTHER_NUMBERS.search(text) else None
        for call in _calls(module.body, module.functions) if module else ():
            given = [one for one in call.keywords if one.arg in _OF_NUMBERS] if isinstance(call, ast.Call) else []
            if line := next((one.value.lineno for one in given if ast.unparse(one.value) == "torch.bfloat16"), 0):
                where = origin_of(name, line, text.split("\n")[line - 1])
                reader.found.statements.append(Statement(CARD, ">=8.0", where, RECOMMENDED, "systems", build=BFLOAT16))
                return


def _of_nobody(texts: Mapping[str, str], named: Collection[str]) -> Iterator[str]:
    """Yield the programs that no README starts and no other program imports."""
    imported = {one for file, text in texts.items() for one in imported_files(file, text) if one != file}
    yield from (name for name in texts if name not in imported and name not in named)


def _note_unused_card(reader: ProjectReader) -> None:
    """Note whether the programs import torch, and none of them says a word of a card or a device."""
    texts = [text for _, text in programs(reader)] if reader.found.asks_for_something else []
    is_read = len(texts) < MOST_PROGRAMS and any(map(_IMPORTS_TORCH.search, texts))
    reader.found.card_unused = is_read and not any(map(_MAY_USE_CARD.search, texts))


def _switches(file: str, text: str) -> Iterator[Statement]:
    """Yield the option without which a program uses the card, where nothing else of it looks for one."""
    for match in _SWITCH.finditer(text) if "store_false" in text and not _WITH_LOOK.search(text) else ():
        line = text.count("\n", 0, match.start()) + 1
        where = origin_of(file, line, text.split("\n")[line - 1])
        if "dest" not in match[0]:
            yield Statement(CARD, "", where, RECOMMENDED, "systems", build=SWITCH, extras=(match["option"],))


class _Calls:
    """Goes through what starts of programs call, in their own functions and in those of the project's other files."""

    def __init__(self, reader: ProjectReader) -> None:
        self.reader = reader
        self.modules: dict[str, _Module | None] = {}
        self.seen: set[tuple[str, str]] = set()
        self.left = _MOST_CALLS

    def place(self, file: str, function: str = "") -> FileLine | None:
        """Return the first line of a start that needs a card; `function`: the one that the start calls."""
        module = self._module(file)
        called = module.functions.pop(function, None) if module else None
        return self._first(module, [*module.body, *(called.body if called else ())], 0) if module else None

    def _first(self, module: _Module, body: Iterable[ast.AST], deep: int) -> FileLine | None:
        for call in _calls(body, module.functions):
            self.left -= 1
            if self.left < 0:
                return None
            if isinstance(call, ast.Assert):
                line = call.lineno if ast.unparse(call.test) == "torch.cuda.is_available()" else 0
            else:
                line = 0 if module.looks else _on_card(call, module.cards)
            if line:
                return origin_of(module.file, line, module.text.split("\n")[line - 1])
            follows = not module.looks and deep < _DEEPEST_CALL
            if follows and (at := self._inside(module, _called(call), deep)):
                return at
        return None

    def _inside(self, module: _Module, name: str, deep: int) -> FileLine | None:
        """Return the same of what a name from another file of the project does when it is called."""
        if name not in module.origins or (module.file, name) in self.seen:
            return None
        self.seen.add((module.file, name))
        of, level, inner = module.origins[name]
        other = self._module(self._file_of(module.file, of, level))
        if other is None:
            return None
        if inner in other.origins:
            return self._inside(other, inner, deep + 1) if deep < _DEEPEST_CALL else None
        for node in other.body:
            if isinstance(node, _DEFINED) and node.name == inner:
                made = [one for one in node.body if isinstance(one, _Function) and one.name == "__init__"]
                body = node.body if isinstance(node, _Function) else made[0].body if made else []
                return self._first(other, body, deep + 1)
        return None

    def _file_of(self, file: str, module: str, level: int) -> str:
        folder, names = file.split("/")[:-1], module.split(".") if module else []
        roots = [folder[: len(folder) + 1 - level]] if level else [folder, []]
        paths = ["/".join([*root, *names]) for root in roots]
        may_be = [f"{path}{end}".lstrip("/") for path in paths for end in (".py", "/__init__.py")]
        return next(filter(self.reader.folder.has_file, may_be), "")

    def _module(self, file: str) -> _Module | None:
        if file not in self.modules:
            self.modules[file] = _module_of(file, self.reader.folder.read(file) or "") if file else None
        return self.modules[file]


def _module_of(file: str, text: str) -> _Module | None:
    try:
        tree = parsed(text)
        cards = _named_cards(tree) if "cuda" in text else {}
    except NO_PYTHON:
        return None
    origins = {
        each.asname or each.name: (one.module or "", one.level, each.name)
        for one in tree.body
        if isinstance(one, ast.ImportFrom)
        for each in one.names
    }
    functions = {one.name: one for one in tree.body if isinstance(one, _Function)}
    looks = len(_LOOKS.findall(text)) > len(_ASSERTED.findall(text))
    return _Module(file, text, tree.body, functions, cards, origins, looks)


def _calls(nodes: Iterable[ast.AST], functions: dict[str, _Function]) -> Iterator[ast.Call | ast.Assert]:
    """Yield the calls, and what is asserted, where the file is started, also in its functions that these call; each of
    `functions` is taken out when it is reached."""
    for node in nodes:
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            yield from _calls(node.body, functions)
        elif isinstance(node, ast.If) and _ends(node.body[0]):  # who goes on comes by what is there instead
            yield from _calls(node.orelse, functions)
        if isinstance(node, (*_MAY_NOT_RUN, *_DEFINED)):
            continue
        yield from _calls(ast.iter_child_nodes(node), functions)
        if isinstance(node, ast.Call | ast.Assert):
            yield node
        handed = [one.id for one in node.args if isinstance(one, ast.Name)] if isinstance(node, ast.Call) else []
        for name in (_called(node), *handed):  # `fire.Fire(main)` calls it, too
            if called := functions.pop(name, None):
                yield from _calls(called.body, functions)


def _ends(node: ast.stmt) -> bool:
    is_false = isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and not node.test.value
    return is_false or isinstance(node, ast.Raise)


def _called(node: ast.AST) -> str:
    """Return the plain name that is called; "" for none."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _named_cards(tree: ast.Module) -> dict[str, int]:
    """Return the names that a program gives to the card and to nothing else (`device = torch.device("cuda")`), each
    with its line."""
    named, others = dict[str, int](), set[str]()
    for one in ast.walk(tree):
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
        for target in targets:
            if isinstance(one, ast.Assign) and isinstance(target, ast.Name) and _is_card(one.value):
                named.setdefault(target.id, one.lineno)
            else:
                others |= {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}
        others |= {one.arg} if isinstance(one, ast.arg) else set()
    return {name: line for name, line in named.items() if name not in others}


def _is_card(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("torch.device", "device") and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.IfExp):  # on a card whichever way it goes, or on a Mac's
        ways = (node.body, node.orelse)
        is_mac = any(isinstance(one, ast.Constant) and one.value == "mps" for one in ways)
        return any(map(_is_card, ways)) and (is_mac or all(map(_is_card, ways)))
    if isinstance(node, ast.JoinedStr):  # f"cuda:{rank}"
        first = node.values[0] if node.values else None
        return isinstance(first, ast.Constant) and str(first.value) in ("cuda", "cuda:")
    words = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
    return bool(_IS_CARD.fullmatch(words))


def _on_card(call: ast.Call, named: dict[str, int]) -> int:
    """Return the line that puts something on a card: that of the call, or of the name that is given to the card."""
    func = ast.unparse(call.func)
    of_device = [one.value for one in call.keywords if one.arg == "device"]
    given = [*of_device, *(call.args[:1] if _TAKES_DEVICE.fullmatch(func) else ())]
    if func == "dict":  # a value, which a configuration may have
        return 0
    named_so = (one for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str))
    given += () if _NO_DEVICE.fullmatch(func) else [one for one in named_so if _IS_DEVICE.fullmatch(str(one.value))]
    if _ON_CARD.fullmatch(func):
        return call.lineno
    if on_card := [one for one in given if _is_card(one)]:
        return int(on_card[0].lineno)
    return next((named[one.id] for one in given if isinstance(one, ast.Name) and one.id in named), 0)
