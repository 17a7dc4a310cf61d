"""`torch-wizard envs bootstrap`: Miniforge for who wants conda itself: shown with its licence, agreed to, installed."""

from __future__ import annotations

import argparse
import sys
import time

from wizard.cli.asking import agrees, check_can_ask
from wizard.cli.envs_view import amount
from wizard.cli.interrupt import Interrupt
from wizard.cli.network_wish import network_from
from wizard.cli.terminal import Terminal
from wizard.errors import Cancelled, ExitStatus
from wizard.i18n import Message, message
from wizard.network.environment import present_environment
from wizard.session import bootstrap as use_case

_REDRAW_SECONDS = 0.2


def bootstrap(arguments: argparse.Namespace, terminal: Terminal) -> int:
    """`--yes` is the yes to the licence, too: it was shown, and the option's help says so."""
    interrupt = Interrupt()
    environment = present_environment(network_from(arguments))
    near = use_case.near_copy(arguments.near, arguments.release)
    plan = use_case.with_size(
        use_case.plan_bootstrap(
            arguments.prefix, arguments.mirror, environment, near=near,
            on_ask=lambda: terminal.say(message("bootstrap.release")),
        )
    )  # fmt: skip
    for change in plan.changes:
        terminal.say(change)
    if plan.file.size is not None:
        terminal.say(message("bootstrap.size", size=amount(plan.file.size)))
    check_can_ask(arguments.yes)
    if not arguments.yes:
        with interrupt.at_once():
            if not agrees(message("bootstrap.ask"), terminal):
                return ExitStatus.CANCELLED
    progress = _Progress(terminal)
    try:
        done = use_case.bootstrap(plan, True, progress.tell, interrupt.is_asked)
    except Cancelled:
        progress.end()
        terminal.say(message("bootstrap.cancelled"))
        return ExitStatus.CANCELLED
    finally:
        progress.end()
    terminal.say(done.message)
    return ExitStatus.DONE


class _Progress:
    """One line that is drawn over itself, on a terminal only; elsewhere each stage once."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._is_tty = sys.stderr is not None and sys.stderr.isatty()
        self._stage = ""
        self._drawn = 0.0

    def tell(self, done: int, total: int | None, what: Message) -> None:
        if sys.stderr is None:
            return
        words = self._terminal.words(what)
        if words != self._stage:
            self.end()
            self._stage = words
            sys.stderr.write(words if self._is_tty else f"{words}\n")
            sys.stderr.flush()
        now = time.monotonic()
        if self._is_tty and total and now - self._drawn >= _REDRAW_SECONDS:
            self._drawn = now
            sys.stderr.write(f"\r{words}: {amount(done)} / {amount(total)}  ")
            sys.stderr.flush()

    def end(self) -> None:
        if self._stage and self._is_tty:
            sys.stderr.write("\n")
        self._stage = ""
