"""Switching an environment on in a shell, with no conda on the machine: the files for it, and the line to type.

A conda prefix of the built-in engine gets the same files in the same places as a virtual environment has, so the lines
are the same for both. An environment of a conda's own is switched on by that conda. Where neither is there, nothing is:
the Python is then called by its path.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePath

from wizard import paths
from wizard.system.places import places
from wizard.system.traits import of

_SCRIPT_OF = {
    "bash": "activate", "zsh": "activate", "sh": "activate", "fish": "activate.fish", "csh": "activate.csh",
    "powershell": "Activate.ps1", "cmd": "activate.bat",
}  # fmt: skip
# A prompt is looked through for commands and signs of its own each time that it is shown.
_NOT_IN_PROMPT = re.compile(r"[^\w.+@ -]")


@dataclass(frozen=True, slots=True)
class ShellLine:
    """`shell`: bash | zsh | fish | csh (tcsh, too) | powershell | cmd."""

    shell: str
    code: str


def write_activation(prefix: Path, os_name: str | None = None) -> None:
    """Raises OSError."""
    folder = scripts_folder(prefix, os_name)
    folder.mkdir(exist_ok=True)
    name = prompt_name(prefix)
    for file in of(os_name).activation_files:
        written = (paths.resources_dir() / "scripts" / "activation" / file).read_text(encoding="utf-8")
        quote = {".fish": quote_fish, ".csh": quote_csh}.get(PurePath(file).suffix, shlex.quote)
        filled = written.replace("@PREFIX@", quote(str(prefix))).replace("@NAME@", quote(f"({name}) "))
        newline = "\r\n" if file.endswith(".bat") else "\n"
        (folder / file).write_text(filled, encoding="utf-8", errors="surrogateescape", newline=newline)


def is_own_activation(prefix: Path, os_name: str | None = None) -> bool:
    """Whether `write_activation` made it, also one that wrote fewer files than today's."""
    folder = scripts_folder(prefix, os_name)
    try:
        files = [path for file in of(os_name).activation_files if (path := folder / file).is_file()]
        is_own = all(b"_TORCH_SETUP_" in path.read_bytes() for path in files)
    except OSError:
        return False
    return is_own and has_activation(prefix, os_name)


def scripts_folder(prefix: Path, os_name: str | None = None) -> Path:
    return prefix / of(os_name).scripts


def prompt_name(prefix: PurePath) -> str:
    return _NOT_IN_PROMPT.sub("_", prefix.name)


def has_activation(prefix: Path, os_name: str | None = None) -> bool:
    return (scripts_folder(prefix, os_name) / of(os_name).activation_mark).is_file()


def activation_lines(prefix: str, os_name: str) -> tuple[ShellLine, ...]:
    """For an environment with the files of `write_activation` or of venv."""
    return tuple(ShellLine(shell, activation_line(prefix, os_name, shell)) for shell in of(os_name).shells)


def activation_line(prefix: str, os_name: str, shell: str, script: str = "") -> str:
    """`script`: the file's name where it is not the usual one."""
    script = str(of(os_name).path(prefix, of(os_name).scripts, script or _SCRIPT_OF[shell]))
    if shell == "cmd":
        return quote_cmd(script)
    if shell == "powershell":
        return f"& {quote_powershell(script)}"
    return f"{'.' if shell == 'sh' else 'source'} {quoted(script, shell)}"


def conda_lines(prefix: str, os_name: str) -> tuple[ShellLine, ...]:
    """For who has a conda that is set up for the shell."""
    return tuple(ShellLine(shell, f"conda activate {quoted(prefix, shell)}") for shell in of(os_name).shells)


def python_path(prefix: str, os_name: str, is_venv: bool) -> str:
    return places(os_name).python_path(prefix, is_venv)


def quoted(text: str, shell: str) -> str:
    if shell == "fish":
        return quote_fish(text)
    if shell == "csh":
        return quote_csh(text)
    if shell == "powershell":
        return quote_powershell(text)
    return quote_cmd(text) if shell == "cmd" else shlex.quote(text)


def quote_fish(text: str) -> str:
    """Inside single quotes fish knows two signs: the quote and the backslash."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def quote_csh(text: str) -> str:
    """csh looks for its history in single quotes, too."""
    return shlex.quote(text).replace("!", "\\!")


def quote_powershell(text: str) -> str:
    """PowerShell takes the typographic quotes for straight ones, and a doubled one for itself."""
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


def quote_cmd(text: str) -> str:
    return f'"{text}"' if re.search(r"[^\w.:\\/-]", text) else text
