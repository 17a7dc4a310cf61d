"""An error text from a file: whatever wrote it, it becomes words. Not an explanation of it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from wizard.errors import UsageError

_MOST_BYTES = 20_000_000
_STRAY_BYTES = 3  # a log may hold a few odd bytes and still be UTF-8
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def read_pasted(path: Path) -> str:
    """The end of a long file. Raises UsageError `explain-unreadable`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError("explain-unreadable", details=str(error), path=str(path)) from error
    if b"\0" in data[:4096] and not data.startswith(_WIDE):
        raise UsageError("explain-unreadable", path=str(path))
    return decode(data)


def decode(data: bytes) -> str:
    """UTF-8, what PowerShell's `>` writes (UTF-16), or an old Chinese Windows' GBK; never fails."""
    if data.startswith(_WIDE):
        return data.decode("utf-16", errors="replace")
    plain = data[-_MOST_BYTES:].decode("utf-8-sig", errors="replace")
    if plain.count("\ufffd") > _STRAY_BYTES:
        with contextlib.suppress(UnicodeDecodeError):
            return data[-_MOST_BYTES:].decode("gb18030")
    return plain
