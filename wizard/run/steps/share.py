"""The last step of a setup for everybody (`--shared`): compiles what users cannot, then opens the environment to them.

Who may not write in it would compile every module anew at each start. After the test, which leaves files of its own.
"""

from __future__ import annotations

from pathlib import Path

from wizard.environment.create.modes import open_to_all, open_way_to
from wizard.environment.layout import site_packages_of
from wizard.model.errors import Cancelled, WizardError
from wizard.model.messages import Message, message
from wizard.process import Request, child_environment, run
from wizard.run.context import Context, Step

_TIME_LIMIT = 1800.0


class Share(Step):
    name = "share"
    weight = 4

    def announce(self, context: Context) -> Message:
        return message("step.share.will", "Opening the environment to everybody on this computer")

    def run(self, context: Context) -> Message:
        created = context.place.result().created
        self._compile(context, created.python, created.python_version)
        try:
            closed = open_way_to(created.prefix)
            changed = open_to_all(created.prefix)
        except OSError as error:
            raise WizardError(
                "share-modes",
                "The permissions of the files in “{path}” could not be set for everybody.",
                "Files of another owner, or a disk without permissions, are the usual reason; the log names the "
                "file. Then: [{page.welcome}.|torch-wizard resume]",
                details=str(error),
                path=str(created.prefix),
            ) from error
        if closed:
            raise WizardError(
                "share-closed",
                "“{prefix}” is set up, but other users may not enter “{path}”, which holds other files, too.",
                "If they may see into it, open it (chmod a+x) and resume; otherwise make the environment elsewhere.",
                path=str(closed),
                prefix=str(created.prefix),
            )
        context.journal.done(self.name)
        return message(
            "step.share.done",
            "Everybody may use it, nobody but its owner may change it (permissions set: {count})",
            count=changed,
        )

    def _compile(self, context: Context, python: Path, version: str) -> None:
        """Files that are not for this Python are named by the compiler and of no harm: its exit status is none."""
        library = site_packages_of(Path(context.plan.prefix), version).parent
        argv = (str(python), "-I", "-m", "compileall", "-q", "-j", "0", str(library))
        request = Request(argv, environment=child_environment(), timeout=_TIME_LIMIT)
        outcome = run(request, is_cancelled=context.is_stopped)
        if outcome.cancelled:
            raise Cancelled
        if not outcome.ok:
            context.emitter.detail(self.name, outcome.tail())
