"""The lock of a project: all its packages in one resolution with torch, and what had to give way for it.

Pins that no solution of ready wheels keeps are let go, each named. What no index has as a wheel is left out, with its
command, also where another package needs it: an older release of that one would be another program.

One file: what is asked of the lock, and what is said of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wizard.app.project import (
    IsCancelled,
    ProjectRequest,
    absolute_folder,
    pin_of,
    refused_words,
)
from wizard.app.project_build import are_asked, lost_pairs, no_pair, selected_build, with_lost, written
from wizard.app.project_parts import (
    BUILT_ALONE,
    PART_KINDS,
    SOURCE,
    SOURCE_MOVED,
    Outside,
    about_parts,
    left_words,
    outside,
    parts_of,
    source_alone,
    ways_of,
)
from wizard.app.project_use import promised_of, use_of
from wizard.app.refused_lock import check_hashes, line_at_fault
from wizard.compatibility.data.model import Matrix
from wizard.install.lock import LOCK_NO_PAIR, NO_SOLUTION
from wizard.model.distributions import FAMILY
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.lock import Lock, PackageVersion
from wizard.model.messages import Message, message
from wizard.project.answer import lines_named, moved_words, relaxed_words
from wizard.project.decide import ProjectDecision
from wizard.project.model import LOCKED, Statement, normalized
from wizard.project.packages.companions import companion, undeclared_bounds
from wizard.project.packages.native import NOTHING, Relaxed
from wizard.project.search.files import ProjectFolder
from wizard.project.versions import loosened, marker_holds, meets
from wizard.run.model import Facts, Preview, SelectedBuild
from wizard.run.plan.as_of import LockAgain, ReleasesThen
from wizard.run.plan.computed import OnProgress
from wizard.run.plan.held_back import HeldBack, SourceNeed, as_source_alone
from wizard.run.plan.held_back import source_alone as sources_alone
from wizard.run.plan.other_packages import closed, nowhere
from wizard.run.plan.preview import preview
from wizard.system import paths

_ANY = 2  # the freedom in which every version will do
_NO_WHEEL = re.compile(r"Wheels are required for `([^`]+)`")
_NO_NAME = re.compile(r"Because (\S+)\s+was\s+not\s+found\s+in\s+the\s+package\s+registry")
_NO_VERSION = re.compile(r"no versions? of ([A-Za-z0-9][\w.-]*)|[Bb]ecause only ([A-Za-z0-9][\w.-]*?)[<>=! ]")
MOST_LOOKED_FOR, _MOST_ABSENT, _MOST_SHOWN = 600, 100, 6  # names that no index may have
_MOST_BUILT = 20  # of which a page of the index is asked
_CANNOT = (*NO_SOLUTION, "lock-conda-version")
SOURCE_ALONE = ErrorText(
    "project-source-alone",
    "{by} needs {name}, of which the package index has the source alone, and nothing is compiled unasked.",
    "Have it built last[: tick “Install the project itself and its parts, too”| (--parts)]. Where it need not be "
    "exact[| (without --strict)], all but that is planned, and the command that adds it is named.",
)
TOGETHER = ErrorText(
    "project-together",
    "Lines of the project do not go together with torch and Python here: {lines}.",
    "Change or leave out one of them, or choose another torch or Python; where it need not be exact[| (without "
    "--strict)], pins may move.",
)


class _SourceAlone(Exception):
    """Something older was locked for what its newest release needs, or other releases than lines pin (`names`)."""

    def __init__(self, needs: Iterable[SourceNeed] = (), names: Collection[str] = ()) -> None:
        super().__init__()
        self.needs, self.names = needs, names


def plan_project(
    facts: Facts,
    matrix: Matrix,
    request: ProjectRequest,
    is_strict: bool,
    is_cancelled: IsCancelled,
    on_progress: OnProgress = lambda progress: None,
) -> tuple[Preview, tuple[Relaxed, ...]]:
    """Lock everything in one resolution. Returns what had to move for it, too, beside the decision's own.

    Raises as `select_build` and `preview`, UsageError `project-unknown`; `is_strict`: where nothing goes together as
    asked.
    """
    request, selected = selected_build(facts, matrix, request, is_strict, is_cancelled)
    selected = replace(selected, notices=(*refused_words(facts, request), *selected.notices))
    lost = lost_pairs(request, selected, is_strict)
    selected, names = with_lost(selected, lost), [one.name for one in lost]
    moved, of_parts = list[Relaxed](), set[str]()
    lack = _Lack(facts, request, selected, is_strict, is_cancelled, frozenset(names))
    beside = {normalized(re.split(r"[^A-Za-z0-9._-]", words, maxsplit=1)[0]) for words in request.choices.extras}
    named = {one.name for one in request.project.statements if one.strength == LOCKED or pin_of(one)}
    then = ReleasesThen(request.decision.as_of, facts, selected, is_cancelled, {*beside, *named})

    def told(lock: Lock, behind: tuple[HeldBack, ...]) -> tuple[Message, ...]:
        then.look(lock)
        check_hashes(request.packages, lock, selected.python)
        if not is_strict and (needs := [need for one in behind for need in one.needs if need.name not in lack.apart]):
            raise _SourceAlone(needs)
        early = {one.name: one for one in behind if one.is_early}
        missing = (one for one in lack.without if one.name not in of_parts)
        others = [*_moved(request, lock, selected, lack.unknown, early)]
        sources = lack.built_lines(others)
        if sources and lack.may_build:
            raise _SourceAlone(names=sources)
        why = message(f"project.why.{SOURCE_MOVED}")
        moved[:] = [*(replace(one, why=why) if one.name in sources else one for one in others), *missing]
        return (*map(moved_words, moved), *(one.said for one in behind if not one.is_early), *then.told(lock))

    folder, left = absolute_folder(request.project), (*(one.name for _, one in request.left), *names)
    use = use_of(folder, ProjectFolder(Path(folder)), (*(one.name for one in request.decision.left_out), *left))
    as_asked = promised_of(_asked(request, selected, list(request.packages), 0, {}).requirements, selected.python)
    found, puts_in = tuple(outside(request, selected, facts.machine)), request.choices.parts
    left_why = tuple(one.why for one in request.decision.left_out)
    if len(request.packages) > MOST_LOOKED_FOR:  # the resolver would ask for minutes
        lack.drop_absent([])
    while True:
        asked = _asked(request, selected, lack.packages, lack.freedom, then.versions)
        promised = promised_of(asked.requirements, asked.python)
        more = lack.outside()
        parts = parts_of((*found, *more)) if puts_in else ()
        of_parts, out = {one.name for one in parts}, (*use.left, *(one.name for one in lack.without))
        told_of = replace(
            use,
            promised=promised,
            asked=(*as_asked, *(one.name for one in are_asked(lost))),
            left=tuple(name for name in out if name not in of_parts),
            ways=(*ways_of(found, puts_in), *left_why, *ways_of(more, puts_in)),
            parts=parts,
        )
        more_said = left_words((one for one in more if one.way.key in BUILT_ALONE or (puts_in and one.part)), puts_in)
        notices = (*asked.notices, *left_words(found, puts_in), *more_said, *about_parts((*found, *more), puts_in))
        built = lack.sources if puts_in else ()  # nothing else brings another release of what is put in last
        asked = replace(asked, project=told_of, apart=tuple(sorted({*lack.apart, *built})), notices=notices)
        try:
            return preview(facts, request.choices, asked, is_cancelled, on_progress, told), (*lost, *moved)
        except LockAgain:
            continue
        except _SourceAlone as older:
            lack.take(older.needs)
            lack.leave([one for one in lack.packages if one.name in older.names])
        except WizardError as error:
            lack.learn(error)


@dataclass
class _Lack:
    """What the locks so far have shown to be nowhere as a wheel. `freedom`: as for `_asked`."""

    facts: Facts
    request: ProjectRequest
    selected: SelectedBuild
    is_strict: bool
    is_cancelled: IsCancelled
    lost: frozenset[str]  # of torchvision and torchaudio
    freedom: int = 0
    without: list[Relaxed] = field(default_factory=list)
    apart: dict[str, SourceNeed] = field(default_factory=dict)  # left out, whoever needs them
    sources: set[str] = field(default_factory=set)  # left out; a line names them, and a setup could build them
    unknown: set[str] = field(default_factory=set)
    at_address: set[str] = field(default_factory=set)  # on no index, and another line has an address or a folder of it

    @property
    def packages(self) -> list[Statement]:
        names = {*self.at_address, *(one.name for one in self.without)}
        return [one for one in self.request.packages if one.name not in names]

    def outside(self) -> tuple[Outside, ...]:
        """A sentence for each; with the command that adds it, where another package needs it."""
        found = (
            source_alone(one, need, self.request, self.selected)
            if (need := self.apart.get(one.name) if one.name not in FAMILY else None) or one.name in self.sources
            else Outside(relaxed_words(one))
            for one in self.without
        )
        return tuple(found)

    def learn(self, error: WizardError) -> None:
        """Raises the error, or what says more, where nothing is left that may give way."""
        if error.code not in _CANNOT:
            raise error
        packages = self.packages
        found = list(sources_alone(self.facts, self.selected, error.details))
        if error.code == LOCK_NO_PAIR.code:
            found.append(SourceNeed(str(error.params["name"]), "", str(error.params["by"])))
        needs = [one for one in found if one.name not in self.apart]
        absent = _named_in(_NO_NAME, error, packages)
        if self._has_address(one.name for one in absent):
            return
        lacking = [one for one in _named_in(_NO_WHEEL, error, packages) if self._may_be_left(one)]
        is_last = not (needs or absent or lacking or self.freedom < _ANY)
        if self.is_strict:  # what is built last is as it was asked
            may_build = self.may_build and not any(companion(one.name) or one.name in FAMILY for one in needs)
            is_last = bool(absent or (needs and not may_build) or not (needs or lacking))
        if is_last:
            said = self._last_word(error, packages, needs)
            raise said from (None if said is error else error)
        self.unknown |= {name for found in _NO_VERSION.findall(error.details) for name in found if name}
        if absent:
            self.drop_absent(absent)
        elif lacking:
            self.leave(lacking)
        elif needs:
            self.take(needs)
        else:
            self.freedom += 1

    def _has_address(self, absent: Iterable[str]) -> bool:
        """Leave to the line with an address or a folder what another line names and no index has; return whether
        there is any."""
        os, python = paths.os_name(), self.selected.python
        given = (one for why, one in self.request.left if why in PART_KINDS and marker_holds(one.marker, os, python))
        found = {one.name for one in given} & {*absent}
        self.at_address |= found
        return bool(found)

    def _last_word(self, error: WizardError, packages: list[Statement], needs: list[SourceNeed]) -> WizardError:
        """Return what says most of why there is no lock."""
        if needs and error.code != LOCK_NO_PAIR.code:
            return WizardError(SOURCE_ALONE, details=error.details, name=str(needs[0]), by=needs[0].by)
        if said := line_at_fault(error, self.facts, self.selected, packages):
            return said
        lines = lines_named(error.details, packages)
        return WizardError(TOGETHER, details=error.details, lines=lines) if lines else error

    def _may_be_left(self, one: Statement) -> bool:
        """Return whether a line without a ready wheel need not be locked. Asked for strictly, it is built, or nothing
        may be left."""
        if not self.is_strict:
            return self.freedom == _ANY or not one.specifier
        may_build = self.may_build and companion(one.name) is None
        return may_build and bool(as_source_alone(self.facts, self.selected, {one.name: one.specifier}))

    @property
    def may_build(self) -> bool:
        return self.request.choices.parts and not self.request.choices.offline

    def built_lines(self, moved: Iterable[Relaxed]) -> frozenset[str]:
        """Return those of which the index has every release that a line allows as source alone."""
        lines = (one for one in moved if companion(one.name) is None and not meets(one.asked, one.given))
        asked = {one.name: one.asked for one in lines if one.asked != "*"}
        return as_source_alone(self.facts, self.selected, dict([*asked.items()][:_MOST_BUILT]))

    def leave(self, lacking: Collection[Statement]) -> None:
        """Leave out lines without a ready wheel: a setup could build those that are no companion of torch."""
        self.sources |= {one.name for one in lacking if companion(one.name) is None}
        kinds = ((one, SOURCE if one.name in self.sources else "no-wheel") for one in lacking)
        self.without += [_not_as_asked(one, NOTHING, self.selected, kind) for one, kind in kinds]
        self.freedom = 0

    def take(self, needs: Iterable[SourceNeed]) -> None:
        """Leave out what packages need, and what the project's own lines say of it."""
        lines = {one.name: one for one in reversed(self.packages)}
        for need in needs:
            if need.name in self.apart:
                continue
            line, by = lines.get(need.name), lines.get(need.by)
            is_pair = need.name in FAMILY
            why = no_pair(self.selected) if is_pair else message("project.why.source-alone", by=need.by)
            asked = (line and line.specifier) or need.specifier or "*"
            origins = tuple(one.origin for one in (line or by,) if one)
            if need.name not in self.lost:
                self.without.append(Relaxed(need.name, asked, NOTHING, why, origins))
            self.apart[need.name] = need
        self.freedom = 0

    def drop_absent(self, absent: list[Statement]) -> None:
        """One name after the other would take an hour for a list of made-up ones. Raises UsageError
        `project-unknown`."""
        names = [one.name for one in self.packages][:MOST_LOOKED_FOR]
        sources = self.selected.package_sources
        more = nowhere(names, sources, self.facts.settings, self.is_cancelled) | {one.name for one in absent}
        if len(more) > _MOST_ABSENT:
            shown = ", ".join(sorted(more)[:_MOST_SHOWN])
            raise UsageError(
                "project-unknown",
                "The project names {count} packages or more that no index here has, such as {names}.",
                "Look whether this is the file that you mean, or name the index that has them[ (page "
                "{page.source})| (--index)].",
                count=len(more),
                names=shown,
            )
        self._has_address(more)
        found = {one.name: one for one in reversed(self.packages) if one.name in more}
        shut = closed(found, sources, self.facts.settings, self.is_cancelled)
        for name, one in found.items():
            self.without.append(_not_as_asked(one, NOTHING, self.selected, "no-package", shut.get(name, "")))
        self.freedom = 0


def _asked(
    request: ProjectRequest,
    selected: SelectedBuild,
    packages: list[Statement],
    freedom: int,
    then: Mapping[str, str],
) -> SelectedBuild:
    """`freedom`: 0 as asked; 1 pins are least versions of the same major; 2 any version. Pins, and the releases of
    another day (`then`), are kept where that has a solution."""
    decision = request.decision
    moving = {one.name: one.given for one in decision.relaxed}
    lines = [_requirement(one, decision, moving, freedom) for one in packages]
    lines += [written(one) for one in decision.understood.constraints if _is_asked(one, packages, freedom)]
    pins = {one.name: pin_of(one) for one in reversed(packages) if pin_of(one)}
    of_lock = [one for one in reversed(request.project.statements) if one.strength == LOCKED]
    os, python = paths.os_name(), selected.python
    locked = {one.name: pin_of(one) for one in of_lock if marker_holds(one.marker, os, python)}
    preferred = {**then, **locked, **(pins if freedom else {})}
    requirements = tuple(dict.fromkeys((*selected.requirements, *lines)))
    is_named = freedom == _ANY or any(one.name == "numpy" for one in packages)
    numpy = () if is_named or not decision.numpy else (f"numpy{decision.numpy}",)  # whoever brings it
    return replace(
        selected,
        requirements=requirements,
        constraints=(*numpy, *undeclared_bounds((*requirements, *numpy))),
        preferred=tuple(
            PackageVersion(name, version)
            for name, version in preferred.items()
            if version and name not in FAMILY and not name.startswith("nvidia-")
        ),
        overrides=tuple(map(written, decision.understood.overrides)) if freedom < _ANY else (),
        notices=(*selected.notices, *map(relaxed_words, decision.relaxed)),
    )


def _is_asked(constraint: Statement, packages: list[Statement], freedom: int) -> bool:
    names = ("numpy", *(one.name for one in packages))  # torch brings NumPy, whoever declares it
    return not (freedom or constraint.override or constraint.url) and constraint.name in names


def _requirement(one: Statement, decision: ProjectDecision, moving: dict[str, str], freedom: int) -> str:
    name, specifier, row = one.name, one.specifier, companion(one.name)
    given = moving.get(name, "").split(" ")[0]
    if given.startswith((">=", "<", "==")):  # what torch or its CUDA needs of it
        specifier = given
    elif row and given and (given, name) == (row.on_cpu, row.name):  # by the same numbers
        name = given
    elif row and given:  # it goes with torch, or has another name here
        is_name = given in (row.instead, row.on_cpu) or companion(given) is row
        specifier, name = "", given if is_name else name
    if name == "numpy" and decision.numpy:
        specifier = decision.numpy
    if freedom:
        specifier = loosened(specifier) if freedom < _ANY else ""
    return written(replace(one, name=name, specifier=specifier))


def _moved(
    request: ProjectRequest,
    lock: Lock,
    selected: SelectedBuild,
    unknown: Collection[str],
    early: Mapping[str, HeldBack],
) -> Iterator[Relaxed]:
    """What is in the lock in another version than a line asks for, beside what was decided already; and what is there
    before its release. `early`: by name."""
    known = {one.name for one in request.decision.relaxed}
    for one in request.packages:
        file = lock.find(one.name)
        if one.name in known or file is None or not marker_holds(one.marker, paths.os_name(), selected.python):
            continue
        if not meets(one.specifier, file.version):
            why = "no-version" if one.name in unknown else "no-solution"
            yield _not_as_asked(one, file.version, selected, why)
        elif one.name in early:
            yield _not_as_asked(one, file.version, selected, "early")


def _named_in(kind: re.Pattern[str], error: WizardError, packages: list[Statement]) -> list[Statement]:
    """Return what the resolver says that no index has, or none as a wheel."""
    named = set(kind.findall(error.details))
    return [one for one in packages if one.name in named]


def _not_as_asked(one: Statement, given: str, selected: SelectedBuild, why: str, host: str = "") -> Relaxed:
    torch, python = selected.candidate.torch, selected.python
    reason = message(f"project.why.{'closed' if host else why}", torch=torch, python=python, host=host)
    return Relaxed(one.name, one.specifier or "*", given, reason, (one.origin,))
