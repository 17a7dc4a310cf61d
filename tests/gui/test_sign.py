"""The mark of a state: what runs turns while it can be seen, calmly, and costs nothing where it can't."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, half_run
from tests.gui.walking import go_to
from wizard.app.pages.order import PageId
from wizard.gui.shell.theme import put_reduced_motion
from wizard.gui.widgets.icons import Sign


@pytest.fixture
def sign(qtbot: QtBot) -> Iterator[Sign]:
    made = Sign("waiting")
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.hide()


def test_what_runs_turns(qtbot: QtBot, sign: Sign) -> None:
    assert not sign.is_turning
    sign.show_state("running")
    assert sign.angle < 90, "it begins at the top"
    looks = []
    for _ in range(4):
        looks.append(sign.grab().toImage())
        qtbot.wait(150)
    assert all(one != other for one, other in zip(looks, looks[1:], strict=False))
    sign.show_state("ok")
    assert not sign.is_turning


def test_one_turn_takes_more_than_a_second(sign: Sign, monkeypatch: pytest.MonkeyPatch) -> None:
    sign.show_state("running")
    began, clock = sign._began, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: began + clock[0])
    for clock[0], angle in ((0.0, 0), (0.3, 90), (0.9, 270), (1.5, 90)):
        assert sign.angle == pytest.approx(angle, abs=0.1)


def test_at_most_twenty_pictures_in_a_second(qtbot: QtBot, sign: Sign, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[float] = []
    draw = sign.paintEvent
    monkeypatch.setattr(sign, "paintEvent", lambda event: (drawn.append(time.monotonic()), draw(event)))
    sign.show_state("running")
    qtbot.wait(1000)
    assert 1 < len(drawn) <= 25


def test_it_rests_where_nobody_sees_it(sign: Sign) -> None:
    sign.show_state("running")
    sign.hide()
    assert not sign.is_turning
    sign.show()
    assert sign.is_turning


def test_it_stands_still_for_who_wants_no_motion(qapp: QApplication, qtbot: QtBot, sign: Sign) -> None:
    sign.show_state("running")
    put_reduced_motion(qapp, True)
    try:
        qtbot.waitUntil(lambda: not sign.is_turning)  # it looks at each picture
        assert sign.angle == 0.0
        sign.hide()
        sign.show()
        assert not sign.is_turning
    finally:
        put_reduced_motion(qapp, False)


def test_a_step_of_the_run_turns(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    window = make_window()
    go_to(qtbot, window, PageId.INSTALL)

    def turning() -> list[Sign]:
        return [one for one in window.page.findChildren(Sign) if one.is_turning]

    qtbot.waitUntil(lambda: len(turning()) == 1)
    window.hide()
    assert not turning()
