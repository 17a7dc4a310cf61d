"""Plans as files: JSON that is checked against the model when it is read back.

msgspec names the place of a mistake (`$.candidate.torch`); a plan of another schema number is refused.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from wizard.compatibility.model import SCHEMA, Plan
from wizard.model.errors import BAD_PLAN, ErrorText, UsageError
from wizard.model.typed import from_json

PLAN_SCHEMA = ErrorText(
    "plan-schema",
    "{path} was written by another version of this program (schema {found}, this one knows {known}).",
    "Make a new plan [on the page {page.welcome}.|with: torch-wizard setup]",
)


def plan_to_json(plan: Plan) -> bytes:
    return msgspec.json.format(msgspec.json.encode(plan), indent=1)


def plan_from_json(data: bytes, where: str = "plan.json") -> Plan:
    """Raises UsageError `bad-plan` or `plan-schema`."""
    try:
        plan = from_json(data, Plan)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(BAD_PLAN, details=str(error), path=where) from error
    if plan.schema != SCHEMA:
        raise UsageError(PLAN_SCHEMA, path=where, found=plan.schema, known=SCHEMA)
    return plan


def read_plan(path: Path) -> Plan:
    """Raises UsageError `bad-plan` also for a file that is not there."""
    try:
        return plan_from_json(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(BAD_PLAN, details=str(error), path=str(path)) from error
