"""Reads what a README, a Dockerfile or an install script tells people to type: pip and conda lines.

These are recommendations: they count where the project's own files say nothing. Two lines for two kinds of computers
are alternatives, not a contradiction. Nothing is run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

from wizard.project.model import (
    PYTHON,
    RECOMMENDED,
    TORCH,
    AddressLine,
    FileLine,
    Findings,
    Statement,
    normalized,
    origin_of,
)
from wizard.project.requirements import conda_statement, requirement, statements_of

STARTED = "started"  # includes a script that a line starts
_MOST_LINES = 20_000
_MOST_LETTERS = 4_000
_MOST_PROSE = 300
_CONTINUED = re.compile(r"[\\^`]\s*$")
_PIP = re.compile(r"\b(?:pip3?(?:\.exe)?|pip3?\.\d+)\s+install\s+(?=(?P<words>.*))")
_CONDA = re.compile(r"\b(?:conda|mamba|micromamba)\s+(?:install|create|env create)\s+(?=(?P<words>.*))")
_ENDS = re.compile(r"\s(?:&&|\|\||\|)\s|\s#\s|;\s*(?:pip|conda|python|cd|then|fi)\b|`")
_SKIPPED_VALUE = ("-n", "--name", "-p", "--prefix", "-t", "--target", "--python", "-b", "--timeout", "--retries")
_CONSTRAINTS = ("-c", "--constraint")
_FILES = ("-r", "--requirement", *_CONSTRAINTS, "-f", "--file")
_INDEXES = {"-i": "index", "--index-url": "index", "--extra-index-url": "index", "--index": "index"}
_INTERPRETER = re.compile(r"\bpython(3\.\d+)\s+-m\b|\bpy\s+-(3\.\d+)\b|/python/(3\.\d+)\.\d+/")
# NVIDIA's own images are numbered by year and month.
_BASE = re.compile(r"^\s*FROM\s+(?!nvcr\.io/)(?:\S*/)?pytorch:(\d+\.\d+(?:\.\d+)?)(?:-(cuda\d+\.\d+))?", re.IGNORECASE)
# Of a Dockerfile or a script; `${NAME:-1.2}` has its own.
_DEFAULT = re.compile(
    r"^\s*(?:(?:ARG|ENV)\s+(?P<name>\w+)[=\s]|(?:export\s+|set\s+)?(?P<shell>[A-Za-z_]\w*)=)"
    r"[\"']?(?P<value>[\w.+:/-]+)[\"']?\s*$"
)
_REFERENCE = re.compile(r"\$\{(\w+)(?::?-(?P<else>[^}]*))?\}|\$(\w+)")
# In words, with a version: "PyTorch 1.7.1", "torch >= 1.4 (1.7 recommended)"; not in a command, a name or an address.
_IN_WORDS = re.compile(
    r"(?:^|[\s(*`_\[])(?:py)?torch\]?(?:\([^)]*\))?[`*_ ]*(?:version|v|[=><~(:-]){0,3}[`*_ ]*v?\d+\.\d+", re.IGNORECASE
)
_IS_PROSE = re.compile(r"(?:readme|\.md|\.rst|\.txt)$", re.IGNORECASE)
_IS_COMMAND = re.compile(r"\binstall\s|\bdocker\s|error|mac|apple", re.IGNORECASE)
_STARTED = re.compile(r"(?:^|[\s;&`(])(?:(?:bash|sh|zsh|source|\.)\s+(?:-\w+\s+)*|(?=\./))([\w./-]+\.(?:sh|bash))\b")
_INSTALLS = re.compile(r"\b(?:pip3?|conda|mamba)\s+(?:install|create)\b")
_IS_COMMENT = re.compile(r"\s*(?:#|::|rem\s)", re.IGNORECASE)
_TORCH_IN_COMMENT = re.compile(r"\binstall\s.*\b(?:py)?torch\s*=", re.IGNORECASE)
_IMPORTED = re.compile(r"\bimport\s+([A-Za-z_][A-Za-z0-9_]*)")
_GOES = re.compile(r"(?:^|[\s;&|(`])(?:cd|pushd)[ \t]+(?P<to>\"[^\"]*\"|'[^']*'|[^\s;&|)`]+)")
_CLONED = re.compile(r"\bgit\s+clone\s[^&;|]*?([\w.-]+?)(?:\.git)?/?(?=\s*(?:$|[&;|`]))")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_KEEPS_FOLDER = re.compile(r"\.(?:sh|bash|bat|cmd|ps1)$", re.IGNORECASE)  # from line to line


def read_commands(file: str, text: str, found: Findings) -> None:
    """Read pip's and conda's lines, interpreters and imports out of a README or a Dockerfile, as recommendations."""
    values: dict[str, str] = {}
    place = _WorkingFolder(file)
    for number, written in _joined(text):
        where = origin_of(file, number, written)
        if not place.is_prose and _IS_COMMENT.match(written):
            if _TORCH_IN_COMMENT.search(written):
                found.remark("commented", where)
            continue
        line = _REFERENCE.sub(lambda one: values.get(one[1] or one[3], one["else"] or one[0]), written)
        if default := _DEFAULT.match(line):
            values[default["name"] or default["shell"]] = default["value"]
        if match := _BASE.match(line):
            found.statements.append(Statement(TORCH, f"=={match[1]}", where, RECOMMENDED, build=match[2] or ""))
        if place.is_prose and _IN_WORDS.search(line[:_MOST_PROSE]) and not _IS_COMMAND.search(line):
            found.remark("in-words", where)
        for match in _PIP.finditer(line):
            _pip(_tokens(match["words"]), where, found, place.at(line, match.start()))
        for match in _CONDA.finditer(line):
            _conda(_tokens(match["words"]), where, found, place.at(line, match.start()))
        place.after(line)
        _run(line, where, found)


class _WorkingFolder:
    """Where the commands run, as they go (`cd sub`): below the project, or below a copy of it that they fetch."""

    def __init__(self, file: str) -> None:
        self.is_prose, self.is_script = bool(_IS_PROSE.search(file)), bool(_KEEPS_FOLDER.search(file))
        self.is_code = False  # between the fences of a README
        self.parts: list[str] = []
        self.cloned: set[str] = set()

    def at(self, line: str, position: int) -> str:
        """Return the folder that a command at this place of the line runs in, with a slash; "" for the project's."""
        parts = self._gone(line[:position])
        return f"{'/'.join(parts)}/" if parts else ""

    def after(self, line: str) -> None:
        """Go on to the next line: it begins where this one ended only in a script and within a block of code."""
        self.cloned |= set(_CLONED.findall(line))
        if self.is_prose and _FENCE.match(line):
            self.is_code, self.parts = not self.is_code, []
        elif self.is_script or self.is_code:
            self.parts = self.parts if re.search(r"\(\s*cd\s", line) else self._gone(line)

    def _gone(self, line: str) -> list[str]:
        parts = list(self.parts)
        cloned = self.cloned | set(_CLONED.findall(line))
        for match in _GOES.finditer(line):
            to = match["to"].strip("\"'").replace("\\", "/")
            if re.search(r"[$%~(<{]|^/|^-", to) or to in cloned:  # anywhere, or into a copy of the project
                parts = []
                continue
            for part in to.split("/"):
                parts = parts[:-1] if part == ".." else [*parts, part] if part not in ("", ".") else parts
        return parts


def _run(line: str, where: FileLine, found: Findings) -> None:
    """Read what a line starts: scripts, interpreters and what these import."""
    for match in _STARTED.finditer(line):
        found.include(match[1], where, STARTED)
    for match in _INTERPRETER.finditer(line):
        version = match[1] or match[2] or match[3]
        found.statements.append(Statement(PYTHON, f"=={version}.*", where, RECOMMENDED))
    if re.search(r"\bpython[\w.%\"]*\s+-c\s", line, re.IGNORECASE):
        for name in _IMPORTED.findall(line):
            found.statements.append(Statement(normalized(name), "", where, RECOMMENDED, "imported"))


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
    words = re.sub(r"\\n(?!\w)", " ", _ENDS.split(words)[0])
    words = re.sub(r"\\(?=[\w.])", "/", words)  # a path of Windows
    try:
        return shlex.split(words, comments=False, posix=True)
    except ValueError:
        return [token.strip("\"'").removesuffix('")') for token in words.split()]


def _pip(tokens: list[str], where: FileLine, found: Findings, folder: str) -> None:
    for token, value in _with_values(tokens):
        if token in ("-f", "--find-links"):
            found.sources.append(AddressLine("find-links", value, where, RECOMMENDED))
        elif token in _INDEXES:
            found.sources.append(AddressLine(_INDEXES[token], value, where, RECOMMENDED))
        elif token in _FILES:
            found.include(_below(folder, value), where, "constraint" if token in _CONSTRAINTS else "")
        elif not token.startswith("-"):
            _named(token, where, found)


def _below(folder: str, name: str) -> str:
    return name if re.match(r"/|[a-z+]+://", name) else folder + name


def _named(token: str, where: FileLine, found: Findings) -> None:
    if re.search(r"[$%{}<>]", token.split("==")[0]) and not re.match(r"[\w.\[\],-]+\s*[<>]=?", token):
        return
    one = requirement(token, where)
    silent = Findings()
    for statement in [one] if one else statements_of(token, where, silent):
        if not silent.remarks:
            found.statements.append(replace(statement, strength=RECOMMENDED))


def _conda(tokens: list[str], where: FileLine, found: Findings, folder: str) -> None:
    for token, value in _with_values(tokens, conda=True):
        if token in ("-c", "--channel"):
            found.sources.append(AddressLine("channel", value, where, RECOMMENDED))
        elif token in ("-f", "--file"):
            found.include(_below(folder, value), where, "")
        elif not token.startswith("-"):
            statement = conda_statement(token, where)
            if statement and (statement.specifier or statement.name != PYTHON):
                found.statements.append(replace(statement, strength=RECOMMENDED))


def _with_values(tokens: list[str], conda: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each token; an option that takes a value with it."""
    rest = iter(tokens)
    for token in rest:
        name, equals, value = token.partition("=") if token.startswith("--") else (token, "", "")
        takes = name in _SKIPPED_VALUE or name in _FILES or name in _INDEXES or name in ("--find-links", "--channel")
        takes = takes or (conda and name == "-c")
        if takes:
            value = value if equals else next(rest, "")
        if name not in _SKIPPED_VALUE:
            yield name, value
