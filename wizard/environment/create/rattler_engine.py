"""The built-in engine: a true conda prefix from a channel, without a conda on the machine.

The work is done by `rattler_child` in a process of its own. Success is its "done" line plus a look at the
prefix, never its exit code: rattler can crash after the work is done. Python and pip only; everything
else comes later from wheels. When a channel fails in the middle, the next one is tried.

One file: what fails and where it is tried again decide on the same facts.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wizard.environment.activate.scripts import write_activation
from wizard.environment.conda import records as conda_records
from wizard.environment.create.modes import open_up
from wizard.environment.create.package_cache import PackageCache, engine_cache, package_cache
from wizard.environment.inspect.prefix import ENV_BROKEN, check_free, look_at_python
from wizard.environment.layout import python_of
from wizard.environment.model import Created, IsCancelled, OnProgress, PythonPart, Target, parse_python_part
from wizard.environment.remove.erase import erase
from wizard.environment.remove.unfinished import MARKER
from wizard.model.errors import Cancelled, ErrorText, WizardError
from wizard.model.messages import message
from wizard.process import Outcome, Request, child_environment, redact, run, without_memory
from wizard.system import paths
from wizard.transfer.trouble import explain_text

ENV_CRASHED = ErrorText(
    "env-crashed",
    "The built-in engine ended without a word.",
    "Try again; if it happens again, use this computer's own Python (page {page.place}[|, or --engine venv]).",
)

_DISK_FULL = re.compile(
    r"os error (?:28|112|122)\b|No space left on device|not enough space on the disk|Disk quota exceeded", re.IGNORECASE
)
_FILE = re.compile(r"failed to fetch ([^\s:]+)")


class Failed(Exception):
    """One attempt: the error as it would be shown, the child's word for its kind, and all that it wrote."""

    def __init__(self, error: WizardError, kind: str, text: str) -> None:
        super().__init__(text)
        self.error = error
        self.kind = kind
        self.text = text


def failure(
    error: Mapping[str, Any],
    outcome: Outcome,
    target: Target,
    channels: Iterable[str],
    environment: Mapping[str, str] | None = None,
) -> WizardError:
    """Return the error by the child's own words; without any it has crashed."""
    if lack := without_memory(outcome):  # its own words are lines of its output
        return lack
    text = redact(str(error.get("text", "")))
    details = f"{text}\n{outcome.tail()}" if text else outcome.tail()
    names = ", ".join(redact(channel) for channel in channels)
    if _DISK_FULL.search(text):
        return WizardError("env-disk-full", details=details, path=str(target.prefix))
    trouble = explain_text(str(error.get("text", "")), environment or {})
    if trouble:
        return WizardError(trouble.code, details=details, **trouble.params)
    if error.get("kind") == "unreachable":
        return WizardError(
            "env-channel-unreachable",
            "The conda channel can't be reached or has no package list: {channels}.",
            "Check the network or the proxy and try again, or choose another channel.",
            details=details,
            channels=names,
        )
    if error.get("kind") == "lost":
        file = _FILE.search(text)
        return WizardError(
            "env-channel-lost",
            "The conda channel stopped handing out packages in the middle ({channels}: {file}).",
            "Try again: what has come is kept. If it happens again, choose another channel (page {page.source}[|, "
            "or --channel]) or look at the network and the proxy.",
            details=details,
            channels=names,
            file=file[1] if file else "?",
        )
    if error.get("kind") == "unsolvable":
        return WizardError(
            "env-unsolvable",
            "The channel has no set of packages for Python {python} that fits this computer ({channels}).",
            "Choose another Python version or another channel; the details name what is missing.",
            details=details,
            channels=names,
            python=target.python,
        )
    if text:
        return WizardError("env-failed", details=details, path=str(target.prefix))
    return WizardError(ENV_CRASHED, details=details)


# Which channels are tried, one after the other, until one brings the whole environment.
#
# First the selected ones. When the network fails in the middle, another place with the same channel sends the same
# files: what they must be (size, SHA-256) stays as it was seen first. Only where a place no longer has a file is
# anything chosen anew.

_GONE = re.compile(r"\((?:403|404|410)\b")  # rattler writes "client error (404 Not Found)", in the server's own words


@dataclass(frozen=True, slots=True)
class Attempt:
    """`chosen`: the packages' descriptions, or "" to choose; `moves`: (from, to) addresses for their files."""

    channels: tuple[str, ...]
    chosen: str = ""
    moves: tuple[tuple[str, str], ...] = ()


def attempts_for(target: Target) -> tuple[Attempt, ...]:
    """Return the channels to try: as asked, then with one of them replaced by another mirror of the same."""
    rows = [Attempt(target.channels, target.chosen)]
    for other in () if target.local else target.further_channels:
        place = _place_of(other, target.channels)
        if place is not None:
            replaced = (*target.channels[:place], other, *target.channels[place + 1 :])
            rows.append(Attempt(replaced, target.chosen, ((target.channels[place], other),)))
    return tuple(rows)


def _place_of(other: str, channels: tuple[str, ...]) -> int | None:
    """Where the same channel stands among those of the plan: `…/conda-forge` for `…/conda-forge`."""
    names = [_name(channel) for channel in channels]
    return names.index(_name(other)) if _name(other) in names else None


def _name(channel: str) -> str:
    return urlsplit(channel).path.rstrip("/").rpartition("/")[2]


def is_worth_another(failed: Failed) -> bool:
    """Tell whether another mirror may do: too little on one may be all there on another."""
    return failed.kind in ("unreachable", "lost", "unsolvable") and failed.error.code != "env-disk-full"


def without_choice(attempts: tuple[Attempt, ...], text: str) -> tuple[Attempt, ...]:
    """Return what to try when all have failed with that text: what was chosen is no longer handed out, so choose
    again."""
    if not any(attempt.chosen for attempt in attempts) or not _GONE.search(text):
        return ()
    return tuple(Attempt(attempt.channels) for attempt in attempts)


STALL_SECONDS = 60.0


class RattlerEngine:
    """`environment`: proxy and certificate settings for the child (from the plan)."""

    name = "rattler"

    def __init__(self, environment: Mapping[str, str] | None = None, stall_seconds: float = STALL_SECONDS) -> None:
        self._environment = dict(environment or {})
        self._stall_seconds = stall_seconds

    def plan(self, target: Target, is_cancelled: IsCancelled = lambda: False) -> PythonPart:
        """Return what would be put into the prefix and fetched for it; nothing is changed. Raises as `create`."""
        _make_cache(target.prefix)
        cache = package_cache(target.prefix)

        def choose(attempt: Attempt) -> _ChildEvents:
            order = {**_order(target, attempt, cache), "prefix": ""}
            return self._run(order, target, lambda *_: None, is_cancelled)

        events = self._first_that_works(attempts_for(target), choose, lambda *_: None)
        try:
            return parse_python_part(events.planned["records"], events.planned["cached"])
        except (KeyError, TypeError, ValueError) as error:
            raise WizardError(ENV_CRASHED, details=str(error)) from error

    def create(self, target: Target, on_progress: OnProgress, is_cancelled: IsCancelled) -> Created:
        """See `Engine`. Codes: env-channel-unreachable, env-channel-lost, env-unsolvable, env-disk-full, env-failed,
        env-crashed."""
        check_free(target.prefix)
        _make_cache(target.prefix)
        cache = package_cache(target.prefix)

        def make(attempt: Attempt) -> _ChildEvents:
            _empty(target.prefix)
            if not cache.is_lasting:
                _make_private(cache.folder, target.prefix)
            order = {**_order(target, attempt, cache), "stall_seconds": self._stall_seconds}
            return self._run(order, target, on_progress, is_cancelled)

        events = self._first_that_works(attempts_for(target), make, on_progress)
        return self._finish(target, events.bytes_downloaded, cache)

    def _first_that_works(
        self, attempts: tuple[Attempt, ...], do: Callable[[Attempt], _ChildEvents], on_progress: OnProgress
    ) -> _ChildEvents:
        """In their order; the first failure is told when none works: it is of the channel that was chosen."""
        failures: list[Failed] = []
        left = list(attempts)
        while left:
            try:
                return do(left.pop(0))
            except Failed as failed:
                failures.append(failed)
                if not is_worth_another(failed):
                    break
            if not left:
                left = list(without_choice(attempts, "\n".join(one.text for one in failures)))
                attempts = ()
            if left:
                words = message("environments.progress.next-channel", channel=redact(left[0].channels[0]))
                on_progress(0, None, words)
        decisive = failures[0] if is_worth_another(failures[-1]) else failures[-1]
        raise decisive.error from decisive

    def _run(
        self, order: Mapping[str, Any], target: Target, on_progress: OnProgress, is_cancelled: IsCancelled
    ) -> _ChildEvents:
        """Raises Failed, Cancelled."""
        events = _ChildEvents(on_progress)
        outcome = run(self.request_for(target, order), events.line, is_cancelled)
        if outcome.cancelled or is_cancelled():
            raise Cancelled
        if not events.done:
            error = failure(events.error, outcome, target, order["channels"], self._environment)
            raise Failed(error, str(events.error.get("kind", "")), str(events.error.get("text", "")))
        return events

    def request_for(self, target: Target, order: Mapping[str, Any]) -> Request:
        """Return the child to be started; it is told which CUDA there is, since asking the driver could hang."""
        extra = dict(self._environment)
        # Empty means "no CUDA": asking the driver could hang on a lost card, and Python needs no answer.
        extra["CONDA_OVERRIDE_CUDA"] = target.cuda or ""
        extra.update(paths.own_environment())
        return Request(child_command(), environment=child_environment(extra), stdin=json.dumps(order))

    def _finish(self, target: Target, bytes_downloaded: int, cache: PackageCache) -> Created:
        prefix = target.prefix
        python = python_of(prefix)
        version = look_at_python(python, target.python)
        records = conda_records.read_records(prefix)
        if not any(record.name == "python" for record in records):
            raise WizardError(ENV_BROKEN, path=str(prefix), details="no conda-meta/python-*.json")
        try:
            if not cache.is_lasting:
                erase(cache.folder)
            conda_records.name_sources(prefix, true_sources(target))
            conda_records.correct_links(prefix)
            conda_records.take_out_credentials(prefix)
            conda_records.write_history(prefix, specs_for(target), time.time())
            write_activation(prefix)
            open_up(prefix)
        except OSError as error:
            raise WizardError("env-failed", path=str(prefix), details=str(error)) from error
        # Not in conda's list (no home, a read-only one) is no reason to throw a good environment away.
        with contextlib.suppress(OSError, RuntimeError):
            conda_records.register(prefix)
        return Created(prefix, python, version, self.name, len(records), bytes_downloaded)


def child_command() -> tuple[str, ...]:
    return (*paths.own_command(), "_rattler")


def specs_for(target: Target) -> tuple[str, ...]:
    return (f"python {target.python}.*", "pip", *target.specs)


def _order(target: Target, attempt: Attempt, cache: PackageCache) -> dict[str, Any]:
    return {
        "prefix": str(target.prefix),
        "channels": list(attempt.channels),
        "specs": list(specs_for(target)),
        "repodata": str(engine_cache() / "repodata"),
        "packages": str(cache.folder),
        "records": json.loads(attempt.chosen) if attempt.chosen else [],
        "moves": [list(move) for move in attempt.moves],
        "stall_seconds": STALL_SECONDS,
        "local": {sha256: path.absolute().as_uri() for sha256, path in target.local},
        "system": [target.system.subdir, *target.system.virtual] if target.system else [],
    }


def true_sources(target: Target) -> dict[str, str]:
    """Return, by SHA-256, where the channel has what was installed from a file here."""
    if not target.local:
        return {}
    return {record["sha256"]: record["url"] for record in json.loads(target.chosen)}


def _empty(prefix: Path) -> None:
    """What an attempt with another channel left; the folder was free before the first one."""
    if prefix.is_dir():
        try:
            erase(prefix, keep=(MARKER,))
        except OSError as error:
            raise WizardError("env-failed", details=str(error), path=str(prefix)) from error


def _make_cache(prefix: Path) -> None:
    try:
        engine_cache().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WizardError("env-failed", details=str(error), path=str(prefix)) from error
    _make_private(engine_cache(), prefix)
    _make_private(engine_cache() / "repodata", prefix)


def _make_private(folder: Path, prefix: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise WizardError("env-failed", details=str(error), path=str(prefix)) from error


class _ChildEvents:
    """What the child has written so far."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self.done = False
        self.bytes_downloaded = 0
        self.error: Mapping[str, Any] = {}
        self.planned: Mapping[str, Any] = {}

    def line(self, stream: str, line: str) -> None:
        event = parse_event(line) if stream == "stdout" else None
        if event is None:
            return
        if event["event"] == "progress":
            words = message(f"environments.progress.{event['what']}", package=str(event["package"]))
            self._on_progress(int(event["done"]), event["total"], words)
        elif event["event"] == "done":
            self.done, self.bytes_downloaded = True, int(event["bytes_downloaded"])
        elif event["event"] == "plan":
            self.planned = event
        elif event["event"] == "error":
            self.error = event


def parse_event(line: str) -> dict[str, Any] | None:
    """Return an event of the child; None for anything else that a library prints."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None
