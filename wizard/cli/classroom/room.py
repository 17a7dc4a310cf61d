"""`torch-wizard room`: the results of a class, red first."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.command import Arguments, argument, command, option, whole
from wizard.cli.help import N_
from wizard.cli.options import JSON
from wizard.cli.terminal import OUTPUT_FAILED, Terminal
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.messages import message, system_language

if TYPE_CHECKING:
    from wizard.classroom.results.room import ClassResults


@command(
    "room",
    argument("pack", "DIR"),
    argument(
        "others", "[DIR ...]", N_("copies of it that further servers hand out: their results count too"), nargs=-1
    ),
    option(
        "--seats",
        type=whole(0, 5000),
        metavar="N",
        help=N_("how many computers are expected; kept in the pack (0: nobody knows)"),
    ),
    option("--html", metavar="FILE", help=N_("write them as a page, in both languages")),
    option("--csv", metavar="FILE", help=N_("write them as a table")),
    JSON,
)
def room(arguments: Arguments, terminal: Terminal) -> int:
    """Exit status 1 when a machine is red."""
    from wizard.classroom.results.room_page import room_csv, room_page
    from wizard.classroom.results.submit import expect_seats, read_room

    folder = Path(arguments.pack).expanduser().absolute()
    if arguments.seats is not None:
        expect_seats(folder, arguments.seats)
    found = read_room(folder, [Path(other).expanduser().absolute() for other in arguments.others])
    language = terminal.language or system_language()
    for target, text in ((arguments.html, room_page), (arguments.csv, room_csv)):
        if target:
            _save(Path(target).expanduser(), text(found, language), terminal)
    if arguments.json:
        terminal.document(_document(found, language))
    elif not (arguments.html or arguments.csv):
        _show(found, language, terminal)
    return ExitStatus.FAILED if found.red else ExitStatus.DONE


def _save(path: Path, text: str, terminal: Terminal) -> None:
    from wizard.classroom.pack.files import put_bytes

    try:
        put_bytes(path, text.encode())
    except OSError as error:
        raise WizardError(OUTPUT_FAILED, details=str(error)) from error
    terminal.say(message("share.saved", path=str(path)))


def _show(found: ClassResults, language: str, terminal: Terminal) -> None:
    from wizard.classroom.results.room import RED
    from wizard.classroom.results.room_page import sentences

    for row in found.rows:
        mark = "✗" if row.state == RED else "✓"
        terminal.line(f"{mark} {row.label or row.machine}  {row.cards}  {row.build}")
        for words in (sentences(row.why, language), sentences(row.fix, language) if row.state == RED else ""):
            if words:
                terminal.line(f"    {words}")
    for note in found.notes:
        terminal.say(note)
    terminal.say(found.head)


def _document(found: ClassResults, language: str) -> dict[str, object]:
    from wizard.classroom.results.room_page import sentences

    rows = [
        {**asdict(row), "why": sentences(row.why, language), "fix": sentences(row.fix, language)} for row in found.rows
    ]
    return {
        "schema": 1,
        "title": found.title,
        "profile_sha256": found.profile_sha256,
        "green": found.green,
        "red": found.red,
        "expected": found.expected,
        "missing": found.missing,
        "machines": rows,
        "unreadable": list(found.unreadable),
        "refused": [asdict(each) for each in found.refused],
    }
