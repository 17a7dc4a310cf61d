"""`torch-wizard envs export | module | bootstrap`: what is written or fetched for an environment.

`torch-wizard envs bootstrap`: Miniforge for who wants conda itself: shown with its licence, agreed to, installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.app.use import miniforge as use_case
from wizard.cli.command import Arguments, OneOf, argument, command, flag, option
from wizard.cli.environment.envs import clear_up
from wizard.cli.help import N_
from wizard.cli.options import NETWORK, network_from
from wizard.cli.terminal import Interrupt, Terminal, agrees, check_can_ask, write_new
from wizard.model.errors import EXPORT_EXISTS, EXPORT_NOT_WRITTEN, Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.messages import Message, bytes_text, message

if TYPE_CHECKING:
    from wizard.app.use.export import Export

_ENVIRONMENT = argument("environment", "NAME|PREFIX", N_("an environment's name or folder"))


@command(
    "module",
    _ENVIRONMENT,
    option("--format", type=OneOf("tcl", "lua"), help=N_("default: lua for a FILE that ends in .lua, else tcl")),
    option("--output", "-o", metavar="FILE", help=N_("a new file, or a folder for it (default: stdout)")),
)
def module(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use.environments import find_environment
    from wizard.environment.activate.scripts import (
        lua_module,
        module_facts,
        module_name,
        modules_folder,
        tcl_module,
        usual_name,
    )

    clear_up(terminal)
    found = find_environment(arguments.environment)
    if any(ord(sign) < 32 for sign in str(found.prefix)):
        raise UsageError(
            "module-place",
            "A module file cannot be written for “{path}”: its name holds a line break.",
            "Rename the folder, or make the environment elsewhere.",
            path=str(found.prefix).replace("\n", " "),
        )
    output = Path(arguments.output).expanduser().absolute() if arguments.output else None
    is_lua = arguments.format == "lua" or (arguments.format is None and output is not None and output.suffix == ".lua")
    torch = f"{found.torch}+{found.variant}" if found.torch and found.variant else found.torch
    facts = module_facts(found.prefix, torch, found.python)
    text = lua_module(facts) if is_lua else tcl_module(facts)
    if output is None:
        terminal.line(text.rstrip("\n"))
        return ExitStatus.DONE
    if output.is_dir():
        output = output / usual_name(found.prefix, is_lua)
    write_new(output, text, in_new_folder=True)  # a module is called by its folder too: torch/2.14
    terminal.say(
        message(
            "fleet.module.saved",
            "Saved as “{path}”. Put it where your cluster looks for modules (module use {folder}), "
            "then: module load {name}",
            path=str(output),
            folder=str(modules_folder(output)),
            name=module_name(output),
        )
    )
    return ExitStatus.DONE


_FORMATS = ("requirements", "pylock", "conda", "conda-explicit", "json")


@command(
    "export",
    _ENVIRONMENT,
    option(
        "--format",
        type=OneOf(*_FORMATS),
        default="requirements",
        help=N_("the form of the list (default: requirements)"),
    ),
    option("--output", "-o", metavar="FILE", help=N_("a new file (default: stdout)")),
)
def export(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use.environments import find_environment
    from wizard.app.use.export import export_of

    clear_up(terminal)
    found = export_of(find_environment(arguments.environment))
    text = _text(found, arguments.format)
    if arguments.output:
        path = Path(arguments.output).expanduser()
        _write(path, text)
        terminal.say(
            message(
                "export.saved",
                "Packages written to {path}: {count}.",
                count=_count(found, arguments.format),
                path=str(path),
            )
        )
    else:
        terminal.line(text.rstrip("\n"))
    for words in _remarks(found, arguments.format):
        terminal.say(words)
    return ExitStatus.DONE


def _text(found: Export, form: str) -> str:
    from wizard.app.use.export import conda_text, environment_yml, export_document, pylock_text, requirements_text

    if form == "json":
        return json.dumps(export_document(found), ensure_ascii=False, indent=1) + "\n"
    texts = {"requirements": requirements_text, "pylock": pylock_text, "conda": environment_yml}
    return texts.get(form, conda_text)(found)


def _write(path: Path, text: str) -> None:
    """A new file: what is there is somebody's."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise UsageError(EXPORT_EXISTS, path=str(path)) from error
    except OSError as error:
        raise WizardError(EXPORT_NOT_WRITTEN, details=str(error), path=str(path)) from error


def _count(found: Export, form: str) -> int:
    if form == "conda-explicit":
        return len(found.conda)
    if form == "conda":
        return len(found.conda) + sum(not (each.owner or each.is_tool) for each in found.packages)
    if form == "pylock":
        return sum(each.file is not None for each in found.packages)
    return sum(not each.is_tool or form == "json" for each in found.packages)


def _remarks(found: Export, form: str) -> Iterator[Message]:
    """What another computer will not get from this file."""
    if form == "pylock":
        unknown = [each.name for each in found.packages if each.file is None and not each.is_tool]
        if unknown:
            yield message(
                "export.left-out",
                "! Left out, because the file that they came from is not known: {names}.",
                names=", ".join(unknown),
            )
    if form in ("requirements", "conda"):
        by_hand = [each.name for each in found.packages if each.by_hand and not each.is_public]
        if by_hand:
            yield message(
                "export.by-hand",
                "! Not from any index, so another computer cannot get it from there: {names}.",
                names=", ".join(by_hand),
            )
        if found.is_guessed:
            yield message(
                "export.no-index", "! It is not known from which source this torch came; the official one is named."
            )


@command(
    "bootstrap",
    option("--prefix", metavar="P", help=N_("its folder, without a space (default: ~/miniforge3)")),
    option("--mirror", metavar="ID", help=N_("fetch it there, as `mirrors list --kind miniforge` names it")),
    option(
        "--from",
        dest="near",
        metavar="DIR|URL",
        help=N_("take the installer there first, such as a pack's folder program"),
    ),
    option("--release", metavar="VERSION", help=N_("this release of it (default: the newest)")),
    flag("--yes", "-y", help=N_("do not ask; this also accepts Miniforge's licence")),
    *NETWORK,
)
def bootstrap(arguments: Arguments, terminal: Terminal) -> int:
    """`--yes` is the yes to the licence, too: it was shown, and the option's help says so."""
    from wizard.transfer.proxy.environment import present_environment

    clear_up(terminal)
    interrupt = Interrupt()
    environment = present_environment(network_from(arguments))
    near = use_case.near_copy(arguments.near, arguments.release)
    plan = use_case.with_size(
        use_case.plan_bootstrap(
            arguments.prefix,
            arguments.mirror,
            environment,
            near=near,
            on_ask=lambda: terminal.say(message("bootstrap.release", "Looking for the newest Miniforge")),
        )
    )
    for change in plan.changes:
        terminal.say(change)
    if plan.file.size is not None:
        terminal.say(message("bootstrap.size", size=bytes_text(plan.file.size)))
    check_can_ask(arguments.yes)
    if not arguments.yes and not agrees(
        message("bootstrap.ask", "Do you agree to the licence and to this? [y/N]"), terminal, interrupt
    ):
        return ExitStatus.CANCELLED
    stages: list[str] = []

    def tell(done: int, total: int | None, stage: Message) -> None:
        if terminal.words(stage) not in stages:
            terminal.say(stage)
            stages.append(terminal.words(stage))
        if total:
            terminal.draw(message("clone.progress", done=bytes_text(done), total=bytes_text(total)), done, total)

    try:
        done = use_case.bootstrap(plan, True, tell, interrupt.is_asked)
    except Cancelled:
        terminal.say(message("bootstrap.cancelled", "Stopped. What was downloaded is kept; nothing else is left."))
        return ExitStatus.CANCELLED
    finally:
        terminal.drop()
    terminal.say(done.message)
    return ExitStatus.DONE
