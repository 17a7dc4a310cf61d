"""May packages be put into an environment that is there? What forbids it, each in one sentence.

Never a conda installation itself, a Python of the system, one that somebody else looks after, one that runs us, one
that is not whole, or one in use. Needs no process of the environment; changes nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from wizard.environment.inspect.in_use import running_inside
from wizard.environment.inspect.look import is_conda_base
from wizard.environment.layout import read_text, site_packages
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.environment.naming import check_place
from wizard.environment.remove.delete import frozen_reason
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.system import paths
from wizard.system.links import is_link

REUSE_BROKEN = ErrorText(
    "reuse-broken",
    "Nothing is installed into the environment in “{path}”, which is not whole: {reason}",
    "See what [{page.doctor}|torch-wizard doctor {path}] can repair, or make a new one [on the page "
    "{page.welcome}|with torch-wizard setup]; nothing was changed.",
)

_MOST_PROGRAMS = 5


def check_reusable(one: Environment, roots: Iterable[Path] = ()) -> None:
    """Refuse an environment that packages may not be put into. `roots`: conda installations. Raises UsageError
    `reuse-…`."""
    prefix, shown = one.prefix, str(one.prefix)
    if is_link(prefix):
        raise UsageError(
            "reuse-link",
            "“{path}” is only a link; the environment itself is in {target}.",
            "Give that folder.",
            path=shown,
            target=os.path.realpath(prefix),
        )
    if one.state is EnvironmentState.UNFINISHED:
        raise UsageError(
            "reuse-unfinished",
            "“{path}” was begun by {run} and is not finished.",
            "Resume it [on the page {page.welcome}|with torch-wizard resume], or take it back [on the page "
            "{page.welcome}|with torch-wizard runs --remove]; a copy that was cut off is simply made again.",
            path=shown,
            run=one.run or "-",
        )
    if one.state is not EnvironmentState.OK:
        raise UsageError(REUSE_BROKEN, path=shown, reason=one.reason or "-")
    if one.kind is EnvironmentKind.SYSTEM or _is_in_system(prefix):
        raise UsageError(
            "reuse-system",
            "“{path}” belongs to the operating system or to an installed Python, and this program does not change it.",
            "Make an environment of your own [on the page {page.welcome}.|with: torch-wizard setup]",
            path=shown,
        )
    if one.kind is EnvironmentKind.BASE or is_conda_base(prefix) or any(_is_same(prefix, root) for root in roots):
        raise UsageError(
            "reuse-base",
            "“{path}” is a conda installation itself, and conda runs from it; nothing is installed there.",
            "Make an environment of your own [on the page {page.welcome}.|with: torch-wizard setup]",
            path=shown,
        )
    frozen = prefix / "conda-meta" / "frozen"
    if os.path.lexists(frozen):
        raise UsageError(
            "reuse-frozen",
            "“{path}” is marked as frozen by whoever looks after it ({reason}).",
            "Make a copy that is yours [on the page {page.environments}.|with: torch-wizard envs clone {path} "
            "--name NAME]",
            path=shown,
            reason=frozen_reason(read_text(frozen) or ""),
        )
    if managed := _managed(prefix):
        raise UsageError(
            "reuse-managed",
            "“{path}” is managed by another tool, which forbids pip's packages in it ({file}).",
            "Use that tool, or make a new environment [on the page {page.welcome}.|with: torch-wizard setup]",
            path=shown,
            file=str(managed),
        )
    if is_ours(prefix):
        raise UsageError(
            "reuse-ourselves",
            "This program itself runs from “{path}” and does not change it.",
            "Make an environment of its own for PyTorch [on the page {page.welcome}.|with: torch-wizard setup]",
            path=shown,
        )
    site = site_packages(prefix, one.python)
    if site is None or not os.access(site, os.W_OK | os.X_OK) or not os.access(prefix, os.W_OK | os.X_OK):
        raise UsageError(
            "reuse-not-writable",
            "You may not write in “{path}”.",
            "Make a copy that is yours [on the page {page.environments}.|with: torch-wizard envs clone {path} "
            "--name NAME]",
            path=shown,
        )


def is_ours(prefix: Path) -> bool:
    """Return whether this program itself runs from it."""
    return any(_is_same(prefix, Path(ours)) for ours in (sys.prefix, sys.base_prefix))


def check_not_in_use(prefix: Path, code: str = "reuse-in-use") -> None:
    """Refuse one that is in use. Raises WizardError, which names programs and process ids."""
    running = running_inside(prefix)
    if running:
        named = ", ".join(f"{one.program} ({one.pid})" for one in running[:_MOST_PROGRAMS])
        more = " …" if len(running) > _MOST_PROGRAMS else ""
        details = "\n".join(f"{one.pid} {one.program}: {one.path}" for one in running)
        raise WizardError(code, details=details, path=str(prefix), programs=named + more)


def _is_in_system(prefix: Path) -> bool:
    for place in {prefix, Path(os.path.realpath(prefix))}:
        try:
            check_place(place, paths.os_name())
        except UsageError as error:
            if error.code == "target-is-system":
                return True
    return False


def _managed(prefix: Path) -> Path | None:
    """The mark of PEP 668. A virtual environment's standard library lies elsewhere, so one of Debian's is free."""
    found = (*prefix.glob("lib/python3*/EXTERNALLY-MANAGED"), *prefix.glob("Lib/EXTERNALLY-MANAGED"))
    return next(iter(found), None)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
