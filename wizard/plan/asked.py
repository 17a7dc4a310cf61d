"""What was asked for: checks the wishes, says which builds they mean, and which of those were never published.

Wishes that nothing anywhere meets are usage errors; wishes that only this system lacks get a verdict with a reason,
so that one odd machine among many does not stop the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from packaging.version import Version

from wizard.errors import UsageError
from wizard.matrix.model import Build, Matrix
from wizard.matrix.ordering import variant_key, version_key
from wizard.plan.judge import Situation, offered_pythons
from wizard.plan.model import Candidate, Choices, Reason


def canonical(choices: Choices) -> Choices:
    """As the tables write it: `v2.10` is 2.10.0, `CU126` is cu126, Python 3.12.4 is 3.12. The rest stays as it is,
    for `check_choices` to refuse by the name that was given."""
    torch, variant, python = choices.torch, choices.variant, choices.python
    changed = (
        torch and (_numbers(torch, 3) or torch.strip()),
        variant and variant.strip().lower(),
        python and (_numbers(python, 2) or python.strip()),
    )
    if changed == (torch, variant, python):
        return choices
    return replace(choices, torch=changed[0], variant=changed[1], python=changed[2])


def _numbers(text: str, wanted: int) -> str | None:
    """Of a stable version: for torch all its numbers and three at least, for Python the first two."""
    try:
        version = Version(text)
    except ValueError:  # no version, or numbers of thousands of digits
        return None
    numbers = list(version.release)
    if version.epoch or version.local or version.is_prerelease or version.is_postrelease:
        return None
    if wanted == 2:
        return ".".join(map(str, numbers[:2])) if len(numbers) in (2, 3) else None
    numbers += [0] * (wanted - len(numbers))
    while len(numbers) > wanted and numbers[-1] == 0:
        numbers.pop()
    return ".".join(map(str, numbers))


def check_choices(choices: Choices, matrix: Matrix) -> None:
    """Raises UsageError `no-such-torch`, `no-such-variant`, `no-build-for-python`."""
    choices = canonical(choices)
    torch, variant, python = choices.torch, choices.variant, choices.python
    if torch is not None and torch not in matrix.releases:
        newest = sorted(matrix.releases, key=version_key, reverse=True)
        raise UsageError("no-such-torch", torch=torch, known=", ".join(newest[:5]))
    variants = {build.variant for build in matrix.builds}
    if variant is not None and variant not in variants:
        known = sorted({build.variant for build in matrix.builds if build.advertised}, key=variant_key, reverse=True)
        raise UsageError("no-such-variant", variant=variant, known=", ".join(known))
    pythons = {python for build in matrix.builds for python in offered_pythons(build, choices)}
    if python is not None and python not in pythons:
        known_pythons = sorted(pythons, key=version_key)
        raise UsageError("no-build-for-python", python=python, first=known_pythons[0], last=known_pythons[-1])


def is_asked(build: Build, choices: Choices) -> bool:
    """A build that is not advertised is asked for by its tag or by the switch for all of them."""
    if choices.torch and build.torch != choices.torch:
        return False
    if choices.variant:
        return build.variant == choices.variant
    return build.advertised or choices.include_unadvertised


def asked_builds(situation: Situation) -> Iterator[Build]:
    for build in situation.matrix.builds:
        if build.platform == situation.platform and is_asked(build, situation.choices):
            yield build


def unpublished(situation: Situation, published: set[tuple[str, str]]) -> list[Candidate]:
    """Builds that exist for another system only, or that a release no longer has: people look for them."""
    matrix, choices = situation.matrix, situation.choices
    elsewhere = {(build.torch, build.variant) for build in matrix.builds if is_asked(build, choices)}
    missing = (elsewhere | _removed(situation)) - published
    if choices.torch and choices.variant and not published:
        missing.add((choices.torch, choices.variant))
    here = {build.torch for build in matrix.builds if build.platform == situation.platform}
    return [_unpublished_candidate(torch, variant, torch in here, situation) for torch, variant in missing]


def _removed(situation: Situation) -> set[tuple[str, str]]:
    """The first release without a tag that the release before it offered."""
    here = [build for build in situation.matrix.builds if build.platform == situation.platform]
    published = {(build.torch, build.variant) for build in here}
    releases = sorted({build.torch for build in here}, key=version_key)
    following = dict(zip(releases, releases[1:], strict=False))
    removed = {(following.get(build.torch, build.torch), build.variant) for build in here if build.advertised}
    choices = situation.choices
    return {
        (torch, variant)
        for torch, variant in removed - published
        if choices.torch in (None, torch) and choices.variant in (None, variant)
    }


def _unpublished_candidate(torch: str, variant: str, is_here: bool, situation: Situation) -> Candidate:
    platform = f"{situation.machine.os} {situation.machine.arch}"
    code = "not-published" if is_here else "platform-unsupported"
    reason = Reason(code, {"torch": torch, "variant": variant, "platform": platform})
    release = situation.matrix.releases[torch]
    python = situation.choices.python
    return Candidate(torch, variant, python, release.torchvision, release.audio_for(python), False, (reason,))
