"""The folder of fetched files: `<sha[:2]>/<sha>/<filename>`, so a name can never stand for other bytes.

A file counts when it has its final name and a mark of the size and time at which its hash was right; one
that was touched since is hashed again before it is believed. Two runs share the folder by one lock per file.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from filelock import BaseFileLock, FileLock

from wizard import paths
from wizard.packages.model import LockedFile
from wizard.system.disk import sync_folder

_READ = 1 << 20


class Downloads:
    def __init__(self, root: Path | None = None) -> None:
        self.root = root or paths.downloads_dir()

    def path_for(self, file: LockedFile) -> Path:
        name = Path(file.filename).name
        if name != file.filename or not file.sha256.isalnum():
            raise ValueError(f"not a plain file name: {file.filename!r}")
        sha = file.sha256.lower()
        return self.root / sha[:2] / sha / name

    def part_for(self, file: LockedFile) -> Path:
        return self.path_for(file).with_name(file.filename + ".part")

    def state_for(self, file: LockedFile) -> Path:
        return self.path_for(file).with_name(file.filename + ".part.json")

    def _mark_for(self, file: LockedFile) -> Path:
        return self.path_for(file).with_name(file.filename + ".verified")

    def lock_for(self, file: LockedFile) -> BaseFileLock:
        folder = self.root / ".locks"
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / f"{file.sha256.lower()}.lock", thread_local=False)

    def find(self, file: LockedFile) -> Path | None:
        """The verified file, or None. Hashes it again only if it was touched since it was verified."""
        path = self.path_for(file)
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        if file.size is not None and found.st_size != file.size:
            return None
        if self._read_mark(file) == _stamp(path):
            return path
        if hash_file(path) != file.sha256.lower():
            return None
        self._write_mark(file)
        return path

    def accept(self, file: LockedFile) -> Path:
        """The part has been written, flushed and its hash is right: give it its name."""
        path = self.path_for(file)
        self.part_for(file).replace(path)
        with contextlib.suppress(OSError):
            sync_folder(path.parent)  # the rename itself reaches the disk
        self._write_mark(file)
        return path

    def _read_mark(self, file: LockedFile) -> str | None:
        try:
            return self._mark_for(file).read_text(encoding="ascii")
        except (OSError, ValueError):
            return None

    def _write_mark(self, file: LockedFile) -> None:
        # A folder that may only be read (a share) works too: then it is hashed each time.
        with contextlib.suppress(OSError):
            self._mark_for(file).write_text(_stamp(self.path_for(file)), encoding="ascii")


def _stamp(path: Path) -> str:
    found = path.stat()
    return f"{found.st_size} {found.st_mtime_ns}"


def hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_READ):
            digest.update(block)
    return digest.hexdigest()
