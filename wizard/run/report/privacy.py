"""What must not leave this computer with a report: the home folder, the user's and the computer's name, secrets.

The fields of a report are an allow-list (see `document`); this cleans the free texts in them, such as error messages.
"""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wizard.process import redact
from wizard.system.traits import this

_CHANNEL_TOKEN = re.compile(r"(/t/)[A-Za-z0-9][A-Za-z0-9_-]{7,}(?=/)")
_TOKEN = re.compile(r"\b(?:hf|ghp|gho|glpat|pypi|sk)[-_][A-Za-z0-9_-]{16,}|(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{12,}=*")


@dataclass(frozen=True, slots=True)
class Private:
    """Names of this computer. `homes`: every spelling of the home folder."""

    homes: tuple[str, ...]
    user: str
    host: str

    @classmethod
    def of_this_computer(cls) -> Private:
        """Return the names of home, account and computer, in every spelling in which a path may hold them."""
        home = Path.home()
        spellings = {str(home), home.as_posix(), str(home).replace("\\", "\\\\"), quote(home.as_posix())}
        spellings.update((str(home.resolve()), home.resolve().as_posix()))
        try:
            user = getpass.getuser()
        except (OSError, KeyError, ImportError):  # a container user without an entry
            user = ""
        return cls(tuple(sorted(spellings - {"/", ""}, key=len, reverse=True)), user, socket.gethostname())


def clean(value: Any, private: Private) -> Any:
    """The same JSON value with every string cleaned (keys are ours and stay)."""
    if isinstance(value, str):
        return clean_text(value, private)
    if isinstance(value, Mapping):
        return {key: clean(item, private) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item, private) for item in value]
    return value


def clean_text(text: str, private: Private) -> str:
    """Return the text without secrets, and without the names of home, account and computer."""
    text = _CHANNEL_TOKEN.sub(r"\g<1>***", _TOKEN.sub("***", redact(text)))
    flags = 0 if this().paths_have_case else re.IGNORECASE
    for home in private.homes:
        text = re.sub(rf"(?<![\w.-]){re.escape(home)}(?![\w.-])", "~", text, flags=flags)
    if private.user and private.user != "root":  # "root" tells nothing, and is a word
        # Only a whole part of a path, or before an @: a user may be called "torch" or "li".
        user = re.escape(private.user)
        text = re.sub(rf"(?<=[\\/]){user}(?=[\\/\s'\"]|$)|\b{user}(?=@)", "<user>", text, flags=flags)
    for host in dict.fromkeys((private.host, private.host.partition(".")[0])):  # node7.lab.example is also node7
        if len(host) > 2 and host != "localhost":
            text = re.sub(rf"(?<![\w-]){re.escape(host)}(?![\w-])", "<host>", text, flags=re.IGNORECASE)
    return text
