"""`torch-wizard envs add | update`: packages into an environment, further or newer ones, with its torch held exactly.

What changes and what would break is shown first; then it is a run like every other, with a way back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.app.pages.differences import BREAKS
from wizard.cli.command import Arguments, argument, command, flag, option
from wizard.cli.environment.envs import clear_up
from wizard.cli.help import N_
from wizard.cli.options import EVENTS, NETWORK, SOURCES, YES, network_from
from wizard.cli.terminal import Interrupt, Terminal, check_can_ask
from wizard.compatibility.model import Choices
from wizard.model.distributions import FAMILY
from wizard.model.errors import ErrorText, ExitStatus, UsageError
from wizard.model.messages import Message, message
from wizard.project.model import DECLARED, PYTHON, Statement
from wizard.project.read import read_project
from wizard.project.versions import meets

if TYPE_CHECKING:
    from wizard.app.session import Session
    from wizard.run.model import Preview

_ENVIRONMENT = argument("environment", "NAME|PREFIX", N_("an environment's name or folder"))

ADD_NOTHING = ErrorText(
    "add-nothing",
    "No package is named.",
    "Give names, as in: torch-wizard envs add demo einops; or a file of them with -r FILE.",
)


@command(
    "add",
    _ENVIRONMENT,
    argument("packages", "PACKAGE", N_("as pip writes them, such as einops or 'transformers>=4.50'"), nargs=-1),
    option(
        "--requirements", "-r", metavar="FILE", help=N_("what this file asks for; torch in it must be what is there")
    ),
    flag("--dry-run", help=N_("show the plan and stop")),
    YES,
    EVENTS,
    *SOURCES,
    *NETWORK,
)
def add(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.cli.reporter import telling_refusal

    with telling_refusal(arguments, terminal):
        return _add(arguments, terminal)


def _add(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.app.use.environments import find_environment

    clear_up(terminal)
    prefix = find_environment(arguments.environment).prefix
    session, choices = Session(network_from(arguments)), _choices(arguments, prefix, terminal)
    nothing = message("reuse.nothing", prefix=str(prefix))
    return _carry_out(arguments, terminal, session, choices, session.plan_add, nothing)


def _carry_out(
    arguments: Arguments,
    terminal: Terminal,
    session: Session,
    choices: Choices,
    plan: Callable[..., Preview | None],
    nothing: Message,
) -> int:
    """Plan, show, ask, start and follow. `nothing`: what is said where nothing would change."""
    from wizard.cli.reporter import ResolvingTold, follow_run, tell_unchanged
    from wizard.cli.setup import is_agreed, planned_there

    interrupt = Interrupt()
    session.check_choices(choices)
    check_can_ask(arguments.yes or arguments.dry_run)
    terminal.say(message("cli.probing"))
    facts = session.probe(is_cancelled=interrupt.is_asked)
    terminal.say(message("cli.electing"))
    told = ResolvingTold(arguments, terminal)
    try:
        preview = planned_there(lambda: plan(facts, choices, interrupt.is_asked, told.hear), terminal, nothing)
    finally:
        told.end()
    if preview is None:
        tell_unchanged(arguments, terminal, Path(str(choices.prefix)))
        return ExitStatus.DONE
    if not is_agreed(preview, arguments, terminal, session, interrupt, frozenset()):
        session.discard(preview.plan.id)
        return ExitStatus.DONE if arguments.dry_run else ExitStatus.CANCELLED
    pid = session.start(preview.plan.id)
    said = [terminal.words(notice) for notice in preview.plan.notices]
    status = follow_run(session, preview.plan.id, pid, arguments.events, terminal, interrupt, said)
    for change in preview.changes:  # who said yes beforehand reads the end alone
        if change.key in BREAKS and not arguments.events:
            terminal.say(change)
    return status


@command(
    "update",
    _ENVIRONMENT,
    argument("packages", "PACKAGE", N_("default: what was asked for here, and what no other package needs"), nargs=-1),
    flag("--torch", help=N_("torch and its companions move, too (default: they stay in exactly their versions)")),
    flag("--dry-run", help=N_("show the plan and stop")),
    YES,
    EVENTS,
    *SOURCES,
    *NETWORK,
)
def update(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.cli.reporter import telling_refusal

    with telling_refusal(arguments, terminal):
        return _update(arguments, terminal)


def _update(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.app.use.environments import find_environment

    clear_up(terminal)
    prefix = find_environment(arguments.environment).prefix
    for line in arguments.packages:
        if _name_of(line) in FAMILY:
            raise UsageError(
                "update-torch-asked",
                "“{asked}” cannot be updated by its name: torch and its companions move together.",
                "Let them move [on the page {page.environments}.|with: torch-wizard envs update {path} --torch]",
                asked=line,
                path=str(prefix),
            )
    session = Session(network_from(arguments))
    choices = _wish(arguments, prefix, tuple(dict.fromkeys(arguments.packages)), ())
    nothing = message(
        "update.nothing",
        "Nothing to update in {prefix}: all of it is in the newest versions that fit.",
        prefix=str(prefix),
    )
    plan = partial(session.plan_update, with_torch=arguments.torch)
    return _carry_out(arguments, terminal, session, choices, plan, nothing)


def _name_of(line: str) -> str:
    return re.split(r"[^\w.-]", line.strip())[0].lower()


def _choices(arguments: Arguments, prefix: Path, terminal: Terminal) -> Choices:
    """Raises UsageError `add-nothing`, `add-torch-asked`, and as `_lines`."""
    lines = [*arguments.packages]
    for line in lines:
        if _name_of(line) in FAMILY and line not in FAMILY[1:]:
            raise UsageError(
                "add-torch-asked",
                "“{asked}” cannot be asked for here: the torch that is there stays as it is.",
                "Let torch move [on the page {page.welcome}.|with: torch-wizard setup --into {path} --torch VERSION]",
                asked=line,
                path=str(prefix),
            )
    if arguments.requirements:
        lines += _lines(Path(arguments.requirements).expanduser(), prefix, terminal)
    elif not lines:
        raise UsageError(ADD_NOTHING)
    extras = tuple(line for line in dict.fromkeys(lines) if line not in FAMILY[1:])
    return _wish(arguments, prefix, extras, tuple(name for name in FAMILY[1:] if name in lines))


def _wish(arguments: Arguments, prefix: Path, extras: tuple[str, ...], companions: tuple[str, ...]) -> Choices:
    return Choices(
        companions=companions,
        extras=extras,
        prefix=str(prefix),
        reuse=True,
        index=arguments.index,
        torch_index=arguments.torch_index,
        find_links=tuple(arguments.find_links),
        index_strategy=arguments.index_strategy,
        channel=arguments.channel,
        mirrors=arguments.mirror,
        region=arguments.region,
    )


def _lines(file: Path, prefix: Path, terminal: Terminal) -> Iterator[str]:
    """Yield what an index has; what else the file asks for is told with the command for it. Raises UsageError
    `no-such-project`, `add-sources`, `add-other-torch`; `add-nothing` where there is nothing else."""
    from wizard.classroom.profile.hosts import is_foreign
    from wizard.diagnose.repair.reuse import held_family
    from wizard.environment.inspect.installation import read_installation, user_variables
    from wizard.environment.layout import python_of

    project = read_project(file)
    foreign = [source.url for source in project.sources if is_foreign(source.url)]
    if foreign:
        raise UsageError(
            "add-sources",
            "{file} wants packages from places that are neither official nor in this program's tables: {places}.",
            "If you trust them, name them [on the page {page.source}|with --index or --find-links] and take the "
            "lines out of the file.",
            file=str(file),
            places=", ".join(foreign),
        )
    held = held_family(read_installation(prefix, user_variables()))
    asked = [one for one in project.statements if one.name != PYTHON and not one.group and one.strength == DECLARED]
    elsewhere = [one for one in asked if one.url and one.name not in held]
    for one in elsewhere:
        terminal.say(
            message(
                "add.elsewhere",
                "{file}, line {line}: “{text}” is on no package index and is left out. Install it afterwards, from the "
                "folder of that file: `{python} -m pip install --no-deps` and what stands in the line",
                file=one.origin.file,
                line=one.origin.line,
                text=one.origin.text,
                python=str(python_of(prefix)),
            )
        )
    if elsewhere and len(elsewhere) == len(asked):
        raise UsageError(ADD_NOTHING)
    for one in asked:
        if one in elsewhere:
            continue
        if one.name not in held:
            yield _line(one)
        elif not meets(one.specifier, held[one.name]):
            raise UsageError(
                "add-other-torch",
                "{file}, line {line}, asks for {asked}, and {name} {version} is there and held.",
                "Take the line out; or let torch move [on the page {page.welcome}|with torch-wizard setup "
                "--into], or make the file an environment of its own [on the page {page.welcome}|with "
                "torch-wizard setup --project].",
                file=one.origin.file,
                line=one.origin.line,
                asked=str(one),
                name=one.name,
                version=held[one.name],
            )


def _line(one: Statement) -> str:
    extras = f"[{','.join(one.extras)}]" if one.extras else ""
    return f"{one.name}{extras}{one.specifier}{f' ; {one.marker}' if one.marker else ''}"
