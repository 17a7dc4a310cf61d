"""The operating system, its C library and the processor; whether it waits for a restart.

The operating system, its C library and the processor, as wheels name them.

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
from wizard.system.windows.registry import MACHINE, Registry, registry

# Does the system wait for a restart? Then a new driver or kernel is on the disk and the old one still runs.
#
# Read from files (Linux) or from the registry's two markers (Windows, as Microsoft's own installers look at them).
# Nothing is asked that could hang; what cannot be read counts as no marker.

# Debian, Ubuntu and their kin write it after an update of the kernel or of the C library.
_MARKS = ("run/reboot-required", "var/run/reboot-required")
_WINDOWS = (
    r"SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending",
    r"SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired",
)


def restart_mark(root: Path = Path("/"), kernel: str | None = None) -> str | None:
    """What says so: a file, a registry key, or the folder that a kernel update has taken away; None: nothing."""
    named = next((f"/{name}" for name in _MARKS if (root / name).exists()), None)
    return in_registry(registry()) or named or _kernel_gone(root, kernel)


def _kernel_gone(root: Path, kernel: str | None) -> str | None:
    """Arch and others take the running kernel's modules away with the update. A container shows its host's kernel
    and has no modules of it, so a mark of one counts as an answer."""
    if any((root / mark).exists() for mark in (".dockerenv", "run/.containerenv")):
        return None
    folder, running = root / "lib/modules", kernel or platform.release()
    try:
        others = [one.name for one in folder.iterdir() if (one / "modules.dep").is_file()]
    except OSError:
        return None
    return f"/lib/modules/{running}" if others and running not in others else None


def in_registry(known: Registry) -> str | None:
    """The key is the mark, whatever is in it."""
    return next((name for name in _WINDOWS if known.has(MACHINE, name)), None)


_ARCHES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64", "i386": "x86", "i586": "x86", "i686": "x86"}
_WINDOWS_11_BUILD = 22000
_GLIBC = re.compile(r"(?:glibc\s+)?(\d+\.\d+)")
_OS_RELEASE_LINE = re.compile(r"""^PRETTY_NAME=(["']?)(?P<name>.*)\1\s*$""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OperatingSystem:
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


def probe_system() -> OperatingSystem:
    is_wsl = this().has_proc and is_wsl_kernel(platform.release())
    return OperatingSystem(this().name, normal_arch(platform.machine()), glibc_version(), _os_version(), is_wsl)
