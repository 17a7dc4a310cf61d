"""The page: whole in itself, escaped, without what is private; and the doctor's document with its three renderings."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.run.test_report import LI, MACHINE, SECRET, document, shape
from wizard.diagnose.document import doctor_document
from wizard.diagnose.model import DoctorResult, finding, found, not_looked, proof, ruled_out
from wizard.environment.inspect.baseline import Baseline, EnvironmentChanges, PackageChange
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import LANGUAGES, message
from wizard.run.report.privacy import Private, clean_text
from wizard.run.report.text import render_doctor, render_text
from wizard.run.report.write import render_html, save_as

EVIDENCE = "/home/li/.local/lib/python3.12/site-packages/torch on labpc-07 <b>bold</b>"


class Page(HTMLParser):
    """What a browser would have to fetch or run, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href", "action", "data", "srcset")]

    def handle_data(self, data: str) -> None:
        self.text += data


def doctor() -> dict[str, object]:
    before = proof("before", path="/home/li/.local/torch", own="/home/li/envs/demo/torch")
    cause = finding("shadow", "user-site-shadow", (EVIDENCE, before), name="torch", folder="/home/li/.local/lib")
    other = finding("leftovers", "leftovers", ("~orch",), certain=False, count=1, first="~orch")
    looks = (
        found("shadow", cause),
        found("leftovers", other),
        ruled_out("copies", "once"),
        not_looked("drift", "no-record"),
    )
    answer = DoctorResult("found", Path("/home/li/envs/demo"), cause, (other,), looks)
    state = Baseline(1, 0.0, "2.13.0+cu126", "cu126", "3.12", "lib", ())
    drift = EnvironmentChanges(
        Path("/home/li/envs/demo"), state, (PackageChange("torch", "2.13.0+cu126", None, "", ("spoiler 1.0 (torch)",)),)
    )
    url = f"https://li:{SECRET}@mirror.example/torch.whl"
    lock = Lock((LockedFile("torch", "2.13.0+cu126", "torch.whl", (url,), "0" * 64, 5),), "")
    return doctor_document(
        answer,
        MACHINE,
        drift,
        (message("doctor.change.reinstall", names="torch"),),
        lock,
        "r1",
        3,
        created=1_790_000_000,
        language="en",
        private=LI,
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["report", "doctor"])
def test_a_page_needs_nothing_else(kind: str, language: str) -> None:
    page = Page(render_html(document() if kind == "report" else doctor(), language))
    assert page.addresses == []
    assert not {"script", "img", "link", "iframe", "object", "form"} & set(page.tags)
    assert "b" not in page.tags, "evidence is text, not markup"
    assert page.text.count("torch-setup") == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["report", "doctor"])
def test_a_page_tells_nothing_private(kind: str, language: str) -> None:
    text = render_html(document() if kind == "report" else doctor(), language)
    for private in ("/home/li", "/data/people", "labpc-07", SECRET, "GPU-1234", "0000:01:00.0"):
        assert private not in text


def test_a_page_says_what_the_text_says() -> None:
    text = Page(render_html(document(), "en")).text
    assert "torch.zeros(1).cuda() passed on RTX 3060" in text
    assert "The NVIDIA driver is loaded (580.65.06)." in text
    assert "原因不明" in Page(render_html(document(), "zh_CN")).text


def test_the_doctors_contract() -> None:
    words = {"key": "str", "params": "...", "text": "str"}
    one = {
        "check": "str",
        "code": "str",
        "scope": "str",
        "certain": "bool",
        "cause": words,
        "repair": words,
        "evidence": ["str"],
        "proof": [words],
    }
    told = doctor()
    del told["machine"]
    assert shape(told) == {
        "schema": "int",
        "kind": "str",
        "product": {"name": "str", "version": "str"},
        "created": "str",
        "status": "int",
        "verdict": "str",
        "prefix": "str",
        "cause": one,
        "others": [one],
        "looks": [{"check": "str", "state": "str", "message": words, "evidence": ["str"], "proof": [words]}],
        "drift": {
            "recorded": {"torch": "str", "variant": "str"},
            "changes": [{"name": "str", "was": "str", "now": "NoneType", "installer": "str", "by": ["str"]}],
        },
        "repair": {
            "run": "str",
            "changes": [words],
            "packages": [{"name": "str", "version": "str", "bytes": "int"}],
            "total_bytes": "int",
            "download_bytes": "int",
        },
        "verification": "NoneType",
    }


def test_the_doctors_text() -> None:
    said = render_doctor(doctor(), "en")
    assert "Cause: torch from your own packages (~/.local/lib) is used" in said
    assert "site-packages/torch on <host>" in said
    assert "Could not look:\n  As recorded: This program has left no record" in said
    assert "torch: 2.13.0+cu126 -> - (spoiler 1.0 (torch))" in said
    assert "environment's own" not in said


def test_a_chinese_reader_reads_chinese() -> None:
    """The evidence, too, though the document was made in English; and with the colon of the language."""
    for words in (render_doctor(doctor(), "zh_CN"), Page(render_html(doctor(), "zh_CN")).text):
        assert "~/.local/torch 排在 ~/envs/demo/torch 前面" in words
        assert "comes before" not in words
    for words in (render_doctor(doctor(), "zh_CN"), render_text(document(), "zh_CN")):
        heads = [line for line in words.splitlines() if re.search(r"[\u4e00-\u9fff]\s*:(\s|$)", line)]
        assert heads == []
    assert "\n依据：\n" in render_doctor(doctor(), "zh_CN")


def test_a_document_of_an_older_version_has_its_evidence_as_text() -> None:
    told = doctor()
    del told["cause"]["proof"]  # type: ignore[attr-defined]
    assert "\n  ~/.local/torch comes before ~/envs/demo/torch\n" in render_doctor(told, "zh_CN")


def test_saved_as_the_name_says(tmp_path: Path) -> None:
    for told in (document(), doctor()):
        for name in ("a.html", "a.json", "a.txt"):
            save_as(tmp_path / name, told, "en")
        assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == told
        assert "Ruled out" in (tmp_path / "a.txt").read_text(encoding="utf-8")


def test_the_short_name_of_a_host_is_private_too() -> None:
    node = Private((), "", "node7.lab.example")
    assert (
        clean_text("node7: lost; node7.lab.example: lost; node70 stays", node)
        == "<host>: lost; <host>: lost; node70 stays"
    )
