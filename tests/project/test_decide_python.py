"""Which Python a project gets: its own, one that has the wheels, or the one chosen by hand, each with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import (
    ADA,
    AMPERE,
    BLACKWELL,
    NO_CARD,
    PASCAL,
    build,
    codes,
    decided,
    relaxed,
)
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine


def test_torch_and_python_move_where_both_are_impossible(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - python=3.8.5\n  - pytorch=1.12.1\n"}
    found = decided(tmp_path, files, BLACKWELL)
    assert build(found)[0] == "2.7.1"
    assert build(found)[2] == "3.9"
    assert set(relaxed(found)) == {"torch", "python"}


def test_a_range_of_pythons_that_nothing_meets_is_told_as_that(tmp_path: Path) -> None:
    lines = '[project]\nname = "mine"\nrequires-python = "{}"\ndependencies = ["torch"]\n'
    found = decided(tmp_path / "a", {"pyproject.toml": lines.format(">=3.12,<3.8")}, BLACKWELL)
    assert relaxed(found)["python"] == ("<3.8,>=3.12", build(found)[2], "project.why.python-empty")
    found = decided(tmp_path / "b", {"pyproject.toml": lines.format(">=3.40")}, BLACKWELL)
    assert relaxed(found)["python"][2] == "project.why.python"


def test_the_persons_python_gives_way_only_for_more(tmp_path: Path) -> None:
    wish = Choices(python="3.13")
    found = decided(tmp_path / "a", {"requirements.txt": "torch==2.3.1\n"}, ADA, wish)
    assert (build(found), set(relaxed(found))) == (("2.6.0", "cu126", "3.13"), {"torch"})
    both: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - python=3.8\n  - pytorch=1.12.1\n"}
    found = decided(tmp_path / "b", both, ADA, wish)
    assert (build(found), set(relaxed(found))) == (("1.12.1", "cu116", "3.8"), {"python"})


def test_where_a_torch_older_than_the_tables_moves_the_python_is_the_nearest_in_age(tmp_path: Path) -> None:
    """What stands beside such a pin is of its age: numpy 1.15 has no wheel for Python 3.12, and may build for 3.9."""
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.4.0\nnumpy==1.15.0\n"}
    assert build(decided(tmp_path, files, BLACKWELL))[2] == "3.9"


def test_a_python_that_was_chosen_by_hand_against_the_project_is_the_reason(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.13"\ndependencies = ["torch==2.13.0"]\n'
    }
    found = decided(tmp_path, files, BLACKWELL, Choices(python="3.11"))
    assert relaxed(found) == {"python": (">=3.13", "3.11", "project.why.python-by-hand")}


def test_a_python_that_nobody_asks_for_gets_round_no_line_for_torch(tmp_path: Path) -> None:
    pyproject = '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = ["torch>=2.1,<3"]\n'
    pin = 'torch==2.1.0 ; python_version >= "3.10" and python_version < "4.0"\n'
    found = decided(tmp_path, {"pyproject.toml": pyproject, "requirements.txt": pin}, BLACKWELL)
    assert (build(found)[0], build(found)[2], list(relaxed(found))) == ("2.7.1", "3.11", ["torch"])


def test_markers_count_for_the_python_that_is_taken(tmp_path: Path) -> None:
    words = "torch==1.13.1; python_version < '3.9'\ntorch==2.4.1; python_version >= '3.9'\n"
    words += "torch==9; sys_platform=='win32'\n"
    files: dict[str, str | bytes] = {"requirements.txt": words}
    assert build(decided(tmp_path / "a", files, AMPERE)) == ("2.4.1", "cu124", "3.12")
    old = {**files, "environment.yml": "dependencies:\n  - python=3.8\n"}
    found = decided(tmp_path / "b", old, AMPERE)
    assert (build(found)[0], build(found)[2], found.relaxed) == ("1.13.1", "3.8", ())
    assert "contradiction" not in codes(found)


def test_a_python_for_which_all_lines_fall_away_is_no_smaller_step(tmp_path: Path) -> None:
    marked = 'torch==2.1.0 ; python_version >= "3.10"\ntorchaudio==2.1.0 ; python_version >= "3.10"\n'
    project = '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = ["torch>=2.1,<3"]\n'
    files: dict[str, str | bytes] = {"requirements.txt": marked + 'einops==0.7.0 ; python_version >= "3.10"\n'}
    for number, more in enumerate(({}, {"pyproject.toml": project})):
        found = decided(tmp_path / str(number), {**files, **more}, BLACKWELL)
        assert build(found) == ("2.7.1", "cu128", "3.11")
        assert [*relaxed(found)] == ["torch", "torchaudio"]
        assert [one.name for one in found.understood.rest] == ["einops"]


def test_a_line_for_another_python_moves_nothing(tmp_path: Path) -> None:
    lines = "torch>=2.0\nnumpy<=1.26.4; python_version<='3.9'\n"
    found = decided(tmp_path, {"requirements.txt": lines}, AMPERE)
    assert found.numpy == ""
    assert "numpy" not in relaxed(found)


def test_a_line_for_the_pythons_that_are_asked_is_what_torch_is_near_to(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": 'torch==2.1.0 ; python_version >= "3.10"\n',
        "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.1.0"\n',
    }
    assert build(decided(tmp_path, files, BLACKWELL))[0] == "2.7.1"


@pytest.mark.parametrize(
    ("lines", "on", "python"),
    [
        ("torch==1.13.1+cu117\ntorchvision==0.14.1+cu117\nnumpy==1.23.5\n", AMPERE, "3.10"),
        ("torch>=2.7,<2.8\nnumpy==1.23.5\n", BLACKWELL, "3.11"),
        ("torch>=2.7,<2.8\nnumpy>=1.18.5,<1.24.0\n", BLACKWELL, "3.11"),
        ("torch>=2.7,<2.8\nnumpy<2.5\nscipy~=1.11.0\n", BLACKWELL, "3.12"),
        ("torch==1.13.1\n", AMPERE, "3.10"),  # 3.11 is an experiment of that build
        ("torch==2.13.0\nscipy==1.9.3\npandas==1.5.1\nmatplotlib==3.5.3\n", NO_CARD, "3.10"),
        ("torch==2.13.0\nnumpy==1.20.0; python_version < '3.8'\n", NO_CARD, "3.12"),
    ],
)
def test_an_open_python_is_one_that_the_pins_have_wheels_for(
    tmp_path: Path, lines: str, on: Machine, python: str
) -> None:
    found = decided(tmp_path, {"requirements.txt": lines}, on)
    assert (found.python, relaxed(found) if on is AMPERE else {}) == (python, {})


def test_a_pin_that_has_no_wheel_for_any_python_here_is_told(tmp_path: Path) -> None:
    lines = "torch>=2.7,<2.8\nnumpy==1.13.3\npandas==0.20.1\nscipy==1.9.3\n"
    found = decided(tmp_path, {"requirements.txt": lines}, BLACKWELL)
    assert found.python == "3.11"
    [told] = [one for one in found.remarks if one.key == "project.remark.wheel-of-pin"]
    assert told.params["packages"] == "pandas"
    assert relaxed(found)["numpy"][2] == "project.why.numpy-wheel"  # told as moved, and once


def test_a_release_that_few_pythons_have_a_wheel_of_chooses_one_of_these(tmp_path: Path) -> None:
    for pin, python in (("==2.1.7", "3.9"), (">=2.1.7", "3.11")):
        files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.3.1\ncchardet{pin}\n"}
        assert build(decided(tmp_path / python, files, AMPERE))[2] == python


def test_a_pin_of_a_script_that_programs_need_chooses_an_open_python(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.7.1\n", "main.py": "import scipy.misc\n"}
    files["Dockerfile"] = "FROM x\nRUN pip install scipy==1.2.0\n"
    found = decided(tmp_path / "a", files, PASCAL)
    assert build(found)[2] == "3.7"
    [held] = [one for one in found.remarks if one.key.endswith("python-held")]
    assert (held.params["file"], held.params["packages"], held.params["newer"]) == ("Dockerfile", "scipy", "3.8")
    files["main.py"] = "try:\n    import scipy\nexcept ImportError:\n    scipy = None\n"
    assert build(decided(tmp_path / "b", files, PASCAL))[2] == "3.9"
    files |= {"main.py": "import scipy\n", "requirements.txt": "torch==1.7.1\nscipy\n"}
    assert build(decided(tmp_path / "c", files, PASCAL))[2] == "3.9"


def test_of_two_lines_by_python_the_one_that_holds_counts(tmp_path: Path) -> None:
    lines = "torch\nnumpy==1.22.0; python_version<='3.10'\nnumpy>=1.24.3; python_version>'3.10'\n"
    assert relaxed(decided(tmp_path, {"requirements.txt": lines}, NO_CARD)) == {}


def test_where_torch_moves_old_pins_still_choose_the_python_that_has_their_wheels(tmp_path: Path) -> None:
    for pin in ("numpy==1.17.0", "scipy==1.1.0", "scipy==1.2.1", "opencv-python==3.4.2.17"):
        found = decided(tmp_path, {"requirements.txt": f"torch==1.2.0\n{pin}\n"}, AMPERE)
        assert build(found)[::2] == ("1.7.1", "3.7")
        assert set(relaxed(found)) == {"torch"}


@pytest.mark.parametrize(
    ("pins", "python"),
    [
        ("transformers==2.1.1", "3.12"),  # pure, and needs no tokenizers yet
        ("transformers==2.4.0", "3.8"),
        ("numpy==1.13.3", "3.6"),
        ("scipy==1.0.0", "3.6"),
        ("matplotlib==2.1.0", "3.6"),
        ("scikit-learn==0.19.1", "3.6"),
        ("numpy==1.15.2", "3.7"),
    ],
)
def test_what_is_older_than_the_wheels_of_today_has_the_pythons_of_its_own(
    tmp_path: Path, pins: str, python: str
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch\n{pins}\n"}, AMPERE)
    assert build(found)[2] == python
    assert "wheel-of-pin" not in codes(found)


@pytest.mark.parametrize(
    ("torch", "pin", "python", "code"),
    [
        ("torch==2.0.0", "numpy==1.26.4", "3.9", "moved"),
        ("torch==2.0.0", "numpy==1.24.4", "3.8", ""),
        ("torch==1.10.0", "numpy==1.26.4", "3.9", "moved"),
        ("torch==1.10.0", "scipy==1.14.1", "3.8", "wheel-of-pin"),  # it has no Python that this pin has wheels for
    ],
)
def test_a_recommended_python_gives_way_to_pins_that_have_no_wheel_for_it(
    tmp_path: Path, torch: str, pin: str, python: str, code: str
) -> None:
    readme = "```\nconda create -n d python=3.8\n```\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": f"{torch}\n{pin}\n"}, AMPERE)
    assert build(found)[::2] == (torch.partition("==")[2], python)
    moved = {"moved"} if relaxed(found) else set[str]()
    assert codes(found) & {"python-without", "python-left", "wheel-of-pin"} | moved == ({code} if code else set())
    assert relaxed(found) in ({}, {"python": ("==3.8.*", "3.9", "project.why.python-without")})


@pytest.mark.parametrize(
    ("readme", "moved"),
    [
        ("```\nconda create -n d python=3.8\n```\n", True),
        ("```\n# conda create -n d python=3.8\n```\n", False),
        ("Tested with Python 3.8.\n", False),
        ("Python 3.8 is required.\n", False),
    ],
)
def test_a_python_that_commands_make_and_torch_has_no_wheels_for_is_one_that_moves(
    tmp_path: Path, readme: str, moved: bool
) -> None:
    setup = "from setuptools import setup\nsetup(python_requires='>=3.6', install_requires=['torch==2.9.0'])\n"
    found = decided(tmp_path, {"README.md": readme, "setup.py": setup}, AMPERE)
    assert build(found)[0] == "2.9.0"
    said = {"python": ("==3.8.*", "3.10", "project.why.python")} if moved else {}
    assert relaxed(found) == said
    assert ("python-left" in codes(found)) == (not moved)
    assert [str(at) for one in found.relaxed for at in one.origins] == ["README.md:2"] * moved


def test_the_python_of_an_image_is_none_that_the_project_asks_for(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"Dockerfile": "FROM scratch\nRUN conda install python=3.8\n"}
    for declared in ("", ", python_requires='>=3.6'"):
        files["setup.py"] = f"from setuptools import setup\nsetup(install_requires=['torch==2.9.0']{declared})\n"
        assert bool(relaxed(decided(tmp_path / f"d{len(declared)}", files, AMPERE))) == (not declared)


def test_a_pin_that_no_python_has_a_wheel_for_chooses_none_and_is_told(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\npyyaml==5.3.1\n"}, AMPERE)
    assert build(found)[::2] == ("2.14.1", "3.12")
    assert "wheel-of-pin" in codes(found)


def test_a_least_version_without_a_wheel_for_the_python_is_told(tmp_path: Path) -> None:
    setup = 'from setuptools import setup\nsetup(python_requires="<3.11")\n'
    found = decided(tmp_path, {"requirements.txt": "torch\nnumpy>=2.3\n", "setup.py": setup}, AMPERE)
    assert "wheel-of-pin" in codes(found)


def test_bounds_of_several_lines_have_to_have_a_wheel_together(tmp_path: Path) -> None:
    words = "torch\nscipy>=1.8\nscipy<1.9\n"
    setup = 'from setuptools import setup\nsetup(python_requires="<3.8")\n'
    found = decided(tmp_path, {"requirements.txt": words, "setup.py": setup}, AMPERE)
    assert "wheel-of-pin" in codes(found)


@pytest.mark.parametrize("on", [AMPERE, BLACKWELL])
def test_a_python_for_which_the_project_has_no_torch_is_not_taken(tmp_path: Path, on: Machine) -> None:
    words = '[tool.poetry]\nname = "one"\nversion = "1"\n[tool.poetry.dependencies]\npython = ">=3.10,<3.12"\n'
    words += 'torch = {version = ">=2.0.0", python = ">=3.11,<3.12"}\n'
    words += 'lingvo = {version = "0.12.7", python = ">=3.10,<3.11"}\n'
    found = decided(tmp_path, {"pyproject.toml": words}, on)
    assert (build(found)[2], relaxed(found)) == ("3.11", {})
    elsewhere = "torch==2.3.1; sys_platform == 'darwin'\ntorch==2.7.1; sys_platform != 'darwin'\n"
    other = decided(tmp_path / "two", {"requirements.txt": elsewhere}, on)
    assert (build(other)[0], relaxed(other)) == ("2.7.1", {})


def test_what_holds_an_open_python_below_the_usual_one_is_told(tmp_path: Path) -> None:
    def said(name: str, words: str, bound: str = "") -> list[tuple[object, ...]]:
        setup = f"from setuptools import setup\nsetup(python_requires='{bound}')\n"
        found = decided(tmp_path / name, {"requirements.txt": words, "setup.py": setup}, AMPERE)
        told = (one.params for one in found.remarks if one.key.endswith("python-held"))
        return [tuple(one[key] for key in ("python", "newer", "packages", "line")) for one in told]

    assert said("a", "torch\nnumpy==1.22.4\n") == [("3.10", "3.11", "numpy", 2)]
    assert said("b", "torch\nnumpy==1.22.4\n", "<3.11") == [], "a line asks for this Python"
    assert said("c", "torch\nnumpy\n") == []
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nnumpy>=1.22,<2\n"}
    files["a.py"] = "import numpy as np\n\nprint(np.find_common_type([], []))\nx = np.zeros(3, dtype=np.bool)\n"
    found = decided(tmp_path / "d", files, AMPERE)
    held = {one.key.rpartition(".")[2]: one.params for one in found.remarks if ".python-held" in one.key}
    assert [*held] == ["python-held-code"]
    assert (held["python-held-code"]["line"], held["python-held-code"]["used"]) == (4, "numpy.bool")


def test_a_python_that_cannot_even_import_a_package_is_further_than_one_that_it_must_be_built_for(
    tmp_path: Path,
) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\nfairseq\nnumpy==1.26.4\n"}, AMPERE)
    assert build(found)[2] == "3.10"
    assert [one.params["packages"] for one in found.remarks if one.key.endswith("wheel-of-pin")] == ["fairseq"]
