"""Brings every file of the lock into the store and hands each one on as soon as its hash is right."""

from __future__ import annotations

import random
import time
from pathlib import Path

from wizard import paths
from wizard.errors import WizardError
from wizard.i18n import Message, bytes_text, message
from wizard.network.environment import with_direct
from wizard.packages.early import open_early
from wizard.packages.fetch import Downloads, Fetcher, FetchProgress
from wizard.packages.fetch.fetcher import DEFAULT_CONNECTIONS, Options
from wizard.packages.fetch.model import Tap
from wizard.packages.fetch.near import fetch_near_first
from wizard.packages.model import LockedFile
from wizard.steps.context import Context

_APART_SECONDS = 2.0
_NAP = 0.05


class Fetch:
    name = "fetch"
    weight = 60

    def announce(self, context: Context) -> Message:
        total = context.lock.total_bytes or 0
        return message("step.fetch.will", count=len(context.lock.files), size=bytes_text(total))

    def run(self, context: Context) -> Message:
        started = time.monotonic()
        early = open_early(paths.downloads_dir(), Path(context.plan.prefix), context.folder.id)
        context.early.set_result(early)
        fetcher = class_fetcher(context, early)

        def on_file(file: LockedFile, path: Path) -> None:
            context.emitter.log(self.name, f"{file.filename} sha256 {file.sha256[:12]}… ok")
            if early:
                early.accept(file, path)
            context.ready.put(path)

        def on_far(error: WizardError) -> None:
            context.emitter.notice(message("step.fetch.far"))
            context.emitter.log(self.name, str(error))

        def on_progress(progress: FetchProgress) -> None:
            left = None if progress.total is None or progress.rate <= 0 else progress.total - progress.done
            context.emitter.progress(
                self.name, progress.done, progress.total, unit="bytes", rate=round(progress.rate),
                eta=None if left is None else round(left / progress.rate, 1), detail=progress.file,
                state=progress.state, files_done=progress.files_done, files_total=progress.files_total,
                limited_by=progress.limited_by,
            )  # fmt: skip

        start_apart(context)
        result = fetch_near_first(
            fetcher, context.lock.files, context.plan.choices.packs, on_progress, on_file, context.is_stopped,
            context.control.is_paused, on_far,
        )  # fmt: skip
        context.ready.put(None)
        context.journal.done(self.name, {"fetched": result.bytes_fetched, "reused": result.bytes_reused})
        return message(
            "step.fetch.done",
            fetched=bytes_text(result.bytes_fetched),
            reused=bytes_text(result.bytes_reused),
            seconds=round(time.monotonic() - started, 1),
        )


def class_fetcher(context: Context, tap: Tap | None = None) -> Fetcher:
    """Into this computer's downloads, as the plan's choices want it."""
    choices = context.plan.choices
    # Plain http to a class's server: every byte is held against a hash that did not come from it.
    environment = with_direct(context.plan.environment, choices.packs) if context.plan.environment else None
    options = Options(environment=environment, allow_http=bool(choices.packs), rate_limit=choices.limit_rate, tap=tap)
    return Fetcher(Downloads(paths.downloads_dir()), choices.connections or DEFAULT_CONNECTIONS, options)


def start_apart(context: Context) -> None:
    """Thirty machines whose students press the same key are not to reach the class's server in the same moment."""
    if not any(base.startswith("http") for base in context.plan.choices.packs):
        return
    until = time.monotonic() + random.uniform(0, _APART_SECONDS)
    while time.monotonic() < until:
        context.check()
        time.sleep(_NAP)
