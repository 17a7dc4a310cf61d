"""Which packages of an environment an update takes to their newest versions, and what those that stay ask of them.

Values over the installed distributions; nothing is asked of a source. Those that were named move, or all that were
asked for here and all that no other package needs. What they need moves only where it must.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.compatibility.model import Choices
from wizard.diagnose.repair.reuse import EXACT, provided_by_conda
from wizard.environment.create.clone_files import shell_word
from wizard.environment.inspect.installation import Installation
from wizard.model.distributions import FAMILY, Distribution
from wizard.model.errors import ErrorText, UsageError, WizardError
from wizard.project.packages.companions import undeclared_bounds

_RESOLVERS_REASON = re.compile(r"Because |(?<=cause: )")  # so uv begins it
_LONGEST_REASON = 600  # characters of the resolver's own words
_NOWHERE = re.compile(r"Because (?P<name>[\w.-]+) was not found in the (?:package registry|provided package locations)")
_BESIDE_TORCH = ErrorText(
    "add-no-solution",
    "{packages} cannot be added beside torch {torch}, which is held: they do not go together.",
    "Ask for another version; or let torch move [on the page {page.welcome}|with: torch-wizard setup --into "
    "{path} --with NAMES]. Nothing was changed.",
)
_NOWHERE_TO_GET = ErrorText(
    "add-nowhere",
    "{packages} cannot be added: no source has a package called {name}.",
    "Look whether the name is right; its own page says how it is installed. Nothing was changed.",
)
_IN_NO_WAY = ErrorText(
    "add-no-solution",
    "{packages} cannot be added: no versions fit each other, this Python and this system.",
    "Look whether the name is right; its own page says how it is installed where no index has a wheel for this Python. "
    "Nothing was changed.",
)


@dataclass(frozen=True, slots=True)
class Update:
    """`lines`: what is asked for. `names`: whose versions that are there count for nothing. `met`: what packages that
    stay ask of others, as requirements: it holds now and must go on to hold."""

    lines: tuple[str, ...]
    names: frozenset[str]
    met: tuple[str, ...]


def update_of(env: Installation, asked: Iterable[str], declared: Iterable[str], left: Collection[str] = ()) -> Update:
    """`declared`: what earlier runs were asked for here, the newest first; a line that does not hold any more was taken
    back and counts for nothing. `left`: what no source has; it stays, as do
    packages that lack what they ask for, unless they are named.

    Raises UsageError `update-not-there`, `update-not-ours`."""
    there = env.distributions
    needs: dict[str, frozenset[str]] = {each.name: _needs(env, each.name) for each in there}
    fixed = {each.name for each in there if _follows_torch(each.name) or _is_from_elsewhere(each.info)}
    fixed.update(each.name for each in provided_by_conda(env))
    by_name: dict[str, str] = {}
    for line in declared:
        one, found = Requirement(line), env.one(canonicalize_name(Requirement(line).name))
        if found and (one.url or one.specifier.contains(found.version, prereleases=True)):
            by_name.setdefault(found.name, line)
    named = tuple(asked)
    if named:
        _check(env, named, fixed)
        lines: dict[str, str] = {canonicalize_name(Requirement(line).name): line for line in named}
    else:
        needed = {name for wanted in needs.values() for name in wanted}
        fixed.update(left, (each.name for each in there if not _has_all(env, each)))
        names = [name for name in needs if name not in fixed and (name in by_name or name not in needed)]
        lines = {name: _not_older(env, name, by_name.get(name, name)) for name in sorted(names)}
    moving = _reached(lines, needs)
    met = [line for each in there if each.name not in moving for line in _asked_by(env, each.name, moving)]
    return Update(tuple(lines.values()), frozenset(lines), tuple(dict.fromkeys((*met, *_unsaid(env, lines)))))


def _check(env: Installation, asked: Iterable[str], fixed: set[str]) -> None:
    names = [canonicalize_name(Requirement(line).name) for line in asked]
    if missing := [name for name in names if not env.find(name)]:
        raise UsageError(
            "update-not-there",
            "{names} cannot be updated: that is not in “{path}”.",
            "Add it [on the page {page.environments}.|with: torch-wizard envs add {path} {first}]",
            names=", ".join(missing),
            first=missing[0],
            path=str(env.prefix),
        )
    if others := [name for name in names if name in fixed]:
        raise UsageError(
            "update-not-ours",
            "{names} in “{path}” did not come from an index of packages: conda, a folder or a repository has it.",
            "Update it by what put it there; nothing was changed.",
            names=", ".join(others),
            path=str(env.prefix),
        )


def _follows_torch(name: str) -> bool:
    return name in FAMILY or name.startswith(EXACT)


def _is_from_elsewhere(info: Path) -> bool:
    """From a folder, a repository or a single file (PEP 610): an index may have something else by that name."""
    return (info / "direct_url.json").is_file()


def _has_all(env: Installation, one: Distribution) -> bool:
    for requirement in one.wanted(env.markers()):
        found = env.one(canonicalize_name(requirement.name))
        if found is None or not requirement.specifier.contains(found.version, prereleases=True):
            return False
    return True


def _needs(env: Installation, name: str) -> frozenset[str]:
    markers = env.markers()
    return frozenset(
        canonicalize_name(requirement.name) for each in env.find(name) for requirement in each.wanted(markers)
    )


def _not_older(env: Installation, name: str, line: str) -> str:
    """An update goes back behind nothing that is there; a version before a release stays allowed so."""
    there, wanted = env.one(name), Requirement(line)
    try:
        least = f">={Version(there.version).public}" if there else ""
    except InvalidVersion:
        return line
    if not least or wanted.url or any(each.operator in ("==", "===") for each in wanted.specifier):
        return line
    kept = [str(each) for each in wanted.specifier if each.operator not in (">=", ">")]
    wanted.specifier = type(wanted.specifier)(",".join((*kept, least)))
    return str(wanted)


def _reached(names: Iterable[str], needs: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """They, and all that they need."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs.get(name, ())
    return frozenset(found)


def _asked_by(env: Installation, name: str, moving: frozenset[str]) -> Iterator[str]:
    markers = env.markers()
    for each in env.find(name):
        for requirement in each.wanted(markers):
            target = canonicalize_name(requirement.name)
            there = env.one(target)
            if there is None or target not in moving or _follows_torch(target) or not str(requirement.specifier):
                continue
            if requirement.specifier.contains(there.version, prereleases=True):
                yield f"{target}{requirement.specifier}"


def _unsaid(env: Installation, lines: Mapping[str, str]) -> Iterator[str]:
    """Yield what versions that are pinned or stay need and no metadata says, where it holds now: `numpy<2` beside what
    was built before NumPy 2. `lines`: what moves."""
    stay = [
        f"{each.name}=={each.version}" for each in env.distributions if each.name not in lines and each.name != "numpy"
    ]
    for line in undeclared_bounds((*lines.values(), *filter(_is_readable, stay))):
        one = Requirement(line)
        there = env.one(canonicalize_name(one.name))
        if there and one.specifier.contains(there.version, prereleases=True) and not _follows_torch(there.name):
            yield line


def _is_readable(line: str) -> bool:
    try:
        Requirement(line)
    except InvalidRequirement:
        return False
    return True


def resolvers_reason(error: WizardError) -> str:
    """Its own words, from where it begins to reason."""
    said = " ".join(error.details.replace("│", " ").split())
    begin = _RESOLVERS_REASON.search(said)
    reason = said[begin.start() if begin else 0 :]
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"


def _resolvers_words(error: WizardError) -> dict[str, str]:
    """Its own reason, which is English: the first of the details, and a line of its own in a terminal."""
    reason = resolvers_reason(error)
    return {"resolver": reason, "details": f"{reason}\n\n{error.details}"}


def known_nowhere(error: WizardError) -> str | None:
    """The package that no source has, where that is the reason."""
    found = _NOWHERE.search(resolvers_reason(error))
    return canonicalize_name(found["name"]) if found else None


def no_newer(error: WizardError, prefix: Path) -> WizardError:
    """Return the error of an update for which there is nothing newer, with the resolver's own reason."""
    return WizardError(
        "update-no-solution",
        "The packages in {path} have no newer versions that fit each other and all that stays.",
        "Name those that are to be updated[ on the page {page.environments}|, as in: torch-wizard envs update "
        "{path} PACKAGE]. Nothing was changed.",
        path=shell_word(prefix),
        **_resolvers_words(error),
    )


def cannot_live(error: WizardError, choices: Choices, held: Mapping[str, str]) -> WizardError:
    """Return the error of packages that cannot be put beside the torch that is held, or nowhere."""
    nowhere, reason = known_nowhere(error), resolvers_reason(error).partition("hint:")[0]
    is_about_torch = re.search(r"\btorch\b", reason)
    return WizardError(
        _NOWHERE_TO_GET if nowhere else _BESIDE_TORCH if is_about_torch else _IN_NO_WAY,
        name=nowhere or "-",
        packages=",".join((*choices.extras, *(name for name in choices.companions or () if name not in held))),
        torch=held["torch"],
        path=shell_word(Path(str(choices.prefix))),
        **_resolvers_words(error),
    )
