"""Reports a run, or what comes before it, on the terminal or as JSON lines; passes on a wish to cancel.

Follows a run by its events and tells a person about them, or passes the lines on.

One file: whatever carries out a run, its lines are told alike.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil

from wizard.app.pages.after_setup import afterwards, look_at_place, text_lines
from wizard.app.pages.event_tail import SILENT_AFTER, EventTail, newest_attempt
from wizard.app.pages.run import limit_words, resolving_words
from wizard.app.use.already_installed import made_by
from wizard.app.use.runs import Runs
from wizard.cli.command import Arguments
from wizard.cli.terminal import Interrupt, Terminal
from wizard.diagnose.repair.steps import read_repair
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.events import SCHEMA, Event, EventKind
from wizard.model.messages import LANGUAGES, Message, in_each, message, text, three_digits
from wizard.model.redact import redact, redact_all
from wizard.run.model import Preview
from wizard.run.plan.plan_file import read_plan
from wizard.run.report.text import render_text
from wizard.run.run_folder import RUN_BUSY
from wizard.system import paths
from wizard.transfer.download import FetchProgress

# What `setup --events` says where no worker speaks: nothing to do, what would be done, and why it was refused.
#
# One JSON line each, with the head of every event; a program that drives the command line reads no sentences.


@contextlib.contextmanager
def telling_refusal(arguments: Arguments, terminal: Terminal) -> Iterator[None]:
    """Write what refuses a setup as an event too, for whoever reads --events."""
    try:
        yield
    except WizardError as error:
        told = error.to_json(terminal.language)
        del told["details"], told["sentences"]  # of the log, of who says it in another language
        _say(arguments, terminal, "refused", status=int(error.exit_status), error=redact_all(told))
        raise


def tell_unchanged(arguments: Arguments, terminal: Terminal, prefix: Path) -> None:
    """`status`: how the setup that made it ended."""
    found = made_by(prefix)
    data: dict[str, Any] = {"prefix": str(prefix), "status": found.status if found else 0}
    if found:
        build = found.plan.candidate
        data |= {"torch": build.torch, "variant": build.variant, "python": found.plan.python}
    _say(arguments, terminal, "unchanged", found.folder.id if found else "", **data)


def tell_planned(arguments: Arguments, terminal: Terminal, preview: Preview) -> None:
    """Write the plan as an event: what is to be installed, where, and how many bytes."""
    plan = preview.plan
    build = plan.candidate
    _say(
        arguments,
        terminal,
        "planned",
        plan.id,
        prefix=plan.prefix,
        torch=build.torch,
        variant=build.variant,
        python=plan.python,
        engine=plan.engine,
        download_bytes=preview.lock.total_bytes,
        here_bytes=sum(file.size or 0 for file in preview.lock.files if file.filename in preview.here),
        packages=[f"{file.name}=={file.version}" for file in preview.lock.files],
        changes=[redact(terminal.words(change)) for change in preview.changes],
    )


def tell_progress(arguments: Arguments, terminal: Terminal, progress: FetchProgress) -> None:
    """Of files that come while it is chosen which are needed: as a run's own, of a step "resolve"."""
    _say(
        arguments,
        terminal,
        "progress",
        step="resolve",
        done=progress.done,
        total=progress.total,
        unit="bytes",
        rate=round(progress.rate),
        detail=progress.file,
        state=progress.state,
        files_done=progress.files_done,
        files_total=progress.files_total,
        limited_by=progress.limited_by,
    )


def _say(arguments: Arguments, terminal: Terminal, event: str, run: str = "", **data: Any) -> None:
    if arguments.events:
        head = {"schema": SCHEMA, "event": event, "seq": 1, "time": round(time.time(), 3), "run": run}
        terminal.document({**head, **data})


_SILENCE = "silence"  # no step is called so
_POLL = 0.05
_LOOK = 1.0  # seconds between two questions whether anybody is at it
_BITE = 200  # events between two waits


def read_events(path: Path, is_alive: Callable[[], bool], on_wait: Callable[[float], None]) -> Iterator[Event]:
    """Yield the newest attempt's events, until nobody carries the run out any more.

    `on_wait` hears many times a second for how many seconds nothing was said.
    """
    tail, looked, alive = EventTail(path, newest_attempt(path)), 0.0, True
    last: Event | None = None
    while True:
        is_over = last is not None and last.kind is EventKind.RUN_FINISHED
        if is_over or time.monotonic() - looked >= _LOOK:
            looked, alive = time.monotonic(), is_alive()  # before it is read: the last line comes before the end
        while True:
            events = tail.read(_BITE)
            yield from events
            last = events[-1] if events else last
            if tail.at_end:
                break
            on_wait(tail.silence)
        if not alive:
            return
        on_wait(tail.silence)
        time.sleep(_POLL)


class ConsoleReporter:
    """Turns events into lines of text, and on a terminal what goes on into bars below them."""

    def __init__(self, terminal: Terminal, told: Iterable[str] = ()) -> None:
        """`told`: notices that were on the screen already."""
        self._terminal = terminal
        self._told = set(told)
        self._titles: dict[str, Message] = {}  # of the steps that go on
        self._silence = 0  # seconds of it that were told last

    def tell(self, event: Event) -> None:
        """Show one event of a run: steps as lines, progress in place where it is a terminal."""
        self._silence = 0
        self._terminal.drop(_SILENCE)
        if event.kind is EventKind.STEP_STARTED:
            self._begin(event.data["step"], Message.from_json(event.data["message"]))
        elif event.kind is EventKind.STEP_FINISHED:
            self._end(event.data)
        elif event.kind is EventKind.NOTICE:
            self._notice(self._terminal.words(Message.from_json(event.data["message"])))
        elif event.kind is EventKind.PROGRESS:
            self._progress(event.data)
        elif event.kind is EventKind.RUN_FINISHED:
            self._terminal.drop()

    def tell_silence(self, seconds: float) -> None:
        """On a terminal as it grows; else once, and again each time it has doubled."""
        step = 1 if self._terminal.is_drawn_on else max(self._silence, SILENT_AFTER)
        if seconds < SILENT_AFTER or seconds < self._silence + step:
            return
        self._silence = int(seconds)
        words = message("flow.silent", seconds=self._silence)
        if self._terminal.is_drawn_on:
            self._terminal.draw(words, name=_SILENCE)
        else:
            self._terminal.write(f"  · {self._terminal.words(words)}")

    def _begin(self, step: str, title: Message) -> None:
        self._titles[step] = title
        if self._terminal.is_drawn_on:
            self._terminal.draw(title, name=step)
        else:
            self._terminal.write("  … " + self._terminal.words(title))

    def _end(self, data: Mapping[str, Any]) -> None:
        self._titles.pop(data["step"], None)
        self._terminal.drop(data["step"])
        if not data.get("message"):
            return
        # It was carried out; what it found, or left, is no tick, and the report that follows says it.
        done = "·" if data["step"] == "verify" or data["message"]["key"] == "step.parts.left" else "✓"
        mark = done if data["outcome"] == "done" else "✗"
        self._terminal.write(
            f"  {mark} {self._terminal.words(Message.from_json(data['message']))} ({data['seconds']} s)"
        )

    def _notice(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._terminal.write(f"  ! {words}")

    def _progress(self, data: Mapping[str, Any]) -> None:
        step, done, total = data["step"], data["done"], data.get("total")
        if step == "fetch" and data.get("unit") == "bytes":
            self._terminal.draw(_fetch_words(data, self._terminal), done, total, step)
        elif step in self._titles:
            self._terminal.draw(self._at(step, data.get("detail")), done, total, step)

    def _at(self, step: str, detail: Any) -> Message:
        """Return what a step is at: of many parts the one, whose title would name all."""
        is_one = step == "parts" and isinstance(detail, Mapping)
        return Message.from_json(detail) if is_one else self._titles[step]


def _fetch_words(data: Mapping[str, Any], terminal: Terminal) -> Message:
    total, rate = data.get("total") or 0, data.get("rate") or 0
    words = message(
        "cli.progress",
        "{done} of {total} MB, {rate} MB/s",
        done=round(data["done"] / 1e6),
        total=round(total / 1e6),
        rate=three_digits(rate / 1e6),
    )
    limit = limit_words(data.get("limited_by"), rate)
    return in_each(**{each: f"{text(words, each)} · {text(limit, each)}" for each in LANGUAGES}) if limit else words


def final_status(event: Event | None) -> ExitStatus:
    if event is None or event.kind is not EventKind.RUN_FINISHED:
        return ExitStatus.FAILED
    return ExitStatus(int(event.data["status"]))


_EVENT_SECONDS = 0.5


class ResolvingTold:
    """On a terminal a bar; else one line for each file; with `--events` events as of a run."""

    def __init__(self, arguments: Arguments, terminal: Terminal) -> None:
        self._arguments, self._terminal = arguments, terminal
        self._told: set[str] = set()
        self._at = 0.0

    def hear(self, progress: FetchProgress) -> None:
        """Say which file comes whole because its source sends no parts, each once."""
        # Small ones may be whole between two looks.
        new = [name for name in dict.fromkeys((*progress.whole, progress.file)) if name and name not in self._told]
        self._told.update(new)
        if progress.file and self._terminal.is_drawn_on:
            self._terminal.draw(resolving_words(progress), progress.done, progress.total)
        else:
            for name in new:
                self._terminal.write(
                    "  … "
                    + self._terminal.words(
                        message(
                            "flow.resolving.begin",
                            "Its source sends no parts of files, so this one comes whole now, and is kept: {file}",
                            file=name,
                        )
                    )
                )
        if new or time.monotonic() - self._at >= _EVENT_SECONDS or progress.files_done == progress.files_total:
            self._at = time.monotonic()
            tell_progress(self._arguments, self._terminal, progress)

    def end(self) -> None:
        self._terminal.drop()


_LAST_MOMENT = 5.0


def follow_run(
    session: Runs,
    run_id: str,
    pid: int | None,
    as_events: bool,
    terminal: Terminal,
    interrupt: Interrupt,
    notices: Iterable[str] = (),
) -> ExitStatus:
    """Tells of the newest attempt, whoever started it. Our own end does not end it; Ctrl+C asks it to cancel.

    `pid`: of the worker, where it is ours. `notices`: what was said before the start, and is not said again.
    """
    narrator = ConsoleReporter(terminal, notices)
    told = False
    last: Event | None = None

    def on_wait(silence: float) -> None:
        nonlocal told
        if interrupt.is_asked() and not told:
            told = True
            terminal.say(message("cli.cancelling", "Cancelling…"))
            session.request_cancel(run_id)
        if not as_events:
            narrator.tell_silence(silence)

    for event in read_events(session.events_path(run_id), lambda: session.is_running(run_id), on_wait):
        if event.kind is EventKind.ATTEMPT_STARTING:
            continue
        last = event
        if as_events:
            terminal.line(event.to_line())
        else:
            narrator.tell(event)
    terminal.drop()
    if pid is not None:
        _wait_for_end(pid)
    return _told_end(session, run_id, last, as_events, terminal)


def _told_end(session: Runs, run_id: str, last: Event | None, as_events: bool, terminal: Terminal) -> ExitStatus:
    is_late = False
    if last is None or last.kind is not EventKind.RUN_FINISHED:
        is_late = _tell_silence(session, run_id, terminal) and last is None
    status = final_status(last)
    if is_late:  # nothing of it has begun, so nothing is left to go on with
        session.discard(run_id)
    elif not as_events:
        has_report = last is not None and bool(last.data.get("report"))
        tell_result(session, run_id, status, has_report, terminal)
    return status


def tell_result(session: Runs, run_id: str, status: ExitStatus, has_report: bool, terminal: Terminal) -> None:
    """How an attempt has ended, and how to go on."""
    if has_report:
        terminal.write(render_text(_without_notices(session.report(run_id)), terminal.language))
    if status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
        terminal.say(
            message(
                "cli.resume",
                "Nothing is lost: go on with  torch-wizard resume {run}   or take it back with  "
                "torch-wizard runs --remove {run}",
                run=run_id,
            )
        )
    else:
        _tell_how_to_go_on(session, run_id, terminal)
    terminal.say(message("cli.log", "Log: {path}", path=str(session.log_path(run_id))))


def _without_notices(report: dict[str, Any]) -> dict[str, Any]:
    """Before the start or at it they were all said; the saved report keeps them."""
    plan = report.get("plan")
    return {**report, "plan": {**plan, "notices": []}} if plan else report


def _tell_how_to_go_on(session: Runs, run_id: str, terminal: Terminal) -> None:
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


def _tell_silence(session: Runs, run_id: str, terminal: Terminal) -> bool:
    """The worker ended without its last event: killed, or refused before it could tell. Its own words are the best.
    Tell whether another one was quicker at that place."""
    own = _own_words(session.worker_output_path(run_id))
    if own:
        terminal.write(own)
        busy = WizardError(RUN_BUSY, path=read_plan(session.plan_path(run_id)).prefix)
        return terminal.words(busy.summary) in own
    terminal.error(
        WizardError(
            "worker-died",
            "The installing part of the program ended without a word.",
            "Press Resume[|, or run torch-wizard resume {run}]; the log may say more.",
            run=run_id,
        )
    )
    return False


def _own_words(path: Path) -> str:
    """The last sentence pair (`✗ cause`, `  what to do`) of the worker's output."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    starts = [number for number, line in enumerate(lines) if line.startswith("✗ ")]
    return "\n".join(lines[starts[-1] : starts[-1] + 2]) if starts else ""
