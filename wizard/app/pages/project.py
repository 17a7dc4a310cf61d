"""A project's decision as rows for the page: what a line asks for, what this computer gets, and why they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.app.project import ProjectRequest
from wizard.app.project_parts import PART_KINDS, WITHOUT_WAY
from wizard.classroom.profile.hosts import ForeignHost
from wizard.compatibility.explain import variant_name
from wizard.compatibility.model import Candidate
from wizard.environment.naming import find_flaw
from wizard.model.messages import Message
from wizard.project.answer import as_put_in
from wizard.project.decide import CUDA, ProjectDecision
from wizard.project.model import PAIRS, PYTHON, TORCH, FileLine, Project, Statement
from wizard.project.open_lines import DAY
from wizard.project.packages.native import NOTHING, Relaxed
from wizard.run.model import Preview
from wizard.system import paths

_STUMBLING = re.compile(r"[^A-Za-z0-9._+-]+")
_ROLES = {"index": "index", "find-links": "torch_index"}


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """`asked`: the line as the file has it; where `origin` is None nothing was asked, and it is only a name. `given`:
    None where it is left out. `why`: how that differs. `is_last`: it is put in after all others; `is_lost`: no command
    adds it."""

    asked: str
    origin: FileLine | None
    given: str | None
    why: Message | None = None
    is_last: bool = False
    is_lost: bool = False


def environment_name(project: Project) -> str:
    """Return a name for the project's environment: the folder's, where an environment may be called so. Of one in other
    letters only what no tool stumbles over: the person did not choose that name for an environment."""
    name = Path(project.folder).absolute().name
    name = name if name.isascii() else _STUMBLING.sub("-", name).strip("-.")
    return name if name and find_flaw(name, paths.os_name()) is None else "project"


def different_rows(request: ProjectRequest) -> tuple[ProjectRow, ...]:
    return tuple(_different(one, request.decision.candidate) for one in request.decision.differing)


def kept_rows(request: ProjectRequest, preview: Preview | None = None) -> tuple[ProjectRow, ...]:
    """Return what is as asked of torch, its companions and Python; the other packages are only counted. `preview`:
    the plan, once the sources were asked what they have."""
    return tuple(_kept(request.decision, preview))


def count_packages(request: ProjectRequest) -> int:
    """Return how many further packages are installed as asked."""
    moved = {one.name for one in request.decision.relaxed}
    return len({one.name for one in request.packages} - moved)


def later_rows(request: ProjectRequest) -> tuple[ProjectRow, ...]:
    """Return what no index has ready: it is put in last, or afterwards by a command that the plan names."""
    moved = {one.name for one in request.decision.relaxed}
    found = {one.name: (why, one) for why, one in reversed(request.left) if one.name not in moved}
    return tuple(
        ProjectRow(
            _line(one.origin),
            one.origin,
            None,
            is_last=request.choices.parts and why in PART_KINDS,
            is_lost=why in WITHOUT_WAY,
        )
        for why, one in reversed(found.values())
    )


def hosts_of(request: ProjectRequest) -> tuple[ForeignHost, ...]:
    """Return the hosts that the project wants packages from and that nobody vouches for."""
    return tuple(
        ForeignHost(name, (), tuple(dict.fromkeys(_ROLES[line.kind] for line in lines)))
        for name, lines in request.hosts.items()
    )


def _build(candidate: Candidate) -> str:
    return f"torch {candidate.torch} + {variant_name(candidate.variant)}"


def _different(one: Relaxed, candidate: Candidate | None) -> ProjectRow:
    origin = one.origins[0] if one.origins else None
    asked = _line(origin) if origin else f"{one.name} {one.asked}".strip()
    is_version = one.given[:1].isdigit()
    given = f"{one.name} {one.given}" if is_version else f"{one.name} ({one.given})"
    if one.name == CUDA and candidate:
        given = _build(candidate)
    return ProjectRow(asked, origin, None if one.given == NOTHING else given, one.why)


def _kept(decision: ProjectDecision, preview: Preview | None) -> Iterator[ProjectRow]:
    candidate, asks = preview.plan.candidate if preview else decision.candidate, decision.understood
    python = preview.plan.python if preview else decision.python
    locked = {file.name: file.version.partition("+")[0] for file in preview.lock.files} if preview else {}
    moved = {one.name for one in decision.relaxed}
    told = {origin for one in decision.relaxed if one.name == CUDA for origin in one.origins[:1]}
    if candidate is None:
        return
    if TORCH not in moved and not (asks.torch and asks.torch[0].origin in told):
        yield _row(asks.torch, TORCH, _build(candidate))
    for name in PAIRS:
        if name in asks.pairs and name not in moved and (version := locked.get(name) or candidate.companion(name)):
            yield _row(asks.pairs[name], name, None if preview and name not in locked else f"{name} {version}")
    if PYTHON not in moved and python:
        yield _row(asks.python, "Python", f"Python {python}")


def _row(statements: Sequence[Statement], unsaid: str, given: str | None) -> ProjectRow:
    first = next(iter(statements), None)
    return ProjectRow(_line(first.origin) if first else unsaid, first.origin if first else None, given)


def _line(origin: FileLine) -> str:
    """Return what the line says, without the mark of a list: YAML's is no part of what is asked."""
    return origin.text.removeprefix("- ")


def day_words(request: ProjectRequest) -> Message | None:
    """Return of which day an old project gets what it leaves open, unless the newest is asked for."""
    return next((one for one in request.decision.remarks if one.key == DAY), None)


def left_words(request: ProjectRequest) -> tuple[Message, ...]:
    """Return what a person should know of the reading and of the decision."""
    told = request.project.remarks
    in_rows = [*told, *(one.why for one in request.decision.left_out), day_words(request)]
    found = (*told, *(one for one in request.decision.remarks if one not in in_rows))
    return as_put_in(found, request.choices.parts and not request.choices.offline)
