"""How long fetching and installing one PyTorch takes: ours, `uv pip install` and `pip install`, in one run.

Same pins (locked once, before the clock starts), same Python, cold caches, a fresh environment each, all in
one folder on one disk. Needs the official package index and about 25 GB of room for each round: everything is
removed at the end of a round only, since ext4 makes files slowly for minutes after many were deleted.

    python benchmarks/fetch_install.py --python /path/to/python3.12 [--skip-pip] [--rounds 3]
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from wizard import paths
from wizard.environments.model import Created
from wizard.i18n import message
from wizard.packages.install import find_places
from wizard.packages.lock import LockRequest, compile_lock
from wizard.packages.model import Lock
from wizard.packages.record import check_record
from wizard.packages.sizes import with_sizes
from wizard.plan.model import Candidate, Choices, Plan
from wizard.process import child_environment
from wizard.steps.context import Context, Place
from wizard.steps.control import Control
from wizard.steps.emitter import Emitter
from wizard.steps.executor import carry_out
from wizard.steps.fetch import Fetch
from wizard.steps.install import Install
from wizard.steps.journal import History, Journal
from wizard.steps.run_folder import create_run_folder

SETTLE_SECONDS = 8  # the disk writes out what the arm before left, and freed memory comes to rest
GOALS = {"uv": 0.8, "pip": 0.4}


def main() -> None:
    options = parse_arguments()
    folder = Path(tempfile.mkdtemp(prefix="fetch-install-", dir=options.folder))
    try:
        compare(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the environments")
    parser.add_argument("--require", nargs="+", default=["torch==2.15.0", "torchvision==0.29.2", "numpy"])
    parser.add_argument("--folder", help="where to work (default: the temporary folder)")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--skip-pip", action="store_true")
    parser.add_argument("--skip-uv", action="store_true")
    return parser.parse_args()


def compare(options: argparse.Namespace, folder: Path) -> None:
    lock = locked(options, folder / "lock")
    print(f"{len(lock.files)} wheels, {(lock.total_bytes or 0) / 1e9:.2f} GB; {os.cpu_count()} processors")
    arms: dict[str, Callable[[Path, Path], None]] = {"ours": lambda place, python: ours(lock, place, python)}
    if not options.skip_uv:
        arms["uv"] = lambda place, python: run_uv(lock, place, python)
    if not options.skip_pip:
        arms["pip"] = lambda place, python: run_pip(lock, place, python)
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    for number in range(options.rounds):
        names = list(arms) if number % 2 == 0 else list(reversed(arms))
        for name in names:
            seconds[name].append(measure(name, arms[name], folder / f"{name}-{number}", options.python, lock))
        for name in names:
            shutil.rmtree(folder / f"{name}-{number}")
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    for name, value in middle.items():
        ratio = f"  ours / {name} = {middle['ours'] / value:.2f} (goal {GOALS[name]})" if name in GOALS else ""
        print(f"{name:5} {value:7.1f} s{ratio}")


def locked(options: argparse.Namespace, folder: Path) -> Lock:
    folder.mkdir()
    said = subprocess.run(
        [options.python, "-c", "import platform,sys;print('%d.%d'%sys.version_info[:2], platform.machine())"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    version, arch = said.stdout.split()
    request = LockRequest(tuple(options.require), version, "linux", arch, platform.libc_ver()[1] or None)
    return with_sizes(compile_lock(request, folder, lambda line: None, lambda: False))


def measure(name: str, arm: Callable[[Path, Path], None], place: Path, python: str, lock: Lock) -> float:
    place.mkdir()
    prefix = place / "env"
    subprocess.run([python, "-m", "venv", str(prefix)], check=True)
    os.sync()
    time.sleep(SETTLE_SECONDS)
    before, began = used(), time.monotonic()
    arm(place, prefix / "bin" / "python")
    seconds = time.monotonic() - began
    print(f"  {name}: {seconds:.1f} s wall, {used() - before:.1f} s of processor", flush=True)
    check(prefix / "bin" / "python", lock)
    return seconds


def used() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def check(python: Path, lock: Lock) -> None:
    """After the clock, for all alike: every file that the installed RECORDs list is there in its size, and it works."""
    site_packages = find_places(python).purelib
    installed = list(site_packages.glob("*.dist-info"))
    assert len(installed) >= len(lock.files)
    assert not [folder for folder in installed if check_record(site_packages, folder)]
    subprocess.run([str(python), "-c", "import torch, numpy; torch.zeros(1) + 1"], check=True)


def ours(lock: Lock, place: Path, python: Path) -> None:
    """The very steps of the worker, in a home of their own."""
    os.environ["TORCH_WIZARD_HOME"] = str(place / "home")
    context = context_of(lock, python)
    carry_out(((Fetch(), Install()),), context)
    seconds = {result.name: result.seconds for result in (context.results.get() for _ in range(2))}
    print(f"  (fetched after {seconds['fetch']:.1f} s)", end="")


def context_of(lock: Lock, python: Path) -> Context:
    folder = create_run_folder("benchmark")
    prefix = python.parent.parent
    plan = Plan(
        id="benchmark", created=0.0, candidate=Candidate("", "", None, None, None, True), choices=Choices(),
        prefix=str(prefix), engine="venv", engine_reason=message("step.preflight.done"), python="", base_python=None,
        channels=(), sources=(), requirements=(), gpu_expected=False, machine={},
    )  # fmt: skip
    context = Context(folder, plan, lock, History(), Journal(folder.journal), Emitter(folder), Control(folder))
    context.place.set_result(Place(Created(prefix, python, "", "venv", 0), is_new=True))
    return context


def pins(lock: Lock) -> list[str]:
    return [f"{file.name}=={file.version}" for file in lock.files]


def run_uv(lock: Lock, place: Path, python: Path) -> None:
    run(
        [str(paths.uv_executable()), "pip", "install", "--quiet", "--no-config", "--no-deps",
         "--cache-dir", str(place / "cache"), "--python", str(python), *pins(lock)]
    )  # fmt: skip


def run_pip(lock: Lock, place: Path, python: Path) -> None:
    run(
        [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check",
         "--cache-dir", str(place / "cache"), *pins(lock)]
    )  # fmt: skip


def run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, env=child_environment({"PIP_CONFIG_FILE": os.devnull}))


if __name__ == "__main__":
    main()
