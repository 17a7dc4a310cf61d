"""What a plan makes otherwise than was chosen or is usual, for the one box in which it has to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.model.messages import Message, message

if TYPE_CHECKING:
    from wizard.app.pages.order import AppState
    from wizard.compatibility.model import Plan

DIFFERENT = (  # messages of a plan about what became something else than was chosen, or than is usual
    "plan.other-python",
    "reuse.change.broken",
    "project.head.relaxed",
    "notice.second-choice",
    "notice.companion-dropped",
    "notice.asked-unfit",
)


_ROWS = {  # of those: what the row is about ("": its name), and its words beside that
    "plan.other-python": ("Python", "flow.differs.python"),
    "project.head.relaxed": ("", "flow.differs.relaxed"),
    "notice.second-choice": ("torch", "flow.differs.second-choice"),
    "notice.companion-dropped": ("", "flow.differs.dropped"),
}


def difference_row(notice: Message) -> tuple[str, Message]:
    """Return what a difference is about ("": its own words say it), and what is said of that."""
    if notice.key not in _ROWS:
        return "", notice
    subject, key = _ROWS[notice.key]
    return subject or str(notice.params["name"]), message(key, **notice.params)


def python_changed(state: AppState, plan: Plan) -> tuple[Message, ...]:
    """Return that the environment gets another Python than Build proposed, and why."""
    promised = state.request.decision if state.request else state.picked
    proposed = promised.python if promised and not plan.choices.reuse else None
    if proposed in (None, plan.python):
        return ()
    why, pythons = plan.engine_reason, state.facts.machine.pythons if state.facts else ()
    if plan.engine == "venv" and any(one.has_venv and one.minor == proposed for one in pythons):
        why = message("flow.differs.torch-python", "The torch that a source has is for that Python.")
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
