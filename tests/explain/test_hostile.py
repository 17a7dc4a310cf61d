"""Whatever is pasted is looked through in a few times a plain search: by every pattern, and by all of them together.

Processor time of this thread, not time on the wall. With `re` 24 kB of one of these texts took half a minute.
"""

from __future__ import annotations

import re
import time
from collections import deque
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.thorough import times
from wizard.diagnose.known_errors.match import explain, known_errors, parse_errors
from wizard.model.patterns import Pattern, Text, compiled
from wizard.model.tables import TableError

MOST_TIMES = 12  # the time of one plain search over LARGE bytes: all rows at once take 3, a cubic pattern a hundred
SMALL, LARGE = 24_000, 10_000_000
ROWS = known_errors()
PARTS = {
    row.id: sorted({part for pattern in (*row.patterns, *row.needs, *row.near) for part in pattern.parts})
    for row in ROWS
}


def repeated(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def taken(words: str) -> float:
    before = time.thread_time()
    explain(words)
    return time.thread_time() - before


@lru_cache(maxsize=1)
def plain_search() -> float:
    """What this computer takes to find each word of LARGE bytes, in processor time."""
    before = time.thread_time()
    deque(re.finditer(r"\w+", repeated("torch is not installed ", LARGE)), maxlen=0)
    return time.thread_time() - before


def assert_quick(words: str) -> None:
    """Processor time beside that of a plain search, and again where it was long: beside others both are longer."""
    assert any(taken(words) < MOST_TIMES * plain_search() for _ in range(5))


@st.composite
def pieces(draw: st.DrawFn, part: str) -> str:
    """What the expression matches, or a beginning of it, apart or run together: a match seems near at every place."""
    word = draw(st.from_regex(re.compile(part.replace(r"\z", r"\Z"), re.MULTILINE)))
    whole = draw(st.booleans())
    beginning = word if whole else word[: draw(st.integers(1, max(1, len(word))))]
    return (beginning + draw(st.sampled_from(["", " ", "\n", "x", "\r", "\x1b]", "é"]))) or " "


def relaxed(thorough: int, usual: int) -> settings:
    return settings(
        max_examples=times(thorough, usual),
        deadline=None,
        derandomize=usual == 1,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PARTS))
def test_every_pattern_takes_its_own_words_again_and_again(name: str) -> None:
    for part in PARTS[name]:
        relaxed(50, 1)(given(pieces(part))(lambda piece: assert_quick(repeated(piece, SMALL))))()


@relaxed(400, 12)
@given(st.data())
def test_ten_megabytes_of_anything(data: st.DataObject) -> None:
    anything = st.one_of(
        st.sampled_from([part for parts in PARTS.values() for part in parts]).flatmap(pieces),
        st.text(min_size=1),
        st.sampled_from(["UnicodeDecodeError conda C:\\Users\\", "\x1b]", "a://", "\t \n", "conda install ", "torch "]),
    )
    words = "".join(data.draw(st.lists(anything, min_size=1, max_size=3)))
    assert_quick(repeated(words, LARGE))


def test_all_of_them_at_once() -> None:
    words = "\n".join(row.source + " " + " ".join(PARTS[row.id]) for row in ROWS)
    assert_quick(repeated(words, LARGE))


def test_ten_megabytes_in_which_every_byte_is_a_letter_of_another_alphabet() -> None:
    assert_quick(repeated("磁盘空间不足 显存 pip ", LARGE))
    assert_quick("\ud800" * 1_000_000)  # half a character, as a broken clipboard hands it over


@pytest.mark.parametrize(
    "value", [r"a(?=b)", r"(a)\1", r"a[\s\S]{0,6000}b", r"(a.{0,200}){5}", r"a*", "(", [], ["a", 3], ["a", "b", "c"], 7]
)
def test_a_pattern_without_a_bound_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        Pattern.parse(value)


def test_parts_follow_each_other_within_their_distance() -> None:
    pattern = Pattern.parse(["Errno 2", 10, "HINT: (?P<what>\\w+)", 5, "Long"])
    told = Text("Errno 2 HINT: no ...... Errno 2 .. HINT: yes Long Long").last(pattern)
    assert told is not None
    assert (told.start, told.groups()) == (24, {"what": "yes"})
    assert Text("Errno 2 " + "x" * 11 + "HINT: a Long").last(pattern) is None
    assert Text("HINT: a Long Errno 2").last(pattern) is None


def test_no_number_in_a_log_is_too_long_to_be_told() -> None:
    words = "The NVIDIA driver on your system is too old (found version %s)"
    assert explain(words % ("9" * 5000)) == ()
    assert explain(words % "12040")[0].params["found"] == "12.4"


def test_a_wrong_row_is_named_by_line_and_field() -> None:
    row = '[[error]]\nid="x"\narea="pip"\nos="any"\npatterns=["a(?!b)"]\nsource="a"\nstatus="b"\nas_of="2026-11"\n'
    with pytest.raises(TableError, match=r"errors\.5\.patterns"):
        parse_errors(row)
    with pytest.raises(TableError, match=r"errors\.x\.needs.*nowhere"):
        parse_errors(row.replace("(?!b)", "") + 'needs=["@nowhere"]\n')


def test_the_expressions_are_compiled_once() -> None:
    assert compiled("torch") is compiled("torch")
