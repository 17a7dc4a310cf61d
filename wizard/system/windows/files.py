"""What a Windows library or program says of itself: its version, and what it loads.

Which libraries a Windows library or program loads with itself: the import table of a PE file, read anywhere.

After Microsoft's "PE Format". What is loaded later, when a function is first called, is another table and not read.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from wizard.system.windows.calls import DWORD, UINT, load

_FIXED_WORDS = 4  # VS_FIXEDFILEINFO begins: signature, structure's version, file version (two words)


def file_version(path: str, library: Any = None) -> str | None:
    """ "14.40.33810"; None for a file without one. Raises OSError elsewhere than on Windows."""
    version = library or load("version")
    size = version.GetFileVersionInfoSizeW(path, None)
    if not size:
        return None
    data = ctypes.create_string_buffer(size)
    value, length = ctypes.c_void_p(), UINT()
    if not version.GetFileVersionInfoW(path, 0, size, data):
        return None
    if not version.VerQueryValueW(data, "\\", ctypes.byref(value), ctypes.byref(length)) or not value.value:
        return None
    words = (DWORD * _FIXED_WORDS).from_address(value.value)
    return f"{words[2] >> 16}.{words[2] & 0xFFFF}.{words[3] >> 16}"


_MOST = 1024  # of libraries, sections, letters of a name
_IMPORTS = 1  # the place of the import table among the directories


def imported_libraries(path: str | Path) -> frozenset[str]:
    """Return their names in lower case; none for a file that is no such library. Raises OSError."""
    with open(path, "rb") as file:  # noqa: PTH123 (the extended form must stay as it is)
        try:
            return frozenset(_names(file))
        except (struct.error, ValueError):
            return frozenset()


def _read(file: IO[bytes], place: int, form: str) -> tuple[Any, ...]:
    file.seek(place)
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _names(file: IO[bytes]) -> Iterator[str]:
    if file.read(2) != b"MZ":
        return
    (header,) = _read(file, 0x3C, "<I")
    mark, _machine, count, options = _read(file, header, "<4s2H12xH2x")
    if mark != b"PE\0\0":
        return
    (magic,) = _read(file, header + 24, "<H")
    directories = header + 24 + (112 if magic == 0x20B else 96)  # 64 or 32 bits
    (table, _size) = _read(file, directories + 8 * _IMPORTS, "<II")
    first = header + 24 + options
    sections = [_read(file, first + 40 * number, "<8x4I16x") for number in range(min(count, _MOST))]
    for number in range(_MOST if table else 0):
        _thunks, name = _read(file, _place(sections, table) + 20 * number, "<I8xI4x")
        if not name:
            return
        file.seek(_place(sections, name))
        yield file.read(_MOST).split(b"\0", 1)[0].decode("ascii").lower()


def _place(sections: list[tuple[int, ...]], address: int) -> int:
    """In the file, of what lies at `address` in memory. Raises ValueError."""
    for virtual, start, raw, place in sections:
        if start <= address < start + max(virtual, raw):
            return address - start + place
    raise ValueError("outside of all sections")
