"""Finds and reads a project's files: bounded, inside its folder, in any encoding that people's editors write.

Nothing is followed out of the folder, or of the repository that it is a part of: a link or a `-r ../../x` that leads
there is not read. What is in a file is the readers' matter.

One file: how a file is found and how it is read both rest on the same bounds.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path

from wizard.project.folders.walk import names_below
from wizard.project.model import is_script
from wizard.project.search.order import FOR_LISTS, REQUIREMENTS, is_in_lines, told_rank

MOST_BYTES = 8_000_000  # of one file: the longest lock files of real projects have 3 MB
MOST_FILES = 200
MOST_LINES = 5_000  # of a text for people or a script; the longest of real projects have 2,000
MOST_SEEN = 20_000  # names looked at on the search
_DEEPEST = 3
DEEPEST_PROGRAM = 6
_DECLARING = re.compile(
    r"pyproject\.toml|hatch\.toml|pixi\.toml|pipfile|setup\.cfg|setup\.py|pylock(\..+)?\.toml"
    r"|(uv|poetry|pdm|pipfile|requirements|pixi)\.lock|conda-lock\.ya?ml"
    r"|\.python-version|runtime\.txt|settings\.ini"
    rf"|.*{REQUIREMENTS}.*\.(txt|in)|mminstall\.txt|.*constraints?.*\.txt|(.*[-_.])?(conda|env|environment)([-_.].*)?\.ya?ml"
    r"|.*(spec|explicit|conda).*\.txt|(reqs?|dependencies)\.txt|requirements\.ya?ml",
    re.IGNORECASE,
)
_NAMES_LIST = re.compile(REQUIREMENTS, re.IGNORECASE)
_LISTING = re.compile(r"(?:.*/)?(?:requirements?|reqs?|pip|deps|dependencies)/[^/]*\.(?:txt|in)", re.IGNORECASE)
_IS_LISTING = re.compile(r"(?:.*/)?requirements?/", re.IGNORECASE)  # by its folder alone; of others, by its lines, too
_TELLING = re.compile(
    r"readme[^/]*\.(md|rst|txt)|readme|install(ation)?\.(md|rst|txt)|(.*\.)?dockerfile[^/]*"
    r"|.*(install|setup|env|requirement)[^/]*\.(sh|bash|bat|cmd|ps1)",
    re.IGNORECASE,
)
_MAKING = re.compile(r"makefile|install[\w-]*\.py|cog\.ya?ml|[^/]*\.def", re.IGNORECASE)  # of the root alone
_MANUAL = re.compile(r"docs?/(?:\w+/)?(?:[\w-]*install[\w-]*|get(?:ting)?_started)\.(?:md|rst)", re.IGNORECASE)
_OF_MANUALS = ("", "/en", "/source", "/user")  # folders of documents
# In a README: what else of the project says how it is installed.
_LINKED = re.compile(
    r"(?:\]\(|href=[\"']|`)(?:\.?/)*(?P<name>(?:[\w.-]+/){0,8}?(?:docs?/(?:[\w.-]+/){0,8}readme[\w.-]*|[\w-]*install[\w-]*"
    r"|get(?:ting)?[-_]?started|quick[-_]?start|set[-_]?up|environment)(?:[-_](?:en|english|zh|cn))?\.(?:md|rst))(?=[)#\"'`\s])",
    re.IGNORECASE,
)
_MOST_LINKED = 8
_NEWS = re.compile(r"change|history|news|releas|contribut|code_of|security|licen[cs]e", re.IGNORECASE)
_LIST_LINE = re.compile(  # `lrate = 1024` is an option of a program
    r"\s*(?:#.*|-\S+(?:\s+\S+)?|[A-Za-z0-9][\w.-]*(?:\[[\w, -]*\])?(?:=.*|\s*(?:(?:==|[<>!~@;#]).*)?))?"
)
_NEAR = re.compile(r"\.(?:txt|in|sh|bash|zsh|bat|cmd|ps1|command|md|rst)$", re.IGNORECASE)
# What a program learns from or tells apart, a name in each line.
_DATA = re.compile(
    r"(?:.*[-_.])?(?:labels?|class(?:es)?|class[-_]?names?|names|vocab\w*|words|categor\w+|synsets?)\.txt",
    re.IGNORECASE,
)
DOCUMENTS = (".md", ".rst")
_MAKES = re.compile(r"\b(?:conda|mamba)\s+(?:env\s+)?create\s")  # an environment
# In a README: a file of the root that installs, in backticks or started.
_SAID = re.compile(
    r"(?:`|(?:^|\s)(?:python[\d.]*|bash|sh|source|\.)[ \t]+|(?:^|\s)(?=\./))(?:\./)?"
    r"(?P<name>[\w-]*(?:(?<!un)install|setup_env)[\w-]*(?:\.(?:py|txt|md|rst|zsh|command))?)(?=[`\s])",
    re.IGNORECASE,
)
# In a README: a program of the root that is started; it counts where it installs torch itself.
_RUN = re.compile(r"(?:^|\s|`)python[\d.]*[ \t]+(?:\./)?(?P<name>[\w-]+\.py)(?=[`\s])", re.IGNORECASE)
_INSTALLS_TORCH = re.compile(r"\bpip\d?\"?\s+install\s[^\n]*?\btorch(?:[=<>~!\s\"']|$)", re.MULTILINE)
_YAML = re.compile(r"[^/.][^/]*\.ya?ml|(?:conda|envs?|environments?)/[^/]+\.ya?ml", re.IGNORECASE)
_CONDAS = (r"^dependencies:\s*$", r"^(?:channels|name):", r"^\s*- *[\"']?(?:python|pip|pytorch)\b")
_SHARED = (".txt", ".in")  # lists that the parts of a repository share: nothing else of it is shown in a plan
_IS_TEXT = ("utf-8", "gb18030")


@dataclass
class ProjectFolder:
    """The folder. Of what was read names alone are kept: some have gigabytes of settings and data."""

    root: Path
    cut: set[str] = field(default_factory=set)  # what is longer than is read
    _names: dict[int, list[tuple[int, str, bool]]] = field(default_factory=dict)  # by how deep they lie

    @cached_property
    def limit(self) -> Path:
        """The repository that the folder lies in, whose parts share lists; else the folder itself. A person's own
        folder is no such repository, although some keep their settings in one."""
        root, home = self.root.resolve(), Path.home().resolve()
        above = takewhile(lambda one: not home.is_relative_to(one), (root, *root.parents))
        return next((one for one in above if (one / ".git").exists()), root)

    def find(self) -> tuple[list[str], list[str]]:
        """Return the files that declare and those that only tell (README, scripts): of the root, else of the first
        folders below it that have any."""
        declaring, told = self._by_depth("declaring"), self._by_depth("telling")
        found = declaring if 0 in declaring else self._by_depth("listing") or declaring
        if own := self._environments():
            found = {0: [*found.get(0, []), *own]}
        telling = sorted([*_first(told), *self._said(told.get(0, [])), *self._manuals()], key=told_rank)
        return _first(found)[:MOST_FILES], telling[:MOST_FILES]

    def _said(self, telling: list[str]) -> list[str]:
        """Return the other files of the root that its READMEs name for the installation."""
        readmes = [self.read(name) or "" for name in telling if name.lower().startswith("readme")]
        names = dict.fromkeys(match["name"] for text in readmes for match in _SAID.finditer(text))
        run = dict.fromkeys(match["name"] for text in readmes for match in _RUN.finditer(text))
        names |= {name: None for name in run if _INSTALLS_TORCH.search(self.read(name) or "")}
        return [name for name in names if not _kind(name) and (self.root / name).is_file()]

    def _environments(self) -> list[str]:
        """Return conda's files under names of their own (`ldm.yaml`), by what they hold."""
        names = [name for depth, name, beside in self.names() if beside and _YAML.fullmatch(name) and not _kind(name)]
        texts = {name: self.read(name) or "" for name in names[:MOST_FILES]}
        return [name for name, text in texts.items() if all(re.search(key, text, re.MULTILINE) for key in _CONDAS)]

    def _manuals(self) -> list[str]:
        """Return what the documents say of the installation."""
        places = (f"{name}{below}" for name in ("docs", "doc") for below in _OF_MANUALS)
        folders = (name for name in places if self.has_folder(name))
        files = (f"{folder}/{entry.name}" for folder in folders for entry in os.scandir(self.root / folder))
        return sorted(name for name in files if _MANUAL.fullmatch(name))

    def linked(self, telling: Iterable[str]) -> list[str]:
        """Return the documents within the project that its READMEs point to for the installation."""
        found: dict[str, None] = {}
        for name in telling:
            if name.lower().endswith(DOCUMENTS):
                for match in _LINKED.finditer(self.read(name) or ""):
                    if document := self.inside(Path(name).parent / match["name"]):
                        found.setdefault(document)
        return [name for name in found if name not in telling and (self.root / name).is_file()][:_MOST_LINKED]

    def parts(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return the files by folder, where they lie in several that are made for no such files; else nothing."""
        found: dict[str, list[str]] = {}
        for name in names:
            found.setdefault(name.rpartition("/")[0], []).append(name)
        made_for_them = (_is_of_lists(folder) for folder in found)
        return {} if len(found) < 2 or "" in found or any(made_for_them) else found

    def readmes_of(self, folder: str) -> list[str]:
        """Return the READMEs that lie in this folder below; none of one that is made for lists alone."""
        if not folder or _is_of_lists(folder) or not self.has_folder(folder):
            return []
        names = sorted(entry.name for entry in os.scandir(self.root / folder))
        names = [name for name in names if name.lower().startswith("readme") and name.lower().endswith(DOCUMENTS)]
        return [f"{folder}/{name}" for name in names]

    def of_other_environments(self, lists: list[str], telling: list[str], named: set[str]) -> bool:
        """Return whether all these lists lie below, where the READMEs go for one of several environments that they
        make: `named` has the folders that they install."""
        folders = {name.rpartition("/")[0] for name in lists}
        texts = [self.read(name) or "" for name in telling if name.lower().endswith(DOCUMENTS)]
        makes = sum(len(_MAKES.findall(text)) for text in texts)
        return makes > 1 and bool(folders) and all(any(f"/{one}".endswith(f"/{to}") for one in named) for to in folders)

    def below(self) -> list[list[str]]:
        """Return the files that declare below those that `find` does, the ones of each depth together."""
        declaring = self._by_depth("declaring")
        return [declaring[depth] for depth in sorted(declaring)[1:]]

    def scripts_aside(self) -> list[str]:
        """Return the notebooks of the root, and the scripts below it that install by their names, the nearest
        first."""
        telling = self._by_depth("telling")
        notebooks = sorted(entry.name for entry in os.scandir(self.root) if entry.name.lower().endswith(".ipynb"))
        return notebooks + [name for depth in sorted(telling) if depth for name in telling[depth] if is_script(name)]

    def others_of_root(self) -> list[str]:
        """Return its scripts and documents whose names do not say that they install; of them none that tells what is
        new."""
        names = [name for depth, name, _ in self.names() if not depth and not _kind(name) and not _NEWS.match(name)]
        return [name for name in names if is_script(name) or name.lower().endswith(DOCUMENTS)]

    def others_near(self) -> list[str]:
        """Return the documents of the root, and the lists and scripts there and right below it: what they hold is not
        looked at."""
        names = [name for depth, name, _ in self.names() if depth <= (not name.lower().endswith(DOCUMENTS))]
        last = ((name, name.rpartition("/")[2]) for name in names)
        near = (name for name, short in last if _NEAR.search(short) and not (_NEWS.match(short) or _DATA.match(short)))
        return list(islice(near, MOST_FILES))

    def alike(self, name: str, beside: str) -> str | None:
        """Return the one list that a line can have meant by a name that is not there: in other letters, or of another
        ending (`requirements.py`), next to the file or in the root, all of whose lines are those of a list."""
        wanted = re.sub(r"s?\.\w+$", "", Path(name.replace("\\", "/")).name.lower())
        for folder in dict.fromkeys((Path(beside).parent / Path(name).parent, Path(beside).parent, Path())):
            place = self.inside(folder)
            if not re.fullmatch(REQUIREMENTS, wanted) or place is None or not (self.root / place).is_dir():
                continue
            files = sorted(entry.name for entry in os.scandir(self.root / place) if entry.is_file())
            found = [one for one in files if re.fullmatch(rf"{REQUIREMENTS}(\.\w{{2,5}})?", one.lower())]
            first = (Path(place) / found[0]).as_posix() if len(found) == 1 else beside
            if first != beside and is_list(self.read(first) or ""):
                return first
        return None

    def lists(self) -> list[str]:
        """Return the lists that only the folder's name says to be ones (`requirements/torch21.txt`)."""
        return self._by_depth("listing").get(0, [])

    def _is(self, name: str, kind: str) -> bool:
        is_it = _kind(name) == kind
        return is_it and (kind != "listing" or bool(_IS_LISTING.match(name)) or is_list(self.read(name) or ""))

    def _by_depth(self, kind: str) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for depth, name, beside in self.names():
            if self._is(name, kind):
                found.setdefault(0 if beside else depth, []).append(name)
        return found

    def names(self, deepest: int = _DEEPEST) -> list[tuple[int, str, bool]]:
        """Return depth, name and whether only folders made for such files lie between it and the root; of MOST_SEEN,
        and gone through once: a search on a slow disk takes seconds, and dozens of looks want it."""
        if deepest not in self._names:
            self._names[deepest] = list(names_below(self.root, deepest, MOST_SEEN))
        return self._names[deepest]

    def resolve(self, name: str, beside: str = "") -> str | None:
        """Return the relative name of a file that a line of `beside` names: next to it, else from the root, where
        the first folders of the name may be those that lead to the project, else of that name next to it. None: there
        is none inside the folder."""
        name = name.strip().strip("\"'").replace("\\", "/")
        base, parts = Path(beside).parent, Path(name).parts
        shorter = [Path(*parts[first:]) for first in range(1, min(len(parts), _DEEPEST + 3))]
        guesses = [*shorter[:-1], base / Path(name).name, *shorter[-1:]]
        for candidate in (base / name, Path(name), *guesses):
            found = self.inside(candidate)
            if found and stat.S_ISREG(self._mode(found)) and (candidate not in guesses or found != beside):
                return found
        return None

    def may_build(self, name: str, beside: str) -> bool:
        """Return whether a folder of that name, next to a file or in the project's own, is a package, or was not
        fetched with the project (a submodule). A name alone may be that of the project."""
        places = [one for one in (Path(beside).parent / name, Path(name)) if self.inside(one) is not None]
        held = {entry for one in places for entry in self._entries(one)}
        return bool({"setup.py", "pyproject.toml"} & held) or ("/" in name and not held)

    def has_folder(self, name: str) -> bool:
        return self.inside(Path(name)) is not None and stat.S_ISDIR(self._mode(name))

    def is_bare(self, name: str) -> bool:
        """Return whether there is no such folder, or nothing in it."""
        return not self.has_folder(name) or not self._entries(Path(name))

    def has_file(self, name: str) -> bool:
        return self.inside(Path(name)) is not None and stat.S_ISREG(self._mode(name))

    def is_among(self, name: str, others: Iterable[str]) -> bool:
        """Return whether it is one of these files under another name: by a link, or in other letters."""
        try:
            return any((self.root / name).samefile(self.root / one) for one in others)
        except (OSError, ValueError):
            return False

    def _entries(self, folder: Path) -> list[str]:
        """Return what lies in a folder; of one that cannot be read, nothing."""
        try:
            return [one.name for one in os.scandir(self.root / folder)]
        except (OSError, ValueError):
            return []

    def _mode(self, name: str) -> int:
        """Return what lies there, as stat has it; 0 for nothing, as of a name that is too long for any file."""
        try:
            return (self.root / name).stat().st_mode
        except (OSError, ValueError):
            return 0

    def named(self, name: str) -> list[str]:
        """Return the files below that have this name, or end in this path; `*` is any part of it."""
        wanted = "/" + re.sub(r"^(?:\.{0,2}/)+", "", name)
        if name.startswith("/"):
            return []
        if "*" in wanted:
            return [one for names in self._by_last.values() for one in names if fnmatch(f"/{one}", f"*{wanted}")]
        return [one for one in self._by_last.get(wanted.rsplit("/", 1)[1], []) if f"/{one}".endswith(wanted)]

    @cached_property
    def _by_last(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for _, name, _ in self.names():
            found.setdefault(name.rsplit("/", 1)[-1], []).append(name)
        return found

    def inside(self, candidate: Path) -> str | None:
        """None: it leads out of the folder, by its dots or by a link."""
        try:
            real = (self.root / candidate).resolve()
            is_shared = real.suffix in _SHARED and real.is_relative_to(self.limit)
            if not is_shared and not real.is_relative_to(self.root.resolve()):
                return None
            return Path(os.path.normpath(candidate)).as_posix() if not candidate.is_absolute() else None
        except (OSError, ValueError, RuntimeError):
            return None

    def leads_out(self, name: str) -> bool:
        return self.inside(Path(name)) is None

    def links_out(self, name: str, beside: str) -> bool:
        """Return whether what a line of `beside` names is a place in the folder, from which a link leads out of it."""
        places = (Path(os.path.normpath(one)) for one in (Path(beside).parent / name, Path(name)))
        inner = (one for one in places if not one.is_absolute() and one.parts[:1] != ("..",))
        return any(self.inside(one) is None for one in inner)

    def read(self, name: str) -> str | None:
        """Return the text with plain line ends, of a text in lines the first MOST_LINES; None for what cannot be read,
        is no plain file or is too large."""
        if self.leads_out(name) or not stat.S_ISREG(self._mode(name)):  # a pipe would be waited for
            return None
        try:
            with (self.root / name).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except (OSError, ValueError):
            return None
        if len(data) > MOST_BYTES:
            return None
        text = decoded(data)
        if text.count("\n") > MOST_LINES and is_in_lines(name):
            self.cut.add(name)
            text = "\n".join(text.split("\n", MOST_LINES)[:-1])
        return text


def is_list(text: str) -> bool:
    """Return whether each line has the form of one in a requirements file, and some line asks for something."""
    lines = text.splitlines()
    return all(map(_LIST_LINE.fullmatch, lines)) and any(line[:1].isalpha() for line in lines)


def declares(name: str) -> bool:
    """Return whether a file of this name lists what a project needs; a log may have any name that ends in .txt."""
    return bool(_DECLARING.fullmatch(name)) and (not name.endswith(".txt") or bool(_NAMES_LIST.search(name)))


def _is_of_lists(folder: str) -> bool:
    """Return whether all of this path is made for such files, by its words."""
    return all(map(FOR_LISTS.search, folder.split("/")))


def _first(by_depth: dict[int, list[str]]) -> list[str]:
    return by_depth[min(by_depth)] if by_depth else []


def _kind(name: str) -> str:
    """`declaring`, `telling`, `listing` (by the folder alone, as requirements/linux-cuda.txt) or ""."""
    last = name.rsplit("/", 1)[-1]
    if _DECLARING.fullmatch(last):
        return "declaring"
    if _TELLING.fullmatch(last) or _MAKING.fullmatch(name):
        return "telling"
    return "listing" if _LISTING.fullmatch(name) else ""


def decoded(data: bytes) -> str:
    """Return text of bytes in UTF-8 (with or without BOM), UTF-16 with BOM or GB 18030, with `\\n` line ends."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        text = _decoded(data.removeprefix(b"\xef\xbb\xbf"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    for encoding in _IS_TEXT:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
