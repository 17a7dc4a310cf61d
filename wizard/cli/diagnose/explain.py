"""`torch-wizard explain [FILE|-]`: cause and fix of a pasted error, or that it is none of the known ones.

Exit status: 0 a known error, 1 none of the known ones, 2 nothing to read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.command import Arguments, argument, command
from wizard.cli.help import N_
from wizard.cli.options import JSON
from wizard.cli.terminal import Terminal
from wizard.compatibility.model import Choices, Verdict
from wizard.diagnose.known_errors.pasted import EXPLAIN_EMPTY, read_pasted, read_stream
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import message
from wizard.run.report.text import heading, labelled
from wizard.system.facts import is_terminal

if TYPE_CHECKING:
    from wizard.app.use.explain import ExplainResult
    from wizard.compatibility.data.model import Matrix
    from wizard.diagnose.driver_guide import DriverGuide
    from wizard.run.model import Facts

_HEADS = ("cause", "fix", "with-card", "reasons", "facts", "also")


@command("explain", argument("file", "[FILE]", N_("a log or traceback (-: standard input)"), default="-"), JSON)
def explain(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use.explain import answer, answer_document

    given = answer(read(arguments.file, terminal), look)
    if arguments.json:
        terminal.document(answer_document(given, terminal.language))
    else:
        _say(given, terminal)
    return ExitStatus.DONE if given.found else ExitStatus.FAILED


def look() -> tuple[Facts, Verdict, Matrix]:
    from wizard.app.session import Session

    session = Session()
    facts = session.probe()
    return facts, session.propose(facts, Choices()), session.matrix


def read(name: str, terminal: Terminal) -> str:
    """The end of a long file. Raises UsageError `explain-unreadable`."""

    if name != "-":
        return read_pasted(Path(name))
    if sys.stdin is None:
        raise UsageError(EXPLAIN_EMPTY)
    if is_terminal(sys.stdin):
        terminal.say(message("explain.paste"))
    return read_stream(sys.stdin.buffer, "-")


def _say(given: ExplainResult, terminal: Terminal) -> None:
    """Print the answer on stdout: it is what was asked for, and may go into a file or a pipe."""
    for line in _lines(given, terminal):
        terminal.line(line)


def _lines(given: ExplainResult, terminal: Terminal) -> Iterator[str]:
    if not given.found:
        yield terminal.words(message("explain.by-tables" if given.reasons else "explain.unknown"))
        yield from (f"  {terminal.words(point)}" for point in given.reasons)
        yield terminal.words(message("explain.tables-hint" if given.reasons else "explain.unknown-hint"))
        return
    first, *others = given.found
    heads = {name: terminal.words(message(f"explain.{name}")) for name in _HEADS}
    yield f"> {first.line}\n"
    yield labelled(heads["cause"], terminal.words(first.cause), terminal.language)
    yield labelled(heads["fix"], terminal.words(first.fix), terminal.language)
    if first.with_card:
        yield labelled(heads["with-card"], terminal.words(first.with_card), terminal.language)
    for name, points in (("reasons", given.reasons), ("facts", given.facts)):
        if points:
            yield f"\n{heading(heads[name], terminal.language)}"
            yield from (f"  {terminal.words(point)}" for point in points)
    if given.guide:
        yield from _guide(given.guide, terminal)
    for other in others:
        words = f"{terminal.words(other.cause)} {terminal.words(other.fix)}"
        yield "\n" + labelled(heads["also"], words, terminal.language)
        if other.with_card:
            yield labelled(heads["with-card"], terminal.words(other.with_card), terminal.language)
    yield terminal.words(message("explain.source", source=first.error.source))


def _guide(guide: DriverGuide, terminal: Terminal) -> Iterator[str]:
    yield "\n" + heading(terminal.words(message("explain.guide.head")), terminal.language)
    for note in guide.notes:
        yield f"  {terminal.words(note)}"
    for name, lines in (("install", guide.install), ("hold", guide.hold), ("unhold", guide.unhold)):
        if lines:
            yield "  " + heading(terminal.words(message(f"explain.guide.{name}")), terminal.language)
            yield from (f"    {line}" for line in lines)
    yield f"  {guide.page}"
