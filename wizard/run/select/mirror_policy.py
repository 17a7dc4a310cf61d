"""Decides what sources are probed for, whether mirrors are, and in which order they are then taken.

Outside China the official places come first and no mirror is asked by itself; should one of them be silent, the mirrors
are after all. What a person typed by hand takes no part. One benchmark for each kind; the search then goes on by lists
alone.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Candidate, Choices
from wizard.machine.model import Machine
from wizard.model.errors import UsageError
from wizard.model.messages import Message, Words, message, three_digits
from wizard.run.model import Facts
from wizard.sources.benchmark import Benchmark, OnStatus, run_benchmark
from wizard.sources.benchmark_policy import benchmark_policy, region
from wizard.sources.channel import channel_subdir
from wizard.sources.known_sources import rows_of, source_candidates
from wizard.sources.model import ANSWERED, Origin, Source, SourceKind, SourceStatus, UserSettings
from wizard.sources.wanted import Wanted, WantedChannel, WantedInstaller, WantedWheel, platform_tags

_INSTALLERS = {"windows": "Windows-{arch}.exe", "linux": "Linux-{arch}.sh"}


def wanted_of(
    kind: SourceKind, machine: Machine, candidate: Candidate, python: str, default_variant: str | None
) -> Wanted:
    """Return what the sources of a kind are probed for. `default_variant`: the build of this release that the package
    index has."""
    if kind is SourceKind.TORCH:
        return wanted_torch(machine, candidate, python, default_variant)
    if kind is SourceKind.PACKAGES:
        return wanted_packages(machine, python, candidate.numpy)
    if kind is SourceKind.CONDA:
        return wanted_channel(machine, python)
    return WantedInstaller(_INSTALLERS[machine.os].format(arch=machine.arch))


def wanted_torch(machine: Machine, candidate: Candidate, python: str, default_variant: str | None) -> WantedWheel:
    tags = platform_tags(python, machine.os, machine.arch, machine.glibc)
    return WantedWheel("torch", candidate.torch, candidate.variant, python, tags, default_variant)


def wanted_packages(machine: Machine, python: str, numpy: str) -> WantedWheel:
    """Return the newest of a project that every environment has; what else will be needed is not known before the
    lock."""
    tags = platform_tags(python, machine.os, machine.arch, machine.glibc)
    project = benchmark_policy().packages
    return WantedWheel(project, "", "", python, tags, "", numpy if project == "numpy" else "")


def wanted_channel(machine: Machine, python: str) -> WantedChannel:
    return WantedChannel(channel_subdir(machine.os, machine.arch), python)


_MOST_TORCH_BENCHMARKS = 4
WORDS = ("auto", "official", "race")
_CHOOSABLE_KINDS = (SourceKind.TORCH, SourceKind.PACKAGES, SourceKind.CONDA)


def check_mirror(mirrors: str) -> None:
    """Check the name of a mirror. Raises UsageError `no-such-mirror`."""
    known = dict.fromkeys(row.id for kind in _CHOOSABLE_KINDS for row in rows_of(kind) if row.id != "official")
    if mirrors not in WORDS and mirrors not in known:
        raise UsageError(
            "no-such-mirror",
            "There is no mirror called “{mirror}”.",
            "Take one of these, or “official”, or “race” for the fastest: {known}.",
            mirror=mirrors,
            known=", ".join(known),
        )


class MirrorPolicy:
    def __init__(
        self,
        choices: Choices,
        facts: Facts,
        is_cancelled: Callable[[], bool],
        fresh: bool = False,
        on_status: OnStatus = lambda status: None,
    ) -> None:
        """`fresh`: what was found within a day does not count. Raises UsageError `no-such-mirror`."""
        check_mirror(choices.mirrors)
        self._fresh, self._on_status = fresh, on_status
        self.benchmarks: dict[SourceKind, Benchmark] = {}
        self.notices: list[Message] = []
        self._torch_benchmarks, self._torch_variant = 0, ""
        self._choices, self._facts, self._is_cancelled = choices, facts, is_cancelled
        self._may = {kind for kind in _CHOOSABLE_KINDS if _is_open(kind, choices, facts.settings)}
        wanted = choices.mirrors not in ("auto", "official")
        is_unasked = choices.mirrors == "auto" and bool(self._may) and region(choices.region) == "cn"
        self._on = set(self._may) if wanted or is_unasked else set()

    def is_on(self, kind: SourceKind) -> bool:
        """Return whether mirrors of this kind are asked now."""
        return kind in self._on

    def may_benchmark(self, kind: SourceKind) -> bool:
        """Return whether mirrors may be asked by themselves: the person has left this kind to us."""
        return self._choices.mirrors == "auto" and kind in self._may

    def fall_back(self, kind: SourceKind, silent: Source) -> bool:
        """Turn to the mirrors of an official place that is silent. False when that is so already, or must not be."""
        if not self.may_benchmark(kind) or silent.origin is not Origin.OFFICIAL or kind in self._on:
            return False
        self._on.add(kind)
        self.notices.append(message("race.official-silent", source=silent.label))
        return True

    def join(self, kind: SourceKind) -> None:
        """Turn to the mirrors of this kind too, though nobody knows that its official place is silent."""
        if self.may_benchmark(kind):
            self._on.add(kind)

    def torch(self, candidate: Candidate, python: str, default_variant: str | None) -> tuple[Source, ...]:
        """Return usable sources, the fastest first; then those that answered: they may have another Python."""
        found = self._candidates(SourceKind.TORCH, candidate.variant, candidate.variant == default_variant)
        benchmark = self.benchmarks.get(SourceKind.TORCH)
        if benchmark is None or self._is_worth_another(benchmark, candidate):
            self._torch_benchmarks, self._torch_variant = self._torch_benchmarks + 1, candidate.variant
            wanted = wanted_torch(self._facts.machine, candidate, python, default_variant)
            benchmark = self.benchmarks[SourceKind.TORCH] = self._run(SourceKind.TORCH, wanted, found)
            return tuple(one.source for one in self._in_order(benchmark) if one.availability in ANSWERED)
        order = [one.source.mirror for one in self._in_order(benchmark) if one.availability in ANSWERED]
        known = [source for source in found if source.mirror in order]
        return tuple(sorted(known, key=lambda source: order.index(source.mirror)))

    def _is_worth_another(self, benchmark: Benchmark, candidate: Candidate) -> bool:
        """Return whether nobody had the build before, and this one is the newest that somebody has, or of another
        kind."""
        if benchmark.usable or self._torch_benchmarks >= _MOST_TORCH_BENCHMARKS:
            return False
        is_newest = candidate.torch in {one.newest for one in benchmark.ranked}
        return is_newest or candidate.variant != self._torch_variant

    def packages(self, python: str, numpy: str) -> tuple[Source, ...]:
        """Return usable indexes of Python packages, the fastest first."""
        benchmark = self.benchmarks.get(SourceKind.PACKAGES)
        if benchmark is None:
            wanted = wanted_packages(self._facts.machine, python, numpy)
            benchmark = self.benchmarks[SourceKind.PACKAGES] = self._run(
                SourceKind.PACKAGES, wanted, self._candidates(SourceKind.PACKAGES, "")
            )
        return tuple(one.source for one in self._in_order(benchmark) if one.is_usable)

    def channels(self, python: str) -> tuple[Source, ...]:
        """Return the best channel; () when none is usable. The engine would read the index of each."""
        benchmark = self.benchmarks.get(SourceKind.CONDA)
        if benchmark is None:
            wanted = wanted_channel(self._facts.machine, python)
            benchmark = self.benchmarks[SourceKind.CONDA] = self._run(
                SourceKind.CONDA, wanted, self._candidates(SourceKind.CONDA, "")
            )
        return tuple(one.source for one in self._in_order(benchmark) if one.is_usable)[:1]

    def notices_for(self, selected: Mapping[SourceKind, Source | None]) -> Iterator[Message]:
        """Say that an official place was silent, and for each kind that was measured who was selected and by what."""
        yield from self.notices
        for kind, benchmark in self.benchmarks.items():
            source = selected.get(kind)
            chosen = next((one for one in benchmark.ranked if one.source.mirror == self._choices.mirrors), None)
            if chosen and not chosen.is_usable and self._choices.mirrors not in WORDS:
                yield message("race.not-usable", source=chosen.source.name, why=chosen.message)
            status = benchmark.of(source) if source else None
            if status and status.is_usable and len(benchmark.ranked) > 1:  # else another build than was measured
                yield _fastest(kind, benchmark, status)

    def _candidates(self, kind: SourceKind, variant: str, is_default_build: bool = False) -> tuple[Source, ...]:
        """Return all, or with one mirror chosen that one and the official place, the measure of all."""
        found = source_candidates(kind, self._choices, self._facts.settings, variant, is_default_build)
        chosen = self._choices.mirrors
        if chosen in WORDS:
            return found
        return tuple(source for source in found if source.mirror in (chosen, "official") or source.row is None)

    def _run(self, kind: SourceKind, wanted: Wanted, found: Iterable[Source]) -> Benchmark:
        rules = benchmark_policy()
        if self._choices.mirrors not in WORDS:
            rules = replace(rules, most_measured=0)  # the person has chosen: there is nothing to find out
        return run_benchmark(
            kind,
            wanted,
            tuple(found),
            self._facts.settings,
            self._is_cancelled,
            self._fresh,
            rules,
            on_status=self._on_status,
            contradicts_pin=load_matrix().contradicts_pin,
        )

    def _in_order(self, benchmark: Benchmark) -> tuple[SourceStatus, ...]:
        """A source that lists no hashes makes no lock, however fast it is: it stands behind those that do."""
        chosen = self._choices.mirrors

        def rank(one: SourceStatus) -> tuple[bool, bool, bool]:
            has_hash = benchmark.kind is SourceKind.CONDA or one.sha256 is not None or one.final_host is None
            return not one.is_usable, one.source.mirror != chosen and chosen not in WORDS, not has_hash

        return tuple(sorted(benchmark.ranked, key=rank))


def named_within(source: Source) -> Words:
    """Name a source inside a sentence: a name of its own stays as it is, words begin small there."""
    name = source.label
    if isinstance(name, Message) and name.key == "source.user-settings":
        return message("source.in-user-settings", "your own pip or uv settings[| ({setting})]", **name.params)
    if isinstance(name, Message) and name.key == "source.by-hand":
        return message("source.you-chose", "the source that you chose[| ({option})]", **name.params)
    return name


def _fastest(kind: SourceKind, benchmark: Benchmark, status: SourceStatus) -> Message:
    count, name = len(benchmark.usable), named_within(status.source)
    sources = message("race.sources", "out of {count} sources", count=count)
    if count == 1:
        sources = message("race.source", "the only source")
    if status.rate is None:
        return message(f"race.{kind.value}", source=name, count=count, sources=sources)
    day = datetime.datetime.fromtimestamp(status.asked).strftime("%Y-%m-%d %H:%M")
    rate = three_digits(status.rate / 1e6)
    return message(f"race.{kind.value}-rate", source=name, count=count, sources=sources, rate=rate, day=day)


def _is_open(kind: SourceKind, choices: Choices, settings: UserSettings) -> bool:
    """Return whether the person left this kind to us: nothing typed by hand, no closed or private place in their
    settings."""
    if choices.offline or choices.mirrors == "official":
        return False
    if kind is SourceKind.CONDA:
        return (
            choices.engine != "venv"
            and choices.channel is None
            and not (settings.conda_channels or settings.conda_only)
        )
    if settings.no_index or (kind is SourceKind.TORCH and choices.torch_index is not None):
        return False
    return kind is SourceKind.TORCH or (choices.index is None and not has_login(settings.index_url))


def has_login(url: str | None) -> bool:
    """Return whether an address holds a login."""
    return "@" in urlsplit(url or "").netloc
