"""Switching an environment on in a shell, with no conda on the machine: the files for it, and the line to type.

A conda prefix of the built-in engine gets the same files in the same places as a virtual environment has, so the lines
are the same for both. An environment of a conda's own is switched on by that conda. Where neither is there, nothing is:
the Python is then called by its path.

A module file (Lmod, Environment Modules) does what that activation does, and leaves the user's own packages out: what
lies in ~/.local of one user must not break what all share. Two of them are never loaded together, whatever they are
called: the first Python on the PATH would run with the other's variables.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePath, PureWindowsPath

from wizard.environment.layout import is_conda_prefix
from wizard.system import paths
from wizard.system.places import places
from wizard.system.traits import of, this

_SCRIPT_OF = {
    "bash": "activate",
    "zsh": "activate",
    "sh": "activate",
    "fish": "activate.fish",
    "csh": "activate.csh",
    "powershell": "Activate.ps1",
    "cmd": "activate.bat",
}
# A prompt is looked through for commands and signs of its own each time that it is shown.
_NOT_IN_PROMPT = re.compile(r"[^\w.+@ -]")


@dataclass(frozen=True, slots=True)
class ShellLine:
    """`shell`: bash | zsh | fish | csh (tcsh, too) | powershell | cmd."""

    shell: str
    code: str


def write_activation(prefix: Path, os_name: str | None = None) -> None:
    """Write the scripts that switch an environment on. Raises OSError."""
    folder = scripts_folder(prefix, os_name)
    folder.mkdir(exist_ok=True)
    name = prompt_name(prefix)
    for file in of(os_name).activation_files:
        written = (paths.resources_dir() / "scripts" / "activation" / file).read_text(encoding="utf-8")
        quote = {".fish": quote_fish, ".csh": quote_csh}.get(PurePath(file).suffix, shlex.quote)
        filled = written.replace("@PREFIX@", quote(str(prefix))).replace("@NAME@", quote(f"({name}) "))
        newline = "\r\n" if file.endswith(".bat") else "\n"
        (folder / file).write_text(filled, encoding="utf-8", errors="surrogateescape", newline=newline)


def is_own_activation(prefix: Path) -> bool:
    """Tell whether `write_activation` made it, also one that wrote fewer files than today's."""
    folder = scripts_folder(prefix)
    try:
        files = [path for file in this().activation_files if (path := folder / file).is_file()]
        is_own = all(b"_TORCH_SETUP_" in path.read_bytes() for path in files)
    except OSError:
        return False
    return is_own and has_activation(prefix)


def scripts_folder(prefix: Path, os_name: str | None = None) -> Path:
    return prefix / of(os_name).scripts


def prompt_name(prefix: PurePath) -> str:
    return _NOT_IN_PROMPT.sub("_", prefix.name)


def has_activation(prefix: Path, os_name: str | None = None) -> bool:
    return (scripts_folder(prefix, os_name) / of(os_name).activation_mark).is_file()


def activation_lines(prefix: str, os_name: str) -> tuple[ShellLine, ...]:
    """Return the lines for an environment with the files of `write_activation` or of venv."""
    return tuple(ShellLine(shell, activation_line(prefix, os_name, shell)) for shell in of(os_name).shells)


def activation_line(prefix: str, os_name: str, shell: str, script: str = "") -> str:
    """Return the line for one shell. `script`: the file's name where it is not the usual one."""
    script = str(of(os_name).path(prefix, of(os_name).scripts, script or _SCRIPT_OF[shell]))
    if shell == "cmd":
        return quote_cmd(script)
    if shell == "powershell":
        return f"& {quote_powershell(script)}"
    return f"{'.' if shell == 'sh' else 'source'} {quoted(script, shell)}"


def conda_lines(prefix: str, os_name: str) -> tuple[ShellLine, ...]:
    """Return the lines for who has a conda that is set up for the shell."""
    return tuple(ShellLine(shell, f"conda activate {quoted(prefix, shell)}") for shell in of(os_name).shells)


def python_path(prefix: str, os_name: str, is_venv: bool) -> str:
    return places(os_name).python_path(prefix, is_venv)


def quoted(text: str, shell: str) -> str:
    """Return a text as one word of the shell: fish, csh, powershell, cmd, else sh."""
    if shell == "fish":
        return quote_fish(text)
    if shell == "csh":
        return quote_csh(text)
    if shell == "powershell":
        return quote_powershell(text)
    return quote_cmd(text) if shell == "cmd" else shlex.quote(text)


def quote_fish(text: str) -> str:
    """Quote a text for fish, which knows two signs inside single quotes: the quote and the backslash."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def quote_csh(text: str) -> str:
    """Quote a text for csh, which looks for its history in single quotes, too."""
    return shlex.quote(text).replace("!", "\\!")


def quote_powershell(text: str) -> str:
    """Quote a text for PowerShell, which takes the typographic quotes for straight ones, and a doubled one for
    itself."""
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


def quote_cmd(text: str) -> str:
    return f'"{text}"' if re.search(r"[^\w.:\\/-]", text) else text


# Switching on an environment that has no script of its own, which is what a conda makes: by the line for each shell.
#
# By a conda that is on no PATH: its hook first, then `activate`, in one line. Without any conda: by putting the
# environment's programs first; what packages do when a conda switches it on is then left out, which is said beside it.

_SCRIPTS = {
    "bash": ("activate",),
    "zsh": ("activate",),
    "fish": ("activate.fish",),
    "csh": ("activate.csh",),
    "cmd": ("activate.bat",),
    "powershell": ("Activate.ps1", "activate.ps1"),  # venv writes it so, virtualenv and uv so
}


def script_lines(prefix: Path, os_name: str) -> tuple[ShellLine, ...]:
    """Return the lines by the scripts that are really there, whoever wrote them."""
    found = []
    for shell in of(os_name).shells:
        name = next((one for one in _SCRIPTS[shell] if _is_file(scripts_folder(prefix, os_name) / one)), None)
        if name:
            found.append(ShellLine(shell, activation_line(str(prefix), os_name, shell, name)))
    return tuple(found)


def hook_lines(prefix: str, os_name: str, program: str) -> tuple[ShellLine, ...]:
    """Return the lines of a conda's own hook. `program`: a conda, mamba or micromamba, by its path. Of these only conda
    has a batch file for cmd. None for csh: it joins the lines of a hook that it reads."""
    command = command_of(program, os_name)
    shells = [shell for shell in of(os_name).shells if shell != "csh" and (shell != "cmd" or command == "conda")]
    return tuple(ShellLine(shell, _hook_line(prefix, program, command, shell)) for shell in shells)


def command_of(program: str, os_name: str) -> str:
    """Return the word that the hook defines."""
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
    """Return the lines that put its programs first, for this shell only."""
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


FAMILY = "pytorch"  # of which one module is loaded at a time
_BARE = re.compile(r"[^\w.+-]")


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """`what`: one line for `module whatis`. `is_conda`: of the two variables by which programs find an environment."""

    prefix: Path
    what: str
    is_conda: bool

    @property
    def variable(self) -> str:
        return "CONDA_PREFIX" if self.is_conda else "VIRTUAL_ENV"


def module_facts(prefix: Path, torch: str | None, python: str | None) -> ModuleFacts:
    inside = [f"PyTorch {torch}" if torch else "", f"Python {python}" if python else ""]
    return ModuleFacts(prefix, ", ".join(part for part in inside if part) or prefix.name, is_conda_prefix(prefix))


def lua_module(facts: ModuleFacts) -> str:
    """Return the module file for Lmod; of its family one is loaded at a time."""
    prefix = lua_quoted(str(facts.prefix))
    return f"""-- Written by Torch Setup. Lmod reads it; its name must end in .lua
help({lua_quoted(f"{facts.what}: {facts.prefix}")})
whatis({lua_quoted("Name: " + facts.prefix.name)})
whatis({lua_quoted("Description: " + facts.what)})
family("{FAMILY}")
local prefix = {prefix}
prepend_path("PATH", pathJoin(prefix, "bin"))
setenv("{facts.variable}", prefix)
setenv("PYTHONNOUSERSITE", "1")
"""


def tcl_module(facts: ModuleFacts) -> str:
    """Return the module file for Environment Modules, also before 5.1, which knows no families."""
    prefix = tcl_quoted(str(facts.prefix))
    help_text = tcl_quoted(f"{facts.what}: {facts.prefix}")
    return f"""#%Module1.0
# Written by Torch Setup. Environment Modules and Lmod read it.
proc ModulesHelp {{}} {{
    puts stderr {help_text}
}}
module-whatis {tcl_quoted(facts.what)}
set prefix {prefix}
if {{[llength [info commands family]]}} {{
    family {FAMILY}
}} elseif {{[module-info mode load] && [info exists env(TORCH_SETUP_MODULE)]}} {{
    # Environment Modules before 5.1 knows no families.
    puts stderr "Another PyTorch is loaded ($env(TORCH_SETUP_MODULE)): unload its module first."
    break
}}
setenv TORCH_SETUP_MODULE $prefix
prepend-path PATH $prefix/bin
setenv {facts.variable} $prefix
setenv PYTHONNOUSERSITE 1
"""


def lua_quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def tcl_quoted(text: str) -> str:
    """Quote a text for Tcl: inside double quotes these signs begin something."""
    return '"' + re.sub(r'([\\"$\[\]{};])', r"\\\1", text) + '"'


def module_name(path: Path) -> str:
    """Return the name as `module load` takes it: for Lmod without its suffix, and a version (`torch/2.14`) with its
    folder."""
    name = path.stem if path.suffix == ".lua" else path.name
    return f"{path.parent.name}/{name}" if name[:1].isdigit() and path.parent.name else name


def modules_folder(path: Path) -> Path:
    """Return what `module use` takes."""
    return path.parents[1] if "/" in module_name(path) else path.parent


def usual_name(prefix: Path, is_lua: bool) -> str:
    return _BARE.sub("-", prefix.name) + (".lua" if is_lua else "")
