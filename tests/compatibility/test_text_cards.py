"""What the tables say to an error text of its cards, their code in a build, and the driver."""

from __future__ import annotations

import pytest

from tests.compatibility.judged_text import of, reasons
from tests.compatibility.machines import machine
from wizard.app.use.explain import answer, by_the_texts_facts
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.known_errors.facts import parse_facts
from wizard.model.capability import ComputeCapability
from wizard.run.model import Facts
from wizard.sources.model import UserSettings


def test_the_build_that_has_code_for_the_card_is_of_the_same_release() -> None:
    said = "with CUDA capability sm_60 is not compatible with the current PyTorch installation.\ntorch 2.8.0+cu128"
    assert reasons(said)["no-code-if"] == {"build": "torch 2.8.0+cu128", "other": "torch 2.8.0+cu126", "sm": "sm_60"}


def test_the_build_that_has_code_for_the_card_runs_with_the_driver_of_the_text() -> None:
    said = (
        "NVIDIA GeForce RTX 5090 D with CUDA capability sm_120 is not compatible with this PyTorch installation.\n"
        "PyTorch version: 2.6.0+cu126\nNvidia driver version: {}"
    )
    assert reasons(said.format("570.124.04"))["no-code"]["other"].endswith("+cu128")
    assert reasons(said.format("580.95.05"))["no-code"]["other"].endswith("+cu130")


def test_a_build_that_has_code_for_the_card_is_not_blamed() -> None:
    said = "Found GPU0 NVIDIA GB10 which is of compute capability (CC) 12.1.\ntorch==2.9.1+cu130"
    assert "has-code" in reasons(said)


NO_CODE = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


@pytest.mark.parametrize(
    ("card", "sm"),
    [
        ("在RTX5090上", "sm_120"),
        ("Device is RTX 5090 D", "sm_120"),
        ("my GTX1070 card", "sm_61"),
        ("the same on 5060TI", "sm_120"),
        ("5090显卡无法运行", "sm_120"),
        ("rtx-4090", "sm_89"),
    ],
)
def test_a_card_that_is_named_where_its_code_is_missing_has_its_capability(card: str, sm: str) -> None:
    assert reasons(f"{card}\n{NO_CODE}")["code"]["sm"] == sm
    assert reasons(f"{card}\nRuntimeError: CUDA error: device-side assert triggered") == {}


@pytest.mark.parametrize(
    "cards",
    ["RTX 4000", "RTX 3090 and RTX 5090", "RTX 9999", "took 3090 ms", "port 5060", "a.py, line 5090", "8.4070", "1080"],
)
def test_names_of_unlike_or_unknown_cards_say_nothing(cards: str) -> None:
    assert reasons(f"{cards}\n{NO_CODE}") == {}


def test_a_build_that_has_the_named_cards_code_is_not_blamed() -> None:
    assert "has-code" in reasons(f"RTX 5090, torch 2.8.0+cu128\n{NO_CODE}")
    assert "no-code-if" in reasons(f"RTX 5090, torch 2.8.0+cu126\n{NO_CODE}")


def test_the_drivers_cuda_limits_the_major_version_only() -> None:
    found = reasons("The NVIDIA driver on your system is too old (found version 12040).")["driver"]
    assert found["cuda"] == "12.4"
    assert "+cu12" in found["build"]


def test_the_capability_that_a_program_demands_is_not_the_cards() -> None:
    demanded = "SM89 kernel is not available. Make sure you GPUs with compute capability 8.9."
    assert parse_facts(demanded).capability is None
    assert parse_facts(f"GPU 0 has cuda capability 12.0\n{demanded}").capability is not None


def test_a_driver_is_held_against_the_cuda_of_the_torch_beside_it() -> None:
    said = "CUDA driver version is insufficient for CUDA runtime version\nDriver Version: {}\ntorch 2.9.1+cu{}"
    assert reasons(said.format("535.288.01", "130"))["driver-short"]["torch"] == "torch 2.9.1+cu130"
    assert "driver-short" not in reasons(said.format("575.64.03", "128"))
    matrix, no_card = load_matrix(), machine("no-gpu-linux")
    look = (Facts(no_card, UserSettings(), (), 0.0), resolve(no_card, matrix, Choices()), matrix)
    found = answer(said.format("575.64.03", "128"), lambda: look).found[0]
    assert (found.cause.key, found.fix.key) == ("explain.cause-driver-suffices", "explain.fix-text-of-card")
    assert found.with_card is not None
    assert found.with_card.key == "explain.fix-driver-suffices", "that is for the computer that the text is of"
    short = answer(said.format("535.288.01", "130"), lambda: look).found[0]
    assert short.cause.key == "explain.error.driver-insufficient.cause"


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("Tried to allocate 108.00 MiB. GPU 0 has a total capacity of 24.00 GiB of which 15.34 GiB is free.", True),
        (
            "Tried to allocate 3.05 GiB (GPU 0; 95.59 GiB total capacity; 2 GiB already allocated; 52.31 GiB free; x",
            True,
        ),
        ("Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 2.10 GiB is free.", False),
        ("Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 90.00 MiB is free.", False),
    ],
)
def test_a_card_with_room_is_not_called_full(said: str, cause: bool) -> None:
    found = by_the_texts_facts(*of(f"torch.OutOfMemoryError: CUDA out of memory. {said}"))[0]
    assert (found.cause.key == "explain.cause-card-has-room") is cause


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("product: DG2 [Arc A770]", True),
        ("AMD Radeon RX 7900 XTX", True),
        ("NVIDIA GeForce RTX 3060 and Intel(R) Arc(TM) A380", False),
        ("the search arc of a graph", False),
    ],
)
def test_no_cuda_build_is_advised_for_another_makers_card(said: str, cause: bool) -> None:
    found = by_the_texts_facts(*of(f"AssertionError: Torch not compiled with CUDA enabled\n{said}"))[0]
    assert (found.cause.key == "explain.cause-other-maker") is cause


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("Intel Arc B580, Windows 11", True),
        ("AMD Radeon RX 7900 XTX with torch 2.9.0+rocm7.0", False),
        ("NVIDIA GeForce MX450, Intel(R) Iris(R) Xe", False),
    ],
)
def test_no_driver_of_nvidia_is_advised_for_another_makers_card(said: str, cause: bool) -> None:
    found = by_the_texts_facts(*of(f"torch.cuda.is_available()\nFalse\n{said}"))[0]
    assert (found.cause.key == "explain.cause-other-maker") is cause


def test_code_that_is_lacking_is_said_with_its_architecture() -> None:
    said = "torch (cu128) has no sm_60 kernels, so it dies with cudaErrorNoKernelImageForDevice"
    assert parse_facts(said).capability == ComputeCapability(6, 0)


def test_a_python_without_code_for_the_card_is_named() -> None:
    said = "python==3.8\nRTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation."
    assert reasons(said)["code-python"]["python"] == "3.8"


def test_nothing_beside_it_puts_a_linux_driver_into_wsl() -> None:
    said = (
        "Linux 5.15.153.1-microsoft-standard-WSL2\nE: Unable to locate package nvidia-driver-550\n"
        "bash: nvidia-smi: command not found\n"
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory\n"
    )
    found, named = of(said)
    assert len(found) > 1
    assert [one.cause.key for one in by_the_texts_facts(found, named)] == ["explain.error.no-driver-wsl.cause"]


@pytest.mark.parametrize(
    ("words", "driver"),
    [
        ("NVIDIA drivers are installed, v573.24. torch", "573.24"),
        ("驱动程序版本 566.36 torch", "566.36"),
        ("driver took 123.45 s torch", ""),
    ],
)
def test_the_driver_is_read_as_people_write_it(words: str, driver: str) -> None:
    assert parse_facts(words).driver == driver


def test_a_card_that_a_container_does_not_see_is_looked_for_in_how_it_was_started() -> None:
    matrix, no_card = load_matrix(), machine("no-gpu-linux")
    look = (Facts(no_card, UserSettings(), (), 0.0), resolve(no_card, matrix, Choices()), matrix)

    def told(words: str) -> set[str]:
        return {reason.key for reason in answer(words, lambda: look).reasons}

    assert "explain.reason.container" in told("进入docker内部，torch.cuda.is_available() 为false")
    assert "explain.reason.container" not in told("torch.cuda.is_available() False")
