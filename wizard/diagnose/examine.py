"""The whole examination in three stages, and the one answer that is made of it.

From looks and the test to one answer. Pure; never a cause without its evidence.

What is certainly wrong in the environment comes first, in the order of `_RANK`: a missing file explains a failed
import better than the import does. Then the machine, then what the test itself says, then suspicions that nothing
refuted are named as "others", and "I don't know" stands with what was ruled out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate
from wizard.diagnose.checks import builds, outside, packages
from wizard.diagnose.checks.compiled import compiled, is_asked_for
from wizard.diagnose.checks.host_facts import HostFacts
from wizard.diagnose.checks.machine import machine_looks
from wizard.diagnose.model import (
    ENVIRONMENT,
    FOUND,
    MACHINE,
    READS,
    RULED_OUT,
    Check,
    DoctorResult,
    Finding,
    Remedy,
    not_looked,
)
from wizard.diagnose.right_build import best_build, right_builds
from wizard.diagnose.trial import passes, run_trials
from wizard.environment.inspect.baseline import changes_since_baseline
from wizard.environment.inspect.installation import Installation, Meant, read_installation
from wizard.machine.model import Machine
from wizard.model.errors import ExitStatus
from wizard.model.messages import Message
from wizard.run.verify.model import OTHER_BUILD, Diagnosis, Verification

# The first that was found is the cause; the others are told as well.
_RANK = (
    "python-broken",
    "torch-missing",
    "half-deleted",
    "wrong-python",
    "two-copies",
    "damaged",
    "compiled-cut",
    "user-site-shadow",
    "pythonpath-shadow",
    "path-shadow",
    "torch-altered",
    "library-intruder",
    "library-preload",
    "needs-unmet",
    "cpu-build",
    "companion-cuda",
    "companion-variant",
    "companion-unmarked",
    "companion-release",
    "numpy-too-new",
    "no-kernels",
    "driver-too-old",
    "moved",
)
_MACHINE_RANK = (
    "driver-library-mismatch",
    "vc-runtime",
    "visible-devices",
    "optimus-off",
    "nouveau",
    "secure-boot",
    "module-not-loaded",
    "container-no-toolkit",
    "wsl-no-driver",
    "no-driver",
    "driver-too-old",
    "no-kernels",
    "login-node",
    "container-no-card",
    "wsl-no-card",
    "no-card",
)
# What the test says by itself (wizard/run/verify/diagnosis), and whether a package or the machine is to blame.
_OF_THE_MACHINE = frozenset(
    {
        "no-driver",
        "no-nvidia-card",
        "driver-library-mismatch",
        "cuda-visible-devices-hides",
        "driver-sees-no-card",
        "gpu-memory-full",
        "cuda-does-not-start",
        "wrong-results",
        "timed-out",
        "killed",
    }
)
# No card: of no matter where the CPU build is what was meant.
_OF_THE_CARD = frozenset({"no-card", "container-no-card", "wsl-no-card", "login-node"})
_ON_EITHER = frozenset({"matmul", "convolution"})  # checks
_PASSING_NEEDS = frozenset({"two-copies"})  # wrong only when the test says so, too


def decide(
    prefix: Path, looks: Sequence[Check], verification: Verification | None, other: Candidate | None = None
) -> DoctorResult:
    """Return the one answer of all checks: the gravest certain cause in the environment, unless the test passed.
    `other`: the build for the card here, where that is not the one that is there."""
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
        cause = _of_the_rest(findings, verification, other)
        verdict = "unknown" if cause is None else "machine" if cause.scope == MACHINE else "found"
    needs_no_card = works or any(
        look.check == "build" and look.state == RULED_OUT and look.message.params.get("variant") == CPU
        for look in looks
    )
    others = tuple(each for each in findings if each is not cause and not _is_noise(each, works, needs_no_card))
    told = tuple(_told(look, cause, others) for look in looks)
    return DoctorResult(verdict, prefix, cause, others, told, verification)


def _told(look: Check, cause: Finding | None, others: Sequence[Finding]) -> Check:
    """What was seen but is of no matter here is no finding, in no list of findings."""
    counts = any(each is cause or each in others for each in look.findings)
    if look.state != FOUND or counts or not look.findings:
        return look
    seen = tuple(each.cause for each in look.findings)
    return Check(look.check, RULED_OUT, Message("doctor.look.no-matter"), (*seen, *look.evidence))


def _place(code: str, order: tuple[str, ...]) -> int:
    return order.index(code) if code in order else len(order)


def _is_noise(finding: Finding, works: bool, needs_no_card: bool) -> bool:
    """No card, on a computer where PyTorch does what it was set up to do, or was meant for the processor."""
    if works and finding.code == "companion-unmarked":
        return True
    return (works and finding.scope == MACHINE) or (needs_no_card and finding.code in _OF_THE_CARD)


def _of_the_rest(findings: Sequence[Finding], verification: Verification, other: Candidate | None) -> Finding | None:
    """The card is what fails: the machine's facts. Else the test's own diagnosis. Else nothing: it is not known."""
    said = verification.diagnosis
    machine = [each for each in findings if each.scope == MACHINE and each.certain]
    machine.sort(key=lambda each: _place(each.code, _MACHINE_RANK))
    fails_anyway = _fails_without_card(verification)
    is_card_matter = verification.gpu_ok is False and verification.torch is not None and not fails_anyway
    if is_card_matter and machine:
        return machine[0]
    runtime = next((each for each in findings if each.code == "vc-runtime"), None)
    if runtime and said and said.cause.key.startswith("diagnosis.import-failed-vc-runtime"):
        return runtime
    if said is None or said.code == "unknown" or (fails_anyway and said.code in _OF_THE_MACHINE):
        return None
    return _from_diagnosis(said, other)


def _fails_without_card(verification: Verification) -> bool:
    """Return whether PyTorch fails on the processor, too, on which it computes where the card did not answer."""
    failed = {check.name for check in verification.checks if check.state == "failed"}
    return "zeros" in failed and not failed.isdisjoint(_ON_EITHER)


def _from_diagnosis(said: Diagnosis, other: Candidate | None) -> Finding | None:
    """`import-failed` and its like only say that it failed: the reason is then not known."""
    if said.code in ("import-failed", "no-answer", "companion-failed") and "vc-runtime" not in said.cause.key:
        return None
    scope = MACHINE if said.code in _OF_THE_MACHINE else ENVIRONMENT
    is_of_build = other is not None and said.code.startswith(OTHER_BUILD)
    remedy = Remedy((f"torch=={other.torch}+{other.variant}",), family=True) if other and is_of_build else Remedy()
    return Finding("test", said.code, said.cause, said.repair, said.evidence, True, scope, remedy)


def exit_status(answer: DoctorResult) -> ExitStatus:
    """3: the environment is fine, only the card cannot be used because of the machine."""
    if answer.verdict in ("nothing-wrong", "not-tested"):
        return ExitStatus.DONE
    if answer.verdict == "machine" and answer.verification and answer.verification.torch is not None:
        return ExitStatus.GPU_TEST_FAILED
    return ExitStatus.FAILED


# The whole examination, in three stages: the files without importing torch, the test, the machine. Changes nothing.

OnStage = Callable[[str], None]


def examine(
    prefix: Path,
    machine: Machine,
    matrix: Matrix,
    around: HostFacts,
    variables: Mapping[str, str],
    *,
    meant: Meant | None = None,
    imports: bool = True,
    deep: bool = False,
    on_stage: OnStage = lambda stage: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Installation, DoctorResult]:
    """`on_stage` hears `files` (with `deep` READS and the name of each package, too), `test` (and each check of it),
    `machine`, and `deep` where only reading every file can still tell. Raises Cancelled."""
    on_stage("files")
    env = read_installation(prefix, variables, meant)
    drift = changes_since_baseline(prefix)
    best, right = best_build(env, machine, matrix), next(iter(right_builds(env, machine, matrix)), None)
    looks: tuple[Check, ...] = (
        packages.interpreter(env),
        packages.presence(env),
        packages.python_tags(env),
        packages.copies(env),
        packages.leftover_folders(env),
        packages.whole_files(env, deep, is_cancelled, lambda name: on_stage(f"{READS}{name}") if deep else None),
        outside.shadow(env),
        outside.libraries(env),
        builds.build(env, right, machine, matrix, drift),
        builds.drifted(env, drift),
        builds.companions(env, matrix),
        builds.numpy(env, matrix, machine),
        builds.needs(env),
    )
    verification: Verification | None = None
    if imports:
        on_stage("test")
        trial = run_trials(env, machine, gpu_expected(env, machine), looks, is_cancelled, on_stage)
        if trial:
            verification, looks = trial.verification, (*trial.looks, _tested(trial.verification))
            if not any(look.check == "shadow" and look.state == FOUND for look in looks):  # else another torch answers
                looks = (*looks, builds.answer(env, verification.torch))
            if is_asked_for(verification):
                looks = (*looks, compiled(env, is_cancelled))
    else:
        looks = (*looks, not_looked("test", "no-import"))
    on_stage("machine")
    looks = (*looks, *machine_looks(env, machine, matrix, around, best))
    is_other = best is not None and best.variant != CPU and (best.torch, best.variant) != (env.release, env.variant)
    other = best if is_other else None
    answer = decide(prefix, looks, verification, other)
    is_by_words = answer.cause is not None and answer.cause.code == "known-error"
    if (answer.verdict == "unknown" or is_by_words) and not deep:
        on_stage("deep")
        whole = packages.whole_files(env, True, is_cancelled)
        answer = decide(prefix, [whole if look.check == whole.check else look for look in looks], verification, other)
    return env, answer


def gpu_expected(env: Installation, machine: Machine) -> bool:
    """A card that is driven is there, and this is not an environment that was meant for the processor."""
    is_for_cpu = env.meant is not None and env.meant.variant == CPU
    return bool(machine.driver and machine.nvidia_gpus) and not is_for_cpu


def _tested(verification: Verification) -> Check:
    headline = verification.headline
    if passes(verification):
        return Check("test", RULED_OUT, headline)
    failed = tuple(
        f"{check.name}: {check.data.get('error') or check.data.get('reason')}"
        for check in verification.checks
        if check.state == "failed"
    )
    return Check("test", FOUND, headline, failed)
