"""What races mean for an election: the states that are shown, the sentences about them, and who else has the files."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping

from wizard.compatibility.model import Choices
from wizard.model.messages import Message, message
from wizard.run.select.benchmark import Benchmark
from wizard.run.select.build_search import BuildSearch
from wizard.run.select.mirror_policy import WORDS, MirrorPolicy, has_login
from wizard.sources.candidates import default_index
from wizard.sources.model import Origin, Source, SourceKind, UserSettings
from wizard.sources.status import SourceStatus

_MOST_FURTHER = 3


def states_of(walk: BuildSearch, contest: MirrorPolicy) -> tuple[SourceStatus, ...]:
    """Raced sources first, best first. What the walk found out later about one of them counts."""
    raced = [status for race in contest.races.values() for status in race.ranked]
    seen = {(state.source.id, state.source.url) for state in raced}
    lost = {key for key, state in walk.states.items() if state.verdict in ("unreachable", "refused")}
    kept = [
        walk.states[key] if (key := (s.source.id, s.source.url)) in lost and s.kind == "torch" else s for s in raced
    ]
    return (*kept, *(state for key, state in walk.states.items() if key not in seen))


def benchmark_notices(
    contest: MirrorPolicy | None, choices: Choices, elected: Mapping[SourceKind, Source | None]
) -> Iterator[Message]:
    """That an official place was silent, and for each kind that raced who won and by what."""
    if contest is None:
        return
    yield from contest.notices
    for kind, race in contest.races.items():
        source = elected.get(kind)
        chosen = next((one for one in race.ranked if one.source.mirror == choices.mirrors), None)
        if chosen and not chosen.is_usable and choices.mirrors not in WORDS:
            yield message("race.not-usable", source=chosen.source.name, why=chosen.message)
        placed = race.of(source) if source else None
        if placed and placed.is_usable and len(race.ranked) > 1:  # else another build than the one raced for
            yield _won(kind, race, placed)


def _won(kind: SourceKind, race: Benchmark, placed: SourceStatus) -> Message:
    count, name = len(race.usable), placed.source.label
    if placed.rate is None:
        return message(f"race.{kind.value}", source=name, count=count)
    day = datetime.datetime.fromtimestamp(placed.asked).strftime("%Y-%m-%d %H:%M")
    return message(f"race.{kind.value}-rate", source=name, count=count, rate=round(placed.rate / 1e6, 2), day=day)


def further_sources(
    packages: tuple[Source, ...], choices: Choices, settings: UserSettings, contest: MirrorPolicy | None
) -> dict[str, tuple[Source, ...]]:
    """Who is worth asking for the same files, in the order to try: the best of a race, else the user's own and the
    official place. Nobody where there is only one."""
    races = contest.races if contest else {}
    found = {
        "torch": race_further(races[SourceKind.TORCH]) if SourceKind.TORCH in races else (),
        "packages": race_further(races[SourceKind.PACKAGES])
        if SourceKind.PACKAGES in races
        else _own(packages, choices, settings),
    }
    return {role: sources for role, sources in found.items() if len(sources) > 1}


def race_further(race: Benchmark) -> tuple[Source, ...]:
    """In the order of their speed; the official place last, if it is not among them: its hashes are the measure."""
    best = [one.source for one in race.ranked if one.is_complete][:_MOST_FURTHER]
    official = [one.source for one in race.ranked if one.source.origin is Origin.OFFICIAL and one.is_usable]
    return tuple(dict.fromkeys((*best, *official)))


def _own(packages: tuple[Source, ...], choices: Choices, settings: UserSettings) -> tuple[Source, ...]:
    """A private index keeps its names to itself: nobody else is asked for what comes from it."""
    if choices.index is not None or choices.mirrors == "official" or settings.no_index:
        return ()
    if not any(source.origin is Origin.USER_SETTINGS for source in packages):
        return ()
    is_private = any(has_login(source.url) for source in packages)
    return packages if is_private else tuple(dict.fromkeys((*packages, default_index())))
