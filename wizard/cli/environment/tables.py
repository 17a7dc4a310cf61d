"""Environments and deletion plans as table, as lines and as JSON documents."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wizard.cli.tables import align
from wizard.diagnose.repair.states import restore_cut_off
from wizard.environment.inspect.owned import Unowned
from wizard.environment.inspect.sizes import Sizes
from wizard.environment.model import Environment
from wizard.environment.remove.delete import DeletionPlan
from wizard.model.messages import Message, bytes_text, message, text
from wizard.run.model import RunInfo

SCHEMA = 1
MOST_UNOWNED = 30  # on a terminal; the document has all
_COLUMNS = ("name", "engine", "python", "torch", "size", "used", "state", "prefix")


def table(environments: Iterable[Environment], sizes: Mapping[Path, Sizes], language: str | None) -> str:
    head = ["", *(text(message(f"envs.column.{name}"), language) for name in _COLUMNS)]
    rows = [_row(one, sizes.get(one.prefix), language) for one in environments]
    return align([head, *rows])


def _row(one: Environment, sizes: Sizes | None, language: str | None) -> list[str]:
    state = text(message(f"envs.state.{one.state.value}"), language)
    return [
        "*" if one.is_current else "",
        one.name,
        text(_kind(one), language),
        one.python or "–",
        torch_words(one),
        bytes_text(sizes.apparent) if sizes else "–",
        day(one.last_used),
        state,
        str(one.prefix),
    ]


def _kind(one: Environment) -> Message:
    return message(f"envs.kind.{one.kind.value}")


def torch_words(one: Environment) -> str:
    if one.torch is None:
        return "–"
    return f"{one.torch}+{one.variant}" if one.variant else one.torch


def day(moment: float | None) -> str:
    return "–" if moment is None else time.strftime("%Y-%m-%d", time.localtime(moment))


def details(one: Environment) -> Iterator[Message]:
    """Yield the sentences about one environment for `envs show`."""
    yield message("envs.show.place", "{name}: {prefix}", name=one.name, prefix=str(one.prefix))
    yield message("envs.show.python", engine=_kind(one), python=one.python or "–", packages=one.packages)
    if one.torch:
        others = ", ".join(f"{package.name} {package.version}" for package in one.companions) or "–"
        yield message("envs.show.torch", torch=torch_words(one), companions=others)
    yield message("envs.show.used", "Last used: {day}", day=day(one.last_used))
    if one.reason:
        yield one.reason
    if one.run:
        yield message("envs.show.run", "A setup began it and did not finish (run {run}).", run=one.run)


def left_words(run: RunInfo) -> Message:
    """Say which parts of a project a setup could not put in."""
    return message(
        "cli.left",
        "Not installed: {names}. Why, and how by hand: torch-wizard resume {run}",
        names=", ".join(run.left),
        run=run.id,
    )


def plan_lines(plan: DeletionPlan, language: str | None) -> Iterator[str]:
    """What nobody owns comes first: it is what would be missed."""
    if plan.unowned:
        yield text(
            message(
                "envs.plan.unowned",
                "Files that belong to no package and would be lost ({count}):",
                count=sum(row.files for row in plan.unowned),
            ),
            language,
        )
        yield from (f"    {unowned_words(row)}" for row in plan.unowned[:MOST_UNOWNED])
        if len(plan.unowned) > MOST_UNOWNED:
            yield "    …"
    for one in plan.dependants:
        yield text(
            message(
                "envs.plan.dependant",
                "{name} ({path}) uses the Python in here and will no longer run.",
                name=one.name,
                path=str(one.prefix),
            ),
            language,
        )
    goes = message(
        "envs.plan.goes",
        "{name} goes ({path}): packages: {packages}, files: {files}, {size}; {freed} become free.",
        name=plan.name,
        path=str(plan.environment.prefix),
        packages=plan.environment.packages,
        files=plan.sizes.files,
        freed=bytes_text(plan.sizes.freed),
        size=bytes_text(plan.sizes.apparent),
    )
    yield text(goes, language)
    yield from (text(words, language) for words in plan.stays)
    for running in plan.running:
        yield text(
            message(
                "envs.plan.running",
                "{program} (process {pid}) is using it: {path}",
                program=running.program,
                pid=running.pid,
                path=running.path,
            ),
            language,
        )


def unowned_words(row: Unowned) -> str:
    return (
        f"{row.path}/ ({row.files}, {bytes_text(row.size)})"
        if row.is_folder
        else f"{row.path} ({bytes_text(row.size)})"
    )


def document(one: Environment, sizes: Sizes | None, language: str | None) -> dict[str, Any]:
    """Return one environment as JSON values; its size is None where nobody has measured it. `unfinished`: only where a
    way back was cut off."""
    half = restore_cut_off(one.prefix)
    return ({"unfinished": half.to_json(language)} if half else {}) | {
        "name": one.name,
        "prefix": str(one.prefix),
        "engine": one.kind.value,
        "state": one.state.value,
        "python": one.python,
        "torch": one.torch,
        "variant": one.variant,
        "companions": {package.name: package.version for package in one.companions},
        "packages": one.packages,
        "size": sizes_document(sizes),
        "last_used": one.last_used,
        "reason": one.reason.to_json(language) if one.reason else None,
        "run": one.run,
        "current": one.is_current,
        "frozen": one.is_frozen,
    }


def sizes_document(sizes: Sizes | None) -> dict[str, int] | None:
    return {"bytes": sizes.apparent, "freed": sizes.freed, "files": sizes.files} if sizes else None


def plan_document(plan: DeletionPlan, language: str | None) -> dict[str, Any]:
    """Return as JSON values what stands against a deletion, and what stays after it."""
    return {
        "unowned": [
            {"path": row.path, "files": row.files, "bytes": row.size, "folder": row.is_folder} for row in plan.unowned
        ],
        "running": [{"pid": one.pid, "program": one.program, "path": one.path} for one in plan.running],
        "kernels": [{"name": one.name, "title": one.title, "path": str(one.folder)} for one in plan.kernels],
        "dependants": [str(one.prefix) for one in plan.dependants],
        "stays": [words.to_json(language) for words in plan.stays],
    }
