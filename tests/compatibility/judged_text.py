"""Hold an error text against the tables, for the tests of what is said to it."""

from __future__ import annotations

from wizard.compatibility.data.load import load_matrix
from wizard.diagnose.known_errors.fact_checks import judge_facts
from wizard.diagnose.known_errors.facts import TextFacts, parse_facts
from wizard.diagnose.known_errors.match import Explanation, explain
from wizard.model.messages import LANGUAGES, text


def reasons(words: str) -> dict[str, dict[str, str]]:
    judged = judge_facts(parse_facts(words), load_matrix()).reasons
    for reason in judged:
        for language in LANGUAGES:
            assert "{" not in text(reason, language)
    return {reason.key.rpartition(".")[2]: dict(reason.params) for reason in judged}


def of(words: str) -> tuple[tuple[Explanation, ...], TextFacts]:
    return explain(words), parse_facts(words)


def pin(wanted: str, listed: str, *lines: str) -> str:
    first = f"ERROR: Could not find a version that satisfies the requirement {wanted} (from versions: {listed})"
    return "\n".join((*lines, first))
