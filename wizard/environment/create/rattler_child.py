"""py-rattler in a process of its own: a request as JSON on stdin, JSON lines on stdout, "done" as the last.

Of its own, because rattler can crash when the interpreter exits and its tasks ignore cancellation: here the
process leaves by `os._exit` right after "done", and stopping means killing it. Started by `rattler_engine`;
in the frozen program as `_rattler`. It writes the prefix and rattler's caches, nothing else.

The request: `channels`, `specs`, `repodata` and `packages` (folders). Without a `prefix` it is a plan: chosen, not
fetched. `records` are packages that were chosen before; `moves` are [from, to] addresses for their files, `local` the
addresses of files that are here, by SHA-256. `system`: [subdir, virtual packages…] of another computer to choose for.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rattler import (
    BuildString,
    Client,
    Gateway,
    GenericVirtualPackage,
    MatchSpec,
    PackageCache,
    PackageName,
    PackageRecord,
    RepoDataRecord,
    Version,
    VirtualPackage,
    VirtualPackageOverrides,
    install,
    solve,
)
from rattler.config import Config
from rattler.exceptions import FetchRepoDataError, GatewayError, SolverError

_LEAST_SECONDS_BETWEEN = 0.1
_LOOKS_PER_STALL = 8
_UNCHANGED = "304 Not Modified"
_NOT_FETCHED = "failed to fetch "  # how rattler begins the words about a package that it could not get
# A proxy that inspects TLS has its certificate in the system's store.
_CONFIG = 'tls-root-certs = "system"'


@dataclass
class Reporter:
    """rattler calls it from its own threads; tokens are the numbers that tie its calls together."""

    sizes: dict[str, int]  # by package name
    done: dict[str, int] = field(default_factory=dict)
    downloaded: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    coming: dict[int, float] = field(default_factory=dict)  # downloads that go on, and when each had its last bytes
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
            report("progress", done=sum(self.done.values()), total=sum(self.sizes.values()), what=what, package=name)

    def on_populate_cache_start(self, operation: int, package_name: str) -> int:
        with self.lock:
            return self._token(package_name)

    def on_populate_cache_complete(self, cache_entry: int) -> None:
        with self.lock:
            name = self.names[cache_entry]
            self.done[name] = self.sizes.get(name, 0)
            self._tell("fetch", name)

    def on_download_start(self, cache_entry: int) -> int:
        with self.lock:
            self.coming[cache_entry] = time.monotonic()
        return cache_entry

    def on_download_progress(self, download_idx: int, progress: int, total: int | None) -> None:
        """Note the bytes of one package; what a second try fetches again does not take the progress back."""
        with self.lock:
            self.coming[download_idx] = time.monotonic()
            name = self.names[download_idx]
            self.downloaded[name] = progress
            self.done[name] = max(progress, self.done.get(name, 0))  # a second try begins at 0
            self._tell("fetch", name)

    def on_download_completed(self, download_idx: int) -> None:
        with self.lock:
            self.coming.pop(download_idx, None)
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


def report(event: str, **data: Any) -> None:
    """Write one line in one write: rattler's threads report while ours does."""
    os.write(1, (json.dumps({"event": event, **data}, ensure_ascii=False) + "\n").encode())


async def carry_out(request: dict[str, Any]) -> int:
    """Carry out an order and return the bytes downloaded. A plan has its event "plan" instead."""
    client = Client.from_config(Config.from_toml(_CONFIG))
    specs = [MatchSpec(spec) for spec in request["specs"]]
    if request["records"]:
        records = [moved(record, request) for record in request["records"]]
    else:
        records = await choose(request, specs, client)
    if not request["prefix"]:
        await tell_plan(records, Path(request["packages"]))
        return 0
    return await create(request, records, specs, client)


async def choose(request: dict[str, Any], specs: list[MatchSpec], client: Client) -> list[RepoDataRecord]:
    """Return the packages that fit; a server that breaks the kept index is asked once more without it."""
    report("progress", done=0, total=None, what="solve", package="")
    try:
        return await solved(request, specs, Gateway(Path(request["repodata"]), client=client))
    except GatewayError as error:
        if _UNCHANGED not in str(error):
            raise
    # A small server's "not modified" without the headers that rattler looks for: as if nothing were kept.
    with tempfile.TemporaryDirectory(dir=request["repodata"]) as folder:
        return await solved(request, specs, Gateway(Path(folder), client=client))


async def solved(request: dict[str, Any], specs: list[MatchSpec], gateway: Gateway) -> list[RepoDataRecord]:
    """Return the solver's packages for this computer, or for the system that the request names."""
    channels = request["channels"]
    if not request["system"]:
        detected = VirtualPackage.detect(VirtualPackageOverrides.from_env())
        return list(await solve(channels, specs, gateway=gateway, virtual_packages=detected))
    subdir, *virtual = request["system"]
    given = [
        GenericVirtualPackage(PackageName(name), Version(version), BuildString(build))
        for name, version, build in virtual
    ]
    return list(await solve(channels, specs, gateway=gateway, platforms=[subdir, "noarch"], virtual_packages=given))


async def tell_plan(records: list[RepoDataRecord], packages: Path) -> None:
    index = await PackageCache(packages).index() if packages.is_dir() else None
    cached = [bool(index and index.contains_record(record)) for record in records]
    report("plan", records=[json.loads(record.to_json()) for record in records], cached=cached)


def moved(data: dict[str, Any], request: dict[str, Any]) -> RepoDataRecord:
    """Return a package that was chosen before; its size and SHA-256 stay those that were seen then."""
    with tempfile.TemporaryDirectory(dir=request["repodata"]) as folder:
        path = Path(folder, "index.json")
        path.write_text(json.dumps(data), encoding="utf-8")
        record = PackageRecord.from_index_json(path, data.get("size"), data.get("sha256"), data.get("md5"))
    url, channel = data["url"], data["channel"]
    for old, new in request["moves"]:
        if url.startswith(f"{old.rstrip('/')}/"):
            url, channel = f"{new.rstrip('/')}/{data['subdir']}/{data['fn']}", new
    return RepoDataRecord(record, data["fn"], request["local"].get(data.get("sha256"), url), channel)


async def create(request: dict[str, Any], records: list[RepoDataRecord], specs: list[MatchSpec], client: Client) -> int:
    """Install the packages without their scripts and return how many bytes were fetched."""
    reporter = Reporter({record.name.normalized: record.size or 0 for record in records})
    threading.Thread(target=end_when_stalled, args=(reporter, request["stall_seconds"]), daemon=True).start()
    await install(
        records,
        request["prefix"],
        cache_dir=Path(request["packages"]),
        client=client,
        show_progress=False,
        reporter=reporter,
        requested_specs=[spec._match_spec for spec in specs],
        execute_link_scripts=False,
    )
    return sum(reporter.downloaded.values())


def end_when_stalled(reporter: Reporter, seconds: float) -> None:
    """End the process when nothing comes any more: rattler waits for ever for a server that says nothing."""
    while True:
        time.sleep(seconds / _LOOKS_PER_STALL)
        with reporter.lock:
            late = [token for token, heard in reporter.coming.items() if time.monotonic() - heard > seconds]
            name = reporter.names[late[0]] if late else ""
        if late:
            report("error", kind="lost", text=f"{_NOT_FETCHED}{name}: no bytes for {seconds:g} seconds")
            os._exit(1)


def kind_of(error: BaseException) -> str:
    """Return what went wrong: unsolvable, unreachable, lost (on the way) or failed."""
    if isinstance(error, SolverError):
        return "unsolvable"
    if isinstance(error, (FetchRepoDataError, GatewayError)):
        return "unreachable"
    return "lost" if _NOT_FETCHED in str(error) else "failed"


def bridge_socks() -> None:
    """Start a bridge to a SOCKS proxy: rattler knows HTTP proxies only. The import costs a third of a second, and few
    have such a proxy."""
    if any(value.lower().startswith("socks") for value in os.environ.values()):
        from wizard.transfer.proxy.relay import without_socks

        os.environ.update(without_socks(os.environ))


def main() -> int:
    """Carry out the order on standard input. Never returns where it works: the process ends here, before rattler's
    threads can crash it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        request = json.loads(sys.stdin.buffer.read())
        bridge_socks()
        downloaded = asyncio.run(carry_out(request))
        report("done", bytes_downloaded=downloaded)
        code = 0
    except Exception as error:
        report("error", kind=kind_of(error), text=f"{type(error).__name__}: {error}")
        code = 1
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
