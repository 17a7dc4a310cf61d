"""A script for Slurm that tests an environment where the cards are: written on a login node, run by sbatch or srun.

The test is this program's own `verify` with the environment's Python; program, environment and script must lie on a
disk that all nodes see. Nothing is queued here.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.environment.disk import look_at_ground
from wizard.model.errors import UsageError
from wizard.model.messages import message, text
from wizard.system import paths

_TEMPLATE = "cluster/slurm.sh"
_BLANK = re.compile(r"@([A-Z]+)@")
_OPTION = re.compile(r"-{1,2}[A-Za-z][^\x00-\x1f\x7f]*")
_CARD = ("--gres", "--gpus", "-G")  # a person's own way to ask for a card takes the place of ours
_LOCAL = frozenset({"tmpfs", "ramfs", "overlay"})


@dataclass(frozen=True, slots=True)
class BatchJob:
    """`options`: further ones for sbatch and srun, each one argument. `reports`: the folder for what it finds."""

    prefix: Path
    reports: Path
    options: tuple[str, ...] = ()


def check_options(options: Sequence[str]) -> tuple[str, ...]:
    """Raises UsageError `job-option`: a line break or a word of its own would be read as something else."""
    for option in options:
        if not _OPTION.fullmatch(option) or "\\" in option or '"' in option:
            raise UsageError(
                "job-option",
                "“{option}” is not an option for Slurm.",
                "Say it as one line that begins with a dash, such as --job-option=--partition=gpu",
                option=option,
            )
    return tuple(options)


def slurm_script(job: BatchJob, language: str | None = None) -> str:
    """Return a batch script that runs the test on a node with a card; every word in it is quoted for sh."""
    options = (*_own_options(job.options), *job.options)
    output = str(job.reports).replace("%", "%%") + "/torch-verify-%j.log"
    executable, *arguments = own_program()
    home = os.environ.get(paths.HOME_VARIABLE)
    values = {
        "DIRECTIVES": "\n".join(f"#SBATCH {_directive(option)}" for option in (*options, f"--output={output}")),
        "EXECUTABLE": shlex.quote(executable),
        "PROGRAM": " ".join((*_variables(), '"$executable"', *map(shlex.quote, arguments))),
        "PREFIX": shlex.quote(str(job.prefix)),
        "REPORTS": shlex.quote(str(job.reports)),
        "OPTIONS": " ".join(map(shlex.quote, options)),
        "HOME": f"export {paths.HOME_VARIABLE}={shlex.quote(str(paths.home()))}" if home else "",
        "MISSING": shlex.quote(
            text(
                message(
                    "fleet.job.missing",
                    "Torch Setup is not on this node ({program}): put it on a disk that all nodes see and "
                    "write this file again.",
                    program=executable,
                ),
                language,
            )
        ),
        "REPORT": shlex.quote(text(message("fleet.job.report", "Report:"), language)),
    }
    return _filled((paths.resources_dir() / _TEMPLATE).read_text(encoding="utf-8"), values)


def _own_options(others: Sequence[str]) -> Iterator[str]:
    """A card and a quarter of an hour; what is said twice, Slurm takes from the later one."""
    yield "--job-name=torch-verify"
    if not any(option.startswith(_CARD) for option in others):
        yield "--gres=gpu:1"
    yield "--time=00:15:00"


def _directive(option: str) -> str:
    """Slurm reads quotes in these lines, as a shell does."""
    return f'"{option}"' if re.search(r"[\s#']", option) else option


def own_program() -> tuple[str, ...]:
    """As a person would call it: the frozen program, or the command that was installed beside this Python."""
    command = Path(sys.executable).with_name("torch-wizard")
    if paths.is_frozen() or not command.is_file():
        return paths.own_command()
    return (str(command),)


def _variables() -> tuple[str, ...]:
    """Of a copy of the source that is not installed: where this Python found us."""
    if len(own_program()) == 1:
        return ()
    return ("env", *(shlex.quote(f"{name}={value}") for name, value in paths.own_environment().items()))


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _BLANK.sub(lambda blank: values[blank[1]], template)


def is_local(folder: Path) -> bool:
    """In memory, or on a disk that goes with this computer's container: no other node sees it."""
    try:
        return look_at_ground(folder).kind in _LOCAL
    except OSError:
        return False
