"""The releases that packages had on a day: which a lock prefers, and where none can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.install import wheels
from tests.servers.index_server import IndexServer
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import LANGUAGES, text
from wizard.run.plan.as_of import LockAgain, ReleasesThen
from wizard.sources.model import Layout, Origin, Source

DAYS = {"1.0": "2021-05-01T10:00:00Z", "1.1": "2022-03-14T23:59:59.000000Z", "1.2": "2022-03-15T00:00:00Z"}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexServer]:
    """`open` has three releases and one before its release; `undated` says nothing of its days."""
    (tmp_path / "index").mkdir()
    with IndexServer(tmp_path / "index") as server:
        for version, day in {**DAYS, "1.2rc1": "2022-03-01T00:00:00Z"}.items():
            server.uploaded[wheels.build(server.root, "open", version).name] = day
            server.uploaded[wheels.build(server.root, "numpy", version).name] = day
        wheels.build(server.root, "undated", "1.0")
        yield server


def then(index: IndexServer, day: str) -> ReleasesThen:
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, index.simple)
    return ReleasesThen(day, values.FACTS, replace(values.SELECTED, package_sources=(main,)), lambda: False)


def lock(**locked: str) -> Lock:
    names = locked.items()
    return Lock(tuple(LockedFile(one, of, f"{one}.whl", ("https://a.example/",), "") for one, of in names), "")


def keys(found: ReleasesThen, of: Lock) -> list[str]:
    told = found.told(of)
    assert all(text(one, language) for one in told for language in LANGUAGES)
    return [one.key for one in told]


def test_the_newest_of_that_day_is_preferred_and_each_package_is_asked_for_once(index: IndexServer) -> None:
    found = then(index, "2022-03-14")
    with pytest.raises(LockAgain):
        found.look(lock(open="1.2", torch="2.0"))
    assert found.versions == {"open": "1.1"}
    index.requests.clear()
    found.look(lock(open="1.1", undated="1.0"))
    assert index.paths() == ["/simple/undated/"]
    assert keys(found, lock(open="1.1", undated="1.0")) == ["project.as-of"]
    assert keys(found, lock(open="1.2")) == [], "it did not go with the rest"


def test_today_asks_nothing(index: IndexServer) -> None:
    found = then(index, "")
    found.look(lock(open="1.2"))
    assert (index.paths(), keys(found, lock(open="1.2"))) == ([], [])


def test_without_days_nothing_is_taken_and_it_is_said(index: IndexServer) -> None:
    found = then(index, "2022-03-14")
    found.look(lock(undated="1.0"))
    assert keys(found, lock(undated="1.0")) == ["project.as-of-unknown"]


def test_where_numpy_has_nothing_for_this_python_no_other_is_taken(index: IndexServer) -> None:
    """Old packages of Python alone beside a new NumPy would be worse than the newest of all."""
    found = then(index, "2021-04-30")
    found.look(lock(open="1.2", numpy="1.2"))
    assert (found.versions, keys(found, lock(open="1.2"))) == ({}, ["project.as-of-python"])


def test_a_silent_index_stops_nothing(tmp_path: Path) -> None:
    with IndexServer(tmp_path) as index:
        pass
    found = then(index, "2022-03-14")
    found.look(lock(open="1.2"))
    assert found.versions == {}
