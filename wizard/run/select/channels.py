"""Other places of the elected conda channel, for when it fails in the middle of a download.

Who won the race is followed by the others that were found usable. Where nobody raced, the official place follows the
user's mirror; and the known mirrors follow the official one where they may race at all. Every file must have the
SHA-256 that the elected channel gave for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from wizard.compatibility.model import Choices
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.sources.address_facts import channel_name
from wizard.sources.candidates import source_candidates
from wizard.sources.model import SourceKind, UserSettings
from wizard.sources.table import FORGE

_MOST = 3


def further_channels(
    contest: MirrorPolicy | None, choices: Choices, settings: UserSettings, channels: tuple[str, ...]
) -> tuple[str, ...]:
    """None of them for a channel that was typed by hand, or where the user's settings allow no other."""
    is_closed = choices.channel is not None or choices.offline or settings.conda_only
    if is_closed or contest is None or not any(channel_name(url) == FORGE for url in channels):
        return ()
    known = {url.rstrip("/") for url in channels}
    others = dict.fromkeys(url for url in _others(contest, choices, settings) if url.rstrip("/") not in known)
    return tuple(others)[:_MOST]


def _others(contest: MirrorPolicy, choices: Choices, settings: UserSettings) -> Iterator[str]:
    race = contest.races.get(SourceKind.CONDA)
    if race is not None:
        yield from (one.source.url for one in race.ranked if one.is_usable and one.source.url)
        return
    for source in source_candidates(SourceKind.CONDA, choices, settings):
        is_official = source.row is not None and source.row.id == "official"
        if source.url and (is_official or contest.may_race(SourceKind.CONDA)):
            yield source.url
