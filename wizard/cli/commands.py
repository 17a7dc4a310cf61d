"""The commands: each one asks the session and renders what it answers."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import FrameType

import psutil

from wizard.cli import matrices
from wizard.cli.arguments import choices_from
from wizard.cli.follow import Narrator, final_status, follow
from wizard.cli.pick import pick
from wizard.cli.terminal import Terminal
from wizard.errors import ExitStatus, UsageError, WizardError
from wizard.i18n import message
from wizard.report.render import render_text
from wizard.session.facts import facts_document
from wizard.session.model import Preview
from wizard.session.session import Session

_LAST_MOMENT = 5.0
Command = Callable[[argparse.Namespace, Terminal], int]


OpenWindow = Callable[[Session, str | None, bool], int]


def window(arguments: argparse.Namespace, terminal: Terminal, open_window: OpenWindow) -> int:
    self_test = getattr(arguments, "self_test", False)
    if not has_display() and not self_test:
        terminal.say(message("cli.no_display"))
        terminal.write("  torch-wizard setup --yes --name torch")
        return ExitStatus.FAILED
    return open_window(Session(), getattr(arguments, "file", None), self_test)


def has_display(environ: Mapping[str, str] = os.environ) -> bool:
    if sys.platform == "win32":
        return True
    offscreen = environ.get("QT_QPA_PLATFORM", "") in ("offscreen", "vnc", "minimal")
    return offscreen or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def setup(arguments: argparse.Namespace, terminal: Terminal) -> int:
    session = Session()
    choices = choices_from(arguments)
    _Cancellation.listen()
    session.check_choices(choices)
    if not (arguments.yes or arguments.dry_run or arguments.plan_only or _can_ask()):
        raise UsageError("needs-yes")
    terminal.say(message("cli.probing"))
    facts = session.probe(is_cancelled=_Cancellation.is_asked)
    for row in facts.requirements:
        if row.blocks:
            raise WizardError("requirement", fact=terminal.words(row.fact))
    terminal.say(message("cli.electing"))
    election = session.elect(facts, choices, terminal.say, _Cancellation.is_asked)
    preview = session.preview(facts, choices, election, _Cancellation.is_asked)
    _show(preview, terminal)
    if arguments.dry_run:
        session.discard(preview.plan.id)
        return ExitStatus.DONE
    if arguments.plan_only:
        terminal.document({"schema": 1, "run": preview.plan.id, "plan": str(session.plan_path(preview.plan.id))})
        return ExitStatus.DONE
    if not arguments.yes and not _agreed(terminal):
        session.discard(preview.plan.id)
        return ExitStatus.CANCELLED
    pid = session.start(preview.plan.id)
    return _follow(session, preview.plan.id, pid, 0, arguments.events, terminal)


def _show(preview: Preview, terminal: Terminal) -> None:
    plan = preview.plan
    terminal.say(plan.engine_reason)
    for change in preview.changes:
        terminal.say(change)
    for command in preview.commands:
        terminal.write("    " + command)


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _agreed(terminal: Terminal) -> bool:
    terminal.say(message("cli.ask"))
    return sys.stdin.readline().strip().lower() in ("y", "yes", "j", "是", "好")


class _Cancellation:
    """Ctrl+C asks politely once; the run then ends by itself."""

    asked = False

    @classmethod
    def listen(cls) -> None:
        def stop(number: int, frame: FrameType | None) -> None:
            cls.asked = True

        cls.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)

    @classmethod
    def is_asked(cls) -> bool:
        return cls.asked


def _follow(session: Session, run_id: str, pid: int, start: int, as_events: bool, terminal: Terminal) -> int:
    """Tells about the worker until it ends. Ctrl+C asks it to cancel; our own end does not end it."""
    _Cancellation.listen()
    narrator = Narrator(terminal)
    told = False
    last = None

    def is_alive() -> bool:
        nonlocal told
        if _Cancellation.asked and not told:
            told = True
            terminal.say(message("cli.cancelling"))
            session.request_cancel(run_id)
        return psutil.pid_exists(pid) or session.is_running(run_id)

    for line, event in follow(session.events_path(run_id), start, is_alive):
        last = event
        if as_events:
            terminal.line(line)
        else:
            narrator.tell(event)
    _wait_for_end(pid)
    status = final_status(last)
    if not as_events:
        _tell_end(session, run_id, status, last.data if last else {}, terminal)
    return status


def _wait_for_end(pid: int) -> None:
    """The last event is out a moment before the worker is gone; who asks afterwards shall find nothing."""
    try:
        psutil.Process(pid).wait(_LAST_MOMENT)
    except psutil.Error:
        return


def _tell_end(
    session: Session, run_id: str, status: ExitStatus, data: Mapping[str, object], terminal: Terminal
) -> None:
    if data.get("report"):
        terminal.write(render_text(session.report(run_id), terminal.language))
    if status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
        terminal.say(message("cli.resume", run=run_id))
    terminal.say(message("cli.log", path=str(session.log_path(run_id))))


def run(arguments: argparse.Namespace, terminal: Terminal) -> int:
    """The worker itself."""
    from wizard.session.worker import run_worker
    from wizard.steps.run_folder import find_run_folder

    return run_worker(find_run_folder(arguments.plan), terminal.line if arguments.events else None)


def resume(arguments: argparse.Namespace, terminal: Terminal) -> int:
    session = Session()
    run_id = arguments.run or next((info.id for info in session.runs() if info.state == "unfinished"), None)
    if run_id is None:
        raise UsageError("nothing-unfinished")
    events = session.events_path(run_id)
    start = events.stat().st_size if events.is_file() else 0
    pid = session.resume(run_id)
    return _follow(session, events.parent.name, pid, start, arguments.events, terminal)


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
    document, status = Session().verify(Path(arguments.prefix))
    if arguments.json:
        terminal.document(document)
    else:
        terminal.write(render_text(document, terminal.language))
    return status


def runs(arguments: argparse.Namespace, terminal: Terminal) -> int:
    session = Session()
    if arguments.remove:
        session.discard(arguments.remove)
        return ExitStatus.DONE
    for info in session.runs():
        if arguments.json:
            terminal.document({"schema": 1, **asdict(info)})
        else:
            terminal.line(f"{info.id}  {info.state:10}  {info.torch}+{info.variant}  {info.prefix}")
    return ExitStatus.DONE


COMMANDS: Mapping[str, Command] = {
    "probe": probe, "pick": pick, "setup": setup, "run": run, "resume": resume,
    "verify": verify, "runs": runs, "matrices": matrices.matrices,
}  # fmt: skip
