"""The package for Debian: what it needs is named, a linter finds nothing, and fresh Debians take it and let it go."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import wizard
from tests.frozen.conftest import ROOT
from tests.thorough import times
from tests.tools import missing, not_put_in, path_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="of Debian"),
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="this Linux is no Debian"),
]
KEPT = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "torch-setup-check"  # of .ci/bare


def field(package: Path, name: str) -> str:
    return subprocess.run(
        ["dpkg-deb", "-f", str(package), name], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def tiny(small: Path) -> Path:
    shutil.copy(ROOT / "LICENSE", small / "_internal/licences/torch-setup.txt")
    for path in (small / "_internal").glob("libls.so*"):
        path.unlink()
    shutil.copy("/bin/true", small / "_internal/libtrue.so.1")
    return small


@pytest.fixture(scope="module")
def package(frozen_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Of the frozen program; taken away again, for it is large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "resources" / "installer"))
        import build

        made = build.debian_package(frozen_folder, tmp_path_factory.mktemp("deb"), 0)
    yield made
    made.unlink()


def test_it_names_what_it_needs_and_is_the_same_twice(builder: ModuleType, tiny: Path, tmp_path: Path) -> None:
    first = builder.debian_package(tiny, tmp_path / "one", 0)
    second = builder.debian_package(tiny, tmp_path / "two", 0)
    assert hashlib.sha256(first.read_bytes()).digest() == hashlib.sha256(second.read_bytes()).digest()
    assert field(first, "Package") == "torch-setup"
    assert field(first, "Version") == wizard.__version__
    assert field(first, "Depends").startswith("libc6 (>= 2.")
    assert first.name == f"TorchSetup-{wizard.__version__}-linux-{field(first, 'Architecture')}.deb"


def test_a_library_of_no_known_package_stops_the_build(builder: ModuleType, tiny: Path, tmp_path: Path) -> None:
    shutil.copy(path_of("tar"), tiny / "_internal/other")  # needs libacl and libselinux
    with pytest.raises(LookupError, match="of which package"):
        builder.debian_package(tiny, tmp_path / "made", 0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the names of its libraries are those of amd64")
def test_the_program_wants_little_of_the_computer(package: Path) -> None:
    names = {each.split(" ")[0] for each in field(package, "Depends").split(", ")}
    assert {"libc6", "libegl1", "libgl1", "libxcb1"} <= names
    assert len(names) < 12


def test_a_linter_finds_nothing(
    builder: ModuleType, tiny: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Of the whole program, which takes a minute and more, before a release only."""
    whole = times(1, 0) == 1
    made = request.getfixturevalue("package") if whole else builder.debian_package(tiny, tmp_path, 0)
    command = [path_of("lintian"), "--allow-root", "--fail-on", "error,warning", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# No network: packages of the wanted names stand in for the desktop's libraries. They show that each is asked for.
_SCRIPT = """
set -eu
mount -t proc proc /proc
list() { find / -xdev -path /proc -prune -o -path /var/lib/dpkg -prune -o -path /var/log -prune -o -print | sort; }
cd /handed
touch before after
if dpkg -i torch-setup.deb >/dev/null 2>&1; then echo "it asked for nothing"; exit 1; fi
dpkg --purge torch-setup >/dev/null 2>&1
dpkg -i ./*-stand-in.deb >/dev/null
list >before
dpkg -i torch-setup.deb
torch-wizard --version
TORCH_WIZARD_HOME=/handed/home torch-wizard pick --offline --json >/dev/null
desktop=$(sed -n 's/^Exec=\\([^ ]*\\).*/\\1/p' /usr/share/applications/torch-setup.desktop)
command -v "$desktop"
rm -rf /handed/home
dpkg --purge torch-setup
list >after
diff before after
"""


@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_a_fresh_debian_takes_it_and_lets_it_go(package: Path, suite: str, tmp_path: Path) -> None:
    kept = KEPT / f"{suite}.tar"
    if os.geteuid() != 0 or not kept.is_file():
        (missing if suite == "bookworm" else not_put_in)(f"a fresh {suite} for root")
    root = tmp_path / "root"
    (root / "handed").mkdir(parents=True)
    subprocess.run(["tar", "-xf", str(kept), "-C", str(root)], check=True)
    shutil.copy(package, root / "handed" / "torch-setup.deb")
    for name in (each.split(" ")[0] for each in field(package, "Depends").split(", ")):
        if name != "libc6":
            control = tmp_path / name / "DEBIAN" / "control"
            control.parent.mkdir(parents=True)
            words = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: x <x@y.example>\nDescription: none\n"
            control.write_text(words)
            target = root / "handed" / f"{name}-stand-in.deb"
            subprocess.run(
                ["dpkg-deb", "--build", str(tmp_path / name), str(target)], stdout=subprocess.DEVNULL, check=True
            )
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "chroot", str(root), "/bin/sh", "-c", _SCRIPT]
    done = subprocess.run(
        command,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/handed"},
        capture_output=True,
        text=True,
        check=False,
    )
    shutil.rmtree(root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert wizard.__version__ in done.stdout
