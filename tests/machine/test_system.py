"""System, toolkits, conda, room on disk: texts of other programs, and this very machine."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.machine.answers import answering, recorded
from tests.tools import not_put_in
from tests.users import STRANGER, as_user
from wizard.machine.asking import asker
from wizard.machine.host import condas
from wizard.machine.host import operating_system as system
from wizard.machine.host.condas import parse_version, probe_condas
from wizard.machine.host.toolkits import parse_nvcc, parse_version_json, parse_version_txt, probe_toolkits
from wizard.machine.host.volumes import nearest_existing, volume
from wizard.machine.model import CondaInstall, Toolkit

linux_only = pytest.mark.skipif(sys.platform == "win32", reason="Linux folders and scripts")


def test_arch_names() -> None:
    assert [system.normal_arch(name) for name in ("AMD64", "x86_64", "ARM64", "aarch64", "i686", "riscv64")] == [
        "x86_64",
        "x86_64",
        "aarch64",
        "aarch64",
        "x86",
        "riscv64",
    ]


def test_texts() -> None:
    assert system.parse_glibc("glibc 2.36") == system.parse_glibc("2.36") == "2.36"
    assert system.parse_glibc("musl") is system.parse_glibc(None) is None
    assert system.parse_os_release('NAME="x"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n') == (
        "Debian GNU/Linux 12 (bookworm)"
    )
    assert system.parse_os_release("PRETTY_NAME=Alpine\n") == "Alpine"
    assert system.parse_os_release("") is None
    assert system.windows_name(10, 19045) == "Windows 10 (build 19045)"
    assert system.windows_name(10, 26100) == "Windows 11 (build 26100)"
    assert system.is_wsl_kernel("5.15.167.4-microsoft-standard-WSL2")
    assert system.is_wsl_kernel("4.4.0-19041-Microsoft")
    assert not system.is_wsl_kernel("6.1.0-28-amd64")


@linux_only
def test_this_system() -> None:
    found = system.probe_system()
    assert found.os == "linux"
    assert found.arch == system.normal_arch(platform.machine())
    if "CS_GNU_LIBC_VERSION" in os.confstr_names:
        assert found.glibc is not None
        assert found.glibc.startswith("2.")


def test_toolkit_versions() -> None:
    assert parse_nvcc(recorded("nvcc-13.0.txt")) == "13.0"
    assert parse_version_json('{"cuda": {"name": "CUDA SDK", "version": "12.4.20240321"}}') == "12.4"
    for broken in ("", "[]", '{"cuda": null}', '{"cuda": {"version": null}}'):
        assert parse_version_json(broken) is None
    assert parse_version_txt("CUDA Version 10.2.89\n") == "10.2"
    assert parse_nvcc("") is parse_version_txt("") is None


@linux_only
def test_toolkits_of_path_and_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("CUDA_")]:
        monkeypatch.delenv(name)
    tool = tmp_path / "cuda-a" / "bin" / "nvcc"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 12.8, V12.8.93'\n")
    tool.chmod(0o755)
    named = tmp_path / "cuda-b"
    named.mkdir()
    (named / "version.json").write_text('{"cuda": {"version": "11.8.0"}}')
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("CUDA_HOME", str(named))
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "cuda-a"))  # the same as PATH's: once
    monkeypatch.setenv("CUDA_PATH_V9_0", str(tmp_path / "gone"))
    found = probe_toolkits(asker(lambda: False))
    assert found[0] == Toolkit("12.8", str(tool), "PATH")
    assert Toolkit("11.8", str(named.resolve()), "CUDA_HOME") in found
    assert len([row for row in found if str(tmp_path) in row.path]) == 2


def test_this_machines_toolkit() -> None:
    if shutil.which("nvcc") is None:
        not_put_in("nvcc")
    assert probe_toolkits(asker(lambda: False))[0].found_by == "PATH"


def test_conda_versions() -> None:
    assert parse_version("conda 26.7.1\n") == "26.7.1"
    assert parse_version("mamba 1.5.8\r\nconda 24.3.0\r\n".replace("\r\n", "\n")) == "1.5.8"
    assert parse_version("2.0.5") == "2.0.5"
    assert parse_version("usage: conda") is None


@linux_only
def test_condas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "home" / "miniforge3"
    (root / "conda-meta").mkdir(parents=True)
    for place, said in (("bin/conda", "conda 26.7.1"), ("condabin/conda", "conda 26.7.1"), ("bin/mamba", "2.3.0")):
        (root / place).parent.mkdir(exist_ok=True)
        (root / place).write_text(f"#!/bin/sh\necho '{said}'\n")
        (root / place).chmod(0o755)
    on_path = tmp_path / "bin"
    on_path.mkdir()
    (on_path / "conda").symlink_to(root / "bin" / "conda")
    (on_path / "micromamba").write_text("#!/bin/sh\nexit 3\n")
    (on_path / "micromamba").chmod(0o755)
    known = {"PATH": str(on_path), "CONDA_EXE": str(root / "bin" / "conda")}
    found = [row for row in probe_condas(asker(lambda: False), known) if str(tmp_path) in row.executable]
    assert found == [
        CondaInstall(str(root / "bin/conda"), "26.7.1", str(root), "conda"),
        CondaInstall(str(root / "bin/mamba"), "2.3.0", str(root), "mamba"),
    ]


@linux_only
def test_a_bare_micromamba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "micromamba").write_text("")
    known = {"PATH": "", "MAMBA_EXE": str(tmp_path / "micromamba"), "MAMBA_ROOT_PREFIX": "/data/mm"}
    found = probe_condas(answering(lambda argv: ("2.3.0", 0)), known)
    assert CondaInstall(str(tmp_path / "micromamba"), "2.3.0", "/data/mm", "micromamba") in found


@linux_only
def test_how_a_conda_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    places = {
        "CONDA_EXE": "named/bin/conda",
        "MAMBA_ROOT_PREFIX": "mm/bin/micromamba",
        "PATH": "on-path/bin/conda",
        "registry": "anaconda/bin/conda",
        "folder": "home/miniforge3/bin/mamba",
    }
    for place in places.values():
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("")
        (tmp_path / place).parents[1].joinpath("conda-meta").mkdir()
    monkeypatch.setattr(condas, "registry_roots", lambda: (str(tmp_path / "anaconda"), str(tmp_path / "gone")))
    known = {
        "PATH": str(tmp_path / "on-path" / "bin"),
        "CONDA_EXE": str(tmp_path / "named" / "bin" / "conda"),
        "MAMBA_ROOT_PREFIX": str(tmp_path / "mm"),
    }
    found = probe_condas(answering(lambda argv: ("conda 26.7.1", 0)), known)
    ours = {row.found_by: row.executable for row in found if row.executable.startswith(str(tmp_path))}
    assert ours == {found_by: str(tmp_path / place) for found_by, place in places.items()}


def test_room(tmp_path: Path) -> None:
    deep = volume(tmp_path / "a" / "b" / "环境")
    assert deep.free_bytes is not None
    assert deep.free_bytes > 0
    assert deep.writable is True
    assert not (tmp_path / "a").exists()
    (tmp_path / "file").write_text("")
    assert volume(tmp_path / "file" / "below").writable is False
    assert nearest_existing(tmp_path / "x" / "y") == tmp_path
    assert volume(tmp_path / ("n" * 5000) / "x").writable in (True, None)


@linux_only
@pytest.mark.parametrize(("mode", "is_writable"), [(0o555, False), (0o777, True)])
def test_a_folder_that_is_not_ours(mode: int, is_writable: bool) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own are closed to others
        folder = Path(name)
        folder.chmod(mode)

        def ask() -> bool | None:
            return volume(folder / "x").writable

        assert (as_user(STRANGER, folder, ask) if os.geteuid() == 0 else ask()) is is_writable
        folder.chmod(0o755)
