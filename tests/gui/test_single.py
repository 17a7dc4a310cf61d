"""One window for one home: a second start hands its file over; killed starts and nonsense stop nobody."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeWindow
from tests.gui.test_frame import ROOT
from tests.gui.walking import settle
from tests.waiting import HANG
from wizard.gui.startup import single as single_module
from wizard.gui.startup.single import SingleInstance, _path
from wizard.gui.tools.explain import ExplainPage


@pytest.fixture
def single(qapp: QApplication) -> Iterator[SingleInstance]:
    made = SingleInstance()
    assert not made.hand_over("x"), "nobody is there yet"
    assert made.listen()
    yield made
    made.close()


SECOND = """
import sys
from PySide6.QtCore import QCoreApplication
app = QCoreApplication([])
from wizard.gui.startup.single import SingleInstance
sys.exit(0 if SingleInstance().hand_over(sys.argv[1]) else 7)
"""


def second_start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SECOND, *arguments], cwd=ROOT)


def test_a_second_start_hands_its_file_over_and_ends(qtbot: QtBot, single: SingleInstance) -> None:
    heard: list[str] = []
    single.asked.connect(heard.append)
    process = second_start("/data/课 堂/plan.json")
    qtbot.waitUntil(lambda: process.poll() is not None)
    assert process.returncode == 0
    assert heard == ["/data/课 堂/plan.json"]


def test_another_home_is_another_window(
    qtbot: QtBot, single: SingleInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "other"))
    process = second_start("")
    qtbot.waitUntil(lambda: process.poll() is not None)
    assert process.returncode == 7


AT_ONCE = """
import sys, time
from functools import partial
from wizard.__main__ import main
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup import app, single

until, others = time.monotonic() + float(sys.argv.pop()), int(sys.argv.pop())
raised, come_forward = [], WizardWindow.come_forward

def noted(window, file):
    come_forward(window, file)
    raised.append(not window.isMinimized())

def until_all_came(application, window):
    window.showMinimized()
    while len(raised) < others and time.monotonic() < until:
        application.processEvents()
        time.sleep(0.01)
    print(len(raised), "came, raised:", all(raised), flush=True)
    window.close()
    return 0

WizardWindow.come_forward = noted
app.run_window = partial(app.run_window, loop=until_all_came)
single._OPENING_SECONDS = 600.0  # where a window takes minutes
sys.exit(main())
"""


@pytest.mark.slow
def test_of_starts_at_the_same_moment_one_opens_a_window_and_the_others_raise_it(qapp: QApplication) -> None:
    others = 2
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", AT_ONCE, str(others), str(HANG)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(others + 1)
    ]
    said = [start.communicate(timeout=2 * HANG)[0].strip() for start in starts]
    assert sorted(said) == [*[""] * others, f"{others} came, raised: True"]
    assert [start.returncode for start in starts] == [0] * (others + 1)
    assert single_module.claim(), "and afterwards nobody is in the way"
    single_module.SingleInstance().close()


KILLED = """
import os, signal
from PySide6.QtCore import QCoreApplication
app = QCoreApplication([])
from wizard.gui.startup.single import SingleInstance, claim
assert claim() and SingleInstance().listen()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_start_that_was_killed_stops_nobody(qapp: QApplication) -> None:
    subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, check=False)
    after = SingleInstance()
    assert not after.hand_over_or_claim("x")
    assert after.listen()
    after.close()


def test_nonsense_on_the_socket_is_not_listened_to(qtbot: QtBot, single: SingleInstance) -> None:
    from PySide6.QtNetwork import QLocalSocket

    heard: list[str] = []
    single.asked.connect(heard.append)
    socket = QLocalSocket()
    socket.connectToServer(_path(single._name) if sys.platform != "win32" else single._name)
    assert socket.waitForConnected(1000)
    socket.write(b"{nonsense}\n")
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState)
    assert heard == []


@pytest.mark.qt_log_ignore("does not support raise")  # the screen of these tests has one window only
def test_the_first_window_comes_forward_with_the_file(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, single: SingleInstance
) -> None:
    window = make_window()
    single.asked.connect(window.come_forward)
    window.showMinimized()
    log = tmp_path / "error.log"
    log.write_text("RuntimeError: CUDA error: out of memory\n", encoding="utf-8")
    process = second_start(str(log))
    qtbot.waitUntil(lambda: isinstance(window.page, ExplainPage))
    process.wait()
    assert not window.isMinimized()
    settle(qtbot, window)
    assert "out of memory" in window.page.text.toPlainText()
