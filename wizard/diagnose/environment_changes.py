"""What replaced PyTorch in the environments that runs of ours made. Asked at every start, so it brings little along."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wizard.environment.inspect.baseline import (
    EnvironmentChanges,
    changes_since_baseline,
    losses_since_baseline,
    read_baseline,
)
from wizard.model.errors import WizardError
from wizard.run.plan.plan_file import read_plan
from wizard.run.run_folder import run_folders


def known_prefixes() -> tuple[Path, ...]:
    """Environments that runs of ours made or repaired, and that are still there."""
    found: dict[Path, None] = {}
    for folder in run_folders():
        try:
            found[Path(read_plan(folder.plan).prefix)] = None
        except WizardError:
            continue
    return tuple(prefix for prefix in found if read_baseline(prefix))


def drift(prefixes: Iterable[Path] | None = None) -> tuple[EnvironmentChanges, ...]:
    """Reads a few small files of each; starts no Python and imports nothing."""
    known = known_prefixes() if prefixes is None else prefixes
    looked = (changes_since_baseline(prefix) or losses_since_baseline(prefix) for prefix in known)
    return tuple(each for each in looked if each)
