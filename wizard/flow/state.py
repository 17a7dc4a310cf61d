"""What the pages have gathered so far: one frozen value, `None` where a page has not been through yet.

`choices` is what the person typed and survives going back; everything else is made from it and does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from wizard.plan.model import Candidate, Choices, Verdict
from wizard.plan.requirement import Requirement
from wizard.session.model import Election, Facts, Preview


@dataclass(frozen=True, slots=True)
class State:
    choices: Choices = Choices()
    facts: Facts | None = None
    verdict: Verdict | None = None
    picked: Candidate | None = None  # the person's cell of the grid, or the best
    election: Election | None = None
    elected_for: Choices | None = None  # the choices that `election` answers
    place: tuple[Requirement, ...] | None = None
    preview: Preview | None = None
    run_id: str | None = None
    run_old_bytes: int = 0  # events of earlier attempts: their endings count no more
    run_over: bool = False
    prefix: str = ""  # of the environment that the run made
    report: Mapping[str, Any] | None = None

    @property
    def run_is_going(self) -> bool:
        return self.run_id is not None and not self.run_over

    @property
    def election_is_stale(self) -> bool:
        """True when something that the election depends on (the engine, say) was changed on a later page."""
        if self.election is None or self.elected_for is None:
            return True
        return _without_place(self.elected_for) != _without_place(self.choices)


def _without_place(choices: Choices) -> Choices:
    return replace(choices, name=None, prefix=None)
