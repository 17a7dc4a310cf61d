"""The built-in engine as an ordinary user: with no home, with a home that cannot be written, in a shared folder.

Root may do everything, so a child of ours becomes somebody else first. It runs a Python that everybody may run: one
that the engine itself has made.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environment.served import channel_at
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.model import Target
from wizard.system import paths

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="users of Linux")]
NOBODY = 65534
_PACKAGES = (
    "rattler",
    "filelock",
    "platformdirs",
    "psutil",
    "msgspec",
    "packaging",
    "tomli",
    "typing_extensions",
    "socks",
    "requests",
    "urllib3",
    "idna",
    "certifi",
    "charset_normalizer",
    "truststore",
)
_CREATE = """
import json, os, sys
from pathlib import Path
from wizard.environment.model import Target
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.remove.unfinished import mark_begun
from wizard.model.errors import WizardError
prefix, python, channel = sys.argv[1:]
try:
    mark_begun(Path(prefix), "run-1")
    made = RattlerEngine().create(Target(Path(prefix), python, "rattler", channels=(channel,)), lambda *_: None,
                                  lambda: False)
    print(json.dumps({"packages": made.packages, "uid": os.geteuid()}))
except WizardError as error:
    print(json.dumps({"code": error.code, "details": error.details}))
"""


@pytest.fixture(scope="module")
def shared(conda_channel: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for everybody, with this program and a Python in it: the developer's own may lie in a closed home."""
    with tempfile.TemporaryDirectory(prefix="torch-setup-shared-") as name:
        base = Path(name)
        base.chmod(0o755)
        before = os.environ.get(paths.HOME_VARIABLE)
        os.environ[paths.HOME_VARIABLE] = str(base / "state")
        try:
            minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
            target = Target(base / "python", minor, "rattler", channels=(conda_channel,))
            RattlerEngine().create(target, lambda *_: None, lambda: False)
        finally:
            os.environ.pop(paths.HOME_VARIABLE)
            if before is not None:
                os.environ[paths.HOME_VARIABLE] = before
        program = base / "program"
        for folder in ("wizard", "resources", "matrices"):
            shutil.copytree(_root() / folder, program / folder, ignore=shutil.ignore_patterns("__pycache__"))
        for package in _PACKAGES:
            _copy_package(package, program)
        yield base


def _root() -> Path:
    return Path(__file__).resolve().parents[2]


def _copy_package(name: str, target: Path) -> None:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        return
    origin = Path(found.origin)
    if origin.name == "__init__.py":
        shutil.copytree(origin.parent, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(origin, target / origin.name)


def create_as_user(
    shared: Path, place: Path, channel: str, home: Path | None, name: str = "我的 env"
) -> tuple[dict[str, object], Path]:
    """In a process of that user; `place` belongs to them."""
    prefix = place / name
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(shared / "program"),
        "LANG": "C.UTF-8",
        paths.HOME_VARIABLE: str(place / "state"),
        **({"HOME": str(home)} if home else {}),
    }
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    is_root = os.geteuid() == 0
    done = subprocess.run(
        [shared / "python" / "bin" / "python", "-B", "-c", _CREATE, prefix, minor, channel],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=180,
        cwd="/",
        **({"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_root else {}),
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), prefix


@pytest.fixture
def place(shared: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=shared) as name:
        folder = Path(name)
        folder.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        yield folder


def test_as_an_ordinary_user_others_may_read_it(shared: Path, place: Path, conda_channel_folder: Path) -> None:
    home = place / "home"
    home.mkdir()
    if os.geteuid() == 0:
        os.chown(home, NOBODY, NOBODY)
    with channel_at(conda_channel_folder) as server:
        said, prefix = create_as_user(shared, place, server.url, home)
    assert int(str(said["packages"])) >= 2
    assert said["uid"] == (NOBODY if os.geteuid() == 0 else os.geteuid())
    assert {path.stat().st_uid for path in prefix.rglob("*")} == {said["uid"]}
    closed = [path for path in prefix.rglob("*") if not path.is_symlink() and path.stat().st_mode & 0o044 != 0o044]
    assert set(closed) <= {prefix / ".torch-setup-unfinished.json"}  # which none but its owner needs
    assert (home / ".conda" / "environments.txt").read_text(encoding="utf-8") == f"{prefix}\n"
    ran = subprocess.run([prefix / "bin" / "python", "-c", "print(1)"], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "1\n"


def test_a_home_that_is_not_there_or_not_ours_is_no_failure(
    shared: Path, place: Path, conda_channel_folder: Path
) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o555)
    with channel_at(conda_channel_folder) as server:
        for home in (None, place / "nowhere", closed):
            said, prefix = create_as_user(shared, place, server.url, home, f"env-{home.name if home else 'none'}")
            assert int(str(said.get("packages", 0))) >= 2, said
            assert (prefix / "bin" / "python").exists()
    assert list(closed.iterdir()) == []


def test_a_place_that_is_not_theirs_is_refused(shared: Path, place: Path, conda_channel: str) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o555)
    said, prefix = create_as_user(shared, closed, conda_channel, place)
    assert said["code"] == "target-not-writable"
    assert not prefix.exists()
