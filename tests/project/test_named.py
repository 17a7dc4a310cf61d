"""What a person names with --with is decided as a project that lists it: the same torch, the same words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, ANY, BLACKWELL, NO_CARD, PASCAL, build, decided, machine, without
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.explain import why_not_newest
from wizard.compatibility.model import Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Machine
from wizard.model.messages import LANGUAGES, text
from wizard.project.named import NamedChoices, with_named

VOLTA = machine("linux", "7.0", "580.95.05")
WAYS = [["vllm", "deepspeed"], ["vllm"], ["xformers"], ["tensorflow==2.10.0"], ["faiss-gpu", "pandas"], ["vllm==0.5.5"]]


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


def test_a_torch_that_was_named_stays_and_the_newest_is_not_called_unfit() -> None:
    verdict, found = named(BLACKWELL, "vllm")
    assert verdict.best
    assert found.torch == verdict.best.torch != resolve(BLACKWELL, load_matrix(), ANY).best.torch  # type: ignore[union-attr]
    assert "vllm" in text(found.of_torch[0], "en")
    assert why_not_newest(verdict, "en") is None
    verdict, found = named(BLACKWELL, "vllm", choices=replace(ANY, torch="2.15.0"))
    assert verdict.best
    assert (verdict.best.torch, found.torch) == ("2.15.0", None)
    verdict, found = named(BLACKWELL, "einops")
    assert (found.choices, found.said, found.of_torch) == (found.open, (), ())
