"""The steps of a repair that a setup does not have. Fetch, install and check are those of every run.

Everything is fetched before anything is touched; then what is replaced goes aside, and the new comes in. May be
killed at any line: the snapshot (`snapshot.py`) says what was moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from wizard.compatibility.model import Plan
from wizard.diagnose.known_errors.match import cause_and_fix
from wizard.diagnose.repair.guards import guard_files, write_guards
from wizard.diagnose.repair.snapshot import REPAIR, RepairSnapshot
from wizard.diagnose.repair.states import check_alone, wheels_kept
from wizard.diagnose.trial import without
from wizard.environment.inspect.baseline import NAME
from wizard.environment.inspect.prefix import ask_python
from wizard.environment.layout import python_of
from wizard.environment.model import Created
from wizard.install.store import PackageStore
from wizard.install.wheel import INSTALL_PERMISSION
from wizard.machine.machine_file import machine_from_json
from wizard.model.errors import BAD_PLAN, UsageError, WizardError
from wizard.model.messages import Message, message
from wizard.model.typed import from_json
from wizard.process import redact
from wizard.run.context import Context, Step, TargetEnvironment
from wizard.run.executor import Stages
from wizard.run.plan.plan_file import PLAN_SCHEMA, read_plan
from wizard.run.run_folder import RunFolder
from wizard.run.steps.disk_space import check_room, demands
from wizard.run.steps.fetch import Fetch
from wizard.run.steps.install import CheckFiles, Install
from wizard.run.steps.verify import left_out
from wizard.run.verify.smoke import check_name, verify

# A repair as data: what is put aside, what keeps others out, how the test is run. Lies beside the plan of its run.
#
# The plan and the lock say what comes; this says what goes, and that the environment was there before. A run that has
# this file is a repair: it makes no environment, and it can be taken back.

SCHEMA = 1
FILE_NAME = "repair.json"


@dataclass(frozen=True, slots=True)
class Repair:
    """`aside`: paths to put aside with nothing in their place. `variables`: of the user's terminal, for the test."""

    code: str  # the cause
    names: tuple[str, ...]  # distributions that are installed again
    aside: tuple[str, ...]
    no_user_site: bool
    drop_library_folders: tuple[str, ...]
    site: str
    python_version: str
    variant: str
    variables: Mapping[str, str] = field(default_factory=dict)
    schema: int = SCHEMA
    how: str = REPAIR  # what did it, for the history of states


def write_repair(folder: Path, repair: Repair) -> None:
    (folder / FILE_NAME).write_bytes(msgspec.json.format(msgspec.json.encode(repair), indent=1))


def read_repair(folder: Path) -> Repair | None:
    """None: this run sets up. Raises UsageError `bad-plan`."""
    path = folder / FILE_NAME
    if not path.is_file():
        return None
    try:
        repair = from_json(path.read_bytes(), Repair)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(BAD_PLAN, details=str(error), path=str(path)) from error
    if repair.schema != SCHEMA:
        raise UsageError(PLAN_SCHEMA, path=str(path), found=repair.schema, known=SCHEMA)
    return repair


def aside_of(plan: Plan, repair: Repair) -> RepairSnapshot:
    return RepairSnapshot(Path(plan.prefix), Path(repair.site), plan.id)


def restore_run(folder: RunFolder) -> bool:
    """Everything that this run put aside goes back. False: it is no repair, or nothing was moved yet.

    Raises WizardError `restore-failed`, `state-covered`."""
    try:
        repair, plan = read_repair(folder.path), read_plan(folder.plan)
    except WizardError:
        return False
    return repair is not None and aside_of(plan, repair).restore(wheels_kept(plan.id, repair.names))


def stages_of(repair: Repair) -> Stages:
    return (
        (RepairReady(repair),),
        (Fetch(deep=True),),
        (PutAside(repair),),
        (Install(),),
        (Guard(repair),),
        (CheckFiles(),),
        (RepairVerify(repair),),
    )


def wheels_of(context: Context) -> tuple[Path, ...]:
    store = PackageStore()
    return tuple(wheel for file in context.lock.files if (wheel := store.wheel_of(file)))


class RepairReady(Step):
    """Looks at the environment that is there; hands it to the steps that install."""

    name = "repair-ready"
    weight = 1

    def __init__(self, repair: Repair) -> None:
        self._repair = repair

    def announce(self, context: Context) -> Message:
        return message("step.repair-ready.will", "Looking at the place and the free space")

    def run(self, context: Context) -> Message:
        prefix = Path(context.plan.prefix)
        check_alone(prefix, context.plan.id)
        python = python_of(prefix)
        try:
            version = ask_python(python).version
        except WizardError as error:
            raise WizardError(
                "repair-busy-python",
                "The Python in {path} does not run any more.",
                "Nothing was changed; make a new environment [on the page {page.welcome}.|with: torch-wizard setup]",
                details=error.details,
                path=str(prefix),
            ) from error
        check_room(demands(context.plan, context.lock))  # what is replaced is moved, not freed
        created = Created(prefix, python, version, "existing", 0)
        context.place.set_result(TargetEnvironment(created, is_new=False))
        return message("step.repair-ready.done", "The environment is free, and there is room")


class PutAside(Step):
    name = "aside"
    weight = 2

    def __init__(self, repair: Repair) -> None:
        self._repair = repair

    def announce(self, context: Context) -> Message:
        return message("step.aside.will", "Putting aside what is replaced")

    def run(self, context: Context) -> Message:
        context.journal.begin(self.name)
        repair, prefix = self._repair, Path(context.plan.prefix)
        further = [Path(path) for path in repair.aside]
        edits = [
            *guard_files(prefix, Path(repair.site), repair.no_user_site, repair.drop_library_folders),
            prefix / NAME,
        ]
        count = aside_of(context.plan, repair).put(repair.names, wheels_of(context), further, edits)
        context.journal.done(self.name, {"count": count})
        return (
            message("step.aside.done", "Files moved aside: {count}", count=count)
            if count
            else message("step.aside.nothing", "No old files to move")
        )


class Guard(Step):
    name = "guard"
    weight = 1

    def __init__(self, repair: Repair) -> None:
        self._repair = repair

    def announce(self, context: Context) -> Message:
        return message("step.guard.will", "Writing what keeps other packages and libraries out")

    def run(self, context: Context) -> Message:
        repair = self._repair
        files = guard_files(
            Path(context.plan.prefix), Path(repair.site), repair.no_user_site, repair.drop_library_folders
        )
        try:
            write_guards(files)
        except OSError as error:
            raise WizardError(INSTALL_PERMISSION, details=str(error), folder=context.plan.prefix) from error
        context.journal.done(self.name)
        return (
            message("step.guard.done", "Files of the environment written: {count}", count=len(files))
            if files
            else message("step.guard.nothing", "No file needs to be written")
        )


class RepairVerify(Step):
    """The smoke test as the user's own terminal runs it: a test that shuts others out would not notice them."""

    name = "verify"
    weight = 9

    def __init__(self, repair: Repair) -> None:
        self._repair = repair

    def announce(self, context: Context) -> Message:
        return message("step.verify.gpu" if self._repair.variant != "cpu" else "step.verify.cpu")

    def run(self, context: Context) -> Message:
        verification = verify(
            context.place.result().created.python,
            gpu_expected=context.plan.gpu_expected,
            machine=machine_from_json(context.plan.machine),
            is_cancelled=context.is_stopped,
            environment=context.plan.environment,
            on_check=lambda name: context.emitter.progress(self.name, 0, None, check_name(name)),
            explain=cause_and_fix,
            as_user=without(self._repair.variables, self._repair.drop_library_folders),
        )
        verification = replace(verification, checks=(*verification.checks, *left_out(context.plan)))
        for check in verification.checks:
            context.emitter.detail(self.name, redact(f"{check.state} {check.name} {dict(check.data)}"))
        context.verification.set_result(verification)
        context.journal.done(self.name, {"ok": verification.ok})
        return verification.headline
