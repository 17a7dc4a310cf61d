"""The real session and real mirrors on loopback behind the real page: the race is seen while it goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.gui.walking import go_to, press, put_away, settle, visible
from tests.run import test_benchmark
from tests.run.test_benchmark import SLOW, Lab
from tests.run.test_select_build import NO_CARD
from tests.servers.mirror_server import MirrorServer, Ways
from wizard.app.pages.order import AppState, PageId
from wizard.app.tools import WindowSession
from wizard.compatibility.model import Choices
from wizard.gui.pages.source.page import SourcePage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.run.model import Facts, Requirement
from wizard.sources.model import Availability, UserSettings
from wizard.undo.journal import UndoJournal

lab, wheels = test_benchmark.lab, test_benchmark.wheels


class OnThisMachine(WindowSession):
    """Only the look at the computer is recorded: a test must find the same card everywhere."""

    def probe(
        self,
        on_part: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_rows: Callable[[tuple[Requirement, ...]], None] | None = None,
    ) -> Facts:
        return Facts(NO_CARD, UserSettings(), (), 0.0)


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, and nothing in the variables."""
    for name in tuple(os.environ):
        if name.startswith(("PIP_", "UV_", "CONDA", "XDG_")) or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    home = tmp_path / "person"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, tmp_path: Path, lab: Lab, person: Path) -> Iterator[WizardWindow]:
    wishes = Preferences(tmp_path / "settings.json")
    wishes.put(language="en", theme="light")
    made = WizardWindow(qapp, OnThisMachine(), wishes, None)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    put_away(made)


def begin(window: WizardWindow, lab: Lab) -> None:
    """Packages from an index by hand, which has no torch: so nobody but loopback is asked."""
    own = lab.stack.enter_context(MirrorServer(lab.wheels, Ways(lacks=(test_benchmark.TORCH,))))
    test_benchmark.write_mirrors(Path(os.environ["TORCH_WIZARD_HOME"]), lab.rows, lab.layouts)
    window.navigator._state = AppState(choices=Choices(mirrors="race", index=own.simple, python="3.11"))


def texts(window: WizardWindow) -> list[str]:
    return [one.text() for one in visible(window, QLabel) if isinstance(one, QLabel)]


@pytest.mark.slow
def test_the_race_is_seen_in_the_page(qtbot: QtBot, window: WizardWindow, lab: Lab, wheels: Path) -> None:
    lab.add("official", Ways(bytes_per_second=SLOW))
    lab.add("quick")
    lab.add("refuses", Ways(refuses="all"))
    test_benchmark.forge(wheels)
    for index in (wheels / "forge").rglob("repodata.json"):
        index.write_text(index.read_text(encoding="utf-8").replace("3.12.4", "3.11.9"), encoding="utf-8")
    lab.rows["conda-forge", "quick"] = f"{lab.add('forge-here').url}/forge"
    del lab.rows["pytorch-wheels", "forge-here"]
    begin(window, lab)
    go_to(qtbot, window, PageId.BUILD)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    press(qtbot, window.footer.primary)
    page = window.pages[PageId.SOURCE]
    assert isinstance(page, SourcePage)
    qtbot.waitUntil(lambda: {"measuring…", "quick", "refuses"} <= set(texts(window)))
    assert page.is_busy
    assert window.navigator.state.selected is None, "rows are there before the end"
    qtbot.waitUntil(lambda: window.navigator.state.selected is not None, timeout=60_000)
    settle(qtbot, window)
    selected = window.navigator.state.selected
    assert selected is not None
    assert selected.torch_source.id == "quick-torch-cpu"
    rows = {row.source.id: row for row in page.tables["torch"].rows}
    assert (rows["quick-torch-cpu"].availability, rows["quick-torch-cpu"].uses) == (Availability.COMPLETE, ("torch",))
    assert rows["quick-torch-cpu"].rate
    assert rows["refuses-torch-cpu"].availability is Availability.REFUSED
    assert [row.uses for row in page.tables["conda"].rows if row.uses] == [("python",)]
    assert not any("measuring" in text for text in texts(window))


def test_a_mirror_by_name_can_be_kept_after_its_difference_was_shown(
    qtbot: QtBot, window: WizardWindow, lab: Lab, person: Path
) -> None:
    lab.add("official")
    lab.add("quick")
    begin(window, lab)
    go_to(qtbot, window, PageId.BUILD)
    qtbot.waitUntil(window.footer.primary.isEnabled)
    press(qtbot, window.footer.primary)
    page = window.pages[PageId.SOURCE]
    assert isinstance(page, SourcePage)
    qtbot.waitUntil(lambda: window.navigator.state.selected is not None, timeout=60_000)
    settle(qtbot, window)
    place = page.where.choice.findData("quick")
    page.where.choice.setCurrentIndex(place)
    page.where.choice.activated.emit(place)
    qtbot.waitUntil(lambda: window.navigator.state.selected is not None, timeout=60_000)
    settle(qtbot, window)
    page.persistent.tick.click()
    settle(qtbot, window)
    files = [file.view.accessibleName() for file in page.persistent.diff.files]
    assert len(files) == 2, "pip and uv; there is no conda on that computer"
    assert all(str(person) in name for name in files)
    assert not list(person.rglob("pip.conf")) + list(person.rglob("pip.ini")), "shown, not written"
    assert UndoJournal().changes() == ()
