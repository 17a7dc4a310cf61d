"""Looks whether every installed file is there with the size that its package's record gives."""

from __future__ import annotations

from wizard import paths
from wizard.environments.layout import site_packages_of
from wizard.environments.remove import mark_complete
from wizard.errors import WizardError
from wizard.i18n import Message, message
from wizard.packages.fetch import Downloads
from wizard.packages.record import check_record
from wizard.steps.context import Context


class Check:
    name = "check"
    weight = 1

    def announce(self, context: Context) -> Message:
        return message("step.check.will")

    def run(self, context: Context) -> Message:
        created = context.place.result().created
        site_packages = site_packages_of(created.prefix, created.python_version)
        store = Downloads(paths.downloads_dir())
        wrong: list[str] = []
        for file in context.lock.files:
            context.check()
            wrong += check_record(site_packages, store.path_for(file))
        if wrong:
            raise WizardError("install-damaged", details="\n".join(wrong[:50]), count=len(wrong), first=wrong[0])
        # In this order: with the mark gone and no line, a kill in between would make the environment a stranger's.
        context.journal.done(self.name)
        mark_complete(created.prefix)
        return message("step.check.done", count=len(context.lock.files))
