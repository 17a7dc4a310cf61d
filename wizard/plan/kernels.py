"""The kernel rule: does a build hold code that runs on this card?

A cubin runs on its own major version with a minor not below its own; PTX runs on its own capability and
everything after it, once the driver has compiled it. sm_86 code runs on 8.9, sm_120 on 12.1, sm_90 not on 10.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from wizard.capability import ComputeCapability

_CUBIN = "sm_"


@dataclass(frozen=True, slots=True)
class Code:
    """The code that would be used: `arch` is `sm_75` or `compute_75`."""

    arch: str

    @property
    def is_ptx(self) -> bool:
        return not self.arch.startswith(_CUBIN)


@lru_cache(maxsize=4096)
def code_for(architectures: tuple[str, ...], capability: ComputeCapability) -> Code | None:
    """The nearest cubin, else the nearest PTX, else None. Remembered: a lab asks for the same pairs again and again."""
    cubins, ptx = [], []
    for arch in architectures:
        target = ComputeCapability.from_arch(arch)
        if not arch.startswith(_CUBIN):
            if target <= capability:
                ptx.append((target, arch))
        elif target.major == capability.major and target.minor <= capability.minor:
            cubins.append((target, arch))
    nearest = cubins or ptx
    return Code(max(nearest)[1]) if nearest else None
