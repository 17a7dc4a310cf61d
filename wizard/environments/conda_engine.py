"""The engine for who wants their own conda to own the environment: conda, mamba or micromamba by its command line.

First a dry run (packages and bytes, the plan), then the doing, with progress from the files that it fetches. conda
replaces an environment that is there and takes in a folder that is not empty, and deletes all of it later: both are
refused before. Success is the exit status plus a look at the prefix.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from wizard.environments import conda_records
from wizard.environments.conda_answer import CondaInfo, CondaPlan, parse_document, parse_plan
from wizard.environments.conda_commands import conda_environment, create_command, plan_command
from wizard.environments.conda_errors import failure
from wizard.environments.conda_find import confirm
from wizard.environments.conda_progress import Watch
from wizard.environments.inspect_prefix import check_free, look_at_python
from wizard.environments.layout import python_of
from wizard.environments.model import Created, IsCancelled, OnProgress, Target
from wizard.errors import Cancelled, UsageError, WizardError
from wizard.i18n import message
from wizard.process import Outcome, Request, StopTimeouts, run

# conda rolls its transaction back when it is interrupted; what it leaves is ours to remove all the same.
_STOP = StopTimeouts(interrupt=4.0, terminate=2.0, kill=5.0)
_REFUSED = " :#"  # in the folder's own name; further up a space only draws a warning


class CondaEngine:
    """`environment`: proxy and certificate settings for the child (from the plan)."""

    name = "conda"

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})

    def create(self, target: Target, on_progress: OnProgress, is_cancelled: IsCancelled) -> Created:
        """See `Engine`. Codes: `conda-…`, and what `matrices/conda_errors.toml` names."""
        check_free(target.prefix)
        check_conda_prefix(target.prefix)
        on_progress(0, None, message("environments.progress.conda-plan"))
        executable, info = self._confirm(target, is_cancelled)
        plan = self._plan(executable, info, target, is_cancelled)
        if info.is_libmamba:
            _make_empty_prefix(target.prefix)
        watch = Watch(plan, info.pkgs_dirs, on_progress)
        request = self._request(create_command(executable, target, info.is_libmamba), target)
        self._run(request, target, info, watch.looking(is_cancelled), is_cancelled)
        watch.look()
        return self._finish(target, watch.fetched)

    def plan(self, target: Target, is_cancelled: IsCancelled = lambda: False) -> CondaPlan:
        """What would be put into the prefix and fetched for it; nothing is changed. Raises as `create`."""
        check_conda_prefix(target.prefix)
        return self._plan(*self._confirm(target, is_cancelled), target, is_cancelled)

    def _confirm(self, target: Target, is_cancelled: IsCancelled) -> tuple[Path, CondaInfo]:
        if target.conda is None:
            raise WizardError("conda-not-started", "no conda in the plan", path="conda")
        return target.conda, confirm(target.conda, self._environment, is_cancelled)

    def _plan(self, executable: Path, info: CondaInfo, target: Target, is_cancelled: IsCancelled) -> CondaPlan:
        request = self._request(plan_command(executable, target, info.is_libmamba), target)
        outcome = self._run(request, target, info, is_cancelled, is_cancelled)
        plan = parse_plan(parse_document(outcome.stdout) or {})
        if plan is None:
            raise WizardError("conda-no-answer", outcome.tail(), program=info.kind)
        return plan

    def _request(self, argv: tuple[str, ...], target: Target) -> Request:
        return Request(argv, environment=conda_environment(self._environment, target.cuda), stop=_STOP)

    def _run(
        self, request: Request, target: Target, info: CondaInfo, asked: IsCancelled, is_cancelled: IsCancelled
    ) -> Outcome:
        outcome = run(request, is_cancelled=asked)
        if outcome.cancelled or is_cancelled():
            raise Cancelled
        if not outcome.ok or (parse_document(outcome.stdout) or {}).get("success") is False:
            raise failure(outcome, target, info.kind)
        return outcome

    def _finish(self, target: Target, bytes_downloaded: int) -> Created:
        prefix = target.prefix
        records = conda_records.read_records(prefix)
        if not any(record.name == "python" for record in records):
            raise WizardError("env-broken", "no conda-meta/python-*.json", path=str(prefix))
        python = python_of(prefix)
        version = look_at_python(python, target.python)
        # conda writes its own list; where it could not (no home), the environment is good all the same.
        with contextlib.suppress(OSError, RuntimeError):
            conda_records.register(prefix)
        return Created(prefix, python, version, self.name, len(records), bytes_downloaded)


def check_conda_prefix(prefix: Path) -> None:
    """Raises UsageError `conda-name-characters`: conda says so only when everything else has been done."""
    if any(letter in _REFUSED for letter in prefix.name):
        raise UsageError("conda-name-characters", path=str(prefix))


def _make_empty_prefix(prefix: Path) -> None:
    """What mamba takes for an environment without packages; our mark is in the folder already."""
    try:
        (prefix / "conda-meta").mkdir(parents=True, exist_ok=True)
        (prefix / "conda-meta" / "history").touch()
    except OSError as error:
        raise WizardError("env-failed", str(error), path=str(prefix)) from error
