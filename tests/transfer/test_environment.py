"""One wish becomes the variables of every child; what a shell had set of the kind is gone."""

from __future__ import annotations

import sys

import pytest

from wizard.process import child_environment
from wizard.transfer.proxy.bypass import proxy_for
from wizard.transfer.proxy.environment import certificate_bundle, network_environment, with_plain_names, with_settings
from wizard.transfer.proxy.model import Mode, Network, SystemProxy

SYSTEM = SystemProxy(http="http://s:1", https="http://s:2", no_proxy=("mirror.example", "*"), origin="environment")
SHELL = {"HTTPS_PROXY": "http://shell:1", "all_proxy": "socks5h://shell:2", "No_Proxy": "x", "PATH": "/bin"}


def test_by_the_system() -> None:
    made = network_environment(Network(no_proxy=(".lab.example",)), SYSTEM, {})
    assert (made["HTTP_PROXY"], made["HTTPS_PROXY"]) == ("http://s:1", "http://s:2")
    assert "ALL_PROXY" not in made
    assert made["NO_PROXY"].split(",")[-3:] == [".lab.example", "mirror.example", "*"]
    assert made["UV_SYSTEM_CERTS"] == "true"


def test_one_proxy_for_all_keeps_the_hosts_that_are_known_to_be_inside() -> None:
    made = network_environment(Network(Mode.CUSTOM, "socks5h://p:1"), SYSTEM, {})
    assert {made[name] for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")} == {"socks5h://p:1"}
    assert proxy_for("https://mirror.example/x", made) is None
    assert proxy_for("https://a.example/x", made) == "socks5h://p:1"  # the shell's * is not for this proxy


def test_none_is_none() -> None:
    made = network_environment(Network(Mode.NONE), SYSTEM, {})
    assert {name.upper(): value for name, value in made.items() if "PROXY" in name.upper()} == {"NO_PROXY": "*"}
    child = child_environment(made, base=SHELL)
    assert {name.upper() for name in child if "PROXY" in name.upper()} == {"NO_PROXY"}
    assert child["PATH"] == "/bin"


def test_what_a_shell_had_set_is_gone_only_where_something_else_is_said() -> None:
    child = child_environment(network_environment(Network(Mode.CUSTOM, "http://p:1"), SystemProxy(), {}), base=SHELL)
    assert "shell" not in str(child)
    assert child_environment({}, base=SHELL)["HTTPS_PROXY"] == "http://shell:1"
    shell = {"SSL_CERT_DIR": "/shell", "REQUESTS_CA_BUNDLE": "/shell.pem"}
    assert child_environment({"SSL_CERT_FILE": "/ours.pem"}, base=shell).keys().isdisjoint(shell)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has one case")
def test_both_cases_say_the_same() -> None:
    made = network_environment(Network(Mode.CUSTOM, "http://p:1"), SystemProxy(), {})
    assert all(made[name] == made[name.upper()] for name in made if name.islower())
    assert sum(name.islower() for name in made) == 4


def test_certificates(tmp_path: object) -> None:
    made = network_environment(Network(certificate="/lab.pem"), SystemProxy(), {"SSL_CERT_FILE": "/shell.pem"})
    names = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "CONDA_SSL_VERIFY")
    assert {made[name] for name in names} == {"/lab.pem"}
    folder = network_environment(Network(certificate=str(tmp_path)), SystemProxy(), {})
    assert (folder["SSL_CERT_DIR"], "SSL_CERT_FILE" in folder) == (str(tmp_path), False)
    assert network_environment(Network(), SystemProxy(), {"SSL_CERT_FILE": "/s.pem"})["REQUESTS_CA_BUNDLE"] == "/s.pem"


def test_which_bundle_counts() -> None:
    environ = {"SSL_CERT_FILE": "c", "CURL_CA_BUNDLE": "", "REQUESTS_CA_BUNDLE": "b"}
    assert certificate_bundle("a", environ) == "a"
    assert certificate_bundle(None, environ) == "b"
    assert certificate_bundle(None, {"SSL_CERT_FILE": "c"}) == "c"
    assert certificate_bundle(None, {}) is None


def test_the_users_pip_settings_count_where_the_system_decides() -> None:
    assert with_settings(Network(), "h:1", "/pip.pem") == Network(Mode.CUSTOM, "http://h:1", (), "/pip.pem")
    asked = Network(Mode.NONE, certificate="/asked.pem")
    assert with_settings(asked, "h:1", "/pip.pem") == asked
    assert with_settings(Network(), "no proxy at all", None) == Network()


def test_plain_names_are_put_in_by_name() -> None:
    environment = {"NO_PROXY": "localhost,<local>", "HTTPS_PROXY": "http://p:1"}
    made = with_plain_names(environment, ["https://labserver/simple", "https://a.example/x", None, "https://10.1.1.1/"])
    assert made == {"NO_PROXY": "localhost,<local>,labserver", "HTTPS_PROXY": "http://p:1"}
    assert with_plain_names({"NO_PROXY": "localhost"}, ["https://labserver/"]) == {"NO_PROXY": "localhost"}
