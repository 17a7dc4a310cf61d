"""What a report adds to the plan and the verification: how each step went. A value, rendered elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.i18n import Message

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class StepResult:
    """`outcome`: done | skipped | failed | cancelled."""

    name: str
    outcome: str
    seconds: float | None = None
    message: Message | None = None
