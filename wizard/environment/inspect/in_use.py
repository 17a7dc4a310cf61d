"""Who uses an environment: running programs, and Jupyter kernels outside of it.

Which running programs use an environment: its Python, a library of it, or stand in one of its folders.

A venv's interpreter is a link, so the program itself is another Python far away: how it was started tells. Processes of
other users say little to an ordinary user; what cannot be asked is left out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from wizard.model.typed import from_json
from wizard.system.traits import this

KERNEL_FILE = "kernel.json"
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
    """Return kernels that point into the prefix and do not lie in it."""
    starts = {os.path.normcase(str(prefix)), os.path.normcase(os.path.realpath(prefix))}
    found = []
    for folder in _kernel_folders(environment, home):
        spec = _read(folder / KERNEL_FILE)
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


@dataclass(frozen=True, slots=True)
class RunningProgram:
    """`path` is what ties it to the environment."""

    pid: int
    program: str
    path: str


def running_inside(prefix: Path) -> tuple[RunningProgram, ...]:
    """Return programs that run from the prefix, by process id."""
    is_inside = _inside(prefix)
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            path = next((path for path in _paths(process) if path and is_inside(path)), None)
            if path:
                found.append(RunningProgram(process.pid, process.name(), path))
    return tuple(sorted(found, key=lambda one: one.pid))


def _inside(prefix: Path) -> Callable[[str], bool]:
    """Both the path as given and without links; the case counts where it counts for the system."""
    starts = {os.path.normcase(start) for start in (os.path.abspath(prefix), os.path.realpath(prefix))}  # noqa: PTH100

    def is_inside(path: str) -> bool:
        normal = os.path.normcase(path)
        return any(normal == start or normal.startswith(start + os.sep) for start in starts)

    return is_inside


def _paths(process: psutil.Process) -> Iterator[str]:
    """The cheap questions first; each may be refused."""
    for ask in (process.exe, process.cwd, lambda: _started_as(process)):
        with suppress(psutil.Error, OSError):
            yield ask()
    yield from _libraries(process)


def _started_as(process: psutil.Process) -> str:
    """The first word of its command line as a full path: `python` was found by its own PATH."""
    words = process.cmdline()
    if not words:
        return ""
    if os.path.dirname(words[0]):  # noqa: PTH120
        return os.path.normpath(os.path.join(process.cwd(), words[0]))  # noqa: PTH118
    return shutil.which(words[0], path=process.environ().get("PATH", "")) or ""


def _libraries(process: psutil.Process) -> Iterator[str]:
    """Mapped files. On Linux psutil would add up the memory of each as well, which takes a hundred times longer."""
    if this().has_proc:
        with suppress(OSError):
            text = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8", errors="surrogateescape")
            yield from dict.fromkeys(parse_maps(text))
        return
    with suppress(psutil.Error, OSError):
        for mapped in process.memory_maps():
            yield mapped.path


def parse_maps(text: str) -> Iterator[str]:
    """Yield the files of `/proc/<pid>/maps`: the sixth field, which may contain spaces."""
    for line in text.splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5].startswith("/"):
            yield fields[5].removesuffix(" (deleted)")
