"""How a probe asks another program: one seam, so that tests answer with recorded text.

A probe's child has a time limit and a short stop ladder, for it may hang on a lost card; nothing it
does is worth waiting for. Not for real work: that has no limit and a person cancels it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wizard.process import Outcome, Request, StopTimeouts, run

Ask = Callable[[Request], Outcome]
IsCancelled = Callable[[], bool]

_STOP = StopTimeouts(interrupt=0.2, terminate=0.3, kill=2.0)


def question(argv: tuple[str, ...], seconds: float, environment: Mapping[str, str] | None = None) -> Request:
    return Request(argv, environment=environment, timeout=seconds, stop=_STOP)


def asker(is_cancelled: IsCancelled) -> Ask:
    return lambda request: run(request, is_cancelled=is_cancelled)
