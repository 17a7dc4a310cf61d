"""A project of which no file says what it needs: its programs do, as syntax."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, build, codes, decided
from tests.project.test_read import project_of
from wizard.model.errors import UsageError

PROGRAM = "import os\nimport torch\nfrom torchvision import models\nfrom net import Net\nimport timm\n"


def test_torch_and_its_pair_are_planned_where_only_programs_name_them(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"train.py": PROGRAM, "net.py": "import numpy\n", "README.md": "A model.\n"}
    found = decided(tmp_path, files, ADA)
    assert (build(found)[:2], [*found.understood.pairs]) == (("2.14.1", "cu126"), ["torchvision"])
    [said] = [one.params for one in found.remarks if one.key.endswith("imports-alone")]
    assert (said["file"], said["line"], said["packages"]) == ("train.py", 2, "numpy, timm")
    assert "undeclared" not in codes(found)


@pytest.mark.parametrize(
    "program",
    ["try:\n    import torch\nexcept ImportError:\n    torch = None\n", "def f():\n    import torch\n", "import (\n"],
)
def test_what_may_be_meant_for_others_asks_for_nothing(tmp_path: Path, program: str) -> None:
    with pytest.raises(UsageError) as error:
        project_of(tmp_path, {"train.py": program, "README.md": "A model.\n"})
    assert error.value.code == "nothing-declared"


def test_programs_are_not_read_where_anything_is_said(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"train.py": PROGRAM, "requirements.txt": "einops\n"}, AMPERE)
    assert {"imports-alone", "undeclared"} & codes(found) == {"undeclared"}
    found = decided(tmp_path / "b", {"train.py": PROGRAM, "README.md": "Tested with PyTorch 1.13.1.\n"}, AMPERE)
    assert (build(found)[0], "imports-alone" in codes(found)) == ("1.13.1", False)
