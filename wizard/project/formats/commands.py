"""Reads what a README, a Dockerfile or an install script tells people to type: pip and conda lines.

These are recommendations: they count where the project's own files say nothing. What a README says in words ("tested
with Python 3.10, PyTorch 2.3.1") is the last that counts. Two lines for two kinds of computers are alternatives, not a
contradiction. Nothing is run. Where a line runs is the neighbour's matter (`working_folder`). One file: each kind of
line has its pattern beside the one function that reads it.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from posixpath import normpath

from wizard.model.syntax import NO_PYTHON
from wizard.project.formats.branches import Branches
from wizard.project.formats.conda_words import conda_statement, is_condas_alone
from wizard.project.formats.options import CONSTRAINTS, FILES, INDEXES, with_values
from wizard.project.formats.requirements import requirement, statements_of, version_of_address
from wizard.project.formats.words import apart, read_words
from wizard.project.formats.working_folder import (
    FOREIGN,
    IS_COMMENT,
    MOST_LINES,
    MOST_PROSE,
    WorkingFolder,
    copied_to,
    downloaded_by,
    itself_in,
    without_hidden,
)
from wizard.project.model import (
    BRANCH,
    DECIDED,
    ON_MAC,
    PAIRS,
    PYTHON,
    RECOMMENDED,
    TORCH,
    AddressLine,
    FileLine,
    Findings,
    Statement,
    cut_between,
    is_commented,
    is_folder,
    normalized,
    origin_of,
)
from wizard.project.packages.companions import repository_of
from wizard.project.readme.lists import listed_packages
from wizard.project.readme.rows import NamedRows

_EITHER = re.compile(r"([^\[\]]+)\[([\w.-]+)\](\.\w+)")
STARTED = "started"  # includes a script that a line starts
DOWNLOADED = "downloaded"  # includes one that a line has fetched before, which may lie here, too
BUILT = "built"  # includes a folder that a line installs
BESIDE = "beside"  # includes a package, or a folder of that name where a line goes to
_MOST_LETTERS = 4_000
_MOST_COMMANDS = 100  # of one line
_CONTINUED = re.compile(r"[\\^`]\s*$")
_PIP = re.compile(r"\b(?:(?:pip3?|mim)(?:\.exe)?|pip3?\.\d+)\"?\s+install\s+")  # mim hands on to pip
# The same as a program starts it, by a list of words: `[sys.executable, "-m", "pip", "install", "torch==2.8.0"]`.
_ARGUMENTS = re.compile(r"""\[[^\[\]]{0,200}?["']pip3?["'],\s*["']install["'],(?P<words>[^\[\]]{0,2000})\]""")
_CONDA = re.compile(r"(?:\b|%~dp0)(?:conda|mamba|micromamba)(?:\.(?:exe|bat))?\"?\s+(?:install|create|env create)\s+")
# Where a command is over; words in brackets behind it are somebody's remark.
_ENDS = re.compile(
    r"\s(?:&&|\|\||\||//)\s|\.{3}(?=[\s`]|$)|…|;;|\s[(（](?=\w)"
    r"|\sRUN\s|(?:^|\s)[*_]*#|;\s*(?:pip3?|conda|mamba|python3?|git|cd|then|fi)\b|`"
)
_WHEEL = re.compile(r"(?:[\w.-]*/)*([A-Za-z]\w*)-\d[\w.+%!-]*\.whl")
_TAKEN_OUT = re.compile(r"\b(?:pip3?|conda|mamba)\s+(?:uninstall|remove)\s+(?P<words>[^&;|`]+)")
_SENTENCE_ENDS = re.compile(r"[.!?](?= )|[。！？]")
_UPGRADES = {"-U", "--upgrade"}
_INTERPRETER = re.compile(
    r"\bpython(3\.\d+)\s+-m\b|\bpy\s+-(3\.\d+)\b|/python/(3\.\d+)\.\d+/|^\s*FROM\s+(?:\S*/)?python:(3\.\d+)"
    r"|\buv\s+venv\s[^&|;]*?(?:-p|--python)[\s=]+(?:python)?(3\.\d+)(?![\w-])"
    r"|^\s*(?:export\s+|(?i:set)\s+)?PYTHON_VERSION=[\"']?(3\.\d+)(?:\.\d*)?[\"']?\s*$"
    r"|\bpython3?\s+(?:--version|-V)\b[^;&]*\|\s*(?:grep|findstr)\s+(?:[-/]\w+(?:\s+|:))*[\"']?(?:Python )?"
    r"(3\.(?:[6-9]|\d\d))(?=[.\"'\s]|$)"
    r"|\b(?:apt(?:-get)?\s(?=[^&|;]*\binstall\s)|update-alternatives\s)[^&|;]*?\bpython(3\.\d+)(?![\w.])"
)
# NVIDIA's own images are numbered by year and month.
_BASE = re.compile(r"^\s*FROM\s+(?!nvcr\.io/)(?:\S*/)?pytorch:(\d+\.\d+(?:\.\d+)?)(?:-(cuda\d+\.\d+))?", re.IGNORECASE)
# Of a Dockerfile or a script; `${NAME:-1.2}` has its own.
_DEFAULT = re.compile(
    r"^\s*(?:(?:ARG|ENV)\s+(?P<name>\w+)[=\s]|(?:export\s+|set\s+)?(?P<shell>[A-Za-z_]\w*)=)"
    r"(?:[\"']?(?P<value>[\w.+:/-]+)[\"']?|[\"'](?P<words>[\w.+:/=<>~\[\], -]+)[\"'])\s*$"
)
_REFERENCE = re.compile(r"\$\{(\w+)(?::?-(?P<else>[^}]*))?\}|\$(\w+)")
_IS_OF_TOOL = re.compile(
    r"\b(?:pip3?|mim|conda|mamba|apt(?:-get)?|brew|pyenv|uv|module)\s|\bdocker\s(?!\d)|error", re.IGNORECASE
)
_STARTED = re.compile(r"(?:^|[\s;&`(])(?:(?:bash|sh|zsh|source|\.)\s+(?:-\w+\s+)*|(?=\./))([\w./-]+\.(?:sh|bash))\b")
_BUILT = re.compile(r"\bpython[\d.]*\s+((?:[\w.-]+/)*)setup\.py\s+(?:[\w-]+\s+)*?(?:install|develop|build|build_ext)\b")
_INSTALLS = re.compile(rf"\b(?:pip3?|mim|conda|mamba)\s+(?:install|create)\b|{_BUILT.pattern}")
_TORCH_IN_COMMENT = re.compile(r"(?:\binstall\s|安装).*(?<![a-z./-])(?:py)?torch(?:vision)?(?![a-z./-])", re.IGNORECASE)
_IMPORTED = re.compile(r"\bimport\s+([A-Za-z_][A-Za-z0-9_]*)")
_CONDA_FILE = re.compile(r"^(?:\S*/)?([a-z0-9_.-]+?)-(\d[^-/]*)-([^-/]+)\.(?:tar\.bz2|conda)$")
_NO_NAMES = ("required", "packages", "package", "dependencies", "requirements", "everything", "them", "these")
_CLOSING = re.compile(r"([^'\"]*\w)['\"](?:\s[^'\"]*)?")
_HTML = re.compile(r"</?(?:br|p|b|i|em|strong|code|pre|kbd|tt|li|ul|ol|td|tr|div|span|a)\s*/?>", re.IGNORECASE)


def read_commands(file: str, text: str, found: Findings) -> None:
    """Read pip's and conda's lines, interpreters and imports out of a README or a Dockerfile, as recommendations."""
    text = _ARGUMENTS.sub(_as_command, text) if file.endswith(".py") else text
    values: dict[str, str] = {}
    place, rows = WorkingFolder(file, found.own, itself_in(text, found.own, found.statements)), NamedRows(found)
    text, branches = without_hidden(text) if place.is_prose else text, Branches(place.is_script)
    aside = set[str]()
    found.told += listed_packages(file, text) if place.is_prose else ()
    for number, written in _joined(text):
        where = origin_of(file, number, written)
        place.begin(written)
        aside |= {str(where)} if place.is_aside else set()
        if not place.is_prose and IS_COMMENT.match(written):
            if _TORCH_IN_COMMENT.search(written):
                found.remark("commented", where)
            continue
        before, is_needed = len(found.statements), place.is_needed(written[:MOST_PROSE])
        line = _REFERENCE.sub(lambda one: values.get(one[1] or one[3], one["else"] or one[0]), written)
        if (default := _DEFAULT.match(line)) and not branches.is_elsewhere:
            values[default["name"] or default["shell"]] = default["value"] or default["words"]
        if match := _BASE.match(line):
            found.statements.append(Statement(TORCH, f"=={match[1]}", where, RECOMMENDED, build=match[2] or ""))
        if place.is_prose and not place.is_of_machine and not _IS_OF_TOOL.search(line):
            prose = apart(_begun(line))
            read_words(prose, where, found, place.is_code, place.is_of_needs)
            rows.add(prose, where, place.is_code)
        for match, words in _each(_PIP, line):
            tokens = _tokens(place.command(words, line))
            if TORCH in tokens and not place.is_prose and _UPGRADES & {*tokens}:
                _upgraded(where, found)
            held = len(found.statements), len(found.sources)
            _pip(tokens, where, found, place.at(line, match.start()), {**place.fetched, **place.fetched_by(line)})
            _of_branch(branches, held, found, line, match.start())
        for match, words in _each(_CONDA, line):
            _conda(_tokens(place.command(words, line)), where, found, place.at(line, match.start()))
        _run(line, where, found, place)
        place.after(line, where)
        said = map(place.marked, _without_repairs(found.statements[before:], line, place))
        found.statements[before:] = (replace(one, marker=ON_MAC) if branches.is_elsewhere else one for one in said)
        branches.after(line)
        found.needed |= {where} if is_needed else set()
    found.name_itself(file, place.is_prose and place.itself)
    _leave_aside(aside, found)
    found.aside |= aside
    _tell_fetched(place.further, found)


def _leave_aside(aside: Collection[str], found: Findings) -> None:
    """Leave out the torch and the Python of what a text calls optional, or has for an older state of the project, where
    it names another one for all."""
    decided = {TORCH, PYTHON, *PAIRS, "cudatoolkit"}
    files = {one.rpartition(":")[0] for one in aside}
    its = [one for one in (*found.statements, *found.told) if one.origin.file in files]
    for_all = {one.name for one in its if str(one.origin) not in aside}
    if TORCH not in for_all:  # what goes with the one that is named
        decided = {PYTHON}

    def is_left(one: Statement) -> bool:
        return str(one.origin) in aside and one.name in decided & for_all

    found.statements = [one for one in found.statements if not is_left(one)]
    found.told = [one for one in found.told if not is_left(one)]


def _tell_fetched(fetched: Mapping[str, FileLine], found: Findings) -> None:
    """Name the repositories that are fetched and that nothing installs: the project finds them beside itself."""
    names = {one.name for one in found.statements}
    said = " ".join(one.url for one in found.statements) + " ".join(str(one.params) for one in found.remarks)
    others = [url for url in fetched if url not in said and normalized(url.rpartition("/")[2]) not in names]
    if others:
        found.remark("fetched-too", fetched[others[0]], repositories=cut_between(others))


def _as_command(match: re.Match[str]) -> str:
    """Return the line that somebody would type, in as many lines; what is only known when it runs is left out, with the
    option before it."""
    try:
        listed = ast.parse(f"[{match['words'].strip()}]", mode="eval").body
    except NO_PYTHON:
        return match[0]
    words: list[str] = []
    for one in listed.elts if isinstance(listed, ast.List) else ():
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            words.append(one.value)
        elif words and words[-1].startswith("-"):
            words.pop()
    return f"pip install {shlex.join(words)} ;" + "\n" * match[0].count("\n")


def _without_repairs(said: list[Statement], line: str, place: WorkingFolder) -> Iterator[Statement]:
    """Yield what a line asks for; what it takes out and puts in again in any version is a repair of what is there."""
    out = {
        normalized(name) for match in _TAKEN_OUT.finditer(line) for name in place.command(match["words"], line).split()
    }
    return (one for one in said if one.name not in out or one.specifier or one.url or one.name in DECIDED)


def _of_branch(branches: Branches, held: tuple[int, int], found: Findings, line: str, position: int) -> None:
    """Mark what a command has added as that of its branch; its sources are none for the others."""
    said = found.statements[held[0] :]
    found.statements[held[0] :] = marked = [branches.mark(one, line, position) for one in said]
    if any(one.group.startswith(BRANCH) for one in marked):
        del found.sources[held[1] :]


def _run(line: str, where: FileLine, found: Findings, place: WorkingFolder) -> None:
    """Read what a line starts: scripts, interpreters and what these import."""
    for match in _STARTED.finditer(line):
        last = match[1].rpartition("/")[2]
        kind = DOWNLOADED if last in place.downloaded or last in downloaded_by(line) else STARTED
        if not (folder := place.at(line, match.start(1))).startswith(FOREIGN):
            found.include(_below(folder, match[1]), where, kind)
    for match in _BUILT.finditer(line):
        _built(place.at(line, match.start()) + match[1] or place.own, where, found)
    for match in _INTERPRETER.finditer(line):
        found.statements.append(Statement(PYTHON, f"=={match[match.lastindex or 0]}.*", where, RECOMMENDED))
    if re.search(r"\bpython[\w.%\"]*\s+-c\s", line, re.IGNORECASE):
        for name in _IMPORTED.findall(line):
            found.statements.append(Statement(normalized(name), "", where, RECOMMENDED, "imported"))


def _begun(line: str) -> str:
    """Return the beginning of a long line up to the end of a sentence, or of a word: half a number is another one."""
    if len(line) <= MOST_PROSE:
        return line
    ends = _SENTENCE_ENDS.search(line, MOST_PROSE, 2 * MOST_PROSE)
    return f"{line[: ends.end()] if ends else line[:MOST_PROSE].rpartition(' ')[0]} …"


def installs(text: str) -> bool:
    """Return whether a script puts packages in, so that it is a part of the installation."""
    return bool(_INSTALLS.search(text))


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their continuations, cut where nobody reads on."""
    start, parts = 0, list[str]()
    for number, line in enumerate(text.split("\n")[:MOST_LINES], 1):
        start = start if parts else number
        is_continued = (
            bool(_CONTINUED.search(line))
            and (parts or not IS_COMMENT.match(line))
            and not line.rstrip().endswith("```")
            and line.count("`") < 2
        )
        parts.append(_CONTINUED.sub("", line) if is_continued else line)
        if is_continued and len(parts) < 200:
            continue
        yield start, " ".join(parts)[:_MOST_LETTERS]
        parts = []
    if parts:
        yield start, " ".join(parts)[:_MOST_LETTERS]


def _each(command: re.Pattern[str], line: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each such command of a line with its words, up to the next one: a line may repeat it many times."""
    matches = [*islice(command.finditer(line), _MOST_COMMANDS)]
    ends = [*(one.start() for one in matches[1:]), len(line)]
    yield from ((match, line[match.end() : end]) for match, end in zip(matches, ends, strict=False))


def _tokens(words: str) -> list[str]:
    words = re.sub(r"\\n(?!\w)", " ", _ENDS.split(_HTML.sub(" ", words))[0])
    words = re.sub(r"\\(?=[\w.])", "/", words)  # a path of Windows
    try:
        return shlex.split(words, comments=False, posix=True)
    except ValueError:
        if match := _CLOSING.fullmatch(words):  # of a text that the command stands in
            return shlex.split(match[1])
        return [token.strip("\"'").removesuffix('")') for token in words.split()]


def _pip(tokens: list[str], where: FileLine, found: Findings, folder: str, fetched: Mapping[str, str]) -> None:
    if any(token.startswith("--install-option") for token in tokens):
        found.remark("option-left", where)
    before = ""
    for token, value in with_values(tokens):
        if token in ("-f", "--find-links"):
            found.sources.append(AddressLine("find-links", value, where, RECOMMENDED))
        elif token in INDEXES:
            found.sources.append(AddressLine("index", value, where, RECOMMENDED))
        elif token in FILES:
            found.include(_below(folder, value), where, "constraint" if token in CONSTRAINTS else "")
        elif re.fullmatch(r"[\w./-]+\.txt", token):  # behind -e, or with a forgotten -r
            found.include(_below(folder, token), where, "")
        elif not token.startswith("-") and not (is_commented(where) and is_folder(token) and "/" in token):
            is_editable = before in ("-e", "--editable") and re.match(r"[A-Za-z][\w-]*(?:\[|$)", token) is not None
            is_path = before in ("-e", "--editable") or "/" in token
            is_path |= fetched.get(token, token).rpartition("/")[2] != token  # a copy under a name of its own
            _installed(token, where, found, folder, fetched if is_path else {}, is_editable)
        before = token


def is_copied(text: str, name: str) -> bool:
    """Return whether a Dockerfile puts that file of the project into its image, where its lines then find it."""
    return bool(re.search(rf"^[ \t]*(?:COPY|ADD)[ \t](?:.*[ \t])?(?:\./)?{re.escape(name)}[ \t]", text, re.MULTILINE))


def _installed(
    token: str, where: FileLine, found: Findings, folder: str, fetched: Mapping[str, str], is_editable: bool
) -> None:
    """`is_editable`: it is a folder, never a name of the index; so is a path in a copy of another repository."""
    is_inner = is_editable or (folder.startswith(FOREIGN) and is_folder(token) and "/" in token)
    copied = None if folder.startswith(FOREIGN) else copied_to(_below(folder, token), fetched)
    if copied is not None:
        _built(copied, where, found)
    elif (folder and re.match(r"\.{1,2}(?:$|[/\[])", token)) or (is_inner and re.match(r"\w", token)):
        _built(folder + token.partition("[")[0], where, found)
    elif re.match(r"[/~]\w", token):  # anywhere: a copy of a part of the project
        parts = normpath(token.partition("[")[0]).split("/")
        if len(parts) > 2 and not re.search(r"[*?]|\.whl$", token):  # below the root itself it is one of all
            found.include("/".join(parts[-2:]), where, BUILT)
    elif folder and not folder.startswith(FOREIGN) and re.fullmatch(r"[A-Za-z][\w-]+", token):
        found.include(folder + token, where, BESIDE)
    else:
        _named(token.removesuffix(";"), where, found)


def _built(folder: str, where: FileLine, found: Findings) -> None:
    """A part of the project that a line installs from its source, or another repository; the project itself is none."""
    if folder.startswith(FOREIGN):
        match = re.match(r"git\+https?://[^/]+(?:/[^/]+){2}", folder)
        repository = match[0] if match else folder
        below = folder[len(repository) :].strip("/.")
        plain = repository.partition("@")[0]
        name = normalized((below or plain).rpartition("/")[2])
        name = name if below else repository_of(plain) or name
        url = f"{repository}#subdirectory={below}" if below else repository
        found.statements.append(Statement(name, "", where, RECOMMENDED, url=url))
        return
    part = normpath(folder)
    if not part.startswith("."):
        found.include(part, where, BUILT)


def _upgraded(where: FileLine, found: Findings) -> None:
    """`pip install -U torch` in a file that runs from its first line on: a pin before it, of the image that it begins
    with, is what is replaced."""
    for at, one in enumerate(found.statements):
        if one.name == TORCH and one.origin.file == where.file and one.specifier.startswith("=="):
            found.remark("upgraded", where, asked=str(one))
            found.statements[at] = replace(one, specifier=f">{one.specifier[1:]}")


def _below(folder: str, name: str) -> str:
    return name if re.match(r"/|[a-z+]+://", name) else folder + name


def _spelled(name: str) -> list[str]:
    """Return the two files that a shorthand means: `env[_cpu].yml`; of any other name itself."""
    match = _EITHER.fullmatch(name)
    return [match[1] + match[3], match[1] + match[2] + match[3]] if match else [name]


def _named(token: str, where: FileLine, found: Findings) -> None:
    if token.lower().strip(".,:") in _NO_NAMES:
        return
    if re.search(r"[$%{}<>]", token.split("==")[0]) and not re.match(r"[\w.\[\],-]+\s*[<>]=?", token):
        return
    if wheel := _WHEEL.fullmatch(token):  # of a file that a line before fetched
        specifier, local = version_of_address(token)
        if specifier:
            found.statements.append(
                Statement(normalized(wheel[1]), specifier, where, RECOMMENDED, local=local, url=token)
            )
        return
    one = requirement(token, where)
    silent = Findings()
    for statement in [one] if one else statements_of(token, where, silent):
        if not silent.remarks or (is_folder(statement.url) and (statement.name != "." or statement.extras)):
            found.statements.append(replace(statement, strength=RECOMMENDED))


def _conda(tokens: list[str], where: FileLine, found: Findings, folder: str) -> None:
    alone: list[str] = []
    for token, value in with_values(tokens, conda=True):
        if token in ("-c", "--channel"):
            found.sources.append(AddressLine("channel", value, where, RECOMMENDED))
        elif token in ("-f", "--file"):
            for name in _spelled(value):
                found.include(_below(folder, name), where, "")
        elif not token.startswith("-"):
            statement = conda_statement(_CONDA_FILE.sub(r"\1=\2=\3", token), where)
            named = statement and (statement.specifier or statement.name != PYTHON)
            if statement and named and not is_condas_alone(statement.name):
                found.statements.append(replace(statement, strength=RECOMMENDED))
            elif statement and named:
                alone.append(statement.name)
    if alone:
        found.remark("conda-programs", where, packages=cut_between(alone))
