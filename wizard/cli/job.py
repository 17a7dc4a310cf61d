"""`torch-wizard doctor --prefix P --job slurm -o FILE`: the test for a computer with cards, from one without."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from wizard.cli.new_file import write_new
from wizard.cli.terminal import Terminal
from wizard.environments.naming import absolute_prefix
from wizard.errors import ExitStatus, UsageError
from wizard.i18n import message
from wizard.session.doctor import check_environment
from wizard.session.job_script import Job, check_options, is_local, slurm_script


def write_job(arguments: argparse.Namespace, terminal: Terminal) -> int:
    if not (arguments.prefix and arguments.output):
        raise UsageError("job-needs-file")
    prefix = absolute_prefix(arguments.prefix)
    check_environment(prefix)
    output = Path(arguments.output).expanduser().absolute()
    if any(ord(sign) < 32 for sign in f"{prefix}{output}"):
        raise UsageError("job-needs-file")
    job = Job(prefix, output.parent, check_options(arguments.job_option))
    write_new(output, slurm_script(job, terminal.language), runs=True)
    terminal.say(message("fleet.job.saved", path=str(output), quoted=shlex.quote(str(output))))
    terminal.say(message("fleet.job.reports", folder=str(output.parent)))
    if is_local(output.parent):
        terminal.say(message("fleet.job.local", folder=str(output.parent)))
    return ExitStatus.DONE
