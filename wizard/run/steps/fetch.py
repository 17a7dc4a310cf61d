"""Bring every package of the lock into the store, and hand each one on as soon as it is there."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

from wizard.install.lock import with_hashes
from wizard.install.store import PackageStore, StoreEntry
from wizard.install.store.build import OnEntry, StoreBuilder
from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, bytes_text, message
from wizard.run.context import Context, Step
from wizard.run.run_folder import write_lock
from wizard.system import paths
from wizard.transfer.download import Downloads, Fetcher, FetchProgress, FetchResult
from wizard.transfer.download.fetcher import DEFAULT_CONNECTIONS, Options
from wizard.transfer.download.local_first import fetch_near_first
from wizard.transfer.download.model import Tap
from wizard.transfer.proxy.environment import with_direct

_APART_SECONDS = 2.0
_NAP = 0.05


class Fetch(Step):
    """`deep`: what lies in the store is believed by its hash only, because an environment was found damaged."""

    name = "fetch"
    weight = 60

    def __init__(self, *, deep: bool = False) -> None:
        self._deep = deep

    def announce(self, context: Context) -> Message:
        store = PackageStore()
        missing = [file for file in context.lock.files if not store.has(file)]
        if not missing:
            return message("step.fetch.none")
        size = bytes_text(sum(file.size or 0 for file in missing))
        return message("step.fetch.will", count=len(missing), size=size)

    def run(self, context: Context) -> Message:
        started = time.monotonic()
        store = PackageStore(shared=context.plan.choices.shared)
        present = self._hand_on_present(context, store)
        missing = [file for file in context.lock.files if file.key not in present]
        kept = sum(file.size or 0 for file in context.lock.files if file not in missing)
        builder = StoreBuilder(store, context.folder.id, _handing_on(context))
        try:
            result = self._fetch(context, missing, builder, kept)
            while not builder.wait(_NAP):
                context.check()
        finally:
            builder.close()
        context.ready.put(None)
        of_present = {file.filename: present[file.key].sha256 for file in context.lock.files if file.key in present}
        if any(not file.sha256 for file in context.lock.files):
            write_lock(context.folder, with_hashes(context.lock, {**of_present, **builder.hashes}))
        only_computed = sum(not file.promised_by for file in context.lock.files)
        all_computed = only_computed == len(context.lock.files)
        reused = result.bytes_reused + kept
        context.journal.done(self.name, {"fetched": result.bytes_fetched, "reused": reused})
        promised = "new" if not reused else "done" if result.bytes_fetched else "here"
        return message(
            f"step.fetch.{promised if not only_computed else 'all-computed' if all_computed else 'computed'}",
            fetched=bytes_text(result.bytes_fetched),
            reused=bytes_text(reused),
            computed=only_computed,
            count=len(context.lock.files),
            seconds=round(time.monotonic() - started, 1),
        )

    def _hand_on_present(self, context: Context, store: PackageStore) -> dict[str, StoreEntry]:
        """What the store has goes on, together: the installer takes what comes at once as one batch. Returns it by the
        files' keys."""
        found: dict[str, StoreEntry | None] = {}
        for file in context.lock.files:
            context.check()
            found[file.key] = store.find(file, deep=self._deep or context.history.after_crash)
        if context.plan.keeps_wheels:
            downloads = Downloads(paths.downloads_dir())
            found.update({file.key: None for file in context.lock.files if not downloads.find(file)})
        present = {key: entry for key, entry in found.items() if entry}
        for entry in present.values():
            context.ready.put(entry)
        return present

    def _fetch(self, context: Context, files: Sequence[LockedFile], builder: StoreBuilder, kept: int) -> FetchResult:
        def on_file(file: LockedFile, path: Path) -> None:
            context.emitter.log(self.name, f"{file.filename} sha256 {file.sha256[:12]}… ok")
            builder.accept(file, path)

        def on_far(error: WizardError) -> None:
            context.emitter.notice(message("step.fetch.far"))
            context.emitter.log(self.name, str(error))

        def on_progress(progress: FetchProgress) -> None:
            left = None if progress.total is None or progress.rate <= 0 else progress.total - progress.done
            count = len(context.lock.files) - len(files)
            context.emitter.progress(
                self.name,
                kept + progress.done,
                None if progress.total is None else kept + progress.total,
                unit="bytes",
                rate=round(progress.rate),
                eta=None if left is None else round(left / progress.rate, 1),
                detail=progress.file,
                state=progress.state,
                files_done=count + progress.files_done,
                files_total=count + progress.files_total,
                limited_by=progress.limited_by,
                files=[[one.name, one.done, one.size] for one in progress.large],
            )

        start_apart(context)
        return fetch_near_first(
            class_fetcher(context, builder),
            files,
            context.plan.choices.packs,
            on_progress,
            on_file,
            context.is_stopped,
            context.control.is_paused,
            on_far,
        )


def _handing_on(context: Context) -> OnEntry:
    """To the installer; the wheel is not needed any more, unless somebody else is to have it."""
    downloads = Downloads(paths.downloads_dir())
    keeps = context.plan.keeps_wheels

    def on_entry(file: LockedFile, entry: StoreEntry) -> None:
        if not keeps:
            downloads.remove(file)
        context.ready.put(entry)

    return on_entry


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
