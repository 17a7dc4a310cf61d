"""A process that fetches, for tests that kill it: `python -m tests.packages.fetch_child STORE FILES.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from wizard.packages.fetch import Fetcher, Store
from wizard.packages.fetch.fetcher import Options
from wizard.packages.model import LockedFile


def main() -> None:
    files = [
        LockedFile(item["name"], "1.0", item["filename"], tuple(item["urls"]), item["sha256"], item["size"])
        for item in json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    ]
    fetcher = Fetcher(Store(Path(sys.argv[1])), options=Options(environment={}))
    fetcher.fetch(files)


if __name__ == "__main__":
    main()
