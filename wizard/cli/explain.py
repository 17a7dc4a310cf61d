"""`torch-wizard explain [FILE|-]`: cause and fix of a pasted error, or that it is none of the known ones.

Exit status: 0 a known error, 1 none of the known ones, 2 nothing to read.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus, UsageError
from wizard.explain.driver_guide import DriverGuide
from wizard.i18n import message
from wizard.matrix.model import Matrix
from wizard.plan.model import Choices, Verdict
from wizard.session.explain import Answer, answer, answer_document
from wizard.session.model import Facts
from wizard.session.session import Session

_MOST_BYTES = 20_000_000
_STRAY_BYTES = 3  # a log may hold a few odd bytes and still be UTF-8


def explain(arguments: argparse.Namespace, terminal: Terminal) -> int:
    given = answer(read(arguments.file, terminal), look)
    if arguments.json:
        terminal.document(answer_document(given, terminal.language))
    else:
        _say(given, terminal)
    return ExitStatus.DONE if given.found else ExitStatus.FAILED


def look() -> tuple[Facts, Verdict, Matrix]:
    session = Session()
    facts = session.probe()
    return facts, session.propose(facts, Choices()), session.matrix


def read(name: str, terminal: Terminal) -> str:
    """The end of a long file. Raises UsageError `explain-unreadable`."""
    if name == "-":
        if sys.stdin is None:
            raise UsageError("explain-empty")
        if sys.stdin.isatty():
            terminal.say(message("explain.paste"))
        return decode(sys.stdin.buffer.read())
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise UsageError("explain-unreadable", details=str(error), path=name) from error
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError("explain-unreadable", path=name)
    return decode(data)


def decode(data: bytes) -> str:
    """UTF-8, what PowerShell's `>` writes (UTF-16), or an old Chinese Windows' GBK; never fails."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    plain = data[-_MOST_BYTES:].decode("utf-8-sig", errors="replace")
    if plain.count("\ufffd") > _STRAY_BYTES:
        with contextlib.suppress(UnicodeDecodeError):
            return data[-_MOST_BYTES:].decode("gb18030")
    return plain


def _say(given: Answer, terminal: Terminal) -> None:
    if not given.found:
        terminal.say(message("explain.unknown"))
        terminal.say(message("explain.unknown-hint"))
        return
    first, *others = given.found
    heads = {name: terminal.words(message(f"explain.{name}")) for name in ("cause", "fix", "facts", "also")}
    terminal.write(f"> {first.line}\n")
    terminal.write(f"{heads['cause']}: {terminal.words(first.cause)}")
    terminal.write(f"{heads['fix']}: {terminal.words(first.fix)}")
    if given.facts:
        terminal.write(f"\n{heads['facts']}:")
        for fact in given.facts:
            terminal.write(f"  {terminal.words(fact)}")
    if given.guide:
        say_guide(given.guide, terminal)
    for other in others:
        terminal.write(f"\n{heads['also']}: {terminal.words(other.cause)} {terminal.words(other.fix)}")
    terminal.say(message("explain.source", source=first.error.source))


def say_guide(guide: DriverGuide, terminal: Terminal) -> None:
    terminal.write(f"\n{terminal.words(message('explain.guide.head'))}:")
    for note in guide.notes:
        terminal.write(f"  {terminal.words(note)}")
    for name, lines in (("install", guide.install), ("hold", guide.hold), ("unhold", guide.unhold)):
        if lines:
            terminal.write(f"  {terminal.words(message(f'explain.guide.{name}'))}:")
            for line in lines:
                terminal.write(f"    {line}")
    terminal.write(f"  {guide.page}")
