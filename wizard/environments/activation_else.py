"""Switching on an environment that has no script of its own, which is what a conda makes: by the line for each shell.

By a conda that is on no PATH: its hook first, then `activate`, in one line. Without any conda: by putting the
environment's programs first; what packages do when a conda switches it on is then left out, which is said beside it.
"""

from __future__ import annotations

import os
from pathlib import Path, PureWindowsPath

from wizard.environments.activation import (
    ShellLine,
    activation_line,
    quoted,
    scripts_folder,
)
from wizard.system.traits import of

_SCRIPTS = {
    "bash": ("activate",), "zsh": ("activate",), "fish": ("activate.fish",), "csh": ("activate.csh",),
    "cmd": ("activate.bat",),
    "powershell": ("Activate.ps1", "activate.ps1"),  # venv writes it so, virtualenv and uv so
}  # fmt: skip


def script_lines(prefix: Path, os_name: str) -> tuple[ShellLine, ...]:
    """By the scripts that are really there, whoever wrote them."""
    found = []
    for shell in of(os_name).shells:
        name = next((one for one in _SCRIPTS[shell] if _is_file(scripts_folder(prefix, os_name) / one)), None)
        if name:
            found.append(ShellLine(shell, activation_line(str(prefix), os_name, shell, name)))
    return tuple(found)


def hook_lines(prefix: str, os_name: str, program: str) -> tuple[ShellLine, ...]:
    """`program`: a conda, mamba or micromamba, by its path. Of these only conda has a batch file for cmd.
    None for csh: it joins the lines of a hook that it reads."""
    command = command_of(program, os_name)
    shells = [shell for shell in of(os_name).shells if shell != "csh" and (shell != "cmd" or command == "conda")]
    return tuple(ShellLine(shell, _hook_line(prefix, program, command, shell)) for shell in shells)


def command_of(program: str, os_name: str) -> str:
    """The word that the hook defines."""
    return of(os_name).path(program).stem.lower()


def _hook_line(prefix: str, program: str, command: str, shell: str) -> str:
    called, activate = quoted(program, shell), f"{command} activate {quoted(prefix, shell)}"
    if shell == "cmd":
        return f"call {quoted(_batch_file(program), shell)} activate {quoted(prefix, shell)}"
    # mamba and micromamba are asked for the shell's code in another way than conda.
    hook = f"shell.{shell} hook" if command == "conda" else f"shell hook --shell {shell}"
    if shell == "fish":
        return f"{called} {hook} | source; {activate}"
    if shell == "powershell":
        return f"(& {called} {hook}) | Out-String | Invoke-Expression; {activate}"
    return f'eval "$({called} {hook})" && {activate}'


def _batch_file(program: str) -> str:
    return str(PureWindowsPath(program).parent.parent / "condabin" / "conda.bat")


def path_lines(prefix: str, os_name: str) -> tuple[ShellLine, ...]:
    """Its programs first, for this shell only."""
    system = of(os_name)
    programs = system.list_separator.join(str(system.path(prefix, folder)) for folder in system.program_folders)
    return tuple(ShellLine(shell, _path_line(programs, shell, system.list_separator)) for shell in system.shells)


def _path_line(programs: str, shell: str, separator: str) -> str:
    if shell == "powershell":
        return f"$env:PATH = {quoted(programs + separator, shell)} + $env:PATH"
    if shell == "cmd":
        return f'set "PATH={programs};%PATH%"'
    if shell == "fish":
        return f"set -gx PATH {quoted(programs, shell)} $PATH"
    if shell == "csh":
        return f'setenv PATH {quoted(programs, shell)}:"$PATH"'
    return f'export PATH={quoted(programs, shell)}:"$PATH"'


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 (Path.is_file raises in a folder we may not enter)
