"""`torch-wizard doctor`: asks the session what is wrong, tells it, and has the repair carried out if that is wanted."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.cli.command import Arguments, OneOf, command, flag, option, under
from wizard.cli.help import N_
from wizard.cli.options import PREFIX_HELP, YES, find_links
from wizard.cli.terminal import NEEDS_YES, Interrupt, Terminal, agrees, can_ask, save_report, write_new
from wizard.compatibility.model import Choices
from wizard.model.errors import Cancelled, ErrorText, ExitStatus, UsageError, WizardError
from wizard.model.messages import bytes_text, message
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.app.session import Session
    from wizard.app.use.doctor import Examination
    from wizard.diagnose.repair.plan import RepairPreview
    from wizard.environment.inspect.baseline import EnvironmentChanges


JOB_NEEDS_FILE = ErrorText(
    "job-needs-file",
    "A job needs the environment and a new file: --prefix P --job slurm -o FILE.",
    "Put the file into a folder that all nodes of the cluster see, such as your home.",
)

# What has replaced PyTorch since it worked, in words: for the doctor and for a start. Looks at nothing itself.


def tell_drift(drift: EnvironmentChanges, terminal: Terminal) -> None:
    """Say what somebody else changed in an environment, by which packages, and how it is mended."""
    prefix = str(drift.prefix)
    for change in drift.changes:
        terminal.say(change.words(drift.prefix))
        if change.by:
            terminal.say(message("doctor.say.drift-by", by=", ".join(change.by)))
    terminal.say(message("doctor.say.drift-repair", prefix=prefix))


def write_job(arguments: Arguments, terminal: Terminal) -> int:
    """Write a batch script for a cluster in place of an examination here."""
    from wizard.app.use.doctor import check_environment
    from wizard.diagnose.job_script import BatchJob, check_options, is_local, slurm_script
    from wizard.environment.naming import absolute_prefix

    if not (arguments.prefix and arguments.output):
        raise UsageError(JOB_NEEDS_FILE)
    prefix = absolute_prefix(arguments.prefix)
    check_environment(prefix)
    output = Path(arguments.output).expanduser().absolute()
    if any(ord(sign) < 32 for sign in f"{prefix}{output}"):
        raise UsageError(JOB_NEEDS_FILE)
    job = BatchJob(prefix, output.parent, check_options(arguments.job_option))
    write_new(output, slurm_script(job, terminal.language), runs=True)
    terminal.say(
        message(
            "fleet.job.saved",
            "Saved as “{path}”. From a login node: sbatch {quoted}   or, to wait for the answer: bash {quoted}",
            path=str(output),
            quoted=shlex.quote(str(output)),
        )
    )
    terminal.say(
        message(
            "fleet.job.reports",
            "The report will lie in “{folder}”; computers of the cluster must see that folder and the environment.",
            folder=str(output.parent),
        )
    )
    if is_local(output.parent):
        terminal.say(
            message(
                "fleet.job.local",
                "“{folder}” lies in the memory or on a temporary disk of this computer: say -o with a "
                "folder that the whole cluster sees.",
                folder=str(output.parent),
            )
        )
    return ExitStatus.DONE


@command(
    "doctor",
    option("--prefix", metavar="P", help=PREFIX_HELP),
    flag("--json", help=N_("one document on stdout")),
    flag("--repair", help=N_("carry out the smallest repair, after asking")),
    YES,
    flag("--no-import", help=N_("only look: do not import PyTorch")),
    flag("--deep", help=N_("also read every file and compare its SHA-256")),
    flag("--undo", help=N_("take the last repair of this environment back")),
    option("--save", metavar="FILE", help=N_("also save the answer (.html, .json or .txt)")),
    *under(
        N_("from a login node without a card"),
        option("--job", type=OneOf("slurm"), help=N_("write a script that tests it on a compute node (sbatch, srun)")),
        option("--output", "-o", metavar="FILE", help=N_("the script, a new file on a disk that all nodes see")),
        option(
            "--job-option", again=True, metavar="OPTION", help=N_("for Slurm, such as --job-option=--partition=gpu")
        ),
    ),
    *under(
        N_("sources by hand (default: those of its setup, then the official ones)"),
        option("--index", metavar="URL", help=N_("Python packages")),
        option("--torch-index", metavar="URL", help=N_("torch wheels, simple or flat")),
        find_links(N_("a folder or page of wheels")),
    ),
    description=N_(
        "Looks into any environment, also one that was made by other means. Without --prefix: whether something has "
        "replaced PyTorch in the environments that were set up here."
    ),
    epilog=N_(
        "Exit status: 0 nothing is wrong, or repaired and tested; 1 found and not repaired; 2 wrong usage; "
        "3 the environment is fine, this computer keeps PyTorch from the card."
    ),
)
def doctor(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.session import Session
    from wizard.diagnose.examine import exit_status
    from wizard.diagnose.repair.states import restore_cut_off
    from wizard.environment.naming import absolute_prefix

    if arguments.job or arguments.output or arguments.job_option:
        return write_job(arguments, terminal)
    session, interrupt = Session(), Interrupt()
    if not arguments.prefix:
        return _all_known(session, arguments, terminal, interrupt)
    prefix = absolute_prefix(arguments.prefix)
    if arguments.undo:
        session.undo_repair(prefix)
        terminal.say(message("doctor.say.undone"))
        return ExitStatus.DONE
    if arguments.repair and not (arguments.yes or can_ask()):
        raise UsageError(NEEDS_YES)
    found = _examined(session, prefix, arguments, terminal, interrupt)
    if arguments.repair and found.answer.remedy.changes_something:
        return _repair(session, found, arguments, terminal, interrupt)
    _tell(_document(found, terminal), found, arguments, terminal)
    if half := restore_cut_off(prefix):
        terminal.error(half)
        return ExitStatus.FAILED
    return exit_status(found.answer)


def _all_known(session: Session, arguments: Arguments, terminal: Terminal, interrupt: Interrupt) -> int:
    from wizard.app.use.doctor import altered_torches
    from wizard.app.use.runs import prefixes_of_runs, restores_cut_off, strays_of_torch

    if arguments.repair or arguments.undo or arguments.save:
        raise UsageError(
            "doctor-needs-prefix",
            "It was not said which environment is meant.",
            "Add --prefix with the folder of the environment.",
        )
    found, halves, left = session.drift(), restores_cut_off(), strays_of_torch()
    others = altered_torches((one for one in prefixes_of_runs() if one not in left), interrupt.is_asked)
    status = ExitStatus.FAILED if found or halves or left or others else ExitStatus.DONE
    if arguments.json:
        unfinished = [half.to_json(terminal.language) for half in halves]
        drift = [_drift_document(each) for each in found]
        strays = [{"prefix": str(prefix), "files": list(names)} for prefix, names in left.items()]
        document = {"schema": 1, "drift": drift, "unfinished": unfinished, "strays": strays}
        terminal.document({**document, "altered": [one.to_json() for one in others]})
        return status
    for each in found:
        tell_drift(each, terminal)
    for half in halves:
        terminal.error(half)
    for prefix, names in left.items():
        terminal.say(message("doctor.say.stray", prefix=str(prefix), names=", ".join(names)))
        terminal.say(message("doctor.say.stray-look", prefix=str(prefix)))
    for one in others:
        terminal.say(one.words())
        if one.names:
            terminal.say(message("doctor.say.at-start", names=", ".join(one.names)))
        terminal.say(message("doctor.say.stray-look", prefix=str(one.prefix)))
    if status is ExitStatus.DONE:
        terminal.say(message("doctor.say.nothing-changed"))
    return status


def _drift_document(drift: EnvironmentChanges) -> dict[str, Any]:
    changes = [
        {"name": each.name, "was": each.was, "now": each.now, "installer": each.installer, "by": list(each.by)}
        for each in drift.changes
    ]
    return {"prefix": str(drift.prefix), "lost_cuda": drift.lost_cuda, "changes": changes}


def _examined(
    session: Session, prefix: Path, arguments: Arguments, terminal: Terminal, interrupt: Interrupt
) -> Examination:
    terminal.say(message("cli.probing"))
    facts = session.probe(is_cancelled=interrupt.is_asked)

    def tell(stage: str) -> None:
        if stage in ("files", "test", "machine", "deep"):
            terminal.say(message(f"doctor.stage.{stage}"))

    return session.doctor(
        facts,
        prefix,
        imports=not arguments.no_import,
        deep=arguments.deep,
        on_stage=tell,
        is_cancelled=interrupt.is_asked,
    )


def _document(found: Examination, terminal: Terminal, preview: RepairPreview | None = None) -> dict[str, Any]:
    from wizard.diagnose.document import doctor_document
    from wizard.machine.machine_file import machine_to_json

    facts = machine_to_json(found.facts.machine)
    if preview is None:
        return doctor_document(found.answer, facts, found.drift, language=terminal.language)
    return doctor_document(
        found.answer,
        facts,
        found.drift,
        preview.changes,
        preview.lock,
        preview.plan.id,
        preview.download_bytes,
        language=terminal.language,
    )


def _tell(document: dict[str, Any], found: Examination, arguments: Arguments, terminal: Terminal) -> None:
    from wizard.run.report.text import render_doctor

    if arguments.json:
        terminal.document(document)
    else:
        terminal.line(render_doctor(document, terminal.language))
        if found.answer.remedy.changes_something:
            if not arguments.repair:
                _say_how(found.answer.prefix, terminal)
        elif found.answer.cause:
            terminal.say(message("doctor.say.by-hand"))
    if arguments.save:
        save_report(Path(arguments.save).expanduser(), document, terminal)


def _say_how(prefix: Path, terminal: Terminal) -> None:
    from wizard.diagnose.repair.states import under_way

    if half := under_way(prefix):
        terminal.error(half)
    else:
        terminal.say(message("doctor.say.needs-yes", prefix=str(prefix)))


def _repair(
    session: Session, found: Examination, arguments: Arguments, terminal: Terminal, interrupt: Interrupt
) -> int:
    from wizard.cli.reporter import follow_run

    choices = Choices(index=arguments.index, torch_index=arguments.torch_index, find_links=tuple(arguments.find_links))
    terminal.say(message("cli.electing"))
    preview = session.plan_repair(found, choices, interrupt.is_asked)
    run = preview.plan.id
    try:
        _tell(_document(found, terminal, preview), found, arguments, terminal)
        goes_on = arguments.yes or agrees(message("cli.ask"), terminal, interrupt)
        interrupt.check()
    except (Cancelled, WizardError):
        session.discard(run)
        raise
    if not goes_on:
        session.discard(run)
        return ExitStatus.CANCELLED
    status = follow_run(session, run, session.start(run), False, terminal, interrupt)
    _tell_end(preview, status, terminal)
    return status


def _tell_end(preview: RepairPreview, status: ExitStatus, terminal: Terminal) -> None:
    """A worker that was killed has said nothing: then what was put aside is still needed, to go on or to go back."""
    from wizard.diagnose.repair.snapshot import RepairSnapshot
    from wizard.run.run_folder import RunFolder
    from wizard.run.runs import run_info

    if status is ExitStatus.FAILED and run_info(RunFolder(paths.runs_dir() / preview.plan.id)).exit_status is None:
        return
    aside = RepairSnapshot(Path(preview.plan.prefix), Path(preview.repair.site), preview.plan.id)
    if status is ExitStatus.DONE:
        terminal.say(message("doctor.say.repaired"))
    elif aside.is_begun:
        told = "repaired-no-card" if status is ExitStatus.GPU_TEST_FAILED else "not-repaired"
        terminal.say(message(f"doctor.say.{told}"))
    size = aside.bytes()
    if size >= 50_000:  # bytes: less is nothing that anybody would clear away
        terminal.say(message("doctor.say.kept", folder=str(aside.folder), size=bytes_text(size)))
