"""Brings every file of the lock into the store and hands each one on as soon as its hash is right."""

from __future__ import annotations

import time
from pathlib import Path

from wizard import paths
from wizard.i18n import Message, message
from wizard.packages.fetch import Fetcher, FetchProgress, Store
from wizard.packages.fetch.fetcher import DEFAULT_CONNECTIONS, Options
from wizard.packages.model import LockedFile
from wizard.steps.context import Context


class Fetch:
    name = "fetch"
    weight = 60

    def announce(self, context: Context) -> Message:
        total = context.lock.total_bytes or 0
        return message("step.fetch.will", count=len(context.lock.files), megabytes=round(total / 1e6, 1))

    def run(self, context: Context) -> Message:
        started = time.monotonic()
        choices = context.plan.choices
        options = Options(environment=context.plan.environment or None, rate_limit=choices.limit_rate)
        fetcher = Fetcher(Store(paths.downloads_dir()), choices.connections or DEFAULT_CONNECTIONS, options)

        def on_file(file: LockedFile, path: Path) -> None:
            context.emitter.log(self.name, f"{file.filename} sha256 {file.sha256[:12]}… ok")
            context.ready.put(path)

        def on_progress(progress: FetchProgress) -> None:
            left = None if progress.total is None or progress.rate <= 0 else progress.total - progress.done
            context.emitter.progress(
                self.name, progress.done, progress.total, unit="bytes", rate=round(progress.rate),
                eta=None if left is None else round(left / progress.rate, 1), detail=progress.file,
                state=progress.state, files_done=progress.files_done, files_total=progress.files_total,
                limited_by=progress.limited_by,
            )  # fmt: skip

        result = fetcher.fetch(
            context.lock.files,
            on_progress=on_progress,
            on_file=on_file,
            is_cancelled=context.is_stopped,
            is_paused=context.control.is_paused,
        )
        context.ready.put(None)
        context.journal.done(self.name, {"fetched": result.bytes_fetched, "reused": result.bytes_reused})
        return message(
            "step.fetch.done",
            fetched=round(result.bytes_fetched / 1e6, 1),
            reused=round(result.bytes_reused / 1e6, 1),
            seconds=round(time.monotonic() - started, 1),
        )
