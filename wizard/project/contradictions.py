"""Lines of a project that stand against each other, or against themselves: which they are, and whether that matters;
and those that nobody could read.

Pure. Which of them counts is the weigher's matter; here each is a sentence, and of thousands most are counted only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wizard.compatibility.data.ordering import CPU, version_key
from wizard.compatibility.model import Candidate
from wizard.model.messages import Message, message
from wizard.project.model import DECLARED, RECOMMENDED, TORCH, FileLine, Statement, cut_between, is_run, is_script
from wizard.project.packages.cuda_tags import has_tag, is_file_for
from wizard.project.understand import Understood
from wizard.project.versions import can_meet, marker_holds, meets

_MUST = re.compile(r"\bmust\b|\brequire[sd]?\b|\bneed(?:s|ed)?\b|必须|需要|要求", re.IGNORECASE)
_NAME = re.compile(r"[\w.-]+")
_BOTH, _BOTH_MOVED = "project.remark.contradiction", "project.remark.contradiction-moved"
MOST_NAMED = 6  # contradictions in one answer
_UNREAD = frozenset(
    f"project.remark.{code}"
    for code in (
        *("setup-computed", "unreadable-line", "unreadable-file", "bound-unread", "dependencies-unread", "yaml-alias"),
        *("file-not-read", "file-outside", "include-missing", "include-from-elsewhere", "named-elsewhere"),
        *("several-named", "too-many-files", "too-long", "member-missing", "members-cut"),
    )
)


def contradictions(asks: Understood, os: str, python: str) -> Iterator[Message]:
    """Two lines of another package that no release meets; torch's and Python's are told by the weigher."""
    kept: dict[str, list[Statement]] = {}
    found: list[Message] = []
    pairs = [one for lines in asks.pairs.values() for one in lines]
    for one in (*asks.packages, *asks.constraints, *pairs):
        if one.strength == RECOMMENDED or not one.specifier or not marker_holds(one.marker, os, python):
            continue
        if not can_meet(one.specifier, ""):
            found.append(contradicts_itself(one))
            continue
        before = kept.setdefault(one.name, [])
        against = next((each for each in before if not can_meet(each.specifier, one.specifier)), None)
        if against is None and len(before) < MOST_NAMED:
            before.append(one)
        elif against is not None:
            found.append(contradiction(against, one))
    found += _told_otherwise(asks, kept, os)
    yield from bounded(found)


def _told_otherwise(asks: Understood, kept: Mapping[str, list[Statement]], os: str) -> Iterator[Message]:
    """What a README says of torch, or an install script of anything, against what is declared: where not one of its
    lines, which may be for one kind of computer each, goes with that. A script of another system's is not run here."""
    declared = {**kept, TORCH: [] if asks.torch_any else [one for one in asks.torch if one.specifier]}
    said: dict[tuple[str, str], list[Statement]] = {}
    for one in asks.told:
        if (
            one.specifier
            and is_file_for(one.origin.file, os)
            and one.name in declared.keys() - asks.pairs.keys()
            and (one.name == TORCH or is_script(one.origin.file))
        ):
            said.setdefault((one.name, one.origin.file), []).append(one)
    once = {(lines[0].name, lines[0].specifier): lines for lines in reversed(said.values())}
    for (name, _), lines in reversed(once.items()):
        against = [_against(one, declared[name]) for one in lines]
        if against[0] and all(against):
            yield contradiction(against[0], lines[0])


def without_apart(
    asks: Understood, candidates: Sequence[Candidate], usable: Sequence[Candidate]
) -> tuple[Understood, list[Message]]:
    """Return what is asked without a torch that is only recommended and stands against what is declared of NumPy, of
    CUDA or of a package made for another torch, with its pair, where a build that is usable here keeps that. Where
    nothing asks for a release, one counts that the programs need."""
    of_code = {one.origin for one in asks.of_code}
    bounds = [one for one in asks.implied if one.name == TORCH and one.strength == DECLARED and not one.url]
    numpy = [one for one in asks.numpy if one.strength == DECLARED and not one.marker and one.origin not in of_code]

    cuda = [tag for tag in asks.tags if tag.firm and not tag.told and tag.tag != CPU]
    has_cuda = {one.torch for one in candidates if one.pythons and any(has_tag(tag.tag, one.variant) for tag in cuda)}

    def against(build: Candidate) -> FileLine | None:
        refused = [one.origin for one in bounds if not meets(one.specifier, build.torch)]
        refused += [one.origin for one in numpy if not can_meet(one.specifier, build.numpy)]
        refused += [tag.origin for tag in cuda[:1] if build.torch not in has_cuda]
        return next(iter(refused), None)

    if not asks.torch_any:
        return _with_needed(asks, {build.torch for build in usable}), []
    if all(map(against, usable)):
        return asks, []
    lost, said = set[FileLine](), list[Message]()
    for one in asks.torch:
        named = [build for build in candidates if build.pythons and meets(one.specifier, build.torch)]
        if named and all(map(against, named)) and (other := against(named[0])):
            lost.add(one.origin)
            asks = asks.without_pairs_of(one.origin.file)
            place, at = one.origin, other
            where: dict[str, str | int] = {"other_file": at.file, "other_line": at.line, "other": at.text}
            where |= {"file": place.file, "line": place.line, "torch": named[0].torch}
            said.append(message("project.remark.recommended-apart", **where))
    kept = tuple(one for one in asks.torch if one.origin not in lost)
    told = tuple(one for one in asks.told if one.name != TORCH or one.origin not in lost)
    tags = tuple(tag for tag in asks.tags if tag.origin not in lost)
    return replace(asks, torch=kept, torch_any=bool(kept), told=told, tags=tags), said


def _with_needed(asks: Understood, usable: Collection[str]) -> Understood:
    """Return what is asked with the oldest torch that programs need, of the releases that lines leave open."""
    asked = [torch for torch in usable if all(meets(one.specifier, torch) for one in asks.torch)]
    needed = [one for one in asks.of_code if one.group == TORCH and not one.local]
    needed = [one for one in needed if {meets(one.specifier, torch) for torch in asked} == {True, False}]
    oldest = sorted(needed, key=lambda one: version_key(one.specifier.strip("<")))[:1]
    torch = tuple(replace(one, name=TORCH, group="", extras=(), marker="") for one in oldest)
    return replace(asks, torch=(*asks.torch, *torch), torch_any=bool(torch) and not asks.torch)


def _against(one: Statement, declared: list[Statement]) -> Statement | None:
    return next((each for each in declared if not can_meet(each.specifier, one.specifier)), None)


def contradiction(against: Statement, one: Statement) -> Message:
    """Return the two lines that no release meets, as a sentence."""
    return message(
        "project.remark.contradiction",
        file=against.origin.file,
        line=against.origin.line,
        one=str(against),
        other_file=one.origin.file,
        other_line=one.origin.line,
        other=str(one),
    )


def with_what_moved(remarks: Iterable[Message], given: Mapping[str, str]) -> tuple[Message, ...]:
    """Return the remarks, of which two lines for what could be kept by neither say what is taken instead. `given`: what
    is taken of all that is not as asked, by its name."""
    return tuple(_with_moved(one, given) for one in remarks)


def _with_moved(one: Message, given: Mapping[str, str]) -> Message:
    match = _NAME.match(str(one.params.get("one", ""))) if one.key == _BOTH else None
    if not (match and match[0] in given):
        return one
    return message(
        "project.remark.contradiction-moved",
        "{file}, line {line} asks for {one}, {other_file}, line {other_line} for {other}: nothing meets both, and here "
        "it is {name} {given}.",
        **one.params,
        name=match[0],
        given=given[match[0]],
    )


def contradicts_itself(one: Statement) -> Message:
    """Return a line that no version at all can meet, as a sentence."""
    place = one.origin
    return message("project.remark.contradicts-itself", file=place.file, line=place.line, asked=str(one))


def override_words(asks: Understood) -> Iterator[Message]:
    """Say what a project sets in place of its packages' own needs."""
    if overrides := asks.overrides:
        words, place = cut_between([*map(str, overrides)]), overrides[0].origin
        yield message("project.remark.overrides", file=place.file, line=place.line, packages=words)


def cuda_words(asks: Understood, taken: Candidate, builds: Iterable[Candidate]) -> Iterator[Message]:
    """Say which CUDA is only recommended and not taken, with what is against it in this torch, and which of the
    project's lists counts."""
    given = taken.variant
    cuda = [tag for tag in asks.tags if tag.tag != CPU]
    other = [tag for tag in cuda if not has_tag(tag.tag, given)]
    met = {tag.origin.file for tag in cuda if tag not in other}  # one file has alternatives
    left = [tag for tag in other if tag.origin.file not in met] if all(tag.told for tag in cuda) else []
    if left:
        place = left[0].origin
        asked = ", ".join(tag.tag if tag.origin == place else f"{tag.tag} ({tag.origin})" for tag in left)
        where: dict[str, str | int] = {"file": place.file, "line": place.line, "asked": asked, "given": given}
        of_torch = [one for one in builds if one.torch == taken.torch and has_tag(left[0].tag, one.variant)]
        if given != CPU and not of_torch:
            yield message("project.remark.cuda-none", **where, torch=taken.torch, cuda=left[0].tag)
        elif refused := next((one for one in of_torch if one.reasons and given != CPU), None):
            build, why = f"{refused.torch}+{refused.variant}", refused.reasons[0].message
            yield message("project.remark.cuda-refused", **where, build=build, why=why)
        else:
            yield message("project.remark.cuda-recommended", **where)
    if not cuda and given != CPU and (told := [tag.origin for tag in asks.tags if tag.tag == CPU and tag.told]):
        yield message("project.remark.cpu-recommended", file=told[0].file, line=told[0].line, given=given)
    own = next((tag.origin.file for tag in cuda if tag not in other and not tag.told), None)
    unmet = next((tag for tag in other if not tag.told and tag.origin.file != own), None)  # one file has alternatives
    if own and unmet:
        place = unmet.origin
        yield message(
            "project.remark.cuda-chosen", file=place.file, line=place.line, asked=unmet.tag, own=own, given=given
        )


def recommended_words(asks: Understood, at: FileLine) -> Message:
    """Return the sentence on a line that no list stands beside: one that says it must be so is no recommendation."""
    if not _MUST.search(at.text):
        return message("project.remark.recommended", **asks.quoted(at))
    return message(
        "project.remark.asked-in-words",
        "{file}, line {line} asks for it, and no list of the project does: “{text}”.",
        **asks.quoted(at),
    )


def card_words(asks: Understood) -> Iterator[Message]:
    """Say where a README names another torch for cards such as the one here, for which torch had to move."""
    for one in asks.for_cards[:1]:
        place = one.origin
        yield message("project.remark.for-cards", file=place.file, line=place.line, text=place.text)


def bounded(found: Sequence[Message]) -> Iterator[Message]:
    """Yield the first, and how many more there are."""
    yield from found[:MOST_NAMED]
    if len(found) > MOST_NAMED:
        yield message("project.remark.contradictions-more", count=len(found) - MOST_NAMED)


def agreeing(packages: Iterable[Statement]) -> Iterator[Statement]:
    """Leave out a line that no version meets together with an earlier one of the same package: the first counts."""
    kept: dict[str, list[Statement]] = {}
    for one in packages:
        before = [each for each in kept.setdefault(one.name, []) if not (each.marker or one.marker)]
        if all(can_meet(each.specifier, one.specifier) for each in before):
            kept[one.name].append(one)
            yield one


def is_contradicted(remarks: Sequence[Message]) -> bool:
    """Return whether two lines stand against each other, or one against itself, so that one is not met; what a README,
    a script or a Dockerfile says binds nobody."""
    keys = (_BOTH, _BOTH_MOVED, "project.remark.contradicts-itself")
    if any(one.key == "project.remark.unknown-torch" for one in remarks):
        return True
    places = ([one.params.get(key) for key in ("file", "other_file")] for one in remarks if one.key in keys)
    return any(not any(_only_tells(str(file)) for file in files if file) for files in places)


def unread_lines(remarks: Iterable[Message]) -> list[Message]:
    """Return what is said of lines that ask for something which was not read: not what a README tells, nor an extra,
    which nobody installs unasked."""
    said = (one for one in remarks if one.key in _UNREAD and not one.params.get("group"))
    return [one for one in said if not _only_tells(str(one.params.get("file", "")))]


def _only_tells(file: str) -> bool:
    name = file.rpartition("/")[2].lower()
    return is_run(file) or name.startswith("readme") or name.endswith((".md", ".rst"))
