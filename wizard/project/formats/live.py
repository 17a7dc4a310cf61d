"""Which parts of a setup.py, or of another program, are done where nobody asks for more, by a variable of the
environment or an option: what it builds on demand alone is left out. And words that are put together of words in it.

By its syntax, and only conditions that rest on such variables and options are decided; any other may hold.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

_MOST_KNOWN = 50  # names: a condition copies them
_OPEN = object()  # what is not known before it runs
_Known = dict[str, object]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def live_nodes(tree: ast.Module, with_functions: bool = False) -> list[ast.AST]:
    """Return the nodes that may be reached, of functions those that a reached line names; `with_functions`: of all,
    which another program may call."""
    live = _Live()
    try:
        live.block(tree.body, live.known)
        while live.called or (with_functions and live.functions):
            one = live.called.pop() if live.called else live.functions.popitem()[1]
            given = {each.arg for each in ast.walk(one.args) if isinstance(each, ast.arg)}
            live.block(one.body, {name: held for name, held in live.known.items() if name not in given})
    except RecursionError:
        return list(ast.walk(tree))
    return live.nodes


class _Live:
    """Goes through statements in their order; `known` has the values of names that are sure."""

    def __init__(self) -> None:
        self.nodes: list[ast.AST] = []
        self.known: _Known = {}
        self.functions: dict[str, _Function] = {}  # that no reached line has named so far
        self.named: set[str] = set()
        self.called: list[_Function] = []

    def block(self, body: Iterable[ast.stmt], known: _Known) -> bool:
        """Return whether it ends by a `return` or an error."""
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions[node.name] = node
                self._call(node.name if node.name in self.named else "")
            elif isinstance(node, ast.If):
                if self._condition(node, known):
                    return True
            else:
                self._expressions(node, known)
                self._inner(node, known)
                _bind(node, known)
                if isinstance(node, ast.Return | ast.Raise):
                    return True
        return False

    def _call(self, name: str) -> None:
        if name in self.functions:
            self.called.append(self.functions.pop(name))

    def _condition(self, node: ast.If, known: _Known) -> bool:
        self._add(node.test, known)
        test = _value(node.test, known)
        if test is not _OPEN:
            return self.block(node.body if test else node.orelse, known)
        ways = [dict(known), dict(known)]
        ends = [self.block(body, way) for body, way in zip((node.body, node.orelse), ways, strict=True)]
        going = [way for way, is_over in zip(ways, ends, strict=True) if not is_over]
        _keep_same(known, going)
        return not going

    def _inner(self, node: ast.stmt, known: _Known) -> None:
        """Go through what a loop, `with`, `try` or a class holds; what may be broken off leaves nothing sure."""
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                self.block(one.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) else [one], dict(known))
            return
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):  # a later round sets what an earlier line asks
            for name in _names_set(node):
                known.pop(name, None)
        handlers = [one.body for one in getattr(node, "handlers", ())]
        ways = [dict(known)]
        for body in (getattr(node, "body", ()), *handlers, getattr(node, "orelse", ())):
            if isinstance(body, list):
                ways.append(dict(known))
                self.block(body, ways[-1])
        _keep_same(known, ways)
        self.block(getattr(node, "finalbody", ()), known)

    def _expressions(self, node: ast.stmt, known: _Known) -> None:
        for part in ast.iter_child_nodes(node):
            if not isinstance(part, ast.stmt | ast.excepthandler):
                self._add(part, known)

    def _add(self, node: ast.AST, known: _Known) -> None:
        self.nodes.append(node)
        if isinstance(node, ast.Name):
            self.named.add(node.id)
            self._call(node.id)
        test = _value(node.test, known) if isinstance(node, ast.IfExp) else _OPEN
        parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
        if isinstance(node, ast.IfExp) and test is not _OPEN:
            parts = (node.body if test else node.orelse,)
        for part in parts:
            self._add(part, known)


def _keep_same(known: _Known, ways: list[_Known]) -> None:
    """Leave in `known` what each way has alike."""
    same = {
        name: held for name, held in (ways[0] if ways else {}).items() if all(_has(way, name, held) for way in ways)
    }
    known.clear()
    known.update(same)


def _has(way: _Known, name: str, held: object) -> bool:
    return name in way and type(way[name]) is type(held) and way[name] == held


def _names_set(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))


def _bind(node: ast.stmt, known: _Known) -> None:
    """Note the value of the names that a line sets."""
    value = _value(node.value, known) if isinstance(node, ast.Assign | ast.AnnAssign) and node.value else _OPEN
    for target in node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]:
        for name in _names_set(target) if target is not None else ():
            known.pop(name, None)
        if isinstance(target, ast.Name) and value is not _OPEN and len(known) < _MOST_KNOWN:
            known[target.id] = value


def _value(node: ast.expr, known: _Known) -> object:
    """Return what an expression is without any variable of the environment; `_OPEN` where it rests on more."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id, _OPEN)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        held = _value(node.operand, known)
        return held if held is _OPEN else not held
    if isinstance(node, ast.BoolOp):
        return _of_several(node, known)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, known)
    return _called(node, known) if isinstance(node, ast.Call) else _OPEN


def _of_several(node: ast.BoolOp, known: _Known) -> object:
    """Return the part that decides, as Python does; of parts that are open one may, whatever comes after."""
    held: object = _OPEN
    is_or, is_open = isinstance(node.op, ast.Or), False
    for one in node.values:
        held = _value(one, known)
        is_open |= held is _OPEN
        if held is not _OPEN and bool(held) == is_or:
            return is_or if is_open else held
    return _OPEN if is_open else held


def _compared(node: ast.Compare, known: _Known) -> object:
    sign, right = node.ops[0], node.comparators[0]
    if isinstance(sign, ast.In | ast.NotIn):
        if ast.unparse(right) in ("os.environ", "environ") or (
            ast.unparse(right) == "sys.argv" and str(getattr(node.left, "value", "")).startswith("--")
        ):
            return isinstance(sign, ast.NotIn)
        others = [_value(one, known) for one in getattr(right, "elts", ())]
        left = _value(node.left, known)
        return (left in others) == isinstance(sign, ast.In) if others and _OPEN not in (left, *others) else _OPEN
    both = _value(node.left, known), _value(right, known)
    if _OPEN in both or not isinstance(sign, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
        return _OPEN
    return (both[0] == both[1]) == isinstance(sign, ast.Eq | ast.Is)


def _called(node: ast.Call, known: _Known) -> object:
    """A variable of the environment, which has its default; numbers and truths of words."""
    name = ast.unparse(node.func)
    if name in ("os.getenv", "getenv", "os.environ.get", "environ.get") and node.args:
        return _value(node.args[1], known) if len(node.args) > 1 else None
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("lower", "upper", "strip") and not node.args:
        held = _value(node.func.value, known)
        return str(getattr(held, node.func.attr)()) if isinstance(held, str) else _OPEN
    held = _value(node.args[0], known) if len(node.args) == 1 else _OPEN
    if name == "bool" and held is not _OPEN:
        return bool(held)
    return int(held) if name == "int" and isinstance(held, str | int) and str(held).isdecimal() else _OPEN


_MOST_PARTS, _LONGEST, _DEEPEST = 1_000, 300, 50


def joined_words(
    value: ast.expr, bound: Callable[[ast.expr], ast.expr], budget: list[int], depth: int = 0
) -> str | None:
    """Return the words that are put together of words in the file (`"torch==" + V`, `"torch==%s" % V`, f-strings); None
    where they are not. `bound`: what a name stands for. `budget`: how many parts may still be looked at, for names that
    stand for names double them at each step."""
    budget[0] -= 1
    if depth > _DEEPEST or budget[0] < 0:
        return None
    value = bound(value)
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, str) and len(value.value) < _LONGEST else None
    if isinstance(value, ast.JoinedStr):
        inner = [one.value if _is_plain(one) else one for one in value.values[:_MOST_PARTS]]  # type: ignore[attr-defined]
        parts = [joined_words(one, bound, budget, depth + 1) for one in inner]
        return None if None in parts else "".join(filter(None, parts))
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Mod):
        return None
    given = value.right.elts[:_MOST_PARTS] if isinstance(value.right, ast.Tuple) else [value.right]
    left = joined_words(value.left, bound, budget, depth + 1)
    right = [joined_words(one, bound, budget, depth + 1) for one in given]
    if left is None or None in right:
        return None
    if isinstance(value.op, ast.Add):
        return left + "".join(filter(None, right))
    pieces = left.split("%s")
    filled = [word for pair in zip(pieces, [*right, ""], strict=False) for word in pair]
    return "".join(filter(None, filled)) if len(pieces) == len(right) + 1 and "%" not in "".join(pieces) else None


def _is_plain(part: ast.expr) -> bool:
    """Return whether a part of an f-string is a value as it is, without a format."""
    return isinstance(part, ast.FormattedValue) and part.format_spec is None and part.conversion < 0
