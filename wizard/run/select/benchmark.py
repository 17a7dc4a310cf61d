"""The race: all sources of one kind are looked at together, compared, and the best three measured.

What came out is kept for a day. It says which sources are usable and how fast they are; which one is taken, and whether
there is a race at all, is the election's business.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wizard.compatibility.data.load import load_matrix
from wizard.model.errors import Cancelled
from wizard.model.messages import message
from wizard.sources.cross_check import cross_check
from wizard.sources.model import Origin, Source, SourceKind, UserSettings
from wizard.sources.probe import probe_source
from wizard.sources.race_policy import BenchmarkPolicy, benchmark_policy
from wizard.sources.read import Reader, default_index_url
from wizard.sources.speed import (
    CachedBenchmark,
    benchmark_path,
    measure,
    network_fingerprint,
    read_benchmark,
    save_benchmark,
)
from wizard.sources.status import USABLE, InstallerQuestion, ProbeResult, Question, SourceStatus, Truth, WheelQuestion
from wizard.transfer.concurrently import GoesOn, ask_together
from wizard.transfer.http import Client, SourceUnreachable


@dataclass(frozen=True, slots=True)
class RankedSource:
    source: Source
    finding: SourceStatus

    @property
    def is_usable(self) -> bool:
        return self.finding.truth in USABLE


@dataclass(frozen=True, slots=True)
class ProbeProgress:
    """What is known of one source while the race goes on. `stage`: "answered" (looked at by itself), "judged" (held
    against the others), "measuring", "measured"."""

    kind: SourceKind
    placed: RankedSource
    stage: str


OnSeen = Callable[[ProbeProgress], None]
_Tell = Callable[[SourceStatus, str], None]


def _unheard(seen: ProbeProgress) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`placed`: the best first. `asked`: when, in seconds since 1970; `is_kept`: found out earlier."""

    kind: SourceKind
    question: Question
    placed: tuple[RankedSource, ...]
    asked: float
    is_kept: bool = False

    @property
    def usable(self) -> tuple[RankedSource, ...]:
        return tuple(one for one in self.placed if one.is_usable)

    @property
    def complete(self) -> tuple[RankedSource, ...]:
        return tuple(one for one in self.placed if one.finding.truth is Truth.COMPLETE)

    def of(self, source: Source) -> RankedSource | None:
        return next((one for one in self.placed if one.source.id == source.id), None)


def run_benchmark(
    kind: SourceKind,
    question: Question,
    sources: Sequence[Source],
    settings: UserSettings,
    is_cancelled: Callable[[], bool],
    fresh: bool = False,
    policy: BenchmarkPolicy | None = None,
    default_index: Callable[[], str] = default_index_url,
    on_seen: OnSeen = _unheard,
) -> Benchmark:
    """Raises Cancelled. What no source has is not kept: it may be there in a minute. `on_seen` hears of each source as
    it comes, in this thread."""
    rules = policy or benchmark_policy()
    path = benchmark_path(f"{kind.value} {question.key} {rules.most_measured}", [source.url for source in sources])
    network = network_fingerprint(settings)
    kept = None if fresh else read_benchmark(path, network, rules.kept_seconds)
    if kept and {source.id for source in sources} <= {finding.source for finding in kept.findings}:
        known = Benchmark(kind, question, _ranked(sources, kept.findings), kept.asked, is_kept=True)
        for placed in known.placed:
            on_seen(ProbeProgress(kind, placed, "measured"))
        return known
    tell = _teller(kind, sources, on_seen)
    with Reader(settings, (rules.probe_seconds, rules.speed_seconds)) as shared:
        findings = _found(kind, question, sources, shared.client, rules, is_cancelled, default_index, tell)
    race = Benchmark(kind, question, _ranked(sources, findings), findings[0].asked if findings else time.time())
    if race.complete:
        save_benchmark(path, CachedBenchmark(network, race.asked, findings))
    return race


def _teller(kind: SourceKind, sources: Sequence[Source], on_seen: OnSeen) -> _Tell:
    by_id = {source.id: source for source in sources}
    return lambda finding, stage: on_seen(ProbeProgress(kind, RankedSource(by_id[finding.source], finding), stage))


def _found(
    kind: SourceKind,
    question: Question,
    sources: Sequence[Source],
    client: Client,
    rules: BenchmarkPolicy,
    is_cancelled: Callable[[], bool],
    default_index: Callable[[], str],
    tell: _Tell,
) -> tuple[SourceStatus, ...]:
    is_open = isinstance(question, InstallerQuestion) or (
        isinstance(question, WheelQuestion) and not question.wanted.version
    )

    def judged(sights: Sequence[ProbeResult], stage: str) -> tuple[SourceStatus, ...]:
        findings = cross_check(sights, is_open, rules.channel_days, time.time(), load_matrix().contradicts_pin)
        for finding in findings:
            tell(finding, stage)
        return findings

    def came(sight: ProbeResult) -> None:
        judged((sight,), "answered")

    sights = _sights(question, sources, client, rules, is_cancelled, default_index, came)
    findings = judged(sights, "judged")
    if kind is SourceKind.MINIFORGE:  # nothing is fetched from there
        return findings
    return _measured(sources, sights, findings, client, rules, is_cancelled, tell)


def _sights(
    question: Question,
    sources: Sequence[Source],
    client: Client,
    rules: BenchmarkPolicy,
    is_cancelled: Callable[[], bool],
    default_index: Callable[[], str],
    came: Callable[[ProbeResult], None],
) -> tuple[ProbeResult, ...]:
    """Probe each source, in order; who was not done in time was silent."""
    seconds = rules.probe_seconds
    if any(source.url is None for source in sources):
        default_index = _known_first(default_index)

    def ask(source: Source) -> Callable[[GoesOn], ProbeResult]:
        return lambda goes_on: probe_source(source, question, client, goes_on, default_index)

    asked = {source.id: ask(source) for source in sources}
    seen = ask_together(asked, seconds, is_cancelled, on_answer=lambda key, sight: came(sight))
    return tuple(seen.get(source.id) or _late(source, seconds) for source in sources)


def _known_first(default_index: Callable[[], str]) -> Callable[[], str]:
    """uv is asked for the official address before the clock runs, once."""
    try:
        url = default_index()
    except SourceUnreachable:
        return default_index
    return lambda: url


def _late(source: Source, seconds: float) -> ProbeResult:
    words = message("truth.late", seconds=round(seconds, 1))
    return ProbeResult(source, seconds, problem=(Truth.SILENT, words))


def _measured(
    sources: Sequence[Source],
    sights: Sequence[ProbeResult],
    findings: Sequence[SourceStatus],
    client: Client,
    rules: BenchmarkPolicy,
    is_cancelled: Callable[[], bool],
    tell: _Tell,
) -> tuple[SourceStatus, ...]:
    """The first of those that are complete, one after the other; only where none is, of those that send elsewhere."""
    places = {place.source.id: place for place in _ranked(sources, findings) if place.is_usable}
    best = [one for one in places.values() if one.finding.truth is Truth.COMPLETE] or list(places.values())
    by_id = {sight.source.id: sight for sight in sights}
    rates: dict[str, float | None] = {}
    for one in best[: rules.most_measured]:
        if is_cancelled():
            raise Cancelled
        sight = by_id[one.source.id]
        if sight.link:
            tell(one.finding, "measuring")
            rate = measure(sight.link, sight.size, client, rules.speed_bytes, rules.speed_seconds, is_cancelled)
            rates[one.source.id] = rate
            tell(replace(one.finding, rate=rate), "measured")
    return tuple(replace(finding, rate=rates.get(finding.source)) for finding in findings)


def _ranked(sources: Sequence[Source], findings: Sequence[SourceStatus]) -> tuple[RankedSource, ...]:
    by_id = {finding.source: finding for finding in findings}
    placed = (RankedSource(source, by_id[source.id]) for source in sources if source.id in by_id)
    return tuple(sorted(placed, key=_rank))


def _rank(one: RankedSource) -> tuple[int, int, float, float]:
    """Complete before sent elsewhere before the rest; folders of this computer, then the fastest, then the quickest to
    answer. What was typed by hand is above speed."""
    finding = one.finding
    states = [Truth.COMPLETE, Truth.ELSEWHERE, Truth.STALE, Truth.MISSING]
    state = states.index(finding.truth) if finding.truth in states else len(states)
    is_near = one.source.origin is Origin.BY_HAND or (one.source.url or "").lower().startswith("file:")
    return state, 0 if is_near else 1, -(finding.rate if finding.rate is not None else -1.0), finding.seconds
