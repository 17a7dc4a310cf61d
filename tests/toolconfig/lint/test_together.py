"""Several findings at once, and any content at all: repairs do not undo each other, nothing raises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolconfig.lint.asking import CALM, CONDA, PIP, UV, codes, findings, mended, only
from tests.toolconfig.test_settings import Computer
from wizard.model.messages import LANGUAGES, text
from wizard.toolconfig.edit import propose
from wizard.toolconfig.lint.lint import edits_of


def test_two_repairs_of_one_list_do_not_undo_each_other(computer: Computer) -> None:
    computer.write(
        PIP,
        "[global]\nextra-index-url = https://pypi.douban.com/simple http://mirrors.aliyun.com/pypi/simple/"
        " https://download.pytorch.org/whl/cu118 https://pypi.nvidia.com\n",
    )
    assert sorted(codes(computer)) == ["dead-mirror", "plain-http", "torch-index-other"]
    after = mended(computer)
    assert after.split()[3:] == ["https://mirrors.aliyun.com/pypi/simple/", "https://pypi.nvidia.com"]


def test_two_repairs_of_one_value_do_both(computer: Computer) -> None:
    host = "mirrors.ustc.edu.cn/anaconda/cloud"
    computer.write(
        CONDA,
        f"channels:\n  - http://{host}/conda-forge/linux-64\ncustom_channels:\n"
        f"  bioconda: http://{host}/bioconda\ncustom_multichannels:\n  team:\n"
        f"    - http://{host}/conda-forge/win-64/\n",
    )
    assert sorted(set(codes(computer))) == ["channel-platform", "custom-channel-name", "plain-http"]
    assert mended(computer) == (
        f"channels:\n  - https://{host}/conda-forge\ncustom_channels:\n"
        f"  bioconda: https://{host}\ncustom_multichannels:\n  team:\n"
        f"    - https://{host}/conda-forge\n"
    )


def test_an_index_of_uvs_without_encryption(computer: Computer) -> None:
    computer.write(UV, '[[index]]\nurl = "http://mirrors.aliyun.com/pypi/simple/"\ndefault = true\n')
    assert only(computer, "plain-http").severity == "warning"
    assert 'url = "https://mirrors.aliyun.com' in mended(computer)
    computer.write(UV, '[[index]]\nurl = "http://mirrors.aliyun.com/pypi/simple/"\n')
    assert not only(computer, "plain-http").is_fixable


def _lines() -> Iterator[str]:
    urls = [
        "https://pypi.douban.com/simple",
        "http://mirrors.aliyun.com/pypi/simple/",
        "https://pypi.nvidia.com",
        "https://download.pytorch.org/whl/cu118",
        "https://mirrors.aliyun.com/pytorch-wheels/cu126/",
        "/srv/w",
        "https://x.example/s # c",
        "https://[",
        "",
    ]
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
