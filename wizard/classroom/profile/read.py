"""From the bytes of a `*.torchlab` file to a profile, or one sentence with the dotted paths of what is wrong in it.

Nothing is changed and nobody is asked: a profile is either right as a whole or not used at all. How the values must
look by themselves is here; what they may mean is in `sound`, and whether wheels fit their entry in `wheels`.

One file: each refusal stands where it is found, with its sentences.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.classroom.profile.fields import (
    Problems,
    ProfileTable,
    address_flaw,
    name_flaw,
    place_flaw,
    requirement_flaw,
    shown,
)
from wizard.classroom.profile.model import (
    ASKABLE,
    ENGINES,
    LARGEST_BYTES,
    SCHEMA,
    Profile,
    ProfileEnvironment,
    ProfileFile,
    ProfileLock,
    ProfileSources,
)
from wizard.classroom.profile.read_locks import MOST as MOST_CONDA
from wizard.classroom.profile.read_locks import check_conda, check_locks, read_conda
from wizard.classroom.profile.rows import check_profile_rows, read_profile_rows
from wizard.classroom.profile.signature import LARGEST_BYTES as LARGEST_SIGNATURE
from wizard.classroom.profile.signature import signature_path
from wizard.model.distributions import FAMILY
from wizard.model.errors import ErrorText, UsageError
from wizard.model.lock import BY_PROFILE, LockedFile
from wizard.model.messages import LANGUAGES, message, text
from wizard.model.typed import from_toml
from wizard.system.traits import known

PROFILE_UNREADABLE = ErrorText(
    "profile-unreadable",
    "The class profile {file} cannot be read.",
    "Check the path, and that the file is not open elsewhere; nothing was changed.",
)

_MOST_LOCKS = 64
_MOST_FILES = 1000
_MOST_NAMES = 200
_PROBLEMS_SHOWN = 3
_MOST_DOTS = 20  # of a line, outside of strings
_MOST_DOTS_OF_TABLE = 3  # ours have one
_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?$)|\'[^\']*(?:\'|$)')  # one that is not closed ends with the line
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_TITLE = re.compile(r"[^<>]{1,200}")  # no markup: a title is shown in windows and on pages
_PROGRAM = re.compile(r"[0-9A-Za-z.+-]{1,40}")
_PYTHON = re.compile(r"3\.[1-9]\d?")
_TORCH = re.compile(r"\d{1,3}(\.\d{1,3}){2,3}")
_VARIANT = re.compile(r"cpu|cu\d{2,4}")
_GLIBC = re.compile(r"2\.\d{1,2}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9A-Za-z.!+_-]{1,100}")
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?")
_WHEEL = re.compile(r"[0-9A-Za-z._!+-]{1,200}\.whl")
_ENGINE = re.compile("|".join(ENGINES))
_ASKABLE = re.compile("|".join(ASKABLE))
_COMPANION = re.compile("|".join(FAMILY[1:]))
_LANGUAGE = re.compile("|".join(LANGUAGES))
_OS = re.compile("windows|linux")
_ARCH = re.compile("x86_64|aarch64")


def read_profile(path: Path) -> ProfileFile:
    """Raises UsageError `profile-unreadable` and as `parse_profile`."""
    try:
        if not path.is_file():  # a pipe would be waited for
            raise UsageError(PROFILE_UNREADABLE, file=str(path))
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise UsageError(PROFILE_UNREADABLE, details=str(error), file=str(path)) from error
    return ProfileFile(parse_profile(data, path.name), data, hashlib.sha256(data).hexdigest(), _signature(path))


def _signature(profile: Path) -> bytes | None:
    path = signature_path(profile)
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(LARGEST_SIGNATURE + 1)
    except OSError as error:
        raise UsageError(PROFILE_UNREADABLE, details=str(error), file=str(path)) from error


def parse_profile(data: bytes, where: str = "profile.torchlab") -> Profile:
    """Raises UsageError `profile-too-large`, `profile-not-toml`, `profile-newer`, `profile-bad`."""
    where = shown(where, 100)
    if len(data) > LARGEST_BYTES:
        raise UsageError(
            "profile-too-large",
            "{file} is larger than {most} MB; a class profile is much smaller.",
            "Choose the *.torchlab file that your teacher or administrator gave you; nothing was changed.",
            file=where,
            most=LARGEST_BYTES >> 20,
        )
    try:
        # A byte order mark is what Windows' own editor may leave.
        words = data.decode("utf-8-sig")
        _check_keys(words)
        value = from_toml(words)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            "profile-not-toml",
            "{file} is not a class profile, or it is damaged.",
            "Get the *.torchlab file again from whoever made it; nothing was changed.",
            details=str(error),
            file=where,
        ) from error
    problems = Problems()
    table = ProfileTable(value, "", problems)
    _check_schema(table, where)
    profile = _profile(table)
    if not problems.found and value["schema"] < profile.schema:
        table.fail("schema", "schema", known=profile.schema)
    if not problems.found:
        check_locks(profile, problems)
        check_conda(profile, problems)
        check_profile_rows(profile, table.table("rows"))
    if problems.found:
        raise _bad(where, problems)
    return profile


def _check_keys(words: str) -> None:
    """`a.a.a…` takes the reader of TOML hours: it copies all parts for each; and megabytes of `[a.a.a]` half a minute.
    Raises ValueError."""
    for number, line in enumerate(words.splitlines(), 1):
        most = _MOST_DOTS_OF_TABLE if line.lstrip().startswith("[") else _MOST_DOTS
        if line.count(".") > most and _STRING.sub("", line).partition("#")[0].count(".") > most:
            raise ValueError(f"line {number}: a key of too many parts")


def title_flaw(title: str) -> bool:
    return not _TITLE.fullmatch(title) or not title.isprintable()


def _check_schema(table: ProfileTable, where: str) -> None:
    """First of all, since a newer schema may mean anything by everything else."""
    schema = table.value.get("schema")
    if isinstance(schema, int) and not isinstance(schema, bool) and schema > SCHEMA:
        raise UsageError(
            "profile-newer",
            "{file} was made by a newer version of this program (format {found}, this one reads {known}).",
            "Update Torch Setup and open the profile again; nothing was changed.",
            file=where,
            found=min(schema, 10**9),
            known=SCHEMA,
        )
    if schema not in range(1, SCHEMA + 1) or isinstance(schema, bool):
        table.fail("schema", "schema", known=" / ".join(map(str, range(1, SCHEMA + 1))))


def _bad(where: str, problems: Problems) -> UsageError:
    details = "\n".join(f"{problem.path}: {text(problem.words, 'en')}" for problem in problems.found)
    shown, more = problems.found[:_PROBLEMS_SHOWN], len(problems.found) - _PROBLEMS_SHOWN
    keys = ["profile.mistake-and"] * (len(shown) - 1) + ["profile.mistake"]
    told = (message(key, path=one.path, words=one.words) for key, one in zip(keys, shown, strict=True))
    return UsageError(
        "profile-bad",
        "The class profile {file} has mistakes: {problems}.",
        "Ask whoever made the profile to mend it; nothing was changed.",
        details=details,
        file=where,
        problems=(*told, *([f"(+{more})"] if more > 0 else [])),
    )


def _profile(table: ProfileTable) -> Profile:
    table.know("schema", "title", "made", "made_by", "language", "ask", "environment", "sources", "lock", "rows")
    for name in ("environment", "lock"):
        if name not in table.value:
            table.fail(name, "missing")
    return Profile(
        title=table.text("title", _TITLE, "Deep learning 101"),
        made=table.text("made", _DATE, '"2026-11-21"'),
        made_by=table.text("made_by", _PROGRAM, "0.1.0"),
        language=table.text_or_none("language", _LANGUAGE, ", ".join(LANGUAGES)),
        ask=table.texts("ask", len(ASKABLE), _ASKABLE, ", ".join(ASKABLE)),
        environment=_environment(table.table("environment")),
        sources=_sources(table.table("sources")),
        locks=tuple(_lock(each) for each in table.tables("lock", _MOST_LOCKS)),
        rows=read_profile_rows(table.table("rows")),
    )


def _environment(table: ProfileTable) -> ProfileEnvironment:
    table.know("name", "engine", "python", "torch", "companions", "extras", "place")
    name, extras = table.text("name"), table.texts("extras", _MOST_NAMES)
    if (name or table.value.get("name") == "") and name_flaw(name):
        table.fail("name", "name", found=shown(name))
    for number, extra in enumerate(extras):
        if requirement_flaw(extra):
            table.fail(f"extras[{number}]", "requirement", found=shown(extra))
    windows, linux = _places(table)
    torch = table.value.get("torch")
    one = (table.text("torch", _TORCH, "2.13.0"),) if isinstance(torch, str) else None
    return ProfileEnvironment(
        name=name,
        engine=table.text_or_none("engine", _ENGINE, ", ".join(ENGINES)) or "auto",
        python=table.text_or_none("python", _PYTHON, "3.12"),
        torch=one or table.texts("torch", _MOST_LOCKS, _TORCH, "2.13.0"),
        companions=table.texts("companions", len(FAMILY), _COMPANION, ", ".join(FAMILY[1:])),
        extras=extras,
        place_windows=windows,
        place_linux=linux,
    )


def _places(table: ProfileTable) -> tuple[str | None, str | None]:
    """One for all systems, `place = "~/class"`, or one for each: `place = { windows = "D:/class" }`."""
    if isinstance(table.value.get("place"), str):
        place = table.text_or_none("place")
        flaws = (
            [not place.startswith("~/"), place_flaw(place, "windows"), place_flaw(place, "linux")]
            if place is not None
            else []
        )
        if any(flaws):
            table.fail("place", "place", found=shown(place or ""))
        return place, place
    inner = table.table("place")
    inner.know("windows", "linux")
    return _place(inner, "windows"), _place(inner, "linux")


def _place(table: ProfileTable, os_name: str) -> str | None:
    place = table.text_or_none(os_name)
    if place is not None and place_flaw(place, os_name):
        table.fail(os_name, "place", found=shown(place))
    return place


def _sources(table: ProfileTable) -> ProfileSources:
    table.know("index", "torch_index", "conda_channel", "share", "only_share")
    share = table.texts("share", _MOST_LOCKS)
    for number, url in enumerate(share):
        _check_address(table, f"share[{number}]", url, is_share=True)
    return ProfileSources(
        index=_address(table, "index"),
        torch_index=_address(table, "torch_index"),
        conda_channel=_address(table, "conda_channel"),
        share=share,
        only_share=table.flag("only_share"),
    )


def _address(table: ProfileTable, name: str) -> str | None:
    url = table.text_or_none(name)
    if url is not None:
        _check_address(table, name, url)
    return url


def _check_address(table: ProfileTable, name: str, url: str, is_share: bool = False) -> None:
    flaw = address_flaw(url, is_share)
    if flaw:
        table.fail(name, flaw, found="" if flaw == "secret" else shown(url))


def _lock(table: ProfileTable) -> ProfileLock:
    table.know("os", "arch", "glibc", "python", "torch", "variant", "file", "conda")
    os_name = table.text("os", _OS, "windows, linux")
    glibc = table.text_or_none("glibc", _GLIBC, "2.28")
    system = known(os_name)  # None: told already
    if system and ("glibc" in table.value) is not system.has_glibc:
        table.fail("glibc", "missing" if system.has_glibc else "unknown")
    if not table.value.get("file"):
        table.fail("file", "missing")
    return ProfileLock(
        os=os_name,
        arch=table.text("arch", _ARCH, "x86_64, aarch64"),
        glibc=glibc,
        python=table.text("python", _PYTHON, "3.12"),
        torch=table.text("torch", _TORCH, "2.13.0"),
        variant=table.text("variant", _VARIANT, "cpu, cu126"),
        files=tuple(_file(each) for each in table.tables("file", _MOST_FILES)),
        conda=tuple(read_conda(each, _check_address) for each in table.tables("conda", MOST_CONDA)),
    )


def _file(table: ProfileTable) -> LockedFile:
    table.know("name", "version", "filename", "url", "also", "size", "sha256")
    url, also = table.text("url"), table.texts("also", 16)
    if url or table.value.get("url") == "":
        _check_address(table, "url", url)
    for number, other in enumerate(also):
        _check_address(table, f"also[{number}]", other)
    return LockedFile(
        name=str(canonicalize_name(table.text("name", _NAME, "typing-extensions"))),
        version=table.text("version", _VERSION, "2.13.0+cu126"),
        filename=table.text("filename", _WHEEL, "name-1.0-py3-none-any.whl"),
        urls=(url, *also),
        sha256=table.text("sha256", _SHA256, "0-9a-f × 64"),
        size=table.number_or_none("size"),
        promised_by=BY_PROFILE,
    )
