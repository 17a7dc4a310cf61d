"""A lock without a solution names the package at fault: real pages of an index on loopback, the resolver's words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.install import wheels
from tests.servers.index_server import IndexServer
from wizard.app.refused_lock import with_lacking
from wizard.install.lock import LOCK_NO_PAIR
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.sources.model import Layout, Origin, Source


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[IndexServer]:
    """`source` and `natten` have no wheel, `old` one for Python 3.9 alone, `near` for that and 3.13, `other` and
    `triton` for one system."""
    wheels.build(tmp_path, "bound", "1.4")
    wheels.build(tmp_path, "late", "0.1")
    for name in ("source-1.0", "natten-0.21.7", "late-0.18.0"):
        (tmp_path / f"{name}.tar.gz").write_bytes(b"source")
    for name in (
        "old-1.0-cp39-cp39-manylinux_2_17_x86_64",
        "near-1.0-cp39-cp39-manylinux_2_17_x86_64",
        "near-1.0-cp313-cp313-manylinux_2_17_x86_64",
        "triton-3.7.0-cp312-cp312-manylinux_2_17_x86_64",
        "other-2.0-cp314-cp314-win_amd64",
    ):
        (tmp_path / f"{name}.whl").write_bytes(b"")
    with IndexServer(tmp_path) as server:
        yield server


@pytest.mark.parametrize(
    ("asked", "os", "code"),
    [
        ("bound", "linux", "lock-no-solution"),  # it has one: it was something else
        ("bound>9", "linux", "lock-no-solution"),
        ("nowhere", "linux", "lock-no-package"),
        ("source", "linux", "lock-source-alone"),
        ("detectron2", "linux", "lock-on-no-index"),
        ("natten", "linux", "lock-makers-page"),
        ("natten", "windows", "lock-source-alone"),  # its makers have none there
        ("old", "linux", "lock-no-python-of-torch"),
        ("near", "linux", "lock-other-pythons"),
        ("other==2.0", "linux", "lock-other-systems"),
        ("triton", "windows", "lock-instead"),
    ],
)
def test_a_refusal_names_the_package_without_a_wheel(bare: IndexServer, asked: str, os: str, code: str) -> None:
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, bare.simple)
    asking = ("torch==2.14.1", "numpy<2", "bound", asked)
    selected = replace(values.SELECTED, python="3.12", requirements=asking, package_sources=(main,))
    selected = replace(selected, candidate=replace(selected.candidate, pythons=("3.12", "3.13")))
    facts = replace(values.FACTS, machine=replace(values.MACHINE, os=os))
    found = with_lacking(WizardError("lock-no-solution", details="uv's words"), facts, selected)
    assert (found.code, found.details) == (code, "uv's words")
    for language in LANGUAGES:
        assert "{" not in text(found.summary, language) + text(found.hint, language)
    assert found.params.get("pythons") in (None, {"old": "3.9", "near": "3.13"}.get(asked))  # a torch is made for it


@pytest.mark.parametrize(
    ("words", "code", "need"),
    [
        ("Because late==0.1 depends on torchvision>=0.4 and you require torch==2.14.1", "lock-source-since",
         "torchvision>=0.4"),
        ("Because bound>=2.0 depends on torch>=2.0,<2.1 and bound>=2.1 depends on torchvision==0.17.2 and you require "
         "torch==2.14.1", "lock-other-torch", "torchvision==0.17.2"),
        ("Because bound>=2.0 depends on source and source has no usable wheels. hint: Wheels are required for `source` "
         "because", "lock-needs-source", "source"),
        ("Because triton>=2.3.1 has no wheels with a matching platform tag (e.g., `win_amd64`) and bound>=0.4.0 "
         "depends on triton>=2.3.1, we can conclude", "lock-needs-elsewhere", "triton>=2.3.1"),
        ("Because further>=2.0 depends on torch==2.0.1 and you require torch==2.14.1", "lock-no-solution", ""),
    ],
)  # fmt: skip
def test_a_refusal_names_what_stands_against_it(bare: IndexServer, words: str, code: str, need: str) -> None:
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, bare.simple)
    selected = replace(
        values.SELECTED, python="3.12", requirements=("torch==2.14.1", "bound", "late"), package_sources=(main,)
    )
    found = with_lacking(WizardError("lock-no-solution", details=words), values.FACTS, selected)
    assert (found.code, found.params.get("need", "")) == (code, need)
    for language in LANGUAGES:
        assert need in text(found.summary, language)


@pytest.mark.parametrize(("by", "code"), [("late", "lock-source-since"), ("bound", "lock-no-pair")])
def test_a_pair_that_is_not_there_is_no_fault_where_the_newest_is_source(bare: IndexServer, by: str, code: str) -> None:
    """deepspeed has had no wheel for years; the last one asks for a torchvision."""
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, bare.simple)
    selected = replace(values.SELECTED, python="3.12", requirements=("torch==2.14.1", by), package_sources=(main,))
    found = with_lacking(WizardError(LOCK_NO_PAIR, name="torchvision", by=by), values.FACTS, selected)
    assert (found.code, found.params.get("version")) == (code, "0.1" if by == "late" else None)
    assert all(by in text(found.summary, language) for language in LANGUAGES)


def test_another_refusal_and_a_silent_index_stay_what_they_are(bare: IndexServer, tmp_path: Path) -> None:
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, bare.simple)
    selected = replace(values.SELECTED, requirements=("source",), package_sources=(main,))
    network, unsolved = WizardError("lock-network"), WizardError("lock-no-solution")
    assert with_lacking(network, values.FACTS, selected) is network
    with IndexServer(tmp_path) as silent:
        pass
    gone = replace(selected, package_sources=(replace(main, url=silent.simple),))
    assert with_lacking(unsolved, values.FACTS, gone) is unsolved
