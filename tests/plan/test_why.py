"""The verdict explains itself: what was asked for, the last torch of a card, why not the others, the CUDA numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.plan.machines import machine, names
from tests.plan.test_named_machines import build_of, codes, find, notice_keys, verdict_of
from wizard.i18n import LANGUAGES, text
from wizard.machine.model import Toolkit
from wizard.matrix.load import load_matrix
from wizard.plan.judge import situation_of
from wizard.plan.last_torch import last_torches
from wizard.plan.model import Choices
from wizard.plan.why import cuda_numbers, why_not


def test_a_v100_that_is_asked_for_torch_2_10() -> None:
    verdict = verdict_of("v100-linux-580", torch="2.10.0")
    assert build_of(verdict.best) == "2.10.0+cu128"
    assert codes(verdict, "2.10.0", "cu130") == ["no-kernels-for-gpu"]
    newest = verdict_of("v100-linux-580", torch="2.15.0")
    assert build_of(newest.best) == "2.15.0+cpu"
    assert codes(newest, "2.15.0", "cu132") == ["no-kernels-for-gpu"]


@pytest.mark.parametrize(
    ("name", "python", "best"),
    [
        ("laptop-intel-rtx-4060-windows", "3.9", "2.8.0+cu129"),
        ("laptop-intel-rtx-4060-windows", "3.14", "2.14.1+cu126"),
        ("laptop-intel-rtx-4060-windows", "3.15", "2.15.0+cpu"),
        ("rtx-5070-ti-windows-581", "3.9", "2.8.0+cu129"),
        ("rtx-5070-ti-windows-581", "3.14", "2.15.0+cu132"),
        ("rtx-5070-ti-windows-581", "3.15", "2.15.0+cu132"),
        ("a100-linux-470", "3.9", "2.7.1+cu118"),
        ("a100-linux-470", "3.14", "2.15.0+cpu"),
        ("gb10-aarch64-580", "3.9", "2.8.0+cu129"),
        ("no-gpu-linux", "3.9", "2.8.0+cpu"),
    ],
)
def test_other_pythons(name: str, python: str, best: str) -> None:
    assert build_of(verdict_of(name, python=python).best) == best


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("gtx-970-windows-552", "2.14.1+cu126"),
        ("v100-linux-580", "2.14.1+cu126"),
        ("gtx-1080-windows-595", "2.14.1+cu126"),
        ("k80-linux-470", "2.7.1+cu118"),
        ("k40-linux-470", None),
        ("gt-730-fermi-windows", None),
        ("gt-730-kepler-35-windows", None),
    ],
)
def test_the_last_torch_that_will_ever_run_on_a_card(name: str, last: str | None) -> None:
    (found,) = last_torches(situation_of(machine(name), load_matrix(), Choices()))
    assert (f"{found.build.torch}+{found.build.variant}" if found.build else None) == last
    assert ("plan.notice.last-torch" if last else "plan.notice.no-torch") in notice_keys(verdict_of(name))


@pytest.mark.parametrize("name", ["rtx-5070-ti-windows-581", "a100-linux-470", "gb10-aarch64-580", "windows-on-arm"])
def test_a_card_that_the_newest_release_serves_has_no_last_torch(name: str) -> None:
    assert last_torches(situation_of(machine(name), load_matrix(), Choices())) == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", names())
def test_every_other_build_has_one_true_reason(name: str, language: str) -> None:
    verdict = verdict_of(name)
    for candidate in verdict.candidates:
        words = why_not(candidate, verdict)
        assert (words is None) == (candidate is verdict.best)
        if words:
            assert text(words, language)
        if candidate.reasons:
            assert words == candidate.reasons[0].message


def test_why_a_build_that_fits_was_not_taken() -> None:
    verdict = verdict_of("rtx-5070-ti-windows-581")
    keys = {
        build: (words.key if (words := why_not(find(verdict, *build), verdict)) else None)
        for build in (("2.15.0", "cu132"), ("2.15.0", "cu130"), ("2.14.1", "cu132"), ("2.15.0", "cpu"))
    }
    assert list(keys.values()) == [None, "plan.why.lower-cuda", "plan.why.older", "plan.why.cpu"]


def test_the_cuda_numbers_that_differ() -> None:
    with_toolkit = replace(machine("gtx-970-windows-552"), toolkits=(Toolkit("11.8", "C:/CUDA/v11.8", "nvcc"),))
    told = list(cuda_numbers(with_toolkit, verdict_of("gtx-970-windows-552")))
    assert [one.key for one in told] == ["plan.cuda.driver", "plan.cuda.toolkit"]
    assert "12.4" in text(told[0], "en")
    assert "12.6" in text(told[0], "en")
    assert "needs no toolkit" in text(told[1], "en")
    assert list(cuda_numbers(machine("no-gpu-linux"), verdict_of("no-gpu-linux"))) == []


def test_the_size_of_the_wheel_is_told_offline() -> None:
    best = verdict_of("gb10-aarch64-580").best
    assert best
    assert "484 MB" in text(best.proof[-1].message, "en")
