"""Lets a package that is made for one torch release choose it: vLLM counts more than the newest torch.

Left to torch, the resolver finds nothing, or a companion of years ago. So it is asked once without a torch, within the
releases that run here; where it answers with another one, that build is selected instead. Nothing hangs on this: where
it cannot be answered, the first selection stays, and its lock says what is wrong.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from wizard.compatibility.data.ordering import CPU
from wizard.compatibility.model import Candidate, Choices
from wizard.model.errors import WizardError
from wizard.model.lock import Lock
from wizard.model.messages import message
from wizard.project.companions import companion
from wizard.project.model import TORCH
from wizard.run.model import Facts, SelectedBuild
from wizard.run.plan.checked_index import CheckedIndex
from wizard.run.plan.computed import Asker
from wizard.run.plan.preview import lock_request


def with_companions_torch(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    candidates: Collection[Candidate],
    again: Callable[[Choices], SelectedBuild],
    is_cancelled: Callable[[], bool],
) -> SelectedBuild:
    """`again` selects anew. What has no ready wheels for so new a torch is told. Raises Cancelled."""
    found = _chosen(facts, choices, selected, candidates, again, is_cancelled)
    torch = found.candidate.torch
    behind = [row for name in _names(choices.extras) if (row := companion(name)) and row.ends_before(torch)]
    told = tuple(
        message(
            "notice.companion-ended",
            "{name}: its ready wheels are known for torch up to {newest} only; with torch {torch} it may not load. An "
            "older torch is chosen with --torch, where one runs here.",
            name=row.name,
            newest=row.newest,
            torch=torch,
        )
        for row in behind
    )
    return replace(found, notices=(*found.notices, *told))


def _chosen(
    facts: Facts,
    choices: Choices,
    selected: SelectedBuild,
    candidates: Collection[Candidate],
    again: Callable[[Choices], SelectedBuild],
    is_cancelled: Callable[[], bool],
) -> SelectedBuild:
    is_cpu = selected.candidate.variant == CPU
    releases = {one.torch for one in candidates if one.fits and (one.variant == CPU) == is_cpu}
    made_for_one = tuple(_made_for_one(choices.extras))
    rows = [row for name in _names(made_for_one) if (row := companion(name)) and row.wheels == "index"]
    releases = {one for one in releases if not any(row.ends_before(one) for row in rows)} or releases
    if choices.torch or not made_for_one or not releases:
        return selected
    try:
        lock = _without_torch(facts, selected, made_for_one, releases, Asker(choices, is_cancelled))
        torch = _release(lock)
        if torch in (None, selected.candidate.torch) or torch not in releases:
            return selected
        other = again(replace(choices, torch=torch))
    except WizardError:
        return selected
    names = _names(made_for_one)
    named = [f"{file.name} {file.version}" for file in lock.files if canonicalize_name(file.name) in names]
    told = message(
        "notice.companions-torch",
        "torch {torch} is taken and not {newest}, since {packages} needs it. To keep the newer torch, name it (--torch "
        "{newest}): then an older release comes, or none.",
        torch=other.candidate.torch,
        newest=selected.candidate.torch,
        packages=", ".join(named),
    )
    return replace(other, notices=(*other.notices, told)) if other.candidate.torch == torch else selected


def _made_for_one(extras: Collection[str]) -> Iterator[str]:
    for words in extras:
        for name in _names((words,)):
            row = companion(name)
            if row and row.follows:
                yield words


def _names(extras: Collection[str]) -> list[str]:
    found: list[str] = []
    for words in extras:
        try:
            found.append(canonicalize_name(Requirement(words).name))
        except InvalidRequirement:
            continue
    return found


def _without_torch(
    facts: Facts, selected: SelectedBuild, packages: tuple[str, ...], releases: Collection[str], asker: Asker
) -> Lock:
    """They come first in the list, since the resolver decides what stands first first."""
    versions = sorted(map(Version, releases))
    within = f"{TORCH}>={versions[0]},<={versions[-1]}"
    request = replace(lock_request(facts, selected), requirements=(*packages, within), torch_index=None)
    with (
        tempfile.TemporaryDirectory(prefix="torch-wizard-") as folder,
        CheckedIndex(selected.package_sources, facts.settings, asker, selected.further) as index,
    ):
        return index.lock(request, Path(folder))


def _release(lock: Lock) -> str | None:
    """The torch of the lock, without what says its build."""
    file = lock.find(TORCH)
    return Version(file.version).public if file else None
