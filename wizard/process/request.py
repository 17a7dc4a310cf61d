"""A subprocess is two frozen values and one end."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wizard.model.redact import redact


@dataclass(frozen=True, slots=True)
class StopTimeouts:
    """Seconds that each rung of the stop ladder is given before the next one."""

    interrupt: float = 2.0
    terminate: float = 2.0
    kill: float = 5.0


@dataclass(frozen=True, slots=True)
class Request:
    """`environment` is the child's whole environment (see `child_environment`); None makes the plain one.

    `stdin_file`: in place of `stdin`, from byte `stdin_from` on. `timeout` is in seconds and meant for probes: real
    work has none and is cancelled by a person. `silence`: seconds without a line and without processor time, after
    which it hangs. `most_bytes` of one stream, after which it is ended as if it were late: of a stranger.
    """

    argv: tuple[str, ...]
    cwd: Path | None = None
    environment: Mapping[str, str] | None = None
    stdin: str = ""
    stdin_file: Path | None = None
    stdin_from: int = 0
    timeout: float | None = None
    silence: float | None = None
    most_bytes: int | None = None
    stop: StopTimeouts = field(default_factory=StopTimeouts)

    def __str__(self) -> str:
        return redact(shlex.join(self.argv))


@dataclass(frozen=True, slots=True)
class Outcome:
    """`exit_code` is None when the program could not be started (`start_error` says why).

    A negative code is the signal that ended it. `timed_out` and `cancelled` say that it was we.
    """

    request: Request
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    start_error: str = ""
    timed_out: bool = False
    cancelled: bool = False

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and not self.timed_out and not self.cancelled

    def tail(self, lines: int = 20) -> str:
        """For an error's `details`: the command and the end of what it printed, without secrets."""
        said = (self.stderr.strip() or self.stdout.strip() or self.start_error).splitlines()[-lines:]
        state = "not started" if self.exit_code is None else f"exit {self.exit_code}"
        return redact("\n".join([f"$ {self.request} [{state}]", *said]))
