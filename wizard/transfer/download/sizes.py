"""How big are the files of a lock? Asked with a range of one byte, since HEAD is refused where GET works."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from wizard.model.lock import Lock, LockedFile
from wizard.transfer.download import Downloads
from wizard.transfer.download.model import Fault
from wizard.transfer.download.transport import Transport

_AT_ONCE = 8
SILENCE = 15.0  # seconds for one answer


def with_sizes(lock: Lock, environment: Mapping[str, str] | None = None) -> Lock:
    """The lock with the sizes that were missing; what no address tells stays None."""
    with ThreadPoolExecutor(min(_AT_ONCE, max(1, len(lock.files)))) as pool:
        files = tuple(pool.map(lambda file: _with_size(file, environment or None), lock.files))
    return replace(lock, files=files)


def _with_size(file: LockedFile, environment: Mapping[str, str] | None) -> LockedFile:
    if file.size is not None:
        return file
    if path := Downloads().find(file):
        return replace(file, size=path.stat().st_size)
    transport = Transport(stall=SILENCE, environment=environment)
    try:
        for url in file.urls:
            size = _ask(transport, url)
            if size is not None:
                return replace(file, size=size)
    finally:
        transport.close()
    return file


def _ask(transport: Transport, url: str) -> int | None:
    try:
        return transport.get(url, 0, 1).total
    except Fault:
        return None
