"""The side pages' calls on the real session: a thin binding, so that the window knows one shape only.

What only a call needs is imported by that call: the window's first picture must not wait for the doctor.

One file: one thin line for each call of one interface.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.app.session_api import OnProgress
from wizard.compatibility.model import Choices, Verdict
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.messages import Message
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.app.class_session import ClassSession
    from wizard.app.pages.after_setup import Section
    from wizard.app.session import Session
    from wizard.app.side_api import Closer, Document, Replaced
    from wizard.app.use.doctor import Examination
    from wizard.app.use.explain import ExplainResult
    from wizard.app.use.settings import UndoDiff
    from wizard.classroom.join import Classroom
    from wizard.classroom.profile.hosts import ForeignHost
    from wizard.classroom.profile.model import ProfileFile
    from wizard.compatibility.data.model import Matrix
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.environment.inspect.baseline import EnvironmentChanges
    from wizard.environment.inspect.found import Environment
    from wizard.environment.inspect.sizes import Sizes
    from wizard.environment.remove.delete import DeletionPlan
    from wizard.install.store.space import Usage
    from wizard.run.model import Facts, Preview
    from wizard.undo.model import Change, Undone

IsCancelled = Callable[[], bool]


class SideSession:
    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def classes(self) -> ClassSession:
        from wizard.app.class_session import ClassSession

        return ClassSession()

    # -- environments

    def environments(self, is_cancelled: IsCancelled) -> tuple[Environment, ...]:
        from wizard.app.use.environments import list_environments

        return list_environments(is_cancelled)

    def sizes(
        self, found: Iterable[Environment], on_sizes: Callable[[Path, Sizes], None], is_cancelled: IsCancelled
    ) -> None:
        from wizard.app.use.environments import measure_sizes

        measure_sizes(found, on_sizes, is_cancelled)

    def store_usage(self, is_cancelled: IsCancelled) -> Usage:
        from wizard.app.use.store import usage

        return usage(is_cancelled)

    def prune_store(self, is_cancelled: IsCancelled) -> int:
        from wizard.app.use.store import prune

        return sum(one.size for one in prune(is_cancelled))

    def closer(self, one: Environment) -> Closer:
        from wizard.app.side_api import Closer

        return Closer(self.ways(one.prefix, one.variant not in (None, "cpu")), _kept(one.prefix))

    def ways(self, prefix: Path, has_cuda: bool) -> tuple[Section, ...]:
        from wizard.app.pages.after_setup import afterwards, look_at_place

        return afterwards(look_at_place(prefix, paths.os_name(), has_cuda))

    def bring_back(self, prefix: Path) -> tuple[str, ...]:
        from wizard.app.use.doctor import restore

        return restore(prefix).names

    def open_terminal(self, prefix: Path) -> None:
        from wizard.app.pages.after_setup import look_at_place, switching_on
        from wizard.environment.activate.terminal import open_terminal

        open_terminal(prefix, switching_on(look_at_place(prefix, paths.os_name(), False)))

    def clone(
        self, one: Environment, name: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> int:
        from wizard.app.use.clone import carry_out_clone, plan_clone

        return carry_out_clone(plan_clone(one, name, None, is_cancelled), on_progress, is_cancelled).size

    def export(self, one: Environment, path: Path) -> None:
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
            raise WizardError("export-not-written", details=str(error), path=str(path)) from error

    def plan_deletion(self, one: Environment, is_cancelled: IsCancelled) -> DeletionPlan:
        from wizard.app.use.environments import plan_deletion

        return plan_deletion(one, is_cancelled)

    def delete(
        self, plan: DeletionPlan, typed: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> None:
        from wizard.app.use.environments import delete

        delete(plan, typed, on_progress, is_cancelled)

    # -- an environment as the target of a setup

    def check_reuse(self, choices: Choices) -> None:
        self._session.check_choices(choices)

    def plan_reuse(
        self, facts: Facts, choices: Choices, is_cancelled: IsCancelled, on_progress: OnProgress
    ) -> Preview | None:
        return self._session.plan_reuse(facts, choices, is_cancelled, on_progress)

    # -- a class profile

    def read_profile(self, path: Path) -> ProfileFile:
        from wizard.classroom.profile.read import read_profile

        return read_profile(path)

    def foreign_hosts(self, file: ProfileFile) -> tuple[ForeignHost, ...]:
        from wizard.classroom.profile.hosts import foreign_hosts

        return foreign_hosts(file.profile)

    def signer(self, file: ProfileFile) -> Message:
        from wizard.classroom.profile.keys import check_signature

        return check_signature(file).words

    def remember_key(self, file: ProfileFile) -> None:
        from wizard.classroom.profile.keys import remember_key

        remember_key(file)

    def profile_choices(self, file: ProfileFile, wishes: Choices) -> Choices:
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
        from wizard.app.use.volumes import with_volumes
        from wizard.classroom.profile.setup import check_target, no_further, preview_profile

        with _telling(classroom, choices, facts):
            if check_target(file, choices):
                _tell_present(classroom, choices)
                return None
            choices = with_volumes(choices)
            self._session.check_choices(choices)
            urls = classroom.further_urls() if classroom else no_further
            return preview_profile(facts, self._session.matrix, file, choices, is_cancelled, urls, trusted)

    def make_profile(
        self, facts: Facts, preview: Preview, choices: Choices, path: Path, is_cancelled: IsCancelled
    ) -> ProfileFile:
        from wizard.app.class_session import profile_of_plan
        from wizard.classroom.pack.files import put_bytes

        made = profile_of_plan(facts, self._session.matrix, preview.plan, choices, is_cancelled)
        try:
            put_bytes(path, made.data)
        except OSError as error:
            raise WizardError("export-not-written", details=str(error), path=str(path)) from error
        return made

    # -- doctor

    def drift(self) -> tuple[EnvironmentChanges, ...]:
        return self._session.drift()

    def examine(self, prefix: Path, on_stage: Callable[[str], None], is_cancelled: IsCancelled) -> Examination:
        facts = self._session.probe(None, is_cancelled)
        return self._session.doctor(facts, prefix, on_stage=on_stage, is_cancelled=is_cancelled)

    def plan_repair(self, found: Examination, is_cancelled: IsCancelled) -> RepairPreview:
        return self._session.plan_repair(found, Choices(), is_cancelled)

    def document(self, found: Examination, repair: RepairPreview | None, language: str) -> Document:
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
        from wizard.run.report.write import save_as

        try:
            save_as(path, document, language)
        except OSError as error:
            raise WizardError("window-not-saved", details=str(error), path=str(path)) from error

    # -- explain

    def explain(self, words: str, is_cancelled: IsCancelled) -> ExplainResult:
        from wizard.app.use.explain import answer

        def look() -> tuple[Facts, Verdict, Matrix]:
            facts = self._session.probe(None, is_cancelled)
            return facts, self._session.propose(facts, Choices()), self._session.matrix

        return answer(words, look)

    def read_pasted(self, path: Path) -> str:
        from wizard.diagnose.known_errors.pasted import read_pasted

        if not path.is_file():  # a pipe or a device would be waited for
            raise UsageError("explain-unreadable", path=str(path))
        return read_pasted(path)

    # -- undo

    def settle(self) -> tuple[Message, ...]:
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


def _tell_present(classroom: Classroom | None, choices: Choices) -> None:
    if classroom is not None:
        from wizard.classroom.results.submit import hand_in_present
        from wizard.run.plan.place import target_prefix

        with contextlib.suppress(WizardError):
            hand_in_present(classroom.bases, classroom.file.sha256, choices.label, target_prefix(choices))


@contextlib.contextmanager
def _telling(classroom: Classroom | None, choices: Choices, facts: Facts) -> Iterator[None]:
    """What ends a setup before it is a run is known to its class too."""
    try:
        yield
    except Cancelled:
        raise
    except WizardError as error:
        if classroom is not None:
            from wizard.classroom.results.submit import hand_in_failure

            with contextlib.suppress(WizardError):
                hand_in_failure(classroom.bases, classroom.file.sha256, choices.label, error, facts.machine)
        raise


def _kept(prefix: Path) -> Replaced | None:
    from wizard.app.side_api import Replaced
    from wizard.app.use.doctor import snapshots_in

    with contextlib.suppress(OSError, WizardError):
        found = snapshots_in(prefix)
        return Replaced(found[0].names, found[0].size, found[0].moved) if found else None
    return None
