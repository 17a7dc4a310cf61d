"""Which running programs use an environment: its Python, a library of it, or stand in one of its folders.

A venv's interpreter is a link, so the program itself is another Python far away: how it was started tells. Processes of
other users say little to an ordinary user; what cannot be asked is left out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from wizard.system.traits import this


@dataclass(frozen=True, slots=True)
class Running:
    """`path` is what ties it to the environment."""

    pid: int
    program: str
    path: str


def running_inside(prefix: Path) -> tuple[Running, ...]:
    """By process id."""
    is_inside = _inside(prefix)
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            path = next((path for path in _paths(process) if path and is_inside(path)), None)
            if path:
                found.append(Running(process.pid, process.name(), path))
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
    """The files of `/proc/<pid>/maps`: the sixth field, which may contain spaces."""
    for line in text.splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5].startswith("/"):
            yield fields[5].removesuffix(" (deleted)")
