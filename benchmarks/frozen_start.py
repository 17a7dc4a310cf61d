"""How long the frozen program takes to its first picture, against the same window from the source.

`python benchmarks/frozen_start.py dist/TorchSetup/torch-wizard [--runs 5]`: both in turn, each a fresh process with a
kept home, after one start each that fills the disk's cache. The first picture is the first time that Qt hands painted
pixels to the screen (its own debug output says so), by the clock from before the process started; medians.
"Ready" is the end of `window --self-test`: painted, and all that the first page asks is answered.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 1.3
RULES = "*.debug=false;qt.widgets.painting.debug=true;qt.qpa.backingstore.debug=true"
PAINTED = ("Flushing", "flush", "Painting dirty")


def first_picture(command: list[str], environment: dict[str, str]) -> float:
    """Started as by a double click, which has a shorter way to its picture, and ended when that is there."""
    began = time.perf_counter()
    with subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True) as shown:
        for line in shown.stderr or ():
            if any(word in line for word in PAINTED):
                painted = time.perf_counter() - began
                shown.kill()
                return painted * 1000
    sys.exit(f"{command[0]} ended with {shown.returncode} and painted nothing")


def ready(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    quiet = {name: value for name, value in environment.items() if name != "QT_LOGGING_RULES"}
    ended = subprocess.run([*command, "window", "--self-test"], env=quiet, cwd=ROOT, check=False)
    if ended.returncode:
        sys.exit(f"{command[0]} ended with {ended.returncode}")
    return (time.perf_counter() - began) * 1000


def once(command: list[str], home: Path) -> tuple[float, float]:
    environment = {**os.environ, "TORCH_WIZARD_HOME": str(home), "QT_LOGGING_RULES": RULES, "TORCH_WIZARD_LANG": "en"}
    return first_picture(command, environment), ready(command, environment)


def main(program: Path, runs: int) -> int:
    if not os.environ.get("DISPLAY") and "QT_QPA_PLATFORM" not in os.environ:
        if shutil.which("xvfb-run"):
            again = [sys.executable, str(Path(__file__).resolve()), str(program.resolve()), "--runs", str(runs)]
            return subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", *again]).returncode
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    home = Path(tempfile.mkdtemp(prefix="torch-setup-start-"))
    commands = {"source": [sys.executable, "-m", "wizard"], "frozen": [str(program.resolve())]}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for run in range(runs + 1):
        for name, command in commands.items():
            told = once(command, home)
            if run:
                found[name].append(told)
    load = f"; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors" if hasattr(os, "getloadavg") else ""
    print(f"medians of {runs} runs each, in turn, on {os.environ.get('QT_QPA_PLATFORM', 'the display')}{load}")
    ratios = []
    for column, words in enumerate(("first picture", "ready")):
        source, frozen = (statistics.median(told[column] for told in found[name]) for name in commands)
        ratios.append(frozen / source)
        print(f"{words:14} source {source:7.1f} ms, frozen {frozen:7.1f} ms: {frozen / source:.2f} times")
    return 0 if ratios[0] <= LIMIT else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    wanted = parser.parse_args()
    sys.exit(main(wanted.program, wanted.runs))
