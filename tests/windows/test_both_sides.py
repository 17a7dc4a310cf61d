"""The two sides of `wizard.system` against each other. Not collected on Windows, where Linux's cannot be imported."""

from __future__ import annotations

import inspect
import signal
import sys
from types import ModuleType
from typing import Any

import pytest

from wizard.system import (
    disk,
    disk_linux,
    disk_windows,
    places,
    places_linux,
    places_windows,
    processes,
    processes_linux,
    processes_windows,
)


def public(side: ModuleType) -> dict[str, Any]:
    own = {name: value for name, value in vars(side).items() if not name.startswith("_")}
    made = {name: value for name, value in own.items() if getattr(value, "__module__", "") == side.__name__}
    plain = {name: value for name, value in own.items() if name.isupper()}
    return {**plain, **made}


def taken(value: Any) -> dict[str, list[str]]:
    """What it is called with: its own parameters, or those of each public method."""
    if inspect.isclass(value):
        methods = {name: one for name, one in vars(value).items() if inspect.isfunction(one) and name[0] != "_"}
        return {"": list(inspect.signature(value).parameters)} | {
            name: list(inspect.signature(one).parameters) for name, one in methods.items()
        }
    return {"": list(inspect.signature(value).parameters)} if callable(value) else {}


@pytest.mark.parametrize(
    ("seam", "one", "other"),
    [
        (disk, disk_linux, disk_windows),
        (processes, processes_linux, processes_windows),
    ],
)
def test_both_sides_offer_the_same(seam: ModuleType, one: ModuleType, other: ModuleType) -> None:
    only_one = {"first_allowed"}  # of Windows' own, for tests
    first, second = public(one), {name: value for name, value in public(other).items() if name not in only_one}
    assert set(first) == set(second)
    assert {name: taken(value) for name, value in first.items()} == {n: taken(v) for n, v in second.items()}
    assert all(getattr(seam, name) is first[name] for name in first) or sys.platform == "win32"


def test_both_systems_keep_the_same_things_somewhere() -> None:
    asked = {name for name in vars(places.Places) if not name.startswith("_")}
    for side in (places_linux, places_windows):
        assert asked == {name for name, value in public(side).items() if callable(value)}
    assert (places.places("linux"), places.places("windows")) == (places_linux, places_windows)


def test_linux_own_side_of_processes() -> None:
    assert processes_linux.may_open(16) >= 16
    assert set(processes_linux.STOP_SIGNALS) == {signal.SIGINT, signal.SIGTERM}
