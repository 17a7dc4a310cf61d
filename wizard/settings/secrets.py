"""Whether a setting holds a password: then it is somebody's private index, and not ours to replace."""

from __future__ import annotations

from wizard.process import redact
from wizard.undo.model import Value


def items(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def is_secret(text: str) -> bool:
    return redact(text) != text


def loses_secret(before: Value, after: Value) -> bool:
    """An entry with a password would be gone; one that stays as it is, is no loss."""
    kept = items(after)
    return any(is_secret(item) and item not in kept for item in items(before))
