"""What a system says of itself when it is asked, and how much a disk still takes.

What a system says of itself when it is asked: build, C library, language of its windows, its own number.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from wizard.system.windows.registry import MACHINE, registry


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """`free`: bytes that this user can write, quotas apart. `files_left`: None where nobody counts."""

    free: int
    files_left: int | None


_OWN_NUMBER = Path("/etc/machine-id")
_CRYPTOGRAPHY = r"SOFTWARE\Microsoft\Cryptography"


def windows_build() -> tuple[int, int] | None:
    """(10, 22631); None elsewhere."""
    if sys.platform == "win32":
        version = sys.getwindowsversion()
        return version.major, version.build
    return None


def libc_name() -> str | None:
    """ "glibc 2.36" or "2.36"; None where there is no glibc."""
    if sys.platform == "win32":
        return None
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return _libc_itself()


def _libc_itself() -> str | None:
    """For a Python that was built without the name."""
    import ctypes

    try:
        ask = ctypes.CDLL(None).gnu_get_libc_version
    except (OSError, AttributeError):
        return None
    ask.restype = ctypes.c_char_p
    return (ask() or b"").decode("ascii", "replace")


def interface_language() -> str:
    """ "zh_CN"; "" where only variables say it."""
    return windows_language() if sys.platform == "win32" else ""


def windows_language() -> str:
    """Return the language of Windows' own screens, such as zh_CN; "" where it is not known."""
    import locale

    from wizard.system.windows.calls import load

    return locale.windows_locale.get(load("kernel32").GetUserDefaultUILanguage(), "")


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person types into it or reads it."""
    if stream is None or not stream.isatty():
        return False
    if sys.platform == "win32":
        from wizard.system.windows.desktop import is_console

        return is_console(stream.fileno())
    return True


def own_marks() -> tuple[str, str]:
    """What tells this computer from those that are copies of its disk: its name, and the number that the system gave
    itself ("" where there is none). Private: never to be sent as they are."""
    import socket  # not for everybody who only wants the language, before the first picture

    given = registry().values(MACHINE, _CRYPTOGRAPHY).get("MachineGuid")
    return socket.gethostname(), str(given or _machine_number())


def _machine_number() -> str:
    try:
        return _OWN_NUMBER.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
