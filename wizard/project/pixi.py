"""Reads pixi's tables, of pixi.toml or pyproject.toml: features, systems, and which of its environments counts.

An environment is the tables without a name and those of its features. The one called default counts; where no table
without a name asks for torch and several environments do, each its own, it is the one with the newest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from wizard.compatibility.data.ordering import version_key
from wizard.project.conda_spec import NAMES, conda_specifier
from wizard.project.model import PYTHON, TORCH, AddressLine, FileLine, Findings, Statement, normalized
from wizard.project.toml_files import FAMILY, TomlText, listed, load_toml, poetry_statement, table_in
from wizard.project.understand import can_meet

_TARGETS = {
    "linux": "sys_platform == 'linux'",
    "win": "sys_platform == 'win32'",
    "osx": "sys_platform == 'darwin'",
    "unix": "sys_platform != 'win32'",
}
_CUDA_PAGE = re.compile(r"https?://[^/]*pytorch[^/]*/.*/(cu\d{2,3})/?")
_MOST_NAMED = 6  # environments in one sentence


def read_pixi(file: str, text: str, found: Findings) -> None:
    """Read pixi.toml, or what a pyproject.toml has for pixi."""
    document = load_toml(file, text, found)
    is_part = file.endswith("pyproject.toml")
    pixi = table_in(table_in(document, "tool"), "pixi") if is_part else document
    if pixi:
        PixiReader(pixi, "tool.pixi." if is_part else "", TomlText(file, text), found).read()


class PixiReader:
    """One set of pixi's tables; `prefix` is what their names begin with in the file."""

    def __init__(self, pixi: Mapping[str, Any], prefix: str, lines: TomlText, found: Findings) -> None:
        self.pixi, self.prefix, self.lines, self.found = pixi, prefix, lines, found

    def read(self) -> None:
        """Note channels, the CUDA of the system, and what the tables ask for, by their feature."""
        workspace = table_in(self.pixi, "workspace") or table_in(self.pixi, "project")
        for channel in listed(workspace.get("channels")):
            if isinstance(channel, str):
                self.found.sources.append(AddressLine("channel", channel, self.lines.at(channel)))
        cuda = table_in(self.pixi, "system-requirements").get("cuda")
        if isinstance(cuda, str):
            where = self.lines.at("cuda", f"{self.prefix}system-requirements")
            self.found.statements.append(Statement("__cuda", f">={cuda}", where))
        self.found.statements += self._of_one_environment(list(self._statements()))

    def _of_one_environment(self, read: list[Statement]) -> list[Statement]:
        """Return what was read, that of the environment's features as what the project itself asks for; where
        environments ask each for a torch of its own, without the others' features."""
        environments = dict(self._environments())
        features, left = environments.get("default", ()), frozenset[str]()
        torch = [one for one in read if one.name == TORCH]
        groups = {one.group for one in torch}
        asking = {name: of for name, of in environments.items() if groups & set(of)}
        agree = all(can_meet(one.specifier, other.specifier) for one in torch for other in torch)
        is_one = len({frozenset(groups & set(of)) for of in asking.values()}) == 1
        if asking and not groups & {"", *features} and (is_one or not agree):
            chosen = max(asking, key=lambda name: _newest(read, asking[name]))
            features = asking[chosen]
            left = frozenset(feature for of in asking.values() for feature in of) - set(features)
            if others := [name for name in asking if name != chosen]:
                where = self.lines.at(chosen, f"{self.prefix}environments")
                self.found.remark("environments", where, chosen=chosen, others=", ".join(others[:_MOST_NAMED]))
        kept = (one for one in read if one.group not in left)
        return [replace(one, group="") if one.group in features else one for one in kept]

    def _environments(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each environment with its features."""
        for name, value in table_in(self.pixi, "environments").items():
            features = value.get("features") if isinstance(value, dict) else value
            yield str(name), tuple(one for one in listed(features) if isinstance(one, str))

    def _statements(self) -> Iterator[Statement]:
        for head, group, marker, tables in self._tables():
            for name, value in table_in(tables, "dependencies").items():
                where = self.lines.at(str(name), f"{head}dependencies")
                yield _conda_statement(str(name), value, where, group, marker)
            for name, value in table_in(tables, "pypi-dependencies").items():
                where = self.lines.at(str(name), f"{head}pypi-dependencies")
                if one := poetry_statement(str(name), value, where, group):
                    page = _CUDA_PAGE.fullmatch(str(value.get("index"))) if isinstance(value, dict) else None
                    tag = page[1] if page and one.name in FAMILY else ""
                    both = " and ".join(f"({part})" for part in (marker, one.marker) if part)
                    yield replace(one, marker=both, local=one.local or tag)

    def _tables(self) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
        """Yield the tables with the head of their names, their feature and the marker of their system."""
        features = [(f"feature.{name}.", str(name), of) for name, of in table_in(self.pixi, "feature").items()]
        for head, feature, tables in [("", "", self.pixi), *features]:
            if not isinstance(tables, dict):
                continue
            yield f"{self.prefix}{head}", feature, "", tables
            for target, table in table_in(tables, "target").items():
                marker = _TARGETS.get(str(target).split("-")[0], "")
                if isinstance(table, dict):
                    yield f"{self.prefix}{head}target.{target}.", feature, marker, table


def _newest(read: list[Statement], features: tuple[str, ...]) -> tuple[list[tuple[int, ...]], int]:
    """Return the versions of torch and Python that the features name, and how few they are."""
    of = [one for one in read if one.group in features]
    versions = [
        max((version_key(one.specifier) for one in of if one.name == name), default=()) for name in (TORCH, PYTHON)
    ]
    return versions, -len(features)


def _conda_statement(name: str, value: Any, where: FileLine, group: str, marker: str) -> Statement:
    build = str(value.get("build", "")) if isinstance(value, dict) else ""
    version = str(value.get("version", "")) if isinstance(value, dict) else str(value)
    specifier, named = conda_specifier(version)
    known = normalized(NAMES.get(name.lower(), name))
    return Statement(known, specifier, where, group=group, marker=marker, build=build or named, conda=True)
