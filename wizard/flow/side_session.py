"""The side pages' calls on the real session: a thin binding, so that the window knows one shape only.

What only a call needs is imported by that call: the window's first picture must not wait for the doctor.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wizard import paths
from wizard.errors import Cancelled, UsageError, WizardError
from wizard.flow.session_api import OnProgress
from wizard.i18n import Message
from wizard.plan.model import Choices, Verdict

if TYPE_CHECKING:
    from wizard.doctor.good_state import Drift
    from wizard.environments.delete import DeletionPlan
    from wizard.environments.found import Environment
    from wizard.environments.sizes import Sizes
    from wizard.flow.afterwards import Section
    from wizard.flow.class_session import ClassSession
    from wizard.flow.side_api import Closer, Document, Kept
    from wizard.matrix.model import Matrix
    from wizard.packages.store.space import Usage
    from wizard.profile.hosts import ForeignHost
    from wizard.profile.model import ProfileFile
    from wizard.session.classroom import Classroom
    from wizard.session.doctor import Examination
    from wizard.session.explain import Answer
    from wizard.session.model import Facts, Preview
    from wizard.session.repair_plan import RepairPreview
    from wizard.session.session import Session
    from wizard.session.undo_diff import UndoDiff
    from wizard.undo.model import Change, Undone

IsCancelled = Callable[[], bool]


class SideSession:
    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def classes(self) -> ClassSession:
        from wizard.flow.class_session import ClassSession

        return ClassSession()

    # -- environments

    def environments(self, is_cancelled: IsCancelled) -> tuple[Environment, ...]:
        from wizard.session.environments import list_environments

        return list_environments(is_cancelled)

    def sizes(
        self, found: Iterable[Environment], on_sizes: Callable[[Path, Sizes], None], is_cancelled: IsCancelled
    ) -> None:
        from wizard.session.environments import measure_sizes

        measure_sizes(found, on_sizes, is_cancelled)

    def store_usage(self, is_cancelled: IsCancelled) -> Usage:
        from wizard.session.store import usage

        return usage(is_cancelled)

    def prune_store(self, is_cancelled: IsCancelled) -> int:
        from wizard.session.store import prune

        return sum(one.size for one in prune(is_cancelled))

    def closer(self, one: Environment) -> Closer:
        from wizard.flow.side_api import Closer

        return Closer(self.ways(one.prefix, one.variant not in (None, "cpu")), _kept(one.prefix))

    def ways(self, prefix: Path, has_cuda: bool) -> tuple[Section, ...]:
        from wizard.flow.afterwards import afterwards, look_at_place

        return afterwards(look_at_place(prefix, paths.os_name(), has_cuda))

    def bring_back(self, prefix: Path) -> tuple[str, ...]:
        from wizard.session.snapshots import restore

        return restore(prefix).names

    def open_terminal(self, prefix: Path) -> None:
        from wizard.environments.open_terminal import open_terminal
        from wizard.flow.afterwards import look_at_place, switching_on

        open_terminal(prefix, switching_on(look_at_place(prefix, paths.os_name(), False)))

    def clone(
        self, one: Environment, name: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> int:
        from wizard.session.clone import carry_out_clone, plan_clone

        return carry_out_clone(plan_clone(one, name, None, is_cancelled), on_progress, is_cancelled).size

    def export(self, one: Environment, path: Path) -> None:
        from wizard.pack.files import put_bytes
        from wizard.session.export import export_of
        from wizard.session.export_text import export_document, pylock_text, requirements_text

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
        from wizard.session.environments import plan_deletion

        return plan_deletion(one, is_cancelled)

    def delete(
        self, plan: DeletionPlan, typed: str, on_progress: Callable[[int, int], None], is_cancelled: IsCancelled
    ) -> None:
        from wizard.session.environments import delete

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
        from wizard.profile.read import read_profile

        return read_profile(path)

    def foreign_hosts(self, file: ProfileFile) -> tuple[ForeignHost, ...]:
        from wizard.profile.hosts import foreign_hosts

        return foreign_hosts(file.profile)

    def signer(self, file: ProfileFile) -> Message:
        from wizard.session.class_keys import check_signature

        return check_signature(file).words

    def remember_key(self, file: ProfileFile) -> None:
        from wizard.session.class_keys import remember_key

        remember_key(file)

    def profile_choices(self, file: ProfileFile, wishes: Choices) -> Choices:
        from wizard.session.profile import profile_choices

        return profile_choices(file.profile, wishes)

    def plan_profile(
        self, facts: Facts, file: ProfileFile, choices: Choices, is_cancelled: IsCancelled,
        classroom: Classroom | None = None, trusted: frozenset[str] = frozenset(),
    ) -> Preview | None:  # fmt: skip
        from wizard.session.profile import check_target, no_further, preview_profile
        from wizard.session.volumes import with_volumes

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
        from wizard.flow.class_profile import profile_of_plan
        from wizard.pack.files import put_bytes

        made = profile_of_plan(facts, self._session.matrix, preview.plan, choices, is_cancelled)
        try:
            put_bytes(path, made.data)
        except OSError as error:
            raise WizardError("export-not-written", details=str(error), path=str(path)) from error
        return made

    # -- doctor

    def drift(self) -> tuple[Drift, ...]:
        return self._session.drift()

    def examine(self, prefix: Path, on_stage: Callable[[str], None], is_cancelled: IsCancelled) -> Examination:
        facts = self._session.probe(None, is_cancelled)
        return self._session.doctor(facts, prefix, on_stage=on_stage, is_cancelled=is_cancelled)

    def plan_repair(self, found: Examination, is_cancelled: IsCancelled) -> RepairPreview:
        return self._session.plan_repair(found, Choices(), is_cancelled)

    def document(self, found: Examination, repair: RepairPreview | None, language: str) -> Document:
        from wizard.machine.serialize import machine_to_json
        from wizard.report.doctor_document import doctor_document

        facts = machine_to_json(found.facts.machine)
        if repair is None:
            return doctor_document(found.answer, facts, found.drift, language=language)
        planned = (repair.changes, repair.lock, repair.plan.id)
        return doctor_document(found.answer, facts, found.drift, *planned, language=language)

    def document_text(self, document: Document, language: str) -> str:
        from wizard.report.doctor_text import render_doctor
        from wizard.report.render import render_text

        render = render_doctor if document.get("kind") == "doctor" else render_text
        return render(document, language)

    def save(self, path: Path, document: Document, language: str) -> None:
        from wizard.report.write import save_as

        try:
            save_as(path, document, language)
        except OSError as error:
            raise WizardError("window-not-saved", details=str(error), path=str(path)) from error

    # -- explain

    def explain(self, words: str, is_cancelled: IsCancelled) -> Answer:
        from wizard.session.explain import answer

        def look() -> tuple[Facts, Verdict, Matrix]:
            facts = self._session.probe(None, is_cancelled)
            return facts, self._session.propose(facts, Choices()), self._session.matrix

        return answer(words, look)

    def read_pasted(self, path: Path) -> str:
        from wizard.explain.pasted import read_pasted

        if not path.is_file():  # a pipe or a device would be waited for
            raise UsageError("explain-unreadable", path=str(path))
        return read_pasted(path)

    # -- undo

    def settle(self) -> tuple[Message, ...]:
        from wizard.session.settings import settle_interrupted

        return settle_interrupted()

    def changes(self) -> tuple[Change, ...]:
        from wizard.session.settings import changes

        return changes()

    def undo_diffs(self, change: Change) -> tuple[UndoDiff, ...]:
        from wizard.session.undo_diff import undo_diffs

        return undo_diffs(change)

    def undo(self, change: Change) -> Undone:
        from wizard.session.settings import undo

        return undo(change)


def _tell_present(classroom: Classroom | None, choices: Choices) -> None:
    if classroom is not None:
        from wizard.session.place import target_prefix
        from wizard.session.room import hand_in_present

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
            from wizard.session.room import hand_in_failure

            with contextlib.suppress(WizardError):
                hand_in_failure(classroom.bases, classroom.file.sha256, choices.label, error, facts.machine)
        raise


def _kept(prefix: Path) -> Kept | None:
    from wizard.flow.side_api import Kept
    from wizard.session.snapshots import snapshots_in

    with contextlib.suppress(OSError, WizardError):
        found = snapshots_in(prefix)
        return Kept(found[0].names, found[0].size, found[0].moved) if found else None
    return None
