"""The class of `classroom.py`: recorded machines, the builds they take, stand-in wheels of the real sizes, scaled."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.class_source import Source
from wizard.classroom.profile.choose import choose
from wizard.classroom.profile.model import Profile, ProfileEnvironment, ProfileLock, ProfileSources
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Candidate, Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.machine_file import read_machine_file
from wizard.machine.model import Machine
from wizard.model.lock import LockedFile

ROOT = Path(__file__).resolve().parents[1]
MB = 1_000_000
# Megabytes, rounded, of the wheels of torch 2.14 for CUDA 12 on Linux; on Windows one wheel holds them all.
LINUX_CUDA = {
    "nvidia-cublas": 594,
    "nvidia-cudnn": 571,
    "nvidia-nccl": 322,
    "nvidia-cusparse": 288,
    "nvidia-cusparselt": 287,
    "nvidia-cusolver": 268,
    "nvidia-cufft": 193,
    "triton": 170,
    "nvidia-cuda-nvrtc": 90,
    "nvidia-curand": 64,
}
TORCH = {("linux", "cuda"): 880, ("windows", "cuda"): 2700, ("linux", "cpu"): 180, ("windows", "cpu"): 115}
SMALL = {"numpy": 17, "sympy": 6.3, "networkx": 2, "setuptools": 1.2, "jinja2": 0.13, "filelock": 0.02}


def usable_machines() -> list[tuple[str, Candidate]]:
    """Recorded machines, each with the build that the rule gives it."""
    matrix, found = load_matrix(), []
    for path in sorted((ROOT / "tests" / "data" / "machines").glob("*.json")):
        machine = read_machine_file(path)
        best = resolve(machine, matrix, Choices(), prove_all=False).best
        if best and machine.arch == "x86_64":
            found.append((path.stem, best))
    return found


def machine_of(name: str) -> Machine:
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
        key = (machine.os, python, best.torch, best.variant)
        if key not in locks:
            glibc = "2.28" if machine.os == "linux" else None
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
        for name, megabytes in LINUX_CUDA.items():
            yield _file(
                source, made, name, f"{variant[2:4]}.{variant[4:]}", "py3-none-manylinux_2_27_x86_64", megabytes * scale
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
        lock = choose(profile, machine_of(name), matrix).lock
        if lock:  # a C library that is older than the wheels' is a case for itself
            found[name] = lock
    return found
