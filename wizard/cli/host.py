"""`setup --host` and `resume --host`: the same worker and events on a computer far away, told here.

What is decided there is shown here and asked here, once; then exactly that plan is carried out. A lost line ends
nothing there: it is gone back to, here a few times by itself, later by `resume --host`. A project and a profile are
read here; the files that say what they want are there while the plan is made, and nothing else of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from wizard.app.bring import Along, bring, of_profile, of_project, options_of
from wizard.app.host import FarHost, FarListener, FarRun, as_said, host_named, report_there
from wizard.classroom.profile.keys import remember_key
from wizard.cli.command import Arguments
from wizard.cli.project import project_path
from wizard.cli.reporter import ConsoleReporter, final_status
from wizard.cli.terminal import NEEDS_YES, Interrupt, Terminal, agrees, can_ask
from wizard.model.errors import Cancelled, ExitStatus, UsageError, kept_message
from wizard.model.events import Event, EventKind
from wizard.model.messages import Message, message, system_language
from wizard.model.redact import redact

_HERE = ("host", "archive", "yes", "events", "dry_run", "profile", "project")  # of this side
_NOT_THERE = ("pack", "code", "label", "serve_after", "plan_only")


def setup_there(arguments: Arguments, params: Sequence[click.Parameter], terminal: Terminal) -> int:
    """Raises UsageError, WizardError `host-…`."""
    options = list(_options(arguments, params))
    interrupt = Interrupt()
    host = host_named(arguments.host, interrupt.is_asked)
    if not (arguments.yes or arguments.dry_run or can_ask()):
        raise UsageError(NEEDS_YES)
    along = list(_along(arguments, terminal, interrupt))
    archive = Path(arguments.archive).expanduser() if arguments.archive else None
    bring(host, archive, terminal.say)
    there = _far_run(host, arguments.events, terminal, interrupt)
    for one in along:
        if one.option == "--project":
            terminal.say(_only_files(host, one))
    with options_of(host, along) as named:
        status = there.plan("--dry-run" if arguments.dry_run else "--plan-only", *options, *named)
    if status or not there.run:
        return status or ExitStatus.DONE  # refused, or it is there already: it has said so
    if arguments.dry_run:
        return ExitStatus.DONE
    try:
        agreed = arguments.yes or agrees(message("cli.ask"), terminal, interrupt)
        interrupt.check()
    except Cancelled:
        there.discard()
        raise
    if not agreed:
        there.discard()
        return ExitStatus.CANCELLED
    for one in along:
        if one.profile:
            remember_key(one.profile)
    return _followed(there, host, arguments.events, terminal)


def resume_there(arguments: Arguments, terminal: Terminal) -> int:
    """Raises UsageError, WizardError `host-…`."""
    interrupt = Interrupt()
    host = host_named(arguments.host, interrupt.is_asked)
    bring(host, None)
    there = _far_run(host, arguments.events, terminal, interrupt, arguments.run or "")
    return _followed(there, host, arguments.events, terminal)


def _along(arguments: Arguments, terminal: Terminal, interrupt: Interrupt) -> Iterator[Along]:
    """What lies here and is wanted there. Raises as `project_path`, `of_project`, `of_profile`."""
    if arguments.project:
        yield of_project(project_path(arguments, terminal, interrupt.is_asked), arguments.as_of)
    if arguments.profile:
        yield of_profile(Path(arguments.profile).expanduser())


def _only_files(host: FarHost, read: Along) -> Message:
    return message(
        "host.only-files",
        "Only the files of the project that say what it needs go to {host} ({count}); its code stays here. FOLDER in a "
        "command stands for where you put it there.",
        host=host.address,
        count=len(read.files),
    )


def _options(arguments: Arguments, params: Sequence[click.Parameter]) -> Iterator[str]:
    """What was typed, for the other side. Raises UsageError `host-option`."""
    for each in params:
        name = each.name or ""
        value = getattr(arguments, name, None)
        if value in (None, "", False, (), []) or name in _HERE or value == each.default:
            continue
        if name in _NOT_THERE:
            raise UsageError(
                "host-option",
                "{option} does not go with --host: it speaks of a class in this room, or of files of this computer.",
                "Leave it out, or log in there and give it to torch-wizard there.",
                option=each.opts[0],
            )
        for one in value if isinstance(value, (list, tuple)) else (value,):
            yield each.opts[0]
            if one is not True:
                yield str(one)


def _far_run(host: FarHost, as_events: bool, terminal: Terminal, interrupt: Interrupt, run_id: str = "") -> FarRun:
    """What is heard there goes to the terminal, as events or told."""
    narrator = ConsoleReporter(terminal)

    def on_event(event: Event, line: str) -> None:
        if as_events:
            terminal.line(line)
        elif event.kind is not EventKind.ATTEMPT_STARTING:
            with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError):
                narrator.tell(replace(event, data=as_said(event.data)))

    def on_answer(line: str) -> None:
        if as_events:
            terminal.line(line)

    listener = FarListener(on_event, on_answer, terminal.write, terminal.say, interrupt.is_asked)
    return FarRun(host, terminal.language or system_language(), listener, run_id)


def _followed(there: FarRun, host: FarHost, as_events: bool, terminal: Terminal) -> int:
    """The run's exit status. Raises WizardError `host-line-gone`, `host-not-understood`."""
    from wizard.run.report.text import render_text

    refused = there.follow()
    if refused is not None:
        return refused
    try:
        status = final_status(there.last)
    except (LookupError, TypeError, ValueError):
        status = ExitStatus.FAILED
    if as_events:
        return status
    with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError):
        if report := report_there(host, there.run) if there.last.data.get("report") else None:
            terminal.write(redact(render_text(report, terminal.language)))
        elif error := as_said(there.last.data.get("error")):
            for part in ("summary", "hint"):
                terminal.say(kept_message(error, part))
    if status not in (ExitStatus.DONE, ExitStatus.GPU_TEST_FAILED):
        terminal.say(
            message(
                "host.resume",
                "Nothing is lost there: go on with  [{page.far-host}.|torch-wizard resume --host {host} {run}]",
                host=host.address,
                run=there.run,
            )
        )
    return status
