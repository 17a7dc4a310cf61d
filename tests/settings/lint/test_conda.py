"""Each rule on conda's settings: the order of channels, their addresses, values that stop conda."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.mirrors.test_settings import Computer
from tests.settings.lint.asking import CARD, CONDA, NO_CARD, codes, mended, only
from wizard.i18n import text


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
