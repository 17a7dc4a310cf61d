"""Reads on which day a project was last changed: of a copy by git the day of its newest commit, of an unpacked archive
that of its newest file. Also says of a clone where it is from.

git itself is not asked: it may run what stands in a folder's `.git` (git's own page on its security boundary). The
forms are those of gitformat-index and gitformat-pack; a commit that a pack holds as a difference is not known.
"""

from __future__ import annotations

import re
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from time import time
from typing import Any, BinaryIO

from wizard.project.search.files import ProjectFolder
from wizard.transfer.address import file_path

_FIRST = "2016-09-01"  # torch's first release; what is older says nothing of a project for it
_SHA = re.compile(r"[0-9a-f]{40}")
_REF = re.compile(r"ref: (refs/heads/(?!.*\.\.)[^\s\\:?*\[~^]{1,200})")
_ORIGIN = re.compile(r'^\[remote "origin"\]\s*\n(?:[ \t]+[^\n]*\n)*?[ \t]+url = "?([^"\n]+?)"?[ \t]*$', re.MULTILINE)
_COMMITTED = re.compile(rb"^committer [^\n]*> ([0-9]{1,12}) [+-][0-9]{4}$", re.MULTILINE)
_WRITTEN = (".py", ".ipynb", ".toml", ".cfg", ".lock", ".sh")  # by people
_MOST_BYTES, _MOST_PACKS = 8_000_000, 50
_COMMIT = 1  # as a kind of object in a pack
_SUBMODULE = 0o16  # as a kind of entry in the index: a folder, of which no length is kept
_UNREADABLE = (OSError, ValueError, IndexError, zlib.error, struct.error, OverflowError)


def changed_on(folder: ProjectFolder, files: Iterable[str], is_whole: bool = True) -> str:
    """Return the day as "2022-03-14", by UTC; "" where it is not known. `files`: what was read; `is_whole`: what else
    the folder has counts, too, but for what programs write when they run."""
    try:
        others = (name for _, name, _ in folder.names() if name.endswith(_WRITTEN)) if is_whole else ()
        times = [folder.root.joinpath(name).lstat().st_mtime for name in {*files, *others}]
        newest = max((one for one in times if one <= time()), default=0.0)
        git = folder.limit / ".git"
        seconds = _committed(git) if git.exists() and _is_as_git_has_it(folder, git) else newest
        day = datetime.fromtimestamp(seconds, timezone.utc).date().isoformat()
    except _UNREADABLE:
        return ""
    return day if _FIRST <= day <= datetime.now(timezone.utc).date().isoformat() else ""


def cloned_from(root: Path) -> tuple[str, str] | None:
    """Return the address that a clone came from, and the commit that it is at; None where its files do not say it."""
    try:
        found = _ORIGIN.search(_text(root / ".git" / "config"))
        return (found[1], _head(root / ".git")) if found else None
    except _UNREADABLE:
        return None


def noted_clone(url: str, sources: Path) -> dict[str, Any]:
    """Return what PEP 610 would say of a repository that pip has cloned below `sources` to install it from there: pip
    notes the folder alone, as a file:// `url`. {} for what lies elsewhere, or does not say where it is from."""
    folder = file_path(url) if url.startswith("file://") else sources
    inner = folder.relative_to(sources).parts if folder.is_relative_to(sources) else ()
    found = cloned_from(sources / inner[0]) if inner else None
    below = {"subdirectory": "/".join(inner[1:])} if inner[1:] else {}
    return {"url": found[0], "vcs_info": {"vcs": "git", "commit_id": found[1]}, **below} if found else {}


def _is_as_git_has_it(folder: ProjectFolder, git: Path) -> bool:
    """Return whether git has files of the folder, each as long and as old as when git looked at it last."""
    below = folder.root.resolve().relative_to(git.parent).as_posix()
    prefix = "" if below == "." else f"{below}/"
    is_there = False
    for name, size, seconds in _indexed(git / "index"):
        if name.startswith(prefix):
            found = (git.parent / name).lstat()
            is_there = True
            if (found.st_size & 0xFFFFFFFF, int(found.st_mtime) & 0xFFFFFFFF) != (size, seconds):
                return False
    return is_there


def _indexed(index: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the name, length and time of each file in git's index of version 2 or 3. Raises ValueError for another."""
    data = _bytes(index)
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3) or len(data) == _MOST_BYTES:
        raise ValueError(version)
    at = 12
    for _ in range(count):
        _, _, seconds, _, _, _, mode, _, _, size, _, flags = struct.unpack_from(">10I20sH", data, at)
        first = at + 62 + (2 if flags & 0x4000 else 0)
        end = data.index(b"\0", first)
        if mode >> 12 != _SUBMODULE:
            yield data[first:end].decode("utf-8", "surrogateescape"), size, seconds
        at += (end - at) // 8 * 8 + 8


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
    if not path.is_file():
        return ""
    return _bytes(path).decode("utf-8", "replace")


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def _loose(git: Path, sha: str) -> bytes:
    path = git / "objects" / sha[:2] / sha[2:]
    return _unpacked(_bytes(path)) if path.is_file() else b""


def _unpacked(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, _MOST_BYTES)


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
                head = file.read(10)
                first, length = head[0], next((at for at, one in enumerate(head, 1) if not one & 0x80), 0)
                file.seek(offset + length)  # behind the size, which goes on while the highest bit is set
                yield _unpacked(file.read(_MOST_BYTES)) if first >> 4 & 7 == _COMMIT else b""


def _offset(index: BinaryIO, sha: bytes) -> int | None:
    """Return where a pack holds an object, by its index of the second version."""
    if index.read(8) != b"\xfftOc\x00\x00\x00\x02":
        return None
    counts = struct.unpack(">256I", index.read(1024))
    first, last, count = counts[sha[0] - 1] if sha[0] else 0, counts[sha[0]], counts[255]
    if not first <= last <= count or last - first > _MOST_BYTES // 20:
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
