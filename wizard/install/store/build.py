"""Puts the wheels of one run into the store: unpacked as their bytes come, whole when their hash was right.

A folder of the run's own holds what is under way; it is renamed into the store in one step. What a killed run left
there goes with the next run.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from filelock import FileLock, Timeout

from wizard.install.store.folder import BUILDING, PackageStore, StoredFile, StoreEntry, read_entry, write_manifest
from wizard.install.store.stream import Unpacked, WheelStream
from wizard.install.store.unpack import unpack, write_thin
from wizard.install.wheel import (
    INSTALL_BAD_WHEEL,
    INSTALL_PERMISSION,
    INSTALL_WHEEL_GONE,
    Wheel,
    plain_members,
    read_wheel,
)
from wizard.model.errors import Cancelled, WizardError
from wizard.model.lock import LockedFile
from wizard.process import without_memory
from wizard.process.running import says_full
from wizard.system import moving

OnEntry = Callable[[LockedFile, StoreEntry], None]
_WRITERS = 3  # write blocks while the next ones are inflated
_BUILDERS = 3  # make entries of whole wheels
_EXECUTABLE = 0o111
_UNPACKED_LATER = 1_000_000  # numbers from here on: not from the stream


class StoreBuilder:
    """Made for one run. `feed` is the fetcher's tap: in order for each file, from one thread at a time for each.

    `on_entry` is called from threads, once per accepted file, when its entry is in the store.
    """

    def __init__(self, store: PackageStore, run: str, on_entry: OnEntry = lambda file, entry: None) -> None:
        """Raises OSError. What runs that were killed left behind is removed."""
        self._store, self._on_entry = store, on_entry
        store.create()
        root = store.root / BUILDING
        self._folder = root / run
        self._lock = FileLock(root / f"{run}.lock", thread_local=False, is_singleton=False)
        self._lock.acquire(timeout=0)
        remove_left_behind(store)
        moving.remove_tree(self._folder)
        self._folder.mkdir()
        self._streams: dict[str, WheelStream] = {}
        self.hashes: dict[str, str] = {}  # of what was accepted, by file name
        self._closed = False
        self._writers = ThreadPoolExecutor(_WRITERS, "store-write")
        self._builders = ThreadPoolExecutor(_BUILDERS, "store-build")
        self._under_way: list[Future[None]] = []

    def feed(self, file: LockedFile, start: int, data: memoryview) -> None:
        """Take the next bytes of it; from byte 0 it begins anew. Never raises: it may only help."""
        stream = self._streams.get(file.filename)
        if start == 0 and not self._closed:
            if stream:
                stream.drop()
            stream = self._streams[file.filename] = WheelStream(self._folder / file.key, self._writers)
        if stream:
            stream.feed(start, data)

    def accept(self, file: LockedFile, wheel: Path) -> None:
        """Begin to make the entry: the hash of all of it was right, and that is where it lies now."""
        self.hashes[file.filename] = file.sha256
        stream = self._streams.pop(file.filename, None) or WheelStream(self._folder / file.key, self._writers)
        self._under_way.append(self._builders.submit(self._build, file, wheel, stream))

    def wait(self, seconds: float) -> bool:
        """Tell whether all that was accepted is in the store. Raises WizardError `install-…`, Cancelled."""
        while self._under_way:
            try:
                self._under_way[0].result(timeout=seconds)
            except TimeoutError:
                return False
            self._under_way.pop(0)
        return True

    def close(self) -> None:
        """Stop, and remove what was not finished. May come twice, and while a last block is being fed."""
        self._closed = True
        self._builders.shutdown(cancel_futures=True)
        for stream in tuple(self._streams.values()):  # a last block may begin one at this moment
            stream.drop()
        self._streams.clear()
        self._writers.shutdown()
        moving.remove_tree(self._folder)
        self._lock.release()
        _remove_lock(self._lock)

    def _build(self, file: LockedFile, wheel: Path, stream: WheelStream) -> None:
        try:
            with self._store.lock_for(file.sha256):
                entry = self._store.look(file) or self._put_in(file, wheel, stream)
        except (OSError, zipfile.BadZipFile, WizardError) as error:
            if not wheel.exists():
                raise WizardError(
                    INSTALL_WHEEL_GONE, details=repr(error), file=wheel.name, folder=str(wheel.parent)
                ) from error
            raise error if isinstance(error, WizardError) else as_wizard_error(error, self._store.root) from error
        self._on_entry(file, entry)

    def _put_in(self, file: LockedFile, wheel: Path, stream: WheelStream) -> StoreEntry:
        folder, found = stream.folder, stream.found
        folder.mkdir(mode=0o755, exist_ok=True)
        about = read_wheel(wheel)
        members = plain_members(about)
        files = tuple(
            self._file(about, info, found.get(name), folder, _UNPACKED_LATER + count)
            for count, (name, info) in enumerate(members.items())
        )
        _write_thin(about, members, folder / wheel.name)
        _remove_others(folder, {str(each.number) for each in files} | {wheel.name})
        write_manifest(folder, wheel.name, files)
        target = self._store.folder_for(file.sha256)
        self._store.remove(target)  # one that was altered
        moving.rename(folder, target)
        entry = read_entry(target)
        assert entry is not None
        return entry

    def _file(
        self, wheel: Wheel, info: zipfile.ZipInfo, unpacked: Unpacked | None, folder: Path, number: int
    ) -> StoredFile:
        if self._closed:
            raise Cancelled
        if unpacked and (unpacked.size, unpacked.crc) == (info.file_size, info.CRC) and _is_written(unpacked):
            number = unpacked.number
        else:
            unpack(wheel.path, info, folder / str(number), lambda: self._closed)
        path = f"{folder}{os.sep}{number}"
        status = os.stat(path)  # noqa: PTH116 (tens of thousands of files)
        if (info.external_attr >> 16) & _EXECUTABLE:
            os.chmod(path, status.st_mode | _EXECUTABLE)  # noqa: PTH101
        return StoredFile(info.filename, number, status.st_size, status.st_mtime_ns)


def _is_written(unpacked: Unpacked) -> bool:
    try:
        unpacked.written.result()
    except OSError:  # a full disk, perhaps: unpacked again, and then it is told
        return False
    return True


def _write_thin(wheel: Wheel, left_out: Mapping[str, zipfile.ZipInfo], target: Path) -> None:
    try:
        write_thin(wheel, left_out, target)
    except (struct.error, ValueError) as error:
        raise zipfile.BadZipFile(f"{wheel.path.name}: {error}") from error


def _remove_others(folder: Path, wanted: set[str]) -> None:
    """What the stream had unpacked and the directory at the wheel's end does not name."""
    with os.scandir(folder) as entries:
        others = [entry.path for entry in entries if entry.name not in wanted]
    for path in others:
        moving.unlink(path)


def as_wizard_error(error: Exception, folder: Path) -> WizardError:
    """Return the error for what unpacking, linking or writing could not do."""
    if lack := without_memory(error):
        return lack
    details = repr(error)
    if isinstance(error, zipfile.BadZipFile):
        return WizardError(INSTALL_BAD_WHEEL, details=details, file=str(error))
    if isinstance(error, PermissionError):
        return WizardError(INSTALL_PERMISSION, details=details, folder=str(folder))
    is_full = isinstance(error, OSError) and says_full(str(error))
    return WizardError("install-no-space" if is_full else "install-failed", details=details, folder=str(folder))


def remove_left_behind(store: PackageStore) -> None:
    """Remove what killed runs had unpacked: the folders whose lock nobody holds."""
    root = store.root / BUILDING
    for folder in [path for path in root.glob("*") if path.is_dir()]:
        lock = FileLock(root / f"{folder.name}.lock", thread_local=False, is_singleton=False)
        with contextlib.suppress(Timeout, OSError), lock.acquire(timeout=0):
            moving.remove_tree(folder)
        _remove_lock(lock)


def _remove_lock(lock: FileLock) -> None:
    """A run's name never comes again, so nobody can wait for it; Windows keeps the file of a lock that is held."""
    folder = Path(lock.lock_file).with_suffix("")
    if not folder.exists():
        with contextlib.suppress(OSError):
            moving.unlink(Path(lock.lock_file))
