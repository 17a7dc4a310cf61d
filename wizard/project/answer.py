"""The decision for a project as a document and as lines for people: what is got, what differs and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from posixpath import normpath
from typing import Any

from wizard.compatibility.explain import variant_name
from wizard.model.messages import Message, catalogue, message, text
from wizard.model.redact import redact
from wizard.project.decide import ProjectDecision
from wizard.project.model import LOCKED, PAIRS, FileLine, Project, Statement, fit_to_show, is_folder
from wizard.project.packages.companions import is_planned, is_pure
from wizard.project.packages.native import Relaxed

SCHEMA = 1
_MOST_NAMED = 6  # lines in one sentence
_LOCK_LEFT = ("project.remark.lock-left", "project.remark.lock-stale")
_MOST_FILES = 12
NOTES = message(
    "project.head.notes",
    "What the project itself says about installing; this program does not act on it:",
)


def project_document(
    project: Project, decision: ProjectDecision, machine_name: str | None = None, language: str | None = None
) -> dict[str, Any]:
    """The contract of docs/architecture.md. `machine_name`: the file's name, when several machines were asked about."""
    candidate, asks = decision.candidate, decision.understood
    document: dict[str, Any] = {"schema": SCHEMA}
    if machine_name is not None:
        document["machine"] = machine_name
    document |= {
        "project": project.folder,
        "files": list(project.files),
        "torch": candidate and candidate.torch,
        "variant": candidate and candidate.variant,
        "python": decision.python,
        "torchvision": candidate.torchvision if candidate and PAIRS[0] in asks.pairs else None,
        "torchaudio": candidate.torchaudio if candidate and PAIRS[1] in asks.pairs else None,
        "numpy": decision.numpy or None,
        "relaxed": [_relaxed(one, language) for one in decision.relaxed],
        "remarks": [text(remark, language) for remark in decision.remarks],
        "notes": [_line(at) for at in decision.notes],
        "as_of": decision.as_of or None,
        "not_looked_up": text(unasked, language) if (unasked := unasked_words(project, decision)) else None,
        "native": [*_here(decision), *_own_natives(decision)],
        "native_elsewhere": [*decision.elsewhere],
        "left_out": [one.name for one in decision.left_out],
        "rest": [_named(one) for one in asks.rest],
        "asked": [
            {"name": one.name, "specifier": one.specifier, **_line(one.origin)} for one in (*asks.torch, *asks.python)
        ],
    }
    return document


def _here(decision: ProjectDecision) -> list[str]:
    return [native.name for native in decision.understood.native if native.name not in decision.elsewhere]


def _own_natives(decision: ProjectDecision) -> Iterator[str]:
    """Yield the packages that are folders of the project and compile code."""
    asks, said = decision.understood, [one for one in decision.remarks if one.key == "project.remark.parts-compiled"]
    compiled = {folder for one in said for folder in str(one.params["folders"]).split(", ")}
    known = {native.name for native in asks.native}
    for one in asks.rest:
        if is_folder(one.url) and normpath(one.url) in compiled and one.name not in known:
            yield one.name


def _named(one: Statement) -> str:
    """Where it comes from an address of its own: that, too, for of its name on the index there may be another."""
    is_elsewhere = one.url and not one.url.startswith("file:")
    return f"{one.name} @ {redact(one.url)}" if is_elsewhere else one.name


def _relaxed(one: Relaxed, language: str | None) -> dict[str, Any]:
    return {
        "name": one.name,
        "asked": one.asked,
        "given": one.given,
        "reason": {"code": one.why.key.rpartition(".")[2], "text": text(one.why, language)},
        "lines": [_line(origin) for origin in one.origins],
    }


def _line(origin: FileLine) -> dict[str, Any]:
    return {"file": origin.file, "line": origin.line, "text": origin.text}


def relaxed_words(one: Relaxed) -> Message:
    """Return one sentence for a demand that could not be kept: what was asked, what it gets, why."""
    return message(
        "project.head.relaxed",
        "{name}: asked {asked}, you get {given}: {why}",
        name=one.name,
        asked=one.asked,
        given=one.given,
        why=one.why,
    )


def moved_words(one: Relaxed) -> Message:
    """Return the same for what had to move in the lock, with the line: nothing below it shows that."""
    if not one.origins:
        return relaxed_words(one)
    return message(
        "project.head.moved",
        "{name}: asked {asked} ({place}), you get {given}: {why}",
        name=one.name,
        asked=one.asked,
        place=", ".join(map(str, one.origins[:1])),
        given=one.given,
        why=one.why,
    )


def lines_named(words: str, statements: Iterable[Statement]) -> str:
    """Return the lines of the packages that a resolver's words name: `requirements.txt:2: numpy>=2; …`."""
    named = (one for one in statements if re.search(rf"(?<![\w.-]){re.escape(one.name)}(?![\w-])", words))
    found = {one.name: f"{one.origin}: {one}" for one in named}
    return "; ".join(list(found.values())[:_MOST_NAMED])


def project_lines(
    decision: ProjectDecision, language: str | None = None, project: Project | None = None, puts_in: bool = False
) -> str:
    """`project`: for an answer that stands alone and asked no source; what it was read from, and what is open, too.
    `puts_in`: as for `as_put_in`."""
    alone = _alone(project, decision) if project else ()
    return "\n".join([*_lines(decision, language, puts_in), *(f"  {text(one, language)}" for one in alone)]) + "\n"


def _alone(project: Project, decision: ProjectDecision) -> Iterator[Message]:
    files = project.files
    more = f" (+{len(files) - _MOST_FILES})" if len(files) > _MOST_FILES else ""
    named = ", ".join(fit_to_show(file) for file in files[:_MOST_FILES]) + more
    if files:  # programs alone declare nothing
        yield message("project.head.files", "Read from: {files}", files=named)
    if unasked := unasked_words(project, decision):
        yield unasked


def unasked_words(project: Project, decision: ProjectDecision) -> Message | None:
    """Return what an answer leaves open that asked no source; None where a lock that is kept has all of it."""
    is_kept = not any(one.key in _LOCK_LEFT for one in decision.remarks)
    locked = {one.name for one in project.statements if is_kept and one.strength == LOCKED}
    if not (decision.candidate and any(one.name not in locked for one in decision.understood.rest)):
        return None
    return message(
        "project.head.unasked",
        "Not looked up: whether the project's packages go together and have wheels for this Python and system. "
        "This is looked up before anything is installed.",
    )


def as_put_in(remarks: Iterable[Message], puts_in: bool) -> tuple[Message, ...]:
    """Return the remarks as they are where the setup was asked to put in last what lies on no index (`puts_in`): a
    person need not build that."""
    known = catalogue("en") if puts_in else ()
    return tuple(replace(one, key=f"{one.key}-last") if f"{one.key}-last" in known else one for one in remarks)


def _lines(decision: ProjectDecision, language: str | None, puts_in: bool) -> Iterator[str]:
    candidate, asks = decision.candidate, decision.understood
    if candidate is None:
        yield text(message("project.head.none", "No build of torch runs on this computer."), language)
        return
    variant, python = variant_name(candidate.variant, language), decision.python or "?"
    yield text(
        message(
            "project.head.title",
            "torch {torch} ({variant}), Python {python}",
            torch=candidate.torch,
            variant=variant,
            python=python,
        ),
        language,
    )
    for one in decision.relaxed:
        yield f"  ! {text(relaxed_words(one), language)}"
        yield from (f"      {origin}: {origin.text}" for origin in one.origins)
    without = {one.name for one in decision.left_out}
    planned = [one.name for one in asks.native if is_planned(one) and not is_pure(one) and one.name not in without]
    if names := [name for name in planned if name not in decision.elsewhere]:
        yield f"  {text(message('project.head.native', names=', '.join(names)), language)}"
    if names := [name for name in planned if name in decision.elsewhere]:
        yield f"  {text(message('project.head.native-elsewhere', names=', '.join(names)), language)}"
    yield f"  {text(message('project.head.rest', count=len(asks.rest)), language)}"
    yield from (f"  – {text(remark, language)}" for remark in as_put_in(decision.remarks, puts_in))
    if decision.notes:
        yield f"  {text(NOTES, language)}"
        yield from (f"      {at}: {at.text}" for at in decision.notes)
