"""Whatever is in the file: a profile, or a sentence. Never an exception of another kind, and never a half truth."""

from __future__ import annotations

import sys
from copy import deepcopy
from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.classroom.profile.examples import full
from tests.thorough import times
from wizard.classroom.profile.model import Profile
from wizard.classroom.profile.read import parse_profile
from wizard.classroom.profile.write import profile_file, profile_text
from wizard.model.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CODES = {"profile-bad", "profile-newer", "profile-not-toml", "profile-too-large"}
TRIES = settings(max_examples=times(5000, 60), deadline=None)
ODD = st.one_of(
    st.text(max_size=20).filter(lambda text: text.isprintable()),
    st.sampled_from(
        [
            "",
            "..",
            "../x",
            "/etc",
            "~",
            "CON",
            "-x",
            "--help",
            "a@b",
            "http://x",
            "https://x/",
            "file:///x",
            "2.28",
            "3.12",
            "cu126",
            "$(id)",
            "%PATH%",
            "https://[",
            "https://[::1]/x",
            "https://x:0/",
            "x" * 3000,
        ]
    ),
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.floats(allow_nan=False),
    st.just([]),
    st.just({}),
    st.lists(st.text(max_size=3).filter(lambda text: text.isprintable()), max_size=3),
    st.just([{"x": 1}]),
)


def outcome(data: bytes) -> Profile | None:
    try:
        return parse_profile(data)
    except UsageError as error:
        refusal = error
    assert refusal.code in CODES
    assert "\n" not in str(refusal)
    assert str(refusal).isprintable()
    return None


@TRIES
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    assert outcome(data) is None


@TRIES
@given(st.data())
def test_a_sound_profile_with_some_bytes_changed(data: st.DataObject) -> None:
    sound = bytearray(profile_text(full()).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(sound) - 1))
        sound[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    _is_whole(outcome(bytes(sound)))


@TRIES
@given(st.data())
def test_a_sound_profile_with_some_values_changed(data: st.DataObject) -> None:
    value = tomllib.loads(profile_text(full()))
    for _ in range(data.draw(st.integers(1, 3))):
        place, key = _somewhere(value, data)
        if data.draw(st.booleans()):
            place[key] = deepcopy(data.draw(ODD))  # a value that is drawn twice must not remember
        elif isinstance(place, dict):
            del place[key]
    _is_whole(outcome(tomlkit.dumps(value).encode()))


def _somewhere(value: Any, data: st.DataObject) -> tuple[Any, Any]:
    """A container, and a key in it."""
    while True:
        keys = sorted(value) if isinstance(value, dict) else list(range(len(value)))
        key = data.draw(st.sampled_from(keys))
        inner = value[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.integers(0, 3)) == 0:
            return value, key
        value = inner


def _is_whole(found: Profile | None) -> None:
    """What was taken can be written and taken again: nothing in it was let through by half."""
    if found is not None:
        assert profile_file(found).profile == found


@pytest.mark.parametrize("count", [0, 1, 5])
def test_the_fuzz_can_fail(count: int) -> None:
    """Untouched it is a profile, so refusals above come from the changes."""
    assert outcome(profile_text(full()).encode() + b"\n" * count) == full()
