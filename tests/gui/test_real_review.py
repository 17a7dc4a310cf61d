"""The real session and real indexes on loopback behind the Review page."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.gui.walking import press, put_away
from tests.line import test_extra_index
from tests.line.world import PYTHON, TORCH, World
from tests.servers.index_server import IndexServer
from wizard.app.pages.order import AppState, PageId
from wizard.app.tools import WindowSession
from wizard.compatibility.model import Choices
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences

extra = test_extra_index.extra


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("en", ("From {address} (", "): padding-b 0.6, padding-c 0.7.")),
        ("zh_CN", ("来自 {address}（", "）：padding-b 0.6、padding-c 0.7。")),
    ],
)
def test_review_names_it_in_the_window(
    qapp: QApplication,
    qtbot: QtBot,
    home_world: World,
    extra: IndexServer,
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    parts: tuple[str, ...],
) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", extra.simple)
    monkeypatch.delenv("TORCH_WIZARD_LANG")
    wishes = Preferences(home_world.home / "settings.json")
    wishes.put(language=language, theme="light")
    window = WizardWindow(qapp, WindowSession(), wishes, None)
    choices = Choices(name="demo", engine="venv", python=PYTHON, torch=TORCH, variant="cpu", mirrors="official")
    window.navigator._state = AppState(choices=choices)
    window.show()
    try:
        while window.navigator.page is not PageId.REVIEW:
            page = window.navigator.page
            qtbot.waitUntil(
                lambda page=page: window.navigator.page is not page or window.footer.primary.isEnabled(), timeout=60_000
            )
            if window.navigator.page is page:
                press(qtbot, window.footer.primary)
        qtbot.waitUntil(lambda: window.navigator.state.preview is not None, timeout=60_000)
        said = [label.text() for label in window.page.findChildren(QLabel)]
        wanted = [part.format(address=extra.simple) for part in parts]
        assert any(all(part in words for part in wanted) for words in said), said
    finally:
        put_away(window)
