"""What the pages have gathered so far: one frozen value, `None` where a page has not been through yet.

`choices` is what the person typed and survives going back, and so does `used`, for what was written stays written.
Everything else is made from the choices and does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wizard.plan.model import Candidate, Choices, Verdict
from wizard.plan.requirement import Requirement

if TYPE_CHECKING:  # the window's first picture must not wait for all that makes these values
    from wizard.profile.model import ProfileFile
    from wizard.session.classroom import Classroom
    from wizard.session.judged_news import JudgedNews
    from wizard.session.looks import Looks
    from wizard.session.model import Election, Facts, Preview
    from wizard.session.settings import Used, UsePlan


@dataclass(frozen=True, slots=True)
class State:
    choices: Choices = Choices()
    facts: Facts | None = None
    looks: Looks | None = None  # settings, driver and environments, looked at beside the facts
    verdict: Verdict | None = None
    picked: Candidate | None = None  # the person's cell of the grid, or the best
    news: tuple[JudgedNews, ...] | None = None  # builds that the tables do not know
    election: Election | None = None
    elected_for: Choices | None = None  # the choices that `election` answers
    lasting: tuple[UsePlan, ...] = ()  # the mirrors to be used for good, with the difference that was shown
    place: tuple[Requirement, ...] | None = None
    preview: Preview | None = None
    is_beginning: bool = False  # Install was pressed, and the worker is not there yet
    run_id: str | None = None
    run_over: bool = False
    prefix: str = ""  # of the environment that the run made
    report: Mapping[str, Any] | None = None
    profile: ProfileFile | None = None  # of a class: it decides what its `ask` does not name
    classroom: Classroom | None = None  # where that profile came from, and who has its files
    trusted: frozenset[str] = frozenset()  # hosts of that profile that the person said yes to
    hand_on: bool = False  # to the rest of the class, once this computer is ready
    used: tuple[Used, ...] = ()  # settings files that were changed on the way, each with what takes it back

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
    return replace(choices, name=None, prefix=None, limit_rate=None, connections=None, cache_dir=None, temp_dir=None)
