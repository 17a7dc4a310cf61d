"""Jupyter kernels outside of an environment that start its Python: they stay when it goes, and then start nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wizard.typed import from_json

_SYSTEM = ("/usr/local/share/jupyter", "/usr/share/jupyter")


@dataclass(frozen=True, slots=True)
class Kernel:
    """`folder` holds its `kernel.json`."""

    name: str
    title: str
    folder: Path


class _Spec(msgspec.Struct):
    argv: list[str] = []
    display_name: str = ""


def kernels_of(prefix: Path, environment: Mapping[str, str], home: Path | None) -> tuple[Kernel, ...]:
    """Those that point into the prefix and do not lie in it."""
    starts = {os.path.normcase(str(prefix)), os.path.normcase(os.path.realpath(prefix))}
    found = []
    for folder in _kernel_folders(environment, home):
        spec = _read(folder / "kernel.json")
        inside = any(_below(str(folder), start) for start in starts)
        if spec and spec.argv and not inside and any(_below(spec.argv[0], start) for start in starts):
            found.append(Kernel(folder.name, spec.display_name or folder.name, folder))
    return tuple(found)


def _below(path: str, start: str) -> bool:
    return os.path.normcase(path).startswith(start + os.sep)


def _kernel_folders(environment: Mapping[str, str], home: Path | None) -> Iterator[Path]:
    for data in dict.fromkeys(_data_folders(environment, home)):
        kernels = data / "kernels"
        if kernels.is_dir():
            yield from sorted(kernels.iterdir())


def _data_folders(environment: Mapping[str, str], home: Path | None) -> Iterator[Path]:
    """Jupyter's own order."""
    for name in ("JUPYTER_PATH", "JUPYTER_DATA_DIR"):
        yield from (Path(part) for part in environment.get(name, "").split(os.pathsep) if part)
    if environment.get("APPDATA"):
        yield Path(environment["APPDATA"], "jupyter")
    if environment.get("XDG_DATA_HOME"):
        yield Path(environment["XDG_DATA_HOME"], "jupyter")
    if home:
        yield home / ".local" / "share" / "jupyter"
    if environment.get("PROGRAMDATA"):
        yield Path(environment["PROGRAMDATA"], "jupyter")
    yield from map(Path, _SYSTEM)


def _read(path: Path) -> _Spec | None:
    try:
        return from_json(path.read_bytes(), _Spec)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
