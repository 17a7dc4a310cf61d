"""How programs say that memory or the disk is full.

How programs say that the system gives them no more memory (or no further thread, which is mostly the same).

By a limit (`ulimit -v`, a cluster's `--mem`) or because the computer has no more. Told apart everywhere: a Python that
could not start for it is not a Python that is missing.
"""

from __future__ import annotations

import errno
import re

from wizard.model.errors import WizardError
from wizard.process.request import Outcome

_FULL = ("no space left", "os error 28", "not enough space", "os error 112", "disk quota")


def says_full(text: str) -> bool:
    said = text.lower()
    return any(words in said for words in _FULL)


_SAID = re.compile(
    r"\bMemoryError\b|memory allocation of \d+ bytes failed|cannot allocate memory|std::bad_alloc"
    r"|os error (?:12|1455)\b"
    r"|failed to map segment from shared object(?!: operation not permitted)|can't start new thread"
    r"|(?:failed to spawn|can't spawn worker) thread|Os \{ code: (?:11, kind: WouldBlock|12,)",
    re.IGNORECASE,
)  # Python, Rust and tokio (a panic over a thread too), glibc, C++, Windows' page file


def says_no_memory(text: str) -> bool:
    return bool(_SAID.search(text))


def without_memory(cause: Outcome | BaseException) -> WizardError | None:
    """`no-memory`, if that is why a child failed or this exception was raised; else None."""
    if isinstance(cause, WizardError):
        return cause if cause.code == "no-memory" else None
    if isinstance(cause, Outcome):
        said = f"{cause.stderr}\n{cause.stdout}\n{cause.start_error}"
        return None if cause.ok or not says_no_memory(said) else WizardError("no-memory", details=cause.tail(40))
    lacks = isinstance(cause, MemoryError) or (isinstance(cause, OSError) and cause.errno == errno.ENOMEM)
    threads = isinstance(cause, RuntimeError) and says_no_memory(str(cause))
    return WizardError("no-memory", details=repr(cause)) if lacks or threads else None
