"""What the bars of a run tell: files, speed, a network that is away, and where they stand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeRun, FakeSession, failed_run, half_run
from tests.gui.test_running import installing, run_of
from wizard.app.pages.run import FileView
from wizard.gui.pages import file_bars
from wizard.model.events import EventKind


def test_in_a_pause_a_file_that_is_there_keeps_its_bar(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bars, "_STAYS", 0.2)
    bars = file_bars.FileBars()
    qtbot.addWidget(bars)
    there = [FileView("numpy", 12_300_000, 12_300_000)]
    bars.show_files(there, is_paused=True)
    qtbot.wait(300)
    bars.show_files(there, is_paused=True)
    bars.show_files(there)
    assert not bars.isHidden(), "nor does it go as the run goes on"
    qtbot.wait(300)
    bars.show_files(there)
    assert bars.isHidden()


def test_a_file_that_went_stays_away(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pause showed it once more, and all below moved; the worker tells of it to the end."""
    monkeypatch.setattr(file_bars, "_STAYS", 0.2)
    bars = file_bars.FileBars()
    qtbot.addWidget(bars)
    there, torch = FileView("numpy", 12_300_000, 12_300_000), FileView("torch", 1, 2_480_000_000)

    def names() -> list[str]:
        return [name.text() for name, _, _ in bars._rows if not name.isHidden()]

    bars.show_files([torch, there])
    qtbot.wait(300)
    bars.show_files([torch, there])
    assert names() == ["torch"]
    for is_paused in (True, False, False):
        bars.show_files([torch, there], is_paused)
        assert names() == ["torch"]
    bars = file_bars.FileBars(bars)  # in another width
    qtbot.addWidget(bars)
    bars.show_files([torch, there])
    assert names() == ["torch"]
    bars.show_files([torch, replace(there, done=5)])
    assert names() == ["torch", "numpy"], "fetched once more"
    bars.begin_anew()
    bars.show_files([there])
    assert names() == ["numpy"], "of another run"


def test_a_file_without_an_answer_is_told_until_bytes_come(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that breaks loses what was not written, and the figure falls: nothing came."""
    monkeypatch.setattr(file_bars, "UNANSWERED_AFTER", 0.2)
    bars = file_bars.FileBars()
    qtbot.addWidget(bars)
    torch = FileView("torch", 1_200_000_000, 2_480_000_000)

    def words(done: int) -> str:
        bars.show_files([replace(torch, done=done)])
        return bars._rows[0][2].text()

    words(1_200_000_000)
    qtbot.wait(300)
    assert words(1_200_000_000) == words(1_190_000_000) == words(1_190_000_000) == "no answer, trying again"
    assert words(1_195_000_000) == "1.20 of 2.48 GB"
    qtbot.wait(300)
    bars.show_files(None)
    assert words(1_195_000_000) == "1.20 of 2.48 GB", "another attempt begins anew"


def test_a_dead_network_is_told_at_the_whole_bar(qtbot: QtBot, make_window: MakeWindow, session: FakeSession) -> None:
    session.script = half_run
    _, install = installing(qtbot, make_window)
    run = run_of(session)
    run._seq = 100  # later than what the script told

    def tell(done: int, rate: float, limit: str = "network") -> None:
        more = {"rate": rate, "limited_by": limit, "eta": (2_900 - done) / rate if rate else None}
        run.emit(EventKind.PROGRESS, step="fetch", done=done * 1_000_000, total=2_900_000_000, unit="bytes", **more)

    tell(2_000, 9e6)
    qtbot.waitUntil(lambda: "limited by the network" in install.progress.words, timeout=20_000)
    tell(2_000, 0.0)  # 3 seconds later, as each of these
    qtbot.waitUntil(lambda: "limited by" not in install.progress.words, timeout=20_000)
    assert "no answer" not in install.progress.words
    for done in (2_000, 1_900, 1_900):
        tell(done, 0.0)
    qtbot.waitUntil(lambda: "no answer, trying again" in install.progress.words, timeout=20_000)
    assert "limited by" not in install.progress.words
    tell(1_901, 9e6)
    qtbot.waitUntil(lambda: "no answer" not in install.progress.words, timeout=20_000)
    tell(1_902, 9e6, "processor")
    qtbot.waitUntil(lambda: "busy checking and unpacking" in install.progress.words, timeout=20_000)


def test_as_the_run_goes_on_a_bar_stays_a_moment_longer(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bars, "_STAYS", 0.2)
    bars = file_bars.FileBars()
    qtbot.addWidget(bars)
    there = [FileView("numpy", 12_300_000, 12_300_000)]
    bars.show_files(there)
    bars.show_files(there, is_paused=True)
    qtbot.wait(300)  # nothing is told in a pause
    bars.show_files(there)
    assert not bars.isHidden()


def test_before_the_first_speed_what_is_here_is_checked(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    def resumed(run: FakeRun) -> None:
        run.begin()
        run.emit(EventKind.STEP_STARTED, step="fetch", message=values.STEPS_WILL["fetch"].to_json("en"))
        run.emit(EventKind.PROGRESS, step="fetch", done=2_000, total=4_000, unit="bytes", rate=0.0)

    session.script = resumed
    _, install = installing(qtbot, make_window)
    qtbot.waitUntil(lambda: "Checking what is here" in install.progress.words)
    run_of(session).emit(EventKind.PROGRESS, step="fetch", done=2_001, total=4_000, unit="bytes", rate=9e6, eta=3.0)
    qtbot.waitUntil(lambda: "Checking what is here" not in install.progress.words)
    run_of(session).emit(EventKind.PROGRESS, step="fetch", done=2_001, total=4_000, unit="bytes", rate=0.0)
    qtbot.waitUntil(lambda: "MB/s" not in install.progress.words)
    assert "Checking what is here" not in install.progress.words, "that was before"


def test_large_files_have_bars_of_their_own(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.script = half_run
    monkeypatch.setattr(file_bars, "_STAYS", 60.0)
    _, install = installing(qtbot, make_window)

    def bars() -> list[str]:
        shown = install.steps.findChildren(QProgressBar)
        return [one.accessibleName() for one in shown if one.isVisible()]

    qtbot.waitUntil(lambda: bars() == ["torch: 1.14 of 2.48 GB", "numpy: 12.3 MB"])
    run_of(session).emit(
        EventKind.PROGRESS, step="fetch", done=2_000, total=4_000, unit="bytes", files=[["torch", 1_200, 2_400]]
    )
    run_of(session).emit(EventKind.PROGRESS, step="install", done=10, total=20, unit="bytes")
    both = ["torch: 1.20 of 2.40 kB", "numpy: 12.3 MB"]
    qtbot.waitUntil(lambda: bars() == both)  # what is there keeps its place
    monkeypatch.setattr(file_bars, "UNANSWERED_AFTER", 0.1)
    qtbot.wait(200)
    run_of(session).emit(
        EventKind.PROGRESS, step="fetch", done=2_001, total=4_000, unit="bytes", files=[["torch", 1_200, 2_400]]
    )
    qtbot.waitUntil(lambda: bars() == ["torch: no answer, trying again", both[1]])
    monkeypatch.setattr(file_bars, "UNANSWERED_AFTER", 60.0)
    again = [["torch", 1_300, 2_400], ["triton", 600, 900], ["nccl", 100, 300]]
    run_of(session).emit(EventKind.PROGRESS, step="fetch", done=2_101, total=4_000, unit="bytes", files=again)
    triton = "triton: 600 of 900 B"
    qtbot.waitUntil(lambda: bars() == ["torch: 1.30 of 2.40 kB", "nccl: 100 of 300 B", triton])
    run_of(session).emit(EventKind.PROGRESS, step="fetch", done=2_102, total=4_000, unit="bytes", files=again[1:])
    qtbot.wait(200)
    assert bars()[0] == "torch: 1.30 of 2.40 kB", "a file is there only when the download says so"
    there = [["torch", 2_400, 2_400], *again[1:]]
    run_of(session).emit(EventKind.PROGRESS, step="fetch", done=2_103, total=4_000, unit="bytes", files=there)
    qtbot.waitUntil(lambda: bars()[0] == "torch: 2.40 kB")
    monkeypatch.setattr(file_bars, "_STAYS", 0.001)
    run_of(session).emit(EventKind.PROGRESS, step="fetch", done=2_104, total=4_000, unit="bytes", files=there)
    qtbot.waitUntil(lambda: bars() == ["nccl: 100 of 300 B", triton])  # a moment later
    failed_run(run_of(session))
    qtbot.waitUntil(lambda: bars() == [])
