"""What every page has at hand. A bundle, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.flow.navigator import Navigator
from wizard.flow.session_api import SessionApi
from wizard.flow.side_pages import SideFlow
from wizard.gui.errands import Errands
from wizard.gui.serving import ServingNow
from wizard.gui.theme import Theme
from wizard.gui.voice import Voice

if TYPE_CHECKING:
    from wizard.flow.side_api import SideApi


@dataclass(frozen=True, slots=True)
class Desk:
    session: SessionApi
    navigator: Navigator
    voice: Voice
    theme: Theme
    errands: Errands
    side: SideFlow
    side_api: SideApi
    serving: ServingNow
