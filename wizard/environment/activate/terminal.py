"""The user's shell, and a terminal window in which the environment is switched on.

A terminal window of the user's in which the environment is switched on already.

The shell starts as it always does (its own settings first), then the environment's script runs: so it comes last on
PATH's front, whatever the settings do. The window belongs to the user: it outlives this program.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from zlib import crc32

import psutil

from wizard.environment.activate.scripts import ShellLine, activation_lines, has_activation
from wizard.model.errors import WizardError
from wizard.process.detached import start_detached
from wizard.system import paths
from wizard.system.traits import of, this

_SHELLS = {
    "bash": "bash",
    "zsh": "zsh",
    "fish": "fish",
    "csh": "csh",
    "tcsh": "csh",
    "pwsh": "powershell",
    "powershell": "powershell",
    "cmd": "cmd",
}
_MOST_ANCESTORS = 8


def users_shell(os_name: str, environment: Mapping[str, str], ancestors: Iterable[str]) -> str:
    """Return bash | zsh | fish | csh | powershell | cmd. `ancestors`: names of programs, the nearest first."""
    for name in ancestors:
        if shell := _SHELLS.get(_stem(name)):
            return shell
    if usual := of(os_name).usual_shell:
        return usual
    shell = _SHELLS.get(_stem(environment.get("SHELL", "")), "bash")
    return "bash" if shell == "cmd" else shell


def _stem(name: str) -> str:
    """A shell that was started at login is called `-bash`."""
    base = PurePosixPath(PureWindowsPath(name).as_posix()).name.lower().lstrip("-")
    return base.removesuffix(".exe")


def this_users_shell(os_name: str) -> str:
    return users_shell(os_name, os.environ, ancestors())


def ancestors() -> tuple[str, ...]:
    try:
        return tuple(process.name() for process in psutil.Process().parents()[:_MOST_ANCESTORS])
    except psutil.Error:
        return ()


Which = Callable[[str], str | None]
# Program and what comes before the command to run. $TERMINAL, then what the desktop chose, then by their spread.
_TERMINALS = (
    ("x-terminal-emulator", ("-e",)),
    ("gnome-terminal", ("--",)),
    ("ptyxis", ("--",)),
    ("kgx", ("--",)),
    ("konsole", ("-e",)),
    ("xfce4-terminal", ("-x",)),
    ("mate-terminal", ("-x",)),
    ("lxterminal", ("-e",)),
    ("tilix", ("-e",)),
    ("deepin-terminal", ("-e",)),
    ("kitty", ()),
    ("alacritty", ("-e",)),
    ("foot", ()),
    ("wezterm", ("start", "--")),
    ("xterm", ("-e",)),
)

_WITHOUT_START_FILE = ("powershell", "csh")  # no option names one to them: another shell is started then


@dataclass(frozen=True, slots=True)
class StartFile:
    """What the shell reads when it starts."""

    name: str
    text: str


def open_terminal(prefix: Path, lines: Sequence[ShellLine] = (), folder: Path | None = None, command: str = "") -> int:
    """Open a terminal and return its process id. `lines`: how it is switched on, where not by its own script. `folder`:
    where it begins, if not in the person's own. `command`: what runs there first, in plain words for every shell; it
    opens a window of its own, so it starts without a terminal where there is none.

    Raises WizardError `terminal-gone`, `terminal-none`, for a command `terminal-none-for`, `terminal-no-script`,
    `terminal-not-started`.
    """
    if not prefix.is_dir():
        raise WizardError(
            "terminal-gone",
            "The environment is no longer at “{path}”.",
            "Set it up again, or choose another one under {page.environments}.",
            path=str(prefix),
        )
    os_name = paths.os_name()
    lines = lines or (activation_lines(str(prefix), os_name) if has_activation(prefix, os_name) else ())
    shell, line = _shell_and_line(this_users_shell(os_name), lines, prefix)
    if command:
        line = f"{line} & {command}" if shell == "cmd" else f"{line}; {command}"
    try:
        with_window = this().shells_bring_a_window
        argv = (
            windows_command(line, shell, _comspec())
            if with_window
            else _in_terminal(line, shell, prefix, bool(command))
        )
        log = paths.logs_dir() / "terminal.txt"
        log.parent.mkdir(parents=True, exist_ok=True)
        begin = next((one for one in (folder, Path.home()) if one and one.is_dir()), None)
        return start_detached(argv, users_environment(os.environ), log, own_window=True, cwd=begin)
    except (OSError, RuntimeError) as error:
        raise WizardError(
            "terminal-not-started",
            "A terminal could not be opened for the environment in “{path}”.",
            "Open a terminal yourself and paste the line that activates the environment.",
            details=str(error),
            path=str(prefix),
        ) from error


def users_environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return the user's own variables, unlike those of our children; only what this program was started with of a
    Python goes."""
    dropped = ("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
    kept = {name: value for name, value in own.items() if name not in dropped and not name.startswith("_PYI_")}
    if "LD_LIBRARY_PATH_ORIG" in own:
        kept["LD_LIBRARY_PATH"] = kept.pop("LD_LIBRARY_PATH_ORIG")
    return kept


def _shell_and_line(shell: str, lines: Sequence[ShellLine], prefix: Path) -> tuple[str, str]:
    """The user's own shell where it can be started so, else another one that the environment has a line for."""
    known = {line.shell: line.code for line in lines}
    for one in (shell, *this().terminal_shells):
        if one in known and (one not in _WITHOUT_START_FILE or this().shells_bring_a_window):
            return one, known[one]
    raise WizardError(
        "terminal-no-script",
        "The environment in “{path}” has no script that switches it on.",
        "Open a terminal yourself and use “`conda activate`”, or call its Python by its path.",
        path=str(prefix),
    )


def _in_terminal(line: str, shell: str, prefix: Path, is_wanted_for_it: bool = False) -> tuple[str, ...]:
    """`is_wanted_for_it`: the line does more than switch the environment on, and opens a window of its own."""
    terminal = find_terminal(os.environ, paths.find_program)
    if terminal is None and is_wanted_for_it and _has_display(os.environ):
        return (shell, "-c", line)
    if terminal is None and is_wanted_for_it:
        raise WizardError(
            "terminal-none-for",
            "No terminal program was found that could be opened.",
            "Open a terminal yourself and type: `{command}`",
            command=line,
        )
    if terminal is None:
        raise WizardError(
            "terminal-none",
            "No terminal program was found that could be opened.",
            "Install one (xterm, say) and try again, or paste the line that activates the environment into your own.",
            path=str(prefix),
        )
    # A shell reads them when it has started: another environment's terminal must not have written over them by then.
    folder = paths.cache_dir() / "terminal" / f"{crc32(line.encode(errors='surrogateescape')):08x}"
    folder.mkdir(parents=True, exist_ok=True)
    for file in start_files(line, shell):
        (folder / file.name).write_text(file.text, encoding="utf-8", errors="surrogateescape")
    return (*terminal, *shell_command(line, shell, folder))


def find_terminal(environment: Mapping[str, str], which: Which) -> tuple[str, ...] | None:
    """Return a program with what comes before a command; None without a display or a terminal."""
    if not _has_display(environment):
        return None
    own = environment.get("TERMINAL", "")
    known = dict(_TERMINALS)
    candidates = [(own, known.get(Path(own).name, ("-e",))), *_TERMINALS] if own else list(_TERMINALS)
    for name, before in candidates:
        if found := which(name):
            return (found, *before)
    return None


def _has_display(environment: Mapping[str, str]) -> bool:
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def start_files(line: str, shell: str) -> tuple[StartFile, ...]:
    """Return files that read the user's own settings, then the environment. fish takes a command instead."""
    if shell == "bash":
        return (StartFile("bashrc", f"[ -f ~/.bashrc ] && . ~/.bashrc\n{line}\n"),)
    if shell == "zsh":
        # zsh looks for its files in ZDOTDIR; the user's own may be set in .zshenv, so that is asked first.
        environment = 'ZDOTDIR="${_TORCH_SETUP_ZDOTDIR:-$HOME}"\n[ -f "$ZDOTDIR/.zshenv" ] && . "$ZDOTDIR/.zshenv"\n'
        keep = '_TORCH_SETUP_ZDOTDIR="$ZDOTDIR"\nZDOTDIR="${${(%):-%x}:A:h}"\n'
        back = 'ZDOTDIR="${_TORCH_SETUP_ZDOTDIR:-$HOME}"\nunset _TORCH_SETUP_ZDOTDIR\n'
        own = '[ -f "$ZDOTDIR/.zshrc" ] && . "$ZDOTDIR/.zshrc"\n'
        return (StartFile(".zshenv", environment + keep), StartFile(".zshrc", f"{back}{own}{line}\n"))
    return ()


def shell_command(line: str, shell: str, folder: Path) -> tuple[str, ...]:
    """Return the command that starts this shell with the environment activated; `folder` holds its start files."""
    if shell == "zsh":
        return ("env", f"_TORCH_SETUP_ZDOTDIR={os.environ.get('ZDOTDIR', '')}", f"ZDOTDIR={folder}", "zsh", "-i")
    if shell == "fish":
        return ("fish", "-i", "-C", line)
    return ("bash", "--rcfile", str(folder / "bashrc"), "-i")


def _comspec() -> str:
    return os.environ.get("COMSPEC", "cmd.exe")


def windows_command(line: str, shell: str, comspec: str) -> tuple[str, ...] | str:
    """Return the command. PowerShell's rule against scripts is lifted for this one window: it is the user's own
    environment.

    For cmd it is a whole command line: cmd takes the first and the last quote away (/S), and knows none of the
    backslashes that Python puts before those in between.
    """
    if shell == "powershell":
        return (
            paths.find_program("powershell") or "powershell.exe",
            "-NoExit",
            "-ExecutionPolicy",
            "Bypass",
            "-Command",
            line,
        )
    return f'"{comspec}" /S /K "{line}"'
