"""The whole examination, in three stages: the files without importing torch, the test, the machine. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from wizard.doctor import build_looks, package_looks, shadow_looks
from wizard.doctor.decide import decide
from wizard.doctor.good_state import drift_of
from wizard.doctor.installation import Installation, Meant, read_installation
from wizard.doctor.machine_looks import machine_looks
from wizard.doctor.model import FOUND, RULED_OUT, Answer, Look, not_looked
from wizard.doctor.surroundings import Surroundings
from wizard.doctor.trial import passes, run_trials
from wizard.errors import UsageError
from wizard.machine.model import Machine
from wizard.matrix.model import Matrix
from wizard.matrix.ordering import CPU
from wizard.plan.model import Candidate, Choices
from wizard.plan.resolve import resolve
from wizard.steps.model import Verification

OnStage = Callable[[str], None]


def examine(
    prefix: Path,
    machine: Machine,
    matrix: Matrix,
    around: Surroundings,
    variables: Mapping[str, str],
    *,
    meant: Meant | None = None,
    imports: bool = True,
    deep: bool = False,
    on_stage: OnStage = lambda stage: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Installation, Answer]:
    """`on_stage` hears `files`, `test` (and then each check of it), `machine`, and `deep` where only reading every file
    can still tell. Raises Cancelled."""
    on_stage("files")
    env = read_installation(prefix, variables, meant)
    drift = drift_of(prefix)
    best = best_build(env, machine, matrix)
    looks: tuple[Look, ...] = (
        package_looks.interpreter(env),
        package_looks.presence(env),
        package_looks.python_tags(env),
        package_looks.copies(env),
        package_looks.leftover_folders(env),
        package_looks.whole_files(env, deep, is_cancelled),
        shadow_looks.shadow(env),
        shadow_looks.libraries(env),
        build_looks.build(env, best, machine, drift),
        build_looks.drifted(env, drift),
        build_looks.companions(env, matrix),
        build_looks.numpy(env, matrix, machine),
        build_looks.needs(env),
    )
    verification: Verification | None = None
    if imports:
        on_stage("test")
        trial = run_trials(env, machine, gpu_expected(env, machine), looks, is_cancelled, on_stage)
        if trial:
            verification, looks = trial.verification, (*trial.looks, _tested(trial.verification))
    else:
        looks = (*looks, not_looked("test", "no-import"))
    on_stage("machine")
    looks = (*looks, *machine_looks(env, machine, matrix, around, best))
    answer = decide(prefix, looks, verification)
    if answer.verdict == "unknown" and not deep:
        on_stage("deep")
        whole = package_looks.whole_files(env, True, is_cancelled)
        answer = decide(prefix, [whole if look.check == whole.check else look for look in looks], verification)
    return env, answer


def gpu_expected(env: Installation, machine: Machine) -> bool:
    """A card that is driven is there, and this is not an environment that was meant for the processor."""
    is_for_cpu = env.meant is not None and env.meant.variant == CPU
    return bool(machine.driver and machine.nvidia_gpus) and not is_for_cpu


def best_build(env: Installation, machine: Machine, matrix: Matrix) -> Candidate | None:
    """What this computer can run with this Python: the installed release if a build of it fits, else the newest."""
    python = ".".join(env.python.version.split(".")[:2]) if env.python else None
    for torch in dict.fromkeys((env.meant.torch if env.meant else env.release, env.release, None)):
        try:
            best = resolve(machine, matrix, Choices(python=python, torch=torch), prove_all=False).best
        except UsageError:  # a nightly, or a Python that no release knows
            continue
        if best is not None and (best.variant != CPU or torch is None):
            return best
    return None


def _tested(verification: Verification) -> Look:
    headline = verification.headline
    if passes(verification):
        return Look("test", RULED_OUT, headline)
    failed = tuple(
        f"{check.name}: {check.data.get('error') or check.data.get('reason')}"
        for check in verification.checks
        if check.state == "failed"
    )
    return Look("test", FOUND, headline, failed)
