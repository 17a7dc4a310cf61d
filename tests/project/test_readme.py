"""What a README says without a command: lists of what is needed, programs of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, codes, decided
from wizard.project.readme.lists import listed_packages


def listed(text: str) -> list[str]:
    return [str(one) for one in listed_packages("README.md", text)]


def test_a_block_below_a_sentence_that_asks_for_it_is_read() -> None:
    text = (
        "Install the following Python dependencies (with `pip install`):\n\n    matplotlib\n    plyfile\n"
        "    'trimesh>=2.35.39,<2.35.40'\n\n## Run\n\n    other\n"
    )
    assert listed(text) == ["matplotlib", "plyfile", "trimesh<2.35.40,>=2.35.39"]


def test_bullets_below_a_heading_of_needs_are_read_with_their_bounds() -> None:
    text = (
        "## Requirements\n- Python 3.6\n- RDKit (version >= 2019.03)\n* networkx\n* numpy >= 1.16\n- scipy, pandas\n"
        "- matplotlib 3.1+ (for plots)\n- `foo` 1.2 or newer\n"
    )
    assert listed(text) == [
        "rdkit>=2019.03",
        "networkx",
        "numpy>=1.16",
        "scipy",
        "pandas",
        "matplotlib>=3.1",
        "foo>=1.2",
    ]


@pytest.mark.parametrize(
    "line",
    ["A CUDA card", "Blender 2.8", "Node.js >= 14", "FFmpeg", "gcc >= 7", "16 GB RAM", "Linux", "PyTorch >= 1.0"],
)
def test_programs_and_words_are_no_packages(line: str) -> None:
    assert listed(f"## Requirements\n- {line}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "## Usage\n- numpy\n",
        "The package includes these modules:\n- numpy\n",
        "Install it:\n```\npip install numpy\n```\n",
        "## Results\nIt needs numpy.\n- numpy\n",
    ],
)
def test_other_lists_are_none_of_needs(text: str) -> None:
    assert listed(text) == []


def test_a_list_binds_nothing_and_is_named_as_a_whole(tmp_path: Path) -> None:
    names = [f"a-package-of-a-long-name-{number}>=1.{number}" for number in range(20)]
    readme = "Install these packages with pip:\n\n" + "".join(f"- {name}\n" for name in names)
    found = decided(tmp_path, {"README.md": readme, "environment.yml": "dependencies:\n- pytorch\n- einops\n"}, AMPERE)
    said = [one for one in found.remarks if one.key.endswith("named-apart")]
    assert [name for one in said for name in str(one.params["packages"]).split(", ")] == names
    assert not any(one.name.startswith("a-package") for one in found.understood.rest)
    (tmp_path / "beside").mkdir()
    assert "named-too" in codes(
        decided(tmp_path / "beside", {"README.md": readme, "requirements.txt": "torch\n"}, AMPERE)
    )


def test_the_release_that_is_read_stands_in_the_quote(tmp_path: Path) -> None:
    words = "Install [Pytorch](https://pytorch.org/) and more, " + "which takes a long while and some space, " * 3
    tested = "The code is tested with Ubuntu 18.04, Pytorch v2.4, CUDA 12.1 and Foo v1.14."
    readme = f"## Installation\n\n{words}. {tested} Well.\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": "torch\n"}, AMPERE)
    said = [one for one in found.remarks if "text" in one.params]
    assert said
    assert all("v2.4, CUDA 12.1 and Foo v1.14" in str(one.params["text"]) for one in said)


@pytest.mark.parametrize(
    "text",
    [
        "- " + "`" * 5_000_000,
        "Requirements:\n" + "- numpy, " * 1_000_000,
        "Requirements:\n" + "- a\n" * 2_000_000,
        "Requirements:\n- " + "[a](" * 1_000_000,
        "packages " * 1_000_000 + ":",
    ],
)
def test_long_texts_are_read_in_their_length(text: str) -> None:
    assert listed(text) == []
