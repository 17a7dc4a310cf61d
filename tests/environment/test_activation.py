"""Switched on in real shells, off again, without a conda; for the others the text is looked at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment.conftest import plain_environment
from tests.tools import needs, path_of
from wizard.environment.activate.scripts import (
    activation_line,
    activation_lines,
    has_activation,
    prompt_name,
    quote_cmd,
    quote_fish,
    quote_powershell,
    write_activation,
)
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.create.venv_engine import VenvEngine
from wizard.environment.model import Target

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux shells")
ASK = "python -c 'import sys; print(sys.prefix)'"


def shell_run(shell: str, code: str, home: Path, **more: str) -> list[str]:
    program = path_of(shell)
    options = {"bash": ["--norc", "--noprofile"], "fish": ["--no-config"]}
    options |= dict.fromkeys(("zsh", "csh", "tcsh"), ["-f"])
    done = subprocess.run(
        [program, *options.get(shell, []), "-c", code],
        env={**plain_environment(home), **more},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


@linux
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
def test_on_and_off_again(place: Path, home: Path, shell: str) -> None:
    line = activation_line(str(place), "linux", "sh" if shell == "dash" else shell)
    said = shell_run(
        shell,
        f'{line}\npython\necho "$CONDA_PREFIX"\ndeactivate\necho "[$CONDA_PREFIX]"\necho "$PATH"\n'
        "command -v deactivate || echo gone\n",
        home,
    )
    path = "/usr/local/bin /usr/bin /bin" if shell == "fish" else "/usr/local/bin:/usr/bin:/bin"
    expected = [f"{place}/bin/python", str(place), "[]", path, "gone"]
    assert [one.replace(":", " ") if shell == "fish" else one for one in said] == expected


@linux
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_twice_and_over_a_conda_and_with_scripts_of_packages(place: Path, home: Path, shell: str) -> None:
    """What was active before is there again; PYTHONHOME would lead astray; packages have scripts of their own."""
    ending = "fish" if shell == "fish" else "sh"
    for name, value in (("activate.d", "on"), ("deactivate.d", "off")):
        folder = place / "etc" / "conda" / name
        folder.mkdir(parents=True)
        setting = f"set -gx OF_A_PACKAGE {value}" if shell == "fish" else f"export OF_A_PACKAGE={value}"
        (folder / f"openssl.{ending}").write_text(setting + "\n")
    line = activation_line(str(place), "linux", shell)
    code = f'{line}\n{line}\necho "$OF_A_PACKAGE [$PYTHONHOME]"\ndeactivate\necho "$CONDA_PREFIX $CONDA_DEFAULT_ENV"\n'
    code += 'echo "$OF_A_PACKAGE $PYTHONHOME"\n'
    said = shell_run(shell, code, home, CONDA_PREFIX="/opt/conda", CONDA_DEFAULT_ENV="base", PYTHONHOME="/wrong")
    assert said == ["on []", "/opt/conda base", "off /wrong"]


STATE = {"OF_ENV": 'it\'s $HOME `x` \\n "q" 变量!', "REPLACED": "new", "GONE": "***unset***", "bad-name": "x", "N": 1}


@linux
@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "fish", "tcsh"])
def test_variables_that_conda_keeps_for_the_environment(place: Path, home: Path, shell: str) -> None:
    """Those of `conda env config vars set`; what was there before is there again."""
    (place / "conda-meta").mkdir()
    state = place / "conda-meta" / "state"
    state.write_text(json.dumps({"version": 1, "env_vars": STATE}), encoding="utf-8")
    (place / "bin" / "python").write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    line = activation_line(str(place), "linux", {"dash": "sh", "tcsh": "csh"}.get(shell, shell))
    show = "env | grep -E '^(OF_ENV|REPLACED|GONE)=' | sort"
    code = f"{line}\n{show}\ndeactivate\necho off\n{show}\n"
    said = shell_run(shell, code, home, REPLACED="old's !", GONE="here")
    assert said == [f"OF_ENV={STATE['OF_ENV']}", "REPLACED=new", "off", "GONE=here", "REPLACED=old's !"]
    state.write_text("no json")
    assert shell_run(shell, f"{line}\n{show}\necho end\n", home)[-1] == "end"


def state_lines(kind: str, prefix: Path, environment: dict[str, str]) -> dict[str, str]:
    """The environment after the lines, as the command prompt and PowerShell carry them out."""
    script = prefix / "Scripts" / "state_variables.py"
    done = subprocess.run([sys.executable, "-I", str(script), kind], env=environment, capture_output=True, check=True)
    after = dict(environment)
    for line in done.stdout.decode().splitlines():
        name, _, value = line.partition("=")
        after.pop(name, None)
        after |= {name: value} if value else {}
    return after


def kept_by_conda(prefix: Path, **more: str) -> None:
    (prefix / "conda-meta").mkdir(parents=True)
    state = {"version": 1, "env_vars": {**STATE, **more}}
    (prefix / "conda-meta" / "state").write_text(json.dumps(state), encoding="utf-8")
    write_activation(prefix, "windows")


def test_lines_with_variables_for_shells_of_windows(tmp_path: Path) -> None:
    kept_by_conda(tmp_path, TWO_LINES="a\nPATH=gone")
    before = {**os.environ, "REPLACED": "old's ! = %PATH%", "GONE": "here"}
    on = state_lines("lines", tmp_path, before)
    assert {name: on.get(name) for name in ("OF_ENV", "REPLACED", "GONE", "PATH", "TWO_LINES", "bad-name")} == {
        "OF_ENV": STATE["OF_ENV"],
        "REPLACED": "new",
        "GONE": None,
        "PATH": before["PATH"],
        "TWO_LINES": None,
        "bad-name": None,
    }
    assert state_lines("lines-off", tmp_path, on) == before
    (tmp_path / "conda-meta" / "state").write_text("no json")
    assert state_lines("lines", tmp_path, before) == before


@linux
@pytest.mark.slow  # a new folder of Wine's
def test_variables_in_the_command_prompt(tmp_path: Path) -> None:
    """Wine's cmd; what Python says was said before, because that cmd reads no Linux program's output."""
    wine, prefix = path_of("/usr/lib/wine/wine64"), tmp_path / "e 1"
    kept_by_conda(prefix, OF_ENV='100%PATH% & "x" ! ^ (1) = |')
    scripts = prefix / "Scripts"
    environment = {"REPLACED": "old & (1)", "GONE": "here"}
    for kind in ("lines", "lines-off"):
        said = subprocess.run(
            [sys.executable, "-I", str(scripts / "state_variables.py"), kind],
            env=environment,
            capture_output=True,
            check=True,
        ).stdout
        (scripts / f"{kind}.txt").write_bytes(said)
        environment |= dict(line.split("=", 1) for line in said.decode().splitlines())
    (prefix / "python.bat").write_text('@type "%~dp0Scripts\\%3.txt"\n', newline="\r\n")
    for name in ("activate.bat", "deactivate.bat"):
        text = (scripts / name).read_text().replace("python.exe", "python.bat")
        (scripts / name).write_text(text, newline="\r\n")
    show = "set OF_ENV\nset REPLACED\nset GONE\nset _TORCH_SETUP_STATE\n"
    on, off = (f'call "%~dp0e 1\\Scripts\\{name}.bat"\n' for name in ("activate", "deactivate"))
    (tmp_path / "go.bat").write_text(f"@echo off\n{on}{show}echo is off\n{off}{show}", newline="\r\n")
    done = subprocess.run(
        [wine, "cmd", "/c", "Z:" + str(tmp_path / "go.bat").replace("/", "\\")],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "REPLACED": "old & (1)",
            "GONE": "here",
            "WINEPREFIX": str(tmp_path / "wine"),
            "WINEDEBUG": "-all",
        },
        timeout=300,
    )
    told = [line for line in done.stdout.splitlines() if not line.startswith("_TORCH_SETUP_STATE")]
    assert told[:2] == ['OF_ENV=100%PATH% & "x" ! ^ (1) = |', "REPLACED=new"], done.stdout + done.stderr
    assert told[told.index("is off") :] == ["is off", "REPLACED=old & (1)", "GONE=here"]


@linux
def test_csh(place: Path, home: Path) -> None:
    """On, over another one, with scripts of packages, and off again."""
    for name, value in (("activate.d", "on"), ("deactivate.d", "off")):
        folder = place / "etc" / "conda" / name
        folder.mkdir(parents=True)
        (folder / "openssl.csh").write_text(f"setenv OF_A_PACKAGE {value}\n")
    line = activation_line(str(place), "linux", "csh")
    code = f'{line}\n{line}\npython\necho "$CONDA_PREFIX:q" "$OF_A_PACKAGE" $?PYTHONHOME\ndeactivate\n'
    code += (
        'echo "$CONDA_PREFIX $CONDA_DEFAULT_ENV $OF_A_PACKAGE $PYTHONHOME"\necho "$PATH"\nalias deactivate\necho end\n'
    )
    said = shell_run("tcsh", code, home, CONDA_PREFIX="/opt/conda", CONDA_DEFAULT_ENV="base", PYTHONHOME="/wrong")
    path = plain_environment(home)["PATH"]
    assert said == [f"{place}/bin/python", f"{place} on 0", "/opt/conda base off /wrong", path, "end"]


@linux
@pytest.mark.parametrize("options", ["-eu", "-euo pipefail"])
def test_strict_scripts_can_use_it(place: Path, home: Path, options: str) -> None:
    line = activation_line(str(place), "linux", "bash")
    assert shell_run("bash", f"set {options}\n{line}\npython\ndeactivate\necho end", home)[-1] == "end"


@linux
def test_a_venv_that_is_on_goes_off_first(place: Path, home: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True, timeout=120)
    code = f". {home}/venv/bin/activate\n{activation_line(str(place), 'linux', 'bash')}\n"
    said = shell_run("bash", f'{code}echo "[$VIRTUAL_ENV]"\ndeactivate\necho "$PATH"\n', home)
    assert said == ["[]", plain_environment(home)["PATH"]]


@linux
@pytest.mark.parametrize("shell", ["bash", "zsh", "dash"])
def test_a_program_called_deactivate_is_not_run(place: Path, home: Path, tmp_path: Path, shell: str) -> None:
    """pyenv-virtualenv puts one on PATH, which only complains; VIRTUAL_ENV comes from the shell around."""
    (tmp_path / "deactivate").write_text("#!/bin/sh\necho complains >&2\n", encoding="utf-8")
    (tmp_path / "deactivate").chmod(0o755)
    path = f"{tmp_path}:{plain_environment(home)['PATH']}"
    line = activation_line(str(place), "linux", "sh" if shell == "dash" else shell)
    said = shell_run(shell, f"{line}\npython", home, PATH=path, VIRTUAL_ENV="/elsewhere")
    assert said == [f"{place}/bin/python"]


@linux
def test_the_prompt_names_it_and_runs_nothing(home: Path) -> None:
    prefix = home / "$(touch pwned) %n `x` 环境"
    (prefix / "bin").mkdir(parents=True)
    write_activation(prefix, "linux")
    line = activation_line(str(prefix), "linux", "bash")
    said = shell_run("bash", f'PS1="> "\n{line}\necho "${{PS1@P}}"\ndeactivate\necho "$PS1"\n', home)
    assert said == ["(__touch pwned_ _n _x_ 环境) > ", "> "]
    assert prompt_name(Path("/e/torch-2.15_cu126")) == "torch-2.15_cu126"


@linux
@pytest.mark.parametrize("shells", ["bash", pytest.param("zsh fish", marks=needs("zsh", "fish"))])
@pytest.mark.parametrize("engine", ["rattler", "venv"])
def test_real_environments_in_every_shell(
    engine: str, shells: str, prefix: Path, home: Path, minor: str, base_python: Path, conda_channel: str
) -> None:
    target = Target(prefix, minor, engine, base_python=base_python, channels=(conda_channel,))
    made = RattlerEngine() if engine == "rattler" else VenvEngine()
    made.create(target, lambda *_: None, lambda: False)
    assert has_activation(prefix, "linux")
    for line in activation_lines(str(prefix), "linux"):
        if line.shell == "powershell":
            assert (prefix / "bin" / "Activate.ps1").is_file()
        elif line.shell in shells.split():
            assert shell_run(line.shell, f"{line.code}\n{ASK}", home) == [str(prefix)], line


# -- PowerShell and the command prompt: recorded rules, no program here


def test_windows_files_have_no_path_in_them(tmp_path: Path) -> None:
    """They find their own place: a batch file with Chinese letters in it is read in another code page."""
    prefix = tmp_path / "环境"
    prefix.mkdir()
    write_activation(prefix, "windows")
    assert sorted(path.name for path in (prefix / "Scripts").iterdir()) == [
        "Activate.ps1",
        "activate.bat",
        "deactivate.bat",
        "state_variables.py",
    ]
    for path in (prefix / "Scripts").iterdir():
        content = path.read_bytes()
        assert content.isascii(), path
        assert str(tmp_path).encode() not in content
        assert content.count(b"\r\n") == (content.count(b"\n") if path.suffix == ".bat" else 0)
        assert b"@PREFIX@" not in content
    batch = (prefix / "Scripts" / "activate.bat").read_text()
    for folder in (r"Library\bin", r"Library\usr\bin", r"Library\mingw-w64\bin", "Scripts"):
        assert f"%CONDA_PREFIX%\\{folder};%PATH%" in batch
    sets = [line for line in batch.splitlines() if line.startswith("set ")]
    assert all(line.startswith('set "') and line.endswith('"') for line in sets)


def test_lines_for_windows() -> None:
    lines = {line.shell: line.code for line in activation_lines("C:\\it's 环境", "windows")}
    assert lines == {
        "powershell": "& 'C:\\it''s 环境\\Scripts\\Activate.ps1'",
        "cmd": '"C:\\it\'s 环境\\Scripts\\activate.bat"',
    }
    assert activation_line("C:\\torch", "windows", "cmd") == "C:\\torch\\Scripts\\activate.bat"


def test_quotes() -> None:
    assert quote_fish("a'b\\c") == "'a\\'b\\\\c'"
    assert quote_powershell("a\u2019b'c") == "'a\u2019\u2019b''c'"
    assert quote_cmd("C:\\a&b") == '"C:\\a&b"'
