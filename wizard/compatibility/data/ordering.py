"""How the names of this field are ordered: versions, CUDA tags (`cu126`), driver branches.

Plain tuples of numbers, because all of these are dotted numbers; not PEP 440, which pip and uv decide.
"""

from __future__ import annotations

import re
from functools import lru_cache

CPU = "cpu"
_TAG = re.compile(r"^cu(\d+)(\d)$")
_NUMBER = re.compile(r"\d+")


@lru_cache(maxsize=2048)
def version_key(text: str) -> tuple[int, ...]:
    """`2.14.1` is (2, 14, 1). A text without numbers is (). Of a number of more than 18 digits the rest is left out."""
    return tuple(int(number[:18]) for number in _NUMBER.findall(text))


@lru_cache(maxsize=128)
def cuda_of(variant: str) -> str | None:
    """The CUDA version of a tag: `cu126` is `12.6`, `cpu` is None. Raises ValueError for other words."""
    if variant == CPU:
        return None
    match = _TAG.match(variant)
    if not match:
        raise ValueError(f"not a CUDA tag: {variant!r}")
    return f"{match[1]}.{match[2]}"


def variant_key(variant: str) -> tuple[int, ...]:
    """Higher CUDA is higher; `cpu` is the lowest."""
    return version_key(cuda_of(variant) or "")


def branch_of(driver: str) -> int:
    """`580.65.06` is of branch 580; 0 for a text without numbers.

    On Windows NVIDIA numbers the drivers of branch 580 on to 581 and 582.
    """
    key = version_key(driver)
    return key[0] if key else 0
