"""How long the window takes to its first picture, and how much memory it holds, against an empty PySide6 window.

`python benchmarks/window_start.py [--runs 7]`: both in turn, each from a fresh interpreter, from the source; medians.
Said by the clock from before the interpreter started, and by the processor time of the process (all its threads), which
other programs change less. "Ready" is when Welcome is there and its questions (unfinished runs, changed environments)
are answered; memory is what is held a second after that. Without a display it runs in Xvfb where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READY_LIMIT = 4  # times an empty window
_MARKS = """
import json, os, sys, time
marks = {}
def mark(name):
    if name not in marks:
        marks[name] = [time.time(), time.process_time()]
def memory():
    import re
    try:
        text = open("/proc/self/smaps_rollup").read()
        return {name: int(re.search(name + r":\\s+(\\d+)", text)[1]) / 1000 for name in ("Rss", "Pss")}
    except OSError:
        import psutil
        return {"Rss": psutil.Process().memory_info().rss / 1e6}
def tell(app):
    until = time.monotonic() + 1
    while time.monotonic() < until:
        app.processEvents()
        time.sleep(0.01)
    print(json.dumps({"marks": marks, "memory": memory()}), flush=True)
    for socket in (child for child in app.children() if hasattr(child, "listen")):
        socket.close()  # the next start must not take this one for a window that is open
    os._exit(0)
"""
_EMPTY = (
    _MARKS
    + """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication(["empty"])
class Empty(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        mark("paint")
        mark("ready")
window = Empty()
window.resize(1080, 740)
window.show()
while "ready" not in marks:
    app.processEvents()
tell(app)
"""
)
# The way that `python -m wizard` goes; only the loop is ours, which looks when the picture is there.
_OURS = (
    _MARKS
    + """
sys.path.insert(0, sys.argv.pop())
import wizard.__main__ as program
from wizard.gui.shell.splash import FirstPicture
before = FirstPicture.paintEvent
def paintEvent(self, event):
    before(self, event)
    mark("paint")
FirstPicture.paintEvent = paintEvent
def open_window(session, file, self_test, bare):
    from wizard.gui.startup.app import run_window
    def loop(app, window):
        while "paint" not in marks or window.tasks.busy:
            app.processEvents()
        mark("ready")
        tell(app)
    return run_window(session, file, loop=loop, bare=bare)
program.open_window = open_window
program.main()
"""
)


def once(code: str, home: Path) -> dict[str, float]:
    environment = {**os.environ, "TORCH_WIZARD_HOME": str(home), "TORCH_WIZARD_LANG": "en"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody's installed program compiles itself at each start
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)], env=environment, capture_output=True, text=True, timeout=120
    )
    if done.returncode or not done.stdout.strip():
        sys.exit(done.stderr or "the window said nothing")
    told = json.loads(done.stdout.splitlines()[-1])
    found = {f"{name} by the clock": (at - began) * 1000 for name, (at, _) in told["marks"].items()}
    found |= {f"{name} work": work * 1000 for name, (_, work) in told["marks"].items()}
    return {**found, **told["memory"]}


def main(runs: int) -> int:
    if not os.environ.get("DISPLAY") and "QT_QPA_PLATFORM" not in os.environ:
        if shutil.which("xvfb-run"):
            again = [sys.executable, str(Path(__file__).resolve()), "--runs", str(runs)]
            return subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", *again]).returncode
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    home = Path(tempfile.mkdtemp(prefix="torch-setup-start-"))
    codes = {"empty": _EMPTY, "ours": _OURS}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in codes}
    for run in range(runs + 1):
        for name, code in codes.items():
            told = once(code, home)
            if run:  # the first of each fills the disk's cache and writes byte code
                found[name].append(told)
    load = f"; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors" if hasattr(os, "getloadavg") else ""
    print(f"medians of {runs} runs each, in turn, on {os.environ.get('QT_QPA_PLATFORM', 'the display')}{load}")
    is_well = True
    for key in found["empty"][0]:
        empty, ours = (statistics.median(told[key] for told in found[name]) for name in ("empty", "ours"))
        unit = "MB" if key in ("Rss", "Pss") else "ms"
        counts = key.startswith("ready")
        is_well = is_well and (not counts or ours <= READY_LIMIT * empty)
        words = f"at most {READY_LIMIT}" if counts else "no limit"
        print(f"{key:20} empty {empty:7.1f} {unit}, ours {ours:7.1f} {unit}: {ours / empty:.2f} times ({words})")
    return 0 if is_well else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    sys.exit(main(parser.parse_args().runs))
