"""Installs each package as soon as it is in the store, while others still download.

What an interrupted attempt left of a wheel is found by the wheel's own list of files and taken out first, so
the journal's lines are for people and for the count; the disk itself is what is believed: sizes, and after a crash
the contents.
"""

from __future__ import annotations

from pathlib import Path

from wizard.environments.conda_records import owners_of_files
from wizard.environments.vc_runtime import missing_runtime
from wizard.errors import WizardError
from wizard.i18n import Message, message
from wizard.packages.install import Installer
from wizard.packages.needed import Needed
from wizard.packages.store import Entry
from wizard.steps.context import Context


def check_runtime(entry: Entry, prefix: Path) -> None:
    """Tell before torch is installed what it would end with (WinError 126). Raises WizardError `install-runtime`."""
    if not entry.wheel.name.startswith("torch-"):
        return
    files = {file.path: entry.path_of(file) for file in entry.files}
    if missing := missing_runtime(files, prefix):
        raise WizardError("install-runtime", details="\n".join(missing), names=", ".join(missing))


class Install:
    name = "install"
    weight = 24

    def announce(self, context: Context) -> Message:
        return message("step.install.will", count=len(context.lock.files))

    def run(self, context: Context) -> Message:
        created = context.wait_for_place().created
        sizes = {file.filename: file.size or 0 for file in context.lock.files}
        total, done = sum(sizes.values()), 0

        def on_installed(entry: Entry) -> None:
            nonlocal done
            done += sizes.get(entry.wheel.name, 0)
            context.journal.installed((entry.wheel.name,))
            context.emitter.log(self.name, f"{entry.wheel.name} ok")
            context.emitter.progress(self.name, done, total, unit="bytes", detail=entry.wheel.name)

        installer = Installer(
            created.python,
            environment=context.plan.environment,
            on_log=lambda line: context.emitter.log(self.name, line),
            conda_files=owners_of_files(created.prefix),
            copies=context.plan.choices.copies,
            deep=context.history.after_crash,
            before=lambda entry: check_runtime(entry, created.prefix),
        )
        # Who wrote a profile also wrote its lock; every other one was resolved here.
        is_given = context.plan.profile_sha256 is not None
        ready = Needed(context.ready, context.plan.requirements) if is_given else context.ready
        installer.pipeline(ready, on_installed, context.is_stopped)
        return message("step.install.done", count=len(context.lock.files))
