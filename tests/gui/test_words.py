"""The language of the window is switched while it runs, and no label stays behind."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.walking import go_to, visible
from tests.sentences import labels
from wizard.app.pages.order import ORDER, PageId
from wizard.model.catalogue import translate


@pytest.mark.parametrize("page", ORDER[:6])
def test_the_language_is_switched_live_and_back(page: PageId, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, page)
    english = shown_texts(window)
    window.rail.languages["zh_CN"].click()
    qtbot.waitUntil(lambda: len(shown_texts(window)) == len(english))
    chinese = shown_texts(window)
    sources = {label for context, label in labels() if translate(label, "zh_CN", context) != label}  # conda is conda
    left = {text for text in chinese if text in sources}
    assert left == set(), "still English"
    window.rail.languages["en"].click()
    qtbot.waitUntil(lambda: shown_texts(window) == english)


def shown_texts(window) -> list[str]:  # type: ignore[no-untyped-def]
    return sorted(
        one.text() for kind in (QLabel, QAbstractButton) for one in visible(window, kind) if getattr(one, "text", str)()
    )
