"""A small world on loopback in which the whole line runs for real: index, torch index, channel, own home.

The packages are stand-ins of a few megabytes (a made-up torch with the real one's error texts); everything
else is the real thing: worker, uv, environments, HTTP, files, processes.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.line.wheel import build_wheel
from tests.servers.index_server import IndexServer
from tests.stand_in import PACKAGES
from tests.waiting import wait_until
from wizard.environment.layout import python_of
from wizard.run.run_folder import RunFolder
from wizard.system.paths import MATRICES_VARIABLE, matrices_dir
from wizard.system.traits import this

ROOT = Path(__file__).resolve().parents[2]
TORCH = "2.13.0"
PLATFORM = "win_amd64" if sys.platform == "win32" else "manylinux_2_17_x86_64"
TAG = f"cp3{sys.version_info[1]}-cp3{sys.version_info[1]}-{PLATFORM}"
# Just enough for the smoke test's own questions.
NUMPY = b"""__version__ = '2.3.0'
class _Array:
    def sum(self): return 6.0
def arange(stop): return _Array()
"""
_TORCHVISION = b"""__version__ = '0.28.0+cpu'
class _Kept:
    def cpu(self): return self
    def tolist(self): return [0, 2]
class ops:
    nms = staticmethod(lambda boxes, scores, threshold: _Kept())
"""
PYTHON = f"3.{sys.version_info[1]}"
SITE = this().site_packages.format(minor=PYTHON)


def build_wheels(folder: Path, megabytes: int = 3) -> Path:
    """torch +cpu and +cu126, torchvision +cpu, numpy, and a few packages of noise that torch needs."""
    noise = random.Random(7)
    padding = [f"padding-{letter}" for letter in "abcd"]
    for name in padding:
        module = name.replace("-", "_")
        files = {f"{module}/data{i}.bin": noise.randbytes(megabytes * 250_000) for i in range(4)}
        build_wheel(folder / "packages", module, "1.0", {f"{module}/__init__.py": b"", **files})
    build_wheel(folder / "packages", "numpy", "2.3.0", {"numpy/__init__.py": NUMPY})
    build_torch(folder / "torch", f"{TORCH}+cpu", padding, megabytes, {"do": "work", "cuda": None})
    build_torch(folder / "torch", f"{TORCH}+cu126", padding, megabytes, {"do": "no-driver", "cuda": "12.6"})
    vision = {"torchvision/__init__.py": _TORCHVISION}
    build_wheel(folder / "torch", "torchvision", "0.28.0+cpu", vision, [f"torch=={TORCH}"], TAG)
    return folder


def build_torch(
    folder: Path,
    version: str,
    requires: list[str],
    megabytes: int,
    behaviour: Mapping[str, object],
    name: str = "torch",
    tag: str = TAG,
    python: str = "",
) -> Path:
    files = {
        f"{name}/{path.relative_to(PACKAGES / name).as_posix()}": path.read_bytes()
        for path in (PACKAGES / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    files[f"{name}/behaviour.json"] = json.dumps({"version": version, **behaviour}).encode()
    if megabytes:
        files[f"{name}/lib/libtorch.bin"] = random.Random(version).randbytes(megabytes * 2_000_000)
    if name == "torchvision":
        requires = [f"torch=={TORCH}"]
    return build_wheel(folder, name, version, files, requires, tag, python)


@dataclass(frozen=True)
class World:
    """`command` runs the program as a child with its own home; `sources` are the options that keep it on loopback."""

    home: Path
    packages: IndexServer
    torch: IndexServer
    channel: str | None = None
    program: tuple[str, ...] = (sys.executable, "-m", "wizard")
    more: Mapping[str, str] = field(default_factory=dict)  # further variables
    python: str = PYTHON

    @property
    def environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_", "TORCH_"))}
        return {
            **kept,
            "HOME": str(self.home / "user"),
            "USERPROFILE": str(self.home / "user"),
            "TORCH_WIZARD_HOME": str(self.home / "state"),
            "TORCH_WIZARD_LANG": "en",
            "TORCH_WIZARD_REGION": "world",
            MATRICES_VARIABLE: str(matrices_dir()),
            "PIP_CONFIG_FILE": os.devnull,
            **self.more,
        }

    @property
    def sources(self) -> tuple[str, ...]:
        options = ("--index", self.packages.simple, "--torch-index", self.torch.simple, "--python", self.python)
        if self.channel:
            return (*options, "--channel", self.channel)
        return (*options, "--engine", "venv")

    def command(self, *arguments: str) -> tuple[str, ...]:
        return (*self.program, *arguments)

    def run(
        self, *arguments: str, timeout: float = 600, stdin: int = subprocess.DEVNULL
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            stdin=stdin,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=ROOT,
            env=self.environment,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0,
        )

    def interrupt(self, program: subprocess.Popen[str]) -> None:
        """As a person does in the terminal: Ctrl+C, on Windows Ctrl+Break, which alone reaches one group."""
        program.send_signal(signal.CTRL_BREAK_EVENT if sys.platform == "win32" else signal.SIGINT)

    def planned(self) -> RunFolder:
        """A run that has not started: what `setup` does before it starts the worker."""
        done = self.run("setup", "--plan-only", "--name", "demo", *self.sources)
        assert done.returncode == 0, done.stderr
        return RunFolder(Path(json.loads(done.stdout)["plan"]).parent)

    def processes(self) -> list[psutil.Process]:
        """Everything that runs with this world's home in its environment: nobody else has it."""
        mark = str(self.home / "state")
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("TORCH_WIZARD_HOME") == mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def kill_all(self, but: int | None = None) -> None:
        """One that was just seen may be gone by itself: what another's end takes along, too."""
        for process in self.processes():
            if process.pid != but:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()

    def wait_for_nothing(self) -> None:
        """Until nothing of it runs any more."""
        wait_until(lambda: not self.processes(), lambda: [process.cmdline() for process in self.processes()])

    def wait_for_journal(self, program: subprocess.Popen[str]) -> None:
        """Until the program's run has begun."""

        def has_begun() -> bool:
            found = any((run / "journal.jsonl").exists() for run in self.runs())
            assert found or program.poll() is None, program.communicate()
            return found

        wait_until(has_begun)

    def runs(self) -> list[Path]:
        base = self.home / "state" / "runs"
        return sorted(base.iterdir()) if base.is_dir() else []

    def import_check(self, prefix: Path, code: str) -> str:
        return subprocess.run(
            [python_of(prefix), "-c", code], capture_output=True, text=True, check=True, timeout=60
        ).stdout.strip()
