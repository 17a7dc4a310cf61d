"""How fast the wheels of a lock are fetched: ours against `aria2c -x 4 -s 4 -j 4`, from one server on this computer.

The set is like a real CUDA lock (2 GB, a few large files and many small ones). The server is nginx where there is
one, otherwise a sendfile server of our own; every arm uses the same one. aria2c runs with and without checksums:
ours cannot be had without. The order changes every round, medians are compared, and what counts is the ratio.

    python benchmarks/fetch.py [--rounds 5] [--folder DIR] [--megabytes 2000] [--server nginx|own]
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import http.server
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Megabytes: torch, cublas, cudnn, nccl, cusparse …, in the proportions of torch 2.14 for CUDA; then the small ones.
LARGE = (540, 400, 285, 210, 160, 120, 90, 63, 40, 25, 20, 12)
SIZES = (*LARGE, 8, 6, 4, 3, 2.5, 2, 1.7, 1.2, 1, 0.5, 0.3, 0.2, 0.1, 0.05)
GOAL = 0.8  # of aria2c's speed
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Sample:
    """`synced`: until the bytes were on the disk too. `peak`: memory of the process in bytes."""

    seconds: float
    synced: float
    processor: float
    peak: int
    said: str = ""


@dataclass(frozen=True)
class Served:
    name: str
    sha256: str
    size: int


Arm = Callable[[str, Sequence[Served], Path], Sample]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where to work (default: the temporary folder)")
    parser.add_argument("--megabytes", type=float, default=2000.0)
    parser.add_argument("--server", choices=("nginx", "own"), default="nginx" if shutil.which("nginx") else "own")
    parser.add_argument("--arms", nargs="+", choices=tuple(ARMS), default=list(ARMS))
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    folder = Path(tempfile.mkdtemp(prefix="fetch-", dir=options.folder))
    try:
        compare(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def compare(options: argparse.Namespace, folder: Path) -> None:
    files = make_files(folder / "www", options.megabytes * 1e6)
    total = sum(file.size for file in files)
    print(f"{len(files)} files, {total / 1e9:.2f} GB, {os.cpu_count()} processors, server: {options.server}")
    samples: dict[str, list[Sample]] = {name: [] for name in options.arms}
    with SERVERS[options.server](folder) as root:
        for number in range(options.rounds):
            for name in options.arms if number % 2 == 0 else reversed(options.arms):
                target = folder / f"{name}-{number}"
                os.sync()
                time.sleep(1)
                sample = ARMS[name](root, files, target)
                check(target, files)
                shutil.rmtree(target)
                samples[name].append(sample)
                print(f"  {name:16} {words(sample, total)}", flush=True)
    report(samples, total)


def words(sample: Sample, total: int) -> str:
    return (
        f"{sample.seconds:6.2f} s ({total / sample.seconds / 1e6:5.0f} MB/s), on the disk after {sample.synced:6.2f} s,"
        f" processor {sample.processor:5.2f} s, peak {sample.peak / 1e6:5.1f} MB {sample.said}"
    )


def report(samples: dict[str, list[Sample]], total: int) -> None:
    def middle(name: str, field: str) -> float:
        return statistics.median(float(getattr(sample, field)) for sample in samples[name])

    print("medians:")
    for name in samples:
        line = f"  {name:16} {middle(name, 'seconds'):6.2f} s, synced {middle(name, 'synced'):6.2f} s"
        line += f", processor {middle(name, 'processor'):5.2f} s, peak {middle(name, 'peak') / 1e6:5.1f} MB"
        if name != "ours" and "ours" in samples:
            ratio = middle(name, "seconds") / middle("ours", "seconds")
            synced = middle(name, "synced") / middle("ours", "synced")
            line += f"  ours has {ratio:.2f} of its speed, {synced:.2f} until synced (goal {GOAL})"
        print(line)


# -- what is served ------------------------------------------------------------------------------------------


def make_files(folder: Path, total: float) -> list[Served]:
    folder.mkdir(parents=True)
    scale = total / sum(SIZES)
    names = [f"p{number:02}-1.0-py3-none-any.whl" for number in range(len(SIZES))]
    return [make_file(folder, name, int(size * scale)) for name, size in zip(names, SIZES, strict=True)]


def make_file(folder: Path, name: str, size: int) -> Served:
    digest, left, source = hashlib.sha256(), size, random.Random(name)
    with (folder / name).open("wb") as stream:
        while left:
            block = source.randbytes(min(left, 1 << 20))
            digest.update(block)
            stream.write(block)
            left -= len(block)
    return Served(name, digest.hexdigest(), size)


def check(target: Path, files: Sequence[Served]) -> None:
    """Sizes only: the hash is the arms' own work, and a second pass here would warm the cache."""
    found = {path.name: path.stat().st_size for path in target.rglob("*.whl")}
    assert found == {file.name: file.size for file in files}, found


@contextlib.contextmanager
def nginx(folder: Path) -> Iterator[str]:
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(
        f"worker_processes 2; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        "events { worker_connections 256; }\n"
        f"http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000;\n"
        f"  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;\n"
        f"  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;\n"
        f"  server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}\n",
        encoding="ascii",
    )
    folder.chmod(0o755)
    server = subprocess.Popen(["nginx", "-c", str(config), "-e", str(folder / "error.log")])
    with ended(server):
        wait_for(port)
        yield f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def own_server(folder: Path) -> Iterator[str]:
    port = free_port()
    server = subprocess.Popen([sys.executable, __file__, "--child", "serve", f"{port} {folder / 'www'}"])
    with ended(server):
        wait_for(port)
        yield f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    for _ in range(100):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


class SendFile(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = Path()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer(with_body=False)

    def do_GET(self) -> None:
        self.answer(with_body=True)

    def answer(self, with_body: bool) -> None:
        path = self.folder / Path(self.path).name
        size = path.stat().st_size
        low, high = 0, size
        asked = self.headers.get("Range")
        if asked:
            first, last = asked.removeprefix("bytes=").split("-")
            low, high = int(first), min(size, int(last) + 1) if last else size
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(high - low))
        self.send_header("ETag", f'"{size}"')
        if asked:
            self.send_header("Content-Range", f"bytes {low}-{high - 1}/{size}")
        self.end_headers()
        with path.open("rb") as stream:
            while with_body and low < high:
                low += os.sendfile(self.connection.fileno(), stream.fileno(), low, high - low)


# -- arms ----------------------------------------------------------------------------------------------------


def ours(root: str, files: Sequence[Served], target: Path) -> Sample:
    order = target.with_suffix(".json")
    order.write_text(json.dumps([[file.name, file.sha256, file.size, f"{root}/{file.name}"] for file in files]))
    return timed([sys.executable, __file__, "--child", str(target), str(order)])


def aria(root: str, files: Sequence[Served], target: Path, with_checksum: bool) -> Sample:
    order = target.with_suffix(".txt")
    lines = []
    for file in files:
        lines += [f"{root}/{file.name}", f"  out={file.name}"]
        lines += [f"  checksum=sha-256={file.sha256}"] if with_checksum else []
    order.write_text("\n".join(lines) + "\n", encoding="ascii")
    return timed(
        [
            "aria2c",
            "-x",
            "4",
            "-s",
            "4",
            "-j",
            "4",
            "-i",
            str(order),
            "-d",
            str(target),
            "--no-conf=true",
            "--file-allocation=none",
            "--quiet=true",
            "--summary-interval=0",
            "--console-log-level=error",
        ]
    )


def timed(command: Sequence[str]) -> Sample:
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout
    said = process.stdout.read().strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    seconds = time.monotonic() - began
    assert status == 0, command
    os.sync()
    synced = time.monotonic() - began
    return Sample(seconds, synced, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, said)


def child(first: str, second: str) -> None:
    """This file again, in a process of its own: our arm, or our server."""
    if first == "serve":
        port, folder = second.split(" ", 1)
        SendFile.folder = Path(folder)
        http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), SendFile).serve_forever()
    from wizard.model.lock import LockedFile
    from wizard.transfer.download import Downloads, Fetcher
    from wizard.transfer.download.fetcher import Options

    rows = json.loads(Path(second).read_text())
    files = [LockedFile(name, "1.0", name, (url,), sha256, size) for name, sha256, size, url in rows]
    limits: collections.Counter[str] = collections.Counter()
    fetcher = Fetcher(Downloads(Path(first)), options=Options(environment={}))
    fetcher.fetch(files, on_progress=lambda progress: limits.update([progress.limited_by]))
    looks = sum(limits.values())
    print("limited by", ", ".join(f"{name} {100 * count // looks} %" for name, count in limits.most_common()))


ARMS: dict[str, Arm] = {
    "ours": ours,
    "aria2c": lambda root, files, target: aria(root, files, target, with_checksum=False),
    "aria2c-checksum": lambda root, files, target: aria(root, files, target, with_checksum=True),
}
SERVERS = {"nginx": nginx, "own": own_server}

if __name__ == "__main__":
    main()
