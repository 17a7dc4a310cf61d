"""What `setup --events` says where no worker speaks: nothing to do, what would be done, and why it was refused.

One JSON line each, with the head of every event; a program that drives the command line reads no sentences.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wizard.cli.terminal import Terminal
from wizard.errors import WizardError
from wizard.events import SCHEMA
from wizard.packages.fetch import FetchProgress
from wizard.redact import redact, redact_all
from wizard.session.model import Preview
from wizard.session.present import made_by


@contextlib.contextmanager
def telling_refusal(arguments: argparse.Namespace, terminal: Terminal) -> Iterator[None]:
    try:
        yield
    except WizardError as error:
        told = error.to_json(terminal.language)
        del told["details"]  # of the log
        _say(arguments, terminal, "refused", status=int(error.exit_status), error=redact_all(told))
        raise


def tell_unchanged(arguments: argparse.Namespace, terminal: Terminal, prefix: Path) -> None:
    """`status`: how the setup that made it ended."""
    found = made_by(prefix)
    data: dict[str, Any] = {"prefix": str(prefix), "status": found.status if found else 0}
    if found:
        build = found.plan.candidate
        data |= {"torch": build.torch, "variant": build.variant, "python": found.plan.python}
    _say(arguments, terminal, "unchanged", found.folder.id if found else "", **data)


def tell_planned(arguments: argparse.Namespace, terminal: Terminal, preview: Preview) -> None:
    plan = preview.plan
    build = plan.candidate
    _say(
        arguments, terminal, "planned", plan.id, prefix=plan.prefix, torch=build.torch, variant=build.variant,
        python=plan.python, engine=plan.engine, download_bytes=preview.lock.total_bytes,
        here_bytes=sum(file.size or 0 for file in preview.lock.files if file.filename in preview.here),
        packages=[f"{file.name}=={file.version}" for file in preview.lock.files],
        changes=[redact(terminal.words(change)) for change in preview.changes],
    )  # fmt: skip


def tell_progress(arguments: argparse.Namespace, terminal: Terminal, progress: FetchProgress) -> None:
    """Of files that come while it is chosen which are needed: as a run's own, of a step "resolve"."""
    _say(
        arguments, terminal, "progress", step="resolve", done=progress.done, total=progress.total, unit="bytes",
        rate=round(progress.rate), detail=progress.file, state=progress.state, files_done=progress.files_done,
        files_total=progress.files_total, limited_by=progress.limited_by,
    )  # fmt: skip


def _say(arguments: argparse.Namespace, terminal: Terminal, event: str, run: str = "", **data: Any) -> None:
    if arguments.events:
        head = {"schema": SCHEMA, "event": event, "seq": 1, "time": round(time.time(), 3), "run": run}
        terminal.document({**head, **data})
