"""Shared by the tests of the lint: what it finds, and the file as it would be after mending."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, settings

from tests.toolconfig.test_settings import Computer
from wizard.model.messages import LANGUAGES, text
from wizard.toolconfig.edit import propose
from wizard.toolconfig.lint.finding import LintContext, LintFinding
from wizard.toolconfig.lint.lint import edits_of, lint
from wizard.toolconfig.settings import read_own_settings

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PIP, UV, CONDA = "home/me/.config/pip/pip.conf", "home/me/.config/uv/uv.toml", "home/me/.condarc"
CARD = LintContext("linux", "NVIDIA GeForce RTX 4090", "2.14.1", "cu126", "3.12", ("cpu", "cu126", "cu130", "cu132"))
NO_CARD = replace(CARD, gpu=None, variant="cpu")


def findings(computer: Computer, situation: LintContext = CARD) -> tuple[LintFinding, ...]:
    own = read_own_settings(computer.environ, computer.home, "linux", computer.root, encoding="utf-8")
    return lint(own, situation)


def codes(computer: Computer, situation: LintContext = CARD) -> list[str]:
    return [finding.code for finding in findings(computer, situation)]


def only(computer: Computer, code: str, situation: LintContext = CARD) -> LintFinding:
    (found,) = findings(computer, situation)
    assert found.code == code
    for language in LANGUAGES:
        assert all(text(said, language) for said in (found.cause, found.fix, found.effect))
    return found


def mended(computer: Computer, situation: LintContext = CARD) -> str:
    """The file as it would be, after which the lint has nothing more to say."""
    (diff,) = propose(edits_of(findings(computer, situation)))
    diff.path.write_bytes(diff.after)
    assert [finding for finding in findings(computer, situation) if finding.is_fixable] == []
    return diff.after.decode()
