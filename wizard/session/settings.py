"""The use cases about the user's settings files: use a mirror for good, see what was changed, take it back.

The window and the command line ask here. Nothing is written before a person has seen the difference.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard import paths
from wizard.environments.conda_find import executable_in
from wizard.i18n import Message, message
from wizard.settings import apply as door
from wizard.settings.model import Diff, Tool
from wizard.settings.places import Surroundings
from wizard.settings.use import CONDA, Wish, rows_of, wishes
from wizard.settings.verify import Check, clean_index_cache, conda_of, verify
from wizard.undo.journal import Journal
from wizard.undo.model import Change, State, Undone


@dataclass(frozen=True, slots=True)
class UsePlan:
    """What `use` would do. No `diffs`: all files say so already. `kinds`: what was asked for, () for all."""

    mirror: str
    wishes: tuple[Wish, ...]
    diffs: tuple[Diff, ...]
    notices: tuple[Message, ...]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Used:
    """`change` None: there was nothing to write, the tools were only asked. `after` are further words for people."""

    change: Change | None
    checks: tuple[Check, ...]
    after: tuple[Message, ...]


def surroundings(conda: str | None = None) -> Surroundings:
    """`conda`: the program or installation to ask before any other. Raises UsageError `conda-not-there`."""
    named = {"CONDA_EXE": str(executable_in(Path(conda).expanduser().absolute()))} if conda else {}
    return Surroundings({**os.environ, **named}, Path.home(), paths.os_name())


def plan_use(mirror: str, kinds: tuple[str, ...] = (), around: Surroundings | None = None) -> UsePlan:
    """`kinds`: "packages", "conda"; none: all that this mirror has and this computer uses.

    Raises UsageError `settings-no-mirror`, `settings-not-lasting`; WizardError `settings-…` for a file that is let be.
    """
    around = around or surroundings()
    found = wishes(rows_of(mirror, kinds), around)
    notices: list[Message] = []
    if not kinds and not _uses_conda(found, around):
        found = tuple(wish for wish in found if wish.tool is not Tool.CONDA)
        notices.append(message("settings-file.no-conda", kind=CONDA))
    diffs = door.propose(edit for wish in found for edit in wish.edits)
    notices += [notice for wish in found for notice in wish.notices]
    return UsePlan(mirror, found, diffs, tuple(notices), kinds)


def _uses_conda(found: tuple[Wish, ...], around: Surroundings) -> bool:
    wish = next((wish for wish in found if wish.tool is Tool.CONDA), None)
    return wish is None or wish.path.exists() or conda_of(around) is not None


def use(plan: UsePlan, around: Surroundings | None = None) -> Used:
    """Writes, then asks the tools. Raises WizardError `undo-…`, with nothing changed."""
    around = around or surroundings()
    change = door.apply(plan.diffs, _reason(plan)) if plan.diffs else None
    checks = tuple(verify(wish, around) for wish in plan.wishes)
    return Used(change, checks, clean_after(plan.diffs, around))


def _reason(plan: UsePlan) -> Message:
    """With the name by which people know the mirror."""
    row = next(iter(rows_of(plan.mirror, plan.kinds).values()))
    return message("settings-file.reason.source", id=plan.mirror, name=row.operator)


def clean_after(diffs: Sequence[Diff], around: Surroundings) -> tuple[Message, ...]:
    """Where conda's channels were changed, take its stored package lists away, and say what became of them."""
    cleaned = clean_index_cache(around) if any(diff.tool is Tool.CONDA for diff in diffs) else None
    words = {True: "settings-file.cleaned", False: "settings-file.not-cleaned"}
    return () if cleaned is None else (message(words[cleaned]),)


def changes() -> tuple[Change, ...]:
    """Newest first, those that are undone too."""
    return Journal().changes()


def to_undo(change_id: str | None) -> Change:
    """Raises UsageError `undo-nothing`, `undo-unknown`, `undo-already`."""
    return Journal().find(change_id)


def undo(change: Change) -> Undone:
    return door.undo(change.id)


def settle_interrupted() -> tuple[Message, ...]:
    """For the start of the program: what a kill cut off in the middle of a write is finished or taken back."""
    if not Journal().is_unfinished():
        return ()
    words = {State.WRITTEN: "settings-file.finished", State.UNDONE: "settings-file.undone"}
    return tuple(message(words.get(change.state, "settings-file.taken-back"), files=", ".join(
        file.path for file in change.files)) for change in door.recover())  # fmt: skip
