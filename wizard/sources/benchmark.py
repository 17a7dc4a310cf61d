"""Probes all sources of one kind together, holds them against one another, and measures the best three.

What came out is kept for a day. It says which sources are usable and how fast they are; which one is taken, and whether
mirrors are asked at all, is the selection's business.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from wizard.model.errors import Cancelled
from wizard.model.messages import message
from wizard.model.typed import from_json
from wizard.sources.benchmark_policy import BenchmarkPolicy, benchmark_policy
from wizard.sources.cross_check import Contradicts, cross_check
from wizard.sources.model import Availability, Origin, ProbeResult, Source, SourceKind, SourceStatus, UserSettings
from wizard.sources.probe import probe_source
from wizard.sources.read import Reader, default_index_url
from wizard.sources.speed import measure, network_fingerprint
from wizard.sources.wanted import Wanted, WantedInstaller, WantedWheel
from wizard.system import moving, paths
from wizard.transfer.concurrently import GoesOn, ask_together
from wizard.transfer.http import Client, SourceUnreachable

SCHEMA = 2
OnStatus = Callable[[SourceStatus], None]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`wanted` in words; `ranked`: the best first. `asked`: when, in seconds since 1970; `is_kept`: found out earlier,
    in the network with this fingerprint."""

    kind: SourceKind
    wanted: str
    ranked: tuple[SourceStatus, ...]
    asked: float
    network: str
    is_kept: bool = False
    schema: int = SCHEMA

    @property
    def usable(self) -> tuple[SourceStatus, ...]:
        return tuple(one for one in self.ranked if one.is_usable)

    @property
    def complete(self) -> tuple[SourceStatus, ...]:
        return tuple(one for one in self.ranked if one.is_complete)

    def of(self, source: Source) -> SourceStatus | None:
        """Return the status of this very source; None where it took no part."""
        return next((one for one in self.ranked if one.source.id == source.id), None)


# Kept for a day, for this network: speeds measured elsewhere say nothing here.
#
# One small file for each thing wanted; it holds no address, which may hold a password. What cannot be read, is too old
# or was measured in another network is thrown away.


def benchmark_path(wanted: str, addresses: Iterable[str | None]) -> Path:
    """Return the file of a benchmark: another thing wanted, or another list of sources, is another one."""
    key = "\n".join([wanted, *(address or "" for address in addresses)])
    return paths.cache_dir() / "mirror-races" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


def read_benchmark(path: Path, network: str, seconds: float, now: float | None = None) -> Benchmark | None:
    """Return what was kept for this network and is younger than `seconds`; None, and the file is removed, otherwise."""
    try:
        kept = from_json(path.read_bytes(), Benchmark)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        kept = None
    moment = time.time() if now is None else now
    if kept and kept.schema == SCHEMA and kept.network == network and 0 <= moment - kept.asked < seconds:
        return kept
    with contextlib.suppress(OSError):
        moving.unlink(path)
    return None


def save_benchmark(path: Path, benchmark: Benchmark) -> None:
    """Write it without addresses; not at all when the disk is full or read-only: then the next one asks again."""
    ranked = (replace(one, source=replace(one.source, url=None, name="", row=None)) for one in benchmark.ranked)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(replace(benchmark, ranked=tuple(ranked), is_kept=True)))


def run_benchmark(
    kind: SourceKind,
    wanted: Wanted,
    sources: Sequence[Source],
    settings: UserSettings,
    is_cancelled: Callable[[], bool],
    fresh: bool = False,
    policy: BenchmarkPolicy | None = None,
    default_index: Callable[[], str] = default_index_url,
    on_status: OnStatus = lambda status: None,
    contradicts_pin: Contradicts = lambda file, sha256: False,
) -> Benchmark:
    """Probe, compare and measure the sources. What no source has is not kept: it may be there in a minute.

    `fresh`: what was kept does not count. `on_status` gets each source's status as it comes, in this thread.
    `contradicts_pin`: whether the tables know a file with another SHA-256. Raises Cancelled."""
    rules = policy or benchmark_policy()
    path = benchmark_path(f"{kind.value} {wanted.key} {rules.most_measured}", [source.url for source in sources])
    network = network_fingerprint(settings)
    kept = None if fresh else _kept(path, network, rules.kept_seconds, sources)
    if kept:
        for status in kept.ranked:
            on_status(status)
        return kept

    def judged(results: Sequence[ProbeResult], stage: str) -> tuple[SourceStatus, ...]:
        checked = cross_check(results, _is_open(wanted), rules.channel_days, time.time(), contradicts_pin)
        statuses = tuple(replace(status, kind=kind.value) for status in checked)
        for status in statuses:
            on_status(replace(status, stage=stage))
        return statuses

    def on_result(result: ProbeResult) -> None:
        judged((result,), "answered")

    with Reader(settings, (rules.probe_seconds, rules.speed_seconds)) as shared:
        found = _probed(wanted, sources, shared.client, rules, is_cancelled, default_index, on_result)
        statuses = judged(found, "judged")
        if kind is not SourceKind.MINIFORGE:  # nothing is fetched from there
            statuses = _measured(found, statuses, shared.client, rules, is_cancelled, on_status)
    asked = statuses[0].asked if statuses else time.time()
    benchmark = Benchmark(kind, wanted.label, _ranked(sources, statuses), asked, network)
    if benchmark.complete:
        save_benchmark(path, benchmark)
    return benchmark


def _kept(path: Path, network: str, seconds: float, sources: Sequence[Source]) -> Benchmark | None:
    kept = read_benchmark(path, network, seconds)
    if kept is None or not {source.id for source in sources} <= {status.source.id for status in kept.ranked}:
        return None
    return replace(kept, ranked=_ranked(sources, kept.ranked))


def _is_open(wanted: Wanted) -> bool:
    """Return whether the newest is wanted, not one release by its number."""
    return isinstance(wanted, WantedInstaller) or (isinstance(wanted, WantedWheel) and not wanted.version)


def _probed(
    wanted: Wanted,
    sources: Sequence[Source],
    client: Client,
    rules: BenchmarkPolicy,
    is_cancelled: Callable[[], bool],
    default_index: Callable[[], str],
    on_result: Callable[[ProbeResult], None],
) -> tuple[ProbeResult, ...]:
    """Probe all at once; return them in the order given. Who was not done in time was silent."""
    seconds = rules.probe_seconds
    if any(source.url is None for source in sources):
        default_index = _known_first(default_index)

    def ask(source: Source) -> Callable[[GoesOn], ProbeResult]:
        return lambda goes_on: probe_source(source, wanted, client, goes_on, default_index)

    asked = {source.id: ask(source) for source in sources}
    results = ask_together(asked, seconds, is_cancelled, on_answer=lambda key, result: on_result(result))
    return tuple(results.get(source.id) or _late(source, seconds) for source in sources)


def _known_first(default_index: Callable[[], str]) -> Callable[[], str]:
    """Ask uv for the official address before the clock runs, once."""
    try:
        url = default_index()
    except SourceUnreachable:
        return default_index
    return lambda: url


def _late(source: Source, seconds: float) -> ProbeResult:
    words = message("truth.late", seconds=round(seconds, 1))
    return ProbeResult(source, seconds, problem=(Availability.SILENT, words))


def _measured(
    results: Sequence[ProbeResult],
    statuses: Sequence[SourceStatus],
    client: Client,
    rules: BenchmarkPolicy,
    is_cancelled: Callable[[], bool],
    on_status: OnStatus,
) -> tuple[SourceStatus, ...]:
    """Measure the first of those that are complete, one after the other; only where none is, of those that send
    elsewhere. Raises Cancelled."""
    usable = [status for status in sorted(statuses, key=_rank) if status.is_usable]
    best = [status for status in usable if status.is_complete] or usable
    by_id = {result.source.id: result for result in results}
    rates: dict[str, float | None] = {}
    for status in best[: rules.most_measured]:
        if is_cancelled():
            raise Cancelled
        result = by_id[status.source.id]
        if result.link:
            on_status(replace(status, stage="measuring"))
            rate = measure(result.link, result.size, client, rules.speed_bytes, rules.speed_seconds, is_cancelled)
            rates[status.source.id] = rate
            on_status(replace(status, rate=rate))
    return tuple(replace(status, rate=rates.get(status.source.id)) for status in statuses)


def _ranked(sources: Sequence[Source], statuses: Sequence[SourceStatus]) -> tuple[SourceStatus, ...]:
    """Return the statuses of these very sources, best first."""
    by_id = {status.source.id: status for status in statuses}
    found = (replace(by_id[source.id], source=source) for source in sources if source.id in by_id)
    return tuple(sorted(found, key=_rank))


def _rank(status: SourceStatus) -> tuple[int, int, float, float]:
    """Order complete before sent elsewhere before the rest; folders of this computer, then the fastest, then the
    quickest to answer. What was typed by hand is above speed."""
    order = [Availability.COMPLETE, Availability.ELSEWHERE, Availability.STALE, Availability.MISSING]
    place = order.index(status.availability) if status.availability in order else len(order)
    is_local = status.source.origin is Origin.BY_HAND or (status.source.url or "").lower().startswith("file:")
    rate = status.rate if status.rate is not None else -1.0
    return place, 0 if is_local else 1, -rate, status.seconds or 0.0
