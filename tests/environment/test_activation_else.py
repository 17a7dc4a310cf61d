"""Switching on what others made: by the scripts that are there, by a conda on no PATH, without any conda. For real."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import venv
from pathlib import Path

import psutil
import pytest

from tests.environment.cheap import make_conda, make_venv
from tests.environment.conftest import AWKWARD
from tests.tools import needs
from tests.waiting import HANG
from wizard.app.pages.after_setup import afterwards, conda_for, look_at_place, switching_on, text_lines
from wizard.environment.activate.scripts import ShellLine, hook_lines, path_lines, script_lines
from wizard.environment.activate.terminal import open_terminal

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="run in Linux shells")
SHELLS = [pytest.param(shell, marks=needs(shell)) for shell in ("bash", "zsh", "fish")]
# What conda says for its hook, as far as a test needs it: a function that puts the prefix first and names it.
_HOOK = {
    "posix": 'conda() {{ CONDA_PREFIX="$2"; PATH="$2/bin:$PATH"; export PATH CONDA_PREFIX; }}',
    "fish": "function conda; set -gx CONDA_PREFIX $argv[2]; set -gx PATH $argv[2]/bin $PATH; end",
}


def stand_in(root: Path) -> Path:
    """An installation whose conda knows its hooks, in a path that has to be quoted."""
    (root / "conda-meta").mkdir(parents=True)
    (root / "envs").mkdir()
    program = root / "bin" / "conda"
    program.parent.mkdir()
    posix, fish = _HOOK["posix"].replace("{{", "{").replace("}}", "}"), _HOOK["fish"]
    program.write_text(
        f"#!/bin/sh\ncase \"$1 $2\" in\n'shell.fish hook') echo '{fish}';;\n'shell.'*' hook') echo '{posix}';;\n"
        "*) exit 1;;\nesac\n"
    )
    program.chmod(0o755)
    return program


def named(prefix: Path) -> Path:
    """Its Python says where it lies."""
    python = prefix / "bin" / "python"
    python.unlink(missing_ok=True)
    python.write_text('#!/bin/sh\necho "$0"\n')
    python.chmod(0o755)
    return prefix


def said(line: ShellLine, home: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "dumb"}
    done = subprocess.run(
        [line.shell, "-c", f"{line.code}\npython"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == "", done.stderr
    return done.stdout.strip()


@linux_only
@pytest.mark.parametrize("shell", SHELLS)
def test_by_a_conda_that_is_on_no_path(home: Path, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.delenv("CONDA_EXE", raising=False)
    program = stand_in(home / AWKWARD / "it's conda")
    prefix = named(make_conda(home / AWKWARD / "torch 测试", history=f"# cmd: {program} create --prefix x\n"))
    assert conda_for(prefix) == program
    place = look_at_place(prefix, "linux", False)
    assert (place.way, place.command) == ("hook", "conda")
    line = next(row for row in switching_on(place) if row.shell == shell)
    assert said(line, home) == f"{prefix}/bin/python"
    assert str(program) in "\n".join(text_lines(afterwards(place), "en")).replace("'\"'\"'", "'").replace("\\'", "'")


@linux_only
@pytest.mark.parametrize("shell", [*SHELLS, pytest.param("csh", marks=needs("csh"))])
def test_without_any_conda(home: Path, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.delenv("CONDA_EXE", raising=False)
    monkeypatch.setattr("wizard.app.pages.after_setup.condas.candidates", lambda environment: iter(()))
    prefix = named(make_conda(home / AWKWARD / "it's 测试"))
    place = look_at_place(prefix, "linux", False)
    assert place.way == "path"
    line = next(row for row in switching_on(place) if row.shell == shell)
    assert said(line, home) == f"{prefix}/bin/python"
    assert afterwards(place)[0].name == "activate"


def test_an_installation_is_found_by_where_the_environment_lies(home: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("programs without an ending")
    program = stand_in(home / "mini")
    assert conda_for(make_conda(home / "mini" / "envs" / "e", history="")) == program


@linux_only
def test_only_scripts_that_are_there_are_named(home: Path) -> None:
    """venv writes Activate.ps1, uv and virtualenv activate.ps1; an old one has bash alone."""
    mine = home / AWKWARD / "mine"
    venv.create(mine, with_pip=False)
    assert [row.shell for row in script_lines(mine, "linux")] == ["bash", "zsh", "fish", "csh", "powershell"]
    theirs = make_venv(home / "theirs")
    (theirs / "bin" / "activate").touch()
    (theirs / "bin" / "activate.ps1").touch()
    rows = {row.shell: row.code for row in switching_on(look_at_place(theirs, "linux", False))}
    assert sorted(rows) == ["bash", "powershell", "zsh"]
    assert rows["powershell"] == f"& '{theirs}/bin/activate.ps1'"


def test_the_lines_of_windows() -> None:
    program = "C:\\Users\\an na\\miniforge3\\Scripts\\conda.exe"
    rows = {row.shell: row.code for row in hook_lines("D:\\e 1", "windows", program)}
    assert rows == {
        "cmd": 'call "C:\\Users\\an na\\miniforge3\\condabin\\conda.bat" activate "D:\\e 1"',
        "powershell": f"(& '{program}' shell.powershell hook) | Out-String | Invoke-Expression; "
        "conda activate 'D:\\e 1'",
    }
    micro = {row.shell: row.code for row in hook_lines("D:\\e", "windows", "C:\\micromamba.exe")}
    assert micro == {
        "powershell": "(& 'C:\\micromamba.exe' shell hook --shell powershell) | Out-String | Invoke-Expression; "
        "micromamba activate 'D:\\e'"
    }
    bare = {row.shell: row.code for row in path_lines("D:\\e", "windows")}
    assert bare["cmd"].startswith('set "PATH=D:\\e;D:\\e\\Library\\mingw-w64\\bin;')
    assert bare["cmd"].endswith(';%PATH%"')
    assert bare["powershell"].startswith("$env:PATH = 'D:\\e;")


@linux_only
def test_a_terminal_opens_for_a_condas_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = stand_in(home / "its conda")
    prefix = named(make_conda(home / "e", history=f"# cmd: {program} create -p x\n"))
    typed = home / "typed"
    terminal = home / "bin" / "x-terminal-emulator"
    terminal.parent.mkdir()
    terminal.write_text(f"#!/bin/sh\nshift\nprintf '%s\\n' \"python > '{typed}'; exit\" | \"$@\"\n")
    terminal.chmod(0o755)
    for name in ("CONDA_EXE", "TERMINAL", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("PATH", f"{terminal.parent}:{os.environ['PATH']}")
    monkeypatch.setattr("wizard.environment.activate.terminal.this_users_shell", lambda os_name: "powershell")
    pid = open_terminal(prefix, switching_on(look_at_place(prefix, "linux", False)))
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(HANG)
    assert typed.read_text().strip() == f"{prefix}/bin/python", "in bash: on Linux a powershell is rarely there"
