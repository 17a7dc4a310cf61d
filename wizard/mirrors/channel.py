"""Does a conda channel answer? Its noarch index is begun, not downloaded: a few hundred bytes tell.

A channel that answers may still lack a package; the engine's solver finds that out.
"""

from __future__ import annotations

from wizard.mirrors.address import file_path, join_path
from wizard.mirrors.client import Client
from wizard.mirrors.model import UserSettings
from wizard.mirrors.unreachable import SourceUnreachable, explain_status

_INDEXES = {"repodata.json.zst": b"\x28\xb5\x2f\xfd", "repodata.json": b"{", "repodata.json.bz2": b"BZh"}
_BEGINNING = 512  # bytes
_TIMEOUTS = (3.0, 5.0)  # seconds


def check_channel(url: str, settings: UserSettings | None = None) -> None:
    """Raises SourceUnreachable with the reason when the channel does not answer as one."""
    if url.lower().startswith("file:"):
        folder = file_path(url)
        if not any((folder / "noarch" / name).is_file() for name in _INDEXES):
            raise SourceUnreachable("source-no-folder", source=url, path=str(folder))
        return
    known = settings or UserSettings()
    client = Client(known.certificate, known.proxy, _TIMEOUTS)
    try:
        _check_remote(client, url)
    finally:
        client.close()


def _check_remote(client: Client, url: str) -> None:
    name = _name(url)
    headers = {"Range": f"bytes=0-{_BEGINNING - 1}", "Accept-Encoding": "identity"}
    status = 404
    for index, magic in _INDEXES.items():
        page = client.get(join_path(url, "noarch", index), name, headers, _BEGINNING)
        if page.status in (200, 206):
            if page.body.lstrip().startswith(magic):
                return
            raise SourceUnreachable("source-not-an-index", page.text[:200], source=name)
        status = page.status
    raise explain_status(status, name, url)


def _name(url: str) -> str:
    """Host and channel, without a password."""
    return url.partition("://")[2].rpartition("@")[2]


def channel_answers(url: str, settings: UserSettings | None = None) -> bool:
    try:
        check_channel(url, settings)
    except SourceUnreachable:
        return False
    return True
