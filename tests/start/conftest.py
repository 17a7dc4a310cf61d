"""A small project with the real start file: a folder with a space and Chinese letters, and no network needed.

The project's own build backend writes the wheel by hand, so pip fetches nothing. `dpkg-query`, `apt-get`, `apt-cache`
and `sudo` are small scripts that note how they were called: no test may change the packages of its machine.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

START_FILE = Path(__file__).parents[2] / "start.py"

PYPROJECT = """\
[build-system]
requires = []
build-backend = "tiny_backend"
backend-path = ["."]
[project]
name = "tiny"
version = "1.0"
"""

BACKEND = """\
import os, time, zipfile
from pathlib import Path
from types import ModuleType

def build_editable(folder, config_settings=None, metadata_directory=None):
    here = Path.cwd()
    with open(here / "builds", "a") as builds:
        builds.write("built\\n")
    while (here / "slow").exists():
        time.sleep(0.05)
    requires = (here / "requires").read_text() if (here / "requires").exists() else ""
    with zipfile.ZipFile(Path(folder) / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.pth", str(here) + "\\n")
        wheel.writestr("tiny_marker/__init__.py", "")
        wheel.writestr("tiny-1.0.dist-info/METADATA",
                       "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\nProvides-Extra: test\\n"
                       "Provides-Extra: freeze\\n" + requires)
        wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    return "tiny-1.0-py3-none-any.whl"
"""

PROGRAM = """\
import json, os, sys
print(json.dumps({"arguments": sys.argv[1:], "platform": os.environ.get("QT_QPA_PLATFORM"), "cwd": os.getcwd(),
                  "prefix": sys.prefix}))
sys.exit(7 if "fail" in sys.argv else 0)
"""

TOOL = """\
#!/bin/sh
echo "$(basename "$0") $(echo "$*" | tr '\\n' ' ')" >> "$(dirname "$0")/calls"
cat "$(dirname "$0")/$(basename "$0").out" 2>/dev/null
exit "$(cat "$(dirname "$0")/$(basename "$0").status" 2>/dev/null || echo 0)"
"""


@dataclass(frozen=True)
class Tools:
    """Recording stand-ins for the system's package tools, alone on PATH beside the plain ones."""

    folder: Path

    def add(self, name: str, output: str = "", status: int = 0) -> None:
        script = self.folder / name
        script.write_text(TOOL)
        script.chmod(0o755)
        (self.folder / f"{name}.out").write_text(output)
        (self.folder / f"{name}.status").write_text(str(status))

    @property
    def calls(self) -> list[str]:
        path = self.folder / "calls"
        return [line.rstrip() for line in path.read_text().splitlines()] if path.exists() else []


@dataclass(frozen=True)
class Tree:
    folder: Path
    tools: Tools

    def environment(self, **more: str) -> dict[str, str]:
        dropped = ("PIP_", "QT_", "DISPLAY", "WAYLAND", "LC_", "LANG", "PYTHON", "PYTEST", "COV")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        nowhere = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
        path = os.pathsep.join([str(self.tools.folder), kept["PATH"]])
        return {**kept, **nowhere, "PATH": path, "TORCH_WIZARD_LANG": "en", **more}

    def popen(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(self.folder / "start.py"), *arguments]
        return subprocess.Popen(
            command,
            env=self.environment(**more),
            cwd=self.folder.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            preexec_fn=None if os.name == "nt" else _listen_to_ctrl_c,
        )

    def start(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        with self.popen(*arguments, **more) as process:
            out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    @property
    def log(self) -> str:
        return (self.folder / ".venv/start/log.txt").read_text("utf-8")

    @property
    def builds(self) -> int:
        path = self.folder / "builds"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def wait_for_build(self, number: int = 1) -> None:
        """Until the project's backend runs for that time, with `slow` holding it there."""
        for _ in range(1200):
            if self.builds >= number:
                return
            time.sleep(0.05)
        raise AssertionError("the project was never built")


def _listen_to_ctrl_c() -> None:
    """Whoever starts the tests in the background may have switched it off for all below."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def all_installed() -> str:
    names = (
        "libgl1 libegl1 libglib2.0-0 libxkbcommon0 libdbus-1-3 libfontconfig1 libgssapi-krb5-2 "
        "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0 fonts-noto-cjk xvfb xauth "
        f"git binutils xz-utils openssl desktop-file-utils libpython{sys.version_info[0]}.{sys.version_info[1]}"
    )
    return "".join(f"{name} installed\n" for name in names.split())


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    folder = tmp_path / "tools"
    folder.mkdir()
    made = Tools(folder)
    made.add("dpkg-query", all_installed())
    made.add("apt-cache")
    made.add("apt-get", status=100)
    made.add("sudo", status=1)
    return made


@pytest.fixture
def tree(tmp_path: Path, tools: Tools) -> Iterator[Tree]:
    folder = tmp_path / "安装 folder"
    (folder / "wizard").mkdir(parents=True)
    shutil.copy(START_FILE, folder)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "tiny_backend.py").write_text(BACKEND)
    (folder / "pytest.py").write_text(PROGRAM)
    (folder / "wizard/__init__.py").write_text("")
    (folder / "wizard/__main__.py").write_text(PROGRAM)
    yield Tree(folder, tools)
    (folder / "slow").unlink(missing_ok=True)


def stop(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """What a terminal does on Ctrl+C: the whole group gets it."""
    os.killpg(process.pid, number)


def load(path: Path = START_FILE) -> ModuleType:
    """The start file as a module, without starting anything."""
    spec = importlib.util.spec_from_file_location("start_under_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
