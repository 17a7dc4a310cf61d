"""Follows the branches of a script that installs for one torch, one CUDA, a Mac or another maker's card each
(`case $PYTORCH_VERSION in`), and picks those that go with what was decided.

Other conditions are nobody's to decide here: what stands below them may hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from wizard.compatibility.data.ordering import variant_key
from wizard.compatibility.model import Candidate
from wizard.model.messages import Message, message
from wizard.project.model import BRANCH, DECIDED, ON_MAC, RECOMMENDED, Project, Statement, cut_between
from wizard.project.packages.companions import companion

_TOKEN = re.compile(
    r"\bcase\s+[\"']?\$\{?(?P<case>\w+)\}?[\"']?\s+in\b|(?P<end>;;|\besac\b)"
    r"|(?:^|[;&])\s*(?P<if>if|elif|else|fi)\b(?P<test>[^;]*)|(?:^|(?<=;;)|(?<=\bin))\s*\(?(?P<label>[^\s()$]+)\)"
)
_IS = re.compile(r"\$\{?(?P<name>\w+)\}?[\"']?\s*={1,2}\s*[\"']?(?P<value>[\w.-]+)[\"']?\*?\s*\]")
_NUMBERS = re.compile(r"\d+(?:\.[\d*]+)*(?:\|\d+(?:\.[\d*]+)*)*")
_SYSTEMS = ("ostype", "os", "system", "uname")
_CARDS = re.compile(r"platform|gpu|vendor|backend|device|accelerator", re.IGNORECASE)
_OTHER_MAKER = re.compile(r"hip|amd|rocm[\d.]*|radeon|xpu|npu|ascend|mps|musa|mlu", re.IGNORECASE)
_DEEPEST = 50  # blocks within each other
_ELSEWHERE = {("system", "mac"), ("card", "other")}


@dataclass(frozen=True, slots=True)
class _Block:
    """`subject`: torch, cuda, card or system, of a `case`; `conditions` hold in its branch."""

    is_case: bool
    subject: str = ""
    conditions: tuple[tuple[str, str], ...] = ()


class Branches:
    """In which branches a command of a script stands, as its lines go by; a text for people has none."""

    def __init__(self, is_script: bool) -> None:
        self.is_script = is_script
        self._open: list[_Block] = []  # where the line begins
        self._line: str | None = None  # in which these are, after what is left of it
        self._here: list[_Block] = []
        self._left: list[re.Match[str]] = []  # the last first

    def mark(self, one: Statement, line: str, position: int) -> Statement:
        """Return what a command at this place of the line says, as that of its branch; one before it was marked
        before."""
        conditions = [each for block in self._gone(line, position) for each in block.conditions]
        if {*conditions} & _ELSEWHERE:
            return replace(one, marker=ON_MAC)
        words = ", ".join(f"{subject} {value}" for subject, value in conditions)
        is_plain = one.strength == RECOMMENDED and not one.group and one.name not in DECIDED
        return replace(one, group=f"{BRANCH}{words}") if words and is_plain else one

    @property
    def is_elsewhere(self) -> bool:
        """Return whether what the next line does is done on a Mac, or with another maker's card, alone."""
        return any({*block.conditions} & _ELSEWHERE for block in self._open)

    def after(self, line: str) -> None:
        """Go on to the next line."""
        self._open, self._line = self._gone(line, len(line)), None

    def _gone(self, line: str, position: int) -> list[_Block]:
        """Return the blocks that are open there, going on from where the line was left before."""
        if self._line != line:
            self._line, self._here = line, [*self._open]
            self._left = [*_TOKEN.finditer(line)][::-1] if self.is_script else []
        while self._left and self._left[-1].start() < position:
            self._enter(self._left.pop())
        return self._here

    def _enter(self, match: re.Match[str]) -> None:
        blocks = self._here
        is_in_case = bool(blocks) and blocks[-1].is_case
        if match["case"]:
            blocks.append(_Block(True, _subject(match["case"])))
        elif match["if"] == "if":
            blocks.append(_Block(False, conditions=tuple(_tested(match["test"]))))
        elif match["end"] == "esac" or match["if"] == "fi":
            del blocks[-1:]
        elif match["if"] and blocks:
            blocks[-1] = _Block(False, conditions=tuple(_tested(match["test"])))
        elif is_in_case:
            value = _value(blocks[-1].subject, match["label"] or "")
            conditions = ((blocks[-1].subject, value),) if value else ()
            blocks[-1] = replace(blocks[-1], conditions=conditions)
        del blocks[_DEEPEST:]


def _subject(variable: str) -> str:
    name = variable.lower()
    known = "torch" if "torch" in name else "cuda" if "cuda" in name else "system" if name in _SYSTEMS else ""
    return known or ("card" if _CARDS.search(name) else "")


def _value(subject: str, label: str) -> str:
    """Return the numbers of a branch, `mac` of one for that system, `other` of one for another maker's cards; "" for
    what says none of these."""
    words = re.sub(r"[\"'\\]", "", label)
    if subject == "card":
        return "other" if _OTHER_MAKER.fullmatch(words) else ""
    if subject == "system":
        return "mac" if words.lower().startswith(("darwin", "mac")) else ""
    return words if subject and _NUMBERS.fullmatch(words) else ""


def _tested(test: str) -> Iterator[tuple[str, str]]:
    """Yield what a condition asks of these, where all of it must hold."""
    if "||" not in test and "!" not in test:
        for match in _IS.finditer(test):
            subject = _subject(match["name"])
            if value := _value(subject, match["value"]):
                yield subject, value


def with_branches(project: Project, build: Candidate) -> tuple[Project, list[Message]]:
    """Return the project with the branches of its scripts that are for this build, without the others, and what is to
    be said of both."""
    lines = [one for one in project.statements if one.group.startswith(BRANCH)]
    if not lines:
        return project, []
    cuda = ".".join(map(str, variant_key(build.variant)))
    fitting = [one for one in lines if _holds(one.group, {"torch": build.torch, "cuda": cuda})]
    kept = (one for one in project.statements if one not in lines or one in fitting)
    settled = (replace(one, group="") if one in fitting else one for one in kept)
    return replace(project, statements=tuple(settled)), list(_told(lines, fitting, build))


def _holds(group: str, given: dict[str, str]) -> bool:
    asked = (words.split() for words in group.removeprefix(BRANCH).split(", "))
    return all(any(_is(each, given[subject]) for each in values.split("|")) for subject, values in asked)


def _is(asked: str, given: str) -> bool:
    """Return whether a version is the one, or one of those, that a branch is for: `12` and `12.*` are any CUDA 12."""
    return f"{given}.".startswith(f"{asked.partition('*')[0].rstrip('.')}.")


def _told(lines: list[Statement], fitting: list[Statement], build: Candidate) -> Iterator[Message]:
    found = {_package(one) for one in fitting}
    lacking = [one for one in lines if _package(one) not in found]
    for code, those in (("branch", [one for one in fitting if one.strength == RECOMMENDED]), ("branch-none", lacking)):
        for file in dict.fromkeys(one.origin.file for one in those):
            its = [one for one in those if one.origin.file == file]
            names = (str(one) if code == "branch" else _package(one) for one in its)
            where: dict[str, str | int] = {"file": file, "line": its[0].origin.line}
            packages = cut_between([*dict.fromkeys(names)])
            yield message(f"project.remark.{code}", **where, packages=packages, torch=build.torch, given=build.variant)


def _package(one: Statement) -> str:
    """Return its name without the CUDA that it has in it."""
    row = companion(one.name)
    return row.name if row else one.name
