"""What the user's own pip, uv and conda settings say about sources, as one value with checked addresses.

Labs run on these settings, so they are a source like any other. pip's come first, uv's are added; conda's say
where the built-in engine takes Python from, and its proxy and certificate count where pip has none. Nothing
is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from wizard.model.messages import Message, message
from wizard.process import redact
from wizard.sources.address_facts import needs_terms
from wizard.sources.model import UserSettings
from wizard.system.traits import of
from wizard.toolconfig.conda_names import all_addresses, forge_of_settings, is_closed, usable
from wizard.toolconfig.conda_read import (
    CondaReading,
    certificate_file,
    conda_root_of,
    proxy_server,
    read_conda_settings,
)
from wizard.toolconfig.pip import TRUE_WORDS, read_pip_settings
from wizard.toolconfig.uv import read_uv_settings
from wizard.transfer.address import address_problem, folder_url, has_scheme


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


def read_user_settings(
    environ: Mapping[str, str], home: Path, os_name: str, root: Path = Path("/"), conda_root: Path | None = None
) -> UserSettings:
    """`os_name`: "windows" or "linux". `conda_root`: the installation whose own settings count, if the shell names
    none. Never raises: what cannot be read becomes a notice."""
    pip, pip_read, pip_notices = read_pip_settings(environ, home, os_name, root)
    uv, uv_read, uv_notices = read_uv_settings(environ, home, os_name, root)
    conda = read_conda_settings(environ, home, os_name, root, conda_root_of(environ) or conda_root)
    addresses = _Addresses(home, of(os_name).path)

    indexes = list(addresses.urls(pip.get("index-url", ())))
    extra = list(addresses.urls(pip.get("extra-index-url", ())))
    links = list(addresses.urls(pip.get("find-links", ())))
    for values in uv:
        indexes += addresses.urls([values.index] if values.index else (), values.base)
        extra += addresses.urls(values.extra, values.base)
        links += addresses.urls(values.find_links, values.base)
    channels = _channels(conda, addresses)
    index = indexes[0] if indexes else None
    others = (url for url in (*extra, *indexes[1:]) if url != index)
    return UserSettings(
        index_url=index,
        extra_index_urls=tuple(dict.fromkeys(others)),
        find_links=tuple(dict.fromkeys(links)),
        no_index=pip.get("no-index", ("",))[0].lower() in TRUE_WORDS or any(values.no_index for values in uv),
        conda_channels=channels,
        conda_only=is_closed(conda.values),
        certificate=pip.get("cert", (None,))[0] or certificate_file(conda.values.ssl_verify, home),
        proxy=pip.get("proxy", (None,))[0] or proxy_server(conda.values.servers),
        files=(*pip_read, *uv_read, *(str(file.path) for file in conda.files)),
        notices=(*pip_notices, *uv_notices, *conda.notices, *addresses.notices),
    )


def _channels(conda: CondaReading, known: _Addresses) -> tuple[str, ...]:
    """For the built-in engine. Where the settings move conda-forge, it is asked there, listed or not: without that
    the engine would go past the user's mirror to the official place."""
    named = all_addresses(conda.values)
    wanted = usable((*named, *forge_of_settings(conda.values)), conda.values)
    if any(needs_terms(url) for url in named):
        known.notices.append(message("settings.channel-terms"))
    return known.urls(wanted)
