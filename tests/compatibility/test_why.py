"""The verdict explains itself: what was asked for, the last torch of a card, why not the others, the CUDA numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.compatibility.machines import machine, names
from tests.compatibility.test_named_machines import build_of, codes, find, notice_keys, verdict_of
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.explain import cuda_numbers, why_not, why_not_newest
from wizard.compatibility.judge import situation_of
from wizard.compatibility.model import Candidate, Choices, Reason, Verdict
from wizard.compatibility.notices import last_torches
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Driver, Gpu, Machine, Toolkit
from wizard.model.capability import ComputeCapability
from wizard.model.messages import LANGUAGES, message, text


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


TURING = Gpu("nvidia", "NVIDIA GeForce GTX 1660 Ti", "10de:2182", ComputeCapability(7, 5), 6 << 30)
PASCAL = Gpu("nvidia", "NVIDIA GeForce GTX 1080 Ti", "10de:1b06", ComputeCapability(6, 1), 11 << 30)


@pytest.mark.parametrize(("driver", "said"), [("450.51.06", "450.80.02"), ("440.33.01", "450")])
def test_a_driver_is_not_called_older_than_its_own_branch(driver: str, said: str) -> None:
    machine = Machine("linux", "x86_64", "2.31", Driver(driver), (TURING,))
    verdict = resolve(machine, load_matrix(), Choices(torch="1.9.1", variant="cu111"))
    (reason,) = verdict.candidates[0].reasons
    assert text(reason.short, "en") == f"✕ driver < {said}"
    assert text(reason.message, "en") == f"needs driver 450.80.02 or newer, this computer has {driver}"


def test_a_release_that_was_asked_for_is_not_called_the_newest() -> None:
    machine = Machine("linux", "x86_64", "2.31", Driver("535.183.01", "12.2"), (TURING,))
    pinned = resolve(machine, load_matrix(), Choices(torch="1.11.0", python="3.13"))
    for language in LANGUAGES:
        told = why_not_newest(pinned, language) or ""
        assert told.startswith(text(message("plan.why-not-asked", torch="1.11.0"), language))
    assert "newest" not in (why_not_newest(pinned, "en") or "")


def test_each_build_of_a_group_is_named() -> None:
    params = {"torch": "2.15.0", "platform": "linux x86_64"}
    reasons = (Reason("not-published", {**params, "variant": tag}) for tag in ("cu132", "cu130"))
    rows = tuple(Candidate("2.15.0", str(one.params["variant"]), "3.12", None, None, False, (one,)) for one in reasons)
    other = Candidate("2.14.1", "cpu", "3.12", None, None, True)
    told = why_not_newest(Verdict(other, None, (other, *rows)), "en") or ""
    assert "was not published as cu132, cu130 for this system" in told


@pytest.mark.parametrize("glibc", ["2.17", "2.27", "2.28", "2.39"])
def test_the_last_torch_is_one_that_this_system_takes(glibc: str) -> None:
    machine = Machine("linux", "x86_64", glibc, Driver("580.95.05", "13.0"), (PASCAL,))
    matrix = load_matrix()
    verdict = resolve(machine, matrix, Choices())
    last = [str(notice.params["build"]) for notice in verdict.notices if notice.key == "plan.notice.last-torch"]
    taken = {f"{one.torch}+{one.variant}" for one in verdict.candidates if "glibc-too-old" not in codes_of(one)}
    assert set(last) <= taken
    assert bool(last) is (glibc >= "2.28"), "an old C library ends before the card does"


def codes_of(candidate: Candidate) -> set[str]:
    return {reason.code for reason in candidate.reasons}


def test_a_driver_that_would_know_the_card_must_be_new_enough_for_the_build_too() -> None:
    """570 knows an RTX 5070 Ti, and CUDA 13 wants 580: who installs 570 as told must not be refused again."""
    needed: dict[str, str] = {}
    for one in verdict_of("rtx-5070-ti-linux-550").candidates:
        for reason in one.reasons:
            if reason.code == "driver-too-old":
                needed.setdefault(one.variant, str(reason.params["need"]))
    assert needed["cu132"].startswith("580")
    assert needed["cu128"].startswith("570")
