"""The way to a driver: never a branch that dropped the card, the module that the card needs, lines per system."""

from __future__ import annotations

import pytest

from wizard.app.pages import check as advice
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.compatibility.resolve import resolve
from wizard.diagnose.driver_guide import DriverNeed, driver_guide, guide_rows
from wizard.machine.model import Gpu, Machine
from wizard.model.messages import LANGUAGES, catalogue, text

PASCAL, BLACKWELL, TURING = "10de:1b80", "10de:2b85", "10de:2182"


def test_an_old_card_gets_the_last_branch_that_knows_it_and_keeps_it() -> None:
    guide = driver_guide(DriverNeed(None, 580, "no"), ("ubuntu", "debian"))
    assert guide.branch == 580
    assert guide.install[-1] == "sudo apt install nvidia-driver-580"
    assert guide.hold == ("sudo apt-mark hold nvidia-driver-580",)
    assert guide.unhold == ("sudo apt-mark unhold nvidia-driver-580",)


def test_a_new_card_gets_the_open_module() -> None:
    guide = driver_guide(DriverNeed(580, None, "required"), ("ubuntu",))
    assert guide.install[-1] == "sudo apt install nvidia-driver-580-open"
    assert "explain.guide.open-module" in {note.key for note in guide.notes}
    assert guide.hold == ()


@pytest.mark.parametrize("at_least", [None, 470, 535, 575, 580, 600])
@pytest.mark.parametrize("last", [None, 390, 470, 580])
def test_no_system_is_ever_led_beyond_the_last_branch(last: int | None, at_least: int | None) -> None:
    for name in (name for row in guide_rows() for name in row.ids):
        guide = driver_guide(DriverNeed(at_least, last, "optional"), (name,))
        if guide.branch is not None:
            assert last is None or guide.branch <= last, name
            assert at_least is None or guide.branch >= at_least, name
        lines = (*guide.install, *guide.hold, *guide.unhold)
        assert not any("{" in line or "None" in line for line in lines), name
        assert guide.page.startswith("https://"), name


def test_a_system_without_the_branch_gets_the_page_and_no_lines() -> None:
    guide = driver_guide(DriverNeed(None, 390, "no"), ("ubuntu",))
    assert (guide.branch, guide.install) == (None, ())


def test_wsl_and_windows_never_get_linux_lines() -> None:
    for name in ("wsl", "windows"):
        guide = driver_guide(DriverNeed(580, None, "optional"), (name,))
        assert guide.install == ()
        assert guide.page == "https://www.nvidia.com/drivers"


def test_every_row_has_words_and_a_source() -> None:
    for row in guide_rows():
        for language in LANGUAGES:
            assert f"explain.guide.{row.note}" in catalogue(language)
        assert row.source
        assert row.as_of


def machine(pci_id: str, **more: object) -> Machine:
    fields: dict[str, object] = {"os": "linux", "arch": "x86_64", "glibc": "2.39", "driver": None, **more}
    return Machine(gpus=(Gpu("nvidia", None, pci_id),), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pci_id", "branch", "module"), [(PASCAL, 580, ""), (BLACKWELL, 580, "-open"), (TURING, 580, "-open")]
)
def test_the_advice_follows_the_cards(pci_id: str, branch: int, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "system_ids", lambda machine: ("ubuntu", "debian"))
    matrix = load_matrix()
    found = machine(pci_id)
    verdict = resolve(found, matrix, Choices())
    guide = advice.driver_advice(found, matrix, verdict.after_driver_update)
    assert guide is not None
    assert guide.install[-1] == f"sudo apt install nvidia-driver-{branch}{module}"
    for note in guide.notes:
        assert text(note, "zh_CN")


def test_no_card_no_advice() -> None:
    matrix = load_matrix()
    bare = Machine("linux", "x86_64", "2.39", None, ())
    assert advice.driver_advice(bare, matrix, None, always=True) is None


@pytest.mark.parametrize("more", [{"os": "windows", "glibc": None}, {"is_wsl": True}])
def test_windows_has_no_kernel_module_to_choose(more: dict[str, object]) -> None:
    matrix = load_matrix()
    found = machine(BLACKWELL, **more)
    guide = advice.driver_advice(found, matrix, None, always=True)
    assert guide is not None
    assert "explain.guide.open-module" not in {note.key for note in guide.notes}
