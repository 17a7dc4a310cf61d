"""From the words of the built-in engine's child to the error that a person is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from wizard.environments.model import Target
from wizard.errors import WizardError
from wizard.network.trouble import explain_text
from wizard.process import Outcome, redact, without_memory

_DISK_FULL = re.compile(
    r"os error (?:28|112|122)\b|No space left on device|not enough space on the disk|Disk quota exceeded", re.IGNORECASE
)
_FILE = re.compile(r"failed to fetch ([^\s:]+)")


class Failed(Exception):
    """One attempt: the error as it would be told, the child's word for its kind, and all that it said."""

    def __init__(self, error: WizardError, kind: str, said: str) -> None:
        super().__init__(said)
        self.error = error
        self.kind = kind
        self.said = said


def failure(
    error: Mapping[str, Any],
    outcome: Outcome,
    target: Target,
    channels: Iterable[str],
    environment: Mapping[str, str] | None = None,
) -> WizardError:
    """The child's own words decide; without any it has crashed."""
    if lack := without_memory(outcome):  # its own words are lines of its output
        return lack
    said = redact(str(error.get("text", "")))
    details = f"{said}\n{outcome.tail()}" if said else outcome.tail()
    names = ", ".join(redact(channel) for channel in channels)
    if _DISK_FULL.search(said):
        return WizardError("env-disk-full", details, path=str(target.prefix))
    trouble = explain_text(str(error.get("text", "")), environment or {})
    if trouble:
        return WizardError(trouble.code, details, **trouble.params)
    if error.get("kind") == "unreachable":
        return WizardError("env-channel-unreachable", details, channels=names)
    if error.get("kind") == "lost":
        file = _FILE.search(said)
        return WizardError("env-channel-lost", details, channels=names, file=file[1] if file else "?")
    if error.get("kind") == "unsolvable":
        return WizardError("env-unsolvable", details, channels=names, python=target.python)
    if said:
        return WizardError("env-failed", details, path=str(target.prefix))
    return WizardError("env-crashed", details)
