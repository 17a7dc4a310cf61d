"""Reads what a README has for one system alone: another branch or repository of the project, and the programs that its
commands install in the way of one system.

Which programs these are, and how each system calls them, are rows (`system_program`) of `matrices/companions.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise, takewhile

from wizard.model.messages import Message, message
from wizard.project.formats.requirements import FENCE
from wizard.project.formats.words import LONGEST, NO_WINDOWS, SENTENCE, WINDOWS_ALONE, below_headings
from wizard.project.model import (
    DECORATED,
    MADE_FOR,
    RECOMMENDED,
    FileLine,
    Statement,
    cut_between,
    normalized,
    origin_of,
)
from wizard.project.packages.companions import companion
from wizard.project.packages.rows import companion_table
from wizard.project.packages.system_rows import SystemProgram

OTHER_BRANCH = (
    "__branch"  # a name that no package has: the line that names another branch, for the system of its marker
)
PROGRAMS = "__programs"  # the same of programs, which are its extras
SENTENCE_NAMES, SCRIPT = (
    "sentence",
    "script",
)  # builds of programs: a README's words, a script of Linux's that it starts
SHELL = "shell"  # the group of what is done by a script of Linux's shell
WSL = "wsl"  # the same of a sentence that sends people on Windows there
_IN_WSL = r"(?:wsl ?2?|windows subsystem for linux)\b"
# "If you are on Windows, it is recommended to use WSL"; below a heading on Windows without the system's name.
_SENDS_TO_WSL = re.compile(
    r"\b(?:recommend\w*|advised?|requires?|required|needs?|must|only|please|use|using|via|through|should)\b"
    rf"[^.!?]{{0,60}}\b{_IN_WSL}|\bwindows ?\+ ?{_IN_WSL}",
    re.IGNORECASE,
)
_IS_ON_WINDOWS = re.compile(r"\bwindows\b(?! subsystem)", re.IGNORECASE)
_IS_CHOICE = re.compile(
    r"\b(?:also|alternatively|optional(?:ly)?|either|or|and|not|without|tested|issues?|bugs?|errors?|fail\w*|fix\w*)\b"
    r"|n't\b",
    re.IGNORECASE,
)
# A step of a block of code that runs a script of Linux's shell, by its name one that sets something up.
_SHELL_STEP = re.compile(
    r"(?:^|&&|;)\s*[$>]?\s*(?:(?:bash|sh|zsh|source|\.)\s+(?:-\w+\s+)*|(?=\./))"
    r"(?P<script>[\w./-]*(?:install|setup|build|compile|env)[\w-]*\.(?:sh|bash))\b",
    re.IGNORECASE,
)
_MARKERS = {"windows": WINDOWS_ALONE, "linux": NO_WINDOWS}
_SYSTEMS = {"windows": r"windows(?: ?(?:10|11))?", "linux": r"(?:linux|ubuntu)"}
_MEANT = {
    system: re.compile(
        rf"\b(?:for|on|under|using) (?:native )?{words}\b|\b{words} (?:users?|version|support|port|branch|fork)\b"
        rf"|^[\W\d]*{words}\b(?= ?[:：-])",
        re.IGNORECASE,
    )
    for system, words in _SYSTEMS.items()
}
_BRANCH = re.compile(r"\bbranch\b|分支", re.IGNORECASE)
_OF_OTHER = re.compile(r"\b(?:branch|fork) of (?!(?:this|the|our) (?:project|repo)|it\b)", re.IGNORECASE)
_DIRECTS = re.compile(
    r"\b(?:use|see|check ?out|switch|go to|refer|try|visit|clone|available|find|look at|supports?|moved?)\b|[:：]"
    r"|请|使用|参考",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:main|master|default|this|current|same) branch\b|\bnot\b|n't\b|\bmerge|\bbug\b|\bfix|\bissues?\b|/pull/",
    re.IGNORECASE,
)
_REPOSITORY = re.compile(r"https?://(?:github|gitlab|gitee)\.com/[\w.-]+/([\w.-]+?)(?:\.git)?(?=[/)\s\"'#.,]|$)")
_SYSTEM_WORD = re.compile(r"[-_.]?(?:for[-_.])?(?:windows|win|linux)[-_.]?", re.IGNORECASE)
# A command that takes a branch called after a system.
_TAKES_BRANCH = re.compile(
    r"\bgit\s+(?:(?:checkout|switch)\s+(?:-\S+\s+)*|clone\s[^&;|]*?(?:-b|--branch)[\s=])[\w./-]*?"
    r"(?<![a-z])(?P<system>windows|linux)(?![a-z])",
    re.IGNORECASE,
)
_INSTALLS = re.compile(
    r"\b(?P<tool>apt(?:-get)?|yum|dnf|pacman|zypper|brew|choco|winget|scoop)\s+(?:-\S+\s+)*(?:install|-S\w*)\s+(?P<words>[^&;|`#]+)"
)
_LIBRARY = re.compile(r"(?<!\S)(?:lib[a-z0-9][\w.+-]*|[a-z0-9][\w.+-]*-dev(?:el)?)(?!\S)")
_MOST_LINES = 40  # of one command
_MOST_TOLD = 20  # lines of one text
_OF_WINDOWS = ("choco", "winget", "scoop")
_OF_MAC = ("brew",)
_WINDOWS = re.compile(r"windows|winget|choco|scoop", re.IGNORECASE)
# A call that starts a program, or a list of words that is given a name for one.
_STARTS = (
    r"(?:(?:\brun|\bcall|Popen|check_call|check_output|\bsystem|\bwhich)\(\s{0,80}\[?"
    r"|\b(?:cmd|command|args|call)\w{0,20} ?= ?\[)\s{0,80}[rf]?[\"']"
)


def other_branches(file: str, text: str, own: Collection[str]) -> list[Statement]:
    """Return the first line for each system that goes to another branch, or to another repository of this project,
    whose names are `own`. One for a package is none."""
    found, is_code = dict[str, Statement](), False
    for number, line in enumerate(text.split("\n"), 1):
        is_code ^= bool(FENCE.match(line))
        taken = _TAKES_BRANCH.search(line[:LONGEST])
        systems = [taken["system"].lower()] if taken else []
        for one in () if is_code else SENTENCE.split(line[:LONGEST]):
            meant = [system for system, words in _MEANT.items() if words.search(one)]
            systems += meant if len(meant) == 1 and _goes_elsewhere(one, own) else []
        for system in systems:
            where = origin_of(file, number, line)
            found.setdefault(system, Statement(OTHER_BRANCH, "", where, RECOMMENDED, "systems", _MARKERS[system]))
    return list(found.values())


def wsl_in_words(file: str, text: str) -> list[Statement]:
    """Return the first line that sends people on Windows to WSL, as the way to run the project and no choice."""
    for number, line, above in below_headings(text):
        for one in SENTENCE.split(line[:LONGEST]):
            words = re.sub(r"\]\(\S*\)|\[", " ", one)
            words = DECORATED.sub(" ", words)
            is_meant = _IS_ON_WINDOWS.search(words) or _IS_ON_WINDOWS.search(above)
            if is_meant and _SENDS_TO_WSL.search(words) and not _IS_CHOICE.search(words):
                return [Statement(MADE_FOR, "", origin_of(file, number, line), RECOMMENDED, WSL, NO_WINDOWS)]
    return []


def _goes_elsewhere(sentence: str, own: Collection[str]) -> bool:
    if _DENIES.search(sentence) or not _DIRECTS.search(sentence):
        return False
    names = {normalized(_SYSTEM_WORD.sub("", name)) for name in _REPOSITORY.findall(sentence)}
    renamed = {normalized(name) for name in _REPOSITORY.findall(sentence)} - {*own}
    of_package = any(companion(normalized(word)) for word in re.findall(r"[A-Za-z][\w-]+", sentence))
    of_other = of_package or _OF_OTHER.search(sentence) or ("/tree/" not in sentence and not names <= {*own})
    is_branch = _BRANCH.search(sentence) and not of_other
    return bool(is_branch or (renamed and names & {*own}))


def programs_of_one_system(file: str, text: str) -> list[Statement]:
    """Return the lines that install programs in the way of one system: for that one, with their tool as what is local,
    and for the others as far as no line has them there."""
    lines = [(number, line, match) for number, line, match in _installing(text)]
    told = [line for line in text.split("\n") if _WINDOWS.search(line)]
    said, found = set[tuple[str, str]](), []
    ways = [(_system_of(match["tool"]), [*_programs_in(match["words"])]) for _, _, match in lines]
    having = {(system, row.name) for system, rows in ways for row in rows}
    having |= {("windows", row.name) for row in _programs_in(" ".join(told))}
    for (number, line, match), (system, rows) in zip(lines, ways, strict=True):
        for of, marker in _MARKERS.items():
            names = [row.name for row in rows]
            tool, known = (match["tool"], set[tuple[str, str]]()) if of == system else ("", having)
            of_rows = {word for row in rows for word in row.words}
            names += [one for one in _LIBRARY.findall(match["words"]) if of == system and one not in of_rows]
            left = [name for name in dict.fromkeys(names) if (of, name) not in known and (of, name) not in said]
            said |= {(of, name) for name in left}
            if left:
                where = origin_of(file, number, line)
                found.append(Statement(PROGRAMS, "", where, RECOMMENDED, "systems", marker, tool, extras=tuple(left)))
    return found[:_MOST_TOLD]


def programs_in_code(files: Iterable[tuple[str, str]], told: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the first line of code that starts each of these programs, where no README has it."""
    left = {word: row for row in companion_table().system_program for word in row.started}
    for one in told:
        left = {word: row for word, row in left.items() if row.name not in one.extras}
    for file, text in files:
        if not left:
            return
        starts = re.compile(rf"{_STARTS}({'|'.join(map(re.escape, left))})(?=[\s\"'])")
        for match in starts.finditer(text):
            begins = text.rfind("\n", 0, match.start(1)) + 1
            line = text[begins : begins + LONGEST].partition("\n")[0] if match[1] in left else ""
            if line and not line.lstrip().startswith("#"):
                number, name = text.count("\n", 0, begins) + 1, left[match[1]].name
                yield Statement(PROGRAMS, "", origin_of(file, number, line), RECOMMENDED, "systems", extras=(name,))
                left = {word: row for word, row in left.items() if row.name != name}


def _installing(text: str) -> Iterator[tuple[int, str, re.Match[str]]]:
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        further = takewhile(
            lambda one: one[0].rstrip().endswith("\\"), pairwise(lines[number - 1 : number + _MOST_LINES])
        )
        whole = " ".join([line.rstrip("\\ "), *(after.rstrip("\\ ") for _, after in further)])
        for match in _INSTALLS.finditer(whole[: 4 * LONGEST]):
            if match.start() < len(line):  # those of the lines that it goes on in come by themselves
                yield number, line, match


def _system_of(tool: str) -> str:
    return "windows" if tool in _OF_WINDOWS else "mac" if tool in _OF_MAC else "linux"


def _programs_in(words: str) -> Iterator[SystemProgram]:
    named = {word.strip(".,()[]\"'").lower() for word in words.split()}
    return (row for row in companion_table().system_program if named & {*row.words})


def of_this_system(one: Statement, os: str) -> Iterator[Message]:
    """Yield what such a line means on this system."""
    place: FileLine = one.origin
    where: dict[str, str | int] = {"file": place.file, "line": place.line, "text": place.text}
    rows = [row for row in companion_table().system_program if row.name in one.extras]
    words = [f"{row.name} ({row.way_on(os)})" for row in rows if row.way_on(os)]
    if one.name == OTHER_BRANCH:
        yield message(
            "project.remark.other-branch",
            "{file}, line {line}, names another branch or repository for this system (“{text}”). If that is not what "
            "lies here, open that one as the project.",
            **where,
        )
    elif one.build == SCRIPT:
        code = "shell-script-with" if words else "shell-script"
        yield message(f"project.remark.{code}", **where, programs=", ".join(words))
    elif one.build == SENTENCE_NAMES:
        if words:
            yield message("project.remark.programs-said", **where, programs=", ".join(words))
    elif one.local:
        yield message(
            "project.remark.programs-here",
            "{file}, line {line}, installs programs of the system, which a setup does not (“{text}”): {programs}. "
            "Install them so, if they are not there.",
            **where,
            programs=cut_between([*one.extras]),
        )
    elif one.marker and words:
        yield message(
            "project.remark.programs-elsewhere",
            "{file}, line {line}, installs programs in the way of another system (“{text}”). Here it is: {programs}.",
            **where,
            programs=", ".join(words),
        )
    elif words and not one.marker:
        yield message(
            "project.remark.programs-started",
            "{file}, line {line}, starts a program that no package brings: {programs}. Install it, if it is not there.",
            **where,
            programs=", ".join(words),
        )


def of_unix(one: Statement) -> Iterator[Message]:
    """Yield what such a line means on the system that lacks what it names: Windows, but for a lock."""
    place = one.origin
    where: dict[str, str | int] = {"file": place.file, "line": place.line, "text": place.text}
    where["names"] = cut_between([*one.extras])
    if one.group == "module":
        yield message(
            "project.remark.unix-module",
            "Programs import at their top what Python has on Linux and macOS alone: {names}. They do not start here. "
            "Use WSL for them.",
            **where,
        )
    elif one.group == "setting":
        yield message(
            "project.remark.unix-setting",
            "{file}, line {line}, sets {names}, a way to draw that Windows has not: what draws fails here. Take that "
            "line out, or use WSL.",
            **where,
        )
    elif one.group == "lock":
        yield message(
            "project.remark.unix-lock",
            "{file}, line {line}: the lock has neither a wheel for Windows nor a source of {names}, which the project "
            "needs. Use WSL, or leave out what needs it.",
            **where,
        )
    elif one.group == "lock-linux":
        yield message(
            "project.remark.lock-without-linux",
            "{file}, line {line}: the lock has neither a wheel for Linux nor a source of {names}, which the project "
            "needs. A setup takes another release or leaves it out, and names it; leave out what needs it, if you can.",
            **where,
        )
    else:
        yield message(
            "project.remark.unix-backend",
            "{file}, line {line}, has torch.distributed work by {names}, which torch's builds for Windows lack: what "
            "gets to that line fails here. Write gloo in its place, or use WSL.",
            **where,
        )


def shell_step(file: str, text: str, scripts: Callable[[str], Collection[str]]) -> list[Statement]:
    """Return the first step of setting up that is a script of Linux's shell; `scripts`: the files that one's name may
    mean."""
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        is_code ^= bool(FENCE.match(line))
        match = _SHELL_STEP.search(line[:LONGEST]) if is_code else None
        if match and scripts(match["script"]):
            return [Statement(MADE_FOR, "", origin_of(file, number, line), RECOMMENDED, SHELL, NO_WINDOWS)]
    return []
