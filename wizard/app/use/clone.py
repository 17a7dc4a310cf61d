"""The use case of a clone: is the source one, is the target free, then copy under the locks of both and conclude.

A clone that was killed leaves a folder with our mark, which the list shows as unfinished; begun again, it is removed
first. Only then conda's list learns of it and the record of a good state is written anew for the new place.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout

from wizard.compatibility.model import Choices
from wizard.environment.conda.records import register
from wizard.environment.create.clone import CloneContents, Cloned, OnProgress, clone, contents_of
from wizard.environment.inspect.baseline import changes_since_baseline, read_baseline, write_baseline
from wizard.environment.layout import is_conda_prefix, site_packages_of
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.remove.unfinished import mark_begun, mark_complete, remove_unfinished, unfinished_run
from wizard.install.store import PackageStore
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.run.plan.place import COPY, check_free, target_prefix
from wizard.run.run_folder import RUN_BUSY
from wizard.run.steps.preflight import is_busy, prefix_lock

CLONE_NOT_WHOLE = ErrorText(
    "clone-not-whole",
    "“{path}” is unfinished, broken or being deleted; a copy would be, too.",
    "See what is wrong [on the page {page.environments}.|with: torch-wizard envs show {path}]",
)

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class ClonePlan:
    source: Environment
    target: Path
    contents: CloneContents


def plan_clone(source: Environment, name: str | None, prefix: str | None, is_cancelled: IsCancelled) -> ClonePlan:
    """Looks only; what an earlier clone left in the target counts as free. Raises UsageError, `run-busy`, Cancelled."""
    _check_source(source)
    target = target_prefix(Choices(name=name, prefix=prefix))
    if source.prefix == target:
        raise UsageError(
            "clone-itself",
            "“{path}” is the environment itself; it cannot be copied onto itself.",
            "Choose another name or folder for the copy.",
            path=str(target),
        )
    if source.prefix in target.parents or target in source.prefix.parents:
        raise UsageError(
            "clone-inside",
            "“{path}” and “{source}” lie one inside the other.",
            "Choose another folder for the copy.",
            path=str(target),
            source=str(source.prefix),
        )
    if is_clone_begun(target) and is_busy(target):
        raise WizardError(RUN_BUSY, path=str(target))
    if not is_clone_begun(target):
        _check_target(target)
    return ClonePlan(source, target, contents_of(source.prefix, is_cancelled, PackageStore().inodes(source.prefix)))


def _check_source(source: Environment) -> None:
    if source.kind is EnvironmentKind.BASE or source.kind is EnvironmentKind.SYSTEM:
        raise UsageError(
            "clone-not-an-environment",
            "“{path}” is an installation, not an environment; it is not copied.",
            "Choose one of the environments of: [{page.environments}.|torch-wizard envs list]",
            path=str(source.prefix),
        )
    if source.state is not EnvironmentState.OK and not source.is_moved:
        raise UsageError(CLONE_NOT_WHOLE, path=str(source.prefix))


def _check_target(target: Path) -> None:
    """As `check_free`; who copies wants a new environment, not to install into the one that is there."""
    try:
        check_free(target)
    except UsageError as error:
        if error.code != "target-is-environment":
            raise
        raise UsageError(
            "clone-taken",
            "There is already an environment called “{name}”, in {path}.",
            "Choose another name for the copy.",
            name=target.name,
            path=str(target),
        ) from error


def is_clone_begun(prefix: Path) -> bool:
    """An earlier clone began it and was killed."""
    return (unfinished_run(prefix) or "").startswith(COPY)


def carry_out_clone(plan: ClonePlan, on_progress: OnProgress, is_cancelled: IsCancelled) -> Cloned:
    """Raises WizardError `clone-…`, `no-space`, `run-busy`, Cancelled; then the target is as it was before."""
    run = COPY + secrets.token_hex(4)
    try:
        with prefix_lock(str(plan.source.prefix)), prefix_lock(str(plan.target)):
            if is_clone_begun(plan.target):
                remove_unfinished(plan.target)
            mark_begun(plan.target, run)
            try:
                done = clone(plan.source, plan.target, plan.contents, on_progress, is_cancelled)
                _conclude(plan)
            except BaseException:
                with contextlib.suppress(WizardError):
                    remove_unfinished(plan.target, run)
                raise
            return done
    except Timeout as error:
        raise WizardError(RUN_BUSY, path=str(plan.target)) from error


def _conclude(plan: ClonePlan) -> None:
    """The mark goes last: until then, a kill leaves something that is known as unfinished."""
    with contextlib.suppress(OSError):
        _carry_over_baseline(plan)
    if is_conda_prefix(plan.target):
        with contextlib.suppress(OSError, Timeout):
            register(plan.target)
    mark_complete(plan.target)


def _carry_over_baseline(plan: ClonePlan) -> None:
    """Not copied: it knows the files by their times. A state that has drifted is none to remember."""
    state = read_baseline(plan.source.prefix)
    if state and changes_since_baseline(plan.source.prefix) is None:
        site = site_packages_of(plan.target, state.python)
        write_baseline(plan.target, site, state.python, state.variant)
