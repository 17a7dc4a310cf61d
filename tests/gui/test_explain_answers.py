"""Every answer of Explain as the window says it, where its commands are taken out and stand below."""

from __future__ import annotations

import re

import pytest
from PySide6.QtWidgets import QApplication

from wizard.gui.shell.translator import Translator
from wizard.gui.widgets.commands import apart, with_pages
from wizard.model.marks import in_window
from wizard.model.messages import LANGUAGES, catalogue

_BROKEN = re.compile(
    r"below, say\b|\b(an?|line) (option|setting|variable|command) \d? ?below|below …"
    r"|(写?一行|例如) ?下面的|下面的.. ?\d? ?…"
    r"|\bWith an? [^,.:(]*\((the )?command|如果[^，。（]*版本（下面的命令"  # what brings it there, not how to see it
    r"|below \(\d with|下面的设置（[^）]*设 \d）"  # the value that it takes the place of is not seen here
)
_NO_VERB = re.compile(
    r"(The )?(command|option|setting|variable)( \d)? below|下面的(命令|选项|设置|变量)", re.IGNORECASE
)
_BELOW = re.compile(r"\bbelow\b|下面的(?:命令|选项|设置|变量)")
_CUT = re.compile(  # what it is to be done with lacks: it fails as it is copied
    r"\b(?:(?:pip|conda) \S+ (?:.* )?-[pnc]|pip install (?:.* )?--[a-z-]+)$"
    r"|(?:-m pip (?:show|install)|-X faulthandler|nvidia-smi -pl|=)$"
)
_NAMELESS = re.compile(r"the driver's own tool|驱动自带的工具", re.IGNORECASE)  # what is to be run stands below
_EXPLAIN = re.compile(r"\bexplain (?:the|that|those|them|it|its|what)\b", re.IGNORECASE)  # the program does that
_MOST_BELOW = 2  # the first of what is numbered, and what has no number
_MOST_WORDS = 40
_END = re.compile(r"[.!?][\"”]?(?: |$)|。")
_MOST_SENTENCES = 1  # of a cause


@pytest.fixture(params=LANGUAGES)
def said(request: pytest.FixtureRequest, qapp: QApplication) -> dict[str, str]:
    translator = Translator(qapp, request.param)
    found = {
        key: with_pages(apart(in_window(words, request.param))[0])
        for key, words in catalogue(request.param).items()
        if key.startswith("explain.")
    }
    translator.set_language("en")
    return found


def test_an_advice_reads_well_without_its_commands(said: dict[str, str]) -> None:
    assert {key: words for key, words in said.items() if _BROKEN.search(words)} == {}


def test_an_answer_begins_with_what_is_to_be_done_and_points_below_once(said: dict[str, str]) -> None:
    answers = {key: words for key, words in said.items() if key.startswith("explain.error.")}
    assert {key: words for key, words in answers.items() if _NO_VERB.match(words)} == {}
    assert {key: words for key, words in said.items() if len(_BELOW.findall(words)) > _MOST_BELOW} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_is_whole_or_has_a_name_for_what_is_put_in(language: str) -> None:
    answers = {key: in_window(words, language) for key, words in catalogue(language).items() if "explain." in key}
    cut = {key: [one for one in apart(words)[1] if _CUT.search(one)] for key, words in answers.items()}
    assert {key: found for key, found in cut.items() if found} == {}


def test_lines_that_lack_are_pasted_and_not_explained_by_who_asks(said: dict[str, str]) -> None:
    assert {key: words for key, words in said.items() if _EXPLAIN.search(words)} == {}


def test_an_advice_leads_to_no_tool_without_a_name(said: dict[str, str]) -> None:
    fixes = {key: words for key, words in said.items() if key.endswith(".fix")}
    assert {key: words for key, words in fixes.items() if _NAMELESS.search(words)} == {}
    causes = {key: words for key, words in said.items() if key.endswith(".cause") and _NAMELESS.search(words)}
    assert len(causes) >= 6
    assert {key: words for key, words in causes.items() if not _BELOW.search(words)} == {}


def test_an_answer_is_short(said: dict[str, str]) -> None:
    causes = {key: words for key, words in said.items() if _is(key, "cause")}
    answers = causes | {key: words for key, words in said.items() if _is(key, "fix")}
    assert {key: words for key, words in answers.items() if len(words.split()) > _MOST_WORDS} == {}
    own = {key: words for key, words in causes.items() if key.startswith("explain.error.")}
    assert {key: words for key, words in own.items() if len(_END.findall(words)) > _MOST_SENTENCES} == {}


def _is(key: str, part: str) -> bool:
    """Whether a sentence is this part of an error's answer, or is said in the place of one."""
    return key.endswith(f".{part}") or key.startswith(f"explain.{part}-")


def test_no_blank_follows_a_chinese_full_stop(said: dict[str, str]) -> None:
    assert {key: words for key, words in said.items() if re.search("[，。；：、] ", words)} == {}
