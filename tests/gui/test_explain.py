"""Explain an error: pasted or dropped, with the real catalogue; an unknown text gets no advice."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.explain.samples import SAMPLES
from tests.gui import fake_tools
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, half_run
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import failed_install, mnemonics, press, settle
from wizard.app.pages.order import PageId, SideId
from wizard.app.use.explain import ExplainResult, answer
from wizard.compatibility.data.load import load_matrix
from wizard.diagnose.driver_guide import DriverNeed, driver_guide
from wizard.diagnose.known_errors.match import explain
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.environments.page import EnvironmentsPage
from wizard.gui.tools.explain import ExplainPage
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.headings import _role_of
from wizard.gui.widgets.labels import SPOKEN_AS
from wizard.model.errors import ExitStatus, WizardError
from wizard.model.messages import LANGUAGES

KNOWN = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
OLD_DRIVER = "RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version"


def opened(qtbot: QtBot, window: WizardWindow) -> ExplainPage:
    window.side.open(SideId.EXPLAIN)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, ExplainPage)
    return page


def test_the_keys_go_to_no_button_that_opens_a_file(qtbot: QtBot, make_window: MakeWindow) -> None:
    """The button that was pressed is off while it looks; a second Return opened its neighbour's dialog."""
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText(KNOWN)
    window.footer.primary.setFocus()
    qtbot.keyClick(window.footer.primary, Qt.Key.Key_Space)
    settle(qtbot, window)
    assert page.words
    assert window.focusWidget() is page.text


DONE_ELSEWHERE = "nvcc fatal   : Unsupported gpu architecture 'compute_120'\n"


@pytest.mark.parametrize("words", [KNOWN, DONE_ELSEWHERE])
def test_each_answer_can_be_handed_on(words: str, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText(words)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    (copy,) = (one for one in page.findChildren(QPushButton) if one.text() == "Copy the answer")
    press(qtbot, copy)
    assert QGuiApplication.clipboard().text() == page.words
    assert "What to do" in page.words


@pytest.mark.parametrize(
    ("words", "may_examine"),
    [
        ("ModuleNotFoundError: No module named 'torch'\n", True),
        ("CUDA out of memory. Tried to allocate 2.00 GiB", False),
    ],
)
def test_commands_are_unfolded_where_no_button_does_it(
    words: str, may_examine: bool, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText(words)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    folds = [one.fold for one in page.findChildren(Advice) if one.fold.isVisible()]
    assert folds
    assert folds[0].button.isChecked() is not may_examine
    assert any("vironment" in one.text() and one.isVisible() for one in page.findChildren(QPushButton)) is may_examine


def test_a_pasted_error_gets_cause_and_what_to_do(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = opened(qtbot, window)
    assert window.focusWidget() is page.text
    assert not window.footer.primary.isEnabled()
    QGuiApplication.clipboard().setText(KNOWN)
    page.text.paste()
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert "no machine code for the card" in page.words
    assert "What to do" in page.words
    assert "535.183.01" in page.words, "this computer's facts"
    page.text.appendPlainText("more")
    assert page.words == "", "an answer is of one text"


SHORT = "ModuleNotFoundError: No module named 'torch'"


@pytest.mark.parametrize("said", [SAMPLES["cpu-build-said"], KNOWN, OLD_DRIVER])
def test_without_a_card_its_advice_lies_under_a_fold(
    said: str, qtbot: QtBot, make_window: MakeWindow, side: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = replace(values.FACTS, machine=replace(values.MACHINE, gpus=(), driver=None))
    given = answer(said, lambda: (facts, values.VERDICT, load_matrix()))
    monkeypatch.setattr(side, "explain", lambda words, is_cancelled: given)
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText(said)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    seen = [one.text() for one in page.findChildren(Advice) if one.isVisible()]
    assert any("so the CPU build is the right one here" in words for words in seen)
    assert not any("Install" in words or "install" in words for words in seen)
    assert not any(one.text() == "&Set up PyTorch" for one in page.findChildren(QPushButton)), "it would bring the same"
    (fold,) = (one for one in page.findChildren(QPushButton) if one.text() == "On a computer with an NVIDIA card")
    fold.click()
    assert any("nstall the" in one.text() for one in page.findChildren(Advice) if one.isVisible())


def test_what_looks_at_this_computer_is_folded_where_the_text_is_of_another(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = replace(values.FACTS, machine=replace(values.MACHINE, gpus=(), driver=None))
    for said in (KNOWN, OLD_DRIVER):
        given = answer(said, lambda: (facts, values.VERDICT, load_matrix()))
        monkeypatch.setattr(side, "explain", lambda words, is_cancelled, given=given: given)
        window = make_window()
        page = opened(qtbot, window)
        page.text.setPlainText(said)
        press(qtbot, window.footer.primary)
        settle(qtbot, window)
        doctor = [one for one in page.findChildren(QPushButton) if one.text() == "Check the en&vironment"]
        assert not any(one.isVisible() for one in doctor)
        (fold,) = (one for one in page.findChildren(QPushButton) if one.text() == "On a computer with an NVIDIA card")
        fold.click()
        assert [one.isVisible() for one in doctor] == [True]
        window.side.close()


def test_an_unknown_error_gets_no_advice(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText("ValueError: too many values to unpack (expected 2)")
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert "not one of the known errors" in page.words
    assert "What to do" not in page.words
    assert "Otherwise paste more: the lines above the error and below it" in page.words, "what a student can do"


def test_a_dropped_file_is_read_whole_and_explained(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, tmp_path: Path
) -> None:
    window = make_window()
    page = opened(qtbot, window)
    path = tmp_path / "train.log"
    path.write_text("step\n" * 120_000 + KNOWN, encoding="utf-8")
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(path))])
    page.text.insertFromMimeData(dropped)
    settle(qtbot, window)
    assert "no machine code for the card" in page.words
    assert len(page.text.toPlainText()) < len(path.read_text()), "the box shows the end only"


def test_a_hostile_text_does_not_hold_the_window(qtbot: QtBot, make_window: MakeWindow) -> None:
    """Processor time between two turns of the window; one expression of `re` alone took 17 s, with its lock held."""
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText("UnicodeDecodeError conda C:\\Users\\" * 700)
    turns = [time.process_time()]
    clock = QTimer(window)
    clock.timeout.connect(lambda: turns.append(time.process_time()))
    clock.start(0)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    clock.stop()
    assert "not one of the known errors" in page.words
    assert max(after - before for before, after in itertools.pairwise(turns)) < 1


def test_a_file_that_is_no_text_is_refused_in_the_page(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.take_file(tmp_path / "missing.log")
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.trouble.code == "error.explain-unreadable.summary"


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_for_a_driver_have_copy_buttons(
    language: str,
    qapp: QApplication,
    qtbot: QtBot,
    make_window: MakeWindow,
    side: FakeTools,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guide = driver_guide(DriverNeed(580, None, "required"), ("ubuntu",))
    assert guide.install
    found = (*explain(KNOWN), *explain("pip: No space left on device"))
    answer = ExplainResult(found, (values.FACTS.requirements[1].fact,), guide)
    monkeypatch.setattr(side, "explain", lambda words, is_cancelled: answer)
    window = make_window(language)
    page = opened(qtbot, window)
    page.text.setPlainText(KNOWN)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)

    def lines() -> list[CodeLine]:
        return [one for one in page._result.findChildren(CodeLine) if one.isVisible()]

    qtbot.waitUntil(lambda: bool(lines()))
    shown = lines()
    assert [one.code for one in shown] == [*guide.install, *guide.hold, *guide.unhold, "TMPDIR", "TEMP"]
    press(qtbot, shown[0].button)
    assert QGuiApplication.clipboard().text() == guide.install[0]
    letters = [letter for letter, _ in mnemonics(window)]
    assert len(letters) == len(set(letters)), sorted(mnemonics(window))


def failed_engine(run: FakeRun) -> None:
    half_run(run)
    run.step("install", "failed")
    lost = WizardError(
        "engine-failed", "uv failed.", "See the log.", details="OSError: [Errno 101] Network is unreachable"
    )
    run.finish(ExitStatus.FAILED, lost.to_json("en"))


def test_a_failed_setup_is_explained_from_its_own_words(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    window = make_window()
    install = failed_install(qtbot, window, session, failed_engine)
    press(qtbot, install.explain)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, ExplainPage)
    assert "Network is unreachable" in page.text.toPlainText()
    assert page.words
    press(qtbot, window.footer.back)
    assert window.navigator.page is PageId.INSTALL
    assert install.remove.isVisible()


def test_an_answer_does_not_stand_under_the_next_file(qtbot: QtBot, make_window: MakeWindow, tmp_path: Path) -> None:
    window = make_window()
    page = opened(qtbot, window)
    (tmp_path / "a.log").write_text(KNOWN, encoding="utf-8")
    page.take_file(tmp_path / "a.log")
    settle(qtbot, window)
    assert page.words
    page.take_file(tmp_path / "not-there.log")
    settle(qtbot, window)
    assert page.trouble.isVisible()
    assert page.words == ""


def test_a_very_long_line_is_shown_in_part_and_looked_through_whole(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    """Qt lays a line out whole: one of some hundred thousand letters holds the window up."""
    window = make_window()
    page = opened(qtbot, window)
    (tmp_path / "a.log").write_text("x" * 90_000 + " " + KNOWN, encoding="utf-8")
    page.take_file(tmp_path / "a.log")
    settle(qtbot, window)
    assert max(map(len, page.text.toPlainText().splitlines())) <= 1000
    assert "no machine code for the card" in page.words


def test_an_error_of_torch_leads_to_the_doctor_on_its_environment(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    """The commonest answer ("not compiled with CUDA") has one button; links can be clicked."""
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText(KNOWN)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    assert any('href="https://github.com/' in one.text() for one in window.findChildren(QLabel))
    (doctor,) = [one for one in page._result.findChildren(QPushButton) if "vironment" in one.text()]
    (head,) = [one for one in page._result.findChildren(QLabel) if one.text() == "What to do"]
    assert doctor.mapTo(page._result, QPoint()).y() > head.mapTo(page._result, QPoint()).y()
    press(qtbot, doctor)
    settle(qtbot, window)
    assert window.side.here is not None
    assert window.side.here.page is SideId.DOCTOR


def test_the_keys_reach_explain_before_what_empties_the_text(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = opened(qtbot, window)
    keys = window.footer.controls()
    assert keys.index(window.footer.primary) < keys.index(page.open) < keys.index(page.clear)


def test_the_parts_of_an_answer_are_headings(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText(KNOWN)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    heads = [one.text() for one in page.findChildren(QLabel) if _role_of(one) == QAccessible.Role.Heading]
    assert {"Cause", "What to do"} <= set(heads)
    items = [one for one in page.findChildren(QWidget) if one.property(SPOKEN_AS) == "item" and one.isVisible()]
    assert [_role_of(one) for one in items] == [QAccessible.Role.ListItem] * len(items)
    assert all(f"•  {one.accessibleName()}" in page.words for one in items), "as it is copied, too"
    assert items
    assert all(_role_of(one.parentWidget()) is QAccessible.Role.List for one in items)
    assert all(one.parentWidget().accessibleName() for one in items)


def test_the_lines_of_a_point_begin_below_each_other(qtbot: QtBot, make_window: MakeWindow) -> None:
    """A second line below the dot looked like a point without one."""
    window = make_window()
    page = opened(qtbot, window)
    page.text.setPlainText(KNOWN)
    press(qtbot, window.footer.primary)
    settle(qtbot, window)
    points = [one for one in page.findChildren(QWidget) if one.property(SPOKEN_AS) == "item" and one.isVisible()]
    assert points
    for point in points:
        (advice,), dots = point.findChildren(Advice), [one for one in point.findChildren(QLabel) if one.text() == "•"]
        assert len(dots) == 1
        assert "•" not in advice.text()
        assert dots[0].geometry().right() < advice.x()


CV2 = "ModuleNotFoundError: No module named 'cv2'"


def _add_button(page: ExplainPage) -> QPushButton:
    (add,) = (one for one in page.findChildren(QPushButton) if one.text() == "&Add opencv-python…")
    return add


def test_a_package_that_is_missing_is_added_to_the_environment_of_the_text(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    window, side.environment = make_window(), fake_tools.ENVIRONMENTS[0].prefix
    window.side.open(SideId.EXPLAIN, text=CV2)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, ExplainPage)
    press(qtbot, _add_button(page))
    settle(qtbot, window)
    environments = window.page
    assert isinstance(environments, EnvironmentsPage)
    assert environments.adding.isVisible()
    assert (environments.adding.names.text(), environments.table.selected) == (
        "opencv-python",
        fake_tools.ENVIRONMENTS[0],
    )
    assert "plan_add" in session.names(), "what would change is looked for at once"


def test_where_the_text_names_no_environment_it_is_chosen_first(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    window.side.open(SideId.EXPLAIN, text=CV2)
    settle(qtbot, window)
    page = window.page
    assert isinstance(page, ExplainPage)
    assert not [one for one in page.findChildren(QPushButton) if "Check the" in one.text()], "the doctor knows no more"
    press(qtbot, _add_button(page))
    settle(qtbot, window)
    environments = window.page
    assert isinstance(environments, EnvironmentsPage)
    assert environments._said.text() == "Choose the environment that gets opencv-python."
    environments.table.select(next(one.prefix for one in fake_tools.ENVIRONMENTS if one.state.value == "broken"))
    assert environments.card.buttons["check"].isVisible(), "it takes no package, and is repaired"
    environments.table.selectRow(0)
    settle(qtbot, window)
    add = environments.card.buttons["packages"]
    assert (add.text(), add.property("role")) == ("Add opencv-python…", "primary")
    environments.table.entered.emit()
    assert window.focusWidget() is add
    press(qtbot, add)
    settle(qtbot, window)
    assert environments.adding.names.text() == "opencv-python"
    press(qtbot, environments.adding.keep)
    settle(qtbot, window)
    assert not environments._said.isVisible()
    assert (add.text(), add.property("role")) == ("&Packages…", "small")
    press(qtbot, add)
    assert environments.adding.names.text() == "", "only once"
