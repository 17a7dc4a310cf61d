"""Crashes below Python (a library's fault, a driver's): the process is gone, so the next start tells of them.

`faulthandler` writes where each thread was into a file of this process; a process that ends in its own way takes its
file away. What is left by a process that is gone, with a fatal error in it, was a crash; an empty one was a kill.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from wizard.system import moving, paths
from wizard.system.disk import open_own

_NAME = re.compile(r"hard-(\d+)\.txt")
# Windows also reports errors that are caught and mended inside a library; these are the ones that end a process.
_FATAL = re.compile(r"^(?:Fatal Python error|Windows fatal exception): (?P<what>.+)$", re.MULTILINE)
_HARMLESS = re.compile(r"code 0x(?:8001[0-9a-f]{4}|e06d7363|40[0-9a-f]{6})", re.IGNORECASE)
_MOST_BYTES = 100_000


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Within it a hard crash leaves its traces. Without a folder to write in, nothing is watched."""
    path = paths.logs_dir() / f"hard-{os.getpid()}.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.fdopen(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8")
    except OSError:
        yield
        return
    was_on = faulthandler.is_enabled()
    with file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
    with contextlib.suppress(OSError):
        moving.unlink(path)
    if was_on and sys.__stderr__ is not None:
        faulthandler.enable(sys.__stderr__)


def collect_earlier() -> tuple[str, ...]:
    """What processes that are gone have left; their files are taken away, so each is told once."""
    try:
        left = [path for path in sorted(paths.logs_dir().iterdir()) if _is_left(path)]
    except OSError:
        return ()
    told = [_take(path) for path in left]
    return tuple(text for text in told if what_of(text))


def what_of(text: str) -> str | None:
    """ "Segmentation fault"; None where nothing fatal happened."""
    found = (match["what"] for match in _FATAL.finditer(text) if not _HARMLESS.search(match["what"]))
    return next(found, None)


def _is_left(path: Path) -> bool:
    match = _NAME.fullmatch(path.name)
    if match is None or int(match[1]) == os.getpid():
        return False
    from wizard.system.processes import is_running  # seldom needed, and it takes its time to load

    return not is_running(int(match[1]))


def _take(path: Path) -> str:
    try:
        with os.fdopen(open_own(path, os.O_RDONLY), "rb") as file:
            text = file.read(_MOST_BYTES).decode(errors="replace")
        moving.unlink(path)
    except OSError:  # another start was faster, or somebody put something else there under this name
        return ""
    return text
