"""Fetching: locked files into a visible, content-addressed folder, surviving drops, kills and reboots.

Our own downloader, because neither pip nor uv resumes a download, and the same folder is the resume
point, the offline pack and the classroom share. It installs nothing.
"""

from wizard.transfer.download.fetcher import Fetcher
from wizard.transfer.download.file_store import Downloads
from wizard.transfer.download.model import FetchProgress, FetchResult

__all__ = ["Downloads", "FetchProgress", "FetchResult", "Fetcher"]
