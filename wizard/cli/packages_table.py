"""Every package that a setup will put into an environment, with its exact bytes: for who decides whether to begin."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.cli.columns import width
from wizard.i18n import message, text
from wizard.session.model import Preview

Row = tuple[str, str]


def package_lines(preview: Preview, language: str | None) -> Iterator[str]:
    here, unknown = (text(message(f"environments.packages.{name}"), language) for name in ("here", "unknown"))
    python: list[Row] = [
        (f"{one.name} {one.version} {one.build}".rstrip(), here if one.is_cached else _bytes(one.size, unknown))
        for one in preview.python_packages
    ]
    wheels: list[Row] = [
        (file.filename, here if file.filename in preview.here else _bytes(file.size, unknown))
        for file in preview.lock.files
    ]
    for key, rows in (("python", python), ("wheels", wheels)):
        if rows:
            yield text(message(f"environments.packages.{key}", count=len(rows)), language)
            yield from _aligned(rows)


def _bytes(size: int | None, unknown: str) -> str:
    return unknown if size is None else f"{size:,}"


def _aligned(rows: list[Row]) -> Iterator[str]:
    names, sizes = (max(width(row[column]) for row in rows) for column in (0, 1))
    for name, size in rows:
        yield f"    {name}{' ' * (names - width(name))}  {' ' * (sizes - width(size))}{size}"
