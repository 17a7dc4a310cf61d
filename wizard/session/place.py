"""Where the environment goes: from a name or a prefix to one absolute path, checked before anything starts."""

from __future__ import annotations

from pathlib import Path

from wizard import paths
from wizard.environments.naming import absolute_prefix, check_name, check_prefix
from wizard.errors import UsageError
from wizard.i18n import Message
from wizard.plan.model import Choices
from wizard.plan.requirement import Requirement

DEFAULT_NAME = "torch"


def target_prefix(choices: Choices) -> Path:
    """Raises UsageError `bad-name` or `name-and-prefix`."""
    if choices.name is not None and choices.prefix is not None:
        raise UsageError("name-and-prefix")
    if choices.prefix is not None:
        if not choices.prefix.strip() or "\0" in choices.prefix:
            raise UsageError("bad-prefix", path=choices.prefix)
        return absolute_prefix(choices.prefix)
    name = DEFAULT_NAME if choices.name is None else choices.name
    check_name(name, paths.os_name())
    return paths.default_environments_dir() / name


def check_place(choices: Choices) -> tuple[Requirement, ...]:
    """Hazards of the place. Raises UsageError for one that can never be right."""
    prefix = target_prefix(choices)
    hazards: tuple[Message, ...] = check_prefix(prefix, paths.os_name())
    return tuple(Requirement("path", "warning", hazard) for hazard in hazards)
