"""The built-in engine's part of a preview: Python and pip chosen before anything is begun, with their bytes.

What is chosen here is what the run makes the environment of. Another engine has nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable

from wizard.environments.python_part import PythonPart
from wizard.environments.rattler_engine import RattlerEngine
from wizard.i18n import Message, message
from wizard.plan.model import Plan
from wizard.steps.create import target_of


def choose_python_part(plan: Plan, is_cancelled: Callable[[], bool]) -> PythonPart | None:
    """Raises WizardError `env-…`, Cancelled."""
    if plan.engine != "rattler":
        return None
    return RattlerEngine(plan.environment).plan(target_of(plan), is_cancelled)


def python_changes(plan: Plan, part: PythonPart | None) -> tuple[Message, ...]:
    if part is None:
        return ()
    python = next((package.version for package in part.packages if package.name == "python"), plan.python)
    size = part.bytes_to_fetch
    key = "change.python-packages" if size else "change.python-packages-cached"
    exact: dict[str, str | float] = {"megabytes": round(size / 1e6, 1), "bytes": f"{size:,}"}
    return (message(key, python=python, count=len(part.packages), **exact),)
