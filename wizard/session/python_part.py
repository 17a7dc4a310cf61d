"""The built-in engine's part of a preview: Python and pip chosen before anything is begun, with their bytes.

What is chosen here is what the run makes the environment of; where a class profile has locked it, nothing is chosen and
no channel is asked. Another engine has nothing of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from wizard.environments.python_part import PythonPart
from wizard.environments.rattler_engine import RattlerEngine
from wizard.i18n import Message, message
from wizard.packages.fetch import Downloads
from wizard.packages.model import LockedFile
from wizard.plan.model import Plan
from wizard.steps.create import target_of


@dataclass(frozen=True, slots=True)
class LockedPython:
    """Of a class profile: the packages' descriptions for the engine, and their files with all addresses."""

    text: str
    files: tuple[LockedFile, ...]


def choose_python_part(
    plan: Plan, is_cancelled: Callable[[], bool], locked: LockedPython | None = None
) -> PythonPart | None:
    """Raises WizardError `env-…`, Cancelled."""
    if plan.engine != "rattler":
        return None
    part = RattlerEngine(plan.environment).plan(target_of(plan, locked.text if locked else ""), is_cancelled)
    return _with_downloads(part, locked.files) if locked else part


def _with_downloads(part: PythonPart, files: tuple[LockedFile, ...]) -> PythonPart:
    """What this computer has downloaded for an earlier setup is not fetched either. `text` stays the profile's."""
    store = Downloads()
    here = {file.sha256 for file in files if store.find(file)}
    digests = [str(record["sha256"]) for record in json.loads(part.text)]
    packages = tuple(
        replace(package, is_cached=package.is_cached or digest in here)
        for package, digest in zip(part.packages, digests, strict=True)
    )
    return replace(part, packages=packages)


def python_changes(plan: Plan, part: PythonPart | None) -> tuple[Message, ...]:
    if part is None:
        return ()
    python = next((package.version for package in part.packages if package.name == "python"), plan.python)
    size = part.bytes_to_fetch
    key = "change.python-packages" if size else "change.python-packages-cached"
    exact: dict[str, str | float] = {"megabytes": round(size / 1e6, 1), "bytes": f"{size:,}"}
    return (message(key, python=python, count=len(part.packages), **exact),)
