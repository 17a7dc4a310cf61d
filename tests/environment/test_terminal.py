"""A terminal window with the environment on: a script stands for the window, the shell in it is real."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.environment.conftest import plain_environment
from tests.tools import path_of
from tests.waiting import HANG
from wizard.environment.activate.scripts import activation_lines
from wizard.environment.activate.terminal import (
    _in_terminal,
    find_terminal,
    open_terminal,
    shell_command,
    start_files,
    users_environment,
    users_shell,
    windows_command,
)
from wizard.model.errors import WizardError
from wizard.model.messages import text

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux shells")


@pytest.mark.parametrize(
    ("os_name", "shell", "ancestors", "expected"),
    [
        ("linux", "/usr/bin/zsh", ("python3", "fish", "gnome-terminal"), "fish"),
        ("linux", "/usr/bin/zsh", ("python3", "sshd"), "zsh"),
        ("linux", "/bin/bash", ("-zsh",), "zsh"),
        ("linux", "/bin/tcsh", (), "csh"),
        ("linux", "/bin/bash", ("-tcsh", "sshd"), "csh"),
        ("linux", "/bin/ksh", (), "bash"),
        ("linux", "", ("systemd",), "bash"),
        ("windows", "", ("python.exe", "cmd.exe", "explorer.exe"), "cmd"),
        ("windows", "", ("TorchSetup.exe", "explorer.exe"), "powershell"),
        ("windows", "", ("pwsh.exe",), "powershell"),
    ],
)
def test_the_users_shell(os_name: str, shell: str, ancestors: tuple[str, ...], expected: str) -> None:
    assert users_shell(os_name, {"SHELL": shell}, ancestors) == expected


@linux
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "csh"])
def test_a_terminal_opens_with_the_environment_on(
    place: Path, home: Path, tmp_path: Path, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The terminal is a script that runs what it is told and types into it. The user's own settings are read first."""
    path_of(shell)
    said = tmp_path / "said"
    (home / ".bashrc").write_text(f"echo settings >> '{said}'\n")
    (home / ".zshrc").write_text(f"echo settings >> '{said}'\nPATH=/usr/bin:/bin\n")
    (home / ".config" / "fish").mkdir(parents=True)
    (home / ".config" / "fish" / "config.fish").write_text(f"echo settings >> '{said}'\n")
    terminal = tmp_path / "bin" / "x-terminal-emulator"
    terminal.parent.mkdir()
    typed = f"python >> '{said}'; pwd >> '{said}'; exit"
    terminal.write_text(f'#!/bin/sh\nshift\nprintf \'%s\\n\' "{typed}" | "$@"\n')
    terminal.chmod(0o755)
    monkeypatch.setattr("wizard.environment.activate.terminal.this_users_shell", lambda os_name: shell)
    for name, value in {**plain_environment(home), "DISPLAY": ":0"}.items():
        monkeypatch.setenv(name, value)
    for name in ("TERMINAL", "ZDOTDIR", "XDG_CONFIG_HOME", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{terminal.parent}:{os.environ['PATH']}")
    pid = open_terminal(place, folder=terminal.parent, command=f"echo first >> '{said}'")
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(HANG)
    assert said.read_text().splitlines() == ["settings", "first", f"{place}/bin/python", str(terminal.parent)]


@linux
def test_no_terminal_and_no_script_have_a_sentence(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for prefix, code in ((place, "terminal-none"), (place.parent, "terminal-no-script")):
        with pytest.raises(WizardError) as caught:
            open_terminal(prefix)
        assert caught.value.code == code
        assert text(caught.value.hint, "zh_CN")
    with pytest.raises(WizardError) as caught:
        open_terminal(place, command="jupyter lab")
    assert caught.value.code == "terminal-none-for"
    assert re.search(r"type: source .*/bin/activate'?; jupyter lab$", text(caught.value.hint, "en"))


@linux
def test_what_opens_a_window_of_its_own_needs_no_terminal(
    place: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**plain_environment(home), "DISPLAY": ":0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("wizard.environment.activate.terminal.find_terminal", lambda environment, which: None)
    monkeypatch.setattr("wizard.environment.activate.terminal.this_users_shell", lambda os_name: "bash")
    said = tmp_path / "said"
    pid = open_terminal(place, command=f"command -v python > '{said}'")
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(HANG)
    assert said.read_text().strip() == f"{place}/bin/python"
    with pytest.raises(WizardError) as caught:
        open_terminal(place)
    assert caught.value.code == "terminal-none", "a shell without a window is of no use to anybody"


def test_which_terminal() -> None:
    def which(*known: str) -> object:
        return lambda name: f"/usr/bin/{name}" if name in known else None

    shown = {"DISPLAY": ":0"}
    assert find_terminal(shown, which("konsole", "xterm")) == ("/usr/bin/konsole", "-e")  # type: ignore[arg-type]
    assert find_terminal({**shown, "TERMINAL": "kitty"}, which("kitty", "xterm")) == ("/usr/bin/kitty",)  # type: ignore[arg-type]
    assert find_terminal({}, which("xterm")) is None  # type: ignore[arg-type]
    assert find_terminal(shown, which()) is None  # type: ignore[arg-type]


def as_cmd_reads(line: object) -> str:
    """What cmd runs by its own words (`cmd /?`): with /S the first quote after /K goes, and the last of the line."""
    assert isinstance(line, str)
    after = line.partition(" /K ")[2]
    assert after[0] == after[-1] == '"'
    return after[1:-1]


def test_commands_for_a_terminal() -> None:
    lines = {row.shell: row.code for row in activation_lines("C:\\e 1", "windows")}
    # One line: as a list it would come out as /K "\"C:\\e 1\\…\"", and cmd looks for a program of that name.
    started = windows_command(lines["cmd"], "cmd", "C:\\W 1\\cmd.exe")
    assert started == '"C:\\W 1\\cmd.exe" /S /K ""C:\\e 1\\Scripts\\activate.bat""'
    assert as_cmd_reads(started) == '"C:\\e 1\\Scripts\\activate.bat"'
    powershell = windows_command(lines["powershell"], "powershell", "cmd.exe")
    assert powershell[-1] == "& 'C:\\e 1\\Scripts\\Activate.ps1'"
    assert "-NoExit" in powershell
    assert shell_command("/e", "fish", Path("/c"))[:3] == ("fish", "-i", "-C")
    assert start_files("/e", "fish") == ()


@pytest.mark.skipif(os.name != "nt", reason="only Windows has cmd")
def test_cmd_runs_the_script_of_a_path_with_a_space(tmp_path: Path) -> None:
    prefix = tmp_path / "it's & 环境 1"
    (prefix / "Scripts").mkdir(parents=True)
    (prefix / "Scripts" / "activate.bat").write_text("@echo switched %~n0 on\n", newline="\r\n")
    lines = {row.shell: row.code for row in activation_lines(str(prefix), "windows")}
    started = windows_command(lines["cmd"], "cmd", os.environ.get("COMSPEC", "cmd.exe"))
    done = subprocess.run(started, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert "switched activate on" in done.stdout, done


def test_a_terminal_has_the_users_own_environment() -> None:
    own = {"PYTHONPATH": "/ours", "LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/theirs", "EDITOR": "vi"}
    assert users_environment(own) == {"LD_LIBRARY_PATH": "/theirs", "EDITOR": "vi"}


@linux
def test_terminals_of_two_environments_do_not_read_each_others_files(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one's shell may come to its file only when the second was opened."""
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("DISPLAY", ":0")
    terminal = tmp_path / "bin" / "xterm"
    terminal.parent.mkdir()
    terminal.write_text("#!/bin/sh\n")
    terminal.chmod(0o755)
    monkeypatch.setenv("PATH", str(terminal.parent))
    monkeypatch.delenv("TERMINAL", raising=False)
    lines = [f"source /envs/{name}/bin/activate" for name in "ab"]
    told = [_in_terminal(line, "bash", tmp_path) for line in lines]
    files = [Path(argv[argv.index("--rcfile") + 1]) for argv in told]
    assert [file.read_text().splitlines()[-1] for file in files] == lines
