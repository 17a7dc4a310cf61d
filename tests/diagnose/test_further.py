"""Faults that a new user ran into: what torch asks for is gone, a list of files is rubbish, there is no Python left."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import py_compile
import runpy
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.diagnose.world import CUDA, HEALTHY, MACHINE, TORCH, VISION, Patient, copy_libraries
from wizard.cli.diagnose.doctor import _say_how
from wizard.cli.terminal import Terminal
from wizard.compatibility.model import Choices
from wizard.diagnose.checks import compiled as compiled_check
from wizard.diagnose.checks.damage import damage_of
from wizard.diagnose.model import DoctorResult, Remedy, evidence_text
from wizard.diagnose.repair.request import read_wish
from wizard.diagnose.repair.snapshot import RepairSnapshot
from wizard.diagnose.right_build import best_build
from wizard.environment.inspect.baseline import write_baseline
from wizard.environment.layout import python_of
from wizard.machine.model import Driver
from wizard.model.distributions import parse_record, read_distribution
from wizard.model.errors import WizardError
from wizard.model.messages import text
from wizard.run.run_folder import RunFolder
from wizard.system import paths

RUBBISH = bytes(range(256)) * 20


def said(answer: DoctorResult) -> str:
    return text(answer.cause.cause, "en") if answer.cause else ""


def test_a_package_that_torch_asks_for_is_gone_and_its_metadata_is_not(bare: Patient) -> None:
    bare.make(*HEALTHY)
    shutil.rmtree(bare.site / "sympy")
    found = bare.examine()
    assert found.answer.cause
    assert found.answer.cause.code == "damaged"
    assert "sympy" in said(found.answer)
    preview = bare.plan(found)
    assert [file.name for file in preview.lock.files] == ["sympy"]
    assert bare.carry_out(preview).returncode == 0
    assert bare.answer().verdict == "nothing-wrong"


def test_a_list_of_files_that_is_rubbish(bare: Patient) -> None:
    bare.make(*HEALTHY)
    (bare.site / f"torch-{TORCH}+{CUDA}.dist-info" / "RECORD").write_bytes(RUBBISH)
    answer = bare.answer()
    assert answer.cause
    assert [evidence_text(line, "en") for line in answer.cause.evidence] == [
        f"torch: other content: torch-{TORCH}+{CUDA}.dist-info/RECORD"
    ]


@pytest.mark.parametrize(
    ("broken", "paths"),
    [
        ("a,sha256=x,\u0663\n", ["a"]),
        ("torch/a.py,sha256=x,5\n\0\0,b\n", ["torch/a.py"]),
        ('"never closed\n' * 3, ["never closed\nnever closed", "never closed\n"]),
        ("", []),
    ],
)
def test_a_broken_record_is_read_as_far_as_it_goes(broken: str, paths: list[str]) -> None:
    assert [entry.path for entry in parse_record(broken)] == paths


@pytest.mark.parametrize(("target", "words"), [("/nowhere/python3.12", "/nowhere/python3.12"), (None, "no Python in")])
def test_an_environment_without_its_python(bare: Patient, target: str | None, words: str) -> None:
    bare.make(*HEALTHY)
    for path in (bare.prefix / "bin").glob("python*"):
        path.unlink()
    if target:
        (bare.prefix / "bin" / "python").symlink_to(target)
    shutil.rmtree(bare.site / "torch")  # nothing that could be mended now
    answer = bare.answer()
    assert answer.cause
    assert answer.cause.code == "python-broken"
    assert words in said(answer)
    assert not answer.remedy.changes_something


def test_a_python_too_old_is_said_to_start(bare: Patient) -> None:
    """What Python 2.7 says of a question that it does not understand."""
    bare.make(*HEALTHY)
    path = bare.prefix / "bin" / "python"
    path.unlink()
    path.write_text(
        "#!/bin/sh\necho '    def describe() -> \"dict\":' >&2\necho 'SyntaxError: invalid syntax' >&2\nexit 1\n"
    )
    path.chmod(0o755)
    answer = bare.answer()
    assert (answer.cause and answer.cause.code) == "python-broken"
    assert "older than 3.6" in said(answer)
    assert "does not start" not in said(answer)
    assert "SyntaxError" not in said(answer), "the program's own line is no evidence"
    assert not answer.remedy.changes_something


def test_one_that_was_moved_is_no_healthy_one(bare: Patient) -> None:
    """As the list of environments says of it."""
    bare.make(*HEALTHY)
    (bare.prefix / "bin" / "activate").write_text("VIRTUAL_ENV='/made/here'\nexport VIRTUAL_ENV\n", encoding="utf-8")
    answer = bare.answer()
    assert answer.cause
    assert answer.cause.code == "moved"
    assert "/made/here" in said(answer)
    assert not answer.remedy.changes_something


def test_a_suspicion_says_may_and_a_proof_does_not(bare: Patient) -> None:
    bare.make(*HEALTHY)
    folder = copy_libraries(bare.prefix.parent / "harmless", "libcudart.so.9")
    bare.variables["LD_LIBRARY_PATH"] = str(folder)
    answer = bare.answer()
    assert answer.verdict == "nothing-wrong"
    assert [text(other.cause, "en") for other in answer.others if "may load it" in text(other.cause, "en")]
    copy_libraries(bare.prefix.parent / "harmful", "libcudnn.so.9")
    bare.variables["LD_LIBRARY_PATH"] = str(bare.prefix.parent / "harmful")
    assert "PyTorch loads it" in said(bare.answer())


def test_of_a_package_of_conda_only_what_conda_lists_counts(tmp_path: Path) -> None:
    """Recipes split packages and write the prefix into files: neither is damage."""
    info = tmp_path / "numpy-2.3.0.dist-info"
    (tmp_path / "numpy").mkdir()
    info.mkdir()
    (info / "METADATA").write_text("Name: numpy\nVersion: 2.3.0\n")
    (info / "RECORD").write_text(
        "numpy/__init__.py,,1\nnumpy/tests.py,,1\nnumpy/gone.py,,1\nnumpy-2.3.0.dist-info/RECORD,,\n"
    )
    (tmp_path / "numpy" / "__init__.py").write_text("/opt/conda is longer now\n")
    numpy = read_distribution(info)
    assert numpy
    listed = {"numpy/__init__.py", "numpy/gone.py"}
    assert [str(each) for each in damage_of(numpy, of_conda=listed)] == ["missing: numpy/gone.py"]
    assert len(damage_of(numpy)) == 3


def test_the_files_of_conda_are_those_of_its_records(bare: Patient) -> None:
    bare.make(*HEALTHY)
    (bare.site / "numpy-2.3.0.dist-info" / "INSTALLER").write_text("conda\n")
    meta = bare.prefix / "conda-meta"
    meta.mkdir()
    below = bare.site.relative_to(bare.prefix).as_posix()
    record = {
        "name": "numpy",
        "version": "2.3.0",
        "build": "0",
        "subdir": "linux-64",
        "channel": "forge",
        "files": [f"{below}/numpy/__init__.py"],
    }
    (meta / "numpy-2.3.0-0.json").write_text(json.dumps(record))
    assert bare.answer(imports=False).cause is None
    (bare.site / "numpy" / "__init__.py").unlink()
    assert "numpy" in said(bare.answer(imports=False))


def test_the_python_of_the_system_goes_by_its_second_name(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    assert python_of(tmp_path, "linux").name == "python"
    (tmp_path / "bin" / "python3").touch()
    assert python_of(tmp_path, "linux").name == "python3"
    (tmp_path / "bin" / "python").touch()
    assert python_of(tmp_path, "linux").name == "python"


def test_no_card_is_of_no_matter_to_the_cpu_build(bare: Patient) -> None:
    from dataclasses import replace

    bare.machine = replace(MACHINE, driver=None, gpus=())
    bare.make(f"torch-{TORCH}+cpu", "numpy-2.3.0", "sympy-1.13.3")
    (bare.site / "numpy" / "__init__.py").write_text("raise ImportError('cut')\n")
    answer = bare.answer()
    assert answer.cause
    assert answer.cause.code == "damaged"
    assert [other.code for other in answer.others if "card" in other.code] == []


def test_a_python_that_only_its_owner_may_start(bare: Patient) -> None:
    bare.make(*HEALTHY)
    path = bare.prefix / "bin" / "python"
    path.unlink()
    path.write_bytes(b"")
    path.chmod(0o644)
    answer = bare.answer()
    assert answer.cause
    assert answer.cause.code == "python-broken"
    assert "may not use" in said(answer)
    assert not answer.remedy.changes_something


@pytest.mark.parametrize("closed", ["prefix", "site"])
def test_an_environment_of_somebody_else_is_refused_before_anything_is_fetched(
    bare: Patient, closed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as root, who may write everywhere: the system's own answer is taken from this user's."""
    import os

    bare.make(*HEALTHY)
    (bare.site / "sympy" / "__init__.py").unlink()
    found = bare.examine()
    folder = bare.prefix if closed == "prefix" else bare.site
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and allowed(path, mode))
    with pytest.raises(WizardError) as raised:
        bare.plan(found)
    assert raised.value.code == "repair-not-yours"
    assert raised.value.summary.params["path"] == str(folder)
    assert bare.session.runs() == ()


def test_a_second_repair_waits_for_one_that_was_killed(bare: Patient, capsys: pytest.CaptureFixture[str]) -> None:
    bare.make(*HEALTHY)
    (bare.site / "sympy" / "__init__.py").unlink()
    preview = bare.plan()
    aside = RepairSnapshot(bare.prefix, bare.site, preview.plan.id)
    aside.put(("sympy",), (), (), ())  # as far as it got
    folder = RunFolder(paths.runs_dir() / preview.plan.id)
    folder.journal.write_text("")
    with pytest.raises(WizardError) as raised:
        bare.plan()
    assert raised.value.code == "repair-under-way"
    _say_how(bare.prefix, Terminal("en"))
    told = capsys.readouterr().err
    assert "is not finished" in told
    assert "--repair" not in told, "that would only be refused"
    assert bare.session.undo_repair(bare.prefix)
    _say_how(bare.prefix, Terminal("en"))
    assert "--repair" in capsys.readouterr().err
    assert bare.plan().lock.files


def sources_of(bare: Patient, *folders: Path) -> Choices:
    return Choices(index=bare.world.packages.simple, find_links=tuple(map(str, folders)))


def only(folder: Path, *wheels: Path) -> Path:
    folder.mkdir()
    for wheel in wheels:
        shutil.copy2(wheel, folder)
    return folder


@pytest.mark.slow
def test_a_source_without_the_companion_is_passed_over_for_one_that_has_it(bare: Patient, tmp_path: Path) -> None:
    bare.make(f"torch-{TORCH}+{CUDA}", f"torchvision-{VISION}+cpu", *HEALTHY[2:])
    found = bare.examine()
    assert found.answer.cause
    assert found.answer.cause.code == "companion-variant"
    torch = next((bare.wheels / "torch").glob(f"torch-{TORCH}+{CUDA}-*.whl"))
    vision = next((bare.wheels / "torch").glob(f"torchvision-{VISION}+{CUDA}-*.whl"))
    poor, rich = only(tmp_path / "poor", torch), only(tmp_path / "rich", torch, vision)
    with pytest.raises(WizardError) as caught:
        bare.session.plan_repair(found, sources_of(bare, poor))
    assert caught.value.code == "repair-companion-not-carried"
    assert "--with" not in text(caught.value.hint, "en") + text(caught.value.hint, "zh_CN")
    preview = bare.session.plan_repair(found, sources_of(bare, poor, rich))
    assert [file.name for file in preview.lock.files] == ["torchvision"]
    assert bare.carry_out(preview).returncode == 0
    assert bare.answer().verdict == "nothing-wrong"


def relist(bare: Patient, entries: dict[str, str]) -> None:
    """Other hashes and sizes in torch's RECORD."""
    record = bare.site / f"torch-{TORCH}+{CUDA}.dist-info" / "RECORD"
    kept = [line for line in record.read_text().splitlines() if line.split(",")[0] not in entries]
    record.write_text("\n".join([*kept, *(f"{path},{told}" for path, told in entries.items())]) + "\n")


def test_other_bytes_of_the_same_length_are_found_when_the_test_fails_and_nothing_else_tells(bare: Patient) -> None:
    """A library whose header is whole and whose content is not: only reading it to the end can tell."""
    bare.make(*HEALTHY)
    large = bare.site / "torch" / "lib" / "libtorch_cpu.so"
    whole = large.read_bytes() + bytes(300_000)
    digest = base64.urlsafe_b64encode(hashlib.sha256(whole).digest()).rstrip(b"=").decode()
    large.write_bytes(whole[:-1] + b"x")
    (bare.site / "torch" / "__init__.py").write_text("raise ImportError('libtorch_cpu.so: invalid ELF header')\n")
    relist(bare, {"torch/lib/libtorch_cpu.so": f"sha256={digest},{len(whole)}", "torch/__init__.py": ","})
    stages: list[str] = []
    facts = bare.session.facts_of(MACHINE)
    found = bare.session.doctor(facts, bare.prefix, variables={}, on_stage=stages.append)
    assert "deep" in stages
    assert found.answer.cause
    assert found.answer.cause.code == "damaged"
    assert "libtorch_cpu.so" in said(found.answer)


def test_a_healthy_environment_is_not_read_to_the_end(bare: Patient) -> None:
    bare.make(*HEALTHY)
    stages: list[str] = []
    bare.session.doctor(bare.session.facts_of(MACHINE), bare.prefix, variables={}, on_stage=stages.append)
    assert "deep" not in stages


def test_an_environment_that_vanishes_meanwhile_is_not_made_again_in_part(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(WizardError) as caught:
        RepairSnapshot(gone, gone / "lib" / "site-packages", "run-1").put(["torch"], [], [], [])
    assert caught.value.code == "aside-failed"
    assert not gone.exists()


def test_the_cpu_build_of_a_time_without_a_driver_is_not_what_was_meant(
    bare: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setup took it because nothing else ran; now a driver is there. Who chose it keeps it."""
    bare.make(f"torch-{TORCH}+cpu", "numpy-2.3.0", "sympy-1.13.3")
    assert write_baseline(bare.prefix, bare.site, "3.12", "cpu")
    assert values.BEST
    plan = replace(values.plan("cpu-run"), candidate=replace(values.BEST, torch=TORCH, variant="cpu"))
    for chosen, verdict in (("cpu", "nothing-wrong"), (None, "found")):
        made = replace(plan, choices=Choices(variant=chosen))
        monkeypatch.setattr("wizard.app.use.doctor.plans_for", lambda prefix, made=made: (made,))
        found = bare.examine()
        assert found.answer.verdict == verdict
    assert found.answer.cause
    assert found.answer.cause.code == "cpu-build"
    assert bare.plan(found).plan.candidate.variant == CUDA


def test_the_build_that_is_named_comes_or_it_is_said_why_not(bare: Patient) -> None:
    """Nobody knows what was meant: the tables name the best build, and the sources here have only another."""
    bare.make(f"torch-{TORCH}+cpu", "numpy-2.3.0", "sympy-1.13.3")
    found = bare.examine()
    best = best_build(found.installation, bare.machine, bare.session.matrix)
    assert best
    assert best.variant != CUDA
    assert found.answer.cause
    assert f"torch {best.torch}+{best.variant}" in text(found.answer.cause.repair, "en")
    assert "instead of" not in said(found.answer), "nobody meant it"
    preview = bare.plan(found)
    assert preview.plan.candidate.variant == CUDA
    why = f"torch {TORCH}+{CUDA} instead of torch {best.torch}+{best.variant}, which no reachable source has."
    assert text(preview.changes[0], "en") == why
    assert preview.plan.notices == preview.changes[:1]


@pytest.mark.parametrize(("driver", "cuda", "comes"), [("580.65.06", "13.0", "cu130"), ("535.183.01", "12.2", CUDA)])
def test_a_build_that_was_meant_and_does_not_run_here_any_more(
    bare: Patient, monkeypatch: pytest.MonkeyPatch, driver: str, cuda: str, comes: str
) -> None:
    """The driver is older than at the setup: bringing back what was meant would mend nothing."""
    bare.machine = replace(MACHINE, driver=Driver(driver, cuda))
    bare.make(f"torch-{TORCH}+cpu", "numpy-2.3.0", "sympy-1.13.3")
    assert values.BEST
    plan = replace(values.plan("run"), candidate=replace(values.BEST, torch=TORCH, variant="cu130"))
    monkeypatch.setattr("wizard.app.use.doctor.plans_for", lambda prefix: (plan,))
    found = bare.examine()
    cause, facts = found.answer.cause, bare.session.facts_of(bare.machine)
    assert cause
    assert "(cu130)" in said(found.answer)
    first = read_wish(facts, bare.session.matrix, found.installation, found.answer.remedy).candidates[0]
    assert first.variant == comes
    repair = text(cause.repair, "en")
    assert (f"torch {TORCH}+{comes} " in repair) == ("driver 580" in repair) == (comes != "cu130")


def test_without_a_card_what_was_meant_is_brought_back(bare: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The login node of a cluster: nothing there says that another build is wanted."""
    bare.machine = replace(MACHINE, driver=None, gpus=())
    bare.make(f"torch-{TORCH}+cpu", "numpy-2.3.0", "sympy-1.13.3")
    assert values.BEST
    plan = replace(values.plan("run"), candidate=replace(values.BEST, torch=TORCH, variant="cu130"))
    monkeypatch.setattr("wizard.app.use.doctor.plans_for", lambda prefix: (plan,))
    found = bare.examine()
    wish = read_wish(bare.session.facts_of(bare.machine), bare.session.matrix, found.installation, Remedy(family=True))
    assert [one.variant for one in wish.candidates] == ["cu130"]


def test_what_the_test_alone_finds_of_a_build_is_repaired_by_another(bare: Patient) -> None:
    """The tables call the build right for the card, its own libraries say that they have no code for it."""
    bare.make(*HEALTHY)
    behaviour = bare.site / "torch" / "behaviour.json"
    behaviour.write_text(json.dumps({**json.loads(behaviour.read_text()), "do": "no-kernels"}))
    relist(bare, {"torch/behaviour.json": ","})
    found = bare.examine()
    assert found.answer.cause
    assert found.answer.cause.code.startswith("no-kernels")
    best = best_build(found.installation, bare.machine, bare.session.matrix)
    assert best
    assert best.variant != CUDA
    assert found.answer.remedy.reinstall == (f"torch=={best.torch}+{best.variant}",)


def test_a_compiled_file_that_a_full_disk_has_cut(patient: Patient) -> None:
    """No list says what it should be, and Python does not make it anew."""
    source = patient.site / "torch" / "__init__.py"
    compiled = Path(importlib.util.cache_from_source(str(source)))
    assert patient.answer().verdict == "nothing-wrong"
    whole = compiled.read_bytes()
    compiled.write_bytes(whole[: len(whole) // 2])
    found = patient.examine()
    assert found.answer.cause
    assert found.answer.cause.code == "compiled-cut"
    assert said(found.answer).startswith(
        f"Compiled files (.pyc) are cut: {compiled.relative_to(patient.site)} (1 in all)"
    )
    preview = patient.plan(found)
    assert not preview.lock.files
    assert patient.carry_out(preview).returncode == 0
    assert compiled.read_bytes() == whole
    assert patient.answer().verdict == "nothing-wrong"


def test_how_many_compiled_files_there_was_no_time_for_is_told(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow disk: what was read is told, torch's first, also where some of these are cut."""
    env = patient.examine().installation
    files = len([*patient.site.rglob(f"__pycache__/*.{sys.implementation.cache_tag}*.pyc")])
    monkeypatch.setattr(compiled_check, "_SECONDS", -1.0)
    none = compiled_check.compiled(env)
    assert none.state == "not-looked"
    assert f"It took too long: 0 of {files} files were read" in text(none.message, "en")
    (patient.site / "another.py").write_text("", encoding="utf-8")
    py_compile.compile(str(patient.site / "another.py"))
    script = paths.resources_dir() / "scripts" / "compiled_files.py"
    first = Path(importlib.util.cache_from_source(str(patient.site / "torch" / "__init__.py")))
    first.write_bytes(first.read_bytes()[:40])
    read = runpy.run_path(str(script))["unreadable"]
    clock = iter((*[0.0] * files, 9.0))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    assert read(patient.site, 1.0) == ([str(first)], files, files + 1), "all but another.py"
