"""The releases that packages had on a day: which a lock prefers, and where none can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.install import wheels
from tests.servers.index_server import Answer, IndexServer
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
    assert keys(found, lock(open="1.1", undated="1.0")) == ["project.as-of", "project.as-of-newer"]
    assert keys(found, lock(open="1.2")) == ["project.as-of-newer"], "it did not go with the rest"


def test_what_a_bound_keeps_below_is_not_taken_above_it(index: IndexServer) -> None:
    """A line asks for `<1.1`: the lock has 1.0, and nothing newer of that day is preferred."""
    index.uploaded[wheels.build(index.root, "open", "1.0.5").name] = "2025-01-01T00:00:00Z"
    found = then(index, "2022-03-14")
    with pytest.raises(LockAgain):
        found.look(lock(open="1.0.5"))
    assert found.versions == {"open": "1.0"}
    of_its_day = then(index, "2022-03-14")
    of_its_day.look(lock(open="1.0"))
    assert (of_its_day.versions, keys(of_its_day, lock(open="1.0"))) == ({}, [])


def test_today_asks_nothing(index: IndexServer) -> None:
    found = then(index, "")
    found.look(lock(open="1.2"))
    assert (index.paths(), keys(found, lock(open="1.2"))) == ([], [])


def test_what_is_named_stays(index: IndexServer) -> None:
    found = replace(then(index, "2022-03-14"), apart={"open", "numpy"})
    found.look(lock(open="1.2", numpy="1.2"))
    assert (index.paths(), found.versions, keys(found, lock(open="1.2"))) == ([], {}, [])


@pytest.mark.parametrize("days", ["", "2026-10-01T00:00:00Z", "0001-01-01T00:00:00Z", "1", "2022-99"])
def test_without_days_or_with_those_of_a_mirror_nothing_is_taken_and_it_is_said(index: IndexServer, days: str) -> None:
    index.uploaded = dict.fromkeys(index.uploaded, days) if days else {}
    found = then(index, "2022-03-14")
    found.look(lock(open="1.2", numpy="1.2"))
    assert (found.versions, keys(found, lock(open="1.2"))) == ({}, ["project.as-of-unknown"])


def test_where_numpy_has_nothing_for_this_python_no_other_is_taken(index: IndexServer) -> None:
    """Old packages of Python alone beside a new NumPy would be worse than the newest of all."""
    (index.root / "numpy-0.9-cp27-cp27m-win_amd64.whl").write_bytes(b"")
    index.uploaded["numpy-0.9-cp27-cp27m-win_amd64.whl"] = "2021-01-01T00:00:00Z"
    found = then(index, "2021-04-30")
    found.look(lock(open="1.2", numpy="1.2"))
    assert (found.versions, keys(found, lock(open="1.2"))) == ({}, ["project.as-of-python"])


def test_a_numpy_that_comes_with_older_releases_takes_them_back(index: IndexServer) -> None:
    index.uploaded = {name: day for name, day in index.uploaded.items() if not name.startswith("numpy")}
    found = then(index, "2022-03-14")
    with pytest.raises(LockAgain):
        found.look(lock(open="1.2"))
    with pytest.raises(LockAgain):
        found.look(lock(open="1.1", numpy="1.2"))
    found.look(lock(open="1.2"))
    assert (found.versions, keys(found, lock(open="1.2"))) == ({}, ["project.as-of-unknown"])


def test_one_page_that_fails_says_nothing_of_the_others(index: IndexServer) -> None:
    index.answers["/simple/lost/"] = Answer(b"", 500)
    found = then(index, "2022-03-14")
    with pytest.raises(LockAgain):
        found.look(lock(lost="1.2", open="1.2"))
    assert found.versions == {"open": "1.1"}
    index.answers["/simple/numpy/"] = Answer(b"", 500)
    other = then(index, "2022-03-14")
    other.look(lock(numpy="1.2", open="1.2"))
    assert (other.versions, keys(other, lock(open="1.2"))) == ({}, ["project.as-of-unknown"])


def test_a_silent_index_stops_nothing_and_it_is_said(tmp_path: Path) -> None:
    with IndexServer(tmp_path) as index:
        pass
    found = then(index, "2022-03-14")
    found.look(lock(open="1.2", numpy="2.0"))
    assert (found.versions, keys(found, lock(open="1.2"))) == ({}, ["project.as-of-unknown"])
