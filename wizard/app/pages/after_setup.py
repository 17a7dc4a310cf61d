"""What a person does after the setup, as lines to copy: switch the environment on, run, Jupyter, VS Code, the card.

Data only, for the last page, the end of `setup` and `envs show`. Which shell comes first is the user's own; every line
works without a conda, where the environment is not a conda's. One file: one value, each section a few lines of it.
"""

from __future__ import annotations

import contextlib
import os as system
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

from wizard.compatibility.model import Plan, ProjectUse
from wizard.environment.activate.programs import KERNEL_PACKAGE, has_kernel
from wizard.environment.activate.scripts import (
    ShellLine,
    activation_lines,
    command_of,
    conda_lines,
    has_activation,
    hook_lines,
    path_lines,
    python_path,
    quoted,
    script_lines,
)
from wizard.environment.activate.terminal import this_users_shell
from wizard.environment.conda.find import executable_in
from wizard.environment.inspect.look import is_conda_base
from wizard.environment.layout import is_conda_prefix, read_text
from wizard.machine.host import condas
from wizard.model.errors import WizardError
from wizard.model.messages import Message, message, text
from wizard.run.plan.plan_file import read_plan
from wizard.run.run_folder import run_folders
from wizard.system import paths
from wizard.system.traits import of

# Which conda an environment belongs to, so that it can be switched on where that conda is on no PATH.
#
# By what our own run used, by what conda wrote into the environment's history, by where it lies; else any conda of this
# computer will do, since each can switch on what another one made. No process is started.

_HEAD = 4096
_COMMAND = re.compile(r"^# cmd: (.+?) (?:create|install|update|env)\b", re.MULTILINE)


def conda_for(prefix: Path) -> Path | None:
    """The program; None where this computer has none."""
    for place in _places(prefix):
        with contextlib.suppress(WizardError, OSError):
            return executable_in(place)
    return None


def _places(prefix: Path) -> Iterator[Path]:
    """Programs or installations, that are perhaps gone."""
    yield from _of_runs(prefix)
    said = _COMMAND.search(read_text(prefix / "conda-meta" / "history", _HEAD) or "")
    if said and Path(said[1]).is_absolute():
        program = Path(said[1])
        # `conda-script.py` on Windows: the program is found from the installation.
        yield program if program.stem in condas.KINDS else program.parent.parent
    if prefix.parent.name == "envs" and is_conda_base(prefix.parent.parent):
        yield prefix.parent.parent
    yield from (executable for _, executable, _ in condas.candidates(system.environ))


def _of_runs(prefix: Path) -> Iterator[Path]:
    yield from (Path(plan.conda) for plan in _plans_of(prefix) if plan.conda)


def _plans_of(prefix: Path) -> Iterator[Plan]:
    for folder in run_folders():
        with contextlib.suppress(WizardError):
            plan = read_plan(folder.plan)
            if system.path.normcase(plan.prefix) == system.path.normcase(prefix):
                yield plan


SNIPPET = """\
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.rand(3, 3, device=device)
print(x @ x, torch.__version__)
"""
_KERNEL_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class UsableEnvironment:
    """An environment to be used. `has_script`: it has an activation of its own; `conda`: one is at hand for it."""

    prefix: str
    os: str
    shell: str
    is_venv: bool = False
    has_script: bool = True
    conda: bool = False
    has_cuda: bool = False
    lines: tuple[ShellLine, ...] = ()  # those that were seen to be right; else they are made of the above
    way: str = "script"  # script | hook (of a conda on no PATH) | path (no conda at all)
    command: str = "conda"  # what the hook defines
    project: ProjectUse | None = None  # whose environment it is
    has_kernel: bool = False  # the package that Jupyter needs is in it


@dataclass(frozen=True, slots=True)
class Line:
    """`code` is to be copied as it is; `label` says what for, `note` what may be in the way."""

    label: Message
    code: str
    note: Message | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """`name`: activate | project | run | jupyter | editor | cards | program."""

    name: str
    title: Message
    lines: tuple[Line, ...]


def project_of(prefix: Path) -> ProjectUse | None:
    """Return the project that this environment was set up for, if its folder is still there."""
    return next((one for plan in _plans_of(prefix) if (one := plan.project) and Path(one.folder).is_dir()), None)


def look_at_place(prefix: Path, os_name: str, has_cuda: bool) -> UsableEnvironment:
    """What is there now, for this user."""
    is_venv = (prefix / "pyvenv.cfg").is_file()
    place = UsableEnvironment(
        str(prefix),
        os_name,
        this_users_shell(os_name),
        is_venv=is_venv,
        has_script=has_activation(prefix, os_name),
        conda=is_conda_prefix(prefix) and bool(system.environ.get("CONDA_EXE") or paths.find_program("conda")),
        has_cuda=has_cuda,
        project=project_of(prefix),
        has_kernel=has_kernel(prefix),
    )
    if place.has_script:
        return replace(place, lines=script_lines(prefix, os_name))
    return place if place.conda else _without_script(place, prefix)


def _without_script(place: UsableEnvironment, prefix: Path) -> UsableEnvironment:
    program = conda_for(prefix) if is_conda_prefix(prefix) else None
    if program is None:
        return replace(place, lines=path_lines(place.prefix, place.os), way="path")
    lines = hook_lines(place.prefix, place.os, str(program))
    return replace(place, lines=lines, way="hook", command=command_of(str(program), place.os))


def afterwards(place: UsableEnvironment) -> tuple[Section, ...]:
    """In the order of their use; a section without a line is left out."""
    rows = (
        ("activate", _activation(place)),
        ("project", _project(place)),
        ("run", _run(place)),
        ("jupyter", _jupyter(place)),
        ("editor", (_line("editor", python_path(place.prefix, place.os, place.is_venv)),)),
        ("cards", _cards(place) if place.has_cuda else ()),
        ("program", (_line("program", SNIPPET.rstrip("\n")),)),
    )
    return tuple(Section(name, _title(name, place), lines) for name, lines in rows if lines)


def _title(name: str, place: UsableEnvironment) -> Message:
    if name != "activate" or place.way == "script":
        return message(f"afterwards.{name}.title")
    return message(f"afterwards.activate-{place.way}.title", command=place.command)


def switching_on(place: UsableEnvironment) -> tuple[ShellLine, ...]:
    """The user's shell first. Empty where nothing was looked at and nothing is known."""
    if place.lines:
        rows = place.lines
    elif place.has_script or place.conda:
        make = activation_lines if place.has_script else conda_lines
        rows = make(place.prefix, place.os)
    else:
        rows = ()
    return tuple(sorted(rows, key=lambda row: row.shell != place.shell))


def _line(name: str, code: str, note: Message | None = None, **params: str) -> Line:
    return Line(message(f"afterwards.{name}.label", **params), code, note)


def _activation(place: UsableEnvironment) -> tuple[Line, ...]:
    """The user's shell first; for who has a conda, its own line last."""
    rows = switching_on(place)
    lines = [_line("activate", row.code, _shell_note(place, row), shell=_NAMES[row.shell]) for row in rows]
    if place.has_script and place.conda:
        own = next(row for row in conda_lines(place.prefix, place.os) if row.shell == _shell(place))
        lines.append(_line("activate-conda", own.code))
    return tuple(lines)


_NAMES = {"bash": "bash", "zsh": "zsh", "fish": "fish", "csh": "csh, tcsh", "powershell": "PowerShell", "cmd": "cmd"}


def _shell_note(place: UsableEnvironment, row: ShellLine) -> Message | None:
    """Windows forbids scripts to PowerShell unless somebody allowed them; for one window anybody may."""
    if of(place.os).powershell_wants_leave and row.shell == "powershell" and place.has_script:
        return message("afterwards.policy", line="Set-ExecutionPolicy -Scope Process Bypass")
    return None


def _shell(place: UsableEnvironment) -> str:
    known = of(place.os).shells
    return place.shell if place.shell in known else known[0]


def _python(place: UsableEnvironment) -> str:
    """As the first word of a command in the user's shell."""
    python = python_path(place.prefix, place.os, place.is_venv)
    written = quoted(python, _shell(place))
    return f"& {written}" if _shell(place) == "powershell" else written


def _project(place: UsableEnvironment) -> tuple[Line, ...]:
    """Its folder in a terminal and in VS Code, and what its README runs first, as it stands there."""
    project, shell = place.project, _shell(place)
    if project is None:
        return ()
    folder = quoted(project.folder, shell)
    lines = (
        _line("project-folder", f"cd /d {folder}" if shell == "cmd" else f"cd {folder}"),
        _line("project-editor", f"code {folder}"),
    )
    said = _line("project-command", project.command, file=project.command_file)
    return (*lines, said) if project.command else lines


def _run(place: UsableEnvironment) -> tuple[Line, ...]:
    return (_line("run", f"{_python(place)} my_program.py"),)


def kernel_name(prefix: str, os: str) -> str:
    """Jupyter takes plain letters, digits, dot, hyphen and underscore; a name with other letters gets a number
    for them, so that 测试一 and 测试二 do not replace each other."""
    name = _folder_name(prefix, os)
    plain = _KERNEL_NAME.sub("-", name).strip("-.").lower()
    return plain or "torch" if name.isascii() else f"{plain or 'torch'}-{crc32(name.encode()) % 10000:04}"


def kernel_title(prefix: str, os: str) -> str:
    return f"PyTorch ({_folder_name(prefix, os)})"


def _folder_name(prefix: str, os: str) -> str:
    return of(os).path(prefix).name


def _jupyter(place: UsableEnvironment) -> tuple[Line, ...]:
    python, shell = _python(place), _shell(place)
    title = quoted(kernel_title(place.prefix, place.os), shell)
    name = kernel_name(place.prefix, place.os)
    listing = _line("jupyter-kernel", f"{python} -m ipykernel install --user --name {name} --display-name {title}")
    package = _line("jupyter-package", f"{python} -m pip install {KERNEL_PACKAGE}")
    return (listing,) if place.has_kernel else (package, listing)


def _cards(place: UsableEnvironment) -> tuple[Line, ...]:
    shell = _shell(place)
    return (
        _line("cards-visible", _with_variable("CUDA_VISIBLE_DEVICES", "0", shell)),
        _line("cards-blocking", _with_variable("CUDA_LAUNCH_BLOCKING", "1", shell)),
    )


def _with_variable(name: str, value: str, shell: str) -> str:
    if shell == "powershell":
        return f"$env:{name} = '{value}'; python my_program.py"
    if shell == "cmd":
        return f'set "{name}={value}" && python my_program.py'
    if shell == "csh":
        return f"env {name}={value} python my_program.py"
    return f"{name}={value} python my_program.py"


def text_lines(sections: tuple[Section, ...], language: str | None, all_shells: bool = True) -> Iterator[str]:
    """For a terminal. Without `all_shells`, the first way to switch it on only."""
    for section in sections:
        lines = section.lines if all_shells or section.name != "activate" else section.lines[:1]
        yield text(section.title, language)
        for line in lines:
            if len(section.lines) > 1 and (all_shells or section.name != "activate"):
                yield f"  {text(line.label, language)}"
            yield from (f"    {row}" for row in line.code.split("\n"))
            if line.note:
                yield f"  {text(line.note, language)}"
