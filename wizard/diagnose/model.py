"""What the doctor says, as values: one look per check, what each found, and the answer over all of them.

A *look* is a check that was made: ruled out, found, or could not look. A *finding* is one thing that is wrong,
with its evidence; `certain` says that the evidence proves it on its own. A *remedy* is the smallest change that
mends a finding: packages to install again, folders to put aside, a guard, or advice for what only a person can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wizard.model.messages import Message, Scalar, catalogue, text
from wizard.run.verify.model import Verification

READS = "read "  # a stage of an examination: before the name of the package that is read
RULED_OUT, FOUND, NOT_LOOKED = "ruled-out", "found", "not-looked"
ENVIRONMENT, MACHINE = "environment", "machine"
# A fact as it stands (a path, a version, a tool's own words), or a sentence, which is said in the reader's language.
Evidence = str | Message


def proof(name: str, /, **params: Scalar) -> Message:
    """The words are `doctor.evidence.<name>`."""
    return Message(f"doctor.evidence.{name}", params)


def evidence_text(evidence: Evidence, language: str | None = None) -> str:
    return evidence if isinstance(evidence, str) else text(evidence, language)


@dataclass(frozen=True, slots=True)
class Remedy:
    """`reinstall`: distributions, `name` or `name==1.2` or `name<2`. `aside`: folders and files to move out of the
    way, with nothing in their place. `family`: torch and its companions come anew, in a build that fits.
    """

    reinstall: tuple[str, ...] = ()
    aside: tuple[Path, ...] = ()
    family: bool = False
    no_user_site: bool = False
    drop_library_folders: tuple[str, ...] = ()

    @property
    def changes_something(self) -> bool:
        return bool(self.reinstall or self.aside or self.family or self.no_user_site or self.drop_library_folders)

    def joined(self, other: Remedy) -> Remedy:
        """Return one remedy that does what both do, each thing once."""
        return Remedy(
            _unlike(self.reinstall, other.reinstall),
            tuple(dict.fromkeys((*self.aside, *other.aside))),
            self.family or other.family,
            self.no_user_site or other.no_user_site,
            _unlike(self.drop_library_folders, other.drop_library_folders),
        )


def _unlike(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


@dataclass(frozen=True, slots=True)
class Finding:
    """`scope`: environment (packages, variables) or machine (driver, card). `repair` says what mends it."""

    check: str
    code: str
    cause: Message
    repair: Message
    evidence: tuple[Evidence, ...]
    certain: bool = True
    scope: str = ENVIRONMENT
    remedy: Remedy = field(default_factory=Remedy)


@dataclass(frozen=True, slots=True)
class Check:
    """`message`: what was looked at and how it stands, in one sentence."""

    check: str
    state: str  # RULED_OUT | FOUND | NOT_LOOKED
    message: Message
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """`verdict`: nothing-wrong | found | machine | unknown. `others`: found too, but not the cause."""

    verdict: str
    prefix: Path
    cause: Finding | None
    others: tuple[Finding, ...]
    looks: tuple[Check, ...]
    verification: Verification | None = None

    @property
    def remedy(self) -> Remedy:
        """All that is certainly wrong in the environment, mended at once; where nothing is, what may be tidied."""
        if self.cause and self.cause.code == "python-broken":
            return Remedy()  # nothing can be installed into it
        found = [self.cause] if self.cause else []
        found += [other for other in self.others if other.certain and other.scope == ENVIRONMENT]
        if self.verdict == "nothing-wrong":
            found = [other for other in self.others if other.code in ("leftovers", "drift")]
        if any(finding.remedy.family for finding in found):
            # With another torch they are judged anew: those that fit it stay.
            found = [finding for finding in found if not finding.code.startswith("companion-")]
        total = Remedy()
        for finding in found:
            total = total.joined(finding.remedy)
        return total


def ruled_out(check: str, *evidence: Evidence, **params: Scalar) -> Check:
    return Check(check, RULED_OUT, Message(f"doctor.look.{check}.ruled-out", params), evidence)


def not_looked(check: str, reason: str, **params: Scalar) -> Check:
    """`reason`: a key below `doctor.not-looked`."""
    return Check(check, NOT_LOOKED, Message(f"doctor.not-looked.{reason}", params))


def found(check: str, *findings: Finding) -> Check:
    evidence = tuple(line for finding in findings for line in finding.evidence)
    return Check(check, FOUND, findings[0].cause, evidence, findings)


def finding(
    check: str,
    code: str,
    evidence: tuple[Evidence, ...],
    remedy: Remedy | None = None,
    certain: bool = True,
    scope: str = ENVIRONMENT,
    words: Mapping[str, Scalar] | None = None,
    **params: Scalar,
) -> Finding:
    """The words are `doctor.<code>.cause` and `doctor.<code>.repair`. `code` may carry a variant after a slash: other
    words for the same cause.
    """
    name, key = code.partition("/")[0], f"doctor.{code.replace('/', '-')}"
    repair = key if f"{key}.repair" in catalogue("en") else f"doctor.{name}"
    params = {**(words or {}), **params}
    said = Message(f"{key}.cause", params), Message(f"{repair}.repair", params)
    return Finding(check, name, *said, evidence, certain, scope, remedy or Remedy())


def confirmed(look: Check, *evidence: Evidence) -> Check:
    """A suspicion that a trial has proved."""
    findings = tuple(
        replace(each, certain=True, evidence=(*each.evidence, *evidence), cause=_proved(each.cause))
        for each in look.findings
    )
    return replace(look, findings=findings, evidence=(*look.evidence, *evidence))


def _proved(cause: Message) -> Message:
    """The words of a suspicion say "may"."""
    return replace(cause, key=cause.key.replace("-suspect.", "."))
