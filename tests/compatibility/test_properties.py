"""What must hold for every machine, checked on machines that hypothesis makes up from the card table."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wizard.compatibility.data.load import load_matrix, read_rows
from wizard.compatibility.data.model import PLATFORMS, Build
from wizard.compatibility.data.ordering import branch_of, cuda_of, variant_key, version_key
from wizard.compatibility.model import REASON_CODES, Candidate, Choices, Reason, Verdict
from wizard.compatibility.resolve import resolve
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.system.paths import matrices_dir

MATRIX = load_matrix()
CARDS = read_rows(matrices_dir() / "gpus.csv")
PCI_IDS = sorted(row["pci_id"] for row in CARDS)
# Half of all ids are of cards that no build runs on.
MODERN = sorted(row["pci_id"] for row in CARDS if version_key(row["capability"]) >= (3, 7))
DRIVERS = {
    "linux": [
        "390.157",
        "418.39",
        "440.33.01",
        "450.80.02",
        "470.256.02",
        "520.61.05",
        "525.60.13",
        "535.183.01",
        "550.163.01",
        "570.124.06",
        "575.57.08",
        "580.65.06",
        "580.95.05",
        "595.71.05",
        "610.43.02",
    ],
    "windows": [
        "391.35",
        "441.22",
        "452.39",
        "474.14",
        "522.06",
        "528.02",
        "528.33",
        "546.33",
        "572.16",
        "580.88",
        "581.29",
        "591.44",
        "610.10",
    ],
}
PYTHONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15"]
GLIBCS = ["2.12", "2.17", "2.27", "2.28", "2.35", "2.41"]


@st.composite
def gpus(draw: st.DrawFn) -> Gpu:
    pci_id = draw(st.sampled_from(MODERN) | st.sampled_from(PCI_IDS))
    card = MATRIX.card(pci_id)
    assert card
    reported = draw(st.booleans())
    memory = draw(st.sampled_from([None, 4 * 2**30, 16 * 2**30]))
    return Gpu("nvidia", card.name, pci_id, card.capability if reported else None, memory)


@st.composite
def machines(draw: st.DrawFn, least: int = 0, most: int = 2, with_driver: bool = False) -> Machine:
    os, arch = draw(st.sampled_from(sorted(PLATFORMS)))
    some = st.sampled_from(DRIVERS[os])
    driver = draw(some if with_driver else st.none() | some)
    glibc = draw(st.sampled_from(GLIBCS)) if os == "linux" else None
    cards = draw(st.lists(gpus(), min_size=least, max_size=most))
    return Machine(os, arch, glibc, Driver(driver) if driver else None, tuple(cards))


CHOICES = st.builds(
    Choices,
    python=st.none() | st.sampled_from(PYTHONS),
    variant=st.none() | st.sampled_from(["cpu", "cu118", "cu126", "cu128", "cu132"]),
    include_unadvertised=st.booleans(),
)
many = settings(max_examples=60, deadline=None)


def rank(best: Candidate | None) -> tuple[bool, bool, tuple[int, ...], tuple[int, ...]]:
    if best is None:
        return False, False, (), ()
    return True, best.variant != "cpu", version_key(best.torch), variant_key(best.variant)


def verdict_of(machine: Machine, choices: Choices | None = None) -> Verdict:
    return resolve(machine, MATRIX, choices or Choices())


def end_of(gpu: Gpu) -> int:
    """The first branch without this card."""
    assert gpu.pci_id
    card = MATRIX.card(gpu.pci_id)
    assert card
    return MATRIX.architectures[card.architecture].dropped_since or 10_000


@many
@given(machines(), CHOICES)
def test_the_best_fits_and_stands_first_and_nothing_that_fits_is_better(machine: Machine, choices: Choices) -> None:
    verdict = verdict_of(machine, choices)
    fitting = [candidate for candidate in verdict.candidates if candidate.fits]
    assert list(verdict.candidates[: len(fitting)]) == fitting
    assert [rank(candidate) for candidate in fitting] == sorted(map(rank, fitting), reverse=True)
    assert verdict.best == (fitting[0] if fitting else None)
    assert len({(candidate.torch, candidate.variant) for candidate in verdict.candidates}) == len(verdict.candidates)


def fits_by_the_book(build: Build, machine: Machine, capability: ComputeCapability) -> bool:
    """The rule once more, as plainly as it can be said, for one card and a driver that knows it."""
    if machine.glibc and build.min_glibc and version_key(machine.glibc) < version_key(build.min_glibc):
        return False
    if build.variant == "cpu":
        return True
    driver, cuda = machine.driver, cuda_of(build.variant)
    assert driver
    assert cuda
    assert build.kernels
    floor = MATRIX.floors[cuda, machine.os]
    if version_key(driver.version) < version_key(floor.driver_floor):
        return False
    ptx_runs = bool(floor.toolkit_driver) and version_key(driver.version) >= version_key(floor.toolkit_driver or "")
    for arch in build.kernels.architectures:
        kind, digits = arch.split("_")
        major, minor = int(digits[:-1]), int(digits[-1])
        if kind == "sm" and major == capability.major and minor <= capability.minor:
            return True
        if kind == "compute" and (major, minor) <= capability and ptx_runs:
            return True
    return False


@many
@given(machines(least=1, most=1, with_driver=True))
def test_one_card_by_the_book(machine: Machine) -> None:
    assert machine.driver
    gpu = machine.gpus[0]
    card = MATRIX.card(gpu.pci_id or "")
    assert card
    assume(branch_of(machine.driver.version) < end_of(gpu))
    reported = replace(machine, gpus=(replace(gpu, compute_capability=card.capability),))
    platform = PLATFORMS[machine.os, machine.arch]
    expected = {
        (build.torch, build.variant)
        for build in MATRIX.builds
        if build.platform == platform and build.advertised and fits_by_the_book(build, reported, card.capability)
    }
    assert {(c.torch, c.variant) for c in verdict_of(reported).candidates if c.fits} == expected


@many
@given(machines(least=1, with_driver=True), st.data())
def test_a_newer_driver_never_makes_it_worse_unless_it_drops_a_card(machine: Machine, data: st.DataObject) -> None:
    assert machine.driver
    old = version_key(machine.driver.version)
    later = [
        driver
        for driver in DRIVERS[machine.os]
        if version_key(driver) > old and all(branch_of(driver) < end_of(gpu) for gpu in machine.gpus)
    ]
    assume(later)
    newer = data.draw(st.sampled_from(later))
    before, after = verdict_of(machine), verdict_of(replace(machine, driver=Driver(newer)))
    # A driver that begins to run one more card serves other wishes.
    assume(not any(has_notice(before, f"plan.notice.too-new{end}") for end in ("", "-updated")))
    assert rank(after.best) >= rank(before.best)


def left_out(verdict: Verdict) -> bool:
    return has_notice(verdict, "plan.notice.left-out")


def has_notice(verdict: Verdict, key: str) -> bool:
    return any(notice.key == key for notice in verdict.notices)


@many
@given(machines(least=2, most=3), st.data())
def test_removing_a_card_never_makes_it_worse_where_one_build_serves_all(machine: Machine, data: st.DataObject) -> None:
    whole = verdict_of(machine)
    assume(whole.best is not None and not left_out(whole))
    index = data.draw(st.integers(0, len(machine.gpus) - 1))
    rest = machine.gpus[:index] + machine.gpus[index + 1 :]
    part = verdict_of(replace(machine, gpus=rest))
    # The only card that the driver runs cannot be taken away without loss.
    assert part.best
    assert whole.best
    assume(part.best.variant != "cpu" or whole.best.variant == "cpu")
    assert rank(part.best) >= rank(whole.best)


@many
@given(machines(), CHOICES)
def test_every_rejected_build_has_reasons_and_they_are_true(machine: Machine, choices: Choices) -> None:
    for candidate in verdict_of(machine, choices).candidates:
        assert candidate.fits is not bool(candidate.reasons)
        for reason in candidate.reasons:
            assert reason.code in REASON_CODES
            check_reason(reason, candidate, machine, choices)


def check_reason(reason: Reason, candidate: Candidate, machine: Machine, choices: Choices) -> None:
    build = MATRIX.build(candidate.torch, candidate.variant, PLATFORMS[machine.os, machine.arch])
    params = reason.params
    match reason.code:
        case "no-gpu":
            assert not machine.gpus
        case "no-driver":
            assert machine.gpus
            driver = machine.driver
            assert driver is None or any(branch_of(driver.version) >= end_of(gpu) for gpu in machine.gpus)
        case "driver-too-old":
            assert machine.driver
            assert version_key(machine.driver.version) < version_key(str(params["need"]))
        case "no-kernels-for-gpu" if reason.words == "kernels-unknown":
            assert build
            assert build.kernels is None
        case "no-kernels-for-gpu":
            assert build
            assert build.kernels
            capability = ComputeCapability.parse(str(params["capability"]))
            targets = [ComputeCapability.from_arch(a) for a in build.kernels.architectures if a.startswith("sm_")]
            assert not [t for t in targets if t.major == capability.major and t.minor <= capability.minor]
        case "python-unsupported":
            assert build
            assert choices.python not in build.pythons
        case "glibc-too-old":
            assert build
            assert build.min_glibc
            assert machine.glibc
            assert version_key(machine.glibc) < version_key(build.min_glibc)
        case "not-published":
            assert build is None or (build.kernels is None and build.confidence == "low")
        case _:
            assert reason.code == "platform-unsupported"
            assert build is None


@many
@given(machines(least=1))
def test_a_driver_update_is_worth_it_and_drops_no_card(machine: Machine) -> None:
    verdict = verdict_of(machine)
    update = verdict.after_driver_update
    if update is None:
        return
    driver = machine.driver
    assert driver is None or branch_of(driver.version) <= int(update.driver)
    assert all(int(update.driver) < end_of(gpu) or _ignored(gpu, driver) for gpu in machine.gpus)
    promised = (True, True, version_key(update.torch), variant_key(update.variant))
    assert promised > rank(verdict.best)
    # The branch as such, whatever its last digits.
    assert rank(verdict_of(replace(machine, driver=Driver(update.driver))).best) == promised


def _ignored(gpu: Gpu, driver: Driver | None) -> bool:
    return driver is not None and branch_of(driver.version) >= end_of(gpu)
