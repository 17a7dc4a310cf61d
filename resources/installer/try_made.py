"""Starts what was made, as a user would: `python resources/installer/try_made.py dist [--installer]`.

The version, a probe, a choice, the window's self test. With `--installer` (Windows) the installer is run silently into
a new folder and tried there; it refuses to replace a program that runs, and upgrades one that does not; then all is
removed again, and nothing may be left. The frozen suite in tests/frozen looks much closer.
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
RUNNING = 4  # the installer's exit status
LISTED = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\TorchSetup"


def surroundings(home: Path) -> dict[str, str]:
    environment = dict(os.environ, TORCH_WIZARD_HOME=str(home), TORCH_WIZARD_LANG="en")
    if sys.platform != "win32":
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    return environment


def start(program: Path, *arguments: str, home: Path) -> str:
    command = [str(program), *arguments]
    done = subprocess.run(
        command, env=surroundings(home), capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
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
        json.loads(start(program, "pick", "--offline", "--json", home=Path(home)))
        start(program, "window", "--self-test", home=Path(home))
    print(f"{folder}: {said.strip()}; starts on {machine['os_version']}")


def install(made: Path, target: Path) -> int:
    # /D= comes last and is never quoted, whatever is in it: NSIS takes the rest of the line.
    return subprocess.run(f'"{made}" /S /D={target}', timeout=SECONDS, check=False).returncode


def uninstall() -> int:
    """As Windows and winget do it in silence: by the registry's own line."""
    if sys.platform != "win32":
        raise SystemExit("only Windows has a registry")
    import winreg

    with winreg.OpenKey(winreg.HKEY_CURRENT_USER, LISTED) as key:
        line = str(winreg.QueryValueEx(key, "QuietUninstallString")[0])
    return subprocess.run(line, timeout=SECONDS, check=False).returncode


def try_installer(made: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch, "安装 here")
        for way in ("installing", "upgrading"):
            if status := install(made, target):
                raise SystemExit(f"{way} ended with {status}")
            try_folder(target)
        refuse_while_it_runs(made, target, Path(scratch, "home"))
        if status := uninstall():
            raise SystemExit(f"uninstalling ended with {status}")
        until = time.monotonic() + GONE_SECONDS
        while target.exists() and time.monotonic() < until:
            time.sleep(0.5)
        if target.exists():
            raise SystemExit(f"left after uninstalling: {sorted(path.name for path in target.iterdir())}")
    print(f"{made.name}: installed, tried and removed")


def refuse_while_it_runs(made: Path, target: Path, home: Path) -> None:
    window = subprocess.Popen([str(target / "TorchSetup.exe")], env=surroundings(home))
    try:
        time.sleep(3)  # until the system has opened it; when that were too short, the next line would fail
        status = install(made, target)
        if window.poll() is not None or status != RUNNING:
            raise SystemExit(f"{status} instead of a refusal; the window: {window.poll()}")
        status = uninstall()
        if window.poll() is not None or status != RUNNING:
            raise SystemExit(f"uninstalling: {status} instead of a refusal; the window: {window.poll()}")
    finally:
        window.kill()
        window.wait()
    start(target / "torch-wizard.exe", "--version", home=home)


def main() -> int:
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # not every page has Chinese
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
