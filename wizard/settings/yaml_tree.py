"""Where things stand in a YAML text: a small tree of character positions, made from ruamel's parse events.

Only for looking up places. What the text means is decided by loading it; aliases are not followed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

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
    """None for a document without content. Raises ValueError, also for several documents in one file."""
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
