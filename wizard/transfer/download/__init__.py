"""Fetching: locked files into a visible, content-addressed folder, surviving drops, kills and reboots.

Our own downloader, because neither pip nor uv resumes a download, and the same folder is the resume
point, the offline pack and the classroom share. It installs nothing.
"""

from typing import TYPE_CHECKING

from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.model import FetchProgress, FetchResult

if TYPE_CHECKING:
    from wizard.transfer.download.fetcher import Fetcher

__all__ = ["Downloads", "FetchProgress", "FetchResult", "Fetcher"]


def __getattr__(name: str) -> object:
    """Load the network when a fetcher is first asked for: a package store reads the folder only."""
    if name != "Fetcher":
        raise AttributeError(name)
    from wizard.transfer.download.fetcher import Fetcher

    return Fetcher
