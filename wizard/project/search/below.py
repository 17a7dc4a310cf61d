"""Reads what lies in folders below the project's own: the part that asks for torch, or all that go together, which
parts are compiled, and which are not there.

What the project's own folder asks for is `reader`'s matter. One file: each look goes through the same folders.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from posixpath import normpath

from wizard.model.distributions import FAMILY
from wizard.model.messages import Message
from wizard.model.syntax import NO_PYTHON, parsed
from wizard.project.file_choice import words_of
from wizard.project.formats.setup_files import OWN_CUDA
from wizard.project.formats.toml_files import TomlText, listed, load_toml, table_in
from wizard.project.model import (
    BUILT_WITH,
    DECLARED,
    PYTHON,
    RECOMMENDED,
    TORCH,
    FileLine,
    Findings,
    Statement,
    cut_between,
    fit_to_show,
    is_folder,
    is_script,
    normalized,
    origin_of,
)
from wizard.project.packages.companions import asks_for_torch, companion
from wizard.project.search.files import MOST_FILES
from wizard.project.search.order import folder_of, is_plain_readme, rank
from wizard.project.search.reader import ProjectReader
from wizard.project.versions import can_meet, python_meets

_CUDA_ALONE = f"project.remark.{OWN_CUDA}"
_COMPILED = (_CUDA_ALONE, "project.remark.own-either", "project.remark.own-cpp", "project.remark.own-some")
_EXTRAS = re.compile(r"extras?|optional|docs?")
_SUBMODULES = ".gitmodules"
_MOST_SUBMODULES = 50
_SUBMODULE = re.compile(r"^\s*path\s*=\s*\"?([^\n\"]+?)\"?\s*$", re.MULTILINE)
_BUILDS = {  # what lies in a folder that a program builds, and that program as it is called
    "CMakeLists.txt": re.compile(r"(?:^|[\s;&])cmake\s+(?:-\S+\s+)*\.", re.MULTILINE),
    "Makefile": re.compile(r"(?:^|[\s;&])make(?=\s*(?:$|[;&]|-j|all\b|install\b))", re.MULTILINE),
}
_COMPILER_LINE = re.compile(r"[\s`$>]*(?:g\+\+|gcc|clang(?:\+\+)?|nvcc)\s(?=.*\s-o\s)")
_LONGEST = 300  # characters of a line
_PACKAGE = ("pyproject.toml", "setup.cfg", "setup.py")
_SETUPTOOLS = "setuptools"
_DEEPEST = 3  # folders above a setup.py that is looked at
_MOST_PARTS = 20
_MOST_TOGETHER = 6  # parts that one environment is made for
_PYTHONS = tuple(f"3.{minor}" for minor in range(6, 16))


def of_several(reader: ProjectReader, asking: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """Return the files of the parts that are taken, of several that ask for torch, and tell it; none where it cannot be
    said which is meant."""
    by_folder: dict[str, list[str]] = {}
    for name in names:
        by_folder.setdefault(folder_of(name), []).append(name)
    if chosen := _named_as(asking, reader.found.own):
        left = cut_between(sorted(folder for folder in asking if folder != chosen))
        reader.found.remark("part-of-name", origin_of(asking[chosen], 1, ""), folders=left)
        return sorted(by_folder[chosen], key=rank)
    lines: dict[str, list[Statement]] = {
        folder: [one for name in by_folder[folder] for one in reader.alone(name).found.statements] for folder in asking
    }
    if not _go_together(lines):
        return []
    listed = cut_between(sorted(asking))
    reader.found.remark("parts-together", origin_of(min(asking.values()), 1, ""), folders=listed)
    return [name for folder in sorted(asking) for name in sorted(by_folder[folder], key=rank)]


def readmes_below(reader: ProjectReader, declaring: Iterable[str], telling: Iterable[str]) -> list[str]:
    """Return the first README in a folder below that installs torch and a list of the root, where nothing in the root
    asks for torch."""
    lists = {*declaring}
    if lists and not any(map(reader.asks, (*lists, *telling))):
        for depth, name, _ in reader.folder.names(deepest=1):
            is_readme = depth == 1 and is_plain_readme(name) and reader.folder.readmes_of(folder_of(name))
            if is_readme and reader.asks(name) and lists & {*reader.named_by([name])}:
                return [name]
    return []


def read_below(reader: ProjectReader) -> None:
    """Where nothing asks for torch: read the one folder below whose files do, or the one of several that is meant.
    Others are only named. A README alone does not keep from it where no file beside it lists anything. What a list
    installs of the project's folders is read before."""
    _read_installed(reader)
    declares = any(one.strength != RECOMMENDED and not one.group for one in reader.found.statements)
    if any(asks_for_torch(one) for one in reader.found.statements if declares or one.strength != RECOMMENDED):
        return
    lists = [name for name in reader.folder.lists() if name not in reader.files and not _is_of_extras(name)]
    asking_lists = sorted(name for name in lists[:MOST_FILES] if reader.asking([name]))
    if len(asking_lists) == 1:
        reader.found.remark("torch-below", origin_of(asking_lists[0], 1, ""), folder=folder_of(asking_lists[0]))
        reader.read(asking_lists[0])
    elif asking_lists:
        _tell_parts(reader, asking_lists[0], asking_lists)
    if asking_lists:
        return
    for names in reader.folder.below():
        names = [name for name in names if not (declares and _is_of_extras(name))]
        if asking := reader.asking(names[:MOST_FILES]):
            _read_parts(reader, asking, names)
            break


def _read_installed(reader: ProjectReader) -> None:
    """Take what the folders that lists install ask of torch's family, and name the rest: these are built without what
    they need."""
    named = {one.name for one in reader.found.statements if one.strength == DECLARED}
    linked = {one.name: one.url for one in reader.found.statements if one.group == "constraint" and is_folder(one.url)}
    lines_of = [one for one in reader.found.statements if one.strength == DECLARED and not one.group]
    told = set[str]()
    for by in [replace(one, url=one.url or linked.get(one.name, "")) for one in lines_of]:
        folder = normpath(by.url.partition("#")[0])
        if not is_folder(by.url) or folder == "." or not reader.folder.has_folder(folder):
            continue
        files = [f"{folder}/{name}" for name in _PACKAGE if reader.folder.has_file(f"{folder}/{name}")]
        if not {*files}.isdisjoint(reader.files):  # all that it needs is read
            continue
        lines = [one for name in files for one in reader.alone(name).found.statements]
        lines = [one for one in lines if one.strength == DECLARED and one.name not in (".", PYTHON)]
        lines = [replace(one, group="") for one in lines if not one.group or normalized(one.group) in by.extras]
        reader.found.statements += [one for one in lines if one.name in FAMILY]
        others = dict.fromkeys(str(one) for one in lines if one.name not in {*FAMILY, *named})
        if others and folder not in told:
            told.add(folder)
            reader.found.remark("folder-needs", by.origin, folder=folder, packages=cut_between([*others]))


def _is_of_extras(name: str) -> bool:
    """Return whether it lists what is installed on demand, by a word of its folders."""
    return any(_EXTRAS.fullmatch(word) for word in words_of(folder_of(name)))


def _read_parts(reader: ProjectReader, asking: Mapping[str, str], names: list[str]) -> None:
    if len(asking) > 1:
        taken = of_several(reader, asking, names)
        if not taken:
            _tell_parts(reader, next(iter(asking.values())), sorted(asking))
    else:
        [(folder, first)] = asking.items()
        reader.found.remark("torch-below", origin_of(first, 1, first), folder=folder)
        taken = sorted((name for name in names if folder_of(name) == folder), key=rank)
    for name in taken:
        reader.read(name)


def _tell_parts(reader: ProjectReader, first: str, parts: list[str]) -> None:
    listed = cut_between(parts)
    reader.found.remark("torch-in-parts", origin_of(first, 1, listed), folders=listed)


def tell_compiled(reader: ProjectReader) -> None:
    """Name the folders below whose setup.py compiles code of their own, also those that a line installs, and those that
    a text or a script makes; `cuda` are those of them that hold nothing without a card."""
    parts = [name for name in reader.folder.named("setup.py") if 0 < name.count("/") <= _DEEPEST]
    said = {
        name: [one.key for one in reader.alone(name).found.remarks if _is_compiled(one)] for name in parts[:_MOST_PARTS]
    }
    reader.found.remarks = [
        one for one in reader.found.remarks if not (_is_compiled(one) and "/" in str(one.params["file"]))
    ]
    compiled = [folder_of(name) for name, keys in said.items() if keys]
    compiled += [folder for folder in _made(reader) if folder not in compiled]
    if compiled:
        cuda = cut_between([folder_of(name) for name, keys in said.items() if _CUDA_ALONE in keys])
        words = cut_between(compiled)
        where = origin_of(compiled[0], 1, "")
        reader.found.remark("parts-compiled", where, folders=words, cuda=cuda)


def tell_compiler_line(reader: ProjectReader) -> None:
    """Name the first line of a text or a script that compiles a program of the project by itself."""
    for name in reader.files if reader.found.asks_for_something else ():
        text = "" if name.endswith((".py", ".txt", ".toml")) else reader.folder.read(name) or ""
        for number, line in enumerate(text.split("\n"), 1) if "-o" in text else ():
            if _COMPILER_LINE.match(line[:_LONGEST]):
                reader.found.remark("compiler-line", origin_of(name, number, line.strip()))
                return


def tell_building(reader: ProjectReader) -> None:
    """Name each setup.py, of the project and of folders below, that imports torch: pip builds without what is in the
    environment, unless it is told not to."""
    names = [name for name in reader.folder.named("setup.py") if name.count("/") <= _DEEPEST]
    names = sorted(names, key=lambda name: name.count("/"))[:_MOST_PARTS] if reader.found.asks_for_something else []
    names = [name for name in names if not is_built_by_another(reader, folder_of(name))]
    texts = {name: reader.folder.read(name) or "" for name in names}
    lines = [
        origin_of(name, line, text.split("\n")[line - 1]) for name, text in texts.items() if (line := _torch_at(text))
    ]
    if lines:
        groups = [folder_of(one.file) or "." for one in lines]
        found = zip(lines, groups, strict=True)
        reader.found.statements += [Statement(BUILT_WITH, "", at, RECOMMENDED, group) for at, group in found]
    for at in (place for one in lines if (place := _brings_torch(reader, folder_of(one.file)))):
        reader.found.remark("torch-of-build", at)
    if lines := [one for one in lines if not _brings_torch(reader, folder_of(one.file))]:
        reader.found.remark("torch-in-build", lines[0], files=cut_between([str(one) for one in lines]))


def is_built_by_another(reader: ProjectReader, folder: str) -> bool:
    """Return whether the pyproject.toml beside a setup.py has pip build by what does not run that file."""
    system, _, _ = _build_system(reader, folder)
    backend = str(system.get("build-backend", _SETUPTOOLS))
    return not backend.startswith(_SETUPTOOLS) and "backend-path" not in system


def _build_system(reader: ProjectReader, folder: str) -> tuple[Mapping[str, object], str, str]:
    """Return the table, its file and that file's text."""
    file = f"{folder}/{_PACKAGE[0]}".lstrip("/")
    text = (reader.folder.read(file) or "") if reader.folder.has_file(file) else ""
    return table_in(load_toml(file, text, Findings()), "build-system"), file, text


def _brings_torch(reader: ProjectReader, folder: str) -> FileLine | None:
    """Return the line of the pyproject.toml beside a setup.py that has pip bring a torch of its own to build with."""
    system, file, text = _build_system(reader, folder)
    named = ((str(one), re.match(r"\s*([\w.-]+)", str(one))) for one in listed(system.get("requires")))
    words = next((words for words, name in named if name and normalized(name[1]) in FAMILY), "")
    return replace(TomlText(file, text).at(words, "build-system"), text=fit_to_show(words)) if words else None


def _torch_at(text: str) -> int:
    """Return the first line that imports torch, wherever it stands; 0 for none."""
    try:
        nodes = list(ast.walk(parsed(text))) if TORCH in text else []
    except NO_PYTHON:
        return 0
    named = [(one.lineno, each.name) for one in nodes if isinstance(one, ast.Import) for each in one.names]
    named += [(one.lineno, one.module or "") for one in nodes if isinstance(one, ast.ImportFrom) and not one.level]
    return min((line for line, module in named if module.partition(".")[0] == TORCH), default=0)


def _made(reader: ProjectReader) -> list[str]:
    """Return the folders below that a text or a script of the project goes to and builds with CMake or make."""
    scripts = [name for name in reader.folder.others_near() if is_script(name)]
    texts = [reader.folder.read(name) or "" for name in dict.fromkeys([*reader.files, *scripts])]
    found: list[str] = []
    for file, tool in _BUILDS.items():
        saying = [text for text in texts if tool.search(text)]
        for name in reader.folder.named(file)[:_MOST_PARTS]:
            goes = re.compile(
                rf"\b(?:cd|pushd)\s+[\"']?(?:\S*/)?{re.escape(folder_of(name).rpartition('/')[2])}/?(?![\w.-])"
            )
            if 0 < name.count("/") <= _DEEPEST and any(map(goes.search, saying)):
                found.append(folder_of(name))
    return found


def absent_submodules(reader: ProjectReader) -> list[str]:
    """Return the folders that git fetches from other repositories on demand alone and that are not here."""
    named = _SUBMODULE.findall(reader.folder.read(_SUBMODULES) or "") if reader.folder.has_file(_SUBMODULES) else []
    paths = [*dict.fromkeys(filter(None, (one.rstrip("/") for one in named)))][:_MOST_SUBMODULES]
    return [path for path in paths if reader.folder.is_bare(path)]


def _is_compiled(one: Message) -> bool:
    return one.key in _COMPILED


def _named_as(folders: Iterable[str], names: Collection[str]) -> str | None:
    """Return the one part whose folder is called as the project is."""
    found = [folder for folder in folders if normalized(folder.rpartition("/")[2]) in names]
    return found[0] if len(found) == 1 else None


def _go_together(parts: Mapping[str, Sequence[Statement]]) -> bool:
    """Return whether one environment can be made for all: some version meets each two lines of a package, and no part
    asks for the one for a card and another for the one without, which lie in the same files (onnxruntime-gpu)."""
    asked: dict[str, set[str]] = {}
    firm = {
        part: [one for one in lines if one.strength == DECLARED and not one.group and not one.marker]
        for part, lines in parts.items()
    }
    names = [{one.name for one in lines} for lines in firm.values()]
    if any(_of_other_build(one) & other for one in names for other in names if one is not other):
        return False
    for one in (one for lines in firm.values() for one in lines):
        if one.specifier:
            asked.setdefault(one.name, set()).add(f"{one.specifier}{f'+{one.local}' if one.local else ''}")
    pythons = {one.partition("+")[0] for one in asked.pop(PYTHON, ())}
    has_python = any(all(python_meets(one, python) for one in pythons) for python in _PYTHONS)
    return len(parts) <= _MOST_TOGETHER and has_python and all(map(_meet, asked.values()))


def _of_other_build(names: Collection[str]) -> set[str]:
    """Return the packages that have the same for the processor as these have for a card, but for those among them."""
    rows = (row for name in names if (row := companion(name)))
    return {row.on_cpu for row in rows if row.on_cpu} - {*names}


def _meet(specifiers: Collection[str]) -> bool:
    locals_of = {one.partition("+")[2] for one in specifiers if "+" in one}
    plain = [one.partition("+")[0] for one in specifiers]
    return len(locals_of) < 2 and all(can_meet(one, other) for one in plain for other in plain)
