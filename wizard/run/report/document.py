"""The report as one JSON document: what was planned, what was done, what is true now.

An allow-list: every field is named here, what is not named stays out. The shape is a contract (`schema`; fields may
be added). Sentences are kept as key and parameters, with the text in one language beside them, so that a reader can
show them in another. No HTML here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import wizard
from wizard.compatibility.model import Plan, PlanSource
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.lock import LockedFile
from wizard.model.messages import Message, text
from wizard.process import redact
from wizard.run.report.privacy import Private, clean
from wizard.run.verify.model import Diagnosis, SmokeCheck, StepResult, Verification

SCHEMA = 1
_GPU_FIELDS = ("vendor", "name", "pci_id", "compute_capability", "memory_bytes", "kernel_driver")
_DEVICE_FIELDS = ("index", "name", "capability", "memory_bytes", "free_bytes", "kernels", "error")
_CHECK_FIELDS = (
    "version",
    "implementation",
    "packages",
    "cuda_visible_devices",
    "torch",
    "cuda",
    "hip",
    "device",
    "reason",
    "first_kernel_seconds",
    "architectures",
    "is_built",
    "count",
    "max_difference",
    "available",
    "enabled",
    "threads",
    "cuda_available",
    "milliseconds",
    "bytes",
    "to_card_bytes_per_second",
    "from_card_bytes_per_second",
    "operator",
    "bf16",
    "tf32",
    "pairs",
    "direct",
    "during",
    "exit_code",
    "signal",
    "said",
    "error_type",
    "error",
    "error_module",
    "warnings",
    "module",
    "modules",
    "place",
    "missing",
    "part",
    "part_is_in",
)


def report_document(
    plan: Plan | None,
    verification: Verification | None,
    steps: Sequence[StepResult] = (),
    files: Sequence[LockedFile] = (),
    *,
    is_here: Callable[[LockedFile], bool] = lambda file: True,
    status: int,
    error: WizardError | None = None,
    machine: Mapping[str, Any] | None = None,
    prefix: str | None = None,
    created: float | None = None,
    language: str | None = None,
    private: Private | None = None,
) -> dict[str, Any]:
    """`status` is the exit status. `is_here`: whether a file came, then or before, and was held against its hash.

    Without a plan (`verify`), `machine` (machine.json) and `prefix` can be given."""
    facts = machine if machine is not None else plan.machine if plan else None
    diagnosis = verification.diagnosis if verification else None
    moment = datetime.fromtimestamp(time.time() if created is None else created, timezone.utc)
    document = {
        "schema": SCHEMA,
        "product": {"name": "torch-setup", "version": wizard.__version__},
        "created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "status": int(status),
        "outcome": _outcome(status),
        "plan": _plan(plan, language) if plan else None,
        "prefix": prefix or (plan.prefix if plan else None),
        "machine": machine_facts(facts) if facts is not None else None,
        "files": [_file(file, is_here(file)) for file in files],
        "steps": [_step(step, language) for step in steps],
        "verification": verification_facts(verification, language) if verification else None,
        "diagnosis": diagnosis_facts(diagnosis, language) if diagnosis else None,
        "error": error.to_json(language) if error else None,
    }
    cleaned: dict[str, Any] = clean(document, private or Private.of_this_computer())
    return cleaned


def _outcome(status: int) -> str:
    try:
        return ExitStatus(status).name.lower()
    except ValueError:
        return "failed"


def _plan(plan: Plan, language: str | None) -> dict[str, Any]:
    candidate = plan.candidate
    return {
        "id": plan.id,
        "torch": candidate.torch,
        "variant": candidate.variant,
        "torchvision": candidate.torchvision,
        "torchaudio": candidate.torchaudio,
        "python": plan.python,
        "engine": plan.engine,
        "engine_reason": plan.engine_reason.to_json(language),
        "requirements": list(plan.requirements),
        "sources": [_source(source, language) for source in plan.sources],
        "channels": [redact(channel) for channel in plan.channels],
        "total_bytes": plan.total_bytes,
        "profile_sha256": plan.profile_sha256,
        "gpu_expected": plan.gpu_expected,
        "notices": [notice.to_json(language) for notice in plan.notices],
    }


def _source(source: PlanSource, language: str | None) -> dict[str, Any]:
    return {
        "role": source.role,
        "layout": source.layout,
        "origin": source.origin,
        "name": text(source.name, language),
        "url": redact(source.url) if source.url else None,
    }


def machine_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a machine file only what a report may carry."""
    driver = facts.get("driver")
    return {
        "os": facts.get("os"),
        "os_version": facts.get("os_version"),
        "arch": facts.get("arch"),
        "glibc": facts.get("glibc"),
        "wsl": bool(facts.get("wsl")),
        "driver": {"version": driver.get("version"), "cuda": driver.get("cuda")} if driver else None,
        "gpus": [_only(gpu, _GPU_FIELDS) for gpu in facts.get("gpus") or ()],
    }


def _only(data: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: data[name] for name in names if name in data}


def _step(step: StepResult, language: str | None) -> dict[str, Any]:
    return {
        "name": step.name,
        "outcome": step.outcome,
        "seconds": step.seconds,
        "message": _message(step.message, language),
    }


def _file(file: LockedFile, is_here: bool) -> dict[str, Any]:
    """`promised_by`: the host whose page named the hash, "profile" or "tables"; null where it was only computed of what
    came. `sha256` null: nobody promised one, and the file did not come. `here`: it came, and has this hash."""
    named = {"name": file.filename, "sha256": file.sha256 or None, "promised_by": file.promised_by or None}
    return {**named, "here": is_here}


def _message(value: Message | None, language: str | None) -> dict[str, Any] | None:
    return value.to_json(language) if value else None


def verification_facts(verification: Verification, language: str | None) -> dict[str, Any]:
    """Return the test's results as JSON values; its words in `language`, or in all."""
    return {
        "ok": verification.ok,
        "gpu_ok": verification.gpu_ok,
        "headline": verification.headline.to_json(language),
        "torch": verification.torch,
        "python": verification.python,
        "devices": [_only(device, _DEVICE_FIELDS) for device in verification.devices],
        "checks": [_check(check, language) for check in verification.checks],
    }


def _check(check: SmokeCheck, language: str | None) -> dict[str, Any]:
    allowed = {key: check.message.params[key] for key in check.message.params if key not in ("executable", "prefix")}
    return {
        "name": check.name,
        "state": check.state,
        "message": replace(check.message, params=allowed).to_json(language),
        "seconds": check.seconds,
        "data": _only(check.data, _CHECK_FIELDS),
    }


def diagnosis_facts(diagnosis: Diagnosis, language: str | None) -> dict[str, Any]:
    """Return cause, repair, evidence and what was ruled out as JSON values."""
    return {
        "code": diagnosis.code,
        "cause": diagnosis.cause.to_json(language),
        "repair": diagnosis.repair.to_json(language),
        "evidence": list(diagnosis.evidence),
        "ruled_out": [line.to_json(language) for line in diagnosis.ruled_out],
    }
