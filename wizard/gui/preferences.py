"""The window's two wishes that outlive it: language and theme. A file that cannot be read or written is no error."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from wizard import paths
from wizard.i18n import LANGUAGE_VARIABLE, LANGUAGES, system_language

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wishes:
    language: str  # en, zh_CN
    theme: str = "system"


class Preferences:
    def __init__(self, path: Path | None = None) -> None:
        self._path = path or paths.settings_file()
        self._wishes = self._read()

    @property
    def wishes(self) -> Wishes:
        return self._wishes

    def put(self, *, language: str | None = None, theme: str | None = None) -> None:
        self._wishes = replace(
            self._wishes, language=language or self._wishes.language, theme=theme or self._wishes.theme
        )
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            known = {**self._known(), **asdict(self._wishes)}
            fresh = self._path.with_name(f"{self._path.name}.new")
            fresh.unlink(missing_ok=True)
            fresh.touch(mode=0o600)  # other keys of the file may hold a password (session/network.py)
            fresh.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
            fresh.replace(self._path)
        except OSError as error:
            _LOG.warning("settings not saved: %s", error)

    def _known(self) -> dict[str, object]:
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}

    def _read(self) -> Wishes:
        known = self._known()
        language = os.environ.get(LANGUAGE_VARIABLE) or known.get("language")
        theme = known.get("theme")
        return Wishes(
            str(language) if language in LANGUAGES else system_language(),
            str(theme) if theme in ("light", "dark") else "system",
        )
