"""The registry through the same calls as on Windows, answered from exports (composed: tests/data/windows/README.md)."""

from __future__ import annotations

import sys

import pytest

from tests.windows.fake_windows import exported
from wizard.environment.disk import long_paths_are_on
from wizard.machine.host import condas, interpreters
from wizard.machine.host.operating_system import in_registry
from wizard.process.running import code_page_of
from wizard.sources.benchmark_policy import benchmark_policy, region_of, windows_zone
from wizard.system import facts
from wizard.system.windows.registry import MACHINE, USER, Registry, registry
from wizard.transfer.proxy.system import read_internet_settings

PYTHONS, SETTINGS = exported("pythons.reg"), exported("settings.reg")
NOTHING = Registry(None)


def test_values_of_every_kind() -> None:
    key = r"Software\Microsoft\Windows\CurrentVersion\Internet Settings"
    values = SETTINGS.values(USER, key)
    assert values["ProxyEnable"] == 1
    assert values["ProxyServer"] == "proxy.lab.example:3128"
    assert values["ZonesSecurityUpgrade"] == bytes((0xD2, 9, 0, 0, 0, 0, 0, 0))
    assert SETTINGS.values(USER, key.upper()) == values, "the registry does not mind capitals"
    assert SETTINGS.values(MACHINE, key) == {}


def test_installed_pythons_the_users_own_first() -> None:
    assert PYTHONS.children(USER, r"Software\Python\PythonCore") == ("3.12", "3.14t")
    assert PYTHONS.install_folders("PythonCore") == (
        "C:\\Users\\小明\\AppData\\Local\\Programs\\Python\\Python312\\",
        "C:\\Program Files\\Python311\\",
    )
    assert PYTHONS.install_folders("ContinuumAnalytics") == ("C:\\Users\\小明\\miniforge3",)
    assert PYTHONS.install_folders("Nobody") == ()


def test_the_readers_of_the_machine_take_it_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (condas, interpreters):
        monkeypatch.setattr(module, "registry", lambda: PYTHONS)
    assert condas.registry_roots() == ("C:\\Users\\小明\\miniforge3",)
    found = interpreters.registry_paths()
    assert [path.endswith("python.exe") and "Python31" in path for path in found] == [True, True]


def test_the_proxy_of_the_settings() -> None:
    found = read_internet_settings(SETTINGS)
    assert (found.https, found.origin) == ("http://proxy.lab.example:3128", "windows")
    assert "*.lab.example" in "".join(map(str, found.no_proxy)) or found.no_proxy
    assert read_internet_settings(NOTHING).https is None


def test_the_number_that_windows_gave_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    class Told(Registry):
        def values(self, hive: str, key: str) -> dict[str, object]:
            assert (hive, key) == (MACHINE, r"SOFTWARE\Microsoft\Cryptography")
            return {"MachineGuid": "d7b5c1f0-0000-4000-8000-1a2b3c4d5e6f"}

    monkeypatch.setattr(facts, "registry", lambda: Told(None))
    assert facts.own_marks()[1] == "d7b5c1f0-0000-4000-8000-1a2b3c4d5e6f"


def test_the_time_zone_is_chinas() -> None:
    assert windows_zone(SETTINGS) == "China Standard Time"
    assert region_of("", windows_zone(SETTINGS), benchmark_policy()) == "cn"
    assert windows_zone(NOTHING) == ""


def test_the_code_page_of_the_systems_programs() -> None:
    assert code_page_of(SETTINGS) == "gbk"
    assert "活动路由".encode("cp936").decode(code_page_of(SETTINGS)) == "活动路由"
    assert code_page_of(NOTHING) == ""


def test_a_restart_that_windows_waits_for() -> None:
    assert str(in_registry(SETTINGS)).endswith("RebootRequired")
    assert in_registry(NOTHING) is None


def test_long_paths() -> None:
    assert long_paths_are_on(SETTINGS)
    assert not long_paths_are_on(NOTHING)


def test_the_real_registry_has_the_same_calls() -> None:
    """On Windows through `winreg` itself; elsewhere there is nothing in it."""
    values = registry().values(MACHINE, r"SOFTWARE\Microsoft\Windows NT\CurrentVersion")
    if sys.platform == "win32":
        assert "CurrentBuildNumber" in values
        assert registry().children(USER, "Software")
    else:
        assert values == {}
        assert registry().children(USER, "Software") == ()
    assert registry().values(USER, r"No\Such\Key") == {}
