"""Errors that a person may see: a code, one sentence of cause, one of what to do, details for the log.

Not every exception: a bug stays a bug and is logged whole. `Cancelled` is its own type, because
stopping on request is no failure.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple

from wizard.model.messages import Message, Param, params_to_json, text, without_point


class ExitStatus(enum.IntEnum):
    """The command line's contract (docs/architecture.md)."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    GPU_TEST_FAILED = 3
    CANCELLED = 130


class ErrorText(NamedTuple):
    """What one kind of error says, for those that several places raise: cause and remedy in English (str.format)."""

    code: str
    summary: str = ""
    hint: str = ""


class WizardError(Exception):
    """`code` stays when its sentences change; `params` fill their blanks.

    An error of one place says its own, code, cause and remedy, where it is raised; one of several places is
    an ErrorText. Without sentences, `error.<code>.summary` and `.hint` are those of a table.
    """

    exit_status = ExitStatus.FAILED

    def __init__(
        self, code: str | ErrorText, summary: str = "", hint: str = "", /, *, details: str = "", **params: Param
    ) -> None:
        self.words = code if isinstance(code, ErrorText) else ErrorText(code=code, summary=summary, hint=hint)
        super().__init__(self.words.code)
        self.params = params
        self.details = details

    @property
    def code(self) -> str:
        return self.words.code

    @property
    def summary(self) -> Message:
        return Message(f"error.{self.code}.summary", self.params, self.words.summary)

    @property
    def hint(self) -> Message:
        return Message(f"error.{self.code}.hint", self.params, self.words.hint)

    def to_json(self, language: str | None = None) -> dict[str, Any]:
        """`sentences` are the templates: who reads this back can say it in another language."""
        return {
            "code": self.code,
            "params": params_to_json(self.params, language),
            "summary": text(self.summary, language),
            "hint": text(self.hint, language),
            "details": self.details,
            "sentences": {"summary": self.summary.sentence, "hint": self.hint.sentence},
        }

    def __str__(self) -> str:
        return f"{text(self.summary, 'en')} {text(self.hint, 'en')}"


BAD_PLAN = ErrorText(
    "bad-plan",
    "{path} cannot be read as a plan.",
    "Make a new one [on the page {page.welcome}.|with: torch-wizard setup]",
)
EXPORT_EXISTS = ErrorText(
    "export-exists",
    "There is a file {path} already; it was left as it is.",
    "Choose another name for the file.",
)
EXPORT_NOT_WRITTEN = ErrorText(
    "export-not-written",
    "{path} could not be written.",
    "Choose a folder that is yours.",
)
PROFILE_LOCAL = ErrorText(
    "profile-local",
    "{url} is on this computer, where the students cannot reach it.",
    "Choose another source: on the page {page.source}[|, or with --torch-index, --index, --find-links or --channel].",
)
INTERNAL = ErrorText(
    "internal",
    "The program made a mistake of its own ({what}).",
    "Nothing that was finished is lost; please report it with the log.",
)
WINDOW_NOT_SAVED = ErrorText(
    "window-not-saved",
    "The file “{path}” could not be written.",
    "Choose another folder.",
)


def kept_message(error: Mapping[str, Any], part: str) -> Message:
    """Return the `summary` or the `hint` of an error that was kept as JSON."""
    sentence = (error.get("sentences") or {}).get(part)
    told = {"key": f"error.{error['code']}.{part}", "params": error.get("params"), "sentence": sentence}
    return Message.from_json(told | ({"text": error[part]} if error.get(part) else {}))


def gigabytes_apart(needed: int, free: int) -> tuple[float, float]:
    """For a sentence that says there is too little room: with as many digits as the two need to differ."""
    digits = next((digits for digits in range(1, 9) if round(needed / 1e9, digits) != round(free / 1e9, digits)), 9)
    return without_point(round(needed / 1e9, digits)), without_point(round(free / 1e9, digits))


class UsageError(WizardError):
    """What was asked cannot be right: nothing was started."""

    exit_status = ExitStatus.USAGE


class Cancelled(Exception):
    """The user stopped it."""
