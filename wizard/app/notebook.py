"""Jupyter for an environment: listing it there, which Jupyter opens its notebooks, starting that one and ending it.

A Jupyter need not lie in the environment: one opens notebooks with all that are listed. How its processes are known and
asked is in `environment/activate/programs.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wizard.app.pages.after_setup import kernel_name, kernel_title
from wizard.app.use.environments import list_environments
from wizard.environment.activate import programs
from wizard.environment.activate.programs import Jupyter
from wizard.environment.inspect.in_use import running_inside
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.model.errors import Cancelled, ErrorText, WizardError
from wizard.system import paths

_SECONDS, _EVERY = 90.0, 0.2  # a first start on a slow disk
NOTEBOOK_SILENT = ErrorText(
    "notebook-silent",
    "Jupyter was started, but it does not answer.",
    "Look at the terminal that has opened; where none has, at terminal.txt in the log folder.",
)


def list_in_jupyter(prefix: Path) -> tuple[str, str]:
    """Return the name and the title of the kernel there. Raises as `programs.register_kernel`."""
    name, title = _kernel(prefix), kernel_title(str(prefix), paths.os_name())
    programs.register_kernel(prefix, name, title)
    return name, title


def _kernel(prefix: Path) -> str:
    return kernel_name(str(prefix), paths.os_name())


def find_notebook(prefix: Path) -> Jupyter | None:
    """Return what opens its notebooks: the environment's own Jupyter, the person's, else that of another environment.
    None: there is none."""
    if own := programs.find_notebook(prefix):
        return own
    return next(filter(None, (_inside(one, prefix) for one in list_environments())), None)


def _inside(one: Environment, but: Path) -> Jupyter | None:
    is_usable = one.state is EnvironmentState.OK and one.kind is not EnvironmentKind.SYSTEM
    return programs.notebook_inside(one.prefix) if is_usable and one.prefix != but else None


@dataclass(frozen=True, slots=True)
class Notebook:
    """`was_there`: it ran before, so no page of it has come up by itself."""

    address: str
    was_there: bool


@dataclass(frozen=True, slots=True)
class NotebookState:
    """`lacks`: the package that a notebook needs in the environment, "" where it has all; `address`: where its server
    answers, "" where none does."""

    lacks: str
    address: str = ""


def notebook_state(prefix: Path) -> NotebookState:
    """Starts nothing."""
    found = find_notebook(prefix)
    if found is None:
        return NotebookState(programs.NOTEBOOK_PACKAGE)
    lacks = "" if programs.has_kernel(prefix) else programs.KERNEL_PACKAGE
    return NotebookState(lacks, programs.notebook_address(found.prefix, _kernel(prefix)) or "")


def open_notebook(
    prefix: Path, open_terminal: Callable[[Path, str, Path], None], is_cancelled: Callable[[], bool]
) -> Notebook:
    """List the environment in Jupyter, and wait for its notebook server, which is started where there is none.

    `open_terminal`: with what is active in it, the command, and the environment that it is opened for. Raises
    WizardError `kernel-no-package`, `notebook-silent`, `undo-…`, Cancelled."""
    jupyter = find_notebook(prefix)
    if jupyter is None:
        raise WizardError(programs.KERNEL_LACKS, package=programs.NOTEBOOK_PACKAGE, path=str(prefix))
    kernel, _ = list_in_jupyter(prefix)
    was_there = programs.is_notebook_begun(jupyter.prefix, kernel)
    if not was_there:
        open_terminal(jupyter.prefix, f"{jupyter.command} {programs.DEFAULT_KERNEL}{kernel}", prefix)
    until = time.monotonic() + _SECONDS
    while (address := programs.notebook_address(jupyter.prefix, kernel)) is None:
        if is_cancelled():
            raise Cancelled
        if time.monotonic() > until:
            raise WizardError(NOTEBOOK_SILENT)
        time.sleep(_EVERY)
    return Notebook(address, was_there)


def stop_notebook(prefix: Path) -> None:
    """End the server that `open_notebook` has started for this environment. Raises WizardError
    `notebook-not-stopped`."""
    if jupyter := find_notebook(prefix):
        programs.stop_servers(programs.servers_for(jupyter.prefix, _kernel(prefix)))


def stop_users(prefix: Path) -> None:
    """End all servers of ours that use this environment, whichever they were started for. Raises WizardError
    `notebook-not-stopped`."""
    programs.stop_servers(programs.servers_among(running_inside(prefix)))
