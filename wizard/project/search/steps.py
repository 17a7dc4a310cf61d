"""Whether the steps of a README go by other files than what was once written down of an environment.

Such an export, with the builds of one computer, holds what somebody had at one time; where nothing names it, the files
that the steps install count alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wizard.project.file_choice import is_frozen
from wizard.project.model import DECLARED, PYTHON, TORCH, cut_between, is_run, origin_of
from wizard.project.search.order import rank
from wizard.project.search.reader import ProjectReader

_INSTALLS_ITSELF = re.compile(
    r"\bpip3?\s+install\s+(?:-[\w-]+\s+)*[\"']?\.(?:\[[\w, -]*\])?[\"']?(?=[\s`;&]|$)"
    r"|\bsetup\.py\s+(?:install|develop)\b|\bpoetry\s+install\b|\buv\s+sync\b",
    re.MULTILINE,
)
_OF_ITSELF = ("setup.py", "setup.cfg", "pyproject.toml")
_FEWEST = 3  # builds in a list of conda's own


def of_steps(reader: ProjectReader, names: list[str], telling: list[str]) -> list[str]:
    """Return the files without exports of conda's that nothing names, where a README installs others and these, or its
    own lines, ask for torch."""
    texts = {name: reader.folder.read(name) or "" for name in telling}
    said = "\n".join(texts.values())
    exports = [name for name in names if _is_export(reader, name) and name.rpartition("/")[2] not in said]
    told = [name for name in telling if not is_run(name)]
    installed = {*reader.named_by(told)} & {*names} - {*exports}
    if any(_INSTALLS_ITSELF.search(texts[name]) for name in told):
        installed |= {*_OF_ITSELF} & {*names}
    if not exports or not _declares(reader, installed) or not any(map(reader.asks, (*installed, *told))):
        return names
    first = min(installed)
    reader.found.remark("export-left", origin_of(first, 1, ""), files=cut_between(exports), taken=first)
    reader.left |= {*exports}
    return [name for name in names if name not in exports]


def of_today(reader: ProjectReader, names: list[str], telling: list[str]) -> list[str]:
    """Return the files without the lists that hold what was installed with one release of the project, or at one
    time, where others say what it needs; not those that a README goes by."""
    named = reader.named_by([name for name in telling if name.lower().startswith("readme")])
    said = {name: reader.alone(name).found.statements for name in names if name not in named}
    frozen = [name for name, of in said.items() if is_frozen(name, [one for one in of if one.name == TORCH])]
    left = [name for name in names if name not in frozen]
    lines = {name: [one for one in reader.alone(name).found.statements if one.name != PYTHON] for name in left}
    firm = [name for name, of in lines.items() if any(one.strength == DECLARED and not one.group for one in of)]
    if not frozen or not firm:
        return names
    files = cut_between(frozen)
    reader.found.remark("frozen-lists", origin_of(min(firm, key=rank), 1, ""), files=files)
    reader.left |= set(frozen)
    return left


def _is_export(reader: ProjectReader, name: str) -> bool:
    """Return whether most of its lines name the build, too, as conda writes them down and nobody types them."""
    if not name.endswith((".yml", ".yaml")):
        return False
    lines = [one for one in reader.alone(name).found.statements if one.conda and one.origin.file == name]
    built = [one for one in lines if one.build]
    return len(built) >= _FEWEST and 2 * len(built) > len(lines)


def _declares(reader: ProjectReader, names: Iterable[str]) -> bool:
    lines = (one for name in names for one in reader.alone(name).found.statements)
    return any(one.strength == DECLARED and not one.group and one.name not in (PYTHON, TORCH) for one in lines)
