"""What the user's own pip and uv settings say about sources, as one value with checked addresses.

Labs run on these settings, so they are a source like any other. pip's come first, uv's are added. Nothing
is written here. conda's .condarc is not read here: a channel is chosen by hand or is the official one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from wizard.i18n import Message, message
from wizard.mirrors.address import address_problem, folder_url, has_scheme
from wizard.mirrors.model import UserSettings
from wizard.mirrors.pip_settings import TRUE_WORDS, read_pip_settings
from wizard.mirrors.uv_settings import read_uv_settings
from wizard.process import redact


@dataclass
class _Addresses:
    """Turns what is written into URLs and remembers what it had to leave out."""

    home: Path
    path_type: type[PurePath]
    notices: list[Message] = field(default_factory=list)

    def urls(self, values: Iterable[str], base: Path | None = None) -> tuple[str, ...]:
        found = (self._url(value, base) for value in values)
        return tuple(dict.fromkeys(url for url in found if url))

    def first(self, values: Iterable[str], base: Path | None = None) -> str | None:
        return next(iter(self.urls(values, base)), None)

    def _url(self, value: str, base: Path | None) -> str | None:
        if not has_scheme(value):
            if value == "~" or value.startswith(("~/", "~\\")):
                value = str(self.home / value[2:])
            try:
                value = folder_url(value, self.path_type(base or Path.cwd()))
            except (ValueError, OSError):  # a Windows path without a drive; a current folder that is gone
                self._leave_out("bad-address", value)
                return None
        problem = address_problem(value)
        if problem:
            self._leave_out(problem, value)
        return None if problem else value

    def _leave_out(self, problem: str, value: str) -> None:
        notice = message(f"settings.{problem}", address=redact(value))
        if notice not in self.notices:
            self.notices.append(notice)


def read_user_settings(environ: Mapping[str, str], home: Path, os_name: str, root: Path = Path("/")) -> UserSettings:
    """`os_name`: "windows" or "linux". Never raises: what cannot be read becomes a notice."""
    pip, pip_read, pip_notices = read_pip_settings(environ, home, os_name, root)
    uv, uv_read, uv_notices = read_uv_settings(environ, home, os_name, root)
    addresses = _Addresses(home, PureWindowsPath if os_name == "windows" else PurePosixPath)

    indexes = list(addresses.urls(pip.get("index-url", ())))
    extra = list(addresses.urls(pip.get("extra-index-url", ())))
    links = list(addresses.urls(pip.get("find-links", ())))
    for values in uv:
        indexes += addresses.urls([values.index] if values.index else (), values.base)
        extra += addresses.urls(values.extra, values.base)
        links += addresses.urls(values.find_links, values.base)
    index = indexes[0] if indexes else None
    others = (url for url in (*extra, *indexes[1:]) if url != index)
    return UserSettings(
        index_url=index,
        extra_index_urls=tuple(dict.fromkeys(others)),
        find_links=tuple(dict.fromkeys(links)),
        no_index=pip.get("no-index", ("",))[0].lower() in TRUE_WORDS or any(values.no_index for values in uv),
        certificate=pip.get("cert", (None,))[0],
        proxy=pip.get("proxy", (None,))[0],
        files=(*pip_read, *uv_read),
        notices=(*pip_notices, *uv_notices, *addresses.notices),
    )
