"""Are the further packages that a person names requirements at all? Checked before anything takes time."""

from __future__ import annotations

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from wizard.errors import UsageError

# These have a place of their own in the decision; a second pin beside it could only contradict.
DECIDED = frozenset({"torch", "torchvision", "torchaudio"})


def check_extras(extras: tuple[str, ...]) -> None:
    """Raises UsageError `bad-requirement` or `extra-is-decided`."""
    for extra in extras:
        try:
            requirement = Requirement(extra)
        except InvalidRequirement as error:
            raise UsageError("bad-requirement", details=str(error), requirement=extra) from error
        if requirement.url and not requirement.url.lower().startswith("https://"):
            raise UsageError("bad-requirement", requirement=extra)
        if canonicalize_name(requirement.name) in DECIDED:
            raise UsageError("extra-is-decided", requirement=extra, name=requirement.name)
