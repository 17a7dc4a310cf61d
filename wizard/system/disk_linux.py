"""The disk as Linux has it: owners, folders held open, blocks past the page cache, blocks that are shared."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wizard.system.facts import DiskSpace

assert sys.platform != "win32"  # for the type checker: nothing below is looked at there

_T = TypeVar("_T")
BINARY = 0
_FICLONE = 0x40049409  # linux/fs.h: share all blocks of another file


def insist(action: Callable[[], _T]) -> _T:
    """Do what a system may refuse while somebody else has the file open, and try again for a moment. Raises OSError."""
    return action()  # nobody's open file stops anything here


def sync_folder(folder: Path) -> None:
    """The name of a new file is on the disk, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_data(descriptor: int) -> None:
    """What was written is on the disk; its times may come later."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)


def take_owner(path: Path, old: os.stat_result, new: os.stat_result) -> None:
    """`path`, whose status is `new`, becomes the property of who owned `old`. Raises PermissionError."""
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.chown(path, old.st_uid, old.st_gid)


def user_ids() -> tuple[int, int] | None:
    """Of the user and the group, as they count; None where the system numbers nobody."""
    return os.geteuid(), os.getegid()


def user_name(number: int) -> str:
    """The number itself for a user without a name, as in a container."""
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def room_of(folder: Path) -> DiskSpace | None:
    """None where the drive itself has to be asked (`environment.disk`)."""
    room = os.statvfs(folder)
    files_left = room.f_favail if room.f_files else None  # btrfs and network disks count none
    return DiskSpace(room.f_bavail * room.f_frsize, files_left)


def open_folder(path: str, name: str, above: int) -> int:
    """A descriptor; never through a link, even one that was put there a moment ago. `above`: the open folder that holds
    it, or -1. -1 where folders cannot be opened."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    return os.open(path, flags) if above < 0 else os.open(name, flags, dir_fd=above)


def is_true_folder_entry(entry: os.DirEntry[str]) -> bool:
    """No link. Costs no system call."""
    return entry.is_dir(follow_symlinks=False)


def entry_status(entry: os.DirEntry[str]) -> os.stat_result:
    """With the number of its names."""
    return entry.stat(follow_symlinks=False)


def open_own(path: Path, flags: int) -> int:
    """To read or write a file of the program's own, for the owner alone; never through a link that somebody has put
    there, and never waiting at a FIFO. Raises OSError, also for what is no regular file.
    """
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return descriptor


def append_whole(path: Path, data: bytes) -> None:
    """Write at the end as one piece, beside other programs that do. Raises OSError."""
    descriptor = open_own(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def change_stamp(path: Path) -> str | None:
    """What changes with every write, whoever writes: the time of the last change is the kernel's. Raises OSError."""
    found = path.stat()
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def open_quietly(path: Path) -> int:
    """To be read, without a trace in its time of last reading where that is allowed; never waits. Raises OSError."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        return os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:  # somebody else's
        return os.open(path, flags)


def share_blocks(reader: int, writer: int) -> bool:
    """False: another volume, or a file system that cannot."""
    import fcntl

    try:
        fcntl.ioctl(writer, _FICLONE, reader)
    except OSError:
        return False
    return True


def move_blocks(reader: int, writer: int, most: int) -> int | None:
    """How many bytes the system has copied by itself; None where it does not. Raises nothing."""
    with contextlib.suppress(OSError, AttributeError):
        return os.copy_file_range(reader, writer, most)
    return None


class Positioned:
    """An open file that several threads read and write at places of their own.

    `is_direct`: past the page cache, so blocks, places and lengths are multiples of a page. Raises OSError.
    """

    def __init__(self, path: Path, flags: int) -> None:
        self.is_direct = False
        if hasattr(os, "O_DIRECT"):
            try:
                self.descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_DIRECT, 0o666)
                self.is_direct = True
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
        if not self.is_direct:
            self.descriptor = os.open(path, flags | os.O_CLOEXEC, 0o666)

    def leave_direct(self) -> None:
        """Some file systems take the flag when opening and refuse the write."""
        if hasattr(os, "O_DIRECT"):
            import fcntl

            now = fcntl.fcntl(self.descriptor, fcntl.F_GETFL)
            fcntl.fcntl(self.descriptor, fcntl.F_SETFL, now & ~os.O_DIRECT)
        self.is_direct = False

    def write(self, data: memoryview, offset: int) -> int:
        return os.pwrite(self.descriptor, data, offset)

    def read(self, block: memoryview, offset: int) -> int:
        return os.preadv(self.descriptor, [block], offset)

    def close(self) -> None:
        """Harmless when it is called again."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
