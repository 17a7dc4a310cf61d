"""`torch-wizard envs list | show | delete …`: the environments on this computer.

One file: each action is a short function that shares its plan's words.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wizard.app.use import environments as use_cases
from wizard.app.use.environments import find_environment
from wizard.app.use.runs import finish_deletions_in_background, known_prefixes
from wizard.cli.command import Arguments, CommandGroup, Late, argument, flag, option
from wizard.cli.environment import tables as view
from wizard.cli.help import N_
from wizard.cli.options import JSON
from wizard.cli.terminal import Interrupt, Terminal, answer, can_ask
from wizard.diagnose.repair.states import bound, release_stale, restore_cut_off, states_in
from wizard.environment.inspect.sizes import Sizes
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.remove.delete import DELETE_NAME, DELETE_REST, DeletionPlan
from wizard.model.errors import Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.messages import Message, bytes_text, message
from wizard.system import paths

_MOST_PACKAGES = 6
_ADD = "wizard.cli.environment.add"
_HISTORY = "wizard.cli.environment.history"
_FILES = "wizard.cli.environment.files"
_ENVIRONMENT = argument("environment", "NAME|PREFIX", N_("an environment's name or folder"))

envs = CommandGroup(
    "envs",
    late={
        "add": Late(_ADD, N_("further packages beside the torch that is there, which stays as it is")),
        "update": Late(_ADD, N_("its packages in the newest versions that fit, torch held unless asked")),
        "history": Late(_HISTORY, N_("the states before its changes, and what each change did")),
        "restore": Late(_HISTORY, N_("bring back an earlier state: that before the last change, or an older one")),
        "export": Late(_FILES, N_("what is in one, so that it can be made again")),
        "module": Late(_FILES, N_("a module file for it (Lmod, Environment Modules), for clusters")),
        "bootstrap": Late(_FILES, N_("install Miniforge, for who wants a conda of their own (setup needs none)")),
    },
)


def names_shown(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_MOST_PACKAGES]) + (" …" if len(names) > _MOST_PACKAGES else "") or "–"


def snapshot_words(prefix: Path) -> Iterator[Message]:
    """The newest, which comes back first, and that there are more."""
    from wizard.environment.create.clone_files import shell_word

    found = states_in(prefix)
    for one in found[:1]:
        yield message(
            "snapshot.kept",
            "A state before run {run} is kept ({size}): {names}. It comes back [on the page "
            "{page.environments}.|with: torch-wizard envs restore {prefix}]",
            run=one.run,
            size=bytes_text(one.size),
            names=names_shown(one.names),
            prefix=shell_word(prefix),
        )
    if len(found) > 1:
        yield message(
            "snapshot.more",
            "Older states are kept too ({count}): [{page.environments}.|torch-wizard envs history {prefix}]",
            count=len(found) - 1,
            prefix=shell_word(prefix),
        )


def snapshot_documents(prefix: Path) -> list[dict[str, Any]]:
    return [
        {"run": one.run, "bytes": one.size, "packages": list(one.names), "kept_since": one.moved}
        for one in states_in(prefix)
    ]


def let_go_of_stale(terminal: Terminal) -> None:
    """What was kept for so long goes, and that is said."""
    for folder in release_stale(known_prefixes()):
        terminal.say(
            message(
                "snapshot.stale",
                "The state that was kept in {path} for {days} days is gone now.",
                path=str(folder),
                days=bound().days,
            )
        )


_MOST_NAMED = 10


@envs.add(
    "clone",
    N_("a copy that works in its new place"),
    _ENVIRONMENT,
    option("--name", metavar="NAME", help=N_("name of the copy")),
    option("--prefix", metavar="P", help=N_("folder of the copy")),
    exclusive=("name", "prefix"),
    needs_one=True,
)
def clone(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use.clone import carry_out_clone, plan_clone

    clear_up(terminal)
    interrupt = Interrupt()
    source = find_environment(arguments.environment)
    plan = plan_clone(source, arguments.name, arguments.prefix, interrupt.is_asked)
    terminal.say(
        message(
            "clone.begins",
            "{name} is copied to {target}: {files} files, {size}.",
            name=source.name,
            target=str(plan.target),
            files=len(plan.contents.files),
            size=bytes_text(plan.contents.size),
        )
    )

    def draw(done: int, total: int) -> None:
        terminal.draw(message("clone.progress", done=bytes_text(done), total=bytes_text(total)), done, total)

    try:
        done = carry_out_clone(plan, draw, interrupt.is_asked)
    except Cancelled:
        terminal.drop()
        terminal.say(message("clone.cancelled", "Cancelled; nothing is left in {target}.", target=str(plan.target)))
        return ExitStatus.CANCELLED
    terminal.drop()
    key = "clone.done-shared" if done.shared else "clone.done"
    terminal.say(message(key, target=str(done.prefix), size=bytes_text(done.size), shared=bytes_text(done.shared)))
    if done.still_old:
        more = " …" if len(done.still_old) > _MOST_NAMED else ""
        names = ", ".join(done.still_old[:_MOST_NAMED]) + more
        terminal.say(message("clone.still-old", count=len(done.still_old), names=names, source=str(source.prefix)))
    return ExitStatus.DONE


def clear_up(terminal: Terminal) -> None:
    """What every look at environments does first."""
    finish_deletions_in_background()
    let_go_of_stale(terminal)


@envs.add(
    "list",
    N_("all of them, of every engine and installation"),
    JSON,
    flag("--sizes", help=N_("count their files too, which takes a while")),
)
def _list(arguments: Arguments, terminal: Terminal) -> int:
    clear_up(terminal)
    found = use_cases.list_environments()
    sizes = use_cases.known_sizes(found)
    if arguments.sizes:
        interrupt = Interrupt()
        use_cases.measure_sizes(found, sizes.__setitem__, interrupt.is_asked)
    if arguments.json:
        rows = [view.document(one, sizes.get(one.prefix), terminal.language) for one in found]
        terminal.document({"schema": view.SCHEMA, "environments": rows})
    elif found:
        terminal.line(view.table(found, sizes, terminal.language))
        for one in found:
            if one.reason:
                terminal.write(f"! {one.name}: {terminal.words(one.reason)}")
            if half := restore_cut_off(one.prefix):
                terminal.error(half)
    else:
        terminal.say(message("envs.none", "No environment was found on this computer."))
    return ExitStatus.DONE


@envs.add("show", N_("what is in one, how large it is, and what deleting it would take along"), _ENVIRONMENT, JSON)
def _show(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use.already_installed import left_parts

    clear_up(terminal)
    interrupt = Interrupt()
    one = use_cases.find_environment(arguments.environment)
    plan, refusal = None, None
    try:
        plan = use_cases.plan_deletion(one, interrupt.is_asked)
    except WizardError as error:
        refusal = error
    sizes = plan.sizes if plan else _sizes(one, interrupt)
    if arguments.json:
        document = view.document(one, sizes, terminal.language)
        document["deletion"] = view.plan_document(plan, terminal.language) if plan else None
        left = left_parts(one.prefix)
        document["left"] = [*left.left] if left else []
        document["snapshots"] = snapshot_documents(one.prefix)
        document["refusal"] = refusal.to_json(terminal.language) if refusal else None
        terminal.document({"schema": view.SCHEMA, "environment": document})
        return ExitStatus.DONE
    for words in view.details(one):
        terminal.line(terminal.words(words))
    if (left := left_parts(one.prefix)) is not None:
        terminal.line(terminal.words(view.left_words(left)))
    for words in snapshot_words(one.prefix):
        terminal.line(terminal.words(words))
    if plan:
        terminal.line(
            "\n".join(
                ["", terminal.words(message("envs.show.deletion", "If it were deleted:")), *_lines(plan, terminal)]
            )
        )
    if refusal:
        terminal.line(f"\n{terminal.words(refusal.summary)}")
    for line in _how_to_use(one, terminal):
        terminal.line(line)
    return ExitStatus.DONE


def _how_to_use(one: Environment, terminal: Terminal) -> Iterator[str]:
    """Of what works only; a bare interpreter has nothing to switch on."""
    from wizard.app.pages.after_setup import afterwards, look_at_place, text_lines

    if one.state is EnvironmentState.OK and one.kind is not EnvironmentKind.SYSTEM:
        place = look_at_place(one.prefix, paths.os_name(), one.variant not in (None, "cpu"))
        yield ""
        yield from text_lines(afterwards(place), terminal.language)


@envs.add("terminal", N_("open a terminal window in which one is activated"), _ENVIRONMENT)
def _terminal(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.pages.after_setup import look_at_place, switching_on
    from wizard.environment.activate.terminal import open_terminal

    clear_up(terminal)
    one = use_cases.find_environment(arguments.environment)
    lines = switching_on(look_at_place(one.prefix, paths.os_name(), False))
    try:
        open_terminal(one.prefix, lines)
    except WizardError as error:
        if not lines:
            raise
        terminal.error(error)  # its hint is to paste this line
        terminal.line(lines[0].code)
        return ExitStatus.FAILED
    terminal.say(message("envs.terminal", "A terminal opens with {name} activated.", name=one.name))
    return ExitStatus.DONE


def _sizes(one: Environment, interrupt: Interrupt) -> Sizes | None:
    counted: dict[Path, Sizes] = {}
    with contextlib.suppress(OSError):
        if use_cases.is_measured(one):
            use_cases.measure_sizes((one,), counted.__setitem__, interrupt.is_asked)
    return counted.get(one.prefix)


def _lines(plan: DeletionPlan, terminal: Terminal) -> list[str]:
    return list(view.plan_lines(plan, terminal.language))


@envs.add(
    "delete",
    N_("show what goes and what stays, ask for the name, delete"),
    _ENVIRONMENT,
    option("--yes", metavar="NAME", help=N_("the environment's name, instead of typing it when asked")),
)
def _delete(arguments: Arguments, terminal: Terminal) -> int:
    clear_up(terminal)
    interrupt = Interrupt()
    one = use_cases.find_environment(arguments.environment)
    if arguments.yes is not None and arguments.yes != one.name:
        raise UsageError(DELETE_NAME, name=one.name, typed=arguments.yes)
    if arguments.yes is None and not can_ask():
        raise UsageError(
            "delete-needs-name",
            "Nobody can be asked here, and deleting needs the environment's name.",
            "Add --yes {name} if it is to be deleted.",
            name=one.name,
            environment=arguments.environment,
        )
    plan = use_cases.plan_deletion(one, interrupt.is_asked)
    for line in _lines(plan, terminal):
        terminal.write(line)
    typed = arguments.yes
    if typed is None:
        typed = answer(
            message("envs.ask", "To delete it, type its name ({name}):", name=plan.name), terminal, interrupt
        )

    def draw(files: int, size: int) -> None:
        words = message(
            "envs.progress",
            "{files} of {of} files removed, {size}",
            files=files,
            of=plan.sizes.files,
            size=bytes_text(size),
        )
        terminal.draw(words, files, plan.sizes.files)

    try:
        use_cases.delete(plan, typed, draw, interrupt.is_asked)
    except Cancelled:
        terminal.drop()
        terminal.say(
            message(
                "envs.deleted-rest-later",
                "{name} is deleted. Its last files are removed at the next start of the program.",
                name=plan.name,
            )
        )
        return ExitStatus.CANCELLED
    terminal.drop()
    terminal.say(
        message(
            "envs.deleted",
            "{name} is deleted; {freed} are free again.",
            name=plan.name,
            freed=bytes_text(plan.sizes.freed),
        )
    )
    return ExitStatus.DONE


@envs.add("finish", N_("finish deletions that were interrupted (each start does this by itself)"))
def _finish(arguments: Arguments, terminal: Terminal) -> int:
    interrupt = Interrupt()
    finished = use_cases.finish_deletions(is_cancelled=interrupt.is_asked)
    for deletion in finished.done:
        terminal.say(message("envs.finished", "The rest of {path} is removed.", path=deletion.prefix))
    for deletion, said in finished.failed:
        terminal.error(WizardError(DELETE_REST, details=said, path=deletion.prefix, trash=str(deletion.trash)))
    return ExitStatus.FAILED if finished.failed else ExitStatus.DONE
