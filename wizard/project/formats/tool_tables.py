"""Reads what PDM, rye and hatch have in their own tables of a pyproject.toml, and hatch in its hatch.toml.

What all tools have in common (PEP 621, dependency groups) is `toml_files`' matter; their workspaces are `folders`'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wizard.project.file_choice import is_developing
from wizard.project.formats.toml_files import (
    TomlText,
    listed,
    load_toml,
    table_in,
    take_index,
    take_strings,
    take_table,
)
from wizard.project.model import DECIDED, DECLARED, TOOLS, TORCH, Findings, Statement, cut_between

_OVERRIDES = "tool.pdm.resolution.overrides"
_UNASKED = "default"  # the environment of hatch's that `hatch run` and `hatch shell` make


def read_tool_tables(file: str, text: str, found: Findings) -> None:
    """Read the tables of PDM, rye and hatch in a pyproject.toml."""
    tool, lines = table_in(load_toml(file, text, Findings()), "tool"), TomlText(file, text)
    _pdm(table_in(tool, "pdm"), lines, found)
    rye = table_in(tool, "rye")
    take_strings(rye.get("dev-dependencies"), "tool.rye", "dev", lines, found)
    for source in listed(rye.get("sources")):
        take_index(source, "tool.rye.sources", lines, found)
    _hatch(table_in(tool, "hatch"), "tool.hatch.", lines, found)


def read_hatch(file: str, text: str, found: Findings) -> None:
    """Read a hatch.toml, which has the tables that a pyproject.toml has for hatch."""
    _hatch(load_toml(file, text, found), "", TomlText(file, text), found)


def _pdm(pdm: Mapping[str, Any], lines: TomlText, found: Findings) -> None:
    before, table = len(found.statements), table_in(table_in(pdm, "resolution"), "overrides")
    linked = [f"{name} @ {given}" for name, given in table.items() if ":" in str(given)]
    plain = {name: given for name, given in table.items() if ":" not in str(given)}
    take_table(plain, _OVERRIDES, "constraint", lines, found)
    for words in linked:
        own = Findings(here=found.here)
        take_strings([words], _OVERRIDES, "constraint", lines, own)
        where = lines.at(words.partition(" @ ")[0], _OVERRIDES)
        found.statements += [replace(one, origin=where) for one in own.statements]
    found.statements[before:] = [replace(one, override=True) for one in found.statements[before:]]
    for group, entries in table_in(pdm, "dev-dependencies").items():
        take_strings(entries, "tool.pdm.dev-dependencies", str(group), lines, found)


def _hatch(hatch: Mapping[str, Any], prefix: str, lines: TomlText, found: Findings) -> None:
    """Note what the environments have beside the project. The one that hatch makes unasked is taken where the torch is
    its alone, else its further packages are told: mostly they are for the authors."""
    asked = any(one.name == TORCH and one.strength == DECLARED and not one.group for one in found.statements)
    for name, table in table_in(hatch, "envs").items():
        head, before = f"{prefix}envs.{name}", len(found.statements)
        for key in ("dependencies", "extra-dependencies") if isinstance(table, dict) else ():
            take_strings(table.get(key), head, str(name), lines, found)
        if name != _UNASKED or not isinstance(table, dict):
            continue
        new = found.statements[before:]
        if not asked and any(one.name == TORCH for one in new):
            found.statements[before:] = [replace(one, group="") for one in new]
        elif left := [str(one) for one in new if not (one.name in (*DECIDED, *TOOLS) or _is_of_authors(one.name))]:
            found.remark("hatch-left", lines.at("", head), packages=cut_between(left))
        extras = [str(one) for one in listed(table.get("features")) if not is_developing(str(one))]
        if extras:
            where = lines.at(extras[0], head)
            found.statements.append(Statement(".", "", where, url=".", extras=tuple(sorted(extras))))


def _is_of_authors(name: str) -> bool:
    return is_developing(name) or name.startswith(("pytest", "mypy", "coverage", "mkdocs", "sphinx", "types-"))
