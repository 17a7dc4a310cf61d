"""Dispatch: what was typed to a command, errors to sentences and exit status. Nothing is decided here."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from wizard.app.use.volumes import take_saved
from wizard.cli.terminal import Terminal, prepare_streams
from wizard.cli.window import COMPLETING, OpenWindow, is_plain_window, window
from wizard.model.errors import INTERNAL, Cancelled, ExitStatus, WizardError
from wizard.model.messages import message
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.cli.command import Call

_INTERPRETER_OPTIONS = ("-I", "-B", "-E", "-s", "-S", "-c")


def main(argv: Sequence[str], open_window: OpenWindow) -> int:
    """`open_window` comes from above: the command line and the window do not know each other."""
    hidden = _hidden_command(argv)
    if hidden:
        return hidden()
    prepare_streams()
    if is_plain_window(argv):
        terminal = Terminal(None)
        file = argv[1] if len(argv) > 1 else None
        return _said(terminal, lambda: _window(file, False, terminal, open_window))
    return _typed(argv, open_window)


def _typed(argv: Sequence[str], open_window: OpenWindow) -> int:
    """Help is on stdout and ends well; what was wrong with the line is on stderr, and is 2."""
    import click

    from wizard.cli.help import tell_complaint
    from wizard.cli.root import WINDOW, complete, parse, told_language

    terminal = Terminal(told_language(argv))
    if instruction := os.environ.get(COMPLETING):
        return complete(instruction, terminal)
    try:
        call = parse(argv, terminal)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        tell_complaint(error, terminal)
        return int(ExitStatus.USAGE)
    if call.name in ("", WINDOW):
        typed = vars(call.arguments)
        file, self_test = typed.get("file"), typed.get("self_test", False)
        return _said(terminal, lambda: _window(file, self_test, terminal, open_window))
    return _said(terminal, lambda: _command(call, terminal))


def _window(file: str | None, self_test: bool, terminal: Terminal, open_window: OpenWindow) -> int:
    """What was set aside in our folder, the window says itself."""
    _tell_of_foreign_home(terminal)
    _settle_interrupted(terminal)
    take_saved()
    return int(window(file, self_test, terminal, open_window))


def _command(call: Call, terminal: Terminal) -> int:
    from wizard.safety.state import set_right

    _tell_of_foreign_home(terminal)
    for words in set_right():
        terminal.say(words)
    _settle_interrupted(terminal)
    take_saved()
    return int(call.run(call.arguments, terminal))


def _said(terminal: Terminal, work: Callable[[], int]) -> int:
    """Its exit status; what it raises is said to the person."""
    try:
        return _drawn(terminal, work)
    except WizardError as error:
        return _told(terminal, error)
    except (Cancelled, KeyboardInterrupt):
        terminal.say(message("cli.cancelled", "Cancelled; nothing that was finished is lost."))
        return int(ExitStatus.CANCELLED)
    except Exception as bug:
        if isinstance(bug, PermissionError) and _is_ours(bug.filename):
            terminal.error(WizardError("state-not-writable", path=str(paths.home())))
            return int(ExitStatus.FAILED)
        from wizard.process import without_memory

        if lack := without_memory(bug):
            return _told(terminal, lack)
        import traceback

        log = _note(traceback.format_exc())
        terminal.error(WizardError(INTERNAL, what=type(bug).__name__, log=str(log or "-")))
        return int(ExitStatus.FAILED)


def _drawn(terminal: Terminal, work: Callable[[], int]) -> int:
    try:
        return work()
    finally:
        terminal.drop()


def _told(terminal: Terminal, error: WizardError) -> int:
    terminal.error(error)
    _note(f"{error.code}: {error}\n{error.details}")
    if error.code == "no-memory":
        atexit.register(_end_at_once, int(error.exit_status))
    return int(error.exit_status)


def _end_at_once(status: int) -> NoReturn:
    """End without Python's own tidying up, in which 3.11 without memory crashed in one of nine ends."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _is_ours(path: object) -> bool:
    """Our own folder may be one that this user may not enter: made under sudo, or named for somebody else."""
    return isinstance(path, str) and paths.home() in (Path(path), *Path(path).parents)


def _tell_of_foreign_home(terminal: Terminal) -> None:
    """Before anything is written there."""
    from wizard.safety.state import foreign_home

    if words := foreign_home():
        terminal.say(words)


def _settle_interrupted(terminal: Terminal) -> None:
    """A change of the user's settings that a kill cut off; the look costs one question to the file system."""
    if os.path.lexists(paths.home() / "undo" / "unfinished"):  # False for a folder that may not be looked into
        from wizard.app.use.settings import recover_interrupted

        try:
            for words in recover_interrupted():
                terminal.say(words)
        except WizardError as error:  # said, and tried again at the next start: it stops nothing else
            terminal.error(error)


def _hidden_command(argv: Sequence[str]) -> Callable[[], int] | None:
    """Children of ours which a frozen program can only start as itself."""
    name = argv[0] if argv else ""
    if name == "_nvml":
        from wizard.machine.gpu.nvml_child import main as nvml

        return nvml
    if name == "_rattler":
        from wizard.environment.create.rattler_child import main as rattler

        return rattler
    if paths.is_frozen() and name in _INTERPRETER_OPTIONS and "-c" in argv:
        return lambda: _be_interpreter(argv)
    return None


def _be_interpreter(argv: Sequence[str]) -> int:
    """uv asks a Python about itself (`-I -B -c SCRIPT`) even to resolve for another one; where the computer has none,
    the Python inside this program answers. It is the same program: whoever can start it can run anything already."""
    at = argv.index("-c")
    sys.argv = ["-c", *argv[at + 2 :]]
    exec(compile(argv[at + 1], "<string>", "exec"), {"__name__": "__main__"})
    return 0


def _note(details: str) -> object:
    """Into the program's log; None when that cannot be written."""
    from wizard.safety.log import append

    return append("torch-wizard.log", f"--- {' '.join(sys.argv[1:])}\n{details}")
