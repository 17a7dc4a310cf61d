"""Programs that some tests run and that no Python package brings: where they are missing, those tests are skipped.

The start file puts in what is small and at hand. Of what is left `.ci/run` asks for a list, and runs those tests where
all programs are there and none may be missing: then a test fails.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

VARIABLE = "TORCH_SETUP_ALL_TOOLS"
LIST = "TORCH_SETUP_LIST_OF_SKIPPED"  # a file; gets the name of each test that was skipped for want of a program
PUT_IN = (
    "zsh",
    "fish",
    "tcsh",
    "cc",
    "makensis",
    "/usr/lib/wine/wine64",
    "appstreamcli",
    "modulecmd",
    "lua",
    "git",
    "objdump",
    "readelf",
    "xz",
    "openssl",
    "ssh-keygen",
    "/usr/sbin/sshd",
    "desktop-file-validate",
    "minisign",
    "lintian",
    "mkfs.btrfs",
    "mkfs.ext4",
    "mkfs.xfs",
)
_REASON = "{program} is not installed"


def _must_be_there() -> bool:
    return os.environ.get(VARIABLE) == "1"


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips a test, class or module where one of them is missing; fails nothing by itself where all must be there."""
    missing = [program for program in programs if shutil.which(program) is None and not _must_be_there()]
    return pytest.mark.skipif(bool(missing), reason=_REASON.format(program=", ".join(missing)))


def path_of(program: str) -> str:
    """Ends the test where it is missing."""
    return shutil.which(program) or missing(program)


def missing(what: str) -> NoReturn:
    """Ends the test: skipped, or failed where nothing may be missing."""
    if _must_be_there():
        pytest.fail(f"{what} was to be put in before the tests")
    pytest.skip(_REASON.format(program=what))


def not_put_in(what: str) -> NoReturn:
    """Ends the test for want of what no package brings: skipped there too, unless the machine has it."""
    pytest.skip(_REASON.format(program=what))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A plugin's hook. xdist's workers hand their reports to the one process that writes."""
    place = os.environ.get(LIST)
    reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    if place and "PYTEST_XDIST_WORKER" not in os.environ and reason.endswith(_REASON.format(program="")):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(report.nodeid + "\n")
