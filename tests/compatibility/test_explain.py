"""The JSON document of `pick`, the paragraph beside it, and the text table."""

from __future__ import annotations

import json
import re

import pytest

from tests.compatibility.machines import names
from tests.compatibility.test_named_machines import verdict_of
from wizard.cli.pick import render
from wizard.cli.tables import align, width
from wizard.compatibility.explain import after_update, newest_rejections, pick_document, why_not_newest
from wizard.compatibility.model import REASON_CODES
from wizard.model.messages import catalogue

CARD = "gtx-1660-ti-windows-546"


def test_the_document_is_the_contract() -> None:
    document = pick_document(verdict_of(CARD), language="en")
    assert document["schema"] == 1
    assert "machine" not in document
    wanted = {"torch": "2.14.1", "variant": "cu126", "python": "3.12", "torchvision": "0.29.1", "torchaudio": "2.11.0"}
    assert wanted.items() <= document["best"].items()
    assert document["after_driver_update"] == {"driver": "580", "torch": "2.15.0", "variant": "cu132"}
    first_unfit = next(candidate for candidate in document["candidates"] if not candidate["fits"])
    assert (first_unfit["torch"], first_unfit["variant"]) == ("2.15.0", "cu132")
    assert first_unfit["reasons"] == [
        {"code": "driver-too-old", "text": "needs driver 580 or newer, this computer has 546.33"}
    ]
    assert json.loads(json.dumps(document)) == document


def test_the_document_of_one_machine_among_several_has_its_name() -> None:
    assert pick_document(verdict_of(CARD), "a.json")["machine"] == "a.json"


def test_no_build_is_null() -> None:
    document = pick_document(verdict_of("windows-on-arm"), language="en")
    assert document["best"] is None
    assert document["after_driver_update"] is None


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", names())
def test_every_machine_can_be_told_in_both_languages(name: str, language: str) -> None:
    verdict = verdict_of(name, include_unadvertised=True)
    assert pick_document(verdict, name, language)
    told = render(verdict, language)
    assert "{" not in told
    why_not_newest(verdict, language)


def test_why_not_the_newest() -> None:
    verdict = verdict_of(CARD)
    assert [(r.variants, r.reason.code) for r in newest_rejections(verdict)] == [
        (("cu132", "cu130"), "driver-too-old"),
        (("cu126",), "not-published"),
    ]
    told = why_not_newest(verdict, "en") or ""
    assert told.startswith("Why not the newest, 2.15.0? CUDA 13.2, CUDA 13.0: needs driver 580 or newer")
    assert after_update(verdict, "en") == "With driver 580 or newer, 2.15.0 + CUDA 13.2 would fit."
    newest = verdict_of("rtx-5070-ti-windows-581")
    assert why_not_newest(newest, "en") is None
    assert after_update(newest, "en") is None
    assert (why_not_newest(verdict_of("k40-linux-470"), "en") or "").startswith("Why not 2.15.0 with CUDA?")


def test_the_table_marks_the_best_and_says_why_not() -> None:
    lines = render(verdict_of(CARD), "en").splitlines()
    row = next(line for line in lines if line.startswith("2.14.1"))
    assert row.split("  ")[1:3] == ["✕ driver < 580", "✕ driver < 580"]
    assert row.count("✓ best") == 1
    newest = next(line for line in lines if line.startswith("2.15.0"))
    assert "not published" in newest


def test_the_table_is_straight_with_chinese_letters() -> None:
    lines = render(verdict_of(CARD), "zh_CN").splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("torch   "))
    rule = next(line for line in lines if line.startswith("---"))
    head, rows = lines[start], lines[start + 2 : start + 7]
    column = width(head[: head.index("CUDA 13.0")])
    for row in rows:
        assert any(width(row[:cut]) == column and row[cut - 1] == " " for cut in range(1, len(row)))
    assert max(width(line) for line in (head, *rows)) <= width(rule)


def test_width() -> None:
    assert (width("abc"), width("驱动 < 580"), width("é")) == (3, 10, 1)
    assert align([["a", "b"], ["驱动", "x"]]) == "a     b\n-------\n驱动  x"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_reason_has_a_sentence_and_three_words(language: str) -> None:
    words = catalogue(language)
    for code in REASON_CODES:
        assert f"reason.{code}" in words
        assert f"plan.cell.{code}" in words


def test_both_languages_have_the_same_keys_and_blanks() -> None:
    def ours(language: str) -> dict[str, set[str]]:
        prefixes = ("reason.", "plan.", "error.no-such-", "error.no-build-for-python")
        return {
            key: set(re.findall(r"{(\w+)}", words))
            for key, words in catalogue(language).items()
            if key.startswith(prefixes)
        }

    assert ours("en") == ours("zh_CN")


def test_a_newer_driver_is_not_named_beyond_the_last_that_knows_the_card() -> None:
    told = after_update(verdict_of("gtx-970-linux-nouveau"), "en")
    assert told == "With a driver from 525.60.13 to 580, 2.14.1 + CUDA 12.6 would fit."
    assert after_update(verdict_of(CARD), "en") == "With driver 580 or newer, 2.15.0 + CUDA 13.2 would fit."
