"""How long a verdict for a whole lab takes: 2,000 machine files in one process.

    python benchmarks/pick_many.py [COUNT]

Makes the files in a temporary folder (cards of the table, drivers old and new), runs `pick --machine FOLDER --json`
once, and prints the seconds. No assertion: a figure to look at.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRIVERS = {
    "linux": [
        "450.80.02",
        "470.256.02",
        "525.60.13",
        "535.183.01",
        "550.163.01",
        "570.124.06",
        "580.95.05",
        "595.71.05",
    ],
    "windows": ["452.39", "474.14", "528.33", "546.33", "552.44", "572.16", "581.29", "591.44"],
}


def machine(number: int, cards: list[dict[str, str]], dice: random.Random) -> dict[str, object]:
    system = dice.choice(sorted(DRIVERS))
    card = dice.choice(cards)
    return {
        "schema": 1,
        "os": system,
        "arch": "x86_64",
        "glibc": "2.35" if system == "linux" else None,
        "driver": None if number % 9 == 0 else {"version": dice.choice(DRIVERS[system]), "cuda": None},
        "gpus": [
            {
                "vendor": "nvidia",
                "name": card["name"] or card["chip"],
                "pci_id": card["pci_id"],
                "compute_capability": card["capability"] if number % 2 else None,
                "memory_bytes": None,
            }
        ],
    }


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with (ROOT / "matrices" / "gpus.csv").open(encoding="utf-8", newline="") as file:
        cards = list(csv.DictReader(file))
    dice = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            text = json.dumps(machine(number, cards, dice))
            (Path(folder) / f"pc-{number:05}.json").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "wizard", "pick", "--machine", folder, "--json"]
        started = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        seconds = time.monotonic() - started
    print(f"{len(done.stdout.splitlines())} machines in {seconds:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
