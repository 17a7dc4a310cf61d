"""Shared by the tests of a mirror for good: what was written, and what the tools answered."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.toolconfig.world import Computer
from wizard.app.use import settings as use_cases
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.sources.table import mirror_rows
from wizard.toolconfig.model import Tool
from wizard.toolconfig.verify import ToolAnswer

ROOT = Path(__file__).resolve().parents[2]
by_locale = pytest.mark.skipif(sys.platform == "win32", reason="there LC_ALL does not say how pip reads a file")
RC = ".condarc"
PIP, UV = (
    ("AppData/Roaming/pip/pip.ini", "AppData/Roaming/uv/uv.toml")
    if sys.platform == "win32"
    else (".config/pip/pip.conf", ".config/uv/uv.toml")
)
PACKAGES = next(row.address() for row in mirror_rows() if (row.kind, row.id) == ("pypi", "tuna"))
FORGE = next(row.address() for row in mirror_rows() if (row.kind, row.id) == ("conda-forge", "tuna"))
OLD = "https://old.example/simple"


def use(computer: Computer, mirror: str, *kinds: str) -> use_cases.Used:
    return use_cases.use(use_cases.plan_use(mirror, kinds, computer.around), computer.around)


def answers(used: use_cases.Used) -> dict[Tool, ToolAnswer]:
    for check in used.checks:
        assert all(text(check.words, language) for language in LANGUAGES)
    return {check.tool: check.answer for check in used.checks}


def code_of(error: pytest.ExceptionInfo[WizardError]) -> str:
    assert all(text(error.value.summary, language) and text(error.value.hint, language) for language in LANGUAGES)
    return error.value.code
