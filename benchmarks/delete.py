"""How long deleting an environment of 60,000 files takes: ours and `rm -rf`, in one run, alternating.

Fresh files for each arm, in the shape of site-packages, written out to the disk before the clock starts. Ours is the
whole deletion after the plan: note, rename, removal. With --list also how long fifty environments take to be listed.

    python benchmarks/delete.py [--files 60000] [--rounds 3] [--folder /data]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from wizard.environment.inspect.listing import SearchPlaces, list_environments
from wizard.environment.remove.trash import clear, new_deletion, put_away

GOAL = 1.5
LIST_GOAL_SECONDS = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=60_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="where to work (default: the temporary folder)")
    parser.add_argument("--list", action="store_true", help="list fifty environments, each with a tenth of the files")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="delete-", dir=options.folder))
    os.environ["TORCH_WIZARD_HOME"] = str(folder / "home")
    try:
        compare(folder, options.files, options.rounds)
        if options.list:
            time_list(folder / "envs", options.files // 10)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def compare(folder: Path, files: int, rounds: int) -> None:
    arms: dict[str, Callable[[Path], None]] = {"rm -rf": by_rm, "ours": by_us}
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    for number in range(rounds):
        for name in list(arms)[:: 1 if number % 2 else -1]:
            prefix = fill(folder / "env", files, seed=number)
            os.sync()
            time.sleep(1)
            started = time.perf_counter()
            arms[name](prefix)
            seconds[name].append(time.perf_counter() - started)
            if prefix.exists():
                raise SystemExit(f"{name} left something")
    middle = {name: statistics.median(times) for name, times in seconds.items()}
    for name, times in seconds.items():
        print(f"{name:8} {middle[name]:6.2f} s   ({', '.join(f'{time:.2f}' for time in times)})")
    ratio = middle["ours"] / middle["rm -rf"]
    print(f"ours / rm -rf: {ratio:.2f} (goal: not above {GOAL}) for {files} files")


def by_rm(prefix: Path) -> None:
    subprocess.run(["rm", "-rf", str(prefix)], check=True)


def by_us(prefix: Path) -> None:
    deletion = new_deletion(prefix)
    put_away(deletion)
    clear(deletion)


def fill(prefix: Path, files: int, seed: int) -> Path:
    """Packages with modules and compiled modules, a few kilobytes each."""
    rng = random.Random(seed)
    site = prefix / "lib" / "python3.12" / "site-packages"
    (prefix / "pyvenv.cfg").parent.mkdir(parents=True)
    (prefix / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n")
    made = 1
    while made < files:
        package = site / f"package{rng.randrange(200)}" / f"part{rng.randrange(12)}"
        for place in (package, package / "__pycache__"):
            place.mkdir(parents=True, exist_ok=True)
            for _ in range(min(rng.randrange(4, 14), files - made)):
                (place / f"m{made}").write_bytes(b"x" * rng.randrange(200, 9000))
                made += 1
    return prefix


def time_list(folder: Path, files: int) -> None:
    model = fill(folder / "e0", files, seed=1)
    for number in range(1, 50):
        shutil.copytree(model, folder / f"e{number}", copy_function=os.link)
    started = time.perf_counter()
    found = list_environments(SearchPlaces(folders=(folder,)))
    seconds = time.perf_counter() - started
    print(f"listing {len(found)} environments of {files} files: {seconds:.3f} s (goal: under {LIST_GOAL_SECONDS} s)")


if __name__ == "__main__":
    main()
