"""Conda's words in pip's: its name of a package on the package index, which of conda's have none there, and what its
specs ask for. `pytorch=1.11.0=py3.9_0` is torch, `==1.11.0` and a build.

The rows are those of `matrices/companions.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatch, translate
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from wizard.compatibility.data.ordering import version_key
from wizard.model.messages import Message, message
from wizard.project.model import FileLine, Statement, normalized
from wizard.project.packages.companions import companion, has_row
from wizard.project.packages.rows import CondaNamed, companion_table
from wizard.project.versions import ENDLESS

_CONDA_SPEC = re.compile(
    r"^(?:(?P<channel>[^\s:\[\]]+):(?:[^\s:\[\]]*:)?)?(?P<name>[A-Za-z0-9_][\w.-]*)\s*(?P<version>[^\s\[]+(?:\s*[,|]\s*[^\s\[]+)*)?"
    r"(?:\s+(?P<build>[^\s\[]+))?\s*(?:\[(?P<extra>.*)\])?$"
)
_AROUND_SIGNS = re.compile(r"\s*([<>!~=]=?|[,|])\s*")
_IN_BRACKETS = re.compile(r"(version|build)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\"',\]]+))")
# Of conda: `h30feacc_1`, `nompi_h2c03a5b_102`. The hashes of a build that holds nothing for one system (`hd8ed1ab`) are
# those of packages in plain Python, too.
_LIBRARY_BUILD = re.compile(
    r"(?!.*(?:py|h(?:d8ed1ab|d3eb1b0|06a4308|aa95532|ecd8cb5|ca03da5|a770c72|57928b3|694c41f|ce30654)))"
    r"(?:[a-z0-9_.]*[\d_l])?h[0-9a-f]{7}_\w+"
)


_LIBRARIES = "project.remark.conda-libraries"
# The package that chose torch's build before there was cudatoolkit, as PyTorch 0.4 says how it is installed: `cuda90`.
_OF_CUDA = re.compile(r"cuda(\d{1,2})(\d)")


def name_of_conda(name: str, specifier: str) -> str:
    """Return what the package index calls it."""
    name = normalized(name)
    if name == "pyqt":  # one name for all of Qt's releases
        return "pyqt6" if version_key(specifier)[:1] == (6,) else "pyqt5"
    return _of_conda().get(name, name)


@lru_cache(maxsize=1)
def _of_conda() -> dict[str, str]:
    return {other: row.names[0] for row in companion_table().conda_alias for other in row.names[1:]}


@lru_cache(maxsize=1)
def conda_names() -> frozenset[str]:
    """Return what is the same package when conda names it. Others may be anything on the package index."""
    return frozenset(name for row in companion_table().conda_named for name in row.names)


def is_of_index(name: str) -> bool:
    """Return whether a name that conda gives is known as that of the same package on the index."""
    return has_row(name) or name in conda_names() or name in _of_conda().values()


@lru_cache(maxsize=8192)
def is_condas_alone(name: str, build: str = "") -> bool:
    """Return whether it is a library or a program that the index has not, or as another thing; what no row knows is
    one by its build, where that names no Python."""
    is_library = bool(_LIBRARY_BUILD.fullmatch(build)) and not (has_row(name) or name in conda_names())
    return is_library or (companion(name) is None and bool(_condas_alone().match(name)))


@lru_cache(maxsize=1)
def _condas_alone() -> re.Pattern[str]:
    names = {one for row in companion_table().conda_only for one in row.names}
    return re.compile("|".join(map(translate, sorted(names))))


def of_conda_here(remarks: Iterable[Message], os: str) -> Iterator[Message]:
    """Yield what was told, without the advice to take from conda what conda has for other systems alone."""
    rows = [row for row in companion_table().conda_only if os in row.lacks]
    for one in remarks:
        if one.key == _LIBRARIES:
            yield from _libraries_here(one, rows)
            continue
        names = str(one.params["packages"]).split(", ") if one.key == "project.remark.conda-programs" else []
        lacking = [name for name in names if any(fnmatch(name, each) for row in rows for each in row.names)]
        others = [name for name in names if name not in lacking]
        if others or not lacking:
            yield message(one.key, **{**one.params, "packages": ", ".join(others)}) if lacking else one
        if lacking:
            yield message(
                "project.remark.conda-elsewhere",
                "{file}, line {line}, installs by conda what is no package of the index, and conda has it for other "
                "systems alone: {packages}. What needs it does not run here: use WSL.",
                file=one.params["file"],
                line=one.params["line"],
                packages=", ".join(lacking),
            )


def _libraries_here(one: Message, rows: Collection[CondaNamed]) -> Iterator[Message]:
    words, mark, more = str(one.params["packages"]).partition(" (+")
    names = words.split(", ")
    lacking = [name for name in names if any(fnmatch(name, each) for row in rows for each in row.names)]
    others = [name for name in names if name not in lacking]
    if others or mark:
        count = int(str(one.params["count"])) - len(lacking)
        left: dict[str, str | int] = {"count": count, "packages": f"{', '.join(others)}{mark}{more}"}
        yield message("project.remark.conda-libraries", **left) if lacking else one
    if lacking:
        yield message(
            "project.remark.conda-libraries-elsewhere",
            "Conda has these libraries and programs for other systems alone, and they are no packages of the index: "
            "{packages}. What needs them does not run here: use WSL.",
            packages=", ".join(lacking),
        )


@lru_cache(maxsize=8192)
def system_of_build(build: str) -> str:
    """Return the one system that a build is for by its name; "" where no row says it."""
    rows = companion_table().conda_build
    return next((row.system for row in rows if any(fnmatch(build, one) for one in row.builds)), "")


def conda_specifier(version: str) -> tuple[str, str]:
    """Return PEP 440 words and the build string of `=1.12.1`, `==2.0`, `1.11.*`, `>=1,<2`, `=1.11.0=py39_0`.

    A single `=` means that version and what begins with it. Of alternatives (`1.12|2.0`) the newest counts, which PEP
    440 cannot say otherwise. What cannot be said is any version.
    """
    if ENDLESS.search(version):
        return "", ""
    version = max(version.strip().strip("\"'").split("|"), key=version_key)
    build = ""
    pinned = re.fullmatch(r"(==?|)\s*([^=<>!~,]+)=([^=<>!~,]+)", version)
    if pinned:
        version, build = f"=={pinned[2]}", pinned[3]
    bounded = re.fullmatch(r"([<>!~]=?[^=]+)=([A-Za-z_*][^=]*)", version)
    version, build = (bounded[1], bounded[2]) if bounded else (version, build)
    version = re.sub(r"([<>]=?|~=)(\s*[\d.]+?)\.?\*", r"\1\2", version)  # `>=1.7.*`
    parts = []
    for part in re.split(r"\s*,\s*", version):
        part = part.strip().replace(" ", "")
        if not part or part == "*":
            continue
        fuzzy = re.fullmatch(r"=?([0-9][^=<>!~]*)", part)
        if fuzzy:
            parts.append(f"=={fuzzy[1]}" if fuzzy[1].endswith("*") else f"=={fuzzy[1]}.*")
        else:
            parts.append(re.sub(r"^(~=|[<>!=]=?)", r"\1", part))
    specifier = ",".join(re.sub(r"(?<![.])\*$", ".*", part) for part in parts)
    try:
        SpecifierSet(specifier)
    except InvalidSpecifier:
        return "", build
    return specifier, build


def conda_statement(words: str, where: FileLine) -> Statement | None:
    """None: no package is named."""
    match = _CONDA_SPEC.match(_AROUND_SIGNS.sub(r"\1", words.strip().strip("\"'")))
    if not match or match["name"].startswith("_"):
        return None
    # "conda create" writes name=1.2=build, people write "name =1.2", "name 1.2 build" and "name[version='>=1']".
    raw, build = match["version"] or "", match["build"] or ""
    if match["extra"]:
        inside = {one[1]: one[2] or one[3] or one[4] or "" for one in _IN_BRACKETS.finditer(match["extra"])}
        raw, build = inside.get("version", raw), inside.get("build", build)
    specifier, named = conda_specifier(raw)
    if of_cuda := _OF_CUDA.fullmatch(match["name"].lower()):
        return Statement("cudatoolkit", f"=={of_cuda[1]}.{of_cuda[2]}.*", where, conda=True)
    of_name = "cpu" if match["name"].lower() == "pytorch-cpu" else ""
    name = name_of_conda(match["name"], specifier)
    return Statement(name, specifier, where, build=build or named or of_name, conda=True)
