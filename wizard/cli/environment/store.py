"""`torch-wizard store show | prune | verify | move`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wizard.cli.command import Arguments, CommandGroup, argument
from wizard.cli.help import N_
from wizard.cli.options import JSON, YES
from wizard.cli.tables import align
from wizard.cli.terminal import Interrupt, Terminal, agrees, check_can_ask
from wizard.model.errors import ExitStatus
from wizard.model.messages import Message, bytes_text, message
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.install.store.space import Stored, Usage

SCHEMA = 1


store = CommandGroup(
    "store", description=N_("Every wheel is unpacked once into the package store, and environments share its files.")
)


@store.add("show", N_("what it holds, and what pruning frees"), JSON)
def _show(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import store as use_cases

    found = use_cases.usage(Interrupt().is_asked)
    if arguments.json:
        terminal.document(_document(found))
        return ExitStatus.DONE
    head = ["", *(terminal.words(message(f"store.column.{name}")) for name in ("size", "wheel"))]
    rows = [["*" if one.is_used else "", bytes_text(one.size), one.entry.wheel.name] for one in found.stored]
    if rows:
        terminal.line(align([head, *rows]))
    terminal.say(_summary(found))
    return ExitStatus.DONE


def _summary(found: Usage) -> Message:
    return message(
        "store.summary",
        "The package store {path} holds {size} (packages: {count}); pruning would free {freed} "
        "(packages that no environment uses: {unused}).",
        path=str(paths.store_dir()),
        count=len(found.stored),
        size=bytes_text(found.size),
        unused=len(found.unused),
        freed=bytes_text(found.freed),
    )


@store.add("prune", N_("take out what no environment uses and no unfinished run needs"), YES, JSON)
def _prune(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import store as use_cases

    interrupt = Interrupt()
    found = use_cases.usage(interrupt.is_asked)
    if not arguments.json:
        terminal.say(_summary(found))
    if found.unused:
        check_can_ask(arguments.yes)
        if not arguments.yes and not agrees(
            message("store.ask", "Free {freed}?", freed=bytes_text(found.freed)), terminal
        ):
            return ExitStatus.CANCELLED
    gone = use_cases.prune(interrupt.is_asked) if found.unused else ()
    freed = sum(one.size for one in gone)
    if arguments.json:
        terminal.document({"schema": SCHEMA, "pruned": [_row(one) for one in gone], "freed": freed})
    else:
        terminal.say(
            message(
                "store.pruned",
                "{freed} are free again (packages taken out: {count}).",
                count=len(gone),
                freed=bytes_text(freed),
            )
        )
    return ExitStatus.DONE


@store.add(
    "verify", N_("read every file and compare its SHA-256; what is damaged comes anew when it is needed (exit 1)"), JSON
)
def _verify(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import store as use_cases

    found = use_cases.verify(is_cancelled=Interrupt().is_asked)
    if arguments.json:
        terminal.document(
            {
                "schema": SCHEMA,
                "others": [str(path) for _, path in found.others],
                "damaged": [
                    {"wheel": one.entry.wheel.name, "files": [file.path for file in one.files]} for one in found.damaged
                ],
            }
        )
    else:
        for one in found.damaged:
            wheel, first = one.entry.wheel.name, one.files[0].path
            terminal.say(
                message(
                    "store.damaged",
                    "{wheel} was damaged in {count} files, first {path}; it was taken out and comes anew "
                    "with the next setup that needs it.",
                    wheel=wheel,
                    path=first,
                    count=len(one.files),
                )
            )
        for prefix, path in found.others:
            terminal.say(
                message(
                    "store.shared-damage",
                    "The same damaged file is in an environment: {path}. Mend it [on the page {page.doctor}|with "
                    'torch-wizard doctor --prefix "{prefix}" --deep --repair].',
                    path=str(path),
                    prefix=str(prefix),
                )
            )
        if not found.damaged:
            terminal.say(message("store.sound", "Every file of the package store has the right checksum (SHA-256)."))
    return ExitStatus.FAILED if found.damaged else ExitStatus.DONE


@store.add(
    "move",
    N_("put it into another folder and use it there from now on"),
    argument("folder", "DIR", N_("a new folder, or one that a move was interrupted into")),
)
def _move(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import store as use_cases

    place = use_cases.move(arguments.folder, is_cancelled=Interrupt().is_asked)
    terminal.say(message("store.moved", path=str(place)))
    return ExitStatus.DONE


def _document(found: Usage) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "path": str(paths.store_dir()),
        "size": found.size,
        "freed": found.freed,
        "packages": [_row(one) for one in found.stored],
    }


def _row(one: Stored) -> dict[str, Any]:
    return {"wheel": one.entry.wheel.name, "sha256": one.entry.sha256, "size": one.size, "used": one.is_used}
