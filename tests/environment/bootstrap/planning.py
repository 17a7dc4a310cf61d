"""Shared by the tests of the bootstrap: a plan from the loopback page, and the code of a refusal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.environment.miniforge import Releases
from wizard.app.use.miniforge import BootstrapPlan, plan_bootstrap
from wizard.environment.conda.miniforge import InstallerRow, miniforge_table
from wizard.model.errors import WizardError

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the installer is a shell script")


def planned(releases: Releases, root: Path | None, mirror: str | None = None) -> BootstrapPlan:
    return plan_bootstrap(str(root) if root else None, mirror, {}, releases.places)


def code_of(caught: pytest.ExceptionInfo[WizardError]) -> str:
    return caught.value.code


def row(os_name: str) -> InstallerRow:
    return miniforge_table().row(os_name, "x86_64")
