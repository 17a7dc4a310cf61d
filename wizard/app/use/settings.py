"""The use cases about the user's settings files: a mirror for good, looking them over, taking a change back.

The use case: look over the user's settings for this install, and mend what can be mended in a file.

The rules know nothing of machines; here they get to know the card, and the build that is the best for it.
Mending goes through the journal, so that it can be taken back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import version_key
from wizard.compatibility.model import Candidate
from wizard.environment.conda.find import executable_in
from wizard.machine.model import Machine
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.system import paths
from wizard.toolconfig import edit as door
from wizard.toolconfig.edit import apply, propose, take_out
from wizard.toolconfig.lint.finding import LintContext, LintFinding
from wizard.toolconfig.lint.lint import edits_of, lint
from wizard.toolconfig.model import Diff, Edit, Tool, UserContext
from wizard.toolconfig.settings import OwnSettings, read_own_settings
from wizard.toolconfig.text_file import difference
from wizard.toolconfig.use import CONDA, SettingsRequest, mirror_requests, rows_of
from wizard.toolconfig.verify import ToolCheck, clean_index_cache, conda_of, verify
from wizard.undo.journal import UndoJournal, digest
from wizard.undo.model import Change, ChangeState, FileChange, How, TakenOut, Undone
from wizard.undo.storage import UNDO_UNREADABLE, Storage
from wizard.undo.user_file import read_target

# What taking a change back would do to each file, before it is done: for the person who is asked.
#
# Follows the journal's own rule (`undo/journal.py`): the exact bytes from before where the file is as we left it, else
# only our keys. A test holds both against each other. Writes nothing.


@dataclass(frozen=True, slots=True)
class UndoDiff:
    """`text` is a unified difference without secrets, "" where nothing would change. `left`: keys that stay."""

    path: str
    how: How
    text: str
    left: tuple[str, ...] = ()


def undo_diffs(change: Change) -> tuple[UndoDiff, ...]:
    """Return what taking a change back would do to each file. Raises WizardError `undo-not-readable`,
    `undo-unreadable`."""
    storage = Storage(paths.home() / "undo")
    return tuple(_diff(change, number, storage) for number in range(len(change.files)))


def _diff(change: Change, number: int, storage: Storage) -> UndoDiff:
    file = change.files[number]
    now = read_target(file)
    if now is None and file.after_sha256 is None:
        return _exact(change, number, file, b"", storage)
    if now is None:
        return UndoDiff(file.path, How.REMOVED if file.before_sha256 is None else How.LEFT, "")
    if digest(now) == file.after_sha256:
        return _exact(change, number, file, now, storage)
    if digest(now) == file.before_sha256:
        return UndoDiff(file.path, How.RESTORED, "")
    return _keys_only(file, now, take_out(file, now))


def _exact(change: Change, number: int, file: FileChange, now: bytes, storage: Storage) -> UndoDiff:
    if file.before_sha256 is None:
        return UndoDiff(file.path, How.REMOVED, difference(Path(file.path), now, b""))
    try:
        before = storage.kept(change.id, number)
    except OSError as error:
        folder = str(storage.folder / change.id)
        raise WizardError(UNDO_UNREADABLE, details=str(error), id=change.id, folder=folder) from error
    return UndoDiff(file.path, How.RESTORED, difference(Path(file.path), now, before))


def _keys_only(file: FileChange, now: bytes, taken: TakenOut) -> UndoDiff:
    if taken.content is None or taken.content == now:
        return UndoDiff(file.path, How.LEFT, "", taken.left)
    is_empty = file.before_sha256 is None and not taken.content.strip()
    how = How.REMOVED if is_empty else How.TAKEN_OUT
    return UndoDiff(file.path, how, difference(Path(file.path), now, taken.content), taken.left)


# The use cases about the user's settings files: use a mirror for good, see what was changed, take it back.
#
# The window and the command line ask here. Nothing is written before a person has seen the difference.


@dataclass(frozen=True, slots=True)
class UsePlan:
    """What `use` would do. No `diffs`: all files say so already. `kinds`: what was asked for, () for all."""

    mirror: str
    requests: tuple[SettingsRequest, ...]
    diffs: tuple[Diff, ...]
    notices: tuple[Message, ...]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Used:
    """`change` None: there was nothing to write, the tools were only asked. `after` are further words for people."""

    change: Change | None
    checks: tuple[ToolCheck, ...]
    after: tuple[Message, ...]


def surroundings(conda: str | None = None) -> UserContext:
    """Return where settings are. `conda`: the program or installation to ask before any other. Raises UsageError
    `conda-not-there`."""
    named = {"CONDA_EXE": str(executable_in(Path(conda).expanduser().absolute()))} if conda else {}
    return UserContext({**os.environ, **named}, Path.home(), paths.os_name())


def plan_use(mirror: str, kinds: tuple[str, ...] = (), around: UserContext | None = None) -> UsePlan:
    """Plan a mirror for good. `kinds`: "packages", "conda"; none: all that this mirror has and this computer uses.

    Raises UsageError `settings-no-mirror`, `settings-not-lasting`; WizardError `settings-…` for a file that is let be.
    """
    around = around or surroundings()
    found = mirror_requests(rows_of(mirror, kinds), around)
    notices: list[Message] = []
    if not kinds and not _uses_conda(found, around):
        found = tuple(request for request in found if request.tool is not Tool.CONDA)
        notices.append(message("settings-file.no-conda", kind=CONDA))
    diffs = door.propose(edit for request in found for edit in request.edits)
    notices += [notice for request in found for notice in request.notices]
    return UsePlan(mirror, found, diffs, tuple(notices), kinds)


def _uses_conda(found: tuple[SettingsRequest, ...], around: UserContext) -> bool:
    request = next((request for request in found if request.tool is Tool.CONDA), None)
    return request is None or request.path.exists() or conda_of(around) is not None


def use(plan: UsePlan, around: UserContext | None = None) -> Used:
    """Write, then ask the tools. Raises WizardError `undo-…`, with nothing changed."""
    around = around or surroundings()
    change = door.apply(plan.diffs, _reason(plan)) if plan.diffs else None
    checks = tuple(verify(request, around) for request in plan.requests)
    return Used(change, checks, clean_after(plan.diffs, around))


def _reason(plan: UsePlan) -> Message:
    """Return the reason, with the name by which people know the mirror."""
    row = next(iter(rows_of(plan.mirror, plan.kinds).values()))
    return message("settings-file.reason.source", id=plan.mirror, name=row.operator)


def clean_after(diffs: Sequence[Diff], around: UserContext) -> tuple[Message, ...]:
    """Remove conda's stored package lists where its channels were changed, and return what became of them."""
    cleaned = clean_index_cache(around) if any(diff.tool is Tool.CONDA for diff in diffs) else None
    words = {True: "settings-file.cleaned", False: "settings-file.not-cleaned"}
    return () if cleaned is None else (message(words[cleaned]),)


def changes() -> tuple[Change, ...]:
    """Return all changes, newest first, those that are undone too."""
    return UndoJournal().changes()


def to_undo(change_id: str | None) -> Change:
    """Return the change to take back. Raises UsageError `undo-nothing`, `undo-unknown`, `undo-already`."""
    return UndoJournal().find(change_id)


def undo(change: Change) -> Undone:
    return door.undo(change.id)


def recover_interrupted() -> tuple[Message, ...]:
    """Finish or take back what a kill cut off in the middle of a write: for the start of the program."""
    if not UndoJournal().is_unfinished():
        return ()
    words = {ChangeState.WRITTEN: "settings-file.finished", ChangeState.UNDONE: "settings-file.undone"}
    return tuple(
        message(
            words.get(change.state, "settings-file.taken-back"), files=", ".join(file.path for file in change.files)
        )
        for change in door.recover()
    )


SCHEMA = 1
ALL = "all"
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Mending:
    """`refused`: files that cannot be edited, each with its reason; the others can be."""

    findings: tuple[LintFinding, ...]
    diffs: tuple[Diff, ...]
    refused: tuple[WizardError, ...] = field(default=())


def situation_of(machine: Machine, best: Candidate | None, matrix: Matrix) -> LintContext:
    """Return what the rules of the settings need to know of this computer and of the build that was picked."""
    newest = max(matrix.releases, key=version_key, default=None)
    cards = machine.nvidia_gpus
    return LintContext(
        os=machine.os,
        gpu=(cards[0].name or cards[0].pci_id or "NVIDIA") if cards else None,
        torch=best.torch if best else None,
        variant=best.variant if best else None,
        python=best.python if best else None,
        current_variants=tuple(build.variant for build in matrix.builds if build.torch == newest),
        condas=tuple(conda.kind for conda in machine.condas),
    )


def own_settings(environ: Mapping[str, str], home: Path, machine: Machine) -> OwnSettings:
    roots = (Path(conda.root_prefix) for conda in machine.condas if conda.root_prefix)
    return read_own_settings(environ, home, paths.os_name(), conda_root=next(roots, None))


def findings_for(own: OwnSettings, situation: LintContext) -> tuple[LintFinding, ...]:
    return () if own.is_empty else lint(own, situation)


def mending(findings: Sequence[LintFinding], wanted: str) -> Mending:
    """Return what `--fix` would write. Raises UsageError `lint-unknown` for a code that was not found."""
    chosen = tuple(one for one in findings if wanted in (ALL, one.code))
    if not chosen and wanted != ALL:
        raise UsageError(
            "lint-unknown",
            "“{wanted}” is not the code of a finding on this computer.",
            "[{page.check}|torch-wizard mirrors lint] shows all findings with their codes; “all” means every one "
            "that can be mended.",
            wanted=wanted,
        )
    by_file: dict[Path, list[Edit]] = {}
    for edit in edits_of(chosen):
        by_file.setdefault(edit.path, []).append(edit)
    diffs: list[Diff] = []
    refused: list[WizardError] = []
    for edits in by_file.values():
        try:
            diffs += propose(edits)
        except WizardError as error:
            refused.append(error)
    return Mending(tuple(one for one in chosen if one.is_fixable), tuple(diffs), tuple(refused))


def mend(planned: Mending, tell: Callable[[Message], None] = lambda words: None) -> Change:
    """Write it, and take away what conda had stored of channels that changed. `tell` hears what became of that.

    Raises WizardError `undo-…`, with nothing changed."""
    causes = tuple(dict((finding.code, finding.cause) for finding in planned.findings).values())
    change = apply(planned.diffs, message("lint.fixed", causes=causes))
    for words in clean_after(planned.diffs, surroundings()):
        tell(words)
    return change


def counts(findings: Sequence[LintFinding]) -> dict[str, int]:
    return {severity: sum(one.severity == severity for one in findings) for severity in SEVERITIES}


def document(findings: Sequence[LintFinding], language: str | None, change: Change | None = None) -> dict[str, Any]:
    """Return the findings as JSON values, with the change that mended some of them."""
    return {
        "schema": SCHEMA,
        "counts": counts(findings),
        "findings": [_row(finding, language) for finding in findings],
        "change": change.id if change else None,
    }


def _row(finding: LintFinding, language: str | None) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "tool": finding.tool,
        "place": finding.place,
        "line": finding.line,
        "value": finding.value,
        "cause": finding.cause.to_json(language),
        "fix": finding.fix.to_json(language),
        "effect": finding.effect.to_json(language),
        "fixable": finding.is_fixable,
        "touches_install": finding.touches,
    }
