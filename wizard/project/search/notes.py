"""What a README or a manual says of installing that no rule of the reader understood: quoted, not acted upon.

No set of rules reads every sentence of every README. What one says below a heading such as "Installation", or of cards,
systems, CUDA and compilers anywhere, is handed to the person in its own words, with its line. What else of the answer
already names a line is not quoted again (`decide`).

One file: the words that make a sentence one of installing, and those that make it noise, are one judgement.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from wizard.model.messages import Message
from wizard.model.redact import redact
from wizard.project.formats.requirements import FENCE
from wizard.project.formats.words import IS_UNDERLINE, LONGEST, SENTENCE
from wizard.project.formats.working_folder import without_hidden
from wizard.project.model import CHINESE, NOTE, RECOMMENDED, FileLine, Project, Statement, fit_to_show, normalized
from wizard.project.packages.companions import companion
from wizard.project.packages.cuda_tags import is_for
from wizard.project.search.order import is_plain_readme
from wizard.project.search.reader import ProjectReader

_MOST = 12  # in one answer
_LEFT_OUT = (".not-for-this", ".list-for-cpu")  # what is said of a whole file that does not count here
_MOST_LINES = 40  # of one paragraph
_LONGEST = 300  # characters of one
_SETUP = re.compile(
    r"install|set[- ]?up|getting started|requirement|prerequisite|dependenc|environment|prepar"
    r"|安装|环境|依赖|准备|部署|要求|配置",
    re.IGNORECASE,
)
_MAY_BE_SETUP = re.compile(
    r"quick ?start|instructions?$|hardware|platform|system|windows|linux"
    r"|cuda|gpu|build|compil|troubleshoot|faq|known issue|快速开始",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"training|train\b|fine-?tun|evaluat|inference|result|benchmark|citation|citing|licen[sc]e|acknowledg|contribut|news|changelog"
    r"|what's new|update|release|roadmap|todo|model zoo|paper|abstract|star history|related|credit|api\b"
    r"|训练|评估|引用|许可|致谢|更新|新闻",
    re.IGNORECASE,
)
_MAC = re.compile(r"mac ?os|\bmac\b|apple|\bmps\b|\bm[1-4]\b|homebrew|\bbrew ", re.IGNORECASE)
_MAKER = re.compile(
    r"\bamd\b|rocm|radeon|intel (?:arc|gpu|xpu)|\bxpu\b|ascend|\bnpu\b|directml|zluda|gaudi|\btpu", re.IGNORECASE
)
_WINDOWS = re.compile(
    r"windows|\bwin(?:10|11|32|64)\b|\.bat\b|powershell|visual studio|msvc|build tools", re.IGNORECASE
)
_ON_WINDOWS = re.compile(
    r"\b(?:on|for|in|using) windows\b(?![,/ ]+(?:and |or )?(?:linux|mac|ubuntu))|windows users", re.I
)
_LINUX = re.compile(r"linux|ubuntu|debian|centos|\bapt(?:-get)?\b|\bwsl", re.IGNORECASE)
# What decides whether torch and its packages run: the card, the driver, the system, what compiles.
_HARD = re.compile(
    r"\bgpus?\b|graphics card|\bvram\b|compute capability|\b(?:rtx|gtx)\b|\b[ahvtlbp]\d{2,3}\b|ampere|hopper"
    r"|blackwell|turing|volta|\bpascal\b|\bcuda\b|cudnn|\bnvcc\b|toolkit|\bdrivers?\b|compiler|\bgcc\b|g\+\+"
    r"|visual studio|msvc|build tools|\bcmake\b|\bninja\b|windows|linux|ubuntu|\bwsl|operating system"
    r"|\bpython (?:version|\d)|\bpython\d|\b(?:py)?torch\b|显卡|显存|驱动|编译",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"ffmpeg|git[- ]lfs|\bapt(?:-get)?\b|\bconda\b|\bpip\b|poetry|\buv\b|virtual ?env|docker|submodule|checkpoint"
    r"|weights|pre-?trained|download|licen[sc]e|register|\btoken\b|\bgated\b|log ?in|from source|\bwheels?\b|\bram\b"
    r"|\bdisk\b|模型|权重|下载",
    re.IGNORECASE,
)
_NEED = re.compile(
    r"\bmust\b|\bneed|\brequire|prerequisite|\bonly\b|support|tested|recommend|make sure|\bensure|should|important"
    r"|\bnote\b|warning|caution|at least|minimum|compatib|conflict|\bnot work|n't work|\bfails?\b|error|\binstead\b"
    r"|optional|\bmanual|or (?:higher|newer|later|above)|by hand|depend"
    r"|必须|需要|要求|仅|支持|测试|推荐|建议|确保|注意|请",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"^(?:\d+[.)]|[-*+•])?\s*(?:then |next,? |first,? |finally,? |please |you (?:can|may|will|have to) |to \w+ ?.*, )?"
    r"(?:install|build|compile|download|clone|put|place|copy|move|extract|unzip|set|export|run|add|remove|uninstall"
    r"|use|create|update|upgrade|edit|change|get|obtain|register|log ?in|安装|下载|编译|运行|设置)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\bmust\b|\brequire[sd]?\b|\bonly\b|not (?:\w+ )?(?:support|work|compatib|tested)|n't (?:\w+ )?(?:support|work)"
    r"|tested (?:on|with|under|in)|at least|minimum|\bneeds?\b|should be|should use|recommended"
    r"|or (?:higher|newer|later|above)|make sure|必须|需要|要求|仅支持",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:\([\w.-]+\) ?)?(?:\$ |> |! ?|% )?(?:sudo |RUN )?(?:apt(?:-get)? |yum |dnf |pacman |make\b|cmake |bash |sh "
    r"|\./\S+\.sh|git (?:lfs|submodule) |export \w|set \w+=|setx |wget |curl |huggingface-cli |hf |unzip |tar "
    r"|(?:\w+=\S+ )*python3? (?:\S*setup\.py |-m nltk|-m spacy|\S*(?:download|install|build|setup)\S*))",
)
_NEWS = re.compile(r"\[?\(?\b20\d\d[-./年]|🔥|shields\.io|\bv\d+\.\d+\.\d+ (?:is|was)\b|\barxiv\b", re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]{1,200}>|!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]{1,200})\]\([^)]{1,300}\)")
_QUOTED = re.compile(r"^\s{0,3}(?:> ?)+(?:\[!\w+\])?")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•>]|\d+[.)])\s+")
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_SUMMARY = re.compile(r"<summary>(.*?)(?:</summary>|$)", re.IGNORECASE)
# Of running it, not of installing: left out where no heading says that it is about installing.
_RUNNING = re.compile(
    r"multi[- ]?gpu|\bddp\b|batch|speed|resolution|faster|slower|\bset `|--\w|dataset|epoch|n_gpu|num_gpu"
    r"|visible_devices",
    re.IGNORECASE,
)
# A way for Windows, wherever it is said.
_WAY_FOR_WINDOWS = re.compile(
    r"\b(?:install|set(?:ting)?[- ]?up|run(?:ning)?|us(?:e|ing)|build|compil)\w* (?:[\w.-]+ ){0,3}(?:on|for|under) "
    r"windows"
    r"|\bwindows users?\b|^(?:on|for) windows\b",
    re.IGNORECASE,
)
_FEWEST = 6  # words of such a sentence: an entry of a table of contents has less
# A command whose packages are read elsewhere.
_DONE = re.compile(r"\b(?:pip3?|conda|mamba|poetry|uv) (?:install|create|env|add|sync|pip|activate)\b", re.IGNORECASE)
_PINNED = re.compile(r"(?<![A-Za-z])pip3? install \S+==\d")
_RELEASE = re.compile(r"(?<![\w./=-])[A-Za-z][\w.-]*==\d")  # of a package, in a sentence
_TARGET = re.compile(r"\.\. ?_|_`?[\w ]+`?:")  # of reStructuredText
_COMMENT = re.compile(r"(?:^|.*\s)#+ *(.+)")
# Of what is trained or tried with, and not of installing, where a sentence names nothing else.
_DATA = re.compile(r"\bdata(?:[- ]?sets?)?\b|数据", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9][\w.+/-]*[a-z0-9]", re.IGNORECASE)
_FEWEST_NAMES = 2  # names and numbers by which two sentences are held against each other
_MOST_COMPARED = 200  # sentences of the other language
_LEAST = 12  # characters of a sentence that says something


def read_notes(reader: ProjectReader) -> None:
    """Note what the files that were read say, READMEs in one language; by itself that asks for nothing."""
    told = {name.rpartition("/")[0] for name in reader.files if is_plain_readme(name)}
    for name in reader.files if reader.found.asks_for_something else ():
        folder, _, last = name.rpartition("/")
        is_translation = last.lower().startswith("readme") and folder in told and not is_plain_readme(name)
        if not is_translation:
            reader.found.statements += _notes_of(name, reader.folder.read(name) or "")


def _notes_of(file: str, text: str) -> list[Statement]:
    """Return the sentences and steps of installing, each with the system that it is for as its marker."""
    if not file.lower().endswith((".md", ".rst")) and "readme" not in file.lower():
        return [] if file.endswith(".py") else list(_comments(file, text))
    found, names_windows = [], bool(_WINDOWS.search(text))
    for part in _parts(without_hidden(text)):
        if not (_MAC.search(part.above) or _MAKER.search(part.above)):
            for number, one in _steps(part) if part.is_code else _sentences(part):
                if not (_MAC.search(one) or _MAKER.search(one)):
                    found.append(_note(file, number, one, _marker(f"{part.above}\n{one}", names_windows)))
    return found


def _steps(part: _Part) -> Iterator[tuple[int, str]]:
    """Yield what a block of code does beside installing packages, and what its comments say."""
    for number, line in part.lines if part.is_setup else ():
        words, comment = line.strip(), _COMMENT.match(line)
        if _STEP.match(words) and not _RUNNING.search(words):
            yield number, words
        elif comment and _says(comment[1], is_setup=True):
            yield number, comment[1] if words.startswith("#") else words  # which says what it is said of


def _sentences(part: _Part) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a paragraph, each with the line that it begins in."""
    plain = [_LINK.sub(r"\1", _MARKUP.sub(" ", line[: 2 * LONGEST])) for _, line in part.lines]
    plain = [_LIST_MARK.sub("", line.replace("**", "").replace("`", "")).strip() for line in plain]
    starts = list(accumulate((len(line) + 1 for line in plain[:-1]), initial=0))
    words, at = " ".join(plain), 0
    for one in SENTENCE.split(words):
        at = words.index(one, at)
        if _says(one, part.is_setup):
            yield part.lines[bisect_right(starts, at) - 1][0], one
        at += len(one)


def _note(file: str, number: int, words: str, marker: str) -> Statement:
    """Make one, without what is secret: a step may set a token."""
    where = FileLine(file, number, fit_to_show(redact(words), _LONGEST))
    return Statement(NOTE, "", where, RECOMMENDED, "notes", marker)


def _comments(file: str, text: str) -> Iterator[Statement]:
    """Yield what the comments of a list say of cards, systems, CUDA and compilers."""
    for number, line in enumerate(text.split("\n"), 1):
        match = _COMMENT.match(line[:LONGEST])
        if match and _HARD.search(match[1]) and _NEED.search(match[1]) and not _DONE.search(match[1]):
            yield _note(file, number, match[1], _marker(match[1], names_windows=False))


def notes_left(
    project: Project, os: str, remarks: Iterable[Message], named: Iterable[FileLine]
) -> tuple[FileLine, ...]:
    """Return what is quoted: the weightiest of what is for this system and stands in no line that the answer names."""
    told, left_out = {*map(str, named)}, set[object]()
    for one in remarks:
        left_out |= {one.params["file"]} if one.key.endswith(_LEFT_OUT) else set()
        told |= {f"{one.params.get(f'{of}file')}:{one.params.get(f'{of}line')}" for of in ("", "other_")}
    notes = [one.origin for one in project.statements if one.name == NOTE and is_for(one, os)]
    left = [*_once(at for at in dict.fromkeys(notes) if str(at) not in told and at.file not in left_out)]
    kept = sorted(left, key=_weight, reverse=True)[:_MOST]
    return tuple(at for at in left if at in kept)


def _once(notes: Iterable[FileLine]) -> Iterator[FileLine]:
    """Leave out what a file has said before, in the same words or in its other language."""
    said = dict[str, tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]]()  # by file; the second in Chinese
    for at in notes:
        text = at.text.lower()
        is_chinese, named = bool(CHINESE.search(text)), frozenset(_WORD.findall(text))
        before = said.setdefault(at.file, ({}, {}))
        mine, others = before[is_chinese], before[not is_chinese]
        if text not in mine and not any(
            _is_translation(*((named, each) if is_chinese else (each, named)))
            for each in islice(others.values(), _MOST_COMPARED)
        ):
            mine[text] = named
            yield at


def _is_translation(chinese: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether all names and numbers of a Chinese sentence, which are several, stand in one that is none."""
    return len(chinese) >= _FEWEST_NAMES and chinese <= other


def _weight(at: FileLine) -> int:
    return bool(_HARD.search(at.text)) + bool(_STRONG.search(at.text)) + bool(_STEP.match(at.text))


@dataclass(frozen=True, slots=True)
class _Part:
    """A paragraph, an entry of a list, or a block of code. `above`: the headings, and the line that leads to it ("For
    Windows users:"); `is_setup` where the nearest of the headings that means anything is of installing."""

    lines: tuple[tuple[int, str], ...]
    above: str
    is_setup: bool
    is_code: bool


class _Headings:
    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self.label = ""

    def enter(self, level: int, title: str) -> None:
        self._open = [one for one in self._open if one[0] < level] + [(level, title[: 2 * LONGEST])]
        self.label = ""

    def part(self, lines: Sequence[tuple[int, str]], is_code: bool) -> _Part:
        """Return the lines as a part below these headings. A paragraph that ends by a colon leads to the lists and
        blocks behind it."""
        is_entry = is_code or _LIST_MARK.match(lines[0][1])
        if not is_entry:
            self.label = ""
        above = "\n".join([*(title for level, title in self._open if level > 1), self.label])
        if not is_entry and lines[-1][1].rstrip(" *_").endswith((":", "：")):
            self.label = lines[-1][1][: 2 * LONGEST]  # each part below is held against it
        return _Part(tuple(lines), above, self._is_setup(), is_code)

    def _is_setup(self) -> bool:
        for _, title in reversed(self._open):
            if _SETUP.search(title):
                return True
            if _OTHER.search(title):
                return False
            if _MAY_BE_SETUP.search(title):
                return True
        return False


def _parts(text: str) -> Iterator[_Part]:
    headings, is_code, lines = _Headings(), False, list[tuple[int, str]]()
    for number, written in enumerate(text.split("\n"), 1):
        line = written if is_code else _QUOTED.sub("", written)
        heading, summary = (None, None) if is_code else (_HEADING.match(line), _SUMMARY.search(line))
        is_underline = not is_code and bool(lines) and IS_UNDERLINE.fullmatch(line)
        is_step = not is_code and line.startswith("    ") and _STEP.match(line.strip())
        is_fence = bool(FENCE.match(line))
        ends = is_fence or heading or summary or (not is_code and (is_step or not line.strip()))
        if is_underline:
            headings.enter(1 + '=-~^"*+'.index(line[0]), lines.pop()[1])
        if lines and (ends or is_underline or len(lines) > _MOST_LINES or (not is_code and _LIST_MARK.match(line))):
            yield headings.part(lines, is_code)
            lines = []
        if heading:
            headings.enter(len(heading[1]), heading[2])
        elif summary:
            headings.enter(6, summary[1])
        elif is_step:
            yield headings.part([(number, line)], is_code=True)
        elif is_fence:
            is_code = not is_code
        elif line.strip() and not is_underline:
            lines.append((number, line))
    if lines:
        yield headings.part(lines, is_code)


def lines_aside(text: str) -> set[int]:
    """Return the lines of a README below headings of training, evaluation and the like, and not of installing."""
    aside = (one for one in _parts(without_hidden(text)) if not one.is_setup and _OTHER.search(one.above))
    return {number for one in aside for number, _ in one.lines}


def _says(sentence: str, is_setup: bool) -> bool:
    words = re.sub(r"[`*_|\s]+", " ", sentence).strip()
    if len(words) < _LEAST or words.endswith((":", "：")) or _NEWS.search(words) or _TARGET.match(sentence.strip()):
        return False
    if _PINNED.search(words):
        return True
    if _DONE.search(words) and not _STRONG.search(words):
        return False
    if _WAY_FOR_WINDOWS.search(words) and len(words.split()) >= _FEWEST:
        return True
    about = _HARD.search(words) or any(companion(normalized(word)) for word in re.findall(r"[A-Za-z][\w-]+", words))
    if is_setup:
        return bool(
            (about or (_SOFT.search(words) and not _DATA.search(words)))
            and (_NEED.search(words) or _DOES.search(words))
        )
    is_other = _OTHER.search(words) or _RUNNING.search(words)
    is_strong = _STRONG.search(words) or (_RELEASE.search(words) and _NEED.search(words))
    return bool(_HARD.search(words) and is_strong and not is_other)


def _marker(words: str, names_windows: bool) -> str:
    """Return the system that words are for; what is for Linux is for all where nothing names Windows."""
    is_windows, is_linux = bool(_WINDOWS.search(words)), bool(_LINUX.search(words))
    if _ON_WINDOWS.search(words):
        is_linux = False
    if is_windows == is_linux or not (is_windows or names_windows):
        return ""
    return 'sys_platform == "win32"' if is_windows else 'sys_platform != "win32"'
