"""What conda said when it failed becomes a sentence and a way out: rows of `matrices/conda_errors.toml`.

Pure. Errors come as JSON (one, or several in one), as mamba's text, or as nothing at all (killed). Terms of service
are explained and never accepted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from wizard.environment.conda.answer import parse_document
from wizard.environment.model import Target
from wizard.model.errors import ErrorText, WizardError
from wizard.model.patterns import compiled, search
from wizard.model.tables import Date, Name, Row, Words, parse_table, shipped_table
from wizard.process import Outcome, redact, without_memory

CONDA_FAILED = ErrorText(
    "conda-failed",
    "{program} stopped: {said}",
    "See the details. Trying again is safe; or take the built-in engine[| (--engine rattler)].",
)
CONDA_NO_ANSWER = ErrorText(
    "conda-no-answer",
    "{program} answered in a way that cannot be read.",
    "See the details; a plugin or a start script may print into it. Try again, or take the built-in engine[| "
    "(--engine rattler)].",
)
CONDA_NOT_STARTED = ErrorText(
    "conda-not-started",
    "“{path}” can't be started.",
    "When it is broken, name another one [on the page {page.place}|with --conda] or take the built-in engine[| "
    "(--engine rattler)].",
)

_ANY = "*"
_LIBMAMBA = "libmamba"
_LIST = re.compile(r"(?:^|\n)\s*-\s+")
_MOST_LETTERS = 300  # of one blank in a sentence


class CondaErrorRow(Row, frozen=True, kw_only=True):
    KEYS = (("exception", "says"),)

    exception: Words
    code: Name
    source: Words
    as_of: Date
    says: str = ""

    def __post_init__(self) -> None:
        try:
            compiled(self.says)
        except ValueError as error:
            raise ValueError(f"says: {error}") from error

    def find(self, exception: str, said: str) -> Any | None:
        return search(f"(?i){self.says}", said) if self.exception in (exception, _ANY) else None


class CondaErrorTable(Row, frozen=True):
    error: tuple[CondaErrorRow, ...]


@dataclass(frozen=True, slots=True)
class Complaint:
    """One error: conda's name for it and its words."""

    exception: str
    text: str


def parse_errors(document: str) -> tuple[CondaErrorRow, ...]:
    """Return the rows of the table. Raises TableError."""
    return parse_table("conda_errors", document, CondaErrorTable).error


@lru_cache(maxsize=1)
def error_rows() -> tuple[CondaErrorRow, ...]:
    return shipped_table("conda_errors", CondaErrorTable).error


def complaints(data: Mapping[str, Any] | None, stderr: str) -> tuple[Complaint, ...]:
    """Return the errors without repeats; one that holds several is taken apart. mamba's words are on stderr."""
    found: list[Complaint] = []
    if data is not None and "solver_problems" in data:
        problems = "\n".join(map(str, data["solver_problems"])) or "solver_problems"
        found.append(Complaint(_LIBMAMBA, problems))
    elif data is not None and "exception_name" in data:
        inner = [each for each in data.get("errors") or () if isinstance(each, Mapping)]
        for each in inner or [data]:
            words = each.get("message") or each.get("error") or ""
            found.append(Complaint(str(each.get("exception_name", "")), str(words)))
    if re.search(r"^(?:error|critical)\s+libmamba", stderr, re.MULTILINE):
        found.append(Complaint(_LIBMAMBA, stderr))
    return tuple(dict.fromkeys(found))


def failure(outcome: Outcome, target: Target, kind: str) -> WizardError:
    """Return the error for a conda that ended without success, by what it wrote; `kind` names the program in the
    sentence."""
    if lack := without_memory(outcome):
        return lack
    blanks: dict[str, str] = {
        "path": str(target.prefix),
        "channel": _channels(target),
        "channels": _channels(target),
        "python": target.python,
        "program": kind,
    }
    details = outcome.tail()
    if outcome.exit_code is None:
        return WizardError(CONDA_NOT_STARTED, details=details, **{**blanks, "path": outcome.request.argv[0]})
    data = parse_document(outcome.stdout)
    complained = complaints(data, outcome.stderr)
    if complained:
        details = "\n".join([details, *(redact(f"{each.exception}: {each.text.strip()}") for each in complained)])
    for each in complained or (Complaint("", outcome.stderr + outcome.stdout),):
        for row in error_rows():
            if match := row.find(each.exception, each.text):
                return WizardError(row.code, details=details, **{**blanks, **_named(match)})
    return _unknown(outcome, complained, data, details, blanks)


def _unknown(
    outcome: Outcome,
    complained: tuple[Complaint, ...],
    data: Mapping[str, Any] | None,
    details: str,
    blanks: Mapping[str, str],
) -> WizardError:
    if complained:
        said = redact(complained[0].text.strip().partition("\n")[0])[:_MOST_LETTERS]
        return WizardError(CONDA_FAILED, details=details, **{**blanks, "said": said or complained[0].exception})
    if outcome.exit_code is not None and outcome.exit_code < 0:
        return WizardError(
            "conda-killed",
            "{program} was ended from outside (signal {signal}) while it worked in “{path}”.",
            "Memory may have run out. Close other programs and try again; what was begun is removed first.",
            details=details,
            **blanks,
            signal=-outcome.exit_code,
        )
    if data is None:
        return WizardError(CONDA_NO_ANSWER, details=details, **blanks)
    return WizardError(CONDA_FAILED, details=details, **{**blanks, "said": f"exit status {outcome.exit_code}"})


def _named(match: Any) -> dict[str, str]:
    """The named groups as blanks: lists on one line, without secrets; an empty one is left to the default."""
    named = {}
    for name, value in match.groupdict().items():
        parts = [part.strip() for part in _LIST.split(value or "") if part.strip()]
        if parts:
            named[name] = redact(", ".join(parts))[:_MOST_LETTERS]
    return named


def _channels(target: Target) -> str:
    return ", ".join(redact(channel) for channel in target.channels)
