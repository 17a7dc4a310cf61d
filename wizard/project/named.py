"""Decides for packages that a person names (`--with`) as for a project that lists them: which torch and Python go with
them, and which of them have no use here.

One decision for both: what is named counts more than the newest torch. A setup asks the sources then, and what these
say of a newest release counts more than the tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from packaging.requirements import InvalidRequirement, Requirement

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.model import Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.model.messages import Message, Param, message
from wizard.project.answer import relaxed_words
from wizard.project.decide import decide
from wizard.project.model import FileLine, Project, Statement, normalized

_PLACE = "--with"
_SAID_ALONE = ("project.remark.undeclared", "project.remark.held-back")  # of a project, which is none here
_OF_TORCH = ("project.remark.implied",)


@dataclass(frozen=True, slots=True)
class NamedChoices:
    """`choices`: the person's, with torch, CUDA and Python as decided; `open`: with these as they were left. Both
    without the packages of no use here, which are `left_out`, each told in `said`; `of_torch` says why this torch,
    `more` what else a project that lists them is told."""

    choices: Choices
    open: Choices
    left_out: tuple[str, ...] = ()
    said: tuple[Message, ...] = ()
    of_torch: tuple[Message, ...] = ()
    more: tuple[Message, ...] = ()

    @property
    def torch(self) -> str | None:
        """The release that was decided, where it is another than the newest."""
        return self.choices.torch if self.choices.torch != self.open.torch else None


def decide_named(machine: Machine, matrix: Matrix, choices: Choices, verdict: Verdict) -> NamedChoices:
    """`verdict`: of these choices, where nothing that was named counts. Raises as `decide`."""
    best, plain = verdict.best, NamedChoices(choices, choices)
    project = _project(choices.extras)
    if best is None or not project.statements:
        return plain
    decision = decide(project, machine, matrix, choices)
    taken = decision.candidate
    if taken is None:
        return plain
    left = tuple(one.name for one in decision.left_out)
    kept = replace(choices, extras=tuple(one for one in choices.extras if _name(one) not in left))
    is_other = (taken.torch, taken.variant) != (best.torch, best.variant)
    decided = replace(
        kept,
        torch=taken.torch if is_other else kept.torch,
        variant=taken.variant if is_other else kept.variant,
        python=decision.python if decision.python != best.python else kept.python,
        include_unadvertised=kept.include_unadvertised or not taken.advertised,
    )
    out = tuple(one.why for one in decision.left_out)
    remarks = [one for one in decision.remarks if one.key not in _SAID_ALONE and one not in verdict.notices]
    of_torch = tuple(one for one in remarks if one.key in _OF_TORCH)
    told = [(one.key, one.params.get("name")) for one in (*out, *of_torch)]
    others = (one for one in remarks if (one.key, one.params.get("name")) not in told)
    more = (*map(relaxed_words, decision.relaxed), *others)
    return NamedChoices(decided, kept, left, _placed(*out), _placed(*of_torch), _placed(*more))


def with_named(machine: Machine, matrix: Matrix, choices: Choices, verdict: Verdict) -> tuple[Verdict, NamedChoices]:
    """Return the verdict with the build that goes with what was named, and with what is said of it."""
    named = decide_named(machine, matrix, choices, verdict)
    best = verdict.best
    if named.choices != named.open:
        best = resolve(machine, matrix, named.choices, prove_all=False).best or best
    told = (*verdict.notices, *named.said, *named.of_torch, *named.more)
    return replace(verdict, best=best, notices=told), named


def _project(extras: tuple[str, ...]) -> Project:
    found = []
    for number, words in enumerate(extras, 1):
        try:
            one = Requirement(words)
        except InvalidRequirement:  # told where choices are checked
            continue
        at = FileLine(_PLACE, number, words)
        marker = str(one.marker or "")
        name, asked = normalized(one.name), str(one.specifier)
        found.append(Statement(name, asked, at, marker=marker, url=one.url or "", extras=tuple(sorted(one.extras))))
    return Project("", (), tuple(found), (), ())


def _name(words: str) -> str:
    try:
        return normalized(Requirement(words).name)
    except InvalidRequirement:
        return ""


def _placed(*said: Message) -> tuple[Message, ...]:
    """Say where it was named instead of a file."""
    place = message("project.named-place", "named by you")

    def filled(value: Param) -> Param:
        return place if isinstance(value, str) and value.partition(":")[0] == _PLACE else value

    return tuple(replace(one, params={key: filled(value) for key, value in one.params.items()}) for one in said)
