"""An environment with a stand-in torch, and machines to judge it by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stand_in import install, make_environment
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.run.verify.model import Verification

MakeEnvironment = Callable[..., Path]
RTX = Gpu("nvidia", "NVIDIA GeForce RTX 3060", "10de:2503", ComputeCapability(8, 6), 12 * 2**30)
NO_CARD = Machine("linux", "x86_64", "2.36", None, ())
NO_DRIVER = Machine("linux", "x86_64", "2.36", None, (RTX,))
WITH_CARD = Machine("linux", "x86_64", "2.36", Driver("580.65.06", "13.0"), (RTX,))


@pytest.fixture
def environment(tmp_path: Path) -> MakeEnvironment:
    """Makes an environment with the stand-in torch that does this; returns its Python."""

    def make(do: str = "work", cuda: str | None = "13.2", **behaviour: object) -> Path:
        prefix = tmp_path / "an environment"
        python = make_environment(prefix)
        version = "2.15.0+cu132" if cuda else "2.15.0+cpu"
        install(prefix, "torch", version, do=do, cuda=cuda, **behaviour)
        return python

    return make


def states(found: Verification) -> dict[str, str]:
    return {check.name: check.state for check in found.checks}


def code(found: Verification) -> str | None:
    return found.diagnosis.code if found.diagnosis else None


def evidence(found: Verification) -> str:
    assert found.diagnosis
    return "\n".join(found.diagnosis.evidence)
