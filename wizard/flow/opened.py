"""What a file is that somebody opens with the program or drops on the window: the plan of a run here, or not.

A plan that another computer made is not carried out by the window: its folders and sources were chosen there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.errors import WizardError

if TYPE_CHECKING:
    from wizard.session.model import RunInfo

PLAN = "plan.json"
PROFILE = ".torchlab"


@dataclass(frozen=True, slots=True)
class Opened:
    """`kind`: run | foreign-plan | profile | other."""

    path: Path
    kind: str
    run: RunInfo | None = None


def what_is(path: Path, runs: Iterable[RunInfo], events_path: Callable[[str], Path]) -> Opened:
    """`events_path` says where a run's files lie."""
    if path.suffix.lower() == PROFILE:
        return Opened(path, "profile")
    if path.name != PLAN:
        return Opened(path, "other")
    for run in runs:
        try:
            if events_path(run.id).parent.resolve() == path.parent.resolve():
                return Opened(path, "run", run)
        except (OSError, WizardError):
            continue
    return Opened(path, "foreign-plan")
