"""On which system this program runs, and what only has another name, number or yes and no there.

What only has another name, number or yes and no on the other system, as one table: a row for each system.

`this()` is the row of this computer, `of(name)` that of a machine that may be another one; functions that take a
system's name mean this one where none is given. Nothing is looked at here.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath, PurePosixPath, PureWindowsPath

# On which system this program runs. The answer is a value, handed on like any other fact of a machine: what follows
# from it stands in `traits` and `places`. Tests let it say `windows`, and walk through that side.


def os_name() -> str:
    """`windows` or `linux`, as in machine.json; `linux` also stands for what is like it."""
    return "windows" if sys.platform == "win32" else "linux"


@dataclass(frozen=True, slots=True)
class SystemTraits:
    name: str
    # Paths and names
    path: type[PurePath]
    list_separator: str  # between the folders of a variable
    dos_paths: bool  # with drives, shares and backslashes; more than 260 characters are not for everybody
    paths_have_case: bool
    longest_name: int
    names_are_bytes: bool  # what is counted: bytes or characters
    longest_sure_path: int | None  # of an environment, so that none of torch's own files lies beyond 259 characters
    no_file: str  # in place of a settings file: there is none
    quoted: Callable[[str], str]  # a path as one word of a line that a person copies
    # An environment
    program_ending: str
    build_target: str | None  # of compiled code, after the processor; None: it hangs on the C library
    scripts: str
    program_folders: tuple[str, ...]  # what is first on PATH when it is switched on, in the order of conda's own
    entry_point_endings: tuple[str, ...]  # of the files that installers make of one program's name
    site_packages: str  # "{minor}" is "3.12"
    library_variable: str
    markers: Mapping[str, str]  # of requirements, PEP 508
    x86_64: str  # as `platform.machine()` names that processor
    # Shells
    shells: tuple[str, ...]
    activation_files: tuple[str, ...]
    activation_mark: str  # the one of them that tells that an environment can be switched on
    usual_shell: str | None  # None: the account's own
    terminal_shells: tuple[str, ...]
    shells_bring_a_window: bool  # and the system gives it to them
    powershell_wants_leave: bool  # to run a script
    # conda
    conda_folders: tuple[str, ...]  # of an installation, with its programs
    conda_endings: tuple[str, ...]
    conda_programs: tuple[str, ...]  # in an installation, the best first: a .bat would go through cmd
    conda_list_encoding: str  # of ~/.conda/environments.txt; conda itself reads it in the system's own
    # The session
    temp_variables: tuple[str, ...]
    variables_have_case: bool
    language_is_a_setting: bool  # not only a variable
    needs_display: bool
    doors_are_pipes: bool  # a second start knocks at a named pipe, not at a socket's file
    has_task_bar: bool
    has_start_menu: bool
    console_program: str | None  # beside the frozen program, which has a window only
    # The system itself
    has_proc: bool  # /proc and /sys tell of cards, routes, mounts, processes
    has_registry: bool
    has_certificate_store: bool  # never empty, unlike that of a bare container
    has_glibc: bool
    has_kernel_modules: bool  # so that which one drives a card is somebody's choice
    runtime_is_apart: bool  # the C++ one: neither the system nor torch brings it
    rights_are_bits: bool  # and tell who may write
    clock_counts_sleep: bool  # the monotonic one
    negative_exits_are_signals: bool
    python_launcher: tuple[str, ...]  # the command that lists Pythons

    @property
    def sites_by_python(self) -> bool:
        """Another Python in the same environment would have its packages in another folder."""
        return "{minor}" in self.site_packages


def _plainly_quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path


LINUX = SystemTraits(
    name="linux",
    path=PurePosixPath,
    list_separator=":",
    dos_paths=False,
    paths_have_case=True,
    longest_name=180,  # ext4 and friends: 255, of which our own trash folder takes some
    names_are_bytes=True,
    longest_sure_path=None,
    no_file="/dev/null",
    quoted=shlex.quote,
    program_ending="",
    build_target=None,
    scripts="bin",
    program_folders=("bin",),
    entry_point_endings=("",),
    site_packages="lib/python{minor}/site-packages",
    library_variable="LD_LIBRARY_PATH",
    markers={"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    x86_64="x86_64",
    shells=("bash", "zsh", "fish", "csh", "powershell"),
    activation_files=(
        "activate",
        "activate.fish",
        "activate.csh",
        "deactivate.csh",
        "Activate.ps1",
        "state_variables.py",
    ),
    activation_mark="activate",
    usual_shell=None,
    terminal_shells=("bash", "zsh", "fish"),
    shells_bring_a_window=False,
    powershell_wants_leave=False,
    conda_folders=("bin", "condabin"),
    conda_endings=("",),
    conda_programs=("bin/conda", "condabin/conda", "bin/mamba", "bin/micromamba"),
    conda_list_encoding="utf-8",
    temp_variables=("TMPDIR",),
    variables_have_case=True,
    language_is_a_setting=False,
    needs_display=True,
    doors_are_pipes=False,
    has_task_bar=False,
    has_start_menu=False,
    console_program=None,
    has_proc=True,
    has_registry=False,
    has_certificate_store=False,
    has_glibc=True,
    has_kernel_modules=True,
    runtime_is_apart=False,
    rights_are_bits=True,
    clock_counts_sleep=False,
    negative_exits_are_signals=True,
    python_launcher=(),
)

WINDOWS = SystemTraits(
    name="windows",
    path=PureWindowsPath,
    list_separator=";",
    dos_paths=True,
    paths_have_case=False,
    longest_name=100,  # 260 for the whole path
    names_are_bytes=False,
    longest_sure_path=69,  # torch 2.15.0's longest name is 171, with \Lib\site-packages\ 190
    no_file="nul",
    quoted=_plainly_quoted,
    program_ending=".exe",
    build_target="pc-windows-msvc",
    scripts="Scripts",
    program_folders=("", "Library\\mingw-w64\\bin", "Library\\usr\\bin", "Library\\bin", "Scripts", "bin"),
    entry_point_endings=(".exe", "-script.py", "-script.pyw"),
    site_packages="Lib/site-packages",
    library_variable="PATH",
    markers={"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
    x86_64="AMD64",
    shells=("powershell", "cmd"),
    activation_files=("Activate.ps1", "activate.bat", "deactivate.bat", "state_variables.py"),
    activation_mark="activate.bat",
    usual_shell="powershell",
    terminal_shells=("powershell", "cmd"),
    shells_bring_a_window=True,
    powershell_wants_leave=True,
    conda_folders=("Scripts", "Library/bin", "condabin"),
    conda_endings=(".exe", ".bat"),
    conda_programs=(
        "Scripts/conda.exe",
        "Library/bin/mamba.exe",
        "Scripts/mamba.exe",
        "Library/bin/micromamba.exe",
        "micromamba.exe",
    ),
    conda_list_encoding="mbcs",
    temp_variables=("TEMP", "TMP"),
    variables_have_case=False,
    language_is_a_setting=True,
    needs_display=False,
    doors_are_pipes=True,
    has_task_bar=True,
    has_start_menu=True,
    console_program="torch-wizard.exe",
    has_proc=False,
    has_registry=True,
    has_certificate_store=True,
    has_glibc=False,
    has_kernel_modules=False,
    runtime_is_apart=True,
    rights_are_bits=False,
    clock_counts_sleep=True,
    negative_exits_are_signals=False,
    python_launcher=("py", "-0p"),
)

# This program does not run there; a machine file may describe one.
MACOS = replace(
    LINUX,
    name="macos",
    markers={"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    has_proc=False,
    has_glibc=False,
    has_kernel_modules=False,
)

_ROWS = {row.name: row for row in (LINUX, WINDOWS, MACOS)}


def of(name: str | None) -> SystemTraits:
    """None: this one. Raises KeyError for a system that nobody has heard of here."""
    return _ROWS[os_name() if name is None else name]


def known(os_name: str) -> SystemTraits | None:
    """For a name that somebody wrote; None where it is no system's."""
    return _ROWS.get(os_name)


def this() -> SystemTraits:
    return of(None)
