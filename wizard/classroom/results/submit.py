"""The results of a class as use cases: this machine's certificate goes out, the admin's room comes together."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import threading
import time
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard.classroom.pack.listing import LISTING, PACK_NOT_WRITTEN, REFUSED, RESULTS, SEATS
from wizard.classroom.pack.make import read_listing
from wizard.classroom.results.certificate import Certificate, certificate, read_all, signed, to_json, write_into
from wizard.classroom.results.proof import (
    CHALLENGE,
    FORGED,
    LONGEST_CHALLENGE,
    NONE,
    Proofs,
    class_key_of,
    read_refused,
    standing,
)
from wizard.classroom.results.room import ClassResults, read_seats, room, write_seats
from wizard.compatibility.model import Plan
from wizard.machine.machine_file import machine_to_json
from wizard.machine.model import Machine
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.process import redact
from wizard.run.plan.plan_file import read_plan
from wizard.run.report.document import report_document
from wizard.run.run_folder import run_folders
from wizard.system.sockets import end
from wizard.transfer.download.transport import file_path
from wizard.transfer.proxy.environment import present_environment
from wizard.transfer.proxy.model import Network
from wizard.transfer.tls import CertificateUnreadable, context_for

# Brings a certificate to where the class keeps its results: the folder of the pack, or its server.
#
# Straight to the server, never through a proxy: it stands in the same room. To every one that is known, since one that
# only pretends to keep it must not be the last word. Small, with short time limits, and never a reason for a setup to
# fail.

_SECONDS = 8.0
_WHOLE_SECONDS = 20.0  # who answers a byte now and then is not waited for
_AT_ONCE = 8
_MOST_SAID = 200  # bytes of an answer


def hand_in(bases: Iterable[str], value: Certificate, seconds: float = _WHOLE_SECONDS) -> str:
    """Return the first place of those that take it. Raises WizardError `share-not-handed-in`, with what each one
    said."""
    places = list(dict.fromkeys(bases))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        refusals = list(pool.map(lambda base: _refusal(base, value, seconds), places))
    for base, refusal in zip(places, refusals, strict=True):
        if refusal is None:
            return base
    raise WizardError(
        "share-not-handed-in",
        "The class's results could not be reached.",
        "The setup itself is not affected; show your teacher the report on this computer.",
        details="\n".join(filter(None, refusals)),
    )


def _refusal(base: str, value: Certificate, seconds: float) -> str | None:
    """Return why it was not taken; None: it was."""
    try:
        if base.startswith("file:"):
            write_into(file_path(base) / RESULTS, signed(value))
        else:
            _post(base, value, seconds)
    except (OSError, http.client.HTTPException, ValueError, AttributeError, CertificateUnreadable) as error:
        return f"{redact(base)}: {redact(str(error))}"  # AttributeError: cut while it was read
    return None


@contextlib.contextmanager
def _within(connection: http.client.HTTPConnection, seconds: float) -> Iterator[None]:
    """Afterwards it is cut, so that what reads from it ends. Raises TimeoutError then."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        if connection.sock:
            end(connection.sock)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if late.is_set():  # a head that was cut off may look whole
        raise TimeoutError(f"no answer in {seconds:g} seconds")


def _post(base: str, value: Certificate, seconds: float) -> None:
    """A server of an older program hands out no challenge, and looks at no proof."""
    until = time.monotonic() + seconds
    status, challenge = _answer(base, "GET", CHALLENGE, None, seconds)
    if status == 200:
        value = signed(value, challenge[:LONGEST_CHALLENGE])
    status, said = _answer(base, "POST", "results", to_json(value), max(0.1, until - time.monotonic()))
    if status not in (200, 201):
        raise ValueError(f"HTTP {status} {said}")


def _answer(base: str, method: str, name: str, body: bytes | None, seconds: float) -> tuple[int, str]:
    parts = urllib.parse.urlsplit(base)
    host = parts.hostname or ""
    connection = (
        http.client.HTTPSConnection(host, parts.port, timeout=_SECONDS, context=context_for(_variables()))
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, parts.port, timeout=_SECONDS)
    )
    with contextlib.closing(connection), _within(connection, seconds):
        connection.request(method, parts.path + name, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read(_MOST_SAID).decode(errors="replace").strip()


def _variables() -> dict[str, str]:
    return dict(present_environment(Network()))


def read_room(folder: Path, others: Sequence[Path] = ()) -> ClassResults:
    """Of a pack with its results, and those that came in at `others`, copies that further servers hand out; the latest
    of each machine. Raises UsageError `pack-no-folder`, `share-no-results`, WizardError `pack-…`."""
    listing = read_listing(folder)
    latest: dict[str, Certificate] = {}
    proofs: dict[str, str] = {}
    odd: list[str] = []
    for place in (folder, *others):
        if not (place / RESULTS).is_dir():
            raise UsageError(
                "share-no-results",
                "There are no results in {path} yet.",
                "They come when computers are set up from this pack or its server.",
                path=str(place / RESULTS),
            )
        good, bad = read_all(place / RESULTS)
        odd += bad
        for each in good:
            proof = standing(each.statement, each.proof, class_key_of(place))
            before = latest.get(each.filename)
            if proof == FORGED:
                odd.append(each.filename)
            elif before is None or _counts_more(each, proof, before, proofs[each.filename]):
                latest[each.filename], proofs[each.filename] = each, proof
    certificates, expected = tuple(latest.values()), read_seats(folder)
    found = room(
        listing.title,
        listing.profile_sha256,
        certificates,
        odd,
        expected,
        listing.made,
        Proofs(proofs, any(map(class_key_of, (folder, *others)))),
    )
    return replace(found, refused=tuple(each for place in (folder, *others) for each in read_refused(place)))


def _counts_more(one: Certificate, proof: str, other: Certificate, others_proof: str) -> bool:
    """A later one, but not one of anybody in place of one that the computer itself has signed."""
    if (proof == NONE) != (others_proof == NONE):
        return others_proof == NONE
    return _moment(one) >= _moment(other)


def _moment(value: Certificate) -> float:
    """By the servers' clocks where there are any."""
    return value.received or value.created or 0.0


def results_mark(folder: Path) -> str:
    """Changes when a result comes in or changes, or the number of seats; cheap enough to be asked every second."""
    found = []
    for place in (folder / RESULTS, folder):
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if place != folder or entry.name in (SEATS, LISTING, REFUSED):
                    with contextlib.suppress(OSError):
                        seen = entry.stat(follow_symlinks=False)
                        found.append(f"{entry.name} {seen.st_mtime_ns} {seen.st_size}")
    return "\n".join(sorted(found))


def expect_seats(folder: Path, count: int) -> None:
    """0: nobody knows. Raises UsageError `pack-no-folder`, WizardError `pack-not-written`."""
    read_listing(folder)
    try:
        write_seats(folder, count)
    except OSError as error:
        raise WizardError(PACK_NOT_WRITTEN, details=str(error), path=str(folder)) from error


def hand_in_run(plan: Plan, document: Mapping[str, Any]) -> str | None:
    """After a run of a class; None: nobody asks for it. Raises WizardError `share-not-handed-in`."""
    if not plan.profile_sha256 or not plan.choices.packs:
        return None
    return hand_in(plan.choices.packs, certificate(document, plan.profile_sha256, plan.choices.label))


def hand_in_present(bases: Sequence[str], profile_sha256: str, label: str, prefix: Path) -> str | None:
    """Where a setup finds that all is there: what its run has said, as of now. Else a computer whose clock was wrong,
    or whose result got lost, would need help for ever. None: no class, or no run has tested it whose word is left.
    Raises WizardError `share-not-handed-in`."""
    said = _report_of(prefix, profile_sha256) if bases else {}
    if not said:
        return None
    document = report_document(None, None, status=int(ExitStatus.DONE))
    document |= {**said, "created": document["created"]}
    return hand_in(bases, certificate(document, profile_sha256, label))


def _report_of(prefix: Path, profile_sha256: str) -> dict[str, Any]:
    """Of the newest run that made it; {} where that cannot be read."""
    for folder in run_folders():
        with contextlib.suppress(OSError, ValueError, WizardError):
            plan = read_plan(folder.plan)
            if (Path(plan.prefix), plan.profile_sha256) == (prefix, profile_sha256):
                found = json.loads(folder.report.read_bytes())
                if isinstance(found, dict):
                    return found
    return {}


def hand_in_failure(
    bases: Sequence[str], profile_sha256: str, label: str, error: WizardError, machine: Machine | None
) -> str | None:
    """Where it came to no run. Raises WizardError `share-not-handed-in`."""
    if not bases:
        return None
    facts = machine_to_json(machine) if machine else None
    document = report_document(None, None, status=int(error.exit_status), error=error, machine=facts)
    return hand_in(bases, certificate(document, profile_sha256, label))
