"""What would change in a file, as a unified difference for people: no passwords, no end-of-line signs."""

from __future__ import annotations

import difflib
from pathlib import Path

from wizard.process import redact
from wizard.settings.text_file import body_of, read_text, split_lines


def difference(path: Path, before: bytes | None, after: bytes) -> str:
    """The lines about the two files say the path, and that there was none where that is so."""
    old, new = (_lines(content) for content in (before or b"", after))
    start = str(path) if before is not None else "(-)"
    return redact("\n".join(difflib.unified_diff(old, new, start, str(path), lineterm="", n=2)))


def _lines(content: bytes) -> list[str]:
    file = read_text(content)
    if not file.codec:  # foreign bytes stand as private characters
        return [body_of(line) for line in split_lines(content.decode("ascii", "replace"))]
    return [body_of(line) for line in split_lines(file.text)]
