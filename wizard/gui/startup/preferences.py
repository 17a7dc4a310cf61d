"""What of the window outlives it: language, theme, its place on the screens, and the wish for less motion.

A file that cannot be read or written is no error, whatever is in it.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.model.messages import LANGUAGE_VARIABLE, LANGUAGES, system_language
from wizard.safety.state import read_settings, write_settings
from wizard.system import paths

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wishes:
    language: str  # en, zh_CN
    theme: str = "system"
    geometry: str = ""  # Qt's own form, base64
    reduced_motion: bool = False  # written by hand, or by a later version


class Preferences:
    def __init__(self, path: Path | None = None) -> None:
        self._path = path or paths.settings_file()
        self._wishes = self._read()

    @property
    def wishes(self) -> Wishes:
        return self._wishes

    def put(self, *, language: str | None = None, theme: str | None = None, geometry: str | None = None) -> None:
        """Remember what is given and leave the rest; a file that cannot be written is no error."""
        given = {"language": language, "theme": theme, "geometry": geometry}
        changed = {name: value for name, value in given.items() if value is not None}
        now = self._wishes
        self._wishes = replace(
            now, language=language or now.language, theme=theme or now.theme, geometry=geometry or now.geometry
        )
        try:
            write_settings(self._path, {**read_settings(self._path), **changed})
        except OSError as error:
            _LOG.warning("settings not saved: %s", error)

    def _read(self) -> Wishes:
        known = read_settings(self._path)
        language = os.environ.get(LANGUAGE_VARIABLE) or known.get("language")
        theme, geometry = known.get("theme"), known.get("geometry")
        return Wishes(
            str(language) if language in LANGUAGES else system_language(),
            str(theme) if theme in ("light", "dark") else "system",
            geometry if isinstance(geometry, str) else "",
            known.get("reduced_motion") is True,
        )
