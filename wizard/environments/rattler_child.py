"""py-rattler in a process of its own: a request as JSON on stdin, JSON lines on stdout, "done" as the last.

Of its own, because rattler can crash when the interpreter exits and its tasks ignore cancellation: here the
process leaves by `os._exit` right after "done", and stopping means killing it. Started by `rattler_engine`;
in the frozen program as `_rattler`. It writes the prefix and rattler's cache, nothing else.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rattler import Client, Gateway, MatchSpec, VirtualPackage, VirtualPackageOverrides, install, solve
from rattler.config import Config
from rattler.exceptions import FetchRepoDataError, GatewayError, SolverError

_LEAST_SECONDS_BETWEEN = 0.1
# A proxy that inspects TLS has its certificate in the system's store.
_CONFIG = 'tls-root-certs = "system"'


@dataclass
class Reporter:
    """rattler calls it from its own threads; tokens are the numbers that tie its calls together."""

    sizes: dict[str, int]  # by package name
    done: dict[str, int] = field(default_factory=dict)
    downloaded: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    last: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def _token(self, name: str) -> int:
        token = len(self.names) + 1
        self.names[token] = name
        return token

    def _tell(self, what: str, name: str, now: bool = False) -> None:
        moment = time.monotonic()
        if now or moment - self.last >= _LEAST_SECONDS_BETWEEN:
            self.last = moment
            say("progress", done=sum(self.done.values()), total=sum(self.sizes.values()), what=what, package=name)

    def on_populate_cache_start(self, operation: int, package_name: str) -> int:
        with self.lock:
            return self._token(package_name)

    def on_populate_cache_complete(self, cache_entry: int) -> None:
        with self.lock:
            name = self.names[cache_entry]
            self.done[name] = self.sizes.get(name, 0)
            self._tell("fetch", name)

    def on_download_start(self, cache_entry: int) -> int:
        return cache_entry

    def on_download_progress(self, download_idx: int, progress: int, total: int | None) -> None:
        with self.lock:
            name = self.names[download_idx]
            self.done[name] = self.downloaded[name] = progress
            self._tell("fetch", name)

    def on_download_completed(self, download_idx: int) -> None:
        with self.lock:
            name = self.names[download_idx]
            self.downloaded[name] = self.sizes.get(name, 0)

    def on_link_start(self, operation: int, package_name: str) -> int:
        with self.lock:
            self._tell("link", package_name, now=True)
            return self._token(package_name)

    def on_transaction_start(self, total_operations: int) -> None: ...
    def on_transaction_operation_start(self, operation: int) -> None: ...
    def on_transaction_operation_complete(self, operation: int) -> None: ...
    def on_transaction_complete(self) -> None: ...
    def on_validate_start(self, cache_entry: int) -> int:
        return cache_entry

    def on_validate_complete(self, validate_idx: int) -> None: ...
    def on_unlink_start(self, operation: int, package_name: str) -> int:
        return 0

    def on_unlink_complete(self, index: int) -> None: ...
    def on_link_complete(self, index: int) -> None: ...
    def on_post_link_start(self, package_name: str, script_path: str) -> int:
        return 0

    def on_post_link_complete(self, index: int, success: bool) -> None: ...
    def on_pre_unlink_start(self, package_name: str, script_path: str) -> int:
        return 0

    def on_pre_unlink_complete(self, index: int, success: bool) -> None: ...


def say(event: str, **data: Any) -> None:
    """One line in one write: rattler's threads report while ours does."""
    os.write(1, (json.dumps({"event": event, **data}, ensure_ascii=False) + "\n").encode())


async def create(request: dict[str, Any]) -> int:
    """Bytes downloaded. The request: prefix, channels, specs, cache (folders and addresses as text)."""
    config = Config.from_toml(_CONFIG)
    client = Client.from_config(config)
    cache = Path(request["cache"])
    say("progress", done=0, total=None, what="solve", package="")
    specs = [MatchSpec(spec) for spec in request["specs"]]
    records = await solve(
        request["channels"], specs,
        gateway=Gateway(cache / "repodata", client=client),
        virtual_packages=VirtualPackage.detect(VirtualPackageOverrides.from_env()),
    )  # fmt: skip
    sizes = {record.name.normalized: record.size or 0 for record in records}
    reporter = Reporter(sizes)
    await install(
        records, request["prefix"],
        cache_dir=cache / "packages", client=client, show_progress=False, reporter=reporter,
        requested_specs=[spec._match_spec for spec in specs],
        execute_link_scripts=False,
    )  # fmt: skip
    return sum(reporter.downloaded.values())


def kind_of(error: BaseException) -> str:
    if isinstance(error, SolverError):
        return "unsolvable"
    if isinstance(error, (FetchRepoDataError, GatewayError)):
        return "unreachable"
    return "failed"


def bridge_socks() -> None:
    """rattler knows HTTP proxies only. The import costs a third of a second, and few have such a proxy."""
    if any(value.lower().startswith("socks") for value in os.environ.values()):
        from wizard.network.relay import without_socks

        os.environ.update(without_socks(os.environ))


def main() -> int:
    """Never returns where it works: the process ends here, before rattler's threads can crash it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        request = json.loads(sys.stdin.buffer.read())
        bridge_socks()
        downloaded = asyncio.run(create(request))
        say("done", bytes_downloaded=downloaded)
        code = 0
    except Exception as error:
        say("error", kind=kind_of(error), text=f"{type(error).__name__}: {error}")
        code = 1
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
