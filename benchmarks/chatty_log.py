"""How long the window stands still while a run writes 200,000 lines, with the log unfolded: the longest gaps.

`python benchmarks/chatty_log.py [LINES]`. A recorded session and a real event file that another process writes at full
speed. Said twice: by the clock, which on a busy computer counts what others took, and by the processor time of the
window's thread alone, which is what the window did. Before it, the same without a line: what this computer does to any
window. No turn may take 20 ms of work; 50 ms by the clock is asked of it where nobody else keeps the processors busy.
"""

from __future__ import annotations

import heapq
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QTimer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
WORK_MS, CLOCK_MS = 20, 50
WRITER = """
import json, sys
path, lines = sys.argv[1], int(sys.argv[2])
head = {"schema": 1, "event": "log", "time": 1795000000.0, "run": "run-1", "step": "install"}
with open(path, "a", encoding="utf-8") as file:
    for number in range(lines):
        text = f"line {number}: unpacked torch/lib/libtorch_cuda_linalg.so and some more words"
        file.write(json.dumps({**head, "seq": 100 + number, "text": text}) + chr(10))
"""


class Beats:
    """The time between two turns of the event loop, in milliseconds. Of a million turns only the longest are kept: a
    list of all would itself hold up the window, when Python goes through it to see what can be thrown away."""

    def __init__(self, timer: QTimer) -> None:
        self.clock: list[float] = []
        self.work: list[float] = []
        self.over = 0
        self._last = (time.perf_counter(), time.thread_time())
        self._timer = timer
        timer.setInterval(0)
        timer.timeout.connect(self._beat)
        timer.start()

    def _beat(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        _keep(self.clock, (now[0] - self._last[0]) * 1000)
        _keep(self.work, (now[1] - self._last[1]) * 1000)
        self.over += now[0] - self._last[0] > CLOCK_MS / 1000
        self._last = now

    def stop(self) -> str:
        self._timer.stop()
        clock, work = (", ".join(f"{gap:.0f}" for gap in sorted(gaps)[-3:]) for gaps in (self.clock, self.work))
        return f"longest gaps {clock} ms by the clock ({self.over} over {CLOCK_MS} ms), {work} ms of work"


def _keep(longest: list[float], gap: float) -> None:
    if len(longest) < 5:
        heapq.heappush(longest, gap)
    elif gap > longest[0]:
        heapq.heapreplace(longest, gap)


def main(lines: int) -> int:
    from tests.app import values
    from tests.gui.fake_session import FakeRun, FakeSession
    from wizard.gui.pages.install import InstallPage
    from wizard.gui.shell.window import WizardWindow
    from wizard.gui.startup.application import application
    from wizard.gui.startup.preferences import Preferences

    home = Path(tempfile.mkdtemp(prefix="torch-setup-log-"))
    os.environ["TORCH_WIZARD_HOME"] = str(home)
    app = application()
    session = FakeSession(home / "runs")
    session.known_runs = [values.run_info("run-1", "running")]
    window = WizardWindow(app, session, Preferences(home / "settings.json"), None)
    window.show()
    run = FakeRun(session, "run-1")
    run.begin()
    run.step("preflight")
    window.navigator.show_run("run-1")
    page = window.page
    assert isinstance(page, InstallPage)
    page.log_button.setChecked(True)
    for _ in range(20):
        app.processEvents()
        time.sleep(0.01)

    idle = Beats(QTimer())
    until = time.perf_counter() + 5
    while time.perf_counter() < until:
        app.processEvents()
    print(f"load of this computer: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"without a line: {idle.stop()}")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = [0]
    page.watch.logged.connect(lambda told: seen.__setitem__(0, seen[0] + len(told)))
    began = time.perf_counter()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(session.events_path("run-1")), str(lines)])
    beats = Beats(QTimer())
    while seen[0] < lines and time.perf_counter() - began < 300:
        app.processEvents()
    took = time.perf_counter() - began
    words = beats.stop()
    writer.wait()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{seen[0]} lines in {took:.1f} s: {words}")
    print(f"memory grew by {grown:.1f} MiB; {page.log.blockCount()} lines are kept")
    session.let_go.set()
    window.navigator.restart()
    window.close()
    return 0 if max(beats.work) <= WORK_MS and seen[0] == lines else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000))
