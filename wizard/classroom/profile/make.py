"""Makes a class profile: for each build that the class needs, the lock with all sizes and hashes, on this computer.

Also for Windows from Linux: the sources are asked as for a machine of that system, and the resolver is told its name.
No secret gets into a profile: what a private index wants to know stays in the settings of each machine.

One file: what is selected, locked and told of one entry goes together.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import wizard
from wizard.classroom.profile.conda import PythonLock, PythonLocks, for_all, plain_address
from wizard.classroom.profile.model import (
    CondaPackage,
    Profile,
    ProfileEnvironment,
    ProfileFile,
    ProfileLock,
    ProfileSources,
)
from wizard.classroom.profile.needs import PROFILE_NO_BUILD, Needs, ProfileNeed, one_python, without
from wizard.classroom.profile.rows import rows_for
from wizard.classroom.profile.write import profile_file
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Candidate, Choices
from wizard.compatibility.resolve import check_extras, resolve
from wizard.install.lock import NO_SOLUTION
from wizard.machine.model import Machine
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import Message, message
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.computed import Asker, with_computed
from wizard.run.plan.conda_part import Around, Locked, agree, pins
from wizard.run.plan.other_packages import locked_somewhere, of_both
from wizard.run.plan.preview import locked, network_environment
from wizard.run.run_folder import RunFolder
from wizard.run.select.alternates import further_sources
from wizard.run.select.build_search import BuildSearch
from wizard.run.select.mirror_policy import MirrorPolicy
from wizard.run.select.origin import REFUSALS, refusal_notice, unconfirmed
from wizard.run.select.select_build import NO_SOURCE, NO_SOURCE_SOME_SILENT, kept_companions, nothing_found, refusals
from wizard.run.select.source_catalog import SourceCatalog
from wizard.sources.model import SourceKind
from wizard.sources.read import Reader
from wizard.transfer.http import list_headers

IsCancelled = Callable[[], bool]
Again = Callable[[Matrix], Needs]
Selected = tuple[ProfileNeed, SelectedBuild]


class LockIt(Protocol):
    def __call__(self, around: Around, more: tuple[str, ...] = ()) -> Locked:
        """`more`: further requirements."""


_BUILT_IN = ("auto", "rattler")  # engines that may be the built-in one


@dataclass(frozen=True, slots=True)
class Made:
    """What a profile says beside its locks. `made`: the day, "2026-11-21"; the same input gives the same bytes."""

    title: str
    made: str
    environment: ProfileEnvironment
    share: tuple[str, ...] = ()
    only_share: bool = False
    ask: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Hearing:
    """Who is told how it goes: of each entry as soon as it is there, of one that cannot be and is left out, of one
    whose Python no channel gave, so that the students' computers must ask one themselves, of a build that no source
    has, with what its computers get in its place, and of what a setup would say of its sources. `on_local`: of a file
    on this computer, which a pack will bring to the class; None: there is no pack, so it is refused."""

    on_entry: Callable[[ProfileNeed, ProfileLock], None] = lambda need, entry: None
    on_left_out: Callable[[ProfileNeed, WizardError], None] = lambda need, error: None
    on_no_python: Callable[[ProfileNeed, WizardError], None] = lambda need, error: None
    on_replaced: Callable[[ProfileNeed, tuple[ProfileNeed, ...]], None] = lambda need, given: None
    on_note: Callable[[Message], None] = lambda note: None
    on_local: Callable[[LockedFile], None] | None = None


def check_made(made: Made) -> None:
    """Before anything takes time. Raises UsageError `bad-requirement`, `extra-is-decided`."""
    check_extras(made.environment.extras)


def make_profile(
    facts: Facts,
    matrix: Matrix,
    needs: Needs,
    made: Made,
    choices: Choices,
    is_cancelled: IsCancelled,
    hearing: Hearing = Hearing(),
    again: Again | None = None,
) -> ProfileFile:
    """`choices`: Python, and the sources and companions as for a setup: those that nobody asked for (None) are left
    out where their source lacks them. What cannot be locked is left out while something can.
    `again`: the needs by tables that lack the builds which no source has; None: these builds and no others.

    Raises UsageError `profile-needs-nothing`, Cancelled; where nothing can be locked, why the first cannot: WizardError
    `no-source`, `no-source-answers`, `lock-…`, `profile-secret`, `profile-local`, UsageError `companion-not-carried`,
    `profile-no-build`."""
    if not needs.needs:
        raise UsageError(
            "profile-needs-nothing",
            "No build fits any of these machines, so there is nothing to put into a profile.",
            "See above why; allow further releases [on the page {page.build}|with --torch] or tags [on the page "
            "{page.build}|with --variant].",
        )
    check_made(made)
    search = _Search(facts, matrix, choices, made.environment, hearing, is_cancelled)
    found, python = search.find(needs, again)
    making = _Making(facts, matrix, made, replace(choices, python=python), hearing, is_cancelled)
    entries = making.entries(found, search.failed)
    is_packed = hearing.on_local is not None
    everywhere = tuple(name for name in made.environment.companions if all(one.version_of(name) for one in entries))
    return profile_file(
        Profile(
            title=made.title,
            made=made.made,
            made_by=wizard.__version__,
            environment=replace(made.environment, python=python, companions=everywhere),
            locks=entries,
            sources=ProfileSources(
                index=_plain_or_none(choices.index, is_packed),
                torch_index=_plain_or_none(choices.torch_index, is_packed),
                conda_channel=_plain_or_none(choices.channel, is_packed),
                share=made.share,
                only_share=made.only_share,
            ),
            ask=made.ask,
            language=made.language,
            rows=rows_for(entries),
        )
    )


class _Making:
    def __init__(
        self, facts: Facts, matrix: Matrix, made: Made, choices: Choices, hearing: Hearing, is_cancelled: IsCancelled
    ) -> None:
        self._facts, self._matrix, self._made, self._choices = facts, matrix, made, choices
        self._hearing, self._is_cancelled = hearing, is_cancelled
        self._pythons = PythonLocks(facts, choices, is_cancelled, hearing.on_local)
        self._told: list[Message] = []

    def entries(
        self, found: Sequence[Selected], failed: Sequence[tuple[ProfileNeed, WizardError]]
    ) -> tuple[ProfileLock, ...]:
        """`failed`: what was lost before. Raises the first error where none can be made."""
        entries, failed = [], [*failed]
        for need, selected in found:
            try:
                entry = self._entry(need, selected)
            except WizardError as error:
                failed.append((need, error))
                continue
            self._hearing.on_entry(need, entry)
            entries.append(entry)
        if not entries:
            raise failed[0][1]
        for need, why in failed:
            self._hearing.on_left_out(need, why)
        return tuple(entries)

    def _entry(self, need: ProfileNeed, selected: SelectedBuild) -> ProfileLock:
        facts = replace(self._facts, machine=Machine(need.os, need.arch, need.glibc, None, ()))
        choices = replace(self._choices, torch=need.torch, variant=need.variant)
        asker = Asker(choices, self._is_cancelled)
        with tempfile.TemporaryDirectory(prefix="torch-setup-profile-") as folder:
            run = RunFolder(Path(folder))

            def lock_it(around: Around, more: tuple[str, ...] = ()) -> Locked:
                return locked_somewhere(
                    facts,
                    choices,
                    replace(selected, requirements=(*selected.requirements, *more)),
                    lambda some: locked(facts, some, run, asker, around),
                    self._is_cancelled,
                )

            conda, lock, used = self._around_conda(need, selected, lock_it)
        self._tell(lock, used)
        lock = with_computed(lock, network_environment(facts.settings), asker)
        given = (for_all(file, self._hearing.on_local) for file in lock.files)
        files = tuple(sorted(given, key=lambda file: file.name))
        return ProfileLock(
            need.os, need.arch, selected.python, need.torch, need.variant, files, need.glibc, conda=conda
        )

    def _around_conda(
        self, need: ProfileNeed, selected: SelectedBuild, lock_it: LockIt
    ) -> tuple[tuple[CondaPackage, ...], Lock, SelectedBuild]:
        """The built-in engine's packages and a lock that goes with them; where there are none, a lock alone."""
        engine, asked = self._made.environment.engine, "engine" in self._made.ask
        if engine not in _BUILT_IN and not asked:
            return (), *lock_it(Around())

        def choose(specs: tuple[str, ...]) -> PythonLock:
            return self._pythons.of(need, selected.candidate, selected.python, specs)

        try:
            python, lock, used = agree(choose, lock_it)
        except WizardError as error:
            is_of_wheels = error.code.startswith("lock-") and error.code != "lock-conda-version"
            if engine == "rattler" or is_of_wheels:
                raise
            self._hearing.on_no_python(need, error)
            return (), *lock_it(Around())
        return python.packages, _with_wheels(python, lock, lock_it) if asked else lock, used

    def _tell(self, lock: Lock, used: SelectedBuild) -> None:
        """What a setup says of its sources, once for all entries."""
        both = of_both(lock, used.package_sources, self._facts.settings, self._is_cancelled)
        for note in (*used.notices, *both):
            if note not in self._told:
                self._told.append(note)
                self._hearing.on_note(note)


class _Search:
    """Which of the builds do sources have? A build that none has gives way to the machines' next best, as in a setup.

    `failed`: needs that nothing was found for."""

    def __init__(
        self,
        facts: Facts,
        matrix: Matrix,
        choices: Choices,
        wish: ProfileEnvironment,
        hearing: Hearing,
        is_cancelled: IsCancelled,
    ) -> None:
        self._facts, self._matrix, self._choices, self._wish = facts, matrix, choices, wish
        self._hearing, self._is_cancelled = hearing, is_cancelled
        self.failed: list[tuple[ProfileNeed, WizardError]] = []

    def find(self, needs: Needs, again: Again | None) -> tuple[list[Selected], str | None]:
        """And the Python of all. As in a setup, what had to be refused gives way, too."""
        fewer, wanted = self._matrix, {need.label for need in needs.needs}
        replaced: list[tuple[ProfileNeed, WizardError]] = []
        policy = MirrorPolicy(self._choices, self._facts, self._is_cancelled)
        headers = list_headers() if policy.is_on(SourceKind.TORCH) else None
        with Reader(self._facts.settings, headers=headers) as reader:  # each page is read once for all needs
            while True:
                python = self._choices.python or one_python(needs.needs, self._matrix)
                tried = {need: self._try(need, python, reader) for need in needs.needs}
                lost = {need: one for need, one in tried.items() if isinstance(one, WizardError)}
                gone = [
                    need
                    for need, error in lost.items()
                    if error.code in (NO_SOURCE.code, NO_SOURCE_SOME_SILENT.code, *REFUSALS)
                ]
                if not gone or again is None:
                    break
                fewer = without(fewer, gone)
                needs = _fewer_needs(again, fewer)
                # One that came in the place of another and is not there either is no news.
                replaced += [(need, lost[need]) for need in gone if need.label in wanted or lost[need].code in REFUSALS]
        found = tuple(need for need in needs.needs if need not in lost)
        refused = [need for need, error in replaced if error.code in REFUSALS]
        for need, error in replaced:
            self._replaced(need, found, [*lost] if need in refused else [*lost, *refused], error)
        self.failed += lost.items()
        return [(need, one) for need, one in tried.items() if isinstance(one, SelectedBuild)], python

    def _replaced(
        self, need: ProfileNeed, found: tuple[ProfileNeed, ...], lost: list[ProfileNeed], error: WizardError
    ) -> None:
        """`lost`: others, of which another failure says why their machines get nothing."""
        given = tuple(other for other in found if other.stands_for(need))
        served = {name for other in given for name in other.machines}
        told = {name for other in lost for name in other.machines}
        left = tuple(name for name in need.machines if name not in served | told)
        if left or not (given or any(other.stands_for(need) for other in lost)):
            self.failed.append((replace(need, machines=left), error))
        elif error.code in REFUSALS:
            self._hearing.on_note(refusal_notice(error))
        if given:
            self._hearing.on_replaced(replace(need, machines=tuple(filter(served.__contains__, need.machines))), given)

    def _try(self, need: ProfileNeed, python: str | None, reader: Reader) -> SelectedBuild | WizardError:
        facts = replace(self._facts, machine=Machine(need.os, need.arch, need.glibc, None, ()))
        choices = replace(self._choices, torch=need.torch, variant=need.variant, python=python)
        try:
            return _select_build(facts, self._matrix, need, choices, self._wish, self._is_cancelled, reader)
        except Cancelled:
            raise
        except WizardError as error:
            return error


def _with_wheels(python: PythonLock, lock: Lock, lock_it: LockIt) -> Lock:
    """Also the wheels of what conda would bring, in its versions: a student may choose an engine without conda."""
    if not lock.provided:
        return lock
    others = tuple(each for each in python.provided if each not in lock.provided)
    try:
        return lock_it(Around(others), pins(lock))[0]
    except WizardError as error:
        if error.code not in NO_SOLUTION:
            raise
        return lock


def _fewer_needs(again: Again, matrix: Matrix) -> Needs:
    try:
        return again(matrix)
    except UsageError:  # no build is left for the Python that was asked for
        return Needs(())


def _select_build(
    facts: Facts,
    matrix: Matrix,
    need: ProfileNeed,
    choices: Choices,
    wish: ProfileEnvironment,
    is_cancelled: IsCancelled,
    reader: Reader,
) -> SelectedBuild:
    """As for a setup, but the build is given, and no engine is needed: nothing is made here."""
    candidate = _candidate(facts.machine, matrix, choices)
    policy = MirrorPolicy(choices, facts, is_cancelled)
    catalog = SourceCatalog(choices, facts.settings, reader, policy)
    search = BuildSearch(facts.machine, matrix, choices, catalog, is_cancelled, wish.companions)
    found = search.find((candidate,), None)
    if found is None:
        build = f"torch {need.torch}+{need.variant} ({need.os} {need.arch})"
        raise next(iter(search.refused.values()), None) or nothing_found(search.statuses(), build)
    packages = catalog.package_sources(found.source, found.python, found.candidate.numpy)
    companions, dropped = kept_companions(choices, found)
    kept = [found.offers[name] for name in ("torch", *companions)]
    pins = tuple(f"{offer.project}=={offer.version}" for offer in kept)
    doubts = unconfirmed(kept, matrix, lambda one: catalog.official_sha256(one, need.variant))
    told = policy.notices_for({SourceKind.TORCH: found.source, SourceKind.PACKAGES: next(iter(packages), None)})
    return SelectedBuild(
        wanted=candidate,
        candidate=replace(found.candidate, python=found.python),
        engine="venv",
        engine_reason=message("profile.source"),
        python=found.python,
        base_python=None,
        channels=(),
        torch_source=found.source,
        offers={offer.project: offer for offer in found.offers.values()},
        requirements=(*pins, f"numpy{found.candidate.numpy}", *wish.extras),
        package_sources=packages,
        states=(),
        further=further_sources(packages, choices, facts.settings, policy),
        packages_measured=policy.is_on(SourceKind.PACKAGES),
        notices=(*dropped, *told, *refusals(search), *doubts),
    )


def _candidate(machine: Machine, matrix: Matrix, choices: Choices) -> Candidate:
    """Without a card: that the class has them was seen before. Raises UsageError `profile-no-build`."""
    verdict = resolve(machine, matrix, replace(choices, include_unadvertised=True), prove_all=False)
    for candidate in verdict.candidates:
        codes = {reason.code for reason in candidate.reasons}
        if (candidate.torch, candidate.variant) == (choices.torch, choices.variant) and codes <= {
            "no-gpu",
            "other-maker",
        }:
            return candidate
    system = f"{machine.os} {machine.arch}"
    raise UsageError(PROFILE_NO_BUILD, system=system, torch=choices.torch or "-", variant=choices.variant or "-")


def _plain_or_none(url: str | None, is_packed: bool) -> str | None:
    """`is_packed`: what lies on this computer comes by a pack, and need not be named."""
    if url is None or (is_packed and urlsplit(url).scheme not in ("http", "https")):
        return None
    return plain_address(url)
