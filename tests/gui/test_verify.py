"""Verify: how the environment is used, the report, what was changed; one repair button where the test failed.

One file: each test is about the one page, reached in the same way.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, report
from tests.gui.fake_tools import FakeTools
from tests.gui.walking import go_to, lower, mnemonics, press, settle, source_page, texts
from tests.sentences import error_text
from wizard.app.pages.order import PageId, SideId
from wizard.compatibility.model import ProjectUse
from wizard.gui.pages.proof import LinkBox
from wizard.gui.pages.verify.page import VerifyPage
from wizard.gui.pages.verify.parts import SpeedGauge
from wizard.gui.shell.window import SMALLEST, WizardWindow
from wizard.gui.widgets.code import SAID_FOR_MS
from wizard.gui.widgets.labels import without_key
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES
from wizard.transfer.proxy.model import Mode, Network

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


@pytest.mark.qt_log_ignore("does not support propagateSizeHints")
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


def test_what_a_project_lacks_stands_first(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, words = session.report, "Missing: torchvision. 4 of 5 are there."
    lacks = {"name": "declared", "state": "warning", "message": words}

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


LACKS = WizardError("kernel-no-package", "No {package}.", "Add it.", package="ipykernel")


def test_what_jupyter_lacks_is_put_in_by_a_button(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    side.fail["register_kernel"] = LACKS
    window = make_window()
    page = reached(qtbot, window)
    place = page.terminal.y()
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: "Jupyter needs the package ipykernel" in page.kernel.words)
    assert page.jupyter.text() != "Added"
    assert page.terminal.y() == place, "nothing jumps"
    assert window.focusWidget() is page.kernel.button
    assert ("plan_add", ("ipykernel",)) in session.calls
    assert "start" not in session.names()[-1:], "what would change is shown first"
    assert "PyTorch does not change" in page.kernel.words
    qtbot.waitUntil(page.kernel.names.isVisible)
    page.kernel.names.button.click()
    assert "ipykernel 1.0, comm 1.0" in [one.text() for one in page.kernel.findChildren(QLabel) if one.isVisible()]
    preview = page.kernel.preview
    assert preview is not None
    all_here = replace(preview, here=frozenset(file.filename for file in preview.lock.files))
    for shown, is_told in ((all_here, False), (preview, True)):
        page.kernel._show_changes(shown)
        assert page.kernel.button.text().startswith("Add it no&w")
        assert ("(downloads " in page.kernel.button.text()) == is_told, "0 B are not worth a word"
    before = len(side.calls)
    press(qtbot, page.kernel.button)
    qtbot.waitUntil(lambda: ("start", "run-kernel") in session.calls)
    qtbot.waitUntil(lambda: window.navigator.page is PageId.VERIFY)
    qtbot.waitUntil(lambda: ("register_kernel", PREFIX) in side.calls[before:])
    settle(qtbot, window)
    qtbot.waitUntil(lambda: f"“PyTorch ({PREFIX.name})”" in page.kernel.words)  # what it is called there
    assert not page.kernel.names.isVisible()
    assert "kernel.json" in page.changes.button.accessibleName()
    assert "Packages added or changed for Jupyter: 2." in page._changed.text()
    assert page.kernel.button.text().replace("&", "") == "Open a notebook"
    assert ("open_notebook", PREFIX) not in side.calls


def test_a_source_without_jupyter_is_told_as_that(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    """Nobody typed “notebook”: there is no spelling to check."""
    side.fail["register_kernel"] = LACKS
    session.fail["plan_add"] = WizardError(error_text("lock-no-package"), name="notebook", source="Your choice")
    page = reached(qtbot, make_window())
    press(qtbot, page.jupyter)
    qtbot.waitUntil(page.trouble.isVisible)
    words = page.trouble.plain_text()
    assert "Jupyter cannot be added" in words
    assert "another source (page “Source”)" in words
    assert not any(one in words for one in ("spelling", "Your choice"))


def test_a_notebook_says_that_it_starts_and_where_it_runs(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    side.hold.add("open_notebook")
    page = reached(qtbot, make_window())
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: page.kernel.button.text().replace("&", "") == "Open a notebook")
    press(qtbot, page.kernel.button)
    qtbot.waitUntil(lambda: ("open_notebook", PREFIX) in side.calls)
    assert page.kernel.words.startswith("Jupyter is starting.")
    assert not page.kernel.button.isEnabled(), "a second press would be in vain"
    side.let_go.set()
    qtbot.waitUntil(page.kernel.address.isVisible)
    assert page.window().focusWidget() is page.kernel.button, "the keys come back to it"
    assert page.kernel.address.words.startswith("Jupyter is running.")
    lines = (page.kernel._words, page.kernel.address._words)
    qtbot.waitUntil(lambda: len({one.mapTo(page, one.rect().topLeft()).x() for one in lines}) == 1)
    assert page.kernel.address.code.code == "http://localhost:8888/?token=secret"
    assert opened == [], "Jupyter opens it by itself"
    press(qtbot, page.kernel.button)
    qtbot.waitUntil(lambda: opened == ["http://localhost:8888/?token=secret"])


def test_a_notebook_that_does_not_start_is_said_below_its_button(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.fail["open_notebook"] = WizardError(error_text("terminal-none-for"), command="jupyter lab")
    page = reached(qtbot, make_window())
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: page.kernel.button.text().replace("&", "") == "Open a notebook")
    press(qtbot, page.kernel.button)
    qtbot.waitUntil(lambda: page.trouble.isVisible() and page.trouble.y() > page.kernel.y())
    assert page.kernel.button.isEnabled()
    assert not page.kernel.address.isVisible()


def looking_for_jupyter(qtbot: QtBot, window: WizardWindow, session: FakeSession, side: FakeTools) -> VerifyPage:
    """Press the button; what Jupyter needs is looked for until the session lets go."""
    side.fail["register_kernel"] = LACKS
    session.hold.add("plan_add")
    page = reached(qtbot, window)
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: "Looking for what Jupyter needs" in page.kernel.words)
    return page


@pytest.mark.parametrize("pressed", ["copy", "terminal", "activation"])
def test_another_press_does_not_end_what_jupyter_is_looked_through_for(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools, pressed: str
) -> None:
    page = looking_for_jupyter(qtbot, make_window(), session, side)
    press(qtbot, getattr(page, pressed))
    qtbot.waitUntil(lambda: not page.is_busy)
    session.let_go.set()
    qtbot.waitUntil(lambda: "Jupyter needs the package ipykernel" in page.kernel.words)


def test_what_is_looked_for_is_given_up_with_the_page(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    window = make_window()
    page = looking_for_jupyter(qtbot, window, session, side)
    window.side.open(SideId.UNDO)
    qtbot.waitUntil(lambda: not page.kernel.isVisible() and window.page is not page)
    qtbot.waitUntil(lambda: not window.tasks.busy)  # which a held call ends only when it is cancelled


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


def make_low(qtbot: QtBot, window: WizardWindow) -> None:
    lower(window, (624, 360))
    settle(qtbot, window)


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_what_jupyter_lacks_is_scrolled_to_in_a_low_window(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.fail["register_kernel"] = LACKS
    window = make_window()
    page = reached(qtbot, window)
    make_low(qtbot, window)
    page.jupyter.click()
    button = page.kernel.button
    qtbot.waitUntil(lambda: button.visibleRegion().boundingRect().height() == button.height() > 0)


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_the_kernel_s_name_is_scrolled_to_where_no_button_follows(
    qtbot: QtBot, make_window: MakeWindow, side: FakeTools
) -> None:
    side.notebook_command, side.editor = None, True
    window = make_window()
    page = reached(qtbot, window)
    make_low(qtbot, window)
    page.jupyter.click()
    words = page.kernel._words
    qtbot.waitUntil(lambda: words.visibleRegion().boundingRect().height() == words.height() > 0)
    assert words.text().startswith("VS Code lists this environment")


def test_where_no_jupyter_is_it_is_offered(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    side.notebook_command, side.editor = None, False
    side.fail["register_kernel"] = LACKS
    window = make_window()
    page = reached(qtbot, window)
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: "No Jupyter was found" in page.kernel.words)
    assert ("plan_add", ("notebook",)) in session.calls, "which brings ipykernel, too"
    press(qtbot, page.jupyter)  # as if it lacked nothing but Jupyter itself
    qtbot.waitUntil(lambda: f"“PyTorch ({PREFIX.name})”" in page.kernel.words)
    assert page.kernel.button.text().replace("&", "") == "Add Jupyter Notebook…"
    press(qtbot, page.kernel.button)
    qtbot.waitUntil(lambda: "No Jupyter was found" in page.kernel.words)
    side.editor = True
    page.enter()
    settle(qtbot, window)
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: f"“PyTorch ({PREFIX.name})”" in page.kernel.words)
    assert not page.kernel.button.isVisible(), "VS Code opens notebooks"
    assert page.kernel.words.startswith("VS Code lists this environment")


def test_a_plan_for_jupyter_that_fails_is_said_below_the_buttons(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    side.fail["register_kernel"] = LACKS
    session.fail["plan_add"] = WizardError("no-source", "No source.", "Look at the network.")
    page = reached(qtbot, make_window())
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: page.trouble.isVisible() and page.trouble.y() > page.terminal.y())
    assert not page.kernel.isVisible()


def test_a_dead_proxy_of_that_plan_can_be_changed(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    side.fail["register_kernel"] = LACKS
    session.fail["plan_add"] = WizardError("network-proxy-offline", proxy="http://127.0.0.1:7890", place="PyPI")
    session.wish = Network(Mode.CUSTOM, "http://127.0.0.1:7890")
    window = make_window()
    page = reached(qtbot, window)
    window.resize(1000, 560)
    press(qtbot, page.jupyter)
    qtbot.waitUntil(page.trouble.isVisible)
    assert page.trouble.again.isVisible()
    assert page.trouble.again.text().replace("&", "") == "Change proxy…"
    press(qtbot, page.trouble.again)
    assert window.navigator.page is PageId.SOURCE
    source = source_page(window)
    assert source.network_fold.button.isChecked()
    settle(qtbot, window)
    chosen, viewport = source.network.modes[Mode.CUSTOM], source._scroll.viewport()
    qtbot.waitUntil(lambda: window.focusWidget() is chosen)

    def is_seen() -> bool:
        """The whole card of rows above it came in the meantime."""
        place = chosen.mapTo(viewport, chosen.rect().bottomLeft()).y()
        return 0 < place < viewport.height() < source._scroll.widget().height()

    qtbot.waitUntil(is_seen)


def test_another_fault_of_jupyter_is_said(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    side.fail["register_kernel"] = WizardError("undo-other", "It cannot be written.", "Look at the folder.")
    window = make_window()
    page = reached(qtbot, window)
    press(qtbot, page.jupyter)
    qtbot.waitUntil(page.trouble.isVisible)
    assert not page.kernel.isVisible()


def test_a_plan_for_jupyter_that_nobody_wants_goes(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    side.fail["register_kernel"] = LACKS
    window = make_window()
    page = reached(qtbot, window)
    press(qtbot, page.jupyter)
    qtbot.waitUntil(page.kernel.names.isVisible)
    press(qtbot, page.another)
    qtbot.waitUntil(lambda: ("discard", "run-kernel") in session.calls)


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


def test_an_error_goes_when_jupyter_is_tried_again(qtbot: QtBot, make_window: MakeWindow, side: FakeTools) -> None:
    window = make_window()
    page = reached(qtbot, window)
    side.fail["register_kernel"] = WizardError("kernel-no-place", "Nowhere to write.", "Make room.")
    press(qtbot, page.jupyter)
    qtbot.waitUntil(page.trouble.isVisible)
    del side.fail["register_kernel"]
    press(qtbot, page.jupyter)
    qtbot.waitUntil(lambda: page.jupyter.text() == "Added")
    assert not page.trouble.isVisible()


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
