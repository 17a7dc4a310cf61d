"""The program's own log: one bounded file, written by several processes at once, without secrets.

Each line is one write at the file's end, so lines of two programs do not mix. When it has grown it becomes `.1` (and
that `.2`), done by whoever gets the lock. Who cannot write it works all the same.
"""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from wizard.model.redact import redact
from wizard.system import moving, paths
from wizard.system.disk import append_whole

MOST_BYTES = 1_000_000
KEPT = 2
_MOST_AT_ONCE = 100_000


def append(name: str, text: str, most_bytes: int = MOST_BYTES) -> Path | None:
    """Into `logs/<name>`; None when that cannot be written."""
    path = paths.logs_dir() / name
    told = redact(text)
    if len(told) > _MOST_AT_ONCE:  # the beginning names the command, the end the cause
        told = f"{told[: _MOST_AT_ONCE // 2]}\n…\n{told[-_MOST_AT_ONCE // 2 :]}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _rotate(path, most_bytes)
        append_whole(path, f"{told.rstrip()}\n".encode(errors="replace"))
    except OSError:
        return None
    return path


def _rotate(path: Path, most_bytes: int) -> None:
    if not _is_full(path, most_bytes):
        return
    from filelock import FileLock, Timeout  # seldom needed, and the window should open soon

    with contextlib.suppress(Timeout, OSError), FileLock(f"{path}.lock", timeout=0):
        if _is_full(path, most_bytes):  # or another process has just done it
            for number in range(KEPT, 0, -1):
                before = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
                if before.exists():
                    moving.replace(before, path.with_name(f"{path.name}.{number}"))


def _is_full(path: Path, most_bytes: int) -> bool:
    try:
        return path.stat().st_size >= most_bytes
    except OSError:
        return False


class SharedLog(logging.Handler):
    """For the loggers of this process."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record to the file that several processes write."""
        try:
            append(self._name, self.format(record))
        except Exception:  # a record that cannot be formatted stops nothing
            self.handleError(record)
