"""Our declarations of Windows' functions against Microsoft's prototypes, and each use of them through true C calls."""

from __future__ import annotations

import ctypes
import re
import struct
import sys
from typing import Any

import pytest

from tests.windows.fake_windows import DATA, library
from wizard.environment.disk import look_at_volume
from wizard.system.windows import desktop, job
from wizard.system.windows import desktop as pipes
from wizard.system.windows.calls import SIGNATURES, declare, load
from wizard.system.windows.desktop import message_box
from wizard.system.windows.files import file_version
from wizard.system.windows.job import BasicLimits, ExtendedLimits, JobObject

# What each C type is to ctypes: every kind of pointer to something that we fill in is a plain pointer.
_C_TYPES: dict[str, Any] = {
    "BOOL": ctypes.c_int32,
    "int": ctypes.c_int32,
    "HRESULT": ctypes.c_int32,
    "JOBOBJECTINFOCLASS": ctypes.c_int32,
    "DWORD": ctypes.c_uint32,
    "UINT": ctypes.c_uint32,
    "EXECUTION_STATE": ctypes.c_uint32,
    "LANGID": ctypes.c_uint16,
    "LPCWSTR": ctypes.c_wchar_p,
    **dict.fromkeys(
        (
            "HANDLE",
            "HWND",
            "LPVOID",
            "LPCVOID",
            "LPVOID*",
            "REFCLSID",
            "REFIID",
            "LPUNKNOWN",
            "LPWSTR",
            "LPDWORD",
            "PUINT",
            "PULARGE_INTEGER",
            "LPSECURITY_ATTRIBUTES",
        ),
        ctypes.c_void_p,
    ),
}
_PROTOTYPE = re.compile(r"^(?P<library>\w+): (?P<result>\w+) (?P<name>\w+)\((?P<arguments>[^)]*)\)$")


def prototypes() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line in (DATA / "prototypes.txt").read_text(encoding="utf-8").splitlines()[1:]:
        match = _PROTOTYPE.match(line)
        assert match, line
        arguments = tuple(_C_TYPES[name.strip()] for name in match["arguments"].split(",") if name.strip())
        found.setdefault(match["library"], {})[match["name"]] = (_C_TYPES[match["result"]], arguments)
    return found


def test_every_function_is_declared_as_microsoft_writes_it() -> None:
    assert {name: dict(functions) for name, functions in SIGNATURES.items()} == prototypes()


def test_a_handle_is_never_cut() -> None:
    """A handle above 32 bits goes through unchanged, in both directions."""
    handle = 0x7FFF_1234_5678_9ABC
    seen: list[int] = []
    kernel = library(
        "kernel32", OpenProcess=lambda access, inherit, pid: handle, CloseHandle=lambda it: seen.append(it) or 1
    )
    kernel.CloseHandle(kernel.OpenProcess(1, 0, 42))
    assert seen == [handle]
    assert struct.calcsize("P") == 8


def test_a_wrong_argument_is_refused() -> None:
    boxes = library("user32", MessageBoxW=lambda *told: 1)
    with pytest.raises(ctypes.ArgumentError):
        boxes.MessageBoxW(None, b"bytes", "title", 0)


def test_the_shapes_of_the_jobs_structures() -> None:
    """winnt.h, 64 bit."""
    assert (ctypes.sizeof(BasicLimits), ctypes.sizeof(ExtendedLimits)) == (64, 144)
    basic = {name: getattr(BasicLimits, name).offset for name, _ in BasicLimits._fields_}
    assert (basic["LimitFlags"], basic["MinimumWorkingSetSize"], basic["ActiveProcessLimit"]) == (16, 24, 40)
    assert (basic["Affinity"], basic["PriorityClass"], basic["SchedulingClass"]) == (48, 56, 60)
    assert (ExtendedLimits.IoInfo.offset, ExtendedLimits.ProcessMemoryLimit.offset) == (64, 112)


class Kernel:
    """Job objects as Windows counts them."""

    def __init__(self, refuses: str = "") -> None:
        self.refuses, self.said = refuses, []
        self.library = library(
            "kernel32",
            CreateJobObjectW=self.create,
            SetInformationJobObject=self.limit,
            OpenProcess=self.open,
            AssignProcessToJobObject=self.assign,
            TerminateJobObject=self.terminate,
            CloseHandle=self.close,
        )
        self.said: list[tuple[Any, ...]]

    def create(self, security: int | None, name: str | None) -> int:
        assert (security, name) == (None, None)
        return 0 if self.refuses == "create" else 0x1_0000_0001

    def limit(self, job: int, kind: int, data: int, size: int) -> int:
        limits = ExtendedLimits.from_address(data)
        self.said.append(("limit", job, kind, size, limits.BasicLimitInformation.LimitFlags))
        return 0 if self.refuses == "limit" else 1

    def open(self, access: int, inherit: int, pid: int) -> int:
        self.said.append(("open", access, pid))
        return 0 if self.refuses == "open" else 0x2_0000_0002

    def assign(self, job: int, process: int) -> int:
        self.said.append(("assign", job, process))
        return 1

    def terminate(self, job: int, code: int) -> int:
        self.said.append(("terminate", job, code))
        return 1

    def close(self, handle: int) -> int:
        self.said.append(("close", handle))
        return 1


def test_a_job_ends_its_processes_with_us_and_when_asked() -> None:
    kernel = Kernel()
    job = JobObject(kernel.library)
    assert job.assign(42)
    job.terminate()
    job.terminate()
    assert kernel.said == [
        ("limit", 0x1_0000_0001, 9, 144, 0x2800),
        ("open", 0x101, 42),
        ("assign", 0x1_0000_0001, 0x2_0000_0002),
        ("close", 0x2_0000_0002),
        ("terminate", 0x1_0000_0001, 1),
        ("close", 0x1_0000_0001),
    ]


def test_a_job_that_windows_refuses() -> None:
    with pytest.raises(OSError):  # noqa: PT011 (its words are Windows')
        JobObject(Kernel("create").library)
    refusing = Kernel("limit")
    with pytest.raises(OSError):  # noqa: PT011
        JobObject(refusing.library)
    assert refusing.said[-1] == ("close", 0x1_0000_0001)
    gone = Kernel("open")
    assert not JobObject(gone.library).assign(42)
    assert "assign" not in [said[0] for said in gone.said]


def test_the_first_window_may_come_forward_and_has_a_name_of_its_own() -> None:
    told: list[object] = []
    desktop.may_come_forward(library("user32", AllowSetForegroundWindow=lambda who: told.append(who) or 1))
    shell = library("shell32", SetCurrentProcessExplicitAppUserModelID=lambda name: told.append(name) or 0)
    desktop.name_for_taskbar(shell)
    assert told == [0xFFFF_FFFF, desktop.APP_ID]
    desktop.may_come_forward()  # where there is no Windows: nothing


def test_the_message_box_and_where_there_is_none() -> None:
    shown: list[tuple[Any, ...]] = []
    assert message_box("标题", "words", library("user32", MessageBoxW=lambda *told: shown.append(told) or 1))
    assert shown == [(None, "words", "标题", 0x10010)]
    if sys.platform != "win32":
        assert not message_box("title", "words")
        with pytest.raises(OSError, match="kernel32"):
            load("kernel32")


def _write(address: int, kind: Any, value: Any) -> None:
    kind.from_address(address).value = value


def test_a_drive_by_its_functions() -> None:
    def path_name(path: str, out: int, size: int) -> int:
        assert (path, size) == ("D:\\data\\env", 261)
        ctypes.memmove(out, ctypes.create_unicode_buffer("D:\\"), 4 * ctypes.sizeof(ctypes.c_wchar))
        return 1

    def information(root: str, *told: Any) -> int:
        assert root == "D:\\"
        _write(told[4], ctypes.c_uint32, 0x0002_0206)
        ctypes.memmove(told[5], ctypes.create_unicode_buffer("exFAT"), 6 * ctypes.sizeof(ctypes.c_wchar))
        return 1

    def space(path: str, free: int, total: int | None, all_free: int | None) -> int:
        assert (total, all_free) == (None, None)
        _write(free, ctypes.c_uint64, 5 << 40)
        return 1

    kernel = library(
        "kernel32",
        GetVolumePathNameW=path_name,
        GetDiskFreeSpaceExW=space,
        GetVolumeInformationW=information,
        GetDriveTypeW=lambda root: 4,
    )
    seen = look_at_volume("D:\\data\\env", kernel)
    assert (seen.free, seen.kind, seen.is_network, seen.has_links) == (5 << 40, "exFAT", True, False)


@pytest.mark.parametrize(
    ("found", "error", "expected"), [(1, 0, True), (0, 2, False), (0, 121, True), (0, 5, True)]
)  # winerror.h: 2 no such file, 121 none of it is free, 5 access denied
def test_a_pipe_is_there_unless_windows_knows_none(
    found: int, error: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []
    kernel = library("kernel32", WaitNamedPipeW=lambda name, wait: asked.append((name, wait)) or found)
    failure = OSError()
    failure.winerror = error
    monkeypatch.setattr(pipes, "last_error", lambda: failure)
    assert pipes.is_pipe_there("torch-setup-1", kernel) is expected
    assert asked == [("\\\\.\\pipe\\torch-setup-1", 1)]


def test_the_version_of_a_library_is_read_from_its_resource() -> None:
    """VS_FIXEDFILEINFO: signature, version of the structure, then the file's version in two words."""
    fixed = struct.pack("<4I", 0xFEEF04BD, 0x00010000, (14 << 16) | 40, 33810 << 16)
    kept: list[Any] = []

    def read(path: str, handle: int, size: int, out: int) -> int:
        ctypes.memmove(out, fixed, len(fixed))
        kept.append(out)
        return 1

    def query(data: int, block: str, value: int, length: int) -> int:
        assert block == "\\"
        _write(value, ctypes.c_uint64, kept[0])
        _write(length, ctypes.c_uint32, len(fixed))
        return 1

    made = library(
        "version", GetFileVersionInfoSizeW=lambda path, handle: 64, GetFileVersionInfoW=read, VerQueryValueW=query
    )
    assert file_version("C:\\x.dll", made) == "14.40.33810"
    assert file_version("C:\\x.dll", library("version", GetFileVersionInfoSizeW=lambda path, handle: 0)) is None


def test_the_flags_by_which_a_program_is_started() -> None:
    assert job.CHILD == 0x0800_0200
    assert job.detached(own_window=False) == (0x0900_0200, 0x0800_0200)
    assert job.detached(own_window=True) == (0x0100_0210, 0x0000_0210)
    if sys.platform == "win32":
        import subprocess

        assert job.CHILD == subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        assert job.NEW_CONSOLE == subprocess.CREATE_NEW_CONSOLE
        assert job.BREAKAWAY_FROM_JOB == subprocess.CREATE_BREAKAWAY_FROM_JOB


@pytest.mark.skipif(sys.platform != "win32", reason="the real libraries are on Windows")
def test_every_function_is_in_its_real_library() -> None:
    for name in SIGNATURES:
        load(name)


def test_a_function_that_is_not_there_is_noticed() -> None:
    with pytest.raises(AttributeError):
        declare("user32", library("user32"))
