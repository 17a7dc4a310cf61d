"""Runs the smoke test in the new environment's own Python. A failed GPU test is a result, not a failed step."""

from __future__ import annotations

from wizard.machine.machine_file import machine_from_json
from wizard.model.messages import Message, message
from wizard.run.context import Context, Step
from wizard.run.verify.smoke import check_name, verify


class Verify(Step):
    name = "verify"
    weight = 9

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
            on_check=lambda name: context.emitter.progress(self.name, 0, None, check_name(name)),
        )
        for check in verification.checks:
            context.emitter.detail(self.name, f"{check.state} {check.name} {dict(check.data)}")
        context.verification.set_result(verification)
        context.journal.done(self.name, {"ok": verification.ok})
        return verification.headline
