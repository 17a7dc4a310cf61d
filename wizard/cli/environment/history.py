"""`torch-wizard envs history | restore`: the states that an environment was in before its changes, and the way back.

A state is named by its run and never by a count: a way back that was killed goes on with the same line.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wizard.app.use.environments import find_environment
from wizard.cli.command import Arguments, argument, command
from wizard.cli.environment.envs import clear_up, names_shown
from wizard.cli.environment.tables import SCHEMA
from wizard.cli.help import N_
from wizard.cli.options import JSON, YES
from wizard.cli.tables import align
from wizard.cli.terminal import Terminal, agrees, check_can_ask
from wizard.diagnose.repair.snapshot import ADD, REPAIR, SETUP, UPDATE, StateChange
from wizard.diagnose.repair.states import (
    State,
    bound,
    bytes_kept,
    kernels_going,
    restore_cut_off,
    states_in,
    way_back,
)
from wizard.diagnose.repair.states import restore as bring_back
from wizard.model.distributions import FAMILY
from wizard.model.errors import ExitStatus
from wizard.model.messages import Message, bytes_text, message
from wizard.run.runs import UNFINISHED, known_runs

_MOST_SHOWN = 3  # changes in a row of the table
_ENVIRONMENT = argument("environment", "NAME|PREFIX", N_("an environment's name or folder"))
_HOW = {
    REPAIR: message("history.how.repair", "repair"),
    SETUP: message("history.how.setup", "setup"),
    ADD: message("history.how.add", "packages added"),
    UPDATE: message("history.how.update", "update"),
    "": message("history.how.other", "change"),
}


@command("history", _ENVIRONMENT, JSON)
def history(arguments: Arguments, terminal: Terminal) -> int:
    clear_up(terminal)
    prefix = find_environment(arguments.environment).prefix
    found = states_in(prefix)
    if arguments.json:
        terminal.document(_document(prefix, found))
        return ExitStatus.DONE
    _tell_unfinished(prefix, terminal)
    if not found:
        terminal.say(message("history.none", "No earlier state of {prefix} is kept.", prefix=str(prefix)))
        return ExitStatus.DONE
    columns = (
        message("history.column.state", "state"),
        message("history.column.when", "when"),
        message("history.column.before", "before this"),
        message("history.column.size", "size"),
        message("history.column.changes", "what it changed"),
    )
    rows = [
        [
            each.run,
            _moment(each.moved),
            terminal.words(_HOW[each.how]),
            bytes_text(each.size),
            _changes(each, terminal, _MOST_SHOWN),
        ]
        for each in found
    ]
    terminal.line(align([[terminal.words(each) for each in columns], *rows]))
    terminal.say(_kept(prefix, len(found)))
    return ExitStatus.DONE


def _kept(prefix: Path, count: int) -> Message:
    from wizard.environment.create.clone_files import shell_word

    most = bound()
    return message(
        "history.kept",
        "Kept: {count}, with {size} of their own; at most {most}, {bytes} and {days} days, the oldest go first. "
        "Back to before one of them, and before all above it: [{page.environments}.|torch-wizard envs restore "
        "{prefix} STATE]",
        count=count,
        size=bytes_text(bytes_kept(prefix)),
        most=most.most,
        bytes=bytes_text(most.bytes),
        days=most.days,
        prefix=shell_word(prefix),
    )


def _moment(moved: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moved))


def _tell_unfinished(prefix: Path, terminal: Terminal) -> None:
    if half := restore_cut_off(prefix):
        terminal.error(half)
    for run in known_runs():
        if run.state == UNFINISHED and Path(run.prefix) == prefix:
            terminal.say(
                message(
                    "history.unfinished",
                    "A change of {prefix} was left unfinished. Resume it [on the page {page.welcome}|with: "
                    "torch-wizard resume {run}  ] or take it back [on the page {page.welcome}.|with: torch-wizard "
                    "runs --remove {run}]",
                    prefix=str(prefix),
                    run=run.id,
                )
            )


def _changes(state: State, terminal: Terminal, most: int | None = None) -> str:
    """`most`: how many by name; the others are counted, and in the document."""
    first = sorted(state.changes, key=lambda each: each.name not in FAMILY)
    named = [terminal.words(_change(each)) for each in first[:most]]
    left = len(state.changes) - len(named)
    return "; ".join(named) + (f" … (+{left})" if left else "") or "–"


def _change(each: StateChange) -> Message:
    if each.was is None:
        return message("history.change.added", "{name} {now} added", name=each.name, now=each.now or "?")
    if each.now is None:
        return message("history.change.removed", "{name} {was} removed", name=each.name, was=each.was)
    if each.now == each.was:
        return message("history.change.again", "{name} {now} again", name=each.name, now=each.now)
    return message("history.change.replaced", "{name} {was} → {now}", name=each.name, was=each.was, now=each.now)


def _document(prefix: Path, found: Iterable[State]) -> dict[str, Any]:
    most = bound()
    return {
        "schema": SCHEMA,
        "prefix": str(prefix),
        "states": [_row(each) for each in found],
        "bytes": bytes_kept(prefix),
        "bound": {"states": most.most, "bytes": most.bytes, "days": most.days},
    }


def _row(state: State) -> dict[str, Any]:
    return {
        "state": state.run,
        "how": state.how or None,
        "time": state.moved,
        "bytes": state.size,
        "changes": [{"name": each.name, "was": each.was, "now": each.now} for each in state.changes],
    }


@command(
    "restore",
    _ENVIRONMENT,
    argument("state", "STATE", N_("one of envs history; default: the newest"), required=False),
    YES,
    JSON,
)
def restore(arguments: Arguments, terminal: Terminal) -> int:
    clear_up(terminal)
    prefix = find_environment(arguments.environment).prefix
    _tell_unfinished(prefix, terminal)
    going = way_back(prefix, arguments.state)
    check_can_ask(arguments.yes)
    if not arguments.yes and not agrees(_question(prefix, going, terminal), terminal):
        return ExitStatus.CANCELLED
    kernels = kernels_going(prefix, going)
    gone = bring_back(prefix, going[-1].run)
    if arguments.json:
        terminal.document({"schema": SCHEMA, "prefix": str(prefix), "restored": [_row(each) for each in gone]})
        return ExitStatus.DONE
    terminal.say(
        message(
            "snapshot.restored",
            "The packages of {prefix} are again what they were before run {run}.",
            run=gone[-1].run,
            prefix=str(prefix),
        )
    )
    for each in kernels:
        terminal.say(message("snapshot.kernel-off", "Jupyter no longer lists “{title}”.", title=each.title))
    return ExitStatus.DONE


def _question(prefix: Path, going: tuple[State, ...], terminal: Terminal) -> Message:
    if len(going) == 1:
        return message(
            "snapshot.ask",
            "Bring back what run {run} replaced in {prefix} ({names})? [y/N]",
            run=going[0].run,
            prefix=str(prefix),
            names=names_shown(going[0].names),
        )
    for each in going:
        terminal.line(f"{each.run}  {_changes(each, terminal)}")
    return message(
        "snapshot.ask-several",
        "Take back these changes of {prefix}, one after the other ({count})? [y/N]",
        prefix=str(prefix),
        count=len(going),
    )
