"""What stands beside the facts on the Check page: the lint's findings, the way to a better driver, what has drifted.

Nothing here blocks a setup, and nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from wizard.doctor.good_state import Drift
from wizard.explain.driver_guide import DriverGuide
from wizard.plan.model import DriverUpdate
from wizard.settings.finding import Finding


@dataclass(frozen=True, slots=True)
class Looks:
    """`update`: what a newer driver would give; `guide`: how this system brings it (None: no advice is due)."""

    findings: tuple[Finding, ...] = ()
    update: DriverUpdate | None = None
    guide: DriverGuide | None = None
    drifts: tuple[Drift, ...] = ()
