"""Each rule on addresses and indexes finds what it is there for, and mends it where that is certain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.toolconfig.lint.asking import CARD, CONDA, PIP, UV, codes, findings, mended, only
from tests.toolconfig.test_settings import Computer
from wizard.model.messages import text
from wizard.sources.read import default_index_url
from wizard.sources.table import mirror_rows
from wizard.toolconfig.lint.lint import edits_of
from wizard.toolconfig.lint.rules_addresses import is_known_host

LIVING = "https://mirrors.tuna.tsinghua.edu.cn/pypi/web/simple"  # the first of the table


@pytest.mark.parametrize(
    ("path", "content", "severity", "after"),
    [
        (PIP, "[global]\nindex-url = https://pypi.douban.com/simple\n", "error", f"[global]\nindex-url = {LIVING}\n"),
        (PIP, "[install]\nindex_url=http://pypi.hustunique.com/\n", "error", f"[install]\nindex_url={LIVING}\n"),
        (
            PIP,
            "[global]\nextra-index-url =\n    https://pypi.nvidia.com\n    https://pypi.doubanio.com/simple\n",
            "error",
            "[global]\nextra-index-url =https://pypi.nvidia.com\n",
        ),
        (PIP, "[global]\nfind-links = https://download.pytorch.org/whl/torch_stable.html\n", "warning", "[global]\n"),
        (
            PIP,
            "[global]\nindex-url = https://mirror.sjtu.edu.cn/pypi-packages\n",
            "warning",
            "[global]\nindex-url = https://mirror.sjtu.edu.cn/pypi/web/simple\n",
        ),
        (PIP, "[global]\nfind-links = https://mirrors.tuna.tsinghua.edu.cn/pytorch/whl/cu121\n", "error", "[global]\n"),
        (
            PIP,
            "[global]\nextra-index-url = https://mirror.nju.edu.cn/pytorch-wheels/cu126\n",
            "warning",
            "[global]\nextra-index-url = https://mirror.nju.edu.cn/pytorch/whl/cu126\n",
        ),
        (
            UV,
            '[[index]]\nurl = "https://pypi.douban.com/simple"\ndefault = true\n',
            "error",
            f'[[index]]\nurl = "{LIVING}"\ndefault = true\n',
        ),
        (
            PIP,
            "[global]\nfind-links = https://mirrors.tuna.tsinghua.edu.cn/pytorch/whl/cu126\n",
            "error",
            "[global]\nfind-links = https://mirrors.aliyun.com/pytorch-wheels/cu126/\n",
        ),
        (
            PIP,
            "[global]\nextra-index-url = https://mirrors.bfsu.edu.cn/pytorch/whl/cu126\n",
            "error",
            "[global]\nextra-index-url = https://mirror.sjtu.edu.cn/pytorch-wheels/cu126\n",
        ),
        (
            UV,
            'extra-index-url = ["https://pypi.douban.com/simple", "https://pypi.nvidia.com"]\n',
            "error",
            'extra-index-url = ["https://pypi.nvidia.com"]\n',
        ),
    ],
)
def test_dead_mirrors(computer: Computer, path: str, content: str, severity: str, after: str) -> None:
    computer.write(path, content)
    found = only(computer, "dead-mirror")
    assert (found.severity, found.touches) == (severity, True)
    assert mended(computer).replace("= ", "=") == after.replace("= ", "=")


def test_plain_http_of_a_known_place_gets_its_s(computer: Computer) -> None:
    computer.write(PIP, "[global]\nindex-url = http://mirrors.aliyun.com/pypi/simple/\n")
    found = only(computer, "plain-http")
    assert (found.severity, found.line, found.touches) == ("error", 2, True)
    assert mended(computer) == "[global]\nindex-url = https://mirrors.aliyun.com/pypi/simple/\n"


@pytest.mark.parametrize("place", ["official", "another name of a mirror"])
def test_plain_http_of_a_place_that_only_the_tables_know_gets_its_s(place: str, computer: Computer) -> None:
    other = next(row.hosts[0] for row in mirror_rows() if row.id == "tuna" and row.hosts)
    safe = default_index_url() if place == "official" else f"https://{other}/simple"
    computer.write(PIP, f"[global]\nindex-url = {safe.replace('https:', 'http:')}\n")
    found = only(computer, "plain-http")
    assert found.is_fixable
    assert text(found.fix, "en") == "Use the https address of the same place."
    assert mended(computer) == f"[global]\nindex-url = {safe}\n"


@pytest.mark.parametrize("host", ["lab.example", "[::1", "a]b", ""])
def test_what_is_no_host_of_the_tables_is_not_known(host: str) -> None:
    assert not is_known_host(host)


def test_plain_http_of_a_lab_is_not_guessed_at(computer: Computer) -> None:
    computer.write(PIP, "[global]\nindex-url = http://me:secret@lab.example:8080/simple\ntrusted-host = lab.example\n")
    found = {finding.code: finding for finding in findings(computer)}
    assert set(found) == {"plain-http", "trusted-host"}
    assert [finding.severity for finding in found.values()] == ["warning", "warning"]  # with it, pip does work
    assert edits_of(found.values()) == ()
    assert "secret" not in str(
        [(one.value, text(one.cause), text(one.fix), text(one.effect)) for one in found.values()]
    )


def test_trusted_host_on_https(computer: Computer) -> None:
    computer.write(
        PIP,
        "[global]\nindex-url = https://mirrors.aliyun.com/pypi/simple/\n"
        "trusted-host =\n  mirrors.aliyun.com\n  127.0.0.1\n",
    )
    found = only(computer, "trusted-host")
    assert (found.severity, found.line, found.value) == ("error", 4, "mirrors.aliyun.com")
    assert "127.0.0.1" in mended(computer)


def test_a_dead_mirror_takes_its_trust_along(computer: Computer) -> None:
    computer.write(PIP, "[global]\nindex-url = http://pypi.douban.com/simple/\ntrusted-host = pypi.douban.com\n")
    assert codes(computer) == ["dead-mirror", "trusted-host"]
    assert mended(computer) == f"[global]\nindex-url = {LIVING}\n"


def test_insecure_hosts_of_uv(computer: Computer) -> None:
    computer.write(UV, 'allow-insecure-host = ["mirrors.ustc.edu.cn"]\n')
    assert only(computer, "trusted-host").severity == "error"
    computer.write(UV, "")
    computer.environ["UV_INSECURE_HOST"] = "https://mirrors.ustc.edu.cn"
    assert not only(computer, "trusted-host").is_fixable  # a variable is for the user to unset


def test_of_a_variable_it_is_said_first_whether_this_setup_needs_it(computer: Computer) -> None:
    computer.write(UV, "")
    computer.environ["PIP_INDEX_URL"] = "https://pypi.douban.com/simple"
    finding = only(computer, "dead-mirror")
    passed = text(finding.fix)
    assert text(finding.effect).startswith("Setup skips it and uses the next source")
    assert passed.startswith("To mend pip, delete the variable PIP_INDEX_URL")
    computer.environ["PIP_INDEX_URL"] = "https://download.pytorch.org/whl/cu126"
    stops = text(only(computer, "torch-index-as-index").fix)
    assert stops.startswith("Delete the variable PIP_INDEX_URL")
    assert all("~/.bashrc" in said and "new terminal" in said for said in (passed, stops))


def test_conda_without_certificates(computer: Computer) -> None:
    computer.write(CONDA, "channels: [conda-forge]\nssl_verify: false  # proxy\n")
    found = only(computer, "tls-off")
    assert (found.severity, found.line) == ("error", 2)
    assert mended(computer) == "channels: [conda-forge]\n"
    computer.environ["CONDA_SSL_VERIFY"] = "no"
    assert only(computer, "tls-off").place == "CONDA_SSL_VERIFY"


def test_a_certificate_that_is_not_there(computer: Computer) -> None:
    computer.write(PIP, "[global]\ncert = /gone/ca.pem\n")
    assert only(computer, "certificate-missing").touches
    computer.write(PIP, f"[global]\ncert = {computer.write('ca.pem', 'x')}\n")
    assert codes(computer) == []
    computer.write(CONDA, "ssl_verify: /gone/ca.pem\n")
    assert not only(computer, "certificate-missing").touches  # setup goes by the system's own store


def test_a_torch_index_as_the_index_for_everything(computer: Computer) -> None:
    computer.write(PIP, "[global]\nindex-url = https://download.pytorch.org/whl/cu118\n")
    found = only(computer, "torch-index-as-index")
    assert (found.severity, found.touches) == ("error", True)
    assert "2.14.1+cu126" in text(found.effect, "en")
    assert mended(computer) == "[global]\n"


def test_an_old_torch_index_that_stayed(computer: Computer) -> None:
    computer.write(PIP, "[global]\nextra-index-url = https://download.pytorch.org/whl/cu118\n")
    found = only(computer, "torch-index-other")
    assert "no new release" in text(found.cause, "en")
    computer.write(PIP, "[global]\nextra-index-url = https://mirror.sjtu.edu.cn/pytorch-wheels/cu130\n")
    found = only(computer, "torch-index-other")
    assert "no new release" not in text(found.cause, "en")
    assert "2.14.1+cu126" in text(found.effect, "en")
    assert codes(computer, replace(CARD, variant="cu130")) == []
    assert mended(computer) == "[global]\n"


def test_a_listing_is_no_index(computer: Computer) -> None:
    url = "https://mirrors.aliyun.com/pytorch-wheels/cu126/"
    computer.write(PIP, f"[global]\nindex-url = {url}\n")
    assert only(computer, "flat-as-index").severity == "error"
    assert mended(computer) == f"[global]\nfind-links = {url}\n"
    computer.write(PIP, f"[global]\nfind-links = /srv/wheels\nextra-index-url = {url}\n")
    assert only(computer, "flat-as-index").severity == "warning"
    assert mended(computer).split() == ["[global]", "find-links", "=", "/srv/wheels", url]


@pytest.mark.parametrize(
    "content",
    [
        "[global]\nextra-index-url = https://lab.example/simple\n",
        "[global]\nindex-url = https://lab.example/simple\nextra-index-url = https://mirrors.ustc.edu.cn/pypi/simple\n",
        "[install]\nindex-url = https://pypi.tuna.tsinghua.edu.cn/simple\nextra-index-url = https://lab.example/s\n",
    ],
)
def test_a_private_index_beside_a_public_one(computer: Computer, content: str) -> None:
    computer.write(PIP, content)
    found = only(computer, "foreign-index")
    assert (found.severity, found.is_fixable) == ("warning", False)


def test_uv_keeps_indexes_apart_unless_told_otherwise(computer: Computer) -> None:
    computer.write(UV, 'index-strategy = "unsafe-best-match"\n[[index]]\nurl = "https://lab.example/simple"\n')
    assert sorted(codes(computer)) == ["any-index-wins", "foreign-index"]
    found = next(one for one in findings(computer) if one.code == "foreign-index")
    assert "uv takes the highest version" in text(found.cause, "en")
    assert "index-strategy" in text(found.fix, "en")
    computer.write(UV, '[pip]\nindex-strategy = "unsafe-first-match"\n')  # the indexes may stand in a variable
    assert codes(computer) == ["any-index-wins"]
    computer.write(UV, 'index-strategy = "first-index"\n[[index]]\nurl = "https://lab.example/simple"\n')
    assert codes(computer) == []
