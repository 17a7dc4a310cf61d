"""Reads on which day a project was last changed: of a copy by git the day of its newest commit, of an unpacked archive
that of its newest file.

git itself is not asked: it may run what stands in a folder's `.git` (git's own page on its security boundary). The
forms are those of gitformat-pack; a commit that a pack holds as a difference is not known.
"""

from __future__ import annotations

import re
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import BinaryIO

from wizard.project.search.files import ProjectFolder

_FIRST = "2016-09-01"  # torch's first release; what is older says nothing of a project for it
_SHA = re.compile(r"[0-9a-f]{40}")
_REF = re.compile(r"ref: (refs/heads/[\w./+-]{1,200})")
_COMMITTED = re.compile(rb"^committer [^\n]*> ([0-9]{1,12}) [+-][0-9]{4}$", re.MULTILINE)
_WRITTEN = (".py", ".ipynb", ".toml", ".cfg", ".lock", ".sh")  # by people
_MOST_TEXT, _MOST_PACKS = 8_000_000, 50
_COMMIT = 1  # as a kind of object in a pack
_UNREADABLE = (OSError, ValueError, IndexError, zlib.error, struct.error, OverflowError)


def changed_on(folder: ProjectFolder, files: Iterable[str], is_whole: bool = True) -> str:
    """Return the day as "2022-03-14", by UTC; "" where it is not known or lies in the future. `files`: what was read;
    `is_whole`: what else the folder has counts, too, but for what programs write when they run."""
    try:
        others = (name for _, name, _ in folder.names() if name.endswith(_WRITTEN)) if is_whole else ()
        newest = max((folder.root.joinpath(name).lstat().st_mtime for name in {*files, *others}), default=0.0)
        git = folder.limit / ".git"
        seconds = _committed(git) if git.exists() and _is_as_committed(folder, git, newest) else newest
        day = datetime.fromtimestamp(seconds, timezone.utc).date().isoformat()
    except _UNREADABLE:
        return ""
    return day if _FIRST <= day <= datetime.now(timezone.utc).date().isoformat() else ""


def _is_as_committed(folder: ProjectFolder, git: Path, newest: float) -> bool:
    """Return whether git has the folder, and no file of it was written after git had looked at them."""
    index = git / "index"
    below = folder.root.resolve().relative_to(git.parent).as_posix()
    is_its = below == "." or f"{below}/".encode() in (index.read_bytes() if index.is_file() else b"")
    return is_its and (not index.is_file() or newest <= index.stat().st_mtime + 1)


def _committed(git: Path) -> float:
    """Raises ValueError where the commit cannot be read so."""
    sha = _head(git)
    for data in (_loose(git, sha), *_packed(git, sha)):
        if match := _COMMITTED.search(data):
            return float(match[1])
    raise ValueError(sha)


def _head(git: Path) -> str:
    words = _text(git / "HEAD").strip()
    if ref := _REF.fullmatch(words):
        lines = [line.split(" ") for line in _text(git / "packed-refs").splitlines()]
        packed = next((line[0] for line in lines if line[1:] == [ref[1]]), "")
        words = _text(git / ref[1]).strip() or packed
    if not _SHA.fullmatch(words):
        raise ValueError(words)
    return words


def _text(path: Path) -> str:
    """Return what a file holds, "" where there is none; a pipe would be waited for."""
    if not path.is_file() or path.stat().st_size > _MOST_TEXT:
        return ""
    return path.read_text(encoding="utf-8", errors="replace")


def _loose(git: Path, sha: str) -> bytes:
    path = git / "objects" / sha[:2] / sha[2:]
    return _unpacked(path.read_bytes()[:_MOST_TEXT]) if path.is_file() else b""


def _unpacked(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, _MOST_TEXT)


def _packed(git: Path, sha: str) -> Iterator[bytes]:
    packs = git / "objects" / "pack"
    for path in sorted(packs.glob("*.idx"))[:_MOST_PACKS] if packs.is_dir() else ():
        pack = path.with_suffix(".pack")
        if not (path.is_file() and pack.is_file()):
            continue
        with path.open("rb") as index:
            offset = _offset(index, bytes.fromhex(sha))
        if offset is not None:
            with pack.open("rb") as file:
                file.seek(offset)
                first = data = file.read(1)[0]
                while data & 0x80:  # the size goes on
                    data = file.read(1)[0]
                yield _unpacked(file.read(_MOST_TEXT)) if first >> 4 & 7 == _COMMIT else b""


def _offset(index: BinaryIO, sha: bytes) -> int | None:
    """Return where a pack holds an object, by its index of the second version."""
    if index.read(8) != b"\xfftOc\x00\x00\x00\x02":
        return None
    counts = struct.unpack(">256I", index.read(1024))
    first, last, count = counts[sha[0] - 1] if sha[0] else 0, counts[sha[0]], counts[255]
    if not first <= last <= count or last - first > _MOST_TEXT // 20:
        return None
    index.seek(1032 + 20 * first)
    names = index.read(20 * (last - first))
    found = [names[at : at + 20] for at in range(0, len(names), 20)]
    at = bisect_left(found, sha)
    if at == len(found) or found[at] != sha:
        return None
    index.seek(1032 + 24 * count + 4 * (first + at))
    offset: int = struct.unpack(">I", index.read(4))[0]
    return offset if offset < 1 << 31 else None  # of a pack beyond 2 GB
