"""Installs each package as soon as it is in the store, while others still download.

What an interrupted attempt left of a wheel is found by the wheel's own list of files and taken out first, so
the journal's lines are for people and for the count; the disk itself is what is believed: sizes, and after a crash
the contents.
"""

from __future__ import annotations

from pathlib import Path

from wizard.environment.conda.records import owners_of_files
from wizard.environment.create.vc_runtime import missing_runtime
from wizard.environment.layout import site_packages_of
from wizard.environment.remove.unfinished import mark_complete
from wizard.install.installer import Installer, Needed
from wizard.install.record import changed_files, check_record, record_of
from wizard.install.store import PackageStore, StoreEntry
from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, message
from wizard.run.context import Context


class CheckFiles:
    name = "check"
    weight = 1

    def announce(self, context: Context) -> Message:
        return message("step.check.will")

    def run(self, context: Context) -> Message:
        created = context.place.result().created
        site_packages = site_packages_of(created.prefix, created.python_version)
        store = PackageStore()
        wrong: list[str] = []
        for file in context.lock.files:
            context.check()
            measure = _measure(store, file, site_packages)
            wrong += check_record(site_packages, measure)
            if context.history.after_crash:
                wrong += changed_files(site_packages, record_of(measure), file.name)
        if wrong:
            raise WizardError("install-damaged", details="\n".join(wrong[:50]), count=len(wrong), first=wrong[0])
        # In this order: with the mark gone and no line, a kill in between would make the environment a stranger's.
        context.journal.done(self.name)
        mark_complete(created.prefix)
        return message("step.check.done", count=len(context.lock.files))


def _measure(store: PackageStore, file: LockedFile, site_packages: Path) -> Path:
    """The wheel; where somebody has removed the store meanwhile, the list that was installed of it."""
    return store.wheel_of(file) or site_packages / f"{'-'.join(file.filename.split('-')[:2])}.dist-info"


def check_runtime(entry: StoreEntry, prefix: Path) -> None:
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

        def on_installed(entry: StoreEntry) -> None:
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
