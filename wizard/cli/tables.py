"""Tables for a terminal, in columns that count Chinese letters as two.

argparse and textwrap count letters, so their Chinese lines come out twice as long as the terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

# A word of Latin letters or one other letter, with the marks that may not be parted from it.
_PIECE = re.compile(r"\s+|[（“《]*(?:[!-~]+|\S)[，。；：、？！）》”]*")


def width(words: str) -> int:
    """Columns in a terminal: a Chinese letter takes two, a combining mark none."""
    return sum(_letter_width(letter) for letter in words)


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def wrap(words: str, columns: int) -> list[str]:
    """Lines of at most so many columns; a piece that is longer stands alone."""
    lines = [""]
    for piece in _PIECE.findall(" ".join(words.split())):
        if lines[-1] and width(lines[-1] + piece.rstrip()) > columns:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return lines


_GAP = "  "


def align(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the head, with a rule below it."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        _GAP.join(cell + " " * (columns - width(cell)) for cell, columns in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    rule = "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    return "\n".join([lines[0], rule, *lines[1:]])


def sized(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a line for each name and its size, which stands to the right."""
    names, sizes = (max(width(row[column]) for row in rows) for column in (0, 1))
    for name, size in rows:
        yield f"    {name}{' ' * (names - width(name))}{_GAP}{' ' * (sizes - width(size))}{size}"
