"""What it is that somebody opens with the program or drops on the window: a plan, a profile, a project, or not.

A plan that another computer made is not carried out by the window: its folders and sources were chosen there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.model.errors import WizardError

if TYPE_CHECKING:
    from wizard.run.model import RunInfo

PLAN = "plan.json"
PROFILE = ".torchlab"


@dataclass(frozen=True, slots=True)
class Opened:
    """`kind`: run | foreign-plan | profile | other."""

    path: Path
    kind: str
    run: RunInfo | None = None


@dataclass(frozen=True, slots=True)
class Inside:
    """What a folder is opened as; of a file only whether it lists what a project needs,
    or is the archive of one."""

    profile: Path | None = None  # of the pack that it is
    is_environment: bool = False
    is_project: bool = False


def is_of_wizard(path: Path) -> bool:
    """Return whether it is a plan or a profile by its name: for the first page."""
    return path.suffix.lower() in (".json", PROFILE)


def inside(path: Path) -> Inside:
    """Raises WizardError `window-folder` for a folder with nothing to open."""
    from wizard.classroom.pack.listing import PROFILE as OF_PACK
    from wizard.environment.naming import is_environment
    from wizard.project.search.files import ProjectFolder, declares

    if not path.is_dir():
        return Inside(is_project=declares(path.name) or path.suffix.lower() == ".zip")
    if (path / OF_PACK).is_file():
        return Inside(path / OF_PACK)
    if is_environment(path):
        return Inside(is_environment=True)
    if ProjectFolder(path).find()[0]:
        return Inside(is_project=True)
    raise WizardError(
        "window-folder",
        "“{name}” is a folder in which there is nothing to open.",
        "Drop a project, an environment's folder, the folder of a class, or one file: a class profile "
        "(.torchlab), a plan, or a log.",
        name=path.name or str(path),
    )


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
