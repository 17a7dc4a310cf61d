"""Reads what a project's own C++ and CUDA code, and the options that it is compiled with, ask of torch: the headers of
newer releases refuse an older standard of C++, and lack what older ones had.

What is compiled is known by the programs that say so (`CUDAExtension`, `load` of `torch.utils.cpp_extension`); what
such a one names for one torch alone, or a file has behind a look at a version, is meant for both. Which options and
names these are is a row (`native_gone`) of `matrices/companions.toml`.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.formats.live import live_nodes
from wizard.project.formats.setup_files import last_name
from wizard.project.model import ARCHS, CODE, RECOMMENDED, TORCH, FileLine, Statement, is_run, origin_of
from wizard.project.packages.rows import NativeGone, companion_table
from wizard.project.search.files import DEEPEST_PROGRAM
from wizard.project.search.imports import ASIDE, compiles_at
from wizard.project.search.order import folder_of
from wizard.project.search.reader import ProjectReader

_MOST_BUILDERS, _MOST_SOURCES = 300, 300
_EXTENSION = "cpp_extension"
_CLASSES = ("CUDAExtension", "CppExtension")
_OTHER_CLASSES = ("Extension", "Pybind11Extension", "cythonize")  # what these compile has no header of torch, as a rule
_STANDARD = re.compile(r"--?std=((?:c|gnu)\+\+\w+)")
_OF_TORCH = re.compile(r"torch\.__version__|torch\.version|TORCH_VERSION|TORCH_(?:MAJOR|MINOR)|torch_ver")
_LOOKS = re.compile(r"version|hasattr|platform|darwin|_ver\b|major|minor", re.IGNORECASE)
_OF_NVCC = re.compile(r"nvcc|cuda", re.IGNORECASE)
_CHANGING = ("remove", "replace", "startswith", "index", "count")  # calls that look for an option, or take it away
_SOURCES = (".cpp", ".cc", ".cxx", ".c", ".cu", ".cuh", ".h", ".hpp")
_OF_CARD = (".cu", ".cuh")
_COMMENTS = re.compile(r"/\*[\s\S]*?(?:\*/|\Z)|//[^\n]*")  # one without an end goes on to that of the file
_GENCODE = re.compile(r"arch=compute_\d{2,3}[af]?,code=(\[?[\w,]{1,200})")
_ARCH = re.compile(r"(?:sm|compute)_\d{2,3}[af]?(?!\d)")
_ARCH_ALONE = re.compile(r"-arch(?:=| )(?:sm|compute)_(\d{2,3}[af]?)(?!\d)")
_OPEN_CARDS = re.compile(r"\b(?:compute|sm)_[{%\"']")  # put together as it runs
_LIST_OF_CARDS = re.compile(
    r"TORCH_CUDA_ARCH_LIST[\"']?\]?\s*[=,]?\s*[\"']?"
    r"(?P<cards>\d{1,2}\.\d[af]?(?:\+PTX)?(?:[;, ]+\d{1,2}\.\d[af]?(?:\+PTX)?){0,20})(?=[\"'`\s)]|$)(?![;, ]+\d)"
)
_AS_EXAMPLE = re.compile(r"for example|e\.g\.|^\s*#", re.IGNORECASE)
_TITLE = re.compile(r"#{1,6} |\s*<summary>")
_SETS_LIST = re.compile(r"TORCH_CUDA_ARCH_LIST=(?:\"[^\"]*\"|'[^']*'|\S*)\s*")
# What leads to a block of a text that only some need: an example, or the answer to a question.
_IS_CASE = re.compile(
    r"for example|e\.g\.|\bif\b|in case|\bfaqs?\b|troubleshoot|\bissues?\b|\bproblems?\b"
    r"|\berrors?\b|\?\s*$",
    re.IGNORECASE,
)
_LONGEST = 300  # characters of a line
_DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif|define)\b(.*)")
_FOR_OTHERS = re.compile(r"VERSION|MAJOR|MINOR|TORCH|AT_CHECK|THC|ROCM|HIP|^\s*0\s*$")  # of a condition


@dataclass(frozen=True, slots=True)
class _Use:
    row: NativeGone
    where: FileLine
    for_card: bool  # compiled for a card alone
    by_nvcc: bool = False  # an option of the compiler for CUDA, which has it on Windows, too


def note_native_code(reader: ProjectReader) -> None:
    """Note for each row where it is used first, and where else; by itself that asks for nothing."""
    rows = companion_table().native_gone if reader.found.asks_for_something else ()
    builders = dict(_builders(reader)) if rows else {}
    reader.found.statements += _cards(reader, builders)
    uses = [one for name, text in builders.items() for one in _options(name, text, rows)]
    uses += _names(reader, builders, rows) if builders else ()
    for row in rows:
        lines = [one for one in uses if one.row == row]
        if not row.options:
            reader.found.statements += _statements(row, lines, "")
            continue
        reader.found.statements += _statements(row, lines, 'sys_platform == "linux"')
        if row.on_windows:  # cl.exe passes over an option of that form
            lines = [one for one in lines if one.by_nvcc]
            reader.found.statements += _statements(row, lines, 'sys_platform == "win32"')


def _statements(row: NativeGone, uses: list[_Use], marker: str) -> Iterator[Statement]:
    if uses:
        first, for_card = uses[0].where, all(one.for_card for one in uses)
        more = {one.where.file: str(one.where) for one in reversed(uses) if one.where.file != first.file}
        extras = (row.name, row.instead, *reversed(more.values()))
        yield Statement(CODE, row.kept, first, RECOMMENDED, TORCH, marker=marker, extras=extras, for_card=for_card)


def _cards(reader: ProjectReader, builders: dict[str, str]) -> Iterator[Statement]:
    """Yield the first line of each program, and of each text and script that was read, that has code compiled for the
    cards that it names alone, which are its extras."""
    for name, text in builders.items():
        of_options = [one for one in map(_generations, _strings(parsed(text))) if one] if "compute_" in text else []
        of_list = [one for one in _set_lists(text)]
        if _OPEN_CARDS.search(text) or not (found := of_options or of_list):
            continue
        yield _of_cards(name, text, found)
    for name in reader.files:
        is_other = name in builders or name.endswith((".py", ".txt", ".toml"))
        text = reader.folder.read(name) or "" if builders and not is_other else ""
        found, lines = list(_set_lists(text)), _Lines(text.split("\n"))
        if found := [one for one in found if is_run(name) or lines.is_way(one[0])]:
            yield _of_cards(name, text, found)


class _Lines:
    """A text in lines, of which many may set a list of cards: what they are asked is looked up once for all."""

    def __init__(self, lines: list[str]) -> None:
        self._lines, begins = lines, [line.lstrip() for line in lines]
        self._fences = [at for at, line in enumerate(begins) if line.startswith(("```", "~~~"))]
        self._titles = [at for at, line in enumerate(lines) if _TITLE.match(line) and not self._is_code(at)]
        self._written = [at for at, line in enumerate(begins) if line]
        self._comments = [at for at, line in enumerate(begins) if line.startswith("#")]
        self._plain: dict[tuple[int, int], Counter[str]] = {}  # by block: how often a command stands there

    def _is_code(self, at: int) -> bool:
        return bool(bisect_right(self._fences, at) % 2)

    def is_way(self, number: int) -> bool:
        """Return whether a text has a line as the way to install: not as an example, below a question or a heading of
        errors, nor beside the same command without a list."""
        after = bisect_left(self._fences, number - 1)  # the line itself may be a fence
        first = self._fences[after - 1] + 1 if after else 0
        after = bisect_left(self._fences, number)
        last = self._fences[after] if after < len(self._fences) else len(self._lines)
        title = bisect_left(self._titles, first)
        begin, end = (bisect_left(self._written, at) for at in (self._titles[title - 1] if title else 0, first))
        comment = bisect_left(self._comments, number - 1)
        led = [*self._written[begin : min(begin + 2, end)], *self._written[max(begin, end - 2) : end]]
        led += [at for at in self._comments[max(0, comment - 1) : comment] if at >= first]
        if any(_IS_CASE.search(self._lines[at]) for at in led):
            return False
        block = first, last
        if block not in self._plain:
            self._plain[block] = Counter(map(_without_list, self._lines[first:last]))
        return self._plain[block][_without_list(self._lines[number - 1])] == 1


def _without_list(line: str) -> str:
    return " ".join(_SETS_LIST.sub("", line).split())


def _of_cards(name: str, text: str, found: list[tuple[int, list[str]]]) -> Statement:
    line, archs = found[0][0], dict.fromkeys(arch for _, archs in found for arch in archs)
    where = origin_of(name, line, text.split("\n")[line - 1])
    return Statement(ARCHS, "", where, RECOMMENDED, name, extras=tuple(archs))


def _strings(tree: ast.Module) -> Iterator[ast.Constant]:
    return (one for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _generations(option: ast.Constant) -> tuple[int, list[str]] | None:
    """Return what an option of nvcc has code made for: `arch=compute_70,code=sm_70`."""
    words = str(option.value)[: 10 * _LONGEST]
    archs = [arch for match in _GENCODE.finditer(words) for arch in _ARCH.findall(match[1])]
    archs += [f"{kind}_{of}" for of in _ARCH_ALONE.findall(words) for kind in ("sm", "compute")]
    return (option.lineno, archs) if archs else None


def _set_lists(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that set the list of cards that torch compiles for: `TORCH_CUDA_ARCH_LIST="8.0;8.6+PTX"`."""
    for number, line in enumerate(text.split("\n"), 1) if "TORCH_CUDA_ARCH_LIST" in text else ():
        match = _LIST_OF_CARDS.search(line[:_LONGEST])
        if match and not _AS_EXAMPLE.search(line[:_LONGEST]):
            named = [word for word in re.split(r"[;, ]+", match["cards"].strip()) if word]
            plain = [word.removesuffix("+PTX").replace(".", "") for word in named]
            ptx = [f"compute_{one}" for one, word in zip(plain, named, strict=True) if word.endswith("+PTX")]
            yield number, [*(f"sm_{one}" for one in plain), *ptx]


def _builders(reader: ProjectReader) -> Iterator[tuple[str, str]]:
    """Yield the programs that compile code with torch, each with its text."""
    names = (
        name
        for _, name, _ in reader.folder.names(DEEPEST_PROGRAM)
        if name.endswith(".py") and not ASIDE.fullmatch(name)
    )
    for name in islice(names, _MOST_BUILDERS):
        text = reader.folder.read(name) or ""
        if _EXTENSION in text and (_makes(text) or compiles_at(text)):
            yield name, text


def _makes(text: str) -> bool:
    try:
        nodes = live_nodes(parsed(text))
    except NO_PYTHON:
        return False
    return any(last_name(node) in _CLASSES for node in nodes if isinstance(node, ast.Name | ast.Attribute))


def _for_card(text: str) -> bool:
    """Return whether what a program compiles is for a card alone."""
    return _CLASSES[1] not in text and ("CUDAExtension" in text or "extra_cuda" in text or ".cu" in text)


def _options(name: str, text: str, rows: Iterable[NativeGone]) -> Iterator[_Use]:
    try:
        found = sorted(set(_standards(parsed(text))))
    except NO_PYTHON:
        return
    if len({standard for _, standard, _ in found}) > 1 and _OF_TORCH.search(text):
        return  # each for its torch
    lines = text.split("\n")
    for line, standard, by_nvcc in found:
        for row in rows:
            if standard in row.options:
                yield _Use(row, origin_of(name, line, lines[line - 1]), _for_card(text), by_nvcc)


def _standards(node: ast.AST, by_nvcc: bool = False) -> Iterator[tuple[int, str, bool]]:
    """Yield the options for a standard of C++ that stand in a program, each with its line, and whether nvcc is given
    it; not what is behind a look at a version, or for code without torch."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = (match[1] for word in node.value.split() if (match := _STANDARD.fullmatch(word)))
        yield from ((node.lineno, word, by_nvcc) for word in words)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            yield from _standards(value, by_nvcc or bool(key and _OF_NVCC.search(ast.unparse(key))))
    elif not _is_apart(node):
        is_its = by_nvcc or any(map(_OF_NVCC.search, _named(node)))
        for each in ast.iter_child_nodes(node):
            yield from _standards(each, is_its)


def _is_apart(node: ast.AST) -> bool:
    """Return whether what stands in it is for some releases alone, for code without torch, or not given to a
    compiler."""
    if isinstance(node, ast.If | ast.IfExp):
        return bool(_LOOKS.search(ast.unparse(node.test)))
    is_call = isinstance(node, ast.Call) and last_name(node.func) in (*_CHANGING, *_OTHER_CLASSES)
    return isinstance(node, ast.Compare) or is_call


def _named(node: ast.AST) -> list[str]:
    """Return what the options in it are given to: a name, an argument, a list that they are added to."""
    if isinstance(node, ast.Assign):
        return [ast.unparse(one) for one in node.targets]
    if isinstance(node, ast.AugAssign):
        return [ast.unparse(node.target)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [ast.unparse(node.func.value)]
    return [node.arg or ""] if isinstance(node, ast.keyword) else []


def _names(reader: ProjectReader, builders: dict[str, str], rows: Iterable[NativeGone]) -> list[_Use]:
    """Return what the sources beside and below the builders use, but for what the project defines itself."""
    patterns = {row: re.compile(row.pattern, re.MULTILINE) for row in rows if row.pattern}
    folders = {f"{folder_of(name)}/".lstrip("/"): _for_card(text) for name, text in builders.items()}
    names = (
        name
        for _, name, _ in reader.folder.names(DEEPEST_PROGRAM)
        if name.endswith(_SOURCES) and not ASIDE.fullmatch(name)
    )
    below = ((name, [card for folder, card in folders.items() if name.startswith(folder)]) for name in names)
    uses, own = list[_Use](), set[NativeGone]()
    for name, cards in islice((one for one in below if one[1]), _MOST_SOURCES):
        text = reader.folder.read(name) or ""
        own |= {row for row in patterns if row.own and re.search(rf"#\s*define\s+{row.own}\b", text)}
        for number, line in _plain(text) if any(one.search(text) for one in patterns.values()) else ():
            for row, pattern in patterns.items():
                if pattern.search(line):
                    where = origin_of(name, number, line.strip())
                    uses.append(_Use(row, where, name.endswith(_OF_CARD) or all(cards)))
    return [one for one in uses if one.row not in own]


def _plain(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines without comments, but for those behind a condition that asks for a release."""
    open_conditions: list[bool] = []
    hiding = 0  # how many of them hide what is behind them
    lines = _COMMENTS.sub(lambda one: "\n" * one[0].count("\n"), text).split("\n")
    for number, line in enumerate(lines, 1):
        directive = _DIRECTIVE.match(line)
        if directive and directive[1] in ("if", "ifdef", "ifndef"):
            after = next((lines[at] for at in range(number, len(lines)) if lines[at].strip()), "")
            is_guard = bool(re.fullmatch(rf"\s*#\s*define\s+{re.escape(directive[2].strip())}\s*", after))
            open_conditions.append(not is_guard and bool(_FOR_OTHERS.search(directive[2])))
            hiding += open_conditions[-1]
        elif directive and directive[1] == "elif" and open_conditions:
            is_now = bool(_FOR_OTHERS.search(directive[2])) and not open_conditions[-1]
            open_conditions[-1] |= is_now
            hiding += is_now
        elif directive and directive[1] == "endif" and open_conditions:
            hiding -= open_conditions.pop()
        elif not hiding:
            yield number, line
