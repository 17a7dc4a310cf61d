"""Windows' registry and libraries, made here: the registry from a .reg export, the libraries from our own declarations.

`ExportedRegistry` offers what `winreg` offers, and mypy holds it against the same protocol as the real module. A
library's functions are true C callables with the declared types, so a wrong argument fails as it would on Windows.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from wizard.system.windows.calls import SIGNATURES
from wizard.system.windows.registry import Registry, WinReg

DATA = Path(__file__).parents[1] / "data" / "windows"
_HIVES = {"HKEY_CURRENT_USER": 0x80000001, "HKEY_LOCAL_MACHINE": 0x80000002}
_VALUE = re.compile(r'^(?:@|"(?P<name>(?:[^"\\]|\\.)*)")=(?P<value>.*)$')


@dataclass
class Key(AbstractContextManager["Key"]):
    names: list[str] = field(default_factory=list)
    values: list[tuple[str, Any, int]] = field(default_factory=list)

    def __exit__(self, *told: object) -> None: ...


class ExportedRegistry:
    """What `reg export` or the registry editor wrote."""

    HKEY_CURRENT_USER = _HIVES["HKEY_CURRENT_USER"]
    HKEY_LOCAL_MACHINE = _HIVES["HKEY_LOCAL_MACHINE"]

    def __init__(self, *exports: Path) -> None:
        self._keys: dict[tuple[int, str], Key] = {}
        for path in exports:
            text = path.read_bytes().decode("utf-16")  # with its mark, and CRLF
            assert text.startswith("Windows Registry Editor Version 5.00\r\n")
            self._read(re.sub(r"\\\r\n\s*", "", text).split("\r\n")[1:])

    def _read(self, lines: list[str]) -> None:
        key = Key()
        for line in filter(None, lines):
            if line.startswith("["):
                hive, _, name = line[1:-1].partition("\\")
                key = self._key(_HIVES[hive], name)
            elif match := _VALUE.match(line):
                key.values.append((_plain(match["name"] or ""), *_value(match["value"])))

    def _key(self, hive: int, name: str) -> Key:
        """With all the keys above it, as the registry has them."""
        parent, _, child = name.rpartition("\\")
        if (hive, name.lower()) not in self._keys:
            self._keys[hive, name.lower()] = Key()
            if parent:
                self._key(hive, parent).names.append(child)
        return self._keys[hive, name.lower()]

    def OpenKey(self, key: Any, sub_key: str, /) -> Key:
        try:
            return self._keys[key, sub_key.lower()]
        except KeyError:
            raise FileNotFoundError(2, "The system cannot find the file specified") from None

    def QueryInfoKey(self, key: Any, /) -> tuple[int, int, int]:
        return len(key.names), len(key.values), 0

    def EnumKey(self, key: Any, index: int, /) -> str:
        return str(key.names[index])

    def EnumValue(self, key: Any, index: int, /) -> tuple[str, Any, int]:
        found: tuple[str, Any, int] = key.values[index]
        return found


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _value(written: str) -> tuple[Any, int]:
    if written.startswith('"'):
        return _plain(written[1:-1]), 1
    kind, _, data = written.partition(":")
    if kind == "dword":
        return int(data, 16), 4
    raw = bytes(int(part, 16) for part in data.split(",") if part)
    if kind == "hex(2)":
        return raw.decode("utf-16-le").rstrip("\0"), 2
    if kind == "hex(7)":
        return [part for part in raw.decode("utf-16-le").split("\0") if part], 7
    return raw, 3


def exported(*names: str) -> Registry:
    fake: WinReg = ExportedRegistry(*(DATA / name for name in names))
    return Registry(fake)


def library(name: str, **functions: Callable[..., Any]) -> Any:
    """Only those functions; another one is an AttributeError, as a misspelt one is on Windows."""
    made = {}
    for function, body in functions.items():
        result, arguments = SIGNATURES[name][function]
        made[function] = ctypes.CFUNCTYPE(result, *arguments)(body)
    return SimpleNamespace(**made)
