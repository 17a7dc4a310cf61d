"""The Visual C++ runtime that torch's own libraries import, looked for before torch is installed.

The libraries are composed (`libraries.py`), in the form of real ones; the store, the wheel and the installer are real.
"""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from tests.install import wheels
from tests.install.files import locked
from tests.run.stage import stage
from tests.servers.fault_server import FaultServer
from tests.windows.libraries import library
from wizard.environment.create.vc_runtime import missing_runtime
from wizard.environment.layout import python_of
from wizard.install.installer import find_places
from wizard.model.errors import WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.run.executor import carry_out
from wizard.run.steps.fetch import Fetch
from wizard.run.steps.install import Install
from wizard.system import places_linux, places_windows
from wizard.system.windows.files import imported_libraries

OF_TORCH = (
    "KERNEL32.dll",
    "MSVCP140.dll",
    "VCRUNTIME140.dll",
    "VCRUNTIME140_1.dll",
    "VCRUNTIME140_THREADS.dll",
    "MSVCP140_ATOMIC_WAIT.dll",
    "api-ms-win-crt-heap-l1-1-0.dll",
    "c10.dll",
)
OLD = ("msvcp140.dll", "vcruntime140.dll", "vcruntime140_1.dll")
NEW = ("msvcp140_atomic_wait.dll", "vcruntime140_threads.dll")


@pytest.fixture
def system32(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the runtime of some years ago, the only one that the program looked for."""
    monkeypatch.setenv("SYSTEMROOT", str(tmp_path / "Windows"))
    for side in (places_linux, places_windows):
        monkeypatch.setattr(side, "runtime_libraries", places_windows.runtime_libraries)
    folder = tmp_path / "Windows" / "System32"
    folder.mkdir(parents=True)
    for name in OLD:
        (folder / name).write_bytes(library())
    return folder


@pytest.mark.parametrize("magic", [0x20B, 0x10B])
def test_the_imports_of_a_library(tmp_path: Path, magic: int) -> None:
    (tmp_path / "c10.dll").write_bytes(library(*OF_TORCH, magic=magic))
    assert imported_libraries(tmp_path / "c10.dll") == {name.lower() for name in OF_TORCH}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"MZ",
        b"\x7fELF" + bytes(100),
        library("a.dll")[:90],
        library("a.dll")[:0x205],
        b"MZ" + b"\xff" * 600,
        library("a.dll").replace(b"PE\0\0", b"NE\0\0"),
    ],
)
def test_what_is_no_library_imports_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.dll").write_bytes(data)
    assert imported_libraries(tmp_path / "x.dll") <= {"", "a.dll"}


def test_what_is_missing_by_the_libraries_own_imports(tmp_path: Path, system32: Path) -> None:
    (tmp_path / "1").write_bytes(library(*OF_TORCH))
    files, prefix = {"torch/lib/c10.dll": str(tmp_path / "1")}, tmp_path / "env"
    assert missing_runtime(files, prefix) == NEW
    (prefix / "Library" / "bin").mkdir(parents=True)
    (prefix / "Library" / "bin" / NEW[0]).write_bytes(library())
    assert missing_runtime(files, prefix) == NEW[1:]
    (prefix / NEW[1]).write_bytes(library())  # where conda's runtime lies
    assert missing_runtime(files, prefix) == ()
    assert missing_runtime({**files, "torch/lib/" + NEW[1].upper(): str(tmp_path / "1")}, tmp_path / "other") == NEW[:1]


def test_a_venv_uses_its_base(tmp_path: Path, system32: Path) -> None:
    """Its own python.exe only starts that one, so a library beside it is not found."""
    (tmp_path / "1").write_bytes(library(*NEW))
    base, prefix = tmp_path / "base", tmp_path / "env"
    for folder in (base, prefix):
        folder.mkdir()
    (prefix / "pyvenv.cfg").write_text(f"home = {base}\n")
    (prefix / NEW[0]).write_bytes(library())
    (base / NEW[1]).write_bytes(library())
    assert missing_runtime({"torch/_C.pyd": str(tmp_path / "1")}, prefix) == NEW[:1]


def test_elsewhere_there_is_no_such_thing(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(library(*OF_TORCH))
    if places_linux.runtime_libraries() is None and python_of(tmp_path).name != "python.exe":
        assert missing_runtime({"torch/lib/c10.dll": str(tmp_path / "1")}, tmp_path) == ()


def test_it_is_told_before_torch_is_installed_and_goes_on_afterwards(tmp_path: Path, system32: Path) -> None:
    prefix = tmp_path / "env"
    venv.create(prefix, with_pip=False)
    files = {"torch/__init__.py": b"", "torch/lib/c10.dll": library(*OF_TORCH)}
    wheel = wheels.build(tmp_path / "made", "torch", files=files)
    with FaultServer() as server:
        file = locked(wheel.read_bytes(), server.add("/torch", wheel.read_bytes()), name="torch")
        with stage((file,), python_of(prefix)) as context, pytest.raises(WizardError) as caught:
            carry_out(((Fetch(), Install()),), context)
        site = find_places(python_of(prefix)).purelib
        assert caught.value.code == "install-runtime"
        assert not list(site.glob("torch*"))
        for language in LANGUAGES:
            told = text(caught.value.summary, language), text(caught.value.hint, language)
            assert all(name in told[0] for name in NEW)
            assert "aka.ms" in told[1]
            assert "--engine rattler" in told[1]
        for name in NEW:
            (system32 / name).write_bytes(library())
        with stage((file,), python_of(prefix), run="r2") as context:
            carry_out(((Fetch(), Install()),), context)
    assert (site / "torch" / "lib" / "c10.dll").read_bytes() == files["torch/lib/c10.dll"]
    assert server.requests("/torch") == 1
