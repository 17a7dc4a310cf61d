"""A computer far away, by the system's own ssh: the program is brought there as its archive, and commands run there.

Keys, agents, jumps and known computers are ssh's: it is started so that it asks for nothing, and a computer that it
does not know is not believed. There, only `program/` in this program's own folder is written, checked by SHA-256 and
resumed where a line was lost; a shell, tar, xz and sha256sum are all that is wanted of it. A run there is planned and
followed by its events, as the worker writes them everywhere.
"""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wizard.model.errors import Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.events import Event, EventKind, parse_line
from wizard.model.messages import Message, in_each, message
from wizard.model.redact import redact
from wizard.process import Outcome, Request, run
from wizard.system import paths

LINE_LOST = 255  # ssh's own word: whatever the other side said ends with another status
ATTEMPTS = 5
_ADDRESS = re.compile(
    r"(?P<address>ssh://)?(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?"
    r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|(?P<bare>[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f.]{0,15}){2,7}(?:%\w{1,15})?)"
    r"|(?P<framed>\[[0-9A-Fa-f:.]{2,45}\]))(?P<port>:\d{1,5})?",
    re.ASCII,
)
_OPTIONS = (
    *("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ClearAllForwardings=yes"),
    *("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"),  # a dead line is seen after a minute
)
PLACE = 'h="${TORCH_WIZARD_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/torch-setup}"; d="$h/program"; '
MARK = "torch-setup:\n"  # what the account's own start files print comes before it
_RUN = PLACE + (
    'if [ -x "$d/current/torch-wizard" ]; then exec "$d/current/torch-wizard" "$@"; fi; exec torch-wizard "$@"'
)
_REPORT = PLACE + 'echo torch-setup:; cat "$h/runs/$1/report.json"'
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_MOST_SAID = 64 << 20  # bytes: a day of a run's events
_MOST_ANSWERED = 4 << 20


@dataclass(frozen=True, slots=True)
class FarHost:
    """`address`: as ssh takes it, and nothing that could be an option or a command."""

    address: str
    ssh: str
    is_cancelled: Callable[[], bool] = lambda: False

    def request(self, script: str, *words: str, stdin_file: Path | None = None, stdin_from: int = 0) -> Request:
        """`words`: the script's `$1`, `$2` …"""
        there = shlex.join(("exec", "sh", "-c", script, "torch-setup", *words))
        argv = (self.ssh, *_OPTIONS, "--", self.address, there)
        return Request(argv, stdin_file=stdin_file, stdin_from=stdin_from, most_bytes=_MOST_SAID)

    def ask(self, script: str, *words: str, stdin_file: Path | None = None, stdin_from: int = 0) -> Outcome:
        """Wait for its end. Raises Cancelled; the ssh of this side has ended then."""
        request = self.request(script, *words, stdin_file=stdin_file, stdin_from=stdin_from)
        outcome = run(replace(request, most_bytes=_MOST_ANSWERED), is_cancelled=self.is_cancelled)
        if self.is_cancelled():
            raise Cancelled
        return outcome

    def command(self, *words: str) -> Request:
        """The program there: what was brought last, else the one on its PATH."""
        return self.request(_RUN, *words)


def host_named(text: str, is_cancelled: Callable[[], bool] = lambda: False) -> FarHost:
    """Raises UsageError `host-bad`, `host-no-ssh`."""
    found = _ADDRESS.fullmatch(text)
    if not found or found["bare" if found["address"] else "framed"] or (found["port"] and not found["address"]):
        raise UsageError(
            "host-bad",
            "“{host}” is no computer that ssh could go to.",
            "Write user@box, a name of your ssh settings, or ssh://box:2222.",
            host=text,
        )
    ssh = paths.find_program("ssh")
    if ssh is None:
        raise UsageError(
            "host-no-ssh", "There is no ssh on this computer.", "Install OpenSSH's client, then try again."
        )
    return FarHost(text, ssh, is_cancelled)


def said(outcome: Outcome) -> str:
    """The last words of the other side."""
    lines = (outcome.stderr or outcome.start_error).strip().splitlines()
    return lines[-1].strip()[:500] if lines else f"exit {outcome.exit_code}"


def is_run_id(text: str) -> bool:
    """It is shown as a command to type, so nothing that a shell would take for more than a word."""
    return bool(_RUN_ID.fullmatch(text))


def report_there(host: FarHost, run_id: str) -> dict[str, Any]:
    """The report, its sentences as they were said there; empty where there is none that can be read."""
    outcome = run(host.request(_REPORT, run_id))
    try:
        report = as_said(json.loads(outcome.stdout.partition(MARK)[2])) if outcome.ok else {}
    except (ValueError, RecursionError):
        return {}
    return report if isinstance(report, dict) else {}


def as_said(value: Any) -> Any:
    """Take sentences as they were said there, in the language that was asked for: a stranger's templates are not
    filled here."""
    if isinstance(value, list):
        return [as_said(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "key" in value and value.keys() & {"text", "sentence"}:
        return in_each(en=str(value.get("text") or value["key"])).to_json("en")
    return {name: as_said(each) for name, each in value.items() if name != "sentences"}


def discard(host: FarHost, run_id: str) -> None:
    """Take a plan away that is not wanted."""
    run(host.command("runs", "--remove", run_id))


@dataclass(frozen=True, slots=True)
class FarListener:
    """Who hears a run there. `event`, `answer`: with the line as it came, an answer where no worker speaks; `words`:
    what is said there to people; `say`: what this side says of the line. `is_asked`: to cancel there; `is_left`: to
    let it go on alone."""

    event: Callable[[Event, str], None]
    answer: Callable[[str], None]
    words: Callable[[str], None]
    say: Callable[[Message], None]
    is_asked: Callable[[], bool]
    is_left: Callable[[], bool] = lambda: False


class FarRun:
    """`run`: the run that it is about; `last`: the last event of it that was told; `planned`: what was said where no
    worker speaks. Whatever cannot be read is left out: that program may be another version, or a stranger's."""

    def __init__(self, host: FarHost, language: str, listener: FarListener, run_id: str = "") -> None:
        self._host, self._language, self._listener = host, language, listener
        self._follows = self._is_cancelling = False
        self.run, self.last, self.planned = run_id, Event(EventKind.LOG, 0, 0.0, ""), ""

    def plan(self, *options: str) -> int:
        """Ask for a plan there. The status it ended with: 0 without a `run` says that it is there already, another
        one that it was refused, with its reason told. Raises Cancelled, WizardError `host-…`."""
        ended = self._say("setup", "--events", *options)
        if self._listener.is_asked():
            raise Cancelled
        if ended.exit_code == LINE_LOST:
            raise WizardError(
                "host-line-lost",
                "The line to {host} was lost before anything was changed there: {said}",
                "Try again.",
                details=ended.tail(),
                host=self._host.address,
                said=said(ended),
            )
        if ended.timed_out or not (ended.exit_code or self.planned):
            raise self._not_understood(ended)
        return int(ended.exit_code or 0)

    def discard(self) -> None:
        discard(self._host, self.run)

    def follow(self) -> int | None:
        """Carry it out, or go on with it, to its end. None: `last` is the run's end; else the status of a refusal,
        with its reason told. Raises Cancelled when it is left, WizardError `host-line-gone`, `host-not-understood`."""
        self._follows = True
        for attempt in range(ATTEMPTS):
            outcome = self._say("resume", *((self.run,) if self.run else ()), "--events")
            if self.last.kind is EventKind.RUN_FINISHED:
                return None
            if self._listener.is_left():
                raise Cancelled
            if outcome.timed_out or outcome.exit_code in (0, None):
                raise self._not_understood(outcome)
            if outcome.exit_code != LINE_LOST:
                return int(outcome.exit_code or ExitStatus.FAILED)
            if attempt < ATTEMPTS - 1:
                self._listener.say(
                    message("host.again", "The line to {host} was lost; going back there …", host=self._host.address)
                )
                time.sleep(2**attempt)
        raise WizardError(
            "host-line-gone",
            "The line to {host} was lost, and it cannot be reached any more: {said}",
            "What was begun there goes on. See it, or go on with it: [{page.far-host}.|torch-wizard resume --host "
            "{host} {run}]",
            details=outcome.tail(),
            host=self._host.address,
            said=said(outcome),
            run=self.run,
        )

    def _say(self, *words: str) -> Outcome:
        return run(self._host.command("--lang", self._language, *words), self._hear, self._is_over)

    def _is_over(self) -> bool:
        """While a run goes on there it is asked to cancel, and followed to its end; before, what goes on is left."""
        if self._listener.is_left():
            return True
        if not self._listener.is_asked():
            return False
        if not self._follows:
            return True
        if not self._is_cancelling:
            self._listener.say(message("cli.cancelling", "Cancelling…"))
            asked = run(self._host.command("runs", "--cancel", self.run))
            self._is_cancelling = asked.exit_code != LINE_LOST  # else it is asked when the line is there again
        return False

    def _hear(self, stream: str, line: str) -> None:
        if stream == "stderr":
            if line.strip():
                self._listener.words(redact(line))
            return
        event = parse_line(line)
        if event is None:
            self._note(line)
        elif event.time > self.last.time or event.seq > self.last.seq:  # else it was told before the line was lost
            self.run, self.last = event.run if is_run_id(event.run) else self.run, event
            self._listener.event(event, line)

    def _note(self, line: str) -> None:
        """What is said where no worker speaks: planned, unchanged, refused."""
        try:
            told = json.loads(line)
            answer, run_id = told.get("event"), told.get("run")
        except (ValueError, AttributeError, RecursionError):
            return
        if answer == "planned" and isinstance(run_id, str) and is_run_id(run_id):
            self.run, self.planned = run_id, answer
        elif answer in ("unchanged", "refused"):
            self.planned = answer
        if isinstance(answer, str):
            self._listener.answer(line)

    def _not_understood(self, outcome: Outcome) -> WizardError:
        return WizardError(
            "host-not-understood",
            "What {host} says is not what this program says there: {said}",
            "Bring the program there anew[| (--archive)]; the one on that computer may be an older one.",
            details=outcome.tail(),
            host=self._host.address,
            said=said(outcome),
        )
