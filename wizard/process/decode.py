"""Bytes of a child become lines: incrementally, never failing, `\\r` folded.

A progress bar redraws its line with a carriage return; only its last state before the newline counts.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator


class LineDecoder:
    """Feed bytes in any portions; get whole lines out. `flush` gives the unfinished rest."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._rest = ""

    def feed(self, data: bytes, final: bool = False) -> Iterator[str]:
        self._rest += self._decoder.decode(data, final)
        *whole, self._rest = self._rest.split("\n")
        for line in whole:
            yield _fold(line)

    def flush(self) -> Iterator[str]:
        yield from self.feed(b"", final=True)
        rest, self._rest = _fold(self._rest), ""
        if rest:
            yield rest


def _fold(line: str) -> str:
    return line.rstrip("\r").rsplit("\r", 1)[-1]
