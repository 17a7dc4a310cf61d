"""Stage two: the smoke test as the user's own terminal runs it, and where that fails, once more without a suspect.

A failure that goes away when one thing is taken out is the proof that this thing causes it; a suspicion that makes
no difference stays one. Each run is a child with a time limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wizard.diagnose.known_errors.match import cause_and_fix
from wizard.diagnose.model import FOUND, Check, confirmed, proof
from wizard.environment.inspect.installation import Installation
from wizard.machine.model import Machine
from wizard.run.verify.model import Verification
from wizard.run.verify.smoke import verify

IsCancelled = Callable[[], bool]
OnCheck = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SmokeTrial:
    """`verification`: as the user's terminal has it. `looks`: those given, with what the trials proved."""

    verification: Verification
    looks: tuple[Check, ...]


def without(variables: Mapping[str, str], folders: tuple[str, ...] = (), user_site: bool = True) -> dict[str, str]:
    """The user's variables with those folders taken out of the library path, and the user's packages if asked."""
    changed = dict(variables)
    if folders and "LD_LIBRARY_PATH" in changed:
        kept = [entry for entry in changed["LD_LIBRARY_PATH"].split(os.pathsep) if entry not in folders]
        changed["LD_LIBRARY_PATH"] = os.pathsep.join(kept)
        if not kept:
            del changed["LD_LIBRARY_PATH"]
    if not user_site:
        changed["PYTHONNOUSERSITE"] = "1"
    return changed


def passes(verification: Verification) -> bool:
    return verification.ok and verification.gpu_ok is not False


def run_trials(
    env: Installation,
    machine: Machine,
    gpu_expected: bool,
    looks: tuple[Check, ...],
    is_cancelled: IsCancelled,
    on_check: OnCheck | None,
) -> SmokeTrial | None:
    """None: there is no Python to run. Raises Cancelled."""
    if env.python is None:
        return None
    python = env.python.executable

    def test(variables: Mapping[str, str]) -> Verification:
        return verify(
            python,
            gpu_expected,
            machine,
            is_cancelled,
            on_check=on_check,
            as_user=variables,
            explain=cause_and_fix,
        )

    first = test(env.variables)
    if passes(first):
        return SmokeTrial(first, looks)
    return SmokeTrial(first, tuple(_tried(look, env, first, test) for look in looks))


def _tried(
    look: Check, env: Installation, first: Verification, test: Callable[[Mapping[str, str]], Verification]
) -> Check:
    """A library on the path is proved by a run without it that gets further; a companion, by its own failed check."""
    if look.check == "companions" and look.state == FOUND:
        names = {str(finding.cause.params.get("name")) for finding in look.findings}
        failed = sorted(names & _failures(first))
        return confirmed(look, proof("test-of", names=", ".join(failed), error=_first_error(first))) if failed else look
    if look.check != "libraries" or look.state != FOUND:
        return look
    changed = _changed(look, env)
    if changed is None:
        return look
    second = test(changed)
    if _failures(second) < _failures(first):
        name = "passes-without" if passes(second) else "better-without"
        left = ", ".join(sorted(_failures(second)))
        return confirmed(look, proof(name, error=_first_error(first), names=left))
    return look


def _changed(look: Check, env: Installation) -> dict[str, str] | None:
    found = look.findings[0]
    if found.remedy.drop_library_folders:
        return without(env.variables, found.remedy.drop_library_folders)
    if found.code == "library-preload":
        return {name: value for name, value in env.variables.items() if name != "LD_PRELOAD"}
    return None


def _failures(verification: Verification) -> frozenset[str]:
    """What fails; with a failed import, everything does."""
    failed = {check.name for check in verification.checks if check.state == "failed"}
    if verification.torch is None:
        failed |= {"import", "zeros", "everything else"}
    return frozenset(failed)


def _first_error(verification: Verification) -> str:
    failed = (check for check in verification.checks if check.state == "failed")
    check = next(failed, None)
    if check is None:
        return "?"
    said = str(check.data.get("error") or check.data.get("said") or "").strip()
    return f"{check.name}: {said.splitlines()[0][:160] if said else '?'}"
