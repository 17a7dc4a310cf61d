"""Stage three by files and values of other machines: what keeps a card from being used, and the order of causes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.diagnose.world import MACHINE, RTX, Patient
from tests.windows.libraries import library
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.checks.host_facts import HostFacts, look_around, parse_modules
from wizard.diagnose.checks.machine import machine_looks, runtime
from wizard.diagnose.examine import decide, exit_status
from wizard.diagnose.model import ENVIRONMENT, Check, finding, found, ruled_out
from wizard.diagnose.model import MACHINE as OF_MACHINE
from wizard.environment.inspect.installation import Installation, TorchFiles, parse_version_file
from wizard.machine.model import Driver, Gpu, Machine, MigInstance
from wizard.model.capability import ComputeCapability
from wizard.model.errors import ExitStatus
from wizard.model.messages import LANGUAGES, message, text
from wizard.run.verify.model import Diagnosis, SmokeCheck, Verification
from wizard.system import places_linux, places_windows

QUIET = HostFacts(None, frozenset(), None, (), None, None, False, None, (), None, None)
NO_CARD = replace(MACHINE, driver=None, gpus=())
NO_DRIVER = replace(MACHINE, driver=None)
MISMATCH = replace(MACHINE, notices=(message("machine.nvidia.driver-library-mismatch"),))
SAID = message("verify.headline.nothing")
GPU_FAILED = Verification(
    False, False, SAID, (SmokeCheck("zeros", "failed", SAID, data={"error": "x"}),), torch="2.13.0+cu126"
)


def environment(version: str = "2.13.0+cu126", cuda: str | None = "12.6") -> Installation:
    torch = parse_version_file(f"__version__ = {version!r}\ncuda: Optional[str] = {cuda!r}\n", Path("/e/torch"))
    return Installation(Path("/e"), "linux", None, "", Path("/e"), (), (), (), (), torch, None, None, {})


def looks(machine: Machine, around: HostFacts = QUIET, env: Installation | None = None) -> dict[str, Check]:
    best = resolve(machine, load_matrix(), Choices(), prove_all=False).best
    return {look.check: look for look in machine_looks(env or environment(), machine, load_matrix(), around, best)}


def codes(machine: Machine, around: HostFacts = QUIET, env: Installation | None = None) -> set[str]:
    return {each.code for look in looks(machine, around, env).values() for each in look.findings}


def test_a_good_machine() -> None:
    assert codes(MACHINE) == set()
    assert {look.state for look in looks(MACHINE).values()} == {"ruled-out"}


def test_a_driver_below_the_floor_wants_another_build() -> None:
    machine = replace(MACHINE, driver=Driver("550.54.14", "12.4"))
    env = environment("2.13.0+cu130", "13.0")
    (one,) = looks(machine, env=env)["driver"].findings
    assert (one.code, one.scope, one.remedy.family) == ("driver-too-old", ENVIRONMENT, True)
    assert "550.54.14" in text(one.cause, "en")
    assert "580" in text(one.cause, "en")
    assert codes(machine) == set(), "cu126 runs by minor-version compatibility"


def test_a_driver_too_old_for_every_build_is_the_machines() -> None:
    machine = replace(MACHINE, driver=Driver("390.157", "9.1"))
    (one,) = looks(machine)["driver"].findings
    assert (one.scope, one.remedy.changes_something) == (OF_MACHINE, False)


def test_no_kernels_for_the_card() -> None:
    card = Gpu("nvidia", "NVIDIA GeForce GTX 1080", "10de:1b80", ComputeCapability(6, 1), 8 * 2**30)
    machine = replace(MACHINE, gpus=(card,), driver=Driver("580.65.06", "13.0"))
    (one,) = looks(machine, env=environment("2.13.0+cu130", "13.0"))["kernels"].findings
    assert (one.code, one.scope) == ("no-kernels", ENVIRONMENT)
    assert "GTX 1080" in text(one.cause, "en")


def with_driver(kernel_driver: str | None) -> Machine:
    return replace(NO_DRIVER, gpus=(replace(RTX, kernel_driver=kernel_driver),))


@pytest.mark.parametrize(
    ("machine", "around", "code"),
    [
        (with_driver("nouveau"), QUIET, "nouveau"),
        (with_driver(None), replace(QUIET, modules=frozenset({"nouveau"})), "nouveau"),
        (with_driver(None), replace(QUIET, module_installed=True, secure_boot=True), "secure-boot"),
        (with_driver(None), replace(QUIET, module_installed=True, secure_boot=False), "module-not-loaded"),
        (with_driver(None), replace(QUIET, module_installed=True), "module-not-loaded"),
        (with_driver(None), replace(QUIET, secure_boot=True), "no-driver"),
        (with_driver(None), replace(QUIET, container="docker"), "container-no-toolkit"),
        (with_driver(None), QUIET, "no-driver"),
        (replace(NO_DRIVER, is_wsl=True), QUIET, "wsl-no-driver"),
        (replace(NO_CARD, is_wsl=True), QUIET, "wsl-no-card"),
        (NO_CARD, replace(QUIET, scheduler="Slurm"), "login-node"),
        (NO_CARD, replace(QUIET, scheduler="Slurm", in_job=True), "no-card"),
        (NO_CARD, replace(QUIET, container="podman"), "container-no-card"),
        (NO_CARD, QUIET, "no-card"),
        (MACHINE, replace(QUIET, visible_devices=""), "visible-devices"),
        (MACHINE, replace(QUIET, visible_devices="-1"), "visible-devices"),
        (MACHINE, replace(QUIET, visible_devices="3"), "visible-devices"),
        (MACHINE, replace(QUIET, visible_devices="0,0"), "visible-devices"),
        (NO_CARD, replace(QUIET, prime="intel"), "optimus-off"),
        (NO_DRIVER, replace(QUIET, powered_off=("bbswitch: OFF",)), "optimus-off"),
        (MISMATCH, QUIET, "driver-library-mismatch"),
        (replace(NO_DRIVER, os="windows"), QUIET, "no-driver"),
        (replace(MACHINE, os="windows"), replace(QUIET, runtime_missing=("msvcp140.dll",)), "vc-runtime"),
        (replace(MACHINE, os="windows"), replace(QUIET, runtime_missing=(), runtime_version="14.29.1"), "vc-runtime"),
    ],
)
def test_found(machine: Machine, around: HostFacts, code: str) -> None:
    told = [each for look in looks(machine, around).values() for each in look.findings]
    assert code in {each.code for each in told}
    for each in told:
        assert each.evidence, "never a cause without its evidence"
        assert all(text(words, language) for words in (each.cause, each.repair) for language in LANGUAGES)
    answer = decide(Path("/e"), tuple(looks(machine, around).values()), GPU_FAILED)
    if code != "vc-runtime":
        assert (answer.verdict, answer.cause and answer.cause.code) == ("machine", code)
        assert exit_status(answer) is ExitStatus.GPU_TEST_FAILED


def test_the_runtime_is_judged_by_what_this_torch_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of the Check page lacks nothing; the libraries of this torch want another one."""
    for side in (places_linux, places_windows):
        monkeypatch.setattr(side, "runtime_libraries", lambda: (tmp_path / "System32" / "msvcp140.dll",))
    around = replace(QUIET, runtime_missing=(), runtime_version="14.44.1")
    lib = tmp_path / "torch" / "lib"
    lib.mkdir(parents=True)
    (lib / "c10.dll").write_bytes(library("VCRUNTIME140_THREADS.dll"))
    torch = TorchFiles(tmp_path / "torch", "2.15.0+cpu", None, None)
    env = replace(environment(), os="windows", prefix=tmp_path, torch=torch)
    seen = runtime(env, around)
    assert [each.code for each in seen.findings] == ["vc-runtime"]
    assert "vcruntime140_threads.dll" in text(seen.findings[0].cause, "en")
    (tmp_path / "vcruntime140_threads.dll").write_bytes(library())
    assert runtime(env, around).state == "ruled-out"
    assert runtime(env, replace(around, runtime_version=None)).state == "not-looked", "unknown is not well"


@pytest.mark.parametrize(("value", "hides"), [("GPU-12", 0), ("MIG-b,GPU-x", 0), ("GPU-x", 1), ("MIG-a", 1)])
def test_a_choice_by_uuid_hides_every_card_where_none_has_it(value: str, hides: int) -> None:
    card = replace(MACHINE.nvidia_gpus[0], uuid="GPU-1234", mig=(MigInstance("1g.10gb", None, "MIG-b"),))
    cut_up = replace(MACHINE, gpus=(card,))
    assert ("visible-devices" in codes(cut_up, replace(QUIET, visible_devices=value))) == bool(hides)


@pytest.mark.parametrize("value", ["0", "GPU-1234", "0,1", "0,", "0,-1,-1", "0,7,7"])
def test_a_choice_of_cards_is_no_fault(value: str) -> None:
    assert "visible-devices" not in codes(MACHINE, replace(QUIET, visible_devices=value))


def test_a_machine_that_works_is_not_blamed() -> None:
    """A login node with the CPU build that was meant: nothing is wrong."""
    works = Verification(True, None, SAID, torch="2.13.0+cpu")
    answer = decide(Path("/e"), tuple(looks(NO_CARD, replace(QUIET, scheduler="Slurm")).values()), works)
    assert (answer.verdict, answer.cause, answer.others) == ("nothing-wrong", None, ())


def test_no_card_is_to_blame_where_the_processor_fails_as_well() -> None:
    """The zeros on the card fail for want of one; what is then computed on the processor fails, too."""
    both = replace(GPU_FAILED, checks=(*GPU_FAILED.checks, SmokeCheck("matmul", "failed", SAID)))
    said = Diagnosis("no-driver", SAID, SAID, ())
    for verification in (both, replace(both, diagnosis=said)):
        answer = decide(Path("/e"), tuple(looks(NO_CARD).values()), verification)
        assert answer.verdict == "unknown", "not: the environment is fine"
        assert exit_status(answer) is ExitStatus.FAILED


def test_the_environment_comes_before_the_machine() -> None:
    damaged = found("files", finding("files", "damaged", ("missing: x",), name="torch", count=1, first="x"))
    answer = decide(Path("/e"), (*looks(NO_CARD).values(), damaged), GPU_FAILED)
    assert answer.cause
    assert (answer.cause.code, answer.verdict) == ("damaged", "found")
    assert [other.code for other in answer.others] == ["no-card"]


def test_a_suspicion_is_never_the_cause() -> None:
    suspect = finding("libraries", "library-conda", ("conda: cudnn 8",), certain=False, name="cudnn")
    failed = Verification(False, None, SAID, (SmokeCheck("import", "failed", SAID, data={"error": "x"}),))
    answer = decide(Path("/e"), (found("libraries", suspect), ruled_out("copies")), failed)
    assert (answer.verdict, answer.cause, answer.others) == ("unknown", None, (suspect,))
    assert exit_status(answer) is ExitStatus.FAILED


def test_around_from_files(tmp_path: Path) -> None:
    files = {
        "proc/modules": "nouveau 1 0 - Live 0x0\nsnd 2 0 - Live 0x0\n",
        "lib/modules/6.1.0/modules.dep": "updates/dkms/nvidia.ko.xz: kernel/drivers/video/backlight.ko\n",
        "etc/prime-discrete": "on-demand\n",
        "run/.containerenv": "",
        "dev/nvidia0": "",
        "dev/nvidiactl": "",
        "sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
        "sys/bus/pci/devices/0000:01:00.0/class": "0x030200\n",
        "sys/bus/pci/devices/0000:01:00.0/power_state": "D3cold\n",
    }
    for name, said in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(said)
    secure = tmp_path / "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    secure.parent.mkdir(parents=True)
    secure.write_bytes(b"\x06\0\0\0\x01")
    around = look_around(tmp_path, {"PATH": str(tmp_path), "SLURM_JOB_ID": "7", "CUDA_VISIBLE_DEVICES": "1"}, "6.1.0")
    assert around == HostFacts(
        secure_boot=True,
        modules=frozenset({"nouveau", "snd"}),
        module_installed=True,
        device_nodes=("nvidia0", "nvidiactl"),
        container="podman",
        scheduler=None,
        in_job=True,
        prime="on-demand",
        powered_off=("0000:01:00.0: D3cold, no driver",),
        visible_devices="1",
        runtime_missing=None,
    )


def test_around_of_nothing(tmp_path: Path) -> None:
    around = look_around(tmp_path, {}, "6.1.0")
    assert (around.secure_boot, around.module_installed, around.container, around.modules) == (
        None,
        None,
        None,
        frozenset(),
    )
    assert parse_modules("\n \n") == frozenset()


def test_a_scheduler_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "sbatch").write_text("#!/bin/sh\n")
    (tmp_path / "sbatch").chmod(0o755)
    assert look_around(tmp_path, {"PATH": str(tmp_path)}, "6").scheduler == "Slurm"


def test_hidden_cards_by_the_whole_examination(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library says "no CUDA GPUs", the variable says why."""
    import json

    path = patient.site / "torch" / "behaviour.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "do": "hidden"}))
    record = next(patient.site.glob("torch-*.dist-info")) / "RECORD"
    record.write_text("".join(line for line in record.read_text().splitlines(True) if "behaviour" not in line))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    patient.variables["CUDA_VISIBLE_DEVICES"] = ""
    answer = patient.answer()
    assert (answer.verdict, answer.cause and answer.cause.code) == ("machine", "visible-devices")
    assert patient.status(answer) is ExitStatus.GPU_TEST_FAILED
