"""The lock: uv resolves for the target platform and Python, and its answer (PEP 751) becomes values.

torch, torchvision and torchaudio are bound to one index of their own, so that no other source can slip in a
build of another variant; everything else comes from the package sources. Nothing is built or installed here.

One file: what is asked of uv and what is read of its answer belong together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from wizard.install.provided import PACKAGES, take_out, write_constraints
from wizard.model.distributions import FAMILY
from wizard.model.errors import Cancelled, ErrorText, WizardError
from wizard.model.lock import LOCK_DAMAGED, LOCK_REFUSED, Lock, LockedFile, PackageVersion
from wizard.model.typed import from_toml
from wizard.process import Outcome, Request, child_environment, run, without_memory
from wizard.process.running import says_full
from wizard.system import moving, paths
from wizard.system.traits import of
from wizard.transfer.trouble import explain_text

LOCK_UV = ErrorText(
    "lock-uv",
    "The part of this program that chooses the exact files (uv) could not be started.",
    "Install the program anew; an antivirus program may have removed it.",
)

LOCK_NO_PAIR = ErrorText(
    "lock-no-pair",
    "{by} needs {name}, which no reachable source has for this torch.",
    "Leave {by} out, or choose another source[ (page {page.source})| (--torch-index)] or another torch.",
)

# Codes: other sources or other versions may have a solution.
NO_SOLUTION = ("lock-no-solution", "lock-links-refused", LOCK_NO_PAIR.code)
_NETWORK_WORDS = ("error sending request", "failed to fetch", "dns error", "connection", "timed out", "certificate")
_REFUSED = re.compile(r"HTTP status \w+ error \((\d{3})[^)]*\) for url \((\S+)\)")
_NO_PACKAGE = re.compile(r"structure of `([^`]+)` \(v([^)]+)\) was invalid")
_GLIBC = re.compile(r"^2\.(\d+)")
_SILENCE = 180.0  # seconds: uv itself waits at most 4 x 30 for one answer
_LONGEST = 3600.0  # seconds of resolving; whole files are not fetched meanwhile


@dataclass(frozen=True, slots=True)
class LockRequest:
    """`default_index` None: the official one, chosen by saying nothing. `torch_index` None: torch is not bound.
    Indexes are asked in the order `find_links`, `default_index`, `extra_indexes`, `added_links`, where the second has
    an address: what the main one has is not overridden by what was added to it.
    `index_strategy`, as uv calls it: which of several indexes that have a package is asked for its versions.
    `provided`: what conda brings, in these versions and no other; it is not locked. `preferred`: kept to where that has
    a solution. `apart`: names that are not locked, whoever needs them. `overrides`: count in place of what packages ask
    for. `constraints`: hold for a package only if something needs it.
    """

    requirements: tuple[str, ...]
    python: str  # "3.12": the newest patch release of it; "3.12.4": this very one
    os: str
    arch: str
    glibc: str | None
    torch_index: str | None = None
    torch_layout: str = "simple"  # or "flat"
    default_index: str | None = None
    extra_indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    added_links: tuple[str, ...] = ()
    links_layout: str = "flat"  # or "simple"
    no_index: bool = False
    index_strategy: str = "first-index"
    provided: tuple[PackageVersion, ...] = ()
    preferred: tuple[PackageVersion, ...] = ()
    apart: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def preferred_text(packages: Iterable[PackageVersion]) -> str:
    """Return a lock without files: the versions to keep to. Strings are written as JSON, which TOML reads alike."""
    lines = ['lock-version = "1.0"\ncreated-by = "torch-setup"\n']
    lines += [f"{PACKAGES}name = {json.dumps(each.name)}\nversion = {json.dumps(each.version)}\n" for each in packages]
    return "".join(lines)


def compile_lock(
    request: LockRequest, workdir: Path, on_log: Callable[[str], None], is_cancelled: Callable[[], bool]
) -> Lock:
    """Resolve the request with uv. Raises WizardError `lock-no-solution`, `-network`, `-refused`, `-damaged`,
    `-silent`, `-uv`, `no-memory`, or Cancelled."""
    project = workdir / "pyproject.toml"
    project.write_text(project_text(request), encoding="utf-8")
    (workdir / "uv.toml").write_text(settings_text(request, workdir / "nothing"), encoding="utf-8")
    answer = workdir / "pylock.toml"
    moving.unlink(answer, missing_ok=True)
    if request.preferred:  # uv keeps to what the file says that it will replace
        answer.write_text(preferred_text(request.preferred), encoding="utf-8")
    outcome = run(_command(request, project, answer), lambda _, line: on_log(line), is_cancelled)
    if outcome.cancelled or is_cancelled():
        raise Cancelled
    if not outcome.ok:
        raise without_memory(outcome) or _failure(outcome, request.environment)
    bound = f"requires-python = {quoted('>=' + _patch_release(request.python))}"
    text, provided = take_out(answer.read_text(encoding="utf-8"), request.provided)
    lock = parse_lock(text.replace(bound, f"requires-python = {quoted('>=' + request.python)}", 1))
    unbound = _unbound(lock, request) if request.torch_index else ()
    if unbound:  # uv binds direct requirements only
        whole = replace(request, requirements=(*request.requirements, *unbound))
        try:
            return compile_lock(whole, workdir, on_log, is_cancelled)
        except WizardError as error:
            raise _without_pair(error, request, project, is_cancelled) from error
    return replace(lock, provided=provided)


def _unbound(lock: Lock, request: LockRequest) -> tuple[str, ...]:
    """Of torch's family, what another package brought along from wherever it is."""
    asked = {canonicalize_name(Requirement(line).name) for line in request.requirements}
    return tuple(file.name for file in lock.files if file.name in FAMILY and file.name not in asked)


def _without_pair(
    error: WizardError, request: LockRequest, project: Path, is_cancelled: Callable[[], bool]
) -> WizardError:
    """Return what says which package brings along what the source of torch has not; else the error."""
    named = re.search(rf"ecause .*?\b({'|'.join(FAMILY[1:])})\b", " ".join(error.details.split()))
    if error.code != "lock-no-solution" or not named:
        return error
    project.write_text(project_text(request), encoding="utf-8")
    answer = project.with_name("annotated.txt")  # a lock does not tell who needs what
    run(_command(request, project, answer, "requirements.txt"), lambda _, line: None, is_cancelled)
    by = re.search(rf"^{named[1]}==.*# via ([\w.-]+)", answer.read_text("utf-8") if answer.exists() else "", re.M)
    return WizardError(LOCK_NO_PAIR, details=error.details, name=named[1], by=by[1]) if by else error


def _patch_release(python: str) -> str:
    """uv takes "3.6" for 3.6.0, which torch 1.10 (`>=3.6.2`) refuses; what is meant is the newest, whichever it is."""
    return python if python.count(".") > 1 else f"{python}.99"


def project_text(request: LockRequest) -> str:
    """Return the resolver's input. Strings are written as JSON, which TOML reads alike."""
    lines = [
        "[project]",
        'name = "environment"',
        'version = "0"',
        f"requires-python = {quoted('>=' + request.python)}",
        f"dependencies = [{', '.join(map(quoted, request.requirements))}]",
    ]
    if request.torch_index:
        lines += ["[tool.uv.sources]", *(f'{name} = {{ index = "torch" }}' for name in FAMILY)]
        lines += _index("[[tool.uv.index]]", "torch", request.torch_index, request.torch_layout, "explicit = true")
    return "\n".join(lines) + "\n"


def settings_text(request: LockRequest, nothing: Path) -> str:
    """Return uv.toml: the package sources. In a file, not on the command line, where others could read a password.

    `nothing`: an empty folder, made when it is needed.
    """
    named = (
        ("exclude-dependencies", request.apart),
        ("override-dependencies", request.overrides),
        ("constraint-dependencies", request.constraints),
    )
    lines = [f"{key} = [{', '.join(map(quoted, names))}]" for key, names in named if names]
    links = [(f"links-{number}", url, request.links_layout) for number, url in enumerate(request.find_links)]
    added = [(f"added-{number}", url, request.links_layout) for number, url in enumerate(request.added_links)]
    extra = [(f"extra-{number}", url, "simple") for number, url in enumerate(request.extra_indexes)]
    if request.no_index:
        for index in (*links, *added):
            lines += _index("[[index]]", *index)
        # uv's own `no-index` would switch off torch's index and the folders too: an empty index is the default.
        nothing.mkdir(exist_ok=True)
        lines += _index("[[index]]", "nothing", nothing.as_uri(), "simple", "default = true")
        return "\n".join(lines) + "\n"
    main = [("packages", request.default_index, "simple")] if request.default_index else []
    order = (*links, *main, *extra, *added)
    for index in order:
        # uv asks its default last, wherever it stands: so the last one is made that, not the main one.
        is_default = bool(main) and index == order[-1]
        lines += _index("[[index]]", *index, *(["default = true"] if is_default else []))
    return "\n".join(lines) + "\n"


def _index(table: str, name: str, url: str, layout: str, *more: str) -> list[str]:
    return [table, f"name = {quoted(name)}", f"url = {quoted(url)}", f"format = {quoted(layout)}", *more]


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _command(request: LockRequest, project: Path, answer: Path, form: str = "pylock.toml") -> Request:
    constraints = write_constraints(request.provided, project.parent)
    argv = [
        str(_uv()),
        "pip",
        "compile",
        str(project),
        "--output-file",
        str(answer),
        "--format",
        form,
        "--annotation-style",
        "line",
        # Any Python will do to ask; without one named uv searches the computer, and may find none.
        "--python",
        paths.own_command()[0],
        "--python-version",
        _patch_release(request.python),
        "--python-platform",
        python_platform(request),
        "--only-binary",
        ":all:",
        "--index-strategy",
        request.index_strategy,
        "--config-file",
        str(project.with_name("uv.toml")),
        "--cache-dir",
        str(paths.cache_dir() / "uv"),
        # Without --no-python-downloads uv spends seconds on fetching a Python that resolving does not need.
        "--no-header",
        "--no-python-downloads",
        "--no-progress",
        "--color",
        "never",
        *(("--constraints", str(constraints)) if constraints else ()),
    ]
    environment = child_environment(request.environment)
    return Request(tuple(argv), project.parent, environment, timeout=_LONGEST, silence=_SILENCE)


def _uv() -> Path:
    try:
        return paths.uv_executable()
    except FileNotFoundError as error:
        raise WizardError(LOCK_UV, details=str(error)) from error


def python_platform(request: LockRequest) -> str:
    """Return uv's name of the target; manylinux names go up to 2_40, above that the highest is meant."""
    if target := of(request.os).build_target:
        return f"{request.arch}-{target}"
    match = _GLIBC.match(request.glibc or "")
    if match is None:
        return f"{request.arch}-unknown-linux-musl"
    minor = max(17, min(40, int(match[1])))
    return f"{request.arch}-manylinux_2_{minor}"


def parse_lock(text: str) -> Lock:
    """Read a lock. Raises WizardError `lock-unreadable`; sdists are passed over, a package without a wheel is an
    error."""
    try:
        data = from_toml(text)
        return Lock(tuple(_file(package) for package in data["packages"]), text)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise WizardError(
            "lock-unreadable",
            "The answer about the exact files could not be read.",
            "Try again; if it happens again, report it with the log.",
            details=repr(error),
        ) from error


def _file(package: Mapping[str, Any]) -> LockedFile:
    wheel = package["wheels"][0]  # uv was given one platform; of several it lists the best first
    url = wheel.get("url") or Path(wheel["path"]).absolute().as_uri()
    filename = wheel.get("name") or unquote(urlsplit(url).path).rsplit("/", 1)[-1]
    _, version, _, _ = parse_wheel_filename(filename)
    return LockedFile(
        name=canonicalize_name(package["name"]),
        version=str(package.get("version", version)),
        filename=filename,
        urls=(url,),
        sha256=str(wheel["hashes"].get("sha256", "")).lower(),
        size=int(wheel["size"]) if wheel.get("size") is not None else None,
    )


def with_hashes(lock: Lock, computed: Mapping[str, str]) -> Lock:
    """Return the lock with the hashes of files for which none was promised. `computed`: the file's name -> SHA-256."""
    text, files = lock.text, []
    for file in lock.files:
        if file.sha256 or file.filename not in computed:
            files.append(file)
            continue
        files.append(replace(file, sha256=computed[file.filename]))
        text = with_hash(text, file.urls, "", computed[file.filename])
    return replace(lock, files=tuple(files), text=text)


def with_hash(text: str, urls: Sequence[str], old: str, new: str) -> str:
    """Return a lock's text with another hash behind that file's address. `old` "": none stood there."""
    url = next((url for url in map(without_login, urls) if url in text), None)
    if url is None:
        return text
    before, _, after = text.partition(url)
    changed = after.replace(old, new, 1) if old else after.replace("hashes = {}", f'hashes = {{ sha256 = "{new}" }}', 1)
    return before + url + changed


def without_login(url: str) -> str:
    """Return an address without its login: locks name none."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


def _failure(outcome: Outcome, environment: Mapping[str, str]) -> WizardError:
    if outcome.exit_code is None:
        return WizardError(LOCK_UV, details=outcome.tail())
    if outcome.timed_out:
        return WizardError(
            "lock-silent",
            "Choosing the exact files was given up after {seconds} s: the program that does it (uv) "
            "did nothing any more, or came to no end.",
            "Close other programs if memory is short, and try again; or take another source, on the page "
            "{page.source}[| or with --mirror race, --torch-index or --index]. Nothing has been changed.",
            details=outcome.tail(40),
            seconds=round(outcome.seconds),
        )
    trouble = explain_text(outcome.stderr, environment)
    if trouble:
        return WizardError(trouble.code, details=outcome.tail(40), **trouble.params)
    flowing = " ".join(outcome.stderr.split())  # uv breaks its lines where the words get long
    refused, damaged = _REFUSED.search(flowing), _NO_PACKAGE.search(flowing)
    if refused:
        file = unquote(urlsplit(refused[2]).path).rstrip("/").rsplit("/", 1)[-1]
        host = urlsplit(refused[2]).hostname or "-"
        return WizardError(LOCK_REFUSED, details=outcome.tail(40), host=host, status=int(refused[1]), file=file)
    if damaged:
        return WizardError(LOCK_DAMAGED, details=outcome.tail(40), package=f"{damaged[1]} {damaged[2]}")
    said = outcome.stderr.lower()
    if says_full(said):  # uv unpacks some packages to read about them
        return WizardError("fetch-no-space", details=outcome.tail(40), folder=str(paths.home()))
    is_network = "no solution found" not in said and any(word in said for word in _NETWORK_WORDS)
    return WizardError("lock-network" if is_network else "lock-no-solution", details=outcome.tail(40))
