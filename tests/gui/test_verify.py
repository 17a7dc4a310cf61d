"""Verify: how the environment is used, the report, what was changed; one repair button where the test failed.

One file: each test is about the one page, reached in the same way.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, report
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import LEAST, go_to, lower, mnemonics, press, settle, texts, visible
from tests.sentences import error_text
from wizard.app.pages.order import PageId, SideId
from wizard.app.pages.report import read_report
from wizard.compatibility.model import ProjectUse
from wizard.gui.pages.proof import LinkBox
from wizard.gui.pages.verify.page import VerifyPage
from wizard.gui.pages.verify.parts import SpeedGauge
from wizard.gui.pages.verify.words import lack_words
from wizard.gui.shell.window import SMALLEST, WizardWindow
from wizard.gui.widgets.code import SAID_FOR_MS
from wizard.gui.widgets.labels import without_key
from wizard.gui.widgets.log_view import LogView
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, message
from wizard.run.verify.model import SmokeCheck, Verification
from wizard.run.verify.project import ASK

PREFIX = Path("/home/li/torch-envs/torch")


def reached(qtbot: QtBot, window: WizardWindow) -> VerifyPage:
    go_to(qtbot, window, PageId.INSTALL)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, VerifyPage)
    return page


def test_a_failed_test_has_one_repair_button_that_leads_to_the_doctor(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    session.gpu_ok = False
    window = make_window()
    page = reached(qtbot, window)
    assert "cannot use the graphics card" in page.title
    assert "GTX 1080 Ti (compute capability 6.1" in page._failure.cause.text()
    qtbot.waitUntil(lambda: page._failure.brings.text() == "torch 2.14.1 + CUDA 12.6 fits your card.")
    assert window.focusWidget() is page.mend, "beside what it does"
    assert not window.footer.primary.isVisible()
    assert page.finish.isVisible()
    press(qtbot, page.mend)
    settle(qtbot, window)
    assert ("examine", PREFIX) in side.calls
    assert window.footer.primary.text().startswith("&Repair now")
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert window.page is page


EVIDENCE = (
    "zeros: AcceleratorError: CUDA error: no kernel image is available for execution on the device",
    "kernel: AcceleratorError: CUDA error: no kernel image is available for execution on the device",
    "speed: AcceleratorError: CUDA error: no kernel image is available for execution on the device",
    "memory: AcceleratorError: CUDA error: no kernel image is available for execution on the device",
    "torch 2.15.0+cu130, torch.version.cuda = 13.0",
    "torch.cuda.get_arch_list() = sm_75 sm_80 sm_86 sm_90 sm_100 sm_120",
    "installed: numpy 2.5.1, torch 2.15.0+cu130, torchvision 0.29.2+cu130",
    "CUDA_VISIBLE_DEVICES = '0'",
    "NVIDIA driver: 581.57, runs CUDA 13.0",
    "nvidia card: GeForce GTX 1080 Ti [10de:1b06] compute capability 6.1",
    "intel card: UHD Graphics 630 [8086:3e92]",
)


def test_three_lines_prove_a_failure_and_the_others_are_folded(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eleven of them pushed what can be done out of sight."""
    made = session.report
    monkeypatch.setattr(
        session,
        "report",
        lambda run_id: {**made(run_id), "diagnosis": {**made(run_id)["diagnosis"], "evidence": list(EVIDENCE)}},
    )
    session.gpu_ok = False
    window = make_window()
    window.resize(1080, 740)
    page = reached(qtbot, window)
    first, codes, card = page.evidence.words.splitlines()
    assert first.startswith("torch.zeros(1).cuda(): AcceleratorError")
    assert (codes, card) == (EVIDENCE[5], EVIDENCE[9])
    assert len(page.evidence.folded.splitlines()) == 8
    assert "8" in page.evidence.more.button.accessibleName()
    qtbot.waitUntil(lambda: page._scroll.verticalScrollBar().maximum() == 0)
    press(qtbot, page.evidence.copy)
    assert len(QGuiApplication.clipboard().text().splitlines()) == len(EVIDENCE)


def test_another_run_is_shown_from_its_top_with_its_folds_closed(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    window.resize(*SMALLEST)
    page = reached(qtbot, window)
    for fold in (page.others, page.changes):
        fold.button.setChecked(True)
    bar = page._scroll.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    session.known_runs = [values.run_info("another", "planned", str(PREFIX))]
    session.start("another")
    window.navigator.show_run("another")
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    settle(qtbot, window)
    assert bar.value() == 0
    assert not any(fold.button.isChecked() for fold in (page.others, page.changes))


@pytest.mark.parametrize("name", ["declared", "part"])
def test_what_a_project_lacks_stands_first(
    name: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, words = session.report, "Missing: torchvision. 4 of 5 are there."
    lacks = {"name": name, "state": "warning", "message": words}

    def report(run_id: str) -> dict[str, Any]:
        verification = made(run_id)["verification"]
        return {**made(run_id), "verification": {**verification, "checks": [*verification["checks"], lacks]}}

    monkeypatch.setattr(session, "report", report)
    page = reached(qtbot, make_window())
    shown = [one.text() for one in page.first.findChildren(QLabel)]
    at = shown.index(words)
    assert not any("cuda()" in one for one in shown[:at]), "above the test of the card"
    assert page._head_mark._state == "warning"


def test_a_test_that_passed_offers_no_repair(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = reached(qtbot, window)
    assert window.footer.primary.text() == "&Finish"
    assert not page.finish.isVisible()
    assert not page._failure.isVisible()
    assert not page.command.isVisible()
    assert page.title == "PyTorch runs on your card"
    assert page._subtitle.text() == "NVIDIA GeForce GTX 1660 Ti  •  torch 2.14.1 + CUDA 12.6"
    assert window.focusWidget() is page.terminal
    assert page.first.findChild(SpeedGauge).isVisible()
    assert {"4.6 TFLOP/s", "expected: 2.7 to 5.4"} <= set(texts(window)), "5.4 is what the table has"
    page.others.button.setChecked(True)
    names = [one.text() for one in page.findChildren(QLabel) if one.isVisible()]
    assert "torch.zeros(1).cuda()" in names


@pytest.mark.parametrize(("language", "title"), [("en", "Repaired"), ("zh_CN", "已修复")])
def test_after_a_repair_the_page_says_so(
    language: str,
    title: str,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = session.report
    monkeypatch.setattr(session, "report", lambda run_id: {**made(run_id), "steps": [{"name": "guard"}]})
    page = reached(qtbot, make_window(language))
    assert page.title == title


def test_each_way_to_begin_is_one_press(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = reached(qtbot, window)
    for button, call in ((page.editor, "open_in_editor"), (page.jupyter, "register_kernel")):
        press(qtbot, button)
        settle(qtbot, window)
        assert (call, PREFIX) in side.calls
    assert page.jupyter.text() == "Added"
    qtbot.wait(SAID_FOR_MS + 200)
    assert page.jupyter.text() == "Added", "it is, and stays so"
    press(qtbot, page.activation)
    assert QGuiApplication.clipboard().text() == f"source {PREFIX}/bin/activate"


def test_what_a_projects_readme_runs_first_is_text_to_copy(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.project = ProjectUse("/home/li/project", command="python train.py --fast", command_file="README.md")
    window = make_window("zh_CN")
    page = reached(qtbot, window)
    assert page.command.isVisible()
    assert page.command.code.code == "python train.py --fast"
    assert "README.md" in page.command.findChildren(QLabel)[0].text()
    press(qtbot, page.command.code.button)
    assert QGuiApplication.clipboard().text() == "python train.py --fast"
    assert [name for name, _ in side.calls if name.startswith("open_")] == [], "nothing is begun by itself"


def test_after_a_failure_nothing_says_how_to_work_with_it(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.gpu_ok = False
    page = reached(qtbot, make_window())
    for one in (page.terminal, page.jupyter, page.editor, page.activation, page.ways, page._start):
        assert not one.isVisible(), one


def test_an_environment_that_was_deleted_since_is_said_to_be_gone(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    window = make_window()
    page = reached(qtbot, window)
    window.side.open(SideId.ENVIRONMENTS, PREFIX)
    settle(qtbot, window)
    side.deleted.add(PREFIX)
    press(qtbot, window.footer.back)
    settle(qtbot, window)
    assert window.page is page
    assert page.title == "The environment is gone"
    assert str(PREFIX) in page._subtitle.text()
    for one in (page.terminal, page.jupyter, page.editor, page.activation, page.ways, page._start, page.kernel):
        assert not one.isVisible(), one
    assert window.focusWidget() is page.another
    for one in (page.first, page.others):
        assert not one.isVisible(), "nothing green stands below"


def test_the_environment_and_the_changes_are_one_press_away(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    window = make_window()
    page = reached(qtbot, window)
    assert str(PREFIX) in page._changed.text()
    page.changes.button.setChecked(True)
    for button, side_page in ((page.manage, SideId.ENVIRONMENTS), (page.undo, SideId.UNDO)):
        press(qtbot, button)
        settle(qtbot, window)
        assert window.side.here is not None
        assert window.side.here.page is side_page
        press(qtbot, window.footer.back)
        settle(qtbot, window)
    press(qtbot, page.terminal)
    settle(qtbot, window)
    assert ("open_terminal", PREFIX) in side.calls
    before = page.terminal.y()
    side.fail["open_terminal"] = WizardError(error_text("terminal-none"), path="/x")
    press(qtbot, page.terminal)
    qtbot.waitUntil(lambda: page.trouble.isVisible() and page.trouble.y() > page.terminal.y())
    assert page.terminal.y() == before, "the buttons stay where they are"
    for language in ("en", "zh_CN"):
        press(qtbot, window.rail.languages[language])
        button = without_key(page.activation.text())
        assert f"“{button}”" in page.trouble.plain_text(), "the button beside it is named"


def test_the_report_is_copied_and_saved_as_its_name_says(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    page = reached(qtbot, window)
    QGuiApplication.clipboard().clear()
    press(qtbot, page.copy)
    settle(qtbot, window)
    assert "2.14.1+cu126" in QGuiApplication.clipboard().text()
    page.save_to(tmp_path / "report.json")
    settle(qtbot, window)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["verification"]["ok"] is True
    page.save_to(tmp_path / "report.json" / "below.json")
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.trouble.code == "error.window-not-saved.summary"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("gpu_ok", [True, False])
def test_letters_are_unique_and_all_fits(
    gpu_ok: bool, language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    session.gpu_ok = gpu_ok
    window = make_window(language)
    window.resize(*SMALLEST)
    page = reached(qtbot, window)
    assert page.ways.fold is not None or session.gpu_ok is False
    for fold in (page.ways.fold, page.others, page.changes):
        if fold is not None:
            fold.button.setChecked(True)
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    sheet, view = page._scroll.widget(), page._scroll.viewport()
    qtbot.waitUntil(lambda: sheet.width() <= view.width())
    assert window.size().toTuple() == SMALLEST, "no button widens the window"
    for button in (one for one in window.footer.controls() if one.isVisible()):
        right = button.mapTo(window, button.rect().bottomRight()).x()
        assert right < window.width() - 8, button
        assert button.width() >= button.sizeHint().width(), button


def test_a_failure_shows_the_link_that_does_not_hold(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    window.navigator.show_run("run-1")
    window.navigator.put_run_over(report(False), "/home/li/torch-envs/torch")
    window.navigator.go_next()
    settle(qtbot, window)
    links = [(link.state, link.isVisible()) for link in window.page.findChildren(LinkBox)]
    assert links == [("ok", True), ("broken", True), ("ok", True), ("ok", True)]
    named = [link.accessibleName() for link in window.page.findChildren(LinkBox)]
    ends = [name.rpartition(", ")[2] for name in named]
    assert ends == ["fits", "does not fit", "fits", "fits"], "in words that are no chain's"


@pytest.fixture
def lacking_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of a project's own parts could not be put in, and no cause is known."""
    usual, error = values.verification, "fatal: unable to access 'https://git.example/x/other.git/'"
    said = message(
        "verify.project.part-failed",
        "“{name}” could not be installed: {error}. {cause} {fix}",
        name="other",
        error=error,
        cause=ASK,
        fix="",
    )

    def told(is_ok: bool) -> Verification:
        given = usual(is_ok)
        return replace(given, checks=(*given.checks, SmokeCheck("part", "warning", said, data={"part": "other"})))

    monkeypatch.setattr(values, "verification", told)


@pytest.mark.usefixtures("lacking_part")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_that_is_not_in_fits_and_a_button_shows_its_words(
    language: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    """It led to Explain, which had been asked before and knew nothing of it."""
    window = make_window(language)
    page, area = reached(qtbot, window), window.page.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    for size in ((720, 400), (640, 400), LEAST):
        lower(window, size)
        qtbot.wait(150)
        assert area.horizontalScrollBar().maximum() == 0, size
    quoted = [one for one in visible(window, QLabel) if "“other”" in one.text()]
    assert quoted, "its name is told from the sentence"
    button = page.log.button
    assert f"“{without_key(button.text())}”" in quoted[0].text(), "the sentence names the button"
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))
    press(qtbot, button)
    settle(qtbot, window)
    lines = page.log.findChild(LogView)
    assert isinstance(lines, LogView)
    qtbot.waitUntil(lambda: "unable to access" in lines.toPlainText())
    qtbot.waitUntil(lambda: lines.visibleRegion().boundingRect().height() > lines.height() // 2)


@pytest.mark.usefixtures("lacking_part")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [LEAST, (1024, 640)])
def test_a_missing_part_is_told_below_the_title_and_the_first_that_tab_reaches(
    size: tuple[int, int], language: str, qtbot: QtBot, make_window: MakeWindow, heard: list[str]
) -> None:
    """In a low window nothing of it was to be seen, and Tab went past it."""
    window = make_window(language)
    lower(window, size)
    page = reached(qtbot, window)
    words = {"en": "One part of your project is missing.", "zh_CN": "项目有一个部分未安装。"}[language]
    assert page._subtitle.text().splitlines()[0] == words
    assert any(words in one for one in heard)
    line = page._subtitle.fontMetrics().height()
    qtbot.waitUntil(lambda: page._subtitle.visibleRegion().boundingRect().height() >= line)
    if size == LEAST:
        qtbot.waitUntil(lambda: window.focusWidget() is window.footer.primary)
        qtbot.keyClick(window.footer.primary, Qt.Key.Key_Tab)
        sentence = window.focusWidget()  # it has an address, too
        assert isinstance(sentence, QLabel)
        assert "“other”" in sentence.text()
        qtbot.waitUntil(lambda: sentence.visibleRegion().boundingRect().height() >= line)
        qtbot.keyClick(sentence, Qt.Key.Key_Tab)
    else:
        qtbot.waitUntil(lambda: window.focusWidget() is page.terminal)
        qtbot.keyClick(page.terminal, Qt.Key.Key_Backtab)
    assert window.focusWidget() is page.log.button
    qtbot.waitUntil(lambda: not page.log.button.visibleRegion().isEmpty())


def test_what_lacks_is_counted_by_its_parts() -> None:
    """A part has two rows where it is not in: why, and how to try it again."""

    def said(*rows: tuple[str, str, str]) -> str:
        told = [(name, {"key": key, "params": {"name": part}, "text": ""}) for name, key, part in rows]
        checks = [{"name": name, "state": "warning", "message": words} for name, words in told]
        return lack_words(read_report({"verification": {"checks": checks}}))

    failed, again, other = "verify.project.part-failed", "verify.project.part-again", "verify.project.missing"
    assert said() == ""
    assert said(("part", failed, "a"), ("part", again, "a")) == "One part of your project is missing."
    assert said(("part", failed, "a"), ("part", failed, "b")) == "2 parts of your project are missing."
    assert said(("declared", other, "")) == "Not all is as your project asks."
    assert said(("imports", other, "")) == ""
