"""What the use cases hand to the window and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wizard.compatibility.model import INDEX_STRATEGIES, Candidate, Choices, Plan, ProjectUse, Verdict
from wizard.environment.model import ChosenPackage
from wizard.machine.model import Machine
from wizard.model.lock import Lock, LockedFile, PackageVersion
from wizard.model.messages import Message, Words, without_point

if TYPE_CHECKING:  # a list of runs waits for no network
    from wizard.sources.model import Offer, Source, SourceStatus, UserSettings

__all__ = ["Choices", "Verdict"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """`state`: ok | note | warning | problem. Only a mandatory one in state "problem" blocks."""

    name: str  # "gpu", "driver", "toolkit", "conda", "settings", "disk", "path", "network", "python"
    state: str
    fact: Message
    why: Message | None = None
    fix: Message | None = None
    mandatory: bool = False

    @property
    def blocks(self) -> bool:
        return self.mandatory and self.state == "problem"


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that was looked at on this computer; nothing was changed."""

    machine: Machine
    settings: UserSettings
    requirements: tuple[Requirement, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class SelectedBuild:
    """The build that will be installed: the best that reachable sources really carry.

    `candidate` may stand below `wanted` (the matrix's best); then `notices` says so.
    """

    wanted: Candidate
    candidate: Candidate
    engine: str
    engine_reason: Message
    python: str
    base_python: str | None
    channels: tuple[str, ...]
    torch_source: Source
    offers: Mapping[str, Offer]  # project -> the wheel that the live check saw
    requirements: tuple[str, ...]  # for the resolver: torch==2.14.1+cu126, numpy<2
    package_sources: tuple[Source, ...]
    states: tuple[SourceStatus, ...]
    notices: tuple[Message, ...] = ()
    conda: str | None = None  # conda engine: the program
    further: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)  # role -> who may have the same files
    further_channels: tuple[str, ...] = ()  # other places of the same conda channels
    index_strategy: str = INDEX_STRATEGIES[0]
    packages_measured: bool = False  # where packages come from was found by a benchmark
    preferred: tuple[PackageVersion, ...] = ()  # kept to where that has a solution
    apart: tuple[str, ...] = ()  # left out of the lock, whoever needs them
    overrides: tuple[str, ...] = ()  # for the resolver: in place of what packages ask for
    constraints: tuple[str, ...] = ()  # for the resolver: what holds for a package only if something needs it
    project: ProjectUse | None = None
    left_out: tuple[str, ...] = ()  # named, and of no use with it: `notices` say why


@dataclass(frozen=True, slots=True)
class Preview:
    """The plan with its lock, saved as a run that has not started. `changes`: what will happen, in words."""

    plan: Plan
    lock: Lock
    changes: tuple[Message, ...]
    commands: tuple[str, ...]  # the equivalent commands, copyable
    python_packages: tuple[ChosenPackage, ...] = ()  # of a conda channel, with the bytes of each
    python_files: tuple[LockedFile, ...] = ()  # of those, where a class profile has locked them
    here: frozenset[str] = frozenset()  # names of the lock's files that need not be fetched

    @property
    def download_bytes(self) -> int | None:
        """Of what is not here yet; None where the sources do not say how large it all is."""
        return Lock(tuple(file for file in self.lock.files if file.filename not in self.here), "").total_bytes

    @property
    def files(self) -> tuple[LockedFile, ...]:
        """All that this computer has downloaded when it is done, and may hand on."""
        return (*self.lock.files, *self.python_files)

    def source_of(self, file: LockedFile) -> Words:
        """Return the name of the plan's source that lists a file; where none does, its host ("" for a folder)."""
        listed = urlsplit(file.listed_by)
        for one in self.plan.sources if file.listed_by else ():
            own = urlsplit(one.url or "")
            if one.name and own._replace(netloc=own.netloc.rpartition("@")[2]) == listed:
                return one.name
        return urlsplit(file.urls[0]).hostname or ""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """`state`: planned | running | unfinished | finished; `asked`: what a running one was asked, pause | cancel | ``;
    `adds`: packages that it puts into an environment that is there; (): it sets one up. `left`: parts of a project that
    it was to put in and that are not, by their names: its report says why.

    `exit_status` is the newest attempt's; None: it goes on, or it ended without a final line.
    """

    id: str
    prefix: str
    torch: str
    variant: str
    created: float
    state: str
    exit_status: int | None = None
    asked: str = ""
    adds: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


_ROOM = "environments.volume."


def gigabytes_taken(told: Iterable[Message]) -> float:
    """Return what `disk_space.room_told` says in all, in GB, so that the figures add up as they are read."""
    needed = (one.params["needed"] for one in told if one.key.startswith(_ROOM))
    return without_point(round(sum(one for one in needed if isinstance(one, (int, float))), 3))
