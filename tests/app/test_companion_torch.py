"""A package that is made for one torch release chooses it: the real resolver, a real index on loopback."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.install import wheels
from tests.servers.index_server import IndexServer
from wizard.app.companion_torch import kept_extras, select_for_named, with_companions_torch, with_named_beside
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Candidate, Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Driver
from wizard.model.capability import ComputeCapability
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.run.model import Facts, SelectedBuild
from wizard.sources.model import Layout, Origin, Source

OLDER = replace(values.BEST, torch="2.13.0")
CANDIDATES = (values.BEST, OLDER, replace(values.BEST, torch="2.12.1", fits=False))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexServer]:
    for version in ("2.14.1", "2.13.0", "2.12.1"):
        wheels.build(tmp_path, "torch", version)
    wheels.build(tmp_path, "vllm", "0.19.1", requires=("torch==2.13.0",))
    wheels.build(tmp_path, "vllm", "0.2.0")
    wheels.build(tmp_path, "sglang", "0.5.9", requires=("torch==2.12.1",))
    wheels.build(tmp_path, "sglang", "0.5.0", requires=("torch==2.14.1",))
    wheels.build(tmp_path, "torch", "2.3.1")
    wheels.build(tmp_path, "torchtext", "0.18.0", requires=("torch>=2.3.0",))
    wheels.build(tmp_path, "torch", "2.2.2")
    wheels.build(tmp_path, "facenet_pytorch", "2.6.0", requires=("torch>=2.2.0,<2.3.0",))
    wheels.build(tmp_path, "facenet_pytorch", "2.5.3")
    wheels.build(tmp_path, "pandas", "3.0", requires=("torch==2.13.0",))
    with IndexServer(tmp_path) as server:
        yield server


def chosen(
    index: IndexServer,
    choices: Choices,
    fails: bool = False,
    candidates: tuple[Candidate, ...] = CANDIDATES,
    selected: Candidate = values.BEST,
    facts: Facts = values.FACTS,
) -> SelectedBuild:
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, index.simple)
    first = replace(values.SELECTED, candidate=selected, package_sources=(main,), notices=())

    def again(wanted: Choices) -> SelectedBuild:
        if fails:
            raise WizardError("no-source", build=f"torch {wanted.torch}")
        assert replace(wanted, torch=choices.torch) == choices
        return replace(first, candidate=next(one for one in candidates if one.torch == wanted.torch), notices=())

    return with_companions_torch(facts, choices, first, candidates, again, lambda: False)


def test_the_newest_of_it_counts_more_than_the_newest_torch(index: IndexServer) -> None:
    found = chosen(index, Choices(extras=("vllm",)))
    assert found.candidate.torch == "2.13.0"
    for language in LANGUAGES:
        assert "vllm 0.19.1" in text(found.notices[0], language)
        assert values.BEST.torch in text(found.notices[0], language)


@pytest.mark.parametrize(
    "choices",
    [
        Choices(extras=("vllm<0.3",)),
        Choices(extras=("sglang",)),  # its newest needs a torch that does not run here
        Choices(extras=("vllm", "sglang==7")),
        Choices(extras=("vllm",), torch="2.14.1"),
        Choices(extras=("pandas",)),  # made for no one release
        Choices(),
    ],
)
def test_the_newest_torch_stays(index: IndexServer, choices: Choices) -> None:
    assert chosen(index, choices).candidate == values.BEST


def test_what_has_ended_chooses_the_last_torch_that_it_goes_with_where_that_runs(index: IndexServer) -> None:
    old = replace(values.BEST, torch="2.3.1")
    found = chosen(index, Choices(extras=("torchtext",)), candidates=(*CANDIDATES, old))
    assert found.candidate.torch == "2.3.1"
    told = chosen(index, Choices(extras=("torchtext",)))
    assert told.candidate == values.BEST
    assert [one.key for one in told.notices] == ["notice.companion-ended"]
    assert "torchtext" in text(told.notices[0], LANGUAGES[0])


def test_a_package_that_is_known_to_bound_torch_chooses_it(index: IndexServer) -> None:
    candidates = (*CANDIDATES, replace(values.BEST, torch="2.2.2"))
    assert chosen(index, Choices(extras=("facenet-pytorch",)), candidates=candidates).candidate.torch == "2.2.2"
    assert chosen(index, Choices(extras=("facenet-pytorch",))).candidate == values.BEST  # no such torch runs here
    asked = len(index.paths())
    assert chosen(index, Choices(extras=("facenet-pytorch<2.6",)), candidates=candidates).candidate == values.BEST
    assert len(index.paths()) == asked  # that release takes any


def selected_for(
    index: IndexServer, choices: Choices, facts: Facts, has: Collection[str] = ()
) -> tuple[SelectedBuild, list[Choices]]:
    """What a session selects, and what the sources were asked for. `has`: of a torch that is pinned, those they have;
    empty: any."""
    main = Source("official", Layout.SIMPLE, Origin.OFFICIAL, index.simple)
    asked: list[Choices] = []

    def select(wanted: Choices) -> SelectedBuild:
        asked.append(wanted)
        if has and wanted.torch and wanted.torch not in has:
            raise WizardError("no-source", build=f"torch {wanted.torch}")
        best = resolve(facts.machine, load_matrix(), wanted).best
        assert best
        return replace(values.SELECTED, candidate=best, package_sources=(main,), notices=())

    verdict = resolve(facts.machine, load_matrix(), choices)
    return select_for_named(facts, load_matrix(), choices, verdict, select, select, lambda: False), asked


def of_card(capability: str) -> Facts:
    card = replace(values.FACTS.machine.gpus[0], compute_capability=ComputeCapability.parse(capability), pci_id=None)
    driver = Driver("580.95.05")
    return replace(values.FACTS, machine=replace(values.MACHINE, gpus=(card,), driver=driver))


def test_what_has_no_use_on_the_card_is_left_out_and_lowers_no_torch(index: IndexServer) -> None:
    facts = of_card("7.0")
    plain = resolve(facts.machine, load_matrix(), Choices()).best
    found, asked = selected_for(index, Choices(extras=("vllm", "pandas")), facts)
    assert plain
    assert found.candidate.torch == plain.torch
    assert [one.extras for one in asked] == [("pandas",)]
    assert [one.key for one in found.notices] == ["project.native.old-card"]
    assert kept_extras(facts.machine, load_matrix(), Choices(extras=("vllm", "pandas"))).extras == ("pandas",)


@pytest.mark.parametrize(
    ("card", "name", "kept"), [("7.0", "vllm", ()), ("9.0", "vllm", ("vllm",)), ("7.0", "bitsandbytes", None)]
)
def test_beside_a_torch_that_stays_it_is_the_same(card: str, name: str, kept: tuple[str, ...] | None) -> None:
    facts = of_card(card)
    best = resolve(facts.machine, load_matrix(), Choices()).best
    assert best
    there = replace(values.SELECTED, candidate=best, notices=())
    found, named = with_named_beside(facts, load_matrix(), Choices(extras=(name, "pandas")), there)
    assert found.candidate == best
    assert named.open.extras == (*((name,) if kept is None else kept), "pandas")
    assert [one.key for one in found.notices] == (["project.native.old-card"] if kept == () else []), found.notices


def test_the_tables_choose_first_and_the_newest_release_has_the_last_word(index: IndexServer) -> None:
    facts = of_card("9.0")
    newest = resolve(facts.machine, load_matrix(), Choices()).best
    found, asked = selected_for(index, Choices(extras=("vllm",)), facts)
    assert newest
    assert asked[0].torch not in (None, newest.torch)
    assert found.candidate.torch == "2.13.0", "the index's newest vllm is for that"
    assert newest.torch in text(found.notices[0], "en"), "not the one that the tables had chosen"
    found, asked = selected_for(index, Choices(extras=("vllm",)), facts, has=["2.13.0"])
    assert [one.torch for one in asked[1:]] == [None, "2.13.0"], "no source has what the tables chose"


def test_nobody_is_asked_where_no_package_is_made_for_one_torch(index: IndexServer) -> None:
    chosen(index, Choices(extras=("pandas",)))
    assert index.paths() == []


def test_a_torch_that_no_source_has_changes_nothing(index: IndexServer) -> None:
    assert chosen(index, Choices(extras=("vllm",)), fails=True).candidate == values.BEST


def of_cuda(tmp_path: Path) -> None:
    for version, torch in (("0.5.23", "2.14.1"), ("0.5.10", "2.12.1")):
        wheels.build(tmp_path, "sglang", version, requires=(f"torch=={torch}",))


def keys(found: SelectedBuild) -> list[str]:
    assert all("{" not in text(one, language) for one in found.notices for language in LANGUAGES)
    return [one.key.removeprefix("notice.companion") for one in found.notices]


def test_a_release_that_is_made_for_a_newer_cuda_is_passed_over(index: IndexServer, tmp_path: Path) -> None:
    """sglang is made for CUDA 13 from 0.5.11 on; values.BEST is of CUDA 12.6."""
    of_cuda(tmp_path)
    candidates = (values.BEST, replace(values.BEST, torch="2.12.1"))
    old = chosen(index, Choices(extras=("sglang",)), candidates=candidates)
    assert (old.candidate.torch, old.requirements[-1]) == ("2.12.1", "sglang<0.5.11")
    assert keys(old) == ["s-torch", "-library"]

    newer = tuple(replace(one, variant="cu130") for one in candidates)
    found = chosen(index, Choices(extras=("sglang",)), candidates=newer, selected=newer[0])
    assert (found.candidate.torch, found.requirements[-1]) == ("2.14.1", values.SELECTED.requirements[-1])
    assert keys(found) == []

    pinned = chosen(index, Choices(extras=("sglang==0.5.23",)), candidates=candidates)
    assert (pinned.candidate.torch, keys(pinned)) == ("2.14.1", ["-no-library"])


def test_a_release_that_is_made_for_a_newer_torch_is_passed_over(index: IndexServer, tmp_path: Path) -> None:
    """torchcodec asks nothing of torch; its makers' table does."""
    wheels.build(tmp_path, "torchcodec", "0.17.0")
    old = replace(values.BEST, torch="2.7.1")
    found = chosen(index, Choices(extras=("torchcodec",)), candidates=(old,), selected=old)
    assert (found.candidate.torch, found.requirements[-1], keys(found)) == ("2.7.1", "torchcodec<0.6", ["-release"])
    newest = chosen(index, Choices(extras=("torchcodec",)))
    assert (newest.requirements[-1], keys(newest)) == (values.SELECTED.requirements[-1], [])
    pinned = chosen(index, Choices(extras=("torchcodec==0.17",)), candidates=(old,), selected=old)
    assert keys(pinned) == []


def test_what_has_no_use_on_these_cards_is_told(index: IndexServer) -> None:
    old = replace(values.FACTS.machine.gpus[0], compute_capability=ComputeCapability(6, 1))
    facts = replace(values.FACTS, machine=replace(values.MACHINE, gpus=(old,)))
    assert keys(chosen(index, Choices(extras=("vllm==0.2.0", "pandas")), facts=facts)) == ["-least"]
    cpu = replace(values.BEST, variant="cpu")
    windows = replace(values.FACTS, machine=replace(values.MACHINE, os="windows"))
    assert keys(chosen(index, Choices(extras=("vllm==0.2.0", "triton")), facts=windows)) == ["-system"]
    on_cpu = chosen(index, Choices(extras=("vllm==0.2.0", "pandas")), candidates=(cpu,), selected=cpu)
    assert keys(on_cpu) == ["-card"]
