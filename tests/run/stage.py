"""A run's shared context with a real folder, journal and emitter, for steps that are run without a worker."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from wizard.compatibility.model import Candidate, Choices, Plan
from wizard.environment.model import Created
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import message
from wizard.run.context import Context, TargetEnvironment
from wizard.run.control import Control
from wizard.run.emitter import Emitter
from wizard.run.journal import History, RunJournal
from wizard.run.run_folder import create_run_folder


def context_of(files: tuple[LockedFile, ...], python: Path, choices: Choices | None, run: str) -> Context:
    """As after `create`: the environment is there."""
    folder = create_run_folder(run)
    prefix = python.parent.parent
    candidate = Candidate("2.13.0", "cpu", "3.12", None, None, True)
    plan = Plan(
        id=run,
        created=0.0,
        candidate=candidate,
        choices=choices or Choices(),
        prefix=str(prefix),
        engine="venv",
        engine_reason=message("step.preflight.will"),
        python="3.12",
        base_python=None,
        channels=(),
        sources=(),
        requirements=(),
        gpu_expected=False,
        machine={},
    )
    context = Context(
        folder, plan, Lock(files, ""), History(), RunJournal(folder.journal), Emitter(folder), Control(folder)
    )
    context.place.set_result(TargetEnvironment(Created(prefix, python, "3.12", "venv", 0), is_new=True))
    return context


@contextlib.contextmanager
def stage(
    files: tuple[LockedFile, ...], python: Path, choices: Choices | None = None, run: str = "r1"
) -> Iterator[Context]:
    context = context_of(files, python, choices, run)
    try:
        yield context
    finally:
        context.journal.close()
        context.emitter.close()
