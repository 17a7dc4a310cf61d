"""The worker: carries out one run in its own process and says everything through events.

Whatever happens, the run ends with one line: an exit status in the journal and a `run-finished` event
(a killed worker leaves neither, and is then *unfinished*).
"""

from __future__ import annotations

import contextlib
import os
import signal
import traceback
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import msgspec
from filelock import Timeout

from wizard.app.use.volumes import prepare
from wizard.classroom.pack.opened import shown
from wizard.classroom.results.submit import hand_in_run
from wizard.compatibility.model import Plan
from wizard.diagnose.known_errors.match import cause_and_fix, explain
from wizard.diagnose.repair.reuse import REUSE, stages_on_existing
from wizard.diagnose.repair.states import release_over
from wizard.diagnose.repair.steps import Repair, aside_of, read_repair, wheels_of
from wizard.environment.inspect.baseline import write_baseline
from wizard.environment.layout import site_packages_of
from wizard.install.lock import parse_lock
from wizard.install.store import PackageStore
from wizard.model.errors import BAD_PLAN, INTERNAL, Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.events import EventKind
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import message
from wizard.model.redact import redact_all
from wizard.model.typed import from_json
from wizard.process import guarded, without_memory
from wizard.process.awake import awake
from wizard.run.context import Context
from wizard.run.control import Control
from wizard.run.emitter import Emitter
from wizard.run.executor import Stages, carry_out
from wizard.run.journal import RunJournal, read_history
from wizard.run.plan.place import is_shared
from wizard.run.plan.plan_file import read_plan
from wizard.run.report.document import report_document
from wizard.run.report.write import write_report
from wizard.run.run_folder import RUN_BUSY, RunFolder, forget_owner
from wizard.run.steps.create import Create
from wizard.run.steps.fetch import Fetch
from wizard.run.steps.install import CheckFiles, Install
from wizard.run.steps.parts import Parts
from wizard.run.steps.preflight import Preflight, prefix_lock
from wizard.run.steps.share import Share
from wizard.run.steps.verify import Verify
from wizard.run.verify.model import StepResult, exit_status
from wizard.system import paths
from wizard.system.processes import STOP_SIGNALS
from wizard.transfer.download import Downloads

_LOCK_SECONDS = 1.0  # who only looks whether a worker is there holds the lock for a moment
_STARTER_SECONDS = 60.0  # who starts a worker holds it until that is written down: long, where the computer is busy


STAGES: Stages = ((Preflight(),), (Create(), Fetch(), Install()), (CheckFiles(),), (Verify(cause_and_fix),))


def _stages_of(plan: Plan) -> Stages:
    has_parts = plan.project is not None and bool(plan.project.parts)
    return (*STAGES[:-1], (Parts(cause_and_fix),), STAGES[-1]) if has_parts else STAGES


def read_run_lock(folder: RunFolder) -> Lock:
    """The lock with the sizes that were measured when it was made. Raises UsageError `bad-plan`."""
    try:
        text = folder.pylock.read_text(encoding="utf-8")
        if folder.files.is_file():
            return Lock(from_json(folder.files.read_bytes(), tuple[LockedFile, ...]), text)
        return parse_lock(text)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(BAD_PLAN, details=str(error), path=str(folder.path)) from error


def run_worker(folder: RunFolder, echo: Callable[[str], None] | None = None, was_started: bool = False) -> ExitStatus:
    """Carry the run out. `was_started`: by somebody who still may hold the lock for a moment.

    Raises UsageError for a plan that cannot be read, WizardError `run-busy` when somebody else is at it.
    """
    seconds = _STARTER_SECONDS if was_started else _LOCK_SECONDS
    plan = read_plan(folder.plan)
    lock = read_run_lock(folder)
    prepare(plan.choices)
    try:
        with folder.lock(seconds), prefix_lock(plan.prefix), guarded(paths.own_interpreter()), awake():
            return _Attempt(folder, plan, lock, echo).carry_out()
    except Timeout as error:
        raise WizardError(RUN_BUSY, path=plan.prefix) from error


class _Attempt:
    """One attempt at a run; a resumed run is a further attempt with the same plan."""

    def __init__(self, folder: RunFolder, plan: Plan, lock: Lock, echo: Callable[[str], None] | None) -> None:
        self._folder, self._plan, self._lock = folder, plan, lock
        self._repair = read_repair(folder.path)
        self._is_shared = is_shared(plan)
        stages = stages_on_existing(self._repair) if self._repair else _stages_of(plan)
        self._stages: Stages = (*stages, (Share(),)) if self._is_shared else stages
        self._emitter = Emitter(folder, echo)
        self._journal = RunJournal(folder.journal)
        self._begin()
        self._context = Context(
            folder, plan, lock, read_history(folder.journal), self._journal, self._emitter, Control(folder)
        )

    def _begin(self) -> None:
        """In this order: whoever sees the attempt in the journal, or no mark of a start, has its first event too."""
        steps = [{"name": step.name, "weight": step.weight} for stage in self._stages for step in stage]
        self._emitter.emit(EventKind.RUN_STARTED, steps=steps, plan=str(self._folder.plan))
        self._journal.attempt(os.getpid())
        forget_owner(self._folder.starting)

    def carry_out(self) -> ExitStatus:
        self._take_signals()
        for notice in self._plan.notices:
            self._emitter.notice(notice)
        error: WizardError | None = None
        try:
            carry_out(self._stages, self._context)
            status = exit_status(self._context.verification.result())
            self._remember(status)
        except Cancelled:
            status = ExitStatus.CANCELLED
        except WizardError as failure:
            error, status = failure, failure.exit_status
        except Exception as failure:
            error, status = _bug(failure), ExitStatus.FAILED
        if self._repair and (error or status is ExitStatus.CANCELLED or self._is_worse(status)):
            error, status = self._take_back(self._repair, error, status)
        self._finish(status, error)
        return status

    def _is_worse(self, status: ExitStatus) -> bool:
        """A setup into an environment whose torch cannot even be imported now. A repair is kept: it was broken."""
        return status is ExitStatus.FAILED and self._repair is not None and self._repair.code == REUSE

    def _remember(self, status: ExitStatus) -> None:
        """The good state, for the drift guard; an environment that cannot take the note is none the worse."""
        if status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
            return
        created = self._context.place.result().created
        site = site_packages_of(created.prefix, created.python_version)
        variant = self._repair.variant if self._repair else self._plan.candidate.variant
        with contextlib.suppress(OSError):
            write_baseline(created.prefix, site, created.python_version, variant, shared=self._is_shared)
        if self._repair:
            with contextlib.suppress(WizardError):
                release_over(created.prefix)

    def _take_back(
        self, repair: Repair, error: WizardError | None, status: ExitStatus
    ) -> tuple[WizardError | None, ExitStatus]:
        """A repair that did not get to its end leaves the environment as it was."""
        try:
            aside_of(self._plan, repair).restore(wheels_of(self._context))
        except WizardError as failure:
            return failure, failure.exit_status
        return error, status

    def _take_signals(self) -> None:
        def stop(number: int, frame: FrameType | None) -> None:
            self._context.control.cancel()

        for number in STOP_SIGNALS:
            signal.signal(number, stop)

    def _finish(self, status: ExitStatus, error: WizardError | None) -> None:
        if error:
            self._emitter.detail("run", f"{error}\n{error.details}")
            for known in explain(error.details)[:1]:  # what the tool said, in words that help
                self._emitter.notice(known.cause)
                self._emitter.notice(known.fix)
        report = self._write_report(status, error)
        with contextlib.suppress(WizardError):
            self._journal.final(int(status))
        self._journal.close()
        outcome: dict[str, Any] = {"status": int(status), "outcome": status.name.lower(), "report": report}
        outcome |= {"prefix": self._plan.prefix, "error": redact_all(error.to_json()) if error else None}
        self._emitter.emit(EventKind.RUN_FINISHED, **outcome)
        self._emitter.close()

    def _results(self) -> list[StepResult]:
        results = []
        while not self._context.results.empty():
            results.append(self._context.results.get())
        return results

    def _write_report(self, status: ExitStatus, error: WizardError | None) -> str | None:
        verification = self._context.verification
        found = verification.result() if verification.done() else None
        try:
            files = read_run_lock(self._folder).files  # with the hashes that were computed meanwhile
        except UsageError:
            files = self._lock.files
        document = report_document(
            self._plan, found, self._results(), files, is_here=_is_here, status=int(status), error=error
        )
        self._tell_class(document)
        try:
            write_report(self._folder.report, document)
        except OSError as failure:
            self._emitter.detail("report", str(failure))
            return None
        return str(self._folder.report)

    def _tell_class(self, document: Mapping[str, Any]) -> None:
        try:
            place = hand_in_run(self._plan, document)
        except WizardError as failure:
            self._emitter.notice(message("share.not-handed-in"))
            self._emitter.detail("report", failure.details)
            return
        if place:
            self._emitter.notice(message("share.handed-in", place=shown(place)))


def _bug(error: Exception) -> WizardError:
    details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return without_memory(error) or WizardError(INTERNAL, details=details, what=type(error).__name__)


def _is_here(file: LockedFile) -> bool:
    return PackageStore().wheel_of(file) is not None or Downloads().find(file) is not None
