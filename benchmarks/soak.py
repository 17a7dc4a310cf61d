"""Does the window grow while a long run talks to it? `python benchmarks/soak.py [--minutes 30]`; exit 1 above 20 MB.

Fifty updates a second, each written to a real event file and each drawn, with the log unfolded; now and then the log is
folded, the language and the theme are changed and a side page is opened, as a person would. Some pairs of Python and
PySide6 lose a reference to None on every call (`None` below, where Python still counts): they abort within a minute.
The first two minutes (a quarter of a short soak) fill caches and the log; what is resident then is what is compared.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import PySide6
from PySide6.QtCore import Qt, QTimer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
MOST_MB = 20.0
EVERY_S = 0.02  # fifty a second
FEWEST = 45  # a second: else the figure says little
HABITS_S = 10.0
COUNTS_NONE = sys.version_info < (3, 12)  # later it is immortal


class Soak:
    def __init__(self, home: Path) -> None:
        from tests.app import values
        from tests.gui.fake_session import FakeRun, FakeSession
        from wizard.gui.shell.window import WizardWindow
        from wizard.gui.startup.application import application
        from wizard.gui.startup.preferences import Preferences
        from wizard.model.events import EventKind

        self.app, self.kind, self.total = application(), EventKind, values.LOCK.total_bytes or 1
        self.session = FakeSession(home / "runs")
        self.session.known_runs = [values.run_info("run-1", "running")]
        self.window = WizardWindow(self.app, self.session, Preferences(home / "settings.json"), None)
        self.window.show()
        self.run = FakeRun(self.session, "run-1")
        self.run.begin()
        self.run.step("preflight")
        self.run.emit(EventKind.STEP_STARTED, step="fetch", message=values.STEPS_DONE["fetch"].to_json("en"))
        self.window.navigator.show_run("run-1")
        page: Any = self.window.page
        self.page = page
        self.page.log_button.setChecked(True)
        self.updates = self.habits = self.drawn = 0
        self.page.watch.changed.connect(self._count)
        self.page.watch.every(round(EVERY_S * 1000))

    def _count(self) -> None:
        self.drawn += 1

    def update(self) -> None:
        """A step forward and two lines, as a talkative download writes them."""
        self.updates += 1
        done = self.updates * 7919 % self.total
        self.run.emit(
            self.kind.PROGRESS,
            step="fetch",
            done=done,
            total=self.total,
            unit="bytes",
            rate=1e6 + done % 50_000_000,
            eta=done % 400,
            limited_by=("network", "disk")[self.updates // 100 % 2],
            detail=f"wheel-{self.updates % 97}.whl",
        )
        self.run.log(f"line {self.updates}: unpacked torch/lib/libtorch_cuda.so", "一行中文 and more words")

    def habit(self) -> None:
        """One of the things that a person does meanwhile."""
        from wizard.app.pages.order import SideId

        window, self.habits = self.window, self.habits + 1
        turn = self.habits % 6
        if turn in (0, 1):
            self.page.log_button.toggle()
        elif turn == 2:
            window._set_language("zh_CN" if window.translator.language == "en" else "en")
        elif turn == 3:
            window._set_theme("dark" if window.theme.shown == "light" else "light")
        elif turn == 4:
            window.side.open(SideId.UNDO)
        else:
            window.side.close()


class Watch:
    """Says once a minute what is resident; remembers what was when all was warm."""

    def __init__(self, minutes: float) -> None:
        self._process, self._began = psutil.Process(), time.monotonic()
        self._warm = min(120.0, minutes * 60 / 4)
        self.base = self.highest = 0.0
        self._none = 0

    def look(self) -> None:
        now, rss = time.monotonic() - self._began, self._rss()
        if not self.base and now >= self._warm:
            gc.collect()
            self.base, self._none = self._rss(), sys.getrefcount(None)
        self.highest = max(self.highest, rss) if self.base else 0.0
        none = f", None {sys.getrefcount(None) - self._none:+}" if COUNTS_NONE and self.base else ""
        print(f"{now / 60:5.1f} min: {rss:.1f} MB ({rss - self.base if self.base else 0:+.1f}){none}", flush=True)

    def _rss(self) -> float:
        """On Linux without what is only mapped from files: a computer short of memory takes that away meanwhile, and
        a growth would hide behind it."""
        status = Path("/proc/self/status")
        anonymous = re.search(r"^RssAnon:\s+(\d+) kB", status.read_text(), re.M) if status.is_file() else None
        return int(anonymous[1]) * 1024 / 1e6 if anonymous else float(self._process.memory_info().rss) / 1e6

    def grown(self) -> float:
        gc.collect()
        return self._rss() - self.base


def every(seconds: float, what: Callable[[], None], precise: bool = False) -> QTimer:
    timer = QTimer()
    if precise:
        timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(what)
    timer.start(round(seconds * 1000))
    return timer


def main(minutes: float) -> int:
    home = Path(tempfile.mkdtemp(prefix="torch-setup-soak-"))
    os.environ["TORCH_WIZARD_HOME"] = str(home)
    soak, watch = Soak(home), Watch(minutes)
    timers = [every(EVERY_S, soak.update, True), every(HABITS_S, soak.habit), every(min(60, minutes * 10), watch.look)]
    QTimer.singleShot(round(minutes * 60_000), lambda: soak.app.exit(0))  # quit would ask the window, which has a run
    began, worked = time.monotonic(), time.thread_time()
    soak.app.exec()  # a loop of our own would never get to what is to be deleted later
    for timer in timers:
        timer.stop()
    took, grown = time.monotonic() - began, watch.grown()
    share = (time.thread_time() - worked) / took
    print(
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}: {soak.updates} updates in {took:.0f} s "
        f"({soak.updates / took:.0f} a second), {soak.drawn} drawn, {soak.habits} habits; grew by {grown:+.1f} MB from "
        f"{watch.base:.1f} MB (highest {watch.highest:.1f}), {share:.0%} of a processor; "
        f"load {os.getloadavg()[0] if hasattr(os, 'getloadavg') else 0:.1f}"
    )
    soak.session.let_go.set()
    soak.window.navigator.restart()
    soak.window.close()
    if soak.updates < FEWEST * took:
        print(f"no soak: this computer was too busy for {FEWEST} updates a second")
        return 1
    return 0 if grown < MOST_MB else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    sys.exit(main(parser.parse_args().minutes))
