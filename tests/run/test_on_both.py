"""Names that a public main index and an index of the person's own both have: told, and never in the way."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.install import wheels
from tests.run.mirrors import write_mirrors
from tests.servers.index_server import Answer, IndexServer
from tests.servers.trickle import Trickle
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import LANGUAGES, Message, text
from wizard.run.plan import other_packages
from wizard.run.plan.other_packages import of_both
from wizard.sources.known_sources import default_index
from wizard.sources.model import Layout, Origin, Source, UserSettings
from wizard.system import paths

NAMES = ("labtools", "lab-plots", "numpy")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[IndexServer]:
    """An index of the person's own, still empty."""
    (tmp_path / "lab").mkdir()
    with IndexServer(tmp_path / "lab") as server:
        yield server


@pytest.fixture
def lock(tmp_path: Path) -> Lock:
    """What the public index gave."""
    files = []
    for name in NAMES:
        wheel = wheels.build(tmp_path / "public", name, "9.0", {f"{name}.py": name.encode()})
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        files.append(LockedFile(name, "9.0", wheel.name, (f"https://public.example/{wheel.name}",), digest))
    return Lock(tuple(files), "")


def own(url: str, layout: Layout = Layout.SIMPLE) -> Source:
    return Source("user-extra-index-url-1", layout, Origin.USER_SETTINGS, url, "your settings")


def told(lock: Lock, *added: Source, main: Source | None = None) -> tuple[Message, ...]:
    return of_both(lock, (main or default_index(), *added), UserSettings(), lambda: False)


def packages(lock: Lock, *added: Source) -> list[object]:
    return [notice.params["packages"] for notice in told(lock, *added)]


def test_each_index_is_named_with_what_it_has_too(lab: IndexServer, lock: Lock, tmp_path: Path) -> None:
    """Under any spelling, as a wheel or as a source distribution only; what it lists alone is not asked about."""
    wheels.build(lab.root, "lab_plots", "0.1")
    (lab.root / "LabTools-0.1.tar.gz").write_bytes(b"source")
    wheels.build(tmp_path / "second", "numpy", "1.0")
    with IndexServer(tmp_path / "second", json=False) as second:
        first, other = told(lock, own(lab.simple.replace("//", "//me:secret@")), own(second.simple))
    assert (first.params["packages"], other.params["packages"]) == ("labtools 9.0, lab-plots 9.0", "numpy 9.0")
    for language in LANGUAGES:
        assert f"--index {second.simple}" in text(other, language)
        assert "secret" not in text(first, language)
    assert sorted(lab.paths()) == [f"/simple/{name}/" for name in sorted(NAMES)]


def test_a_copy_of_the_very_file_is_no_doubt(lab: IndexServer, lock: Lock, tmp_path: Path) -> None:
    for path in (tmp_path / "public").iterdir():
        shutil.copy2(path, lab.root)
    wheels.build(lab.root, "numpy", "10.0")
    assert told(lock, own(lab.simple)) == ()


def test_what_came_from_the_added_index_is_none(lab: IndexServer, lock: Lock) -> None:
    wheels.build(lab.root, "numpy", "1.0")
    files = tuple(replace(file, listed_by=lab.simple) for file in lock.files)
    assert told(replace(lock, files=files), own(lab.simple)) == ()
    assert lab.requests == []


def test_a_list_of_links_is_read_once_and_named_as_one(lab: IndexServer, lock: Lock) -> None:
    wheels.build(lab.root, "numpy", "1.0")
    (notice,) = told(lock, own(lab.flat, Layout.FLAT))
    assert (notice.params["packages"], notice.params["how"]) == ("numpy 9.0", f"--find-links {lab.flat}")
    assert lab.paths() == ["/flat/"]
    (notice,) = told(lock, own(lab.root.as_uri(), Layout.FLAT))
    assert notice.params["packages"] == "numpy 9.0"


def test_a_page_that_fails_hides_no_other(lab: IndexServer, lock: Lock) -> None:
    wheels.build(lab.root, "numpy", "1.0")
    lab.answers["/simple/labtools/"] = Answer(b"", 403)
    lab.answers["/simple/lab-plots/"] = Answer(b'<a href="http://192.0.2.1/lab_plots-1.0-py3-none-any.whl">x</a>')
    assert packages(lock, own(lab.simple)) == ["lab-plots 9.0, numpy 9.0"]
    lab.answers["/simple/lab-plots/"] = Answer(b"", 500)
    assert packages(lock, own(lab.simple)) == ["numpy 9.0"]


def test_who_is_silent_or_drips_does_not_hold_the_plan(
    lab: IndexServer, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_packages, "_PAGE_SECONDS", 0.3)
    for name in NAMES:
        lab.answers[f"/simple/{name}/"] = Answer(b"<html>" + b" " * 500_000)
    with Trickle(lab.port, 50) as slow:
        sources = (own(f"http://127.0.0.1:{slow.port}/simple"), own("http://127.0.0.1:1/simple"))
        assert told(lock, *sources) == ()


def test_known_public_places_are_not_asked(lab: IndexServer, lock: Lock) -> None:
    wheels.build(lab.root, "numpy", "1.0")
    write_mirrors(paths.home(), {("pypi", "mirror"): lab.simple})
    assert told(lock, own(lab.simple)) == ()
    assert lab.requests == []


def test_behind_an_index_of_ones_own_nothing_is_asked(lab: IndexServer, lock: Lock) -> None:
    wheels.build(lab.root, "numpy", "1.0")
    assert told(lock, own(lab.simple), main=replace(own("https://lab.example/simple"), id="user-index-url-1")) == ()
    assert lab.requests == []


def test_many_names_are_counted(lab: IndexServer) -> None:
    files = []
    for letter in "abcdefghij":
        wheels.build(lab.root, f"lab{letter}", "1.0")
        files.append(
            LockedFile(f"lab{letter}", "9.0", f"lab{letter}-9.0-py3-none-any.whl", ("https://a.example/",), "0")
        )
    (notice,) = told(Lock(tuple(files), ""), own(lab.simple))
    for language in LANGUAGES:
        words = text(notice, language)
        assert "labh 9.0" in words
        assert "labi" not in words
        assert " 2 " in words
