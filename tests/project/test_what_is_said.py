"""What an answer says is true: of whom a line asks what, and which line it is.

Each is a kind of README or list that somebody has, made small.
"""

from __future__ import annotations

from pathlib import Path

from tests.project.deciding import AMPERE, BLACKWELL, NO_CARD, build, codes, decided, relaxed
from wizard.project.decide import ProjectDecision


def said(found: ProjectDecision, code: str) -> list[dict[str, object]]:
    """Return the blanks of the sentences of that code."""
    return [dict(one.params) for one in found.remarks if one.key.endswith(f".{code}")]


OLDER = (
    "# t\nPython 3 and PyTorch 1.8 are required for the current codebase.\n\n"
    "If you need to use an earlier version of the codebase, take another release.\n"
    "Its PyTorch is installed by:\n`conda install pytorch=1.7.1`.\n"
)


def test_what_a_readme_has_for_an_older_state_of_the_project_is_not_what_it_asks(tmp_path: Path) -> None:
    found = decided(tmp_path, {"README.md": OLDER, "a.py": "import torch\n"}, AMPERE)
    assert [str(one.origin) for one in found.understood.torch] == ["README.md:2"]
    alone = OLDER.partition("\n\n")[2]
    found = decided(tmp_path / "alone", {"README.md": alone, "a.py": "import torch\n"}, AMPERE)
    assert [one.specifier for one in found.understood.torch] == ["==1.7.1.*"]


def test_what_a_block_calls_optional_is_not_what_is_asked_for_all(tmp_path: Path) -> None:
    readme = (
        "# t\n```\n# Required\nconda install pytorch=1.13.1 torchvision=0.14.1\n"
        "# Optional: apex, which is faster\nconda install pytorch=1.11.0 torchvision=0.12.0\n```\n"
    )
    found = decided(tmp_path, {"README.md": readme}, BLACKWELL)
    assert relaxed(found)["torch"][0] == "==1.13.1.*"
    assert relaxed(found)["torchvision"][0] == "==0.14.1.*"


def test_a_whole_installation_that_is_called_optional_is_still_read(tmp_path: Path) -> None:
    readme = "# t\n## (Optional) An environment\n```\nconda create -n t python=3.9\nconda install pytorch=1.13.1\n```\n"
    found = decided(tmp_path, {"README.md": readme}, AMPERE)
    assert (build(found)[0], build(found)[2]) == ("1.13.1", "3.9")


def test_what_programs_do_is_told_where_only_words_name_torch(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "# t\n- PyTorch 1.8\n",
        "main.py": "import torch\nx = torch.zeros(1).cuda()\n",
    }
    assert "named-no-card" in codes(decided(tmp_path, files, NO_CARD))
