"""What Install says of files and times, and where its log unfolds."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QAbstractSlider, QLabel
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, half_run, report, until_cancelled
from tests.gui.walking import go_to, press, settle
from wizard.app.pages.order import PageId
from wizard.app.use.runs import last_times
from wizard.gui.pages.install import InstallPage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.log_view import LogView
from wizard.model.errors import WizardError
from wizard.model.events import EventKind
from wizard.model.messages import LANGUAGES
from wizard.run.report.text import step_name, step_state


def installing(qtbot: QtBot, make_window: MakeWindow, language: str = "en") -> tuple[WizardWindow, InstallPage]:
    window = make_window(language)
    go_to(qtbot, window, PageId.INSTALL)
    install = window.pages[PageId.INSTALL]
    assert isinstance(install, InstallPage)
    qtbot.waitUntil(lambda: install.watch.view.bytes is not None and install.watch.view.bytes.files_done == 2)
    return window, install


def said(install: InstallPage) -> list[str]:
    return [one.text() for one in install.findChildren(QLabel) if one.isVisible()]


def steps_seen(install: InstallPage, language: str) -> list[str]:
    shown = said(install)
    return [one.name for one in install.watch.view.steps if step_name(one.name, language) in shown]


def earlier(session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """A setup of the same build that ended well, with the times of its steps."""
    session.known_runs.append(values.run_info("earlier", "finished", "/home/li/torch-envs/first"))
    rows = [
        {"name": name, "outcome": "done", "seconds": seconds} for name, seconds in (("install", 70.0), ("verify", 6.2))
    ]

    def told(run_id: str) -> dict[str, Any]:
        assert run_id == "earlier"
        return {**report(True), "steps": rows}

    monkeypatch.setattr(session, "report", told)


def test_the_download_counts_its_files_and_names_each_unit_once(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    _, install = installing(qtbot, make_window)
    assert {"Files: 2 of 5", "1.34 of 2.90 GB"} <= set(said(install))


def test_later_steps_say_how_long_they_took_the_last_time(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.script = half_run
    earlier(session, monkeypatch)
    _, install = installing(qtbot, make_window)
    qtbot.waitUntil(lambda: "about 6 s" in said(install))
    assert not any("min" in words and "about" in words and "left" not in words for words in said(install))


def test_of_another_kind_of_build_or_an_unreadable_report_nothing_is_known(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.known_runs.append(values.run_info("now", "running"))
    assert last_times(session, "now") == {}
    earlier(session, monkeypatch)
    assert last_times(session, "now") == {"verify": 6.2}
    session.set_state("earlier", variant="cpu")
    assert last_times(session, "now") == {}
    session.set_state("earlier", variant="cu126")
    monkeypatch.undo()
    session.fail["report"] = WizardError("no-report", "The report can't be read.", "Resume the setup.")
    assert last_times(session, "now") == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(900, 600), (1080, 740)])
def test_the_log_unfolds_without_moving_the_title(
    size: tuple[int, int], language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window, language)
    window.resize(*size)
    install.log_button.click()
    qtbot.wait(200)
    view, bar = install._scroll.viewport(), install._scroll.verticalScrollBar()
    assert bar.value() == 0
    low = install.log.mapTo(view, install.log.rect().bottomLeft()).y()
    assert install.log.isVisible()
    assert low <= view.height(), "it is seen whole"
    every = [step.name for step in install.watch.view.steps]
    assert steps_seen(install, language) == (every if size[1] == 740 else ["fetch"]), "there both have room"
    FakeRun(session, session.known_runs[-1].id).step("fetch", "failed")
    qtbot.waitUntil(lambda: install.steps.state_of("fetch") == step_state("failed", language))
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    assert steps_seen(install, language) == every, "without the speed beside it the log leaves room for all"
    install.log_button.click()
    qtbot.waitUntil(lambda: steps_seen(install, language) == every)


def test_another_run_begins_with_its_log_closed(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = until_cancelled
    window, install = installing(qtbot, make_window)
    install.log_button.click()
    install.cancel.click()
    qtbot.waitUntil(install.remove.isVisible)
    settle(qtbot, window)
    assert install.log.isVisible(), "why it stopped stays to be read"
    press(qtbot, install.remove)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.WELCOME)
    go_to(qtbot, window, PageId.INSTALL)
    assert not install.log.isVisible()


def test_the_time_left_stays_on_one_line(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window)
    window.resize(900, 600)
    run = FakeRun(session, session.known_runs[-1].id)
    for eta in (4806.0, 4803.0, 4800.0):
        run.emit(EventKind.PROGRESS, step="fetch", done=1_000, total=4_000_000_000, unit="bytes", rate=1e6, eta=eta)
    words = "Download: about 1 h 20 min left"
    qtbot.waitUntil(lambda: words in said(install))
    qtbot.wait(100)
    one = next(label for label in install.findChildren(QLabel) if label.text() == words)
    assert one.height() < 2 * one.fontMetrics().lineSpacing()
    assert one.width() >= one.sizeHint().width()
    assert install._scroll.widget().width() <= install._scroll.viewport().width()


def test_what_is_being_cancelled_says_no_time_left(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.script = half_run
    earlier(session, monkeypatch)
    _, install = installing(qtbot, make_window)
    qtbot.waitUntil(lambda: "MB/s" in install.progress.words)  # a speed grows old, and under load the other comes late
    FakeRun(session, session.known_runs[-1].id).log("a line")
    qtbot.waitUntil(lambda: "about 6 s" in said(install))
    install.cancel.click()
    assert [words for words in said(install) if "about" in words or "MB/s" in words] == []
    assert "1.34 of 2.90 GB" in install.progress.words


def test_a_long_line_of_a_step_stays_one_line_and_is_told_whole(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.script = half_run
    window, install = installing(qtbot, make_window)
    window.resize(900, 600)
    row = install.steps._rows["create"].words
    folder = "/home/li/" + "a-long-name/" * 20
    row.setText(folder)
    qtbot.wait(50)
    assert row.height() < 2 * row.fontMetrics().lineSpacing()
    assert (row.text(), row.accessibleName(), row.toolTip()) == (folder, folder, folder)
    sentence = "There is room: 1.6 GB free on the disk, and downloads need 2.9 GB, temporary files 29 GB"
    for words in (sentence, f"{sentence}: {folder}", "磁盘空间足够：" * 12):
        row.setText(words)
        line = row.fontMetrics().lineSpacing()
        qtbot.waitUntil(lambda line=line: row.height() >= max(2 * line, row.heightForWidth(row.width())))
        shown = QLabel.text(row)
        assert shown.startswith(words[:80]), "a sentence goes on below"
        assert (shown == words) is (folder not in words)
    row.setText("short")
    assert (row.accessibleName(), row.toolTip()) == ("", "")


def test_at_200_percent_the_closed_log_leaves_the_page_as_it_was(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.gui.shell.window.room_on", lambda screen: QRect(0, 0, 496, 280))
    session.script = half_run
    window, install = installing(qtbot, make_window)
    window.resize(496, 280)
    qtbot.wait(200)
    bar = install._scroll.verticalScrollBar()
    for before in (0, min(30, bar.maximum())):
        bar.setValue(before)
        for _ in range(2):
            install.log_button.click()
            qtbot.wait(100)
        assert bar.value() == before


def test_the_open_log_follows_its_end_unless_somebody_scrolls_up(qtbot: QtBot) -> None:
    log = LogView()
    qtbot.addWidget(log)
    log.resize(400, 300)
    log.add([f"line {number}" for number in range(200)])
    log.show()
    bar = log.verticalScrollBar()
    qtbot.waitUntil(lambda: "line 199" in log.toPlainText() and bar.value() == bar.maximum() > 0)
    log.hide()
    log.resize(400, 120)
    log.add(["hidden"])
    log.show()
    qtbot.waitUntil(lambda: "hidden" in log.toPlainText())
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
    here = bar.value()
    log.add(["more"])
    qtbot.waitUntil(lambda: "more" in log.toPlainText())
    qtbot.wait(50)
    assert bar.value() == here < bar.maximum()
    bar.triggerAction(QAbstractSlider.SliderAction.SliderToMaximum)
    log.add(["the last"])
    qtbot.waitUntil(lambda: "the last" in log.toPlainText() and bar.value() == bar.maximum())
