"""A notebook in the environment, from Verify: what it lacks is put in, what fails is said below its button."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession
from tests.gui.fake_tools import FakeTools
from tests.gui.test_verify import PREFIX, reached
from tests.gui.walking import lower, press, settle, source_page
from tests.sentences import error_text
from wizard.app.pages.order import PageId, SideId
from wizard.gui.pages.verify.page import VerifyPage
from wizard.gui.shell.window import WizardWindow
from wizard.model.errors import WizardError
from wizard.transfer.proxy.model import Mode, Network

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
    qtbot.waitUntil(page.kernel.address.stop.isVisible)
    press(qtbot, page.kernel.address.stop)
    qtbot.waitUntil(lambda: not page.kernel.address.isVisible())
    assert ("stop_notebook", (PREFIX, False)) in side.calls
    assert page.window().focusWidget() is page.kernel.button


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


def make_low(qtbot: QtBot, window: WizardWindow) -> None:
    lower(window, (624, 360))
    settle(qtbot, window)


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
