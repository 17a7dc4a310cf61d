"""Each rule on files and options: what cannot be read, contradicts itself, or leads elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.toolconfig.lint.asking import CARD, CONDA, PIP, UV, codes, mended, only
from tests.toolconfig.test_settings import Computer
from wizard.model.messages import catalogue, text
from wizard.sources.address_facts import address_facts


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
        ("PIP_TARGET", "/x", "elsewhere"),
        ("PIP_USER", "yes", "elsewhere"),
        ("PIP_PREFIX", "/x", "elsewhere"),
        ("PIP_NO_INDEX", "1", "no-index"),
        ("PIP_REQUIRE_VIRTUALENV", "true", "environments-only"),
        ("PIP_NO_DEPS", "1", "no-dependencies"),
        ("PIP_PRE", "1", "unfinished"),
        ("PIP_DRY_RUN", "1", "nothing-done"),
        ("UV_INDEX_STRATEGY", "unsafe-best-match", "any-index-wins"),
        ("UV_OFFLINE", "true", "no-index"),
        ("UV_EXTRA_INDEX_URL", "https://pypi.nvidia.com", "old-name"),
        ("UV_SYSTEM_PYTHON", "1", "elsewhere"),
        ("CONDA_SUBDIR", "osx-64", "other-computer"),
        ("CONDA_OVERRIDE_CUDA", "11.8", "pretended-cuda"),
    ],
)
def test_variables(computer: Computer, name: str, value: str, code: str) -> None:
    computer.environ[name] = value
    found = only(computer, code)
    assert (found.place, found.line, found.is_fixable) == (name, None, False)
    assert name in text(found.fix, "en")


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
