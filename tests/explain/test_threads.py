"""Texts of public threads: the collection is as its head says, and other programs' errors stay unanswered."""

from __future__ import annotations

import re

import pytest

from tests.explain.threads import ELSEWHERE, THREADS
from wizard.explain.match import explain


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


@pytest.mark.parametrize("words", ELSEWHERE)
def test_other_programs_errors_get_no_advice(words: str) -> None:
    assert [found.id for found in explain(words)] == []
