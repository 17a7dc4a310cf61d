"""How much of the network a run may take, set after its plan was made: the plan is saved again with the new choices.

Only for a run that has not started; nothing else of the plan depends on it.
"""

from __future__ import annotations

from dataclasses import replace

from wizard.errors import WizardError
from wizard.plan.model import Plan
from wizard.plan.serialize import plan_to_json, read_plan
from wizard.steps.run_folder import RunFolder
from wizard.system import moving


def set_limits(folder: RunFolder, limit_rate: int | None, connections: int | None) -> Plan:
    """Bytes a second over all connections, and how many of those; None: no limit of ours.

    Raises WizardError `run-busy`, `state-not-writable`.
    """
    plan = read_plan(folder.plan)
    if folder.is_running():
        raise WizardError("run-busy", path=plan.prefix)
    limited = replace(plan, choices=replace(plan.choices, limit_rate=limit_rate, connections=connections))
    try:
        moving.write_whole(folder.plan, plan_to_json(limited), 0o600)  # addresses may hold a password
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(folder.path)) from error
    return limited
