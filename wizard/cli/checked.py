"""A value of an option that has to be of one kind, and the sentence for one that is not.

The sentence is a field and not raised as text, so that it can be put into the person's language (`words.py`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Checked:
    parse: Callable[[str], int]  # raises ValueError
    complaint: str  # with the blank %(value)r

    def __call__(self, text: str) -> int:
        try:
            return self.parse(text)
        except ValueError:
            raise argparse.ArgumentTypeError(self.complaint % {"value": text}) from None


def whole(least: int, most: int) -> Checked:
    def parse(text: str) -> int:
        if not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return Checked(parse, f"%(value)r is no number from {least} to {most}")
