"""Programs that use a card unless they are told otherwise, as every start of them comes by."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, BLACKWELL, NO_CARD, PASCAL, codes, decided
from wizard.machine.model import Machine

Files = dict[str, str | bytes]
STARTS: Files = {"README.md": "# It\n\n```\npython train.py\n```\n", "requirements.txt": "torch\n"}
ALWAYS = "import torch\n\n\ndef main(rank):\n    {}\n\n\nif __name__ == '__main__':\n    main(0)\n"


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("torch.cuda.set_device(rank % torch.cuda.device_count())", True),
        ("torch.cuda.set_device(0) if torch.cuda.device_count() else 0", False),
        ("net.to(f'cuda:{rank}')", True),
        ("pipeline('asr', device='mps' if rank == 'mps' else f'cuda:{rank}')", True),
        ("pipeline('asr', device='cpu' if rank == 'cpu' else f'cuda:{rank}')", False),
        ("if not rank:\n        assert False\n    else:\n        net.cuda()", True),
        ("if not rank:\n        print(rank)\n    else:\n        net.cuda()", False),
    ],
)
def test_a_line_that_every_start_comes_by_is_told_without_a_card(tmp_path: Path, line: str, is_told: bool) -> None:
    files = {**STARTS, "train.py": ALWAYS.format(line)}
    assert ("named-no-card" in codes(decided(tmp_path / "a", files, NO_CARD))) == is_told
    assert "named-no-card" not in codes(decided(tmp_path / "b", files, AMPERE))


def test_the_command_of_a_package_is_a_start(tmp_path: Path) -> None:
    project = (
        '[project]\nname = "it"\nversion = "1.0"\ndependencies = ["torch"]\n[project.scripts]\nit = "it.cli:run"\n'
    )
    program = "def run():\n    net.cuda()\n"
    found = decided(tmp_path / "a", {"pyproject.toml": project, "src/it/cli.py": program}, NO_CARD)
    assert [(one.params["file"], one.params["line"]) for one in found.remarks if "no-card" in one.key] == [
        ("src/it/cli.py", 2)
    ]
    other = {"pyproject.toml": project.replace(":run", ":go"), "src/it/cli.py": program}
    assert "named-no-card" not in codes(decided(tmp_path / "b", {**other}, NO_CARD))


OPTION = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--device', default='cuda')\n"
API = "def load(path, device='cuda'):\n    return net(path).to(device)\n"


@pytest.mark.parametrize(
    ("files", "given"),
    [
        ({"train.py": OPTION}, "--device cpu"),
        ({"train.py": OPTION + "import torch\nprint(torch.cuda.is_available())\n"}, ""),
        ({"train.py": OPTION.replace("'cuda'", "'cpu'")}, ""),
        ({"train.py": "from it import load\nload('a')\n", "it.py": API}, 'device="cpu"'),
        ({"train.py": "from it import load\nload('a', device=b)\n", "it.py": API}, ""),
        ({"train.py": "from it import load\nload('a', b)\n", "it.py": API}, ""),
        ({"train.py": "from it import load\nload('a', **more)\n", "it.py": API}, ""),
        ({"README.md": "```python\nfrom it import load\nload('a')\n```\n", "it.py": API}, 'device="cpu"'),
        ({"train.py": "from it import Net\nNet('a')\n",
          "it.py": "class Net:\n    def __init__(self, path, device='cuda'):\n        self.to = device\n"},
         'device="cpu"'),
    ],
)  # fmt: skip
def test_what_takes_the_card_unless_it_is_given_another_device_is_told(
    tmp_path: Path, files: Files, given: str
) -> None:
    found = decided(tmp_path, {**STARTS, **files}, NO_CARD)
    said = [one.params["option"] for one in found.remarks if one.key.endswith((".card-switch", ".card-default"))]
    assert said == [given] * bool(given)


@pytest.mark.parametrize(
    ("line", "on", "code"),
    [
        ("tensorrt==10.6.0", BLACKWELL, "card-newer"),
        ("tensorrt==10.8.0", BLACKWELL, ""),
        ("tensorrt", BLACKWELL, ""),
        ("tensorrt==10.6.0", PASCAL, "card-older"),
        ("tensorrt~=8.6.0", PASCAL, ""),
        ("tensorrt", PASCAL, "card-older"),
        ("tensorrt<9", PASCAL, ""),
        ("tensorrt==8.6.1", PASCAL, ""),
        ("onnxruntime-gpu==1.23.0", BLACKWELL, "card-newer"),
        ("faiss-gpu", AMPERE, "card-ended"),
        ("faiss-gpu==1.7.2", BLACKWELL, "card-ended"),
        ("faiss-gpu==1.5.3", AMPERE, ""),
        ("onnxruntime-gpu==1.22.0", BLACKWELL, ""),
        ("tensorrt==10.6.0", AMPERE, ""),
        ("tensorrt==10.6.0", NO_CARD, ""),
    ],
)
def test_a_release_without_code_for_the_card_is_told(tmp_path: Path, line: str, on: Machine, code: str) -> None:
    found = codes(decided(tmp_path, {"requirements.txt": f"torch\n{line}\n"}, on))
    assert found & {"card-newer", "card-older", "card-ended"} == {code} - {""}
