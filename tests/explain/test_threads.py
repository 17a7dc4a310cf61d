"""Texts of public threads: the collection is as its head says, and other programs' errors stay unanswered."""

from __future__ import annotations

import re
from collections import Counter

from tests.explain.threads import ELSEWHERE, THREADS, verdicts
from wizard.diagnose.known_errors.match import explain


def test_the_collection_is_fresh_and_names_its_threads() -> None:
    assert len(THREADS) >= 110
    assert len({thread.id for thread in THREADS}) == len(THREADS)
    for thread in THREADS:
        assert thread.source.startswith("https://github.com/"), thread.id
        assert thread.date.year >= 2025, thread.id
        assert len(thread.text.splitlines()) <= 60, thread.id
        assert thread.answer, thread.id
        assert thread.needs, thread.id
        for pattern in (*thread.needs, *thread.never):
            re.compile(pattern)


def test_no_thread_names_a_person() -> None:
    people = re.compile(r"(?:/home/|/Users/|[Uu]sers\\+)(?!user\b|runner\b)\w+")
    assert [thread.id for thread in THREADS if people.search(thread.text)] == []


def test_neither_half_is_small() -> None:
    halves = [thread.half for thread in THREADS]
    assert min(halves.count("open"), halves.count("held")) >= 50


def test_other_programs_errors_get_no_advice() -> None:
    assert {words: found for words in ELSEWHERE if (found := [one.id for one in explain(words)])} == {}


def test_most_threads_are_answered_and_none_does_harm() -> None:
    for half, share in (("open", 0.9), ("held", 0.75)):
        counts = Counter(verdicts(half).values())
        assert counts["harmful"] == 0, half
        assert counts["wrong"] <= 0.03 * sum(counts.values()), half
        assert counts["right"] + counts["partly"] >= share * sum(counts.values()), half


def test_what_says_less_of_the_same_text_is_not_shown_beside() -> None:
    first = "ERROR: Could not find a version that satisfies the requirement torch==2.7.1+cu128 (from versions: 2.8.0)"
    last = "ERROR: No matching distribution found for torch==2.7.1+cu128"
    assert [found.id for found in explain(f"{first}\n{last}")] == ["no-version-tag"]
