"""The real script in a real child process, with stand-in libraries: what comes out and what it is called."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.old_pythons import OLD_PYTHONS, old_python
from tests.stand_in import install, make_environment, site_packages
from tests.verify.conftest import NO_CARD, NO_DRIVER, RTX, WITH_CARD, MakeEnvironment, code, evidence, states
from wizard.machine.model import Driver, Machine
from wizard.model.messages import LANGUAGES, message, text
from wizard.run.verify.model import SmokeCheck, Verification
from wizard.run.verify.smoke import script_path, verify


@pytest.mark.parametrize("script", sorted(path.name for path in script_path().parent.glob("*.py")))
def test_the_scripts_are_valid_for_python_3_6(script: str) -> None:
    tree = ast.parse(script_path().with_name(script).read_text(encoding="utf-8"), feature_version=(3, 6))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not any(alias.name == "annotations" for node in imported for alias in node.names), "known since 3.7"


@pytest.mark.parametrize("version", OLD_PYTHONS)
@pytest.mark.parametrize(("cuda", "machine"), [(None, NO_CARD), ("10.2", WITH_CARD)])
def test_an_old_python(tmp_path: Path, version: str, cuda: str | None, machine: Machine) -> None:
    prefix = tmp_path / "old"
    python = make_environment(prefix, old_python(version))
    install(prefix, "torch", "1.10.2+cu102" if cuda else "1.10.2", cuda=cuda, memory_info=False)
    found = verify(python, bool(cuda), machine)
    assert found.ok, found.checks
    assert {"failed", "warning"}.isdisjoint(states(found).values())
    assert found.torch == ("1.10.2+cu102" if cuda else "1.10.2")
    assert (found.python or "").startswith(f"{version}.")
    first = next(check for check in found.checks if check.name == "python")
    assert first.data["packages"] == {"torch": found.torch}


def test_no_torch(tmp_path: Path) -> None:
    found = verify(make_environment(tmp_path / "bare"), True, NO_CARD)
    assert (found.ok, found.gpu_ok, found.torch) == (False, None, None)
    assert found.python == sys.version.split()[0]
    assert code(found) == "torch-missing"
    assert states(found) == {"python": "ok", "import": "failed"}


def test_no_python(tmp_path: Path) -> None:
    found = verify(tmp_path / "nothing" / "python", True, NO_CARD)
    assert (found.ok, found.gpu_ok, code(found)) == (False, None, "not-started")
    assert found.headline.key == "verify.check.process.not-started"


def test_card_that_works(environment: MakeEnvironment) -> None:
    heard: list[str] = []
    found = verify(environment(), True, WITH_CARD, on_check=heard.append)
    assert (found.ok, found.gpu_ok, found.diagnosis) == (True, True, None)
    assert heard[:4] == ["python", "import", "zeros", "kernel"]
    assert [check.name for check in found.checks] == heard
    assert {name for name, state in states(found).items() if state == "skipped"} == {
        "numpy",
        "torchvision",
        "torchaudio",
        "peers",
    }
    assert found.devices[0]["kernels"] == "cubin"
    assert text(found.headline, "en") == (
        "PyTorch 2.15.0+cu132 runs on NVIDIA GeForce RTX 3060: the test torch.zeros(1).cuda() passed."
    )


def speed_of(found: Verification) -> SmokeCheck:
    return next(check for check in found.checks if check.name == "speed")


def test_the_speed_is_held_against_the_cards_rating(environment: MakeEnvironment) -> None:
    speed = speed_of(verify(environment(tflops=10), True, WITH_CARD))
    measured, rated = float(speed.data["tflops"]), 12.7  # an RTX 3060
    assert 0 < measured <= 10.1
    assert speed.message.params["stated"] == f"{rated}"
    assert speed.message.params["share"] == round(100 * measured / rated)


def test_a_card_of_no_table_is_measured_and_not_compared(environment: MakeEnvironment) -> None:
    speed = speed_of(verify(environment(name="NVIDIA A100-SXM4-40GB MIG 1g.5gb"), True, WITH_CARD))
    assert speed.message.key == "verify.check.speed.ok"
    assert "stated" not in speed.message.params


@pytest.mark.parametrize(("do", "state"), [("no-room-for-more", "skipped"), ("crash-when-measured", None)])
def test_a_speed_that_cannot_be_measured_fails_nothing(
    environment: MakeEnvironment, do: str, state: str | None
) -> None:
    found = verify(environment(do=do), True, WITH_CARD)
    assert (found.ok, found.gpu_ok, states(found).get("speed")) == (True, True, state)


def test_several_cards_and_their_ways(environment: MakeEnvironment) -> None:
    found = verify(environment(cards=2), True, WITH_CARD)
    peers = next(check for check in found.checks if check.name == "peers")
    assert (found.ok, peers.state, peers.data["count"], peers.data["direct"]) == (True, "ok", 2, 2)
    assert text(peers.message, "en") == "Copies between cards arrive (2 ways, 2 of them direct)."


def test_cards_without_direct_access_still_pass(environment: MakeEnvironment) -> None:
    found = verify(environment("no-peers", cards=2), True, WITH_CARD)
    peers = next(check for check in found.checks if check.name == "peers")
    assert (found.ok, peers.state, peers.data["direct"]) == (True, "ok", 0)


def test_an_older_card_has_neither_bf16_nor_tf32(environment: MakeEnvironment) -> None:
    found = verify(environment(capability=[7, 5]), True, WITH_CARD)
    check = next(check for check in found.checks if check.name == "precision")
    assert (found.ok, check.state, check.message.key) == (True, "skipped", "verify.skipped.older-card")


def test_built_is_not_usable(environment: MakeEnvironment) -> None:
    """The words say so, for a build with CUDA that no card can use, and the CPU build says what it is."""
    built = {check.name: check for check in verify(environment("no-driver"), False, NO_CARD).checks}["build"]
    assert built.data["is_built"] is True
    assert "The other lines say whether it can be used" in text(built.message, "en")


def test_as_the_user_has_it(environment: MakeEnvironment, tmp_path: Path) -> None:
    """The test of one's own terminal sees what PYTHONPATH brings in; the isolated one does not."""
    python = environment()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "torch.py").write_text("raise ImportError('another torch')")
    variables = {"PYTHONPATH": str(tmp_path / "mine")}
    assert verify(python, True, WITH_CARD).ok
    assert "another torch" in evidence(verify(python, True, WITH_CARD, as_user=variables))


def test_cuda_build_without_card_or_driver(environment: MakeEnvironment) -> None:
    found = verify(environment("no-driver"), False, NO_CARD)
    assert (found.ok, found.gpu_ok, code(found)) == (False, False, "no-nvidia-card")
    assert found.diagnosis
    assert "CUDA build" in text(found.diagnosis.cause, "en")
    assert "CPU build" in text(found.diagnosis.repair, "en")
    assert "zeros: RuntimeError: Found no NVIDIA driver on your system." in evidence(found)
    assert "torch.version.cuda = 13.2" in evidence(found)
    assert states(found)["matmul"] == "ok"  # on the processor it works
    skipped = next(check for check in found.checks if check.name == "devices")
    assert (skipped.state, skipped.message.key) == ("skipped", "verify.skipped.zeros-failed")


@pytest.mark.parametrize(
    ("kernel_driver", "key"),
    [(None, "no-driver-linux"), ("nouveau", "no-driver-nouveau"), ("vfio-pci", "no-driver-vfio")],
)
def test_card_without_driver(environment: MakeEnvironment, kernel_driver: str | None, key: str) -> None:
    machine = replace(NO_DRIVER, gpus=(replace(RTX, kernel_driver=kernel_driver),))
    found = verify(environment("no-driver"), False, machine)
    assert code(found) == "no-driver"
    assert found.diagnosis
    assert found.diagnosis.cause.key == f"diagnosis.{key}.cause"


def test_driver_too_old(environment: MakeEnvironment) -> None:
    machine = replace(WITH_CARD, driver=Driver("546.33", "12.3"))
    found = verify(environment("driver-too-old"), True, machine)
    assert code(found) == "driver-too-old"
    assert found.diagnosis
    assert "546.33, up to CUDA 12.3" in text(found.diagnosis.cause, "en")
    assert "(CUDA 13.2)" in text(found.diagnosis.cause, "en")
    assert "found version 12030" in evidence(found)


def test_no_kernels_for_the_card(environment: MakeEnvironment) -> None:
    """The copy that zeros(1).cuda() makes succeeds there; only the first calculation fails."""
    found = verify(environment("no-kernels", capability=[6, 1], name="NVIDIA GeForce GTX 1060"), True, WITH_CARD)
    assert states(found)["zeros"] == "ok"
    assert (found.gpu_ok, code(found)) == (False, "no-kernels-for-gpu")
    assert found.diagnosis
    assert found.devices[0]["kernels"] == "none"
    assert "NVIDIA GeForce GTX 1060 (compute capability 6.1)" in text(found.diagnosis.cause, "en")
    assert found.headline.key == "verify.check.kernel.failed"
    assert "sm_75 sm_80" in evidence(found)


@pytest.mark.parametrize(
    ("do", "expected"),
    [
        ("mismatch", "driver-library-mismatch"),
        ("unknown-error", "cuda-does-not-start"),
        ("out-of-memory", "gpu-memory-full"),
        ("wrong-results", "wrong-results"),
        ("wrong-bf16", "wrong-results"),
        ("streams-out-of-order", "wrong-results"),
        ("hidden", "driver-sees-no-card"),
        ("strange", "unknown"),
    ],
)
def test_other_troubles_of_a_card(environment: MakeEnvironment, do: str, expected: str) -> None:
    found = verify(environment(do), True, WITH_CARD)
    assert (found.ok, found.gpu_ok, code(found)) == (False, False, expected)


def test_hidden_by_a_variable(environment: MakeEnvironment) -> None:
    found = verify(environment("hidden"), True, WITH_CARD, environment={"CUDA_VISIBLE_DEVICES": ""})
    assert code(found) == "cuda-visible-devices-hides"
    assert "CUDA_VISIBLE_DEVICES = ''" in evidence(found)


def test_unknown_says_what_it_is_not(environment: MakeEnvironment) -> None:
    found = verify(environment("strange"), True, WITH_CARD)
    assert found.diagnosis
    said = [text(line, "en") for line in found.diagnosis.ruled_out]
    assert "The NVIDIA driver is loaded (580.65.06)." in said
    assert "something that nobody has seen before" in evidence(found)


def test_cpu_build_without_card_is_right(environment: MakeEnvironment) -> None:
    found = verify(environment(cuda=None), False, NO_CARD)
    assert (found.ok, found.gpu_ok, code(found)) == (True, None, "no-nvidia-card")
    assert found.diagnosis
    assert text(found.diagnosis.cause, "en").startswith("This computer has no usable NVIDIA card")
    assert states(found)["kernel"] == "skipped"


def test_cpu_build_beside_a_card(environment: MakeEnvironment) -> None:
    python = environment(cuda=None)
    wanted = verify(python, True, WITH_CARD)
    assert (wanted.ok, wanted.gpu_ok, code(wanted)) == (False, False, "cpu-build-on-gpu-machine")
    chosen = verify(python, False, WITH_CARD)
    assert (chosen.ok, chosen.gpu_ok, code(chosen)) == (True, None, "cpu-build-on-gpu-machine")
    idle = verify(python, False, NO_DRIVER)
    assert (idle.ok, code(idle)) == (True, "no-driver")


@pytest.mark.parametrize(("do", "expected"), [("import-error", "import-failed"), ("exits", "import-failed")])
def test_import_that_fails(environment: MakeEnvironment, do: str, expected: str) -> None:
    found = verify(environment(do), True, WITH_CARD)
    assert (found.ok, found.gpu_ok, found.torch, code(found)) == (False, None, None, expected)


def test_numpy_too_new(environment: MakeEnvironment) -> None:
    python = environment("numpy-1")
    folder = site_packages(python.parent.parent)
    (folder / "numpy.py").write_text(
        "__version__ = '2.1.0'\nclass A:\n def sum(self): return 6.0\ndef arange(n): return A()\n"
    )
    (folder / "numpy-2.1.0.dist-info").mkdir()
    (folder / "numpy-2.1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 2.1.0\n")
    found = verify(python, True, WITH_CARD)
    assert (found.ok, found.gpu_ok, code(found)) == (False, True, "numpy-too-new")
    assert found.headline.key == "verify.headline.gpu-partly"


def test_companion_of_another_build(environment: MakeEnvironment) -> None:
    python = environment(cuda=None)
    install(python.parent.parent, "torchvision", "0.29.2")
    found = verify(python, False, NO_CARD)
    assert (found.ok, code(found)) == (False, "companion-failed")
    assert found.diagnosis
    assert "torchvision" in text(found.diagnosis.cause, "en")


@pytest.mark.parametrize("machine", [NO_CARD, NO_DRIVER, WITH_CARD])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_has_words(environment: MakeEnvironment, machine: Machine, language: str) -> None:
    found = verify(environment("no-driver"), False, machine)
    assert found.diagnosis
    said = [check.message for check in found.checks] + [found.headline, found.diagnosis.cause, found.diagnosis.repair]
    said += [message(f"verify.name.{check.name}") for check in found.checks]
    assert all(text(sentence, language) for sentence in said)


def test_driver_mismatch_seen_by_the_probe(environment: MakeEnvironment) -> None:
    machine = replace(NO_DRIVER, notices=(message("machine.nvidia.driver-library-mismatch"),))
    assert code(verify(environment("no-driver"), True, machine)) == "driver-library-mismatch"
