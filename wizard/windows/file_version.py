"""The version that a Windows library or program carries in its version resource."""

from __future__ import annotations

import ctypes
from typing import Any

from wizard.windows.calls import DWORD, UINT, load

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
