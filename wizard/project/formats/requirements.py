"""Reads requirements files: requirement lines, options anywhere in a line, includes, pip's and conda's exports.

What pip would refuse or drop in silence (two requirements on one line, an option before one, a wrong path) is read by
its intent and said. Nothing is fetched, no path is opened here but by `Findings.include`.

One file: whatever a line of a list may be, a package, an option or an address, is one reading of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from wizard.project.folders.words import without_variables
from wizard.project.formats.conda_words import conda_statement
from wizard.project.model import (
    DECLARED,
    TORCH,
    AddressLine,
    FileLine,
    Findings,
    Statement,
    normalized,
    origin_of,
)
from wizard.project.packages.companions import package_in
from wizard.project.versions import ENDLESS

MOST_ENTRIES = 10_000  # of one list; lines with nothing but hashes are none
_OPTION = re.compile(
    r"(?:^|(?<=\s))(?P<option>--(?P<long>[a-z][a-z-]*)|-(?P<short>[rcefiU]))"
    r"(?:(?P<gap>=|\s+|(?=[^\s=-]))(?P<value>(?!-)(?:\"[^\"]*\"|'[^']*'|(?:\\ |\S)+)))?"
)
_WITH_VALUE = re.compile(
    r"requirement|constraint|editable|find-links|index-url|extra-index-url|trusted-host|hash|no-binary|only-binary"
    r"|config-settings|global-option|use-feature|platform|python-version|abi|implementation|target"
)
# A path with blanks, up to its end: no package of the index is called so.
_LIST = re.compile(
    r"(?:^|(?<=\s))--?(?P<kind>r|c)(?:equirement|onstraint)?(?:=|\s*)"
    r"(?P<value>[^\s\"'-](?:(?!\s-|[\"']).)*?\.(?:txt|in))(?=\s|$)"
)
_BUILD = re.compile(
    r"(?:^|\s)--(?:install-option|global-option|build-option|config-settings?)\b"
    r"(?:(?:=|\s+)(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+)?"
)
_SHORT = {"r": "requirement", "c": "constraint", "e": "editable", "f": "find-links", "i": "index-url"}
_ADDRESSES = {"find-links": "find-links", "index-url": "index", "extra-index-url": "index"}
_HASH = re.compile(r"sha(?:256|384|512)=[0-9a-f]+")  # the kinds that pip takes
_LONGEST_NAME = 128
_LONGEST_MEANT = 1_000  # letters of a line that is read by its intent
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_OF_EGG = re.compile(r"#egg=[^&#\[]*(?=$|\[)|(?<=#)egg=[^&]*&|&egg=[^&\[]*")
_VCS = re.compile(r"^(?:git|hg|svn|bzr)\+", re.IGNORECASE)
_CONDA_LINE = re.compile(r"^[A-Za-z0-9_][\w.-]*=[^=<>!~\s;]+=[^=<>!~\s;]+$")
_COMMENT = re.compile(r"(^|\s)#.*$")
_COMMENTED = re.compile(r"^[ \t]*#[# \t]*torch[ \t]*[=<>~!][^\n]*$", re.MULTILINE)
_BESIDE = re.compile(r"^[ \t]*torch\b[^#\n]*[ \t]#[^\n]*\d\.\d[^\n]*$", re.MULTILINE)  # "torch>=2.3  # 2.5 was tried"
# A folder below, as pip takes it: no name has a slash.
_INNER = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?(?:\[[\w,.-]*\])?")
_SECOND = re.compile(r"[^\\]\s+[.~/@=<>!-]")  # behind a path, and no further word of it
_QUOTED_PATH = re.compile(r"([\"'])(\.\.?[/\[][^\"']*)\1")
_WITH_EXTRAS = re.compile(r"([^\[]+)\[([\w\s,.-]*)\]")
_AT_PATH = ("./", "../", ".\\", ".[", "/", "~", "file:")
_IS_NAME = re.compile(r"[A-Za-z][\w-]*(?:\[[\w,-]*\])?")
_OF_WINDOWS = re.compile(r"[\w.-]+(?:\\[\w.-]+)+")
_ARCHIVE = re.compile(r"\.(?:zip|whl|tgz|tar\.(?:gz|bz2|xz))$")
_IS_ARCHIVE = re.compile(
    r"(?P<file>[\w.+!-]+\.(?:zip|whl|tgz|tar\.(?:gz|bz2|xz)))(?P<hash>#[^\s;]*)?\s*(?:;(?P<marker>.*))?"
)
_ENDED = re.compile(r"[?#]")  # of the path of an address
_TAGGED = re.compile(r"github\.com/pytorch/(?:pytorch|vision|audio)(?:\.git)?@v?(\d+\.\d+\.\d+)$")
_PINNED = re.compile(
    r"([A-Za-z0-9][\w.-]*(?:\[[\w,.-]*\])?(?:\s*(?:,\s*)?(?:[<>!~=]=|===|[<>])\s*\d[\w.*+-]*)+)\s+(?:[/(\[–—|:]|-+ )"
)
_AROUND = re.compile(r"^(?:[-*•]\s+|[!$]?\s*pip3?\s+install\s+)|;$")
_ONE_EQUALS = re.compile(r"([A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?)\s*=\s*(\d[^\s=;]*)(\s*;.*)?")
# A row of `pip list` or `conda list`: name, version, build, channel.
_ROW = re.compile(
    r"(?P<name>[A-Za-z0-9_][\w.-]*)\s+(?P<version>\d[\w.+!]*)(?:\s+(?P<build>\S+)(?:\s+(?P<channel>\S+))?)?"
)
_HEAD = re.compile(r"Package\s+Version.*|-+\s+-[-\s]*", re.IGNORECASE)
FENCE = re.compile(r"\s*(?:```|~~~)")  # of Markdown
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
_LONGEST = 200_000  # characters of a line; torch's own with all its hashes has 5,000


def read_requirements(file: str, text: str, found: Findings, strength: str = DECLARED, group: str = "") -> None:
    """Read a requirements file: pip's lines, exports of pip and conda, and demands in comments as remarks."""
    for match in _COMMENTED.finditer(text):
        found.remark("commented", origin_of(file, text.count("\n", 0, match.start()) + 1, match[0]))
    for match in _BESIDE.finditer(text):
        line, comment = text.count("\n", 0, match.start()) + 1, match[0].partition("#")[2]
        found.remark("in-words", origin_of(file, line, comment))  # the bound before it does bind
    for count, (line, words) in enumerate(logical_lines(text)):
        where = origin_of(file, line, words)
        if count == MOST_ENTRIES:
            found.remark("too-long", where, name=file, most=line - 1)
            return
        if len(words) > _LONGEST or ENDLESS.search(words):
            found.remark("unreadable-line", where)
            continue
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
    for number, line in enumerate(text.split("\n"), 1):
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
    rest, options = split_options(_BUILD.sub("", words))
    if _BUILD.search(words):
        found.remark("option-left", where)
    constraint = False
    for option, value in options:
        if option in ("requirement", "constraint") and value:
            constraint = option == "constraint"
            found.include(value, where, "constraint" if constraint else group)
        elif option in _ADDRESSES and value:
            found.sources.append(AddressLine(_ADDRESSES[option], value, where, strength))
        elif option == "trusted-host":
            found.remark("trusted-host", where)
        elif option == "editable" and value:
            value = editable(value, found)
            is_cut = value.startswith(".") and not rest.startswith(";")  # of `-e ./a b` pip takes the folder a
            rest = value if is_cut else f"{value} {rest}".strip()
    if any(option in _ADDRESSES for option, _ in options) and rest and not constraint and strength == DECLARED:
        found.remark("option-on-line" if words.lstrip().startswith("-") else "option-after", where)
    hashes = tuple(value.lower().replace(":", "=", 1) for option, value in options if option == "hash")
    made = [replace(one, strength=strength, group=group, hashes=hashes) for one in statements_of(rest, where, found)]
    _take_hashed(made, where, found)


def editable(value: str, found: Findings) -> str:
    """Return what an editable line names: never a package of the index, as one of a folder elsewhere would become."""
    value = without_variables(found.here(value))
    value = re.sub(r"^file://(?:localhost)?(?=/)", "", value)
    return f"./{value}" if _IS_NAME.fullmatch(value) else value


def _take_hashed(made: list[Statement], where: FileLine, found: Findings) -> None:
    """Take what a line asks for, but for one with a hash that pip refuses."""
    hashes = {digest for one in made for digest in one.hashes}
    if not all(map(_HASH.fullmatch, hashes)):
        found.remark("unreadable-line", where)
        return
    found.statements += made
    if hashes and any(one.name == TORCH for one in made):
        found.remark("hashes-of-torch", where)


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

    def noted(match: re.Match[str]) -> str:
        options.append(("requirement" if match["kind"] == "r" else "constraint", match["value"].replace("\\ ", " ")))
        return ""

    return _OPTION.sub(taken, _LIST.sub(noted, words)).strip(), options


def statements_of(text: str, where: FileLine, found: Findings) -> list[Statement]:
    """Return what a requirement line asks for; one that is none gives a remark."""
    text = without_variables(found.here(text.strip().rstrip(",")))
    text = _QUOTED_PATH.sub(r"\2", text)
    text = text.replace("\\", "/") if _OF_WINDOWS.fullmatch(text) else text
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
    if len(text) < _LONGEST_MEANT and (meant := _meant(text)) != text and (one := requirement(meant, where)):
        found.remark("read-as", where, asked=str(one))
        return [one]
    found.remark("unreadable-line", where)
    return []


def _meant(text: str) -> str:
    """Return a line with its signs as pip writes them, without words behind the versions and a build behind a bound."""
    text = re.sub(r"(://\S+?);(?=\s|$)", r"\1 ;", text)
    text = re.sub(r"==?\s*(?:latest|newest|any)\b", "", re.sub(r"=([<>])(?=\s*\d)", r"\1=", text))
    text = re.sub(r"([<>]=?|~=)(\s*[\d.]+)\+[A-Za-z0-9.]+", r"\1\2", text)
    pinned = _PINNED.match(text)
    return pinned[1] if pinned else text


def requirement(text: str, where: FileLine) -> Statement | None:
    """None: not what PEP 508 calls a requirement."""
    if ENDLESS.search(text):
        return None
    if beside := _IS_ARCHIVE.fullmatch(text):  # a file beside the list
        url, specifier = f"{beside['file']}{beside['hash'] or ''}", version_of_address(beside["file"])[0]
        name = normalized(_name_of_address(url))
        return Statement(name, specifier, where, marker=_marker(beside["marker"] or ""), url=url)
    try:
        parsed = Requirement(text)
        specifier, local = _without_local(str(parsed.specifier))
        SpecifierSet(specifier)  # of `===` anything
    except (InvalidRequirement, InvalidSpecifier, RecursionError):
        return None
    if len(parsed.name) > _LONGEST_NAME or not re.search("[A-Za-z]", parsed.name):
        return None
    url = _own_path(parsed.url or "")
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
    # Behind an address pip wants a blank beside the sign: it may be a part of one.
    target, marker = [*re.split(r"\s+;|;(?:\s+|$)" if "://" in text else ";", text, maxsplit=1), ""][:2]
    target = target.strip()
    first = target.split(" ", 1)[0]
    if _VCS.match(first) or "://" in first and "@" not in first.split("://")[0]:
        egg, (called, tag) = _EGG.search(first), package_in(first)
        name = egg[1] if egg else called or _name_of_address(first)
        specifier, local = version_of_address(first)
        specifier = specifier or tag
        return Statement(normalized(name), specifier, where, marker=_marker(marker), local=local, url=first)
    if first.startswith(_AT_PATH) or first in (".", "..") or _INNER.fullmatch(target):
        found.remark("local-path", where)
        return _path(
            target if first.startswith(("./", "../", ".[")) and not _SECOND.search(target) else first, where, marker
        )
    return None


def _path(path: str, where: FileLine, marker: str) -> Statement:
    """A folder or a file, as pip takes it: with blanks, as they are or behind a \\, and its extras behind it."""
    path = _own_path(path.replace("\\ ", " ").rstrip(";"))
    egg, path = _EGG.search(path), _OF_EGG.sub("", path)
    with_extras = _WITH_EXTRAS.fullmatch(path)
    path, extras = (with_extras[1].rstrip(), with_extras[2].split(",")) if with_extras else (path, [])
    last = re.sub(r"\s+", "-", path.partition("#")[0].rstrip("/").rsplit("/", 1)[-1])
    is_itself = len(path) <= 2 or not path
    called = egg[1] if egg else _name_of_address(last) if _ARCHIVE.search(last) else last
    name = "." if is_itself else normalized(called)
    named = tuple(sorted(normalized(extra.strip()) for extra in extras if extra.strip()))
    specifier, local = version_of_address(path)
    return Statement(name or ".", specifier, where, marker=_marker(marker), local=local, url=path, extras=named)


def _own_path(url: str) -> str:
    """Return `./old` of `file:./old`, which pip takes from the folder that it is started in; else what was given."""
    return unquote(url[5:]) if url.startswith("file:") and not url.startswith("file://") else url


def _marker(text: str) -> str:
    text = text.strip()
    try:
        parsed = Requirement(f"x; {text}").marker if text else None
    except (InvalidRequirement, RecursionError):
        return ""
    return str(parsed) if parsed else ""


def _name_of_address(address: str) -> str:
    path = _ENDED.split(address, maxsplit=1)[0].rstrip("/")
    if _VCS.match(path):  # a revision may have a / of its own; behind the host pip takes it from the last @
        host, slash, inner = path.rpartition("://")[2].partition("/")
        path = inner.rpartition("@")[0].rstrip("/") or path if slash else host
    last = unquote(path.rsplit("/", 1)[-1])
    wheel = re.match(r"([A-Za-z0-9._]+?)-\d", last)
    return wheel[1] if wheel else re.sub(rf"(\.git)?(@.*)?$|{_ARCHIVE.pattern}", "", last) or "unnamed"


def version_of_address(address: str) -> tuple[str, str]:
    """Return the version that an address of a wheel or a tag of PyTorch's repositories names, and its local part; ""
    without one."""
    if tagged := _TAGGED.search(address):
        return f"=={tagged[1]}", ""
    last = unquote(_ENDED.split(address, maxsplit=1)[0].rsplit("/", 1)[-1])
    try:
        _, version, _, _ = parse_wheel_filename(last)
    except InvalidWheelFilename:
        return "", ""
    return f"=={version.public}", version.local or ""
