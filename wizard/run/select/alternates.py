"""Lists who else has the files of the selected sources and channels, for when one fails in the middle of a download.

Who is best in a benchmark is followed by the others that were found usable. Where none was made, the official place
follows the user's own; and the known mirrors of a channel follow the official one where they may be asked at all. Every
file must have the SHA-256 that the selected place gave for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.compatibility.model import Choices
from wizard.run.select.mirror_policy import MirrorPolicy, has_login
from wizard.sources.address_facts import channel_name
from wizard.sources.benchmark import Benchmark
from wizard.sources.known_sources import default_index, source_candidates
from wizard.sources.model import Origin, Source, SourceKind, UserSettings
from wizard.sources.table import FORGE

_MOST_FURTHER = 3


def further_sources(
    packages: tuple[Source, ...], choices: Choices, settings: UserSettings, policy: MirrorPolicy | None
) -> dict[str, tuple[Source, ...]]:
    """Return who is worth asking for the same files, in the order to try: the best of a benchmark, else the user's own
    and the official place. Nobody where there is only one."""
    benchmarks = policy.benchmarks if policy else {}
    found = {
        "torch": benchmark_alternates(benchmarks[SourceKind.TORCH]) if SourceKind.TORCH in benchmarks else (),
        "packages": benchmark_alternates(benchmarks[SourceKind.PACKAGES])
        if SourceKind.PACKAGES in benchmarks
        else _own(packages, choices, settings),
    }
    return {role: sources for role, sources in found.items() if len(sources) > 1}


def benchmark_alternates(benchmark: Benchmark) -> tuple[Source, ...]:
    """Return the complete ones by their speed; the official place last, if it is not among them: its hashes are the
    measure."""
    best = [one.source for one in benchmark.ranked if one.is_complete][:_MOST_FURTHER]
    official = [one.source for one in benchmark.ranked if one.source.origin is Origin.OFFICIAL and one.is_usable]
    return tuple(dict.fromkeys((*best, *official)))


def _own(packages: tuple[Source, ...], choices: Choices, settings: UserSettings) -> tuple[Source, ...]:
    """A private index keeps its names to itself: nobody else is asked for what comes from it."""
    if choices.index is not None or choices.mirrors == "official" or settings.no_index:
        return ()
    if not any(source.origin is Origin.USER_SETTINGS for source in packages):
        return ()
    is_private = any(has_login(source.url) for source in packages)
    return packages if is_private else tuple(dict.fromkeys((*packages, default_index())))


def further_channels(
    policy: MirrorPolicy | None, choices: Choices, settings: UserSettings, channels: tuple[str, ...]
) -> tuple[str, ...]:
    """Return further addresses of the channel; none for one typed by hand, or where the settings allow no other."""
    is_closed = choices.channel is not None or choices.offline or settings.conda_only
    if is_closed or policy is None or not any(channel_name(url) == FORGE for url in channels):
        return ()
    known = {url.rstrip("/") for url in channels}
    others = dict.fromkeys(url for url in _other_channels(policy, choices, settings) if url.rstrip("/") not in known)
    return tuple(others)[:_MOST_FURTHER]


def _other_channels(policy: MirrorPolicy, choices: Choices, settings: UserSettings) -> Iterator[str]:
    benchmark = policy.benchmarks.get(SourceKind.CONDA)
    if benchmark is not None:
        yield from (one.source.url for one in benchmark.ranked if one.is_usable and one.source.url)
        return
    for source in source_candidates(SourceKind.CONDA, choices, settings):
        is_official = source.row is not None and source.row.id == "official"
        if source.url and (is_official or policy.may_benchmark(SourceKind.CONDA)):
            yield source.url
