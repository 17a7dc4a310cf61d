"""Reads the files of a project, each by its format and once, with what they include.

Which of them are read is `read`'s matter. One file: which file counts beside which is one decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from wizard.model.messages import Message
from wizard.project.file_choice import (
    DEVELOPING,
    WITHOUT_CARD,
    are_alternatives,
    asks_for_another_framework,
    computer_in,
    names_a_computer,
    names_card,
    of_another_framework,
    purpose_of,
    words_of,
)
from wizard.project.folders.places import from_root
from wizard.project.folders.words import seen_from
from wizard.project.formats.by_name import CONSTRAINTS, hand_over
from wizard.project.formats.commands import BESIDE, BUILT, DOWNLOADED, STARTED, installs, is_copied, read_commands
from wizard.project.formats.working_folder import itself_in, newest_of, titled_in
from wizard.project.model import (
    DECIDED,
    DECLARED,
    LOCKED,
    PYTHON,
    RECOMMENDED,
    TORCH,
    FileLine,
    Findings,
    Project,
    Statement,
    cut_between,
    is_run,
    normalized,
    origin_of,
)
from wizard.project.search.environments import (
    family_in,
    first_part,
    name_of_environment,
    optional_in,
    others_of,
    retired_in,
)
from wizard.project.search.files import MOST_FILES, MOST_LINES, ProjectFolder
from wizard.project.search.order import ORDER, folder_of, is_lock, is_script_of_install, rank
from wizard.project.versions import can_meet

_TORCH_TOO = ("pytorch", "pytorch-gpu")  # names of conda
_STUB = ("sklearn", "scikit-learn")  # the first is on the index to fail with the name of the second
_MAIN = "requirements.txt"
_OPTION = re.compile(r"(?:requirements?[^/]+|[^/]+[-_.]requirements?|reqs?)\.txt", re.IGNORECASE)
_OF_ARCHIVE = re.compile(r"-(?:master|main|v?\d+(?:\.\d+)+|[0-9a-f]{40})$", re.IGNORECASE)  # a branch, tag or commit
_IS_LIST = re.compile(r"\.(?:ya?ml|txt|in)$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"(?<![a-z])x\.y(?:\.z)?(?![a-z])", re.IGNORECASE)  # in a name, for any release
_MOST_OF_REF = 6  # parts of an address before a file's own: `raw`, `refs/heads/main`
_FEWEST = 3  # packages of a list that is compared with the main one
_MOST_INCLUDED = 1_000  # lines that name another file or folder
_DEEPEST = 40  # files that include each other in a chain
_OWN = range(6, 10)  # of these, what a package says of itself


class ProjectReader:
    """Reads files of one folder, each once: a circle of includes ends by that."""

    def __init__(self, folder: ProjectFolder) -> None:
        self.folder = folder
        self.found = Findings(here=seen_from(folder.root))
        self.files: list[str] = []
        self.included: dict[str, FileLine] = {}
        self.left: set[str] = set()  # lists that no README brings in
        self._refused: set[str] = set()
        self._depth = self._included = 0
        self._alone: dict[str, ProjectReader] = {}
        self._named: dict[tuple[str, ...], dict[str, None]] = {}

    def project(self) -> Project:
        """Return what was read so far, equal lines once."""
        own, statements, sources = self.found, dict.fromkeys(self.found.statements), dict.fromkeys(self.found.sources)
        unread = {one.params["file"] for one in own.remarks if one.key == "project.remark.unreadable-file"}
        unread -= {one.origin.file for one in statements} | {one.origin.file for one in sources}
        files = tuple(one for one in self.files if one not in self._refused and one not in unread)
        found = (files, tuple(statements), tuple(sources), tuple(own.remarks), frozenset(own.card_lines))
        return Project(str(self.folder.root), *found, self.included, own.card_unused, "", own.in_chinese)

    def read(self, name: str, included_by: FileLine | None = None, group: str = "") -> None:
        """Read one file of the project by its kind, and what it includes; each file once, so that a circle ends."""
        if name in self.files or (included_by and self.folder.is_among(name, self.files)):
            return
        where = included_by or origin_of(name, 1, name)
        if len(self.files) >= MOST_FILES or self._depth >= _DEEPEST:
            self.found.remark("too-many-files", where)
            return
        self.files.append(name)
        if included_by:
            self.included[name] = included_by
        text = self.folder.read(name)
        if text is None:
            self._refused.add(name)
            self.found.remark("file-outside" if self.folder.leads_out(name) else "file-not-read", where, name=name)
            return
        if name in self.folder.cut:
            self.found.remark("too-long", where, name=name, most=MOST_LINES)
        before = len(self.found.statements)
        self.found.include = self._include
        self._depth += 1
        hand_over(name, text, self.found)
        self._depth -= 1
        new = [from_root(one, self.folder, name) for one in self.found.statements[before:]]
        # On the package index that name is a stub that fails on purpose.
        self.found.statements[before:] = [replace(one, name=TORCH) if one.name in _TORCH_TOO else one for one in new]
        for at, one in enumerate(self.found.statements[before:], before):
            if one.name == _STUB[0]:
                self.found.statements[at] = replace(one, name=_STUB[1], specifier="")
                self.found.remark("read-as", one.origin, asked=_STUB[1])
        if group:
            self.found.statements[before:] = [replace(one, group=group) for one in self.found.statements[before:]]

    def alone(self, name: str) -> ProjectReader:
        """Return one that has read this file and what it includes."""
        if name not in self._alone:
            self._alone[name] = ProjectReader(self.folder)
            self._alone[name].found.own = {*self.found.own}
            self._alone[name].read(name)
        return self._alone[name]

    def know_itself(self, declaring: Iterable[str], telling: Iterable[str]) -> None:
        """Note what the project is called: as its folder, without what a host adds to that of an archive, as the title
        of its README where that is fetched, and as what its READMEs fetch first and its files do not ask for."""
        root = self.folder.root.resolve()
        self.found.called = normalized(root.name if (root / ".git").exists() else _OF_ARCHIVE.sub("", root.name))
        self.found.own.add(self.found.called)
        asked = [one for name in declaring for one in self.alone(name).found.statements]
        packaged = {one for name in declaring for one in self.alone(name).found.packaged}
        self._alone.clear()  # they did not know it yet
        readmes = [self.folder.read(name) or "" for name in telling if name.lower().startswith("readme")]
        texts = [self.folder.read(name) or "" for name in (*telling, *self.folder.linked(telling))]
        self.found.own |= titled_in(readmes, texts) | newest_of(readmes, packaged)
        for text in readmes:
            self.found.own |= {normalized(one) for one in [itself_in(text, self.found.own, asked)] if one}

    def asking(self, names: Iterable[str]) -> dict[str, str]:
        """Return the first file that declares torch, by its folder."""
        found: dict[str, str] = {}
        for name in sorted(names, key=rank):
            if any(one.name == TORCH and one.strength == DECLARED for one in self.alone(name).found.statements):
                found.setdefault(folder_of(name), name)
        return found

    def asks(self, name: str) -> bool:
        return any(one.name == TORCH for one in self.alone(name).found.statements)

    def named_by(self, telling: list[str]) -> dict[str, None]:
        """Return the files whose lists a README says to install, in its order; several looks go through the same."""
        if (texts := (*telling,)) in self._named:
            return self._named[texts]
        alone, named = ProjectReader(self.folder), dict[str, None]()

        def note(words: str, where: FileLine, group: str) -> None:
            if len(named) < MOST_FILES:
                named.setdefault(self.folder.resolve(words, where.file) or words)

        alone.found.include = note
        for name in telling:
            read_commands(name, self.folder.read(name) or "", alone.found)
        self._named[texts] = named
        return named

    def hindrances(self) -> list[Message]:
        """Return what is told of lines that could not be read."""
        return [one for one in self.found.remarks if one.key != "project.remark.in-words"]

    def declares_nothing(self) -> bool:
        """Return whether it is a package that needs nothing: its own files could be read, and name none."""
        return not self.hindrances() and any(rank(name)[0] in _OWN for name in self.files)

    def of_torch(self, names: list[str]) -> list[str]:
        """Return the files without the lists for another framework, where others ask for torch."""
        theirs = [name for name in names if of_another_framework(name)]
        left = [name for name in names if name not in theirs]
        if not theirs or self.asking(theirs) or not self.asking(left):
            return names
        self.found.remark("other-lists", origin_of(min(left, key=rank), 1, ""), files=cut_between(theirs))
        self.left |= set(theirs)
        return left

    def of_those_in_use(self, names: list[str], telling: list[str]) -> list[str]:
        """Return the files without those that a README calls given up, where it installs another list that asks for
        torch."""
        lists, retired = [name for name in names if _IS_LIST.search(name)], dict[str, FileLine]()
        for name in telling:
            if name.lower().startswith("readme"):
                retired = retired_in(name, self.folder.read(name) or "", lists) | retired
        named = self.named_by(telling)
        taken = next((name for name in named if name in names and name not in retired and self.asks(name)), None)
        if taken is None or not retired:
            return names
        first = min(retired.values(), key=lambda at: at.line)
        self.found.remark("retired-lists", first, files=cut_between([*retired]), taken=taken)
        self.left |= {*retired}
        return [name for name in names if name not in retired]

    def of_all_users(self, names: list[str], telling: list[str]) -> list[str]:
        """Return the files without the lists that a README calls optional; one that another list includes is still read
        by that."""
        lists = {*filter(_IS_LIST.search, self.named_by(telling)), *filter(_IS_LIST.search, names)}
        lists = {name for name in lists if name.rpartition("/")[2] != _MAIN and self.folder.has_file(name)}
        found = dict[str, FileLine]()
        for name in telling:
            if not is_run(name):
                found = optional_in(name, self.folder.read(name) or "", lists) | found
        left = [name for name in names if name not in found]
        firm = [one for name in left for one in self.alone(name).found.statements if one.name != PYTHON]
        included = {file for name in left for file in self.alone(name).files}
        optional = [name for name in found if name not in included]
        if not optional or not any(one.strength == DECLARED for one in firm):
            return names
        files = cut_between(optional)
        self.found.remark(
            "optional-lists", min((found[name] for name in optional), key=lambda at: at.line), files=files
        )
        self.left |= {*optional}
        return left

    def of_one_environment(self, names: list[str], telling: list[str]) -> list[str]:
        """Return the files without those of conda's that make another environment than the one that is taken: of those
        for every computer, and of those for each kind of it."""
        told, kinds = [*self.named_by(telling)], dict[frozenset[str], dict[str, str]]()
        yaml = (name for name in names if name.endswith((".yml", ".yaml")) and not purpose_of(name))
        for name in yaml:
            if found := name_of_environment(self.folder.read(name) or ""):
                kinds.setdefault(computer_in(name.rpartition("/")[2]), {})[name] = found
        for made in kinds.values():
            said = {name: self.alone(name).found.statements for name in made}
            mixed = [name for name, lines in said.items() if asks_for_another_framework(lines)]
            if several := others_of(made, {name: family_in(lines) for name, lines in said.items()}, told, mixed):
                chosen, left = several
                self.found.remark("other-lists", origin_of(chosen, 1, ""), files=cut_between(left))
                self.left |= set(left)
        return [name for name in names if name not in self.left]

    def of_one_folder(self, names: list[str], telling: list[str]) -> tuple[list[str], list[str]]:
        """Return the files of one of several folders below that each make an environment, by the READMEs beside their
        lists, and the READMEs beside those that are taken."""
        folders = {folder_of(name) for name in names}
        beside = {folder: self.folder.readmes_of(folder) for folder in folders}
        says = {one: family_in(self.alone(one).found.statements) for readmes in beside.values() for one in readmes}
        family = {folder: max((says[one] for one in readmes), default=0) for folder, readmes in beside.items()}
        making = [folder for folder in family if family[folder]]
        if len(making) > 1 and not any(self.asks(name) for name in names):
            words = "\n".join(self.folder.read(name) or "" for name in telling)
            chosen = first_part(making, family, words)
            left = cut_between(sorted(folders - {chosen}))
            self.found.remark("part-taken", origin_of(chosen, 1, ""), folders=left)
            return [name for name in names if folder_of(name) == chosen], beside[chosen]
        return names, [one for one in says if len(folders) == 1 and one not in telling]

    def leave_developing(self) -> None:
        """What lists for the authors alone (tests, documents) say of torch binds nobody beside other lists."""
        theirs = {name for name in self.files if purpose_of(name)}
        others = (one for one in self.found.statements if one.origin.file not in theirs)
        if any(one.strength == DECLARED and not one.group for one in others):
            self.found.statements = [
                replace(one, group=DEVELOPING) if one.origin.file in theirs and one.name in DECIDED else one
                for one in self.found.statements
            ]

    def is_option(self, name: str) -> bool:
        """Return whether it is a list of its own beside requirements.txt: both ask for torch, each for itself; in a
        folder of nothing but lists any that no other one includes; one that is called optional; an environment whose
        torch excludes another's."""
        folder, last = folder_of(name), name.rsplit("/", 1)[-1]
        main = f"{folder}/{_MAIN}" if folder else _MAIN
        if last.endswith((".yml", ".yaml")) and not names_a_computer(last):
            others = [one for one in self.files if one.endswith((".yml", ".yaml")) and folder_of(one) == folder]
            ways = [self.alone(one).found.statements for one in others if one != name and not names_a_computer(one)]
            return any(are_alternatives(way, self.alone(name).found.statements) for way in ways)
        if last == _MAIN or not _OPTION.fullmatch(last) or names_a_computer(last) or main not in self.files:
            return False
        if folder.rpartition("/")[2].lower() in ("requirements", "requirement") and last != _MAIN:
            return True
        alone, beside = self.alone(name), self.alone(main)
        if main in alone.files:  # it goes on from there
            return False
        if "optional" in words_of(last):
            return True
        shared = {file for file in alone.files if file in beside.files and not CONSTRAINTS.search(file)}
        asking = [any(one.name == TORCH for one in of.found.statements) for of in (alone, beside)]
        return bool(shared) or all(asking) or (asking[0] <= asking[1] and self._repeats(name, main))

    def _repeats(self, name: str, main: str) -> bool:
        """Return whether at least half of what a list of the root names is in the main one, so that it is another way
        to the same; not where a README or a file of the project's brings it in."""
        names, of_main = (
            {one.name for one in self.alone(file).found.statements if one.strength == DECLARED} for file in (name, main)
        )
        return "/" not in name and len(names) >= _FEWEST and 2 * len(names & of_main) >= len(names)

    def read_without_card(self, names: list[str]) -> None:
        """Where requirements.txt has its torch from lists for cards alone: read the one list beside it that asks for
        the same torch, for computers without a card."""
        torch = [one for one in self.alone(_MAIN).found.statements if one.name == TORCH] if _MAIN in self.files else []
        if torch and all(names_card(one.origin.file, "nvidia") for one in torch):
            beside = [name for name in names if "/" not in name and self.is_option(name)]
            same = {name: [one for one in self.alone(name).found.statements if one.name == TORCH] for name in beside}
            found = [name for name, lines in same.items() if lines and not any(one.local for one in lines)]
            if len(found) == 1 and all(can_meet(one.specifier, same[found[0]][0].specifier) for one in torch):
                self.read(found[0], group=f"{WITHOUT_CARD}{found[0]}")

    def tell_options(self, names: list[str]) -> None:
        """Name the lists that were not read, nor included by another."""
        left = sorted(name for name in names if name not in self.files and self.is_option(name))
        said = (one for one in self.found.statements if one.name == TORCH and one.strength == DECLARED)
        asking = [one.origin.file for one in said if not names_a_computer(one.origin.file)]
        taken = _MAIN if _MAIN in self.files else next(iter(asking), _MAIN)
        lists = [name for name in self.folder.lists() if name not in self.files] if taken in self.files else []
        left += [name for name in lists[:MOST_FILES] if self.asking([name])]
        if words := cut_between(left):
            self.found.remark("other-lists", origin_of(taken, 1, words), files=words)

    def take_locked(self) -> None:
        """A lock beside which nothing is declared: all that it holds is what is asked for."""
        locks = [one for one in self.found.statements if one.strength == LOCKED and is_lock(one.origin.file)]
        if locks and not any(one.strength == DECLARED for one in self.found.statements):
            first = locks[0].origin.file
            self.found.remark("lock-alone", origin_of(first, 1, first))
            self.found.statements = [
                replace(one, strength=DECLARED, group="")
                if one.origin.file == first and not one.name.startswith("__")  # what is told of it is no package
                else one
                for one in self.found.statements
            ]

    def _include(self, words: str, where: FileLine, group: str) -> None:
        self._included += 1
        if self._included > _MOST_INCLUDED:
            self.found.remark("too-many-files", where)
        elif re.match(r"[a-z+]+://", words := self.found.here(words)):
            self._include_address(words, where, group)
        else:
            self._include_here(re.sub(r"^file:", "", words), where, group)  # pip takes that for a path

    def _include_here(self, words: str, where: FileLine, group: str) -> None:
        if group in (BUILT, BESIDE):
            is_here = self.folder.may_build(words, where.file) if group == BUILT else self.folder.has_folder(words)
            one = Statement(normalized(words.rpartition("/")[2]), "", where, RECOMMENDED)
            if is_here or group == BESIDE:
                self.found.statements.append(replace(one, url=f"./{words}") if is_here else one)
            return
        name, found = self._looked_up(words, where)
        if group in (STARTED, DOWNLOADED):
            if len(found) == 1 and installs(self.folder.read(found[0]) or ""):
                self.read(found[0], where)
            elif group == STARTED and len(found) != 1 and is_script_of_install(words):
                listed = cut_between(found)
                self.found.remark("several-named" if found else "include-missing", where, name=words, files=listed)
            return
        if name is None:
            is_put_there = any(is_copied(self.folder.read(where.file) or "", one) for one in found)
            if not (_PLACEHOLDER.search(words) or is_put_there or any(one in self.files for one in found)):
                code = "named-elsewhere" if found else "include-missing"
                code = "file-outside" if self.folder.links_out(words, where.file) else code
                self.found.remark(code, where, name=words, files=cut_between(found))
            return
        is_told = rank(where.file)[0] == len(ORDER)
        if not (is_told and (name in self.left or self.is_option(name) or self._is_of_documents(name))):
            self.read(name, where, group)  # a README names them all

    def _is_of_documents(self, name: str) -> bool:
        """Return whether a list is for building the documents, and others say what the project needs."""
        declares = any(one.strength == DECLARED and not one.group for one in self.found.statements)
        return declares and bool(re.match(r"docs?/(?:.*/)?[^/]+\.(?:txt|in)$", name))

    def _include_address(self, url: str, where: FileLine, group: str) -> None:
        """Read the file here that an address of the project's own repository means; another's is not fetched."""
        parts = url.partition("://")[2].split("/")[2:]  # behind the host and the owner
        is_own = bool(parts) and normalized(parts[0].removesuffix(".git")) in self.found.own
        tails = ["/".join(parts[first:]) for first in range(1, min(len(parts), _MOST_OF_REF))] if is_own else []
        if own := next(filter(self.folder.has_file, tails), None):
            self.read(own, where, group)
        else:
            code = "file-outside" if url.startswith("file:") else "include-from-elsewhere"
            self.found.remark(code, where, name=url.partition("://")[2])

    def _looked_up(self, words: str, where: FileLine) -> tuple[str | None, list[str]]:
        """Return the file that a line names, and all that it may mean."""
        name = self.folder.resolve(words, where.file)
        found = [name] if name else self.folder.named(words)
        if not found and (name := self.folder.alike(words, where.file)):
            self.found.remark("named-alike", where, name=words, asked=name)
        return name, found or ([name] if name else [])
