"""`torch-wizard setup`: the whole job without a window, up to the start of the worker.

One file: the command with all its options, and what it does with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.command import Arguments, command, flag, option, under, whole
from wizard.cli.help import N_
from wizard.cli.options import (
    BUILD,
    CONNECTIONS,
    DISTRUST,
    EVENTS,
    NETWORK,
    PROJECT,
    RATE,
    SOURCES,
    TRUST,
    YES,
    choices_from,
    network_from,
)
from wizard.cli.tables import sized
from wizard.cli.terminal import NEEDS_YES, Interrupt, Terminal, agrees, can_ask
from wizard.compatibility.model import Choices
from wizard.model.errors import Cancelled, ExitStatus, UsageError, WizardError
from wizard.model.messages import Message, message, text

if TYPE_CHECKING:
    from wizard.app.session import Session
    from wizard.classroom.profile.model import ProfileFile
    from wizard.cli.classroom.machine import ClassRun, Consent
    from wizard.cli.project import ProjectSetup
    from wizard.cli.reporter import ResolvingTold
    from wizard.run.model import Preview


def with_profile(arguments: Arguments, choices: Choices, terminal: Terminal) -> tuple[ProfileFile | None, Choices]:
    """The profile that was named, and the choices that it leaves. Raises UsageError `profile-…`."""
    from wizard.classroom.profile.read import read_profile
    from wizard.classroom.profile.setup import profile_choices

    if not arguments.profile:
        return None, choices
    file = read_profile(Path(arguments.profile).expanduser())
    terminal.language = terminal.language or file.profile.language
    return file, profile_choices(file.profile, choices)


def is_there(file: ProfileFile | None, choices: Choices, terminal: Terminal) -> bool:
    """A second setup from the same profile changes nothing, and takes no time. Raises UsageError `profile-…`."""
    from wizard.classroom.profile.setup import check_target
    from wizard.run.plan.place import target_prefix

    if file is None or not check_target(file, choices):
        return False
    terminal.say(message("profile.already", prefix=str(target_prefix(choices))))
    return True


Row = tuple[str, str]


def package_lines(preview: Preview, language: str | None) -> Iterator[str]:
    """Yield every file of the plan with its size, or that it is here already."""
    here, unknown = (text(message(f"environments.packages.{name}"), language) for name in ("here", "unknown"))
    python: list[Row] = [
        (f"{one.name} {one.version} {one.build}".rstrip(), here if one.is_cached else _bytes(one.size, unknown))
        for one in preview.python_packages
    ]
    wheels: list[Row] = [
        (file.filename, here if file.filename in preview.here else _bytes(file.size, unknown))
        for file in preview.lock.files
    ]
    for key, rows in (("python", python), ("wheels", wheels)):
        if rows:
            yield text(message(f"environments.packages.{key}", count=len(rows)), language)
            yield from sized(rows)


def _bytes(size: int | None, unknown: str) -> str:
    return unknown if size is None else f"{size:,}"


@command(
    "setup",
    option("--name", metavar="NAME", help=N_("name of the new environment (default: torch)")),
    option("--prefix", metavar="P", help=N_("folder of the new environment")),
    option("--into", metavar="NAME|P", help=N_("an environment that is there: install into it, with a way back")),
    flag("--reuse", help=N_("the environment of --name or --prefix is there: install into it")),
    option(
        "--profile",
        metavar="FILE",
        help=N_("a class profile (*.torchlab): its build for this computer, exactly its files"),
    ),
    TRUST,
    DISTRUST,
    flag("--dry-run", help=N_("show the plan and stop")),
    flag("--plan-only", help=N_("save the plan, print where it lies, and stop")),
    YES,
    EVENTS,
    *PROJECT,
    *under(
        N_("a computer far away"),
        option("--host", metavar="USER@BOX", help=N_("set it up there, by this computer's ssh")),
        option(
            "--archive", metavar="FILE", help=N_("the program for Linux (tar.xz), brought there where it is not yet")
        ),
    ),
    *under(
        N_("a class"),
        option("--pack", metavar="DIR|URL", help=N_("take the files from there: a stick, a share, a class server")),
        option("--class", dest="code", metavar="CODE", help=N_("find the class's server in this network by its code")),
        option("--label", default="", metavar="TEXT", help=N_("what the class's results call this computer")),
        option(
            "--serve-after",
            type=whole(1, 1440),
            metavar="MINUTES",
            help=N_("when done, hand the files on to the class for so long"),
        ),
    ),
    *under(
        N_("for labs and clusters"),
        flag("--shared", help=N_("everybody on this computer may use the environment, you alone change it")),
        flag("--if-missing", help=N_("do nothing where a setup has made what is asked for already")),
    ),
    *BUILD,
    *SOURCES,
    *NETWORK,
    *under(
        N_("the download"),
        option(
            "--limit-rate",
            type=RATE,
            metavar="5M",
            help=N_("at most so many bytes a second, over all connections (K, M, G)"),
        ),
        option("--connections", type=CONNECTIONS, metavar="N", help=N_("connections at once, 1 to 16 (4)")),
        flag("--keep-wheels", help=N_("keep the wheels too, beside what is unpacked")),
        flag("--copies", help=N_("files of its own for the environment, none shared with others")),
    ),
    *under(
        N_("other places"),
        option("--cache-dir", metavar="DIR", help=N_("for downloads and package caches (default: our own folder)")),
        option("--temp-dir", metavar="DIR", help=N_("for temporary files of all tools (default: the system's)")),
        more=N_("kept for later starts; the word default takes one back"),
    ),
    exclusive=("name", "prefix", "into"),
)
def setup(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.cli.reporter import telling_refusal

    if arguments.host:
        from wizard.cli.host import setup_there

        return setup_there(arguments, setup.params, terminal)
    with telling_refusal(arguments, terminal):
        return _setup(arguments, terminal)


def _setup(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.app.use.environments import find_environment
    from wizard.app.use.runs import finish_deletions_in_background
    from wizard.app.use.volumes import with_volumes
    from wizard.cli.classroom.machine import ClassRun, Consent
    from wizard.cli.diagnose.doctor import tell_drift
    from wizard.cli.project import project_setup
    from wizard.cli.reporter import ResolvingTold, follow_run, tell_planned, tell_unchanged
    from wizard.run.plan.place import target_prefix

    finish_deletions_in_background()
    session, interrupt = Session(network_from(arguments)), Interrupt()
    for drift in session.drift():  # as the window's first page says it
        tell_drift(drift, terminal)
    wished = session.canonical(choices_from(arguments))
    choices = with_volumes(wished)
    if arguments.into:
        choices = replace(choices, prefix=str(find_environment(arguments.into).prefix))
    consent = Consent(arguments.trust, terminal, interrupt, is_attended=not arguments.yes)
    project = project_setup(arguments, consent, terminal, interrupt)
    course = ClassRun(arguments, session.network(), terminal, consent, interrupt)
    profile, choices = with_profile(arguments, choices, terminal)
    choices = course.choices(choices)
    if _is_present(arguments, profile, choices, course, terminal):
        tell_unchanged(arguments, terminal, target_prefix(choices))
        return ExitStatus.DONE
    session.check_choices(choices)
    if not (arguments.yes or arguments.dry_run or arguments.plan_only or can_ask()):
        raise UsageError(NEEDS_YES)
    with course.telling_failures():
        told = ResolvingTold(arguments, terminal)
        try:
            preview = _preview(session, choices, profile, course, consent, terminal, interrupt, told, project)
        finally:
            told.end()
    if preview is None:
        tell_unchanged(arguments, terminal, target_prefix(choices))
        return ExitStatus.DONE
    if arguments.plan_only:
        if arguments.events:
            _show(preview, terminal, project.shown if project else frozenset(), with_packages=False)
            tell_planned(arguments, terminal, preview)
        session.keep(preview.plan.id)
        terminal.document({"schema": 1, "run": preview.plan.id, "plan": str(session.plan_path(preview.plan.id))})
        return ExitStatus.DONE
    shown = project.shown if project else frozenset()
    if not is_agreed(preview, arguments, terminal, session, interrupt, shown):
        session.discard(preview.plan.id)
        return ExitStatus.DONE if arguments.dry_run else ExitStatus.CANCELLED
    _remember(wished, profile)
    pid = session.start(preview.plan.id)
    said = [terminal.words(notice) for notice in preview.plan.notices]
    status = follow_run(session, preview.plan.id, pid, arguments.events, terminal, interrupt, said)
    course.serve_after(status, preview.files, interrupt)
    return status


def planned_there(plan: Callable[[], Preview | None], terminal: Terminal, nothing: Message) -> Preview | None:
    """Return what `plan` does for an environment that is there; None where that is nothing, or nothing that is named
    has a use, which is said. `nothing`: what is said where all is there already. Raises as `plan`."""
    from wizard.app.companion_torch import NOTHING_OF_USE

    try:
        preview = plan()
    except WizardError as error:
        if error.code != NOTHING_OF_USE.code:
            raise
        terminal.write("! " + terminal.words(error.summary))
        terminal.say(message("cli.left-as-is", "Nothing was changed."))
        return None
    if preview is None:
        terminal.say(nothing)
    return preview


def is_agreed(
    preview: Preview,
    arguments: Arguments,
    terminal: Terminal,
    session: Session,
    interrupt: Interrupt,
    shown: Collection[str],
) -> bool:
    """Show the plan without what was `shown`, and ask. Raise Cancelled, WizardError `output-failed`, plan discarded."""
    from wizard.cli.reporter import tell_planned

    try:
        _show(preview, terminal, shown, with_packages=not arguments.yes)
        if arguments.dry_run:
            tell_planned(arguments, terminal, preview)
        agreed = not arguments.dry_run and (arguments.yes or agrees(message("cli.ask"), terminal, interrupt))
        interrupt.check()
    except (Cancelled, WizardError):
        session.discard(preview.plan.id)
        raise
    return bool(agreed)


def _remember(wished: Choices, profile: ProfileFile | None) -> None:
    from wizard.app.use.volumes import remember
    from wizard.classroom.profile.keys import remember_key

    remember(wished)
    if profile:
        remember_key(profile)


def _is_present(
    arguments: Arguments, profile: ProfileFile | None, choices: Choices, course: ClassRun, terminal: Terminal
) -> bool:
    """`--if-missing`; with a profile that is what a setup does anyway."""
    from wizard.app.use.already_installed import already_installed, left_out_now
    from wizard.run.plan.place import target_prefix

    with course.telling_failures():
        if is_there(profile, choices, terminal):
            course.tell_present(target_prefix(choices))
            return True
    found = None if profile or not arguments.if_missing else already_installed(choices)
    if found is None:
        return False
    for notice in left_out_now(choices, found):
        terminal.write("! " + terminal.words(notice))
    terminal.say(message("fleet.there", prefix=str(target_prefix(choices))))
    return True


def _preview(
    session: Session,
    choices: Choices,
    profile: ProfileFile | None,
    course: ClassRun,
    consent: Consent,
    terminal: Terminal,
    interrupt: Interrupt,
    told: ResolvingTold,
    project: ProjectSetup | None,
) -> Preview | None:
    """None: everything is in the environment already."""
    from wizard.classroom.profile.setup import preview_profile

    terminal.say(message("cli.probing"))
    facts = session.probe(is_cancelled=interrupt.is_asked)
    course.saw(facts.machine)
    for row in facts.requirements:
        if row.blocks:
            raise WizardError(
                "requirement", "{fact}", "Mend this first; nothing has been changed.", fact=terminal.words(row.fact)
            )
    if profile:
        return preview_profile(
            facts, session.matrix, profile, choices, interrupt.is_asked, course.urls(), consent.trusted
        )
    if project:
        return project.preview(session, facts, choices, told.hear)
    terminal.say(message("cli.electing"))
    if choices.reuse:
        from wizard.run.plan.place import target_prefix

        nothing = message("reuse.nothing", prefix=str(target_prefix(choices)))
        return planned_there(
            lambda: session.plan_reuse(facts, choices, interrupt.is_asked, told.hear), terminal, nothing
        )
    selected = session.select_build(facts, choices, None, interrupt.is_asked)
    return session.preview(facts, choices, selected, interrupt.is_asked, told.hear)


def _show(preview: Preview, terminal: Terminal, shown: Collection[str], with_packages: bool) -> None:
    plan = preview.plan
    for notice in map(terminal.words, plan.notices):
        if notice not in shown:
            terminal.write("! " + notice)
    terminal.say(plan.engine_reason)
    for change in preview.changes:
        terminal.say(change)
    for line in preview.commands:
        terminal.write("    " + line)
    for line in package_lines(preview, terminal.language) if with_packages else ():
        terminal.write(line)
