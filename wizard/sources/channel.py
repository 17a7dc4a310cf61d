"""Checks that a conda channel answers: its index (noarch's at least) is begun, not downloaded.

A channel that answers may still lack a package; the engine's solver finds that out.
"""

from __future__ import annotations

from wizard.sources.model import UserSettings
from wizard.transfer.address import file_path, join_path
from wizard.transfer.http import SOURCE_NO_FOLDER, SOURCE_NOT_AN_INDEX, Client, SourceUnreachable, explain_status

INDEXES = {"repodata.json.zst": b"\x28\xb5\x2f\xfd", "repodata.json": b"{", "repodata.json.bz2": b"BZh"}
_BEGINNING = 512  # bytes
_NOARCH = "noarch"
_SUBDIRS = {
    ("linux", "x86_64"): "linux-64",
    ("linux", "aarch64"): "linux-aarch64",
    ("windows", "x86_64"): "win-64",
    ("windows", "aarch64"): "win-arm64",
}
_TIMEOUTS = (3.0, 5.0)  # seconds


def channel_subdir(os_name: str, arch: str) -> str:
    """Return conda's name for the platform; noarch where it has none."""
    return _SUBDIRS.get((os_name, arch), _NOARCH)


def check_channel(url: str, settings: UserSettings | None = None, subdirs: tuple[str, ...] = ("noarch",)) -> None:
    """Ask for the beginning of each index. Raises SourceUnreachable with the reason when it does not answer as one."""
    if url.lower().startswith("file:"):
        folder = file_path(url)
        if not all(any((folder / subdir / name).is_file() for name in INDEXES) for subdir in subdirs):
            raise SourceUnreachable(SOURCE_NO_FOLDER, source=url, path=str(folder))
        return
    known = settings or UserSettings()
    client = Client(known.certificate, known.proxy, _TIMEOUTS, known.environment)
    try:
        for subdir in dict.fromkeys(subdirs):
            _check_remote(client, url, subdir)
    finally:
        client.close()


def _check_remote(client: Client, url: str, subdir: str) -> None:
    name = _name(url)
    headers = {"Range": f"bytes=0-{_BEGINNING - 1}", "Accept-Encoding": "identity"}
    status = 404
    for index, magic in INDEXES.items():
        page = client.get(join_path(url, subdir, index), name, headers, _BEGINNING)
        if page.status in (200, 206):
            if page.body.lstrip().startswith(magic):
                return
            raise SourceUnreachable(SOURCE_NOT_AN_INDEX, details=page.text[:200], source=name)
        status = page.status
    raise explain_status(status, name, url)


def _name(url: str) -> str:
    """Return host and channel, without a password."""
    return url.partition("://")[2].rpartition("@")[2]
