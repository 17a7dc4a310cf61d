"""Windows' side of `wizard.system`, walked through here as its callers do, with the one answer of `here` changed.

What the answer leads to are real files, programs and registry exports. docs/windows.md names this file beside each.
One file on purpose: one walk over all callers, under one changed answer.
"""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from tests.windows.fake_windows import exported, library
from wizard.app.pages import after_setup
from wizard.cli.window import has_display
from wizard.compatibility.model import Choices
from wizard.diagnose.checks import host_facts
from wizard.environment import disk
from wizard.environment.activate import terminal
from wizard.environment.activate.scripts import ShellLine
from wizard.environment.conda import records
from wizard.environment.conda.find import executable_in
from wizard.environment.create import modes
from wizard.environment.create.clone_files import shell_word, spellings
from wizard.environment.inspect import in_use, look
from wizard.environment.model import EnvironmentKind
from wizard.environment.remove import delete
from wizard.gui.shell.wording import RunTitle
from wizard.install.wheel import read_wheel
from wizard.install.wheel_data import _outside
from wizard.machine import probe
from wizard.machine.gpu import nvidia_smi
from wizard.machine.host import condas, interpreters, toolkits, volumes
from wizard.machine.host.operating_system import restart_mark
from wizard.model.errors import UsageError
from wizard.process import awake, detached
from wizard.process.request import child_environment
from wizard.run.plan.place import check_shared
from wizard.run.report.privacy import Private, clean_text
from wizard.run.verify.smoke import signal_name
from wizard.safety import state
from wizard.sources import benchmark_policy, speed
from wizard.system import paths, places_windows, processes_windows, traits
from wizard.system.windows import job
from wizard.transfer.proxy.environment import _cased
from wizard.transfer.tls import store_in_place_of_none

PYTHONS, SETTINGS = exported("pythons.reg"), exported("settings.reg")


@pytest.fixture(autouse=True)
def on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traits, "os_name", lambda: "windows")


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


# --- the machine ---------------------------------------------------------------------------------------------------


def test_pythons_by_name_and_folder(tmp_path: Path) -> None:
    for name in ("python.exe", "PYTHON3.EXE", "python3.12.exe"):
        assert interpreters.is_interpreter_path(Path("Programs", name))
    for name in ("python", "pythonw.exe", "python3.12", "Microsoft/WindowsApps/python.exe"):
        assert not interpreters.is_interpreter_path(Path("Programs", name))
    mine = put(tmp_path / "AppData/Local/Programs/Python/Python312/python.exe")
    pyenv = put(tmp_path / ".pyenv/pyenv-win/versions/3.11.9/python.exe")
    assert set(interpreters.candidates({"PATH": ""}, tmp_path)) == {mine, pyenv}


def test_the_base_of_an_environment_and_the_launcher(tmp_path: Path) -> None:
    answer: Any = SimpleNamespace(base_prefix=str(tmp_path), release=(3, 12))
    assert interpreters._base_of(answer) == (tmp_path / "python.exe").resolve()
    told = " -V:3.12 *        C:\\Users\\小明\\AppData\\Local\\Programs\\Python\\Python312\\python.exe\r\n"
    asked: list[tuple[str, ...]] = []

    def ask(request: Any) -> Any:
        asked.append(tuple(request.argv))
        return SimpleNamespace(ok=True, stdout=told)

    assert interpreters._launcher_paths(ask)[0].endswith("Python312\\python.exe")
    assert asked == [("py", "-0p")]


def test_condas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    batch = put(tmp_path / "local/miniforge3/condabin/conda.bat")
    program = put(tmp_path / "local/miniforge3/Scripts/conda.exe")
    found = list(condas.candidates({"LOCALAPPDATA": str(tmp_path / "local")}))
    assert found == [("conda", program, "folder"), ("conda", batch, "folder")]
    assert executable_in(batch, paths.os_name()) == program
    monkeypatch.setattr(after_setup, "_places", lambda prefix: iter([tmp_path / "gone", program.parent.parent]))
    assert after_setup.conda_for(tmp_path) == program


def test_cuda_toolkits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith("CUDA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PROGRAMFILES", str(tmp_path))
    folder = tmp_path / "NVIDIA GPU Computing Toolkit/CUDA/v12.6"
    put(folder / "bin/nvcc.exe")
    assert [found for found, _ in toolkits.toolkit_folders()] == [folder]
    asked: list[str] = []

    def ask(request: Any) -> Any:
        asked.append(request.argv[0])
        return SimpleNamespace(ok=True, stdout="Cuda compilation tools, release 12.6, V12.6.85\r\n")

    assert toolkits._folder_version(ask, folder) == "12.6"
    assert asked == [str(folder / "bin/nvcc.exe")]


def test_where_the_drivers_files_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("SYSTEMROOT", str(tmp_path / "Windows"))
    monkeypatch.setenv("PROGRAMFILES", str(tmp_path / "Program Files"))
    assert nvidia_smi.find_nvidia_smi() is None
    old = put(tmp_path / "Program Files/NVIDIA Corporation/NVSMI/nvidia-smi.exe")
    assert nvidia_smi.find_nvidia_smi() == str(old)
    new = put(tmp_path / "Windows/System32/nvidia-smi.exe")
    assert nvidia_smi.find_nvidia_smi() == str(new)
    store = tmp_path / "Windows/System32/DriverStore/FileRepository"  # wherever this Windows lies
    put(store / "iigd_dch.inf_amd64_1/nvml.dll")
    dll = put(store / "nvlt.inf_amd64_f1/nvml.dll")
    assert places_windows.driver_libraries() == [dll]


def test_folders_of_the_system_that_lie_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = (PureWindowsPath("E:/Lokal/x"), PureWindowsPath("W:/WinNT/System32"), PureWindowsPath("w:/winnt"))
    for name in ("SYSTEMROOT", "LOCALAPPDATA", "APPDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMDATA"):
        monkeypatch.delenv(name, raising=False)
    assert all(places_windows.is_open_to_files(place) for place in closed)
    monkeypatch.setenv("SYSTEMROOT", "W:\\WinNT")
    monkeypatch.setenv("LOCALAPPDATA", "E:\\Lokal")
    assert not any(places_windows.is_open_to_files(place) for place in closed)
    assert places_windows.is_system_folder(PureWindowsPath("W:/WINNT/Temp"))
    assert not places_windows.is_system_folder(PureWindowsPath("E:/Lokal/x")), "the person's own choice may lie there"
    assert places_windows.is_open_to_files(PureWindowsPath("E:/envs"))


def test_cards_are_asked_of_cim(monkeypatch: pytest.MonkeyPatch) -> None:
    told: Any = object()
    monkeypatch.setattr(probe, "probe_windows", lambda ask: told)
    assert probe.probe_devices(lambda request: None) is told  # type: ignore[arg-type,return-value]


def test_a_waiting_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.machine.host.operating_system.registry", lambda: SETTINGS)
    assert str(restart_mark(tmp_path)).endswith("RebootRequired")


def test_whether_a_folder_takes_files_is_tried(tmp_path: Path) -> None:
    assert volumes._is_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert not volumes._is_writable(tmp_path / "gone")
    assert not volumes._is_writable(Path("/proc/self"))  # where not even root can make a file


def test_the_visual_cpp_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYSTEMROOT", str(tmp_path))
    monkeypatch.setattr(host_facts, "file_version", lambda name: "14.29.30139.0" if "msvcp140.dll" in name else None)
    for name in ("vcruntime140.dll", "msvcp140.dll", "vcruntime140_threads.dll", "msvcp140_atomic_wait.dll"):
        put(tmp_path / "System32" / name)
    seen = host_facts.look_around(tmp_path, {})
    assert (seen.runtime_missing, seen.runtime_version) == (("vcruntime140_1.dll",), "14.29.30139.0")


# --- environments --------------------------------------------------------------------------------------------------


def test_programs_of_a_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as written:
        written.writestr("demo-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        written.writestr("demo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
        written.writestr("demo-1.0.dist-info/RECORD", "")
        written.writestr("demo-1.0.dist-info/entry_points.txt", "[console_scripts]\ndemo = demo:main\n")
        written.writestr("demo-1.0.data/scripts/demo.ps1", "x")
    found = set(_outside(tmp_path, tmp_path / "Lib/site-packages", read_wheel(wheel)))
    assert {"Scripts/demo.exe", "Scripts/demo-script.py", "Scripts/demo-script.pyw", "Scripts/demo.ps1"} <= found
    assert not {name for name in found if name.startswith("bin/")}


@pytest.mark.skipif(sys.platform == "win32", reason="mbcs is Windows' own there, and cannot be another one")
def test_condas_list_is_written_as_conda_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_in_china(name: str) -> codecs.CodecInfo | None:
        return codecs.lookup("cp936") if name == "mbcs" else None

    codecs.register(as_in_china)
    try:
        assert records._line(Path("C:/我的/env")) == "C:/我的/env".encode("cp936")
    finally:
        codecs.unregister(as_in_china)


def test_rights_are_no_bits(tmp_path: Path) -> None:
    closed = put(tmp_path / "conda-meta/a.json")
    closed.chmod(0o600)
    tmp_path.chmod(0o700)
    before = closed.stat().st_mode
    modes.open_up(tmp_path)  # without a bin folder, as on Windows
    assert closed.stat().st_mode == before
    assert modes.closed_to_others(closed) is None


def test_an_environment_was_used_when_its_script_was_read(tmp_path: Path) -> None:
    assert (tmp_path / "Scripts/activate", True) in list(look._traces(tmp_path, None))


def test_the_shells_that_a_terminal_is_opened_with(tmp_path: Path) -> None:
    lines = (ShellLine("bash", "a"), ShellLine("cmd", "b"), ShellLine("powershell", "c"))
    assert terminal._shell_and_line("bash", lines, tmp_path)[0] == "bash"  # Git's, where it is the user's own
    assert terminal._shell_and_line("zsh", lines, tmp_path) == ("powershell", "c")
    assert terminal._shell_and_line("zsh", lines[:2], tmp_path) == ("cmd", "b")


def test_an_environment_for_everybody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        check_shared(Choices(shared=True), tmp_path)
    assert refused.value.code == "shared-windows"


def test_start_menu_entries_are_named(tmp_path: Path) -> None:
    environment: Any = SimpleNamespace(prefix=tmp_path, kind=EnvironmentKind.CONDA)
    sizes: Any = SimpleNamespace(apparent=100, freed=100)
    assert "envs.stays.menu" not in [each.key for each in delete._stays(environment, sizes, ())]
    (tmp_path / "Menu").mkdir()
    assert "envs.stays.menu" in [each.key for each in delete._stays(environment, sizes, ())]


def test_words_for_a_shell() -> None:
    assert shell_word(Path("C:/my env/x")) == f'"{Path("C:/my env/x")}"'
    assert shell_word(Path("C:/env/it's")) == str(Path("C:/env/it's"))
    assert b"C:\\\\env" in spellings([Path("C:\\env")], Path("D:\\new")).new


def test_open_files_of_a_process(tmp_path: Path) -> None:
    """By psutil where there is no /proc to read."""
    ending = ".dll" if sys.platform == "win32" else ".so"
    assert any(ending in name for name in in_use._libraries(psutil.Process()))


def test_long_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "registry", lambda: SETTINGS)
    assert disk.takes_long_paths()
    monkeypatch.setattr(disk, "registry", lambda: PYTHONS)
    assert not disk.takes_long_paths()


# --- children and the network --------------------------------------------------------------------------------------


def test_temporary_files_of_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.TEMP_VARIABLE, str(tmp_path))
    made = child_environment(base={})
    assert (made["TEMP"], made["TMP"]) == (str(tmp_path), str(tmp_path))
    assert "TMPDIR" not in made


def test_a_variable_has_one_case() -> None:
    assert _cased({"HTTPS_PROXY": "http://127.0.0.1:1"}) == {"HTTPS_PROXY": "http://127.0.0.1:1"}


def test_windows_has_a_store_of_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("wizard.transfer.tls._STORES", ())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "gone"))
    assert store_in_place_of_none() is None


def test_kept_awake_by_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def tell(flags: int) -> int:
        told.append(flags)
        return 1

    monkeypatch.setattr(awake, "processes", processes_windows)
    monkeypatch.setattr(processes_windows, "load", lambda name: library(name, SetThreadExecutionState=tell))
    with awake.awake():
        assert told == [0x80000001]
    assert told == [0x80000001, 0x80000000]


def test_a_worker_without_a_console_then_with_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[int, bool]] = []

    class Started:
        pid = 7
        returncode = 0

        def wait(self) -> int:
            return 0

        def __init__(self, argv: tuple[str, ...], creationflags: int, **more: Any) -> None:
            started.append((creationflags, "stdout" in more))
            if creationflags == job.detached(False)[0]:
                raise PermissionError(5, "the job lets nobody out")

    monkeypatch.setattr(detached, "processes", processes_windows)
    monkeypatch.setattr(subprocess, "Popen", Started)
    detached.start_detached(("x",), {}, tmp_path / "log")
    assert started == [(flags, True) for flags in job.detached(False)]
    started.clear()
    detached.start_detached(("x",), {}, tmp_path / "log", own_window=True)
    assert started == [(job.detached(True)[0], False)]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for Windows' own program")
def test_this_network_by_the_real_program_route(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = (
        "IPv4 路由表\n===\n活动路由:\n网络目标        网络掩码          网关       接口   跃点数\n"
        "          0.0.0.0          0.0.0.0      192.168.1.1    192.168.1.23     25\n"
    )
    put(tmp_path / "route", f"#!/bin/sh\n[ \"$*\" = 'print -4 0.0.0.0' ] || exit 1\ncat <<'END'\n{table}END\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(speed, "_masks", lambda: {"192.168.1.23": "255.255.255.0"})
    assert "gateway 192.168.1.1" in speed._routes()


def test_region_by_the_systems_own_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(benchmark_policy, "registry", lambda: SETTINGS)
    monkeypatch.setattr(benchmark_policy, "system_language", lambda: "zh_CN")
    assert benchmark_policy.time_zone({}, tmp_path) == "China Standard Time"
    assert benchmark_policy.language_name({}) == "zh_CN"
    assert benchmark_policy.language_name({"LANG": "en_US.UTF-8"}) == "en_US.UTF-8"


# --- our own program -----------------------------------------------------------------------------------------------


def test_the_frozen_program_starts_its_console_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of the windowed program would have no output."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "_internal"), raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "TorchSetup.exe"))
    assert paths.own_command() == (str(tmp_path / "TorchSetup.exe"),)
    console, uv = put(tmp_path / "torch-wizard.exe"), put(tmp_path / "_internal/bin/uv.exe")
    assert paths.own_command() == (str(console),)
    assert paths.uv_executable() == uv


def test_our_data_lie_where_the_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(paths.HOME_VARIABLE)
    monkeypatch.setattr("platformdirs.user_data_path", lambda appauthor: tmp_path / "AppData/Local")
    assert paths.home() == tmp_path / "AppData/Local/torch-setup"


def test_a_window_needs_no_display_server() -> None:
    assert has_display({})


def test_the_task_bar_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[int, int | None, bool]] = []
    button = SimpleNamespace(show=lambda *told: shown.append(told))
    monkeypatch.setattr("wizard.system.windows.desktop.taskbar_button", lambda: button)
    window: Any = SimpleNamespace(setWindowTitle=lambda words: None, winId=lambda: 42)
    title = RunTitle(window)
    for percent in (3, 3, 4):
        title.show("Download", percent, False)
    assert shown == [(42, 3, False), (42, 4, False)]


# --- words ---------------------------------------------------------------------------------------------------------


def test_capitals_do_not_hide_a_home() -> None:
    private = Private(homes=(r"C:\Users\小明",), user="小明", host="")
    assert "小明" not in clean_text(r"c:\users\小明\x and C:\USERS\小明\y", private)


def test_exit_codes_of_a_crash() -> None:
    assert signal_name(0xC0000005) == "access violation"
    assert signal_name(-1_000_000) is None  # a number that a program of Windows ended with


@contextmanager
def without_rights(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    refuse: Callable[..., bool] = lambda path, mode: False  # noqa: E731
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", refuse)
        yield


def test_flags_of_a_folder_say_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with without_rights(tmp_path, monkeypatch):
        assert state._trouble_with(tmp_path) is None
        monkeypatch.setattr(traits, "os_name", lambda: "linux")
        assert state._trouble_with(tmp_path) is not None
