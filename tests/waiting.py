"""One way to wait for a state that was promised. The limit is one for a hang and says nothing of speed: a laboratory's
computer with twenty programs on two processors is ten times slower than ours."""

from __future__ import annotations

import time
from collections.abc import Callable

HANG = 240.0  # seconds


def wait_until(is_so: Callable[[], object], shown: Callable[[], object] = str, pause: float = 0.02) -> None:
    """`shown`: what a failure tells; `pause`: seconds between two looks."""
    until = time.monotonic() + HANG
    while not is_so():
        assert time.monotonic() < until, f"it did not come to that {shown()}"
        time.sleep(pause)
