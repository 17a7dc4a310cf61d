"""The pages beside the wizard on the real session: a real environment is copied, examined, repaired, brought back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.diagnose import conftest as of_doctor
from tests.diagnose.world import CUDA, TORCH, Patient
from tests.environment.cheap import add_torch, make_venv
from tests.gui.fake_session import FakeSession
from tests.gui.test_environments import SIZE, cells, opened
from tests.gui.walking import press, put_away, settle, visible
from wizard.app.pages.order import PageId, SideId
from wizard.app.tools import Tools, WindowSession
from wizard.app.use.doctor import Examination
from wizard.compatibility.model import Choices
from wizard.diagnose.repair.plan import RepairPreview
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.gui.tools.doctor import DoctorPage
from wizard.gui.tools.environments.page import EnvironmentsPage
from wizard.run.model import Facts, Requirement

doctor_wheels, bare, patient = of_doctor.doctor_wheels, of_doctor.bare, of_doctor.patient
LONG = 120_000  # milliseconds: a limit for a hang, not a speed
NAMES = ("torch", "sympy")


class WithACard(WindowSession):
    """Real, but for the card, which is recorded, and the sources, which are on loopback."""

    def __init__(self, patient: Patient) -> None:
        super().__init__()
        self._patient = patient

    def probe(
        self,
        on_part: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
        on_rows: Callable[[tuple[Requirement, ...]], None] | None = None,
    ) -> Facts:
        return self.facts_of(self._patient.machine)

    def plan_repair(
        self, found: Examination, choices: Choices, is_cancelled: Callable[[], bool] = lambda: False
    ) -> RepairPreview:
        world = self._patient.world
        near = replace(choices, index=world.packages.simple, torch_index=world.torch.simple)
        return super().plan_repair(found, near, is_cancelled)


@pytest.fixture
def make_real(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[WindowSession], WizardWindow]]:
    made: list[WizardWindow] = []

    def make(session: WindowSession) -> WizardWindow:
        wishes = Preferences(tmp_path / "settings.json")
        wishes.put(language="en", theme="light")
        window = WizardWindow(qapp, session, wishes, None)
        made.append(window)
        with qtbot.waitExposed(window):
            window.show()
        return window

    yield make
    put_away(*made)


def quiet(qtbot: QtBot, window: WizardWindow) -> None:
    qtbot.waitUntil(lambda: not window.page.is_busy and not window.tasks.busy, timeout=LONG)


def said(window: WizardWindow) -> str:
    return "\n".join(one.text() for one in visible(window, QLabel) if isinstance(one, QLabel))


# -- environments


def test_a_real_environment_is_copied_and_the_copy_needs_no_original(
    qtbot: QtBot, make_real: Callable[[WindowSession], WizardWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    envs = Path(os.environ["TORCH_WIZARD_HOME"]) / "envs"
    prefix = make_venv(envs / "lesson")
    add_torch(prefix, "2.14.1+cpu")
    (prefix / "notes.txt").write_text(f"made in {prefix}\n")
    window = make_real(WindowSession())
    window.side.open(SideId.ENVIRONMENTS, prefix)
    quiet(qtbot, window)
    page = window.page
    assert isinstance(page, EnvironmentsPage)
    press(qtbot, page.card.details)
    press(qtbot, page.card.buttons["clone"])
    page.copying.name.setText("lesson-2")
    press(qtbot, page.copying.go)
    qtbot.waitUntil(page._said.isVisible, timeout=LONG)
    quiet(qtbot, window)
    assert "lesson-2 is a copy of lesson now" in page._said.text()
    shutil.rmtree(prefix)
    press(qtbot, page.again)
    quiet(qtbot, window)
    found = {one.name: one for one in page._found or ()}
    assert "lesson" not in found
    assert found["lesson-2"].torch == "2.14.1"
    assert (envs / "lesson-2" / "notes.txt").exists()


# -- doctor: a repair and the way back


@pytest.fixture
def at_home(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """This process lives in the patient's home, and the worker with it."""
    for name in tuple(os.environ):
        if name.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(name)
    for name in ("HOME", "TORCH_WIZARD_HOME", "PIP_CONFIG_FILE"):
        monkeypatch.setenv(name, patient.world.environment[name])
    return patient


def picture(patient: Patient) -> dict[str, bytes]:
    folders = [patient.site / name for name in NAMES]
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.slow
def test_a_real_fault_is_found_repaired_and_taken_back(
    qtbot: QtBot, make_real: Callable[[WindowSession], WizardWindow], at_home: Patient
) -> None:
    core = at_home.site / "sympy" / "core.py"
    healthy = picture(at_home)
    core.write_text("x = 'cut off'\n")
    spoilt = picture(at_home)
    assert spoilt != healthy
    window = make_real(WithACard(at_home))
    window.side.open(SideId.DOCTOR, at_home.prefix)
    page = window.page
    assert isinstance(page, DoctorPage)
    qtbot.waitUntil(lambda: page._found is not None, timeout=LONG)
    quiet(qtbot, window)
    assert page._preview is not None, said(window)
    assert "sympy" in said(window)
    assert picture(at_home) == spoilt, "looking changes nothing"
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.page in (PageId.INSTALL, PageId.VERIFY), timeout=LONG)
    qtbot.waitUntil(lambda: window.navigator.state.run_over, timeout=LONG)
    quiet(qtbot, window)
    assert picture(at_home) == healthy
    assert f"{TORCH}+{CUDA}" in (at_home.site / "torch" / "version.py").read_text()

    window.side.open(SideId.ENVIRONMENTS, at_home.prefix)
    quiet(qtbot, window)
    listed = window.page
    assert isinstance(listed, EnvironmentsPage)
    qtbot.waitUntil(listed.card.back.button.isVisible, timeout=LONG)
    assert "sympy" in listed.card.back.kept_words.text()
    press(qtbot, listed.card.back.button)
    press(qtbot, listed.card.back.go)
    qtbot.waitUntil(listed._said.isVisible, timeout=LONG)
    quiet(qtbot, window)
    assert "sympy" in listed._said.text()
    assert picture(at_home) == spoilt, "exactly what was there before the repair"


def test_a_healthy_one_is_called_healthy_and_offers_no_repair(
    qtbot: QtBot, make_real: Callable[[WindowSession], WizardWindow], at_home: Patient
) -> None:
    before = picture(at_home)
    window = make_real(WithACard(at_home))
    window.side.open(SideId.DOCTOR, at_home.prefix)
    page = window.page
    assert isinstance(page, DoctorPage)
    qtbot.waitUntil(lambda: page._found is not None, timeout=LONG)
    settle(qtbot, window)
    assert "No problem found" in said(window)
    assert not window.footer.primary.isVisible()
    assert picture(at_home) == before


def test_a_real_environment_is_listed_measured_and_deleted(
    qapp: QApplication, qtbot: QtBot, session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    prefix = make_venv(home / "envs" / "lesson 甲")
    add_torch(prefix, "2.14.1+cpu")
    (prefix / "notes.txt").write_text("keep me")
    wishes = Preferences(tmp_path / "settings.json")
    wishes.put(language="en", theme="light")
    session.tools = Tools(session)
    window = WizardWindow(qapp, session, wishes, None)
    window.show()
    page = opened(qtbot, window, prefix)
    try:
        assert page.table.selected is not None
        assert (page.table.selected.name, page.table.selected.torch) == ("lesson 甲", "2.14.1")
        row = page.table.chosen_row
        qtbot.waitUntil(lambda: cells(page, SIZE)[row] != "…")
        page.export_to(tmp_path / "packages.txt")
        settle(qtbot, window)
        assert "torch==2.14.1+cpu" in (tmp_path / "packages.txt").read_text(encoding="utf-8")
        press(qtbot, page.card.buttons["delete"])
        settle(qtbot, window)
        assert "notes.txt" in page.panel.unowned.toPlainText()
        page.panel.name.setText("lesson 甲")
        press(qtbot, page.panel.go)
        qtbot.waitUntil(page._said.isVisible)
        settle(qtbot, window)
        assert not prefix.exists()
        assert "lesson 甲" not in cells(page, 0)
    finally:
        put_away(window)
