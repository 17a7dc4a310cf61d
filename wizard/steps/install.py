"""Installs each wheel as soon as it is verified, while others still download.

What an interrupted attempt left of a wheel is found by the wheel's own list of files and taken out first, so
the journal's lines are for people and for the count; the disk itself is what is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wizard.i18n import Message, message
from wizard.packages.install import Installer
from wizard.packages.unpack import Early
from wizard.steps.context import Context


class Install:
    name = "install"
    weight = 24

    def announce(self, context: Context) -> Message:
        return message("step.install.will", count=len(context.lock.files))

    def run(self, context: Context) -> Message:
        created = context.wait_for_place().created
        sizes = {file.filename: file.size or 0 for file in context.lock.files}
        total, done = sum(sizes.values()), 0

        def on_installed(wheel: Path) -> None:
            nonlocal done
            done += sizes.get(wheel.name, 0)
            context.journal.installed((wheel.name,))
            context.emitter.log(self.name, f"{wheel.name} ok")
            context.emitter.progress(self.name, done, total, unit="bytes", detail=wheel.name)

        installer = Installer(
            created.python,
            environment=context.plan.environment,
            on_log=lambda line: context.emitter.log(self.name, line),
            early=lambda wheel: _early(context, wheel),
        )
        installer.pipeline(context.ready, on_installed, context.is_stopped)
        return message("step.install.done", count=len(context.lock.files))


def _early(context: Context, wheel: Path) -> Mapping[str, Early]:
    """Empty where the wheel was there before the run."""
    early = context.early.result() if context.early.done() else None
    return early.take(wheel) if early else {}
