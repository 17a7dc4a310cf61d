"""That what belongs together really goes to one process, with the runner that is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.distribution import together

_TEST = """
import os, pathlib, pytest
@pytest.mark.parametrize("number", range(6))
def test_it(number):
    pathlib.Path(os.environ["NOTES"], f"{os.getpid()}-{pathlib.Path(__file__).parent.name}-{number}").touch()
"""


def test_what_goes_to_one_process() -> None:
    assert together("tests/frozen/test_a.py::test_x[1::2]") == together("tests/frozen/test_b.py::test_y")
    assert together("tests/undo/test_a.py::test_x") == together("tests/undo/test_a.py::test_y")
    assert together("tests/undo/test_a.py::test_x") != together("tests/undo/test_b.py::test_x")


def test_the_runner_keeps_to_it(tmp_path: Path) -> None:
    for folder, name in (("frozen", "a"), ("frozen", "b"), ("start", "c"), ("other", "d"), ("other", "e")):
        (tmp_path / "tests" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / folder / f"test_{name}.py").write_text(_TEST)
    (tmp_path / "notes").mkdir()
    command = (sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "-p", "tests.distribution")
    ours = {"NOTES": str(tmp_path / "notes"), "PYTHONPATH": str(Path(__file__).parents[1]), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **ours}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    ran = [path.name.split("-") for path in (tmp_path / "notes").iterdir()]
    processes = {folder: {process for process, where, _ in ran if where == folder} for folder in ("frozen", "start")}
    assert {folder: len(found) for folder, found in processes.items()} == {"frozen": 1, "start": 1}
    assert len({process for process, _, _ in ran}) == 2
