"""The user's own pip settings, read the way pip reads them.

Files: global, then user (legacy below new), then PIP_CONFIG_FILE; PIP_* variables beat files; within files
[install] beats [global]. The settings of one interpreter (site) are left out: the target is a new one. pip
aborts on a file that it cannot read; we say so and go on.
"""

from __future__ import annotations

import configparser
import locale
from collections.abc import Mapping
from pathlib import Path

from wizard.i18n import Message, message
from wizard.mirrors.settings_files import files_of
from wizard.undo.disk import read_file

_SECTIONS = ("global", "install")  # later wins
_MULTIPLE = ("extra-index-url", "find-links")
_VARIABLE = "PIP_"
TRUE_WORDS = ("1", "true", "yes", "on", "t", "y")


def pip_files(environ: Mapping[str, str], home: Path, os_name: str, root: Path) -> tuple[Path, ...]:
    """Where pip would look, lowest precedence first. `root` is the machine's file system ("/")."""
    found = files_of("pip", environ, home, os_name, root)
    return tuple(path for row, path in found if row.scope != "environment")


def decode(data: bytes) -> str:
    """UTF-8 with or without a mark, else what this system's locale says (GBK on Chinese Windows).

    Raises UnicodeDecodeError.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(locale.getpreferredencoding(False))


def parse_pip_file(text: str) -> dict[str, str]:
    """{"global.index-url": …}: no interpolation, no inline comments. Raises configparser.Error."""
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    return {f"{section}.{_named(key)}": value for section in parser.sections() for key, value in parser.items(section)}


def _named(key: str) -> str:
    return key.lower().replace("_", "-").removeprefix("--")


def merge_pip(files: tuple[Mapping[str, str], ...], environ: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The values that pip would use for `install`, by option. Empty values count as not given."""
    merged: dict[str, str] = {}
    for values in files:
        merged.update(values)
    chosen: dict[str, str] = {}
    for section in _SECTIONS:
        start = f"{section}."
        chosen.update({key[len(start) :]: value for key, value in merged.items() if key.startswith(start) and value})
    variables = {key.upper(): value for key, value in environ.items()}
    chosen.update({_named(key[len(_VARIABLE) :]): value for key, value in variables.items()
                   if key.startswith(_VARIABLE) and value})  # fmt: skip
    return {key: tuple(value.split()) if key in _MULTIPLE else (value.strip(),) for key, value in chosen.items()}


def read_pip_settings(
    environ: Mapping[str, str], home: Path, os_name: str, root: Path
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...], tuple[Message, ...]]:
    """(values, files that were read, notices)."""
    parsed: list[dict[str, str]] = []
    read: list[str] = []
    notices: list[Message] = []
    for path in pip_files(environ, home, os_name, root):
        try:
            parsed.append(parse_pip_file(decode(read_file(path))))
            read.append(str(path))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, configparser.Error) as error:
            first_line = (str(error).splitlines() or [type(error).__name__])[0]
            notices.append(message("settings.unreadable", file=str(path), problem=first_line))
    return merge_pip(tuple(parsed), environ), tuple(read), tuple(notices)
