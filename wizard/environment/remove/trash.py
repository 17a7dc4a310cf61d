"""Taking a whole folder away so that it may be interrupted at any line: noted, renamed, then removed at leisure.

The note (`deletions/<id>.json` in our own data) says what is to go; a mark with the same id is put into the folder;
then the folder is renamed beside itself: from that instant no environment is there any more, and never half of one.
Only a folder with our trash name, our mark and a note of ours is ever removed later. What was noted and not yet
renamed is a whole environment still: its note is dropped. Nothing here decides what may be deleted.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from wizard.environment.conda.records import unregister
from wizard.environment.remove.erase import OnErased, erase
from wizard.model.typed import from_json
from wizard.system import moving, paths
from wizard.system.links import is_link, long_path
from wizard.system.moving import DISK_FULL

TRASH = ".torch-setup-trash-"
DELETING = ".torch-setup-deleting.json"
_FIRST_TO_GO = ("conda-meta", "bin", "Scripts")  # small, and no environment without them


@dataclass(frozen=True, slots=True)
class Deletion:
    """`existed`: the folder itself was there before the environment and is left, empty. `parents`: folders above that
    go too when nothing else is in them, the innermost first. `files`, `size`: what was counted, for the progress.
    `kind`: whose it was, as the list names it; '' when nobody said."""

    id: str
    prefix: str
    existed: bool = False
    parents: tuple[str, ...] = ()
    files: int = 0
    size: int = 0
    kind: str = ""
    schema: int = 1

    @property
    def trash(self) -> Path:
        return Path(self.prefix).with_name(TRASH + self.id)

    @property
    def note(self) -> Path:
        return deletions_dir() / f"{self.id}.json"


@dataclass(frozen=True, slots=True)
class _DeletionMark:
    id: str
    schema: int = 1


def deletions_dir() -> Path:
    return paths.home() / "deletions"


def new_deletion(
    prefix: Path,
    *,
    existed: bool = False,
    parents: tuple[str, ...] = (),
    files: int = 0,
    size: int = 0,
    kind: str = "",
) -> Deletion:
    """Return the record of a deletion that begins, under a new id."""
    return Deletion(secrets.token_hex(4), str(prefix), existed, parents, files, size, kind)


def pending() -> tuple[Deletion, ...]:
    """Return what was noted and not finished, the oldest first; a note that cannot be read is left out."""
    found: list[tuple[float, Deletion]] = []
    for note in deletions_dir().glob("*.json"):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            deletion = from_json(note.read_bytes(), Deletion)
            if deletion.note == note and Path(deletion.prefix).is_absolute():
                found.append((note.stat().st_mtime, deletion))
    return tuple(deletion for _, deletion in sorted(found, key=lambda pair: pair[0]))


def sweep() -> None:
    """Remove what a kill left of a note that was not written yet, or no more."""
    for place in deletions_dir().glob("*.lock"):
        with contextlib.suppress(OSError, Timeout):
            lock = FileLock(place, timeout=0)
            with lock:  # who is about to write a note holds it
                if place.with_suffix(".json").exists():
                    continue
                moving.unlink(place.with_suffix(".json.new"), missing_ok=True)
            moving.unlink(place, missing_ok=True)


@contextlib.contextmanager
def held(deletion: Deletion) -> Iterator[bool]:
    """Hold a deletion; False when another process is at it. It ends with the process, however that ends."""
    place = deletion.note.with_suffix(".lock")
    lock = FileLock(place, timeout=0)
    try:
        deletions_dir().mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        yield False
        return
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
    try:
        yield True
    finally:
        lock.release()
        if not deletion.note.exists():  # who takes the lock from now on finds no note, and does nothing
            with contextlib.suppress(OSError):
                moving.unlink(place, missing_ok=True)


def put_away(deletion: Deletion) -> None:
    """Rename the prefix away: after this it is gone, and `clear` now or at the next start does the rest.

    Raises OSError; then nothing has changed.
    """
    prefix = Path(deletion.prefix)
    try:
        _note(deletion, prefix)
    except OSError as error:
        if error.errno not in DISK_FULL:
            forget(deletion, prefix)
            raise
        _put_away_on_a_full_disk(deletion)
        return
    try:
        moving.rename(prefix, deletion.trash)
    except OSError:
        forget(deletion, prefix)
        raise


def _put_away_on_a_full_disk(deletion: Deletion) -> None:
    """Deleting is what helps a full disk: a little goes first, then there is room for the note."""
    moving.rename(Path(deletion.prefix), deletion.trash)
    for name in _FIRST_TO_GO:
        if (long_path(deletion.trash) / name).is_dir() and not is_link(deletion.trash / name):
            with contextlib.suppress(OSError):
                erase(deletion.trash / name)
            break
    try:
        _note(deletion, deletion.trash)
    except OSError:  # it is removed now all the same, unless we are killed
        forget(deletion, deletion.trash)


def _note(deletion: Deletion, folder: Path) -> None:
    deletions_dir().mkdir(parents=True, exist_ok=True)
    moving.write_whole(deletion.note, msgspec.json.encode(deletion))
    mark = msgspec.json.encode(_DeletionMark(deletion.id))
    try:
        moving.write_whole(folder / DELETING, mark)
    except PermissionError:
        folder.chmod(folder.stat().st_mode | 0o700)
        moving.write_whole(folder / DELETING, mark)


def clear(
    deletion: Deletion,
    on_erased: OnErased = lambda files: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Remove what was put away, or drop the note when that never came to pass. Raises OSError, Cancelled."""
    prefix, trash = Path(deletion.prefix), deletion.trash
    is_there = os.path.lexists(long_path(trash))
    if not is_there and os.path.lexists(prefix):
        forget(deletion, prefix)
        return
    if not os.path.lexists(prefix):  # else there is a new one of that name already
        with contextlib.suppress(OSError, RuntimeError):  # a stale line in conda's list harms nobody
            unregister(prefix)
        if deletion.existed:
            prefix.mkdir()
    if is_there:
        _erase_trash(deletion, on_erased, is_cancelled)
    for parent in deletion.parents:
        with contextlib.suppress(OSError):  # no longer empty: somebody uses it
            Path(parent).rmdir()
    moving.unlink(deletion.note, missing_ok=True)


def _erase_trash(deletion: Deletion, on_erased: OnErased, is_cancelled: Callable[[], bool]) -> None:
    """The mark goes last. Without a note (a full disk) it is we who have just renamed it."""
    trash = deletion.trash
    if not is_link(trash) and (not deletion.note.exists() or _marked(trash, deletion.id)):
        erase(trash, on_erased, is_cancelled, keep=(DELETING,))
        moving.unlink(trash / DELETING, missing_ok=True)
    with contextlib.suppress(OSError):  # not empty: the mark was missing, so it is somebody else's
        long_path(trash).rmdir()


def forget(deletion: Deletion, folder: Path) -> None:
    """Drop the note: the environment is still whole, and nothing of ours stays in it."""
    with contextlib.suppress(OSError):
        if not is_link(folder) and _marked(folder, deletion.id):
            moving.unlink(folder / DELETING)
    for rest in (folder / f"{DELETING}.new", deletion.note.with_suffix(".json.new")):
        with contextlib.suppress(OSError):
            moving.unlink(rest, missing_ok=True)
    with contextlib.suppress(OSError):
        moving.unlink(deletion.note, missing_ok=True)


def _marked(folder: Path, deletion_id: str) -> bool:
    try:
        return from_json((long_path(folder) / DELETING).read_bytes(), _DeletionMark).id == deletion_id
    except (OSError, msgspec.MsgspecError):
        return False
