"""Tries what a project imports in the new environment's own Python, and holds what it declared against what is there.

Whatever a package does when it is imported (fail, crash, hang, print) is a line of the report and never an exception,
and none of it says that PyTorch does not work: these checks are ok or a warning. Nothing of the project is run.

One file: what the children say, and the sentences of it.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from wizard.compatibility.model import ProjectImport, ProjectUse
from wizard.model.errors import Cancelled
from wizard.model.messages import Message, message
from wizard.process import Outcome, Request, child_environment, redact, run
from wizard.run.verify.model import Explain, SmokeCheck
from wizard.run.verify.smoke import entry_of, signal_name
from wizard.system import paths
from wizard.system.traits import this

# Seconds. A first import of a large package from a slow disk under an antivirus takes a minute.
_ONE, _ALL = 120.0, 600.0
_MOST_SAID = 4_000_000  # bytes of one stream
_MOST_TRACE = 4_000
_MOST_SHOWN, _MOST_NAMED, _LONGEST = 12, 12, 300
_MOST_WAYS = 40
_LIBRARY = re.compile(r"\b(lib[\w+.-]{1,60}\.so[.\d]*): cannot open shared object")


@dataclass
class _Tried:
    """What the children have said. `name`: of the environment, as a word of a command; `left`: what was not tried."""

    name: str
    versions: dict[str, str] = field(default_factory=dict)  # by normalized name
    brings: dict[str, list[str]] = field(default_factory=dict)
    passed: list[ProjectImport] = field(default_factory=list)
    failed: dict[ProjectImport, Mapping[str, Any]] = field(default_factory=dict)
    left: list[ProjectImport] = field(default_factory=list)


def try_project(
    python: Path,
    prefix: Path,
    project: ProjectUse,
    explain: Explain,
    is_cancelled: Callable[[], bool] = lambda: False,
    environment: Mapping[str, str] | None = None,
) -> tuple[SmokeCheck, ...]:
    """Return a check for all that passed, and one for each thing to know. Raises Cancelled."""
    tried, end = _Tried(this().quoted(prefix.name), left=list(project.imports)), time.monotonic() + _ALL
    while True:
        before = len(tried.left)
        _hear(python, tried, end, is_cancelled, environment or {})
        if not tried.left or len(tried.left) == before or time.monotonic() > end:
            return tuple(_checks(project, tried, explain))


def _hear(
    python: Path,
    tried: _Tried,
    end: float,
    is_cancelled: Callable[[], bool],
    environment: Mapping[str, str],
) -> None:
    """Let one child try what is left, until an import ends it."""
    said = time.monotonic()

    def hear(stream: str, line: str) -> None:
        nonlocal said
        said = time.monotonic() if stream == "stdout" else said

    outcome = run(
        Request(
            (str(python), "-I", "-X", "utf8", str(paths.resources_dir() / "scripts" / "try_imports.py")),
            environment=child_environment({**environment, "MPLBACKEND": "Agg"}),
            stdin=json.dumps([[one.module, one.names] for one in tried.left]),
            timeout=max(1.0, end - time.monotonic()),
            most_bytes=_MOST_SAID,
        ),
        on_line=hear,
        is_cancelled=lambda: is_cancelled() or time.monotonic() - said > _ONE,
    )
    if is_cancelled():
        raise Cancelled
    _take(outcome, tried)


def _take(outcome: Outcome, tried: _Tried) -> None:
    asked, begun, done = tried.left, -1, 0
    for entry in filter(None, map(entry_of, outcome.stdout.splitlines())):
        data, number = entry.get("data") or {}, entry.get("name")
        if entry["event"] == "installed" and {"versions", "brings"} <= data.keys():
            tried.versions = {canonicalize_name(one): str(what) for one, what in data["versions"].items()}
            tried.brings = data["brings"]
        elif entry["event"] == "begin" and number == done < len(asked):
            begun = done
        elif entry["event"] == "check" and number == begun == done:
            done += 1
            if entry.get("state") == "ok":
                tried.passed.append(asked[begun])
            else:
                tried.failed[asked[begun]] = data
    if begun == done:
        is_late = outcome.timed_out or outcome.cancelled
        how = "late" if is_late else signal_name(outcome.exit_code) or f"exit {outcome.exit_code}"
        tried.failed[asked[begun]] = {"how": how, "trace": outcome.stderr[-_MOST_TRACE:]}
        done += 1
    tried.left = asked[done:]


def _checks(project: ProjectUse, tried: _Tried, explain: Explain) -> Iterator[SmokeCheck]:
    if tried.versions:
        yield from _declared(project, tried.versions)
    for way in project.ways[:_MOST_WAYS]:
        yield _check("left", "warning", way, {"part": _named(way, project)})
    if tried.passed:
        names = _listed([_top(one.module) for one in tried.passed])
        said = message(
            "verify.project.imports", "What the project's files import can be imported: {names}.", names=names
        )
        yield _check("imports", "ok", said, {"modules": [one.module for one in tried.passed]})
    absent = [one for one, data in tried.failed.items() if _is_absent(one.module, data, tried)]
    outside = {canonicalize_name(name) for name in project.left}
    for name in ("left", "undeclared"):
        places = {_top(one.module): one.place for one in reversed(absent)}
        here = {top: places[top] for top in reversed(places) if (canonicalize_name(top) in outside) == (name == "left")}
        if here:
            yield _absent(name, here)
    told = {_reason(one, tried): one for one in reversed(tried.failed) if one not in absent}
    failed = list(told.values())[::-1]
    for one in failed[:_MOST_SHOWN]:
        yield _failure(one, tried, explain)
    if more := [one.module for one in failed[_MOST_SHOWN:]]:
        names = _listed(more)
        said = message("verify.project.more", "{count} more cannot be imported: {names}.", count=len(more), names=names)
        yield _check("project-import", "warning", said, {"modules": more})
    if left := [one.module for one in tried.left]:
        said = message("verify.project.not-tried", "Not tried, for the time was over: {names}.", names=_listed(left))
        yield _check("imports", "skipped", said, {"modules": left})


def _named(way: Message, project: ProjectUse) -> str:
    """Return what it is about: packages by their names, or the project itself by its folder's."""
    return str(way.params.get("name") or way.params.get("packages") or Path(project.folder).name or project.folder)


def _reason(one: ProjectImport, tried: _Tried) -> tuple[str, str]:
    """What many modules of one package may have in common: it is told once."""
    data = tried.failed[one]
    return _top(one.module), str(data.get("missing") or data.get("error") or one.module)


def _check(name: str, state: str, words: Message, data: Mapping[str, Any]) -> SmokeCheck:
    return SmokeCheck(name, state, words, data=data)


def _top(module: str) -> str:
    return module.partition(".")[0]


def _listed(names: Sequence[str]) -> str:
    each = list(dict.fromkeys(names))
    more = f" (+{len(each) - _MOST_NAMED})" if len(each) > _MOST_NAMED else ""
    return ", ".join(each[:_MOST_NAMED]) + more


def _is_absent(module: str, data: Mapping[str, Any], tried: _Tried) -> bool:
    """Whether no installed package brings its top-level module."""
    missing = str(data.get("missing") or "")
    return bool(missing) and missing == _top(module) and missing not in tried.brings


def _declared(project: ProjectUse, versions: Mapping[str, str]) -> Iterator[SmokeCheck]:
    """Hold what the project asks for, and what the plan made of it, against what the environment says of itself."""
    names = {canonicalize_name(one.name): one.name for one in _read((*project.asked, *project.promised))}
    wrong, there = [], {name for name in names if name in versions}
    for one in _read(project.promised):
        found = versions.get(canonicalize_name(one.name))
        if found is not None and not _meets(one, found):
            wrong.append(f"{one} ({found})")
    if missing := [name for key, name in names.items() if key not in there]:
        said = message(
            "verify.project.missing",
            "Of what the project asks for this is missing: {names}. {there} of {count} packages are there; what "
            "imports the others fails.",
            names=_listed(missing),
            there=len(there),
            count=len(names),
        )
        yield _check("declared", "warning", said, {"missing": missing})
    if wrong:
        said = message("verify.project.not-promised", "Not there as the plan promised: {names}.", names=_listed(wrong))
        yield _check("declared", "warning", said, {"wrong": wrong})
    if not missing and not wrong:
        said = message(
            "verify.project.promised",
            "Every declared package is there as the plan promised ({count}).",
            count=len({canonicalize_name(one.name) for one in _read(project.promised)}),
        )
        yield _check("declared", "ok", said, {"count": len(names)})


def _read(lines: Sequence[str]) -> Iterator[Requirement]:
    for words in lines:
        with contextlib.suppress(InvalidRequirement):
            yield Requirement(words)


def _meets(one: Requirement, version: str) -> bool:
    try:
        return one.specifier.contains(version, prereleases=True)
    except InvalidVersion:
        return False


def _absent(name: str, places: Mapping[str, str]) -> SmokeCheck:
    names = _listed([f"{module} ({place})" for module, place in places.items()])
    said = (
        message("verify.project.left", "Imported, but left out: {names}.", names=names)
        if name == "left"
        else message(
            "verify.project.undeclared",
            "No package that the project declares brings what its files import: {names}. If the project needs them, "
            "add the packages that bring them.",
            names=names,
        )
    )
    return _check(name, "warning", said, {"modules": list(places)})


def _failure(one: ProjectImport, tried: _Tried, explain: Explain) -> SmokeCheck:
    data, module, place = tried.failed[one], one.module, one.place
    how, error = str(data.get("how") or ""), redact(" ".join(str(data.get("error") or "").split()))
    trace = redact(str(data.get("trace") or ""))
    found = _why(module, data, tried) if not how else None
    known = found or (explain(trace) or _lacks_library(error, module))
    cause, fix = known or ((_ended(how) if how else None), ASK)
    said = message(
        "verify.project.failed",
        "{module} ({place}) cannot be imported: {error}. {cause} {fix}",
        module=module,
        place=place,
        error=(f"{data.get('type')}: {error}" if error else how)[:_LONGEST].rstrip("."),
        cause=cause or "",
        fix=fix,
    )
    facts = {"module": module, "place": place, "error_type": data.get("type"), "error": error, "said": trace}
    return _check("project-import", "warning", said, facts)


ASK = message(  # the button is one of the page Verify
    "verify.project.ask",
    "[“Show the log” shows|The log has] all of its words; no known error is among them.",
)


def _ended(how: str) -> Message:
    if how == "late":
        return message("verify.project.late", "The import was ended, since it took longer than two minutes.")
    return message("verify.project.crashed", "The import ended the whole program ({how}).", how=how)


def _lacks_library(error: str, module: str) -> tuple[Message, Message] | None:
    found = _LIBRARY.search(error)
    if found is None:
        return None
    library = found[1]
    return (
        message(
            "verify.project.no-library",
            "{library}, a file of the system that {module} needs, is not there.",
            library=library,
            module=_top(module),
        ),
        message("verify.project.get-library", "Install the system's package that has it, with the package manager."),
    )


def _why(module: str, data: Mapping[str, Any], tried: _Tried) -> tuple[Message, Message] | None:
    """A package of another release than the project was written for, or one that lacks another package."""
    missing, top = str(data.get("missing") or ""), _top(module)
    brought = tried.brings.get(top, ())
    named = ", ".join(f"{one} {tried.versions.get(canonicalize_name(one), '?')}" for one in brought) or top
    is_own = _top(missing) == top if missing else f"from '{module}'" in str(data.get("error"))
    if is_own and brought:
        return (
            message(
                "verify.project.other-release",
                "{package} has no such part: the project was written for another release.",
                package=named,
            ),
            message(
                "verify.project.bound", "Name the release that it needs in the project's files, or change that line."
            ),
        )
    if missing and _top(missing) not in tried.brings:
        return (
            message(
                "verify.project.lacks",
                "{package} needs {missing}, which no installed package brings.",
                package=named,
                missing=missing,
            ),
            message(
                "verify.project.add",
                "Add the package that brings it: [{page.environments}|torch-wizard envs add {name} PACKAGE].",
                name=tried.name,
            ),
        )
    return None
