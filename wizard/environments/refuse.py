"""What is never deleted, and why: each refusal is one sentence.

The rule is narrow on purpose: only what is an environment by its own signs, belongs to nobody else's order (an
installation, a lab's frozen one, the Python that runs us) and has nothing of another kind in it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wizard import paths
from wizard.environments.found import Environment, Kind
from wizard.environments.glance import read_text
from wizard.environments.look import is_conda_base
from wizard.environments.naming import check_place, is_environment
from wizard.environments.remove import unfinished_run
from wizard.environments.survey import Survey, mounted_in
from wizard.errors import UsageError
from wizard.system.links import is_link
from wizard.typed import from_json


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else is on this computer: conda installations, all environments, the user's home."""

    roots: tuple[Path, ...] = ()
    environments: tuple[Environment, ...] = ()
    home: Path | None = None


def check_deletable(prefix: Path, around: Surroundings) -> None:
    """Quick: needs no walk. Raises UsageError `delete-…`."""
    shown = str(prefix)
    if is_link(prefix):
        raise UsageError("delete-link", path=shown, target=os.path.realpath(prefix))
    if not prefix.is_dir():
        raise UsageError("delete-missing", path=shown)
    _check_place(prefix)
    _check_kind(prefix, around)
    if ours := next((place for place in _our_places() if _holds(prefix, place)), None):
        raise UsageError("delete-ourselves", path=shown, ours=str(ours))
    if mounts := mounted_in(prefix):
        raise UsageError("delete-mount", path=shown, inside=str(prefix / mounts[0]))
    _check_inside(prefix, around)


def check_survey(prefix: Path, survey: Survey) -> None:
    """What only the walk has seen. Raises UsageError."""
    if survey.volumes:
        raise UsageError("delete-mount", path=str(prefix), inside=str(prefix / survey.volumes[0]))
    if survey.nested:
        raise UsageError("delete-holds", path=str(prefix), what=str(prefix / survey.nested[0]))
    if survey.denied:
        raise UsageError("delete-denied", path=str(prefix), inside=str(prefix / survey.denied[0]))
    if not os.access(prefix.parent, os.W_OK | os.X_OK):
        raise UsageError("delete-denied", path=str(prefix), inside=str(prefix.parent))


def _check_place(prefix: Path) -> None:
    for place in {prefix, prefix.resolve()}:
        try:
            check_place(place, paths.os_name())
        except UsageError as error:
            if error.code == "target-is-system":
                raise UsageError("delete-system", path=str(prefix)) from None


def _check_kind(prefix: Path, around: Surroundings) -> None:
    shown = str(prefix)
    if any(_same(prefix, root) for root in around.roots) or is_conda_base(prefix):
        raise UsageError("delete-base", path=shown)
    if not is_environment(prefix) and unfinished_run(prefix) is None:
        raise UsageError("delete-foreign", path=shown)
    frozen = prefix / "conda-meta" / "frozen"
    if os.path.lexists(frozen):
        raise UsageError("delete-frozen", path=shown, reason=frozen_reason(read_text(frozen) or ""))


def frozen_reason(text: str) -> str:
    """The words in conda's marker, `{"message": "managed by lab"}`; "-" when it has none."""
    try:
        said = from_json(text, dict[str, object]).get("message")
    except msgspec.MsgspecError:
        return " ".join(text.split()) or "-"
    return " ".join(str(said or "-").split())


def _check_inside(prefix: Path, around: Surroundings) -> None:
    precious: list[Path] = [*(one.prefix for one in around.environments if one.kind is not Kind.SYSTEM), *around.roots]
    for place in (around.home, paths.home(), *precious):
        if place is not None and not _same(place, prefix) and _holds(prefix, place):
            raise UsageError("delete-holds", path=str(prefix), what=str(place))
    if around.home is not None and _same(around.home, prefix):
        raise UsageError("delete-holds", path=str(prefix), what=str(around.home))


def _our_places() -> Iterable[Path]:
    """The Python that runs us, and our own code."""
    yield from (Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable), paths.resources_dir())


def _holds(prefix: Path, place: Path) -> bool:
    """Links resolved: what counts is where the bytes lie."""
    real = os.path.normcase(os.path.realpath(place))
    start = os.path.normcase(os.path.realpath(prefix))
    return real == start or real.startswith(start + os.sep)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
