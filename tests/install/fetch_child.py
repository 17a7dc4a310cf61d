"""Processes that fetch, for tests that kill them.

    python -m tests.install.fetch_child STORE FILES.json     fetches once; prints its peak memory in bytes
    python -m tests.install.fetch_child --nursery            a line `STORE FILES.json` in, a forked child's number out;
                                                              `wait` in, the exit status of the last child out

A forked child is there at once, where a started one takes half a second to import. It ends with 0, or 1 and a
sentence on stderr.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from wizard.model.errors import WizardError
from wizard.model.lock import LockedFile
from wizard.transfer.download import Downloads, Fetcher
from wizard.transfer.download.fetcher import Options


def read_files(path: Path) -> list[LockedFile]:
    return [
        LockedFile(item["name"], "1.0", item["filename"], tuple(item["urls"]), item["sha256"], item["size"])
        for item in json.loads(path.read_text(encoding="utf-8"))
    ]


def peak_memory() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def nursery() -> None:
    pid = 0
    for line in sys.stdin:
        if line.strip() == "wait":
            say(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            continue
        store, files = line.split()
        pid = os.fork()
        if not pid:
            os._exit(attempt(Path(store), Path(files)))
        say(pid)


def attempt(store: Path, files: Path) -> int:
    options = Options(stall=0.25, backoff=0.005, environment={}, free_bytes=lambda folder: 1 << 40)
    try:
        Fetcher(Downloads(store), options=options).fetch(read_files(files))
    except WizardError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except BaseException as error:
        sys.stderr.write(f"{error!r}\n")
        return 2
    return 0


def main() -> None:
    if sys.argv[1] == "--nursery":
        nursery()
        return
    Fetcher(Downloads(Path(sys.argv[1])), options=Options(environment={})).fetch(read_files(Path(sys.argv[2])))
    say(peak_memory())


if __name__ == "__main__":
    main()
