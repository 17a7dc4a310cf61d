from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wizard.model.events import Event, EventKind, parse_line

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@given(st.sampled_from(EventKind), st.integers(1), st.dictionaries(st.sampled_from(["step", "text", "done"]), JSON))
def test_round_trip(kind: EventKind, seq: int, data: dict[str, object]) -> None:
    event = Event(kind, seq, 1.5, "run", data)
    assert parse_line(event.to_line()) == event


@given(st.text())
def test_what_is_no_event_is_none(line: str) -> None:
    assert parse_line(line) is None


def test_an_event_from_the_future_is_ignored() -> None:
    assert parse_line('{"schema": 1, "event": "teleported", "seq": 1, "time": 0, "run": "r"}') is None
