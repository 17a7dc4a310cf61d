"""The addresses of one file, and what a run remembers of their hosts.

A host that fails for several files goes behind the others for the rest of the run, so that thirty files do not
each pay for it; one that asks for rest (429, 503, Retry-After) is left alone by all of them. Every method is
called under the board's lock.
"""

from __future__ import annotations

import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass, field

from wizard.transfer.download.model import Fault

HARD_TRIES = 2
SOFT_TRIES = 7  # in a row, without a byte: about half a minute with the usual waits
_BEHIND_AFTER = 3  # files in a row for which a host failed
_BEHIND_AFTER_SILENT = 2  # … without an answer at all, which costs most
_SILENT = ("fetch-unreachable", "fetch-stalled", "fetch-slow", "fetch-tls", "network-")
_AT_ONCE = 0.1  # long enough that connections which fell together count as one failure
_LONGEST_REST = 600.0  # a host that wants more is not waited for
_LONGEST_REST_NEAR = 30.0  # plain http is spoken by the servers of a class, which ask for a few seconds


@dataclass(slots=True, eq=False)
class Host:
    rests_until: float = 0.0
    is_behind: bool = False
    failed: set[str] = field(default_factory=set)  # files since it last gave a byte

    def blame(self, file: str, fault: Fault, now: float, longest_rest: float) -> None:
        """Note a fault: a host that asks for a rest gets it, one that fails or lies is taken last."""
        if fault.retry_after is not None:
            self.rests_until = max(self.rests_until, now + min(fault.retry_after, longest_rest))
            self.is_behind = self.is_behind or fault.retry_after > longest_rest
            return
        self.failed.add(file)
        if fault.code in ("fetch-hash-mismatch", "fetch-slow"):
            self.is_behind = True  # one file is enough: each further one would be fetched, or waited for, for nothing
        if len(self.failed) >= (_BEHIND_AFTER_SILENT if fault.code.startswith(_SILENT) else _BEHIND_AFTER):
            self.is_behind = True


class Hosts:
    """One per run."""

    def __init__(self) -> None:
        self._hosts: dict[tuple[str, str], Host] = {}

    def of(self, url: str) -> Host:
        parts = urllib.parse.urlsplit(url)
        return self._hosts.setdefault((parts.scheme, parts.netloc.rpartition("@")[2].lower()), Host())

    def any_rests(self) -> bool:
        now = time.monotonic()
        return any(host.rests_until > now for host in self._hosts.values())


@dataclass(slots=True, eq=False)
class Address:
    """`etag` is what the server called the file when it was begun here; servers behind one name may disagree
    about it (`trusts_etag`), and then the hash alone decides."""

    url: str
    index: int
    host: Host
    hard: int = 0
    soft: int = 0
    not_before: float = 0.0
    knows_ranges: bool = True
    etag: str | None = None
    trusts_etag: bool = True

    @property
    def is_usable(self) -> bool:
        return self.hard < HARD_TRIES and self.soft < SOFT_TRIES

    @property
    def ready_at(self) -> float:
        return max(self.not_before, self.host.rests_until)

    @property
    def longest_rest(self) -> float:
        return _LONGEST_REST_NEAR if self.url.startswith("http:") else _LONGEST_REST

    def learn_etag(self, etag: str | None) -> None:
        if self.etag and etag and etag != self.etag:
            self.trusts_etag = False
        self.etag = (etag or self.etag) if self.trusts_etag else None

    def progressed(self) -> None:
        self.soft = 0
        self.host.failed.clear()


class Sources:
    """Of one file: which address is next, and how each has behaved. Progress forgives soft faults."""

    def __init__(self, urls: Sequence[str], hosts: Hosts, file: str) -> None:
        if not urls:
            raise ValueError("a locked file without an address")
        self.addresses = [Address(url, index, hosts.of(url)) for index, url in enumerate(urls)]
        self.altered: Fault | None = None  # one of them gave another file: that is told, however the others fail
        self._file = file

    def pick(self, has_bytes: bool) -> Address | None:
        """The best one that may be asked now. `has_bytes`: one without ranges would have to begin anew."""
        now = time.monotonic()
        ready = [address for address in self.addresses if address.is_usable and address.ready_at <= now]
        return min(ready, key=lambda address: _rank(address, has_bytes), default=None)

    @property
    def is_used_up(self) -> bool:
        return not any(address.is_usable for address in self.addresses)

    def blame(self, address: Address, fault: Fault, backoff: float) -> bool:
        """False when all addresses are used up. Only the first of several connections that fail at one address
        together counts."""
        now = time.monotonic()
        if fault.code == "fetch-hash-mismatch":
            self.altered = fault
        if now < address.not_before:
            return not self.is_used_up
        address.host.blame(self._file, fault, now, address.longest_rest)
        if fault.retry_after is not None and fault.retry_after > address.longest_rest:
            address.hard = HARD_TRIES
        elif fault.hard:
            address.hard += 1
        else:
            address.soft += 1
        tries = address.hard + address.soft
        wait = min(backoff * 2 ** (tries - 2), 60 * backoff) if tries > 1 else min(_AT_ONCE, backoff)
        address.not_before = now + wait
        return not self.is_used_up

    def forgive(self) -> None:
        """The computer slept: what failed around that says nothing about a source."""
        for address in self.addresses:
            address.soft, address.not_before = 0, 0.0


def _rank(address: Address, has_bytes: bool) -> tuple[bool, bool, int, int]:
    begins_anew = has_bytes and not address.knows_ranges
    return begins_anew, address.host.is_behind, address.hard + address.soft, address.index
