"""What every page has at hand: a bundle without behaviour, and the line that each says of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from wizard.app.pages.navigator import Navigator
from wizard.app.pages.order import AppState, SideFlow
from wizard.app.tools import WindowSession
from wizard.gui.shell.serving import ServingNow
from wizard.gui.shell.tasks import TaskRunner
from wizard.gui.shell.theme import Theme
from wizard.gui.shell.translator import Translator
from wizard.model.marks import in_window

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class AppContext:
    session: WindowSession
    navigator: Navigator
    translator: Translator
    theme: Theme
    tasks: TaskRunner
    side: SideFlow
    serving: ServingNow


def class_words(state: AppState, here: str = "") -> str:
    """Return which class a setup is of, or that it is chosen for one; '' for neither. `here`: how the page itself says
    the latter."""
    if state.profile is not None:
        return QCoreApplication.translate("Page", "Class: %1").replace("%1", state.profile.profile.title)
    if not state.for_class or not (state.run_id is None or (state.preview and state.preview.plan.id == state.run_id)):
        return ""
    if here:
        return here
    words = QCoreApplication.translate(
        "Page", "This setup is for the class: “Save as class profile…” on the page {page.review} saves it."
    )
    return in_window(words)
