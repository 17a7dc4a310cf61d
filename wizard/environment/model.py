"""Environments: a prefix is a folder that holds its own Python. Three engines make one from nothing.

`rattler` makes a true conda prefix from a channel; `conda` lets the user's own conda make it; `venv` uses a Python
that the machine already has.
"""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wizard.environment.inspect.contents import Package
from wizard.model.errors import ErrorText
from wizard.model.messages import Message

TARGET_NOT_WRITABLE = ErrorText(
    "target-not-writable",
    "You can't write in “{path}”.",
    "Choose a folder of your own, for example in your home folder.",
)


TARGET_NOT_EMPTY = ErrorText(
    "target-not-empty",
    "The folder “{path}” is not empty; nothing in it was changed.",
    "Choose another name or an empty folder.",
)


TARGET_IS_LINK = ErrorText(
    "target-is-link",
    "“{path}” is a link to another place.",
    "Give the folder that the link points to, or another name.",
)


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
    """One that is on this computer, as its folder tells. Sizes take long and come later (`inspect/sizes.py`).

    `last_used` is in seconds since 1970. `reason` says why it is broken. `run` began it and did not finish.

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

    @property
    def is_moved(self) -> bool:
        """Whether nothing is wrong with it but that it names the place where it was made: a clone is right again."""
        return self.reason is not None and self.reason.key == "envs.broken.moved"

    @property
    def is_persons(self) -> bool:
        """Whether it is the person's own: not conda's, not the system's, and not the Python that runs this program."""
        is_another = self.prefix not in (Path(sys.prefix), Path(sys.prefix).resolve())
        return is_another and self.kind not in (EnvironmentKind.BASE, EnvironmentKind.SYSTEM)


@dataclass(frozen=True, slots=True)
class ChosenPackage:
    """`size` of the archive in bytes; `is_cached`: it was fetched for another environment. `is_python`: a package that
    pip would call installed."""

    name: str
    version: str
    build: str
    size: int | None
    is_cached: bool
    is_python: bool = False


@dataclass(frozen=True, slots=True)
class PythonPart:
    """What the built-in engine will put into an environment: chosen once, shown with its bytes, then made of just that.

    `text` is the channel's own description of the packages (addresses, sizes, SHA-256), for the engine's child: the
    lock of this part. It may hold a password.
    """

    packages: tuple[ChosenPackage, ...]
    text: str

    @property
    def bytes_to_fetch(self) -> int:
        return sum(package.size or 0 for package in self.packages if not package.is_cached)


def parse_python_part(records: list[dict[str, Any]], cached: list[bool]) -> PythonPart:
    """Return the part by the child's event. Raises KeyError, TypeError, ValueError for anything else."""
    rows = zip(records, cached, strict=True)
    packages = tuple(
        ChosenPackage(
            str(row["name"]),
            str(row["version"]),
            str(row["build"]),
            int(row["size"]) if row.get("size") is not None else None,
            bool(is_cached),
            is_python_package(row),
        )
        for row, is_cached in rows
    )
    return PythonPart(packages, json.dumps(records))


def is_python_package(record: Mapping[str, Any]) -> bool:
    """Tell by the channel's description: only those that are made for a Python depend on one. tzdata, say, does not,
    and is no Python package although the index has one of that name."""
    return record.get("noarch") == "python" or any(
        str(each).split()[:1] == ["python"] for each in record.get("depends") or ()
    )


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
        """Make the environment in `target.prefix`, which does not exist or is empty.

        Raises WizardError (codes `env-…`) or Cancelled; what it began is then for the caller to remove.
        """
        ...
