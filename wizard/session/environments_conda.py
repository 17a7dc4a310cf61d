"""Which conda an environment belongs to, so that it can be switched on where that conda is on no PATH.

By what our own run used, by what conda wrote into the environment's history, by where it lies; else any conda of this
computer will do, since each can switch on what another one made. No process is started.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from wizard.environments.conda_find import executable_in
from wizard.environments.glance import read_text
from wizard.environments.look import is_conda_base
from wizard.errors import WizardError
from wizard.machine import condas
from wizard.plan.serialize import read_plan
from wizard.steps.run_folder import run_folders

_HEAD = 4096
_COMMAND = re.compile(r"^# cmd: (.+?) (?:create|install|update|env)\b", re.MULTILINE)


def conda_for(prefix: Path) -> Path | None:
    """The program; None where this computer has none."""
    for place in _places(prefix):
        with contextlib.suppress(WizardError, OSError):
            return executable_in(place)
    return None


def _places(prefix: Path) -> Iterator[Path]:
    """Programs or installations, that are perhaps gone."""
    yield from _of_runs(prefix)
    said = _COMMAND.search(read_text(prefix / "conda-meta" / "history", _HEAD) or "")
    if said and os.path.isabs(said[1]):  # noqa: PTH117 (somebody's text)
        program = Path(said[1])
        # `conda-script.py` on Windows: the program is found from the installation.
        yield program if program.stem in condas.KINDS else program.parent.parent
    if prefix.parent.name == "envs" and is_conda_base(prefix.parent.parent):
        yield prefix.parent.parent
    yield from (executable for _, executable, _ in condas.candidates(os.environ))


def _of_runs(prefix: Path) -> Iterator[Path]:
    for folder in run_folders():
        with contextlib.suppress(WizardError):
            plan = read_plan(folder.plan)
            if plan.conda and os.path.normcase(plan.prefix) == os.path.normcase(prefix):
                yield Path(plan.conda)
