"""What the tables say to an error text's own facts."""

from __future__ import annotations

import pytest

from wizard.compatibility.data.load import load_matrix
from wizard.diagnose.known_errors.facts import Named, check_facts, parse_facts
from wizard.model.messages import LANGUAGES, text


def reasons(words: str) -> dict[str, dict[str, str]]:
    judged = check_facts(parse_facts(words), load_matrix())
    for reason in judged:
        for language in LANGUAGES:
            assert "{" not in text(reason, language)
    return {reason.key.rpartition(".")[2]: dict(reason.params) for reason in judged}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("torch 2.8.0+cu128", Named("torch", "2.8.0", "cu128")),
        ("[pip3] torch==2.7.1", Named("torch", "2.7.1")),
        ("torch        2.6.0+cu124\ntorchvision  0.21.0", Named("torch", "2.6.0", "cu124")),
        ("PyTorch version: 2.5.1+cu124", Named("torch", "2.5.1", "cu124")),
        (">>> torch.__version__\n'2.9.1+cpu'", Named("torch", "2.9.1", "cpu")),
        ("a 1.0 requires torch==2.9.0, but you have torch 2.9.1+cu130 which", Named("torch", "2.9.1", "cu130")),
        ("torch-2.13.0.dev20260417+cu130", None),
        ("a 1.0 requires torch==2.9.0", None),
        ("the torch of liberty, 2.8.0", None),
    ],
)
def test_the_torch_that_is_there(words: str, named: Named | None) -> None:
    assert parse_facts(words).torch == named


def test_a_torchvision_of_another_release_is_named_with_the_right_one() -> None:
    assert reasons("torch 2.6.0\ntorchvision 0.23.0")["pair"]["right"] == "0.21.0"
    assert reasons("torch 2.6.0\ntorchvision 0.21.0") == {}
    assert "tags" in reasons("torch 2.6.0+cu124\ntorchvision 0.21.0+cu126")


def test_the_build_that_has_code_for_the_card_is_of_the_same_release() -> None:
    said = "with CUDA capability sm_60 is not compatible with the current PyTorch installation.\ntorch 2.8.0+cu128"
    assert reasons(said)["no-code"] == {"build": "torch 2.8.0+cu128", "other": "torch 2.8.0+cu126", "sm": "sm_60"}


def test_a_build_that_has_code_for_the_card_is_not_blamed() -> None:
    said = "Found GPU0 NVIDIA GB10 which is of compute capability (CC) 12.1.\ntorch==2.9.1+cu130"
    assert "has-code" in reasons(said)


def test_the_drivers_cuda_limits_the_major_version_only() -> None:
    found = reasons("The NVIDIA driver on your system is too old (found version 12040).")["driver"]
    assert found["cuda"] == "12.4"
    assert "+cu12" in found["build"]


def test_a_pin_is_told_its_pythons_and_tags() -> None:
    said = "Could not find a version that satisfies the requirement torch==1.8.1+cu128 (from versions: 2.0.0)"
    found = reasons(said)
    assert found["pythons"] == {"torch": "1.8.1", "first": "3.6", "last": "3.9"}
    assert "cu111" in found["no-tag"]["tags"]
    assert found["nearest"] == {"nearest": "2.0.0"}


def test_a_version_that_the_index_listed_is_not_blamed_on_the_python() -> None:
    said = "Could not find a version that satisfies the requirement torch==2.7.1+cu128 (from versions: 2.6.0, 2.7.1)"
    assert reasons(said) == {}
    assert reasons(said.replace("2.6.0, 2.7.1", "1.13.0, 2.6.0, 2.8.0"))["nearest"]["nearest"] == "2.6.0"


def test_a_pin_of_poetry_is_read_too() -> None:
    found = reasons("Unable to find installation candidates for torch (2.7.1)")
    assert found["pythons"]["last"] == "3.13"


def test_what_no_table_holds_gets_no_sentence() -> None:
    assert reasons("torch 9.9.9+cu128\ntorchvision 0.1.0\nrequirement torch==9.9.9") == {}
