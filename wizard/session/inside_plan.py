"""The plan of a run inside an environment that is there: a repair, or a setup into it. Nothing is created by it."""

from __future__ import annotations

import time

from wizard.doctor.installation import Installation
from wizard.i18n import Message
from wizard.machine.serialize import machine_to_json
from wizard.packages.model import Lock
from wizard.plan.model import Choices, Plan, PlanSource
from wizard.session.model import Election, Facts
from wizard.session.preview import network_environment
from wizard.steps.run_folder import RunFolder

EXACT = ("nvidia-", "cuda-", "triton")  # torch names these in exact versions: they follow torch


def inside_plan(
    facts: Facts, env: Installation, election: Election, choices: Choices, folder: RunFolder, lock: Lock,
    gpu_expected: bool, notices: tuple[Message, ...] = (),
) -> Plan:  # fmt: skip
    sources = [("torch", election.torch_source), *(("packages", source) for source in election.package_sources)]
    return Plan(
        id=folder.id,
        created=round(time.time(), 3),
        candidate=election.candidate,
        choices=choices,
        prefix=str(env.prefix),
        engine=election.engine,
        engine_reason=election.engine_reason,
        python=election.python,
        base_python=None,
        channels=(),
        sources=tuple(PlanSource(role, s.layout.value, s.origin.value, s.url, s.name) for role, s in sources),
        requirements=election.requirements,
        gpu_expected=gpu_expected,
        machine=machine_to_json(facts.machine),
        total_bytes=lock.total_bytes,
        notices=notices,
        environment=network_environment(facts.settings, [source.url for _, source in sources]),
    )
