"""Starts what was made, as a user would: `python resources/installer/try_made.py dist [--installer]`.

The version, a probe, the window's self test. With `--installer` (Windows) the installer is run silently into a new
folder, tried there and removed again, and nothing may be left. The frozen suite in tests/frozen looks much closer.
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

import build

SECONDS = 300
GONE_SECONDS = 60.0  # an uninstaller goes on in a copy of itself


def start(program: Path, *arguments: str, home: Path) -> str:
    environment = dict(os.environ, TORCH_WIZARD_HOME=str(home), TORCH_WIZARD_LANG="en")
    if sys.platform != "win32":
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    done = subprocess.run(
        [str(program), *arguments], env=environment, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{program.name} {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def try_folder(folder: Path) -> None:
    program = folder / ("torch-wizard.exe" if sys.platform == "win32" else "torch-wizard")
    with tempfile.TemporaryDirectory() as home:
        said = start(program, "--version", home=Path(home))
        if build.version() not in said:
            raise SystemExit(f"{said.strip()} is not {build.version()}")
        machine = json.loads(start(program, "probe", "--json", home=Path(home)))
        start(program, "window", "--self-test", home=Path(home))
    print(f"{folder}: {said.strip()}; starts on {machine['os_version']}")


def try_installer(made: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch, "安装 here")
        # /D= comes last and is never quoted, whatever is in it: NSIS takes the rest of the line.
        subprocess.run(f'"{made}" /S /D={target}', timeout=SECONDS, check=True)
        try_folder(target)
        subprocess.run([str(target / "uninstall.exe"), "/S"], timeout=SECONDS, check=True)
        until = time.monotonic() + GONE_SECONDS
        while target.exists() and time.monotonic() < until:
            time.sleep(0.5)
        if target.exists():
            raise SystemExit(f"left after uninstalling: {sorted(path.name for path in target.iterdir())}")
    print(f"{made.name}: installed, tried and removed")


def main() -> int:
    parser = argparse.ArgumentParser(description="Starts what was made, as a user would.")
    parser.add_argument("folder", type=Path, help="where build.py has put it")
    parser.add_argument("--installer", action="store_true", help="also install it silently, and remove it again")
    wanted = parser.parse_args()
    try_folder(wanted.folder.resolve() / "TorchSetup")
    if wanted.installer:
        try_installer(wanted.folder.resolve() / f"TorchSetup-{build.version()}-windows-x86_64.exe")
    return 0


if __name__ == "__main__":
    sys.exit(main())
