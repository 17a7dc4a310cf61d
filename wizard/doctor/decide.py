"""From looks and the test to one answer. Pure; never a cause without its evidence.

What is certainly wrong in the environment comes first, in the order of `_RANK`: a missing file explains a failed
import better than the import does. Then the machine, then what the test itself says, then suspicions that nothing
refuted are named as "others", and "I don't know" stands with what was ruled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wizard.doctor.model import ENVIRONMENT, FOUND, MACHINE, NOT_LOOKED, RULED_OUT, Answer, Finding, Look, Remedy
from wizard.doctor.trial import passes
from wizard.errors import ExitStatus
from wizard.i18n import Message
from wizard.matrix.ordering import CPU
from wizard.steps.model import Diagnosis, Verification

# The first that was found is the cause; the others are told as well.
_RANK = (
    "python-broken", "torch-missing", "half-deleted", "wrong-python", "two-copies", "damaged", "user-site-shadow",
    "pythonpath-shadow", "path-shadow", "library-intruder", "library-preload", "needs-unmet", "cpu-build",
    "companion-variant", "companion-unmarked", "companion-release", "numpy-too-new", "no-kernels", "driver-too-old",
)  # fmt: skip
_MACHINE_RANK = (
    "driver-library-mismatch", "vc-runtime", "visible-devices", "optimus-off", "nouveau", "secure-boot",
    "module-not-loaded", "container-no-toolkit", "wsl-no-driver", "no-driver", "driver-too-old", "no-kernels",
    "login-node", "container-no-card", "wsl-no-card", "no-card",
)  # fmt: skip
# What the test says by itself (wizard/steps/diagnose), and whether a package or the machine is to blame.
_OF_THE_MACHINE = frozenset({
    "no-driver", "no-nvidia-card", "driver-library-mismatch", "cuda-visible-devices-hides", "driver-sees-no-card",
    "gpu-memory-full", "cuda-does-not-start", "wrong-results", "timed-out", "killed",
})  # fmt: skip
# No card: of no matter where the CPU build is what was meant.
_OF_THE_CARD = frozenset({"no-card", "container-no-card", "wsl-no-card", "login-node"})
_PASSING_NEEDS = frozenset({"two-copies"})  # wrong only when the test says so, too


def decide(prefix: Path, looks: Sequence[Look], verification: Verification | None) -> Answer:
    findings = [finding for look in looks for finding in look.findings]
    works = verification is not None and passes(verification)
    wrong = [each for each in findings if each.certain and each.scope == ENVIRONMENT]
    if works:
        wrong = [each for each in wrong if each.code not in _PASSING_NEEDS]
    wrong.sort(key=lambda each: _place(each.code, _RANK))
    cause = wrong[0] if wrong else None
    verdict = "found"
    if cause is None and works:
        verdict = "nothing-wrong"
    elif cause is None and verification is None:
        verdict = "not-tested"
    elif cause is None and verification is not None:
        cause = _of_the_rest(findings, verification, looks)
        verdict = "unknown" if cause is None else "machine" if cause.scope == MACHINE else "found"
    needs_no_card = works or any(
        look.check == "build" and look.state == RULED_OUT and look.message.params.get("variant") == CPU
        for look in looks
    )
    others = tuple(each for each in findings if each is not cause and not _is_noise(each, works, needs_no_card))
    told = tuple(_told(look, cause, others) for look in looks)
    return Answer(verdict, prefix, cause, others, told, verification)


def _told(look: Look, cause: Finding | None, others: Sequence[Finding]) -> Look:
    """What was seen but is of no matter here is no finding, in no list of findings."""
    counts = any(each is cause or each in others for each in look.findings)
    if look.state != FOUND or counts or not look.findings:
        return look
    seen = tuple(each.cause for each in look.findings)
    return Look(look.check, RULED_OUT, Message("doctor.look.no-matter"), (*seen, *look.evidence))


def _place(code: str, order: tuple[str, ...]) -> int:
    return order.index(code) if code in order else len(order)


def _is_noise(finding: Finding, works: bool, needs_no_card: bool) -> bool:
    """No card, on a computer where PyTorch does what it was set up to do, or was meant for the processor."""
    if works and finding.code == "companion-unmarked":
        return True
    return (works and finding.scope == MACHINE) or (needs_no_card and finding.code in _OF_THE_CARD)


def _of_the_rest(findings: Sequence[Finding], verification: Verification, looks: Sequence[Look]) -> Finding | None:
    """The card is what fails: the machine's facts. Else the test's own diagnosis. Else nothing: it is not known."""
    said = verification.diagnosis
    machine = [each for each in findings if each.scope == MACHINE and each.certain]
    machine.sort(key=lambda each: _place(each.code, _MACHINE_RANK))
    is_card_matter = verification.gpu_ok is False and verification.torch is not None
    if is_card_matter and machine:
        return machine[0]
    runtime = next((each for each in findings if each.code == "vc-runtime"), None)
    if runtime and said and said.cause.key.startswith("diagnosis.import-failed-vc-runtime"):
        return runtime
    if said is None or said.code == "unknown":
        return None
    return _from_diagnosis(said, looks)


def _from_diagnosis(said: Diagnosis, looks: Sequence[Look]) -> Finding | None:
    """`import-failed` and its like only say that it failed: the reason is then not known."""
    if said.code in ("import-failed", "no-answer", "companion-failed") and "vc-runtime" not in said.cause.key:
        return None
    scope = MACHINE if said.code in _OF_THE_MACHINE else ENVIRONMENT
    return Finding("test", said.code, said.cause, said.repair, said.evidence, True, scope, Remedy())


def exit_status(answer: Answer) -> ExitStatus:
    """3: the environment is fine, only the card cannot be used because of the machine."""
    if answer.verdict in ("nothing-wrong", "not-tested"):
        return ExitStatus.DONE
    if answer.verdict == "machine" and answer.verification and answer.verification.torch is not None:
        return ExitStatus.GPU_TEST_FAILED
    return ExitStatus.FAILED


def could_not_look(answer: Answer) -> tuple[Look, ...]:
    return tuple(look for look in answer.looks if look.state == NOT_LOOKED)
