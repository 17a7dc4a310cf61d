"""Where the commands of a document or a script run, and for which system: the folder, as they go (`cd sub`), the copies
of repositories that they fetch, the headings above them.

What the commands install is the neighbour's matter. One file: each question goes through the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from itertools import islice, pairwise, takewhile
from posixpath import normpath

from wizard.project.formats.requirements import FENCE
from wizard.project.model import DECLARED, ON_MAC, FileLine, Statement, is_script, normalized
from wizard.project.packages.companions import companion

MOST_LINES = 20_000
MOST_PROSE = 300
# In a sentence of a README: here the command is over.
_SENTENCE = re.compile(
    r"(?:^|\s)(?:commands?|lines?|instructions?|guides?|documentation|steps|page|may|might|will|should|does|fails?|according|to"
    r"|and|or|for|with|if|in|on|by|from|the|this|these|your?|it|them|then|as)"
    r"(?=[\s,.:]|$)|[.!?]\s+(?=[A-Z])"
    r"|[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]"  # Chinese, Japanese and Korean words
)
_IS_PROSE = re.compile(r"(?:readme|\.md|\.rst|\.txt)$", re.IGNORECASE)
IS_COMMENT = re.compile(r"\s*(?:#|::|rem\s)", re.IGNORECASE)
_GOES = re.compile(r"(?:^|[\s;&|(`])(?:cd|pushd)[ \t]+(?P<to>\"[^\"]*\"|'[^']*'|[^\s;&|)`]+)")
_CLONES = (
    r"(?:\bgit\s+clone\s(?=[^&;|]*[/:@$])|^[\s*+\d.)-]*Clone\s+(?=https?://))[^&;|]*?"  # a command, or a step in words
)
_CLONED = re.compile(_CLONES + r"([\w.-]+?)(?:\.git)?/?(?=\s*(?:$|[&;|`]))")
_CLONING = "lone"  # in each line that one of both finds anything in, which takes long in a long line
# Of somebody who is in the project's folder already: what is fetched after that is another repository.
_INSIDE = re.compile(
    r"(?!.*\bclone\b).*\b(?:(?:pip3?|mim)\s+install\s(?:.*\s)?(?:-r\s*\S|(?:-e\s+)?[\"']?\.(?:[\s\"'\[]|$))|conda\s+env\s+create\b)"
)
_FETCHED = re.compile(
    _CLONES + r"(?P<url>https?://[^\s&;|`]+?)(?:\.git)?/?(?:\s+(?P<to>[^\s&;|`#-][^\s&;|`#]*))?(?=\s*(?:$|[&;|`#]))"
)
# Of a copy of another repository: the release that is taken of it.
_CHECKOUT = re.compile(
    r"\bgit\s+(?:checkout|switch\s+--detach)\s+(?:tags/)?(?P<tag>v?[0-9]{1,9}(?:\.[0-9]{1,9}){1,5}(?:\.?(?:rc|post)[0-9]{1,9})?)(?=$|[\s;&|`\"'])"
)
_COPY = re.compile(r"(git\+https?://[^/]+(?:/[^/@]+){2})(?:@[^/]+)?")
_BEGINS = re.compile(r"^\s*RUN\b.*<<-?\s*[\"']?(\w+)")
FOREIGN = "git+"  # begins the name of a folder that is a copy of another repository
# The first word of a text's title.
_TITLE = re.compile(
    r"^(?:#|.{0,80}<h1\b[^>\n]{0,80}>)[^\w\n]{0,20}(?P<name>[A-Za-z][\w-]{2,60})(?![\w.-]*\w)", re.MULTILINE
)
_MOST_TITLE = 40  # lines that it stands in
_MOST_CLONES = 200  # repositories that a text fetches, and lines that may fetch the project
_INDENTED = ("    ", "\t")
_HEADING = 6  # the deepest level of one
_DEEPEST = 30  # folders
# A heading above the description of a computer that somebody has, which asks for nothing.
_OF_MACHINE = re.compile(
    r"#+\s(?=.*(?:hardware|硬件))(?!.*(?:requir|software|prereq|depend|install|软件|要求|需求|安装))", re.IGNORECASE
)
# A heading above what is needed, however that is put.
OF_NEEDS = re.compile(
    r"#+\s(?!.*\b(?:optional|additional|extra|dev|develop|development|testing|tests|documentation)\b)"
    r".*(?:requirements?|prerequisites?|dependenc(?:y|ies)|环境(?:要求|依赖)|依赖)\b",
    re.IGNORECASE,
)
# A heading above the installation as a whole, and what makes one, or a sentence above a block, one of a choice.
_OF_INSTALLING = re.compile(
    r"#+\s.*(?:\b(?:install(?:ation|ing)?|set[- ]?up|environment\w*|get(?:ting)? started|quick ?start)\b|安装|环境)",
    re.IGNORECASE,
)
_OF_CHOICE = re.compile(
    r"\b(?:option(?:s|al|ally)?|alternativ\w*|additional(?:ly)?|extras?|dev|develop(?:ment|ers?)?|test(?:s|ing)?"
    r"|docs?|documentation|docker|colab|notebooks?|demos?|gradio|train(?:ing)?|evaluat\w*|datasets?|benchmarks?|uninstall\w*|faq|troubleshoot\w*"
    r"|if|in case|when|instead|error|issues?|problems?|windows|mac(?:os)?|faster|speed|accelerat\w*|visuali[sz]\w*)\b"
    r"|可选|如果|或者|训练|评估",
    re.IGNORECASE,
)
# A heading, a comment or a sentence above what is only for some of those who come: an option, or an older state.
_OF_ASIDE = re.compile(
    r"[#\s>*_+\d.)-]*[\[(]?optional(?:ly)?\b"
    r"|.*\b(?:earlier|older|previous|old|legacy|original)\s(?:version|release|commit|state|revision)s?\sof\s"
    r"(?:this|the|our|its)\s(?:code[ -]?base|code|repo(?:sitory)?|project|implementation)\b",
    re.IGNORECASE,
)
_BEGINS_ANEW = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")  # an entry of a list, which is a paragraph of its own
# A heading, a label above a block ("macOS (Apple Silicon):") or a comment in one says for which system its lines are.
_IS_LABEL = re.compile(
    r"[^:：]{1,160}[:：][\s*_]*|\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\*\*|__|<summary>)[^*_<]{1,60}\W*(?:summary>)?"
)
_OF_MAC = re.compile(r"\b(?:mac(?:os| ?os ?x)?|osx|apple (?:silicon|m\d)|darwin)\b|苹果", re.IGNORECASE)
_OF_OTHERS = re.compile(r"linux|ubuntu|windows|unix|\bwsl|nvidia|cuda|\bcpu", re.IGNORECASE)


class WorkingFolder:
    """Where the commands run, as they go (`cd sub`): below the project, or below a copy of it that they fetch."""

    def __init__(self, file: str, names: Set[str], itself: str) -> None:
        self.file, self.names, self.itself = file, names, itself
        self.is_prose, self.is_script = bool(_IS_PROSE.search(file)), is_script(file)
        self.is_code = False  # between the fences of a README
        self.is_of_machine = self.is_of_needs = False  # below a heading that says so
        self.of_install = 0  # below a heading of that level that is about the installation; 0: not
        self.is_choice = False  # the last sentence says so of the commands below it
        self.is_choice_here = False  # the last comment of a block does, up to an empty line
        self.of_mac = 0  # below a heading of that level, a label or a comment that says so; 0: not
        self.is_aside = False  # below a comment, or in or below a paragraph, of an option or an older state
        self._is_blank = True  # the line before
        self.own = file.rpartition("/")[0] if self.is_script else ""  # where a script below is started
        self.parts: list[str] = []
        self.downloaded: set[str] = set()  # files, by their last names
        self.until = ""  # the word that ends a script within a Dockerfile
        self.cloned: dict[str, None] = {}  # in their order: the first is the project, as a rule
        self.is_beside = False  # below the heading under which a text for people fetches the project
        self.further: dict[str, FileLine] = {}  # repositories that are fetched there, too
        self.fetched: dict[str, str] = {}  # repositories, by the folders that they are copied into; "": the project

    def at(self, line: str, position: int) -> str:
        """Return the folder that a command at this place of the line runs in, with a slash; "" for the project's."""
        parts = self._gone(line[:position])
        return f"{'/'.join(parts)}/" if parts else ""

    def after(self, line: str, where: FileLine) -> None:
        """Go on to the next line: it begins where this one ended only in a script (`RUN <<EOF` begins one) and within a
        block of code."""
        self.downloaded |= downloaded_by(line)
        self._fetch(line, where)
        if self.is_prose:
            self._label(line[:MOST_PROSE])
        if self.is_prose and not self.is_code and line.startswith("#"):
            self.is_beside = False
            self.is_of_machine = bool(_OF_MACHINE.match(line[:MOST_PROSE]))
            self.is_of_needs = bool(OF_NEEDS.match(line[:MOST_PROSE]))
            self._head(line[:MOST_PROSE])
        elif self.is_prose:
            self._note_choice(line)
        if self.is_prose and FENCE.match(line):
            self.is_code, self.parts = not self.is_code, []
        elif self.until and line.strip() == self.until:
            self.until, self.parts = "", []
        elif match := _BEGINS.search(line):
            self.until, self.parts = match[1], []
        elif self.is_script or self.is_code or self.until:
            self.parts = self.parts if re.search(r"\(\s*cd\s", line) else self._gone(line)
        elif line.strip():  # a block of code is indented, too
            self.parts = self._gone(line) if line.startswith(_INDENTED) else []

    def _fetch(self, line: str, where: FileLine) -> None:
        """Note the repositories that a line fetches, as long as there are not too many."""
        if len(self.cloned) < _MOST_CLONES:
            self.cloned.update(dict.fromkeys(_cloned_by(line)))
        fetched = self.fetched_by(line) if len(self.fetched) < _MOST_CLONES else {}
        self.fetched |= fetched
        if self.is_beside and not (self.of_mac or IS_COMMENT.match(line)):
            self.further |= {url: where for url in fetched.values() if url and url not in self.further}
        self.is_beside |= self.is_prose and "" in fetched.values()

    def begin(self, line: str) -> None:
        """Note of a line of a text for people, before it is read, whether it is of an option or of an older state of
        the project: by its heading, its paragraph and the block below that, or the comment above it in a block."""
        if not self.is_prose or FENCE.match(line):
            return
        is_start = IS_COMMENT.match(line) if self.is_code else self._is_blank or _BEGINS_ANEW.match(line)
        if line.strip() and (is_start or line.startswith("#")):
            self.is_aside = bool(_OF_ASIDE.match(line[:MOST_PROSE]))
        self._is_blank = not line.strip() and not self.is_code

    def is_needed(self, line: str) -> bool:
        """Return whether what a command of this line installs is what the project needs, by the headings above it: one
        of needs, or in a block of code one of the installation as a whole."""
        is_choice = self.is_choice or self.is_choice_here or bool(_OF_CHOICE.search(line.partition("#")[2]))
        return self.is_of_needs or (self.is_code and self.of_install > 0 and not is_choice)

    def command(self, words: str, line: str) -> str:
        """Return the words of a command without those of the sentence that it stands in."""
        is_said = self.is_prose and not (self.is_code and not IS_COMMENT.match(line))
        return _SENTENCE.split(words)[0] if is_said else words

    def marked(self, one: Statement) -> Statement:
        """Return what the last line says, for a Mac where that is meant."""
        return replace(one, marker=ON_MAC) if self.of_mac and one.origin.file == self.file else one

    def fetched_by(self, line: str) -> dict[str, str]:
        """Return the repositories that a line fetches, by their folders; "" is the address of the project's own."""
        own = self.itself if self.is_prose else None
        found = {}
        for match in _FETCHED.finditer(line) if _CLONING in line else ():
            name = match["url"].rpartition("/")[2]
            to = (match["to"] or name).strip("\"'").rstrip("/").removeprefix("./")
            is_own = own in (name, to.rpartition("/")[2]) or normalized(name) in self.names
            found[to] = "" if is_own else match["url"]
        return found

    def _note_choice(self, line: str) -> None:
        """Note whether a sentence makes the commands below it a choice; a comment in a block does up to an empty
        line."""
        if not line.strip() or FENCE.match(line):
            self.is_choice_here = False
        elif not self.is_code or IS_COMMENT.match(line):
            is_choice = bool(_OF_CHOICE.search(line[:MOST_PROSE]))
            self.is_choice = is_choice and not (self.is_code and not self.is_choice)
            self.is_choice_here = is_choice and self.is_code

    def _head(self, line: str) -> None:
        level, is_choice = len(line) - len(line.lstrip("#")), bool(_OF_CHOICE.search(line))
        if self.of_install and level > self.of_install:
            self.is_choice = is_choice
            return
        self.of_install = level if _OF_INSTALLING.match(line) and not is_choice else 0
        self.is_choice = False

    def _label(self, line: str) -> None:
        level = len(line) - len(line.lstrip("#")) or _HEADING + 1
        is_label = level <= _HEADING or _IS_LABEL.fullmatch(line)
        if self.is_code:
            level = _HEADING + 1 if FENCE.match(line) else _HEADING + 2
            is_label = level == _HEADING + 1 or not line.strip() or IS_COMMENT.match(line)
        if is_label and _OF_MAC.search(line) and not _OF_OTHERS.search(line):
            self.of_mac = level
        elif is_label and (self.of_mac >= level or _OF_OTHERS.search(line)):
            self.of_mac = 0

    def _gone(self, line: str) -> list[str]:
        parts = list(self.parts)
        cloned, fetched = {*self.cloned, *_cloned_by(line)}, self.fetched | self.fetched_by(line)
        for match in _GOES.finditer(line):
            to = match["to"].strip("\"'").removesuffix(r"\n").replace("\\", "/")  # a line that `echo` writes
            if (copied := copied_to(to, fetched)) is not None:
                parts = [part for part in copied.removeprefix("./").split("/") if part != "."]
                parts = [copied] if copied.startswith(FOREIGN) else parts
                continue
            if re.search(r"[$%~(<{]|^/|^-", to) or to in cloned:  # anywhere, or into a copy of the project
                parts = []
                continue
            for part in to.split("/"):
                parts = parts[:-1] if part == ".." else [*parts, part] if part not in ("", ".") else parts
                if len(parts) > _DEEPEST:
                    return []
        if parts and parts[0].startswith(FOREIGN) and (taken := _CHECKOUT.search(line)):
            parts = [_COPY.sub(rf"\1@{taken['tag']}", parts[0], count=1), *parts[1:]]
        return parts


_OWN = re.compile(r"\bpip3? install [\"'`]?(?P<own>[A-Za-z][\w.-]{0,80})(?![\w.-])")
_NEWEST = re.compile(
    r"(?P<between>[^\n]{0,300}(?:\n[^\n]{0,300}){0,2}?)"
    r"\bpip3? install [\"'`]?git\+\S{1,200}?/(?P<name>[\w.-]{1,80}?)(?:\.git)?(?=[@#\s\"'`]|$)"
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)


def itself_in(text: str, names: Set[str], statements: Iterable[Statement]) -> str:
    """Return which of the repositories that a README fetches is the project: one that is called so, else the first that
    is no package of the table nor one that the project asks for, before a line that installs from the project's folder;
    "" where there is none."""
    asked = {one.name for one in statements if one.strength == DECLARED and not one.url}
    lines = [line[:MOST_PROSE] for line in text.split("\n")[:MOST_LINES]]
    before = takewhile(lambda line: not _INSIDE.match(line), lines)
    fetched, first = ([name for line in one for name in _cloned_by(line)] for one in (lines, before))
    others = [name for name in first if companion(normalized(name)) is None and normalized(name) not in asked]
    return next((name for name in fetched if normalized(name) in names), next(iter(others), ""))


def titled_in(readmes: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return the repositories that texts fetch and that are called as a README's title begins: the project itself."""
    lines = (line[:MOST_PROSE] for text in texts for line in text.split("\n")[:MOST_LINES] if _CLONING in line)
    fetched = {normalized(name) for line in islice(lines, _MOST_CLONES) for name in _cloned_by(line)}
    titles = (match for text in readmes if (match := _TITLE.search("\n".join(text.split("\n")[:_MOST_TITLE]))))
    return {name for one in titles if (name := normalized(one["name"])) in fetched and companion(name) is None}


def _cloned_by(line: str) -> list[str]:
    return _CLONED.findall(line) if _CLONING in line else []


def newest_of(readmes: Iterable[str], packaged: Set[str]) -> set[str]:
    """Return the repositories that READMEs install in place of the project's own package: behind it, after "or"."""
    named = ((text, one) for text in readmes for one in islice(_OWN.finditer(text), _MOST_CLONES))
    ends = ((text, one.end()) for text, one in named if normalized(one["own"]) in packaged)
    found = (match for text, end in ends if (match := _NEWEST.match(text, end)))
    return {normalized(match["name"]) for match in found if _OR.search(match["between"])}


def downloaded_by(line: str) -> set[str]:
    """Return the last names of the files that a line fetches with curl or wget."""
    words = line.split() if re.search(r"\b(?:curl|wget)\s", line) else []
    named = [word for before, word in pairwise(words) if re.fullmatch(r"-\w*[oO]|--output(?:-document)?", before)]
    named += [word for word in words if "://" in word]
    return {word.strip("\"';").rpartition("/")[2] for word in named}


def copied_to(path: str, fetched: Mapping[str, str]) -> str | None:
    """Return the folder of a copy that a line fetched, by its whole path too: below the repository's address, or in the
    project; None where there is no such copy."""
    folder = normpath(path.partition("[")[0])
    for to, url in fetched.items():
        before, found, below = f"{folder}/".partition(f"{to}/")
        if found and (not before or (before.endswith("/") and before.startswith("/") and not to.startswith("/"))):
            return f"{FOREIGN}{url}/{below}".rstrip("/") if url else f"./{below}".rstrip("/")
    return None


def without_hidden(text: str) -> str:
    """Return the text without its comments of HTML, which no reader of a README sees, in as many lines."""
    shown, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        shown += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + len("-->")
    return "".join((*shown, text[at:]))
