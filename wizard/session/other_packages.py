"""When packages cannot be resolved where they were elected: the next source of the race, or a race after all.

Only the main index changes; torch keeps its source, and what the user's settings add stays. Packages that come from a
public main index although an added one has their names too are told: strangers may own them there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from wizard.errors import WizardError
from wizard.i18n import Message, Param, message
from wizard.mirrors.candidates import default_index
from wizard.mirrors.model import Layout, Origin, Source, UserSettings
from wizard.mirrors.racers import Kind
from wizard.packages.lock import FAMILY, NO_SOLUTION, without_login
from wizard.packages.model import Lock, LockedFile
from wizard.plan.model import Choices
from wizard.process import redact
from wizard.session.alternates import on_both
from wizard.session.contest import Contest
from wizard.session.model import Election, Facts
from wizard.session.origin import needs_proof
from wizard.session.outlook import is_main
from wizard.session.raced import race_further

_MOST_TRIES = 3
_SOURCE_FAILS = ("lock-network", "lock-refused", "lock-damaged", "lock-silent")
_NAMES_SHOWN = 8


def locked_somewhere(
    facts: Facts, choices: Choices, election: Election, lock: Callable[[Election], Lock],
    is_cancelled: Callable[[], bool],
) -> tuple[Lock, Election]:  # fmt: skip
    """`lock` resolves against an election's sources. Raises what it raised first, when no other source helps."""
    first: WizardError | None = None
    current = election
    for left in reversed(range(_MOST_TRIES)):
        try:
            return lock(current), current
        except WizardError as error:
            first = first or error
            following = _following(facts, choices, current, error, is_cancelled) if left else None
            if following is None:
                raise first from None
            current = following
    raise AssertionError("the last try returns or raises")


def of_both(
    lock: Lock, sources: Sequence[Source], settings: UserSettings, is_cancelled: Callable[[], bool]
) -> tuple[Message, ...]:
    """Return a notice for each index of the user's own that has names which the lock takes from the public main one.
    Raises Cancelled."""
    main = next((source for source in sources if is_main(source)), None)
    if main is None or needs_proof(main):  # the person's own comes first
        return ()
    added = [source for source in sources if source != main and needs_proof(source)]
    elsewhere = {without_login(source.url) for source in sources if source != main and source.url}
    files = tuple(file for file in lock.files if file.name not in FAMILY and file.listed_by not in elsewhere)
    both = on_both(replace(lock, files=files), added, settings, is_cancelled)
    return tuple(_told_of(main, source, shared) for source, shared in both.items())


def _told_of(main: Source, source: Source, files: Sequence[LockedFile]) -> Message:
    address = redact(source.url or "")
    is_list = source.layout is Layout.FLAT
    how = f"--find-links {address}" if is_list else message("notice.on-both-index", address=address)
    names = [f"{file.name} {file.version}" for file in files]
    return naming("notice.on-both", names, main=main.label, source=source.label, address=address, how=how)


def naming(key: str, names: Sequence[str], **params: Param) -> Message:
    """Return a sentence about packages, the first ones by name; `<key>-more` where there are further ones."""
    more = len(names) - _NAMES_SHOWN
    return message(f"{key}{'-more' if more > 0 else ''}", packages=", ".join(names[:_NAMES_SHOWN]), more=more, **params)


def _following(
    facts: Facts, choices: Choices, election: Election, error: WizardError, is_cancelled: Callable[[], bool]
) -> Election | None:
    main = next((source for source in election.package_sources if is_main(source)), None)
    if main is None:
        return None
    is_failing = error.code in _SOURCE_FAILS or error.params.get("source") == (main.name or main.id)
    if not is_failing and error.code not in NO_SOLUTION:
        return None
    if not election.races_packages:
        return _after_all(facts, choices, election, main, is_cancelled) if is_failing else None
    ranked = election.further.get("packages", ())
    later = ranked[ranked.index(main) + 1 :] if main in ranked else ranked
    return _with_main(election, main, later[0]) if later else None


def _after_all(
    facts: Facts, choices: Choices, election: Election, main: Source, is_cancelled: Callable[[], bool]
) -> Election | None:
    """The official index is silent and nobody raced: now the mirrors do."""
    contest = Contest(choices, facts, is_cancelled)
    if main.origin is not Origin.OFFICIAL or not contest.fall_back(Kind.PACKAGES, default_index()):
        return None
    usable = [source for source in contest.packages(election.python, election.candidate.numpy) if source != main]
    if not usable:
        return None
    further = {**election.further, "packages": race_further(contest.races[Kind.PACKAGES])}
    raced = replace(election, races_packages=True, further=further, notices=(*election.notices, *contest.notices))
    return _with_main(raced, main, usable[0])


def _with_main(election: Election, old: Source, new: Source) -> Election:
    sources = tuple(new if source == old else source for source in election.package_sources)
    notice = message("race.packages-retry", source=old.label, other=new.label)
    return replace(election, package_sources=tuple(dict.fromkeys(sources)), notices=(*election.notices, notice))
