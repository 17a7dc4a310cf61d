"""The drift guard: the record of the good state, what replaced it, by whom, and bringing just that back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.diagnose.world import CUDA, HEALTHY, TORCH, VISION, Patient
from wizard.environment.inspect.baseline import NAME, changes_since_baseline, read_baseline, write_baseline
from wizard.model.messages import text
from wizard.system import paths

pytestmark = pytest.mark.slow


@pytest.fixture
def recorded(bare: Patient) -> Patient:
    bare.make(*HEALTHY)
    assert write_baseline(bare.prefix, bare.site, "3.11.7", CUDA)
    return bare


def spoil(patient: Patient) -> None:
    """`pip install spoiler`, which asks for torch, and the index has the CPU build under that number."""
    command = [
        str(paths.uv_executable()),
        "pip",
        "install",
        "--offline",
        "--no-index",
        "--no-config",
        "--quiet",
        "--no-cache",
    ]
    cpu = next((patient.wheels / "torch").glob(f"torch-{TORCH}+cpu-*.whl"))
    links = ["--find-links", str(patient.wheels / "packages")]
    subprocess.run([*command, "--python", str(patient.python), *links, "spoiler", str(cpu)], check=True, timeout=120)


def test_the_record_names_what_counts(recorded: Patient) -> None:
    state = read_baseline(recorded.prefix)
    assert state
    assert (state.torch, state.variant) == (f"{TORCH}+{CUDA}", CUDA)
    assert {kept.name for kept in state.packages} == {"torch", "torchvision", "numpy", "nvidia-cudnn-cu12"}
    assert not Path(state.site).is_absolute()
    assert changes_since_baseline(recorded.prefix) is None


def test_a_replaced_cuda_build_is_told_with_who_brought_it(recorded: Patient) -> None:
    spoil(recorded)
    (found,) = recorded.session.drift([recorded.prefix])
    assert found.lost_cuda
    change = next(change for change in found.changes if change.name == "torch")
    assert (change.was, change.now, change.installer) == (f"{TORCH}+{CUDA}", f"{TORCH}+cpu", "uv")
    assert change.by == (f"spoiler 1.0 (torch=={TORCH})",)


def test_a_library_that_was_deleted_is_told_although_the_list_of_files_is_as_it_was(bare: Patient) -> None:
    bare.make(*HEALTHY)
    info = next(bare.site.glob("torch-*.dist-info"))
    library = bare.site / "torch" / "lib" / "libtorch_python.so"
    library.parent.mkdir(exist_ok=True)
    library.write_bytes(b"")
    with (info / "RECORD").open("a", encoding="utf-8") as record:
        record.write("torch/lib/libtorch_python.so,,\n")
    assert write_baseline(bare.prefix, bare.site, "3.11.7", CUDA)
    assert bare.session.drift([bare.prefix]) == ()
    shutil.rmtree(library.parent)
    (found,) = bare.session.drift([bare.prefix])
    assert found.lost_cuda
    assert "torch/lib/libtorch_python.so" in text(found.changes[0].words(bare.prefix), "en")


def test_it_starts_no_program_and_reads_no_large_file(recorded: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every start of the program may ask: a lookup is a few small reads."""
    spoil(recorded)
    (recorded.site / "torch" / "__init__.py").write_text("raise SystemExit('imported')")
    read: list[int] = []
    whole = Path.read_bytes

    def counted(path: Path) -> bytes:
        data = whole(path)
        read.append(len(data))
        return data

    monkeypatch.setattr(Path, "read_bytes", counted)
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: pytest.fail("a program was started"))
    assert recorded.session.drift([recorded.prefix])
    assert sum(read) < 200_000


def test_the_doctor_says_so_and_brings_it_back(recorded: Patient) -> None:
    """No card is asked: what the environment was set up to be counts."""
    spoil(recorded)
    found = recorded.examine()
    assert found.answer.cause
    assert found.answer.cause.code == "cpu-build"
    assert "spoiler 1.0" in str(found.answer.cause.cause.params["by"])
    preview = recorded.plan(found)
    assert [file.name for file in preview.lock.files] == ["torch"], "torchvision is right as it is"
    assert recorded.carry_out(preview).returncode == 0
    assert recorded.session.drift([recorded.prefix]) == ()
    assert recorded.answer().verdict == "nothing-wrong"


def test_a_change_that_breaks_nothing_is_no_cause_but_can_be_taken_back(recorded: Patient) -> None:
    recorded.install("numpy-1.26.4")
    found = recorded.examine()
    assert found.answer.verdict == "nothing-wrong"
    assert [other.code for other in found.answer.others] == ["drift"]
    preview = recorded.plan(found)
    assert [(file.name, file.version) for file in preview.lock.files] == [("numpy", "2.3.0")]
    assert recorded.carry_out(preview).returncode == 0
    assert recorded.session.drift([recorded.prefix]) == ()


def test_gone_and_touched(recorded: Patient) -> None:
    record = next(recorded.site.glob("numpy-*.dist-info")) / "RECORD"
    os.utime(record, ns=(1, 1))
    assert changes_since_baseline(recorded.prefix) is None, "another time, the same bytes"
    command = [str(paths.uv_executable()), "pip", "uninstall", "--quiet", "--no-config", "--python"]
    subprocess.run([*command, str(recorded.python), "numpy"], check=True, timeout=60)
    drift = changes_since_baseline(recorded.prefix)
    assert drift
    assert [(change.name, change.now) for change in drift.changes] == [("numpy", None)]
    assert not drift.lost_cuda


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema": 99}', b"\xff\xfe", b'{"schema": "x"}'])
def test_a_record_that_cannot_be_read_is_none(recorded: Patient, content: bytes) -> None:
    (recorded.prefix / NAME).write_bytes(content)
    assert read_baseline(recorded.prefix) is None
    assert changes_since_baseline(recorded.prefix) is None
    assert recorded.answer().verdict == "nothing-wrong"


def test_by_the_command_line_for_every_environment_that_is_known(bare: Patient) -> None:
    """After a setup; then something else is put in its place."""
    world = bare.world
    prefix = world.home / "state" / "envs" / "demo"
    done = world.run("setup", "--yes", "--name", "demo", "--torch", TORCH, "--variant", "cpu", *world.sources)
    assert done.returncode == 0, done.stderr
    told = world.run("doctor", "--json")
    assert (told.returncode, json.loads(told.stdout)["drift"]) == (0, [])
    vision = next((bare.wheels / "torch").glob(f"torchvision-{VISION}+{CUDA}-*.whl"))
    command = [str(paths.uv_executable()), "pip", "install", "--offline", "--no-deps", "--no-config", "--quiet"]
    subprocess.run([*command, "--reinstall", "--python", str(prefix / "bin" / "python"), str(vision)], check=True)
    told = world.run("doctor")
    assert told.returncode == 1
    assert f"torchvision was {VISION}+cpu and is now {VISION}+{CUDA}" in told.stderr
    done = world.run("doctor", "--prefix", str(prefix), "--repair", "--yes")
    assert done.returncode == 0, done.stderr
    assert "torchvision 0.28.0+cpu" in done.stdout
    assert world.run("doctor").returncode == 0
    (kept,) = (prefix / ".torch-setup-aside").iterdir()
    (kept / "going-back").touch()
    told = world.run("doctor")
    assert (told.returncode, f"envs restore {prefix}" in told.stderr) == (1, True), told.stderr
    (half,) = json.loads(world.run("doctor", "--json").stdout)["unfinished"]
    assert half["code"] == "restore-under-way"
    first = json.loads(world.run("runs", "--json").stdout.splitlines()[-1])["id"]
    for typed in ((), (first,)):
        told = world.run("resume", *typed)
        assert (told.returncode, f"envs restore {prefix}" in told.stderr) == (1, True), told.stderr
        assert "nothing to go on with" not in told.stderr


def test_the_same_version_again_is_said_so(bare: Patient) -> None:
    """The command knows the environment by the plan of its run."""
    world = bare.world
    prefix = world.home / "state" / "envs" / "demo"
    done = world.run(
        "setup", "--yes", "--name", "demo", "--torch", TORCH, "--variant", "cpu", "--with", "none", *world.sources
    )
    assert done.returncode == 0, done.stderr
    record = next(prefix.glob("lib/python3*/site-packages/torch-*.dist-info")) / "RECORD"
    record.write_text(record.read_text() + "torch/mine.py,,\n")
    told = world.run("--lang", "en", "doctor")
    assert (told.returncode, f"torch {TORCH}+cpu was installed again" in told.stderr) == (1, True)
    assert "is now" not in told.stderr
