"""Ctrl+C and SIGTERM of the command line: remembered once, asked for wherever something can still be stopped."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from wizard.errors import Cancelled


class Interrupt:
    def __init__(self) -> None:
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._remember)

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def is_asked(self) -> bool:
        return self._asked

    def check(self) -> None:
        """Raises Cancelled."""
        if self._asked:
            raise Cancelled

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """While a person is asked: reading a line would go on after a signal that is only remembered."""
        self.check()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        except KeyboardInterrupt:
            raise Cancelled from None
        finally:
            signal.signal(signal.SIGINT, self._remember)
