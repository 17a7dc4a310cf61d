"""Compute capability: the version of a GPU's instruction set, as NVIDIA writes it (7.5, 12.0).

Not a speed, not a CUDA version. A *cubin* for sm_XY is machine code for that capability;
*PTX* for compute_XY is an intermediate text which the driver compiles for newer cards.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_DOTTED = re.compile(r"^\s*(\d{1,2})\.(\d)\s*$")
_ARCH = re.compile(r"^(?:sm|compute)_(\d{1,2})(\d)[af]?$")


class ComputeCapability(NamedTuple):
    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> ComputeCapability:
        """From `7.5`. Raises ValueError."""
        match = _DOTTED.match(text)
        if not match:
            raise ValueError(f"not a compute capability: {text!r}")
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def from_arch(cls, arch: str) -> ComputeCapability:
        """From `sm_75`, `compute_120` or `sm_90a`. Raises ValueError."""
        match = _ARCH.match(arch)
        if not match:
            raise ValueError(f"not an architecture: {arch!r}")
        return cls(int(match[1]), int(match[2]))

    @property
    def sm(self) -> str:
        return f"sm_{self.major}{self.minor}"

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"
