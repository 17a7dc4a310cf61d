"""Looks whether every installed file is there with the size that its package's record gives; after a crash, with the
content, too: a file may have its length and not its bytes."""

from __future__ import annotations

from pathlib import Path

from wizard.environments.layout import site_packages_of
from wizard.environments.remove import mark_complete
from wizard.errors import WizardError
from wizard.i18n import Message, message
from wizard.packages.model import LockedFile
from wizard.packages.record import changed_files, check_record, record_of
from wizard.packages.store import PackageStore
from wizard.steps.context import Context


class Check:
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
