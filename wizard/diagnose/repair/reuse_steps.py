"""The steps of a setup into an environment that is there: those of a repair, with a closer look before and after.

All is fetched before anything is touched; what is replaced goes aside; then the new comes in. Files that no package
owns stay where they are. May be killed at any line: the snapshot (`snapshot.py`) says what was moved.
"""

from __future__ import annotations

from pathlib import Path

from wizard.diagnose.repair.reuse import REUSE
from wizard.diagnose.repair.steps import PutAside, Repair, RepairReady, RepairVerify, aside_of, stages_of, wheels_of
from wizard.environment.conda.records import owners_of_files
from wizard.environment.inspect.baseline import NAME
from wizard.environment.inspect.look import look
from wizard.environment.inspect.reusable import check_not_in_use, check_reusable
from wizard.install.wheel import read_wheel
from wizard.install.wheel_data import clash_of
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.run.context import Context
from wizard.run.executor import Stages
from wizard.run.steps.fetch import Fetch
from wizard.run.steps.install import CheckFiles, Install


def stages_on_existing(repair: Repair) -> Stages:
    """Of a repair, or of a setup into an environment."""
    if repair.code != REUSE:
        return stages_of(repair)
    return (
        (ReuseReady(repair),),
        (Fetch(),),
        (ReuseAside(repair),),
        (Install(),),
        (CheckFiles(),),
        (RepairVerify(repair),),
    )


class ReuseReady(RepairReady):
    """Time has passed since the plan: what may be changed is asked again."""

    def run(self, context: Context) -> Message:
        prefix = Path(context.plan.prefix)
        if not aside_of(context.plan, self._repair).is_begun:  # else it is we who left it half
            one = look(prefix)
            if one is None:
                raise UsageError(
                    "reuse-missing",
                    "There is no environment in “{path}”.",
                    "Leave out --reuse to make a new one there, or look for the right one with: torch-wizard envs list",
                    path=str(prefix),
                )
            check_reusable(one)
        check_not_in_use(prefix)
        return super().run(context)


class ReuseAside(PutAside):
    def announce(self, context: Context) -> Message:
        return message("step.reuse-aside.will", "Putting aside what is replaced")

    def run(self, context: Context) -> Message:
        check_not_in_use(Path(context.plan.prefix))  # the download may have taken hours
        context.journal.begin(self.name)
        prefix, site = Path(context.plan.prefix), Path(self._repair.site)
        wheels = wheels_of(context)
        aside = aside_of(context.plan, self._repair)
        if not aside.is_begun:
            _check_conda_files(prefix, site, wheels)
        count = aside.put(self._repair.names, wheels, (), (prefix / NAME,), spare=True, how=self._repair.how)
        context.journal.done(self.name, {"count": count})
        return message("step.reuse-aside.done", "Put aside: {count}; nothing was deleted", count=count)


def _check_conda_files(prefix: Path, site: Path, wheels: tuple[Path, ...]) -> None:
    """The wheels' own lists against conda's: what the names did not tell. Raises WizardError `reuse-conda-files`."""
    owners = owners_of_files(prefix)
    for wheel in wheels:
        if clash := clash_of(prefix, site, read_wheel(wheel), owners):
            code = clash.code.replace("install-conda", "reuse-conda")
            raise WizardError(code, path=str(prefix / clash.path), wheel=wheel.name, owner=clash.owner)
