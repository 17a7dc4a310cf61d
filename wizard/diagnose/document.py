"""The doctor's answer as one JSON document. An allow-list, cleaned like the report; the shape is a contract."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

import wizard
from wizard.diagnose.examine import exit_status
from wizard.diagnose.model import Check, DoctorResult, Evidence, Finding, evidence_text
from wizard.environment.inspect.baseline import EnvironmentChanges
from wizard.model.lock import Lock
from wizard.model.messages import Message
from wizard.run.report.document import machine_facts, verification_facts
from wizard.run.report.privacy import Private, clean

SCHEMA = 1


def doctor_document(
    answer: DoctorResult,
    machine: Mapping[str, Any],
    drift: EnvironmentChanges | None = None,
    changes: Sequence[Message] = (),
    lock: Lock | None = None,
    run: str | None = None,
    download_bytes: int | None = None,
    *,
    created: float | None = None,
    language: str | None = None,
    private: Private | None = None,
) -> dict[str, Any]:
    """`changes`, `lock`, `run`, `download_bytes` (what is not here yet): of the repair that was planned."""
    moment = datetime.fromtimestamp(time.time() if created is None else created, timezone.utc)
    document = {
        "schema": SCHEMA,
        "kind": "doctor",
        "product": {"name": "torch-setup", "version": wizard.__version__},
        "created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "status": int(exit_status(answer)),
        "verdict": answer.verdict,
        "prefix": str(answer.prefix),
        "cause": _finding(answer.cause, language) if answer.cause else None,
        "others": [_finding(each, language) for each in answer.others],
        "looks": [_look(look, language) for look in answer.looks],
        "drift": _drift(drift) if drift else None,
        "repair": _repair(changes, lock, run, download_bytes, language) if changes else None,
        "verification": verification_facts(answer.verification, language) if answer.verification else None,
        "machine": machine_facts(machine),
    }
    cleaned: dict[str, Any] = clean(document, private or Private.of_this_computer())
    return cleaned


def _finding(finding: Finding, language: str | None) -> dict[str, Any]:
    return {
        "check": finding.check,
        "code": finding.code,
        "scope": finding.scope,
        "certain": finding.certain,
        "cause": finding.cause.to_json(language),
        "repair": finding.repair.to_json(language),
        **_evidence(finding.evidence, language),
    }


def _look(look: Check, language: str | None) -> dict[str, Any]:
    return {
        "check": look.check,
        "state": look.state,
        "message": look.message.to_json(language),
        **_evidence(look.evidence, language),
    }


def _evidence(evidence: Sequence[Evidence], language: str | None) -> dict[str, Any]:
    """As text for who reads the JSON, and as sentences for who shows it in another language."""
    lines = (each if isinstance(each, Message) else Message("doctor.evidence.raw", {"said": each}) for each in evidence)
    return {
        "evidence": [evidence_text(each, language) for each in evidence],
        "proof": [each.to_json(language) for each in lines],
    }


def _drift(drift: EnvironmentChanges) -> dict[str, Any]:
    return {
        "recorded": {"torch": drift.state.torch, "variant": drift.state.variant},
        "changes": [
            {"name": each.name, "was": each.was, "now": each.now, "installer": each.installer, "by": list(each.by)}
            for each in drift.changes
        ],
    }


def _repair(
    changes: Sequence[Message], lock: Lock | None, run: str | None, download_bytes: int | None, language: str | None
) -> dict[str, Any]:
    files = lock.files if lock else ()
    return {
        "run": run,
        "changes": [change.to_json(language) for change in changes],
        "packages": [{"name": file.name, "version": file.version, "bytes": file.size} for file in files],
        "total_bytes": lock.total_bytes if lock else None,
        "download_bytes": download_bytes,
    }
