"""Copies one file: sharing its blocks where the file system can (copy on write), else its bytes. Stops between blocks.

An edit of the copy must not reach the original, so the two may share blocks but no inode; other than files that the
original shares with the package store already, and so with every environment that has the same package.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from wizard.errors import Cancelled
from wizard.system.disk import move_blocks, share_blocks
from wizard.system.links import extended

_BLOCK = 16 << 20


class Copier:
    """`on_bytes` hears of each piece. Remembers that the file system shares no blocks, and asks no second time."""

    def __init__(self, on_bytes: Callable[[int], None], is_cancelled: Callable[[], bool]) -> None:
        self._on_bytes = on_bytes
        self._is_cancelled = is_cancelled
        self._shares = True
        self.shared_bytes = 0

    def copy(self, source: str, target: str, size: int) -> None:
        """With mode and times. Raises OSError, Cancelled."""
        self.check()
        with open(extended(source), "rb", 0) as reader, open(extended(target), "wb", 0) as writer:  # noqa: PTH123
            if size and self._share(reader.fileno(), writer.fileno()):
                self.shared_bytes += size
                self._on_bytes(size)
            else:
                self._copy_bytes(reader.fileno(), writer.fileno())
        shutil.copystat(extended(source), extended(target))

    def link(self, source: str, target: str, size: int) -> bool:
        """Give the file a further name; False where the file system does not. Raises Cancelled.

        The paths as `extended` gives them: tens of thousands of files come through here."""
        self.check()
        try:
            os.link(source, target)
        except OSError:
            return False
        self.shared_bytes += size
        self._on_bytes(size)
        return True

    def write(self, source: str, target: str, data: bytes, size: int, is_changed: bool) -> None:
        """With the original's mode, and its times if the content is the original's too."""
        self.check()
        with open(extended(target), "wb") as writer:  # noqa: PTH123
            writer.write(data)
        (shutil.copymode if is_changed else shutil.copystat)(extended(source), extended(target))
        self._on_bytes(size)

    def check(self) -> None:
        if self._is_cancelled():
            raise Cancelled

    def _share(self, reader: int, writer: int) -> bool:
        self._shares = self._shares and share_blocks(reader, writer)
        return self._shares

    def _copy_bytes(self, reader: int, writer: int) -> None:
        while block := self._move(reader, writer):
            self._on_bytes(block)
            self.check()

    @staticmethod
    def _move(reader: int, writer: int) -> int:
        moved = move_blocks(reader, writer, _BLOCK)
        if moved is not None:
            return moved
        data = os.read(reader, _BLOCK)
        view = memoryview(data)
        while view:
            view = view[os.write(writer, view) :]
        return len(data)
