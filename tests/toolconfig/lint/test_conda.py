"""Each rule on conda's settings: the order of channels, their addresses, values that stop conda."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolconfig.lint.asking import CALM, CARD, CONDA, NO_CARD, codes, findings, mended, only
from tests.toolconfig.test_settings import Computer
from wizard.model.messages import text
from wizard.toolconfig.conda import all_addresses
from wizard.toolconfig.edit import propose
from wizard.toolconfig.lint.finding import LintContext
from wizard.toolconfig.lint.lint import edits_of
from wizard.toolconfig.settings import read_own_settings


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
)
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
    computer.write(
        CONDA,
        "channels: [conda-forge]\nmirrored_channels:\n"
        "  conda-forge: [https://mirrors.ustc.edu.cn/anaconda/cloud/conda-forge]\n",
    )
    assert only(computer, "mirrored-channels").severity == "note"
    assert codes(computer, replace(CARD, condas=("micromamba",))) == []
    assert codes(computer, replace(CARD, condas=("conda", "mamba"))) == ["mirrored-channels"]


def test_values_that_stop_conda(computer: Computer) -> None:
    computer.write(CONDA, "channels: conda-forge\nchannel_priority: strickt\n")
    assert sorted(codes(computer)) == ["conda-bad-priority", "conda-no-list"]


def after_mending(computer: Computer, content: str, situation: LintContext = CARD) -> list[str]:
    computer.write(CONDA, content)
    mended(computer, situation)
    return list(read_own_settings(computer.environ, computer.home, "linux", computer.root).conda.channels)


@pytest.mark.parametrize(
    ("channels", "after"),
    [
        ("pytorch, defaults", ["conda-forge", "defaults"]),
        ("defaults, pytorch", ["conda-forge", "defaults"]),
        ("pytorch, nvidia", ["conda-forge", "nvidia"]),
        ("pytorch, defaults, conda-forge", ["conda-forge", "defaults"]),
        ("pytorch, nvidia, conda-forge", ["nvidia", "conda-forge"]),
        (
            "https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud/pytorch, defaults",
            ["https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud/conda-forge", "defaults"],
        ),
    ],
)
def test_a_mend_leaves_no_cpu_trap(computer: Computer, channels: str, after: list[str]) -> None:
    assert after_mending(computer, f"channels: [{channels}]\n") == after


def test_the_sentence_names_what_comes_in_the_place(computer: Computer) -> None:
    computer.write(CONDA, "channels: [pytorch, lab]\n")
    found = only(computer, "conda-frozen-pytorch")
    assert text(found.fix, "en") == "Put conda-forge in its place, which has newer builds."
    assert "conda-forge" not in text(found.cause, "en"), "it is not in the file"
    computer.write(CONDA, "channels: [pytorch, defaults]\n")
    assert "conda-forge" not in text(only(computer, "conda-frozen-pytorch", NO_CARD).fix, "en")


NAMES = (
    "defaults",
    "pytorch",
    "pytorch-lts",
    "nvidia",
    "conda-forge",
    "lab",
    "free",
    "https://repo.anaconda.com/pkgs/main",
    "https://mirrors.ustc.edu.cn/anaconda/cloud/pytorch",
    "https://mirrors.ustc.edu.cn/anaconda/cloud/conda-forge/linux-64",
)


@CALM
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True),
    st.sampled_from([CARD, NO_CARD]),
    st.sampled_from(["", "channel_priority: strict\n", "channel_priority: flexible\n"]),
)
def test_after_every_mend_the_next_install_is_right(
    tmp_path_factory: pytest.TempPathFactory, channels: list[str], situation: LintContext, priority: str
) -> None:
    """conda takes pytorch from the first channel that has one: not the frozen one, and for a card not Anaconda's."""
    computer = Computer(tmp_path_factory.mktemp("computer"))
    computer.write(CONDA, f"channels: {channels}\n{priority}")
    for diff in propose(edits_of(findings(computer, situation))):
        diff.path.write_bytes(diff.after)
    left = findings(computer, situation)
    assert not [one for one in left if one.severity == "error" or one.is_fixable], left
    own = read_own_settings(computer.environ, computer.home, "linux", computer.root)
    names = [url.rstrip("/").rpartition("/")[2] for url in all_addresses(own.conda)]
    first = next((name for name in names if name in ("main", "conda-forge", "pytorch", "pytorch-lts")), None)
    allowed = (None, "conda-forge") if situation.gpu else (None, "conda-forge", "main")
    is_named = any(one.code == "conda-cpu-only" for one in left)
    assert first in allowed or is_named, f"{channels} became {own.conda.channels}"
    assert not is_named or "pytorch" not in str(channels), "a mend does not lead there"


@pytest.mark.parametrize(
    ("name", "tool", "right"),
    [
        ("pip.conf", "pip", "home/me/.config/pip/pip.conf"),
        (".config/pip/pip.conf.txt", "pip", "home/me/.config/pip/pip.conf"),
        ("pip.ini.txt", "pip", "home/me/.config/pip/pip.conf"),
        (".condarc.txt", "conda", "home/me/.condarc"),
        ("uv.toml", "uv", "home/me/.config/uv/uv.toml"),
    ],
)
def test_files_where_nobody_reads_them(computer: Computer, name: str, tool: str, right: str) -> None:
    computer.write(f"home/me/{name}", "[global]\nindex-url = https://pypi.douban.com/simple\n")
    found = only(computer, "file-misplaced")
    assert (found.severity, found.tool, found.place) == ("warning", tool, str(computer.root / "home/me" / name))
    assert str(computer.root / right) in text(found.fix, "zh_CN")
