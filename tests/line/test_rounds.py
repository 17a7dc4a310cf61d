"""The real window and a real worker, through start, cancel, resume, close and reopen at random moments.

The worker is stopped and goes on, or is killed, at random, and other programs want the processors. What the window says
is held many times a second against the worker's process and the journal on the disk: never a false end, never a lost
view, never a wrong sentence.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.gui.walking import press
from tests.line.world import TORCH, World
from tests.thorough import times
from wizard.app.pages.order import PageId
from wizard.app.tools import WindowSession
from wizard.gui.pages.install import InstallPage
from wizard.gui.pages.welcome.cards import RunningCard
from wizard.gui.shell.window import WizardWindow
from wizard.gui.startup.preferences import Preferences
from wizard.model.errors import ExitStatus
from wizard.run.journal import read_history
from wizard.run.run_folder import RunFolder

ROUNDS, LOAD = times(50, 1), times(10, 0)
SILENT_AFTER = 3.0  # seconds here, so that silence is told in many rounds
LAG = 2.0  # seconds in which the window may still show what was true before
TO_THE_END = 0.4  # of the rounds
PATIENCE = 120.0  # seconds: a limit for a view that is lost, not a speed
ACTS = ("cancel", "resume", "close", "stop", "away", "kill")
WEIGHTS = (25, 25, 15, 25, 8, 4)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot stop a process and let it go on")


class Person:
    """Presses what a person can press, and knows what is true."""

    def __init__(self, qtbot: QtBot, app: QApplication, world: World, folder: RunFolder, seed: int) -> None:
        self.qtbot, self.app, self.world, self.folder = qtbot, app, world, folder
        self.rng = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.ages: deque[tuple[float, float]] = deque(maxlen=50)  # (when, how old the events were)
        self.go_on_at = 0.0
        self.none_since: float | None = None
        self.window = self.open()

    def open(self, file: str | None = None) -> WizardWindow:
        wishes = Preferences(self.world.home / "settings.json")
        wishes.put(language="en", theme="light")
        window = WizardWindow(self.app, WindowSession(), wishes, file)
        window.show()
        return window

    def shut(self) -> None:
        self.window.close()
        if self.window.isVisible():
            press(self.qtbot, self.window.ask.go)
        assert not self.window.isVisible()
        self.window.deleteLater()

    # -- what is true

    def worker(self) -> psutil.Process | None:
        for process in psutil.Process().children():
            with suppress(psutil.Error):
                if process.status() != psutil.STATUS_ZOMBIE and "--started" in process.cmdline():
                    return process
        return None

    def final(self) -> int | None:
        """Of the newest attempt; None while it goes on, or when it was killed."""
        return None if self.folder.starting.exists() else read_history(self.folder.journal).final

    # -- what the window says

    def install(self) -> InstallPage | None:
        page = self.window.page
        return page if isinstance(page, InstallPage) else None

    def look(self) -> None:
        """The truth before and after: it may change while the window is read."""
        self.counts["looks"] += 1
        with suppress(OSError):
            self.ages.append((time.monotonic(), time.time() - self.folder.events.stat().st_mtime))
        before = (self.worker() is not None, self.final())
        said = self.said()
        after = (self.worker() is not None, self.final())
        if before == after:
            lives, final = after
            self.wrong += [f"{one}: lives={lives}, final={final}" for one in self.against(said, lives, final)]

    def said(self) -> set[str]:
        window, install, said = self.window, self.install(), set[str]()
        state = window.navigator.state
        if install is not None:
            said |= {
                install.rest.code if install.rest.isVisible() else "",
                f"trouble {install.trouble.code}" if install.trouble.isVisible() else "",
            }
            said |= {"over" if state.run_over and not install.is_busy else "going"}
            self.check_silence(install)
        if window.navigator.page is PageId.VERIFY:
            said.add("result")
        if window.navigator.page is PageId.WELCOME and not window.page.is_busy and not window.tasks.busy:
            words = {one.text() for one in window.page.findChildren(QPushButton) if one.isVisible()}
            said |= {"offered"} if "&Resume" in words else set()
            said |= {"result"} if "&See the result" in words else set()
        return said - {""}

    @staticmethod
    def against(said: set[str], lives: bool, final: int | None) -> Iterator[str]:
        going = lives and final is None
        yield from (one for one in said if one.startswith("trouble"))
        if going:
            yield from said & {"over", "flow.stopped", "flow.cancelled", "offered", "result"}
        if final != ExitStatus.CANCELLED:
            yield from said & {"flow.cancelled"}
        if final is not None:
            yield from said & {"flow.stopped"}
        if final != ExitStatus.DONE:
            yield from said & {"result"}

    def check_silence(self, install: InstallPage) -> None:
        if not install.quiet.isVisible():
            return
        self.counts["looks at silence"] += 1
        told = int(next(word for word in install.quiet.words.split() if word.isdigit()))
        # On a busy computer two seconds may be no turn of the window; between two looks it has one.
        seen = list(self.ages)
        oldest = max([age for moment, age in seen if time.monotonic() - moment < LAG] + [age for _, age in seen[-3:]])
        if told > oldest + LAG:
            self.wrong.append(f"silent for {told} s, not {oldest:.0f}")

    # -- what is done

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while True:
            self.let_go_on()
            self.look()
            self.look_for_a_lost_view()
            if time.monotonic() >= until:
                return
            self.qtbot.wait(200)

    def look_for_a_lost_view(self) -> None:
        """A run that is over, and a window that goes on saying that it goes on."""
        install = self.install()
        if install is None or self.window.navigator.state.run_over or self.worker() is not None or install.is_busy:
            self.none_since = None
            return
        self.none_since = self.none_since or time.monotonic()
        if time.monotonic() - self.none_since > PATIENCE:
            raise AssertionError(f"the end was never seen: {self.wrong}")

    def let_go_on(self, at_once: bool = False) -> None:
        worker = self.worker()
        if self.go_on_at and (at_once or time.monotonic() >= self.go_on_at):
            self.go_on_at = 0.0
            with suppress(psutil.Error):
                if worker is not None:
                    worker.resume()

    def button(self, words: str) -> QPushButton | None:
        found = self.window.findChildren(QPushButton)
        return next((one for one in found if one.text() == words and one.isVisible() and one.isEnabled()), None)

    def do(self, act: str) -> None:
        worker, button = self.worker(), None
        if act == "cancel":
            button = self.button("&Cancel")
        elif act == "resume":
            button = self.button("&Resume")
        elif act == "away":
            shows = self.button("Sho&w it")
            button = shows or (self.window.rail.steps[PageId.WELCOME] if self.install() else None)
        elif act == "close":
            self.shut()
            self.window = self.open()
            self.counts[act] += 1
        elif worker is not None and act == "stop" and not self.go_on_at:
            self.go_on_at = time.monotonic() + self.rng.choice((0.5, 2.0, 5.0, 14.0)) * self.rng.random()
            worker.suspend()
            self.counts[act] += 1
        elif worker is not None and act == "kill":
            worker.kill()
            self.counts[act] += 1
        if button is not None:
            press(self.qtbot, button)
            self.counts[act] += 1

    def begin_anew(self) -> None:
        """As if this plan had never been carried out; now and then with the files that are here already."""
        folders = ["envs", *(["downloads"] if self.rng.random() < 0.5 else [])]
        for name in folders:
            shutil.rmtree(self.world.home / "state" / name, ignore_errors=True)
        for path in self.folder.path.iterdir():
            if path.name not in ("plan.json", "pylock.toml", "files.json", "lock"):
                path.unlink()

    def round(self) -> None:
        self.shut()
        self.begin_anew()
        self.window = self.open(str(self.folder.plan))
        self.qtbot.waitUntil(lambda: self.button("&Begin") is not None, timeout=60_000)
        press(self.qtbot, self.button("&Begin"))
        for _ in range(self.rng.randint(3, 6)):
            self.wait(self.rng.random() * 2.5)
            self.do(self.rng.choices(ACTS, WEIGHTS)[0])
        if self.rng.random() < TO_THE_END:
            self.to_the_end()
        else:
            self.to_a_rest()

    def to_a_rest(self) -> None:
        """Cancelled, unless it is over already; then the window says so."""
        until = time.monotonic() + PATIENCE * 3
        # A Resume that is still being carried out is no rest: a worker comes of it.
        while self.worker() is not None or self.window.navigator.state.run_is_going or self.window.page.is_busy:
            assert time.monotonic() < until, f"no way to an end: {self.said()}, {self.final()}, {self.wrong}"
            self.let_go_on(at_once=True)
            self.wait(0.3)
            self.do("cancel")
        self.wait(0.5)
        self.counts["rests"] += 1

    def ended_unseen(self) -> bool:
        """While the window was away; then the start page offers nothing to go on with."""
        page = self.window.page
        at_start = self.window.navigator.page is PageId.WELCOME and not page.is_busy
        return at_start and self.final() == ExitStatus.DONE and not page.findChildren(RunningCard)

    def to_the_end(self) -> None:
        """Whatever has happened: a person gets to the result."""
        until = time.monotonic() + PATIENCE * 3
        while self.final() != ExitStatus.DONE or self.window.navigator.page is not PageId.VERIFY:
            assert time.monotonic() < until, f"no way to the result: {self.said()}, {self.final()}, {self.wrong}"
            self.let_go_on(at_once=True)
            self.wait(0.3)
            self.do("resume")
            if self.button("Sho&w it") or self.button("&See the result"):
                press(self.qtbot, self.button("Sho&w it") or self.button("&See the result"))
            if self.ended_unseen():
                self.counts["ended while nobody looked"] += 1
                return
        assert self.window.navigator.state.report is not None
        assert self.window.navigator.state.report["status"] == 0
        self.counts["results"] += 1


@contextmanager
def busy(load: int) -> Iterator[None]:
    """So many further programs want a processor as are missing to this load."""
    missing = max(0, load - round(psutil.getloadavg()[0]))
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(missing)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


@pytest.mark.slow
def test_the_window_tells_the_truth_whatever_happens(
    home_world: World, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wizard.gui.pages.run_watch.SILENT_AFTER", SILENT_AFTER)
    person = Person(qtbot, qapp, home_world, home_world.planned(), seed=20261122)
    try:
        with busy(LOAD):
            for number in range(ROUNDS):
                person.round()
                load = round(psutil.getloadavg()[0])
                sys.stdout.write(f"{number + 1}: {dict(person.counts)}, load {load}, {person.wrong}\n")
                sys.stdout.flush()
            person.to_the_end()  # the last round may have ended before there was a Python
    finally:
        person.shut()
        person.window.tasks.stop()
        qapp.processEvents()
    assert person.wrong == []
    prefix = home_world.home / "state" / "envs" / "demo"
    assert home_world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
