"""What Linux programs need, read from the programs themselves: the oldest glibc, and other libraries.

Each ELF file names the symbol versions that it needs (section `.gnu.version_r`); the highest `GLIBC_x.y` of all files
is the floor. What the name of a wheel promises is not looked at: libraries of the build machine come without one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_HEADER = struct.Struct("<16x2xHIQQQI6H")  # after e_ident: e_machine … e_shstrndx
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NEED, _NEEDED_VERSION = struct.Struct("<HHIII"), struct.Struct("<IHHII")
_SHT_DYNAMIC, _SHT_GNU_VERNEED = 6, 0x6FFFFFFE
_DYNAMIC, _DT_NEEDED = struct.Struct("<qQ"), 1
_GLIBC = re.compile(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?")
Version = tuple[int, int]


def needed_versions(data: bytes) -> set[str]:
    """Names of the symbol versions that this file wants from others; empty for what is no 64-bit ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        return set()
    sections = _sections(data)
    wanted: set[str] = set()
    for section in sections:
        if section[1] == _SHT_GNU_VERNEED:
            names = sections[section[6]]
            wanted.update(_names(data, section[4], data[names[4] : names[4] + names[5]]))
    return wanted


def _sections(data: bytes) -> list[tuple[int, ...]]:
    header = _HEADER.unpack_from(data)
    start, size, count = header[4], header[9], header[10]
    return [_SECTION.unpack_from(data, start + size * index) for index in range(count)]


def needed_libraries(data: bytes) -> set[str]:
    """Names of the libraries that this file is loaded with; empty for what is no 64-bit ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        return set()
    sections = _sections(data)
    wanted: set[str] = set()
    for section in (each for each in sections if each[1] == _SHT_DYNAMIC):
        at, length = sections[section[6]][4:6]
        strings = data[at : at + length]
        for tag, name in _DYNAMIC.iter_unpack(data[section[4] : section[4] + section[5]]):
            if tag == _DT_NEEDED:
                wanted.add(strings[name : strings.index(b"\0", name)].decode("utf-8", "replace"))
    return wanted


def not_needed(libraries: Mapping[str, Path], others: Iterable[Path]) -> set[str]:
    """Those of the libraries that nobody asks for: neither the others nor a library that somebody asks for."""
    asked = [name for path in others for name in needed_libraries(path.read_bytes())]
    left = dict(libraries)
    while asked:
        path = left.pop(asked.pop(), None)
        if path is not None:
            asked += needed_libraries(path.read_bytes())
    return set(left)


def _names(data: bytes, at: int, strings: bytes) -> Iterator[str]:
    while True:
        _, count, _, first, following = _NEED.unpack_from(data, at)
        entry = at + first
        for _ in range(count):
            _, _, _, name, beyond = _NEEDED_VERSION.unpack_from(data, entry)
            yield strings[name : strings.index(b"\0", name)].decode("ascii", "replace")
            entry += beyond
        if not following:
            return
        at += following


def glibc_of(path: Path) -> Version | None:
    """None: it needs no glibc (static, or no program at all)."""
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
    found = (_GLIBC.fullmatch(name) for name in needed_versions(path.read_bytes()))
    return max(((int(match[1]), int(match[2])) for match in found if match), default=None)


def glibc_floor(folder: Path) -> tuple[Version, Path]:
    """The floor, and the file that sets it."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    needs = [(need, path) for path in files if (need := glibc_of(path))]
    if not needs:
        raise LookupError(f"no program for glibc in {folder}")
    return max(needs, key=lambda pair: pair[0])
