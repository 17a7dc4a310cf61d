"""A run's report.json as the Verify page needs it. Tolerant: a report of a later version must still show.

Sentences stay messages, so that the page can switch language; bare text is wrapped as `flow.plain`.
The folder is not taken from here: a report may be shown around and hides the user's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.model.errors import UsageError, WizardError
from wizard.model.messages import Message
from wizard.run.verify.model import OTHER_BUILD

REPAIR_STEP = "guard"  # no setup has it, and no adding of packages


@dataclass(frozen=True, slots=True)
class CheckView:
    """`state`: ok | warning | failed | skipped."""

    name: str
    state: str
    message: Message
    seconds: float | None


@dataclass(frozen=True, slots=True)
class DiagnosisView:
    code: str
    cause: Message | None
    repair: Message | None
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportView:
    """`verified` False: the run ended before the smoke test, so there is nothing to show on Verify."""

    verified: bool
    ok: bool
    gpu_ok: bool | None
    headline: Message | None
    checks: tuple[CheckView, ...]
    diagnosis: DiagnosisView | None
    torch: str
    engine: str
    os: str
    repaired: bool = False  # the run was a repair


def as_message(value: Any) -> Message | None:
    """Return a sentence of a report, also of one that holds only its text; None where there is none."""
    if isinstance(value, Mapping) and value.get("key"):
        return Message.from_json(value)
    text = value.get("text") if isinstance(value, Mapping) else value
    return Message("flow.plain", {"text": str(text)}) if text else None


def _checks(rows: Iterable[Any]) -> tuple[CheckView, ...]:
    found = []
    for row in rows:
        if isinstance(row, Mapping):
            seconds = row.get("seconds")
            said = as_message(row.get("message")) or Message("flow.plain", {"text": ""})
            found.append(
                CheckView(
                    str(row.get("name", "")),
                    str(row.get("state", "")),
                    said,
                    float(seconds) if isinstance(seconds, (int, float)) else None,
                )
            )
    return tuple(found)


def _diagnosis(value: Any) -> DiagnosisView | None:
    if not isinstance(value, Mapping):
        return None
    return DiagnosisView(
        str(value.get("code", "")),
        as_message(value.get("cause")),
        as_message(value.get("repair")),
        tuple(str(line) for line in value.get("evidence") or ()),
    )


_MOST_TELLING = 3
_TELLS = {  # by how a diagnosis begins: how the lines begin that tell most, besides the first error
    "no-kernels-for-gpu": ("nvidia card:", "torch.cuda.get_arch_list"),
    "cpu-build-on-gpu-machine": ("torch ", "nvidia card:"),
    "no-nvidia-card": ("NVIDIA card:", "NVIDIA driver:"),
    "cuda-visible-devices-hides": ("CUDA_VISIBLE_DEVICES", "nvidia card:"),
    "numpy-too-new": ("installed:", "torch "),
    **dict.fromkeys(("no-driver", "driver-"), ("NVIDIA driver:", "nvidia card:")),
}


def most_telling(diagnosis: DiagnosisView) -> tuple[str, ...]:
    """Return the few lines of the evidence that prove the cause, in their order; all of it is for who looks closer."""
    lines = diagnosis.evidence
    wanted = next((begins for code, begins in _TELLS.items() if diagnosis.code.startswith(code)), ())
    fitting = (next((line for line in lines if line.startswith(begin)), "") for begin in wanted)
    telling = dict.fromkeys(filter(None, (*lines[:1], *fitting, *lines)))
    chosen = list(telling)[:_MOST_TELLING]
    return tuple(line for line in dict.fromkeys(lines) if line in chosen)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _part(report: Mapping[str, Any], part: str, name: str) -> str:
    place = report.get(part)
    return str(place.get(name) or "") if isinstance(place, Mapping) else ""


def read_report(report: Mapping[str, Any]) -> ReportView:
    """Return what Verify shows of a report, which may be of another version or damaged: what is missing is empty."""
    verification = report.get("verification")
    seen: Mapping[str, Any] = verification if isinstance(verification, Mapping) else {}
    gpu_ok = seen.get("gpu_ok")
    return ReportView(
        verified=bool(seen),
        ok=bool(seen.get("ok")),
        gpu_ok=gpu_ok if isinstance(gpu_ok, bool) else None,
        headline=as_message(seen.get("headline")),
        checks=_checks(seen.get("checks") or ()),
        diagnosis=_diagnosis(report.get("diagnosis")),
        torch=str(seen.get("torch") or ""),
        engine=_part(report, "plan", "engine"),
        os=_part(report, "machine", "os"),
        repaired=any(isinstance(row, Mapping) and row.get("name") == REPAIR_STEP for row in report.get("steps") or ()),
    )


def no_report(details: str) -> WizardError:
    """Make the error that is shown in its place where it cannot be read."""
    return WizardError(
        "window-no-report",
        "The report of this setup can't be read.",
        "Resume the setup: it checks what is there and writes the report again.",
        details=details,
    )


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One thing that has to hold for PyTorch to use the card, with its fact in a few signs."""

    kind: str  # gpu | kernels | driver | wheel
    fact: str
    holds: bool


_BREAKS = {  # by a diagnosis, and by those that begin like it
    "no-kernels-for-gpu": "kernels",
    "cpu-build-on-gpu-machine": "kernels",
    "no-driver": "driver",
    "driver-too-old": "driver",
    "driver-library-mismatch": "driver",
}


def broken_chain(report: Mapping[str, Any]) -> tuple[ChainLink, ...]:
    """Return the links from the card to the package with the one that does not hold; () where the diagnosis names none
    of them, or the report has no card."""
    code = _part(report, "diagnosis", "code")
    broken = next((kind for start, kind in _BREAKS.items() if code == start or code.startswith(f"{start}-")), "")
    seen, machine = _mapping(report.get("verification")), _mapping(report.get("machine"))
    card = next((gpu for gpu in map(_mapping, machine.get("gpus") or ()) if gpu.get("vendor") == "nvidia"), None)
    if not broken or card is None:
        return ()
    checks = [_mapping(row) for row in seen.get("checks") or ()]
    build = next((_mapping(row.get("data")) for row in checks if row.get("name") == "build"), {})
    codes = [str(one) for one in build.get("architectures") or ()]
    capability, torch = str(card.get("compute_capability") or ""), str(seen.get("torch") or "")
    arch = f"(sm_{capability.replace('.', '')})" if capability else ""
    facts = {
        "gpu": " ".join(filter(None, (str(card.get("name") or ""), arch))),
        "kernels": f"{codes[0]} – {codes[-1]}" if codes else torch.partition("+")[2],
        "driver": str(_mapping(machine.get("driver")).get("version") or "–"),
        "wheel": torch,
    }
    return tuple(ChainLink(kind, fact, kind != broken) for kind, fact in facts.items())


def repair_build(report: Mapping[str, Any], propose: Callable[[Choices], Verdict]) -> Candidate | None:
    """Return the build that the doctor would put in: of the release that is there, else the newest one that fits. None
    where the build is not what is wrong, or no other fits the card."""
    if not _part(report, "diagnosis", "code").startswith(OTHER_BUILD):
        return None
    python = _part(report, "plan", "python") or None
    installed = (_part(report, "plan", "torch"), _part(report, "plan", "variant"))
    for torch in (_part(report, "plan", "torch") or None, None):
        try:
            best = propose(Choices(python=python, torch=torch)).best
        except UsageError:  # a release or a Python that no table knows
            continue
        if best is not None and best.variant != CPU and (best.torch, best.variant) != installed:
            return best
    return None
