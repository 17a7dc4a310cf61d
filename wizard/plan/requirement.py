"""A requirement is a value: what was looked at, how it stands, whether it blocks, and how to fix it."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.i18n import Message


@dataclass(frozen=True, slots=True)
class Requirement:
    """`state`: ok | note | warning | problem. Only a mandatory one in state "problem" blocks."""

    name: str  # "gpu", "driver", "toolkit", "conda", "settings", "disk", "path", "network", "python"
    state: str
    fact: Message
    why: Message | None = None
    fix: Message | None = None
    mandatory: bool = False

    @property
    def blocks(self) -> bool:
        return self.mandatory and self.state == "problem"
