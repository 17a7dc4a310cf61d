"""Bytes of a child become lines: incrementally, never failing, `\\r` folded.

A progress bar redraws its line with a carriage return; only its last state before the newline counts. Most programs
write UTF-8. Windows' own write the console's code page (cp936 in China) when a line is no UTF-8, or UTF-16 throughout,
with a mark at the beginning or without one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from wizard.windows.registry import MACHINE, Registry, registry

_UTF_8_MARK = codecs.BOM_UTF8
_UTF_16_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CODE_PAGES = r"SYSTEM\CurrentControlSet\Control\Nls\CodePage"
_ENOUGH = 4  # bytes to tell by


def console_code_page() -> str:
    """What the system's own programs write into a pipe; "" where that is UTF-8."""
    return code_page_of(registry())


def code_page_of(known: Registry) -> str:
    """Not this process's own: the frozen program asks Windows for UTF-8 for itself alone (its manifest)."""
    page = f"cp{known.values(MACHINE, _CODE_PAGES).get('OEMCP', '')}"
    try:
        return codecs.lookup(page).name
    except LookupError:
        return ""


class LineDecoder:
    """Feed bytes in any portions; get whole lines out. `flush` gives the unfinished rest."""

    def __init__(self, code_page: str | None = None) -> None:
        self._code_page = console_code_page() if code_page is None else code_page
        self._rest = b""
        self._width = 0  # bytes of a newline: 1, or 2 for UTF-16; 0 while nothing is known
        self._utf_16 = ""

    def feed(self, data: bytes, final: bool = False) -> Iterator[str]:
        self._rest += data
        if not self._width and (final or len(self._rest) >= _ENOUGH or self._is_plain_line()):
            self._recognize()
        if self._width == 1:
            *whole, self._rest = self._rest.split(b"\n")
            yield from (_fold(self._plain(line)) for line in whole)
        elif self._width:
            yield from self._wide_lines()

    def flush(self) -> Iterator[str]:
        yield from self.feed(b"", final=True)
        rest, self._rest = self._rest, b""
        line = _fold(rest.decode(self._utf_16, "replace") if self._utf_16 else self._plain(rest))
        if line:
            yield line

    def _is_plain_line(self) -> bool:
        """A short first line that somebody may be waiting for."""
        return b"\n" in self._rest and b"\0" not in self._rest and self._rest[:2] not in _UTF_16_MARKS

    def _recognize(self) -> None:
        begun = self._rest
        marked = _UTF_16_MARKS.get(begun[:2], "")
        # Plain letters of UTF-16 have a zero as every second byte; no text has one in UTF-8 or a code page.
        bare = "utf-16-le" if len(begun) >= _ENOUGH and begun[0] and not begun[1] and begun[2] and not begun[3] else ""
        self._utf_16 = marked or bare
        self._width = 2 if self._utf_16 else 1
        self._rest = begun[2:] if marked else begun.removeprefix(_UTF_8_MARK)

    def _wide_lines(self) -> Iterator[str]:
        whole = len(self._rest) & ~1
        text = self._rest[:whole].decode(self._utf_16, "replace")
        *lines, rest = text.split("\n")
        if lines:  # half a character at the end of the rest is decoded again with what follows
            kept = len(rest.encode(self._utf_16, "surrogatepass")) + len(self._rest) - whole
            self._rest = self._rest[len(self._rest) - kept :]
        yield from map(_fold, lines)

    def _plain(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError:
            return line.decode(self._code_page or "utf-8", "replace")


def _fold(line: str) -> str:
    return line.rstrip("\r").rsplit("\r", 1)[-1]
