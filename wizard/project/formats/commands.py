"""Reads what a README, a Dockerfile or an install script tells people to type: pip and conda lines.

These are recommendations: they count where the project's own files say nothing. What a README says in words ("tested
with Python 3.10, PyTorch 2.3.1") is the last that counts. Two lines for two kinds of computers are alternatives, not a
contradiction. Nothing is run. One file: one line may hold all of these.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from itertools import takewhile
from posixpath import normpath

from wizard.project.companions import companion
from wizard.project.formats.options import CONSTRAINTS, FILES, INDEXES, with_values
from wizard.project.formats.requirements import (
    FENCE,
    NamedRows,
    conda_statement,
    requirement,
    statements_of,
    version_of_address,
)
from wizard.project.formats.words import read_words
from wizard.project.model import (
    ON_MAC,
    PYTHON,
    RECOMMENDED,
    TORCH,
    AddressLine,
    FileLine,
    Findings,
    Statement,
    is_commented,
    is_folder,
    is_script,
    normalized,
    origin_of,
)

STARTED = "started"  # includes a script that a line starts
BUILT = "built"  # includes a folder that a line installs
BESIDE = "beside"  # includes a package, or a folder of that name where a line goes to
_MOST_LINES = 20_000
_MOST_LETTERS = 4_000
_MOST_PROSE = 300
_CONTINUED = re.compile(r"[\\^`]\s*$")
_PIP = re.compile(r"\b(?:(?:pip3?|mim)(?:\.exe)?|pip3?\.\d+)\"?\s+install\s+(?=(?P<words>.*))")  # mim hands on to pip
_CONDA = re.compile(
    r"(?:\b|%~dp0)(?:conda|mamba|micromamba)(?:\.(?:exe|bat))?\"?\s+(?:install|create|env create)\s+(?=(?P<words>.*))"
)
# Where a command is over; words in brackets behind it are somebody's remark.
_ENDS = re.compile(
    r"\s(?:&&|\|\||\|)\s|\s[(（](?=\w)|(?:^|\s)[*_]*#|;\s*(?:pip3?|conda|mamba|python3?|git|cd|then|fi)\b|`"
)
# In a sentence of a README: here the command is over.
_SENTENCE = re.compile(
    r"(?:^|\s)(?:commands?|lines?|instructions?|guides?|documentation|steps|page|may|might|will|should|does|fails?|according|to"
    r"|and|or|for|with|if|in|on|by|from|the|this|these|your?|it|them|then|as)"
    r"(?=[\s,.:]|$)|[.!?]\s+(?=[A-Z])"
)
_WHEEL = re.compile(r"(?:[\w.-]*/)*([A-Za-z]\w*)-\d[\w.+%!-]*\.whl")
_UPGRADES = {"-U", "--upgrade"}
_INTERPRETER = re.compile(
    r"\bpython(3\.\d+)\s+-m\b|\bpy\s+-(3\.\d+)\b|/python/(3\.\d+)\.\d+/|^\s*FROM\s+(?:\S*/)?python:(3\.\d+)"
    r"|\buv\s+venv\s[^&|;]*?(?:-p|--python)[\s=]+(?:python)?(3\.\d+)(?![\w-])"
    r"|^\s*(?:export\s+|set\s+)?PYTHON_VERSION=[\"']?(3\.\d+)(?:\.\d+)?[\"']?\s*$"
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
_IS_PROSE = re.compile(r"(?:readme|\.md|\.rst|\.txt)$", re.IGNORECASE)
_IS_OF_TOOL = re.compile(r"\b(?:pip3?|mim|conda|mamba|apt(?:-get)?|brew|pyenv|uv|docker|module)\s|error", re.IGNORECASE)
_STARTED = re.compile(r"(?:^|[\s;&`(])(?:(?:bash|sh|zsh|source|\.)\s+(?:-\w+\s+)*|(?=\./))([\w./-]+\.(?:sh|bash))\b")
_BUILT = re.compile(r"\bpython[\d.]*\s+((?:[\w.-]+/)*)setup\.py\s+(?:[\w-]+\s+)*?(?:install|develop|build|build_ext)\b")
_INSTALLS = re.compile(rf"\b(?:pip3?|mim|conda|mamba)\s+(?:install|create)\b|{_BUILT.pattern}")
_IS_COMMENT = re.compile(r"\s*(?:#|::|rem\s)", re.IGNORECASE)
_TORCH_IN_COMMENT = re.compile(r"(?:\binstall\s|安装).*(?<![a-z./-])(?:py)?torch(?:vision)?(?![a-z./-])", re.IGNORECASE)
_IMPORTED = re.compile(r"\bimport\s+([A-Za-z_][A-Za-z0-9_]*)")
_GOES = re.compile(r"(?:^|[\s;&|(`])(?:cd|pushd)[ \t]+(?P<to>\"[^\"]*\"|'[^']*'|[^\s;&|)`]+)")
_CLONED = re.compile(r"\bgit\s+clone\s[^&;|]*?([\w.-]+?)(?:\.git)?/?(?=\s*(?:$|[&;|`]))")
# Of somebody who is in the project's folder already: what is fetched after that is another repository.
_INSIDE = re.compile(
    r"(?!.*\bclone\b).*\b(?:(?:pip3?|mim)\s+install\s(?:.*\s)?(?:-r\s*\S|(?:-e\s+)?[\"']?\.(?:[\s\"'\[]|$))|conda\s+env\s+create\b)"
)
_FETCHED = re.compile(
    r"\bgit\s+clone\s[^&;|]*?(?P<url>https?://[^\s&;|`]+?)(?:\.git)?/?(?:\s+(?P<to>[^\s&;|`#-][^\s&;|`#]*))?(?=\s*(?:$|[&;|`#]))"
)
_CONDA_FILE = re.compile(r"^(?:\S*/)?([a-z0-9_.-]+?)-(\d[^-/]*)-([^-/]+)\.(?:tar\.bz2|conda)$")
_FOREIGN = "git+"  # begins the name of a folder that is a copy of another repository
_NO_NAMES = ("required", "packages", "package", "dependencies", "requirements", "everything", "them", "these")
_HEADING = 6  # the deepest level of one
_DEEPEST = 30  # folders
_HIDDEN = re.compile(r"<!--.*?-->")
_HTML = re.compile(r"</?(?:br|p|b|i|em|strong|code|pre|kbd|tt|li|ul|ol|td|tr|div|span|a)\s*/?>", re.IGNORECASE)
# A heading above the description of a computer that somebody has, which asks for nothing.
_OF_MACHINE = re.compile(
    r"#+\s(?=.*(?:hardware|硬件))(?!.*(?:requir|software|prereq|depend|install|软件|要求|需求|安装))", re.IGNORECASE
)
# A heading above what is needed, however that is put.
_OF_NEEDS = re.compile(
    r"#+\s.*(?:requirements?|prerequisites?|dependenc(?:y|ies)|环境(?:要求|依赖)|依赖)\b", re.IGNORECASE
)
# A heading, a label above a block ("macOS (Apple Silicon):") or a comment in one says for which system its lines are.
_IS_LABEL = re.compile(
    r"[^:：]{1,160}[:：][\s*_]*|\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\*\*|__|<summary>)[^*_<]{1,60}\W*(?:summary>)?"
)
_OF_MAC = re.compile(r"\b(?:mac(?:os| ?os ?x)?|osx|apple (?:silicon|m\d)|darwin)\b|苹果", re.IGNORECASE)
_OF_OTHERS = re.compile(r"linux|ubuntu|windows|unix|\bwsl|nvidia|cuda|\bcpu", re.IGNORECASE)


def read_commands(file: str, text: str, found: Findings) -> None:
    """Read pip's and conda's lines, interpreters and imports out of a README or a Dockerfile, as recommendations."""
    values: dict[str, str] = {}
    place, rows = _WorkingFolder(file, found.own, itself_in(text, found.own)), NamedRows(found)
    for number, written in _joined(text):
        where = origin_of(file, number, written)
        if not place.is_prose and _IS_COMMENT.match(written):
            if _TORCH_IN_COMMENT.search(written):
                found.remark("commented", where)
            continue
        before = len(found.statements)
        line = _HIDDEN.sub(" ", written) if place.is_prose else written
        line = _REFERENCE.sub(lambda one: values.get(one[1] or one[3], one["else"] or one[0]), line)
        if default := _DEFAULT.match(line):
            values[default["name"] or default["shell"]] = default["value"] or default["words"]
        if match := _BASE.match(line):
            found.statements.append(Statement(TORCH, f"=={match[1]}", where, RECOMMENDED, build=match[2] or ""))
        if place.is_prose and not place.is_of_machine and not _IS_OF_TOOL.search(line):
            read_words(line[:_MOST_PROSE], where, found, place.is_code, place.is_of_needs)
            rows.add(line[:_MOST_PROSE], where, place.is_code)
        for match in _PIP.finditer(line):
            tokens = _tokens(place.command(match["words"], line))
            if TORCH in tokens and not place.is_prose and _UPGRADES & {*tokens}:
                _upgraded(where, found)
            _pip(tokens, where, found, place.at(line, match.start()), {**place.fetched, **place.fetched_by(line)})
        for match in _CONDA.finditer(line):
            _conda(_tokens(place.command(match["words"], line)), where, found, place.at(line, match.start()))
        _run(line, where, found, place)
        place.after(line)
        found.statements[before:] = [place.marked(one) for one in found.statements[before:]]
    found.name_itself(file, place.is_prose and place.itself)


class _WorkingFolder:
    """Where the commands run, as they go (`cd sub`): below the project, or below a copy of it that they fetch."""

    def __init__(self, file: str, names: Set[str], itself: str) -> None:
        self.file, self.names, self.itself = file, names, itself
        self.is_prose, self.is_script = bool(_IS_PROSE.search(file)), is_script(file)
        self.is_code = False  # between the fences of a README
        self.is_of_machine = self.is_of_needs = False  # below a heading that says so
        self.of_mac = 0  # below a heading of that level, a label or a comment that says so; 0: not
        self.own = file.rpartition("/")[0] if self.is_script else ""  # where a script below is started
        self.parts: list[str] = []
        self.cloned: dict[str, None] = {}  # in their order: the first is the project, as a rule
        self.fetched: dict[str, str] = {}  # repositories, by the folders that they are copied into; "": the project

    def at(self, line: str, position: int) -> str:
        """Return the folder that a command at this place of the line runs in, with a slash; "" for the project's."""
        parts = self._gone(line[:position])
        return f"{'/'.join(parts)}/" if parts else ""

    def after(self, line: str) -> None:
        """Go on to the next line: it begins where this one ended only in a script and within a block of code."""
        self.cloned.update(dict.fromkeys(_CLONED.findall(line)))
        self.fetched |= self.fetched_by(line)
        if self.is_prose:
            self._label(line[:_MOST_PROSE])
        if self.is_prose and not self.is_code and line.startswith("#"):
            self.is_of_machine = bool(_OF_MACHINE.match(line[:_MOST_PROSE]))
            self.is_of_needs = bool(_OF_NEEDS.match(line[:_MOST_PROSE]))
        if self.is_prose and FENCE.match(line):
            self.is_code, self.parts = not self.is_code, []
        elif self.is_script or self.is_code:
            self.parts = self.parts if re.search(r"\(\s*cd\s", line) else self._gone(line)

    def command(self, words: str, line: str) -> str:
        """Return the words of a command without those of the sentence that it stands in."""
        is_said = self.is_prose and not (self.is_code and not _IS_COMMENT.match(line))
        return _SENTENCE.split(words)[0] if is_said else words

    def marked(self, one: Statement) -> Statement:
        """Return what the last line says, for a Mac where that is meant."""
        return replace(one, marker=ON_MAC) if self.of_mac and one.origin.file == self.file else one

    def fetched_by(self, line: str) -> dict[str, str]:
        """Return the repositories that a line fetches, by their folders; "" is the address of the project's own."""
        own = self.itself if self.is_prose else None
        found = {}
        for match in _FETCHED.finditer(line):
            name = match["url"].rpartition("/")[2]
            to = (match["to"] or name).strip("\"'").rstrip("/").removeprefix("./")
            is_own = own in (name, to.rpartition("/")[2]) or normalized(name) in self.names
            found[to] = "" if is_own else match["url"]
        return found

    def _label(self, line: str) -> None:
        level = len(line) - len(line.lstrip("#")) or _HEADING + 1
        is_label = level <= _HEADING or _IS_LABEL.fullmatch(line)
        if self.is_code:
            level = _HEADING + 1 if FENCE.match(line) else _HEADING + 2
            is_label = level == _HEADING + 1 or not line.strip() or _IS_COMMENT.match(line)
        if is_label and _OF_MAC.search(line) and not _OF_OTHERS.search(line):
            self.of_mac = level
        elif is_label and (self.of_mac >= level or _OF_OTHERS.search(line)):
            self.of_mac = 0

    def _gone(self, line: str) -> list[str]:
        parts = list(self.parts)
        cloned, fetched = {*self.cloned} | set(_CLONED.findall(line)), self.fetched | self.fetched_by(line)
        for match in _GOES.finditer(line):
            to = match["to"].strip("\"'").removesuffix(r"\n").replace("\\", "/")  # a line that `echo` writes
            if (copied := _copied(to, fetched)) is not None:
                parts = [part for part in copied.removeprefix("./").split("/") if part != "."]
                parts = [copied] if copied.startswith(_FOREIGN) else parts
                continue
            if re.search(r"[$%~(<{]|^/|^-", to) or to in cloned:  # anywhere, or into a copy of the project
                parts = []
                continue
            for part in to.split("/"):
                parts = parts[:-1] if part == ".." else [*parts, part] if part not in ("", ".") else parts
                if len(parts) > _DEEPEST:
                    return []
        return parts


def _run(line: str, where: FileLine, found: Findings, place: _WorkingFolder) -> None:
    """Read what a line starts: scripts, interpreters and what these import."""
    for match in _STARTED.finditer(line):
        if not (folder := place.at(line, match.start(1))).startswith(_FOREIGN):
            found.include(_below(folder, match[1]), where, STARTED)
    for match in _BUILT.finditer(line):
        _built(place.at(line, match.start()) + match[1] or place.own, where, found)
    for match in _INTERPRETER.finditer(line):
        found.statements.append(Statement(PYTHON, f"=={match[match.lastindex or 0]}.*", where, RECOMMENDED))
    if re.search(r"\bpython[\w.%\"]*\s+-c\s", line, re.IGNORECASE):
        for name in _IMPORTED.findall(line):
            found.statements.append(Statement(normalized(name), "", where, RECOMMENDED, "imported"))


def itself_in(text: str, names: Set[str]) -> str:
    """Return which of the repositories that a README fetches is the project: one that is called so, else the first that
    is no package of the table, before a line that installs from the project's folder; "" where there is none."""
    lines = [line[:_MOST_PROSE] for line in text.split("\n")[:_MOST_LINES]]
    before = takewhile(lambda line: not _INSIDE.match(line), lines)
    fetched, first = (
        [name for line in one if "clone" in line for name in _CLONED.findall(line)] for one in (lines, before)
    )
    others = [name for name in first if companion(normalized(name)) is None]
    return next((name for name in fetched if normalized(name) in names), next(iter(others), ""))


def installs(text: str) -> bool:
    """Return whether a script puts packages in, so that it is a part of the installation."""
    return bool(_INSTALLS.search(text))


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their continuations, cut where nobody reads on."""
    start, parts = 0, list[str]()
    for number, line in enumerate(text.split("\n")[:_MOST_LINES], 1):
        start = start if parts else number
        is_continued = (
            bool(_CONTINUED.search(line))
            and (parts or not _IS_COMMENT.match(line))
            and not line.rstrip().endswith("```")
            and line.count("`") < 2
        )
        parts.append(_CONTINUED.sub("", line) if is_continued else line)
        if is_continued and len(parts) < 200:
            continue
        yield start, " ".join(parts)[:_MOST_LETTERS]
        parts = []


def _tokens(words: str) -> list[str]:
    words = re.sub(r"\\n(?!\w)", " ", _ENDS.split(_HTML.sub(" ", words))[0])
    words = re.sub(r"\\(?=[\w.])", "/", words)  # a path of Windows
    try:
        return shlex.split(words, comments=False, posix=True)
    except ValueError:
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


def _installed(
    token: str, where: FileLine, found: Findings, folder: str, fetched: Mapping[str, str], is_editable: bool
) -> None:
    """`is_editable`: it is a folder, never a name of the index; so is a path in a copy of another repository."""
    is_inner = is_editable or (folder.startswith(_FOREIGN) and is_folder(token) and "/" in token)
    copied = None if folder.startswith(_FOREIGN) else _copied(_below(folder, token), fetched)
    if copied is not None:
        _built(copied, where, found)
    elif (folder and re.match(r"\.{1,2}(?:$|[/\[])", token)) or (is_inner and re.match(r"\w", token)):
        _built(folder + token.partition("[")[0], where, found)
    elif re.match(r"[/~]\w", token):  # anywhere: a copy of a part of the project
        found.include("/".join(normpath(token.partition("[")[0]).split("/")[-2:]), where, BUILT)
    elif folder and not folder.startswith(_FOREIGN) and re.fullmatch(r"[A-Za-z][\w-]+", token):
        found.include(folder + token, where, BESIDE)
    else:
        _named(token.removesuffix(";"), where, found)


def _copied(path: str, fetched: Mapping[str, str]) -> str | None:
    """Return the folder of a copy that a line fetched: below the repository's address, or in the project; None where
    there is no such copy."""
    folder = normpath(path.partition("[")[0])
    to = next((to for to in fetched if f"{folder}/".startswith(f"{to}/")), None)
    if to is None:
        return None
    return f"{_FOREIGN}{fetched[to]}{folder[len(to) :]}" if fetched[to] else f".{folder[len(to) :]}"


def _built(folder: str, where: FileLine, found: Findings) -> None:
    """A part of the project that a line installs from its source, or another repository; the project itself is none."""
    if folder.startswith(_FOREIGN):
        match = re.match(r"git\+https?://[^/]+(?:/[^/]+){2}", folder)
        repository = match[0] if match else folder
        below = folder[len(repository) :].strip("/.")
        name = normalized((below or repository).rpartition("/")[2])
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
        if not silent.remarks or (is_folder(statement.url) and statement.name != "."):
            found.statements.append(replace(statement, strength=RECOMMENDED))


def _conda(tokens: list[str], where: FileLine, found: Findings, folder: str) -> None:
    for token, value in with_values(tokens, conda=True):
        if token in ("-c", "--channel"):
            found.sources.append(AddressLine("channel", value, where, RECOMMENDED))
        elif token in ("-f", "--file"):
            found.include(_below(folder, value), where, "")
        elif not token.startswith("-"):
            statement = conda_statement(_CONDA_FILE.sub(r"\1=\2=\3", token), where)
            if statement and (statement.specifier or statement.name != PYTHON):
                found.statements.append(replace(statement, strength=RECOMMENDED))
