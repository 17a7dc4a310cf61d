"""A class of thirty: what goes through the campus link, how long it takes, and whether trouble is told as it is.

Thirty client processes with recorded machines (tests/data/machines) take the builds that a class profile has for them:
first each directly from one throttled source, then from a pack that was built once through the same link and is served
by two servers. In the second arm one server is killed and started again, one file at the other is altered, a third
server lies about every file, one client has no room on its disk and one has a clock that is 400 days off.

Wheels are stand-ins with the sizes of real ones, scaled: a client fetches and checks every byte with the program's own
downloader, and installs nothing (most of the builds are for other systems). All on loopback; a full disk is told to the
client, not made. Run it with --scale 1 where there is room for all of it (about 4 GB for each client).

    python benchmarks/classroom.py [--scale 0.02] [--clients 30] [--link 2.5] [--folder DIR]
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from wizard.errors import WizardError  # noqa: E402
from wizard.machine.serialize import machine_to_json, read_machine_file  # noqa: E402
from wizard.matrix.load import load_matrix  # noqa: E402
from wizard.packages.fetch import Fetcher, Store  # noqa: E402
from wizard.packages.fetch.fetcher import Options  # noqa: E402
from wizard.packages.fetch.near import fetch_near_first  # noqa: E402
from wizard.packages.model import LockedFile  # noqa: E402
from wizard.plan.model import Candidate, Choices  # noqa: E402
from wizard.plan.resolve import resolve  # noqa: E402
from wizard.profile.choose import choose  # noqa: E402
from wizard.profile.model import Profile, ProfileEnvironment, ProfileLock, ProfileSources  # noqa: E402
from wizard.profile.read import read_profile  # noqa: E402
from wizard.profile.write import profile_file  # noqa: E402
from wizard.report.document import report_document  # noqa: E402
from wizard.session.classroom import Asked, enter  # noqa: E402
from wizard.session.pack import read_listing  # noqa: E402
from wizard.session.room import read_room  # noqa: E402
from wizard.share.certificate import certificate  # noqa: E402
from wizard.share.handing_in import hand_in  # noqa: E402
from wizard.share.limits import Limits  # noqa: E402
from wizard.share.room_page import room_csv, room_page, sentences  # noqa: E402
from wizard.share.server import PackServer, ServeOptions, content_of_pack  # noqa: E402

MB = 1_000_000
# Megabytes, rounded, of the wheels of torch 2.14 for CUDA 12 on Linux; on Windows one wheel holds them all.
LINUX_CUDA = {
    "nvidia-cublas": 594, "nvidia-cudnn": 571, "nvidia-nccl": 322, "nvidia-cusparse": 288, "nvidia-cusparselt": 287,
    "nvidia-cusolver": 268, "nvidia-cufft": 193, "triton": 170, "nvidia-cuda-nvrtc": 90, "nvidia-curand": 64,
}  # fmt: skip
TORCH = {("linux", "cuda"): 880, ("windows", "cuda"): 2700, ("linux", "cpu"): 180, ("windows", "cpu"): 115}
SMALL = {"numpy": 17, "sympy": 6.3, "networkx": 2, "setuptools": 1.2, "jinja2": 0.13, "filelock": 0.02}
UPSTREAM_GOAL, MEMORY_GOAL = 1.05, 200 * 2**20
OFF_SECONDS = -400 * 86400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.02, help="of the real sizes")
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument(
        "--link",
        type=float,
        default=2.5,
        help="MB/s of the link to the source; at 1/50 of the sizes 2.5 stands for 1 Gbit/s",
    )
    parser.add_argument("--folder", help="where to work (default: the temporary folder)")
    parser.add_argument("--no-direct", action="store_true", help="leave the direct downloads out")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        sys.exit(client(json.loads(options.client)))
    folder = Path(tempfile.mkdtemp(prefix="class-", dir=options.folder))
    try:
        sys.exit(0 if compare(options, folder) else 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def compare(options: argparse.Namespace, folder: Path) -> bool:
    machines = usable_machines()
    with Source(folder / "source", options.link * MB) as source:
        ports = [free_port() for _ in range(3)]
        profile = make_profile(source, machines, options.scale, ports)
        path = folder / "class.torchlab"
        path.write_bytes(profile_file(profile).data)
        union = sum(file.size or 0 for file in profile.files)
        needs = {name: sum(file.size or 0 for file in lock.files) for name, lock in locks_of(profile, machines).items()}
        names = sorted(needs)
        seats = [names[number % len(names)] for number in range(options.clients)]
        wanted = sum(needs[name] for name in seats)
        print(f"{options.clients} clients, {len(profile.locks)} builds; together {wanted / MB:.0f} MB,", end=" ")
        print(f"each file once {union / MB:.0f} MB; link {options.link:g} MB/s; scale {options.scale:g}")
        direct = 0.0 if options.no_direct else run_direct(folder, path, seats, source)
        return run_class(folder, path, ports, seats, source, union, wanted, direct)


# -- the source -------------------------------------------------------------------------------------------------


class Source:
    """One server behind one link: all who fetch from it share its bytes per second."""

    def __init__(self, folder: Path, rate: float) -> None:
        self.folder, self.rate, self.sent = folder, rate, 0
        folder.mkdir(parents=True)
        self._lock, self._free_at = threading.Lock(), time.monotonic()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            server_version = "source"

            def do_GET(self) -> None:
                path = outer.folder / Path(self.path).name.replace("%2B", "+")
                size = path.stat().st_size
                first, last = 0, size
                asked = self.headers.get("Range")
                if asked:
                    start, _, end = asked.removeprefix("bytes=").partition("-")
                    first, last = int(start), min(int(end) + 1 if end else size, size)
                self.send_response(206 if asked else 200)
                if asked:
                    self.send_header("Content-Range", f"bytes {first}-{last - 1}/{size}")
                self.send_header("Content-Length", str(last - first))
                self.end_headers()
                with path.open("rb") as stream, contextlib.suppress(OSError):
                    stream.seek(first)
                    while first < last and (block := stream.read(min(65536, last - first))):
                        outer.wait_turn(len(block))
                        self.wfile.write(block)
                        first += len(block)

            def log_message(self, format: str, *arguments: object) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def wait_turn(self, count: int) -> None:
        with self._lock:
            self.sent += count
            now = time.monotonic()
            self._free_at = max(self._free_at, now - 0.05) + count / self.rate
            wait = self._free_at - now
        if wait > 0:
            time.sleep(wait)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Source:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()


# -- the profile ------------------------------------------------------------------------------------------------


def usable_machines() -> list[tuple[str, Candidate]]:
    """Recorded machines, each with the build that the rule gives it."""
    matrix, found = load_matrix(), []
    for path in sorted((ROOT / "tests" / "data" / "machines").glob("*.json")):
        machine = read_machine_file(path)
        best = resolve(machine, matrix, Choices(), prove_all=False).best
        if best and machine.arch == "x86_64":
            found.append((path.stem, best))
    return found


def machine_of(name: str) -> object:
    path = ROOT / "tests" / "data" / "machines" / f"{name}.json"
    return read_machine_file(path)


def make_profile(
    source: Source, machines: Sequence[tuple[str, Candidate]], scale: float, ports: Sequence[int]
) -> Profile:
    locks: dict[tuple[str, ...], ProfileLock] = {}
    made: dict[str, LockedFile] = {}
    for name, best in machines:
        machine = machine_of(name)
        python = best.python or "3.12"
        key = (machine.os, python, best.torch, best.variant)  # type: ignore[attr-defined]
        if key not in locks:
            glibc = "2.28" if machine.os == "linux" else None  # type: ignore[attr-defined]
            files = tuple(_files(source, made, *key, scale))
            locks[key] = ProfileLock(key[0], "x86_64", python, best.torch, best.variant, files, glibc)
    share = tuple(f"http://127.0.0.1:{port}/" for port in ports)
    wish, sources = ProfileEnvironment("room"), ProfileSources(share=share)
    return Profile("Room 101", "2026-11-21", "0.1.0", wish, tuple(locks.values()), sources)


def _files(
    source: Source, made: dict[str, LockedFile], os_name: str, python: str, torch: str, variant: str, scale: float
) -> Iterator[LockedFile]:
    short = "cp" + python.replace(".", "")
    tag = f"{short}-{short}-{'win_amd64' if os_name == 'windows' else 'manylinux_2_28_x86_64'}"
    kind = "cpu" if variant == "cpu" else "cuda"
    yield _file(source, made, "torch", f"{torch}+{variant}", tag, TORCH[os_name, kind] * scale)
    if (os_name, kind) == ("linux", "cuda"):
        for name, size in LINUX_CUDA.items():
            yield _file(
                source, made, name, f"{variant[2:4]}.{variant[4:]}", "py3-none-manylinux_2_27_x86_64", size * scale
            )
    for name, size in SMALL.items():
        yield _file(source, made, name, "1.0", "py3-none-any", size * scale)


def _file(
    source: Source, made: dict[str, LockedFile], name: str, version: str, tag: str, megabytes: float
) -> LockedFile:
    filename = f"{name.replace('-', '_')}-{version}-{tag}.whl"
    if filename not in made:
        size = max(1000, int(megabytes * MB))
        digest, block = hashlib.sha256(), b"PK\3\4" + random.Random(filename).randbytes(MB - 4)
        with (source.folder / filename).open("wb") as out:
            for start in range(0, size, MB):
                piece = (start.to_bytes(8, "big") if start else b"") + block
                out.write(piece[: min(MB, size - start)])
                digest.update(piece[: min(MB, size - start)])
        made[filename] = LockedFile(name, version, filename, (f"{source.url}/{filename}",), digest.hexdigest(), size)
    return made[filename]


def locks_of(profile: Profile, machines: Sequence[tuple[str, Candidate]]) -> dict[str, ProfileLock]:
    matrix, found = load_matrix(), {}
    for name, _ in machines:
        lock = choose(profile, machine_of(name), matrix).lock  # type: ignore[arg-type]
        if lock:  # a C library that is older than the wheels' is a case for itself
            found[name] = lock
    return found


# -- one client -------------------------------------------------------------------------------------------------


def client(told: dict[str, object]) -> int:
    """In a process of its own: the real choice, the real downloader, a real certificate."""
    os.environ["TORCH_WIZARD_HOME"] = str(told["home"])
    if told.get("clock_off"):
        real, off = time.time, float(str(told["clock_off"]))
        time.time = lambda: real() + off
    machine = machine_of(str(told["machine"]))
    file = read_profile(Path(str(told["profile"])))
    lock = choose(file.profile, machine, load_matrix()).lock  # type: ignore[arg-type]
    assert lock
    bases = [str(base) for base in told.get("bases") or ()]  # type: ignore[attr-defined]
    files = lock.files
    free = (lambda folder: 30 * MB) if told.get("full_disk") else None
    error: WizardError | None = None
    try:
        if bases:
            room = enter(Asked(profile=Path(str(told["profile"]))))
            urls_of, bases = room.further_urls(), list(room.bases)
            time.sleep(random.uniform(0, 2.0))
            files = tuple(replace(one, urls=(*urls_of(one), *one.urls)) for one in lock.files)
        options = Options(allow_http=bool(bases), **({"free_bytes": free} if free else {}))
        fetched = fetch_near_first(
            Fetcher(Store(), options=options), files, bases, lambda progress: None, lambda one, path: None,
            lambda: False, lambda: False, lambda failure: None,
        )  # fmt: skip
        for one, path in zip(files, fetched.paths, strict=True):
            assert path.stat().st_size == one.size
    except WizardError as failure:
        error = failure
    if bases:
        facts = machine_to_json(machine)  # type: ignore[arg-type]
        status = int(error.exit_status) if error else 0
        document = report_document(None, None, status=status, error=error, machine=facts)
        random.shuffle(bases)
        hand_in(
            [base for base in bases if base == told["admin"]], certificate(document, file.sha256, str(told["seat"]))
        )
    return 1 if error else 0


@dataclass
class Ended:
    seconds: float
    codes: list[int]


def run_clients(folder: Path, told: Sequence[dict[str, object]], meanwhile: threading.Thread | None = None) -> Ended:
    began = time.monotonic()
    children = []
    for number, one in enumerate(told):
        home = folder / f"seat-{number:02}"
        argument = json.dumps({**one, "home": str(home)})
        children.append(subprocess.Popen([sys.executable, __file__, "--client", argument]))
    if meanwhile:
        meanwhile.start()
    codes = [child.wait() for child in children]
    seconds = time.monotonic() - began
    if meanwhile:
        meanwhile.join()
    return Ended(seconds, codes)


def run_direct(folder: Path, profile: Path, seats: Sequence[str], source: Source) -> float:
    before = source.sent
    ended = run_clients(folder / "direct", [{"machine": name, "profile": str(profile)} for name in seats])
    print(f"direct: {ended.seconds:.1f} s, {(source.sent - before) / MB:.0f} MB through the link", end="")
    print("" if not any(ended.codes) else f"; FAILED: {sum(map(bool, ended.codes))}")
    shutil.rmtree(folder / "direct")
    return ended.seconds


# -- the class --------------------------------------------------------------------------------------------------


def run_class(
    folder: Path, profile: Path, ports: Sequence[int], seats: Sequence[str], source: Source, union: int, wanted: int,
    direct: float,
) -> bool:  # fmt: skip
    before, began = source.sent, time.monotonic()
    pack = folder / "pack"
    environment = {**os.environ, "TORCH_WIZARD_HOME": str(folder / "admin"), "TORCH_WIZARD_LANG": "en"}
    command = [sys.executable, "-m", "wizard", "pack"]
    subprocess.run([*command, "build", str(profile), "-o", str(pack)], cwd=ROOT, env=environment, check=True)
    build_seconds = time.monotonic() - began
    second, liar = folder / "second", folder / "liar"
    shutil.copytree(pack, second)
    shutil.copytree(pack, liar)
    for wheel in (liar / "wheels").glob("*.whl"):
        alter(wheel)
    many = ("--per-client", "200")  # here all thirty come from one address
    first_port, second_port, lying_port = ports
    peaks: dict[int, int] = {}

    def serve(where: Path, port: int) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [*command, "serve", str(where), "--port", str(port), "--host", "127.0.0.1", *many], cwd=ROOT,
            env=environment, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_for(port)
        threading.Thread(target=watch, args=(child.pid, peaks), daemon=True).start()
        return child

    one, two = serve(pack, first_port), serve(second, second_port)
    largest = max((second / "wheels").glob("*.whl"), key=lambda path: path.stat().st_size)
    alter(largest)
    running = [one, two]

    def kill_and_restart() -> None:
        while size_of(folder / "class") < 0.3 * wanted:
            time.sleep(0.1)
        running[0].send_signal(signal.SIGKILL)
        running[0].wait()
        time.sleep(3.0)
        running[0] = serve(pack, first_port)

    content = content_of_pack(liar, read_listing(liar))
    with PackServer(content, ServeOptions("127.0.0.1", lying_port, Limits(each=200))) as lying:
        bases = [f"http://127.0.0.1:{port}/" for port in ports]
        told: list[dict[str, object]] = [
            {"machine": name, "profile": str(profile), "bases": bases, "admin": bases[1], "seat": f"seat {number:02}"}
            for number, name in enumerate(seats)
        ]
        told[3]["full_disk"] = True
        told[7]["clock_off"] = OFF_SECONDS
        ended = run_clients(folder / "class", told, threading.Thread(target=kill_and_restart))
        lies = lying.counted.bytes_sent
    for child in running:
        child.send_signal(signal.SIGINT)
        child.wait()
    upstream = source.sent - before
    return judge(second, len(seats), ended, build_seconds, upstream, union, max(peaks.values()), direct, lies)


def judge(
    pack: Path, count: int, ended: Ended, build_seconds: float, upstream: int, union: int, peak: int, direct: float,
    lies: int,
) -> bool:  # fmt: skip
    room = read_room(pack)
    codes = sorted(row.code for row in room.rows if row.state == "red")
    total = build_seconds + ended.seconds
    print(f"class: pack {build_seconds:.1f} s + thirty clients {ended.seconds:.1f} s = {total:.1f} s", end="")
    print(f", {direct / total:.1f} times as fast as direct" if direct else "")
    print(f"through the link: {upstream / MB:.0f} MB = {upstream / union:.3f} x each file once (goal {UPSTREAM_GOAL})")
    print(f"server memory: {peak / 2**20:.0f} MiB at most (goal 200); the lying server sent {lies / MB:.0f} MB in vain")
    print(f"room: {room.green} green, {room.red} red of {count}")
    for row in room.rows:
        if row.state == "red":
            print(f"  {row.label}: [{row.code}] {sentences(row.why, 'en')} {sentences(row.fix, 'en')}")
    assert room_page(room)
    assert room_csv(room)
    return (
        room.green == count - 2 and codes == ["clock", "fetch-no-space"]
        and upstream <= UPSTREAM_GOAL * union and peak < MEMORY_GOAL
    )  # fmt: skip


def alter(wheel: Path) -> None:
    """One byte, the same length."""
    with wheel.open("r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        byte = stream.read(1)
        stream.seek(-1, os.SEEK_END)
        stream.write(bytes([byte[0] ^ 1]))


def watch(pid: int, peaks: dict[int, int]) -> None:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        while process.is_running():
            peaks[pid] = max(peaks.get(pid, 0), process.memory_info().rss)
            time.sleep(0.1)


def size_of(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file():
                total += path.stat().st_blocks * 512
    return total


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.1)
    raise SystemExit("a server did not start")


if __name__ == "__main__":
    main()
