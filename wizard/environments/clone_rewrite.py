"""The old folder's path in a copied file becomes the new one's: in text, in conda's binaries, in programs' first lines.

Pure functions over bytes. conda writes the prefix into binaries over a placeholder and fills up with zeros, so there is
room again for another prefix; other binaries have none, and then it is said that they still name the old folder.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from wizard.system.traits import this

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


def spellings(old: Path, new: Path, is_windows: bool | None = None) -> Spellings:
    """Plain, in a URL, in JSON; with Windows' slashes. The old one also with links resolved."""
    with_backslashes = this().dos_paths if is_windows is None else is_windows
    found: dict[bytes, bytes] = {}
    for written in dict.fromkeys((str(old), os.path.realpath(old))):
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
    """What the file says in the new place; None: the path is in it and there is no room or no safe way.

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
    """For a line that a person copies."""
    return this().quoted(str(path))
