"""Goes through a folder tree with several threads, folder by folder, each file's `lstat` at hand.

For sizes and for the look before a deletion. Links and junctions are files here; another volume mounted inside is
reported and not entered; what cannot be listed is reported. It changes nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wizard.errors import Cancelled
from wizard.system.disk import entry_status, is_true_folder_entry
from wizard.system.links import extended

_THREADS = 4


@dataclass(frozen=True, slots=True)
class Folder:
    """`path` is relative to the root, with "/", "" for the root itself. `files`: everything but true folders."""

    path: str
    files: tuple[tuple[str, os.stat_result], ...]
    folders: tuple[str, ...]
    owner: int  # user id; 0 on Windows
    is_readable: bool = True
    is_other_volume: bool = False


class _Walk:
    def __init__(self, root: Path, visit: Callable[[Folder], None], is_cancelled: Callable[[], bool]) -> None:
        self._root = extended(str(root))
        self._device = os.lstat(self._root).st_dev
        self._visit = visit
        self._is_cancelled = is_cancelled
        self._waiting = [""]
        self._busy = 0
        self._bug: Exception | None = None
        self._turn = threading.Condition()

    def run(self, threads: int) -> None:
        others = [threading.Thread(target=self._serve, name="walk", daemon=True) for _ in range(threads - 1)]
        for other in others:
            other.start()
        self._serve()
        for other in others:
            other.join()
        if self._bug:
            raise self._bug

    def _serve(self) -> None:
        while True:
            with self._turn:
                while not self._waiting and self._busy:
                    self._turn.wait()
                if not self._waiting:
                    self._turn.notify_all()
                    return
                path = self._waiting.pop()
                self._busy += 1
            self._do(path)

    def _do(self, path: str) -> None:
        inside: list[str] = []
        try:
            if self._is_cancelled():
                raise Cancelled
            folder = self._look(path)
            inside = [f"{path}/{name}" if path else name for name in folder.folders]
            with self._turn:
                self._visit(folder)
        except Exception as error:
            with self._turn:
                self._bug = self._bug or error
        with self._turn:
            self._busy -= 1
            self._waiting += inside
            if self._bug:
                self._waiting.clear()
            self._turn.notify_all()

    def _look(self, path: str) -> Folder:
        place = os.path.join(self._root, *path.split("/")) if path else self._root  # noqa: PTH118
        owner = 0
        try:
            status = os.lstat(place)
            owner = status.st_uid
            if status.st_dev != self._device:
                return Folder(path, (), (), owner, is_other_volume=True)
            return _list(path, place, owner)
        except OSError:
            return Folder(path, (), (), owner, is_readable=False)


def _list(path: str, place: str, owner: int) -> Folder:
    files: list[tuple[str, os.stat_result]] = []
    folders: list[str] = []
    with os.scandir(place) as entries:
        for entry in entries:
            if is_true_folder_entry(entry):
                folders.append(entry.name)
                continue
            try:
                files.append((entry.name, entry_status(entry)))
            except FileNotFoundError:
                continue
    return Folder(path, tuple(files), tuple(folders), owner)


def walk(
    root: Path,
    visit: Callable[[Folder], None],
    is_cancelled: Callable[[], bool] = lambda: False,
    threads: int = _THREADS,
) -> None:
    """`visit` is called from several threads, one at a time. Raises Cancelled; OSError when the root is not there."""
    _Walk(root, visit, is_cancelled).run(threads)
