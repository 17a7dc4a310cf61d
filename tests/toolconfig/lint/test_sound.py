"""The lint is silent on sound settings: what operators and makers document themselves."""

from __future__ import annotations

import pytest

from tests.toolconfig.lint.asking import CONDA, PIP, UV, codes, findings
from tests.toolconfig.test_settings import Computer
from wizard.toolconfig.lint.finding import LintContext

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
    "tuna and bfsu": (
        PIP,
        "[global]\nindex-url = https://mirrors.tuna.tsinghua.edu.cn/pypi/web/simple\n"
        "extra-index-url = https://mirrors.bfsu.edu.cn/pypi/web/simple\n",
    ),
    "a comment of its own": (
        PIP,
        "# mirror; of the campus\n[global]\n; note\nindex-url = https://mirrors.ustc.edu.cn/pypi/simple\n",
    ),
    "nvidia": (PIP, "[global]\nextra-index-url = https://pypi.nvidia.com\n"),
    "one private index": (PIP, "[global]\nindex-url = https://me:token@lab.example/simple\n"),
    "two of one lab": (
        PIP,
        "[global]\nindex-url=https://a.lab.example/simple\nextra-index-url=https://b.lab.example/s\n",
    ),
    "a closed lab": (PIP, "[global]\nno-index = true\nfind-links = /srv/wheels\n"),
    "the wanted variant": (PIP, "[global]\nextra-index-url = https://download.pytorch.org/whl/cu126\n"),
    "habits": (PIP, "[global]\ntimeout = 60\ndisable-pip-version-check = true\n[install]\nuser = no\n"),
    "this computer": (PIP, "[global]\nindex-url = http://127.0.0.1:3141/root/pypi\ntrusted-host = 127.0.0.1\n"),
    "tuna uv": (UV, '[[index]]\nurl = "https://mirrors.tuna.tsinghua.edu.cn/pypi/web/simple/"\ndefault = true\n'),
    "explicit torch in uv": (
        UV,
        '[[index]]\nname = "pytorch"\nurl = "https://download.pytorch.org/whl/cu118"\nexplicit = true\n',
    ),
    "private beside public in uv": (UV, '[[index]]\nurl = "https://lab.example/simple"\n'),  # first index wins
    "aliyun flat in uv": (UV, '[[index]]\nurl = "https://mirrors.aliyun.com/pytorch-wheels/cu126/"\nformat = "flat"\n'),
    "tuna conda": (CONDA, TUNA_CONDA),
    "bfsu conda": (CONDA, TUNA_CONDA.replace("tuna.tsinghua", "bfsu")),
    "miniforge": (CONDA, "channels:\n  - conda-forge\n"),
    "bioconda": (CONDA, "channels:\n  - conda-forge\n  - bioconda\nchannel_priority: strict\n"),
    "nvidia conda": (
        CONDA,
        "channels: [nvidia, conda-forge]\ncustom_channels:\n"
        "  nvidia: https://mirrors.sustech.edu.cn/anaconda-extra/cloud\n",
    ),
    "pytorch below": (CONDA, "channels: [conda-forge, pytorch]\nchannel_priority: strict\n"),
    "ustc mamba": (
        "home/me/.mambarc",
        "channels: [conda-forge, nodefaults]\nmirrored_channels:\n"
        "  conda-forge: [https://mirrors.ustc.edu.cn/anaconda/cloud/conda-forge]\n",
    ),
    "a certificate": (CONDA, "channels: [conda-forge]\nssl_verify: truststore\n"),
}


@pytest.mark.parametrize("name", SOUND)
def test_no_false_alarm(computer: Computer, name: str) -> None:
    path, content = SOUND[name]
    computer.write(path, content)
    # Sound, and yet `conda install pytorch` brings the CPU build to a card: that is worth a note.
    expected = ["conda-cpu-only"] if content.startswith("channels:\n  - defaults") else []
    assert [finding.code for finding in findings(computer) if not finding.is_fixable] == expected
    assert not any(finding.is_fixable for finding in findings(computer))
    assert codes(computer, LintContext("linux")) == [], "when nothing is known about the computer"


def test_all_sound_habits_together(computer: Computer) -> None:
    computer.write(PIP, SOUND["tuna pip"][1])
    computer.write(UV, SOUND["tuna uv"][1])
    computer.write(CONDA, TUNA_CONDA)
    computer.environ.update(
        PIP_INDEX_URL="https://pypi.tuna.tsinghua.edu.cn/simple/",
        PIP_NO_CACHE_DIR="1",
        UV_DEFAULT_INDEX="https://mirrors.ustc.edu.cn/pypi/simple",
        CONDA_PREFIX="/opt/conda",
        CONDA_SHLVL="1",
        CONDA_EXE="/opt/conda/bin/conda",
        UV_CACHE_DIR="/tmp/uv",
    )
    assert codes(computer) == ["conda-cpu-only"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PIP_USER", "no"),
        ("PIP_NO_BINARY", "lxml"),
        ("PIP_TARGET", ""),
        ("UV_INDEX_STRATEGY", "first-index"),
        ("PIP_PRE", "0"),
    ],
)
def test_variables_that_do_no_harm(computer: Computer, name: str, value: str) -> None:
    computer.environ[name] = value
    assert codes(computer) == []
