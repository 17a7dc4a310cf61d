"""Puts a report on disk whole or not at all: a reader never sees half of one.

`save_as` writes it as the ending of the name says: a page (.html), data (.json), or text.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wizard.run.report.html import render_html
from wizard.run.report.text import render_doctor, render_text
from wizard.system import moving


def write_report(path: Path, document: Mapping[str, Any]) -> None:
    """Raises OSError; what was at `path` is then as before."""
    _write(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def save_as(path: Path, document: Mapping[str, Any], language: str | None = None) -> None:
    """Raises OSError. For a person, and in that language (None: the system's)."""
    if path.suffix.lower() == ".json":
        write_report(path, document)
    elif path.suffix.lower() in (".html", ".htm"):
        _write(path, render_html(document, language))
    else:
        render = render_doctor if document.get("kind") == "doctor" else render_text
        _write(path, render(document, language) + "\n")


def _write(path: Path, words: str) -> None:
    put_whole(path, words.encode("utf-8"))


def put_whole(path: Path, data: bytes) -> None:
    """Write where others may write, too. Raises OSError; what was at `path` is then as before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    moving.write_whole(path, data, unfinished=unfinished_name(path))


def unfinished_name(path: Path) -> Path:
    """A name that nobody can guess, and with mode "x" no link that somebody has put there: what is written may lie
    where others may write. Two results of one machine may come at once, too."""
    return path.with_name(f".{path.name[:60]}.{secrets.token_hex(8)}")
