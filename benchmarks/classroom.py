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
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.class_profile import MB, locks_of, machine_of, make_profile, usable_machines  # noqa: E402
from benchmarks.class_source import Source, free_port, wait_for  # noqa: E402
from wizard.classroom.join import Asked, enter  # noqa: E402
from wizard.classroom.pack.make import read_listing  # noqa: E402
from wizard.classroom.profile.choose import choose  # noqa: E402
from wizard.classroom.profile.read import read_profile  # noqa: E402
from wizard.classroom.profile.write import profile_file  # noqa: E402
from wizard.classroom.results.certificate import certificate  # noqa: E402
from wizard.classroom.results.room_page import room_csv, room_page, sentences  # noqa: E402
from wizard.classroom.results.submit import hand_in, read_room  # noqa: E402
from wizard.classroom.server.limits import Limits  # noqa: E402
from wizard.classroom.server.server import PackServer, ServeOptions, content_of_pack  # noqa: E402
from wizard.compatibility.data.load import load_matrix  # noqa: E402
from wizard.machine.machine_file import machine_to_json  # noqa: E402
from wizard.model.errors import WizardError  # noqa: E402
from wizard.run.report.document import report_document  # noqa: E402
from wizard.transfer.download import Downloads, Fetcher  # noqa: E402
from wizard.transfer.download.fetcher import Options  # noqa: E402
from wizard.transfer.download.local_first import fetch_near_first  # noqa: E402

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


# -- one client -------------------------------------------------------------------------------------------------


def client(told: dict[str, object]) -> int:
    """In a process of its own: the real choice, the real downloader, a real certificate."""
    os.environ["TORCH_WIZARD_HOME"] = str(told["home"])
    if told.get("clock_off"):
        real, off = time.time, float(str(told["clock_off"]))
        time.time = lambda: real() + off
    machine = machine_of(str(told["machine"]))
    file = read_profile(Path(str(told["profile"])))
    lock = choose(file.profile, machine, load_matrix()).lock
    assert lock
    bases = [str(base) for base in told.get("bases") or ()]  # type: ignore[attr-defined]
    files = lock.files
    free = (lambda folder: 30 * MB) if told.get("full_disk") else None
    error: WizardError | None = None
    try:
        if bases:
            room = enter(Asked(profile=Path(str(told["profile"]))), agree=lambda named: {"127.0.0.1"})
            urls_of, bases = room.further_urls(), list(room.bases)
            time.sleep(random.uniform(0, 2.0))
            files = tuple(replace(one, urls=(*urls_of(one), *one.urls)) for one in lock.files)
        options = Options(allow_http=bool(bases))
        options = replace(options, free_bytes=free) if free else options
        fetched = fetch_near_first(
            Fetcher(Downloads(), options=options),
            files,
            bases,
            lambda progress: None,
            lambda one, path: None,
            lambda: False,
            lambda: False,
            lambda failure: None,
        )
        for one, path in zip(files, fetched.paths, strict=True):
            assert path.stat().st_size == one.size
    except WizardError as failure:
        error = failure
    if bases:
        facts = machine_to_json(machine)
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
    folder: Path,
    profile: Path,
    ports: Sequence[int],
    seats: Sequence[str],
    source: Source,
    union: int,
    wanted: int,
    direct: float,
) -> bool:
    before, began = source.sent, time.monotonic()
    pack = folder / "pack"
    environment = {**os.environ, "TORCH_WIZARD_HOME": str(folder / "admin"), "TORCH_WIZARD_LANG": "en"}
    command = [sys.executable, "-m", "wizard", "pack"]
    building = [*command, "build", str(profile), "-o", str(pack), "--trust", "127.0.0.1"]
    subprocess.run(building, cwd=ROOT, env=environment, check=True)
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
            [*command, "serve", str(where), "--port", str(port), "--host", "127.0.0.1", *many],
            cwd=ROOT,
            env=environment,
            stderr=subprocess.DEVNULL,
        )
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
    pack: Path,
    count: int,
    ended: Ended,
    build_seconds: float,
    upstream: int,
    union: int,
    peak: int,
    direct: float,
    lies: int,
) -> bool:
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
        room.green == count - 2
        and codes == ["clock", "fetch-no-space"]
        and upstream <= UPSTREAM_GOAL * union
        and peak < MEMORY_GOAL
    )


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


if __name__ == "__main__":
    main()
