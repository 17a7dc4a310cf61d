"""The commands by name: what may be typed, and what was. Loads none before it is typed, so that a start is quick.

A command is one file: its options and its carrying out (`command.py`). Its line stands here, for the list of all.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

import click
from click.shell_completion import get_completion_class, shell_complete

from wizard import __version__
from wizard.cli.command import Arguments, Call, CommandGroup, Late, OneOf, argument, flag
from wizard.cli.help import N_
from wizard.cli.terminal import Terminal
from wizard.cli.window import COMPLETING
from wizard.model.errors import ExitStatus
from wizard.model.messages import LANGUAGES

PROGRAM = "torch-wizard"
WINDOW = "window"
SHELLS = ("bash", "zsh", "fish", "powershell")
_CLI = "wizard.cli"
_COMMANDS = {
    "probe": Late(f"{_CLI}.diagnose.verify", N_("facts about this computer")),
    "pick": Late(f"{_CLI}.pick", N_("which builds fit, the best first, and why")),
    "setup": Late(f"{_CLI}.setup", N_("the whole job without a window")),
    "run": Late(f"{_CLI}.runs", N_("carry out a plan")),
    "resume": Late(f"{_CLI}.runs", N_("go on with an unfinished run (the newest, without RUN)")),
    "verify": Late(f"{_CLI}.diagnose.verify", N_("smoke test of any environment")),
    "runs": Late(f"{_CLI}.runs", N_("the runs on this computer; remove one")),
    "explain": Late(f"{_CLI}.diagnose.explain", N_("cause and fix of a pasted error")),
    "matrices": Late(f"{_CLI}.sources.matrices", N_("the compatibility data: show, check, refresh")),
    "doctor": Late(f"{_CLI}.diagnose.doctor", N_("why an environment does not work, and the smallest repair")),
    "envs": Late(
        f"{_CLI}.environment.envs", N_("the environments on this computer: list them, look at one, delete one")
    ),
    "mirrors": Late(f"{_CLI}.sources.mirrors", N_("where packages can come from: list the sources, test them")),
    "profile": Late(
        f"{_CLI}.classroom.profile",
        N_("class profiles (*.torchlab): make one, show it, check it against machines, sign it"),
    ),
    "pack": Late(
        f"{_CLI}.classroom.pack",
        N_("a folder with every file of a class profile: build it, check it, update it, serve it"),
    ),
    "room": Late(f"{_CLI}.classroom.room", N_("the results of a class, red first")),
    "update": Late(
        f"{_CLI}.sources.update",
        N_("newer tables, and whether there is a newer program: asked now, taken after a yes, taken back by --undo"),
    ),
    "undo": Late(
        f"{_CLI}.sources.undo",
        N_("take back a change of your pip, uv or conda settings (the last one, without ID), or list them"),
    ),
    "store": Late(
        f"{_CLI}.environment.store",
        N_("the packages that environments share: show them, prune them, verify them, move them"),
    ),
}


def _show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.obj.line(version_line())
        ctx.exit()


def version_line() -> str:
    """Return the program's version, and how old its data are: a copy of last year may not know today's cards."""
    from wizard.compatibility.data.date import data_date
    from wizard.model.table_update import tables_in_use
    from wizard.system import paths

    tables = tables_in_use()
    dates = f"data of {data_date(tables.folder) or '?'}"
    if tables.version:
        dates += f", update {tables.version}"
    if learnt := data_date(paths.matrices_overlay_dir()):
        dates += f", learnt on this computer {learnt}"
    return f"{PROGRAM} {__version__} ({dates})"


def _open_window(arguments: Arguments, terminal: Terminal) -> int:
    raise AssertionError("what opens a window is above the command line (main.py)")


def all_commands() -> CommandGroup:
    """Return what may be typed."""
    version = flag("--version", help=N_("version of the program, and date of its data"))
    version.is_eager, version.expose_value, version.callback = True, False, _show_version
    root = CommandGroup(
        PROGRAM,
        N_("From a bare computer to PyTorch on its graphics card. Without a command: the window."),
        late=_COMMANDS,
        without=_open_window,
        params=[version],
        epilog=N_("Exit status: 0 done, 1 failed, 2 wrong usage, 3 installed but the GPU test failed, 130 cancelled."),
    )
    root.add(
        WINDOW,
        N_("open the window (the default)"),
        argument("file", "[FILE]", N_("a plan, a class profile or a project to open"), required=False),
        flag("--self-test", hidden=True),
    )(_open_window)
    root.add(
        "completion",
        N_("a script that lets a shell complete commands and options"),
        argument("shell", "|".join(SHELLS), N_("the shell; its start file evaluates the script"), type=OneOf(*SHELLS)),
    )(_completion)
    return root


def _completion(arguments: Arguments, terminal: Terminal) -> int:
    """`torch-wizard completion SHELL`."""
    kind = get_completion_class(arguments.shell)
    assert kind is not None
    script = kind(all_commands(), {}, PROGRAM, COMPLETING)
    if sys.stdout is not None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(newline="\n")  # bash on Windows, too, takes a carriage return for part of a word
    terminal.line((script.source_template % script.source_vars()).strip())
    return ExitStatus.DONE


def complete(instruction: str, terminal: Terminal) -> int:
    """Answer a shell that asks what may follow (`bash_complete`)."""
    return shell_complete(all_commands(), {"obj": terminal}, PROGRAM, COMPLETING, instruction)


def parse(argv: Sequence[str], terminal: Terminal) -> Call:
    """Return what was typed. Raise click.UsageError, click.exceptions.Exit where help was shown."""
    root = all_commands()
    with root.make_context(PROGRAM, list(argv), obj=terminal) as ctx:
        found: Call = root.invoke(ctx)
        return found


def told_language(argv: Sequence[str]) -> str | None:
    """What `--lang` says, on either side of a command; needed before anything is read, for help and complaints."""
    told = None
    for word, following in pairwise([*argv, ""]):
        value = following if word == "--lang" else word.removeprefix("--lang=")
        if word.startswith("--lang") and value in LANGUAGES:
            told = value
    return told
