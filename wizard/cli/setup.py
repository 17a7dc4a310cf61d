"""`torch-wizard setup`: the whole job without a window, up to the start of the worker."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from wizard.cli.arguments import choices_from
from wizard.cli.attend import attend
from wizard.cli.classroom import ClassRun
from wizard.cli.drift import tell_drift
from wizard.cli.interrupt import Interrupt
from wizard.cli.network_wish import network_from
from wizard.cli.packages_table import package_lines
from wizard.cli.profile_setup import is_there, with_profile
from wizard.cli.resolving import ResolvingTold
from wizard.cli.setup_events import tell_planned, tell_unchanged, telling_refusal
from wizard.cli.terminal import Terminal
from wizard.cli.trust import Consent
from wizard.errors import Cancelled, ExitStatus, UsageError, WizardError
from wizard.i18n import message
from wizard.plan.model import Choices
from wizard.profile.model import ProfileFile
from wizard.session.class_keys import remember_key
from wizard.session.environments import find_environment, finish_deletions_in_background
from wizard.session.model import Preview
from wizard.session.place import target_prefix
from wizard.session.present import is_present
from wizard.session.profile import preview_profile
from wizard.session.session import Session
from wizard.session.volumes import remember, with_volumes


def setup(arguments: argparse.Namespace, terminal: Terminal) -> int:
    with telling_refusal(arguments, terminal):
        return _setup(arguments, terminal)


def _setup(arguments: argparse.Namespace, terminal: Terminal) -> int:
    finish_deletions_in_background()
    session, interrupt = Session(network_from(arguments)), Interrupt()
    for drift in session.drift():  # as the window's first page says it
        tell_drift(drift, terminal)
    wished = session.canonical(choices_from(arguments))
    choices = with_volumes(wished)
    if arguments.into:
        choices = replace(choices, prefix=str(find_environment(arguments.into).prefix))
    consent = Consent(arguments.trust, terminal, interrupt, is_attended=not arguments.yes)
    course = ClassRun(arguments, session.network(), terminal, consent)
    profile, choices = with_profile(arguments, choices, terminal)
    choices = course.choices(choices)
    if _is_present(arguments, profile, choices, course, terminal):
        tell_unchanged(arguments, terminal, target_prefix(choices))
        return ExitStatus.DONE
    session.check_choices(choices)
    if not (arguments.yes or arguments.dry_run or arguments.plan_only or _can_ask()):
        raise UsageError("needs-yes")
    with course.telling_failures():
        told = ResolvingTold(arguments, terminal)
        try:
            preview = _preview(session, choices, profile, course, consent, terminal, interrupt, told)
        finally:
            told.end()
    if preview is None:
        terminal.say(message("reuse.nothing", prefix=str(choices.prefix)))
        tell_unchanged(arguments, terminal, target_prefix(choices))
        return ExitStatus.DONE
    if arguments.plan_only:
        session.keep(preview.plan.id)
        terminal.document({"schema": 1, "run": preview.plan.id, "plan": str(session.plan_path(preview.plan.id))})
        return ExitStatus.DONE
    try:
        _show(preview, terminal, with_packages=not arguments.yes)
        if arguments.dry_run:
            tell_planned(arguments, terminal, preview)
        goes_on = not arguments.dry_run and (arguments.yes or _agreed(terminal, interrupt))
        interrupt.check()
    except (Cancelled, WizardError):
        session.discard(preview.plan.id)
        raise
    if not goes_on:
        session.discard(preview.plan.id)
        return ExitStatus.DONE if arguments.dry_run else ExitStatus.CANCELLED
    _remember(wished, profile)
    pid = session.start(preview.plan.id)
    said = [terminal.words(notice) for notice in preview.plan.notices]
    status = attend(session, preview.plan.id, pid, arguments.events, terminal, interrupt, said)
    course.serve_after(status, preview.files, interrupt)
    return status


def _remember(wished: Choices, profile: ProfileFile | None) -> None:
    remember(wished)
    if profile:
        remember_key(profile)


def _is_present(
    arguments: argparse.Namespace, profile: ProfileFile | None, choices: Choices, course: ClassRun, terminal: Terminal
) -> bool:
    """`--if-missing`; with a profile that is what a setup does anyway."""
    with course.telling_failures():
        if is_there(profile, choices, terminal):
            course.tell_present(target_prefix(choices))
            return True
    if profile or not arguments.if_missing or not is_present(choices):
        return False
    terminal.say(message("fleet.there", prefix=str(target_prefix(choices))))
    return True


def _preview(
    session: Session, choices: Choices, profile: ProfileFile | None, course: ClassRun, consent: Consent,
    terminal: Terminal, interrupt: Interrupt, told: ResolvingTold,
) -> Preview | None:  # fmt: skip
    """None: everything is in the environment already."""
    terminal.say(message("cli.probing"))
    facts = session.probe(is_cancelled=interrupt.is_asked)
    course.saw(facts.machine)
    for row in facts.requirements:
        if row.blocks:
            raise WizardError("requirement", fact=terminal.words(row.fact))
    if profile:
        return preview_profile(
            facts, session.matrix, profile, choices, interrupt.is_asked, course.urls(), consent.trusted
        )
    terminal.say(message("cli.electing"))
    if choices.reuse:
        return session.plan_reuse(facts, choices, interrupt.is_asked, told.hear)
    election = session.elect(facts, choices, None, interrupt.is_asked)
    return session.preview(facts, choices, election, interrupt.is_asked, told.hear)


def _show(preview: Preview, terminal: Terminal, with_packages: bool) -> None:
    plan = preview.plan
    for notice in plan.notices:
        terminal.write("! " + terminal.words(notice))
    terminal.say(plan.engine_reason)
    for change in preview.changes:
        terminal.say(change)
    for command in preview.commands:
        terminal.write("    " + command)
    for line in package_lines(preview, terminal.language) if with_packages else ():
        terminal.write(line)


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _agreed(terminal: Terminal, interrupt: Interrupt) -> bool:
    terminal.say(message("cli.ask"))
    with interrupt.at_once():
        return sys.stdin.readline().strip().lower() in ("y", "yes", "是", "好")
