"""Runs the steps: stages one after the other, the steps of a stage at the same time.

The first failure stops its stage; what the others then report is only that they were stopped. Knows
nothing of what the steps do.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Sequence

from wizard.errors import Cancelled, WizardError
from wizard.events import Kind
from wizard.steps.context import Context, Step

Stages = Sequence[Sequence[Step]]


def carry_out(stages: Stages, context: Context) -> None:
    """Raises WizardError (the first that failed) or Cancelled."""
    for stage in stages:
        context.check()
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
    emitter = context.emitter
    emitter.emit(Kind.STEP_STARTED, step=step.name, message=step.announce(context).to_json())
    try:
        context.wait_while_paused()
        said = step.run(context)
    except Cancelled as stop:
        failures.append(stop)
        context.abort.set()
        emitter.emit(Kind.STEP_FINISHED, step=step.name, outcome="cancelled", seconds=_since(started))
    except WizardError as error:
        failures.append(error)
        context.abort.set()
        emitter.detail(step.name, f"{error}\n{error.details}")
        emitter.emit(
            Kind.STEP_FINISHED, step=step.name, outcome="failed", seconds=_since(started),
            message=error.summary.to_json(),
        )  # fmt: skip
    except Exception as error:
        bug = WizardError("internal", details=traceback.format_exc(), what=type(error).__name__)
        bug.__cause__ = error
        failures.append(bug)
        context.abort.set()
        emitter.detail(step.name, bug.details)
        emitter.emit(
            Kind.STEP_FINISHED, step=step.name, outcome="failed", seconds=_since(started),
            message=bug.summary.to_json(),
        )  # fmt: skip
    else:
        emitter.detail(step.name, f"done in {_since(started)} s")
        emitter.emit(
            Kind.STEP_FINISHED, step=step.name, outcome="done", seconds=_since(started), message=said.to_json()
        )


def _since(started: float) -> float:
    return round(time.monotonic() - started, 2)
