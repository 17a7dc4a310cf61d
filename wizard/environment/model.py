"""Environments: a prefix is a folder that holds its own Python. Three engines make one from nothing.

`rattler` makes a true conda prefix from a channel; `conda` lets the user's own conda make it; `venv` uses a Python
that the machine already has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wizard.model.messages import Message

IsCancelled = Callable[[], bool]
OnProgress = Callable[[int, int | None, Message], None]  # bytes done, bytes total or None, what now


@dataclass(frozen=True, slots=True)
class TargetSystem:
    """A computer that is not this one, as a channel's packages ask for it: conda's word for it ("win-64") and virtual
    packages ("__glibc", "2.28", "0")."""

    subdir: str
    virtual: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Target:
    """What to make. `python` is "3.12"; `base_python` the venv engine's interpreter; `conda` the conda engine's
    program; `channels` and `specs`, what is asked for beside Python and pip, are for rattler and conda. rattler alone:
    `chosen` are packages that were chosen before (see `python_part`), `further_channels` other places of the same
    channels, for when one fails. `local`: (SHA-256, file) of all that was chosen, fetched and checked already: then no
    channel is asked. `system`: choose for another one."""

    prefix: Path
    python: str
    engine: str  # "rattler" | "conda" | "venv"
    base_python: Path | None = None
    channels: tuple[str, ...] = ()
    cuda: str | None = None  # for the __cuda virtual package
    conda: Path | None = None
    chosen: str = ""
    further_channels: tuple[str, ...] = ()
    specs: tuple[str, ...] = ()
    local: tuple[tuple[str, Path], ...] = ()
    system: TargetSystem | None = None


@dataclass(frozen=True, slots=True)
class Created:
    prefix: Path
    python: Path  # the prefix's interpreter
    python_version: str  # "3.12.11"
    engine: str
    packages: int
    bytes_downloaded: int = 0


class Engine(Protocol):
    name: str

    def create(self, target: Target, on_progress: OnProgress, is_cancelled: IsCancelled) -> Created:
        """Makes the environment in `target.prefix`, which does not exist or is empty.

        Raises WizardError (codes `env-…`) or Cancelled; what it began is then for the caller to remove.
        """
        ...
