"""A mixed room: which entry each machine takes, held against a table by hand and a second, simpler rule."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.classroom.profile.examples import entry, profile
from tests.compatibility.machines import FOLDER, machine, names
from wizard.classroom.profile.choose import Selection, choose
from wizard.classroom.profile.model import ProfileLock
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.machine.model import PythonInstall
from wizard.model.messages import text

ROOM = tuple(entry(os, variant) for os in ("windows", "linux") for variant in ("cu130", "cu126", "cpu"))
# By hand, from what NVIDIA and the wheels say: 2.14.1+cu130 has sm_75 to sm_120 and wants driver 580; cu126 has sm_50
# to sm_90 and wants 528.33 (Windows, and Windows' driver under WSL) or 525.60.13 (Linux).
TAKES: dict[str, str | None] = {
    "a100-linux-470": "linux cpu",  # driver 470
    "gb10-aarch64-580": None,  # no entry for aarch64
    "gt-730-fermi-windows": "windows cpu",
    "gt-730-kepler-30-windows": "windows cpu",
    "gt-730-kepler-35-windows": "windows cpu",
    "gt-730-rtx-3060-linux-470": "linux cpu",
    "gtx-1080-ti-rtx-5090-linux-580": "linux cu130",  # none has both: the stronger card
    "gtx-1080-ti-rtx-5090-linux-595": "linux cu130",
    "gtx-1080-ti-rtx-5090-windows-581": "windows cu130",
    "gtx-1080-windows-595": "windows cpu",  # 595 has dropped Pascal
    "gtx-1660-ti-windows-546": "windows cu126",
    "gtx-970-linux-nouveau": "linux cpu",
    "gtx-970-windows-552": "windows cu126",
    "h100-linux-580": "linux cu130",
    "h200-linux-580": "linux cu130",
    "intel-only-windows": "windows cpu",
    "jetson-orin-linux": None,
    "k40-linux-470": "linux cpu",
    "k80-linux-470": "linux cpu",
    "laptop-intel-rtx-4060-windows": "windows cu126",  # driver 560
    "musl-linux": None,
    "no-gpu-linux": "linux cpu",
    "old-glibc-linux": None,  # glibc 2.17
    "rtx-3050-a-laptop-windows": "windows cu126",
    "rtx-3060-linux-nouveau": "linux cpu",
    "rtx-5070-ti-linux-550": "linux cpu",  # cu126 has no code for it, cu130 wants 580
    "rtx-5070-ti-linux-nouveau": "linux cpu",
    "rtx-5070-ti-windows-572": "windows cpu",
    "rtx-5070-ti-windows-581": "windows cu130",
    "unknown-card-linux": "linux cpu",
    "v100-linux-535": "linux cu126",
    "v100-linux-580": "linux cu126",  # cu130 has left Volta out
    "windows-on-arm": None,
    "wsl-rtx-4090-528": "linux cpu",  # 528.02 is below 528.33
}


def taken(selection: Selection) -> str | None:
    return f"{selection.lock.os} {selection.lock.variant}" if selection.lock else None


def test_the_table_has_every_machine() -> None:
    assert sorted(TAKES) == names()
    assert len(TAKES) >= 30


@pytest.mark.parametrize("name", names())
def test_what_each_machine_takes(name: str) -> None:
    selection = choose(profile(*ROOM), machine(name), load_matrix())
    assert taken(selection) == TAKES[name]
    refused = {refusal.lock.key for refusal in selection.refused}
    assert selection.lock is None or selection.lock.key not in refused
    assert all(refusal.reasons for refusal in selection.refused)
    assert len(refused) == len(ROOM) if selection.lock is None else len(refused) < len(ROOM)
    for refusal in selection.refused:
        assert all(text(reason, language) for reason in refusal.reasons for language in ("en", "zh_CN"))


CARRIED = (
    entry("windows", "cu130"),
    entry("windows", "cu126"),
    entry("windows", "cu126", "2.13.0"),
    entry("windows", "cpu"),
    entry("linux", "cu130"),
    entry("linux", "cu128", "2.11.0"),
    entry("linux", "cu126", "2.13.0"),
    entry("linux", "cpu", "2.13.0"),
)
SETS = [some for size in (1, 2, 3) for some in combinations(CARRIED, size)]


@pytest.mark.parametrize("name", names())
def test_never_a_wrong_one_and_always_the_best_by_a_second_rule(name: str) -> None:
    """Over every profile of up to three of these entries."""
    data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    here, matrix = machine(name), load_matrix()
    for locks in SETS[::3]:
        chosen = choose(profile(*locks), here, matrix).lock
        fitting = [lock for lock in locks if simply_fits(lock, data)]
        if chosen is None:
            assert fitting == []
            continue
        assert chosen in fitting
        if len([gpu for gpu in data["gpus"] if gpu["vendor"] == "nvidia"]) < 2:
            assert chosen == max(fitting, key=lambda lock: (lock.variant != "cpu", numbers(lock.torch), lock.variant))


def test_a_profile_made_for_a_machine_gives_it_what_pick_gives() -> None:
    matrix = load_matrix()
    for name in names():
        best = resolve(machine(name), matrix, Choices(), prove_all=False).best
        if best is None or best.python is None:
            continue
        here = machine(name)
        lock = entry(here.os, best.variant, best.torch, best.python, here.arch, here.glibc or "")
        other = entry(here.os, "cpu", "2.13.0", "3.12", here.arch, "2.17")
        selection = choose(profile(other, lock), here, matrix)
        assert selection.lock == lock, name
        assert selection.candidate is not None
        assert selection.candidate.fits


def test_of_two_pythons_the_one_that_can_be_had() -> None:
    both = profile(entry("linux", "cpu", python="3.12"), entry("linux", "cpu", python="3.13"))
    here, matrix = machine("no-gpu-linux"), load_matrix()
    assert choose(both, here, matrix).lock == both.locks[0]
    assert choose(both, here, matrix, ("3.13",)).lock == both.locks[1]
    none = choose(both, here, matrix, ("3.9",))
    assert none.lock is None
    assert [refusal.reasons[0].key for refusal in none.refused] == ["profile.reason.no-python"] * 2
    debian = replace(here, pythons=(PythonInstall("/usr/bin/python3.13", "3.13.5", has_venv=False),))
    told = choose(both, debian, matrix, ()).refused
    assert [refusal.reasons[0].key for refusal in told] == ["profile.reason.no-python", "profile.reason.no-venv"]


def test_a_build_that_this_program_does_not_know_is_left_and_named() -> None:
    newer = entry("linux", "cu140", "9.0.0")
    both = profile(newer, entry("linux", "cpu"))
    selection = choose(both, machine("v100-linux-580"), load_matrix())
    assert selection.lock == both.locks[1]
    assert next(one.reasons[0].key for one in selection.refused if one.lock == newer) == "profile.reason.unknown-build"


def test_the_c_library_that_the_files_were_chosen_for_counts_beside_the_builds_own() -> None:
    """2.14.1 itself runs from glibc 2.28 on; this entry's files were chosen for 2.35."""
    only = profile(entry("linux", "cpu", glibc="2.35"))
    here, matrix = machine("no-gpu-linux"), load_matrix()
    assert choose(only, replace(here, glibc="2.35"), matrix).lock == only.locks[0]
    older = choose(only, replace(here, glibc="2.34"), matrix)
    assert older.lock is None
    assert older.refused[0].reasons[0].params == {"need": "2.35", "have": "2.34"}


def test_a_driver_that_would_open_an_entry_is_named() -> None:
    selection = choose(profile(entry("windows", "cu130")), machine("rtx-5070-ti-windows-572"), load_matrix())
    assert selection.lock is None
    assert selection.after_driver_update is not None
    assert (selection.after_driver_update.driver, selection.after_driver_update.variant) == ("580", "cu130")


# ---- the second rule: straight from the tables' text, one card and one build at a time


def rows(name: str) -> list[dict[str, str]]:
    path = Path(__file__).resolve().parents[3] / "matrices" / name
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


FLOORS = {(row["cuda"], row["os"]): row["driver_floor"] for row in rows("cuda_driver_floors.csv")}
CUBINS = {(row["torch"], row["variant"], row["platform"]): row["architectures"] for row in rows("arch_list.csv")}
CARDS = {row["pci_id"]: row for row in rows("gpus.csv")}
DROPPED = {row["architecture"]: int(row["dropped_since"] or 10**6) for row in rows("architectures.csv")}
FIRST = {
    (row["architecture"], os): row[f"first_driver_{os}"]
    for row in rows("architectures.csv")
    for os in ("windows", "linux")
}
PLATFORM = {"windows": "win_amd64", "linux": "linux_x86_64"}


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def simply_fits(lock: ProfileLock, data: dict[str, Any]) -> bool:
    if (lock.os, lock.arch) != (data["os"], data["arch"]):
        return False
    if lock.glibc and (data["glibc"] is None or numbers(data["glibc"]) < numbers(lock.glibc)):
        return False
    if lock.variant == "cpu":
        return True
    driver = data["driver"]
    if driver is None:
        return False
    cuda = f"{lock.variant[2:4]}.{lock.variant[4:]}"
    system = "windows" if data.get("wsl") else data["os"]
    if driver["cuda"]:
        reaches = int(driver["cuda"].split(".")[0]) >= int(cuda.split(".")[0])
    else:
        reaches = numbers(driver["version"]) >= numbers(FLOORS[(cuda, system)])
    return reaches and any(_has_code(lock, gpu, driver["version"]) for gpu in data["gpus"])


def _has_code(lock: ProfileLock, gpu: dict[str, Any], driver: str) -> bool:
    row = CARDS.get(gpu["pci_id"] or "")
    capability = gpu["compute_capability"] or (row["capability"] if row else None)
    if gpu["vendor"] != "nvidia" or capability is None or gpu.get("kernel_driver") in ("nouveau", "vfio-pci"):
        return False
    if row and numbers(driver)[0] >= DROPPED[row["architecture"]]:
        return False
    first = FIRST.get((row["architecture"], "windows" if lock.os == "windows" else "linux"), "") if row else ""
    if gpu["compute_capability"] is None and first and numbers(driver)[0] < int(first):
        return False  # the driver is older than the card
    major, minor = numbers(capability)
    codes = CUBINS[(lock.torch, lock.variant, PLATFORM[lock.os])].split(";")
    cubins = [code[3:] for code in codes if code.startswith("sm_")]
    return any(int(code[:-1]) == major and int(code[-1]) <= minor for code in cubins)


@pytest.mark.parametrize("name", [name for name in names() if "-linux" in name and "aarch64" not in name])
def test_a_tag_that_is_not_advertised_is_judged_as_by_pick(name: str) -> None:
    """Both have it named: `pick` by --variant, a profile by its entry."""
    matrix, here = load_matrix(), machine(name)
    unadvertised = [build for build in matrix.builds if not build.advertised and build.platform == "linux_x86_64"]
    assert {build.variant for build in unadvertised} >= {"cu129", "cu134"}
    for build in unadvertised:
        lock = entry("linux", build.variant, build.torch)
        chosen = choose(profile(lock), here, matrix)
        picked = resolve(here, matrix, Choices(torch=build.torch, variant=build.variant, python="3.12"))
        assert (chosen.lock is not None) == (picked.best is not None), build
