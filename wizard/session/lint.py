"""The use case: look over the user's settings for this install, and mend what can be mended in a file.

The rules know nothing of machines; here they get to know the card, and the build that is the best for it.
Mending goes through the journal, so that it can be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wizard import paths
from wizard.errors import UsageError, WizardError
from wizard.i18n import Message, message
from wizard.machine.model import Machine
from wizard.matrix.model import Matrix
from wizard.matrix.ordering import version_key
from wizard.plan.model import Candidate
from wizard.session.settings import clean_after, surroundings
from wizard.settings.apply import apply, propose
from wizard.settings.finding import Finding, Situation
from wizard.settings.lint import edits_of, lint
from wizard.settings.model import Diff, Edit
from wizard.settings.options import OwnSettings, read_own_settings
from wizard.undo.model import Change

SCHEMA = 1
ALL = "all"
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Mending:
    """`refused`: files that cannot be edited, each with its reason; the others can be."""

    findings: tuple[Finding, ...]
    diffs: tuple[Diff, ...]
    refused: tuple[WizardError, ...] = field(default=())


def situation_of(machine: Machine, best: Candidate | None, matrix: Matrix) -> Situation:
    newest = max(matrix.releases, key=version_key, default=None)
    cards = machine.nvidia_gpus
    return Situation(
        os=machine.os,
        gpu=(cards[0].name or cards[0].pci_id or "NVIDIA") if cards else None,
        torch=best.torch if best else None,
        variant=best.variant if best else None,
        python=best.python if best else None,
        current_variants=tuple(build.variant for build in matrix.builds if build.torch == newest),
        condas=tuple(conda.kind for conda in machine.condas),
    )


def own_settings(environ: Mapping[str, str], home: Path, machine: Machine) -> OwnSettings:
    roots = (Path(conda.root_prefix) for conda in machine.condas if conda.root_prefix)
    return read_own_settings(environ, home, paths.os_name(), conda_root=next(roots, None))


def findings_for(own: OwnSettings, situation: Situation) -> tuple[Finding, ...]:
    return () if own.is_empty else lint(own, situation)


def mending(findings: Sequence[Finding], wanted: str) -> Mending:
    """What `--fix` would write. Raises UsageError `lint-unknown` for a code that was not found."""
    chosen = tuple(one for one in findings if wanted in (ALL, one.code))
    if not chosen and wanted != ALL:
        raise UsageError("lint-unknown", wanted=wanted)
    by_file: dict[Path, list[Edit]] = {}
    for edit in edits_of(chosen):
        by_file.setdefault(edit.path, []).append(edit)
    diffs: list[Diff] = []
    refused: list[WizardError] = []
    for edits in by_file.values():
        try:
            diffs += propose(edits)
        except WizardError as error:
            refused.append(error)
    return Mending(tuple(one for one in chosen if one.is_fixable), tuple(diffs), tuple(refused))


def mend(planned: Mending, tell: Callable[[Message], None] = lambda words: None) -> Change:
    """Write it, and take away what conda had stored of channels that changed. `tell` hears what became of that.

    Raises WizardError `undo-…`, with nothing changed."""
    codes = ", ".join(dict.fromkeys(finding.code for finding in planned.findings))
    change = apply(planned.diffs, message("lint.reason", codes=codes))
    for words in clean_after(planned.diffs, surroundings()):
        tell(words)
    return change


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {severity: sum(one.severity == severity for one in findings) for severity in SEVERITIES}


def document(findings: Sequence[Finding], language: str | None, change: Change | None = None) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "counts": counts(findings),
        "findings": [_row(finding, language) for finding in findings],
        "change": change.id if change else None,
    }


def _row(finding: Finding, language: str | None) -> dict[str, Any]:
    return {
        "code": finding.code, "severity": finding.severity, "tool": finding.tool, "place": finding.place,
        "line": finding.line, "value": finding.value, "cause": finding.cause.to_json(language),
        "fix": finding.fix.to_json(language), "effect": finding.effect.to_json(language),
        "fixable": finding.is_fixable, "touches_install": finding.touches,
    }  # fmt: skip
