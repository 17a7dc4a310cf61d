"""Machines, and what is decided for a project on one of them."""

from __future__ import annotations

from pathlib import Path

from tests.project.test_read import project_of
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.model.messages import LANGUAGES, text
from wizard.project.decide import ProjectDecision, decide


def machine(os: str, capability: str = "", driver: str = "") -> Machine:
    cards = (Gpu("nvidia", "card", None, ComputeCapability.parse(capability)),) if capability else ()
    return Machine(os, "x86_64", "2.35" if os == "linux" else None, Driver(driver) if driver else None, cards)


CONDA = "channels:\n  - pytorch\ndependencies:\n  - python=3.10\n"  # of an environment.yml
ANY = Choices()
BLACKWELL = machine("linux", "12.0", "580.126.09")
PASCAL = machine("windows", "6.1", "552.44")
ADA = machine("windows", "8.9", "576.88")
AMPERE = machine("linux", "8.0", "535.288.01")
NO_CARD = machine("linux")
OLD_DRIVER = machine("linux", "8.6", "470.256.02")


def decided(folder: Path, files: dict[str, str | bytes], on: Machine, choices: Choices = ANY) -> ProjectDecision:
    found = decide(project_of(folder, files), on, load_matrix(), choices)
    said = [*found.remarks, *(one.why for one in found.relaxed)]
    assert all(text(words, language) for words in said for language in LANGUAGES)
    return found


def build(found: ProjectDecision) -> tuple[str, str, str | None]:
    assert found.candidate
    return found.candidate.torch, found.candidate.variant, found.python


def without(found: ProjectDecision) -> tuple[str, ...]:
    return tuple(one.name for one in found.left_out)


def relaxed(found: ProjectDecision) -> dict[str, tuple[str, str, str]]:
    return {one.name: (one.asked, one.given, one.why.key) for one in found.relaxed}


def codes(found: ProjectDecision) -> set[str]:
    return {remark.key.rpartition(".")[2] for remark in found.remarks}
