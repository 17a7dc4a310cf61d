"""What of a project lies on no index: the sentence with the command that adds each, and what a setup puts in last.

It puts in what it was asked to (`parts` of the choices), for the build code of these runs. What would be compiled
against torch, and what only conda has, stays for the person.
One file: what is left, its sentence and its part are one decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from posixpath import normpath
from typing import Any
from urllib.parse import urlsplit

from wizard.app.project import ProjectRequest, code_folder, folder_of, page_of, repository_of
from wizard.compatibility.model import ProjectPart
from wizard.environment.activate.scripts import python_path
from wizard.environment.activate.terminal import this_users_shell
from wizard.machine.model import Machine
from wizard.model.distributions import has_digest, promised_digest
from wizard.model.messages import Message, Param, message
from wizard.model.typed import from_toml
from wizard.process import redact
from wizard.project.formats.toml_files import table_in
from wizard.project.model import BUILT_WITH, Statement, builds_itself, cut_between, fit_to_show, is_folder
from wizard.project.packages.companions import companion
from wizard.project.packages.cuda_tags import fits_here, made_for, wheel_tags
from wizard.project.packages.lacking import name_on_pages
from wizard.project.packages.native import Relaxed
from wizard.project.versions import marker_holds
from wizard.run.model import SelectedBuild
from wizard.run.plan.commands import line_of, quote_of
from wizard.run.plan.held_back import SourceNeed
from wizard.run.plan.other_packages import naming
from wizard.run.plan.place import target_prefix
from wizard.sources.wanted import platform_tags
from wizard.system import paths
from wizard.transfer.address import address_problem

_MOST_READ = 1_000_000  # bytes
BUILT_ALONE = ("project.left.needed", "project.left.source")
SOURCE = "source"  # of `project.why`: a line names what the index has as source alone
SOURCE_MOVED = "source-moved"  # another release of it is ready, and taken
_WHYS = (f"project.why.{SOURCE}", f"project.why.{SOURCE_MOVED}", "project.why.source-alone")


@dataclass(frozen=True, slots=True)
class Outside:
    """`way`: how a person adds it; `part`: as a setup puts it in, None for what it never does; `said`: that it will."""

    way: Message
    part: ProjectPart | None = None
    said: Message | None = None
    name: str = ""  # of the package, where the part is called as its folder


def outside(request: ProjectRequest, selected: SelectedBuild, machine: Machine) -> Iterator[Outside]:
    """Yield what is left out of the lock, the project itself last."""
    tags = {*platform_tags(selected.python, machine.os, machine.arch, machine.glibc)}
    fitting = {one.name for _, one in request.left if not wheel_tags(one.url).isdisjoint(tags)}
    first = {(one.name, one.url): (why, one) for why, one in reversed(request.left)}
    for why, one in reversed(first.values()):
        if why in (*_KINDS, *WITHOUT_WAY) and marker_holds(one.marker, paths.os_name(), selected.python):
            is_file = why in PART_KINDS
            if is_file and (wheel := wheel_tags(one.url)) and wheel.isdisjoint(tags):
                if one.name not in fitting:  # of several for one each, which no marker tells apart
                    yield _wrong_wheel(one, selected, machine)
                continue
            yield (is_file and _wrong_hash(one, request)) or _outside(why, one, request, selected)
    conda = list(dict.fromkeys(one.name for why, one in request.left if why == "conda"))
    if conda:
        yield Outside(naming("project.left.conda", conda))
    if is_package(request):
        folder = code_folder(request.project)
        needs_torch = "." in _built_with_torch(request) or _builds_with_torch(Path(folder))
        way = message("project.left.self", command=_command(request, selected, folder, True, needs_torch=needs_torch))
        part = ProjectPart(Path(folder).name, folder, way, is_editable=True, sees_torch=needs_torch)
        yield Outside(
            way, part if _may_come(part, request) else None, message("project.part.self"), _own_name(Path(folder))
        )


def has_parts(request: ProjectRequest) -> bool:
    """Return whether a setup could put in something last; which exactly, the plan knows."""
    return bool(asked_parts(request))


def with_parts(request: ProjectRequest, puts_in: bool = True) -> ProjectRequest:
    """Return the request that was asked to put them in, or not to: nothing else of it hangs on that."""
    choices, asked = (replace(one, parts=puts_in) for one in (request.choices, request.asked))
    return replace(request, choices=choices, asked=asked)


def asked_parts(request: ProjectRequest) -> tuple[str, ...]:
    """Return the names of what a setup could put in last, before its plan: the question names them."""
    own = (_own_name(Path(code_folder(request.project))),) if is_package(request) else ()
    os, python = paths.os_name(), request.decision.python or ""
    parts = (one for why, one in request.left if why in PART_KINDS and fits_here(one.url, os, python))
    return tuple(dict.fromkeys((*(one.name for one in parts), *own)))


def source_parts(notices: Iterable[Message]) -> tuple[str, ...]:
    """Return what the plan leaves out or moves and a setup could build: only the sources' answers show that."""
    whys = ((one.params.get("why"), str(one.params.get("name", ""))) for one in notices)
    return tuple(name for why, name in whys if isinstance(why, Message) and why.key in _WHYS)


def left_words(found: Iterable[Outside], puts_in: bool) -> tuple[Message, ...]:
    """Return what the plan says of them; `puts_in`: the setup was asked to."""
    return tuple(one.said if puts_in and one.part and one.said else one.way for one in found)


def ways_of(found: Iterable[Outside], puts_in: bool) -> tuple[Message, ...]:
    """Return how a person adds what the setup does not put in."""
    return tuple(one.way for one in found if not (puts_in and one.part))


def about_parts(found: Iterable[Outside], puts_in: bool) -> tuple[Message, ...]:
    """Return what a setup could put in, where it was not asked to; that there is nothing, where it was."""
    named = sorted(((one.part, one.name or one.part.name) for one in found if one.part), key=lambda one: _rank(one[0]))
    names = [name for _, name in named]
    if puts_in:
        return () if names else (message("project.part.none"),)
    return (message("project.part.possible", packages=cut_between([*dict.fromkeys(names)])),) if names else ()


def parts_of(found: Iterable[Outside]) -> tuple[ProjectPart, ...]:
    """Return what a setup puts in, in the order in which one may need the other."""
    return tuple(sorted((one.part for one in found if one.part), key=_rank))


def _rank(part: ProjectPart) -> int:
    is_address = "://" in part.words
    return 0 if part.page else 1 if not (is_address or part.is_editable) else 2 if is_address else 3


PART_KINDS = ("address", "path")  # of `request.left`: what a setup can put in
_KINDS = ("native", *PART_KINDS)
WITHOUT_WAY = ("absent", "beyond", "option")  # what no command adds


def _wrong_wheel(one: Statement, selected: SelectedBuild, machine: Machine) -> Outside:
    """Return that a wheel is made for another system or Python: pip would say so at the end of a setup."""
    way = message(
        "project.left.elsewhere",
        "{file}, line {line}: {name} is left out of the plan, for its wheel is made for {tags}, and the plan is for "
        "Python {python} on {system}. Put the wheel for this computer in its place, or take the line out.",
        file=one.origin.file,
        line=one.origin.line,
        name=one.name,
        tags=made_for(one.url),
        python=selected.python,
        system=f"{machine.os} {machine.arch}",
    )
    return Outside(way)


def _wrong_hash(one: Statement, request: ProjectRequest) -> Outside | None:
    """Return that a file of the project is not the one whose hash its line has."""
    path = folder_of(one, request.project)
    is_here = is_folder(one.url) or one.url.startswith("file:")
    if not is_here or path.is_dir() or not promises_of(one) or _held(one, path):
        return None
    way = message(
        "project.left.hash",
        "{file}, line {line}: {name} is left out of the plan, for its file has another content than the hash in its "
        "line says. Fetch the file anew, and if its makers give another hash now, put that into the line.",
        file=one.origin.file,
        line=one.origin.line,
        name=one.name,
    )
    return Outside(way)


def promises_of(one: Statement) -> tuple[str, ...]:
    """Return the hashes as `promised_digest` has them: that behind the path or the address, or those of `--hash`."""
    behind = promised_digest(one.url)
    return (behind,) if behind else one.hashes


def _held(one: Statement, path: Path) -> str:
    """Return the first of the hashes that a file has, as pip takes any of them; "" for none."""
    return next((digest for digest in promises_of(one) if has_digest(path, digest)), "")


def _outside(why: str, one: Statement, request: ProjectRequest, selected: SelectedBuild) -> Outside:
    at: dict[str, Param] = {"file": one.origin.file, "line": one.origin.line, "where": redact(one.url)}
    if why in WITHOUT_WAY:
        return Outside(message(f"project.left.{why}", name=one.name, **at))
    page = page_of(one.name, selected) if why == "native" else ""
    is_kept = one.name not in {each.name for each in request.decision.relaxed}
    row = companion(one.name)
    name = name_on_pages(one.name, one.conda, row) if row else one.name
    native = f"{name}{one.specifier}" if is_kept and name == one.name else name
    path = folder_of(one, request.project)
    words = {"native": one.url or native, "path": str(path)}.get(why, one.url)
    of_address = one.hashes if why == "address" and not promised_digest(words) else ()
    words += f"{'&' if '#' in words else '#'}{of_address[0]}" if len(of_address) == 1 else ""
    is_folder_there = why == "path" and (path.is_dir() or not path.suffix)  # what is no folder pip takes as it is alone
    needs_torch = _needs_torch(request, one, page) or (why == "path" and _builds_with_torch(Path(words)))
    command = _command(request, selected, words, is_folder_there, page, needs_torch)
    is_login = why == "address" and redact(words) != words
    kind = "page" if page else "login" if is_login else "file" if why == "path" and not is_folder_there else why
    way = message(f"project.left.{kind}", name=one.name, command=command, **at)
    if why == "native" and not page:
        return Outside(way)
    is_editable = is_folder_there if why == "path" else _is_named_repository(one)
    if is_editable and why == "address" and "egg=" not in words:  # pip wants the name there
        words += f"{'&' if '#' in words else '#'}egg={one.name}"
    digest = _held(one, path) if why == "path" and not path.is_dir() else ""  # of an address pip looks at it
    part = ProjectPart(one.name, words, way, is_editable, page, needs_torch, digest)
    is_wheel = not page and words.partition("#")[0].endswith(".whl")
    said = message(f"project.part.{'page' if page else 'wheel' if is_wheel else why}", name=one.name, **at)
    may_come = _may_come(part, request) and len(of_address) < 2  # behind an address there is room for one hash
    return Outside(way, part if may_come else None, said)


def _may_come(part: ProjectPart, request: ProjectRequest) -> bool:
    """Return whether its place is one that this computer goes to: here, or by https."""
    choices = request.choices
    address = part.page or (part.words.removeprefix("git+") if "://" in part.words else "")
    if address:
        is_odd = "://" in part.words and not part.words.startswith(("git+http", "http"))
        parts = urlsplit(address)  # the plan is a file: a secret does not belong there
        has_secret = (
            "@" in parts.netloc or bool(parts.query) or "token" in parts.fragment.lower() or redact(address) != address
        )
        return not (choices.offline or is_odd or has_secret or address_problem(address))
    folder = Path(part.words).resolve()
    return (
        not choices.offline
        and folder.exists()
        and folder.is_relative_to(repository_of(Path(code_folder(request.project))))
    )


def is_package(request: ProjectRequest) -> bool:
    """Return whether the project itself can be installed: it says so, or has what builds it."""
    folder = Path(code_folder(request.project))
    told = _pyproject(folder)
    is_built = bool(told.get("build-system") or told.get("project")) or (folder / "setup.py").is_file()
    tool = table_in(told, "tool")
    uv, poetry, pdm = (table_in(tool, name) for name in ("uv", "poetry", "pdm"))
    is_none = False in (uv.get("package"), poetry.get("package-mode"), pdm.get("distribution"))
    is_none |= table_in(tool, "rye").get("virtual") is True
    return not is_none and (builds_itself(request.project) or is_built)


def _own_name(folder: Path) -> str:
    """Return what the project calls its package in pyproject.toml, else the name of its folder."""
    told = _pyproject(folder)
    name = table_in(told, "project").get("name") or table_in(table_in(told, "tool"), "poetry").get("name")
    return fit_to_show(name) if isinstance(name, str) else folder.name


def _builds_with_torch(folder: Path) -> bool:
    """Return whether its build asks for torch: one that pip fetched for it would be another torch than ours."""
    needed = table_in(_pyproject(folder), "build-system").get("requires")
    each = needed if isinstance(needed, list) else ()
    return any(re.match(r"torch(?![\w.-])", str(one)) for one in each)


def _pyproject(folder: Path) -> dict[str, Any]:
    """Return {} where it is not there or no TOML: what it has is asked for here, and told elsewhere."""
    try:
        return from_toml((folder / "pyproject.toml").read_bytes()[:_MOST_READ].decode())
    except (OSError, ValueError):
        return {}


def _is_named_repository(one: Statement) -> bool:
    """Return whether its line names the package that the repository has, which an editable one wants."""
    named = rf"(?i)[#&]egg={re.escape(one.name)}\b|(?:^|[\s\"']){re.escape(one.name)}\s*(?:\[[^]]*\]\s*)?@"
    return one.url.startswith("git+") and bool(re.search(named, f"{one.url} {one.origin.text}"))


def source_alone(one: Relaxed, need: SourceNeed | None, request: ProjectRequest, selected: SelectedBuild) -> Outside:
    """Return a package of which the index has the source alone. `need`: who needs it; None where a line names it."""
    words = f"{one.name}{'' if one.asked == '*' else one.asked}"
    at: dict[str, Param] = {"by": need.by} if need else {"file": one.origins[0].file, "line": one.origins[0].line}
    kind, command = "needed" if need else "source", _command(request, selected, words, False)
    way = message(f"project.left.{kind}", name=one.name, command=command, **at)
    part = None if request.choices.offline else ProjectPart(one.name, words, way)
    return Outside(way, part, message(f"project.part.{kind}", name=one.name, **at))


def _built_with_torch(request: ProjectRequest) -> set[str]:
    """Return the folders of the project whose setup.py imports torch, "." for its own."""
    return {one.group for one in request.project.statements if one.name == BUILT_WITH}


def _needs_torch(request: ProjectRequest, one: Statement, page: str) -> bool:
    """Return whether its build must see the torch of the environment: that of a folder whose setup.py imports it, and
    of what is made for one torch and has no page of wheels."""
    row = companion(one.name)
    is_against = row is not None and row.follows and not page and not one.url.partition("#")[0].endswith(".whl")
    return is_against or (is_folder(one.url) and normpath(one.url) in _built_with_torch(request))


def _command(
    request: ProjectRequest,
    selected: SelectedBuild,
    words: str,
    is_editable: bool,
    page: str = "",
    needs_torch: bool = False,
) -> str:
    os = paths.os_name()
    shell = this_users_shell(os)
    quote = quote_of(shell)
    python = python_path(str(target_prefix(request.choices)), os, selected.engine == "venv")
    options = ("--no-build-isolation",) if needs_torch else ()
    options += (*(("-e",) if is_editable else ()), *(("--find-links", quote(page)) if page else ()))
    return redact(line_of(python, ("-m", "pip", "install", "--no-deps", *options, quote(words)), shell))
