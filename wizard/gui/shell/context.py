"""What every page has at hand: a bundle without behaviour."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.app.pages.navigator import Navigator
from wizard.app.pages.order import SideFlow
from wizard.app.tools import WindowSession
from wizard.gui.shell.serving import ServingNow
from wizard.gui.shell.tasks import TaskRunner
from wizard.gui.shell.theme import Theme
from wizard.gui.shell.translator import Translator


@dataclass(frozen=True, slots=True)
class AppContext:
    session: WindowSession
    navigator: Navigator
    translator: Translator
    theme: Theme
    tasks: TaskRunner
    side: SideFlow
    serving: ServingNow
