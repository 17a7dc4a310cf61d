"""The real session behind the Review page: real indexes on loopback, and plans that nobody wants any more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.walking import press, put_away, settle
from tests.line import test_extra_index
from tests.line.world import PYTHON, TORCH, World
from tests.servers.index_server import IndexServer
from wizard.app.pages.order import AppState, PageId
from wizard.app.tools import WindowSession
from wizard.app.use import runs
from wizard.compatibility.model import Choices
from wizard.gui.pages.welcome.page import WelcomePage
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.run.model import RunInfo
from wizard.run.plan.plan_file import plan_to_json
from wizard.run.run_folder import RunFolder, create_run_folder, new_run_id
from wizard.system import moving

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


# -- a plan that nobody wants any more: its files go while Welcome looks for runs


class _LooksWhileItGoes(WindowSession):
    """Real; its look at the runs falls into the removal of a plan, and answers when that is over."""

    def __init__(self, folder: RunFolder) -> None:
        super().__init__()
        self.folder, self.seen = folder, threading.Event()
        self.answers: list[tuple[RunInfo, ...]] = []

    def runs(self) -> tuple[RunInfo, ...]:
        """Wait for the removal on both sides, as on a slow disk."""
        held = threading.Event()
        for _ in range(150):
            if not self.folder.path.exists() or self.folder.is_running():
                break
            held.wait(0.01)
        answer = super().runs()
        self.answers.append(answer)
        self.seen.set()
        for _ in range(150):
            if not self.folder.path.exists():
                break
            held.wait(0.01)
        return answer


def _by_the_rail(qtbot: QtBot, window: WizardWindow, folder: Path) -> None:
    press(qtbot, window.rail.steps[PageId.WELCOME])


def _by_back(qtbot: QtBot, window: WizardWindow, folder: Path) -> None:
    """From Review to Place the plan goes; whoever is quick is on Welcome before it is gone."""
    press(qtbot, window.footer.back)
    press(qtbot, window.rail.steps[PageId.WELCOME])


def _by_another_profile(qtbot: QtBot, window: WizardWindow, folder: Path) -> None:
    window.open_file(folder / "none.torchlab")


@pytest.mark.parametrize("way", [_by_the_rail, _by_back, _by_another_profile])
def test_a_plan_that_goes_while_welcome_looks_is_no_run(
    qapp: QApplication,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: Callable[[QtBot, WizardWindow, Path], None],
) -> None:
    folder = create_run_folder(new_run_id())
    preview = values.preview(folder.id, str(tmp_path / "torch"))
    moving.write_whole(folder.plan, plan_to_json(preview.plan), 0o600)
    session = _LooksWhileItGoes(folder)
    take_back = runs._take_back

    def slowly(*told: object) -> None:
        session.seen.wait(10)
        take_back(*told)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "_take_back", slowly)
    wishes = Preferences(tmp_path / "settings.json")
    wishes.put(language="en", theme="light")
    session.seen.set()  # the first look finds it as it is
    window = WizardWindow(qapp, session, wishes, None)
    state = AppState(
        facts=values.FACTS, picked=values.BEST, selected=values.SELECTED, place=values.place(), preview=preview
    )
    window.navigator._move(PageId.REVIEW, state)
    window.show()
    try:
        settle(qtbot, window)
        session.seen.clear()
        session.answers.clear()
        way(qtbot, window, tmp_path)
        settle(qtbot, window)
        page = window.page
        assert isinstance(page, WelcomePage)
        qtbot.waitUntil(lambda: not folder.path.exists(), timeout=30_000)
        settle(qtbot, window)
        seen = {run.state for answer in session.answers for run in answer if run.id == folder.id}
        assert seen <= {"planned"}, "however often Welcome looked"
        assert not page._live, "a plan is no setup that is running"
        qtbot.waitUntil(window.footer.primary.isEnabled, timeout=30_000)
    finally:
        session.seen.set()
        put_away(window)
