"""The functions of Windows' libraries that we call, with their types: the only place where one is loaded.

A handle is as wide as a pointer; without these declarations ctypes would cut it to 32 bits. The numbers have fixed
widths, since `wintypes.DWORD` is 64 bits wide on Linux, where the shapes of structures are tested.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from typing import Any

BOOL, DWORD, UINT = ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint32
HANDLE, POINTER, TEXT = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_wchar_p

_BEHIND_ALL = 2**31 - 2  # a place in a file

Signature = tuple[Any, tuple[Any, ...]]

# library -> function -> (what it returns, what it takes), as in Microsoft's documentation.
SIGNATURES: Mapping[str, Mapping[str, Signature]] = {
    "kernel32": {
        "CreateJobObjectW": (HANDLE, (POINTER, TEXT)),
        "SetInformationJobObject": (BOOL, (HANDLE, ctypes.c_int32, POINTER, DWORD)),
        "OpenProcess": (HANDLE, (DWORD, BOOL, DWORD)),
        "AssignProcessToJobObject": (BOOL, (HANDLE, HANDLE)),
        "TerminateJobObject": (BOOL, (HANDLE, UINT)),
        "CloseHandle": (BOOL, (HANDLE,)),
        "SetThreadExecutionState": (DWORD, (DWORD,)),
        "GetUserDefaultUILanguage": (ctypes.c_uint16, ()),
        "GetVolumePathNameW": (BOOL, (TEXT, POINTER, DWORD)),
        "GetDiskFreeSpaceExW": (BOOL, (TEXT, POINTER, POINTER, POINTER)),
        "GetVolumeInformationW": (BOOL, (TEXT, POINTER, DWORD, POINTER, POINTER, POINTER, POINTER, DWORD)),
        "GetDriveTypeW": (UINT, (TEXT,)),
        "GetConsoleMode": (BOOL, (HANDLE, POINTER)),
        "WaitNamedPipeW": (BOOL, (TEXT, DWORD)),
    },
    "ole32": {"CoCreateInstance": (ctypes.c_int32, (POINTER, POINTER, DWORD, POINTER, POINTER))},
    "user32": {
        "MessageBoxW": (ctypes.c_int32, (HANDLE, TEXT, TEXT, UINT)),
        "AllowSetForegroundWindow": (BOOL, (DWORD,)),
    },
    "shell32": {"SetCurrentProcessExplicitAppUserModelID": (ctypes.c_int32, (TEXT,))},
    "version": {
        "GetFileVersionInfoSizeW": (DWORD, (TEXT, POINTER)),
        "GetFileVersionInfoW": (BOOL, (TEXT, DWORD, DWORD, POINTER)),
        "VerQueryValueW": (BOOL, (POINTER, TEXT, POINTER, POINTER)),
    },
}


def declare(name: str, library: Any) -> Any:
    """The same library, whose functions of ours now know their types."""
    for function, (result, arguments) in SIGNATURES[name].items():
        called = getattr(library, function)
        called.restype, called.argtypes = result, arguments
    return library


def load(name: str) -> Any:
    """Raises OSError where there is no such library."""
    if sys.platform != "win32":
        raise OSError(f"no {name} on this system")
    return declare(name, ctypes.WinDLL(name, use_last_error=True))


def last_error() -> OSError:
    if sys.platform != "win32":
        return OSError("refused")
    return ctypes.WinError(ctypes.get_last_error())


def lock_behind_all(descriptor: int) -> bool:
    """Take a byte that no file reaches, until the file is closed; False while another program has it. Elsewhere than on
    Windows nothing is taken."""
    if sys.platform != "win32":
        return True
    import msvcrt

    os.lseek(descriptor, _BEHIND_ALL, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
