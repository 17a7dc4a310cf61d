"""What a person would type to get the same environment by hand. For the Review page; nobody runs it."""

from __future__ import annotations

import shlex

from wizard.plan.model import Plan, PlanSource
from wizard.process import redact


def equivalent_commands(plan: Plan) -> tuple[str, ...]:
    """Redacted: safe to show and to copy, credentials have to be put back."""
    lines = (_install(plan),) if plan.engine == "existing" else (_create(plan), _install(plan))
    return tuple(redact(line) for line in lines)


def _create(plan: Plan) -> str:
    prefix = shlex.quote(plan.prefix)
    if plan.engine == "venv":
        return f"{shlex.quote(plan.base_python or 'python3')} -m venv {prefix}"
    channels = " ".join(f"-c {shlex.quote(channel)}" for channel in plan.channels)
    conda = shlex.quote(plan.conda or "conda")
    return f"{conda} create -p {prefix} --override-channels {channels} python={plan.python} pip"


def _install(plan: Plan) -> str:
    options: list[str] = []
    for source in plan.sources:
        given = _options(source)
        options += [] if given and given[1] in options else given
    wanted = " ".join(shlex.quote(requirement) for requirement in plan.requirements)
    return " ".join(["uv pip install --python", shlex.quote(plan.prefix), *options, wanted])


def _options(source: PlanSource) -> list[str]:
    if source.url is None:
        return []  # the official index is the default: it is chosen by saying nothing
    option = "--find-links" if source.layout == "flat" else "--index"
    return [option, shlex.quote(source.url)]
