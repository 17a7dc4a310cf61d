"""Looks over the user's own settings: what in them breaks an install, makes it unsafe, or gives the wrong build.

A finding is a value with cause, remedy and consequence; nothing is written here. Its repairs become edits, which
go through `apply` like every other change. The rules are in `lint_rules_*`, what they know in `matrices/lint.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from wizard.toolconfig.lint.finding import LintContext, LintFinding
from wizard.toolconfig.lint.rules_addresses import ADDRESS_RULES, INDEX_RULES
from wizard.toolconfig.lint.rules_conda import CONDA_RULES
from wizard.toolconfig.lint.rules_files import FILE_RULES, OPTION_RULES
from wizard.toolconfig.model import Edit, Option
from wizard.toolconfig.settings import OwnSettings

Rule = Callable[[OwnSettings, LintContext], Iterator[LintFinding]]
RULES: tuple[Rule, ...] = (*FILE_RULES, *ADDRESS_RULES, *INDEX_RULES, *CONDA_RULES, *OPTION_RULES)
_ORDER = ("error", "warning", "note")


def lint(own: OwnSettings, situation: LintContext) -> tuple[LintFinding, ...]:
    """Return the findings, the worst first, otherwise in the order of the rules."""
    found = [finding for rule in RULES for finding in rule(own, situation)]
    return tuple(sorted(found, key=lambda finding: _ORDER.index(finding.severity)))


def edits_of(findings: Iterable[LintFinding]) -> tuple[Edit, ...]:
    """Return all repairs as one edit per option: two that take something out of one list must not bring it back."""
    options: dict[tuple[str, str], Option] = {}
    values: dict[tuple[str, str], list[str]] = {}
    became: dict[tuple[str, str, str], str] = {}  # what a value was replaced by before
    for repair in (repair for finding in findings for repair in finding.repairs):
        key = (str(repair.option.path), repair.option.spelled)
        options.setdefault(key, repair.option)
        now = values.setdefault(key, list(repair.option.values))
        if repair.old is not None:
            name = (*key, repair.old)
            current = became.get(name, repair.old)
            new = None if repair.new is None else _carried(repair.old, repair.new, current)
            if new is not None:
                became[name] = new
            repair = replace(repair, old=current, new=new)
        values[key] = repair.applied(now)
    return tuple(_edit(options[key], now) for key, now in values.items() if tuple(now) != options[key].values)


def _carried(old: str, new: str, current: str) -> str:
    """The same change on a value that another repair has changed already: less at its end, or https."""
    rest = old[len(new) :] if old.startswith(new) else ""
    if rest and current.endswith(rest):
        return current[: -len(rest)]
    return f"https{current[4:]}" if new == f"https{old[4:]}" and current.startswith("http:") else new


def _edit(option: Option, values: list[str]) -> Edit:
    assert option.path is not None  # else there would be no repair
    unique = tuple(dict.fromkeys(values))
    if not unique:
        return Edit(option.tool, option.path, option.spelled, None)
    return Edit(option.tool, option.path, option.spelled, unique if option.is_list else unique[0])
