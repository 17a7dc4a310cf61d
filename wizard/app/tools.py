"""What the pages beside the wizard ask: environments, a class profile, doctor, explain, undo.

What only a call needs is imported by it: the first picture must not wait for the doctor. One file: a thin line a call.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.app.session import Session
from wizard.compatibility.model import Choices, Verdict
from wizard.diagnose.known_errors.pasted import EXPLAIN_UNREADABLE, read_pasted
from wizard.model.errors import EXPORT_NOT_WRITTEN, WINDOW_NOT_SAVED, UsageError, WizardError
from wizard.model.messages import Message
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.app.classroom import ClassTools
    from wizard.app.notebook import Notebook
    from wizard.app.pages.after_setup import Section
    from wizard.app.pages.versions import ReleaseRow
    from wizard.app.use.doctor import Examination
    from wizard.app.use.environments import Closer, Glance
    from wizard.app.use.explain import ExplainResult
    from wizard.app.use.settings import UndoDiff
    from wizard.classroom.join import Classroom
    from wizard.classroom.profile.hosts import ForeignHost
    from wizard.classroom.profile.model import ProfileFile
    from wizard.compatibility.data.model import Matrix
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.environment.inspect.baseline import EnvironmentChanges
    from wizard.environment.inspect.sizes import Sizes
    from wizard.environment.model import Environment
    from wizard.environment.remove.delete import DeletionPlan
    from wizard.install.store.space import Usage
    from wizard.model.lock import LockedFile
    from wizard.run.model import Facts, Preview
    from wizard.run.plan.computed import OnProgress
    from wizard.undo.model import Change, Undone

IsCancelled = Callable[[], bool]
OnStage = Callable[[str], None]
Document = Mapping[str, Any]


class Tools:
    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def classes(self) -> ClassTools:
        """Packs, the class server and the room."""
        from wizard.app.classroom import ClassTools

        return ClassTools()

    # -- environments

    def environments(self, is_cancelled: IsCancelled) -> tuple[Environment, ...]:
        from wizard.app.use.environments import list_environments

        return list_environments(is_cancelled)

    def sizes(
        self, found: Iterable[Environment], on_sizes: Callable[[Path, Sizes], None], is_cancelled: IsCancelled
    ) -> None:
        """Measure one environment after the other and tell each as soon as it is known. Raises Cancelled."""
        from wizard.app.use.environments import measure_sizes

        measure_sizes(found, on_sizes, is_cancelled)

    def store_usage(self, is_cancelled: IsCancelled) -> Usage:
        """What the package store holds, and what of it no environment uses."""
        from wizard.app.use.store import usage

        return usage(is_cancelled)

    def disk_room(self) -> tuple[int, int] | None:
        """Return the free and all bytes of the disk where new environments go; None where it does not say."""
        from wizard.environment.disk import disk_room

        return disk_room(self._session.environments_dir())

    def glance(self, is_cancelled: IsCancelled) -> Glance:
        """What Welcome says of this computer: a child of two seconds at most, and no file of an environment."""
        from wizard.app.use.environments import glance

        return glance(is_cancelled)

    def prune_store(self, is_cancelled: IsCancelled) -> int:
        """Bytes that are free again."""
        from wizard.app.use.store import prune

        return sum(one.size for one in prune(is_cancelled))

    def closer(self, one: Environment) -> Closer:
        from wizard.app.notebook import notebook_state
        from wizard.app.use.environments import Closer, replaced_in

        kept, ways = replaced_in(one.prefix), self.ways(one.prefix, one.variant not in (None, "cpu"))
        jupyter = notebook_state(one.prefix)
        return Closer(ways, kept[0] if kept else None, kept[1:], jupyter.lacks, jupyter.address)

    def ways(self, prefix: Path, has_cuda: bool) -> tuple[Section, ...]:
        """How it is used, as lines to copy; none where it is gone."""
        from wizard.app.pages.after_setup import afterwards, look_at_place

        return afterwards(look_at_place(prefix, paths.os_name(), has_cuda)) if prefix.is_dir() else ()

    def bring_back(self, prefix: Path, run: str = "") -> tuple[str, ...]:
        """Return the packages that are as they were before this change, with all above it; '' for the newest."""
        from wizard.diagnose.repair.states import restore

        return tuple(dict.fromkeys(name for state in restore(prefix, run or None) for name in state.names))

    def open_terminal(self, prefix: Path, command: str = "", meant: Path | None = None) -> None:
        """In the folder of the project that it, or the environment that is `meant`, was set up for; `command` runs
        there first."""
        from wizard.app.pages.after_setup import look_at_place, project_of, switching_on
        from wizard.environment.activate.terminal import open_terminal

        project = project_of(meant or prefix)
        lines = switching_on(look_at_place(prefix, paths.os_name(), False))
        open_terminal(prefix, lines, Path(project.folder) if project else None, command)

    def has_editor(self) -> bool:
        from wizard.environment.activate.programs import find_editor

        return find_editor(os.environ) is not None

    def open_in_editor(self, prefix: Path, folder: Path | None = None) -> None:
        """VS Code, with the environment active."""
        from wizard.environment.activate.programs import open_in_editor

        open_in_editor(prefix, folder)

    def notebook(self, prefix: Path) -> str | None:
        """Return the command that opens notebooks in this environment; None: there is no Jupyter."""
        from wizard.app.notebook import find_notebook

        found = find_notebook(prefix)
        return found.command if found else None

    def open_notebook(self, prefix: Path, is_cancelled: IsCancelled) -> Notebook:
        """In a terminal where none runs yet. Raises WizardError `kernel-…`, `terminal-…`, `notebook-…`, `undo-…`."""
        from wizard.app.notebook import open_notebook

        return open_notebook(prefix, self.open_terminal, is_cancelled)

    def stop_notebook(self, prefix: Path, every: bool = False) -> None:
        """End the server of this environment; `every`: all of ours that use it. Raises `notebook-not-stopped`."""
        from wizard.app.notebook import stop_notebook, stop_users

        (stop_users if every else stop_notebook)(prefix)

    def register_kernel(self, prefix: Path) -> str:
        """List it in Jupyter; return its name there. Raises WizardError."""
        from wizard.app.notebook import list_in_jupyter

        return list_in_jupyter(prefix)[1]

    def clone(
        self, one: Environment, name: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> int:
        """A copy of that name where new environments go; its bytes. `on_progress` hears bytes done and in all."""
        from wizard.app.use.clone import carry_out_clone, plan_clone

        return carry_out_clone(plan_clone(one, name, None, is_cancelled), on_progress, is_cancelled).size

    def export(self, one: Environment, path: Path) -> None:
        """Its packages as a file, as the ending says: pylock (.toml), data (.json), or requirements."""
        from wizard.app.use.export import export_document, export_of, pylock_text, requirements_text
        from wizard.classroom.pack.files import put_bytes

        found, ending = export_of(one), path.suffix.lower()
        if ending == ".json":
            text = json.dumps(export_document(found), ensure_ascii=False, indent=1) + "\n"
        else:
            text = pylock_text(found) if ending == ".toml" else requirements_text(found)
        try:
            put_bytes(path, text.encode())
        except OSError as error:
            raise WizardError(EXPORT_NOT_WRITTEN, details=str(error), path=str(path)) from error

    def plan_deletion(self, one: Environment, is_cancelled: IsCancelled) -> DeletionPlan:
        from wizard.app.use.environments import plan_deletion

        return plan_deletion(one, is_cancelled)

    def delete(
        self, plan: DeletionPlan, typed: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> None:
        """Delete what the plan names; `typed` must be the environment's name. Raises Cancelled, WizardError."""
        from wizard.app.use.environments import delete

        delete(plan, typed, on_progress, is_cancelled)

    # -- an environment as the target of a setup

    def check_reuse(self, choices: Choices) -> None:
        """Raises UsageError `reuse-…` where packages may not be put into it."""
        self._session.check_choices(choices)

    def plan_reuse(
        self, facts: Facts, choices: Choices, is_cancelled: IsCancelled, on_progress: OnProgress
    ) -> Preview | None:
        """None: nothing would change."""
        return self._session.plan_reuse(facts, choices, is_cancelled, on_progress)

    # -- a class profile

    def read_profile(self, path: Path) -> ProfileFile:
        """Raises UsageError `profile-…`."""
        from wizard.classroom.profile.read import read_profile

        return read_profile(path)

    def foreign_hosts(self, file: ProfileFile, room: Classroom | None = None) -> tuple[ForeignHost, ...]:
        """Those that need a yes before the profile is carried out; `room`: what it has is fetched from nobody else."""
        from wizard.classroom.profile.hosts import foreign_hosts

        urls = room.further_urls() if room else None
        return foreign_hosts(file.profile, is_held=lambda one: bool(urls and urls(one)))

    def signer(self, file: ProfileFile) -> Message:
        """Who has signed it, in words. Raises UsageError `signature-…`."""
        from wizard.classroom.profile.keys import check_signature

        return check_signature(file).words

    def remember_key(self, file: ProfileFile) -> None:
        """From now on the class's. Raises UsageError `signature-…`, WizardError `state-not-writable`."""
        from wizard.classroom.profile.keys import remember_key

        remember_key(file)

    def profile_choices(self, file: ProfileFile, wishes: Choices) -> Choices:
        """What the profile says, with the wishes that it lets a person have. Raises UsageError `profile-fixed`."""
        from wizard.classroom.profile.setup import profile_choices

        return profile_choices(file.profile, wishes)

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
        from wizard.app.classroom import tell_present, telling
        from wizard.app.use.volumes import with_volumes
        from wizard.classroom.profile.setup import check_target, no_further, preview_profile

        with telling(classroom, choices, facts):
            if check_target(file, choices):
                tell_present(classroom, choices)
                return None
            choices = with_volumes(choices)
            self._session.check_choices(choices)
            urls = classroom.further_urls() if classroom else no_further
            return preview_profile(facts, self._session.matrix, file, choices, is_cancelled, urls, trusted)

    def make_profile(
        self, facts: Facts, preview: Preview, choices: Choices, path: Path | None, is_cancelled: IsCancelled
    ) -> ProfileFile:
        """Writes what Review shows as a profile for a class; `path` None: for a pack, with files of here. Raises
        WizardError `profile-…`, `export-not-written`."""
        from wizard.app.classroom import profile_of_plan, put_profile

        carried: list[LockedFile] | None = None if path else []
        made = profile_of_plan(facts, self._session.matrix, preview.plan, choices, is_cancelled, carried)
        self.classes.carry(made, carried or ())
        put_profile(made, path)
        return made

    # -- doctor

    def drift(self) -> tuple[EnvironmentChanges, ...]:
        """Under a second: starts no Python, imports nothing."""
        return self._session.drift()

    def examine(self, prefix: Path, on_stage: OnStage, is_cancelled: IsCancelled, deep: bool = False) -> Examination:
        facts = self._session.probe(None, is_cancelled)
        return self._session.doctor(facts, prefix, deep=deep, on_stage=on_stage, is_cancelled=is_cancelled)

    def plan_repair(self, found: Examination, sources: Choices, is_cancelled: IsCancelled) -> RepairPreview:
        return self._session.plan_repair(found, sources, is_cancelled)

    def document(self, found: Examination, repair: RepairPreview | None, language: str) -> Document:
        """Return the report of an examination, with the planned repair where there is one."""
        from wizard.diagnose.document import doctor_document
        from wizard.machine.machine_file import machine_to_json

        facts = machine_to_json(found.facts.machine)
        if repair is None:
            return doctor_document(found.answer, facts, found.drift, language=language)
        planned = (repair.changes, repair.lock, repair.plan.id)
        return doctor_document(found.answer, facts, found.drift, *planned, language=language)

    def document_text(self, document: Document, language: str) -> str:
        from wizard.run.report.text import render_doctor, render_text

        render = render_doctor if document.get("kind") == "doctor" else render_text
        return render(document, language)

    def save(self, path: Path, document: Document, language: str) -> None:
        """As the ending of the name says: a page, data, or text. Raises WizardError `window-not-saved`."""
        from wizard.run.report.write import save_as

        try:
            save_as(path, document, language)
        except OSError as error:
            raise WizardError(WINDOW_NOT_SAVED, details=str(error), path=str(path)) from error

    # -- explain

    def explain(self, words: str, is_cancelled: IsCancelled) -> ExplainResult:
        """Return the answer to a pasted text; this computer is only asked where the answer needs it."""
        from wizard.app.use.explain import answer

        def look() -> tuple[Facts, Verdict, Matrix]:
            facts = self._session.probe(None, is_cancelled)
            return facts, self._session.propose(facts, Choices()), self._session.matrix

        return answer(words, look)

    def read_pasted(self, path: Path) -> str:
        """Return the text of a file, as one that was pasted. Raises UsageError where it is none or cannot be read."""
        if not path.is_file():  # a pipe or a device would be waited for
            raise UsageError(EXPLAIN_UNREADABLE, path=str(path))
        return read_pasted(path)

    # -- versions

    def releases(self) -> tuple[ReleaseRow, ...]:
        """What the tables know, the newest release first."""
        from wizard.app.pages.versions import release_rows

        return release_rows(self._session.matrix)

    # -- undo

    def settle(self) -> tuple[Message, ...]:
        """What a kill cut off in the middle of a change of settings is finished or taken back."""
        from wizard.app.use.settings import recover_interrupted

        return recover_interrupted()

    def changes(self) -> tuple[Change, ...]:
        from wizard.app.use.settings import changes

        return changes()

    def undo_diffs(self, change: Change) -> tuple[UndoDiff, ...]:
        from wizard.app.use.settings import undo_diffs

        return undo_diffs(change)

    def undo(self, change: Change) -> Undone:
        from wizard.app.use.settings import undo

        return undo(change)


class WindowSession(Session):
    """The session of a window, with what its further pages ask."""

    @cached_property
    def tools(self) -> Tools:
        return Tools(self)
