"""Lets through only the packages of a lock that something needs: what was asked for, and what those say they need.

A lock that was resolved has no others. One that somebody else wrote may, and a wheel can bring code that runs whenever
Python starts, so the rest is held back until a package names it. Markers are passed over: who wrote the package that
was asked for chose the names in its metadata. Of a requirement only the name is read: installers take many forms of the
rest that the standard does not know.
"""

from __future__ import annotations

import queue
import re
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from email import message_from_bytes

from packaging.utils import canonicalize_name

from wizard.errors import WizardError
from wizard.packages.store import Entry
from wizard.packages.wheel import UNREADABLE, Wheel, read_wheel

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


class Needed:
    """Reads a queue of entries as the installer does. `asked`: requirements."""

    def __init__(self, ready: queue.SimpleQueue[Entry | None], asked: Iterable[str]) -> None:
        self._ready = ready
        self._names = set(_names(asked))
        self._held: dict[str, Entry] = {}
        self._free: deque[Entry] = deque()

    def get_nowait(self) -> Entry | None:
        """Raises as `get`."""
        return self._next(self._ready.get_nowait)

    def get(self, timeout: float) -> Entry | None:
        """`timeout` in seconds. Raises queue.Empty, WizardError `install-not-needed` when nothing more comes and
        something is held, `install-bad-wheel`."""
        return self._next(lambda: self._ready.get(timeout=timeout))

    def _next(self, take: Callable[[], Entry | None]) -> Entry | None:
        if not self._free:
            entry = take()
            if entry is None:
                if self._held:
                    raise WizardError("install-not-needed", names=", ".join(sorted(self._held)))
                return None
            self._held[read_wheel(entry.wheel).name] = entry
            self._release()
        if not self._free:
            raise queue.Empty
        return self._free.popleft()

    def _release(self) -> None:
        while ready := self._names & self._held.keys():
            for name in ready:
                entry = self._held.pop(name)
                self._names.update(_needs(read_wheel(entry.wheel)))
                self._free.append(entry)


def _needs(wheel: Wheel) -> Iterator[str]:
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            said = message_from_bytes(archive.read(f"{wheel.dist_info}/METADATA"))
    except UNREADABLE as error:
        raise WizardError("install-bad-wheel", f"{wheel.path}: {error!r}", file=wheel.path.name) from error
    return _names(map(str, said.get_all("Requires-Dist", ())))


def _names(requirements: Iterable[str]) -> Iterator[str]:
    found = (_NAME.match(text) for text in requirements)
    return (canonicalize_name(match[1].rstrip("._-")) for match in found if match)
