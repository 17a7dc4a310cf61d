"""`torch-wizard undo [ID] | list`: what this program wrote into the user's settings, and taking it back."""

from __future__ import annotations

import time
from typing import Any

from wizard.app.use import settings as use_cases
from wizard.cli.command import Arguments, argument, command, flag
from wizard.cli.help import N_
from wizard.cli.options import YES
from wizard.cli.terminal import Terminal, agrees, check_can_ask
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import message, text
from wizard.undo.model import Change

SCHEMA = 1
_LIST = "list"


@command(
    "undo",
    argument("id", "[ID | list]", N_("number of a change; list: show all of them"), required=False),
    YES,
    flag("--json", help=N_("with list: one JSON document on stdout")),
)
def undo(arguments: Arguments, terminal: Terminal) -> int:
    if arguments.id == _LIST:
        return _list(arguments.json, terminal)
    if arguments.json:
        raise UsageError(
            "undo-json-list",
            "--json goes with “undo list” only.",
            "Leave it out, or ask for torch-wizard undo list --json.",
        )
    change = use_cases.to_undo(arguments.id)
    _show(change, terminal)
    check_can_ask(arguments.yes)
    if not arguments.yes and not agrees(message("settings-file.undo.ask", "Take this back? [y/N]"), terminal):
        return ExitStatus.CANCELLED
    for file in use_cases.undo(change).files:
        terminal.say(message(f"settings-file.how.{file.how.value}", path=file.path))
        for key in file.left:
            terminal.write("  " + terminal.words(message("settings-file.undo.left", path=file.path, name=key)))
    terminal.say(message("settings-file.undo.done", id=change.id))
    return ExitStatus.DONE


def _list(is_json: bool, terminal: Terminal) -> int:
    changes = use_cases.changes()
    if is_json:
        terminal.document({"schema": SCHEMA, "changes": [_document(change, terminal) for change in changes]})
        return ExitStatus.DONE
    for change in changes:
        state = terminal.words(message(f"settings-file.state.{change.state.value}"))
        terminal.line(f"{change.id:>4}  {_when(change)}  {state}  {terminal.words(change.reason)}")
        for file in change.files:
            terminal.line(f"      {file.path}")
    if not changes:
        terminal.say(message("settings-file.undo.none", "No settings file was changed by this program."))
    return ExitStatus.DONE


def _show(change: Change, terminal: Terminal) -> None:
    reason = terminal.words(change.reason)
    terminal.say(
        message(
            "settings-file.undo.title",
            "Change {id} ({when}): {reason}",
            id=change.id,
            when=_when(change),
            reason=reason,
        )
    )
    for file in change.files:
        terminal.write(f"  {file.path}")


def _when(change: Change) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(change.time))


def _document(change: Change, terminal: Terminal) -> dict[str, Any]:
    """Keys, but no values: those may hold passwords."""
    return {
        "id": change.id,
        "time": change.time,
        "state": change.state.value,
        "reason": {**change.reason.to_json(), "text": text(change.reason, terminal.language)},
        "files": [
            {
                "path": file.path,
                "tool": file.tool,
                "was_there": file.before_sha256 is not None,
                "keys": [ours.key for ours in file.ours],
            }
            for file in change.files
        ],
    }
