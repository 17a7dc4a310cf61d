"""Where settings lie and which one wins, asked of the real pip and the real uv; Windows by its rows alone."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PureWindowsPath

import pytest

from tests.toolconfig.using import PIP, UV
from tests.toolconfig.world import Computer
from wizard.model.messages import LANGUAGES, text
from wizard.system import paths
from wizard.toolconfig.files import own_file, settings_files, settings_table
from wizard.toolconfig.model import Tool, UserContext
from wizard.toolconfig.settings import read_user_settings
from wizard.toolconfig.use import overridden
from wizard.toolconfig.verify import parse_pip_debug, parse_pip_settings, parse_uv_settings, says_twice

linux = pytest.mark.skipif(sys.platform == "win32", reason="folders of Linux")
A, B = "https://a.example/simple", "https://b.example/simple"
LEGACY, MACHINE = (
    ("pip/pip.ini", "all/pip/pip.ini") if sys.platform == "win32" else (".pip/pip.conf", "xdg/pip/pip.conf")
)


def places(tool: Tool, around: UserContext) -> list[str]:
    return [str(file.path) for file in settings_files(tool, around)]


# --- against the real programs


def test_pip_itself_names_the_same_files(computer: Computer) -> None:
    computer.environ["VIRTUAL_ENV"] = str(computer.home / "venv")
    named = computer.write("lab.conf", "[global]\n")
    for variables in ({}, {"PIP_CONFIG_FILE": str(computer.home / "gone.conf")}):
        computer.environ.update(variables)
        said = re.findall(r"^  (\S.*(?<!gone.conf)), exists: ", computer.pip("config", "debug"), re.MULTILINE)
        ours = [path for path in places(Tool.PIP, computer.around) if "gone.conf" not in path]
        assert [path for path in said if "pyenv" not in path and path.startswith(str(computer.home))] == [
            path for path in ours if path.startswith(str(computer.home)) and "venv" not in path
        ]
        assert [path for path in said if path.startswith("/etc")] == [path for path in ours if path.startswith("/etc")]
    computer.environ["PIP_CONFIG_FILE"] = str(named)
    assert str(own_file(Tool.PIP, computer.around)) == str(computer.home / PIP)
    assert str(computer.home / PIP) not in places(Tool.PIP, computer.around)
    computer.environ["PIP_CONFIG_FILE"] = os.devnull
    assert places(Tool.PIP, computer.around) == []


def effective_pip(computer: Computer) -> str | None:
    listed = computer.pip("config", "list")
    return parse_pip_debug(computer.pip("config", "debug")) if says_twice(listed) else parse_pip_settings(listed)


@pytest.mark.parametrize(("weak", "strong"), [(MACHINE, LEGACY), (LEGACY, PIP), (MACHINE, PIP)])
def test_pip_takes_the_file_that_we_call_stronger(computer: Computer, weak: str, strong: str) -> None:
    for path, url in ((weak, A), (strong, B)):
        computer.write(path, f"[global]\nindex-url = {url}\n")
    assert effective_pip(computer) == B
    order = places(Tool.PIP, computer.around)
    assert order.index(str(computer.home / weak)) < order.index(str(computer.home / strong))
    assert overridden(Tool.PIP, computer.home / strong, "global.index-url", computer.around) == ()
    (why,) = overridden(Tool.PIP, computer.home / weak, "global.index-url", computer.around)
    assert why.params["other"] == str(computer.home / strong)


def test_what_outdoes_pips_own_file(computer: Computer) -> None:
    own = computer.write(PIP, f"[global]\nindex-url = {A}\n")
    assert effective_pip(computer) == A
    assert overridden(Tool.PIP, own, "global.index-url", computer.around) == ()

    legacy = computer.write(LEGACY, f"[install]\nindex-url = {B}\n")
    assert effective_pip(computer) == B
    (why,) = overridden(Tool.PIP, own, "global.index-url", computer.around)
    assert (why.key, why.params["other"]) == ("settings-file.outdone.file", str(legacy))
    legacy.unlink()

    for variable in ("PIP_INDEX_URL", "PIP_PYPI_URL"):
        computer.environ[variable] = B
        assert effective_pip(computer) == B
        (why,) = overridden(Tool.PIP, own, "global.index-url", computer.around)
        assert (why.key, why.params["variable"]) == ("settings-file.outdone.variable", variable)
        del computer.environ[variable]

    computer.environ["PIP_CONFIG_FILE"] = str(computer.write("lab.conf", "[global]\ntimeout = 3\n"))
    assert effective_pip(computer) is None
    (why,) = overridden(Tool.PIP, own, "global.index-url", computer.around)
    assert (why.key, why.params["variable"]) == ("settings-file.outdone.not-read", "PIP_CONFIG_FILE")
    assert all(text(why, language) for language in LANGUAGES)


def effective_uv(computer: Computer) -> str | None:
    is_known, url = parse_uv_settings(computer.uv("--show-settings", "pip", "compile", "-"))
    assert is_known, "uv says its settings in another form now"
    return url


def test_what_outdoes_uvs_own_file(computer: Computer) -> None:
    own = computer.write(UV, f"[[index]]\nurl = '{A}'\ndefault = true\n")
    machine = computer.write(f"{MACHINE.partition('/')[0]}/uv/uv.toml", f"[[index]]\nurl = '{B}'\ndefault = true\n")
    assert effective_uv(computer) == A
    assert own_file(Tool.UV, computer.around) == own
    assert places(Tool.UV, computer.around)[-2:] == [str(machine), str(own)]
    assert overridden(Tool.UV, own, "index", computer.around) == ()
    for variable in ("UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        computer.environ[variable] = B
        assert effective_uv(computer) == B
        (why,) = overridden(Tool.UV, own, "index", computer.around)
        assert (why.key, why.params["variable"]) == ("settings-file.outdone.variable", variable)
        del computer.environ[variable]
    named = computer.write("lab.toml", "")
    for variable, value in (("UV_CONFIG_FILE", str(named)), ("UV_NO_CONFIG", "1")):
        computer.environ[variable] = value
        assert effective_uv(computer) is None
        (why,) = overridden(Tool.UV, own, "index", computer.around)
        assert (why.key, why.params["variable"]) == ("settings-file.outdone.not-read", variable)
        del computer.environ[variable]


def test_a_byte_order_mark_blinds_pip_and_not_uv(computer: Computer) -> None:
    """Why we refuse the one and edit the other."""
    computer.write(PIP, b"\xef\xbb\xbf[global]\nindex-url = " + A.encode())
    computer.write(UV, b"\xef\xbb\xbfindex-url = '" + A.encode() + b"'")
    assert "could not be loaded" in computer.pip("config", "list")
    assert effective_uv(computer) == A


# --- the rows


@linux
def test_folders_of_xdg_are_read_in_pips_order(computer: Computer) -> None:
    """pip lets the last of XDG_CONFIG_DIRS win, against the XDG specification; its own answer decides."""
    computer.write("one/pip/pip.conf", f"[global]\nindex-url = {A}\n")
    computer.write("two/pip/pip.conf", f"[global]\nindex-url = {B}\n")
    computer.environ["XDG_CONFIG_DIRS"] = f"{computer.home / 'one'}:{computer.home / 'two'}"
    debugged = re.findall(r"(\S+pip\.conf), exists: True", computer.pip("config", "debug"))
    ours = [str(file.path) for file in settings_files(Tool.PIP, computer.around) if file.path.is_file()]
    told = [path for path in ours if path.startswith(str(computer.home))]
    assert [path for path in debugged if path.startswith(str(computer.home))] == told
    settings = read_user_settings(computer.environ, computer.home, "linux", Path("/"))
    assert [path for path in settings.files if path.startswith(str(computer.home))] == told
    assert settings.index_url == B
    assert effective_pip(computer) == B


WINDOWS = UserContext(
    {"APPDATA": "C:\\Users\\李\\AppData\\Roaming", "PROGRAMDATA": "C:\\ProgramData", "VIRTUAL_ENV": "D:\\v"},
    Path("C:/Users/李"),
    "windows",
)


def on_windows(tool: Tool, around: UserContext = WINDOWS) -> list[PureWindowsPath]:
    return [PureWindowsPath(path) for path in places(tool, around)]


def windows(path: Path) -> PureWindowsPath:
    return PureWindowsPath(str(path))


def test_windows() -> None:
    assert on_windows(Tool.PIP) == [
        PureWindowsPath("C:/ProgramData/pip/pip.ini"),
        PureWindowsPath("C:/Users/李/pip/pip.ini"),
        PureWindowsPath("C:/Users/李/AppData/Roaming/pip/pip.ini"),
        PureWindowsPath("D:/v/pip.ini"),
    ]
    assert windows(own_file(Tool.PIP, WINDOWS)) == PureWindowsPath("C:/Users/李/AppData/Roaming/pip/pip.ini")
    assert windows(own_file(Tool.UV, WINDOWS)) == PureWindowsPath("C:/Users/李/AppData/Roaming/uv/uv.toml")
    assert windows(own_file(Tool.CONDA, WINDOWS)) == PureWindowsPath("C:/Users/李/.condarc")
    assert on_windows(Tool.CONDA)[:2] == [
        PureWindowsPath("C:/ProgramData/conda/.condarc"),
        PureWindowsPath("C:/ProgramData/conda/condarc"),
    ]
    none = UserContext({"PIP_CONFIG_FILE": "NUL"}, Path("C:/Users/李"), "windows")
    assert on_windows(Tool.PIP, none) == []
    bare = UserContext({}, Path("C:/Users/李"), "windows")
    assert windows(own_file(Tool.PIP, bare)) == PureWindowsPath("C:/Users/李/AppData/Roaming/pip/pip.ini")


def test_conda_users_keep_their_file_where_it_is(computer: Computer) -> None:
    around = computer.around
    assert own_file(Tool.CONDA, around) == computer.home / ".condarc"
    elsewhere = computer.write(".config/conda/.condarc", "channels: [a]\n")
    assert own_file(Tool.CONDA, around) == elsewhere
    stronger = computer.write(".conda/condarc", "")
    assert own_file(Tool.CONDA, around) == stronger
    computer.write(".condarc", "")
    assert own_file(Tool.CONDA, around) == computer.home / ".condarc"


def test_what_outdoes_condas_own_file(computer: Computer) -> None:
    key = "custom_channels.conda-forge"
    own = computer.write(".condarc", "custom_channels: {conda-forge: https://a.example}\n")
    assert overridden(Tool.CONDA, own, key, computer.around) == ()
    computer.environ["CONDARC"] = str(
        computer.write("lab/.condarc", "custom_channels: {conda-forge: https://b.example}\n")
    )
    (why,) = overridden(Tool.CONDA, own, key, computer.around)
    assert why.params["other"] == computer.environ["CONDARC"]
    computer.environ["CONDA_CHANNELS"] = "x"
    assert [why.key for why in overridden(Tool.CONDA, own, "channels", computer.around)] == [
        "settings-file.outdone.variable"
    ]


def test_every_row_is_whole() -> None:
    files, variables = settings_table().file, settings_table().variable
    assert {row.tool for row in files} == {row.tool for row in variables} == {tool.value for tool in Tool}
    for tool in Tool:
        for os_name in ("linux", "windows"):
            assert len([row for row in files if (row.tool, row.os, row.write) == (tool.value, os_name, "new")]) == 1
    document = (paths.matrices_dir() / "settings_files.toml").read_text(encoding="utf-8")
    assert all(f"[source.{tool.value}]" in document for tool in Tool)
