"""Fetching: locked files into a visible, content-addressed folder, surviving drops, kills and reboots.

Our own downloader, because neither pip nor uv resumes a download, and the same folder is the resume
point, the offline pack and the classroom share. It installs nothing.
"""

from wizard.packages.fetch.fetcher import Fetcher
from wizard.packages.fetch.model import FetchProgress, FetchResult
from wizard.packages.fetch.store import Downloads

__all__ = ["Downloads", "FetchProgress", "FetchResult", "Fetcher"]
