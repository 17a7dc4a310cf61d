"""The built-in engine: a true conda prefix from a channel, without a conda on the machine.

The work is done by `rattler_child` in a process of its own. Success is its "done" line plus a look at the
prefix, never its exit code: rattler can crash after the work is done. Python and pip only; everything
else comes later from wheels.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wizard import paths
from wizard.environments import conda_records
from wizard.environments.inspect_prefix import check_free, look_at_python
from wizard.environments.layout import python_of
from wizard.environments.model import Created, IsCancelled, OnProgress, Target
from wizard.errors import Cancelled, WizardError
from wizard.i18n import message, text
from wizard.network.trouble import explain_text
from wizard.process import Outcome, Request, child_environment, redact, run

_DISK_FULL = re.compile(r"os error (?:28|112)\b|No space left on device|not enough space on the disk", re.IGNORECASE)
_OS_NAME = "windows" if sys.platform == "win32" else "linux"


class RattlerEngine:
    """`environment`: proxy and certificate settings for the child (from the plan)."""

    name = "rattler"

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})

    def create(self, target: Target, on_progress: OnProgress, is_cancelled: IsCancelled) -> Created:
        """See `Engine`. Codes: env-channel-unreachable, env-unsolvable, env-disk-full, env-failed, env-crashed."""
        check_free(target.prefix)
        _make_cache(target.prefix)
        heard = _Heard(on_progress)
        outcome = run(self.request_for(target), heard.line, is_cancelled)
        if outcome.cancelled or is_cancelled():
            raise Cancelled
        if not heard.done:
            raise failure(heard.error, outcome, target, self._environment)
        return self._finish(target, heard.bytes_downloaded)

    def request_for(self, target: Target) -> Request:
        extra = dict(self._environment)
        # Empty means "no CUDA": asking the driver could hang on a lost card, and Python needs no answer.
        extra["CONDA_OVERRIDE_CUDA"] = target.cuda or ""
        extra.update(paths.own_environment())
        return Request(child_command(), environment=child_environment(extra), stdin=json.dumps(_order(target)))

    def _finish(self, target: Target, bytes_downloaded: int) -> Created:
        prefix = target.prefix
        python = python_of(prefix, _OS_NAME)
        version = look_at_python(python, target.python)
        records = conda_records.read_records(prefix)
        if not any(record.name == "python" for record in records):
            raise WizardError("env-broken", path=str(prefix), details="no conda-meta/python-*.json")
        try:
            conda_records.open_up(prefix)
            conda_records.write_history(prefix, specs_for(target), time.time())
        except OSError as error:
            raise WizardError("env-failed", path=str(prefix), details=str(error)) from error
        # Not in conda's list (no home, a read-only one) is no reason to throw a good environment away.
        with contextlib.suppress(OSError, RuntimeError):
            conda_records.register(prefix)
        return Created(prefix, python, version, self.name, len(records), bytes_downloaded)


def child_command() -> tuple[str, ...]:
    return (*paths.own_command(), "_rattler")


def specs_for(target: Target) -> tuple[str, ...]:
    return (f"python {target.python}.*", "pip")


def _order(target: Target) -> dict[str, Any]:
    return {
        "prefix": str(target.prefix),
        "channels": list(target.channels),
        "specs": list(specs_for(target)),
        "cache": str(_cache()),
    }


def _cache() -> Path:
    return paths.cache_dir() / "rattler"


def _make_cache(prefix: Path) -> None:
    """For the owner alone: rattler keeps whole addresses in it, a private channel's password included."""
    try:
        _cache().parent.mkdir(parents=True, exist_ok=True)
        _cache().mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise WizardError("env-failed", str(error), path=str(prefix)) from error


class _Heard:
    """What the child said so far."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self.done = False
        self.bytes_downloaded = 0
        self.error: Mapping[str, Any] = {}

    def line(self, stream: str, line: str) -> None:
        event = parse_event(line) if stream == "stdout" else None
        if event is None:
            return
        if event["event"] == "progress":
            words = text(message(f"environments.progress.{event['what']}", package=str(event["package"])))
            self._on_progress(int(event["done"]), event["total"], words)
        elif event["event"] == "done":
            self.done, self.bytes_downloaded = True, int(event["bytes_downloaded"])
        elif event["event"] == "error":
            self.error = event


def parse_event(line: str) -> dict[str, Any] | None:
    """None for anything else that a library prints."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None


def failure(
    error: Mapping[str, Any], outcome: Outcome, target: Target, environment: Mapping[str, str] | None = None
) -> WizardError:
    """The child's own words decide; without any it has crashed."""
    said = redact(str(error.get("text", "")))
    details = f"{said}\n{outcome.tail()}" if said else outcome.tail()
    channels = ", ".join(redact(channel) for channel in target.channels)
    if _DISK_FULL.search(said):
        return WizardError("env-disk-full", details, path=str(target.prefix))
    trouble = explain_text(str(error.get("text", "")), environment or {})
    if trouble:
        return WizardError(trouble.code, details, **trouble.params)
    if error.get("kind") == "unreachable":
        return WizardError("env-channel-unreachable", details, channels=channels)
    if error.get("kind") == "unsolvable":
        return WizardError("env-unsolvable", details, channels=channels, python=target.python)
    if said:
        return WizardError("env-failed", details, path=str(target.prefix))
    return WizardError("env-crashed", details)
