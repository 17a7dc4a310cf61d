"""`torch-wizard update`: newer tables and the word of a newer program, asked for and never silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wizard import __version__
from wizard.cli.command import Arguments, command, flag
from wizard.cli.help import N_
from wizard.cli.options import JSON, NETWORK, YES, network_from
from wizard.cli.terminal import Terminal, agrees, check_can_ask
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import message
from wizard.model.table_update import tables_in_use

if TYPE_CHECKING:
    from wizard.app.update.offer import Offered, UpdateSource
    from wizard.transfer.http import Client

SCHEMA = 1


@command(
    "update",
    flag("--check", help=N_("only say what there is")),
    flag("--undo", help=N_("give back the tables from before the last update")),
    YES,
    JSON,
    *NETWORK,
)
def update(arguments: Arguments, terminal: Terminal) -> int:
    if arguments.check and arguments.undo:
        raise UsageError("update-one", "--check and --undo do not go together.", "Give one of them.")
    if arguments.undo:
        return _undo(arguments, terminal)
    from wizard.app.update.offer import update_client, update_source

    source = update_source()  # before anybody is asked
    if not arguments.check:
        check_can_ask(arguments.yes)
    client = update_client(network_from(arguments))
    try:
        return _update(arguments, terminal, client, source)
    finally:
        client.close()


def _update(arguments: Arguments, terminal: Terminal, client: Client, source: UpdateSource) -> int:
    from wizard.app.update.offer import ask
    from wizard.app.update.take import take

    offered = ask(client, source)
    if not arguments.json:
        _tell(offered, source, terminal)
    is_taken = offered.state == "newer" and not arguments.check and (arguments.yes or _agrees(terminal))
    if is_taken:
        take(client, offered)
    if arguments.json:
        terminal.document(_document(offered, source, is_taken))
    elif is_taken:
        number = offered.document.version
        terminal.say(
            message(
                "update.taken",
                "Tables number {number} count from the next start on. Take them back [on the page "
                "{page.versions}.|with: torch-wizard update --undo]",
                number=number,
            )
        )
    return ExitStatus.DONE


def _agrees(terminal: Terminal) -> bool:
    return agrees(message("update.ask", "Take the newer tables? [y/N]"), terminal)


def _tell(offered: Offered, source: UpdateSource, terminal: Terminal) -> None:
    from wizard.app.update.take import told

    for words in told(offered, source):
        terminal.say(words)


def _document(offered: Offered, source: UpdateSource, is_taken: bool) -> dict[str, Any]:
    document, newest = offered.document, offered.document.newest
    return {
        "schema": SCHEMA,
        "state": offered.state,
        "taken": is_taken,
        "tables": {
            "here": tables_in_use().version or source.tables,
            "offered": document.version,
            "date": document.date,
            "expires": document.expires,
        },
        "program": {
            "here": __version__,
            "newer": newest.version if newest and offered.is_newer_program else None,
            "page": newest.page if newest and offered.is_newer_program else None,
        },
    }


def _undo(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.update.take import take_back

    change = take_back()
    if arguments.json:
        terminal.document({"schema": SCHEMA, "undone": change.id})
    else:
        terminal.say(message("update.undone", "The tables from before count from the next start on."))
    return ExitStatus.DONE
