"""The store's folder: `<sha256>/` holds one unpacked wheel, its plain files under numbers and the rest as a thin wheel.

Numbers, because a wheel's own names are long (171 characters in torch) and Windows' paths are short. A folder with its
final name is whole. A file that was touched since it was unpacked (an environment shares it) is hashed against the
wheel's RECORD before it is believed; an entry with an altered file is taken out, and the wheel comes anew.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from filelock import BaseFileLock, FileLock

from wizard.install.wheel import read_wheel
from wizard.model.lock import LockedFile
from wizard.model.typed import from_json
from wizard.system import moving, paths
from wizard.system.disk import user_ids
from wizard.transfer.download.file_store import Downloads

MANIFEST = "entry.json"
BUILDING = ".building"
LOCKS = ".locks"
_SCHEMA = 1
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_READ = 1 << 20


class StoredFile(msgspec.Struct, frozen=True, array_like=True):
    """`path`: as the wheel names it; `number`: its name here; `size` in bytes; `changed`: mtime in ns when unpacked."""

    path: str
    number: int
    size: int
    changed: int


class _Manifest(msgspec.Struct, frozen=True):
    schema: int
    wheel: str  # the file's name
    files: tuple[StoredFile, ...]


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """`wheel`: the thin wheel, which tells all about the package but the content of `files`."""

    folder: Path
    wheel: Path
    files: tuple[StoredFile, ...]

    @property
    def sha256(self) -> str:
        return self.folder.name

    @property
    def size(self) -> int:
        """Return bytes of the files that environments share."""
        return sum(file.size for file in self.files)

    def path_of(self, file: StoredFile) -> str:
        return f"{self.folder}{os.sep}{file.number}"

    def with_paths(self) -> Iterator[tuple[StoredFile, str]]:
        folder = f"{self.folder}{os.sep}"
        return ((file, f"{folder}{file.number}") for file in self.files)


class PackageStore:
    """For its owner alone, unless `shared`: then everybody may read it, and still nobody else write.

    Where the usual place may only be read (an administrator's, for everybody), what it has is taken from there and
    what it lacks goes into a store of our own.
    """

    def __init__(self, root: Path | None = None, *, shared: bool = False) -> None:
        usual = root or paths.store_dir()
        # Not `Path.exists`: it raises where a folder above may not be entered.
        nearest = next((place for place in (usual, *usual.parents) if os.path.exists(place)), usual)  # noqa: PTH110
        is_ours = os.access(nearest, os.W_OK)
        self.root = usual if is_ours else paths.home() / "store"
        self._others = () if is_ours else (usual,)
        self._mode = 0o755 if shared else 0o700

    def create(self) -> None:
        """Make the folder where it is missing. Raises OSError."""
        self.root.parent.mkdir(parents=True, exist_ok=True)
        self.root.mkdir(self._mode, exist_ok=True)
        (self.root / BUILDING).mkdir(exist_ok=True)
        (self.root / LOCKS).mkdir(exist_ok=True)

    def folder_for(self, sha256: str) -> Path:
        """Return an entry's folder. Raises ValueError for what is no hash."""
        if not sha256.isalnum():
            raise ValueError(f"not a hash: {sha256!r}")
        return self.root / sha256.lower()

    def lock_for(self, sha256: str) -> BaseFileLock:
        """Return the lock that is held while an entry is put in or taken out."""
        self.create()
        return FileLock(self.root / LOCKS / f"{self.folder_for(sha256).name}.lock", thread_local=False)

    def find(self, file: LockedFile, *, deep: bool = False) -> StoreEntry | None:
        """Return the entry when it is whole, else None, and take out one that is not.

        `deep`: every file is hashed, not only those that were touched. Raises OSError.
        """
        entry = self.look(file, deep=deep)
        folder = self.folder_for(file.sha256) if file.sha256 else None
        if entry is None and folder is not None and folder.is_dir():
            with self.lock_for(file.sha256):
                entry = self.look(file, deep=deep)  # somebody may have put in a good one
                if entry is None:
                    self.remove(folder)
        return entry

    def look(self, file: LockedFile, *, deep: bool = False) -> StoreEntry | None:
        """Return the entry when it is whole; change nothing."""
        file = Downloads().resolved(file)
        if not file.sha256:
            return None
        folder = self.folder_for(file.sha256)
        for place in (folder, *(other / folder.name for other in self._others)):
            entry = read_entry(place)
            if entry is not None and _is_trusted(place) and not altered_files(entry, deep=deep):
                return entry
        return None

    def has(self, file: LockedFile) -> bool:
        """Tell whether there is an entry, without a look into it."""
        file = Downloads().resolved(file)
        if not file.sha256:
            return False
        name = self.folder_for(file.sha256).name
        return any((root / name / MANIFEST).is_file() for root in (self.root, *self._others))

    def wheel_of(self, file: LockedFile) -> Path | None:
        """Return the thin wheel of an entry, without a look at its files."""
        file = Downloads().resolved(file)
        if not file.sha256:
            return None
        name = self.folder_for(file.sha256).name
        found = (read_entry(root / name) for root in (self.root, *self._others))
        return next((entry.wheel for entry in found if entry), None)

    def entries(self) -> Iterator[StoreEntry]:
        """Yield every entry with a readable manifest, in the order of their names."""
        with contextlib.suppress(OSError):
            for folder in sorted(self.root.iterdir()):
                if not folder.name.startswith(".") and (entry := read_entry(folder)):
                    yield entry

    def inodes(self, place: Path) -> frozenset[int]:
        """Return the numbers of the files that the volume of `place` holds; none where the store lies on another
        one."""
        found: set[int] = set()
        with contextlib.suppress(OSError):
            if self.root.stat().st_dev == place.stat().st_dev:
                for entry in self.entries():
                    with os.scandir(entry.folder) as files:
                        found.update(file.inode() for file in files)
        return frozenset(found)

    def broken(self) -> tuple[Path, ...]:
        """Return entries whose manifest is lost: nobody can use or count them."""
        with contextlib.suppress(OSError):
            return tuple(path for path in self.root.iterdir() if is_hash(path.name) and read_entry(path) is None)
        return ()

    def remove(self, folder: Path) -> None:
        """Take an entry out in one step, then remove its files; environments keep theirs. Raises OSError."""
        self.create()
        gone = self.root / BUILDING / f"{folder.name}.gone"
        moving.remove_tree(gone)
        with contextlib.suppress(FileNotFoundError):
            moving.rename(folder, gone)
        moving.remove_tree(gone)


def is_hash(name: str) -> bool:
    return len(name) == 64 and set(name) <= set("0123456789abcdef")


def read_entry(folder: Path) -> StoreEntry | None:
    """Return an entry; None for what is missing, unreadable, or of another version."""
    try:
        manifest = from_json((folder / MANIFEST).read_bytes(), _Manifest)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
    if manifest.schema != _SCHEMA or Path(manifest.wheel).name != manifest.wheel:
        return None
    return StoreEntry(folder, folder / manifest.wheel, manifest.files)


def write_manifest(folder: Path, wheel: str, files: tuple[StoredFile, ...]) -> None:
    """Write what makes an entry of a folder, down to the disk. Raises OSError."""
    with (folder / MANIFEST).open("wb") as out:
        out.write(msgspec.json.encode(_Manifest(_SCHEMA, wheel, files)))
        out.flush()
        os.fsync(out.fileno())


def altered_files(entry: StoreEntry, *, deep: bool = False) -> tuple[StoredFile, ...]:
    """Return files that are missing, of another size, or (touched since they were unpacked, or `deep`) of another
    content."""
    wrong: list[StoredFile] = []
    doubted: list[StoredFile] = []
    for file, path in entry.with_paths():
        try:
            found = os.lstat(path)
        except OSError:
            wrong.append(file)
            continue
        if found.st_size != file.size or not stat.S_ISREG(found.st_mode):
            wrong.append(file)
        elif deep or found.st_mtime_ns != file.changed:
            doubted.append(file)
    if not entry.wheel.is_file():
        return entry.files
    digests = {line.path: line.digest for line in read_wheel(entry.wheel).record} if doubted else {}
    return (*wrong, *(file for file in doubted if digest_of(entry.path_of(file)) != digests.get(file.path)))


def digest_of(path: str) -> str | None:
    """Return the SHA-256 as a RECORD writes it; None for what cannot be read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb", 0) as stream:  # noqa: PTH123 (tens of thousands of files)
            while block := stream.read(_READ):
                digest.update(block)
    except OSError:
        return None
    return "sha256=" + base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()


def _is_trusted(folder: Path) -> bool:
    """Nobody but us and the administrator could have put anything in."""
    ours = user_ids()
    found = folder.stat()
    return ours is None or (found.st_uid in (ours[0], 0) and not found.st_mode & _OTHERS_WRITE)
