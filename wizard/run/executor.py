"""Runs the steps: stages one after the other, the steps of a stage at the same time.

The first failure stops its stage; what the others then report is only that they were stopped. Knows
nothing of what the steps do.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Sequence

from wizard.model.errors import INTERNAL, Cancelled, WizardError
from wizard.model.events import EventKind
from wizard.process import without_memory
from wizard.run.context import Context, Step
from wizard.run.verify.model import StepResult

Stages = Sequence[Sequence[Step]]


def carry_out(stages: Stages, context: Context) -> None:
    """Raises WizardError (the first that failed) or Cancelled."""
    for stage in stages:
        context.check()
        _carry_out_stage(stage, context)


def _carry_out_stage(stage: Sequence[Step], context: Context) -> None:
    failures: list[BaseException] = []
    threads = [
        threading.Thread(target=_run_guarded, args=(step, context, failures), name=step.name, daemon=True)
        for step in stage
    ]
    for thread in threads:
        thread.start()
    _join(threads)
    if failures:
        raise _first_cause(failures)


def _join(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)  # the main thread must wake up to receive signals


def _first_cause(failures: Sequence[BaseException]) -> BaseException:
    return next((failure for failure in failures if not isinstance(failure, Cancelled)), failures[0])


def _run_guarded(step: Step, context: Context, failures: list[BaseException]) -> None:
    started = time.monotonic()
    outcome, said = "done", None
    try:
        context.emitter.emit(EventKind.STEP_STARTED, step=step.name, message=step.announce(context).to_json())
        context.wait_while_paused()
        said = step.run(context)
    except Cancelled as stop:
        failures.append(stop)
        outcome = "cancelled"
    except Exception as problem:
        error = problem if isinstance(problem, WizardError) else _bug(problem)
        failures.append(error)
        outcome, said = "failed", error.summary
        context.emitter.detail(step.name, f"{error}\n{error.details}")
    if outcome != "done":
        context.abort.set()
    result = StepResult(step.name, outcome, round(time.monotonic() - started, 2), said)
    context.results.put(result)
    context.emitter.emit(
        EventKind.STEP_FINISHED,
        step=result.name,
        outcome=result.outcome,
        seconds=result.seconds,
        message=said.to_json() if said else None,
    )


def _bug(problem: Exception) -> WizardError:
    internal = WizardError(INTERNAL, details=traceback.format_exc(), what=type(problem).__name__)
    bug = without_memory(problem) or internal
    bug.__cause__ = problem
    return bug
