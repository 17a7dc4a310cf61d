"""`.condarc`, edited by character positions: ruamel.yaml says where a key and its value stand, nothing else moves.

ruamel's own writer keeps comments but lays out the whole file anew, which is not ours to do. Keys: "channels",
"custom_channels.conda-forge" (one level down, the name may hold dots).

One file: the edits need the positions and nobody else does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wizard.toolconfig.text_file import body_of, split_lines
from wizard.undo.model import Value

# Where things stand in a YAML text: a small tree of character positions, made from ruamel's parse events.
#
# Only for looking up places. What the text means is decided by loading it; aliases are not followed here.

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")  # an anchor, a tag: they stay when the value changes


@dataclass(frozen=True, slots=True)
class Node:
    """`kind`: "scalar", "list", "map" or "alias". Characters [start, end); of a block it ends with its last part."""

    kind: str
    start: int
    end: int
    column: int
    is_flow: bool = False
    value: str = ""
    items: tuple[Node, ...] = ()
    pairs: tuple[tuple[Node, Node], ...] = field(default=())

    def find(self, key: str) -> tuple[Node, Node] | None:
        return next((pair for pair in self.pairs if pair[0].kind == "scalar" and pair[0].value == key), None)


def root_of(text: str) -> Node | None:
    """Return the top node; None for a document without content. Raises ValueError, also for several documents in one
    file."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        events = [event for event in YAML(typ="safe", pure=True).parse(text) if _name(event) in _WANTED]
    except YAMLError as error:
        raise ValueError(str(error)) from error
    walk, roots = iter(events), []
    for event in walk:
        roots.append(_node(event, walk, text))
    if len(roots) > 1:
        raise ValueError("several documents in one file")
    return roots[0] if roots and not (roots[0].kind == "scalar" and roots[0].start == roots[0].end) else None


_WANTED = ("Scalar", "Alias", "SequenceStart", "SequenceEnd", "MappingStart", "MappingEnd")


def _name(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


def _node(event: Any, walk: Iterator[Any], text: str) -> Node:
    name, end = _name(event), event.end_mark.index
    start = _behind_properties(text, event.start_mark.index, end)
    column = start - max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) - 1
    if name == "Scalar":
        return Node("scalar", start, end, column, value=str(event.value))
    if name == "Alias":
        return Node("alias", start, end, column)
    parts: list[Node] = []
    for part in walk:
        if _name(part) in ("SequenceEnd", "MappingEnd"):
            break
        parts.append(_node(part, walk, text))
    is_flow = bool(event.flow_style)
    last = part.end_mark.index if is_flow else parts[-1].end if parts else end
    if name == "SequenceStart":
        return Node("list", start, last, column, is_flow, items=tuple(parts))
    pairs = tuple(zip(parts[::2], parts[1::2], strict=True))
    return Node("map", start, last, column, is_flow, pairs=pairs)


def _behind_properties(text: str, start: int, end: int) -> int:
    found = _PROPERTIES.match(text, start)
    return found.end() if found and found.end() <= max(end, start) else start


_PLAIN = re.compile(r"^[A-Za-z][A-Za-z0-9_./~%+-]*(?:://[A-Za-z0-9_./~%+:@-]*[A-Za-z0-9/])?$")
_NOT_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_STEP = "  "


def parse(text: str) -> dict[str, Any]:
    """Return the document as it is read. Raises ValueError."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        loaded = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, RecursionError, TypeError) as error:  # TypeError: a key that is a list
        raise ValueError(str(error)) from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ValueError("no mapping at the top")
    return loaded


def value_of(text: str, key: str) -> Value:
    """Return what a key says. Raises ValueError, also for a value of another kind than text or texts."""
    head, _, name = key.partition(".")
    value = parse(text).get(head)
    if name:
        if value is not None and not isinstance(value, dict):
            raise ValueError(f"{head} is no mapping")
        value = (value or {}).get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str | int | float):
        return None if value is None else str(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError(f"{key} is neither a text nor a list of texts")


def edited(text: str, key: str, value: Value, newline: str, is_tidy: bool) -> str:
    """Return the text with the key changed. Raises ValueError for what cannot be done in this file."""
    head, _, name = key.partition(".")
    root = root_of(text)
    if root is not None and root.kind != "map":
        raise ValueError("no mapping at the top")
    pair = root.find(head) if root else None
    if not name:
        return _set(text, root, pair, head, value, newline)
    parent = pair[1] if pair else None
    if parent is None or _is_empty(parent):
        if value is None:
            return text
        return _with_map(text, root, pair, head, {name: value}, newline)
    if parent.kind != "map":
        raise ValueError(f"{head} is no mapping")
    child = parent.find(name)
    if value is None and child and len(parent.pairs) == 1:  # conda takes no empty mapping
        return _set(text, root, pair, head, None, newline)
    return _set(text, parent, child, name, value, newline)


def _is_empty(node: Node) -> bool:
    return (node.kind == "scalar" and node.value in ("", "~", "null")) or (node.kind == "map" and not node.pairs)


def _set(text: str, parent: Node | None, pair: tuple[Node, Node] | None, key: str, value: Value, newline: str) -> str:
    if pair and value is None:
        return _without(text, parent, pair)
    if value is None:
        return text
    if pair is None:
        return _with_pair(text, parent, key, value, newline)
    node = pair[1]
    if isinstance(value, tuple) and node.kind == "list" and not node.is_flow and value:
        return _with_items(text, node, value, newline)
    written = _flow(value)
    if node.kind == "list" and not node.is_flow or node.start == node.end:
        return _rewritten(text, pair, f" {written}")
    return text[: node.start] + written + text[node.end :]


def _rewritten(text: str, pair: tuple[Node, Node], written: str) -> str:
    """Behind the colon of the key, in place of a value on lines of its own or of none."""
    colon = text.index(":", pair[0].end) + 1
    return text[:colon] + written + text[colon if pair[1].start == pair[1].end else pair[1].end :]


def _scalar(text: str) -> str:
    is_plain = _PLAIN.match(text) and text.lower() not in _NOT_TEXT
    return text if is_plain else json.dumps(text)


def _flow(value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(json.dumps(item) for item in value) + "]"
    return value if value in ("true", "false") else _scalar(value or "")


def _block(key: str, value: Value, indent: str) -> list[str]:
    if isinstance(value, tuple) and value:
        return [f"{indent}{_scalar(key)}:", *(f"{indent}{_STEP}- {_scalar(item)}" for item in value)]
    return [f"{indent}{_scalar(key)}: {_flow(value)}"]


def _with_map(
    text: str, root: Node | None, pair: tuple[Node, Node] | None, head: str, values: dict[str, Value], newline: str
) -> str:
    flow = "{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items()) + "}"
    if pair:
        node = pair[1]
        return (
            _rewritten(text, pair, f" {flow}")
            if node.start == node.end
            else (text[: node.start] + flow + text[node.end :])
        )
    if root and root.is_flow:
        return _in_flow(text, root, f"{json.dumps(head)}: {flow}")
    indent = " " * (root.pairs[0][0].column if root else 0)
    lines = [
        f"{indent}{head}:",
        *(line for key, value in values.items() for line in _block(key, value, indent + _STEP)),
    ]
    return _below(text, root, lines, newline)


def _with_pair(text: str, parent: Node | None, key: str, value: Value, newline: str) -> str:
    if parent and parent.is_flow:
        return _in_flow(text, parent, f"{json.dumps(key)}: {_flow(value)}")
    indent = " " * (parent.pairs[0][0].column if parent else 0)
    return _below(text, parent, _block(key, value, indent), newline)


def _in_flow(text: str, node: Node, written: str) -> str:
    last = node.pairs[-1][1].end if node.pairs else node.start + 1
    return text[:last] + (", " if node.pairs else "") + written + text[last:]


def _below(text: str, node: Node | None, new: list[str], newline: str) -> str:
    """On lines of their own after the last line of a mapping; without one, at the end of the file."""
    at = len(text)
    if node:
        at = _line_end(text, node.end)
    before, after = text[:at], text[at:]
    is_open = bool(before) and not before.endswith(("\n", "\r"))
    written = newline.join(new)
    if node and is_open and _ends_in_long_text(text, node):  # a line end more would be part of that text
        first = _line_start(text, node.start)
        return f"{text[:first]}{written}{newline}{text[first:]}"
    return f"{before}{newline}{written}{after}" if is_open else f"{before}{written}{newline}{after}"


def _ends_in_long_text(text: str, node: Node) -> bool:
    last = node
    while last.pairs or last.items:
        last = last.pairs[-1][1] if last.pairs else last.items[-1]
    return last.kind == "scalar" and text[last.start : last.start + 1] in ("|", ">")


def _line_end(text: str, at: int) -> int:
    """Behind the line in which the character before `at` stands (a block scalar ends behind its last line end)."""
    position = 0
    for line in split_lines(text):
        position += len(line)
        if position >= at:
            return position
    return len(text)


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _with_items(text: str, node: Node, value: tuple[str, ...], newline: str) -> str:
    """Lines of items that stay are moved as they are; lines between them (comments, blank ones) stay in place."""
    start, end = _line_start(text, node.start), _line_end(text, node.end)
    lines = split_lines(text[start:end])
    indent = " " * node.column
    own = {item.value: line for item, line in zip(node.items, _item_lines(text, node), strict=True)}
    numbers = [number for number, line in enumerate(lines) if line.lstrip().startswith("-")]
    if len(numbers) != len(node.items):
        raise ValueError("an item of the list has more than one line")
    ends = lines[-1][len(body_of(lines[-1])) :]
    new = [body_of(own.get(item, f"{indent}- {_scalar(item)}")) for item in value]
    fresh: list[str] = []
    for number, line in enumerate(lines):
        if number not in numbers:
            fresh.append(line)
        elif number == numbers[-1]:
            fresh += [item + newline for item in new]
        elif new:
            fresh.append(new.pop(0) + newline)
    if not ends:
        fresh[-1] = body_of(fresh[-1])
    return text[:start] + "".join(fresh) + text[end:]


def _item_lines(text: str, node: Node) -> list[str]:
    return [text[_line_start(text, item.start) : _line_end(text, item.end)] for item in node.items]


def _without(text: str, parent: Node | None, pair: tuple[Node, Node]) -> str:
    key, node = pair
    if parent and parent.is_flow:
        return _without_flow(text, parent, pair)
    start, end = _line_start(text, key.start), _line_end(text, max(node.end, key.end + 1))
    if text[start : key.start].strip():
        raise ValueError("something else stands before the key on its line")
    kept = [line for line in split_lines(text[start:end])[1:] if line.lstrip().startswith("#")]
    return text[:start] + "".join(kept) + text[end:]


def _without_flow(text: str, parent: Node, pair: tuple[Node, Node]) -> str:
    at = parent.pairs.index(pair)
    if at:
        return text[: parent.pairs[at - 1][1].end] + text[pair[1].end :]
    if len(parent.pairs) > 1:
        return text[: pair[0].start] + text[parent.pairs[1][0].start :]
    return text[: pair[0].start] + text[pair[1].end :]
