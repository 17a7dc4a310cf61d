"""Shared by the tests of deleting: the plan for a folder, and the code by which one is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wizard.environment.inspect.look import look
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.remove import delete
from wizard.environment.remove.delete import DeletionPlan, ProtectedPlaces, plan_deletion
from wizard.model.errors import WizardError

NOTHING = ProtectedPlaces()


def plan_of(prefix: Path, around: ProtectedPlaces = NOTHING) -> DeletionPlan:
    found = look(prefix)
    assert found is not None, prefix
    return plan_deletion(found, around, {}, lambda: False)


def refusal(prefix: Path, around: ProtectedPlaces = NOTHING) -> str:
    """What needs no walk is refused in the doing, too, just as in the plan."""
    found = look(prefix) or Environment(prefix.name, prefix, EnvironmentKind.VENV, EnvironmentState.OK)
    with pytest.raises(WizardError) as caught:
        plan_deletion(found, around, {})
    if caught.value.params.get("what") is None and caught.value.code != "delete-denied":
        with pytest.raises(WizardError, match=re.escape(str(caught.value))):
            delete.check_deletable(prefix, around)
    return caught.value.code
