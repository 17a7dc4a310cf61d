"""A long call beside the page's own one: for what is shown when it is known and holds nobody up.

One at a time; the page gives it up when it is left. Its failure is the caller's to show or to pass over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from wizard.errors import WizardError
from wizard.gui.errands import Errand, Errands, Work

T = TypeVar("T")


class Aside:
    def __init__(self, errands: Errands) -> None:
        self._errands = errands
        self._errand: Errand[Any] | None = None

    @property
    def is_busy(self) -> bool:
        return self._errand is not None

    def start(self, work: Work[T], on_done: Callable[[T], None], on_failed: Callable[[WizardError], None]) -> None:
        self.cancel()

        def done(answer: T) -> None:
            self._errand = None
            on_done(answer)

        def failed(error: WizardError) -> None:
            self._errand = None
            on_failed(error)

        self._errand = self._errands.start(work, done, failed)

    def cancel(self) -> None:
        if self._errand is not None:
            self._errand.cancel()
            self._errand = None
