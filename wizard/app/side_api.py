"""What the side pages ask of the session: the shape only, so that they are tested with recorded answers.

Every call may take long (disk, programs, network) and is made in a thread. All raise WizardError, and Cancelled when
`is_cancelled` said so.

One file: the shapes of one interface, each a few lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wizard.app.pages.after_setup import Section
from wizard.app.session_api import OnProgress
from wizard.app.use.doctor import Examination
from wizard.app.use.explain import ExplainResult
from wizard.app.use.settings import UndoDiff
from wizard.classroom.join import Classroom
from wizard.classroom.profile.hosts import ForeignHost
from wizard.classroom.profile.model import ProfileFile
from wizard.compatibility.model import Choices
from wizard.diagnose.repair.plan import RepairPreview
from wizard.environment.inspect.baseline import EnvironmentChanges
from wizard.environment.inspect.found import Environment
from wizard.environment.inspect.sizes import Sizes
from wizard.environment.remove.delete import DeletionPlan
from wizard.install.store.space import Usage
from wizard.model.messages import Message
from wizard.run.model import Facts, Preview
from wizard.undo.model import Change, Undone

if TYPE_CHECKING:
    from wizard.classroom.pack.listing import Built, PackProblem
    from wizard.classroom.results.room import ClassResults
    from wizard.model.lock import LockedFile
    from wizard.transfer.download import FetchProgress


# What the pages about a class ask of the session: the shape only, beside `side_api`.
#
# All calls may take long and are made in a thread. They raise WizardError, and Cancelled when `is_cancelled` said so.

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

    room: ClassResults
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
    problems: tuple[PackProblem, ...]
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
        self,
        plan: PackPlan,
        split: bool,
        on_progress: Callable[[FetchProgress], None],
        is_cancelled: IsCancelled,
        trusted: frozenset[str] = frozenset(),
    ) -> Built:
        """What was fetched is kept when it fails or is cancelled."""
        ...

    def serve(self, folder: Path, announce: bool, on_bytes: Callable[[int], None], is_cancelled: IsCancelled) -> Server:
        """Reads every byte of the pack first; what is damaged is not handed out."""
        ...

    def room(self, folder: Path, mark: str) -> Told | None:
        """None: nothing has changed since that mark."""
        ...

    def expect(self, folder: Path, seats: int) -> None: ...

    def save_room(self, room: ClassResults, path: Path, language: str) -> None:
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


Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Replaced:
    """What the newest repair or setup in an environment replaced, and that can be brought back."""

    names: tuple[str, ...]
    size: int
    moved: float


@dataclass(frozen=True, slots=True)
class Closer:
    """One environment from near. `kept` None: nothing waits to be brought back."""

    sections: tuple[Section, ...]
    kept: Replaced | None = None


class SideApi(Protocol):
    @property
    def classes(self) -> ClassApi:
        """Packs, the class server and the room."""
        ...

    # -- environments

    def environments(self, is_cancelled: IsCancelled) -> tuple[Environment, ...]: ...

    def sizes(
        self, found: Iterable[Environment], on_sizes: Callable[[Path, Sizes], None], is_cancelled: IsCancelled
    ) -> None: ...

    def store_usage(self, is_cancelled: IsCancelled) -> Usage:
        """What the package store holds, and what of it no environment uses."""
        ...

    def prune_store(self, is_cancelled: IsCancelled) -> int:
        """Bytes that are free again."""
        ...

    def closer(self, one: Environment) -> Closer: ...

    def ways(self, prefix: Path, has_cuda: bool) -> tuple[Section, ...]:
        """How it is used, as lines to copy."""
        ...

    def bring_back(self, prefix: Path) -> tuple[str, ...]:
        """The packages that are as they were before the newest repair."""
        ...

    def open_terminal(self, prefix: Path) -> None: ...

    def clone(
        self, one: Environment, name: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> int:
        """A copy of that name where new environments go; its bytes. `on_progress` hears bytes done and in all."""
        ...

    def export(self, one: Environment, path: Path) -> None:
        """Its packages as a file, as the ending says: pylock (.toml), data (.json), or requirements."""
        ...

    def plan_deletion(self, one: Environment, is_cancelled: IsCancelled) -> DeletionPlan: ...

    def delete(
        self, plan: DeletionPlan, typed: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> None: ...

    # -- an environment as the target of a setup

    def check_reuse(self, choices: Choices) -> None:
        """Raises UsageError `reuse-…` where packages may not be put into it."""
        ...

    def plan_reuse(
        self, facts: Facts, choices: Choices, is_cancelled: IsCancelled, on_progress: OnProgress
    ) -> Preview | None:
        """None: nothing would change."""
        ...

    # -- a class profile

    def read_profile(self, path: Path) -> ProfileFile:
        """Raises UsageError `profile-…`."""
        ...

    def foreign_hosts(self, file: ProfileFile) -> tuple[ForeignHost, ...]:
        """Those that need a yes before the profile is carried out."""
        ...

    def signer(self, file: ProfileFile) -> Message:
        """Who has signed it, in words. Raises UsageError `signature-…`."""
        ...

    def remember_key(self, file: ProfileFile) -> None:
        """From now on the class's. Raises UsageError `signature-…`, WizardError `state-not-writable`."""
        ...

    def profile_choices(self, file: ProfileFile, wishes: Choices) -> Choices:
        """What the profile says, with the wishes that it lets a person have. Raises UsageError `profile-fixed`."""
        ...

    def plan_profile(
        self,
        facts: Facts,
        file: ProfileFile,
        choices: Choices,
        is_cancelled: IsCancelled,
        classroom: Classroom | None = None,
        trusted: frozenset[str] = frozenset(),
    ) -> Preview | None:
        """None: it is set up there already. Raises WizardError `profile-…`, which the classroom hears of too."""
        ...

    def make_profile(
        self, facts: Facts, preview: Preview, choices: Choices, path: Path, is_cancelled: IsCancelled
    ) -> ProfileFile:
        """Writes what Review shows as a profile for a class. Raises WizardError `profile-…`, `export-not-written`."""
        ...

    # -- doctor

    def drift(self) -> tuple[EnvironmentChanges, ...]:
        """Under a second: starts no Python, imports nothing."""
        ...

    def examine(self, prefix: Path, on_stage: Callable[[str], None], is_cancelled: IsCancelled) -> Examination: ...

    def plan_repair(self, found: Examination, is_cancelled: IsCancelled) -> RepairPreview: ...

    def document(self, found: Examination, repair: RepairPreview | None, language: str) -> Document: ...

    def document_text(self, document: Document, language: str) -> str: ...

    def save(self, path: Path, document: Document, language: str) -> None:
        """As the ending of the name says: a page, data, or text. Raises WizardError `window-not-saved`."""
        ...

    # -- explain

    def explain(self, words: str, is_cancelled: IsCancelled) -> ExplainResult: ...

    def read_pasted(self, path: Path) -> str: ...

    # -- undo

    def settle(self) -> tuple[Message, ...]:
        """What a kill cut off in the middle of a change of settings is finished or taken back."""
        ...

    def changes(self) -> tuple[Change, ...]: ...

    def undo_diffs(self, change: Change) -> tuple[UndoDiff, ...]: ...

    def undo(self, change: Change) -> Undone: ...
