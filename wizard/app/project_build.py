"""Takes the build that a source has, of those that differ in nothing further from what a project asks.

What is asked is `project`'s matter, the lock of all its packages `project_plan`'s. torchvision and torchaudio are lost
where no source has the one of that build, which is told, or refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wizard.app.companion_torch import with_companions_torch
from wizard.app.project import IsCancelled, ProjectRequest, of_any_build, request_of
from wizard.app.project_use import promised_of
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.project.model import Statement
from wizard.project.packages.companions import companion
from wizard.project.packages.native import NOTHING, Relaxed, lines_of
from wizard.project.reasons import asked_words
from wizard.project.versions import marker_holds
from wizard.run.model import Facts, SelectedBuild
from wizard.run.select.build_search import available_pythons
from wizard.run.select.select_build import (
    COMPANION_NOT_CARRIED,
    NO_SOURCE,
    NO_SOURCE_BUT,
    NO_SOURCE_SOME_SILENT,
    select_build,
)
from wizard.system import paths

_MOST_BUILDS, _MOST_RELEASES = 20, 60  # weighed for what a source may lack
# Nothing makes the Python that was decided, or no source has a build for it.
_NO_PYTHON = ("engine-venv-no-python", "no-engine", NO_SOURCE.code, NO_SOURCE_BUT.code, NO_SOURCE_SOME_SILENT.code)
_PAIR_NOT_CARRIED = ErrorText(
    "project-pair-not-carried",
    "The source of {build} has no {name} that belongs to it, which this needs: {lines}.",
    "Choose another source[ (page {page.source})| (--torch-index)] or another torch; where it need not be exact"
    "[| (without --strict)], all but that is planned.",
)


def selected_build(
    facts: Facts, matrix: Matrix, request: ProjectRequest, is_strict: bool, is_cancelled: IsCancelled
) -> tuple[ProjectRequest, SelectedBuild]:
    """Return the build from a source. Where nothing here makes its Python, or no source has a build for it, with one of
    this computer's that differs in nothing further from what the project asks, which is told. Raises what the first
    one raised, or that one's source has torch and lacks what belongs to it."""
    pythons = () if request.asked.python else available_pythons(facts.machine.pythons)
    first: WizardError | None = None
    for asked in (request.asked, *(replace(request.asked, python=python) for python in pythons)):
        tried = request_of(request.project, facts, matrix, asked)
        if first and (_differing(tried) != _differing(request) or tried.choices.python != asked.python):
            continue
        try:
            taken, selected = _from_a_source(facts, matrix, tried, is_strict, is_cancelled)
        except WizardError as error:
            first = error if first is None or error.code == _PAIR_NOT_CARRIED.code else first
            if error.code not in _NO_PYTHON:
                raise first from None
            continue
        return taken, _with_python_told(selected, request.choices.python if first else None)
    assert first
    raise first


def _with_python_told(selected: SelectedBuild, decided: str | None) -> SelectedBuild:
    """Say which Python is not taken, where that was not left open."""
    if decided in (None, selected.python):
        return selected
    told = message(
        "project.other-python",
        "Python {given} is taken and not {decided}: no reachable source has a build for that one, or nothing here "
        "makes it. To have it, name a source with such a build[ (page {page.source})| (--torch-index)].",
        given=selected.python,
        decided=decided,
    )
    return replace(selected, notices=(*selected.notices, told))


def _from_a_source(
    facts: Facts, matrix: Matrix, request: ProjectRequest, is_strict: bool, is_cancelled: IsCancelled
) -> tuple[ProjectRequest, SelectedBuild]:
    """Return the best build that a source has, of those that differ in nothing further from what the project asks."""
    taken = {(one.choices.torch, one.choices.variant): one for one in _as_good(facts, matrix, request)}
    candidates = tuple(one.decision.candidate for one in taken.values() if one.decision.candidate)
    verdict = replace(resolve(facts.machine, matrix, request.choices), candidates=candidates)
    any_of_them = of_any_build(request.choices, is_strict)
    try:
        selected = select_build(facts, matrix, verdict, any_of_them, None, is_cancelled)
    except UsageError as error:  # what is lost is told, and wants a yes
        lost = str(error.params["name"]).split(", ") if error.code == COMPANION_NOT_CARRIED.code else []
        if not lost or {*lost} & {*(request.asked.companions or ())}:
            raise
        if is_strict:
            raise _not_carried(request, lost, str(error.params["build"])) from None
        kept = tuple(name for name in any_of_them.companions or () if name not in lost)
        any_of_them = replace(any_of_them, companions=kept)
        selected = select_build(facts, matrix, verdict, any_of_them, None, is_cancelled)

    def again(wanted: Choices) -> SelectedBuild:
        only = tuple(one for one in candidates if one.torch == wanted.torch)
        return select_build(facts, matrix, replace(verdict, candidates=only), any_of_them, None, is_cancelled)

    named = replace(any_of_them, extras=promised_of([written(one) for one in request.packages], selected.python))
    selected = with_companions_torch(facts, named, selected, candidates, again, is_cancelled)
    return taken[selected.candidate.torch, selected.candidate.variant], selected


def _as_good(facts: Facts, matrix: Matrix, request: ProjectRequest) -> Iterator[ProjectRequest]:
    """Yield it, and what would be decided where no source has that build, and so on."""
    absent, current = set[tuple[str, str]](), request
    chooses = any((row := companion(one.name)) and row.follows for one in request.packages)  # its torch, an old one too
    most = _MOST_RELEASES if chooses else _MOST_BUILDS
    while len(absent) < most and set(_differing(current)) <= set(_differing(request)):
        yield current
        absent.add((current.choices.torch or "", current.choices.variant or ""))
        try:
            current = request_of(request.project, facts, matrix, request.asked, absent)
        except WizardError:
            return


def _differing(request: ProjectRequest) -> list[str]:
    return [one.name for one in request.decision.relaxed]


def lost_pairs(request: ProjectRequest, selected: SelectedBuild, is_strict: bool = False) -> tuple[Relaxed, ...]:
    """Return torchvision and torchaudio, where the project asks for them, or needs them, and no source has the one of
    this build. Raises UsageError `project-pair-not-carried` where all has to be as asked."""
    build, asked = selected.candidate, request.decision.understood.pairs
    known = {one.name for one in request.decision.relaxed if one.given == NOTHING}
    lost = tuple(
        Relaxed(name, asked_words(lines) or "*", NOTHING, no_pair(selected, _needing(lines)), lines_of(lines))
        for name, lines in asked.items()
        if name not in known
        and not build.companion(name)
        and any(marker_holds(one.marker, paths.os_name(), selected.python) for one in lines)
    )
    if lost and is_strict:
        raise _not_carried(request, [one.name for one in lost], f"torch {build.torch}+{build.variant}")
    return lost


def are_asked(lost: Iterable[Relaxed]) -> tuple[Relaxed, ...]:
    """Return those that a line itself asks for."""
    return tuple(one for one in lost if not one.why.params.get("by"))


def _needing(lines: Iterable[Statement]) -> str:
    """Return the packages that need it; "" where a line itself asks for it."""
    by = [one.needed_by for one in lines]
    return ", ".join(dict.fromkeys(by)) if all(by) else ""


def no_pair(selected: SelectedBuild, by: str = "") -> Message:
    """`by`: what needs it, where no line asks for it."""
    build = f"torch {selected.candidate.torch}+{selected.candidate.variant}"
    if by:
        return message(
            "project.why.no-pair-needed",
            "{by} needs it, and no reachable source has it for {build}",
            by=by,
            build=build,
        )
    return message("project.why.no-pair", "no reachable source has it for {build}", build=build)


def _not_carried(request: ProjectRequest, names: Iterable[str], build: str) -> UsageError:
    """Return that all has to be as asked, with the lines that ask for what the source lacks or need it."""
    pairs = request.decision.understood.pairs
    lines = [one for name in names for one in pairs.get(name, ())]
    said = dict.fromkeys(f"{one.origin}: {one.needed_by or one}" for one in lines)
    return UsageError(_PAIR_NOT_CARRIED, name=", ".join(names), build=build, lines="; ".join(said))


def with_lost(selected: SelectedBuild, lost: tuple[Relaxed, ...]) -> SelectedBuild:
    """Say first what is lost, in place of what is said where nobody asks for it."""
    names = [one.name for one in lost]
    kept = (one for one in selected.notices if one.key != "notice.companion-dropped" or one.params["name"] not in names)
    return replace(selected, notices=(*_lost_words(lost), *kept))


def _lost_words(lost: tuple[Relaxed, ...]) -> Iterator[Message]:
    if asked := are_asked(lost):
        yield message(
            "project.lost",
            "{names}, which the project asks for, will be missing: no reachable source has it for {build}. Choose "
            "another source or another torch, else what imports it fails.",
            names=", ".join(one.name for one in asked),
            build=asked[0].why.params["build"],
        )
    for one in lost:
        if one not in asked:
            yield message(
                "project.lost-needed",
                "{name}, which {by} needs, will be missing: no reachable source has it for {build}. Choose another "
                "source or another torch, else what imports it fails.",
                name=one.name,
                by=one.why.params["by"],
                build=one.why.params["build"],
            )


def written(one: Statement) -> str:
    extras = f"[{','.join(one.extras)}]" if one.extras else ""
    return f"{one.name}{extras}{one.specifier}{f' ; {one.marker}' if one.marker else ''}"
