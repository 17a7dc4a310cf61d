"""`torch-wizard mirrors lint`: what in the pip, uv and conda settings would harm an install, and mending it.

The exit status is 0 when no finding of severity error is left, else 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus, UsageError
from wizard.i18n import message
from wizard.session import lint as use_case
from wizard.session.session import Session
from wizard.settings.finding import Finding
from wizard.undo.model import Change

_MARKS = {"error": "✗", "warning": "!", "note": "·"}


def lint(arguments: argparse.Namespace, terminal: Terminal) -> int:
    if arguments.fix and not arguments.yes and (arguments.json or not _can_ask()):
        raise UsageError("needs-yes")
    session = Session()
    facts = session.probe()
    findings, change = session.lint(facts), None
    if arguments.fix:
        change = _fix(findings, arguments, terminal)
        findings = session.lint(facts)
    if arguments.json:
        terminal.document(use_case.document(findings, terminal.language, change))
    else:
        _show(findings, terminal)
    return ExitStatus.FAILED if any(one.severity == "error" for one in findings) else ExitStatus.DONE


def _fix(findings: Sequence[Finding], arguments: argparse.Namespace, terminal: Terminal) -> Change | None:
    planned = use_case.mending(findings, arguments.fix)
    for refused in planned.refused:
        terminal.error(refused)
    if not planned.diffs:
        terminal.say(message("lint.nothing-to-fix"))
        return None
    for diff in planned.diffs:
        terminal.write(diff.text)
    if not arguments.yes and not _agreed(terminal):
        terminal.say(message("lint.left-alone"))
        return None
    change = use_case.mend(planned, terminal.say)
    terminal.say(message("lint.fixed", count=len(planned.diffs)))
    return change


def _show(findings: Sequence[Finding], terminal: Terminal) -> None:
    if not findings:
        terminal.say(message("lint.none"))
        return
    for finding in findings:
        at = finding.place
        if finding.line is not None:
            at = terminal.words(message("lint.line", place=finding.place, line=finding.line))
        severity = terminal.words(message(f"lint.severity.{finding.severity}"))
        terminal.line(f"{_MARKS[finding.severity]} {severity} {finding.code}: {at}")
        terminal.line(f"    {terminal.words(finding.cause)}")
        terminal.line(f"    {terminal.words(message('lint.label.fix'))} {terminal.words(finding.fix)}")
        terminal.line(f"    {terminal.words(message('lint.label.effect'))} {terminal.words(finding.effect)}")
    count = use_case.counts(findings)
    terminal.say(message("lint.found", errors=count["error"], warnings=count["warning"], notes=count["note"]))
    if any(finding.is_fixable for finding in findings):
        terminal.say(message("lint.fixable"))


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _agreed(terminal: Terminal) -> bool:
    terminal.say(message("lint.ask"))
    return sys.stdin.readline().strip().lower() in ("y", "yes", "是", "好")
