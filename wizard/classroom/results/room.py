"""The results of a room as values: one row for each machine, red first, with the cause and what to do.

Built from the certificates alone; they may come from anybody, so a field of another shape than ours makes a red row and
no crash. A page and a table are made of it elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import msgspec

from wizard.classroom.pack.files import put_bytes
from wizard.classroom.pack.listing import SEATS
from wizard.classroom.results.certificate import Certificate
from wizard.classroom.results.proof import Proofs, RefusedResult
from wizard.model.catalogue import translate
from wizard.model.errors import ExitStatus
from wizard.model.messages import LANGUAGES, Message, message
from wizard.model.typed import from_own_json
from wizard.system import moving

# How many computers the admin of a class expects: a number in a small file in the pack, beside its results.
#
# It is not in the pack's list, so it is never handed out; `pack update` leaves it alone.

MOST_SEATS = 5000
_MOST_BYTES = 1000


class _SeatsFile(msgspec.Struct):
    seats: Annotated[int, msgspec.Meta(gt=0, le=MOST_SEATS)]


def read_seats(folder: Path) -> int | None:
    """None: nobody has said it, or what lies there is none of ours."""
    with contextlib.suppress(OSError, ValueError, RecursionError), (folder / SEATS).open("rb") as stream:
        return from_own_json(stream.read(_MOST_BYTES), _SeatsFile).seats
    return None


def write_seats(folder: Path, count: int) -> None:
    """0: nobody knows. Raises OSError."""
    if count:
        put_bytes(folder / SEATS, json.dumps({"schema": 1, "seats": min(count, MOST_SEATS)}).encode() + b"\n")
    else:
        moving.unlink(folder / SEATS, missing_ok=True)


_DAY = 86400.0
GREEN, RED = "green", "red"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with its text from the certificate, for a version that has no words for the key."""

    message: Message
    text: str = ""


@dataclass(frozen=True, slots=True)
class MachineRow:
    machine: str  # its first eight signs
    label: str
    state: str  # green | red
    code: str  # ok, or what is wrong
    why: tuple[Said, ...]
    fix: tuple[Said, ...]
    system: str
    cards: str
    build: str
    created: str
    seconds: float | None
    proof: str = ""  # class | own | none: see `proof.standing`; "": nobody has looked


@dataclass(frozen=True, slots=True)
class ClassResults:
    title: str
    profile_sha256: str
    rows: tuple[MachineRow, ...]
    unreadable: tuple[str, ...] = ()
    expected: int | None = None  # computers; None: nobody has said it
    refused: tuple[RefusedResult, ...] = ()

    @property
    def red(self) -> int:
        return sum(row.state == RED for row in self.rows)

    @property
    def green(self) -> int:
        return len(self.rows) - self.red

    @property
    def missing(self) -> int:
        """Computers that have not reported yet."""
        return max(0, (self.expected or 0) - len(self.rows))

    @property
    def notes(self) -> tuple[Message, ...]:
        """What the admin should know of these results beside what they say."""
        notes = []
        if unproven := sum(row.proof == "none" for row in self.rows):
            notes.append(message("share.room.unproven", count=unproven))
        if self.unreadable:
            notes.append(message("share.room.unreadable", names=", ".join(self.unreadable[:20])))
        if self.refused:
            notes.append(message("share.room.refused", count=len(self.refused)))
            notes.append(self.refused[-1].words)
        return tuple(notes)

    @property
    def head(self) -> Message:
        """The whole room in one sentence."""
        if self.expected is None:
            return message(
                "share.room.head",
                "Computers that are ready: {green} of {total}. In need of help: {red}.",
                green=self.green,
                total=len(self.rows),
                red=self.red,
            )
        return message(
            "share.room.head-expected",
            "Computers that have reported: {total} of {expected}. Ready: {green}. In need of help: {red}.",
            green=self.green,
            total=len(self.rows),
            red=self.red,
            expected=self.expected,
        )


def room(
    title: str,
    profile_sha256: str,
    certificates: Sequence[Certificate],
    unreadable: Sequence[str] = (),
    expected: int | None = None,
    made: str = "",
    proofs: Proofs | None = None,
) -> ClassResults:
    """`made`: the day of the pack, before which nobody can have used it. `proofs` None: nobody has looked."""
    rows = sorted((_proven(_row(each, profile_sha256, made), each, proofs) for each in certificates), key=_order)
    return ClassResults(title, profile_sha256, tuple(rows), tuple(unreadable), expected)


def _proven(row: MachineRow, value: Certificate, proofs: Proofs | None) -> MachineRow:
    if proofs is None:
        return row
    doubt = proofs.doubt(value.filename)
    return replace(row, proof=proofs.standings.get(value.filename, ""), why=(*row.why, *map(Said, doubt)))


def _order(row: MachineRow) -> tuple[bool, str, tuple[tuple[int, str], ...], str]:
    """Seat 9 before seat 10."""
    parts = re.findall(r"[0-9]{1,9}|[^0-9]+", row.label)
    natural = tuple((int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in parts)
    return row.state == GREEN, row.code, natural, row.machine


def _row(value: Certificate, profile_sha256: str, made: str) -> MachineRow:
    try:
        return _told(value, profile_sha256, made)
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
        why = (Said(message("share.why.odd", "This result has another form than ours.")),)
        return MachineRow(
            value.machine[:8], value.label, RED, "odd", why, (Said(message("share.fix.again")),), "", "", "", "", None
        )


def _told(value: Certificate, profile_sha256: str, made: str) -> MachineRow:
    report = value.report
    machine: Mapping[str, Any] = report.get("machine") or {}
    plan: Mapping[str, Any] = report.get("plan") or {}
    code, why, fix = _verdict(value, profile_sha256, made)
    cards = [str(gpu.get("name") or gpu.get("pci_id") or gpu.get("vendor") or "?") for gpu in machine.get("gpus") or ()]
    seconds = [float(step["seconds"]) for step in report.get("steps") or () if step.get("seconds") is not None]
    return MachineRow(
        machine=value.machine[:8],
        label=value.label,
        state=GREEN if code == "ok" else RED,
        code=code,
        why=why,
        fix=fix,
        system=str(machine.get("os_version") or machine.get("os") or ""),
        cards=", ".join(cards),
        build=f"torch {plan['torch']}+{plan['variant']}, Python {plan['python']}" if plan else "",
        created=str(report.get("created") or ""),
        seconds=round(sum(seconds), 1) if seconds else None,
    )


def _verdict(value: Certificate, profile_sha256: str, made: str) -> tuple[str, tuple[Said, ...], tuple[Said, ...]]:
    """(code, why, what to do). What failed comes first, then what would make the next thing fail."""
    report = value.report
    status = report.get("status")
    if status != ExitStatus.DONE:
        return _failure(report, status)
    if value.profile_sha256 != profile_sha256:
        return (
            "other-profile",
            (
                Said(
                    message(
                        "share.why.other-profile",
                        "This computer was set up by another profile than the one in the pack.",
                    )
                ),
            ),
            (Said(message("share.fix.other-profile", "Run the setup on it again with the profile of this pack.")),),
        )
    off = _clock_off(value)
    if off is not None:
        days = round(abs(off) / _DAY)
        way = "ahead" if off > 0 else "behind"
        why = Said(message(f"share.why.clock-{way}" if days > 1 else f"share.why.clock-{way}-one", days=days))
        return "clock", (why,), (Said(message("share.fix.clock")),)
    if _is_before(value, made):
        day = str(report.get("created"))[:10]
        return (
            "clock",
            (
                Said(
                    message(
                        "share.why.clock-before",
                        "The clock of this computer says {day}, which is before the pack was made. PyTorch "
                        "works; secure connections will fail.",
                        day=day,
                    )
                ),
            ),
            (Said(message("share.fix.clock")),),
        )
    return "ok", _headline(report), ()


def _clock_off(value: Certificate) -> float | None:
    """Seconds by which the machine's clock runs ahead of the server's, when it is a day or more."""
    if value.received is None or value.created is None:
        return None
    off = value.created - value.received
    return off if abs(off) >= _DAY else None


def _is_before(value: Certificate, made: str) -> bool:
    """By more than a day before the pack was made. For results that nobody has stamped: from a stick or a share."""
    if value.received is not None or value.created is None or not made:
        return False
    try:
        first = datetime.strptime(made, "%Y-%m-%d").replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return False
    return value.created < first - _DAY


def _failure(report: Mapping[str, Any], status: object) -> tuple[str, tuple[Said, ...], tuple[Said, ...]]:
    error: Mapping[str, Any] = report.get("error") or {}
    diagnosis: Mapping[str, Any] = report.get("diagnosis") or {}
    if error:
        code = str(error.get("code"))
        return code, (_of_error(error, code, "summary"),), (_of_error(error, code, "hint"),)
    if diagnosis:
        return str(diagnosis.get("code")), (_said(diagnosis["cause"]),), (_said(diagnosis["repair"]),)
    if status == ExitStatus.CANCELLED:
        return (
            "cancelled",
            (Said(message("share.why.cancelled", "The setup was stopped by somebody.")),),
            (Said(message("share.fix.again")),),
        )
    return (
        "failed",
        _headline(report) or (Said(message("share.why.failed", "The setup failed.")),),
        (Said(message("share.fix.log", "Look at the report on that computer.")),),
    )


def _headline(report: Mapping[str, Any]) -> tuple[Said, ...]:
    verification = report.get("verification") or {}
    return (_said(verification["headline"]),) if verification else ()


def _of_error(error: Mapping[str, Any], code: str, part: str) -> Said:
    sentence = (error.get("sentences") or {}).get(part)
    return _said({**error, "key": f"error.{code}.{part}", "text": error.get(part), "sentence": sentence})


def _said(value: Mapping[str, Any]) -> Said:
    """A student's computer wrote it: as a template it counts only where it is one of our own sentences."""
    sentence = str(value.get("sentence") or "")
    is_ours = any(translate(sentence, language) != sentence for language in LANGUAGES[1:])
    params = dict(value.get("params") or {})
    return Said(Message(str(value.get("key")), params, sentence if is_ours else ""), str(value.get("text") or ""))
