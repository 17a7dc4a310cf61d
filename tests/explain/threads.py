"""Texts of public threads (`tests/data/explain/threads.toml`) and how an answer to one is judged.

Half of them is open: rules are written from it. The other half is only counted. Beside them, texts that have nothing
to do with PyTorch's installation (`elsewhere.toml`).
"""

from __future__ import annotations

import datetime
import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from wizard.compatibility.data.load import load_matrix
from wizard.diagnose.known_errors.fact_checks import judge_facts
from wizard.diagnose.known_errors.facts import parse_facts
from wizard.diagnose.known_errors.match import explain
from wizard.model.messages import text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FOLDER = Path(__file__).resolve().parents[1] / "data" / "explain"


@dataclass(frozen=True, slots=True)
class Thread:
    """`needs`: patterns that a right answer matches; `never`: patterns that no answer may match."""

    id: str
    source: str
    date: datetime.date
    category: str
    text: str
    answer: str
    needs: tuple[str, ...]
    never: tuple[str, ...] = ()

    @property
    def half(self) -> str:
        return "held" if int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 2 else "open"


def _read() -> tuple[Thread, ...]:
    rows = tomllib.loads((_FOLDER / "threads.toml").read_text(encoding="utf-8"))["thread"]
    return tuple(Thread(**{**row, "needs": tuple(row["needs"]), "never": tuple(row.get("never", ()))}) for row in rows)


THREADS = _read()
ELSEWHERE: tuple[str, ...] = tuple(
    row["text"] for row in tomllib.loads((_FOLDER / "elsewhere.toml").read_text(encoding="utf-8"))["text"]
)


def judge(thread: Thread, answers: tuple[str, ...]) -> str:
    """right, partly, wrong, harmful or silent. `answers`: cause and fix in English, the first answer first."""
    if not answers:
        return "silent"
    if _any(thread.never, "\n".join(answers)):
        return "harmful"
    met = [need for need in thread.needs if _any((need,), answers[0])]
    if len(met) == len(thread.needs):
        return "right"
    return "partly" if met else "wrong"


def _any(patterns: tuple[str, ...], words: str) -> bool:
    return any(re.search(pattern, words, re.IGNORECASE) for pattern in patterns)


def answers(words: str) -> tuple[str, ...]:
    """What is shown of a text, in English: the first answer with what the tables say, then the others."""
    found = [f"{text(one.cause, 'en')} {text(one.fix, 'en')}" for one in explain(words)[:3]]
    judged_facts = judge_facts(parse_facts(words), load_matrix()).reasons if found else ()
    return tuple(
        [" ".join([*found[:1], *(text(reason, "en") for reason in judged_facts)]), *found[1:]] if found else ()
    )


def verdicts(half: str) -> dict[str, str]:
    """The verdict on each thread of that half, by its id."""
    return {thread.id: judge(thread, answers(thread.text)) for thread in THREADS if thread.half == half}
