"""What a person names with --with is decided as a project that lists it: the same torch, the same words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, ANY, BLACKWELL, NO_CARD, PASCAL, build, decided, machine, without
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.explain import why_not_newest
from wizard.compatibility.model import Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.model.messages import LANGUAGES, text
from wizard.project.named import NamedChoices, decide_named, with_named
from wizard.project.packages.rows import companion_table

VOLTA = machine("linux", "7.0", "580.95.05")
HOPPER = machine("linux", "9.0", "580.159.04")
WAYS = [["vllm", "deepspeed"], ["vllm"], ["xformers"], ["tensorflow==2.10.0"], ["faiss-gpu", "pandas"], ["vllm==0.5.5"]]

PINS = (  # that need another torch, Python or CUDA than is taken
    *("torchvision==0.13.0", "onnxruntime-gpu==1.10.0", "pytorch-lightning==1.5.0", "faiss-gpu-cu12", "tensorrt"),
    *("attrdict", "gym", "numpy==1.21.0", "transformers==4.30.0", "vllm==0.6.0", "triton", "tensorflow==2.4.0"),
)


def named(on: Machine, *extras: str, choices: Choices = ANY) -> tuple[Verdict, NamedChoices]:
    wanted = replace(choices, extras=extras)
    return with_named(on, load_matrix(), wanted, resolve(on, load_matrix(), wanted))


@pytest.mark.parametrize("extras", WAYS, ids=" ".join)
@pytest.mark.parametrize("on", [BLACKWELL, AMPERE, VOLTA, PASCAL, NO_CARD])
def test_both_ways_take_the_same_and_leave_the_same(tmp_path: Path, extras: list[str], on: Machine) -> None:
    verdict, found = named(on, *extras)
    project = decided(tmp_path, {"requirements.txt": "\n".join(extras) + "\n"}, on)
    assert verdict.best is not None
    assert (verdict.best.torch, verdict.best.variant, verdict.best.python) == build(project)
    assert found.left_out == without(project)
    for language in LANGUAGES:
        said = [text(one, language) for one in verdict.notices]
        assert len(said) == len(set(said))
        assert all("{" not in one and "requirements" not in one for one in said)


def test_what_has_no_use_on_the_card_lowers_no_torch_and_is_told_in_the_same_words(tmp_path: Path) -> None:
    plain = resolve(VOLTA, load_matrix(), ANY)
    verdict, found = named(VOLTA, "vllm", "pandas")
    assert verdict.best == plain.best
    assert found.choices.extras == ("pandas",)
    project = decided(tmp_path, {"requirements.txt": "vllm\npandas\n"}, VOLTA)
    [told] = [text(one.why, "en") for one in project.left_out]
    assert [text(one, "en") for one in found.said] == [told.replace("requirements.txt:1", "named by you")]


@pytest.mark.parametrize("extra", ["audiocraft", "torchvision==0.13.0"])
def test_what_is_told_of_a_build_is_told_of_the_one_that_is_taken(extra: str) -> None:
    on = machine("windows", "12.0", "581.15")
    verdict, _ = named(on, extra)
    plain = resolve(on, load_matrix(), ANY).best
    assert verdict.best is not None
    assert plain is not None
    assert verdict.best.torch != plain.torch
    said = [text(one, "en") for one in verdict.notices]
    assert not [one for one in said if f"{plain.torch}+" in one], said


def test_a_setup_is_told_too_where_others_have_it() -> None:
    keys = [one.key for one in named(ADA, "flash-attn")[1].said]
    assert keys == ["project.native.no-wheel", "project.native.elsewhere-nearest"]


def test_a_torch_that_was_named_stays_and_the_newest_is_not_called_unfit() -> None:
    verdict, found = named(BLACKWELL, "vllm")
    assert verdict.best
    assert found.torch == verdict.best.torch != resolve(BLACKWELL, load_matrix(), ANY).best.torch  # type: ignore[union-attr]
    assert "vllm" in text(found.of_torch[0], "en")
    assert why_not_newest(verdict, "en") is None
    assert why_not_newest(named(BLACKWELL, "flash-attn")[0], "en") is None, "its CUDA has no newest torch; others have"
    verdict, found = named(BLACKWELL, "vllm", choices=replace(ANY, torch="2.15.0"))
    assert verdict.best
    assert (verdict.best.torch, found.torch) == ("2.15.0", None)
    verdict, found = named(BLACKWELL, "einops")
    assert (found.choices, found.said, found.of_torch) == (found.open, (), ())


@pytest.mark.parametrize("on", [BLACKWELL, PASCAL, ADA])
def test_nobody_is_told_of_lines_and_projects_that_are_not_there(on: Machine) -> None:
    """Each package of the tables, and some pins that need another torch, Python or CUDA."""
    table, matrix = companion_table(), load_matrix()
    names = {one.name for one in table.companion} | {one.package for one in (*table.torch_bound, *table.loads_whole)}
    plain = resolve(on, matrix, ANY, prove_all=False)
    for name in (*sorted(one for one in names if "*" not in one), *PINS):
        found = decide_named(on, matrix, replace(ANY, extras=(name,)), plain)
        for language in LANGUAGES:
            said = [text(one, language) for one in (*found.said, *found.of_torch, *found.more)]
            own = [one for one in said if re.search(r"line 1|第 1 行|the project|项目|--with|asked ==", one)]
            assert not own, own


@pytest.mark.parametrize("listed", [False, True])
def test_two_packages_for_two_torches_are_told_and_so_is_the_one_that_binds(tmp_path: Path, listed: bool) -> None:
    def told(*extras: str) -> dict[str, dict[str, object]]:
        files: dict[str, str | bytes] = {"requirements.txt": "\n".join(extras) + "\n"}
        said = decided(tmp_path / extras[0], files, HOPPER).remarks if listed else named(HOPPER, *extras)[0].notices
        return {one.key.rpartition(".")[2]: dict(one.params) for one in said}

    apart = told("sglang", "vllm")["made-apart"]
    assert [apart[key] for key in ("text", "asked", "other", "other_asked")] == [
        "sglang",
        "==2.14.1",
        "vllm",
        "==2.14.0",
    ]
    assert "made-apart" not in told("xformers", "vllm"), "some torch serves both"
    binding = told("mamba-ssm", "flash-attn", "natten")
    assert (binding["implied"]["text"], binding["implied"]["asked"]) == ("flash-attn", "<2.9")
    assert "made-apart" not in binding


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (Choices(torch="2.9.1"), {"nearest": "2.8.0"}),
        (Choices(variant="cu130"), {"nearest": "2.8.0", "variant": "cu129"}),
        (Choices(torch="2.9.1", variant="cu126"), {"nearest": "2.8.0"}),
    ],
    ids=["torch", "variant", "both"],
)
def test_a_torch_that_a_person_chose_hides_none_that_has_the_wheel(choices: Choices, said: dict[str, str]) -> None:
    [told] = [one for one in named(HOPPER, "flash-attn", choices=choices)[0].notices if "native.newer" in one.key]
    assert {key: told.params.get(key) for key in ("nearest", "variant") if key in told.params} == said
    nearest = Choices(torch=said["nearest"], variant=said.get("variant", choices.variant))
    best = resolve(HOPPER, load_matrix(), nearest).best
    assert best, "what is named can be chosen"
    assert (best.torch, best.fits) == (said["nearest"], True)


def test_no_torch_is_named_that_has_the_wheel_and_no_code_for_the_card() -> None:
    chosen = Choices(torch="2.9.1")
    keys = [one.key for one in named(BLACKWELL, "flash-attn==2.5.8", choices=chosen)[0].notices]
    assert "project.native.newer-none" in keys
