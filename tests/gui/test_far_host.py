"""Another computer: plan, run, refusal and a run that goes on alone. ssh is a stand-in program, all else is real."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from tests.classroom.profile.examples import entry
from tests.classroom.profile.examples import profile as class_profile
from tests.gui.conftest import MakeWindow
from tests.gui.walking import lower, press, settle
from wizard.app.pages.order import SideId
from wizard.classroom.profile.write import profile_file
from wizard.gui.shell.window import WizardWindow
from wizard.gui.tools.far_host import FarHostPage
from wizard.model.messages import LANGUAGES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ssh is a script")

# It writes down what it is asked, and answers by what that is; while `hold` is there a run goes on.
SSH = """
import json, os, pathlib, sys, time
here = pathlib.Path(__file__).parent
KINDS = {"look": "uname", "plan": "--plan-only", "run": "resume", "send": "mkdir -p"}
told, asked = json.loads((here / "told.json").read_text()), sys.argv[-1]
kind = next((k for k, w in KINDS.items() if w in asked), "other")
with (here / "asked").open("a") as file:
    file.write(kind + " " + asked.rpartition("torch-setup ")[2].replace(chr(10), " ") + chr(10))
sys.stderr.write(told.get(kind + "-words", ""))
for line in told.get(kind, "").splitlines():
    print(line, flush=True)
    while kind == "run" and (here / "hold").exists():
        time.sleep(0.02)
sys.exit(told.get(kind + "-status", 0))
"""
STEPS = [{"name": "create", "weight": 1}, {"name": "fetch", "weight": 3}]


def event(name: str, seq: int, **data: object) -> str:
    return json.dumps({"schema": 1, "event": name, "seq": seq, "time": float(seq), "run": "r1", **data}) + "\n"


RUN = (
    event("run-started", 1, steps=STEPS)
    + event("step-started", 2, step="create", message={"key": "x", "text": "making it <b>there</b>"})
    + event("step-finished", 3, step="create", outcome="done", seconds=1)
    + event("progress", 4, step="fetch", unit="bytes", done=5e6, total=10e6, rate=1e6)
    + event("step-finished", 5, step="fetch", outcome="done", seconds=1)
)
TOLD = {
    "look": "torch-setup:\nLinux x86_64\nthere\n",
    "plan": '{"event": "planned", "run": "r1"}\n',
    "plan-words": "torch 2.14.1+cu126 for the card there\n",
    "run": RUN + event("run-finished", 6, status=0, outcome="done"),
    "send": "torch-setup:\n/home/me/sent\n",
}


class Ssh:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "ssh.py").write_text(SSH)
        program = folder / "ssh"
        program.write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(folder / "ssh.py"))} "$@"\n'
        )
        program.chmod(0o755)
        self.tell()

    def tell(self, **more: object) -> None:
        (self.folder / "told.json").write_text(json.dumps({**TOLD, **more}))

    @property
    def asked(self) -> list[str]:
        return (self.folder / "asked").read_text().splitlines()


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ssh:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return Ssh(tmp_path / "bin")


def opened(qtbot: QtBot, window: WizardWindow) -> FarHostPage:
    window.side.open(SideId.FAR_HOST)
    page = window.page
    assert isinstance(page, FarHostPage)
    assert not window.footer.primary.isEnabled(), "nobody is named yet"
    qtbot.keyClicks(page.address, "me@box")
    return page


def pressed(qtbot: QtBot, window: WizardWindow, words: str) -> None:
    assert window.footer.primary.text().replace("&", "") == words
    press(qtbot, window.footer.primary)
    settle(qtbot, window)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_may_stay_empty_is_told_whole_on_a_small_screen(
    language: str, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(language)
    lower(window, (640, 400))
    page = opened(qtbot, window)

    def cut() -> list[str]:
        fields = [one for one in page.findChildren(QLineEdit) if one.isVisible()]
        told = {one.placeholderText(): one.fontMetrics() for one in fields}
        room = min(one.width() for one in fields) - 20
        hints = [one for one in page.findChildren(QLabel) if one.property("role") == "small" and one.isVisible()]
        assert len(hints) == 3, "what the program, the project and the name may be"
        low = [one.text() for one in hints if one.height() < one.heightForWidth(one.width())]
        return low + [words for words, metrics in told.items() if metrics.horizontalAdvance(words) > room]

    qtbot.waitUntil(lambda: cut() == [], timeout=10_000)


def test_the_plan_is_shown_and_then_carried_out_by_its_events(qtbot: QtBot, make_window: MakeWindow, ssh: Ssh) -> None:
    window = make_window()
    page = opened(qtbot, window)
    pressed(qtbot, window, "Show the plan")
    assert "torch 2.14.1+cu126 for the card there" in page.log.all_words()
    assert "Nothing was changed there yet" in page.result
    assert ssh.asked[-1].endswith("--lang en setup --events --plan-only")
    pressed(qtbot, window, "Install there")
    assert "resume r1 --events" in ssh.asked[-1]
    assert [(step.name, step.state) for step in page.view.steps] == [("create", "done"), ("fetch", "done")]
    assert page.steps.isVisible()
    assert "making it <b>there</b>" in page.log.all_words()
    assert page.result == "PyTorch is ready there."
    assert not window.footer.primary.isEnabled()
    page.name.setText("other")
    assert window.footer.primary.isEnabled(), "another name wants another plan"
    assert not page.steps.isVisible()


def test_a_refusal_shows_what_was_said_there(qtbot: QtBot, make_window: MakeWindow, ssh: Ssh) -> None:
    ssh.tell(plan='{"event": "refused"}\n', **{"plan-status": 2, "plan-words": "✗ The disk there is full.\n"})
    window = make_window()
    page = opened(qtbot, window)
    pressed(qtbot, window, "Show the plan")
    assert "not possible there" in page.result
    assert "The disk there is full" in page.log.all_words()
    assert window.footer.primary.text().replace("&", "") == "Show the plan"


def test_who_cannot_be_reached_is_an_error_with_what_to_do(qtbot: QtBot, make_window: MakeWindow, ssh: Ssh) -> None:
    ssh.tell(**{"look-status": 255, "look-words": "Permission denied (publickey).\n"})
    window = make_window()
    page = opened(qtbot, window)
    pressed(qtbot, window, "Show the plan")
    assert page.trouble.isVisible()
    page.address.setText("-oProxyCommand=x")
    pressed(qtbot, window, "Show the plan")
    assert page.trouble.isVisible()
    assert len(ssh.asked) == 1, "nobody was asked with that"


def test_another_computer_lets_the_plan_go(qtbot: QtBot, make_window: MakeWindow, ssh: Ssh) -> None:
    window = make_window()
    page = opened(qtbot, window)
    pressed(qtbot, window, "Show the plan")
    page.address.setText("me@other")
    settle(qtbot, window)
    assert "runs --remove r1" in ssh.asked[-1]
    assert window.footer.primary.text().replace("&", "") == "Show the plan"


def test_a_failed_run_is_told_and_gone_on_with(qtbot: QtBot, make_window: MakeWindow, ssh: Ssh) -> None:
    why = {"code": "x", "summary": {"key": "x", "text": "No room there."}, "hint": {"key": "y", "text": "Make some."}}
    ssh.tell(run=RUN + event("run-finished", 6, status=1, outcome="failed", error=why))
    window = make_window()
    page = opened(qtbot, window)
    pressed(qtbot, window, "Show the plan")
    pressed(qtbot, window, "Install there")
    assert "No room there." in page.result
    assert "Make some." in page.result
    later = RUN.replace('"seq": ', '"seq": 1') + event("run-finished", 99, status=0, outcome="done")
    ssh.tell(run=later)
    pressed(qtbot, window, "Resume there")
    assert page.result == "PyTorch is ready there."


def test_cancel_asks_there_and_leaving_does_not(qtbot: QtBot, make_window: MakeWindow, ssh: Ssh) -> None:
    hold = ssh.folder / "hold"
    hold.write_text("")
    window = make_window()
    page = opened(qtbot, window)
    pressed(qtbot, window, "Show the plan")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: page.stop.isVisible())
    window.side.back()
    settle(qtbot, window)
    assert not any("--cancel" in one for one in ssh.asked), "what goes on there goes on"
    window.side.open(SideId.FAR_HOST)
    assert window.footer.primary.text().replace("&", "") == "Resume there"
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: page.stop.isVisible() and page.stop.isEnabled())
    press(qtbot, page.stop)
    qtbot.waitUntil(lambda: any("runs --cancel r1" in one for one in ssh.asked))
    hold.unlink()
    settle(qtbot, window)


def test_a_project_or_a_profile_goes_along(
    qtbot: QtBot, make_window: MakeWindow, ssh: Ssh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies here is read here, and by the keyboard alone."""
    project = tmp_path / "their-repo"
    project.mkdir()
    (project / "requirements.txt").write_text("torch>=2\n")
    window = make_window()
    page = opened(qtbot, window)
    order = (page.address, page.archive, page.browse, page.wanted, page.choose, page.name)
    page.address.setFocus()
    for field in order[1:]:
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        assert window.focusWidget() is field
    qtbot.keyClick(page.name, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(page.choose, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(window.focusWidget(), str(project))
    pressed(qtbot, window, "Show the plan")
    plan = next(one for one in ssh.asked if one.startswith("plan"))
    assert plan.endswith("setup --events --plan-only --project /home/me/sent/their-repo")
    assert [one.split()[0] for one in ssh.asked] == ["look", "send", "plan", "other"], "and taken away again"

    profile = tmp_path / "class.torchlab"
    profile.write_bytes(profile_file(class_profile(entry("linux", "cpu"))).data)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *given: (str(profile), ""))
    press(qtbot, page.choose)
    assert page.wanted.text() == str(profile)
    pressed(qtbot, window, "Show the plan")
    assert "--profile /home/me/sent/class.torchlab" in [one for one in ssh.asked if one.startswith("plan")][-1]
    page.wanted.setText(str(tmp_path / "gone"))
    pressed(qtbot, window, "Show the plan")
    assert page.trouble.isVisible()
