"""How long the command line takes to start, against a bare `python -c pass`: `python benchmarks/cli_start.py [N]`.

Prints the least and the middle of N rounds (7), in milliseconds, and how many modules each start loads. The commands
take turns, so that a busy moment falls on all of them. `--check`: ends with 1 where one takes longer than it may.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
# Each with the milliseconds that it may take.
STARTS = {
    "--help": 250,
    "--version": 250,
    "setup --help": 250,
    "runs": 450,
    "envs list": 450,
    "pick --offline --machine {machine}": 450,
    "pick --offline": 0,  # looks at the machine first, with programs of the card's maker
}
MACHINE = {"schema": 1, "os": "linux", "arch": "x86_64", "glibc": "2.36", "driver": None, "gpus": []}
COUNT = (
    "import sys; from wizard.__main__ import main; code = main(); "
    "print(len(sys.modules), file=sys.stderr); sys.exit(code)"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rounds", nargs="?", type=int, default=7)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = Path(folder) / "machine.json"
        machine.write_text(json.dumps(MACHINE), encoding="utf-8")
        environment = {**os.environ, "TORCH_WIZARD_HOME": folder, "HOME": folder, "PYTHONPATH": str(ROOT)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program does not compile itself at each start
        lines = {"": ["-c", "pass"]}
        lines |= {name: ["-m", "wizard", *name.format(machine=machine).split()] for name in STARTS}
        seconds: dict[str, list[float]] = {name: [] for name in lines}
        for _ in range(options.rounds + 1):
            for name, line in lines.items():
                seconds[name].append(timed(line, environment, folder))
        late = []
        for name, taken in seconds.items():
            first, *others = taken  # which wrote the byte code
            least, usual = round(min(others) * 1000), round(median(others) * 1000)
            loaded = count(lines[name][2:], environment, folder) if name else "-"
            print(f"{least:6} {usual:6} ms  {loaded:>5} modules  {name or 'python -c pass'}")
            if 0 < STARTS.get(name, 0) < least:
                late.append(name)
    print(f"too late: {', '.join(late) or 'none'}")
    return 1 if late and options.check else 0


def timed(line: list[str], environment: dict[str, str], folder: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *line], env=environment, cwd=folder, capture_output=True, check=True)
    return time.perf_counter() - began


def count(words: list[str], environment: dict[str, str], folder: str) -> int:
    done = subprocess.run([sys.executable, "-c", COUNT, *words], env=environment, cwd=folder, capture_output=True)
    return int(done.stderr.split()[-1])


if __name__ == "__main__":
    sys.exit(main())
