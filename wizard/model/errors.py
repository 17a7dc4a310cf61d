"""Errors that a person may see: a code, one sentence of cause, one of what to do, details for the log.

Not every exception: a bug stays a bug and is logged whole. `Cancelled` is its own type, because
stopping on request is no failure.
"""

from __future__ import annotations

import enum
from typing import Any

from wizard.model.messages import Message, Param, params_to_json, text


class ExitStatus(enum.IntEnum):
    """The command line's contract (docs/architecture.md)."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    GPU_TEST_FAILED = 3
    CANCELLED = 130


class WizardError(Exception):
    """`code` picks `error.<code>.summary` and `error.<code>.hint` in the catalogue; `params` fill them."""

    exit_status = ExitStatus.FAILED

    def __init__(self, code: str, details: str = "", **params: Param) -> None:
        super().__init__(code)
        self.code = code
        self.params = params
        self.details = details

    @property
    def summary(self) -> Message:
        return Message(f"error.{self.code}.summary", self.params)

    @property
    def hint(self) -> Message:
        return Message(f"error.{self.code}.hint", self.params)

    def to_json(self, language: str | None = None) -> dict[str, Any]:
        return {
            "code": self.code,
            "params": params_to_json(self.params, language),
            "summary": text(self.summary, language),
            "hint": text(self.hint, language),
            "details": self.details,
        }

    def __str__(self) -> str:
        return f"{text(self.summary, 'en')} {text(self.hint, 'en')}"


def gigabytes_apart(needed: int, free: int) -> tuple[float, float]:
    """For a sentence that says there is too little room: with as many digits as the two need to differ."""
    digits = next((digits for digits in range(1, 9) if round(needed / 1e9, digits) != round(free / 1e9, digits)), 9)
    return round(needed / 1e9, digits), round(free / 1e9, digits)


class UsageError(WizardError):
    """What was asked cannot be right: nothing was started."""

    exit_status = ExitStatus.USAGE


class Cancelled(Exception):
    """The user stopped it."""
