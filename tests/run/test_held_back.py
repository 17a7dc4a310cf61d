"""A package that was asked for and is not the newest: told, with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.install import wheels
from tests.servers.index_server import IndexServer
from wizard.model.lock import Lock, LockedFile, PackageVersion
from wizard.model.messages import LANGUAGES, text
from wizard.run.plan.held_back import held_back
from wizard.sources.model import Layout, Origin, Source


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexServer]:
    """`bound` has newer wheels, `compiled` newer releases as source alone, `patched` a newer patch release,
    `other` a newer wheel for another system."""
    (tmp_path / "index").mkdir()
    with IndexServer(tmp_path / "index") as server:
        for name, version in (("bound", "1.4"), ("bound", "2.1"), ("bound", "3.0rc1"), ("compiled", "0.3.1")):
            wheels.build(server.root, name, version)
        wheels.build(server.root, "patched", "1.4.9")
        (server.root / "compiled-0.18.4.tar.gz").write_bytes(b"source")
        (server.root / "other-2.0-cp314-cp314-win_amd64.whl").write_bytes(b"")
        yield server


def told(
    index: IndexServer, *requirements: str, kept: tuple[str, str] = ("", ""), refusal: str = "", **locked: str
) -> dict[str, tuple[str, str]]:
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, index.simple)
    files = tuple(
        LockedFile(name, version, f"{name}.whl", ("https://a.example/",), "") for name, version in locked.items()
    )
    selected = replace(
        values.SELECTED, requirements=requirements, package_sources=(main,), preferred=(PackageVersion(*kept),)
    )
    found = held_back(values.FACTS, selected, Lock(files, ""), lambda: False, lambda line: refusal)
    assert all(text(one.said, language) for one in found for language in LANGUAGES)
    return {one.name: (one.said.key, str(one.said.params["newest"])) for one in found}


def test_which_one_is_newer_and_why_it_is_not_taken(index: IndexServer) -> None:
    locked = {"bound": "1.4", "compiled": "0.3.1", "patched": "1.4.2", "torch": "2.1.0", "unasked": "1", "other": "1.0"}
    assert told(index, "torch==2.1.0", "numpy<2", "bound", "compiled>=0.1", "patched", "other", **locked) == {
        "bound": ("notice.held-back", "2.1"),
        "compiled": ("notice.held-back-source", "0.18.4"),
        "other": ("notice.held-back-elsewhere", "2.0"),
    }
    assert sorted(index.paths()) == [f"/simple/{name}/" for name in ("bound", "compiled", "other", "patched")]


@pytest.mark.parametrize("requirement", ["bound<2", "bound==1.4", "bound @ https://a.example/bound.whl", "bound ["])
def test_what_was_asked_for_so_is_not_held_back(index: IndexServer, requirement: str) -> None:
    assert told(index, requirement, bound="1.4") == {}


def test_a_version_that_a_project_pins_is_kept_and_not_held_back(index: IndexServer) -> None:
    assert told(index, "bound>=1.4,<3", "compiled", kept=("bound", "1.4"), bound="1.4", compiled="0.3.1") == {
        "compiled": ("notice.held-back-source", "0.18.4")
    }


def test_a_silent_index_stops_nothing(tmp_path: Path) -> None:
    with IndexServer(tmp_path) as index:
        pass
    assert told(index, "bound", bound="1.4") == {}


REFUSAL = """Because bound==2.1 depends on torch>=2.2.0,<2.3.0 and you require torch==2.14.1, we can conclude that your
requirements and bound==2.1 are incompatible."""


def test_the_torch_that_the_newest_needs_is_named(index: IndexServer) -> None:
    asked = ("torch==2.14.1", "bound")
    assert told(index, *asked, refusal=REFUSAL, bound="1.4") == {"bound": ("notice.held-back-torch", "2.1")}
    words = """Because outlines-core==0.1.26 has no usable wheels and outlines==0.1.11 depends on
    outlines-core==0.1.26, we can conclude that outlines==0.1.11 cannot be used."""
    assert told(index, *asked, refusal=words, bound="1.4") == {"bound": ("notice.held-back-needs-elsewhere", "2.1")}
    of_another = REFUSAL.replace("bound==2.1 depends", "further==1.0 depends")
    assert told(index, *asked, refusal=of_another, bound="1.4") == {"bound": ("notice.held-back", "2.1")}


def test_a_pre_release_beside_releases_of_source_alone_is_told_so(index: IndexServer) -> None:
    assert told(index, "compiled", compiled="0.3.1rc1") == {"compiled": ("notice.held-back-early-source", "0.18.4")}
    assert told(index, "bound", bound="2.0rc1") == {"bound": ("notice.held-back-early", "2.1")}
