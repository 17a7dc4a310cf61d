"""Runs the smoke test in the new environment's own Python, and tries what a project imports. A failed GPU test is a
result, not a failed step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wizard.compatibility.model import Plan
from wizard.environment.inspect.start_files import suspects
from wizard.environment.layout import site_packages_of
from wizard.environment.model import Created
from wizard.machine.machine_file import machine_from_json
from wizard.model.lock import Lock
from wizard.model.messages import Message, message
from wizard.run.context import Context, Step
from wizard.run.steps.parts_outcome import SPOILED, look_at_the_others
from wizard.run.verify.model import Diagnosis, Explain, SmokeCheck, Verification, explains_nothing
from wizard.run.verify.project import try_project
from wizard.run.verify.smoke import check_name, verify


class Verify(Step):
    name = "verify"
    weight = 9

    def __init__(self, explain: Explain = explains_nothing) -> None:
        """`explain`: the cause of a text that the test or an import left, and what to do."""
        self._explain = explain

    def announce(self, context: Context) -> Message:
        return message("step.verify.gpu" if context.plan.candidate.variant != "cpu" else "step.verify.cpu")

    def run(self, context: Context) -> Message:
        created = context.place.result().created
        machine = machine_from_json(context.plan.machine)
        verification = verify(
            created.python,
            gpu_expected=context.plan.gpu_expected,
            machine=machine,
            is_cancelled=context.is_stopped,
            environment=context.plan.environment,
            explain=self._explain,
            on_check=lambda name: context.emitter.progress(self.name, 0, None, check_name(name)),
        )
        other_torch = tuple(_other_torch(context.lock, verification.torch))
        found = (*other_torch, *left_out(context.plan), *self._of_project(context, verification))
        for other in other_torch:
            cause = _replaced(created, other.message, verification.diagnosis)
            verification = replace(verification, ok=False, headline=other.message, diagnosis=cause)
        if verification.torch is None and (spoiled := next((one for one in found if one.message.key == SPOILED), None)):
            verification = replace(verification, diagnosis=_spoiled(spoiled.message, verification.diagnosis))
            found = tuple(one for one in found if one is not spoiled and one.message != look_at_the_others())
        verification = replace(verification, checks=(*verification.checks, *found))
        for check in verification.checks:
            context.emitter.detail(self.name, f"{check.state} {check.name} {dict(check.data)}")
        context.verification.set_result(verification)
        context.journal.done(self.name, {"ok": verification.ok})
        return verification.headline

    def _of_project(self, context: Context, verification: Verification) -> tuple[SmokeCheck, ...]:
        project, parts = context.plan.project, context.parts.result() if context.parts.done() else ()
        if project is None or verification.torch is None:  # no import of the project's says more than torch's own
            return parts
        context.emitter.progress(self.name, 0, None, check_name("imports"))
        made = context.place.result().created
        found = try_project(
            made.python, made.prefix, project, self._explain, context.is_stopped, context.plan.environment
        )
        for check in found:
            context.emitter.log(self.name, check.message)
        return (*found, *parts)


def _replaced(created: Created, said: Message, diagnosis: Diagnosis | None) -> Diagnosis:
    """Name what may have changed torch's answer; what the test found of its build is of no use then."""
    names = ", ".join(suspects(site_packages_of(created.prefix, created.python_version)))
    repair = (
        message(
            "verify.torch-changed.file",
            "Delete {names}, which Python runs at each start there and no package lists, or set the environment up "
            "anew without what has left it.",
            names=names,
        )
        if names
        else message("verify.torch-changed.anew", "Set the environment up anew without what was installed last.")
    )
    return Diagnosis("torch-changed", said, repair, diagnosis.evidence if diagnosis else ())


def _spoiled(said: Message, diagnosis: Diagnosis | None) -> Diagnosis:
    """Name as the cause what is known to have changed torch or what it needs: how it fails does not tell that."""
    evidence = diagnosis.evidence if diagnosis else ()
    return Diagnosis("part-spoiled", said, look_at_the_others(), evidence)


def _other_torch(lock: Lock, imported: str | None) -> Iterator[SmokeCheck]:
    """Yield a failure where another torch answers than the one that was installed: a part of a project, or what lies on
    the way of Python's imports, has put its own there."""
    locked = lock.find("torch")
    if locked is None or imported is None or imported in (locked.version, locked.version.partition("+")[0]):
        return
    if "+" not in locked.version and imported.partition("+")[0] == locked.version:  # the index's own build
        return
    said = message(
        "verify.torch-changed",
        "torch {imported} answers, and {locked} was installed: something in the environment has replaced it.",
        imported=imported,
        locked=locked.version,
    )
    yield SmokeCheck("import", "failed", said)


def left_out(plan: Plan) -> Iterator[SmokeCheck]:
    """Yield what a person named and did not get: said before the setup alone, it is forgotten at its end."""
    for one in plan.notices:
        if one.key.startswith(("project.named.", "project.native.")) and one.params.get("name") in plan.left_out:
            yield SmokeCheck("left", "warning", one)
