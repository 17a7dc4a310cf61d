"""Which shell the person uses: the one that this program was started from, else the one of their account."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath, PureWindowsPath

import psutil

from wizard.system.traits import of

_SHELLS = {
    "bash": "bash", "zsh": "zsh", "fish": "fish", "csh": "csh", "tcsh": "csh", "pwsh": "powershell",
    "powershell": "powershell", "cmd": "cmd",
}  # fmt: skip
_MOST_ANCESTORS = 8


def users_shell(os_name: str, environment: Mapping[str, str], ancestors: Iterable[str]) -> str:
    """bash | zsh | fish | csh | powershell | cmd. `ancestors`: names of programs, the nearest first."""
    for name in ancestors:
        if shell := _SHELLS.get(_stem(name)):
            return shell
    if usual := of(os_name).usual_shell:
        return usual
    shell = _SHELLS.get(_stem(environment.get("SHELL", "")), "bash")
    return "bash" if shell == "cmd" else shell


def _stem(name: str) -> str:
    """A shell that was started at login is called `-bash`."""
    base = PurePosixPath(PureWindowsPath(name).as_posix()).name.lower().lstrip("-")
    return base.removesuffix(".exe")


def this_users_shell(os_name: str) -> str:
    return users_shell(os_name, os.environ, ancestors())


def ancestors() -> tuple[str, ...]:
    try:
        return tuple(process.name() for process in psutil.Process().parents()[:_MOST_ANCESTORS])
    except psutil.Error:
        return ()
