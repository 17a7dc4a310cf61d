"""Which driver suits this computer's cards, and how its system brings it: for the doctor, the check page, `explain`.

None where no advice is due: no NVIDIA card, or a driver that runs all of them and the newest build.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence

from wizard.explain.driver_guide import DriverGuide, Need, driver_guide
from wizard.machine.model import Machine
from wizard.matrix.model import Matrix
from wizard.matrix.ordering import branch_of
from wizard.plan.cards import GraphicsCard, State, graphics_cards
from wizard.plan.model import DriverUpdate
from wizard.system.traits import of

_NO_ADVICE = (State.HANDED_OVER, State.NO_SYSTEM)


def driver_advice(
    machine: Machine, matrix: Matrix, update: DriverUpdate | None, always: bool = False
) -> DriverGuide | None:
    """`update`: what a newer driver would give (the verdict knows). `always`: also where the driver is good."""
    cards = [card for card in graphics_cards(machine, matrix) if card.state not in _NO_ADVICE]
    if not cards or not (always or update or any(card.state is not State.DRIVEN for card in cards)):
        return None
    has_modules = of(machine.os).has_kernel_modules and not machine.is_wsl
    return driver_guide(_need(cards, update, has_modules), system_ids(machine))


def _need(cards: Sequence[GraphicsCard], update: DriverUpdate | None, has_modules: bool) -> Need:
    """`has_modules`: Linux itself, where the kernel module is a choice; Windows and WSL have none to choose."""
    architectures = [card.architecture for card in cards if card.architecture]
    lasts = [one.last_driver_branch for one in architectures if one.last_driver_branch]
    firsts = [branch_of(card.first_driver) for card in cards if card.first_driver]
    if update:
        firsts.append(branch_of(update.driver))
    kinds = {one.open_kernel_module for one in architectures if has_modules}
    kind = "required" if "required" in kinds else "no" if "no" in kinds else "optional"
    return Need(max(firsts, default=None), min(lasts, default=None), kind)


def system_ids(machine: Machine) -> tuple[str, ...]:
    """This system's names, the closest first, as the guide's rows have them."""
    if machine.is_wsl:
        return ("wsl",)
    if not of(machine.os).has_kernel_modules:  # one system, and not a family of them
        return (machine.os,)
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return ()
    return (release.get("ID", "linux"), *release.get("ID_LIKE", "").split())
