"""A computer far away, by the system's own ssh: the program is brought there as its archive, and commands run there.

Keys, agents, jumps and known computers are ssh's: it is started so that it asks for nothing, and a computer that it
does not know is not believed. There, only `program/` in this program's own folder is written, checked by SHA-256 and
resumed where a line was lost; a shell, tar, xz and sha256sum are all that is wanted of it.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.process import Outcome, Request, run

LINE_LOST = 255  # ssh's own word: whatever the other side said ends with another status
ATTEMPTS = 5
_ADDRESS = re.compile(
    r"(?:ssh://)?(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?P<port>:\d{1,5})?"
)
_OPTIONS = (
    *("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ClearAllForwardings=yes"),
    *("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"),  # a dead line is seen after a minute
)
_PLACE = 'h="${TORCH_WIZARD_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/torch-setup}"; d="$h/program"; '
# One line each: a login shell of the csh kind takes no other.
_LOOK = _PLACE + (
    'printf "%s %s\\n" "$(uname -s)" "$(uname -m)"; '
    "for t in tar xz sha256sum; do command -v $t >/dev/null || echo lacks $t; done; "
    'if [ -n "$1" ] && [ -x "$d/$1/torch-wizard" ]; then ln -sfn "$1" "$d/current"; echo whole; '
    'elif [ -n "$1" ] && [ -f "$d/$1.part" ]; then echo part $(wc -c < "$d/$1.part"); '
    'elif [ -x "$d/current/torch-wizard" ] || command -v torch-wizard >/dev/null; then echo there; fi'
)
_TAKE = _PLACE + 'umask 077; mkdir -p "$d" && cat >> "$d/$1.part"'
_UNPACK = _PLACE + (
    'cd "$d" || exit 1; s=$(sha256sum < "$1.part" | cut -c1-64); '
    'if [ "$s" != "$1" ]; then rm -f "$1.part"; exit 66; fi; '
    'rm -rf "$1.new" "$1"; mkdir "$1.new" && tar -xJf "$1.part" -C "$1.new" --strip-components=1 '
    '&& mv "$1.new" "$1" && rm -f "$1.part" && ln -sfn "$1" current'
)
_RUN = _PLACE + (
    'if [ -x "$d/current/torch-wizard" ]; then exec "$d/current/torch-wizard" "$@"; fi; exec torch-wizard "$@"'
)
_REPORT = _PLACE + 'cat "$h/runs/$1/report.json"'
_ALTERED = 66
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")

HOST_UNREACHABLE = ErrorText(
    "host-unreachable",
    "ssh does not get to {host}: {said}",
    "Try it by hand with “ssh {host}”: it must get there without a question, by a key or an agent, and the "
    "computer must be known.",
)


@dataclass(frozen=True, slots=True)
class FarHost:
    """`address`: as ssh takes it, and nothing that could be an option or a command."""

    address: str
    ssh: str

    def request(self, script: str, *words: str, stdin_file: Path | None = None, stdin_from: int = 0) -> Request:
        """`words`: the script's `$1`, `$2` …"""
        there = shlex.join(("exec", "sh", "-c", script, "torch-setup", *words))
        argv = (self.ssh, *_OPTIONS, "--", self.address, there)
        return Request(argv, stdin_file=stdin_file, stdin_from=stdin_from)

    def command(self, *words: str) -> Request:
        """The program there: what was brought last, else the one on its PATH."""
        return self.request(_RUN, *words)


def host_named(text: str) -> FarHost:
    """Raises UsageError `host-bad`, `host-no-ssh`."""
    found = _ADDRESS.fullmatch(text)
    if not found or (found["port"] and not text.startswith("ssh://")):
        raise UsageError(
            "host-bad",
            "“{host}” is no computer that ssh could go to.",
            "Write user@box, a name of your ssh settings, or ssh://user@box:2222.",
            host=text,
        )
    ssh = shutil.which("ssh")
    if ssh is None:
        raise UsageError(
            "host-no-ssh", "There is no ssh on this computer.", "Install OpenSSH's client, then try again."
        )
    return FarHost(text, ssh)


def bring(host: FarHost, archive: Path | None, tell: Callable[[int], None] = lambda size: None) -> None:
    """Have the program there. `tell`: that so many bytes are about to go. Raises UsageError, WizardError `host-…`."""
    digest = _digest(archive) if archive else ""
    state = _look(host, digest)
    if state == "whole" or (archive is None and state == "there"):
        return
    if archive is None:
        raise UsageError(
            "host-no-program",
            "There is no Torch Setup on {host} yet.",
            "Name the archive for Linux (TorchSetup-…-linux-x86_64.tar.xz) with --archive: it is brought there.",
            host=host.address,
        )
    size = archive.stat().st_size
    for attempt in range(ATTEMPTS):
        here = int(state.partition(" ")[2]) if state.startswith("part ") else 0
        if here >= size:
            break
        tell(size - here)
        outcome = run(host.request(_TAKE, digest, stdin_file=archive, stdin_from=here))
        if outcome.ok:
            break
        if outcome.exit_code != LINE_LOST or attempt == ATTEMPTS - 1:
            raise _unreachable(host, outcome)
        time.sleep(2**attempt)
        state = _look(host, digest)
    _unpack(host, digest)


def _digest(archive: Path) -> str:
    """Raises UsageError `host-archive-unreadable`."""
    try:
        digest = hashlib.sha256()
        with archive.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
        return digest.hexdigest()
    except OSError as error:
        raise UsageError(
            "host-archive-unreadable",
            "{path} cannot be read.",
            "Name the archive for Linux (TorchSetup-…-linux-x86_64.tar.xz).",
            details=str(error),
            path=str(archive),
        ) from error


def _look(host: FarHost, digest: str) -> str:
    """ "whole", "there", "part BYTES" or "" (nothing). Raises WizardError `host-…`."""
    outcome = run(host.request(_LOOK, digest))
    system, *rest = outcome.stdout.splitlines() or [""]
    if not outcome.ok or not system.startswith("Linux "):
        if outcome.ok:
            raise WizardError(
                "host-other-system",
                "{host} is no Linux that this program could be brought to ({system}).",
                "Log in there and start it from its source: python3 start.py.",
                host=host.address,
                system=system or "?",
            )
        raise _unreachable(host, outcome)
    state = next((line for line in rest if not line.startswith("lacks ")), "")
    lacks = [line.removeprefix("lacks ") for line in rest if line.startswith("lacks ")]
    if lacks and state not in ("whole", "there"):
        raise WizardError(
            "host-lacks",
            "{host} has no {programs}, without which nothing can be unpacked there.",
            "Have it installed there; nothing was changed.",
            host=host.address,
            programs=", ".join(lacks),
        )
    return state


def _unpack(host: FarHost, digest: str) -> None:
    outcome = run(host.request(_UNPACK, digest))
    if outcome.exit_code == _ALTERED:
        raise WizardError(
            "host-altered",
            "What came to {host} is not the archive that was sent; it was removed there.",
            "Try again: it is sent anew.",
            host=host.address,
        )
    if outcome.exit_code == LINE_LOST:
        raise _unreachable(host, outcome)
    if not outcome.ok:
        raise WizardError(
            "host-not-unpacked",
            "The program could not be unpacked on {host}: {said}",
            "Look whether the disk there has room (about 1 GB) and its home folder may be written.",
            details=outcome.tail(),
            host=host.address,
            said=said(outcome),
        )


def _unreachable(host: FarHost, outcome: Outcome) -> WizardError:
    return WizardError(HOST_UNREACHABLE, details=outcome.tail(), host=host.address, said=said(outcome))


def said(outcome: Outcome) -> str:
    """The last words of the other side."""
    lines = (outcome.stderr or outcome.start_error).strip().splitlines()
    return lines[-1].strip() if lines else f"exit {outcome.exit_code}"


def report_there(host: FarHost, run_id: str) -> str:
    """The report as JSON text; "" where there is none."""
    if not _RUN_ID.fullmatch(run_id):
        return ""
    outcome = run(host.request(_REPORT, run_id))
    return outcome.stdout if outcome.ok else ""
