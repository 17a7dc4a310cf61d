"""Which of several environments of one project is taken: one alone is planned, the others are named.

And which lists are for some users alone, or given up. Pure: what each file or folder holds is given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from wizard.project.formats.requirements import FENCE
from wizard.project.formats.working_folder import without_hidden
from wizard.project.model import TORCH, FileLine, Statement, origin_of

OF_TORCH = (TORCH, "torchvision", "torchaudio", "pytorch-cuda", "cudatoolkit")
_NAME = re.compile(r"^name:[ \t]*[\"']?([\w.-]+)", re.MULTILINE)
_IS_CONDAS = re.compile(r"^dependencies:", re.MULTILINE)
_YEAR = re.compile(r"(?<!\d)20\d\d(?!\d)")  # of an edition: `course2024_gpu.yml`
# Of a way to install that the authors have given up.
_RETIRED = re.compile(
    r"deprecat|outdated|obsolete|no longer (?:\w+ )?(?:maintained|supported|used|needed|recommended|work)"
    r"|\b(?:old|legacy) (?:conda |pip )?(?:way|method|install\w*|set-?up|environment|conda|instructions)\b"
    r"|弃用|废弃|过时|不再",
    re.IGNORECASE,
)
# Of a list that is for some of its users.
_OPTIONAL = re.compile(
    r"\bnot (?:\w+ ){0,2}(?:included|installed|part of)\b[^.]{0,40}\bdefault\b|\boptional(?:ly)?\b|可选|默认不",
    re.IGNORECASE,
)
_MAIN = re.compile(r"(?:^|/)environment\.ya?ml$", re.IGNORECASE)


def name_of_environment(text: str) -> str:
    """Return the name that a file of conda's gives to what it makes; "" for none."""
    match = _NAME.search(text) if _IS_CONDAS.search(text) else None
    return match[1] if match else ""


def family_in(statements: Iterable[Statement]) -> int:
    """Return how much of torch's family is asked for; 0 where torch itself is not."""
    names = {one.name for one in statements if not one.group}
    return len(names & {*OF_TORCH}) if TORCH in names else 0


def others_of(
    names: Mapping[str, str], family: Mapping[str, int], told: Sequence[str], mixed: Collection[str]
) -> tuple[str, list[str]] | None:
    """Return the file whose environment is taken, and the files of the others; None where there is one alone. `names`
    has what each file calls its own, `told` the files that are installed from, in the order of the README, `mixed`
    those that ask for another framework, too. Of editions by year the newest is meant."""
    if len(set(names.values())) < 2:
        return None
    years = {file: max(map(int, _YEAR.findall(f"{file} {name}")), default=0) for file, name in names.items()}
    is_by_year = all(years.values())

    def place(file: str) -> tuple[object, ...]:
        first = told.index(file) if file in told else len(told)
        said = (not family[file], file not in told, not _MAIN.search(file), first)
        return (*said, file in mixed, is_by_year and -years[file], -family[file], file)

    chosen = min(names, key=place)
    return chosen, sorted(file for file, name in names.items() if name != names[chosen])


def first_part(folders: Iterable[str], family: Mapping[str, int], words: str) -> str:
    """Return the folder that is taken of several: the README's first, else the one with most of torch's family."""

    def place(folder: str) -> tuple[int, int, str]:
        match = re.search(rf"(?<![\w.-]){re.escape(folder)}(?![\w-])", words)
        return (match.start() if match else len(words), -family[folder], folder)

    return min(folders, key=place)


def retired_in(file: str, text: str, names: Iterable[str]) -> dict[str, FileLine]:
    """Return the lists that a README has only in what it hides (a comment of HTML), below a heading or in a line that
    calls it given up, each with the first such line."""
    retired, in_use = dict[str, FileLine](), set[str]()
    words = {name: re.compile(rf"(?<![\w./-])(?:\./)?{re.escape(name)}(?![\w-])") for name in names}
    for number, line, left, above in _with_headings(text):
        for name, word in words.items():
            if word.search(line) and (not word.search(left) or _RETIRED.search(above) or _RETIRED.search(line)):
                retired.setdefault(name, origin_of(file, number, line))
            elif word.search(line):
                in_use.add(name)
    return {name: at for name, at in retired.items() if name not in in_use}


def optional_in(file: str, text: str, names: Iterable[str]) -> dict[str, FileLine]:
    """Return the lists that a sentence calls optional, or that stand only below a heading that does, each with the
    first such line. A sentence calls a list by its last name, the command below it by its path."""
    said, below, others = dict[str, FileLine](), dict[str, FileLine](), set[str]()
    words = {name: re.compile(rf"(?<![\w.-]){re.escape(name.rpartition('/')[2])}(?![\w-])") for name in names}
    for number, line, left, above in _with_headings(text):
        for name in [name for name, word in words.items() if word.search(left)]:
            at, its = (
                origin_of(file, number, line),
                (one for one in re.split(r"[.;] ", left) if words[name].search(one)),
            )
            if any(_OPTIONAL.search(re.sub(r"[*`]+", "", one)) for one in its):
                said.setdefault(name, at)
            elif _OPTIONAL.search(above):
                below.setdefault(name, at)
            else:
                others.add(name)
    return {name: at for name, at in below.items() if name not in others} | said


def _with_headings(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield each line with its number, what is shown of it, and the heading above it."""
    above, is_code = "", False
    shown = without_hidden(text).split("\n")
    for number, (line, left) in enumerate(zip(text.split("\n"), shown, strict=True), 1):
        is_code ^= bool(FENCE.match(left))
        above = left if left.startswith("#") and not is_code else above
        yield number, line, left, above
