"""A computer far away, by the system's own ssh: the program is brought there as its archive, and commands run there.

Keys, agents, jumps and known computers are ssh's: it is started so that it asks for nothing, and a computer that it
does not know is not believed. There, only `program/` in this program's own folder is written, checked by SHA-256 and
resumed where a line was lost; a shell, tar, xz and sha256sum are all that is wanted of it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wizard.model.errors import Cancelled, UsageError
from wizard.model.messages import in_each
from wizard.process import Outcome, Request, run

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
    ssh = shutil.which("ssh")
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
