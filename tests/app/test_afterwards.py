"""The lines for afterwards: in the right shell, quoted, and run for real where a shell is here."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools import needs
from wizard.app.pages.after_setup import SNIPPET, UsableEnvironment, afterwards, kernel_name, look_at_place, text_lines
from wizard.compatibility.model import ProjectUse
from wizard.environment.activate.scripts import write_activation

LINUX = UsableEnvironment("/home/ann/my 环境", "linux", "zsh", has_cuda=True)
WINDOWS = UsableEnvironment("C:\\Users\\ann\\my env", "windows", "powershell", has_cuda=True)


def codes(place: UsableEnvironment, name: str) -> list[str]:
    return [line.code for section in afterwards(place) if section.name == name for line in section.lines]


def test_the_users_shell_comes_first() -> None:
    assert codes(LINUX, "activate") == [
        "source '/home/ann/my 环境/bin/activate'",
        "source '/home/ann/my 环境/bin/activate'",
        "source '/home/ann/my 环境/bin/activate.fish'",
        "source '/home/ann/my 环境/bin/activate.csh'",
        "& '/home/ann/my 环境/bin/Activate.ps1'",
    ]
    section = next(one for one in afterwards(LINUX) if one.name == "activate")
    assert [line.label.params["shell"] for line in section.lines] == ["zsh", "bash", "fish", "csh, tcsh", "PowerShell"]
    assert codes(WINDOWS, "activate")[0] == "& 'C:\\Users\\ann\\my env\\Scripts\\Activate.ps1'"


def test_a_projects_folder_and_the_first_command_of_its_readme() -> None:
    project = ProjectUse("/home/ann/my project", command="python train.py", command_file="README.md")
    place = replace(LINUX, project=project)
    assert [section.name for section in afterwards(place)][:2] == ["activate", "project"]
    assert codes(place, "project") == ["cd '/home/ann/my project'", "code '/home/ann/my project'", "python train.py"]
    assert len(codes(replace(place, project=replace(project, command="")), "project")) == 2
    windows = replace(WINDOWS, shell="cmd", project=replace(project, folder="D:\\a b"))
    assert codes(windows, "project")[0] == 'cd /d "D:\\a b"'


def test_without_a_conda_nothing_needs_one() -> None:
    for place in (LINUX, WINDOWS):
        lines = [line.code for section in afterwards(place) for line in section.lines]
        assert lines
        assert not any("conda" in line for line in lines)


def test_a_condas_own_environment_and_one_with_nothing() -> None:
    own = UsableEnvironment("/e/t", "linux", "bash", has_script=False, conda=True)
    assert codes(own, "activate")[0] == "conda activate /e/t"
    both = UsableEnvironment("/e/t", "linux", "bash", conda=True)
    assert codes(both, "activate")[0] == "source /e/t/bin/activate"
    assert codes(both, "activate")[-1] == "conda activate /e/t"
    bare = UsableEnvironment("/e/t", "linux", "bash", has_script=False)
    assert [section.name for section in afterwards(bare)] == ["run", "jupyter", "editor", "program"]


def test_windows_says_how_scripts_are_allowed_for_one_window() -> None:
    lines = next(one for one in afterwards(WINDOWS) if one.name == "activate").lines
    assert lines[0].note is not None
    assert "Process" in str(lines[0].note.params["line"])
    assert lines[1].note is None


def test_the_card_only_where_there_is_one() -> None:
    assert codes(LINUX, "cards")[0] == "CUDA_VISIBLE_DEVICES=0 python my_program.py"
    assert codes(WINDOWS, "cards")[1] == "$env:CUDA_LAUNCH_BLOCKING = '1'; python my_program.py"
    assert codes(UsableEnvironment("C:\\e", "windows", "cmd", has_cuda=True), "cards")[0].startswith(
        'set "CUDA_VISIBLE_DEVICES=0"'
    )
    assert codes(UsableEnvironment("/e", "linux", "bash"), "cards") == []


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("/e/torch-2.15", "torch-2.15"),
        ("/e/My Env", "my-env"),
        ("/e/!", "torch"),
        ("/e/环境", "torch-8227"),
        ("/e/环境 b!", "b-8490"),
    ],
)
def test_jupyter_takes_plain_names_only(prefix: str, name: str) -> None:
    assert kernel_name(prefix, "linux") == name
    assert f"--name {name} " in codes(UsableEnvironment(prefix, "linux", "bash"), "jupyter")[1]


def test_what_jupyter_has_already_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    assert "pip install ipykernel" in codes(look_at_place(tmp_path, "linux", False), "jupyter")[0]
    (tmp_path / "lib" / "python3.12" / "site-packages" / "ipykernel").mkdir(parents=True)
    (listing,) = codes(look_at_place(tmp_path, "linux", False), "jupyter")
    assert "ipykernel install --user" in listing


def test_the_interpreter_of_each_kind() -> None:
    assert codes(WINDOWS, "editor") == ["C:\\Users\\ann\\my env\\python.exe"]
    venv = UsableEnvironment("C:\\e", "windows", "cmd", is_venv=True)
    assert codes(venv, "editor") == ["C:\\e\\Scripts\\python.exe"]
    assert codes(venv, "run") == ["C:\\e\\Scripts\\python.exe my_program.py"]
    assert codes(WINDOWS, "run") == ["& 'C:\\Users\\ann\\my env\\python.exe' my_program.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="run in a shell of Linux")
@pytest.mark.parametrize("shell", ["bash", pytest.param("csh", marks=needs("csh"))])
def test_the_lines_run(shell: str, tmp_path: Path) -> None:
    """The environment's Python is a script that says how it was called."""
    prefix = tmp_path / "it's 环境!"
    (prefix / "bin").mkdir(parents=True)
    python = prefix / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "%s|" "$CUDA_VISIBLE_DEVICES$CUDA_LAUNCH_BLOCKING" "$@"\necho\n')
    python.chmod(0o755)
    write_activation(prefix, "linux")
    seen = look_at_place(prefix, "linux", has_cuda=True)
    assert seen.has_script
    place = UsableEnvironment(str(prefix), "linux", shell, has_cuda=True)
    lines = [*codes(place, "run"), *codes(place, "jupyter"), codes(place, "activate")[0], *codes(place, "cards")]
    done = subprocess.run(
        [shell, "-c", "\n".join(lines)], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "|my_program.py|",
        "|-m|pip|install|ipykernel|",
        "|-m|ipykernel|install|--user|--name|it-s-7212|--display-name|PyTorch (it's 环境!)|",
        "0|my_program.py|",
        "1|my_program.py|",
    ]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_on_a_terminal(language: str) -> None:
    every = list(text_lines(afterwards(WINDOWS), language))
    short = list(text_lines(afterwards(WINDOWS), language, all_shells=False))
    assert sum("activate" in line.lower() for line in short) < sum("activate" in line.lower() for line in every)
    for line in SNIPPET.splitlines():
        assert f"    {line}" in short
    assert any("Set-ExecutionPolicy" in line for line in short)
