"""Why a page of the wizard that a sentence names cannot be opened now, and what leads there. No view, and no way to go:
that is the navigator's."""

from __future__ import annotations

from wizard.app.pages.order import AppState, PageId, way
from wizard.model.messages import Message, message


def why_not(state: AppState, here: PageId, page: PageId) -> Message:
    """`here`: the page of the wizard that is shown, or that a page beside it lies on."""
    name = Message("flow.plain", {}, f"{{page.{page.value}}}")
    if page not in way(state):
        return message(
            "page.closed.decided",
            "The class profile or the project decides what the page {name} asks. "
            "To choose it yourself, begin a setup of your own on the page {page.welcome}.",
            name=name,
        )
    if state.run_id is not None or state.is_beginning:
        return message(
            "page.closed.begun",
            "The setup has begun, so the page {name} is closed. "
            "When it has ended, begin a new one on the page {page.welcome}.",
            name=name,
        )
    return message(
        "page.closed.later",
        "The page {name} comes later. Press “Next” on the page {here} first.",
        name=name,
        here=Message("flow.plain", {}, f"{{page.{here.value}}}"),
    )
