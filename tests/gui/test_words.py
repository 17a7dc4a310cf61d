"""Both languages are whole: every label of the source is translated, and the compiled file is of that text."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

import wizard.gui
from tests.gui.conftest import MakeWindow
from tests.gui.walking import go_to, visible
from wizard.app.pages.order import ORDER, PageId
from wizard.model.messages import LANGUAGES, catalogue
from wizard.system import paths

SOURCES = sorted(Path(wizard.gui.__file__).parent.rglob("*.py"))
TS = paths.resources_dir() / "translations" / "wizard_zh_CN.ts"


def labels_of(path: Path) -> Iterator[str]:
    """Every literal that goes through Qt's translation."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("tr", "translate")
        ):
            if getattr(node.args[0], "value", "") == "QWidgetTextControl":
                continue  # Qt's own catalogue has it
            literal = node.args[-1]
            assert isinstance(literal, ast.Constant), f"{path.name}:{node.lineno}: only a literal can be translated"
            yield str(literal.value)


def translations() -> dict[tuple[str, str], tuple[str, str]]:
    """(context, source) -> (translation, type)."""
    found = {}
    for context in ElementTree.parse(TS).getroot().iter("context"):
        for message in context.iter("message"):
            target = message.find("translation")
            assert target is not None
            key = (context.findtext("name") or "", message.findtext("source") or "")
            found[key] = (target.text or "", target.get("type", ""))
    return found


def test_every_label_is_translated() -> None:
    known = {source for _, source in translations()}
    missing = {label for path in SOURCES for label in labels_of(path)} - known
    assert not missing, "run pyside6-lupdate, see CONTRIBUTING"
    unfinished = [key for key, (text, kind) in translations().items() if not text or kind]
    assert unfinished == []


def test_no_label_is_left_that_nobody_shows() -> None:
    shown = {label for path in SOURCES for label in labels_of(path)}
    assert {source for _, source in translations()} <= shown


def test_placeholders_and_mnemonics_survive_translation() -> None:
    for (_, source), (text, _) in translations().items():
        assert sorted(re.findall(r"%\d", source)) == sorted(re.findall(r"%\d", text)), source
        letter = re.search(r"&(\w)", source)
        if letter:
            assert f"(&{letter[1].upper()})" in text, source


def test_the_compiled_file_is_of_this_text(qapp: QApplication) -> None:
    translator = QTranslator()
    assert translator.load("wizard_zh_CN", str(TS.parent))
    for (context, source), (text, _) in translations().items():
        assert translator.translate(context, source) == text, "run pyside6-lrelease, see CONTRIBUTING"


def test_the_catalogue_of_the_flow_is_whole() -> None:
    keys = [{key for key in catalogue(language) if key.startswith("flow.")} for language in LANGUAGES]
    assert keys[0] == keys[1]


@pytest.mark.parametrize("page", ORDER[:6])
def test_the_language_is_switched_live_and_back(page: PageId, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, page)
    english = shown_texts(window)
    window.rail.languages["zh_CN"].click()
    qtbot.waitUntil(lambda: len(shown_texts(window)) == len(english))
    chinese = shown_texts(window)
    sources = {source for (_, source), (text, _) in translations().items() if text != source}  # conda is conda
    left = {text for text in chinese if text in sources}
    assert left == set(), "still English"
    window.rail.languages["en"].click()
    qtbot.waitUntil(lambda: shown_texts(window) == english)


def shown_texts(window) -> list[str]:  # type: ignore[no-untyped-def]
    return sorted(
        one.text() for kind in (QLabel, QAbstractButton) for one in visible(window, kind) if getattr(one, "text", str)()
    )
