"""The results of a class as use cases: this machine's certificate goes out, the admin's room comes together."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wizard.classroom.pack.listing import LISTING, RESULTS, SEATS
from wizard.classroom.pack.make import read_listing
from wizard.classroom.results.certificate import Certificate, certificate, read_all
from wizard.classroom.results.hand_in import hand_in
from wizard.classroom.results.room import ClassResults, read_seats, room, write_seats
from wizard.compatibility.model import Plan
from wizard.machine.machine_file import machine_to_json
from wizard.machine.model import Machine
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.run.plan.plan_file import read_plan
from wizard.run.report.document import report_document
from wizard.run.run_folder import run_folders


def read_room(folder: Path, others: Sequence[Path] = ()) -> ClassResults:
    """Of a pack with its results, and those that came in at `others`, copies that further servers hand out; the latest
    of each machine. Raises UsageError `pack-no-folder`, `share-no-results`, WizardError `pack-…`."""
    listing = read_listing(folder)
    latest: dict[str, Certificate] = {}
    odd: list[str] = []
    for results in (place / RESULTS for place in (folder, *others)):
        if not results.is_dir():
            raise UsageError("share-no-results", path=str(results))
        good, bad = read_all(results)
        odd += bad
        for each in good:
            if each.filename not in latest or _moment(each) >= _moment(latest[each.filename]):
                latest[each.filename] = each
    certificates = tuple(latest.values())
    return room(listing.title, listing.profile_sha256, certificates, odd, read_seats(folder), listing.made)


def _moment(value: Certificate) -> float:
    """By the servers' clocks where there are any."""
    return value.received or value.created or 0.0


def results_mark(folder: Path) -> str:
    """Changes when a result comes in or changes, or the number of seats; cheap enough to be asked every second."""
    found = []
    for place in (folder / RESULTS, folder):
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if place != folder or entry.name in (SEATS, LISTING):
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
        raise WizardError("pack-not-written", details=str(error), path=str(folder)) from error


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
