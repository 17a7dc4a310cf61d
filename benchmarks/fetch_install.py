"""How long fetching and installing one PyTorch takes, and how much disk: ours, `uv pip install`, `pip install`.

Same pins (locked once, before the clock starts), same Python, cold caches, a fresh environment each, all in
one folder on one disk; then a second environment with the same pins, from what the first one left (not pip's); then a
copy of it by `envs clone`, which also makes the virtual environment and tries its Python: it is held against uv's
second with the seconds of its `python -m venv --without-pip`. Disk is counted by blocks, each file once. Needs the
official package index and about 25 GB of room for each round: everything is removed at the end of a round only, since
ext4 makes files slowly for minutes after many were deleted.

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
from typing import NamedTuple

from wizard.app.use.clone import carry_out_clone, plan_clone
from wizard.app.use.environments import find_environment
from wizard.compatibility.model import Candidate, Choices, Plan
from wizard.environment.model import Created
from wizard.install.installer import find_places
from wizard.install.lock import LockRequest, compile_lock
from wizard.install.record import check_record
from wizard.model.lock import Lock
from wizard.model.messages import message
from wizard.process import child_environment
from wizard.run.context import Context, TargetEnvironment
from wizard.run.control import Control
from wizard.run.emitter import Emitter
from wizard.run.executor import carry_out
from wizard.run.journal import History, RunJournal
from wizard.run.run_folder import create_run_folder
from wizard.run.steps.fetch import Fetch
from wizard.run.steps.install import Install
from wizard.system import paths
from wizard.transfer.download.sizes import with_sizes

SETTLE_SECONDS = 8  # the disk writes out what the arm before left, and freed memory comes to rest
GOALS = {"uv": {"seconds": 0.8, "disk": 1.05, "again": 1.2, "cloned": 1.2}, "pip": {"seconds": 0.4}}


class Sample(NamedTuple):
    """The first environment in seconds and bytes on the disk, and what a second one takes more."""

    seconds: float
    disk: int
    again: float
    more: int
    cloned: float = 0.0  # uv: the second and its virtual environment
    cloned_more: int = 0


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
    samples: dict[str, list[Sample]] = {name: [] for name in arms}
    for number in range(options.rounds):
        names = list(arms) if number % 2 == 0 else list(reversed(arms))
        for name in names:
            samples[name].append(measure(name, arms[name], folder / f"{name}-{number}", options.python, lock))
        for name in names:
            shutil.rmtree(folder / f"{name}-{number}")
    report(samples)


def report(samples: dict[str, list[Sample]]) -> None:
    for name, found in samples.items():
        middle = {field: statistics.median(getattr(one, field) for one in found) for field in Sample._fields}
        line = f"{name:5} first {middle['seconds']:6.1f} s, {middle['disk'] / 1e6:6.0f} MB"
        line += f"; second {middle['again']:6.2f} s, {middle['more'] / 1e6:6.1f} MB more"
        print(f"{line}; copy {middle['cloned']:6.2f} s, {middle['cloned_more'] / 1e6:6.1f} MB more")
    for name in ("uv", "pip"):
        if name not in samples:
            continue
        for field, goal in GOALS[name].items():
            ours, theirs = ([getattr(one, field) for one in samples[which]] for which in ("ours", name))
            ratio = statistics.median(ours) / statistics.median(theirs)
            print(f"ours / {name}, {field}: {ratio:.2f} (goal {goal})")


def locked(options: argparse.Namespace, folder: Path) -> Lock:
    folder.mkdir()
    said = subprocess.run(
        [options.python, "-c", "import platform,sys;print('%d.%d'%sys.version_info[:2], platform.machine())"],
        check=True,
        capture_output=True,
        text=True,
    )
    version, arch = said.stdout.split()
    request = LockRequest(tuple(options.require), version, "linux", arch, platform.libc_ver()[1] or None)
    return with_sizes(compile_lock(request, folder, lambda line: None, lambda: False))


def measure(name: str, arm: Callable[[Path, Path], None], place: Path, python: str, lock: Lock) -> Sample:
    place.mkdir()
    seconds = timed(name, arm, place, place / "env", python, lock)
    disk = on_disk(place)
    if name == "pip":
        return Sample(seconds, disk, 0.0, 0)
    again = timed(f"{name}, second", arm, place, place / "second", python, lock)
    more = on_disk(place) - disk
    before, began = used(), time.monotonic()
    if name == "ours":
        plan = plan_clone(find_environment(str(place / "second")), None, str(place / "copy"), lambda: False)
        carry_out_clone(plan, lambda done, total: None, lambda: False)
    else:
        subprocess.run([python, "-m", "venv", "--without-pip", str(place / "frame")], check=True)
    cloned = time.monotonic() - began + (0.0 if name == "ours" else again)
    print(f"  {name}, copy: {cloned:.2f} s wall, {used() - before:.1f} s of processor", flush=True)
    if name == "ours":
        check(place / "copy" / "bin" / "python", lock)
    return Sample(seconds, disk, again, more, cloned, on_disk(place) - disk - more)


def timed(name: str, arm: Callable[[Path, Path], None], place: Path, prefix: Path, python: str, lock: Lock) -> float:
    subprocess.run([python, "-m", "venv", str(prefix)], check=True)
    os.sync()
    time.sleep(SETTLE_SECONDS)
    before, began = used(), time.monotonic()
    arm(place, prefix / "bin" / "python")
    seconds = time.monotonic() - began
    print(f"  {name}: {seconds:.2f} s wall, {used() - before:.1f} s of processor", flush=True)
    check(prefix / "bin" / "python", lock)
    return seconds


def on_disk(folder: Path) -> int:
    """Bytes by blocks, each file once; without bytecode, which the check has made."""
    found: dict[int, int] = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".pyc"):
                status = Path(at, name).lstat()
                found[status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def used() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def check(python: Path, lock: Lock) -> None:
    """After the clock, for all alike: every file that the installed RECORDs list is there in its size, and it works."""
    site_packages = find_places(python).purelib
    installed = list(site_packages.glob("*.dist-info"))
    assert len(installed) >= len(lock.files)
    assert not [folder for folder in installed if check_record(site_packages, folder)]
    if lock.find("torch"):
        subprocess.run([str(python), "-c", "import torch; torch.zeros(1) + 1"], check=True)


def ours(lock: Lock, place: Path, python: Path) -> None:
    """The very steps of the worker, in a home of their own."""
    os.environ["TORCH_WIZARD_HOME"] = str(place / "home")
    context = context_of(lock, python)
    carry_out(((Fetch(), Install()),), context)
    seconds = {result.name: result.seconds for result in (context.results.get() for _ in range(2))}
    print(f"  (fetched after {seconds['fetch']:.1f} s)", end="")


def context_of(lock: Lock, python: Path) -> Context:
    folder = create_run_folder(f"benchmark-{python.parent.parent.name}")
    prefix = python.parent.parent
    plan = Plan(
        id=folder.id,
        created=0.0,
        candidate=Candidate("", "", None, None, None, True),
        choices=Choices(),
        prefix=str(prefix),
        engine="venv",
        engine_reason=message("step.preflight.done"),
        python="",
        base_python=None,
        channels=(),
        sources=(),
        requirements=(),
        gpu_expected=False,
        machine={},
    )
    context = Context(folder, plan, lock, History(), RunJournal(folder.journal), Emitter(folder), Control(folder))
    context.place.set_result(TargetEnvironment(Created(prefix, python, "", "venv", 0), is_new=True))
    return context


def pins(lock: Lock) -> list[str]:
    return [f"{file.name}=={file.version}" for file in lock.files]


def run_uv(lock: Lock, place: Path, python: Path) -> None:
    run(
        [
            str(paths.uv_executable()),
            "pip",
            "install",
            "--quiet",
            "--no-config",
            "--no-deps",
            "--cache-dir",
            str(place / "cache"),
            "--python",
            str(python),
            *pins(lock),
        ]
    )


def run_pip(lock: Lock, place: Path, python: Path) -> None:
    run(
        [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--disable-pip-version-check",
            "--cache-dir",
            str(place / "cache"),
            *pins(lock),
        ]
    )


def run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, env=child_environment({"PIP_CONFIG_FILE": os.devnull}))


if __name__ == "__main__":
    main()
