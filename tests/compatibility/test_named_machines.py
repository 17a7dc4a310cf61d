"""The rule for best, machine by machine: what a person with such a computer must be told.

One file on purpose: one table of machines, and what is said of each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.compatibility.machines import machine, names
from wizard.app.pages.requirements import requirements
from wizard.cli.pick import render
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.model import Card
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Driver, Gpu
from wizard.model.capability import ComputeCapability
from wizard.model.messages import message, text
from wizard.sources.model import UserSettings

NOTHING = None
# machine -> best, after a driver update: (branch, torch, tag)
EXPECTED: dict[str, tuple[str | None, tuple[str, str, str] | None]] = {
    "a100-linux-470": ("2.7.1+cu118", ("580", "2.15.0", "cu132")),
    "gb10-aarch64-580": ("2.15.0+cu132", NOTHING),
    "gt-730-fermi-windows": ("2.15.0+cpu", NOTHING),
    "gt-730-kepler-30-windows": ("2.15.0+cpu", NOTHING),
    "gt-730-kepler-35-windows": ("2.15.0+cpu", NOTHING),
    "gt-730-rtx-3060-linux-470": ("2.7.1+cu118", NOTHING),
    "gtx-1080-ti-rtx-5090-linux-580": ("2.15.0+cu132", NOTHING),
    "gtx-1080-ti-rtx-5090-linux-595": ("2.15.0+cu132", NOTHING),
    "gtx-1080-ti-rtx-5090-windows-581": ("2.8.0+cu128", NOTHING),
    "gtx-1080-windows-595": ("2.15.0+cpu", NOTHING),
    "gtx-1660-ti-windows-546": ("2.14.1+cu126", ("580", "2.15.0", "cu132")),
    "gtx-970-linux-nouveau": ("2.15.0+cpu", ("525", "2.14.1", "cu126")),
    "gtx-970-windows-552": ("2.14.1+cu126", NOTHING),
    "intel-only-windows": ("2.15.0+cpu", NOTHING),
    "h100-linux-580": ("2.15.0+cu132", NOTHING),
    "h200-linux-580": ("2.15.0+cu132", NOTHING),
    "jetson-orin-linux": ("2.15.0+cpu", NOTHING),
    "k40-linux-470": ("2.15.0+cpu", NOTHING),
    "k80-linux-470": ("2.7.1+cu118", NOTHING),
    "laptop-intel-rtx-4060-windows": ("2.14.1+cu126", ("580", "2.15.0", "cu132")),
    "musl-linux": (None, NOTHING),
    "no-gpu-linux": ("2.15.0+cpu", NOTHING),
    "old-glibc-linux": ("2.6.0+cu124", NOTHING),
    "rtx-3050-a-laptop-windows": ("2.14.1+cu126", ("580", "2.15.0", "cu132")),
    "rtx-3060-linux-nouveau": ("2.15.0+cpu", ("580", "2.15.0", "cu132")),
    "rtx-5070-ti-linux-550": ("2.15.0+cpu", ("580", "2.15.0", "cu132")),
    "rtx-5070-ti-linux-nouveau": ("2.15.0+cpu", ("580", "2.15.0", "cu132")),
    "rtx-5070-ti-windows-572": ("2.11.0+cu128", ("580", "2.15.0", "cu132")),
    "rtx-5070-ti-windows-581": ("2.15.0+cu132", NOTHING),
    "unknown-card-linux": ("2.15.0+cpu", NOTHING),
    "v100-linux-535": ("2.14.1+cu126", NOTHING),
    "v100-linux-580": ("2.14.1+cu126", NOTHING),
    "windows-on-arm": (None, NOTHING),
    "wsl-rtx-4090-528": ("2.7.1+cu118", ("580", "2.15.0", "cu132")),
}


def verdict_of(name: str, **choices: Any) -> Verdict:
    return resolve(machine(name), load_matrix(), Choices(**choices))


def build_of(candidate: Candidate | None) -> str | None:
    return f"{candidate.torch}+{candidate.variant}" if candidate else None


def find(verdict: Verdict, torch: str, variant: str) -> Candidate:
    return next(c for c in verdict.candidates if (c.torch, c.variant) == (torch, variant))


def codes(verdict: Verdict, torch: str, variant: str) -> list[str]:
    return [reason.code for reason in find(verdict, torch, variant).reasons]


def notice_keys(verdict: Verdict) -> set[str]:
    return {notice.key for notice in verdict.notices}


def test_every_machine_file_has_an_expectation() -> None:
    assert names() == sorted(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_best_and_after_driver_update(name: str) -> None:
    verdict = verdict_of(name)
    update = verdict.after_driver_update
    assert (build_of(verdict.best), (update.driver, update.torch, update.variant) if update else None) == EXPECTED[name]


def test_the_processor_is_not_the_answer_without_a_word_of_why() -> None:
    """Of a card that nobody saw because NVIDIA's tools failed; where a card is driven, only dead cards are told."""
    rubbish, dead = message("machine.nvidia.smi-failed", said="<html>"), message("machine.card.lost", card="#1")
    blind = replace(machine("no-gpu-linux"), notices=(rubbish, message("machine.nvidia.library-not-found")))
    assert rubbish in resolve(blind, load_matrix(), Choices()).notices
    assert "machine.nvidia.library-not-found" not in notice_keys(resolve(blind, load_matrix(), Choices()))
    driven = resolve(replace(machine("rtx-5070-ti-windows-581"), notices=(rubbish, dead)), load_matrix(), Choices())
    assert dead in driven.notices
    assert rubbish not in driven.notices


def test_no_driver_is_named_but_the_one_that_suffices_for_the_build_at_the_end() -> None:
    verdict = verdict_of("rtx-5070-ti-linux-550")
    assert verdict.after_driver_update is not None
    said = render(verdict, "en")
    assert "With driver 580.65.06 or newer" in said
    assert "driver 570" not in said


def test_the_contract_example() -> None:
    verdict = verdict_of("gtx-1660-ti-windows-546")
    best = verdict.best
    assert best is not None
    assert (best.python, best.torchvision, best.torchaudio, best.confidence) == ("3.12", "0.29.1", "2.11.0", "high")
    reasons = find(verdict, "2.15.0", "cu132").reasons
    assert [text(reason.message, "en") for reason in reasons] == ["needs driver 580 or newer, this computer has 546.33"]
    assert codes(verdict, "2.15.0", "cu126") == ["not-published"]
    (card,) = (link.message for link in best.proof if link.kind == "gpu")
    assert text(card, "en") == "GeForce GTX 1660 Ti: Turing architecture, compute capability 7.5 (sm_75)"
    assert text(card, "zh_CN") == "GeForce GTX 1660 Ti：Turing 架构，计算能力 7.5（sm_75）"
    assert [link.kind for link in best.proof] == ["gpu", "kernels", "driver", "python", "platform", "wheel"]
    assert all(link.source for link in best.proof)


def test_a_gt_730_is_judged_by_its_id_not_its_name() -> None:
    capabilities = {
        find(verdict_of(name), "2.7.1", "cu118").reasons[0].params["capability"]
        for name in ("gt-730-fermi-windows", "gt-730-kepler-30-windows", "gt-730-kepler-35-windows")
    }
    assert capabilities == {"2.1", "3.0", "3.5"}


def test_an_rtx_3050_a_laptop_is_ada() -> None:
    best = verdict_of("rtx-3050-a-laptop-windows").best
    assert best is not None
    assert "8.9" in text(best.proof[0].message, "en")


def test_cards_that_no_build_covers_are_named() -> None:
    verdict = verdict_of("gtx-1080-ti-rtx-5090-linux-580")
    left_out = [notice for notice in verdict.notices if notice.key == "plan.notice.left-out"]
    assert [dict(notice.params) for notice in left_out] == [
        {"gpu": "GeForce GTX 1080 Ti", "chosen": "GeForce RTX 5090"}
    ]


def test_one_windows_build_covers_pascal_and_blackwell() -> None:
    verdict = verdict_of("gtx-1080-ti-rtx-5090-windows-581")
    assert "plan.notice.left-out" not in notice_keys(verdict)
    assert "plan.notice.held-back" in notice_keys(verdict)
    assert codes(verdict, "2.10.0", "cu128") == ["no-kernels-for-gpu"]


def test_a_driver_that_dropped_the_card_is_no_driver_and_the_way_back_is_named() -> None:
    verdict = verdict_of("gtx-1080-windows-595")
    assert codes(verdict, "2.14.1", "cu126") == ["no-driver"]
    assert {"plan.notice.dropped", "plan.notice.return"} <= notice_keys(verdict)


def test_a_driver_older_than_the_card() -> None:
    verdict = verdict_of("rtx-5070-ti-linux-550")
    assert codes(verdict, "2.11.0", "cu128") == ["driver-too-old"]
    assert find(verdict, "2.11.0", "cu128").reasons[0].params["need"] == "570"
    assert "plan.notice.too-new-updated" in notice_keys(verdict)
    assert codes(verdict, "2.11.0", "cu126") == ["no-kernels-for-gpu"], "no driver makes that one run"


def test_no_driver() -> None:
    verdict = verdict_of("rtx-3060-linux-nouveau")
    assert codes(verdict, "2.15.0", "cu132") == ["no-driver"]
    assert "plan.notice.last-branch" in notice_keys(verdict_of("gtx-970-linux-nouveau"))
    assert "plan.notice.open-module" in notice_keys(verdict_of("rtx-5070-ti-linux-nouveau"))


def test_without_a_card_cpu_builds_come_first_and_the_others_say_why() -> None:
    verdict = verdict_of("no-gpu-linux")
    fitting = [candidate for candidate in verdict.candidates if candidate.fits]
    assert {candidate.variant for candidate in fitting} == {"cpu"}
    assert list(verdict.candidates[: len(fitting)]) == fitting
    assert codes(verdict, "2.15.0", "cu132") == ["no-gpu"]


def test_a_tag_asked_for_by_name_without_a_card_is_there_with_its_reason() -> None:
    verdict = verdict_of("no-gpu-linux", variant="cu132")
    assert verdict.best is None
    first = verdict.candidates[0]
    assert (build_of(first), first.fits, first.python) == ("2.15.0+cu132", False, "3.12")
    assert [reason.code for reason in first.reasons] == ["no-gpu"]


def test_a_system_without_wheels() -> None:
    verdict = verdict_of("windows-on-arm")
    assert {reason.code for candidate in verdict.candidates for reason in candidate.reasons} == {"platform-unsupported"}


def test_an_old_c_library() -> None:
    assert codes(verdict_of("old-glibc-linux"), "2.15.0", "cu132") == ["glibc-too-old"]
    assert codes(verdict_of("musl-linux"), "2.15.0", "cpu") == ["glibc-too-old"]


def test_a_machine_file_that_does_not_say_its_c_library_is_not_turned_away() -> None:
    verdict = resolve(replace(machine("v100-linux-535"), glibc=None), load_matrix(), Choices())
    assert build_of(verdict.best) == "2.14.1+cu126"
    assert "plan.notice.unknown-glibc" in notice_keys(verdict)


@pytest.mark.parametrize("cuda", ["12.0", "12.3", "12.9"])
def test_the_cuda_of_a_driver_decides_when_its_version_is_not_known(cuda: str) -> None:
    known = machine("gtx-1660-ti-windows-546")
    verdict = resolve(replace(known, driver=Driver("", cuda)), load_matrix(), Choices())
    assert build_of(verdict.best) == "2.14.1+cu126"
    assert verdict.after_driver_update is not None


def test_notes_on_cards_beyond_the_table() -> None:
    assert "plan.notice.unknown-card-driven" in notice_keys(verdict_of("unknown-card-linux"))
    without = resolve(replace(machine("unknown-card-linux"), driver=None), load_matrix(), Choices())
    assert "plan.notice.unknown-card" in notice_keys(without)
    jetson = verdict_of("jetson-orin-linux")
    assert "plan.notice.own-wheels" in notice_keys(jetson)
    (reason, *_) = find(jetson, "2.14.1", "cu126").reasons
    assert (reason.code, reason.words) == ("no-kernels-for-gpu", "own-code")


@pytest.mark.parametrize("capability", ["5.3", "6.2", "7.2", "8.7", "10.1"])
def test_a_board_is_sent_to_its_maker_and_told_nothing_against_that(capability: str) -> None:
    board = machine("jetson-orin-linux")
    gpu = replace(board.gpus[0], compute_capability=ComputeCapability.parse(capability))
    keys = notice_keys(resolve(replace(board, gpus=(gpu,)), load_matrix(), Choices()))
    assert "plan.notice.own-wheels" in keys
    rows = {row.name: row for row in requirements(replace(board, gpus=(gpu,)), UserSettings())}
    assert rows["gpu"].fix is not None
    assert rows["gpu"].fix.key == "plan.notice.own-wheels", "Check and pick say the same"
    assert rows["gpu"].why is not None
    assert text(rows["gpu"].why, "en").endswith("uses the processor."), "as for the cards of AMD"
    assert (rows["driver"].state, rows["driver"].why and rows["driver"].why.key) == ("note", "check.driver.board")
    assert "CUDA" not in text(rows["driver"].fact, "en"), "nothing that is installed uses it"
    assert not {"plan.notice.last-branch", "plan.notice.no-torch", "plan.notice.last-torch"} & set(keys)


def words(verdict: Verdict, torch: str, variant: str) -> list[str]:
    return [text(reason.message, "en") for reason in find(verdict, torch, variant).reasons]


def test_what_is_unknown_is_not_said_to_be_false() -> None:
    unknown = verdict_of("unknown-card-linux")
    (reason,) = words(unknown, "2.15.0", "cu132")
    assert "is not known" in reason
    assert "holds no code" not in reason
    assert text(find(unknown, "2.15.0", "cu132").reasons[0].short, "en") == "? card not known"
    assert words(unknown, "2.15.0", "cu132")[0].count("NVIDIA 10de:") == 1, "a number stands where a name does"
    rumoured = verdict_of("gb10-aarch64-580", torch="2.9.0", variant="cu129")
    assert "what code this build holds is not known" in words(rumoured, "2.9.0", "cu129")[0]
    planned = verdict_of("gb10-aarch64-580", variant="cu134")
    assert "was not published as cu134 for this system (linux aarch64)" in words(planned, "2.15.0", "cu134")[0]


def test_a_dropped_card_is_not_said_to_have_no_driver() -> None:
    dropped = verdict_of("gtx-1080-windows-595")
    assert words(dropped, "2.14.1", "cu126")[-1].endswith("no longer supports the GeForce GTX 1080")
    assert "driver" in text(find(dropped, "2.14.1", "cu126").reasons[-1].short, "en")
    assert text(find(dropped, "2.14.1", "cu126").reasons[-1].short, "en") != "✕ no driver"


def test_a_trial_python_names_the_way_to_it() -> None:
    verdict = verdict_of("gtx-970-windows-552", python="3.15", torch="2.14.1")
    assert "--include-unadvertised" in words(verdict, "2.14.1", "cu126")[0]


@pytest.mark.parametrize("name", ["v100-linux-580", "gtx-970-linux-nouveau", "gtx-1080-windows-595"])
def test_cards_that_are_alike_are_spoken_of_once(name: str) -> None:
    one = machine(name)
    eight, single = (resolve(replace(one, gpus=one.gpus * many), load_matrix(), Choices()) for many in (8, 1))
    assert eight.notices == single.notices
    assert [c.reasons for c in eight.candidates] == [c.reasons for c in single.candidates]
    assert eight.best
    assert single.best
    assert eight.best.proof == single.best.proof


def test_a_card_of_a_virtual_machine() -> None:
    known = machine("rtx-3060-linux-nouveau")
    given = tuple(replace(gpu, kernel_driver="vfio-pci") for gpu in known.gpus)
    for driver in (None, Driver("580.95.05")):
        verdict = resolve(replace(known, gpus=given, driver=driver), load_matrix(), Choices())
        assert build_of(verdict.best) == "2.15.0+cpu"
        assert verdict.after_driver_update is None
        assert "plan.notice.handed-over" in notice_keys(verdict)


def test_a_card_that_is_newer_than_any_driver_of_its_time() -> None:
    """By the id alone: a driver that reports the card knows it, whatever our table says."""
    known = machine("rtx-3060-linux-nouveau")
    ada = Gpu("nvidia", "GeForce RTX 4090", "10de:2684")
    old = replace(known, gpus=(ada,), driver=Driver("470.256.02"))
    verdict = resolve(old, load_matrix(), Choices())
    assert build_of(verdict.best) == "2.15.0+cpu"
    assert "plan.notice.too-new-updated" in notice_keys(verdict)
    reported = replace(old, gpus=(replace(ada, compute_capability=ComputeCapability(8, 9)),))
    assert build_of(resolve(reported, load_matrix(), Choices()).best) == "2.7.1+cu118"


def test_a_card_without_a_driver_for_this_system() -> None:
    matrix = load_matrix()
    rubin = matrix.architectures["Rubin"]
    assert (rubin.first_driver, rubin.without_driver) == ({"linux": 615}, frozenset({"windows"}))
    row = Card("10de:aaaa", "R100", "GR100", "Rubin", ComputeCapability(10, 7), "server", "high", "a test")
    with_card = replace(matrix, find_card={"10de:aaaa": row}.get)
    known = machine("rtx-5070-ti-windows-581")
    for driver in (known.driver, None, Driver("620.10")):
        there = replace(known, driver=driver, gpus=(Gpu("nvidia", "R100", "10de:aaaa"),))
        verdict = resolve(there, with_card, Choices())
        assert build_of(verdict.best) == "2.15.0+cpu"
        assert verdict.after_driver_update is None
        assert "plan.notice.no-system" in notice_keys(verdict)


def test_a_board_whose_driver_has_its_own_numbers() -> None:
    thor = replace(
        machine("gb10-aarch64-580"),
        driver=Driver("580.00", "13.0"),
        gpus=(Gpu("nvidia", "NVIDIA Thor", None, ComputeCapability(11, 0)),),
    )
    verdict = resolve(thor, load_matrix(), Choices())
    assert build_of(verdict.best) == "2.15.0+cu132"
    assert verdict.best
    driver = next(link for link in verdict.best.proof if link.kind == "driver")
    assert text(driver.message, "en") == "Driver 580.00 itself says that it runs CUDA 13.0, and so it runs CUDA 13.2"
    silent = resolve(replace(thor, driver=Driver("580.00")), load_matrix(), Choices()).best
    assert silent
    words = next(link.message for link in silent.proof if link.kind == "driver")
    assert text(words, "en") == "Driver 580.00 is of the series 580, which runs CUDA 13.2"


def test_the_cuda_that_a_driver_reports_counts_before_its_number() -> None:
    known = machine("rtx-5070-ti-windows-581")
    verdict = resolve(replace(known, driver=Driver("581.29", "12.9")), load_matrix(), Choices())
    assert codes(verdict, "2.15.0", "cu132") == ["driver-too-old"]
    assert words(verdict, "2.15.0", "cu132")[0].endswith("this computer has 581.29 (CUDA 12.9)")
