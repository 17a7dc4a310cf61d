"""How large an environment is, and the walk through its folders that finds it out.

How large an environment is, twice: what it holds, and what deleting it would free.

The two differ by hard links: a file that the package cache or another environment has too stays on the disk. Counting
is slow (tens of thousands of files), so it is apart from the list, can be stopped, and its answers are kept with a
stamp of the folder. The stamp sees packages come and go, not a file that grows deep inside: an answer is kept a day.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from wizard.environment.inspect.contents import telling_folders
from wizard.model.errors import Cancelled
from wizard.model.typed import from_json
from wizard.system import moving, paths
from wizard.system.disk import entry_status, is_true_folder_entry
from wizard.system.links import extended

# Goes through a folder tree with several threads, folder by folder, each file's `lstat` at hand.
#
# For sizes and for the look before a deletion. Links and junctions are files here; another volume mounted inside is
# reported and not entered; what cannot be listed is reported. It changes nothing.

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
    """Walk through a folder. `visit` is called from several threads, one at a time. Raises Cancelled; OSError when the
    root is not there."""
    _Walk(root, visit, is_cancelled).run(threads)


_KEPT_SECONDS = 86_400.0
_BLOCK = 512  # st_blocks counts these, whatever the disk's own block is


@dataclass(frozen=True, slots=True)
class Sizes:
    """`apparent`: bytes of all files, each once. `freed`: what the disk gets back. `files`: names, links included."""

    apparent: int
    freed: int
    files: int


@dataclass(slots=True)
class Tally:
    """Adds up the folders of one walk."""

    apparent: int = 0
    freed: int = 0
    files: int = 0
    _names: dict[tuple[int, int], int] = field(default_factory=dict)  # file -> its names seen so far

    def add(self, folder: Folder) -> None:
        """Count the files of one folder; a file with several names counts once, and as freed only when all are in
        here."""
        for _, status in folder.files:
            self.files += 1
            if status.st_nlink <= 1 or not stat.S_ISREG(status.st_mode):
                self._count(status)
                continue
            key = (status.st_dev, status.st_ino)
            seen = self._names[key] = self._names.get(key, 0) + 1
            if seen == 1:
                self.apparent += status.st_size
            if seen == status.st_nlink:
                self.freed += on_disk(status)

    def _count(self, status: os.stat_result) -> None:
        self.apparent += status.st_size
        self.freed += on_disk(status)

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.apparent, self.freed, self.files)


def on_disk(status: os.stat_result) -> int:
    """Return what a file takes on the disk: a sparse file takes less than it holds, a small one more. Windows does not
    say: there it is the size."""
    blocks = getattr(status, "st_blocks", None)
    return status.st_size if blocks is None else int(blocks) * _BLOCK


def measure(prefix: Path, is_cancelled: Callable[[], bool] = lambda: False) -> Sizes:
    """Count now. Raises Cancelled; OSError when nothing is there."""
    tally = Tally()
    walk(prefix, tally.add, is_cancelled)
    return tally.sizes


def measure_all(
    prefixes: Iterable[Path],
    on_sizes: Callable[[Path, Sizes], None],
    is_cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Measure first all that is known, then what has to be counted, one after the other: one disk serves them all.

    Meant for a thread of its own; what is known is kept when it is cancelled. Raises Cancelled.
    """
    prefixes = tuple(prefixes)
    known = known_sizes(prefixes)
    for prefix, sizes in known.items():
        on_sizes(prefix, sizes)
    for prefix in prefixes:
        if is_cancelled():
            raise Cancelled
        if prefix in known:
            continue
        with contextlib.suppress(OSError):
            stamp = stamp_of(prefix)
            sizes = measure(prefix, is_cancelled)
            _remember(prefix, stamp, sizes)
            on_sizes(prefix, sizes)


def known_sizes(prefixes: Iterable[Path]) -> dict[Path, Sizes]:
    """Return what was counted before and still holds; reads one small file and looks at a few folders."""
    book = _read_book().entries
    now = time.time()
    found: dict[Path, Sizes] = {}
    for prefix in prefixes:
        entry = book.get(str(prefix))
        if entry and 0 <= now - entry.counted < _KEPT_SECONDS and entry.stamp == stamp_of(prefix):
            found[prefix] = entry.sizes
    return found


def stamp_of(prefix: Path) -> str:
    """Return when the folders that every package touches were last changed."""
    times = []
    for folder in telling_folders(prefix):
        try:
            times.append(folder.stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return "-".join(map(str, times))


@dataclass(frozen=True, slots=True)
class _Entry:
    stamp: str
    counted: float
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class _Book:
    entries: dict[str, _Entry] = field(default_factory=dict)
    schema: int = 1


_writing = threading.Lock()


def _file() -> Path:
    return paths.cache_dir() / "environment-sizes.json"


def _read_book() -> _Book:
    """Empty when it is missing, cut short, or of another version."""
    try:
        return from_json(_file().read_bytes(), _Book)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return _Book()


def _remember(prefix: Path, stamp: str, sizes: Sizes) -> None:
    with _writing, contextlib.suppress(OSError):  # a cache: without it everything is counted again
        entries = {path: entry for path, entry in _read_book().entries.items() if Path(path).exists()}
        entries[str(prefix)] = _Entry(stamp, time.time(), sizes)
        _file().parent.mkdir(parents=True, exist_ok=True)
        fresh = _file().with_suffix(f".{os.getpid()}.new")
        moving.write_whole(_file(), msgspec.json.encode(_Book(entries)), unfinished=fresh, sync=False)
