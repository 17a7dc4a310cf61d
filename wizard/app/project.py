"""A setup of a project: its decision as choices, all its other packages in the same lock, and what is left for later.

Pins that no solution of ready wheels keeps are let go, each named. What no index has as a wheel (a path, a repository,
what would be compiled) is left, with its command. Nothing of the project is run.

One file: what is asked of the lock, and what is said of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from wizard.app.companion_torch import with_companions_torch
from wizard.app.project_use import promised_of, use_of
from wizard.classroom.profile.hosts import is_foreign, is_trusted
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.environment.activate.scripts import python_path
from wizard.environment.activate.terminal import this_users_shell
from wizard.install.lock import NO_SOLUTION
from wizard.model.distributions import FAMILY
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.model.lock import Lock, PackageVersion
from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.project.answer import lines_named, moved_words, relaxed_words
from wizard.project.companions import companion, companion_table, conda_names
from wizard.project.decide import NOTHING, ProjectDecision, Relaxed, decide
from wizard.project.files import ProjectFolder
from wizard.project.model import LOCKED, PYTHON, AddressLine, Project, Statement, builds_itself
from wizard.project.understand import PAIRS, agreeing, loosened, marker_holds, meets, python_meets
from wizard.run.model import Facts, Preview, SelectedBuild
from wizard.run.plan.commands import quote_of
from wizard.run.plan.computed import OnProgress
from wizard.run.plan.other_packages import naming
from wizard.run.plan.place import target_prefix
from wizard.run.plan.preview import preview
from wizard.run.select.build_search import NO_BUILD_FITS, available_pythons
from wizard.run.select.select_build import select_build
from wizard.system import paths
from wizard.transfer.address import address_problem, host_of

_MOST_BUILDS, _MOST_RELEASES = 20, 60  # weighed for what a source may lack
_ANY = 2  # the freedom in which every version will do
_OUT = "out"  # of the plan altogether
_MADE_HERE = ("none", "releases", "pages", "conda")  # `wheels` of a companion that no index has ready
_NO_WHEEL = re.compile(r"Wheels are required for `([^`]+)`|Because (\S+) was not found in the package registry")
_NO_VERSION = re.compile(r"no versions? of ([A-Za-z0-9][\w.-]*)|[Bb]ecause only ([A-Za-z0-9][\w.-]*?)[<>=! ]")
_CANNOT = (*NO_SOLUTION, "lock-conda-version")
_NO_PYTHON = ("engine-venv-no-python", "no-engine")
TOGETHER = ErrorText(
    "project-together",
    "Lines of the project do not go together with torch and Python here: {lines}.",
    "Change or leave out one of them, or choose another torch or Python; without --strict pins may move.",
)
IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class ProjectRequest:
    """What a project asks of a plan. `packages`: in one lock with torch; `left`: in none, for its kind of reason.
    `hosts`: by name, the lines that want packages from a place that nobody knows."""

    project: Project
    decision: ProjectDecision
    choices: Choices
    packages: tuple[Statement, ...]
    left: tuple[tuple[str, Statement], ...]
    hosts: dict[str, tuple[AddressLine, ...]]
    asked: Choices  # before the decision


def request_of(
    project: Project, facts: Facts, matrix: Matrix, choices: Choices, absent: Collection[tuple[str, str]] = ()
) -> ProjectRequest:
    """Decide; `absent` as for `decide`. Raises UsageError for a torch or a variant in `choices` that no build knows,
    WizardError `no-build-fits`."""
    decision = decide(project, facts.machine, matrix, choices, is_foreign, absent)
    candidate, asks = decision.candidate, decision.understood
    if candidate is None:
        raise WizardError(NO_BUILD_FITS, what="torch")
    has = {PAIRS[0]: candidate.torchvision, PAIRS[1]: candidate.torchaudio}
    pairs = {name for name in asks.pairs if has[name]}
    decided = replace(
        choices,
        torch=candidate.torch,
        variant=candidate.variant,
        python=choices.python if _is_free(decision) else decision.python,
        companions=tuple(name for name in PAIRS if name in {*pairs, *(choices.companions or ())}),
        include_unadvertised=choices.include_unadvertised or not candidate.advertised,
    )
    urls = {one.name: one.url for one in asks.constraints if one.url}
    named = (replace(one, url=one.url or urls.get(one.name, "")) for one in agreeing(asks.packages))
    sorted_out = [(_why_left(one, decision), one) for one in named]
    packages = tuple(one for why, one in sorted_out if not why)
    left = tuple((why, one) for why, one in sorted_out if why not in ("", _OUT))
    return ProjectRequest(project, decision, decided, packages, left, _hosts(asks.sources), choices)


def _is_free(decision: ProjectDecision) -> bool:
    """Return whether the project leaves the Python open, so that one of this computer's may be taken."""
    asks, pythons = decision.understood, decision.candidate.pythons if decision.candidate else ()
    names_one = any(one.name == PYTHON for one in (*asks.locked, *asks.implied)) or any(
        one.marker for one in asks.torch
    )
    return not names_one and all(python_meets(one.specifier, python) for one in asks.python for python in pythons)


def _pin(one: Statement) -> str:
    """Return the version of `==1.2.3`; "" for anything else."""
    found = re.fullmatch(r"==([^,*]+)", one.specifier)
    return found[1] if found else ""


def _why_left(one: Statement, decision: ProjectDecision) -> str:
    """Return "" for what belongs into the lock: else `_OUT`, or the last part of `project.left.<…>`."""
    if any(one.name == each.name for each in decision.left_out):
        return _OUT
    row = companion(one.name)
    if row and row.wheels in _MADE_HERE and paths.os_name() not in row.ready:
        return "native"
    if one.url.startswith("file:///") and not Path(urlsplit(one.url).path).exists():
        return ""  # an export of another computer: its name and version count
    if one.url:
        return "address" if "://" in one.url and not one.url.startswith("file:") else "path"
    return "conda" if one.conda and one.name not in conda_names() else ""


def _hosts(sources: Iterable[AddressLine]) -> dict[str, tuple[AddressLine, ...]]:
    """Those that may be asked at all (https, or this computer) and are neither official nor in a table."""
    known = {urlsplit(row.where).hostname for row in companion_table().companion if row.where}
    found: dict[str, tuple[AddressLine, ...]] = {}
    for source in sources:
        if source.kind == "channel" or address_problem(source.url) or not is_foreign(source.url):
            continue
        if (name := host_of(source.url)) and urlsplit(source.url).hostname not in known:
            found[name] = (*found.get(name, ()), source)
    return found


def with_trusted(facts: Facts, request: ProjectRequest, trusted: Collection[str]) -> Facts:
    """Add the project's own indexes to those of the settings, so that each gives only what the main one lacks.

    Raises UsageError `project-hosts` for a host that nobody has said yes to: a package that it alone has may be
    anybody's elsewhere, so it is not passed over.
    """
    missing = [host for host in request.hosts if not is_trusted(host, trusted)]
    if missing:
        hosts, options = (form.join(missing) for form in (", ", " --trust "))
        raise UsageError(
            "project-hosts",
            "The project wants packages from hosts that are neither official nor in this program's tables: {hosts}.",
            "If you know them and trust them with this computer, add {options} (--yes alone is no yes to this); none "
            "of them was asked and nothing was changed.",
            hosts=hosts,
            options=f"--trust {options}",
        )
    lines = [line for lines in request.hosts.values() for line in lines]
    indexes, links = (tuple(line.url for line in lines if line.kind == kind) for kind in ("index", "find-links"))
    settings = facts.settings
    added = replace(
        settings,
        extra_index_urls=(*settings.extra_index_urls, *indexes),
        find_links=(*settings.find_links, *links),
    )
    return replace(facts, settings=added)


def plan_project(
    facts: Facts,
    matrix: Matrix,
    request: ProjectRequest,
    is_strict: bool,
    is_cancelled: IsCancelled,
    on_progress: OnProgress = lambda progress: None,
) -> tuple[Preview, tuple[Relaxed, ...]]:
    """Lock everything in one resolution. Returns what had to move for it, too, beside the decision's own.

    Raises as `select_build` and `preview`; `is_strict`: where nothing goes together as asked.
    """
    request, selected = _selected(facts, matrix, request, is_cancelled)
    moved: list[Relaxed] = []

    def told(lock: Lock) -> tuple[Message, ...]:
        moved[:] = [*_moved(request, lock, selected, unknown), *without]
        return tuple(map(moved_words, moved))

    folder, left = _absolute(request.project), (one.name for _, one in request.left)
    use = use_of(folder, ProjectFolder(Path(folder)), (*(one.name for one in request.decision.left_out), *left))
    as_asked = promised_of(_asked(request, selected, list(request.packages), 0).requirements, selected.python)
    ways = (*_left(request, selected), *(one.why for one in request.decision.left_out))
    without: list[Relaxed] = []  # no index has them as wheels
    unknown: set[str] = set()
    freedom = 0
    while True:
        names = {one.name for one in without}
        packages = [one for one in request.packages if one.name not in names]
        asked = _asked(request, selected, packages, freedom)
        promised, lack = promised_of(asked.requirements, asked.python), map(relaxed_words, without)
        told_of = replace(use, promised=promised, asked=as_asked, left=(*use.left, *names), ways=(*ways, *lack))
        asked = replace(asked, project=told_of)
        try:
            return preview(facts, request.choices, asked, is_cancelled, on_progress, told), tuple(moved)
        except WizardError as error:
            if error.code not in _CANNOT:
                raise
            lacking = [one for one in _named_in(error, packages) if freedom == _ANY or not one.specifier]
            lines = lines_named(error.details, packages)
            if lines and (is_strict or (not lacking and freedom == _ANY)):
                raise WizardError(TOGETHER, details=error.details, lines=lines) from error
            if is_strict or (not lacking and freedom == _ANY):
                raise
            unknown |= {name for found in _NO_VERSION.findall(error.details) for name in found if name}
            without += [_not_as_asked(one, NOTHING, selected, "no-wheel") for one in lacking]
            freedom = 0 if lacking else freedom + 1


def _selected(
    facts: Facts, matrix: Matrix, request: ProjectRequest, is_cancelled: IsCancelled
) -> tuple[ProjectRequest, SelectedBuild]:
    """The build from a source. Where nothing here makes its Python, with one of this computer's that differs in nothing
    further from what the project asks. Raises what the first one raised."""
    pythons = () if request.asked.python else available_pythons(facts.machine.pythons)
    first: WizardError | None = None
    for asked in (request.asked, *(replace(request.asked, python=python) for python in pythons)):
        tried = request_of(request.project, facts, matrix, asked)
        if first and (_differing(tried) != _differing(request) or tried.choices.python != asked.python):
            continue
        try:
            return _from_a_source(facts, matrix, tried, is_cancelled)
        except WizardError as error:
            first = first or error
            if error.code not in _NO_PYTHON:
                raise first from None
    assert first
    raise first


def _from_a_source(
    facts: Facts, matrix: Matrix, request: ProjectRequest, is_cancelled: IsCancelled
) -> tuple[ProjectRequest, SelectedBuild]:
    """The best build that a source has, of those that differ in nothing further from what the project asks."""
    taken = {(one.choices.torch, one.choices.variant): one for one in _as_good(facts, matrix, request)}
    candidates = tuple(one.decision.candidate for one in taken.values() if one.decision.candidate)
    verdict = replace(resolve(facts.machine, matrix, request.choices), candidates=candidates)
    any_of_them = replace(request.choices, torch=None, variant=None)
    selected = select_build(facts, matrix, verdict, any_of_them, None, is_cancelled)

    def again(wanted: Choices) -> SelectedBuild:
        only = tuple(one for one in candidates if one.torch == wanted.torch)
        return select_build(facts, matrix, replace(verdict, candidates=only), any_of_them, None, is_cancelled)

    named = replace(any_of_them, extras=promised_of([_written(one) for one in request.packages], selected.python))
    selected = with_companions_torch(facts, named, selected, candidates, again, is_cancelled)
    return taken[selected.candidate.torch, selected.candidate.variant], selected


def _as_good(facts: Facts, matrix: Matrix, request: ProjectRequest) -> Iterator[ProjectRequest]:
    absent, current = set[tuple[str, str]](), request
    chooses = any((row := companion(one.name)) and row.follows for one in request.packages)  # its torch, an old one too
    most = _MOST_RELEASES if chooses else _MOST_BUILDS
    while len(absent) < most and _differing(current) == _differing(request):
        yield current
        absent.add((current.choices.torch or "", current.choices.variant or ""))
        try:
            current = request_of(request.project, facts, matrix, request.asked, absent)
        except WizardError:
            return


def _differing(request: ProjectRequest) -> list[str]:
    return [one.name for one in request.decision.relaxed]


def _asked(request: ProjectRequest, selected: SelectedBuild, packages: list[Statement], freedom: int) -> SelectedBuild:
    """`freedom`: 0 as asked; 1 pins are least versions of the same major; 2 any version. Pins are kept where
    that has a solution."""
    decision = request.decision
    moving = {one.name: one.given for one in decision.relaxed}
    lines = [_requirement(one, decision, moving, freedom) for one in packages]
    lines += [
        f"{one.name}{one.specifier}" for one in decision.understood.constraints if _is_asked(one, packages, freedom)
    ]
    pins = {one.name: _pin(one) for one in reversed(packages) if _pin(one)}
    locked = {one.name: _pin(one) for one in reversed(request.project.statements) if one.strength == LOCKED}
    preferred = {**locked, **(pins if freedom else {})}
    return replace(
        selected,
        requirements=tuple(dict.fromkeys((*selected.requirements, *lines))),
        preferred=tuple(
            PackageVersion(name, version)
            for name, version in preferred.items()
            if version and name not in FAMILY and not name.startswith("nvidia-")
        ),
        notices=(*selected.notices, *map(relaxed_words, decision.relaxed), *_left(request, selected)),
    )


def _is_asked(constraint: Statement, packages: list[Statement], freedom: int) -> bool:
    return not freedom and not constraint.url and any(one.name == constraint.name for one in packages)


def _requirement(one: Statement, decision: ProjectDecision, moving: dict[str, str], freedom: int) -> str:
    name, specifier, row = one.name, one.specifier, companion(one.name)
    if row and name in moving:  # it goes with torch, or has another name here
        specifier = ""
        name = row.instead if moving[name] == row.instead else name
    if name == "numpy" and decision.numpy:
        specifier = decision.numpy
    if freedom:
        specifier = loosened(specifier) if freedom < _ANY else ""
    return _written(replace(one, name=name, specifier=specifier))


def _written(one: Statement) -> str:
    extras = f"[{','.join(one.extras)}]" if one.extras else ""
    return f"{one.name}{extras}{one.specifier}{f' ; {one.marker}' if one.marker else ''}"


def _moved(request: ProjectRequest, lock: Lock, selected: SelectedBuild, unknown: Collection[str]) -> Iterator[Relaxed]:
    """What is in the lock in another version than a line asks for, beside what was decided already."""
    known = {one.name for one in request.decision.relaxed}
    for one in request.packages:
        file = lock.find(one.name)
        if one.name in known or file is None or not marker_holds(one.marker, paths.os_name(), selected.python):
            continue
        if not meets(one.specifier, file.version):
            why = "no-version" if one.name in unknown else "no-solution"
            yield _not_as_asked(one, file.version, selected, why)


def _named_in(error: WizardError, packages: list[Statement]) -> list[Statement]:
    """Return what the resolver says no index has as a wheel."""
    named = {name for found in _NO_WHEEL.findall(error.details) for name in found if name}
    return [one for one in packages if one.name in named]


def _not_as_asked(one: Statement, given: str, selected: SelectedBuild, why: str) -> Relaxed:
    torch, python = selected.candidate.torch, selected.python
    reason = message(f"project.why.{why}", torch=torch, python=python)
    return Relaxed(one.name, one.specifier or "*", given, reason, (one.origin,))


def _left(request: ProjectRequest, selected: SelectedBuild) -> Iterator[Message]:
    """What a person may put in afterwards, by a command that touches nothing else."""
    for why, one in {one.name: (why, one) for why, one in reversed(request.left)}.values():
        if why in ("address", "path", "native"):
            page = _page_of(one.name, selected) if why == "native" else ""
            is_kept = one.name not in {each.name for each in request.decision.relaxed}
            native = f"{one.name}{one.specifier}" if is_kept else one.name
            words = {"native": native, "path": str(Path(_code_of(request)) / one.url)}.get(why, one.url)
            yield message(
                f"project.left.{'page' if page else why}",
                name=one.name,
                file=one.origin.file,
                line=one.origin.line,
                command=_command(request, selected, words, why == "path", page),
            )
    conda = list(dict.fromkeys(one.name for why, one in request.left if why == "conda"))
    if conda:
        yield naming("project.left.conda", conda)
    if builds_itself(request.project):
        yield message("project.left.self", command=_command(request, selected, _code_of(request), True))


def _page_of(name: str, selected: SelectedBuild) -> str:
    """Return the page of its makers' wheels for this build; "" where they have none for so new a torch."""
    row, build = companion(name), selected.candidate
    return row.page(build.torch, build.variant) if row else ""


def _absolute(project: Project) -> str:
    """As it holds for whoever reads the report elsewhere, or goes on from another folder."""
    return str(Path(project.folder).resolve())


def _code_of(request: ProjectRequest) -> str:
    """The folder with the project's code. Of one that another computer's `setup --host` has read only what it declares
    is here: a person puts the rest somewhere."""
    folder = _absolute(request.project)
    return "FOLDER" if Path(folder).is_relative_to(paths.home() / "sent") else folder


def _command(request: ProjectRequest, selected: SelectedBuild, words: str, is_editable: bool, page: str = "") -> str:
    os = paths.os_name()
    quote = quote_of(this_users_shell(os))
    python = python_path(str(target_prefix(request.choices)), os, selected.engine == "venv")
    options = f"{'-e ' if is_editable else ''}{f'--find-links {quote(page)} ' if page else ''}"
    return redact(f"{quote(python)} -m pip install --no-deps {options}{quote(words)}")
