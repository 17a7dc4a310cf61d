"""Selects the build, its source, the engine and the Python: what the matrix promises, checked live.

The engine is decided first, since it says which Pythons can be had: any, when a conda channel answers; those of
the machine otherwise.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import INDEX_STRATEGIES, Candidate, Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.environment.conda.find import OwnConda
from wizard.environment.create.choose import BasePython, ChannelVerdict, choose_engine
from wizard.environment.create.modes import closed_to_others
from wizard.machine.asking import asker
from wizard.machine.host.interpreters import named_python
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.messages import Message, message, text
from wizard.process import redact
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.conda_part import own_conda
from wizard.run.select.alternates import further_channels, further_sources
from wizard.run.select.build_search import (
    BuildSearch,
    FoundBuild,
    available_pythons,
    second_choice,
    wanted_candidates,
)
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.run.select.origin import named, refusal_notice, unconfirmed
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.address_facts import channel_name
from wizard.sources.channel import channel_subdir
from wizard.sources.model import Origin, Source, SourceKind, SourceStatus
from wizard.sources.read import Reader
from wizard.sources.table import FORGE
from wizard.transfer.http import SOURCE_CERTIFICATE, SOURCE_TLS, list_headers
from wizard.transfer.trouble import CLOCK, EXPIRED

COMPANION_NOT_CARRIED = ErrorText(
    "companion-not-carried",
    "The source of {build} has no {name} that belongs to it.",
    "Leave {name} out (page {page.build}[|, or --with]), or choose another source (page {page.source}[|, or "
    "--torch-index]).",
)
NO_SOURCE = ErrorText(
    "no-source",
    "No reachable source has a build that fits; the best would be {build}.",
    "Try again later, or name a source yourself: on the page {page.source}[|, or with --torch-index or --find-links].",
)
NO_SOURCE_SOME_SILENT = ErrorText(
    "no-source-some-silent",
    "{silent} of {asked} PyTorch sources did not answer, and the others have no build that fits; the best would be "
    "{build}.",
    "Check the network and the proxy, or name a source yourself: on the page {page.source}[|, or with "
    "--torch-index or --find-links].",
)
NO_SOURCE_BUT = ErrorText(
    "no-source-but",
    "No reachable source has {build}; the newest that they have and that runs here is torch {torch}.",
    "Choose that one (page {page.build}[|, or --torch {torch}]), or name a source that has the other: on the page "
    "{page.source}[|, or with --torch-index or --find-links].",
)
NO_SOURCE_ANSWERS = ErrorText(
    "no-source-answers",
    "No source could be reached. {reasons}",
    "Check the network and the proxy, or name a source yourself: on the page {page.source}[|, or with "
    "--torch-index, --index or --find-links].",
)

_REASONS_SHOWN = 3
_WITH_REMEDY = ("error.network-proxy-", ("error.network-tls-", "error.source-certificate", "truth.tls"))
_OTHER_WORDS: dict[str, str | ErrorText] = {"source-certificate": SOURCE_CERTIFICATE, "tls": SOURCE_TLS, EXPIRED: CLOCK}
OnNote = Callable[[Message], None]
OnSource = Callable[[SourceStatus], None]


def select_build(
    facts: Facts,
    matrix: Matrix,
    verdict: Verdict,
    choices: Choices,
    on_note: OnNote | None,
    is_cancelled: Callable[[], bool],
    fresh: bool = False,
    on_source: OnSource = lambda status: None,
) -> SelectedBuild:
    """Return the best build that a source carries. `fresh`: sources are asked anew, whatever was found within a day.
    `on_source` gets the status of each one that is probed.

    Raises WizardError `no-build-fits`, `no-source`, `no-source-but`, UsageError for choices that cannot be met,
    Cancelled."""
    candidates = wanted_candidates(verdict, choices)
    facts = with_serving_pythons(facts, choices, is_cancelled)
    own = own_conda(facts, choices, is_cancelled)
    policy = MirrorPolicy(choices, facts, is_cancelled, fresh, on_source)
    with Reader(facts.settings, headers=list_headers() if policy.is_on(SourceKind.TORCH) else None) as reader:
        catalog = SourceCatalog(choices, facts.settings, reader, policy)
        channels = channel_verdicts(choices, catalog, facts, candidates[0])
        search = BuildSearch(facts.machine, matrix, choices, catalog, is_cancelled, choices.companions or ())
        pythons = _pythons(choices, facts, channels, own)
        found = search.find(candidates, pythons)
        if found is None:
            build = _build(candidates[0]) + (f" (Python {choices.python})" if choices.python else "")
            error = next(iter(search.refused.values()), None) or nothing_found(search.statuses(), build)
            raise _with_another(error, search, candidates, pythons)
        selected = _selected_build(facts, choices, candidates[0], found, channels, catalog, own)
        variant = found.candidate.variant
        lost = catalog.lost_index(selected.package_sources)
        open_ones = unconfirmed(selected.offers.values(), matrix, lambda one: catalog.official_sha256(one, variant))
    states, refused = (*search.statuses(), *((lost,) if lost else ())), refusals(search)
    about_build = (*_still_true(verdict.notices, found.candidate), *_unfit(found.candidate))
    notices = (*about_build, *selected.notices, *refused, *open_ones)
    for notice in notices:
        if on_note:
            on_note(notice)
    return replace(selected, notices=notices, states=states)


def _with_another(
    error: WizardError, search: BuildSearch, candidates: Sequence[Candidate], pythons: Sequence[str] | None
) -> WizardError:
    """Name what the sources do have, where the torch that was asked for is in none of them."""
    if error.code not in (NO_SOURCE.code, NO_SOURCE_SOME_SILENT.code):
        return error
    free = replace(search.choices, torch=None, variant=None)
    others = [one for one in resolve(search.machine, search.matrix, free).candidates if one.fits]
    found = search.find([one for one in others if one not in candidates], pythons)
    if found is None:
        return error
    return WizardError(NO_SOURCE_BUT, details=error.details, build=_build(candidates[0]), torch=found.candidate.torch)


def refusals(search: BuildSearch) -> tuple[Message, ...]:
    """Return a notice for each source whose wheels were not taken, or are not the ones that the tables know."""
    return (
        *(refusal_notice(refusal) for refusal in search.refused.values()),
        *_contradicted(search.statuses()),
    )


def channel_verdicts(
    choices: Choices, catalog: SourceCatalog, facts: Facts, best: Candidate
) -> tuple[ChannelVerdict, ...]:
    """Ask the conda channels; their mirrors where all are silent and mirrors may be asked. () for the engine venv."""
    if choices.engine == "venv":
        return ()
    subdir = channel_subdir(facts.machine.os, facts.machine.arch)
    python = choices.python or best.python or best.pythons[-1]
    sources = catalog.channels(python)
    verdicts = _asked_channels(sources, catalog, subdir)
    policy = catalog.policy
    is_silent = not any(verdict.answers for verdict in verdicts)
    if is_silent and policy and any(policy.fall_back(SourceKind.CONDA, source) for source in sources):
        return _asked_channels(catalog.channels(python), catalog, subdir)
    return verdicts


def _asked_channels(sources: Sequence[Source], catalog: SourceCatalog, subdir: str) -> tuple[ChannelVerdict, ...]:
    """Ask them in their order. Of several conda-forges (a mirror and the official place) the first that answers will
    do: the engine would read the index of each."""
    verdicts: list[ChannelVerdict] = []
    for source in sources:
        has_forge = any(verdict.answers and channel_name(verdict.url) == FORGE for verdict in verdicts)
        if not has_forge or channel_name(source.url or "") != FORGE:
            verdicts.append(_channel_verdict(source, catalog, subdir))
    return tuple(verdicts)


def _silent_channels(channels: tuple[ChannelVerdict, ...], own: tuple[str, ...]) -> tuple[Message, ...]:
    """Name the user's own that did not answer, where another one does the work."""
    if not any(channel.answers for channel in channels):
        return ()
    silent = (channel.url for channel in channels if not channel.answers and channel.url in own)
    return tuple(message("notice.channel-silent", channel=redact(url)) for url in silent)


def _channel_verdict(source: Source, catalog: SourceCatalog, subdir: str) -> ChannelVerdict:
    try:
        catalog.check_channel(source, subdir)
    except WizardError:
        return ChannelVerdict(source.url or "", answers=False, by_hand=source.origin is Origin.BY_HAND)
    return ChannelVerdict(source.url or "", answers=True, by_hand=source.origin is Origin.BY_HAND)


def _pythons(
    choices: Choices, facts: Facts, channels: tuple[ChannelVerdict, ...], own: OwnConda | None
) -> tuple[str, ...] | None:
    """Return those of the machine; None: the built-in engine and conda can bring any. Raises as `choose_engine` for a
    choice that nothing can meet."""
    if choices.engine != "venv" and any(channel.answers for channel in channels):
        return None
    pythons = available_pythons(facts.machine.pythons)
    if choices.python or not pythons or choices.engine not in ("auto", "venv"):
        choose_engine(choices.engine, channels, base_pythons(facts), choices.python or "3", own)
    return pythons


def with_serving_pythons(facts: Facts, choices: Choices, is_cancelled: Callable[[], bool]) -> Facts:
    """Return the facts with the Pythons alone that the environment may be made from: the one that was named, or, for a
    shared one, those that others can run. Where none of these would serve, all, so that the refusal can name it."""
    pythons = facts.machine.pythons
    if choices.base_python:
        pythons = (named_python(asker(is_cancelled), Path(choices.base_python)),)
    elif choices.shared:
        open_ones = tuple(one for one in pythons if closed_to_others(Path(one.executable)) is None)
        serves = any(one.has_venv and choices.python in (None, one.minor) for one in open_ones)
        pythons = open_ones if serves else pythons
    return replace(facts, machine=replace(facts.machine, pythons=pythons))


def base_pythons(facts: Facts) -> tuple[BasePython, ...]:
    """Return the machine's Pythons that a venv may be made from."""
    return tuple(BasePython(p.executable, p.version, p.has_venv) for p in facts.machine.pythons)


def _selected_build(
    facts: Facts,
    choices: Choices,
    wanted: Candidate,
    found: FoundBuild,
    channels: tuple[ChannelVerdict, ...],
    catalog: SourceCatalog,
    own: OwnConda | None,
) -> SelectedBuild:
    engine = choose_engine(choices.engine, channels, base_pythons(facts), found.python, own, bool(choices.base_python))
    companions, dropped = kept_companions(choices, found)
    packages = catalog.package_sources(found.source, found.python, found.candidate.numpy)
    by_kind = _by_kind(found, packages, engine.channels, catalog)
    kept = [found.offers[name] for name in ("torch", *companions)]
    pins = tuple(f"{offer.project}=={offer.version}" for offer in kept)
    candidate = replace(
        found.candidate,
        python=found.python,
        torchvision=_version(found, "torchvision") if "torchvision" in companions else None,
        torchaudio=_version(found, "torchaudio") if "torchaudio" in companions else None,
    )
    return SelectedBuild(
        wanted=wanted,
        candidate=candidate,
        engine=engine.engine,
        engine_reason=engine.reason,
        python=found.python,
        base_python=str(engine.base_python) if engine.base_python else None,
        channels=engine.channels,
        torch_source=found.source,
        offers={offer.project: offer for offer in kept},
        requirements=(*pins, f"numpy{found.candidate.numpy}", *choices.extras),
        package_sources=packages,
        states=(),
        index_strategy=choices.index_strategy,
        further=further_sources(packages, choices, facts.settings, catalog.policy),
        further_channels=further_channels(catalog.policy, choices, facts.settings, engine.channels),
        packages_measured=catalog.policy is not None and catalog.policy.is_on(SourceKind.PACKAGES),
        conda=str(engine.conda) if engine.conda else None,
        notices=(
            *second_choice(wanted, found.candidate),
            *dropped,
            *_any_index(packages, choices.index_strategy),
            *_silent_channels(channels, facts.settings.conda_channels),
            *(catalog.policy.notices_for(by_kind) if catalog.policy else ()),
        ),
    )


def _any_index(packages: Sequence[Source], strategy: str) -> tuple[Message, ...]:
    """Several indexes, and a version on any of them counts: asked for by name, and shown."""
    if strategy == INDEX_STRATEGIES[0] or len(packages) < 2:
        return ()
    return (message("notice.any-index", count=len(packages)),)


def _by_kind(
    found: FoundBuild, packages: tuple[Source, ...], channels: tuple[str, ...], catalog: SourceCatalog
) -> dict[SourceKind, Source | None]:
    measured = catalog.policy.benchmarks.get(SourceKind.CONDA) if catalog.policy else None
    channel = next((one.source for one in measured.ranked if one.source.url in channels), None) if measured else None
    return {
        SourceKind.TORCH: found.source,
        SourceKind.PACKAGES: packages[0] if packages else None,
        SourceKind.CONDA: channel,
    }


def _version(found: FoundBuild, project: str) -> str:
    return found.offers[project].version.public


def kept_companions(choices: Choices, found: FoundBuild) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """Return torchvision and torchaudio as they come along, from torch's own source and variant or not at all, and what
    is said of one that does not. Raises UsageError `companion-not-carried` for one that was asked for."""
    asked = choices.companions
    wanted = ("torchvision",) if asked is None else asked
    missing = [name for name in wanted if name not in found.offers]
    if missing and asked is not None:
        raise UsageError(COMPANION_NOT_CARRIED, name=", ".join(missing), build=_build(found.candidate))
    notices = tuple(message("notice.companion-dropped", name=name, build=_build(found.candidate)) for name in missing)
    return tuple(name for name in wanted if name in found.offers), notices


def _contradicted(states: Iterable[SourceStatus]) -> Iterator[Message]:
    """Name the sources that were found to list another SHA-256 than the tables do."""
    for state in states:
        if state.message.key == "truth.wrong-pin":
            yield message("notice.pin-differs", **named(state.source, str(state.message.params["file"])))


def _still_true(notices: tuple[Message, ...], candidate: Candidate) -> tuple[Message, ...]:
    """Doubts about the tables' best do not concern another build that was found instead."""
    build = f"{candidate.torch}+{candidate.variant}"
    return tuple(
        notice
        for notice in notices
        if not notice.key.startswith("plan.notice.unsure.") or notice.params.get("build") == build
    )


def _unfit(candidate: Candidate) -> tuple[Message, ...]:
    """Say that it was asked for by name although this machine cannot run it on a card."""
    return tuple(
        message("notice.asked-unfit", build=_build(candidate), reason=reason.message)
        for reason in candidate.reasons[:1]
    )


def _build(candidate: Candidate) -> str:
    return f"torch {candidate.torch}+{candidate.variant}"


def _reasons(silent: Sequence[SourceStatus]) -> tuple[Message, ...]:
    """Return what the first few answered; the log has them all."""
    reasons: list[Message] = []
    for status in silent[:_REASONS_SHOWN]:
        name, words = status.source.label, status.message
        reason = words if name in words.params.values() else message("source.said", name=name, words=words)
        if reason not in reasons:
            reasons.append(reason)
    return tuple(reasons)


def _same_trouble(silent: Sequence[SourceStatus], details: str) -> WizardError | None:
    """A proxy or a certificate that stands before most of them has a remedy of its own, however each of them says it;
    where several certificates seem to have expired, this computer's date is wrong."""
    for kind in _WITH_REMEDY:
        mine = [state for state in silent if state.message.key.startswith(kind)]
        if len(mine) * 2 > len(silent):
            words, code = mine[0].message, mine[0].message.key.split(".")[1]
            is_of_one = code == EXPIRED and len([one for one in mine if one.message.key == words.key]) == 1
            known = code if is_of_one else _OTHER_WORDS.get(code, code)
            return WizardError(known, details=details, **{"source": mine[0].source.label, **words.params})
    return None


def nothing_found(states: tuple[SourceStatus, ...], build: str) -> WizardError:
    """Return why no source has the build: none answers, or none lists it."""
    details = "\n".join(f"{state.source.id} {text(state.source.name, 'en')}: {state.verdict}" for state in states)
    typed = next((state.message for state in states if state.source.origin is Origin.BY_HAND), None)
    gone = {**typed.params} if typed and typed.key == "truth.gone" else {}  # which address, and how it answered
    is_here = [urlsplit(state.source.url or "").scheme == "file" for state in states]  # a folder always answers
    asked = [one for one, local in zip(states, is_here, strict=True) if one.kind in ("", "torch") and not local]
    silent = [state for state in asked if state.verdict == "unreachable"]
    if len(silent) * 2 > len(asked) and (trouble := _same_trouble(silent, details)):
        return trouble
    if asked and len(silent) == len(asked):
        return WizardError(NO_SOURCE_ANSWERS, details=details, reasons=_reasons(silent))
    if len(silent) * 2 > len(asked):  # else the network is not what lacks
        return WizardError(
            NO_SOURCE_SOME_SILENT, details=details, silent=str(len(silent)), asked=str(len(asked)), build=build, **gone
        )
    return WizardError(NO_SOURCE, details=details, build=build, **gone)
