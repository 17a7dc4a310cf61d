"""Finds other sources for what a lock holds, or for what could not be resolved where it was selected.

Pages of other sources, held against a lock. Further addresses for its files: the same name and SHA-256 elsewhere, so
that a download goes on. Names that another index has too: strangers may own them on the public one.

At most one page for each project and source, at the same time and within a time limit; who is silent once is not asked
again. Where the official page names another SHA-256 for a file, that one counts: bytes may come from a mirror, the word
on what they must be does not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from wizard.compatibility.model import Choices
from wizard.install.lock import NO_SOLUTION, with_hash, without_login
from wizard.model.distributions import FAMILY
from wizard.model.errors import WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, Param, message
from wizard.process import redact
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.same_files import locked_once
from wizard.run.select.alternates import benchmark_alternates
from wizard.run.select.mirror_policy import MirrorPolicy, has_login
from wizard.run.select.origin import needs_proof
from wizard.run.select.source_catalog import is_main
from wizard.sources.known_sources import default_index
from wizard.sources.model import Layout, Offer, Origin, Source, SourceKind, UserSettings
from wizard.sources.read import HOST_IS_THERE, Reader, promiser
from wizard.transfer.address import host_of
from wizard.transfer.concurrently import GoesOn, ask_together
from wizard.transfer.http import SourceUnreachable, list_headers

_SECONDS = 10.0
_PAGE_SECONDS = 5.0
_AT_ONCE = 12
_BUSY = (429, 503)  # it asks for rest
Answer = TypeVar("Answer")


def with_alternates(
    lock: Lock,
    further: Mapping[str, tuple[Source, ...]],
    settings: UserSettings,
    is_cancelled: Callable[[], bool],
    seconds: float = _SECONDS,
) -> Lock:
    """`further`: role -> sources in the order to try. Without any, nobody is asked. Raises Cancelled."""
    if not further:
        return lock
    found = looked_up(lock.files, lambda file: further.get(_role(file), ()), _same, settings, is_cancelled, seconds)
    files, text = [], lock.text
    for file in lock.files:
        sources = further.get(_role(file), ())
        better = _with_offers(
            file, [(source, offer) for source in sources if (offer := found.get((file.name, source)))]
        )
        if better.sha256 != file.sha256:
            text = _corrected(text, file, better)
        files.append(better)
    return replace(lock, files=tuple(files), text=text)


def _corrected(text: str, file: LockedFile, better: LockedFile) -> str:
    """The lock's own text, in which the hash follows the address."""
    return with_hash(text, file.urls, file.sha256, better.sha256).replace(file.urls[0], better.urls[0], 1)


def on_both(
    lock: Lock,
    sources: Sequence[Source],
    settings: UserSettings,
    is_cancelled: Callable[[], bool],
) -> dict[Source, tuple[LockedFile, ...]]:
    """Return the files of the lock whose names these sources have too, each of them with something else. Who does not
    answer in time is left out. Raises Cancelled."""
    found = looked_up(lock.files, lambda file: sources, _other, settings, is_cancelled, _SECONDS)
    each = {source: tuple(file for file in lock.files if (file.name, source) in found) for source in sources}
    return {source: files for source, files in each.items() if files}


def _role(file: LockedFile) -> str:
    return "torch" if file.name in FAMILY else "packages"


def looked_up(
    files: Iterable[LockedFile],
    sources_for: Callable[[LockedFile], Iterable[Source]],
    look: Callable[[Reader, Source, LockedFile], Answer | None],
    settings: UserSettings,
    is_cancelled: Callable[[], bool],
    seconds: float,
) -> dict[tuple[str, Source], Answer]:
    """What `look` found, by the file's name; nothing of who was silent."""
    reader = Reader(settings, (_PAGE_SECONDS, _PAGE_SECONDS), headers=list_headers())
    silent: set[Source] = set()
    guard = threading.Lock()

    def ask(file: LockedFile, source: Source) -> Callable[[GoesOn], Answer | None]:
        def question(goes_on: GoesOn) -> Answer | None:
            if source in silent:
                return None
            try:
                return look(reader, source, file)
            except WizardError:
                with guard:
                    silent.add(source)
                return None

        return question

    asked = {(file.name, source): ask(file, source) for file in files for source in sources_for(file)}
    try:
        answers = ask_together(asked, seconds, is_cancelled, _AT_ONCE)
    finally:
        reader.close()
    return {key: answer for key, answer in answers.items() if answer is not None}


def nowhere(
    names: Iterable[str], sources: Sequence[Source], settings: UserSettings, is_cancelled: Callable[[], bool]
) -> frozenset[str]:
    """Return those of the names that all of these sources say they do not know. Raises Cancelled."""
    files = [LockedFile(name, "", "", ("",), "") for name in names]

    def has(reader: Reader, source: Source, file: LockedFile) -> bool:
        return reader.has(source, file.name)

    found = looked_up(files, lambda file: sources, has, settings, is_cancelled, _SECONDS)
    return frozenset(file.name for file in files if all(found.get((file.name, one)) is False for one in sources))


def closed(
    names: Iterable[str], sources: Sequence[Source], settings: UserSettings, is_cancelled: Callable[[], bool]
) -> dict[str, str]:
    """Return the names that one of these sources shows to nobody without the right login, with its host. Raises
    Cancelled."""
    files = [LockedFile(name, "", "", ("",), "") for name in names]

    def refuses(reader: Reader, source: Source, file: LockedFile) -> str | None:
        try:
            reader.offers(source, file.name)
        except SourceUnreachable as error:
            status, url = error.params.get("status"), source.url or ""
            return host_of(url) if status == 401 or (status == 403 and has_login(url)) else None
        return None

    found = looked_up(files, lambda file: sources, refuses, settings, is_cancelled, _SECONDS)
    return {name: host for (name, _), host in found.items()}


def _same(reader: Reader, source: Source, file: LockedFile) -> Offer | None:
    offers = reader.offers(source, file.name)
    return next((offer for offer in offers if offer.filename == file.filename and not offer.yanked), None)


def _other(reader: Reader, source: Source, file: LockedFile) -> bool | None:
    """True where the name is there, but not the very file."""
    try:
        if any(offer.sha256 and offer.sha256 == file.sha256 for offer in reader.offers(source, file.name)):
            return None
        return reader.has(source, file.name) or None
    except SourceUnreachable as error:
        if error.code == "source-links-refused":  # wheels of that name
            return True
        if error.code in HOST_IS_THERE and error.params.get("status") not in _BUSY:  # of this page alone
            return None
        raise


def _with_offers(file: LockedFile, offers: Sequence[tuple[Source, Offer]]) -> LockedFile:
    """The addresses in the order of the sources; the lock's own first where its source is not among them."""
    official = next((offer for source, offer in offers if source.origin is Origin.OFFICIAL and offer.sha256), None)
    promise = official or (None if file.sha256 else next((offer for _, offer in offers if offer.sha256), None))
    if promise is None and not file.sha256:
        return file  # nothing would tell one source's bytes from another's
    sha256 = promise.sha256 if promise and promise.sha256 else file.sha256
    promised_by = promiser(promise) if promise else file.promised_by
    good = [offer for _, offer in offers if offer.sha256 in (None, sha256)]
    urls = [offer.url for offer in good]
    if promise and file.sha256 not in ("", sha256):  # its own source has other bytes, which nobody takes
        file = replace(file, listed_by=without_login(promise.source.url or ""))
    elif file.urls[0] not in urls:
        urls = [*file.urls, *urls]
    sizes = [offer.size for offer in good if offer.size is not None and offer.sha256 == sha256]
    size = file.size if file.size is not None and sha256 == file.sha256 else next(iter(sizes), None)
    return replace(file, urls=tuple(dict.fromkeys(urls)), sha256=sha256, size=size, promised_by=promised_by)


# When packages cannot be resolved where they were selected: the next source of the benchmark, or one after all.
#
# Only the main index changes; torch keeps its source, and what the user's settings add stays. Packages that come from a
# public main index although an added one has their names too are told: strangers may own them there.

_MOST_TRIES = 3
_SOURCE_FAILS = ("lock-network", "lock-refused", "lock-damaged", "lock-silent")
_NAMES_SHOWN = 8


def locked_somewhere(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    lock: Callable[[SelectedBuild], Lock],
    is_cancelled: Callable[[], bool],
) -> tuple[Lock, SelectedBuild]:
    """Lock against the sources of a selection, or others, each module once. Raises what it raised first, when no other
    source helps."""
    first: WizardError | None = None
    current = selected
    for left in reversed(range(_MOST_TRIES)):
        try:
            return locked_once(lock, current)
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
    facts: Facts, choices: Choices, selected: SelectedBuild, error: WizardError, is_cancelled: Callable[[], bool]
) -> SelectedBuild | None:
    main = next((source for source in selected.package_sources if is_main(source)), None)
    if main is None:
        return None
    is_failing = error.code in _SOURCE_FAILS or error.params.get("source") == (main.name or main.id)
    if not is_failing and error.code not in NO_SOLUTION:
        return None
    if not selected.packages_measured:
        return _after_all(facts, choices, selected, main, is_cancelled) if is_failing else None
    ranked = selected.further.get("packages", ())
    later = ranked[ranked.index(main) + 1 :] if main in ranked else ranked
    return _with_main(selected, main, later[0]) if later else None


def _after_all(
    facts: Facts, choices: Choices, selected: SelectedBuild, main: Source, is_cancelled: Callable[[], bool]
) -> SelectedBuild | None:
    """Turn to the mirrors after all where the official index is silent."""
    policy = MirrorPolicy(choices, facts, is_cancelled)
    if main.origin is not Origin.OFFICIAL or not policy.fall_back(SourceKind.PACKAGES, default_index()):
        return None
    usable = [source for source in policy.packages(selected.python, selected.candidate.numpy) if source != main]
    if not usable:
        return None
    further = {**selected.further, "packages": benchmark_alternates(policy.benchmarks[SourceKind.PACKAGES])}
    measured = replace(selected, packages_measured=True, further=further, notices=(*selected.notices, *policy.notices))
    return _with_main(measured, main, usable[0])


def _with_main(selected: SelectedBuild, old: Source, new: Source) -> SelectedBuild:
    sources = tuple(new if source == old else source for source in selected.package_sources)
    notice = message("race.packages-retry", source=old.label, other=new.label)
    return replace(selected, package_sources=tuple(dict.fromkeys(sources)), notices=(*selected.notices, notice))
