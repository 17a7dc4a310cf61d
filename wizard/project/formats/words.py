"""Reads the versions that a README names in words or in a list: "tested with Python 3.10", "* PyTorch 1.11".

What is read here counts last: where no file and no command has a version. Commands are the neighbour's matter.
One file: the words of a sentence, each beside the one function that asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wizard.compatibility.data.ordering import version_key
from wizard.project.file_choice import names_other_maker
from wizard.project.formats.requirements import requirement
from wizard.project.model import (
    DECLARED,
    DECORATED,
    LOCKED,
    MADE_FOR,
    PYTHON,
    RECOMMENDED,
    TORCH,
    WAY_ROUND,
    FileLine,
    Findings,
    Statement,
    is_commented,
    normalized,
    origin_of,
    showing,
)
from wizard.project.packages.companions import companion
from wizard.project.versions import python_meets

NO_WINDOWS, WINDOWS_ALONE = 'sys_platform != "win32"', 'sys_platform == "win32"'
IN_WORDS = "in words"  # the group of what no command installs
# After a version: "or newer", as READMEs of several languages have it.
_JOINED = "and|or|及|y|o|ou|e|et|oder|und|и|или"
_OR_NEWER = (
    r"later|newer|above|higher|up(?:wards)?\b|以上|更高|以降|이상|superior(?:es?)?\b|posterior(?:es)?\b|sup[ée]rieure?s?\b"
    r"|plus(?: r[ée]cente?s?)?\b|más\b|più\b|höher|neuer\b|выше|новее"
)
# In words, with a version: "PyTorch 1.7.1", "torch >= 1.4 (1.7 recommended)"; not in a command, a name or an address.
_IN_WORDS = re.compile(
    r"(?:^(?: ?--)?|(?<=[\s(,/，：、（\[]))(?P<name>(?:py)?torch|python|cuda(?:[ -]?toolkit)?)(?![\w-])"
    r"\]?(?:\([^)]*\))? ?(?:versions?|v)?(?: (?:is|are|must be|should be))?(?: between)? ?:? ?"
    r"(?P<sign>[=><~≥(-]{0,2}) ?v?(?P<version>\d+\.\d+(?:\.\d+)?)"
    r"(?P<more>(?: ?(?:(?:,|/|-|–|~|or|and|to|through) ?|(?:-|–|~|to|through) ?(?P=name) ?)\d+\.\d+(?:\.\d+)?)*)"
    rf"(?P<tail>\+(?!\w)| ?[()]? ?(?:{_JOINED})? ?(?:{_OR_NEWER}))?",
    re.IGNORECASE,
)
# A line that says what is needed, and not what is new: an entry of a list or a table, or a sentence with such words.
# "2. Install [PyTorch 2.0](…)" is one, too.
_IS_ENTRY = re.compile(
    r"\s*(?:--|[-*+•>|]|\d+[.)])?[\s|`*_\[]*(?:(?:please |first,? )?(?:install|download|use)\s+[`*_\[]*)?"
    r"(?:(?:py)?torch|python|cuda)\b",
    re.IGNORECASE,
)
_IS_NEED = re.compile(
    r"\b(?:tested|tried|developed|requires?|requirements?|prerequisites?|needs?|dependenc(?:y|ies)|implemented|compatible"
    r"|installs? with|env(?:ironment)? (?:with|using)"
    r"|we (?:\w+ )?used? [`*_\[]*(?:py)?torch|must be|(?:make sure|ensure)|used in (?:this|our|the))\b"
    r"|(?:所需|运行|实验|开发|测试)环境|环境(?:要求|配置|依赖)|依赖|测试|需要|要求",
    re.IGNORECASE,
)
_IS_NEWS = re.compile(
    r"\bnot?\b|incompatible|n't\b|\bsince\b|deprecat|legacy|\badd(?:s|ed)?\b|releas|\bfix|updat|migrat|upgrad|\bbug|branch|shields\.io|faster"
    r"|speed|benchmark|instead|issue|before|until|drop|if you|e\.g\.|for example",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*_])|(?<=[。！？])")
WINDOWS = re.compile(r"windows|\bwsl|\bwin(?:10|11|32|64)?\b|\.bat\b|powershell|anaconda prompt", re.IGNORECASE)
_LINUX = re.compile(r"\b(?:linux|ubuntu|debian|centos)\b", re.IGNORECASE)
_LINUX_ALONE = re.compile(
    r"\b(?:only|exclusively)(?: been)?(?: (?:fully|officially|tested|tried|developed|supports?|supported|works?|runs?"
    r"|verified|on|with|for|under|in|compatible|available|the|a|machines?|systems?|environments?))* (?:linux|ubuntu)\b"
    r"|\blinux(?: systems?| machines?)?(?: is| are)? only\b|仅(?:在|支持)? ?linux",
    re.IGNORECASE,
)
_LINUX_MACHINE = re.compile(
    r"\b(?:install|set ?up)\b[^.]*\bon an? (?:linux|ubuntu)(?: [\d.]+)? (?:machine|system|computer|server|pc|host)\b"
    r"|\b(?:usable|works?|runs?|supported|available) (?:on|under) (?:linux|ubuntu)(?:,? (?:and|or|&) |/)mac",
    re.IGNORECASE,
)
# A sentence against Windows, of the whole: "Native Windows is not supported", "impossible to train on Windows".
_NO_WINDOWS = re.compile(
    r"(?:^|\bnative |, )windows (?:systems? |support )?(?:is|are)(?: not|n't) (?:\w+ )?(?:supported|available)\b"
    r"|^ ?(?:[-*+•] ?|\d+[.)] ?)?win(?:dows)?(?: \+ \w+)? ?\((?:not|un) ?supported\)"
    r"|\b(?:(?:not|n't) (?:\w+ )?(?:work|run|support|supported|tested|compatible)|impossible|difficult|no support)\b"
    r"(?: (?:to|it|this|and|or|make|get|run|use|train|training|inference|work|running|on|for|under|with))*"
    r" (?:native )?windows\b",
    re.IGNORECASE,
)
IS_UNDERLINE = re.compile(r"([=\-~^\"*+])\1{2,}\s*")  # of reStructuredText's headings
_IS_OPTION = re.compile(r"[\s|`]*(?:-\w,?\s+)?--\w")  # of a program, and what it does
# An entry of a list that has a system alone: "- Linux x86_64", "* OS: Ubuntu 20.04+", "- Linux (Debian) or WSL2".
_IS_SYSTEM = re.compile(
    r" ?(?:[-*+•]|\d+[.)]) ?(?:(?:os|operating systems?|systems?|platforms?) ?[:：]? ?)?(?:an? )?(?:64-bit )?"
    r"(?:linux|ubuntu|debian|centos)[ ,:/()&≥>=\d.+-]*"
    r"(?:(?:x86 64|amd64|bits?|architectures?|lts|or|and|later|newer|above|higher|linux|ubuntu|debian|centos"
    r"|mac ?os|wsl)[ ,/()\d.+-]*){0,8}(?:with python[ \d.≥>=+]*)?(?:,? ?\([^()]{1,100}\))?[ .]*",
    re.IGNORECASE,
)
_IS_IN_WSL = re.compile(r"\bor wsl ?2?\b", re.IGNORECASE)
# What is for some of its users, or what its authors happen to have.
_IS_OF_SOME = re.compile(r"\b(?:linux|ubuntu)[- ]users\b|\busers? (?:on|of|with|under) (?:linux|ubuntu)", re.IGNORECASE)
_HAS_WINDOWS = re.compile(r"(?:^|\. )[^.]*\bsupports?\b(?:(?!not?\b|n't\b)[^.])*\bwindows\b", re.IGNORECASE)
# One of several ways, or what no start of the project needs.
_IS_OF_PART = re.compile(
    r"^ ?#* ?or\b|\b(?:demos?|examples?|benchmarks?|tutorials?)\b[^.]*[(（](?:linux|ubuntu)[ -]only", re.IGNORECASE
)
_IS_AUTHORS = re.compile(
    r"for reference|(?<!install )\b(?:our|my)(?: own)? (?:\w+ ){0,2}(?:machine|computer|pc|server|workstation"
    r"|environment|hardware|set-?up|config(?:uration)?)\b|供参考|本人|我的",
    re.IGNORECASE,
)
# A step of a list, with what stands indented below it; one that says what is needed is none.
_IS_STEP = re.compile(
    r"\s*\d+[.)]\s+[`*_]*(?:\(?optional\)?:? )?(?:install|build|compile|set ?up|download|add|run)\b", re.IGNORECASE
)
_IS_CONDITION = re.compile(r"\b(?:if|when|unless|fix(?:es|ed)?|bug|issue|error)\b", re.IGNORECASE)
# What to do where a package cannot be had: "for GPUs that do not support flash-attn, install xformers".
_IS_LACKED = re.compile(
    r"(?:not support|n't (?:support|have|use|install)|not (?:have|use|install)|without|instead of|unable to \w+"
    r"|cannot \w+|fail(?:s|ed)? to (?:install|build)|(?:trouble|problems?|issues?) (?:installing|building|with))"
    r" (?:(?:the|installing|using) )?(?P<after>[\w-]+)"
    r"|(?<![\w./-])(?P<before>[A-Za-z][\w-]+) (?:(?:is|are)(?: not|n't)|does(?: not|n't)|cannot|fails)(?= \w)",
    re.IGNORECASE,
)
_IS_ADVICE = re.compile(
    r"\b(?:install|use|set|switch|remove|replace|fall ?back|disable|pass|add|choose)\b", re.IGNORECASE
)
_IS_TRIED = re.compile(r"\b(?:tested|tried|developed|requires?|compatible)\b|测试|要求", re.IGNORECASE)
_AT_LEAST = re.compile(r"\b(?:at least|minimum(?: of)?|min\.?)[\s:]*$", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:up to|at most|maximum(?: of)?|max\.?|no(?:t|thing)? newer than)[\s:]*$", re.IGNORECASE)
_FOR_ONE_CASE = re.compile(r"[(（](?:for|if|when)\b[^)）]*$", re.IGNORECASE)  # "(for openMM, use Python 3.9)"
LONGEST = 300  # characters of a line that is read
_MOST_PYTHONS = 50  # comments with nothing but one
# A comment that has nothing but the Python of all lines.
_PYTHON_ALONE = re.compile(
    r"[ \t]*#+[ \t]*(?:(?:tested|developed|works?|made|built|requires?|needs?|use)(?: (?:on|with|in|under|for))?:? )?"
    r"python ?(?:versions?)? ?:?(?: ?[=<>~]=?)? ?\d\.\d+(?:\.\d+)?\+?(?: ?,? ?(?:<|<=) ?\d\.\d+)?"
    rf"(?: (?:{_JOINED}|{_OR_NEWER}|environment|env|is|required|recommended|only))*[ \t.]*$",
    re.IGNORECASE,
)
_PIN_IN_WORDS = re.compile(r"(?<![\w./=-])[A-Za-z][\w.-]*(?:\[[\w,-]+\])?==\d+(?:\.\w+)*")
# A sentence or an entry that has a package installed, with the address of its repository.
_INSTALLED_LINK = re.compile(
    r"(?:^[\s\d.)*+-]*|[.;] )(?:please |first,? |then |and |you (?:need|have) to )*(?:install|build|compile)(?:ing)?\s"
    r"(?:\S+ ){0,4}?\[`?(?P<name>[\w-]+)`?\]\(https?://github\.com/[\w.-]+/[\w.-]+",
    re.IGNORECASE,
)
_GLUED = re.compile(  # "* pytorch1.2.0"
    r"^(?P<before>\s*[-*+•]\s+[`*_]*[A-Za-z][\w-]*[A-Za-z])(?P<version>\d+\.\d+(?:\.\d+)*)(?=[`*_]*\s*$)"
)
_GLUED_PYTHON = re.compile(r"(?<![\w./-])(python)(?=3\.\d)", re.IGNORECASE)  # "* Python3.6.x is used"
_PAIRS = ("torchvision", "torchaudio")
_PAIR_IN_WORDS = re.compile(r"(?<![\w-])(torchvision|torchaudio) v?(\d+\.\d+\.\d+)", re.IGNORECASE)
_RELEASE_IN_WORDS = re.compile(r"(?<![\w./-])([A-Za-z][\w-]*) v?([0-9]{1,9}(?:\.[0-9]{1,9})+)(?![\w.-]*\w)")
_NAMES_IN_WORDS = {"python": PYTHON, "torch": TORCH, "pytorch": TORCH}  # the rest is CUDA
_TOOLKIT = "cudatoolkit"
_CUDA = re.compile(r"/(?:cu\d{2,3}|cpu)(?:/|$)")
_IS_COMMAND = re.compile(
    r"\b(?:pip3?|conda|mamba|brew|apt|apt-get) install\s"
    r"|\binstall\s(?!with\b|instruction|guide|note|page|step|[`*_\[]*py(?:torch|thon)\b)|\bdocker\s(?!\d)|error|mac|apple",
    re.IGNORECASE,
)


def apart(line: str) -> str:
    """Return an entry of a list that has nothing but a name and its version with a blank between them."""
    return _GLUED.sub(r"\g<before> \g<version>", line)


def read_words(line: str, where: FileLine, found: Findings, is_code: bool, is_of_needs: bool = False) -> None:
    """Note the versions that a sentence or a list names: of torch at least as a remark. Code has no sentences.
    `is_of_needs`: it stands below a heading that says that these are needed."""
    line = line if is_code else _GLUED_PYTHON.sub(r"\1 ", line)
    entry = line.lstrip("# ") if is_code else line  # a comment says what the next line brings
    naming = [one for one in SENTENCE.split(line) if _IN_WORDS.search(DECORATED.sub(" ", one))] or [line]
    where = origin_of(where.file, where.line, " ".join(naming)) if where.text.endswith("…") else where  # as it is read
    is_news = bool(_IS_NEWS.search(" ".join(naming)))
    is_need = bool(_IS_ENTRY.match(entry) or (not is_code and _IS_NEED.search(line))) and not is_news
    is_need |= not is_code and (is_of_needs or _is_environment(line)) and not is_news
    is_command = bool(_IS_COMMAND.search(" ".join(naming)))
    if not is_code and (link := _INSTALLED_LINK.search(line)) and companion(normalized(link["name"])):
        found.told.append(Statement(normalized(link["name"]), "", where, RECOMMENDED))
    for match in _IN_WORDS.finditer(DECORATED.sub(" ", line)):
        name, before = _NAMES_IN_WORDS.get(match["name"].lower(), _TOOLKIT), match.string[: match.start()]
        is_most = name == TORCH and bool(_AT_MOST.search(before))
        if (is_command and name != PYTHON and not is_most) or _FOR_ONE_CASE.search(before):
            continue
        specifier = _specifier_in_words(match, name)
        if _AT_LEAST.search(before) and not specifier.startswith("<"):
            specifier = f">={match['version']}" if specifier else ""
        if is_most:  # of a comment in a block, too, above the command that it is about
            specifier = _newest_in_words(match["version"])
        at = showing(where, naming, match[0])
        if name == TORCH and (not specifier.startswith(">") or "<" in specifier):
            found.remark("in-words", at)
        if specifier and (is_need or (is_most and not is_news)):
            found.told.append(Statement(name, specifier, at, LOCKED if name == PYTHON else RECOMMENDED))
    if not (is_code or is_command):
        found.told += _beside_torch(line, where, is_need)


def _beside_torch(line: str, where: FileLine, is_need: bool) -> Iterator[Statement]:
    """Yield what a sentence names with its release beside torch: its pair, what is made for one torch ("PyTorch 1.9.0
    and mmcv 1.3.9"), and pins."""
    words = DECORATED.sub(" ", line)
    if is_need and _is_environment(line):
        yield from (
            Statement(one[1].lower(), f"=={one[2]}", where, RECOMMENDED) for one in _PAIR_IN_WORDS.finditer(words)
        )
    if is_need and torch_in_words(words):
        named = ((normalized(one[1]), one[2]) for one in _RELEASE_IN_WORDS.finditer(words))
        rows = ((name, release, companion(name)) for name, release in named)
        yield from (Statement(name, f"=={of}", where, RECOMMENDED) for name, of, row in rows if row and row.follows)
    if "torch" in line.lower() and not _IS_NEWS.search(line):
        pins = (requirement(match[0], where) for match in _PIN_IN_WORDS.finditer(line))
        pins = (one for one in pins if one and one.name not in _NAMES_IN_WORDS)
        yield from (replace(one, strength=RECOMMENDED) for one in pins if one)


def pythons_in_comments(file: str, text: str, found: Findings) -> None:
    """Note the one Python that comments of a list name by themselves: "# python3.8 environment", "# Python>=3.8"."""
    lines = dict[str, int]()  # which say the same stand for each other
    for number, line in enumerate(text.split("\n") if "ython" in text.lower() else (), 1):
        if len(lines) < _MOST_PYTHONS and line.lstrip().startswith("#") and _PYTHON_ALONE.match(line[:LONGEST]):
            lines.setdefault(line[:LONGEST], number)
    said = Findings()
    for line, number in lines.items():
        words = re.sub(r"(?<=python)(?=\d)", " ", line.lstrip("# \t")[:LONGEST], flags=re.IGNORECASE)
        read_words(words, origin_of(file, number, line), said, is_code=False, is_of_needs=True)
    pythons = {one.specifier: one for one in said.told if one.name == PYTHON}
    found.told += pythons.values() if len(pythons) == 1 else ()


def _is_environment(line: str) -> bool:
    """Return whether a line names torch and a CUDA together, each with a version: what somebody works with."""
    names = {match["name"].lower() for match in _IN_WORDS.finditer(DECORATED.sub(" ", line))}
    return bool(names & {"torch", "pytorch"}) and any(name.startswith("cuda") for name in names)


def systems_in_words(file: str, text: str) -> list[Statement]:
    """Return the first line that names Linux as what is needed: Linux alone, where the text names Windows anywhere; or
    that says that it does not run on Windows. What is for some users, one step or one package is none, nor is what the
    authors have."""
    names_windows = bool(WINDOWS.search(text))
    for number, line, above in below_headings(text):
        words = DECORATED.sub(" ", re.sub(r"^\s*\*\s", "- ", line[:LONGEST]))
        parts = (_IS_OF_SOME.search(words), _IS_OF_PART.search(words), *map(_IS_STEP.match, (above, words)))
        is_of_part = any(parts) or bool(_IS_OPTION.match(line)) or names_other_maker(f"{above}\n{words}")
        if is_of_part or _HAS_WINDOWS.search(words) or _IS_AUTHORS.search(f"{above}\n{words}"):
            continue
        is_need = _IS_SYSTEM.fullmatch(words) or (_IS_TRIED.search(words) and not _IS_NEWS.search(words))
        is_need = is_need or _LINUX_MACHINE.search(words)
        alone = (one for one in SENTENCE.split(words) if _LINUX_ALONE.search(one) and not WINDOWS.search(one))
        is_in_wsl = bool(_IS_SYSTEM.fullmatch(words) and _IS_IN_WSL.search(words))
        is_without = (
            is_in_wsl or names_windows and any(_is_against_windows(one, above) for one in SENTENCE.split(words))
        )
        if is_without or any(alone) or (is_need and not names_windows and _LINUX.search(words)):
            where = origin_of(file, number, line)
            return [Statement(MADE_FOR, "", where, RECOMMENDED, "systems", NO_WINDOWS)]
    return []


def below_headings(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield each line with its number and what it stands below: a heading (of Markdown, one that is underlined, or a
    summary), or a step whose further lines are indented."""
    heading, step, above = "", "", ""
    for number, line in enumerate(text.split("\n"), 1):
        step = "" if line.strip() and not line.startswith((" ", "\t")) else step
        if line.startswith("#") or "<summary>" in line:
            heading = line
        elif IS_UNDERLINE.fullmatch(line) and above.strip():
            heading = above
        yield number, line, (step or heading)[:LONGEST]
        step = line if _IS_STEP.match(line) else step
        above = line


def _is_against_windows(sentence: str, heading: str) -> bool:
    """Return whether it says that the project does not run on Windows, and not that a package of the table or, by the
    heading, another maker's cards do not."""
    match = _NO_WINDOWS.search(sentence)
    before = [*heading.split(), *sentence[: match.start()].split()] if match else []
    named = any(companion(normalized(word)) for word in before if word.isascii()) or names_other_maker(heading)
    return match is not None and not named and not _IS_CONDITION.search(sentence)


def ways_round(file: str, text: str) -> list[Statement]:
    """Return the sentences that say what to do where a package with native code cannot be had."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        for sentence in SENTENCE.split(line[:LONGEST]):
            words = re.sub(r"[`*|\s]+", " ", sentence)
            named = [match["after"] or match["before"] for match in _IS_LACKED.finditer(words)]
            lacked = [normalized(name) for name in named if companion(normalized(name))]
            if lacked and _IS_ADVICE.search(words):
                origin = origin_of(file, number, sentence)
                found += [Statement(WAY_ROUND, "", origin, RECOMMENDED, name) for name in lacked]
    return found


def _specifier_in_words(match: re.Match[str], name: str) -> str:
    """Return `==1.13.1` of "1.13.1", `>=3.8` of "3.8 or later", `>=3.8,<3.11` of "3.8 - 3.10"."""
    least, sign = match["version"], match["sign"]
    major, minor = map(int, least.split(".")[:2])
    if name == PYTHON and not (major == 3 and minor < 30):
        return ""
    if match["tail"] or ">" in sign or sign == "≥":
        return f">={least}"
    if "<" in sign:
        return f"{sign.strip('(')}{least}"
    others = [version_key(one) for one in re.findall(r"\d+\.\d+(?:\.\d+)?", match["more"])]
    others = [one for one in others if one[0] in (major, major + 1) and one > version_key(least)]
    if others:
        most = max(others)
        return f">={least},<{most[0]}.{most[1] + 1}"
    return f"=={least}" if name == TORCH and least.count(".") == 2 else f"=={major}.{minor}.*"


def _newest_in_words(version: str) -> str:
    """Return `<2.8` of "up to 2.7": its patches are meant, too."""
    major, minor = map(int, version.split(".")[:2])
    return f"<{major}.{minor + 1}"


def torch_in_words(words: str) -> str:
    """Return what a sentence says of torch's release, as a specifier; "" for nothing, or several."""
    named = [one for one in _IN_WORDS.finditer(words) if _NAMES_IN_WORDS.get(one["name"].lower()) == TORCH]
    found = {_specifier_in_words(one, TORCH) for one in named}
    return found.pop() if len(found) == 1 else ""


def natives_in_words(found: Findings) -> list[Statement]:
    """Return what only words name and has native code, which is told of and asked for by nobody."""
    known = {one.name for one in found.statements}
    return [replace(one, group=IN_WORDS) for one in found.told if one.name not in known and companion(one.name)]


def last_resort(found: Findings) -> list[Statement]:
    """Return what only words say, of each name where no file and no command has a version: an exact one first, but of
    torch a bound, beside which a release is the one that was tried."""
    firm = [one for one in found.statements if one.specifier and not one.group]
    firm = [one for one in firm if one.strength != RECOMMENDED or not is_commented(one.origin)]
    torch = [one for one in firm if one.name == TORCH]
    says = {one.name for one in firm if one.name != PYTHON or one.strength != DECLARED}  # words choose within a bound
    has_cuda = says & {"pytorch-cuda", "cuda-version", "cpuonly"} or any(one.local or one.build for one in torch)
    is_open = torch and not any(one.specifier.startswith("==") for one in torch)  # the CUDA was that of another torch
    if has_cuda or is_open or any(_CUDA.search(one.url) for one in found.sources):
        says.add(_TOOLKIT)
    _tell_pythons(found, [one for one in firm if one.name == PYTHON and one.strength == LOCKED])
    said: dict[tuple[str, str], Statement] = {}
    told = sorted(_of_systems(found.told), key=lambda one: one.specifier.startswith("==") == (one.name == TORCH))
    for one in sorted(told, key=lambda one: one.name == PYTHON and is_commented(one.origin)):
        if one.name not in says and one.name in (PYTHON, TORCH, _TOOLKIT, *_PAIRS):
            said.setdefault((one.name, one.marker), one)
    return list(said.values())


def _of_systems(told: Sequence[Statement]) -> list[Statement]:
    """Return what is told; where lines of a file name Linux and others Windows ("tested on"), each for its own."""
    systems: dict[tuple[str, str], set[str]] = {}
    for one in told:
        systems.setdefault((one.origin.file, one.name), set()).add(_system_of(one))
    several = {of for of, named in systems.items() if {NO_WINDOWS, WINDOWS_ALONE} <= named}
    files = {file for file, _ in several}
    own = [replace(one, marker=_system_of(one)) if one.origin.file in files else one for one in told]
    return [one for one in own if one.marker or not any(one.name == name for _, name in several)]


def _system_of(one: Statement) -> str:
    """Return the marker of the one system that a line names."""
    windows, linux = (bool(words.search(one.origin.text)) for words in (WINDOWS, _LINUX))
    return "" if windows == linux else WINDOWS_ALONE if windows else NO_WINDOWS


def _tell_pythons(found: Findings, firm: Sequence[Statement]) -> None:
    """Say which Python counts where a file has one (`runtime.txt`) and words have another."""
    for one in (one for one in found.told if one.name == PYTHON and firm):
        if not any(python_meets(one.specifier, each.specifier[2:].removesuffix(".*")) for each in firm):
            first, at = firm[0], one.origin
            more: dict[str, str | int] = {"other_file": at.file, "other_line": at.line, "other": str(one)}
            found.remark("contradiction", first.origin, one=str(first), **more)
            return
