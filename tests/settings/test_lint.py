"""Each rule of the lint finds what it is there for, says it in both languages, and is silent on sound settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.mirrors.test_settings import Computer
from wizard.i18n import LANGUAGES, catalogue, text
from wizard.mirrors.address_facts import address_facts
from wizard.settings.apply import propose
from wizard.settings.finding import Finding, Situation
from wizard.settings.lint import edits_of, lint
from wizard.settings.options import read_own_settings

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PIP, UV, CONDA = "home/me/.config/pip/pip.conf", "home/me/.config/uv/uv.toml", "home/me/.condarc"
CARD = Situation("linux", "NVIDIA GeForce RTX 4090", "2.14.1", "cu126", "3.12", ("cpu", "cu126", "cu130", "cu132"))
NO_CARD = replace(CARD, gpu=None, variant="cpu")


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)


def findings(computer: Computer, situation: Situation = CARD) -> tuple[Finding, ...]:
    own = read_own_settings(computer.environ, computer.home, "linux", computer.root, encoding="utf-8")
    return lint(own, situation)


def codes(computer: Computer, situation: Situation = CARD) -> list[str]:
    return [finding.code for finding in findings(computer, situation)]


def only(computer: Computer, code: str, situation: Situation = CARD) -> Finding:
    (found,) = findings(computer, situation)
    assert found.code == code
    for language in LANGUAGES:
        assert all(text(said, language) for said in (found.cause, found.fix, found.effect))
    return found


def mended(computer: Computer, situation: Situation = CARD) -> str:
    """The file as it would be, after which the lint has nothing more to say."""
    (diff,) = propose(edits_of(findings(computer, situation)))
    diff.path.write_bytes(diff.after)
    assert [finding for finding in findings(computer, situation) if finding.is_fixable] == []
    return diff.after.decode()


# --- sound settings: what operators and makers document themselves

TUNA_CONDA = """channels:
  - defaults
show_channel_urls: true
default_channels:
  - https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/main
  - https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/r
  - https://mirrors.tuna.tsinghua.edu.cn/anaconda/pkgs/msys2
custom_channels:
  conda-forge: https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud
  pytorch: https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud
"""
SOUND = {
    "tuna pip": (PIP, "[global]\nindex-url = https://pypi.tuna.tsinghua.edu.cn/simple\n"),
    "tuna and bfsu": (PIP, "[global]\nindex-url = https://mirrors.tuna.tsinghua.edu.cn/pypi/web/simple\n"
                      "extra-index-url = https://mirrors.bfsu.edu.cn/pypi/web/simple\n"),
    "a comment of its own": (PIP, "# mirror; of the campus\n[global]\n; note\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple\n"),  # noqa: E501
    "nvidia": (PIP, "[global]\nextra-index-url = https://pypi.nvidia.com\n"),
    "one private index": (PIP, "[global]\nindex-url = https://me:token@lab.example/simple\n"),
    "two of one lab": (PIP, "[global]\nindex-url=https://a.lab.example/simple\nextra-index-url=https://b.lab.example/s\n"),
    "a closed lab": (PIP, "[global]\nno-index = true\nfind-links = /srv/wheels\n"),
    "the wanted variant": (PIP, "[global]\nextra-index-url = https://download.pytorch.org/whl/cu126\n"),
    "habits": (PIP, "[global]\ntimeout = 60\ndisable-pip-version-check = true\n[install]\nuser = no\n"),
    "this computer": (PIP, "[global]\nindex-url = http://127.0.0.1:3141/root/pypi\ntrusted-host = 127.0.0.1\n"),
    "tuna uv": (UV, '[[index]]\nurl = "https://mirrors.tuna.tsinghua.edu.cn/pypi/web/simple/"\ndefault = true\n'),
    "explicit torch in uv": (UV, '[[index]]\nname = "pytorch"\nurl = "https://download.pytorch.org/whl/cu118"\nexplicit = true\n'),  # noqa: E501
    "private beside public in uv": (UV, '[[index]]\nurl = "https://lab.example/simple"\n'),  # first index wins
    "aliyun flat in uv": (UV, '[[index]]\nurl = "https://mirrors.aliyun.com/pytorch-wheels/cu126/"\nformat = "flat"\n'),
    "tuna conda": (CONDA, TUNA_CONDA),
    "bfsu conda": (CONDA, TUNA_CONDA.replace("tuna.tsinghua", "bfsu")),
    "miniforge": (CONDA, "channels:\n  - conda-forge\n"),
    "bioconda": (CONDA, "channels:\n  - conda-forge\n  - bioconda\nchannel_priority: strict\n"),
    "nvidia conda": (CONDA, "channels: [nvidia, conda-forge]\ncustom_channels:\n"
                     "  nvidia: https://mirrors.sustech.edu.cn/anaconda-extra/cloud\n"),
    "pytorch below": (CONDA, "channels: [conda-forge, pytorch]\nchannel_priority: strict\n"),
    "ustc mamba": ("home/me/.mambarc", "channels: [conda-forge, nodefaults]\nmirrored_channels:\n"
                   "  conda-forge: [https://mirrors.ustc.edu.cn/anaconda/cloud/conda-forge]\n"),
    "a certificate": (CONDA, "channels: [conda-forge]\nssl_verify: truststore\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_no_false_alarm(computer: Computer, name: str) -> None:
    path, content = SOUND[name]
    computer.write(path, content)
    assert findings(computer) == ()
    assert codes(computer, Situation("linux")) == [], "when nothing is known about the computer"


def test_all_sound_habits_together(computer: Computer) -> None:
    computer.write(PIP, SOUND["tuna pip"][1])
    computer.write(UV, SOUND["tuna uv"][1])
    computer.write(CONDA, TUNA_CONDA)
    computer.environ.update(PIP_INDEX_URL="https://pypi.tuna.tsinghua.edu.cn/simple/", PIP_NO_CACHE_DIR="1",
                            UV_DEFAULT_INDEX="https://mirrors.ustc.edu.cn/pypi/simple", CONDA_PREFIX="/opt/conda",
                            CONDA_SHLVL="1", CONDA_EXE="/opt/conda/bin/conda", UV_CACHE_DIR="/tmp/uv")  # fmt: skip
    assert codes(computer) == []


# --- addresses


@pytest.mark.parametrize(
    ("path", "content", "severity", "after"),
    [
        (PIP, "[global]\nindex-url = https://pypi.douban.com/simple\n", "error", "[global]\n"),
        (PIP, "[install]\nindex_url=http://pypi.hustunique.com/\n", "error", "[install]\n"),
        (PIP, "[global]\nextra-index-url =\n    https://pypi.nvidia.com\n    https://pypi.doubanio.com/simple\n",
         "error", "[global]\nextra-index-url =https://pypi.nvidia.com\n"),
        (PIP, "[global]\nfind-links = https://download.pytorch.org/whl/torch_stable.html\n", "warning", "[global]\n"),
        (PIP, "[global]\nindex-url = https://mirror.sjtu.edu.cn/pypi-packages\n", "warning",
         "[global]\nindex-url = https://mirror.sjtu.edu.cn/pypi/web/simple\n"),
        (PIP, "[global]\nfind-links = https://mirrors.tuna.tsinghua.edu.cn/pytorch/whl/cu121\n", "error", "[global]\n"),
        (PIP, "[global]\nextra-index-url = https://mirror.nju.edu.cn/pytorch-wheels/cu126\n", "warning",
         "[global]\nextra-index-url = https://mirror.nju.edu.cn/pytorch/whl/cu126\n"),
        (UV, '[[index]]\nurl = "https://pypi.douban.com/simple"\ndefault = true\n', "error", ""),
        (UV, 'extra-index-url = ["https://pypi.douban.com/simple", "https://pypi.nvidia.com"]\n', "error",
         'extra-index-url = ["https://pypi.nvidia.com"]\n'),
    ],
)  # fmt: skip
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
    computer.write(PIP, "[global]\nindex-url = https://mirrors.aliyun.com/pypi/simple/\n"
                        "trusted-host =\n  mirrors.aliyun.com\n  127.0.0.1\n")  # fmt: skip
    found = only(computer, "trusted-host")
    assert (found.severity, found.line, found.value) == ("error", 4, "mirrors.aliyun.com")
    assert "127.0.0.1" in mended(computer)


def test_a_dead_mirror_takes_its_trust_along(computer: Computer) -> None:
    computer.write(PIP, "[global]\nindex-url = http://pypi.douban.com/simple/\ntrusted-host = pypi.douban.com\n")
    assert codes(computer) == ["dead-mirror", "trusted-host"]
    assert mended(computer) == "[global]\n"


def test_insecure_hosts_of_uv(computer: Computer) -> None:
    computer.write(UV, 'allow-insecure-host = ["mirrors.ustc.edu.cn"]\n')
    assert only(computer, "trusted-host").severity == "error"
    computer.write(UV, "")
    computer.environ["UV_INSECURE_HOST"] = "https://mirrors.ustc.edu.cn"
    assert not only(computer, "trusted-host").is_fixable  # a variable is for the user to unset


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


# --- indexes


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
    assert codes(computer) == ["foreign-index"]


# --- conda


def test_defaults_above_conda_forge_is_the_cpu_build_on_a_card(computer: Computer) -> None:
    computer.write(CONDA, "channels:\n  - defaults  # first\n  - conda-forge\n  - lab\n")
    found = only(computer, "conda-cpu-order")
    assert (found.severity, found.line, found.touches) == ("warning", 2, False)
    assert "RTX 4090" in text(found.effect, "en")
    assert codes(computer, NO_CARD) == [], "without a card it is the right build"
    after = mended(computer)
    assert [line.split()[1] for line in after.splitlines()[1:]] == ["conda-forge", "lab", "defaults"]


def test_the_order_of_all_files_counts(computer: Computer) -> None:
    computer.write("etc/conda/.condarc", "channels: [conda-forge]\n")
    computer.write(CONDA, "channels: [defaults]\n")
    found = only(computer, "conda-cpu-order")
    assert not found.is_fixable  # no single file holds the order
    computer.write(CONDA, "channels: [conda-forge, defaults]\n")
    assert codes(computer) == []


def test_the_frozen_channel(computer: Computer) -> None:
    content = "channels:\n  - pytorch\n  - nvidia\n  - conda-forge\n"
    computer.write(CONDA, content)
    assert only(computer, "conda-frozen-pytorch").severity == "note"
    computer.write(CONDA, content + "channel_priority: strict\n")
    found = only(computer, "conda-frozen-pytorch")
    assert (found.severity, found.line) == ("warning", 2)
    assert "2.5" in text(found.cause, "zh_CN")
    assert "pytorch" not in mended(computer)


@pytest.mark.parametrize(("last", "severity"), [("win-64", "error"), ("linux-64", "warning"), ("noarch/", "warning")])
def test_a_platform_in_the_address(computer: Computer, last: str, severity: str) -> None:
    url = "https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud/conda-forge"
    computer.write(CONDA, f"channels:\n  - {url}/{last}\n")
    assert only(computer, "channel-platform").severity == severity
    assert mended(computer) == f"channels:\n  - {url}\n"


@pytest.mark.parametrize(
    "name", ["free", "https://mirrors.ustc.edu.cn/anaconda/pkgs/free/", "https://repo.anaconda.com/pkgs/free"]
)  # noqa: E501
def test_the_free_channel(computer: Computer, name: str) -> None:
    computer.write(CONDA, f"channels:\n  - conda-forge\n  - {name}\n")
    assert only(computer, "free-channel").line == 3
    assert mended(computer) == "channels:\n  - conda-forge\n"


def test_the_name_twice(computer: Computer) -> None:
    parent = "https://mirrors.bfsu.edu.cn/anaconda/cloud"
    computer.write(CONDA, f"channels: [conda-forge]\ncustom_channels:\n  conda-forge: {parent}/conda-forge\n")
    assert only(computer, "custom-channel-name").line == 3
    assert mended(computer).endswith(f"conda-forge: {parent}\n")


def test_mirrored_channels_in_condas_file(computer: Computer) -> None:
    computer.write(CONDA, "channels: [conda-forge]\nmirrored_channels:\n"
                          "  conda-forge: [https://mirrors.ustc.edu.cn/anaconda/cloud/conda-forge]\n")  # fmt: skip
    assert only(computer, "mirrored-channels").severity == "note"
    assert codes(computer, replace(CARD, condas=("micromamba",))) == []
    assert codes(computer, replace(CARD, condas=("conda", "mamba"))) == ["mirrored-channels"]


def test_values_that_stop_conda(computer: Computer) -> None:
    computer.write(CONDA, "channels: conda-forge\nchannel_priority: strickt\n")
    assert sorted(codes(computer)) == ["conda-bad-priority", "conda-no-list"]


# --- files and options


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        (PIP, b"\xef\xbb\xbf[global]\ntimeout = 3\n", "file-mark"),
        (PIP, "[global]\n# 镜像\ntimeout = 3\n".encode("gbk"), "file-encoding"),
        (PIP, b"index-url = https://x.example/\n", "file-syntax"),
        (PIP, b"[global]\na = 1\na = 2\n", "file-syntax"),
        (UV, b"index-url = https://x.example", "file-syntax"),
        (CONDA, b"channels: [\n", "file-syntax"),
        (CONDA, b"channels: [a]\nchannels: [b]\n", "file-syntax"),
    ],
)
def test_files_that_cannot_be_read(computer: Computer, path: str, content: bytes, code: str) -> None:
    computer.write(path, content)
    found = only(computer, code)
    assert (found.severity, found.place) == ("error", str(computer.root / path))


def test_comments_behind_values(computer: Computer) -> None:
    computer.write(PIP, "[global]\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple  # campus\n")
    assert only(computer, "inline-comment").line == 2
    assert mended(computer) == "[global]\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple\n"
    computer.write(PIP, "[global]\nextra-index-url = https://pypi.nvidia.com ; cuda libraries\n")
    assert only(computer, "inline-comment").severity == "error"
    assert mended(computer) == "[global]\nextra-index-url = https://pypi.nvidia.com\n"
    computer.write(PIP, "[global]\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple#frag\n")
    assert codes(computer) == []


def test_places_that_contradict_each_other(computer: Computer) -> None:
    computer.write("etc/pip.conf", "[global]\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple\n")
    computer.write(PIP, "[global]\nindex-url = https://pypi.tuna.tsinghua.edu.cn/simple\n")
    found = only(computer, "contradiction")
    assert (found.severity, found.place) == ("note", str(computer.root / "etc/pip.conf"))
    assert str(computer.root / PIP) in text(found.cause, "en")
    computer.write("etc/pip.conf", "[install]\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple\n")
    assert only(computer, "contradiction").place == str(computer.root / PIP)  # [install] beats [global]
    computer.environ["PIP_INDEX_URL"] = "https://mirrors.aliyun.com/pypi/simple/"
    assert "PIP_INDEX_URL" in text(only(computer, "contradiction").cause, "en")


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("PIP_TARGET", "/x", "elsewhere"), ("PIP_USER", "yes", "elsewhere"), ("PIP_PREFIX", "/x", "elsewhere"),
        ("PIP_NO_INDEX", "1", "no-index"), ("PIP_REQUIRE_VIRTUALENV", "true", "environments-only"),
        ("PIP_NO_DEPS", "1", "no-dependencies"), ("PIP_PRE", "1", "unfinished"), ("PIP_DRY_RUN", "1", "nothing-done"),
        ("UV_INDEX_STRATEGY", "unsafe-best-match", "any-index-wins"), ("UV_OFFLINE", "true", "no-index"),
        ("UV_EXTRA_INDEX_URL", "https://pypi.nvidia.com", "old-name"), ("UV_SYSTEM_PYTHON", "1", "elsewhere"),
        ("CONDA_SUBDIR", "osx-64", "other-computer"), ("CONDA_OVERRIDE_CUDA", "11.8", "pretended-cuda"),
    ],
)  # fmt: skip
def test_variables(computer: Computer, name: str, value: str, code: str) -> None:
    computer.environ[name] = value
    found = only(computer, code)
    assert (found.place, found.line, found.is_fixable) == (name, None, False)
    assert name in text(found.fix, "en")


@pytest.mark.parametrize(("name", "value"), [("PIP_USER", "no"), ("PIP_NO_BINARY", "lxml"), ("PIP_TARGET", ""),
                                             ("UV_INDEX_STRATEGY", "first-index"), ("PIP_PRE", "0")])  # fmt: skip
def test_variables_that_do_no_harm(computer: Computer, name: str, value: str) -> None:
    computer.environ[name] = value
    assert codes(computer) == []


def test_options_in_files_can_be_taken_out(computer: Computer) -> None:
    computer.write(PIP, "[global]\ntimeout = 9\n[install]\ntarget = /x\nuse-mirrors = true\n")
    assert sorted(codes(computer)) == ["elsewhere", "use-mirrors"]
    assert mended(computer) == "[global]\ntimeout = 9\n[install]\n"


def test_torch_in_the_users_own_site(computer: Computer) -> None:
    computer.write("home/me/.local/lib/python3.12/site-packages/torch-1.13.1+cu117.dist-info/METADATA", "x")
    found = only(computer, "user-site-torch")
    assert (found.severity, found.value) == ("warning", "1.13.1+cu117")
    assert only(computer, "user-site-torch", replace(CARD, python="3.11")).severity == "note"
    computer.environ["PYTHONUSERBASE"] = str(computer.root / "other")
    assert codes(computer) == []
    (computer.root / "other/lib/python3.12/site-packages/torchvision").mkdir(parents=True)
    assert codes(computer) == []


def test_every_row_of_the_table_has_words() -> None:
    known = catalogue("en")
    for row in address_facts().options:
        assert all(f"lint.{row.effect}.{word}" in known for word in ("cause", "fix", "effect")), row.effect
        assert row.severity in ("error", "warning", "note")
    assert all(f"lint.dead-mirror.cause-{row.status}" in known for row in address_facts().dead)


# --- several findings at once


def test_two_repairs_of_one_list_do_not_undo_each_other(computer: Computer) -> None:
    computer.write(PIP, "[global]\nextra-index-url = https://pypi.douban.com/simple http://mirrors.aliyun.com/pypi/simple/"
                        " https://download.pytorch.org/whl/cu118 https://pypi.nvidia.com\n")  # fmt: skip
    assert sorted(codes(computer)) == ["dead-mirror", "plain-http", "torch-index-other"]
    after = mended(computer)
    assert after.split()[3:] == ["https://mirrors.aliyun.com/pypi/simple/", "https://pypi.nvidia.com"]


def test_two_repairs_of_one_value_do_both(computer: Computer) -> None:
    host = "mirrors.ustc.edu.cn/anaconda/cloud"
    computer.write(CONDA, f"channels:\n  - http://{host}/conda-forge/linux-64\ncustom_channels:\n"
                          f"  bioconda: http://{host}/bioconda\ncustom_multichannels:\n  team:\n"
                          f"    - http://{host}/conda-forge/win-64/\n")  # fmt: skip
    assert sorted(set(codes(computer))) == ["channel-platform", "custom-channel-name", "plain-http"]
    assert mended(computer) == (f"channels:\n  - https://{host}/conda-forge\ncustom_channels:\n"
                                f"  bioconda: https://{host}\ncustom_multichannels:\n  team:\n"
                                f"    - https://{host}/conda-forge\n")  # fmt: skip


def test_an_index_of_uvs_without_encryption(computer: Computer) -> None:
    computer.write(UV, '[[index]]\nurl = "http://mirrors.aliyun.com/pypi/simple/"\ndefault = true\n')
    assert only(computer, "plain-http").severity == "warning"
    assert 'url = "https://mirrors.aliyun.com' in mended(computer)
    computer.write(UV, '[[index]]\nurl = "http://mirrors.aliyun.com/pypi/simple/"\n')
    assert not only(computer, "plain-http").is_fixable


def _lines() -> Iterator[str]:
    urls = ["https://pypi.douban.com/simple", "http://mirrors.aliyun.com/pypi/simple/", "https://pypi.nvidia.com",
            "https://download.pytorch.org/whl/cu118", "https://mirrors.aliyun.com/pytorch-wheels/cu126/", "/srv/w",
            "https://x.example/s # c", "https://[", ""]  # fmt: skip
    for key in ("index-url", "extra-index-url", "find-links", "trusted-host", "target", "user", "cert"):
        yield from (f"{key} = {url}" for url in urls)


@CALM
@given(st.lists(st.sampled_from(list(_lines())), max_size=6, unique_by=lambda line: line.split()[0]), st.booleans())
def test_mending_always_ends(tmp_path_factory: pytest.TempPathFactory, lines: list[str], is_variable: bool) -> None:
    """Whatever is set: what can be mended is mended at once, and nothing raises."""
    computer = Computer(tmp_path_factory.mktemp("computer"))
    computer.write(PIP, "[global]\n" + "\n".join(lines) + "\n")
    if is_variable:
        computer.environ["PIP_EXTRA_INDEX_URL"] = "https://lab.example/s"
    for _ in range(2):
        for diff in propose(edits_of(findings(computer))):
            diff.path.write_bytes(diff.after)
    assert [finding for finding in findings(computer) if finding.is_fixable] == []


@CALM
@given(st.binary(), st.sampled_from([PIP, UV, CONDA]))
def test_no_content_makes_it_fail(tmp_path_factory: pytest.TempPathFactory, content: bytes, path: str) -> None:
    computer = Computer(tmp_path_factory.mktemp("computer"))
    computer.write(path, content)
    for found in findings(computer):
        assert all(text(said, language) for said in (found.cause, found.fix, found.effect) for language in LANGUAGES)
