"""A settings file as text that turns back into the same bytes, whatever its encoding, marks and line ends.

UTF-8 where that fits, else this system's own encoding (GBK on Chinese Windows), else each foreign byte stands
as one private character, so that a parser passes over it and it comes back unchanged.
"""

from __future__ import annotations

import codecs
import difflib
import locale
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wizard.process import redact

_PRIVATE = 0xE000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class TextFile:
    text: str
    codec: str  # "" for the private one
    mark: bytes  # the byte order mark, if there is one

    @property
    def newline(self) -> str:
        """Return the line end that most lines have; \\n for a file without any."""
        counted = {end: sum(line.endswith(end) for line in split_lines(self.text)) for end in ("\r\n", "\n", "\r")}
        counted["\n"] -= counted["\r\n"]
        return max(counted, key=lambda end: (counted[end], end == "\n"))

    def encoded(self, text: str) -> bytes:
        """Return the bytes of a text. Raises UnicodeEncodeError for a character that this file cannot hold."""
        return self.mark + (text.encode(self.codec) if self.codec else _from_private(text))


def read_text(content: bytes) -> TextFile:
    """Return a file's text with the codec that gives back the same bytes; without one its bytes are kept as they
    are."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    body = content[len(mark) :]
    for codec in ("utf-8", locale.getpreferredencoding(False)):
        try:
            text = body.decode(codec)
            if text.encode(codec) == body:
                return TextFile(text, codec, mark)
        except (UnicodeError, LookupError):
            continue
    return TextFile(_to_private(body), "", mark)


def _to_private(body: bytes) -> str:
    return "".join(chr(byte) if byte < 0x80 else chr(_PRIVATE + byte) for byte in body)


def _from_private(text: str) -> bytes:
    return b"".join(char.encode("ascii") if ord(char) < 0x80 else _foreign(char) for char in text)


def _foreign(char: str) -> bytes:
    if not 0x80 <= ord(char) - _PRIVATE <= 0xFF:
        raise UnicodeEncodeError("private", char, 0, 1, "no byte of this file")
    return bytes([ord(char) - _PRIVATE])


def split_lines(text: str) -> list[str]:
    """Return the lines with their ends. Not str.splitlines, which also splits at form feeds and the like."""
    return _LINE.findall(text)


def body_of(line: str) -> str:
    return line.rstrip("\r\n")


def one_place(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that differ, between what both begin and what both end with, as (gone, come)."""
    old, new = split_lines(before), split_lines(after)
    start = _same(old, new, lambda lines, at: lines[at])
    rest_old, rest_new = old[start:], new[start:]
    end = _same(rest_old, rest_new, lambda lines, at: lines[-1 - at])
    return rest_old[: len(rest_old) - end], rest_new[: len(rest_new) - end]


def _same(old: list[str], new: list[str], at: Callable[[list[str], int], str]) -> int:
    count = 0
    while count < min(len(old), len(new)) and at(old, count) == at(new, count):
        count += 1
    return count


def difference(path: Path, before: bytes | None, after: bytes) -> str:
    """Return a unified difference without secrets; its first lines say the path, and that there was no file before."""
    old, new = (_lines(content) for content in (before or b"", after))
    start = str(path) if before is not None else "(-)"
    return redact("\n".join(difflib.unified_diff(old, new, start, str(path), lineterm="", n=2)))


def _lines(content: bytes) -> list[str]:
    file = read_text(content)
    if not file.codec:  # foreign bytes stand as private characters
        return [body_of(line) for line in split_lines(content.decode("ascii", "replace"))]
    return [body_of(line) for line in split_lines(file.text)]
