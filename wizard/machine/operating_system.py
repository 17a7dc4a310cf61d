"""The operating system, its C library and the processor, as wheels name them.

`platform.libc_ver` reads the interpreter's file and is wrong in a frozen program, so the C library is
asked itself. `glibc` None means Windows or musl, not "unknown".
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

_ARCHES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64", "i386": "x86", "i586": "x86", "i686": "x86"}
_WINDOWS_11_BUILD = 22000
_GLIBC = re.compile(r"(?:glibc\s+)?(\d+\.\d+)")
_OS_RELEASE_LINE = re.compile(r"""^PRETTY_NAME=(["']?)(?P<name>.*)\1\s*$""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class System:
    os: str
    arch: str
    glibc: str | None
    os_version: str | None
    is_wsl: bool


def normal_arch(name: str) -> str:
    """`AMD64` is `x86_64`, `arm64` is `aarch64`; an unknown name is only lowered."""
    return _ARCHES.get(name.lower(), name.lower())


def parse_glibc(text: str | None) -> str | None:
    """From `glibc 2.36` or `2.36`."""
    match = _GLIBC.match(text or "")
    return match[1] if match else None


def parse_os_release(text: str) -> str | None:
    """PRETTY_NAME of /etc/os-release."""
    match = _OS_RELEASE_LINE.search(text)
    return match["name"].replace('\\"', '"') or None if match else None


def windows_name(major: int, build: int) -> str:
    """Windows 11 still calls itself 10: the build decides."""
    return f"Windows {11 if major == 10 and build >= _WINDOWS_11_BUILD else major} (build {build})"


def is_wsl_kernel(release: str) -> bool:
    """`5.15.167.4-microsoft-standard-WSL2`, or WSL 1's `4.4.0-19041-Microsoft`."""
    return "microsoft" in release.lower()


def glibc_version() -> str | None:
    if sys.platform == "win32":
        return None
    try:
        return parse_glibc(os.confstr("CS_GNU_LIBC_VERSION"))
    except (ValueError, OSError):
        pass
    try:  # a Python that was built without the name
        ask = ctypes.CDLL(None).gnu_get_libc_version
    except (OSError, AttributeError):
        return None
    ask.restype = ctypes.c_char_p
    return parse_glibc((ask() or b"").decode("ascii", "replace"))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _os_version() -> str | None:
    if sys.platform == "win32":
        version = sys.getwindowsversion()
        return windows_name(version.major, version.build)
    return parse_os_release(_read("/etc/os-release") or _read("/usr/lib/os-release"))


def probe_system() -> System:
    name = "windows" if sys.platform == "win32" else "linux"
    is_wsl = name == "linux" and is_wsl_kernel(platform.release())
    return System(name, normal_arch(platform.machine()), glibc_version(), _os_version(), is_wsl)
