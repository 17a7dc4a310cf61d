"""What a project declares, as values: every statement with the file and the line that make it.

Names are normalized (PEP 503), versions are PEP 440 specifiers whatever the file's own tool writes. No rule about
torch lives here; `understand` and `decide` have those. One file: every reader fills the same few values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from packaging.utils import canonicalize_name

from wizard.model.messages import Message, message
from wizard.model.redact import redact
from wizard.project.versions import can_meet

DECLARED, LOCKED, RECOMMENDED = "declared", "locked", "recommended"
PYTHON, TORCH, NUMPY = "python", "torch", "numpy"
PAIRS = ("torchvision", "torchaudio")  # which go with their torch
IN_LOCK = "lock"  # group of what a lock says of itself, which counts where nothing else is declared
MADE_FOR = "__platform"  # a name that no package has: the systems of a lock or of pixi, as its marker
BRANCH = "where "  # begins the group of what one branch of a script installs, for one torch or CUDA
CARD = "__card"  # the same of an NVIDIA card that programs or a README want, of what compute capability
SWITCH = "switch"  # the build of a card that a program uses unless it is given the option that is its extra
FOR_CARDS = "__torch-for"  # the same of a torch that is for the cards of one generation, which is its group
WAY_ROUND = "__instead"  # the same of a sentence on what to do without the package that is its group
CODE = "__code"  # the same of what a program uses and newer releases of the package that is its group lack
BUILT_WITH = "__built-with"  # the same of a setup.py that imports torch; its folder is the group, "." for the project's
WHOLE = "whole"  # the build of a use that reads a model or settings as objects
OF_ALL = (PYTHON, TORCH, NUMPY)  # which every setup has
FOR_CODE = "code"  # the group of a constraint that programs make, by the names that they use
WITHIN = "within"  # the build of a use of Python's in a function, which may never be reached
BEGUN = "begun"  # the build of a use in a program that a README starts, or in what that imports
WITH_CODE = "__with-code"  # the same of a use that newer releases have beside another package alone
NEEDING = "__needing"  # the same of programs, which are its extras, that import the package that is its group
BOUND = "__bound"  # the same of the releases of the package that is its group which programs take alone
ASSERTED = "__asserted"  # the same of a line that ends a program without the package that is its group
ARCHS = "__archs"  # the same of the cards, its extras, that the project's own code is compiled for
BINARY = "__binary"  # the same of ready code for the releases of torch that are its extras
COMPILES = "__compiles"  # the same of a line that has torch compile what it runs, where nobody asks for less
UNIX = "__unix"  # the same of what Windows, or of a lock Linux, lacks, of the kind that is the group, by its extras
OLD_BUILD = "__old-build"  # the same of a setup.py that imports what newer setuptools lack, by its line
MENDED = "__mended"  # the same of a program that puts the module which is its group in its place for others
DEMANDS = (BOUND, ASSERTED, ARCHS, BINARY, COMPILES, OLD_BUILD, MENDED)
BFLOAT16 = "bfloat16"  # the build of a card that must compute with these numbers
NOTE = "__note"  # the same of a sentence or a step of a README that nothing understood
ON_MAC = 'sys_platform == "darwin"'  # the marker of what a README has for other computers
DECIDED = (PYTHON, TORCH, "torchvision", "torchaudio", "cudatoolkit", "pytorch-cuda", "cpuonly", "pip", ".")
GROUND = ("setuptools", "wheel")  # every environment has them: only a version is worth a word
TOOLS = ("uv", "ruff", "black", "isort", "flake8", "pre-commit", "pytest", "cuda-toolkit", "cuda-version")  # of authors
DECORATED = re.compile(r"[`*_|\s]+")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")  # a lost "-e"
CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WHOLE = ("folders-too", "named-too", "named-apart")  # remarks that name all, in as many sentences
_MOST_TOLD = 12  # packages that are not taken
_MOST_PARTED = 4  # sentences of what the project does not start without
_MOST_OF_CODE = 200  # remarks of one kind
_SHOWN = 160  # characters of a line that a person is shown


@dataclass(frozen=True, slots=True)
class FileLine:
    """`file` is relative to the project, with slashes; `line` counts from 1."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Statement:
    """One package, the Python or a CUDA toolkit that is asked for."""

    name: str
    specifier: str  # PEP 440; "" for any version
    origin: FileLine
    strength: str = DECLARED
    group: str = ""  # an extra or a group that is not installed unasked
    marker: str = ""  # PEP 508; "" for always
    local: str = ""  # "cu117" of ==1.13.1+cu117
    url: str = ""  # a direct reference, a path, a repository
    build: str = ""  # conda's build string
    conda: bool = False  # named in conda's words
    extras: tuple[str, ...] = ()  # of the package: what stands in brackets
    override: bool = False  # a constraint that counts in place of what packages themselves ask for
    for_card: bool = False  # of code that is compiled for a card alone
    further: int = 0  # of code: lines of the same kind beside this one
    hashes: tuple[str, ...] = ()  # `sha256=…`: its file has one of them
    needed_by: str = ""  # the package of this line, which needs it; "": the line itself asks for it

    def __str__(self) -> str:
        return f"{self.name}{self.specifier or (f' @ {self.url}' if self.url else '')}"


@dataclass(frozen=True, slots=True)
class AddressLine:
    """An address that the project wants packages from: `kind` is index, find-links or channel."""

    kind: str
    url: str
    origin: FileLine
    strength: str = DECLARED
    marker: str = ""  # PEP 508; "" for always


@dataclass(frozen=True, slots=True)
class Project:
    """All that was read. `remarks` say what could not be, and how a line was understood."""

    folder: str
    files: tuple[str, ...]
    statements: tuple[Statement, ...]
    sources: tuple[AddressLine, ...]
    remarks: tuple[Message, ...]
    card_lines: frozenset[FileLine] = frozenset()  # which what is there for computers without a card stands in for
    included: Mapping[str, FileLine] = field(default_factory=dict)  # the first line that brings a file in
    card_unused: bool = False  # its programs import torch, and none names a card
    changed: str = ""  # the day of its last change, "2022-03-14"; "": nobody knows
    in_chinese: Mapping[FileLine, FileLine] = field(default_factory=dict)  # sentences of a README, in its translation


@dataclass
class Findings:
    """What the readers fill; `include` reads another file that a line names, for a group; `here` gives a line with the
    project's folder as `.`, where it has the whole path."""

    include: Callable[[str, FileLine, str], None] = lambda name, origin, group: None
    here: Callable[[str], str] = lambda text: text
    statements: list[Statement] = field(default_factory=list)
    sources: list[AddressLine] = field(default_factory=list)
    told: list[Statement] = field(default_factory=list)  # in words, which count last
    own: set[str] = field(default_factory=set)  # names of the project itself
    packaged: set[str] = field(default_factory=set)  # of these, what it is as a package
    members: set[str] = field(default_factory=set)  # what its parts are as packages, in one workspace of uv's
    called: str = ""  # as its folder is
    own_extras: dict[str, dict[str, str]] = field(default_factory=dict)  # of it, which one of them names, by marker
    own_lines: list[Statement] = field(default_factory=list)  # that ask for it by its name, with extras
    remarks: list[Message] = field(default_factory=list)
    card_lines: set[FileLine] = field(default_factory=set)
    card_unused: bool = False
    aside: set[str] = field(default_factory=set)  # lines of what a README calls optional, or of an older state
    needed: set[FileLine] = field(default_factory=set)  # lines of a README below a heading that says what is needed
    _remarked: dict[str, set[tuple[tuple[str, str | int], ...]]] = field(default_factory=dict)  # what is in `remarks`

    def remark(self, code: str, origin: FileLine, **params: str | int) -> None:
        """Note it once, of one code the first _MOST_OF_CODE; `code` picks `project.remark.<code>` in the catalogue."""
        place = {"file": origin.file, "line": origin.line, "text": origin.text, **params}
        shown = {key: fit_to_show(value) if isinstance(value, str) else value for key, value in place.items()}
        told = self._remarked.setdefault(code, set())
        if len(told) < _MOST_OF_CODE and (blanks := tuple(shown.items())) not in told:
            told.add(blanks)
            self.remarks.append(message(f"project.remark.{code}", **shown))

    @property
    def asks_for_something(self) -> bool:
        """Return whether any line, or a sentence of torch or its Python, is a demand: else nothing is noted."""
        return bool(self.statements) or any(one.name in DECIDED for one in self.told)

    @property
    def in_chinese(self) -> dict[FileLine, FileLine]:
        """Return the sentences that name a version, each with the one of a Chinese translation that says the same."""
        found: dict[FileLine, FileLine] = {}
        chinese = [one for one in self.told if CHINESE.search(one.origin.text)]
        for one in self.told:
            same = (each for each in chinese if (each.name, each.specifier) == (one.name, one.specifier))
            if one not in chinese and (other := next(same, None)):
                found.setdefault(one.origin, other.origin)
        return found

    def name_itself(self, file: str, name: object) -> None:
        """Note what a file of the root says that the project is called, on the index or as a repository."""
        if isinstance(name, str) and name and "/" not in file:
            self.own.add(normalized(name))
            if not file.lower().endswith((".md", ".rst", ".txt")):
                self.packaged.add(normalized(name))

    def leave_itself(self) -> None:
        """Leave out the project's own package where a list of its own names it: a kept `pip freeze` does."""
        itself = (one for one in self.statements if one.name in self.packaged or self._is_own_address(one.url))
        lines = [one for one in itself if one.strength == DECLARED or not one.extras]  # of the others it tells
        for one in lines:
            self.own_extras.setdefault(normalized(one.group), {}).update(
                (normalized(name), one.marker) for name in one.extras
            )
        declared = [one for one in lines if one.strength == DECLARED and not one.group]
        self.own_lines = [one for one in declared if one.extras]
        plain = {one.origin.file: one for one in reversed(declared) if not one.extras}
        for one in plain.values():
            self.remark("own-name", one.origin, name=one.name)
        self.statements = [one for one in self.statements if one not in lines]

    def _is_own_address(self, url: str) -> bool:
        name = re.sub(r"(?:\.git)?(?:[@#].*)?$", "", url.rpartition("/")[2])
        is_whole = url.startswith("git+") and "#subdirectory" not in url
        return is_whole and normalized(name) in {*self.packaged, self.called}

    def tell(self, code: str, told: list[Statement], known: set[str]) -> None:
        """Name what no file before it has, with its version; pins first where not all are named."""
        for file in dict.fromkeys(one.origin.file for one in told):
            named = [one for one in told if one.origin.file == file and one.name not in known]
            known |= {one.name for one in named}
            shown = {_folder_words(one) if is_folder(one.url) else one.name: one for one in reversed(named)}
            asides = {name: f" ({one.origin})" for name, one in shown.items() if str(one.origin) in self.aside}
            names = [f"{name}{one.specifier}{asides.get(name, '')}" for name, one in reversed(shown.items())]
            if names:
                is_task = code == "recommended-too" and file.endswith("pixi.toml")  # opened itself, its tables count
                for part in parted(names) if code in _WHOLE else [cut_between(names)]:
                    self.remark("tasks-too" if is_task else code, named[0].origin, packages=part)

    def take_recommended(self, file: str) -> None:
        """Take the packages of a file that was named itself and only recommends, but for what its lists declare."""
        declared = [one for one in self.statements if one.strength == DECLARED]
        known = {*DECIDED, *(one.name for one in declared if not one.group)}
        is_list = any(one.origin.file == file for one in declared)
        told = [one for one in self.statements if one.strength == RECOMMENDED and one.name not in known and not is_list]
        taken = {one for one in told if not one.group or one.group.startswith(BRANCH)}
        self.statements = [replace(one, strength=DECLARED) if one in taken else one for one in self.statements]

    def tell_recommended(self, is_of_index: Callable[[str], bool]) -> None:
        """Name what is not taken unasked: what a README, a script or a Dockerfile has beside torch that no file
        declares, and folders of the project. `is_of_index`: whether conda's name is known as one of the index."""
        declared = (one.name for one in self.statements if one.strength == DECLARED and not one.group)
        known, others = {name for name in declared if name not in DECIDED}, self._recommended()
        own = {name.replace("-", "") for name in self.own}
        others = [one for one in others if one.specifier or one.name not in GROUND]
        others = [one for one in others if is_folder(one.url) or one.name.replace("-", "") not in {*own, *_LETTERS}]
        if known:
            others = [one for one in others if is_run(one.origin.file) or one.name not in TOOLS]
        if not any(one.name == TORCH and one.strength == DECLARED and one.specifier for one in self.statements):
            others = [one for one in others if one.name != NUMPY]  # what is told of it counts as torch's own
        self._tell_needed([one for one in others if one.name not in {*known, NUMPY}], known)
        self._tell_repositories(others)
        self.tell("folders-too", [one for one in others if is_folder(one.url)], known)
        of_conda = [one for one in others if one.conda and not is_of_index(one.name)]
        self.tell("recommended-conda", of_conda, known)
        self.tell("recommended-too", others, known)
        self._tell_other_pins()

    def _tell_needed(self, others: list[Statement], known: set[str]) -> None:
        """Name what programs import at their top, and only a README or a script has: no mere recommendation."""
        needing = {one.group: one.extras for one in self.statements if one.name == NEEDING}
        needed = [one for one in others if one.name in needing and not is_folder(one.url)]
        for file in dict.fromkeys(one.origin.file for one in needed):
            lines = {one.name: one for one in needed[::-1] if one.origin.file == file and one.name not in known}
            words = [f"{one} ({first_of(needing[one.name])})" for one in reversed(lines.values())]
            for part in parted(words):
                self.remark("needed-too", next(reversed(lines.values())).origin, packages=part)
            known |= {*lines}

    def _tell_repositories(self, others: list[Statement]) -> None:
        """Name the repositories that a README installs from what the files ask for by its name alone."""
        asked = {str(one) for one in self.statements if one.strength == DECLARED and not one.group}
        from_there = [one for one in others if is_source(one.url) and one.name in asked]
        for file in dict.fromkeys(one.origin.file for one in from_there):
            lines = {one.name: one for one in from_there[::-1] if one.origin.file == file}.values()
            names = cut_between([f"{one.name} ({one.url.removeprefix('git+')})" for one in lines])
            self.remark("from-repository", next(iter(lines)).origin, packages=names)

    def _tell_other_pins(self) -> None:
        """Name the first line of each file that installs another release of a package than the lists ask for."""
        declared = [one for one in self.statements if one.strength == DECLARED and not one.group and one.specifier]
        for one in {
            one.origin.file: one for one in self._recommended()[::-1] if self._is_other(one, declared)
        }.values():
            other = next(each for each in declared if each.name == one.name)
            where: dict[str, str | int] = {"other_file": other.origin.file, "other_line": other.origin.line}
            self.remark("told-other", one.origin, asked=str(one), other=str(other), **where)

    @staticmethod
    def _is_other(one: Statement, declared: list[Statement]) -> bool:
        lines = [each for each in declared if each.name == one.name]
        return bool(lines) and not any(can_meet(each.specifier, one.specifier) for each in lines)

    def tell_words(self, has_list: bool) -> None:
        """Name what a list within a README has, and no file and no command does. `has_list`: there is a
        requirements.txt to write it into."""
        own = {name.replace("-", "") for name in self.own}
        told = [one for one in self.told if one.name.replace("-", "") not in own]
        known = {*DECIDED, *(one.name for one in self.statements)}
        self.tell("named-too" if has_list else "named-apart", told, known)

    def _recommended(self) -> list[Statement]:
        told = (one for one in self.statements if one.strength == RECOMMENDED and not one.group)
        told = (
            one for one in told if one.name not in DECIDED or (one.name == "." and one.extras)
        )  # nobody knows these
        return [one for one in told if not is_elsewhere(one)]


def first_of(names: Sequence[str]) -> str:
    return names[0] + (f", +{len(names) - 1}" if len(names) > 1 else "")


def first_few(names: Sequence[str], most: int, between: str = ", ") -> str:
    """Return the first of the names in one sentence, and how many more there are."""
    return between.join(names[:most]) + (f" (+{len(names) - most})" if len(names) > most else "")


def cut_between(names: list[str]) -> str:
    """Return as many of the names as fit to show, pins first where not all do, and how many more there are."""
    words = ""
    for most in range(min(len(names), _MOST_TOLD), 0, -1):
        is_all = most == len(names)
        shown = names if is_all else sorted(names, key=lambda words: "=" not in words)[:most]
        words = ", ".join(shown) + ("" if is_all else f" (+{len(names) - most})")
        if len(words) <= _SHOWN:
            break
    return words


def parted(names: Sequence[str]) -> Iterator[str]:
    """Yield all of the names, as many at once as fit to show; of very many the last are counted."""
    left = list(names)
    for _ in range(_MOST_PARTED):
        most = next((most for most in range(len(left), 1, -1) if len(", ".join(left[:most])) <= _SHOWN), 1)
        if left:
            yield ", ".join(left[:most])
        left = left[most:]
    if left:
        yield cut_between(left)


def origin_of(file: str, line: int, text: str) -> FileLine:
    return FileLine(file, line, fit_to_show(redact(text)))


def fit_to_show(text: str, most: int = _SHOWN) -> str:
    """Return what fits on one line of a screen, and cannot move its cursor."""
    shown = "".join(char if char.isprintable() else " " for char in text.strip()[: 2 * most])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def showing(where: FileLine, sentences: Sequence[str], words: str) -> FileLine:
    """Return the place with the sentence that has these words, where its line is cut before them."""
    is_cut = where.text.endswith("…") and words not in DECORATED.sub(" ", where.text)
    plain = (DECORATED.sub(" ", one) for one in sentences if is_cut)
    if not (found := next((one for one in plain if words in one), "")):
        return where
    begins = max(0, found.find(words) + len(words) + 1 - _SHOWN)
    return replace(where, text=fit_to_show(f"…{found[begins + 1 :]}" if begins else found))


def normalized(name: str) -> str:
    return str(canonicalize_name(name.strip()))


def is_folder(url: str) -> bool:
    """Return whether it is a path of the project's, and neither an address nor what another computer exported."""
    return bool(url) and "://" not in url and not url.startswith(("file:", "git+"))


def _folder_words(one: Statement) -> str:
    return f"{one.url}[{','.join(one.extras)}]" if one.extras else one.url


def is_source(url: str) -> bool:
    """Return whether it is the address of a repository or an archive, which is built where it is installed."""
    return "://" in url and not url.startswith("file:") and not url.partition("#")[0].endswith(".whl")


def is_script(file: str) -> bool:
    """Return whether a file is run from its first line to its last; what pixi's recommends is its tasks, which are."""
    return file.lower().endswith((".sh", ".bash", ".bat", ".cmd", ".ps1", "pixi.toml"))


def is_run(file: str) -> bool:
    """Return whether a file is done as it stands: a script or a Dockerfile, and no text for people, who may choose."""
    return is_script(file) or is_image(file)


def is_image(file: str) -> bool:
    return "dockerfile" in file.rpartition("/")[2].lower()


def is_recipe(file: str) -> bool:
    """Return whether a file makes one whole environment: a script, a Dockerfile, or cog's."""
    return is_run(file) or bool(re.fullmatch(r"cog\.ya?ml", file.rpartition("/")[2]))


def is_elsewhere(one: Statement) -> bool:
    """Return whether a README or a script recommends it for other computers alone."""
    return one.strength == RECOMMENDED and one.marker == ON_MAC


def is_commented(line: FileLine) -> bool:
    """Return whether a line of a block of code is switched off; headings of a README begin so, too, and hold none."""
    return line.text.startswith("#") and not line.text.startswith("##")


def builds_itself(project: Project) -> bool:
    """Return whether the project is a package of its own: it says so, or a line installs it (`-e .`)."""
    own = ("setup.py", "setup.cfg", "pyproject.toml")
    declares = any(one.origin.file in own and not one.group for one in project.statements)
    return declares or any(one.name == "." for one in project.statements)
