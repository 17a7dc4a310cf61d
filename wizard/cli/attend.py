"""Attends a run from its start to its end: tells about the worker, passes on a wish to cancel, gives the result."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil

from wizard import paths
from wizard.cli.follow import Narrator, final_status, follow
from wizard.cli.interrupt import Interrupt
from wizard.cli.terminal import Terminal
from wizard.doctor.repair import read_repair
from wizard.errors import ExitStatus, WizardError
from wizard.events import Event, Kind
from wizard.flow.afterwards import afterwards, look_at_place, text_lines
from wizard.i18n import message
from wizard.plan.serialize import read_plan
from wizard.report.render import render_text
from wizard.session.session import Session

_LAST_MOMENT = 5.0


def attend(
    session: Session, run_id: str, pid: int | None, as_events: bool, terminal: Terminal, interrupt: Interrupt,
    notices: Iterable[str] = (),
) -> ExitStatus:  # fmt: skip
    """Tells of the newest attempt, whoever started it. Our own end does not end it; Ctrl+C asks it to cancel.

    `pid`: of the worker, where it is ours. `notices`: what was said before the start, and is not said again.
    """
    narrator = Narrator(terminal, notices)
    told = False
    last: Event | None = None

    def on_wait(silence: float) -> None:
        nonlocal told
        if interrupt.is_asked() and not told:
            told = True
            terminal.say(message("cli.cancelling"))
            session.request_cancel(run_id)
        if not as_events:
            narrator.tell_silence(silence)

    for event in follow(session.events_path(run_id), lambda: session.is_running(run_id), on_wait):
        if event.kind is Kind.ATTEMPT_STARTING:
            continue
        last = event
        if as_events:
            terminal.line(event.to_line())
        else:
            narrator.tell(event)
    if pid is not None:
        _wait_for_end(pid)
    if last is None or last.kind is not Kind.RUN_FINISHED:
        _tell_silence(session, run_id, terminal)
    status = final_status(last)
    if not as_events:
        has_report = last is not None and bool(last.data.get("report"))
        tell_result(session, run_id, status, has_report, terminal)
    return status


def tell_result(session: Session, run_id: str, status: ExitStatus, has_report: bool, terminal: Terminal) -> None:
    """How an attempt has ended, and how to go on."""
    if has_report:
        terminal.write(render_text(_without_notices(session.report(run_id)), terminal.language))
    if status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
        terminal.say(message("cli.resume", run=run_id))
    else:
        _tell_how_to_go_on(session, run_id, terminal)
    terminal.say(message("cli.log", path=str(session.log_path(run_id))))


def _without_notices(report: dict[str, Any]) -> dict[str, Any]:
    """Before the start or at it they were all said; the saved report keeps them."""
    plan = report.get("plan")
    return {**report, "plan": {**plan, "notices": []}} if plan else report


def _tell_how_to_go_on(session: Session, run_id: str, terminal: Terminal) -> None:
    """Not after a repair: that environment has been in use."""
    folder = session.plan_path(run_id).parent
    if read_repair(folder) is None:
        plan = read_plan(folder / "plan.json")
        place = look_at_place(Path(plan.prefix), paths.os_name(), plan.candidate.variant != "cpu")
        for line in text_lines(afterwards(place), terminal.language, all_shells=False):
            terminal.write(line)


def _wait_for_end(pid: int) -> None:
    """The last event is out a moment before the worker is gone; who asks afterwards shall find nothing."""
    try:
        psutil.Process(pid).wait(_LAST_MOMENT)
    except psutil.Error:
        return


def _tell_silence(session: Session, run_id: str, terminal: Terminal) -> None:
    """The worker ended without its last event: killed, or refused before it could tell. Its own words are the best."""
    own = _own_words(session.worker_output_path(run_id))
    if own:
        terminal.write(own)
    else:
        terminal.error(WizardError("worker-died", run=run_id))


def _own_words(path: Path) -> str:
    """The last sentence pair (`✗ cause`, `  what to do`) of the worker's output."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    starts = [number for number, line in enumerate(lines) if line.startswith("✗ ")]
    return "\n".join(lines[starts[-1] : starts[-1] + 2]) if starts else ""
