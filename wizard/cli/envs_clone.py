"""`torch-wizard envs clone`: a copy of an environment that works in its new place."""

from __future__ import annotations

import argparse
import sys
import time

from wizard.cli.envs_view import amount
from wizard.cli.interrupt import Interrupt
from wizard.cli.terminal import Terminal
from wizard.errors import Cancelled, ExitStatus
from wizard.i18n import message
from wizard.session.clone import ClonePlan, carry_out_clone, plan_clone
from wizard.session.environments import find_environment

_REDRAW_SECONDS = 0.2
_MOST_NAMED = 10


def clone(arguments: argparse.Namespace, terminal: Terminal) -> int:
    interrupt = Interrupt()
    source = find_environment(arguments.environment)
    plan = plan_clone(source, arguments.name, arguments.prefix, interrupt.is_asked)
    terminal.say(
        message(
            "clone.begins", name=source.name, target=str(plan.target), files=len(plan.contents.files),
            size=amount(plan.contents.size),
        )
    )  # fmt: skip
    progress = _CopyProgress(plan, terminal)
    try:
        done = carry_out_clone(plan, progress.tell, interrupt.is_asked)
    except Cancelled:
        progress.end()
        terminal.say(message("clone.cancelled", target=str(plan.target)))
        return ExitStatus.CANCELLED
    progress.end()
    key = "clone.done-shared" if done.shared else "clone.done"
    terminal.say(message(key, target=str(done.prefix), size=amount(done.size), shared=amount(done.shared)))
    if done.still_old:
        more = " …" if len(done.still_old) > _MOST_NAMED else ""
        names = ", ".join(done.still_old[:_MOST_NAMED]) + more
        terminal.say(message("clone.still-old", count=len(done.still_old), names=names, source=str(source.prefix)))
    return ExitStatus.DONE


class _CopyProgress:
    """One line that is drawn over itself, on a terminal only."""

    def __init__(self, plan: ClonePlan, terminal: Terminal) -> None:
        self._terminal = terminal
        self._is_tty = sys.stderr is not None and sys.stderr.isatty()
        self._drawn = 0.0

    def tell(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._is_tty or now - self._drawn < _REDRAW_SECONDS:
            return
        self._drawn = now
        sys.stderr.write(
            f"\r{self._terminal.words(message('clone.progress', done=amount(done), total=amount(total)))}  "
        )
        sys.stderr.flush()

    def end(self) -> None:
        if self._drawn:
            sys.stderr.write("\n")
