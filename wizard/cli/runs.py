"""`torch-wizard run | resume | runs`: a plan is carried out, gone on with; what was carried out is listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.app.use.runs import Runs, finish_deletions_in_background
from wizard.cli.command import Arguments, argument, command, flag, option
from wizard.cli.environment.tables import left_words
from wizard.cli.help import N_
from wizard.cli.options import EVENTS, JSON
from wizard.cli.tables import width
from wizard.cli.terminal import Interrupt, Terminal
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.model.messages import message
from wizard.run.run_folder import find_run_folder

if TYPE_CHECKING:
    from wizard.run.model import RunInfo


@command("run", argument("plan", "PLAN", N_("plan.json, or the id of a run")), EVENTS, flag("--started", hidden=True))
def run(arguments: Arguments, terminal: Terminal) -> int:
    """The worker itself. `--started` is set by who starts it for somebody else and follows its events."""
    from wizard.app.worker import run_worker
    from wizard.run import control

    if not arguments.started:
        finish_deletions_in_background()
    folder = find_run_folder(arguments.plan)
    if not arguments.started:
        control.clear(folder)  # what was asked of an earlier attempt; a starter does this before it starts us
    return run_worker(folder, _echo(arguments, terminal), arguments.started)


def _echo(arguments: Arguments, terminal: Terminal) -> Callable[[str], None] | None:
    from wizard.cli.reporter import ConsoleReporter
    from wizard.model.events import parse_line

    if arguments.events:
        return terminal.line
    if arguments.started:
        return None
    narrator = ConsoleReporter(terminal)

    def tell(line: str) -> None:
        event = parse_line(line)
        if event:
            narrator.tell(event)

    return tell


@command(
    "resume",
    argument("run", "[RUN]", required=False),
    option("--host", metavar="USER@BOX", help=N_("a run of that computer, by this computer's ssh")),
    EVENTS,
)
def resume(arguments: Arguments, terminal: Terminal) -> int:
    if arguments.host:
        from wizard.cli.host import resume_there

        return resume_there(arguments, terminal)
    from wizard.cli.reporter import follow_run, tell_result

    finish_deletions_in_background()
    runs, interrupt = Runs(), Interrupt()
    info = runs.run(arguments.run) if arguments.run else _newest(runs.runs())
    if half := _half_restored(info, bool(arguments.run)):
        raise half
    pid: int | None = None
    try:
        pid = runs.resume(info.id) if info.state in ("unfinished", "planned") else None
    except WizardError as error:
        if error.code not in ("run-busy", "nothing-to-resume"):  # else somebody was quicker
            raise
        info = runs.run(info.id)
    if info.state == "finished" and not arguments.events:
        status = ExitStatus(info.exit_status or 0)
        terminal.say(
            message("cli.ended", "The setup {run} has ended; there is nothing to go on with. Its result:", run=info.id)
        )
        tell_result(runs, info.id, status, find_run_folder(info.id).report.is_file(), terminal)
        return status
    if info.state == "running":
        terminal.say(
            message(
                "cli.attached",
                "The setup {run} is at work; this is what it says. Ctrl+C asks it to cancel.",
                run=info.id,
            )
        )
    return follow_run(runs, info.id, pid, arguments.events, terminal, interrupt)


def _half_restored(info: RunInfo, is_named: bool) -> WizardError | None:
    """Return that an environment, that of the run which was named, is half on its way back, which no run goes on with.
    A run of its own that was left unfinished comes first."""
    if info.state != "finished":
        return None
    if is_named:
        from wizard.diagnose.repair.states import restore_cut_off

        return restore_cut_off(Path(info.prefix))
    from wizard.app.use.runs import restores_cut_off

    return next(iter(restores_cut_off()), None)


def _newest(runs: Sequence[RunInfo]) -> RunInfo:
    """What goes on, else what was left unfinished, else what has ended. Raises UsageError `nothing-unfinished`."""
    for state in ("running", "unfinished", "finished"):
        for info in runs:
            if info.state == state:
                return info
    raise UsageError(
        "nothing-unfinished",
        "There is no unfinished run.",
        "Start one [on the page {page.welcome}.|with: torch-wizard setup]",
    )


@command(
    "runs",
    option("--cancel", metavar="RUN", help=N_("ask a run that is going on to stop")),
    option("--remove", metavar="RUN", help=N_("remove an unfinished run and the environment that it began")),
    JSON,
    exclusive=("cancel", "remove"),
)
def runs(arguments: Arguments, terminal: Terminal) -> int:
    finish_deletions_in_background()
    if arguments.cancel:
        Runs().request_cancel(find_run_folder(arguments.cancel).id)
        return ExitStatus.DONE
    if arguments.remove:
        Runs().discard(arguments.remove, finished_too=True)
        return ExitStatus.DONE
    known = Runs().runs()
    if not known and not arguments.json:
        terminal.say(message("cli.runs.none"))
    for info in known:
        if arguments.json:
            terminal.document({"schema": 1, **asdict(info)})
        else:
            state = terminal.words(message(f"cli.run.{info.state}"))
            state += " " * (10 - width(state))
            terminal.line(f"{info.id}  {state}  {info.torch}+{info.variant}  {info.prefix}")
            if info.left:
                terminal.line(f"    {terminal.words(left_words(info))}")
    return ExitStatus.DONE
