"""A class server under 256 slow readers from 32 addresses: what one other computer gets meanwhile.

    python benchmarks/slow_readers.py [--seconds 30] [--readers 256] [--addresses 32] [--networks 0]

Each reader takes 24 KB a second of a wheel (above the rate at which it is let go) and comes again when it is sent away.
The other asks for the list and for a wheel of 20 MB in turn, first alone, then among them. Linux: it takes many
addresses of loopback. With `--networks` all is IPv6, the readers' addresses spread over so many /64; as root, in a
network of its own, where every address of fd00:22::/32 is this computer's:

    unshare -n sh -c 'ip link set lo up && ip -6 route add local fd00:22::/32 dev lo &&
        echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind && python benchmarks/slow_readers.py --networks 1'
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import http.client
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from wizard.classroom.pack.listing import PackEntry, PackListing
from wizard.classroom.server.limits import Limits
from wizard.classroom.server.server import PackServer, ServeOptions, content_of_pack

_RATE = 24 * 1024
_SIZE = 20_000_000
_WHEEL = "wheels/large.whl"


@dataclass
class Counts:
    """Of the innocent one. `waits`: seconds until the list was there."""

    answers: int = 0
    sent_away: int = 0
    broken: int = 0
    megabytes: float = 0.0
    waits: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        waits = sorted(self.waits) or [0.0]
        return (
            f"answers {self.answers}, sent away {self.sent_away}, broken {self.broken}, {self.megabytes:.0f} MB; "
            f"the list after {waits[len(waits) // 2] * 1000:.0f} ms (median), {waits[-1] * 1000:.0f} ms (longest)"
        )


def place_of(number: int, asked: argparse.Namespace) -> str:
    """The address of a reader; of the innocent one with -1."""
    if not asked.networks:
        return f"127.0.0.{2 + number % asked.addresses}" if number >= 0 else "127.0.1.1"
    if number < 0:
        return "fd00:22:ffff::1"
    address = number % asked.addresses
    return f"fd00:22:{address % asked.networks:x}::{1 + address:x}"


def innocent(port: int, asked: argparse.Namespace) -> Counts:
    host, own, seconds = "::1" if asked.networks else "127.0.0.1", place_of(-1, asked), asked.seconds
    counts, until = Counts(), time.monotonic() + seconds
    while time.monotonic() < until:
        for path in ("pack.json", _WHEEL):
            began = time.monotonic()
            with contextlib.closing(http.client.HTTPConnection(host, port, 30, (own, 0))) as connection:
                try:
                    connection.request("GET", f"/{path}")
                    response = connection.getresponse()
                    body = response.read()
                except (OSError, http.client.HTTPException) as error:
                    counts.broken += 1
                    print(f"broken after {time.monotonic() - began:.3f} s: {error!r}")
                    continue
            counts.answers += response.status == 200
            counts.sent_away += response.status == 503
            counts.megabytes += len(body) / 1e6
            if path == "pack.json":
                counts.waits.append(time.monotonic() - began)
    return counts


async def slow_reader(port: int, host: str, address: str) -> None:
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(host, port, local_addr=(address, 0), limit=8192)
            writer.write(f"GET /{_WHEEL} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            while await reader.read(_RATE // 4):
                await asyncio.sleep(0.25)
        await asyncio.sleep(1.0)


async def slow_readers(port: int, asked: argparse.Namespace) -> None:
    host = "::1" if asked.networks else "127.0.0.1"
    await asyncio.gather(*(slow_reader(port, host, place_of(number, asked)) for number in range(asked.readers)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, value in (
        ("--seconds", 30),
        ("--readers", 256),
        ("--addresses", 32),
        ("--networks", 0),
        ("--as-readers-of", 0),
    ):
        parser.add_argument(name, type=int, default=value)
    asked = parser.parse_args()
    if asked.as_readers_of:
        asyncio.run(slow_readers(asked.as_readers_of, asked))
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder, _WHEEL)
        wheel.parent.mkdir()
        wheel.write_bytes(bytes(_SIZE))
        listing = PackListing("0" * 64, (PackEntry(_WHEEL, _SIZE, hashlib.sha256(bytes(_SIZE)).hexdigest()),))
        content = content_of_pack(Path(folder), listing)
        with PackServer(content, ServeOptions("::1" if asked.networks else "127.0.0.1", 0, Limits())) as server:
            print("alone:", innocent(server.port, asked))
            more = [f"--{name}={getattr(asked, name)}" for name in ("readers", "addresses", "networks")]
            readers = subprocess.Popen([sys.executable, __file__, "--as-readers-of", str(server.port), *more])
            try:
                time.sleep(10)
                among = f"among {asked.readers} slow readers from {asked.addresses} addresses:"
                print(among, innocent(server.port, asked))
                print("readers sent away meanwhile:", server.counted.refused)
            finally:
                readers.terminate()
                readers.wait()


if __name__ == "__main__":
    main()
