"""Puts the files of a store entry into site-packages: shared blocks where the file system has them, else hard links,
else copies.

Shared blocks come first because an edit of one environment then reaches no other. A hard link is the same file in all
of them: what is known to be edited (metadata, scripts) is never linked, and an entry notices an edited file.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from wizard.install.record import PART_SUFFIX
from wizard.install.store.folder import StoreEntry
from wizard.model.errors import Cancelled
from wizard.system import moving
from wizard.system.disk import move_blocks, share_blocks
from wizard.system.links import extended

IsCancelled = Callable[[], bool]
_COPIERS = 4  # wait for the disk; links are made in memory, and two threads would only wait for each other
_PART = 128  # files between two looks whether to stop
_BLOCK = 16 << 20


class Linker:
    """For one place. Remembers what the file system refused, and asks no second time.

    `own_below` bytes a file is copied where blocks cannot be shared: an edit of it reaches no other environment."""

    def __init__(self, is_cancelled: IsCancelled, *, copies: bool = False, own_below: int = 0) -> None:
        self._pool = ThreadPoolExecutor(_COPIERS if copies else 1, "link")
        self._is_cancelled = is_cancelled
        self._closed = False
        self._shares, self._links, self._own_below = not copies, not copies, own_below
        self._made: set[str] = set()

    def begin(self, entry: StoreEntry, site_packages: Path) -> Sequence[Future[None]]:
        """Start to put all files there; what is there already is replaced. The results raise OSError, Cancelled."""
        root = f"{extended(str(site_packages))}{os.sep}"
        pairs = [(path, root + file.path.replace("/", os.sep)) for file, path in entry.with_paths()]
        folders = {target.rpartition(os.sep)[0] for _, target in pairs} - self._made
        for folder in sorted(folders):
            _make_folder(folder)
        self._made |= folders
        return [self._pool.submit(self._all, pairs[at : at + _PART]) for at in range(0, len(pairs), _PART)]

    def close(self) -> None:
        """Stop after the file that each thread is at."""
        self._closed = True
        self._pool.shutdown(cancel_futures=True)

    def _all(self, pairs: Iterable[tuple[str, str]]) -> None:
        if self._is_cancelled():
            raise Cancelled
        for source, target in pairs:
            if self._closed:
                raise Cancelled
            try:
                self.put(source, target)
            except FileExistsError:
                self._replace(source, target)
            except FileNotFoundError:  # its folder went with the last files of a broken install of another package
                _make_folder(target.rpartition(os.sep)[0])
                self.put(source, target)

    def _replace(self, source: str, target: str) -> None:
        part = target + PART_SUFFIX
        with contextlib.suppress(FileNotFoundError):
            moving.unlink(part)
        self.put(source, part)
        moving.replace(part, target)

    def put(self, source: str, target: str) -> None:
        """Put one file there. Raises FileExistsError, OSError."""
        if self._shares:
            if self._share(source, target):
                return
            self._shares = False
        if self._links and not (self._own_below and os.stat(source).st_size < self._own_below):  # noqa: PTH116
            try:
                os.link(source, target)
                return
            except FileExistsError:
                raise
            except OSError as error:
                self._links = error.errno == errno.EMLINK  # this file has too many names; others need not
        self._copy(source, target)

    @staticmethod
    def _share(source: str, target: str) -> bool:
        with open(source, "rb", 0) as reader, open(target, "xb", 0) as writer:  # noqa: PTH123
            is_shared = share_blocks(reader.fileno(), writer.fileno())
            if is_shared:
                os.chmod(target, os.fstat(reader.fileno()).st_mode & 0o777)  # noqa: PTH101
        if not is_shared:
            moving.unlink(target)
        return is_shared

    @staticmethod
    def _copy(source: str, target: str) -> None:
        with open(source, "rb", 0) as reader, open(target, "xb", 0) as writer:  # noqa: PTH123
            while moved := move_blocks(reader.fileno(), writer.fileno(), _BLOCK):
                pass
            if moved is None:
                while data := reader.read(_BLOCK):
                    view = memoryview(data)
                    while view:
                        view = view[writer.write(view) :]
        os.chmod(target, os.stat(source).st_mode & 0o777)  # noqa: PTH101, PTH116


def _make_folder(path: str) -> None:
    try:
        os.mkdir(path)  # noqa: PTH102 (a thousand folders, nearly all of them new and in one that is there)
    except OSError:
        os.makedirs(path, exist_ok=True)  # noqa: PTH103
