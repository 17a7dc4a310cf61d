"""What the side pages ask of the session: the shape only, so that they are tested with recorded answers.

Every call may take long (disk, programs, network) and is made in a thread. All raise WizardError, and Cancelled when
`is_cancelled` said so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wizard.doctor.good_state import Drift
from wizard.environments.delete import DeletionPlan
from wizard.environments.found import Environment
from wizard.environments.sizes import Sizes
from wizard.flow.afterwards import Section
from wizard.flow.class_api import ClassApi
from wizard.flow.session_api import OnProgress
from wizard.i18n import Message
from wizard.packages.store.space import Usage
from wizard.plan.model import Choices
from wizard.profile.hosts import ForeignHost
from wizard.profile.model import ProfileFile
from wizard.session.classroom import Classroom
from wizard.session.doctor import Examination
from wizard.session.explain import Answer
from wizard.session.model import Facts, Preview
from wizard.session.repair_plan import RepairPreview
from wizard.session.undo_diff import UndoDiff
from wizard.undo.model import Change, Undone

IsCancelled = Callable[[], bool]
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kept:
    """What the newest repair or setup in an environment replaced, and that can be brought back."""

    names: tuple[str, ...]
    size: int
    moved: float


@dataclass(frozen=True, slots=True)
class Closer:
    """One environment from near. `kept` None: nothing waits to be brought back."""

    sections: tuple[Section, ...]
    kept: Kept | None = None


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
        self, facts: Facts, file: ProfileFile, choices: Choices, is_cancelled: IsCancelled,
        classroom: Classroom | None = None, trusted: frozenset[str] = frozenset(),
    ) -> Preview | None:  # fmt: skip
        """None: it is set up there already. Raises WizardError `profile-…`, which the classroom hears of too."""
        ...

    def make_profile(
        self, facts: Facts, preview: Preview, choices: Choices, path: Path, is_cancelled: IsCancelled
    ) -> ProfileFile:
        """Writes what Review shows as a profile for a class. Raises WizardError `profile-…`, `export-not-written`."""
        ...

    # -- doctor

    def drift(self) -> tuple[Drift, ...]:
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

    def explain(self, words: str, is_cancelled: IsCancelled) -> Answer: ...

    def read_pasted(self, path: Path) -> str: ...

    # -- undo

    def settle(self) -> tuple[Message, ...]:
        """What a kill cut off in the middle of a change of settings is finished or taken back."""
        ...

    def changes(self) -> tuple[Change, ...]: ...

    def undo_diffs(self, change: Change) -> tuple[UndoDiff, ...]: ...

    def undo(self, change: Change) -> Undone: ...
