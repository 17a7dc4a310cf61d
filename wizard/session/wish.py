"""What sources are asked for: one question for each kind, made of the build that is wanted."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.machine.model import Machine
from wizard.mirrors.carries import Wanted
from wizard.mirrors.channel import channel_subdir
from wizard.mirrors.platform_tags import platform_tags
from wizard.mirrors.race_policy import race_policy
from wizard.mirrors.racers import Kind
from wizard.mirrors.truth import ChannelQuestion, InstallerQuestion, Question, WheelQuestion
from wizard.plan.model import Candidate

_INSTALLERS = {"windows": "Windows-{arch}.exe", "linux": "Linux-{arch}.sh"}


@dataclass(frozen=True, slots=True)
class Wish:
    candidate: Candidate
    python: str
    default_variant: str | None  # the build that the package index has of this release


def question_of(kind: Kind, machine: Machine, wish: Wish) -> Question:
    if kind is Kind.TORCH:
        return torch_question(machine, wish.candidate, wish.python, wish.default_variant)
    if kind is Kind.PACKAGES:
        return packages_question(machine, wish.python, wish.candidate.numpy)
    if kind is Kind.CONDA:
        return channel_question(machine, wish.python)
    return InstallerQuestion(_INSTALLERS[machine.os].format(arch=machine.arch))


def torch_question(machine: Machine, candidate: Candidate, python: str, default_variant: str | None) -> WheelQuestion:
    tags = platform_tags(python, machine.os, machine.arch, machine.glibc)
    return WheelQuestion(Wanted("torch", candidate.torch, candidate.variant, python, tags, default_variant))


def packages_question(machine: Machine, python: str, numpy: str) -> WheelQuestion:
    """The newest of a project that every environment has; what else will be needed is not known before the lock."""
    tags = platform_tags(python, machine.os, machine.arch, machine.glibc)
    project = race_policy().packages
    return WheelQuestion(Wanted(project, "", "", python, tags, ""), numpy if project == "numpy" else "")


def channel_question(machine: Machine, python: str) -> ChannelQuestion:
    return ChannelQuestion(channel_subdir(machine.os, machine.arch), python)
