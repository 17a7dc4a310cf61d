"""An environment for everybody (`setup --shared`): can others get there at all? Asked before anything is changed."""

from __future__ import annotations

from pathlib import Path

from wizard.compatibility.model import Choices, Plan
from wizard.environment.create.modes import closed_to_others
from wizard.environment.inspect.baseline import read_baseline
from wizard.model.errors import UsageError
from wizard.system.traits import this


def check_shared(choices: Choices, prefix: Path) -> None:
    """Raises UsageError `shared-windows`, `shared-closed`."""
    if not choices.shared:
        return
    if not this().rights_are_bits:
        raise UsageError(
            "shared-windows",
            "On Windows an environment cannot be shared by file permissions.",
            "Put it into a folder that every user may read, and leave out --shared.",
        )
    closed = closed_to_others(prefix)
    if closed:
        raise UsageError(
            "shared-closed",
            "Other users cannot get to “{path}”: they may not enter “{folder}”.",
            "Say --prefix with a folder that everybody may enter, such as /opt/torch, or open that "
            "folder yourself: chmod a+x.",
            path=str(prefix),
            folder=str(closed),
        )


def check_base_python(plan: Plan) -> None:
    """A virtual environment runs the Python that it was made from. Raises UsageError `shared-python`."""
    closed = closed_to_others(Path(plan.base_python)) if plan.choices.shared and plan.base_python else None
    if closed:
        raise UsageError(
            "shared-python",
            "Other users cannot run the Python that this environment would be made from ({path}): "
            "they may not enter “{folder}”.",
            "Use the built-in engine, whose environments have a Python of their own (--engine rattler), or name a "
            "Python that everybody may run: --python /usr/bin/python3",
            path=str(plan.base_python),
            folder=str(closed),
        )


def is_shared(plan: Plan) -> bool:
    """Asked for now, or when it was made: a repair of a shared environment leaves it shared."""
    if plan.choices.shared:
        return True
    state = read_baseline(Path(plan.prefix))
    return state is not None and state.shared
