"""A change to the user's own files, as data: what was written, where, and which keys in it are ours.

A `Write` is what somebody wants; a `Change` is what the journal holds about what was done. The bytes from
before lie beside the record, because they may hold passwords and belong in no value that is printed.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from wizard.model.messages import Message

Value = str | tuple[str, ...] | None  # None: the key is not there


@dataclass(frozen=True, slots=True)
class OurKey:
    """A key that we wrote, in the words of `settings.model.Edit`: what it said before and what we made of it."""

    key: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class Write:
    """`base` are the bytes that `content` was made from (None: no file); another base on the disk is an error.

    `content` None: the file is taken away.
    """

    path: Path
    content: bytes | None
    base: bytes | None
    tool: str = ""
    ours: tuple[OurKey, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """`path` as the user knows it; `target` is the file behind a link. `before_sha256` None: there was no file;
    `after_sha256` None: there is none any more.

    `made` are the folders that had to be made for it, outermost first.
    """

    path: str
    target: str
    tool: str
    ours: tuple[OurKey, ...]
    before_sha256: str | None
    after_sha256: str | None
    mode: int | None
    made: tuple[str, ...] = ()


class ChangeState(str, enum.Enum):
    PREPARED = "prepared"  # the record is on the disk, the files may or may not be written
    WRITTEN = "written"
    UNDOING = "undoing"
    UNDONE = "undone"
    DROPPED = "dropped"  # it was cut off, and nothing of it is left


@dataclass(frozen=True, slots=True)
class Change:
    """`time` is seconds since 1970."""

    id: str
    time: float
    reason: Message
    files: tuple[FileChange, ...]
    state: ChangeState


class How(str, enum.Enum):
    """What undoing did to one file."""

    RESTORED = "restored"  # the exact bytes from before
    REMOVED = "removed"  # there was no file before, and there is none now
    TAKEN_OUT = "taken-out"  # edited since: only our keys went
    LEFT = "left"  # nothing of ours could be found in it, or it is gone


@dataclass(frozen=True, slots=True)
class UndoneFile:
    """`left` are our keys that were not touched, because somebody changed them since."""

    path: str
    how: How
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    change: Change
    files: tuple[UndoneFile, ...]


@dataclass(frozen=True, slots=True)
class TakenOut:
    """What is left of a file without our keys. `content` None: it cannot be read any more, so it was let be."""

    content: bytes | None
    left: tuple[str, ...] = ()
