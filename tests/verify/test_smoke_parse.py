"""From recorded lines to values: what a broken or foreign output becomes, and the kernel rule of the script."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.model.messages import LANGUAGES, text
from wizard.process import Outcome, Request
from wizard.run.verify.smoke import check_message, parse_smoke, script_path, signal_name


def outcome(stdout: str, exit_code: int | None = 0, **more: object) -> Outcome:
    return Outcome(Request(("python",)), exit_code, stdout, "", 1.0, **more)  # type: ignore[arg-type]


def line(event: str, **fields: object) -> str:
    return json.dumps({"smoke": 1, "event": event, **fields})


GOOD = "\n".join(
    [
        line("begin", name="python"),
        line("check", name="python", state="ok", seconds=0.1, data={"version": "3.12.4"}),
        line("begin", name="import"),
        line("check", name="import", state="ok", seconds=3.0, data={"torch": "2.15.0+cpu", "cuda": None}),
        line("begin", name="zeros"),
        line("check", name="zeros", state="ok", seconds=0.1, data={"device": "cpu"}),
        line("summary", ok=True),
    ]
)


def test_good_lines() -> None:
    found = parse_smoke(outcome(GOOD))
    assert (found.ok, found.gpu_ok, found.torch, found.python) == (True, None, "2.15.0+cpu", "3.12.4")
    assert found.headline.key == "verify.headline.cpu-ok"


def test_what_a_real_card_said() -> None:
    """Recorded on an H100 on 2026-11-26 (torch 2.11.0+cu130, driver 580.159.04)."""
    said = (Path(__file__).parents[1] / "data" / "verify" / "h100.jsonl").read_text(encoding="utf-8")
    found = parse_smoke(outcome(said))
    assert (found.ok, found.gpu_ok, found.torch, found.python) == (True, True, "2.11.0+cu130", "3.12.3")
    assert [check.name for check in found.checks if check.state != "ok"] == ["peers"]
    assert [(device["name"], device["kernels"]) for device in found.devices] == [("NVIDIA H100 80GB HBM3", "cubin")]
    assert "51.1 TFLOP/s" in text(found.checks[-1].message, "en")
    assert "67" in text(found.checks[-1].message, "en")
    for language in LANGUAGES:
        assert all("{" not in text(check.message, language) for check in found.checks)


def test_without_the_last_line_it_is_not_over() -> None:
    found = parse_smoke(outcome(GOOD.rsplit("\n", 1)[0]))
    assert not found.ok
    assert found.checks[-1].data["reason"] == "ended-early"


@pytest.mark.parametrize(
    "stdout",
    [
        "",
        "Segmentation fault",
        '{"smoke": 1',
        '{"smoke": 1, "event": "check"}',
        '{"smoke": 2, "event": "summary"}',
        '{"smoke": 1, "event": 5}',
        '{"smoke": 1, "event": "check", "name": "zeros", "state": "splendid"}',
        "[1]",
    ],
)
def test_garbage_is_no_answer(stdout: str) -> None:
    found = parse_smoke(outcome(stdout))
    assert (found.ok, found.gpu_ok) == (False, None)
    assert found.headline.key == "verify.check.process.no-answer"


@given(st.text(), st.integers(-64, 0xFFFFFFFF) | st.none())
def test_no_output_can_raise(stdout: str, exit_code: int | None) -> None:
    assert not parse_smoke(outcome(stdout, exit_code)).ok


@given(
    st.dictionaries(
        st.sampled_from(["name", "state", "data", "error", "seconds", "warnings"]),
        st.none()
        | st.integers()
        | st.text()
        | st.just("failed")
        | st.just("ok")
        | st.dictionaries(st.text(max_size=3), st.none() | st.text(max_size=3)),
    )
)
def test_no_line_of_ours_can_raise(fields: dict[str, object]) -> None:
    assert not parse_smoke(outcome(line("check", **fields))).ok


def test_a_check_of_a_newer_script_has_words() -> None:
    added = line("check", name="teleport", state="ok", seconds=1.0, data={})
    found = parse_smoke(outcome(f"{added}\n{GOOD}"))
    assert found.checks[0].message.key == "verify.check.other.ok"


@pytest.mark.parametrize("device", ["cuda:0", "cpu"])
def test_a_time_too_short_for_its_digits_is_told_as_such(device: str) -> None:
    for seconds, number, short in ((0.0004, "0.001 s)", "不到 0.001 秒"), (0.0006, "(0.001 s)", "（0.001 秒）")):
        said = check_message("zeros", "ok", {"device": device}, seconds)
        assert text(said, "en").endswith(f"{number}.")
        assert short in text(said, "zh_CN")
    assert "less than" in text(check_message("zeros", "ok", {"device": device}, 0.0), "en")


@pytest.mark.parametrize(
    ("card", "tflops", "word"),
    [
        ("NVIDIA H100 80GB HBM3", 51.2, "stated"),
        ("NVIDIA H200", 49.6, "stated"),
        ("NVIDIA GeForce RTX 4090", 30.1, "slow"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", 9.9, "ok"),  # what it reaches hangs on the laptop
    ],
)
def test_a_recorded_speed(card: str, tflops: float, word: str) -> None:
    seen = line("check", name="speed", state="ok", seconds=0.7, data={"name": card, "side": 4096, "tflops": tflops})
    found = parse_smoke(outcome(f"{GOOD}\n{seen}"))
    assert found.ok
    assert found.checks[-1].message.key == f"verify.check.speed.{word}"


@pytest.mark.parametrize(
    ("exit_code", "name"),
    [
        (0, None),
        (1, None),
        (None, None),
        (-11, "SIGSEGV"),
        (0xC0000005, "access violation"),
        (0xC0ABCDEF, "0xC0ABCDEF"),
    ],
)
def test_signal_names(exit_code: int | None, name: str | None) -> None:
    assert signal_name(exit_code) == name


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("smoke_test_script", script_path())
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("capability", "archs", "kind"),
    [
        ((8, 9), "sm_75 sm_80 sm_86 sm_90", "cubin"),
        ((10, 3), "sm_90 sm_100 sm_120", "cubin"),
        ((12, 1), "sm_100 sm_120", "cubin"),
        ((6, 1), "sm_60 sm_70", "cubin"),
        ((6, 1), "sm_75 sm_80", "none"),
        ((7, 0), "sm_75", "none"),
        ((12, 0), "sm_80 sm_90", "none"),
        ((12, 0), "sm_80 compute_90", "ptx"),
        ((8, 0), "compute_90", "none"),
        ((9, 0), "sm_90a", "cubin"),
        ((10, 0), "sm_90a compute_90a", "none"),
        ((10, 3), "sm_100a", "none"),
        ((10, 3), "sm_100f", "cubin"),
        ((8, 6), "", "unknown"),
    ],
)
def test_kernel_rule(script: ModuleType, capability: tuple[int, int], archs: str, kind: str) -> None:
    assert script.kernels_for(capability, archs.split()) == kind


def test_a_result_on_the_processor_is_said_in_words() -> None:
    def said(name: str, device: str) -> str:
        data = {"device": device, "max_difference": 0, "version": "0.29", "operator": "nms"}
        return text(check_message(name, "ok", data, 0.1), "zh_CN")

    assert said("matmul", "cpu").startswith("CPU 计算结果正确")
    assert said("matmul", "cuda:0").startswith("cuda:0 计算结果正确")
    assert said("torchvision", "cpu") == "torchvision 0.29：nms 在 CPU 上正常。"
    assert not [name for name in ("convolution", "torchaudio", "zeros") if "cpu" in said(name, "cpu")]
