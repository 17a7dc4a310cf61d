"""The operating system, its C library and the processor, as wheels name them.

`platform.libc_ver` reads the interpreter's file and is wrong in a frozen program, so the C library is
asked itself. `glibc` None means Windows or musl, not "unknown".
"""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from pathlib import Path

from wizard.system.facts import libc_name, windows_build
from wizard.system.traits import this

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
    return parse_glibc(libc_name())


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _os_version() -> str | None:
    build = windows_build()
    if build is not None:
        return windows_name(*build)
    return parse_os_release(_read("/etc/os-release") or _read("/usr/lib/os-release"))


def probe_system() -> System:
    is_wsl = this().has_proc and is_wsl_kernel(platform.release())
    return System(this().name, normal_arch(platform.machine()), glibc_version(), _os_version(), is_wsl)
