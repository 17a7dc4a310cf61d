"""Installs each wheel as soon as it is verified, while others still download.

A batch is whatever is ready when the last one ended. What an interrupted attempt had begun is taken out
again by the wheel's own list of files before it is put in anew.
"""

from __future__ import annotations

import queue
from pathlib import Path

from wizard import paths
from wizard.environments.layout import site_packages_of
from wizard.environments.model import Created
from wizard.i18n import Message, message
from wizard.packages.install import install_wheels, remove_partial
from wizard.steps.context import Context
from wizard.steps.journal import History

_POLL = 0.05


class Install:
    name = "install"
    weight = 24

    def announce(self, context: Context) -> Message:
        return message("step.install.will", count=len(context.lock.files))

    def run(self, context: Context) -> Message:
        batches = _Batches(context)
        place = context.wait_for_place()
        created = place.created
        site_packages = site_packages_of(created.prefix, created.python_version, paths.os_name())
        history = History() if place.is_new else context.history
        sizes = {file.filename: file.size or 0 for file in context.lock.files}
        total = sum(sizes.values())
        done = 0
        while batch := batches.next():
            fresh = [wheel for wheel in batch if wheel.name not in history.installed]
            for wheel in fresh:
                if wheel.name in history.installing:
                    remove_partial(wheel, site_packages)
            if fresh:
                self._install(context, created, fresh)
            done += sum(sizes.get(wheel.name, 0) for wheel in batch)
            context.emitter.progress(self.name, done, total, unit="bytes", detail=batch[-1].name)
        return message("step.install.done", count=len(context.lock.files))

    def _install(self, context: Context, created: Created, wheels: list[Path]) -> None:
        names = tuple(wheel.name for wheel in wheels)
        context.journal.installing(names)
        install_wheels(
            wheels,
            created.python,
            on_log=lambda line: context.emitter.log(self.name, line),
            is_cancelled=context.is_stopped,
        )
        context.journal.installed(names)
        for name in names:
            context.emitter.log(self.name, f"{name} ok")


class _Batches:
    """Takes from `ready` all that is there, waiting only when there is nothing."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ended = False

    def next(self) -> list[Path]:
        """Empty when everything has come."""
        batch: list[Path] = []
        while not self._ended:
            self._context.wait_while_paused()
            try:
                wheel = self._context.ready.get(timeout=0 if batch else _POLL)
            except queue.Empty:
                if batch:
                    break
                continue
            if wheel is None:
                self._ended = True
            else:
                batch.append(wheel)
        return batch
