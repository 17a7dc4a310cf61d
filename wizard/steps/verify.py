"""Runs the smoke test in the new environment's own Python. A failed GPU test is a result, not a failed step."""

from __future__ import annotations

from wizard.i18n import Message, message
from wizard.machine.serialize import machine_from_json
from wizard.steps.context import Context
from wizard.steps.smoke import verify
from wizard.steps.smoke_words import check_name


class Verify:
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
