"""The engine for who wants their own conda to own the environment: conda, mamba or micromamba by its command line.

First a dry run (packages and bytes, the plan), then the doing, with progress from the files that it fetches. conda
replaces an environment that is there and takes in a folder that is not empty, and deletes all of it later: both are
refused before. Success is the exit status plus a look at the prefix.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from wizard.environment.conda import records as conda_records
from wizard.environment.conda.answer import CondaFetch, CondaInfo, CondaPlan, parse_document, parse_plan
from wizard.environment.conda.errors import CONDA_NO_ANSWER, CONDA_NOT_STARTED, failure
from wizard.environment.conda.find import conda_environment, confirm, create_command, plan_command
from wizard.environment.inspect.prefix import ENV_BROKEN, check_free, look_at_python
from wizard.environment.layout import python_of
from wizard.environment.model import Created, IsCancelled, OnProgress, Target
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.process import Outcome, Request, StopTimeouts, run

# How far conda has come: on a pipe it says nothing, so the files that it fetches are looked at.
#
# A package counts by its `<name>.partial` (mamba: `.part`), then by its whole file, then by the folder that it was
# unpacked into. Looking costs one `stat` per package and cache folder, a few times a second.

_SECONDS_BETWEEN = 0.2
_PARTIAL = (".partial", ".part")
_ARCHIVES = (".tar.bz2", ".conda")


class CondaProgress:
    """Tells of progress from within the question whether to stop, which is asked about twenty times a second."""

    def __init__(self, plan: CondaPlan, caches: Sequence[Path], on_progress: OnProgress) -> None:
        self._plan = plan
        self._caches = tuple(caches)
        self._on_progress = on_progress
        self._most: dict[str, int] = {}
        self._last = 0.0
        self._said: tuple[int, Message] | None = None
        self._began_with = sum(self.done_bytes(fetch) for fetch in plan.fetches)

    @property
    def fetched(self) -> int:
        """Return bytes that came since this began, as far as it was seen."""
        return max(0, sum(self._most.values()) - self._began_with)

    def looking(self, is_cancelled: IsCancelled) -> IsCancelled:
        """Return `is_cancelled` so that each question also looks at the progress, at most once in a while."""

        def ask() -> bool:
            if time.monotonic() - self._last >= _SECONDS_BETWEEN:
                self._last = time.monotonic()
                self.look()
            return is_cancelled()

        return ask

    def look(self) -> None:
        """Tell how many bytes conda has fetched by now; it says nothing itself that could be read."""
        total = self._plan.bytes_to_fetch
        missing = [fetch for fetch in self._plan.fetches if self.done_bytes(fetch) < fetch.size]
        done = sum(self._most.values())
        if missing:
            current = max(missing, key=lambda fetch: self._most[fetch.filename])
            words = message("environments.progress.conda-fetch", package=current.filename)
        else:
            words = message("environments.progress.conda-link", count=self._plan.packages)
        if (done, words) != self._said:
            self._said = (done, words)
            self._on_progress(done, total or None, words)

    def done_bytes(self, fetch: CondaFetch) -> int:
        """Return bytes that are done. Never goes back: a partial file is renamed between two looks, an archive may be
        deleted when unpacked."""
        seen = max((_bytes_in(cache, fetch) for cache in self._caches), default=0)
        most = max(self._most.get(fetch.filename, 0), min(seen, fetch.size))
        self._most[fetch.filename] = most
        return most


def _bytes_in(cache: Path, fetch: CondaFetch) -> int:
    whole = cache / fetch.filename
    for path in (whole, *(whole.with_name(whole.name + ending) for ending in _PARTIAL)):
        try:
            return path.stat().st_size
        except OSError:
            continue
    folder = next((fetch.filename.removesuffix(end) for end in _ARCHIVES if fetch.filename.endswith(end)), "")
    unpacked = bool(folder) and (cache / folder / "info" / "index.json").is_file()
    return fetch.size if unpacked else 0


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
        watch = CondaProgress(plan, info.pkgs_dirs, on_progress)
        request = self._request(create_command(executable, target, info.is_libmamba), target)
        self._run(request, target, info, watch.looking(is_cancelled), is_cancelled)
        watch.look()
        return self._finish(target, watch.fetched)

    def plan(self, target: Target, is_cancelled: IsCancelled = lambda: False) -> CondaPlan:
        """Return what would be put into the prefix and fetched for it; nothing is changed. Raises as `create`."""
        check_conda_prefix(target.prefix)
        return self._plan(*self._confirm(target, is_cancelled), target, is_cancelled)

    def _confirm(self, target: Target, is_cancelled: IsCancelled) -> tuple[Path, CondaInfo]:
        if target.conda is None:
            raise WizardError(CONDA_NOT_STARTED, details="no conda in the plan", path="conda")
        return target.conda, confirm(target.conda, self._environment, is_cancelled)

    def _plan(self, executable: Path, info: CondaInfo, target: Target, is_cancelled: IsCancelled) -> CondaPlan:
        request = self._request(plan_command(executable, target, info.is_libmamba), target)
        outcome = self._run(request, target, info, is_cancelled, is_cancelled)
        plan = parse_plan(parse_document(outcome.stdout) or {})
        if plan is None:
            raise WizardError(CONDA_NO_ANSWER, details=outcome.tail(), program=info.kind)
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
            raise WizardError(ENV_BROKEN, details="no conda-meta/python-*.json", path=str(prefix))
        python = python_of(prefix)
        version = look_at_python(python, target.python)
        # conda writes its own list; where it could not (no home), the environment is good all the same.
        with contextlib.suppress(OSError, RuntimeError):
            conda_records.register(prefix)
        return Created(prefix, python, version, self.name, len(records), bytes_downloaded)


def check_conda_prefix(prefix: Path) -> None:
    """Refuse a name that conda refuses only when everything else has been done. Raises UsageError
    `conda-name-characters`."""
    if any(letter in _REFUSED for letter in prefix.name):
        raise UsageError(
            "conda-name-characters",
            "conda makes no environment in “{path}”: its last part may not hold a space, a colon or “#”.",
            "Choose another name, such as torch-gpu; or take the built-in engine[| (--engine rattler)], which can.",
            path=str(prefix),
        )


def _make_empty_prefix(prefix: Path) -> None:
    """What mamba takes for an environment without packages; our mark is in the folder already."""
    try:
        (prefix / "conda-meta").mkdir(parents=True, exist_ok=True)
        (prefix / "conda-meta" / "history").touch()
    except OSError as error:
        raise WizardError("env-failed", details=str(error), path=str(prefix)) from error
