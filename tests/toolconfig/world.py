"""A computer of its own for the tools: a home, its variables, and the real pip and uv of this Python asked in it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.stand_in import put_program
from wizard.system import paths
from wizard.toolconfig.model import UserContext

# Windows itself tells pip where a user's folders lie, whatever the variables say: this Python asks the variables.
_PIP = """import runpy, sys
from pip._vendor.platformdirs import windows
windows.get_win_folder = windows.get_win_folder_from_env_vars
del sys.argv[1:3]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


@dataclass
class Computer:
    """Files under `/etc` are the real computer's for real tools, so those write only what is under `home`."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
        shared = {"XDG_CONFIG_DIRS": str(self.home / "xdg"), "APPDATA": str(self.home / "AppData" / "Roaming")}
        self.environ = {**kept, "HOME": str(self.home), "USERPROFILE": str(self.home), **shared, **self.environ}
        self.python = sys.executable
        if sys.platform == "win32":
            self.environ["ALLUSERSPROFILE"] = self.environ["PROGRAMDATA"] = str(self.home / "all")
            self.environ["LOCALAPPDATA"] = str(self.home / "AppData" / "Local")
            self.python = str(put_program(self.home / "python" / "python3", _PIP))
            self.environ["PATH"] = os.pathsep.join((str(self.home / "python"), self.environ["PATH"]))

    @property
    def around(self) -> UserContext:
        return UserContext(self.environ, self.home, paths.os_name())

    def write(self, path: str | Path, content: str | bytes) -> Path:
        place = self.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def ask(self, *argv: str) -> str:
        done = subprocess.run(
            argv, cwd=self.home, env=self.environ, capture_output=True, timeout=120, stdin=subprocess.DEVNULL
        )
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def pip(self, *arguments: str) -> str:
        return self.ask(self.python, "-m", "pip", "--disable-pip-version-check", *arguments)

    def uv(self, *arguments: str) -> str:
        return self.ask(str(paths.uv_executable()), "--offline", *arguments)
