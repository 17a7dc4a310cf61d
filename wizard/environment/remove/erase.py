"""Removes a folder tree: quickly, and nothing that lies outside of it.

Links and junctions are removed, never entered; another volume mounted inside stops it. On Linux every step goes through
the open folder above (`dir_fd`), so that nobody can put a link in our way. Several threads where the disk is what one
waits for, one where it is not. It may be killed at any line and started again; who calls it has noted what is to go.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from wizard.model.errors import Cancelled
from wizard.system import disk
from wizard.system.disk import is_true_folder_entry, open_folder
from wizard.system.links import extended, is_link

OnErased = Callable[[int], None]  # files since the last call; from any thread, one at a time
_THREADS = 4
_TRIAL_SECONDS = 0.05
_BUSY_SHARE = 0.35
_BY_DESCRIPTOR = os.unlink in os.supports_dir_fd and os.scandir in os.supports_fd


class OtherVolume(OSError):
    """A file system that is mounted inside."""


@dataclass(eq=False, slots=True)
class _Folder:
    """One that is being emptied. `descriptor` is -1 until its turn comes, and always where folders cannot be opened."""

    path: str
    name: str
    parent: _Folder | None
    descriptor: int = -1
    left: int = 0  # folders inside that are still there
    kept: bool = False  # something in it stays


@dataclass(slots=True)
class _EraseWork:
    waiting: list[_Folder] = field(default_factory=list)
    busy: int = 0
    failed: Exception | None = None
    stopped: bool = False
    abandoned: list[_Folder] = field(default_factory=list)
    turn: threading.Condition = field(default_factory=threading.Condition)


def erase(
    root: Path,
    on_erased: OnErased = lambda files: None,
    is_cancelled: Callable[[], bool] = lambda: False,
    keep: Iterable[str] = (),
    threads: int = _THREADS,
) -> None:
    """Remove `root`; with `keep` (names at its top) the root stays with these. Raises OSError, Cancelled.

    What cannot be removed does not save the rest: the first such error is raised at the end.
    """
    kept = frozenset(keep)
    disk.insist(lambda: _Eraser(extended(str(root)), on_erased, is_cancelled, kept).run(threads))


def _waits(wall: float, busy: float) -> bool:
    """Most of the time goes by in the disk. Where it does not (memory, a fast disk), threads only get in their way."""
    return wall > _TRIAL_SECONDS and busy < wall * _BUSY_SHARE


class _Eraser:
    def __init__(self, root: str, on_erased: OnErased, is_cancelled: Callable[[], bool], keep: frozenset[str]) -> None:
        self._root = _Folder(root, root, None)
        self._keep = keep
        self._on_erased = on_erased
        self._is_cancelled = is_cancelled
        self._work = _EraseWork(waiting=[self._root])
        self._device = os.lstat(root).st_dev

    def run(self, threads: int) -> None:
        if is_link(self._root.path):
            raise NotADirectoryError(self._root.path)
        others = [threading.Thread(target=self._serve, name="erase", daemon=True) for _ in range(threads - 1)]
        started = self._serve(others)
        for other in started:
            other.join()
        for folder in self._work.abandoned:
            _close_up(folder)
        if self._work.failed:
            raise self._work.failed
        if self._work.stopped:
            raise Cancelled

    def _serve(self, others: Sequence[threading.Thread] = ()) -> Sequence[threading.Thread]:
        """Until nothing is left; answers which of the others it has called to help."""
        helping: Sequence[threading.Thread] = ()
        wall, busy = time.perf_counter(), time.thread_time()
        while folder := self._next():
            inside: list[_Folder] = []
            try:
                inside = self._empty(folder)
            except OSError as error:
                self._fail(folder, error)
            except Exception as bug:  # a thread that dies in silence would leave the others waiting for ever
                self._fail(folder, bug)
                self._work.stopped = True
            self._finish(folder, inside)
            if others and not helping and _waits(time.perf_counter() - wall, time.thread_time() - busy):
                helping = others
                for other in helping:
                    other.start()
        return helping

    def _next(self) -> _Folder | None:
        work = self._work
        with work.turn:
            while True:
                if self._is_cancelled():
                    work.stopped = True
                if work.stopped:
                    work.abandoned += work.waiting
                    work.waiting.clear()
                if work.waiting:
                    work.busy += 1
                    return work.waiting.pop()  # the newest: depth first keeps few folders open
                if not work.busy:
                    work.turn.notify_all()
                    return None
                work.turn.wait()

    def _finish(self, folder: _Folder, inside: list[_Folder]) -> None:
        """Its files are gone: its folders wait for their turn, or it goes itself, and perhaps those above."""
        with self._work.turn:
            folder.left = len(inside)
            self._work.waiting.extend(inside)
        if not inside:
            self._go_up(folder)
        with self._work.turn:
            self._work.busy -= 1
            self._work.turn.notify_all()

    def _go_up(self, folder: _Folder) -> None:
        here: _Folder | None = folder
        while here is not None:
            _close(here)
            parent = here.parent
            if here.kept:
                if parent is not None:
                    parent.kept = True
            else:
                try:
                    _remove_folder(here)
                except OSError as error:
                    self._fail(here, error)
                    if parent is not None:
                        parent.kept = True
            with self._work.turn:
                if parent is not None:
                    parent.left -= 1
                here = parent if parent is not None and parent.left == 0 else None

    def _fail(self, folder: _Folder, error: Exception) -> None:
        folder.kept = True
        with self._work.turn:
            self._work.failed = self._work.failed or error

    def _empty(self, folder: _Folder) -> list[_Folder]:
        """Removes its files; its folders are what it answers."""
        self._open(folder)
        inside: list[_Folder] = []
        files = 0
        unlink = _unlinker(folder)
        with os.scandir(_place(folder)) as entries:
            listed = list(entries)  # a folder that changes while it is listed may hide entries
        for entry in listed:
            name = entry.name
            if folder is self._root and name in self._keep:
                folder.kept = True
            elif is_true_folder_entry(entry):
                inside.append(_Folder(f"{folder.path}{os.sep}{name}", name, folder))
            else:
                try:
                    unlink(name)
                except FileNotFoundError:
                    pass
                except PermissionError:
                    if not self._insist(folder, name, unlink):
                        continue
                files += 1
        if files:
            with self._work.turn:
                self._on_erased(files)
        return inside

    def _insist(self, folder: _Folder, name: str, unlink: Callable[[str], None]) -> bool:
        try:
            _lift_protection(folder, name)
            unlink(name)
        except OSError as error:
            error.filename = f"{folder.path}{os.sep}{name}"
            self._fail(folder, error)
            return False
        return True

    def _open(self, folder: _Folder) -> None:
        if _BY_DESCRIPTOR:
            try:
                folder.descriptor = _open_folder(folder)
            except PermissionError:
                if folder.parent is not None and folder.parent.descriptor >= 0:
                    os.chmod(folder.name, stat.S_IRWXU, dir_fd=folder.parent.descriptor)
                else:
                    Path(folder.path).chmod(stat.S_IRWXU)
                folder.descriptor = _open_folder(folder)
            device = os.fstat(folder.descriptor).st_dev
        else:
            device = os.lstat(folder.path).st_dev
        if device != self._device:
            raise OtherVolume(None, "another volume is mounted here", folder.path)


def _open_folder(folder: _Folder) -> int:
    return open_folder(folder.path, folder.name, -1 if folder.parent is None else folder.parent.descriptor)


def _close(folder: _Folder) -> None:
    if folder.descriptor >= 0:
        os.close(folder.descriptor)
        folder.descriptor = -1


def _close_up(folder: _Folder) -> None:
    here: _Folder | None = folder
    while here is not None:
        _close(here)
        here = here.parent


def _place(folder: _Folder) -> str:
    return folder.descriptor if folder.descriptor >= 0 else folder.path  # type: ignore[return-value]


def _unlinker(folder: _Folder) -> Callable[[str], None]:
    if folder.descriptor >= 0:
        return partial(os.unlink, dir_fd=folder.descriptor)
    return lambda name: _unlink_path(f"{folder.path}{os.sep}{name}")


def _unlink_path(path: str) -> None:
    try:
        os.unlink(path)  # noqa: PTH108 (the extended form must stay as it is)
    except PermissionError:
        if not is_link(path):
            raise
        os.rmdir(path)  # noqa: PTH106 (a junction: this removes the link, not what it leads to)


def _lift_protection(folder: _Folder, name: str) -> None:
    """Linux: the folder forbids it. Windows: the file is read-only."""
    if folder.descriptor >= 0:
        os.chmod(folder.descriptor, stat.S_IRWXU)  # noqa: PTH101 (an open folder has no path)
    else:
        with contextlib.suppress(OSError):
            os.chmod(f"{folder.path}{os.sep}{name}", stat.S_IWRITE)  # noqa: PTH101


def _remove_folder(folder: _Folder) -> None:
    with contextlib.suppress(FileNotFoundError):
        if folder.parent is not None and folder.parent.descriptor >= 0:
            try:
                os.rmdir(folder.name, dir_fd=folder.parent.descriptor)
            except PermissionError:
                os.chmod(folder.parent.descriptor, stat.S_IRWXU)  # noqa: PTH101
                os.rmdir(folder.name, dir_fd=folder.parent.descriptor)
        else:
            os.rmdir(folder.path)  # noqa: PTH106
