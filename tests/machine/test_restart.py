"""A restart that is due: Debian's mark, a kernel whose modules are gone, and what is no mark."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wizard.machine.host.operating_system import restart_mark

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Linux files; Windows asks its registry")
KERNEL = "6.1.0-40-amd64"


def kernels(root: Path, *names: str) -> Path:
    for name in names:
        folder = root / "lib/modules" / name
        folder.mkdir(parents=True)
        (folder / "modules.dep").write_text("")
    return root


def test_nothing_is_due(tmp_path: Path) -> None:
    assert restart_mark(tmp_path, KERNEL) is None, "no folder of modules at all: nothing is known"
    assert restart_mark(kernels(tmp_path, KERNEL, "6.1.0-41-amd64"), KERNEL) is None


@pytest.mark.parametrize("name", ["run/reboot-required", "var/run/reboot-required"])
def test_debian_says_so(name: str, tmp_path: Path) -> None:
    mark = tmp_path / name
    mark.parent.mkdir(parents=True)
    mark.write_text("*** System restart required ***\n")
    assert restart_mark(tmp_path, KERNEL) == f"/{name}"


def test_a_kernel_whose_modules_are_gone_was_updated(tmp_path: Path) -> None:
    assert restart_mark(kernels(tmp_path, "6.1.0-41-amd64"), KERNEL) == f"/lib/modules/{KERNEL}"


@pytest.mark.parametrize("mark", [".dockerenv", "run/.containerenv"])
def test_a_container_runs_its_hosts_kernel(mark: str, tmp_path: Path) -> None:
    kernels(tmp_path, "6.1.0-41-amd64")
    (tmp_path / mark).parent.mkdir(exist_ok=True)
    (tmp_path / mark).write_text("")
    assert restart_mark(tmp_path, KERNEL) is None
