"""The pages beside the wizard: environments, doctor, explain, undo, class. They are no steps and know no Next.

A visit lies on top of the wizard, which stays where it is; going back takes the top one off. Nothing of the wizard's
state is touched here, and nothing here outlives the window.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Listener = Callable[[], None]


class SideId(str, enum.Enum):
    ENVIRONMENTS = "environments"
    DOCTOR = "doctor"
    EXPLAIN = "explain"
    UNDO = "undo"
    CLASS = "class"


SIDE_ORDER: tuple[SideId, ...] = tuple(SideId)


@dataclass(frozen=True, slots=True)
class Visit:
    """`prefix`: the environment that it is about; None: the person chooses. `text`: what is to be explained."""

    page: SideId
    prefix: Path | None = None
    text: str = ""


class SideFlow:
    def __init__(self) -> None:
        self._visits: tuple[Visit, ...] = ()
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    @property
    def here(self) -> Visit | None:
        """None: the wizard itself is shown."""
        return self._visits[-1] if self._visits else None

    def open(self, page: SideId, prefix: Path | None = None, text: str = "") -> None:
        """On top of where we are. A page is never twice in the way back."""
        kept = tuple(visit for visit in self._visits if visit.page is not page)
        self._move((*kept, Visit(page, prefix, text)))

    def switch(self, page: SideId) -> None:
        """In the place of where we are, as the rail does it."""
        if self.here is None or self.here.page is not page:
            self._move((Visit(page),))

    def back(self) -> None:
        self._move(self._visits[:-1])

    def close(self) -> None:
        if self._visits:
            self._move(())

    def _move(self, visits: tuple[Visit, ...]) -> None:
        self._visits = visits
        for listener in tuple(self._listeners):
            listener()
