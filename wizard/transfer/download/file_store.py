"""The folder of fetched files: `<sha[:2]>/<sha>/<filename>`, so a name can never stand for other bytes.

A file counts when it has its final name and the right hash. The folder may be shared with people whom one need not
believe, so nothing in it says what was hashed: that is noted in our own folder, with the time of the last change,
which the kernel keeps. Where no such time is (Windows), each process hashes once. One lock per file for several runs.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import replace
from pathlib import Path

from filelock import BaseFileLock, FileLock

from wizard.model.lock import LockedFile
from wizard.system import moving, paths
from wizard.system.disk import change_stamp, open_own, sync_folder, user_ids

_READ = 1 << 20
_hashed_here: dict[Path, str] = {}  # by this process


class Downloads:
    def __init__(self, root: Path | None = None) -> None:
        self.root = root or paths.downloads_dir()

    def path_for(self, file: LockedFile) -> Path:
        """Where the whole file lies, or will."""
        return self._place(self.resolved(file))

    def _place(self, file: LockedFile) -> Path:
        name = Path(file.filename).name
        if name != file.filename or not file.key.isalnum():
            raise ValueError(f"not a plain file name: {file.filename!r}")
        return self.root / file.key[:2] / file.key / name

    def part_for(self, file: LockedFile) -> Path:
        return self._place(file).with_name(file.filename + ".part")

    def state_for(self, file: LockedFile) -> Path:
        return self._place(file).with_name(file.filename + ".part.json")

    def _mark_for(self, file: LockedFile) -> Path:
        return self._note_for(self.path_for(file))

    def _note_for(self, path: Path) -> Path:
        return paths.home() / "verified" / hashlib.sha256(os.fsencode(path.absolute())).hexdigest()

    def lock_for(self, file: LockedFile) -> BaseFileLock:
        folder = self.root / ".locks"
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / f"{file.key}.lock", thread_local=False)

    def find(self, file: LockedFile) -> Path | None:
        """The verified file, or None. Hashes it again only if it was changed since it was verified."""
        file = self.resolved(file)
        if not file.sha256:
            return None
        path = self.path_for(file)
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        if file.size is not None and found.st_size != file.size:
            return None
        known = self._stamp(path)
        if known in (_hashed_here.get(path), self._read_mark(file)):
            return path
        if hash_file(path) != file.sha256.lower() or self._stamp(path) != known:
            return None
        self._write_mark(file, known)
        return path

    def accept(self, file: LockedFile, digest: str) -> Path:
        """The part has been written and flushed; `digest` is the promised one, or no promise was made: it gets its
        name, and its place by its hash. That hash is noted first: killed in between, nothing is fetched again."""
        known = replace(file, sha256=digest)
        path = self._place(known)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not file.sha256:
            with contextlib.suppress(OSError):
                self._write_note(self._computed_for(file), digest)
        moving.replace(self.part_for(file), path)
        with contextlib.suppress(OSError):
            sync_folder(path.parent)  # the rename itself reaches the disk
        self._write_mark(known, self._stamp(path))
        return path

    def remove(self, file: LockedFile) -> None:
        """Nobody needs the file any more. A file that somebody has open stays (Windows)."""
        path = self.path_for(file)
        with contextlib.suppress(OSError):
            moving.unlink(path, missing_ok=True)
            moving.unlink(self._mark_for(file), missing_ok=True)
            path.parent.rmdir()
            path.parent.parent.rmdir()

    def _computed_for(self, file: LockedFile) -> Path:
        """Says what the hash of a file was for which none is promised."""
        return self._note_for(self._place(file).with_name(file.filename + ".computed"))

    def resolved(self, file: LockedFile) -> LockedFile:
        """With the hash that was computed when it came, where none was promised."""
        if file.sha256:
            return file
        text = self._read_note(self._computed_for(file)) or ""
        return replace(file, sha256=text) if text.isalnum() else file

    def _read_mark(self, file: LockedFile) -> str | None:
        return self._read_note(self._mark_for(file))

    def _read_note(self, note: Path) -> str | None:
        """None also for one that somebody else has written, or may write: a home can be shared, too."""
        try:
            status, ids = note.stat(), user_ids()
            if ids and (status.st_uid != ids[0] or status.st_mode & 0o022):
                return None
            return note.read_text(encoding="ascii")
        except (OSError, ValueError):
            return None

    def _write_mark(self, file: LockedFile, stamp: str) -> None:
        path = self.path_for(file)
        _hashed_here[path] = stamp
        with contextlib.suppress(OSError):  # a home that may only be read: then each process hashes
            if change_stamp(path) == stamp:
                self._write_note(self._mark_for(file), stamp)

    def _write_note(self, note: Path, text: str) -> None:
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(open_own(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="ascii") as stream:
            stream.write(text)

    @staticmethod
    def _stamp(path: Path) -> str:
        """Of this moment: good for this process where the kernel keeps no time that can be believed for longer."""
        found = path.stat()
        return change_stamp(path) or f"{found.st_size} {found.st_mtime_ns}"


def hash_file(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal digits. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_READ):
            digest.update(block)
    return digest.hexdigest()
