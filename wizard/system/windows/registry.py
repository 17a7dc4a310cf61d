"""The Windows registry, read only: the one place that imports `winreg`. Elsewhere a registry with nothing in it.

What stands in a key is for others to understand; a key that is not there, or not for us to read, is empty.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

USER, MACHINE = "user", "machine"
_PEP_514 = r"Software\Python"


class WinReg(Protocol):
    """What we call of the module `winreg`; mypy holds the real one against it."""

    @property
    def HKEY_CURRENT_USER(self) -> int: ...
    @property
    def HKEY_LOCAL_MACHINE(self) -> int: ...
    def OpenKey(self, key: Any, sub_key: str, /) -> AbstractContextManager[Any]: ...
    def QueryInfoKey(self, key: Any, /) -> tuple[int, int, int]: ...
    def EnumKey(self, key: Any, index: int, /) -> str: ...
    def EnumValue(self, key: Any, index: int, /) -> tuple[str, Any, int]: ...


class Registry:
    def __init__(self, winreg: WinReg | None) -> None:
        self._winreg = winreg

    def has(self, hive: str, key: str) -> bool:
        """Return whether the key is there and may be read."""
        if self._winreg is None:
            return False
        try:
            with self._winreg.OpenKey(self._root(hive), key):
                return True
        except OSError:
            return False

    def values(self, hive: str, key: str) -> Mapping[str, object]:
        """By name; the unnamed one is ""."""
        if self._winreg is None:
            return {}
        try:
            with self._winreg.OpenKey(self._root(hive), key) as opened:
                count = self._winreg.QueryInfoKey(opened)[1]
                rows = [self._winreg.EnumValue(opened, index) for index in range(count)]
        except OSError:
            return {}
        return {name: value for name, value, _ in rows}

    def children(self, hive: str, key: str) -> tuple[str, ...]:
        """Return the names of the keys below; none where it cannot be read."""
        if self._winreg is None:
            return ()
        try:
            with self._winreg.OpenKey(self._root(hive), key) as opened:
                count = self._winreg.QueryInfoKey(opened)[0]
                return tuple(self._winreg.EnumKey(opened, index) for index in range(count))
        except OSError:
            return ()

    def install_folders(self, company: str) -> tuple[str, ...]:
        """PEP 514: where the Pythons of a company lie ("PythonCore", "ContinuumAnalytics"), the user's own first."""
        company_key = rf"{_PEP_514}\{company}"
        found = [
            self.values(hive, rf"{company_key}\{tag}\InstallPath").get("")
            for hive in (USER, MACHINE)
            for tag in self.children(hive, company_key)
        ]
        return tuple(folder for folder in found if isinstance(folder, str) and folder)

    def _root(self, hive: str) -> int:
        assert self._winreg is not None
        return self._winreg.HKEY_CURRENT_USER if hive == USER else self._winreg.HKEY_LOCAL_MACHINE


def registry() -> Registry:
    """Return this computer's registry; elsewhere than on Windows an empty one."""
    if sys.platform != "win32":
        return Registry(None)
    import winreg

    real: WinReg = winreg
    return Registry(real)
