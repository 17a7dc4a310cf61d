"""What programs put in the place of modules that newer releases lack, and names that only newer ones have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, build, codes, decided

FIX = (
    "import sys\nfrom torchvision.transforms import functional\n\n\ndef mend():\n"
    "    sys.modules['torchvision.transforms.functional_tensor'] = functional\n"
)
README = "Install it:\n\n```\npip install torch==2.5.1 torchvision==0.20.1\npip install -r requirements.txt\n```\n"


@pytest.mark.parametrize(
    ("program", "torch"),
    [
        (FIX, "2.5.1"),
        (FIX.replace("mend():", "mend(name='x'):\n    at = 'torchvision.transforms.functional_tensor'")
         .replace("['torchvision.transforms.functional_tensor']", "[at]"), "2.5.1"),
        (FIX.replace("['torchvision.transforms.functional_tensor'] = functional",
                     ".setdefault('torchvision.transforms.functional_tensor', functional)"), "2.5.1"),
        (FIX.replace("functional_tensor'] = functional", "other'] = functional  # functional_tensor"), "2.1.2"),
        ("import sys\nprint('torchvision.transforms.functional_tensor' in sys.modules)\n", "2.1.2"),
    ],
)  # fmt: skip
def test_a_bound_by_one_module_does_not_hold_where_the_project_puts_it_in_its_place(
    tmp_path: Path, program: str, torch: str
) -> None:
    files: dict[str, str | bytes] = {"README.md": README, "requirements.txt": "basicsr==1.4.2\ngfpgan\n"}
    found = decided(tmp_path, {**files, "fix.py": program}, ADA)
    assert (build(found)[0], "mended" in codes(found)) == (torch, torch == "2.5.1")
    said = [one.params for one in found.remarks if one.key == "project.remark.mended"]
    assert all((one["file"], one["packages"]) == ("fix.py", "basicsr==1.4.2, gfpgan") for one in said)


def test_what_only_tests_put_in_its_place_mends_nothing(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"README.md": README, "requirements.txt": "basicsr==1.4.2\n"}
    assert build(decided(tmp_path, {**files, "tests/fix.py": FIX}, ADA))[0] == "2.1.2"


@pytest.mark.parametrize(
    ("torch", "program", "is_told"),
    [
        ("2.3.1", "from torch import nn\n\n\ndef f():\n    return nn.RMSNorm(4)\n", True),
        ("2.4.1", "from torch import nn\n\n\ndef f():\n    return nn.RMSNorm(4)\n", False),
        ("2.3.1", "from torch import nn\n\nif hasattr(nn, 'RMSNorm'):\n    nn.RMSNorm(4)\n", False),
        ("2.4.1", "from torch.nn.attention.flex_attention import flex_attention\n", True),
    ],
)
def test_a_name_that_torch_has_not_yet_is_told(tmp_path: Path, torch: str, program: str, is_told: bool) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch=={torch}\n", "net.py": program}, ADA)
    assert (build(found)[0], "code-older" in codes(found)) == (torch, is_told)
