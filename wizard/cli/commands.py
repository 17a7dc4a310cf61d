"""The commands: each one asks the session and renders what it answers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from wizard.app.session import Session
from wizard.app.use.environments import finish_deletions_in_background
from wizard.app.use.tables import facts_document
from wizard.app.worker import run_worker
from wizard.cli import matrices, mirrors, undo
from wizard.cli.classroom import pack, profile
from wizard.cli.doctor import doctor, save
from wizard.cli.environment import commands, store
from wizard.cli.explain import explain
from wizard.cli.pick import pick
from wizard.cli.reporter import ConsoleReporter, follow_run, tell_result
from wizard.cli.setup import setup
from wizard.cli.tables import width
from wizard.cli.terminal import Interrupt, Terminal
from wizard.environment.naming import absolute_prefix
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.model.events import parse_line
from wizard.model.messages import message
from wizard.run import control
from wizard.run.model import RunInfo
from wizard.run.report.text import render_text
from wizard.run.run_folder import find_run_folder

Command = Callable[[argparse.Namespace, Terminal], int]


def run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    """The worker itself. `--started` is set by who starts it for somebody else and follows its events."""
    if not arguments.started:
        finish_deletions_in_background()
    folder = find_run_folder(arguments.plan)
    if not arguments.started:
        control.clear(folder)  # what was asked of an earlier attempt; a starter does this before it starts us
    return run_worker(folder, _echo(arguments, terminal), arguments.started)


def _echo(arguments: argparse.Namespace, terminal: Terminal) -> Callable[[str], None] | None:
    if arguments.events:
        return terminal.line
    if arguments.started:
        return None
    narrator = ConsoleReporter(terminal)

    def tell(line: str) -> None:
        event = parse_line(line)
        if event:
            narrator.tell(event)

    return tell


def resume(arguments: argparse.Namespace, terminal: Terminal) -> int:
    finish_deletions_in_background()
    session, interrupt = Session(), Interrupt()
    info = session.run(arguments.run) if arguments.run else _newest(session.runs())
    pid: int | None = None
    try:
        pid = session.resume(info.id) if info.state in ("unfinished", "planned") else None
    except WizardError as error:
        if error.code not in ("run-busy", "nothing-to-resume"):  # else somebody was quicker
            raise
        info = session.run(info.id)
    if info.state == "finished" and not arguments.events:
        status = ExitStatus(info.exit_status or 0)
        terminal.say(message("cli.ended", run=info.id))
        tell_result(session, info.id, status, find_run_folder(info.id).report.is_file(), terminal)
        return status
    if info.state == "running":
        terminal.say(message("cli.attached", run=info.id))
    return follow_run(session, info.id, pid, arguments.events, terminal, interrupt)


def _newest(runs: Sequence[RunInfo]) -> RunInfo:
    """What goes on, else what was left unfinished, else what has ended. Raises UsageError `nothing-unfinished`."""
    for state in ("running", "unfinished", "finished"):
        for info in runs:
            if info.state == state:
                return info
    raise UsageError("nothing-unfinished")


def probe(arguments: argparse.Namespace, terminal: Terminal) -> int:
    facts = Session().probe()
    if arguments.json:
        terminal.document(facts_document(facts))
        return ExitStatus.DONE
    for row in facts.requirements:
        why = f"\n      {terminal.words(row.why)}" if row.why else ""
        terminal.line(f"  {_MARKS[row.state]} {terminal.words(row.fact)}{why}")
    return ExitStatus.DONE


_MARKS = {"ok": "✓", "note": "·", "warning": "!", "problem": "✗"}


def verify(arguments: argparse.Namespace, terminal: Terminal) -> int:
    document, status = Session().verify(absolute_prefix(arguments.prefix), deep=arguments.deep)
    if arguments.json:
        terminal.document(document)
    else:
        terminal.write(render_text(document, terminal.language))
    if arguments.save:
        save(Path(arguments.save).expanduser(), document, terminal)
    return status


def runs(arguments: argparse.Namespace, terminal: Terminal) -> int:
    finish_deletions_in_background()
    session = Session()
    if arguments.remove:
        session.discard(arguments.remove, finished_too=True)
        return ExitStatus.DONE
    known = session.runs()
    if not known and not arguments.json:
        terminal.say(message("cli.runs.none"))
    for info in known:
        if arguments.json:
            terminal.document({"schema": 1, **asdict(info)})
        else:
            state = terminal.words(message(f"cli.run.{info.state}"))
            state += " " * (10 - width(state))
            terminal.line(f"{info.id}  {state}  {info.torch}+{info.variant}  {info.prefix}")
    return ExitStatus.DONE


COMMANDS: Mapping[str, Command] = {
    "probe": probe,
    "pick": pick,
    "setup": setup,
    "run": run,
    "resume": resume,
    "verify": verify,
    "runs": runs,
    "matrices": matrices.matrices,
    "doctor": doctor,
    "explain": explain,
    "envs": commands.envs,
    "mirrors": mirrors.mirrors,
    "profile": profile.profile,
    "undo": undo.undo,
    "pack": pack.pack,
    "room": pack.room,
    "store": store.store,
}
