"""What the programs of a project want of the computer: a card, a system, its programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, NO_CARD, codes, decided
from wizard.machine.model import Machine

Files = dict[str, str | bytes]
README: Files = {"requirements.txt": "torch\n", "README.md": "# It\n```\npython train.py\n```\n"}


def places(folder: Path, files: Files, on: Machine, code: str) -> list[str]:
    remarks = decided(folder, {**README, **files}, on).remarks
    return [f"{one.params['file']}:{one.params['line']}" for one in remarks if one.key == f"project.remark.{code}"]


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (
            {"train.py": "from net import Net\nm = Net(1).cuda()\n", "net.py": "class Net: pass\n"},
            "train.py:2",
        ),
        (
            {
                "train.py": "from net import Agent as A\ndef main():\n    A(1)\nmain()\n",
                "net.py": "class Agent:\n    def __init__(self, cfg):\n        self.model = Net(cfg).cuda()\n",
            },
            "net.py:3",
        ),
        ({"train.py": "import torch\ndef main():\n    assert torch.cuda.is_available()\nmain()\n"}, "train.py:3"),
        ({"train.py": "import fire\ndef run():\n    x = labels(1, 'cuda')\nfire.Fire(run)\n"}, "train.py:3"),
    ],
)
def test_a_card_is_wanted_by_what_a_start_reaches_in_other_files_too(tmp_path: Path, files: Files, place: str) -> None:
    assert places(tmp_path, files, NO_CARD, "named-no-card") == [place]
    assert "named-no-card" not in codes(decided(tmp_path / "b", {**README, **files}, AMPERE))


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": "import net\n", "net.py": "if __name__ == '__main__':\n    Net().cuda()\n"},
        {"train.py": "from net import Net\n", "net.py": "def test_net():\n    Net().cuda()\n"},
        {
            "train.py": "from net import Net\nNet()\n",
            "net.py": "class Net:\n    def __init__(self, gpu):\n        if gpu:\n            self.cuda()\n",
        },
        {"train.py": "import torch\nwith torch.autocast('cuda'):\n    pass\nprint('cuda')\n"},
    ],
)
def test_a_test_of_its_own_below_main_and_a_choice_want_no_card(tmp_path: Path, files: Files) -> None:
    assert "named-no-card" not in codes(decided(tmp_path, {**README, **files}, NO_CARD))


_FLAG = "parser.add_argument('--cuda', action='store_false',\n    help='use CUDA')\nargs = parser.parse_args()\n"


@pytest.mark.parametrize(
    ("program", "is_told"),
    [
        (f"{_FLAG}if args.cuda:\n    net.cuda()\n", True),
        (f"{_FLAG}args.cuda = args.cuda and torch.cuda.is_available()\n", False),
        (_FLAG.replace("store_false", "store_true") + "if args.cuda:\n    net.cuda()\n", False),
        (_FLAG.replace("--cuda", "--no-cuda") + "if args.cuda:\n    net.cuda()\n", False),
    ],
)
def test_an_option_that_takes_the_card_away_is_told(tmp_path: Path, program: str, is_told: bool) -> None:
    assert places(tmp_path, {"train.py": program}, NO_CARD, "card-switch") == ["train.py:1"] * is_told


def test_what_only_words_ask_for_has_its_programs_looked_at_too(tmp_path: Path) -> None:
    files: Files = {"README.md": "## Requirements\n- PyTorch 2.4.1\n", "train.py": "from n import N\nN().cuda()\n"}
    assert "named-no-card" in codes(decided(tmp_path, files, NO_CARD))
