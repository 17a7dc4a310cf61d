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
    session: Session, run_id: str, pid: int, start: int, as_events: bool, terminal: Terminal, interrupt: Interrupt,
    notices: Iterable[str] = (),
) -> ExitStatus:  # fmt: skip
    """From byte `start` of the events on. Our own end does not end the run; Ctrl+C asks it to cancel.

    `notices`: what was said before the start, and is not said again.
    """
    narrator = Narrator(terminal, notices)
    told = False
    last: Event | None = None

    def is_alive() -> bool:
        nonlocal told
        if interrupt.is_asked() and not told:
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
    if last is None or last.kind is not Kind.RUN_FINISHED:
        _tell_silence(session, run_id, terminal)
    elif not as_events and last.data.get("report"):
        terminal.write(render_text(_without_notices(session.report(run_id)), terminal.language))
    if not as_events:
        if status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
            terminal.say(message("cli.resume", run=run_id))
        else:
            _tell_how_to_go_on(session, run_id, terminal)
        terminal.say(message("cli.log", path=str(session.log_path(run_id))))
    return status


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
