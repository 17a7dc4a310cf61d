"""The conda engine's part of the use cases: which of the user's condas, and what it would do.

Translates what the probe found (`machine`) for the layer that asks it (`environments`); decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wizard.environments.conda_answer import CondaPlan
from wizard.environments.conda_engine import CondaEngine, check_conda_prefix
from wizard.environments.conda_find import KnownConda, OwnConda, find_conda
from wizard.i18n import Message, message
from wizard.plan.model import Choices, Plan
from wizard.session.model import Facts
from wizard.session.place import target_prefix
from wizard.steps.create import target_of


def own_conda(facts: Facts, choices: Choices, is_cancelled: Callable[[], bool]) -> OwnConda | None:
    """None when another engine was asked for. Raises UsageError for a conda or a place that cannot be, Cancelled."""
    if choices.engine != "conda":
        return None
    check_conda_prefix(target_prefix(choices))
    known = [KnownConda(Path(row.executable), row.kind, row.found_by or "") for row in facts.machine.condas]
    return find_conda(choices.conda, known, {}, is_cancelled)


def plan_conda(plan: Plan, is_cancelled: Callable[[], bool]) -> CondaPlan | None:
    """By a dry run, so that terms, channels and missing packages are heard of before anything is begun. None for
    another engine. Raises WizardError, Cancelled."""
    if plan.engine != "conda":
        return None
    return CondaEngine(plan.environment).plan(target_of(plan), is_cancelled)


def conda_changes(plan: Plan, planned: CondaPlan | None) -> tuple[Message, ...]:
    if planned is None:
        return ()
    size, python = planned.bytes_to_fetch, planned.python or plan.python
    exact: dict[str, str | float] = {"megabytes": round(size / 1e6, 1), "bytes": f"{size:,}"}
    return (message("change.conda-packages", count=planned.packages, python=python, **exact),)
