"""What the pages about a class ask of the session: the shape only, beside `side_api`.

All calls may take long and are made in a thread. They raise WizardError, and Cancelled when `is_cancelled` said so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the window's first picture must not wait for the server's libraries
    from wizard.pack.model import Built, Problem
    from wizard.packages.fetch import FetchProgress
    from wizard.packages.model import LockedFile
    from wizard.profile.hosts import ForeignHost
    from wizard.profile.model import ProfileFile
    from wizard.session.classroom import Classroom
    from wizard.share.room import Room

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class PackSeen:
    """A pack that lies there. `total`: bytes of its files; `files` and `split`: how many, and how many in parts."""

    folder: Path
    title: str
    code: str
    made: str
    files: int
    total: int
    split: int
    seats: int | None = None


@dataclass(frozen=True, slots=True)
class PackPlan:
    """What building would do. `total` None: the profile names no sizes. `needs_split`: the volume holds no file over
    4 GiB; `large`: how many such files there are. `began`: an unfinished one lies there, `is_pack`: a finished one.
    `foreign`: hosts that need a yes first."""

    profile: Path
    folder: Path
    title: str
    code: str
    files: int
    total: int | None
    free: int
    volume: str
    needs_split: bool
    large: int
    began: bool
    is_pack: bool
    foreign: tuple[ForeignHost, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """The room, and a mark that changes when another look is worth it."""

    room: Room
    mark: str


class Counts(Protocol):
    bytes_sent: int
    refused: int
    results: int

    @property
    def clients(self) -> set[str]: ...


class Server(Protocol):
    """One that is serving; also of another thread."""

    addresses: tuple[str, ...]
    problems: tuple[Problem, ...]
    is_announced: bool

    @property
    def code(self) -> str: ...

    @property
    def counted(self) -> Counts: ...

    def stop(self) -> None: ...


class ClassApi(Protocol):
    # -- the admin's side

    def look_at(self, folder: Path) -> PackSeen:
        """Fast: reads the list alone. Raises UsageError `pack-no-folder`, WizardError `pack-…`."""
        ...

    def plan_pack(self, profile: Path, folder: Path) -> PackPlan:
        """Raises UsageError `profile-…`, `pack-folder-taken`."""
        ...

    def build(
        self, plan: PackPlan, split: bool, on_progress: Callable[[FetchProgress], None], is_cancelled: IsCancelled,
        trusted: frozenset[str] = frozenset(),
    ) -> Built:  # fmt: skip
        """What was fetched is kept when it fails or is cancelled."""
        ...

    def serve(self, folder: Path, announce: bool, on_bytes: Callable[[int], None], is_cancelled: IsCancelled) -> Server:
        """Reads every byte of the pack first; what is damaged is not handed out."""
        ...

    def room(self, folder: Path, mark: str) -> Told | None:
        """None: nothing has changed since that mark."""
        ...

    def expect(self, folder: Path, seats: int) -> None: ...

    def save_room(self, room: Room, path: Path, language: str) -> None:
        """As the ending of the name says: a table (.csv) or a page. Raises WizardError `window-not-saved`."""
        ...

    # -- a computer of the class

    def join(
        self, code: str, address: str, is_cancelled: IsCancelled, trusted: frozenset[str] = frozenset()
    ) -> Classroom:
        """`address`: of a server or a folder; '' looks in the local network. Class servers that the profile names are
        asked where they are `trusted`. Raises WizardError `pack-…`, `share-…`,
        `profile-…`."""
        ...

    def beside(self, profile: Path, trusted: frozenset[str] = frozenset()) -> Classroom:
        """The pack that a profile lies in, and the servers that it names."""
        ...

    def hand_on(self, file: ProfileFile, path: Path, files: tuple[LockedFile, ...]) -> Server: ...
