"""Rows of the Check page beside the facts: a restart, Windows' runtime, folders, and looks that failed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PureWindowsPath

import pytest

from wizard.app.pages.check import Looks, check_rows, folder_rows, host_checks, restart_rows, runtime_rows
from wizard.app.pages.requirements import requirements, verdict_rows
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.checks.host_facts import HostFacts, look_around
from wizard.machine.machine_file import read_machine_file
from wizard.machine.model import Driver, Gpu, Machine, MigInstance
from wizard.model.capability import ComputeCapability
from wizard.model.messages import LANGUAGES, Message, message, text
from wizard.run.model import Facts, Requirement
from wizard.sources.model import UserSettings
from wizard.system.traits import of

CARD = Gpu("nvidia", "NVIDIA GeForce RTX 3060", "10de:2503", ComputeCapability(8, 6), 12 * 2**30)
MACHINE = Machine("linux", "x86_64", "2.36", Driver("580.65.06", "13.0"), (CARD,))


def said(rows: tuple[Requirement, ...]) -> list[tuple[str, str]]:
    for row in rows:
        for words in (row.fact, row.why, row.fix):
            for language in LANGUAGES:
                assert words is None or text(words, language)
        assert not row.blocks
    return [(row.name, row.state) for row in rows]


def windows(missing: tuple[str, ...] | None, version: str | None) -> HostFacts:
    return replace(look_around(), runtime_missing=missing, runtime_version=version)


@pytest.mark.parametrize("capability", ["5.3", "6.2", "7.2", "8.7"])
def test_a_board_gets_no_tick(capability: str) -> None:
    board = replace(CARD, name="Orin (nvgpu)", compute_capability=ComputeCapability.parse(capability))
    rows = requirements(replace(MACHINE, arch="aarch64", gpus=(board,)), UserSettings())
    assert said(rows)[0] == ("gpu", "warning")
    assert rows[0].fix is not None
    assert "PyTorch that NVIDIA publishes" in text(rows[0].fix, "en")


def test_a_restart_that_is_due_is_a_warning() -> None:
    rows = tuple(restart_rows("/run/reboot-required"))
    assert said(rows) == [("restart", "warning")]
    assert rows[0].fix is not None
    assert "restart the computer" in text(rows[0].fix, "en")
    assert tuple(restart_rows(None)) == ()


@pytest.mark.parametrize(
    ("missing", "version", "state"),
    [
        ((), "14.44.35211", ["ok"]),
        ((), "14.29.30133", ["warning"]),
        (("vcruntime140_1.dll",), None, ["problem"]),
        ((), None, ["warning"]),
        (None, None, []),
    ],
)
def test_the_runtime_of_windows(missing: tuple[str, ...] | None, version: str | None, state: list[str]) -> None:
    rows = tuple(runtime_rows(windows(missing, version)))
    assert [one for _, one in said(rows)] == state
    if state == ["problem"]:
        assert "vcruntime140_1.dll" in text(rows[0].fact, "en")
        assert rows[0].fix is not None
        assert "aka.ms" in text(rows[0].fix, "zh_CN"), "from Microsoft only"


HOME = PureWindowsPath("C:/Users/李 雷")


@pytest.mark.parametrize(
    ("place", "temporary", "os_name", "keys"),
    [
        ("/home/li/torch-envs/torch", "/tmp", "linux", ["page.check.path"]),
        (
            f"{HOME}\\torch-envs\\torch",
            f"{HOME}\\AppData\\Local\\Temp",
            "windows",
            ["environments.hazard.space", "environments.hazard.letters"],
        ),
        ("C:\\torch", "C:\\Users\\LI~1\\Temp", "windows", ["page.check.path"]),
        ("C:\\torch", f"{HOME}\\Temp", "windows", ["environments.hazard.space", "environments.hazard.letters"]),
        ("C:\\" + "x" * 66, "C:\\Temp", "windows", ["page.check.path"]),
        ("C:\\" + "x" * 67, "C:\\Temp", "windows", ["environments.hazard.long"]),
        ("D:\\Cloud\\torch", "C:\\Temp", "windows", ["environments.hazard.cloud"]),
    ],
)
def test_folders_that_trip_other_tools(
    place: str, temporary: str, os_name: str, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from wizard.system import traits

    monkeypatch.setattr(traits, "os_name", lambda: os_name)
    variables = {"OneDrive": "D:\\Cloud"}
    rows = tuple(folder_rows(Path(place), temporary, variables, os_name, long_paths=False))
    said(rows)
    assert [row.fact.key for row in rows] == keys


def test_this_computer_has_a_row_for_its_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "a b"))
    keys = [row.fact.key for row in host_checks()]
    assert "environments.hazard.space" in keys
    assert "page.check.path" not in keys


# -- what the look at the machine could not find out


def rows_of(one: Machine, *notices: Message) -> dict[str, Requirement]:
    return {row.name: row for row in requirements(replace(one, notices=notices), UserSettings())}


def test_a_driver_that_does_not_answer_says_why() -> None:
    failure = message("machine.nvidia.driver-library-mismatch")
    rows = rows_of(MACHINE, failure)
    assert rows["driver"].state == "problem"
    assert rows["driver"].fact == failure
    none = rows_of(replace(MACHINE, driver=None), message("machine.nvidia.library-not-found"))
    assert none["driver"].fact.key == "check.driver.none", "that there is no driver has words of its own"


def test_a_card_that_does_not_answer_leaves_the_drivers_row_alone() -> None:
    dead = message("machine.card.lost", card="0000:02:00.0")
    rows = requirements(replace(MACHINE, notices=(dead,)), UserSettings())
    assert [row.state for row in rows if row.name == "driver"] == ["ok"]
    assert [row.state for row in rows if row.fact == dead] == ["warning"]


def test_a_card_in_parts_is_told_by_its_parts() -> None:
    card = replace(
        MACHINE.nvidia_gpus[0], mig=(MigInstance("1g.10gb", 10 * 2**30, "MIG-1"), MigInstance("2g.20gb", uuid="MIG-2"))
    )
    (row,) = (
        one for one in requirements(replace(MACHINE, gpus=(card,)), UserSettings()) if one.fact.key == "check.gpu.mig"
    )
    assert "1g.10gb (10 GB), 2g.20gb" in text(row.fact, "en")
    assert row.fix is not None
    assert "CUDA_VISIBLE_DEVICES=MIG-2" in text(row.fix, "en")
    empty = replace(MACHINE, gpus=(replace(card, mig=()),))
    assert rows_of(empty)["gpu"].state == "warning"
    assert rows_of(empty)["gpu"].fact.key == "machine.card.mig-empty"


def test_a_card_is_told_with_the_name_of_its_architecture_and_the_driver_with_what_pytorch_brings() -> None:
    """From the tables, where a driver that would say the capability is missing."""
    unasked = replace(MACHINE, gpus=(replace(MACHINE.nvidia_gpus[0], pci_id="10de:2182", compute_capability=None),))
    rows = {row.name: row for row in requirements(unasked, UserSettings(), load_matrix())}
    said = [row.why for row in (rows["gpu"], rows["driver"]) if row.why]
    assert "Turing architecture, compute capability 7.5" in text(said[0], "en")
    assert "Turing 架构，计算能力 7.5" in text(said[0], "zh_CN")
    assert "cuDNN" in text(said[1], "en")


def test_memory_that_a_card_shares_with_the_computer_is_not_missing() -> None:
    spark = Gpu("nvidia", "NVIDIA GB10", "10de:2e12", ComputeCapability(12, 1), None, "GPU-1", "000f:01:00.0")
    row = rows_of(replace(MACHINE, gpus=(spark,)))["gpu"]
    assert (row.state, text(row.fact, "en")) == ("ok", "NVIDIA GB10, shares this computer's memory")
    assert text(row.fact, "zh_CN") == "NVIDIA GB10，与电脑共用内存"


def test_a_driver_without_cards_warns() -> None:
    none = message("machine.nvidia.no-cards")
    assert rows_of(MACHINE, none)["driver"].state == "problem", "a card is on the bus, and the driver does not run it"
    empty = rows_of(replace(MACHINE, gpus=()), none)["driver"]
    assert (empty.state, empty.fact) == ("warning", none)


def test_a_look_that_failed_is_told_in_its_own_row() -> None:
    late = message("machine.part-late", part="condas")
    failed = message("machine.part-failed", part="system", problem="OSError(5)")
    rows = rows_of(MACHINE, late, failed, message("machine.windows.device-problem", name="X", code=43))
    assert (rows["conda"].state, rows["conda"].fact.key) == ("warning", "page.check.part-late")
    assert "OSError(5)" in text(rows["system"].fact, "en")
    assert (rows["gpu"].state, rows["gpu"].fact.key) == ("warning", "machine.windows.device-problem")


def test_the_sure_path_holds_torchs_longest_name() -> None:
    """190 characters of torch 2.15.0 with its site-packages, 259 in all; and the switch has its name."""
    longest = "\\".join(("", "Lib", "site-packages", "x" * 171))
    assert of("windows").longest_sure_path == 259 - len(longest)
    for language in LANGUAGES:
        assert "LongPathsEnabled" in text(Message("environments.hazard-long.fix"), language)


@pytest.mark.parametrize(
    ("machine", "key", "name"),
    [
        ("rtx-5070-ti-linux-550", "plan.notice.too-new-updated", "gpu"),
        ("k40-linux-470", "plan.notice.no-torch", "gpu"),
        ("musl-linux", "page.check.no-build", "system"),
        ("windows-on-arm", "page.check.no-build", "system"),
        ("a100-linux-470", None, "gpu"),
        ("rtx-3060-linux-nouveau", None, "gpu"),
        ("jetson-orin-linux", None, "gpu"),
    ],
)
def test_a_card_that_would_be_idle_is_told_by_its_row(machine: str, key: str | None, name: str) -> None:
    found = read_machine_file(Path(__file__).parents[1] / "data" / "machines" / f"{machine}.json")
    facts = Facts(found, UserSettings(), requirements(found, UserSettings(), load_matrix()), 0.1)
    told = verdict_rows(facts, resolve(found, load_matrix(), Choices()))
    assert [row.fact.key for row in told] == [key] * (key is not None)
    assert {state for _, state in said(told)} <= {"warning", "problem"}
    rows = [row for row in check_rows(facts, Looks(rows=told)) if row.name == name]
    if key:
        assert rows[-1].fact.key == key
        assert all(row.state != "ok" for row in rows), "no tick above it"
        assert len(rows) == 1, "one row for one thing, the graver"


@pytest.mark.parametrize(
    ("machine", "left", "used"),
    [
        ("gtx-1080-ti-rtx-5090-linux-580", "GTX 1080 Ti", "RTX 5090"),
        ("gtx-1080-ti-rtx-5090-linux-595", "GTX 1080 Ti", "RTX 5090"),
        ("gt-730-rtx-3060-linux-470", "GT 730", "RTX 3060"),
    ],
)
def test_of_two_cards_the_one_that_is_not_used_has_no_tick(machine: str, left: str, used: str) -> None:
    found = read_machine_file(Path(__file__).parents[1] / "data" / "machines" / f"{machine}.json")
    facts = Facts(found, UserSettings(), requirements(found, UserSettings(), load_matrix()), 0.1)
    verdict = resolve(found, load_matrix(), Choices())
    looks = Looks(rows=verdict_rows(facts, verdict))
    rows = [row for row in check_rows(facts, looks) if row.name == "gpu"]
    assert len(rows) == 2
    (without,) = (row for row in rows if left in str(row.fact.params.get("gpu")))
    (ok,) = (row for row in rows if used in str(row.fact.params.get("name")))
    assert (without.state, ok.state) == ("note", "ok")
    assert {"plan.notice.left-out", "plan.notice.dropped"} & {one.key for one in verdict.notices}, "Review says why"
    assert not looks.is_against, "the page goes on by itself as it does for one card"


def test_a_card_that_is_not_named_keeps_its_row() -> None:
    """Another sentence says only “this card”, and of two cards of one name nobody can tell which it is."""
    found = read_machine_file(Path(__file__).parents[1] / "data" / "machines" / "k40-linux-470.json")
    facts = Facts(found, UserSettings(), requirements(found, UserSettings(), load_matrix()), 0.1)
    (named,) = verdict_rows(facts, resolve(found, load_matrix(), Choices()))
    unnamed = replace(named, fact=Message("page.check.card-idle", {"torch": "2.9.0", "why": "-"}))
    rows = [row for row in check_rows(facts, Looks(rows=(unnamed,))) if row.name == "gpu"]
    assert [row.state for row in rows] == ["note", "warning"]
    twice = replace(found, gpus=found.gpus * 2)
    facts = replace(facts, machine=twice, requirements=requirements(twice, UserSettings(), load_matrix()))
    rows = [row for row in check_rows(facts, Looks(rows=(named,))) if row.name == "gpu"]
    assert [row.state for row in rows] == ["note", "note", "warning"]
