"""From the plan that Review shows to a class profile with the same build: what a teacher hands to the class.

The locks are made anew from the sources, as `profile make` does, so that nothing of this computer gets into the file.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from wizard.matrix.model import Matrix
from wizard.plan.model import Choices, Plan
from wizard.profile.model import ProfileEnvironment, ProfileFile
from wizard.session.model import Facts
from wizard.session.profile_make import Made, make_profile
from wizard.session.profile_needs import Allowed, needs_of_machines

_COMPANIONS = ("torchvision",)
ASKED = ("place",)  # a student's disk is not the teacher's


def profile_of_plan(
    facts: Facts, matrix: Matrix, plan: Plan, choices: Choices, is_cancelled: Callable[[], bool]
) -> ProfileFile:
    """Raises as `make_profile`; `profile-needs-nothing` for a build that does not run on this computer."""
    build = plan.candidate
    allowed = Allowed((build.torch,), (build.variant,), plan.python, include_unadvertised=True)
    needs = needs_of_machines([("-", facts.machine)], allowed, matrix)
    name = PurePath(plan.prefix).name
    environment = ProfileEnvironment(
        name=name,
        engine=choices.engine,
        torch=(build.torch,),
        companions=_COMPANIONS if choices.companions is None else choices.companions,
        extras=choices.extras,
    )
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    channel = None if choices.engine == "venv" else choices.channel  # that engine asks none
    wanted = replace(choices, python=plan.python, name=None, prefix=None, engine="venv", conda=None, channel=channel)
    return make_profile(facts, matrix, needs, Made(name, today, environment, ask=ASKED), wanted, is_cancelled)
