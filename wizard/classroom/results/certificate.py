"""A certificate: what one machine of a class says about itself, with the profile that it followed.

The machine is a number that says nothing, and a label if somebody typed one: no user and no host name. A stranger's
certificate is held against the same shape before it is kept, and is cut down to the fields that are ours.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import math
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from wizard.classroom.pack.files import put_bytes
from wizard.classroom.results.proof import MachineKey, Proof, remembered_class_key
from wizard.model.errors import WizardError
from wizard.model.typed import from_own_json
from wizard.process import redact
from wizard.run.report.write import put_whole
from wizard.system import paths
from wizard.system.facts import own_marks

SCHEMA = 1
MOST_BYTES = 512 * 1024
LABEL_LENGTH = 60
_MACHINE = re.compile(r"^[0-9a-f]{32}$")
_MOST_SECRET = 100
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"
_REPORT_FIELDS = (
    "schema",
    "product",
    "created",
    "status",
    "outcome",
    "plan",
    "machine",
    "steps",
    "verification",
    "diagnosis",
    "error",
)
_DEPTH = 12
_MOST_ITEMS = 400
_MOST_TEXT = 4000
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class Certificate:
    """`received`: by the clock of who took it in, in seconds since 1970; None: nobody said. `proof` is not looked at
    here."""

    machine: str
    profile_sha256: str
    label: str
    report: Mapping[str, Any]
    received: float | None = None
    proof: Proof | None = None

    @property
    def statement(self) -> dict[str, Any]:
        """What is signed."""
        return {
            "machine": self.machine,
            "profile_sha256": self.profile_sha256,
            "label": self.label,
            "report": self.report,
        }

    @property
    def created(self) -> float | None:
        """Return when the report was made (seconds since 1970, by its computer's clock); None: it does not say."""
        try:
            moment = datetime.strptime(str(self.report.get("created")), _MOMENT)
        except ValueError:
            return None
        return moment.replace(tzinfo=timezone.utc).timestamp()

    @property
    def filename(self) -> str:
        return f"{self.machine}-{self.profile_sha256[:12]}.json"


@dataclass(frozen=True, slots=True)
class _CertificateFile:
    schema: Literal[1]
    machine: Annotated[str, msgspec.Meta(pattern=_MACHINE.pattern)]
    profile_sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
    report: dict[str, Any]
    label: str | None = None
    received: float | None = None
    proof: Proof | None = None


def certificate(report: Mapping[str, Any], profile_sha256: str, label: str = "") -> Certificate:
    """Of this machine. `report`: as `wizard.run.report.document` makes it, which is redacted already."""
    # Twice: who receives it cuts once more, and a text that is cut behind a mask could lose another sign then, which
    # would no longer be what was signed.
    kept = _cut_report(_cut_report(report))
    return Certificate(machine_id(profile_sha256), profile_sha256, _kept_label(profile_sha256, label), kept)


def _kept_label(profile_sha256: str, typed: str) -> str:
    """What was typed, which is kept; else what was kept before: who runs the setup again need not name it again."""
    label, path = clean_label(typed), paths.home() / "profiles" / f"{profile_sha256}.label"
    with contextlib.suppress(OSError, ValueError):
        if label:
            put_bytes(path, label.encode())
        elif path.is_file():  # a pipe would keep us waiting
            with path.open("rb") as stream:
                return clean_label(stream.read(_MOST_SECRET * 4).decode())
    return label


def machine_id(profile_sha256: str) -> str:
    return machine_key(profile_sha256).machine


def machine_key(profile_sha256: str) -> MachineKey:
    """The same one again for one class, and another one for another class. Copies of one disk, and computers that share
    a home folder, have one secret and are told apart by what else is theirs; without the secret nobody finds that out
    from the number."""
    told = "\n".join((profile_sha256, *own_marks()))
    return MachineKey(hmac.new(_secret().encode(), told.encode(errors="replace"), hashlib.sha256).digest())


def signed(value: Certificate, challenge: str = "") -> Certificate:
    """With this machine's proof, where it is this machine's; any other as it is."""
    key = machine_key(value.profile_sha256)
    if key.machine != value.machine:
        return value
    return replace(value, proof=key.proof(value.statement, challenge, remembered_class_key(value.profile_sha256)))


def _secret() -> str:
    """Random, made once and kept."""
    path = paths.home() / "class-machine-id"
    try:
        if path.is_file():  # a pipe would keep us waiting
            with path.open("rb") as stream:
                kept = stream.read(_MOST_SECRET).decode("ascii").strip()
            if _MACHINE.match(kept):
                return kept
    except (OSError, ValueError):
        pass
    made = uuid.uuid4().hex
    try:
        put_whole(path, made.encode("ascii"))
    except OSError:
        return made  # a home that cannot be written is a result of its own
    return made


def clean_label(text: str) -> str:
    """One line without control or direction characters, of a length that a table can show."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:LABEL_LENGTH]


def to_json(value: Certificate) -> bytes:
    """Return the bytes that are handed in, its proof among them."""
    document = {
        "schema": SCHEMA,
        "machine": value.machine,
        "profile_sha256": value.profile_sha256,
        "label": value.label,
        "received": value.received,
        "report": value.report,
        "proof": value.proof and asdict(value.proof),
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def parse(data: bytes, received: float | None = None) -> Certificate:
    """Return what somebody handed in. `received`: now, where it comes in; None: as it says itself. Raises WizardError
    `share-bad-result`."""
    try:
        if len(data) > MOST_BYTES:
            raise ValueError("too large")
        found = from_own_json(data, _CertificateFile)
        report = _cut_report(found.report)
        if not isinstance(report.get("status"), int) or isinstance(report.get("status"), bool):
            raise ValueError("report.status")
        stamp = _number(found.received) if received is None and found.received is not None else received
        label = clean_label(found.label or "")
        return Certificate(found.machine, found.profile_sha256, label, report, stamp, found.proof)
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise WizardError(
            "share-bad-result",
            "What came in is not a result.",
            "Run the setup on that computer again.",
            details=str(error),
        ) from error


def _cut_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a room page shows; the prefix is left out, since it may hold a name."""
    return {name: _plain(report[name]) for name in _REPORT_FIELDS if name in report}


def _plain(value: Any, depth: int = 0) -> Any:
    """JSON of bounded depth, width and length of texts, without secrets. Raises ValueError."""
    if depth > _DEPTH:
        raise ValueError("too deep")
    if isinstance(value, str):
        return _readable(redact(value[:_MOST_TEXT]))
    if isinstance(value, Mapping):
        if len(value) > _MOST_ITEMS:
            raise ValueError("too wide")
        return {_readable(str(key)[:100]): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) > _MOST_ITEMS:
            raise ValueError("too long")
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, (int, float)):
        return _number(value)
    if value is None:
        return None
    raise ValueError(type(value).__name__)


def _number(value: float) -> float:
    """Raises ValueError for one that no clock and no size of ours has: sums and dates of it would fail later."""
    if not math.isfinite(value) or abs(value) > _LARGEST:
        raise ValueError("number")
    return value


def _readable(text: str) -> str:
    """Without what steers a terminal, turns a line around, or is no character at all."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def write_into(folder: Path, value: Certificate) -> Path:
    """A later one of the same machine takes the place of the earlier. Raises OSError."""
    path = folder / value.filename
    put_bytes(path, to_json(value))
    return path


def read_all(folder: Path) -> tuple[tuple[Certificate, ...], tuple[str, ...]]:
    """(certificates, names of files that are none). On a share the file's own time tells of a clock that runs ahead;
    not of one that is behind, since copying makes files younger."""
    good, bad = [], []
    for path in sorted(folder.glob("*.json")):
        if path.name.startswith("."):
            continue
        try:
            if path.is_symlink() or not path.is_file():  # a pipe or a device would be waited for
                raise ValueError("no file")
            with path.open("rb") as stream:
                found = parse(stream.read(MOST_BYTES + 1))
            written = path.stat().st_mtime
            if found.received is None and found.created is not None and found.created > written:
                found = replace(found, received=written)
        except (OSError, ValueError, WizardError):
            bad.append(clean_label(path.name))
            continue
        good.append(found)
    return tuple(good), tuple(bad)


def now() -> float:
    return time.time()
