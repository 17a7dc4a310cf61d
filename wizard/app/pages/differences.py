"""What a plan makes otherwise than was chosen or is usual, for the one box in which it has to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.app.pages.order import AppState
    from wizard.compatibility.model import Candidate, Plan

BREAKS = ("reuse.change.broken", "reuse.change.built-before")
DIFFERENT = (  # messages of a plan about what became something else than was chosen, or than is usual
    "plan.other-python",
    *BREAKS,
    "project.head.relaxed",
    "notice.second-choice",
    "notice.companion-dropped",
    "notice.asked-unfit",
)


_ROWS = {  # what the row is about ("": its name), and the few words beside that; all others are said whole
    "plan.other-python": ("Python", "flow.differs.python"),
    "project.head.relaxed": ("", "flow.differs.relaxed"),
    "notice.second-choice": ("torch", "flow.differs.second-choice"),
    "notice.companion-dropped": ("", "flow.differs.dropped"),
    "notice.asked-unfit": ("torch", "flow.differs.unfit"),
    "notice.companions-torch": ("torch", "flow.differs.older-torch"),
    "notice.companion-ended": ("", "flow.differs.ended"),
    "notice.companion-system": ("", "flow.differs.system"),
    "notice.companion-card": ("", "flow.differs.card"),
    "notice.companion-least": ("", "flow.differs.least"),
    "notice.companion-library": ("", "flow.differs.release"),
    "notice.companion-release": ("", "flow.differs.release"),
    "notice.companion-no-library": ("", "flow.differs.no-library"),
    "notice.held-back-early": ("", "flow.differs.early"),
    "notice.held-back-early-source": ("", "flow.differs.early"),
    **{
        f"notice.held-back{why}": ("", "flow.differs.held-back")
        for why in ("", "-elsewhere", "-source", "-needs", "-torch", "-needs-elsewhere")
    },
}


_BECAUSE = {  # the reason in a few words, where those before it do not say it yet
    "environments.reason.venv-no-channel": "flow.because.no-channel",
    "notice.second-choice": "flow.because.no-source",
    "notice.companion-dropped": "flow.because.no-source",
    "notice.companions-torch": "flow.because.needs-it",
    "notice.companion-ended": "flow.because.ended",
    "notice.companion-library": "flow.because.library",
    "notice.companion-release": "flow.because.newer-torch",
    "notice.held-back": "flow.because.rest",
    "notice.held-back-elsewhere": "flow.because.elsewhere",
    "notice.held-back-source": "flow.because.source",
    "notice.held-back-needs": "flow.because.needs-source",
    "notice.held-back-torch": "flow.because.needs",
    "notice.held-back-needs-elsewhere": "flow.because.needs-elsewhere",
    "notice.held-back-early": "flow.because.early",
    "notice.held-back-early-source": "flow.because.early-source",
}

_NO_MORE = ("notice.second-choice", "notice.companion-dropped")  # the whole sentence says what the few words say


@dataclass(frozen=True, slots=True)
class Difference:
    """`subject`: what it is about ("": its own words say it). `because`: the reason in a few words, shown beside them.
    `why`: all of it, on demand; None where those say it whole."""

    subject: str
    words: Message
    because: Message | None = None
    why: Message | None = None


def is_held_back(key: str) -> bool:
    """Return whether it says of a package that it is not the newest."""
    return key.startswith("notice.held-back")


def difference_row(notice: Message) -> Difference:
    if notice.key not in _ROWS:
        return Difference("", notice)
    subject, key = _ROWS[notice.key]
    given = (notice.params.get(name) for name in ("why", "reason"))
    why = next((one for one in given if isinstance(one, Message)), notice)
    few = _BECAUSE.get(why.key)
    is_short = why is not notice and few is None  # a reason of its own is a short one
    because = message(few, **why.params) if few else why if is_short else None
    return Difference(
        subject or str(notice.params["name"]),
        message(key, **notice.params),
        because,
        None if is_short or why.key in _NO_MORE else why,
    )


def instead_of(state: AppState) -> tuple[Candidate | None, Message | None]:
    """Return the build that is taken since no source that answered has the chosen one, and what is said of that."""
    asked, picked, verdict = state.asked, state.picked, state.verdict
    if asked is None or picked is None or verdict is None:
        return None, None
    notice = next((one for one in asked.notices if one.key == "notice.second-choice"), None)
    if notice is None or (asked.wanted.torch, asked.wanted.variant) != (picked.torch, picked.variant):
        return None, None
    found = asked.candidate
    same = (one for one in verdict.candidates if (one.torch, one.variant) == (found.torch, found.variant))
    return next(same, None), notice


def python_changed(state: AppState, plan: Plan) -> tuple[Message, ...]:
    """Return that the environment gets another Python than Build proposed, and why."""
    promised = state.request.decision if state.request else state.picked
    proposed = promised.python if promised and not plan.choices.reuse else None
    if proposed in (None, plan.python):
        return ()
    why, pythons = plan.engine_reason, state.facts.machine.pythons if state.facts else ()
    is_here = not plan.choices.base_python and any(one.has_venv and one.minor == proposed for one in pythons)
    if plan.engine != "venv" or is_here:  # the other engines bring any Python
        why = message(
            "flow.differs.torch-python",
            "The source has this torch for Python {python} only.",
            python=plan.python,
        )
    return (
        message(
            "plan.other-python",
            "Python {python} instead of {proposed}.",
            python=plan.python,
            proposed=proposed or "",
            why=why,
        ),
    )


def differences(state: AppState, plan: Plan) -> tuple[Message, ...]:
    """Return what is to be read before Install: another Python, what a project does not get, and the plan's notices."""
    out = tuple(one.why for one in state.request.decision.left_out) if state.request else ()
    told = (*python_changed(state, plan), *out, *plan.notices)
    return tuple(one for place, one in enumerate(told) if one not in told[:place])
