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
from wizard.model.messages import Message, Param, has_words, message
from wizard.project.decide import CUDA, decide
from wizard.project.model import PYTHON, TORCH, FileLine, Project, Statement, normalized
from wizard.project.packages.native import NOTHING, Relaxed

_PLACE = "--with"
_SAID_ALONE = ("project.remark.undeclared", "project.remark.held-back")  # of a project, which is none here
_OF_LEFT = ("project.native.elsewhere", "project.native.torch-unknown")  # what else a setup says of them
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
    remarks = [one for one in decision.remarks if one.key not in _SAID_ALONE and one not in verdict.notices]
    more_out = [one for one in remarks if one.key.startswith(_OF_LEFT)]
    out = (*(one.why for one in decision.left_out), *more_out)
    of_torch = tuple(one for one in remarks if one.key in _OF_TORCH)
    told = [(one.key, one.params.get("name")) for one in (*out, *of_torch)]
    others = (one for one in remarks if (one.key, one.params.get("name")) not in told)
    more = (*map(_moved, decision.relaxed), *others)
    return NamedChoices(decided, kept, left, _placed(*out), _placed(*of_torch), _placed(*more))


def with_named(machine: Machine, matrix: Matrix, choices: Choices, verdict: Verdict) -> tuple[Verdict, NamedChoices]:
    """Return the verdict with the build that goes with what was named, and with what is said of it."""
    named = decide_named(machine, matrix, choices, verdict)
    its = verdict
    if named.choices != named.open:
        its = resolve(machine, matrix, named.choices, prove_all=False)
        its = its if its.best else verdict
    more = (one for one in named.more if one not in its.notices)
    told = (*its.notices, *named.said, *named.of_torch, *more)
    return replace(verdict, best=its.best, notices=told), named


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
    """Say that it was named, where a project has a file and a line, and a setup of it goes on in another way."""
    return tuple(
        replace(one, params={key: _filled(value) for key, value in one.params.items()}, **_own_words(one))
        for one in said
    )


def _filled(value: Param) -> Param:
    is_place = isinstance(value, str) and value.partition(":")[0] == _PLACE
    return message("project.named-place", "named by you") if is_place else value


def _own_words(one: Message) -> dict[str, str]:
    """Return what replaces a project's sentence; {} where that holds for both."""
    own = f"project.named.{one.key.rpartition('.')[2]}"
    return {"key": own, "sentence": ""} if has_words(own) else {}


def _moved(one: Relaxed) -> Message:
    """Return one sentence for what was named and does not go with the rest, or what it needs and does not get."""
    words: dict[str, Param] = {"name": one.name, "asked": one.asked, "given": one.given, "why": one.why}
    needing = ", ".join(dict.fromkeys(at.text for at in one.origins))
    if one.name in (TORCH, PYTHON, CUDA) and needing:
        return message(
            "project.named.need",
            "{needing}, which you named, needs {name} {asked}, and {given} is taken: {why}.",
            needing=needing,
            **words,
        )
    if one.given == NOTHING:
        return message(
            "project.named.nothing",
            "{name}: {asked} was named, and nothing of it goes with what is taken: {why}.",
            **words,
        )
    return message(
        "project.named.other",
        "{name}: {asked} was named, and {given} is what goes with the rest: {why}.",
        **words,
    )
