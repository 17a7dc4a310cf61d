"""What an answer of Explain says beside its row: the environment, the right build, the words; without a window."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import values
from tests.sentences import po_file
from wizard.app.tools import WindowSession
from wizard.app.use.explain import answer
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.known_errors.facts import parse_facts
from wizard.machine.machine_file import machine_from_json
from wizard.machine.model import Driver, Machine
from wizard.model.catalogue import read_po
from wizard.model.errors import UsageError
from wizard.model.marks import COMMAND, END, in_window
from wizard.model.messages import LANGUAGES, catalogue, text


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/home/Li Ming/env/lib/python3.12", "/home/Li Ming/env"),
        ("C:\\Users\\Li Ming\\torch-envs\\old project\\Lib", "C:\\Users\\Li Ming\\torch-envs\\old project"),
        ("/home/课程/env/lib/python3.12", "/home/课程/env"),
        ("/x and /opt/y/lib/python3.12", "/opt/y"),
    ],
)
def test_the_environment_of_a_trace_is_found_by_its_whole_path(path: str, folder: str) -> None:
    sign = "\\" if "\\" in path else "/"
    trace = f'  File "{path}{sign}site-packages{sign}torch{sign}cuda.py", line 3\n'
    assert parse_facts(f"{trace}AssertionError: Torch not compiled with CUDA enabled\n").environment == folder


def test_the_environment_that_a_trace_names_is_found(tmp_path: Path) -> None:
    prefix = tmp_path / "torch-envs"
    (prefix / "lib" / "python3.12" / "site-packages" / "torch").mkdir(parents=True)
    trace = (
        f'  File "{prefix}/lib/python3.12/site-packages/torch/cuda/__init__.py", line 310, in _lazy_init\n'
        "AssertionError: Torch not compiled with CUDA enabled\n"
    )
    known = (values.FACTS, values.VERDICT, load_matrix())
    assert answer(trace, lambda: known).environment is None, "it is not an environment of this computer"
    (prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert answer(trace, lambda: known).environment == prefix


def test_a_device_or_a_pipe_is_not_waited_for() -> None:
    with pytest.raises(UsageError) as caught:
        WindowSession().tools.read_pasted(Path(os.devnull))
    assert caught.value.code == "explain-unreadable"


def test_without_a_card_the_cpu_build_is_the_right_one() -> None:
    words = "AssertionError: Torch not compiled with CUDA enabled"
    matrix = load_matrix()

    def advice(machine: Machine, said: str = words) -> tuple[str, str]:
        facts = replace(values.FACTS, machine=machine)
        first = answer(said, lambda: (facts, values.VERDICT, matrix)).found[0]
        return text(first.fix, "en"), text(first.with_card, "en") if first.with_card else ""

    of_a_card, nothing = advice(values.MACHINE)
    assert (of_a_card.startswith("Install the CUDA build"), nothing) == (True, "")
    none = replace(values.MACHINE, gpus=(), driver=None)
    first, folded = advice(none)
    assert first.startswith("This computer has no NVIDIA card, so the CPU build is the right one here:")
    assert folded == of_a_card
    of_another = f"NVIDIA-SMI 535.183.01  Driver Version: 535.183.01  CUDA Version: 12.2\n{words}"
    first, folded = advice(none, of_another)
    assert first.startswith("The text is from a computer with an NVIDIA card")
    assert folded == of_a_card


RADEON = Path(__file__).parent.parent / "data" / "other_makers" / "rx-7900-xtx-linux.json"
FULL = "torch.OutOfMemoryError: {} out of memory. Tried to allocate 2.00 GiB."
COMPILED = "AssertionError: Torch not compiled with CUDA enabled"


@pytest.mark.parametrize(
    ("has_offer", "said", "begins", "is_folded"),
    [
        (False, FULL.format("CUDA"), "The text is from a computer with an NVIDIA card", True),
        (False, FULL.format("HIP"), "Close other programs and old notebook kernels", False),
        (True, FULL.format("CUDA"), "The text is from a computer with an NVIDIA card", True),
        (True, FULL.format("HIP"), "Close other programs and old notebook kernels", False),
        (True, f"GeForce RTX 3060\n{FULL.format('CUDA')}", "The text is from a computer with an NVIDIA card", True),
        (True, COMPILED, "This computer has no NVIDIA card but one of AMD, and there is a PyTorch for it", True),
    ],
)
def test_what_helps_with_a_card_is_folded_and_a_card_with_its_own_pytorch_is_told(
    has_offer: bool, said: str, begins: str, is_folded: bool
) -> None:
    """Not "the CPU build is the right one" beside "AMD offers a PyTorch"."""
    machine = replace(values.MACHINE, gpus=(), driver=None)
    if has_offer:
        machine = machine_from_json(json.loads(RADEON.read_text(encoding="utf-8")))
    facts, matrix = replace(values.FACTS, machine=machine), load_matrix()
    verdict = resolve(machine, matrix, Choices())
    first = answer(said, lambda: (facts, verdict, matrix)).found[0]
    assert text(first.fix, "en").startswith(begins)
    assert (first.with_card is not None) is is_folded
    assert ("the CPU build is the right one" in text(first.fix, "en")) is (not has_offer and is_folded)


def test_a_card_that_no_table_knows_is_not_told_to_take_a_cuda_build() -> None:
    """Not "Install the CUDA build" above the CPU build as the newest that fits, and no "CUDA up to ?"."""
    card = replace(values.MACHINE.gpus[0], name=None, pci_id="10de:fffe", compute_capability=None)
    machine = replace(values.MACHINE, gpus=(card,), driver=Driver("535.183.01"))
    facts, matrix = replace(values.FACTS, machine=machine), load_matrix()
    verdict = resolve(machine, matrix, Choices())
    assert verdict.best is not None
    assert verdict.best.variant == "cpu"
    given = answer(COMPILED, lambda: (facts, verdict, matrix))
    first = given.found[0]
    assert text(first.fix, "en").startswith("No CUDA build is known for the card of this computer (NVIDIA 10de:fffe)")
    assert first.with_card is not None
    assert text(first.with_card, "en").startswith("Install the CUDA build")
    told = [text(fact, language) for fact in given.facts for language in LANGUAGES]
    assert not any("?" in one for one in told), told
    full = answer(FULL.format("CUDA"), lambda: (facts, verdict, matrix)).found[0]
    assert full.with_card is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_drivers_tool_is_named_as_a_command_only(language: str) -> None:
    """The window shows what is typed apart from its sentences: all of them, not those of Explain alone."""
    known = read_po(po_file("zh_CN").read_text(encoding="utf-8"))  # what stands in the code, too
    said = [in_window(words) for words in (*catalogue(language).values(), *known, *known.values())]
    assert any("nvidia-smi" in words for words in said)
    running = [re.sub(f"{COMMAND}[^{END}]*{END}", "", words) for words in said]
    assert [words for words in running if "nvidia-smi" in words] == []
