"""`setup --host` and `resume --host`: the same worker and events on a computer far away, told here.

What is decided there is shown here and asked here, once; then exactly that plan is carried out. A lost line ends
nothing there: it is gone back to, here a few times by itself, later by `resume --host`.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from wizard.app.bring import bring
from wizard.app.host import ATTEMPTS, LINE_LOST, FarHost, as_said, host_named, is_run_id, report_there, said
from wizard.cli.command import Arguments
from wizard.cli.environment.tables import amount
from wizard.cli.reporter import ConsoleReporter, final_status
from wizard.cli.terminal import NEEDS_YES, Interrupt, Terminal, agrees, can_ask
from wizard.model.errors import Cancelled, ExitStatus, UsageError, WizardError, kept_message
from wizard.model.events import Event, EventKind, parse_line
from wizard.model.messages import message, system_language
from wizard.model.redact import redact
from wizard.process import Outcome, run

_HERE = ("host", "archive", "yes", "events", "dry_run")  # of this side
_NOT_THERE = ("profile", "project", "relax", "strict", "trust", "pack", "code", "label", "serve_after", "plan_only")


def setup_there(arguments: Arguments, params: Sequence[click.Parameter], terminal: Terminal) -> int:
    """Raises UsageError, WizardError `host-…`."""
    options = tuple(_options(arguments, params))
    interrupt = Interrupt()
    host = host_named(arguments.host, interrupt.is_asked)
    if not (arguments.yes or arguments.dry_run or can_ask()):
        raise UsageError(NEEDS_YES)
    archive = Path(arguments.archive).expanduser() if arguments.archive else None
    bring(host, archive, lambda size: terminal.say(_bringing(host, size)))
    there = _FarRun(host, arguments.events, terminal, interrupt)
    what = "--dry-run" if arguments.dry_run else "--plan-only"
    planned = there.say("setup", "--events", what, *options)
    interrupt.check()
    if planned.exit_code == LINE_LOST:
        raise WizardError(
            "host-line-lost",
            "The line to {host} was lost before anything was changed there: {said}",
            "Try again.",
            details=planned.tail(),
            host=host.address,
            said=said(planned),
        )
    if planned.timed_out or not (planned.exit_code or there.answer):
        raise there.not_understood(planned)
    if planned.exit_code or not there.run:
        return planned.exit_code or ExitStatus.DONE  # refused, or it is there already: it has said so
    if arguments.dry_run:
        return ExitStatus.DONE
    try:
        agreed = arguments.yes or agrees(message("cli.ask"), terminal, interrupt)
        interrupt.check()
    except Cancelled:
        there.say("runs", "--remove", there.run)
        raise
    if not agreed:
        there.say("runs", "--remove", there.run)
        return ExitStatus.CANCELLED
    return there.follow()


def resume_there(arguments: Arguments, terminal: Terminal) -> int:
    """Raises UsageError, WizardError `host-…`."""
    interrupt = Interrupt()
    host = host_named(arguments.host, interrupt.is_asked)
    bring(host, None)
    return _FarRun(host, arguments.events, terminal, interrupt, arguments.run or "").follow()


def _bringing(host: FarHost, size: int) -> Any:
    return message("host.bringing", "Bringing the program to {host} ({size}) …", host=host.address, size=amount(size))


def _options(arguments: Arguments, params: Sequence[click.Parameter]) -> Iterator[str]:
    """What was typed, for the other side. Raises UsageError `host-option`."""
    for each in params:
        name = each.name or ""
        value = getattr(arguments, name, None)
        if value in (None, "", False, (), []) or name in _HERE or value == each.default:
            continue
        if name in _NOT_THERE:
            raise UsageError(
                "host-option",
                "{option} does not go with --host: it speaks of files of this computer.",
                "Leave it out, or log in there and give it to torch-wizard there.",
                option=each.opts[0],
            )
        for one in value if isinstance(value, (list, tuple)) else (value,):
            yield each.opts[0]
            if one is not True:
                yield str(one)


class _FarRun:
    """What is said there. `run`: the run that it is about; `last`: the last event of it that was told; `answer`: what
    was said where no worker speaks. Whatever cannot be read is left out: that program may be another version, or a
    stranger's."""

    def __init__(
        self, host: FarHost, as_events: bool, terminal: Terminal, interrupt: Interrupt, run_id: str = ""
    ) -> None:
        self._host, self._as_events, self._terminal, self._interrupt = host, as_events, terminal, interrupt
        self._narrator = ConsoleReporter(terminal)
        self._follows = self._is_cancelling = False
        self.run, self.last, self.answer = run_id, Event(EventKind.LOG, 0, 0.0, ""), ""

    def say(self, *words: str) -> Outcome:
        language = self._terminal.language or system_language()
        return run(self._host.command("--lang", language, *words), self._hear, self._asked)

    def _asked(self) -> bool:
        """While a run goes on there it is asked to cancel, and followed to its end; before, what goes on is left."""
        if not self._interrupt.is_asked():
            return False
        if not self._follows:
            return True
        if not self._is_cancelling:
            self._terminal.say(message("cli.cancelling", "Cancelling…"))
            asked = run(self._host.command("runs", "--cancel", self.run))
            self._is_cancelling = asked.exit_code != LINE_LOST  # else it is asked when the line is there again
        return False

    def _hear(self, stream: str, line: str) -> None:
        if stream == "stderr":
            if line.strip():
                self._terminal.write(redact(line))
            return
        event = parse_line(line)
        if event is None:
            self._note(line)
        elif event.time > self.last.time or event.seq > self.last.seq:  # else it was told before the line was lost
            self.run, self.last = event.run if is_run_id(event.run) else self.run, event
            if self._as_events:
                self._terminal.line(line)
            elif event.kind is not EventKind.ATTEMPT_STARTING:
                with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError):
                    self._narrator.tell(replace(event, data=as_said(event.data)))

    def _note(self, line: str) -> None:
        """What is said where no worker speaks: planned, unchanged, refused."""
        try:
            told = json.loads(line)
            answer, run_id = told.get("event"), told.get("run")
        except (ValueError, AttributeError, RecursionError):
            return
        if answer == "planned" and isinstance(run_id, str) and is_run_id(run_id):
            self.run, self.answer = run_id, answer
        elif answer in ("unchanged", "refused"):
            self.answer = answer
        if self._as_events and isinstance(answer, str):
            self._terminal.line(line)

    def not_understood(self, outcome: Outcome) -> WizardError:
        return WizardError(
            "host-not-understood",
            "What {host} says is not what this program says there: {said}",
            "Bring the program there anew with --archive; the one on that computer may be an older one.",
            details=outcome.tail(),
            host=self._host.address,
            said=said(outcome),
        )

    def follow(self) -> int:
        """The run's exit status. Raises WizardError `host-line-gone`, `host-not-understood`."""
        self._follows = True
        for attempt in range(ATTEMPTS):
            outcome = self.say("resume", *((self.run,) if self.run else ()), "--events")
            if self.last.kind is EventKind.RUN_FINISHED:
                return self._result()
            if outcome.timed_out or outcome.exit_code in (0, None):
                raise self.not_understood(outcome)
            if outcome.exit_code != LINE_LOST:
                return int(outcome.exit_code or ExitStatus.FAILED)  # it has said why
            if attempt < ATTEMPTS - 1:
                self._terminal.say(
                    message("host.again", "The line to {host} was lost; going back there …", host=self._host.address)
                )
                time.sleep(2**attempt)
        raise WizardError(
            "host-line-gone",
            "The line to {host} was lost, and it cannot be reached any more: {said}",
            "What was begun there goes on. See it, or go on with it: torch-wizard resume --host {host} {run}",
            details=outcome.tail(),
            host=self._host.address,
            said=said(outcome),
            run=self.run,
        )

    def _result(self) -> int:
        from wizard.run.report.text import render_text

        try:
            status = final_status(self.last)
        except (LookupError, TypeError, ValueError):
            status = ExitStatus.FAILED
        if self._as_events:
            return status
        with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError):
            if report := report_there(self._host, self.run) if self.last.data.get("report") else None:
                self._terminal.write(redact(render_text(report, self._terminal.language)))
            elif error := as_said(self.last.data.get("error")):
                for part in ("summary", "hint"):
                    self._terminal.say(kept_message(error, part))
        if status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
            self._terminal.say(
                message(
                    "host.resume",
                    "Nothing is lost there: go on with  torch-wizard resume --host {host} {run}",
                    host=self._host.address,
                    run=self.run,
                )
            )
        return status
