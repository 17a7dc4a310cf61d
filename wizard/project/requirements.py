"""Reads requirements files: requirement lines, options anywhere in a line, includes, pip's and conda's exports.

What pip would refuse or drop in silence (two requirements on one line, an option before one, a wrong path) is read by
its intent and said. Nothing is fetched, no path is opened here but by `Findings.include`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from wizard.project.conda_spec import conda_statement
from wizard.project.model import DECLARED, AddressLine, FileLine, Findings, Statement, normalized, origin_of

MOST_LINES = 50_000
_OPTION = re.compile(
    r"(?:^|(?<=\s))(?P<option>--(?P<long>[a-z][a-z-]*)|-(?P<short>[rcefiU]))"
    r"(?:(?P<gap>=|\s+|(?=[^\s=-]))(?P<value>(?!-)(?:\"[^\"]*\"|'[^']*'|\S+)))?"
)
_WITH_VALUE = re.compile(
    r"requirement|constraint|editable|find-links|index-url|extra-index-url|trusted-host|hash|no-binary|only-binary"
    r"|config-settings|global-option|use-feature|platform|python-version|abi|implementation|target"
)
_SHORT = {"r": "requirement", "c": "constraint", "e": "editable", "f": "find-links", "i": "index-url"}
_ADDRESSES = {"find-links": "find-links", "index-url": "index", "extra-index-url": "index"}
_LONGEST_NAME = 128
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_VCS = re.compile(r"^(?:git|hg|svn|bzr)\+", re.IGNORECASE)
_CONDA_LINE = re.compile(r"^[A-Za-z0-9][\w.-]*=[^=<>!~\s;]+=[^=<>!~\s;]+$")
_COMMENT = re.compile(r"(^|\s)#.*$")
_COMMENTED = re.compile(r"^[ \t]*#[# \t]*torch[ \t]*[=<>~!][^\n]*$", re.MULTILINE)
# A folder below, as pip takes it: no name has a slash.
_INNER = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?(?:\[[\w,.-]*\])?")
_TAGGED = re.compile(r"github\.com/pytorch/(?:pytorch|vision|audio)(?:\.git)?@v?(\d+\.\d+\.\d+)$")
_AROUND = re.compile(r"^(?:[-*•]\s+|[!$]?\s*pip3?\s+install\s+)|;$")
_ONE_EQUALS = re.compile(r"([A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?)\s*=\s*(\d[^\s=;]*)(\s*;.*)?")
# A row of `pip list` or `conda list`: name, version, build, channel.
_ROW = re.compile(
    r"(?P<name>[A-Za-z0-9_][\w.-]*)\s+(?P<version>\d[\w.+!]*)(?:\s+(?P<build>\S+)(?:\s+(?P<channel>\S+))?)?"
)
_HEAD = re.compile(r"Package\s+Version.*|-+\s+-[-\s]*", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")


def read_requirements(file: str, text: str, found: Findings, strength: str = DECLARED, group: str = "") -> None:
    """Read a requirements file: pip's lines, exports of pip and conda, and demands in comments as remarks."""
    for match in _COMMENTED.finditer(text):
        found.remark("commented", origin_of(file, text.count("\n", 0, match.start()) + 1, match[0]))
    for line, words in logical_lines(text):
        where = origin_of(file, line, words)
        if is_conda_line(words):
            statement = conda_statement(words, where)
            if statement:
                found.statements.append(statement)
            continue
        if _HEAD.fullmatch(words) or _read_row(words, where, found, group):
            continue
        read_line(words, where, found, strength, group)


def _read_row(words: str, where: FileLine, found: Findings, group: str) -> bool:
    """Read a row of `pip list` or `conda list`, which people keep as a list of requirements."""
    row = _ROW.fullmatch(words)
    if row is None:
        return False
    is_conda = row["build"] not in (None, "pypi_0") and row["channel"] != "pypi"
    pin = f"{row['name']}={row['version']}={row['build']}" if is_conda else f"{row['name']}=={row['version']}"
    one = conda_statement(pin, where) if is_conda else requirement(pin, where)
    if one:
        found.statements.append(replace(one, group=group))
        if not any(remark.key == "project.remark.read-as" for remark in found.remarks):
            found.remark("read-as", where, asked=str(one))
    return one is not None or is_conda


def is_conda_line(words: str) -> bool:
    return bool(_CONDA_LINE.match(words))


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line and the text of each line, continued ones joined, without comments."""
    start, parts = 0, list[str]()
    for number, line in enumerate(text.split("\n")[:MOST_LINES], 1):
        start = start if parts else number
        stripped = _COMMENT.sub("", line) if not (parts and line.lstrip().startswith("#")) else ""
        if stripped.rstrip().endswith("\\"):
            parts.append(stripped.rstrip()[:-1])
            continue
        words = " ".join([*parts, stripped]).strip()
        parts = []
        if words:
            yield start, words


def read_line(words: str, where: FileLine, found: Findings, strength: str = DECLARED, group: str = "") -> None:
    """Read one line of pip's: a requirement, or an option that includes a file or names a source."""
    rest, options = split_options(words)
    constraint = False
    editable = False
    for option, value in options:
        if option in ("requirement", "constraint") and value:
            constraint = option == "constraint"
            found.include(value, where, "constraint" if constraint else group)
        elif option in _ADDRESSES and value:
            found.sources.append(AddressLine(_ADDRESSES[option], value, where, strength))
        elif option == "trusted-host":
            found.remark("trusted-host", where)
        elif option == "editable" and value:
            rest, editable = f"{value} {rest}".strip(), True
    if any(option in _ADDRESSES for option, _ in options) and rest and not constraint and strength == DECLARED:
        found.remark("option-on-line", where)
    for statement in statements_of(rest, where, found, editable):
        found.statements.append(replace(statement, strength=strength, group=group))


def split_options(words: str) -> tuple[str, list[tuple[str, str]]]:
    """Return what is left without the options, and those with their values."""
    options: list[tuple[str, str]] = []

    def taken(match: re.Match[str]) -> str:
        option = match["long"] or _SHORT.get(match["short"], "upgrade")
        if match["short"] and match["gap"] == "" and match["short"] == "U":
            return match[0]
        value = (match["value"] or "").strip("\"'")
        if _WITH_VALUE.fullmatch(option):
            options.append((option, value))
            return ""
        options.append((option, ""))
        return f" {match['value'] or ''}"

    return _OPTION.sub(taken, words).strip(), options


def statements_of(text: str, where: FileLine, found: Findings, editable: bool = False) -> list[Statement]:
    """Return what a requirement line asks for; one that is none gives a remark."""
    text = text.strip().rstrip(",")
    if not text or _VARIABLE.fullmatch(text):
        return []
    if text.startswith(("/", "~")):
        found.remark("file-outside", where, name=text.split()[0])
        return []
    one = _reference(text, where, found) or requirement(text, where)
    if one:
        return [one]
    bare = _AROUND.sub("", text).strip("\"'")
    if bare != text and (one := requirement(bare, where)):
        found.remark("read-as", where, asked=str(one))
        return [one]
    if (pin := _ONE_EQUALS.fullmatch(text)) and (one := requirement(f"{pin[1]}=={pin[2]}{pin[3] or ''}", where)):
        found.remark("read-as", where, asked=str(one))
        return [one]
    parts = [requirement(part, where) for part in re.split(r"[\s,]+(?=[A-Za-z])", text.split(";")[0])]
    good = [part for part in parts if part]
    if good and len(good) == len(parts):
        found.remark("several-on-line", where)
        return good
    found.remark("unreadable-line", where)
    return []


def requirement(text: str, where: FileLine) -> Statement | None:
    """None: not what PEP 508 calls a requirement."""
    try:
        parsed = Requirement(text)
    except (InvalidRequirement, RecursionError):
        return None
    if len(parsed.name) > _LONGEST_NAME:
        return None
    specifier, local = _without_local(str(parsed.specifier))
    url = parsed.url or ""
    if url and not specifier:
        specifier, local = version_of_address(url)
    return Statement(
        normalized(parsed.name),
        specifier,
        where,
        marker=str(parsed.marker) if parsed.marker else "",
        local=local,
        url=url,
        extras=tuple(sorted(parsed.extras)),
    )


def _without_local(specifier: str) -> tuple[str, str]:
    """`==1.13.1+cu117` as `==1.13.1` and `cu117`."""
    local = re.search(r"\+([A-Za-z0-9.]+)", specifier)
    plain = re.sub(r"\+[A-Za-z0-9.]+", "", specifier).replace("===", "==")
    return plain, local[1].lower() if local else ""


def _reference(text: str, where: FileLine, found: Findings) -> Statement | None:
    """A repository, an address, a path."""
    target, _, marker = text.partition(" ;")
    if ";" in target and "://" not in target:
        target, _, marker = target.partition(";")
    target = target.strip()
    first = target.split(" ", 1)[0]
    if _VCS.match(first) or "://" in first and "@" not in first.split("://")[0]:
        egg = _EGG.search(first)
        name = egg[1] if egg else _name_of_address(first)
        specifier, local = version_of_address(first)
        return Statement(normalized(name), specifier, where, marker=_marker(marker), local=local, url=first)
    if (
        first.startswith(("./", "../", ".\\", ".[", "/", "~", "file:"))
        or first in (".", "..")
        or _INNER.fullmatch(target)
    ):
        found.remark("local-path", where)
        name = normalized(first.rstrip("/").rsplit("/", 1)[-1].split("[")[0]) if len(first) > 2 else "."
        return Statement(name or ".", "", where, url=first)
    return None


def _marker(text: str) -> str:
    text = text.strip()
    try:
        parsed = Requirement(f"x; {text}").marker if text else None
    except (InvalidRequirement, RecursionError):
        return ""
    return str(parsed) if parsed else ""


def _name_of_address(address: str) -> str:
    last = unquote(address.split("#")[0].rstrip("/").rsplit("/", 1)[-1])
    wheel = re.match(r"([A-Za-z0-9._]+?)-\d", last)
    return wheel[1] if wheel else re.sub(r"(\.git)?(@.*)?$|\.(zip|whl|tar\.gz)$", "", last) or "unnamed"


def version_of_address(address: str) -> tuple[str, str]:
    """Return the version that an address of a wheel or a tag of PyTorch's repositories names, and its local part; ""
    without one."""
    if tagged := _TAGGED.search(address):
        return f"=={tagged[1]}", ""
    last = unquote(address.split("#")[0].rsplit("/", 1)[-1])
    try:
        _, version, _, _ = parse_wheel_filename(last)
    except InvalidWheelFilename:
        return "", ""
    return f"=={version.public}", version.local or ""
