"""Reads locks (uv.lock, poetry.lock, pylock.toml): the versions that were chosen once, on some other computer.

A lock is what was, not what is asked: its versions are kept where they run, and its files are never taken over.
"""

from __future__ import annotations

import re
from typing import Any

from wizard.project.model import LOCKED, Findings, Statement, normalized, origin_of
from wizard.project.toml_files import load_toml

_PACKAGE = re.compile(r"\s*\[\[\s*packages?\s*\]\]")


def read_lock(file: str, text: str, found: Findings) -> None:
    document = load_toml(file, text, found)
    packages = document.get("package") or document.get("packages")
    heads = [number for number, line in enumerate(text.split("\n"), 1) if _PACKAGE.match(line)]
    for number, package in enumerate(packages if isinstance(packages, list) else []):
        line = heads[number] if number < len(heads) else 1
        statement = _statement(package, file, line)
        if statement:
            found.statements.append(statement)


def _statement(package: Any, file: str, line: int) -> Statement | None:
    if not isinstance(package, dict):
        return None
    name, version = package.get("name"), package.get("version")
    if not (isinstance(name, str) and isinstance(version, str)):
        return None
    public, _, local = version.partition("+")
    where = origin_of(file, line, f"{name} {version}")
    marker = package.get("marker")
    return Statement(
        normalized(name), f"=={public}", where, LOCKED, marker=marker if isinstance(marker, str) else "", local=local
    )
