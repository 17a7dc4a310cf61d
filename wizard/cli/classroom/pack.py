"""`torch-wizard pack`: build, check, update and serve the folder that a class installs from."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from wizard.app.use.network import load_network
from wizard.classroom.pack.build import BuildOptions, code_of
from wizard.classroom.pack.files import put_bytes
from wizard.classroom.pack.listing import Built, PackProblem
from wizard.classroom.pack.make import build_pack, check_pack, update_pack
from wizard.classroom.results.room import RED, ClassResults
from wizard.classroom.results.room_page import room_csv, room_page, sentences
from wizard.classroom.results.submit import expect_seats, read_room
from wizard.cli.environment.tables import amount
from wizard.cli.network import Consent, network_from
from wizard.cli.terminal import Interrupt, Terminal
from wizard.model.errors import Cancelled, ExitStatus, WizardError
from wizard.model.messages import Message, message, system_language
from wizard.transfer.download import FetchProgress
from wizard.transfer.download.fetcher import Options
from wizard.transfer.proxy.environment import present_environment


def room(arguments: argparse.Namespace, terminal: Terminal) -> int:
    """Exit status 1 when a machine is red."""
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
    try:
        put_bytes(path, text.encode())
    except OSError as error:
        raise WizardError("output-failed", details=str(error)) from error
    terminal.say(message("share.saved", path=str(path)))


def _show(found: ClassResults, language: str, terminal: Terminal) -> None:
    for row in found.rows:
        mark = "✗" if row.state == RED else "✓"
        terminal.line(f"{mark} {row.label or row.machine}  {row.cards}  {row.build}")
        for words in (sentences(row.why, language), sentences(row.fix, language) if row.state == RED else ""):
            if words:
                terminal.line(f"    {words}")
    if found.unreadable:
        terminal.say(message("share.room.unreadable", names=", ".join(found.unreadable[:20])))
    terminal.say(found.head)


def _document(found: ClassResults, language: str) -> dict[str, object]:
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
    }


_REDRAW_SECONDS = 0.3
_MOST_NAMED = 20
_NAP = 0.2


def pack(arguments: argparse.Namespace, terminal: Terminal) -> int:
    return _ACTIONS[arguments.action](arguments, terminal)


def _build(arguments: argparse.Namespace, terminal: Terminal) -> int:
    folder = Path(arguments.output).expanduser().absolute()
    progress, interrupt = Progress(terminal), Interrupt()
    built = build_pack(
        Path(arguments.profile).expanduser(),
        folder,
        _options(arguments),
        progress.fetched,
        interrupt.is_asked,
        Consent(arguments.trust, terminal, interrupt, for_pack=True),
    )
    progress.end()
    return _tell(built, folder, terminal)


def _update(arguments: argparse.Namespace, terminal: Terminal) -> int:
    folder = Path(arguments.pack).expanduser().absolute()
    profile = Path(arguments.profile).expanduser() if arguments.profile else None
    progress, interrupt = Progress(terminal), Interrupt()
    consent = Consent(arguments.trust, terminal, interrupt, for_pack=True)
    built = update_pack(folder, profile, _options(arguments), progress.fetched, interrupt.is_asked, consent)
    progress.end()
    return _tell(built, folder, terminal)


def _options(arguments: argparse.Namespace) -> BuildOptions:
    program = tuple(Path(name).expanduser() for name in arguments.program)
    environment = present_environment(network_from(arguments) or load_network())
    return BuildOptions(
        split=arguments.split,
        program=program,
        remove=getattr(arguments, "remove", False),
        fetch=Options(environment=environment),
    )


def _tell(built: Built, folder: Path, terminal: Terminal) -> int:
    terminal.say(
        message(
            "pack.done",
            path=str(folder),
            size=amount(built.listing.total_bytes),
            fetched=amount(built.bytes_fetched),
            copied=amount(built.bytes_copied),
            present=amount(built.bytes_present),
        )
    )
    for key, names in (("pack.split", built.split), ("pack.removed", built.removed), ("pack.kept", built.kept)):
        if names:
            terminal.say(message(key, count=len(names), names=_some(names)))
    terminal.say(message("pack.code", code=code_of(built.listing.profile_sha256)))
    return ExitStatus.DONE


def _check(arguments: argparse.Namespace, terminal: Terminal) -> int:
    folder = Path(arguments.pack).expanduser().absolute()
    progress, interrupt = Progress(terminal), Interrupt()
    checked = check_pack(folder, progress.read, interrupt.is_asked)
    progress.end()
    if arguments.json:
        problems = [asdict(problem) for problem in checked.problems]
        terminal.document({"schema": 1, "ok": not problems, "problems": problems, "others": list(checked.others)})
    else:
        show_problems(checked.problems, terminal)
        if checked.others:
            terminal.say(message("pack.others", count=len(checked.others), names=_some(checked.others)))
        if not checked.problems:
            terminal.say(message("pack.good", size=amount(checked.listing.total_bytes)))
    return ExitStatus.FAILED if checked.problems else ExitStatus.DONE


def show_problems(problems: tuple[PackProblem, ...], terminal: Terminal) -> None:
    for problem in problems:
        terminal.write("✗ " + terminal.words(Message(f"pack.problem.{problem.kind}", {"path": problem.path})))
    if problems:
        terminal.say(message("pack.mend"))


def _serve(arguments: argparse.Namespace, terminal: Terminal) -> int:
    from wizard.classroom.server.limits import Limits
    from wizard.classroom.server.server import ServeOptions
    from wizard.classroom.server.share import serve_pack

    progress, interrupt = Progress(terminal), Interrupt()
    limits = Limits(together=arguments.together, each=arguments.per_client)
    options = ServeOptions(arguments.host, arguments.port, limits)
    folder = Path(arguments.pack).expanduser().absolute()
    came: list[str] = []
    with serve_pack(
        folder,
        options,
        arguments.announce,
        lambda value: came.append(value.label or value.machine[:8]),
        progress.read,
        interrupt.is_asked,
    ) as serving:
        progress.end()
        show_problems(serving.problems, terminal)
        terminal.say(message("share.serving", addresses="  ".join(serving.addresses)))
        code = code_of(serving.listing.profile_sha256)
        # Who is not announced is not found by the code alone.
        by_address = f"--pack {serving.addresses[0]} " if serving.addresses and not arguments.announce else ""
        terminal.say(message("share.code", code=code, options=f"{by_address}--class {code}"))
        try:
            wait(interrupt, came, terminal)
        except Cancelled:
            counted = serving.server.counted
            terminal.say(
                message(
                    "share.served",
                    size=amount(counted.bytes_sent),
                    clients=len(counted.clients),
                    results=counted.results,
                    refused=counted.refused,
                )
            )
    return ExitStatus.DONE


def wait(interrupt: Interrupt, came: list[str], terminal: Terminal, until: float | None = None) -> None:
    """Until it is stopped, which raises Cancelled, or the time is over."""
    while until is None or time.monotonic() < until:
        interrupt.check()
        while came:
            terminal.say(message("share.came", label=came.pop(0)))
        time.sleep(_NAP)


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


class Progress:
    """One line that is drawn over itself, on a terminal only."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._is_tty = sys.stderr is not None and sys.stderr.isatty()
        self._drawn = 0.0
        self._read = 0

    def fetched(self, progress: FetchProgress) -> None:
        if self._is_due():
            total = "?" if progress.total is None else amount(progress.total)
            self._draw(message("pack.fetching", done=amount(progress.done), total=total, file=progress.file))

    def read(self, count: int) -> None:
        self._read += count
        if self._is_due():
            self._draw(message("pack.reading", done=amount(self._read)))

    def _is_due(self) -> bool:
        now = time.monotonic()
        if not self._is_tty or now - self._drawn < _REDRAW_SECONDS:
            return False
        self._drawn = now
        return True

    def _draw(self, words: Message) -> None:
        sys.stderr.write(f"\r\x1b[K{self._terminal.words(words)}")
        sys.stderr.flush()

    def end(self) -> None:
        if self._drawn:
            sys.stderr.write("\n")
            self._drawn = 0.0


_ACTIONS: Mapping[str, Callable[[argparse.Namespace, Terminal], int]] = {
    "build": _build,
    "check": _check,
    "update": _update,
    "serve": _serve,
}
