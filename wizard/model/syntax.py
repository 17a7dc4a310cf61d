"""Read Python that nobody vouches for, as syntax: a project's files, a wheel's `version.py`. Nothing of it is run."""

from __future__ import annotations

import ast
import re
import warnings

NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)  # what reading such a file as syntax may raise
_MOST_LETTERS = 400_000
_LONG_NAME = re.compile(r"(?:\.[\s\\]*\w+[\s\\]*){100}")


def parsed(text: str) -> ast.Module:
    """Return the syntax of a file. Raises what `NO_PYTHON` names.

    Python takes 8 GB for a file of 300 kB that is one name of 150,000 parts, and a kilobyte for each `x=1;`.
    """
    if len(text) > _MOST_LETTERS or _LONG_NAME.search(text):
        raise ValueError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
