"""The lock of the frozen program: one file a line, by hash, for the right system; everything that we ask for is in it.

Whether the index still has these files, and whether Windows has all for every Python, is `lock.py check` (.ci/run).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from tests.test_version import INSTALLER, ROOT, load

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_LINE = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>\S+) --hash=sha256:(?P<hash>[0-9a-f]{64})  # (?P<wheel>\S+\.whl)"
)
LOCK = """
[[packages]]
name = "isal"
version = "1.8.0"
wheels = [
 { url = "https://index.example/isal-1.8.0-cp312-cp312-manylinux_2_17_x86_64.whl", hashes = { sha256 = "aa" } },
 { url = "https://index.example/isal-1.8.0-cp312-cp312-win_amd64.whl", hashes = { sha256 = "bb" } },
 { url = "https://index.example/isal-1.8.0-cp312-cp312-win32.whl", hashes = { sha256 = "cc" } },
]
[[packages]]
name = "pure"
version = "1"
wheels = [
 { url = "https://index.example/pure-1-py2.py3-none-any.whl", hashes = { sha256 = "dd" } },
 { url = "https://index.example/pure-1%2Blocal-cp312-abi3-win_amd64.whl", hashes = { sha256 = "ee" } },
]
[[packages]]
name = "linux-only"
version = "1"
sdist = { url = "https://index.example/linux-only-1.tar.gz", hashes = { sha256 = "ff" } }
wheels = [{ url = "https://index.example/linux_only-1-cp312-cp312-linux_x86_64.whl", hashes = { sha256 = "11" } }]
"""


def wanted() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(line) for line in (*project["dependencies"], *project["optional-dependencies"]["freeze"])]


@pytest.mark.parametrize("system", ["linux", "linux-aarch64", "windows"])
def test_the_lock_is_whole(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = load("lock", monkeypatch)
    tags = set(lock.ranked_tags(system, lock.FROZEN_PYTHON))
    rows = {}
    for line in (INSTALLER / f"requirements-{system}.txt").read_text(encoding="utf-8").splitlines()[1:]:
        match = _LINE.fullmatch(line)
        assert match, line
        name, version, _, wheel_tags = parse_wheel_filename(match["wheel"])
        assert (name, str(version)) == (canonicalize_name(match["name"]), match["version"])
        assert tags & wheel_tags, match["wheel"]
        rows[name] = version
    environment = {
        "python_version": lock.FROZEN_PYTHON,
        "python_full_version": f"{lock.FROZEN_PYTHON}.0",
        "sys_platform": "win32" if system == "windows" else "linux",
    }
    for requirement in wanted():
        if requirement.marker is None or requirement.marker.evaluate(environment):
            name = canonicalize_name(requirement.name)
            assert name in rows, f"{name}: run `python resources/installer/lock.py write`"
            assert requirement.specifier.contains(rows[name]), f"{requirement}: write the lock again"


def test_the_best_fitting_wheel_is_chosen_and_a_missing_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = load("lock", monkeypatch)
    rows = list(lock.parse_lock(LOCK, lock.ranked_tags("windows", "3.12")))
    assert [(row.name, row.sha256) for row in rows] == [("isal", "bb"), ("pure", "ee"), ("linux-only", "")]
    with pytest.raises(SystemExit, match="no wheel for windows, Python 3.12: linux-only 1"):
        lock.complain("windows", "3.12", rows)
    assert next(iter(lock.parse_lock(LOCK, lock.ranked_tags("windows", "3.13")))).wheel == ""


def test_an_index_that_does_not_answer_is_not_called_good(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = load("lock", monkeypatch)
    for name, value in (
        ("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple"),
        ("UV_NO_CACHE", "1"),
        ("UV_HTTP_RETRIES", "0"),
        ("UV_NO_CONFIG", "1"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["lock.py", "check"])
    assert lock.main() == 3
    said = capsys.readouterr()
    assert said.err.startswith("NOT CHECKED")
    assert said.out == ""


def test_every_python_that_we_support_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={load('lock', monkeypatch).SUPPORTED[0]}"
    assert Path(INSTALLER / "lock.py").is_file()
