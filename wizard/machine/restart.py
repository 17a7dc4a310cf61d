"""Does the system wait for a restart? Then a new driver or kernel is on the disk and the old one still runs.

Read from files (Linux) or from the registry's two markers (Windows, as Microsoft's own installers look at them).
Nothing is asked that could hang; what cannot be read counts as no marker.
"""

from __future__ import annotations

import platform
from pathlib import Path

from wizard.windows.registry import MACHINE, Registry, registry

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
