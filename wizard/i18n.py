"""Words for people: a message is a value (key and parameters) and becomes text at the edge.

Values travel through plans, events and reports, so a window can switch language on a finished
run. The catalogues are `resources/i18n/<area>.<language>.toml`, dotted keys, str.format
templates; a key lives in one area only. The window's own labels are Qt Linguist's, not here.
"""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from wizard import paths
from wizard.windows.calls import load

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LANGUAGES = ("en", "zh_CN")
LANGUAGE_VARIABLE = "TORCH_WIZARD_LANG"
Scalar = str | int | float


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence for a person. `key` names it in the catalogue, `params` fill its blanks."""

    key: str
    params: Mapping[str, Scalar] = field(default_factory=dict)

    def to_json(self, language: str | None = None) -> dict[str, Any]:
        return {"key": self.key, "params": dict(self.params), "text": text(self, language)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        return cls(str(data["key"]), dict(data.get("params") or {}))


def message(key: str, **params: Scalar) -> Message:
    return Message(key, params)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, str):
            flat[prefix + name] = value
        else:
            flat.update(_flatten(value, f"{prefix}{name}."))
    return flat


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> Mapping[str, str]:
    merged: dict[str, str] = {}
    for path in sorted((paths.resources_dir() / "i18n").glob(f"*.{language}.toml")):
        merged.update(_flatten(tomllib.loads(path.read_text(encoding="utf-8"))))
    return merged


def system_language() -> str:
    """`zh_CN` for any Simplified Chinese system, else `en`; TORCH_WIZARD_LANG overrides."""
    named = os.environ.get(LANGUAGE_VARIABLE) or os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES")
    named = named or os.environ.get("LANG") or _windows_language() or locale.getlocale()[0] or ""
    return "zh_CN" if named.lower().replace("-", "_").startswith(("zh", "chinese")) else "en"


def _windows_language() -> str:
    if sys.platform != "win32":
        return ""
    return locale.windows_locale.get(load("kernel32").GetUserDefaultUILanguage(), "")


def text(value: Message, language: str | None = None) -> str:
    """The sentence in that language (default: the system's). Raises KeyError for a key that has no entry."""
    template = catalogue(language or system_language())[value.key]
    return template.format_map(dict(value.params))
