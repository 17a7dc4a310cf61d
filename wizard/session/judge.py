"""Verdicts for described machines: those that are alike in what the rule looks at are judged once."""

from __future__ import annotations

from dataclasses import replace

from wizard.machine.model import Machine
from wizard.matrix.model import Matrix
from wizard.plan.model import Choices, Verdict
from wizard.plan.resolve import resolve

_MOST_JUDGED = 64  # a verdict is large


class Judge:
    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._judged: dict[tuple[Machine, Choices], Verdict] = {}

    def judge(self, machine: Machine, choices: Choices) -> Verdict:
        """Only the best has its proof."""
        key = (_decisive(machine), choices)
        if key not in self._judged:
            if len(self._judged) >= _MOST_JUDGED:
                self._judged.clear()
            self._judged[key] = resolve(machine, self._matrix, choices, prove_all=False)
        return self._judged[key]


def _decisive(machine: Machine) -> Machine:
    """What the rule looks at: two computers of one order differ in serial numbers and folders only."""
    gpus = tuple(replace(gpu, uuid=None, bus_id=None) for gpu in machine.gpus)
    return replace(machine, gpus=gpus, toolkits=(), pythons=(), condas=(), volumes=(), notices=())
