"""Makes the environment. What an interrupted attempt began is removed first, and only if it is ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from wizard.compatibility.model import Plan
from wizard.environment.conda.engine import CondaEngine
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.create.venv_engine import VenvEngine
from wizard.environment.layout import python_of
from wizard.environment.model import TARGET_NOT_WRITABLE, Created, Engine, Target
from wizard.environment.remove.unfinished import is_ours_unfinished, mark_begun, remove_unfinished
from wizard.model.errors import BAD_PLAN, UsageError, WizardError
from wizard.model.messages import Message, bytes_text, message
from wizard.process import Request, child_environment, run
from wizard.run.context import Context, Step, TargetEnvironment
from wizard.run.steps.python_files import bring_python

_ENGINES: Mapping[str, type[RattlerEngine] | type[CondaEngine] | type[VenvEngine]] = {
    "rattler": RattlerEngine,
    "conda": CondaEngine,
    "venv": VenvEngine,
}


def engine_named(name: str, environment: Mapping[str, str] | None = None) -> Engine:
    """`environment` is added to the children's (proxy, certificate). Raises KeyError for a name that is none."""
    return _ENGINES[name](environment)


class Create(Step):
    name = "create"
    weight = 6

    def announce(self, context: Context) -> Message:
        plan = context.plan
        return message(f"step.create.{plan.engine}", python=plan.python, prefix=plan.prefix)

    def run(self, context: Context) -> Message:
        earlier = self._earlier(context)
        if earlier:
            context.place.set_result(TargetEnvironment(earlier, is_new=False))
            return message("step.create.kept", prefix=context.plan.prefix)
        created = self._create(context)
        context.journal.done(self.name, {"python": str(created.python), "python_version": created.python_version})
        context.place.set_result(TargetEnvironment(created, is_new=True))
        got = {"python": created.python_version, "prefix": context.plan.prefix}
        if created.bytes_downloaded:  # as the plan has them, which counts them with the wheels
            return message("step.create.got", size=bytes_text(created.bytes_downloaded), **got)
        return message("step.create.done", **got)

    def _earlier(self, context: Context) -> Created | None:
        """The environment that an earlier attempt finished, if it still runs."""
        data = context.history.done.get(self.name)
        if data is None:
            return None
        python = Path(str(data.get("python", "")))
        alive = run(Request((str(python), "-c", ""), environment=child_environment(), timeout=60))
        if not alive.ok:
            return None
        prefix = Path(context.plan.prefix)
        return Created(prefix, python, str(data.get("python_version", "")), context.plan.engine, 0)

    def _create(self, context: Context) -> Created:
        plan, emitter = context.plan, context.emitter
        prefix = Path(plan.prefix)
        if is_ours_unfinished(prefix, context.folder.id):
            remove_unfinished(prefix, context.folder.id)
        context.journal.begin(self.name)
        try:
            mark_begun(prefix, context.folder.id)
        except OSError as error:
            raise WizardError(TARGET_NOT_WRITABLE, details=str(error), path=plan.prefix) from error
        target = target_of(plan, read_chosen(context.folder.python_part))
        local = bring_python(context, self.name)
        if local and not target.chosen:  # a damaged run: what a class has locked is never chosen anew
            raise UsageError(BAD_PLAN, path=str(context.folder.python_part))
        target = replace(target, local=local)
        created = engine_named(plan.engine, plan.environment).create(
            target,
            lambda done, total, now: emitter.progress(self.name, done, total, detail=now),
            context.is_stopped,
        )
        if not python_of(prefix).exists():
            raise WizardError(
                "env-incomplete",
                "The environment in {path} was made, but its Python is not there.",
                "Press Resume[|, or run torch-wizard resume]; if it happens again, an antivirus program may have "
                "removed it.",
                path=plan.prefix,
            )
        return created


def target_of(plan: Plan, chosen: str = "") -> Target:
    """`chosen`: the packages of the Review page, for the built-in engine."""
    return Target(
        prefix=Path(plan.prefix),
        python=plan.python,
        engine=plan.engine,
        base_python=Path(plan.base_python) if plan.base_python else None,
        channels=plan.channels,
        cuda=cuda_of(plan),
        conda=Path(plan.conda) if plan.conda else None,
        chosen=chosen,
        further_channels=plan.further_channels,
        specs=plan.conda_specs,
    )


def cuda_of(plan: Plan) -> str | None:
    """The CUDA of the plan's machine, for what packages ask of it (`__cuda`). The driver itself is not asked again."""
    driver = plan.machine.get("driver")
    cuda = driver.get("cuda") if isinstance(driver, dict) else None
    return str(cuda) if cuda else None


def read_chosen(path: Path) -> str:
    """Empty where nothing was chosen before, or it cannot be read: then the engine chooses."""
    try:
        written = path.read_text(encoding="utf-8")
        return written if isinstance(json.loads(written), list) else ""
    except (OSError, ValueError):
        return ""
