"""What an install script does: the words that it sets, the files that it fetches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, NO_CARD, build, decided, relaxed
from tests.project.test_read import asked, project_of


def test_words_that_a_script_sets_before_are_read(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"install.sh": 'EXTRA="einops==0.8.0 timm>=1.0"\npip install torch $EXTRA\n'})
    assert [asked(project, name)[0][0] for name in ("einops", "timm")] == ["==0.8.0", ">=1.0"]


@pytest.mark.parametrize("place", ["", "./", "wheels/"])
def test_a_wheel_that_a_script_fetched_is_what_it_installs(tmp_path: Path, place: str) -> None:
    page, end = "https://download.pytorch.org/whl", "cp310-cp310-linux_x86_64.whl"
    words = "if nvidia-smi; then\n"
    words += f"  wget {page}/cu121/torch-2.1.2%2Bcu121-{end}\n  pip3 install {place}torch-2.1.2+cu121-{end} --no-deps\n"
    words += f"else\n  pip3 install ./torch-2.1.2+cpu-{end}\nfi\npip install torchvision==0.16.2\n"
    files: dict[str, str | bytes] = {"setup/setup-gpu.sh": words, "README.md": "* PyTorch 1.9+\n"}
    for on in (AMPERE, NO_CARD):
        found = decided(tmp_path, files, on)
        assert (build(found)[0], build(found)[2], relaxed(found)) == ("2.1.2", "3.10", {})
    named = {one.name for one in project_of(tmp_path, files).statements}
    assert not [name for name in named if name[:1] == "-" or "/" in name]
