"""Computers with cards of other makers: what the card is called, what there is for it, and what Next would install."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.compatibility.machines import FOLDER
from wizard.app.pages.requirements import requirements
from wizard.app.use.explain import answer
from wizard.cli.pick import render
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.explain import pick_document
from wizard.compatibility.model import Choices, Verdict
from wizard.compatibility.other_makers import card_words, other_cards, parse_other_makers
from wizard.compatibility.resolve import resolve
from wizard.machine.machine_file import machine_to_json, read_machine_file
from wizard.machine.model import Gpu, Machine
from wizard.model.messages import LANGUAGES, text
from wizard.project.decide import decide
from wizard.project.read import read_project
from wizard.run.model import Facts
from wizard.sources.model import UserSettings
from wizard.system import paths

FILES = FOLDER.parent / "other_makers"
AMD = "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
ROCM = "pip install torch torchvision --index-url https://download.pytorch.org/whl/rocm7.2"
XPU = "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/xpu"
CPU_BUILD = "PyTorch uses the processor: slower"


def multi_arch(target: str) -> str:
    return f'{AMD}"torch[device-{target}]" "torchvision[device-{target}]" torchaudio'


# machine -> the card's name, its target, the lines to type, whether its maker says that it was tested there
EXPECTED: dict[str, tuple[str, str, list[str], bool]] = {
    "rx-7900-xtx-linux": (
        "Radeon RX 7900 XT / 7900 XTX / 7900 GRE / 7900M",
        "gfx1100",
        [multi_arch("gfx1100"), ROCM],
        True,
    ),
    "rx-6700-xt-windows": ("Radeon RX 6700 XT", "gfx1031", [multi_arch("gfx1031")], True),
    "rx-9070-xt-windows": ("Radeon RX 9070 XT", "gfx1201", [multi_arch("gfx1201")], False),
    "rx-580-linux": ("Radeon RX 470 / 480 / 570 / 570X / 580 / 580X / 590", "gfx803", [], False),
    "ryzen-780m-linux": ("Radeon 780M / 760M", "gfx1103", [multi_arch("gfx1103")], True),
    "strix-halo-windows": ("Radeon 8060S / 8050S Graphics", "gfx1151", [multi_arch("gfx1151")], True),
    "mi300x-linux": ("Instinct MI300X", "gfx942", [multi_arch("gfx942"), ROCM], True),
    "steam-deck-linux": ("Custom GPU 0405", "gfx1033", [], True),
    "arc-b580-windows": ("Intel(R) Arc(TM) B580 Graphics", "xe", [XPU], True),
    "arc-a770-uhd-770-linux": ("Arc A770", "xe", [XPU], True),
    "lunar-lake-windows": ("Intel(R) Arc(TM) 140V GPU (16GB)", "xe", [XPU], True),
    "uhd-770-windows": ("Intel(R) UHD Graphics 770", "", [], False),
    "macbook-m3": ("Apple M3 Pro", "mac-arm64", ["pip3 install torch torchvision"], True),
    "imac-intel": ("AMD Radeon Pro 5700 XT", "mac-x86_64", ['pip3 install "torch==2.2.2" "numpy<2"'], True),
}
MACS = ("imac-intel", "macbook-m3")


def described(name: str) -> Machine:
    return read_machine_file(FILES / f"{name}.json")


def verdict_of(machine: Machine) -> Verdict:
    return resolve(machine, load_matrix(), Choices())


def test_every_machine_file_has_an_expectation() -> None:
    assert sorted(path.stem for path in FILES.glob("*.json")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_card_is_named_and_its_lines_are_for_it(name: str) -> None:
    card = other_cards(described(name))[0]
    assert (card.name, card.target, [offer.line for offer in card.offers], card.is_tested) == EXPECTED[name]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_pick_says_it_before_the_build(name: str) -> None:
    card, _, lines, is_tested = EXPECTED[name]
    verdict = verdict_of(described(name))
    said = render(verdict, "en")
    first = said.partition("\n\n")[0]
    assert first.startswith(card.split(" / ")[0])
    assert "CUDA needs an NVIDIA card" in first
    assert all(line in first for line in lines)
    assert lines or "No PyTorch is published for this card" in first
    assert "not say that it tested" in first or is_tested or not lines
    assert "No NVIDIA card" not in said
    assert "was not published for this system" not in said
    assert (CPU_BUILD in first) is (name not in MACS)
    assert (verdict.best is None) is (name in MACS)
    assert verdict.best is None or verdict.best.variant == "cpu"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_check_page_begins_with_it_and_gives_no_green_tick(name: str) -> None:
    card, _, lines, _ = EXPECTED[name]
    row = requirements(described(name), UserSettings())[0]
    assert row.name == "gpu"
    assert row.state == ("warning" if lines else "note")
    assert text(row.fact, "en").startswith(card.split(" / ")[0])
    assert row.why
    assert "NVIDIA" in text(row.why, "en")
    assert (row.fix is not None) is bool(lines)
    assert all(line in text(row.fix, "en") for line in lines)
    assert all(line in text(row.fix, "zh_CN") for line in lines)
    assert text(row.why, "zh_CN") != text(row.why, "en")


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - set(MACS)))
def test_the_verdict_has_a_reason_code_for_it(name: str) -> None:
    document = pick_document(verdict_of(described(name)), None, "en")
    codes = {reason["code"] for one in document["candidates"] for reason in one["reasons"]}
    assert "other-maker" in codes
    assert "no-gpu" not in codes
    assert [one["line"] for one in document["other_makers"][0]["offers"]] == EXPECTED[name][2]
    assert all(offer["source"] and offer["as_of"] for one in document["other_makers"] for offer in one["offers"])
    json.dumps(document)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_described_machine_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(machine_to_json(described(name))), encoding="utf-8")
    assert read_machine_file(file) == described(name)


def test_beside_an_nvidia_card_nothing_is_said_of_the_other() -> None:
    machine = described("ryzen-780m-linux")
    both = replace(machine, gpus=(*machine.gpus, Gpu("nvidia", None, "10de:2684")))
    assert other_cards(both) == ()
    assert verdict_of(both).others == ()
    assert pick_document(verdict_of(both))["other_makers"] == []


def test_windows_on_arm_is_told_what_there_is() -> None:
    (card,) = other_cards(read_machine_file(FOLDER / "windows-on-arm.json"))
    assert (card.target, card.has_cpu_build, [offer.row.confidence for offer in card.offers]) == (
        "windows-arm64",
        False,
        ["low"],
    )


def test_a_card_that_the_table_does_not_have_is_told_its_maker() -> None:
    machine = replace(described("rx-580-linux"), gpus=(Gpu("amd", None, "1002:ffff"),))
    (card,) = other_cards(machine)
    assert (card.name, card.maker, card.target, card.offers) == ("1002:ffff", "AMD", "", ())


def test_no_wheel_is_promised_to_arm_servers() -> None:
    machine = replace(described("mi300x-linux"), arch="aarch64")
    assert other_cards(machine)[0].offers == ()


def test_a_card_stands_in_the_table_once_and_every_target_with_an_offer_has_a_card() -> None:
    table = parse_other_makers((paths.matrices_dir() / "other_makers.toml").read_text(encoding="utf-8"))
    ids = [card.split(" ")[0] for chip in table.chip for card in chip.cards]
    assert len(ids) == len(set(ids))
    offered = {target for offer in table.offer for target in offer.targets if target.startswith(("gfx", "xe"))}
    assert offered <= {chip.target for chip in table.chip}


def test_an_error_and_a_project_name_the_card_of_another_maker(tmp_path: Path) -> None:
    """Not "no NVIDIA card was found" to somebody who has a card."""
    machine, matrix = read_machine_file(FILES / "rx-7900-xtx-linux.json"), load_matrix()
    look = (Facts(machine, UserSettings(), (), 0.0), resolve(machine, matrix, Choices()), matrix)
    pasted = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU"
    said = " ".join(text(fact, "en") for fact in answer(pasted, lambda: look).facts)
    assert "Radeon RX 7900 XT / 7900 XTX / 7900 GRE / 7900M (AMD, " in said, "one chip was sold as all of them"
    assert "No NVIDIA card" not in said
    (tmp_path / "requirements.txt").write_text("torch==2.3.1+cu121\n")
    found = decide(read_project(tmp_path), machine, matrix, Choices())
    [cuda] = [one for one in found.relaxed if one.name == "cuda"]
    assert all("Radeon RX 7900 XT" in text(cuda.why, language) for language in LANGUAGES)


@pytest.mark.parametrize("pci_id", ["1002:ffff", "8086:ffff"])
def test_of_an_id_that_the_table_lacks_nothing_is_claimed(pci_id: str) -> None:
    vendor = "amd" if pci_id.startswith("1002") else "intel"
    (card,) = other_cards(Machine("linux", "x86_64", "2.36", None, (Gpu(vendor, None, pci_id, None, None),)))
    assert card_words(card)[2].key == "other.not-known"


def test_that_no_card_was_found_has_no_tick() -> None:
    machine = Machine("linux", "x86_64", "2.36", None, (Gpu("other", "Foo", "1a03:2000", None, None),))
    words = render(resolve(machine, load_matrix(), Choices()), "en")
    assert "· No NVIDIA card was found" in words
