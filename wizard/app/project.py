"""What a setup of a project asks for: its decision as choices, its packages for the lock, and what is left for later.

What no index has as a wheel (a path, a repository, what would be compiled) is left. Places that nobody knows are asked
nothing before somebody said yes. The lock itself is made by `project_plan`; nothing of the project is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wizard.classroom.profile.hosts import is_foreign, is_trusted
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Choices
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.project.contradictions import agreeing
from wizard.project.decide import ProjectDecision, decide
from wizard.project.formats.conda_words import conda_names
from wizard.project.model import PAIRS, PYTHON, AddressLine, Project, Statement
from wizard.project.packages.companions import companion
from wizard.project.packages.lacking import without_wheels
from wizard.project.packages.native import NOTHING
from wizard.project.packages.rows import companion_table
from wizard.project.versions import python_meets
from wizard.run.model import Facts, SelectedBuild
from wizard.run.select.build_search import NO_BUILD_FITS
from wizard.system import paths
from wizard.transfer.address import address_problem, file_path, host_of

_ELSEWHERE = "FOLDER"
_OUT = "out"  # of the plan altogether
_MADE_HERE = ("none", "releases", "pages", "conda")  # `wheels` of a companion that no index has ready
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
    pairs = {name for name in asks.pairs if candidate.companion(name)}
    decided = replace(
        choices,
        torch=candidate.torch,
        variant=candidate.variant,
        python=choices.python if _is_free(decision) else decision.python,
        companions=tuple(name for name in PAIRS if name in {*pairs, *(choices.companions or ())}),
        include_unadvertised=choices.include_unadvertised or not candidate.advertised,
    )
    sorted_out = [(_why_left(one, decision, project), one) for one in agreeing(asks.packages)]
    packages = tuple(one for why, one in sorted_out if not why)
    left = tuple((why, one) for why, one in sorted_out if why not in ("", _OUT))
    return ProjectRequest(project, decision, decided, packages, left, _hosts(asks.sources), choices)


def of_any_build(choices: Choices, is_strict: bool) -> Choices:
    """Return the choices without their build. Where torchvision alone goes with torch, a source that lacks it may leave
    it out, which is told; not where all has to be as asked."""
    is_usual = choices.companions == PAIRS[:1] and not is_strict
    return replace(choices, torch=None, variant=None, companions=None if is_usual else choices.companions)


def wanted_build(request: ProjectRequest, choices: Choices, is_strict: bool) -> Choices:
    """Return the choices with the project's build in the place of theirs, to be looked for at the sources."""
    of = request.choices
    pairs = of_any_build(of, is_strict).companions
    return replace(choices, torch=of.torch, variant=of.variant, python=of.python, companions=pairs)


def _is_free(decision: ProjectDecision) -> bool:
    """Return whether the project leaves the Python open, so that one of this computer's may be taken."""
    asks, pythons = decision.understood, decision.candidate.pythons if decision.candidate else ()
    names_one = any(one.name == PYTHON for one in (*asks.locked, *asks.implied)) or any(
        one.marker for one in asks.torch
    )
    lacking = {without_wheels(asks, paths.os_name(), python) for python in pythons}
    are_alike = len(lacking) < 2 and all(
        python_meets(one.specifier, python) for one in asks.python for python in pythons
    )
    is_of_one = any("python" in one.why.params for one in decision.relaxed)  # another Python, and other releases
    return are_alike and not (names_one or is_of_one)


def absolute_folder(project: Project) -> str:
    """As it holds for whoever reads the report elsewhere, or goes on from another folder."""
    return str(Path(project.folder).resolve())


def code_folder(project: Project) -> str:
    """The folder with the project's code. Of one that another computer's `setup --host` has read only what it declares
    is here: a person puts the rest somewhere."""
    folder = absolute_folder(project)
    return _ELSEWHERE if Path(folder).is_relative_to(paths.home() / "sent") else folder


def folder_of(one: Statement, project: Project) -> Path:
    """Return the folder or file that a line names by its path, or by a file:// address."""
    path = one.url.partition("#")[0]
    own = file_path(path) if path.startswith("file://") else path
    return Path(code_folder(project)) / own


def repository_of(folder: Path) -> Path:
    """Return the repository that the project is a part of; else its folder: nothing outside is read, so none is run."""
    whole = folder.resolve()
    return next((one for one in (whole, *whole.parents) if (one / ".git").exists()), whole)


def _path_kind(path: Path, project: Project) -> str:
    """Return "path"; "absent" for one that is not there, "beyond" for one outside the project."""
    own = code_folder(project)
    if own == _ELSEWHERE:
        return "path"
    if not path.resolve().is_relative_to(repository_of(Path(own))):
        return "beyond"
    return "path" if path.exists() else "absent"


def has_option(address: str) -> bool:
    """Return whether its host, its user or the revision behind its @ begins with "-": git and ssh would take that for
    an option, which can name a program to be started."""
    try:
        parts = urlsplit(address)
        words = (parts.netloc, parts.hostname or "", parts.path.rpartition("@")[2])
    except ValueError:
        return True
    return any(unquote(word).lstrip().startswith("-") for word in words)


def page_of(name: str, selected: SelectedBuild) -> str:
    """Return the page of its makers' wheels for this build; "" where they have none for so new a torch."""
    row, build = companion(name), selected.candidate
    return row.page(build.torch, build.variant) if row else ""


def pin_of(one: Statement) -> str:
    """Return the version of `==1.2.3`; "" for anything else."""
    found = re.fullmatch(r"==([^,*]+)", one.specifier)
    return found[1] if found else ""


def _why_left(one: Statement, decision: ProjectDecision, project: Project) -> str:
    """Return "" for what belongs into the lock: else `_OUT`, or the last part of `project.left.<…>`."""
    nothing = (each for each in decision.relaxed if each.given == NOTHING)
    if any(one.name == each.name for each in (*decision.left_out, *nothing)):
        return _OUT
    if "://" in one.url and has_option(one.url):
        return "option"
    row = companion(one.name)
    if row and row.by_hand:  # no command brings it; a remark says where it is
        return _OUT
    if row and row.wheels in _MADE_HERE and paths.os_name() not in row.ready:
        return "native"
    if one.url.startswith("file:///") and not file_path(one.url).exists():
        return ""  # an export of another computer: its name and version count
    if one.url:
        is_far = "://" in one.url and not one.url.startswith("file:")
        return "address" if is_far else _path_kind(folder_of(one, project), project)
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


def with_trusted(
    facts: Facts, request: ProjectRequest, trusted: Collection[str], refused: Collection[str] = ()
) -> Facts:
    """Add the project's own indexes to those of the settings, so that each gives only what the main one lacks.
    `refused`: hosts of which nothing is taken, also where they are `trusted`.

    Raises UsageError `project-hosts` for a host that nobody has said yes or no to: a package that it alone has may be
    anybody's elsewhere, so it is not passed over.
    """
    kept = {host: lines for host, lines in request.hosts.items() if not is_trusted(host, refused)}
    missing = [host for host in kept if not is_trusted(host, trusted)]
    if missing:
        hosts, options, without = (form.join(missing) for form in (", ", " --trust ", " --distrust "))
        raise UsageError(
            "project-hosts",
            "The project wants packages from hosts that are neither official nor in this program's tables: {hosts}.",
            "If you know them and trust them with this computer, add {options} (--yes alone is no yes to this), else "
            "{without} to go on without them; none of them was asked and nothing was changed.",
            hosts=hosts,
            options=f"--trust {options}",
            without=f"--distrust {without}",
        )
    lines = [line for lines in kept.values() for line in lines]
    indexes, links = (tuple(line.url for line in lines if line.kind == kind) for kind in ("index", "find-links"))
    settings = facts.settings
    added = replace(
        settings,
        extra_index_urls=(*settings.extra_index_urls, *indexes),
        find_links=(*settings.find_links, *links),
        of_project={line.url: str(line.origin) for line in lines},
    )
    return replace(facts, settings=added)


def refused_words(facts: Facts, request: ProjectRequest) -> tuple[Message, ...]:
    """Return that nothing comes from the hosts that `with_trusted` left out."""
    used = {*facts.settings.of_project}
    hosts = [host for host, lines in request.hosts.items() if used.isdisjoint(line.url for line in lines)]
    if not hosts:
        return ()
    said = message(
        "project.host-refused",
        "Nothing is taken from {hosts}, which you did not allow. What the project has from there is looked for on the "
        "package index, where a package of that name may be somebody else's: look at the names before you go on.",
        hosts=", ".join(hosts),
    )
    return (said,)
