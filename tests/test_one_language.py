"""A sentence in one language holds none in another: blanks take messages, and text is made at the edge."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.values import plan
from tests.compatibility.machines import names
from tests.compatibility.test_named_machines import verdict_of
from tests.sentences import error_text
from wizard.cli.pick import render
from wizard.compatibility.explain import after_update, pick_document
from wizard.compatibility.model import Verdict
from wizard.model import messages
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGE_VARIABLE, LANGUAGES, Message, message, text
from wizard.run.plan.plan_file import plan_from_json, plan_to_json

PROGRAM = Path(messages.__file__).parent
# Four plain English words in a row: a name or a command has fewer, or has signs between them.
ENGLISH = re.compile(r"(?:\b[a-z]{2,}[ ,]+){3,}[a-z]{2,}\b")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
MAKERS = ("message", "Message", "WizardError", "UsageError")


@pytest.fixture(autouse=True)
def _a_system_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LANGUAGE_VARIABLE, "en")


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", None) or getattr(call.func, "attr", "")


def test_names_in_a_blank_are_a_list_of_the_language() -> None:
    said = message("update.left", "No source here has these: {names} in {path}", names="numpy, pillow", path="/a, b")
    assert text(said, "en").endswith("numpy, pillow in /a, b")
    words = Message("update.left", {"names": "numpy, pillow"})
    assert "numpy、pillow" in text(replace(words, sentence="{names}"), "zh_CN")


def early(source: str) -> list[int]:
    """Lines where a blank of one message is filled with the text of another, in whatever language the system has."""
    makers = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and _name(node) in MAKERS]
    blanks = (keyword.value for maker in makers for keyword in maker.keywords if keyword.arg != "details")
    inside = (node for blank in blanks for node in ast.walk(blank) if isinstance(node, ast.Call))
    return [
        node.lineno
        for node in inside
        if isinstance(node.func, ast.Name) and node.func.id == "text" and len(node.args) == 1 and not node.keywords
    ]


def test_no_blank_is_filled_with_text() -> None:
    assert early('message("a", why=text(other))') == [1]
    found = {str(path.relative_to(PROGRAM)): early(path.read_text(encoding="utf-8")) for path in PROGRAM.rglob("*.py")}
    assert {path: lines for path, lines in found.items() if lines} == {}


def in_the_systems_language(source: str) -> list[int]:
    """Lines where a message becomes text although nobody has said in which language it will be read."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [
        node.lineno
        for node in calls
        if isinstance(node.func, ast.Name) and node.func.id == "text" and len(node.args) == 1 and not node.keywords
    ]


def test_below_the_window_and_the_terminal_nothing_becomes_text_in_the_systems_language() -> None:
    assert in_the_systems_language("on_progress(0, text(words))") == [1]
    readers = ("gui", "cli", "__main__.py")
    core = {path.relative_to(PROGRAM): path for path in PROGRAM.rglob("*.py")}
    found = {
        str(name): in_the_systems_language(path.read_text(encoding="utf-8"))
        for name, path in core.items()
        if name.parts[0] not in readers
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_sentence_in_a_blank_is_said_in_the_language_around_it() -> None:
    reason = message("reason.driver-too-old", need="580", have="535.183.01")
    notice = message("notice.asked-unfit", build="torch 2.15.0+cu132", reason=reason)
    assert not ENGLISH.search(text(notice, "zh_CN"))
    assert not CHINESE.search(text(notice, "en"))
    assert Message.from_json(notice.to_json("zh_CN")) == notice


def test_several_sentences_in_a_blank_and_in_an_error() -> None:
    reasons = tuple(message("source.said", name=name, words=message("truth.silent")) for name in ("A", "B"))
    error = WizardError(error_text("no-source-answers"), reasons=reasons)
    assert not ENGLISH.search(text(error.summary, "zh_CN"))
    assert text(error.summary, "zh_CN").endswith("A：没有及时响应；B：没有及时响应")
    assert text(error.summary, "en").endswith("A: does not answer in time; B: does not answer in time")
    ended = WizardError(error_text("no-source-answers"), reasons=("One is full;", "Another is gone.", "The last"))
    assert text(ended.summary, "en").endswith("One is full; Another is gone. The last")
    assert Message.from_json({"key": error.summary.key, "params": error.to_json("en")["params"]}) == error.summary


@pytest.mark.parametrize("name", names())
def test_no_english_in_what_is_said_of_a_machine_in_chinese(name: str) -> None:
    for verdict in (verdict_of(name), verdict_of(name, torch="1.11.0"), verdict_of(name, variant="cu126")):
        told = {language: _all_of(verdict, language) for language in LANGUAGES}
        assert not [line for line in told["zh_CN"] if ENGLISH.search(line)]
        assert not [line for line in told["en"] if CHINESE.search(line)]
        assert any(ENGLISH.search(line) for line in told["en"]), "what is looked for is found where it is"


def _all_of(verdict: Verdict, language: str) -> list[str]:
    document = pick_document(verdict, language=language)
    reasons = [reason["text"] for row in document["candidates"] for reason in row["reasons"]]
    return [
        *render(verdict, language).splitlines(),
        *reasons,
        *document["notices"],
        after_update(verdict, language) or "",
    ]


def test_a_plan_keeps_a_sentence_in_a_blank() -> None:
    reason = message("reason.no-gpu")
    notices = (
        message("notice.asked-unfit", build="torch", reason=reason),
        message("source.said", name="A", words=(reason,)),
    )
    told = replace(plan("a-run"), notices=notices)
    assert plan_from_json(plan_to_json(told)).notices == notices
