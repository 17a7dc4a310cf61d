"""Which build an environment should have: one decision, which the answer names and the repair installs.

By the tables alone, for this computer and the environment's own Python; whether a source has it is the repair's to ask.
"""

from __future__ import annotations

from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate, Choices
from wizard.compatibility.resolve import resolve
from wizard.environment.inspect.installation import Installation
from wizard.machine.model import Machine
from wizard.model.errors import UsageError


def best_build(env: Installation, machine: Machine, matrix: Matrix) -> Candidate | None:
    """What this computer can run with this Python: the installed release if a build of it fits, else the newest."""
    for torch in dict.fromkeys((env.meant.torch if env.meant else env.release, env.release, None)):
        try:
            choices = Choices(python=python_series(env) or None, torch=torch)
            best = resolve(machine, matrix, choices, prove_all=False).best
        except UsageError:  # a nightly, or a Python that no release knows
            continue
        if best is not None and (best.variant != CPU or torch is None):
            return best
    return None


def right_builds(env: Installation, machine: Machine, matrix: Matrix) -> tuple[Candidate, ...]:
    """Return the builds to put in the place of what is there, the best first: the one that was meant; where that is
    not to be had, those that fit, of the release that is there first, since then less of the environment changes.
    (): what is there is right, or the tables know nothing better."""
    if env.variant in (CPU, None) and env.meant:
        meant = judged(env, machine, matrix, env.meant.torch, env.meant.variant)
        if meant is None or meant.fits:
            return (meant,) if meant else ()
        others = tuple(one for one in _fitting(env, machine, matrix) if one.variant != CPU)
        return others or (meant,)  # without a card or a driver nothing else would fit either
    there = judged(env, machine, matrix, env.release, env.variant)
    is_right = env.variant not in (CPU, None) and there is not None and there.fits
    return () if is_right else _fitting(env, machine, matrix)


def _fitting(env: Installation, machine: Machine, matrix: Matrix) -> tuple[Candidate, ...]:
    best = best_build(env, machine, matrix)
    if best is None:
        return ()
    verdict = resolve(machine, matrix, Choices(python=python_series(env) or None), prove_all=False)
    able = [each for each in verdict.candidates if each.fits and (each.variant != CPU or best.variant == CPU)]
    return tuple(sorted(able, key=lambda each: each.torch != best.torch))


def judged(
    env: Installation, machine: Machine, matrix: Matrix, torch: str | None, variant: str | None
) -> Candidate | None:
    """That very build with its verdict, whether or not it fits. None: the tables do not know it."""
    try:
        choices = Choices(python=python_series(env), torch=torch, variant=variant, include_unadvertised=True)
        verdict = resolve(machine, matrix, choices, prove_all=False)
    except UsageError:
        return None
    return next((each for each in verdict.candidates if (each.torch, each.variant) == (torch, variant)), None)


def python_series(env: Installation) -> str:
    return ".".join(env.python.version.split(".")[:2]) if env.python else ""
