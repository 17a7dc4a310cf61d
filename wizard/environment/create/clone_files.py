"""The files of a copied environment: copied, their old path rewritten, their records made true again.

The old folder's path in a copied file becomes the new one's: in text, in conda's binaries, in programs' first lines.

Pure functions over bytes. conda writes the prefix into binaries over a placeholder and fills up with zeros, so there is
room again for another prefix; other binaries have none, and then it is said that they still name the old folder.

One file: copying, rewriting and the records are one pass over each file.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import mmap
import os
import posixpath
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from wizard.environment.conda.records import read_records
from wizard.model.errors import Cancelled
from wizard.system.disk import move_blocks, share_blocks
from wizard.system.links import extended, long_path
from wizard.system.traits import this

# The records of a copied environment say what its files are now: sizes and digests of those that were rewritten.
#
# A wheel's RECORD and conda's `conda-meta` name each file with its SHA-256; without this, a check of the copy would
# call its own programs damaged. They also name what stands in a file for the prefix.


class RewrittenFile(Protocol):
    """SHA-256 in hex, before and after; the new size."""

    @property
    def before(self) -> str: ...
    @property
    def after(self) -> str: ...
    @property
    def size(self) -> int: ...


def mend_wheel_records(prefix: Path, sites: Iterable[str], changed: Mapping[str, RewrittenFile]) -> None:
    """Write the new digests into each RECORD. `changed`: by path relative to the prefix, with "/"."""
    for site in sites:
        for record in (long_path(prefix) / site).glob("*.dist-info/RECORD"):
            before = record.read_text(encoding="utf-8", errors="surrogateescape")
            after = mended_record(before, site, changed)
            if after != before:
                record.write_text(after, encoding="utf-8", errors="surrogateescape", newline="\n")


def mended_record(text: str, site: str, changed: Mapping[str, RewrittenFile]) -> str:
    """Give the text of a RECORD with the new digests; the same text where nothing of it was changed. Only the lines
    of changed files are read: torch's has 15,000."""
    for path, new in changed.items():
        if path.rpartition("/")[2].replace('"', '""') not in text:
            continue
        row = io.StringIO()
        csv.writer(row, lineterminator="").writerow([posixpath.relpath(path, site)])
        name = r"[/\\]".join(map(re.escape, row.getvalue().split("/")))
        digest = base64.urlsafe_b64encode(bytes.fromhex(new.after)).rstrip(b"=").decode()
        text = re.sub(rf"(?m)^({name},sha256=)[^,\r\n]*,\d*", rf"\g<1>{digest},{new.size}", text)
    return text


def mend_conda_records(prefix: Path, changed: Mapping[str, RewrittenFile]) -> None:
    """Put the new hashes of rewritten files into the copy's conda records, so that conda finds them unchanged."""
    digests = {one.before: one.after for one in changed.values()}
    for record in (long_path(prefix) / "conda-meta").glob("*.json"):
        # A damaged one is copied as it is.
        before = after = record.read_text(encoding="utf-8", errors="surrogateescape")
        for old, new in digests.items():
            after = after.replace(f'"sha256_in_prefix": "{old}"', f'"sha256_in_prefix": "{new}"')
        if after != before:
            record.write_text(after, encoding="utf-8", errors="surrogateescape", newline="\n")


def placeholders_of(prefix: Path) -> dict[str, str]:
    """Return those of conda's files into which the prefix was written, and over what."""
    entries = (entry for record in read_records(prefix) for entry in record.paths_data.paths)
    return {entry.path: entry.prefix_placeholder for entry in entries if entry.prefix_placeholder}


# Copies one file: sharing its blocks where the file system can (copy on write), else its bytes. Stops between blocks.
#
# An edit of the copy must not reach the original, so the two may share blocks but no inode; other than files that the
# original shares with the package store already, and so with every environment that has the same package.

_BLOCK = 16 << 20


class Copier:
    """`on_bytes` hears of each piece. Remembers that the file system shares no blocks, and asks no second time."""

    def __init__(self, on_bytes: Callable[[int], None], is_cancelled: Callable[[], bool]) -> None:
        self._on_bytes = on_bytes
        self._is_cancelled = is_cancelled
        self._shares = True
        self.shared_bytes = 0

    def copy(self, source: str, target: str, size: int) -> None:
        """Copy a file with mode and times. Raises OSError, Cancelled."""
        self.check()
        with open(extended(source), "rb", 0) as reader, open(extended(target), "wb", 0) as writer:  # noqa: PTH123
            if size and self._share(reader.fileno(), writer.fileno()):
                self.shared_bytes += size
                self._on_bytes(size)
            else:
                self._copy_bytes(reader.fileno(), writer.fileno())
        shutil.copystat(extended(source), extended(target))

    def link(self, source: str, target: str, size: int) -> bool:
        """Give the file a further name; False where the file system does not. Raises Cancelled.

        The paths as `extended` gives them: tens of thousands of files come through here."""
        self.check()
        try:
            os.link(source, target)
        except OSError:
            return False
        self.shared_bytes += size
        self._on_bytes(size)
        return True

    def write(self, source: str, target: str, data: bytes, size: int, is_changed: bool) -> None:
        """Write a file with the original's mode, and its times if the content is the original's too."""
        self.check()
        with open(extended(target), "wb") as writer:  # noqa: PTH123
            writer.write(data)
        (shutil.copymode if is_changed else shutil.copystat)(extended(source), extended(target))
        self._on_bytes(size)

    def check(self) -> None:
        if self._is_cancelled():
            raise Cancelled

    def _share(self, reader: int, writer: int) -> bool:
        self._shares = self._shares and share_blocks(reader, writer)
        return self._shares

    def _copy_bytes(self, reader: int, writer: int) -> None:
        while block := self._move(reader, writer):
            self._on_bytes(block)
            self.check()

    @staticmethod
    def _move(reader: int, writer: int) -> int:
        moved = move_blocks(reader, writer, _BLOCK)
        if moved is not None:
            return moved
        data = os.read(reader, _BLOCK)
        view = memoryview(data)
        while view:
            view = view[os.write(writer, view) :]
        return len(data)


_ENDS = rb"(?![A-Za-z0-9_\-\x80-\xff])(?!\.[A-Za-z0-9_])"  # /envs/demo is not /envs/demo2, nor /envs/demo.old
_LONGEST_FIRST_LINE = 127  # older kernels read no more of it
_LIBRARY, _WINDOWS_PROGRAM = b"\x7fELF", b"MZ"
_ARCHIVE = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Spellings:
    """How the old path may be written, and how the new one is then."""

    pattern: re.Pattern[bytes]
    new: dict[bytes, bytes]
    prefix: bytes  # the new one, plain

    def is_in(self, data: bytes | mmap.mmap) -> bool:
        return any(data.find(old) >= 0 for old in self.new) and self.pattern.search(data) is not None  # find is quick

    def rewrite(self, data: bytes) -> bytes:
        return self.pattern.sub(lambda match: self.new[match[0]], data)


def spellings(olds: Sequence[Path | str | None], new: Path, is_windows: bool | None = None) -> Spellings:
    """Return the ways to write a path: plain, in a URL, in JSON; with Windows' slashes. The old ones also with links
    resolved: one that was moved may name two places."""
    with_backslashes = this().dos_paths if is_windows is None else is_windows
    found: dict[bytes, bytes] = {}
    named = [str(old) for old in olds if old is not None]
    for written in dict.fromkeys((*named, *map(os.path.realpath, named))):
        for was, now in _written(written, str(new), with_backslashes):
            found.setdefault(os.fsencode(was), os.fsencode(now))
    longest = sorted(found, key=len, reverse=True)
    return Spellings(
        re.compile(b"(?:" + b"|".join(map(re.escape, longest)) + b")" + _ENDS), found, os.fsencode(str(new))
    )


def _written(old: str, new: str, is_windows: bool) -> Iterable[tuple[str, str]]:
    yield old, new
    if is_windows:
        yield old.replace("\\", "\\\\"), new.replace("\\", "\\\\")
        old, new = old.replace("\\", "/"), new.replace("\\", "/")
        yield old, new
    yield _url(old), _url(new)
    yield json.dumps(old)[1:-1], json.dumps(new)[1:-1]


def _url(path: str) -> str:
    return quote(os.fsencode(path), safe="/:")


def is_text(data: bytes) -> bool:
    return b"\0" not in data


def rewrite(data: bytes, known: Spellings, placeholder: str | None = None) -> bytes | None:
    """Return what the file says in the new place; None: the path is in it and there is no room or no safe way.

    `placeholder`: what conda's package had in its place, for a file that conda's records name.
    """
    if is_text(data):
        return _first_line(known.rewrite(data), known.prefix)
    if placeholder is None and data.startswith(_WINDOWS_PROGRAM):
        return _launcher(data, known)
    if placeholder is None and not data.startswith(_LIBRARY):
        return None
    return _binary(data, known, placeholder)


def _first_line(data: bytes, prefix: bytes) -> bytes:
    """`#!/new place/bin/python` cannot be started where the path has a space or is too long."""
    if not data.startswith(b"#!" + prefix + b"/"):
        return data
    line, newline, rest = data.partition(b"\n")
    if len(line) <= _LONGEST_FIRST_LINE and not re.search(rb"\s", prefix):
        return data
    inside, _, options = line[2 + len(prefix) :].strip().partition(b" ")
    name = inside.rsplit(b"/", 1)[-1]
    if not name.startswith(b"python"):
        return b"#!/usr/bin/env " + name + newline + rest
    program = b'"' + prefix + inside + b'"' + (b" " + options if options else b"")
    return b"#!/bin/sh\n'''exec' " + program + b" \"$0\" \"$@\"\n' '''\n" + rest  # both sh and Python can read this


def _launcher(data: bytes, known: Spellings) -> bytes | None:
    """pip's programs on Windows: a starter, one line that names the Python, an archive that finds its own beginning."""
    archive = data.find(_ARCHIVE)
    start = data.rfind(b"#!", 0, archive)
    if archive < 0 or start < 0 or known.is_in(data[:start]) or known.is_in(data[archive:]):
        return None
    line, newline, rest = data[start:archive].partition(b"\n")
    if not newline or rest or b"\0" in line:
        return None
    program = known.rewrite(line[2:].rstrip(b"\r"))
    if b" " in program and not program.startswith(b'"'):
        program = b'"' + program + b'"'
    return data[:start] + b"#!" + program + (b"\r\n" if line.endswith(b"\r") else b"\n") + data[archive:]


def _binary(data: bytes, known: Spellings, placeholder: str | None) -> bytes | None:
    """String by string, each as long as it was with its zeros."""
    out: list[bytes] = []
    at = 0
    while match := known.pattern.search(data, at):
        end = data.find(b"\0", match.start())
        if end < 0:
            return None
        before = data[match.start() : end]
        after = known.rewrite(before)
        count = len(known.pattern.findall(before))
        growth = len(after) - len(before)
        if growth > _room(data, end, len(match[0]), count, placeholder):
            return None
        out += [data[at : match.start()], after, b"\0" * max(0, -growth)]
        at = end + max(0, growth)
    return b"".join([*out, data[at:]])


def _room(data: bytes, end: int, length: int, count: int, placeholder: str | None) -> int:
    """Zeros that are the placeholder's, not somebody else's data."""
    if placeholder is None:
        return 0
    zeros = len(data[end : end + 4096]) - len(data[end : end + 4096].lstrip(b"\0"))
    return min(zeros - 1, count * max(0, len(placeholder.encode()) - length))


def shell_word(path: Path) -> str:
    """Quote a word for a line that a person copies."""
    return this().quoted(str(path))
