"""Programs that some tests run and that no Python package brings: where they are missing, those tests are skipped.

Where all of them were put in (`.ci/run` does, and says so by a variable), none may be missing: then a test fails.
"""

from __future__ import annotations

import os
import shutil

import pytest

VARIABLE = "TORCH_SETUP_ALL_TOOLS"
PUT_IN = (
    "zsh",
    "fish",
    "makensis",
    "desktop-file-validate",
    "appstreamcli",
    "readelf",
    "modulecmd",
    "lua",
)  # wine apart


def has(program: str) -> bool:
    """Whether it is to be tried: where it must be there, the test that finds it missing fails by itself."""
    return shutil.which(program) is not None or (program in PUT_IN and os.environ.get(VARIABLE) == "1")


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not has(program), reason=f"{program} is not installed")


def path_of(program: str) -> str:
    """Ends the test where it is missing: skipped, or failed."""
    found = shutil.which(program)
    if found is None and has(program):
        pytest.fail(f"{program} was to be put in before the tests")
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found
