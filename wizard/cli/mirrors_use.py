"""`torch-wizard mirrors use ID`: a mirror for good, in the user's own settings; shown, asked, written, checked.

Exit status 1 when a tool says something else than was written.
"""

from __future__ import annotations

import argparse

from wizard.cli.asking import agrees, check_can_ask
from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus
from wizard.i18n import message
from wizard.session import settings as use_cases
from wizard.settings.model import Diff
from wizard.settings.use import OFFICIAL
from wizard.settings.verify import Answer


def use(arguments: argparse.Namespace, terminal: Terminal) -> int:
    around = use_cases.surroundings(arguments.conda)
    plan = use_cases.plan_use(arguments.id, tuple(arguments.kind), around)
    for notice in plan.notices:
        terminal.write(f"! {terminal.words(notice)}")
    if plan.diffs:
        if arguments.id == OFFICIAL:
            terminal.say(message("settings-file.use.official"))
        show(plan.diffs, terminal)
        check_can_ask(arguments.yes)
        if not arguments.yes and not agrees(message("settings-file.use.ask"), terminal):
            return ExitStatus.CANCELLED
    else:
        terminal.say(message("settings-file.use.nothing"))
    return _done(use_cases.use(plan, around), terminal)


def show(diffs: tuple[Diff, ...], terminal: Terminal) -> None:
    for diff in diffs:
        terminal.line(diff.text)


def _done(used: use_cases.Used, terminal: Terminal) -> int:
    for check in used.checks:
        terminal.say(check.words)
    for words in used.after:
        terminal.say(words)
    differs = any(check.answer is Answer.DIFFERS for check in used.checks)
    if used.change:
        terminal.say(message("settings-file.use.offer" if differs else "settings-file.use.done", id=used.change.id))
    return ExitStatus.FAILED if differs else ExitStatus.DONE
