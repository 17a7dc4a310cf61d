"""One row of the list: an environment that is on this computer, as its folder tells.

`sizes` are not in it: they take long and come later (`sizes.py`).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from wizard.environment.inspect.contents import Package
from wizard.model.messages import Message


class EnvironmentKind(str, enum.Enum):
    """Who made it, or what it is."""

    RATTLER = "rattler"  # our built-in engine: a true conda prefix
    CONDA = "conda"
    VENV = "venv"  # also uv's and virtualenv's
    BASE = "base"  # a conda installation itself
    SYSTEM = "system"  # an interpreter without an environment around it


class EnvironmentState(str, enum.Enum):
    OK = "ok"
    BROKEN = "broken"
    UNFINISHED = "unfinished"  # a run of ours began it; it may be gone on with
    DELETING = "deleting"  # renamed away, its files are still going


@dataclass(frozen=True, slots=True)
class Environment:
    """`last_used` is in seconds since 1970. `reason` says why it is broken. `run` began it and did not finish.

    `base`: the folder of the interpreter that a venv borrows; without it the venv does not run.
    """

    name: str
    prefix: Path
    kind: EnvironmentKind
    state: EnvironmentState
    python: str | None = None
    torch: str | None = None
    variant: str | None = None
    companions: tuple[Package, ...] = ()
    packages: int = 0
    last_used: float | None = None
    reason: Message | None = None
    run: str | None = None
    base: Path | None = None
    is_current: bool = False
    is_frozen: bool = False
