"""The results of a class as use cases: this machine's certificate goes out, the admin's room comes together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wizard.errors import UsageError, WizardError
from wizard.machine.model import Machine
from wizard.machine.serialize import machine_to_json
from wizard.pack.model import RESULTS
from wizard.plan.model import Plan
from wizard.report.document import report_document
from wizard.session.pack import read_listing
from wizard.share.certificate import certificate, read_all
from wizard.share.handing_in import hand_in
from wizard.share.room import Room, room


def read_room(folder: Path) -> Room:
    """Of a pack with its results. Raises UsageError `pack-no-folder`, `share-no-results`, WizardError `pack-…`."""
    listing = read_listing(folder)
    results = folder / RESULTS
    if not results.is_dir():
        raise UsageError("share-no-results", path=str(results))
    good, odd = read_all(results)
    return room(listing.title, listing.profile_sha256, good, odd)


def hand_in_run(plan: Plan, document: Mapping[str, Any]) -> str | None:
    """After a run of a class; None: nobody asks for it. Raises WizardError `share-not-handed-in`."""
    if not plan.profile_sha256 or not plan.choices.packs:
        return None
    return hand_in(plan.choices.packs, certificate(document, plan.profile_sha256, plan.choices.label))


def hand_in_failure(
    bases: Sequence[str], profile_sha256: str, label: str, error: WizardError, machine: Machine | None
) -> str | None:
    """Where it came to no run. Raises WizardError `share-not-handed-in`."""
    if not bases:
        return None
    facts = machine_to_json(machine) if machine else None
    document = report_document(None, None, status=int(error.exit_status), error=error, machine=facts)
    return hand_in(bases, certificate(document, profile_sha256, label))
