"""The report: its shape is a contract, it tells nothing private, it is written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wizard.app.worker import STAGES
from wizard.compatibility.model import Candidate, Choices, Plan, PlanSource
from wizard.diagnose.repair.steps import Guard, PutAside, RepairReady
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.lock import BY_PROFILE, LockedFile
from wizard.model.messages import LANGUAGES, catalogue, message
from wizard.process import Outcome, Request
from wizard.run.report.document import report_document
from wizard.run.report.privacy import Private, clean_text
from wizard.run.report.text import Document, render_text
from wizard.run.report.write import render_html, write_report
from wizard.run.steps.share import Share
from wizard.run.verify.model import Diagnosis, SmokeCheck, StepResult, Verification
from wizard.run.verify.smoke import parse_smoke

LI = Private(("/data/people/li", "/home/li"), "li", "labpc-07")
SECRET = "tok3n"
MACHINE = {
    "schema": 1,
    "os": "linux",
    "arch": "x86_64",
    "glibc": "2.36",
    "os_version": "Debian 12",
    "wsl": False,
    "driver": {"version": "580.65.06", "cuda": "13.0", "extra": "x"},
    "gpus": [
        {
            "vendor": "nvidia",
            "name": "NVIDIA GeForce RTX 3060",
            "pci_id": "10de:2503",
            "compute_capability": "8.6",
            "memory_bytes": 12884901888,
            "uuid": "GPU-1234",
            "bus_id": "0000:01:00.0",
        }
    ],
    "pythons": [{"executable": "/home/li/py/bin/python", "version": "3.11.7", "has_venv": True}],
    "notices": [],
}
NOTHING = message("verify.headline.nothing")
FILES = (
    LockedFile("a", "1", "a.whl", ("https://x.example/a.whl",), "1" * 64, 1, "wheels.example"),
    LockedFile("b", "1", "b.whl", ("https://x.example/b.whl",), "2" * 64, 1, "wheels.example"),
    LockedFile("c", "1", "c.whl", ("https://x.example/c.whl",), "3" * 64, 1, BY_PROFILE),
    LockedFile("d", "1", "d.whl", ("https://x.example/d.whl",), "4" * 64, 1),
    LockedFile("e", "1", "e.whl", ("https://x.example/e.whl",), "", None),
)


def plan() -> Plan:
    candidate = Candidate("2.15.0", "cu132", "3.12", "0.29.2", None, True)
    source = PlanSource("torch", "simple", "by-hand", f"https://li:{SECRET}@mirror.example/whl?token={SECRET}", "mine")
    return Plan(
        id="r1",
        created=0.0,
        candidate=candidate,
        choices=Choices(prefix="/home/li/envs/demo"),
        prefix="/home/li/envs/demo",
        engine="venv",
        engine_reason=NOTHING,
        python="3.12",
        base_python="/home/li/py/bin/python",
        channels=(),
        sources=(source,),
        requirements=("torch==2.15.0+cu132",),
        gpu_expected=True,
        machine=MACHINE,
        total_bytes=3_000_000_000,
        notices=(NOTHING,),
        environment={"HTTPS_PROXY": f"http://li:{SECRET}@proxy:8080"},
    )


def verification() -> Verification:
    said = "cannot open /data/people/li/envs/demo/lib/x.so on labpc-07"
    data = {"error_type": "ImportError", "error": said, "executable": "/home/li/envs/demo/bin/python", "version": "1"}
    check = SmokeCheck("numpy", "failed", message("verify.check.other.failed", error=said), 1.5, data)
    diagnosis = Diagnosis(
        "unknown",
        message("diagnosis.unknown.cause"),
        message("diagnosis.unknown.repair"),
        (said,),
        (message("diagnosis.ruled-out.no-driver", driver="580.65.06"),),
    )
    headline = message("verify.headline.gpu-partly", device="RTX 3060", names="numpy")
    devices = ({"index": 0, "name": "RTX 3060", "uuid": "GPU-1234"},)
    return Verification(False, True, headline, (check,), diagnosis, "2.15.0+cu132", "3.12.4", devices)


def document() -> dict[str, Any]:
    step = StepResult("fetch", "done", 12.5, NOTHING)
    return report_document(
        plan(),
        verification(),
        (step,),
        FILES,
        status=ExitStatus.FAILED,
        created=1_790_000_000,
        language="en",
        private=LI,
    )


def shape(value: Any) -> Any:
    """The names, without the values."""
    if isinstance(value, dict):
        return {key: shape(item) if key not in ("params", "data") else "..." for key, item in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def test_contract() -> None:
    words = {"key": "str", "params": "...", "text": "str"}
    assert shape(document()) == {
        "schema": "int",
        "product": {"name": "str", "version": "str"},
        "created": "str",
        "status": "int",
        "outcome": "str",
        "plan": {
            "id": "str",
            "torch": "str",
            "variant": "str",
            "torchvision": "str",
            "torchaudio": "NoneType",
            "python": "str",
            "engine": "str",
            "engine_reason": words,
            "requirements": ["str"],
            "sources": [{"role": "str", "layout": "str", "origin": "str", "name": "str", "url": "str"}],
            "channels": [],
            "total_bytes": "int",
            "profile_sha256": "NoneType",
            "gpu_expected": "bool",
            "notices": [words],
        },
        "prefix": "str",
        "machine": {
            "os": "str",
            "os_version": "str",
            "arch": "str",
            "glibc": "str",
            "wsl": "bool",
            "driver": {"version": "str", "cuda": "str"},
            "gpus": [
                {"vendor": "str", "name": "str", "pci_id": "str", "compute_capability": "str", "memory_bytes": "int"}
            ],
        },
        "files": [{"name": "str", "sha256": "str", "promised_by": "str", "here": "bool"}],
        "steps": [{"name": "str", "outcome": "str", "seconds": "float", "message": words}],
        "verification": {
            "ok": "bool",
            "gpu_ok": "bool",
            "headline": words,
            "torch": "str",
            "python": "str",
            "devices": [{"index": "int", "name": "str"}],
            "checks": [{"name": "str", "state": "str", "message": words, "seconds": "float", "data": "..."}],
        },
        "diagnosis": {"code": "str", "cause": words, "repair": words, "evidence": ["str"], "ruled_out": [words]},
        "error": "NoneType",
    }
    assert (document()["schema"], document()["status"], document()["outcome"]) == (1, 1, "failed")
    assert document()["created"] == "2026-09-21T14:13:20Z"


def test_nothing_private_is_in_it() -> None:
    told = json.dumps(document(), ensure_ascii=False)
    for private in ("/home/li", "/data/people", "labpc-07", SECRET, "GPU-1234", "li:", "proxy", "0000:01:00.0"):
        assert private not in told
    assert document()["prefix"] == "~/envs/demo"
    assert document()["diagnosis"]["evidence"] == ["cannot open ~/envs/demo/lib/x.so on <host>"]
    assert document()["plan"]["sources"][0]["url"] == "https://***@mirror.example/whl?token=***"
    assert "executable" not in document()["verification"]["checks"][0]["data"]


@pytest.mark.parametrize(
    ("said", "cleaned"),
    [
        ("/home/li/x and /home/lisa/x", "~/x and /home/lisa/x"),
        ("/mnt/home/li", "/mnt/home/<user>"),
        ("file:///home/li/wheels", "file://~/wheels"),
        ("/scratch/li/envs", "/scratch/<user>/envs"),
        ("a list of libraries in /usr/lib", "a list of libraries in /usr/lib"),
        ("li@labpc-07: no route", "<user>@<host>: no route"),
        ("https://conda.example/t/xy-0123456789/forge", "https://conda.example/t/***/forge"),
        ("https://u:p@host/simple", "https://***@host/simple"),
        ("Authorization: Bearer abcdefghijklmnop", "Authorization: ***"),
        ("hf_abcdefghijklmnopqrst", "***"),
    ],
)
def test_cleaning(said: str, cleaned: str) -> None:
    assert clean_text(said, LI) == cleaned


def test_this_computer_has_a_home() -> None:
    private = Private.of_this_computer()
    assert clean_text(str(Path.home() / "envs" / "demo"), private).startswith("~")


def test_who_promised_a_hash_and_which_was_only_computed() -> None:
    told = document()["files"]
    assert [file["promised_by"] for file in told] == ["wheels.example", "wheels.example", "profile", None, None]
    assert [file["sha256"] for file in told] == ["1" * 64, "2" * 64, "3" * 64, "4" * 64, None]
    for language in LANGUAGES:
        lines = render_text(document(), language).splitlines()
        promised = [line for line in lines if "wheels.example" in line]
        assert len(promised) == 1
        assert "2" in promised[0]
        assert any("d.whl" in line and "4" * 64 in line for line in lines)
        assert any("e.whl" in line for line in lines)
        assert all(line.strip() in render_html(document(), language) for line in lines if "d.whl" in line)


def test_of_files_that_did_not_come_nothing_is_said_to_be_as_promised() -> None:
    told = document()
    for number, file in enumerate(told["files"]):
        file["here"] = number > 1
    lines = render_text(told, "en").splitlines()
    assert not [line for line in lines if "wheels.example" in line]
    assert any("2 did not come" in line for line in lines)


def test_empty_report() -> None:
    told = report_document(None, None, status=ExitStatus.CANCELLED)
    assert (told["outcome"], told["plan"], told["verification"], told["machine"]) == ("cancelled", None, None, None)
    assert "Cancelled." in render_text(told, "en")


def test_text_in_both_languages() -> None:
    english, chinese = render_text(document(), "en"), render_text(document(), "zh_CN")
    assert "torch.zeros(1).cuda() passed on RTX 3060" in english
    assert "Ruled out:\n  The NVIDIA driver is loaded (580.65.06)." in english
    assert "[FAILED] NumPy: cannot open ~/envs/demo/lib/x.so on <host>" in english
    assert "Build: torch 2.15.0+cu132, Python 3.12" in english
    assert "原因：测试没有通过，原因不明。" in chinese
    assert "[失败] NumPy" in chinese


@pytest.mark.parametrize("render", [render_text, render_html])
def test_steps_and_their_ends_are_words(render: Callable[[Document, str], str]) -> None:
    told = document() | {"steps": [{"name": name, "outcome": "done"} for name in ("preflight", "fetch", "later-one")]}
    for language, first, end in (("en", "Check before starting", "Done"), ("zh_CN", "开始前检查", "完成")):
        page = render(told, language)
        assert first in page
        assert end in page
        assert "preflight" not in page
        assert "later-one" in page, "a step of a later version has at least its code"


def test_every_step_has_a_name_in_both_languages() -> None:
    steps = [
        *(step.name for stage in STAGES for step in stage),
        Share.name,
        RepairReady.name,
        PutAside.name,
        Guard.name,
    ]
    for language in LANGUAGES:
        assert [name for name in steps if f"step-name.{name}" not in catalogue(language)] == []


def test_an_error_on_the_page_is_in_its_readers_language() -> None:
    told = document() | {"error": WizardError("no-memory").to_json("en")}
    assert told["error"]["summary"] not in render_html(told, "zh_CN")


def test_sentences_of_another_version_are_shown_as_they_were() -> None:
    told = document()
    told["verification"]["headline"] = {"key": "not.here.any.more", "params": {}, "text": "The old sentence."}
    assert "The old sentence." in render_text(told, "zh_CN")


def test_error_is_shown() -> None:
    told = document()
    told["error"] = {"code": "from-the-future", "params": {}, "summary": "It broke.", "hint": "Mend it.", "details": ""}
    assert "What went wrong: It broke. Mend it." in render_text(told, "en")


def test_report_of_garbage_is_valid_json(tmp_path: Path) -> None:
    found = parse_smoke(Outcome(Request(("python",)), None, "\x00\ufffd", "", 0.0, start_error="no such file"))
    told = report_document(None, found, status=ExitStatus.FAILED)
    write_report(tmp_path / "report.json", told)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == told


def test_writing_is_whole_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "report.json"
    write_report(path, {"text": "第一"})
    with pytest.raises(TypeError):
        write_report(path, {"text": object()})
    assert json.loads(path.read_text(encoding="utf-8")) == {"text": "第一"}
    write_report(path, {"text": "第二"})
    assert json.loads(path.read_text(encoding="utf-8")) == {"text": "第二"}
    path.with_name("folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_report(path.with_name("folder"), {})
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["folder", "report.json"]


@pytest.mark.parametrize("render", [render_text, render_html])
@pytest.mark.parametrize(
    ("is_ok", "has_diagnosis", "first"), [(True, True, "lib"), (True, False, "lib"), (False, True, "not known")]
)
def test_what_is_to_do_names_the_part_that_is_not_in(
    render: Callable[[Document, str], str], is_ok: bool, has_diagnosis: bool, first: str
) -> None:
    """Once, and before the remedy of the diagnosis where the test passed; also where there is no diagnosis."""
    told, words = document(), "lib could not be installed: no compiler."
    part = {"name": "part", "state": "warning", "message": {"key": "x", "text": words}, "data": {"part": "lib"}}
    told["verification"] |= {"ok": is_ok, "checks": [*told["verification"]["checks"], part]}
    told["diagnosis"] = {**told["diagnosis"], "repair": {"key": "y", "text": "The way is not known."}}
    shown = render(told if has_diagnosis else {**told, "diagnosis": None}, "en")
    advised = shown.partition("What to do")[2].partition("Checks")[0]
    assert (words in advised, shown.count(words)) == (True, 1)
    assert not has_diagnosis or (advised.index("lib") < advised.index("not known")) == (first == "lib")
