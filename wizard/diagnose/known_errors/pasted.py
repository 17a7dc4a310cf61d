"""An error text from a file or a pipe: whatever wrote it, it becomes words. Not an explanation of it.

Only the end of a long one is kept, however long it is: what ends a log is nearer to the failure than what began it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import BinaryIO

from wizard.model.errors import ErrorText, UsageError

EXPLAIN_EMPTY = ErrorText(
    "explain-empty",
    "There is no text to explain.",
    "Give a file, or paste the error's lines[| (in a terminal: torch-wizard explain -)].",
)
EXPLAIN_UNREADABLE = ErrorText(
    "explain-unreadable",
    "{path} cannot be read as text.",
    "Save the error as a text file, or paste its lines[| (in a terminal: torch-wizard explain -)].",
)

_MOST_BYTES = 20_000_000
_HEAD = 4096
_STRAY_BYTES = 3  # a log may hold a few odd bytes and still be UTF-8
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def read_pasted(path: Path) -> str:
    """Raises UsageError `explain-unreadable`."""
    try:
        with path.open("rb") as file:
            return read_stream(file, str(path))
    except OSError as error:
        raise UsageError(EXPLAIN_UNREADABLE, details=str(error), path=str(path)) from error


def read_stream(file: BinaryIO, name: str) -> str:
    """Raises UsageError `explain-unreadable` for a program or a picture, before more than its beginning is read."""
    head = file.read(_HEAD)
    is_wide = head.startswith(_WIDE)
    if head.count(b"\0") > 1 and not is_wide:  # pip prints the one that its settings hold
        raise UsageError(EXPLAIN_UNREADABLE, path=name)
    data = _end_of(file, head)
    return decode(head[:2] + data if is_wide and not data.startswith(_WIDE) else data)


def _end_of(file: BinaryIO, head: bytes) -> bytes:
    """`head` and what follows, or the end of it: an even number of bytes from the start, for UTF-16."""
    kept = bytearray(head)
    while block := file.read(_MOST_BYTES):
        kept += block
        if len(kept) > _MOST_BYTES:
            del kept[: (len(kept) - _MOST_BYTES + 1) // 2 * 2]
    return bytes(kept)


def decode(data: bytes) -> str:
    """UTF-8, what PowerShell's `>` writes (UTF-16), or an old Chinese Windows' GBK; never fails."""
    if data.startswith(_WIDE):
        return data.decode("utf-16", errors="replace")
    plain = data.decode("utf-8-sig", errors="replace")
    if plain.count("\ufffd") > _STRAY_BYTES:
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode("gb18030")
    return plain
