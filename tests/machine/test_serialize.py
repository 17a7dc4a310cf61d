"""machine.json: the contract's own example, a round trip, and everything that is not a machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.machine.machine_file import machine_from_json, machine_to_json, read_machine_file
from wizard.machine.model import CondaInstall, Driver, Gpu, Machine, MigInstance, PythonInstall, Toolkit, Volume
from wizard.model.capability import ComputeCapability
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import message, text

EXAMPLE = """{"schema": 1, "os": "windows", "arch": "x86_64", "glibc": null,
 "driver": {"version": "546.33", "cuda": "12.3"},
 "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce GTX 1660 Ti", "pci_id": "10de:2182",
           "compute_capability": "7.5", "memory_bytes": 6442450944}]}"""

FULL = Machine(
    os="linux",
    arch="aarch64",
    glibc="2.39",
    driver=Driver("580.65.06", "13.0"),
    gpus=(
        Gpu("nvidia", "NVIDIA GB10", "10de:2e12", ComputeCapability(12, 1), None, "GPU-1", "000f:01:00.0", "nvidia"),
        Gpu("other", None, None),
        Gpu("nvidia", "A100", "10de:20b2", mig=(MigInstance("1g.10gb", 10200547328, "MIG-1"), MigInstance(None))),
        Gpu("nvidia", "A100", "10de:20b2", mig=()),
    ),
    toolkits=(Toolkit("13.0", "/usr/local/cuda-13.0", "/usr/local/cuda"),),
    pythons=(PythonInstall("/home/张三/bin/python3.12", "3.12.11", True), PythonInstall("/x", "3.15.0rc1", False)),
    condas=(CondaInstall("/home/u/miniforge3/bin/conda", "26.7.1", "/home/u/miniforge3", "conda"),),
    volumes=(Volume("/home/u/torch envs", 5, True), Volume("/nowhere", None, None)),
    os_version="Ubuntu 24.04.3 LTS",
    is_wsl=True,
    notices=(message("machine.nvidia.library-not-found"), message("machine.nvidia.error", code=999, said="Unknown")),
)


def test_reads_the_contracts_example() -> None:
    machine = machine_from_json(json.loads(EXAMPLE))
    assert machine.driver == Driver("546.33", "12.3")
    assert machine.gpus == (
        Gpu("nvidia", "NVIDIA GeForce GTX 1660 Ti", "10de:2182", ComputeCapability(7, 5), 6442450944),
    )
    assert (machine.os, machine.arch, machine.glibc, machine.notices) == ("windows", "x86_64", None, ())


def test_what_is_written_keeps_the_contracts_shape() -> None:
    written = machine_to_json(machine_from_json(json.loads(EXAMPLE)))
    example = json.loads(EXAMPLE)
    assert {name: written[name] for name in ("schema", "os", "arch", "glibc", "driver")} == {
        name: example[name] for name in ("schema", "os", "arch", "glibc", "driver")
    }
    assert written["gpus"][0].items() >= example["gpus"][0].items()


def test_round_trip() -> None:
    assert machine_from_json(json.loads(json.dumps(machine_to_json(FULL)))) == FULL


def test_a_path_with_broken_bytes_is_written_readably() -> None:
    odd = Machine("linux", "x86_64", "2.36", None, (), pythons=(PythonInstall("/x/\udcff\n/python3", "3.12.1", True),))
    again = machine_from_json(json.loads(json.dumps(machine_to_json(odd), ensure_ascii=False)))
    assert again.pythons[0].executable == "/x/\ufffd\ufffd/python3"


def test_unknown_fields_and_vendors_are_taken() -> None:
    data = json.loads(EXAMPLE)
    data["later"] = {"deep": [1]}
    data["arch"] = "AMD64"
    data["gpus"][0].update(vendor="Moore Threads", pci_id="1ED5:0222", future=1)
    machine = machine_from_json(data)
    assert (machine.arch, machine.gpus[0].vendor, machine.gpus[0].pci_id) == ("x86_64", "other", "1ed5:0222")


def _set(data: Any, path: list[str | int], value: object) -> Any:
    place = data
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["os"], "freebsd", "os"),
        (["os"], None, "os"),
        (["arch"], 64, "arch"),
        (["schema"], 2, "schema"),
        (["schema"], True, "schema"),
        (["glibc"], "musl", "glibc"),
        (["driver"], "546.33", "driver"),
        (["driver"], [], "driver"),
        (["driver", "version"], None, "driver.version"),
        (["driver", "version"], "546.33\n", "driver.version"),
        (["driver", "version"], "٣.٤", "driver.version"),
        (["driver", "cuda"], 12.3, "driver.cuda"),
        (["gpus"], None, "gpus"),
        (["gpus"], {"0": {}}, "gpus"),
        (["gpus"], "nvidia", "gpus"),
        (["gpus"], [{"vendor": "nvidia"}] * 1000, "gpus"),
        (["gpus", 0], None, "gpus[0]"),
        (["gpus", 0, "vendor"], 4318, "gpus[0].vendor"),
        (["gpus", 0, "name"], "x" * 5000, "gpus[0].name"),
        (["gpus", 0, "name"], "\x1b[2J", "gpus[0].name"),
        (["gpus", 0, "name"], "\ud800", "gpus[0].name"),
        (["gpus", 0, "pci_id"], "10de-2182", "gpus[0].pci_id"),
        (["gpus", 0, "compute_capability"], 7.5, "gpus[0].compute_capability"),
        (["gpus", 0, "compute_capability"], "7", "gpus[0].compute_capability"),
        (["gpus", 0, "memory_bytes"], float("nan"), "gpus[0].memory_bytes"),
        (["gpus", 0, "memory_bytes"], -1, "gpus[0].memory_bytes"),
        (["gpus", 0, "memory_bytes"], 10**30, "gpus[0].memory_bytes"),
        (["gpus", 0, "memory_bytes"], "6 GB", "gpus[0].memory_bytes"),
        (["wsl"], "no", "wsl"),
        (["pythons"], [{"executable": "/x", "version": "three"}], "pythons[0].version"),
        (["volumes"], [{"path": "/x", "free_bytes": 1.5}], "volumes[0].free_bytes"),
        (["notices"], [{"key": 1}], "notices[0].key"),
        (["notices"], [{"key": "x", "params": []}], "notices[0].params"),
    ],
)
def test_says_where_and_what_is_wrong(path: list[str | int], value: object, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        machine_from_json(_set(json.loads(EXAMPLE), path, value), "old-laptop.json")
    error = caught.value
    assert (error.code, error.params["path"], error.params["file"]) == ("bad-machine-file", said, "old-laptop.json")
    assert error.exit_status is ExitStatus.USAGE
    for language in ("en", "zh_CN"):
        assert said in text(error.summary, language)
        assert text(error.hint, language)


@pytest.mark.parametrize(
    "notice",
    [
        {"key": "machine.no-such-sentence"},
        {"key": "machine.nvidia.error"},
        {"key": "machine.nvidia.error", "params": {"key": "x", "value": {}}},
    ],
)
def test_a_notice_without_words_is_left_out(notice: dict[str, Any]) -> None:
    data = json.loads(EXAMPLE)
    data["notices"] = [notice]
    assert machine_from_json(data).notices == ()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_PATHS = (
    [[name] for name in machine_to_json(FULL)]
    + [
        [part, 0, name]
        for part in ("gpus", "toolkits", "pythons", "condas", "volumes", "notices")
        for name in machine_to_json(FULL)[part][0]
    ]
    + [["driver", "version"], ["driver", "cuda"]]
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(_PATHS), _JSON)
def test_never_anything_but_a_machine_or_a_usage_error(path: list[str | int], value: object) -> None:
    data = _set(json.loads(json.dumps(machine_to_json(FULL))), path, value)
    try:
        machine = machine_from_json(data)
    except UsageError as error:
        str(error).encode()
        return
    assert machine_from_json(machine_to_json(machine)) == machine
    json.dumps(machine_to_json(machine), ensure_ascii=False).encode()
    for notice in machine.notices:
        text(notice, "zh_CN")


@settings(max_examples=100, deadline=None)
@given(_JSON)
def test_any_json_at_all(value: Any) -> None:
    with pytest.raises(UsageError):
        machine_from_json(value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_reads_what_windows_shells_write(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(json.dumps(machine_to_json(FULL), ensure_ascii=False).encode(encoding))
    assert read_machine_file(path) == FULL


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xff\xfe\x00", b"not json", b"[]", b"null", b"[" * 200_000, b"9" * 10_000, b" " * (5 << 20), b"\x00" * 9],
    ids=["empty", "half", "words", "list", "null", "deep", "digits", "huge", "zeros"],
)
def test_a_hostile_file_is_a_usage_error(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(raw)
    with pytest.raises(UsageError) as caught:
        read_machine_file(path)
    assert caught.value.code == "bad-machine-file"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError) as caught:
            read_machine_file(path)
        assert caught.value.code == "no-machine-file"
        assert text(caught.value.summary, "zh_CN")


def test_a_driver_without_a_card_warns_as_it_does_on_a_computer() -> None:
    driver = {"version": "580.65.06", "cuda": "13.0"}
    said = {"os": "linux", "arch": "x86_64", "driver": driver, "gpus": []}
    assert [one.key for one in machine_from_json(said).notices] == ["machine.nvidia.no-cards"]
    assert machine_from_json({**said, "driver": None}).notices == ()


def test_words_within_words_are_written_as_they_are_read() -> None:
    """What nvidia-smi prints on a Chinese Windows and nobody can read."""
    unread = message("machine.nvidia.smi-failed", said=message("machine.nvidia.not-readable"))
    written = json.loads(json.dumps(machine_to_json(Machine("linux", "x86_64", None, None, (), notices=(unread,)))))
    assert written["notices"][0]["params"]["said"] == text(message("machine.nvidia.not-readable"), "en")
    assert machine_from_json(written).notices[0].key == "machine.nvidia.smi-failed"
