"""What an answer says is true: of whom a line asks what, and which line it is.

Each is a kind of README or list that somebody has, made small.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import (
    ADA,
    AMPERE,
    BLACKWELL,
    NO_CARD,
    OLD_DRIVER,
    build,
    codes,
    decided,
    relaxed,
    without,
)
from wizard.machine.model import Machine
from wizard.model.messages import text
from wizard.project.answer import project_lines
from wizard.project.decide import ProjectDecision


def said(found: ProjectDecision, code: str) -> list[dict[str, object]]:
    """Return the blanks of the sentences of that code."""
    return [dict(one.params) for one in found.remarks if one.key.endswith(f".{code}")]


def rest(found: ProjectDecision) -> list[str]:
    return [one.name for one in found.understood.rest]


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


def test_a_line_that_says_it_must_be_so_is_no_mere_recommendation(tmp_path: Path) -> None:
    for words, code in (("PyTorch 1.13 is required.", "asked-in-words"), ("- PyTorch 1.13", "recommended")):
        found = decided(tmp_path / code, {"README.md": f"# t\n{words}\n", "a.py": "import torch\n"}, AMPERE)
        assert codes(found) & {"asked-in-words", "recommended"} == {code}


def test_the_line_of_a_translation_is_quoted_to_whom_reads_that(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "# t\n## Installation\n### Install with pip, Python 3.10, CUDA 11.7 ~ 12.0, PyTorch 2.0+\n",
        "README-ZH.md": "# t\n## 安装\n\n### 使用pip安装，必须使用Python 3.10，CUDA 11.7 ~ CUDA 12.0，PyTorch 2.0+\n",
        "requirements.txt": "torch\n",
    }
    found = decided(tmp_path, files, AMPERE)
    [one] = [one for one in found.remarks if one.key.endswith(".recommended")]
    assert text(one, "en").startswith("README.md, line 3 ")
    assert all(words in text(one, "zh_CN") for words in ("README-ZH.md", "必须"))
    assert not [tag.tag for tag in found.understood.tags if tag.tag == "cu117"]  # one end of a span


def test_a_long_line_is_quoted_where_it_says_what_was_read(tmp_path: Path) -> None:
    readme = f"# t\nInstall [it](https://host/{'x' * 150}). The code is tested with Python 3.8 and PyTorch 1.13.\n"
    found = decided(tmp_path, {"README.md": readme, "a.py": "import torch\n"}, AMPERE)
    assert said(found, "recommended")[0]["text"] == "The code is tested with Python 3.8 and PyTorch 1.13."


def test_a_python_without_a_blank_before_its_version_is_read(tmp_path: Path) -> None:
    readme = "# t\n* Python3.7.x is used in this repository.\n"
    found = decided(tmp_path, {"README.md": readme, "requirements.txt": "torch==1.13.1\n"}, AMPERE)
    assert build(found)[2] == "3.7"


UV = (
    '[[package]]\nname = "torch"\nversion = "2.8.0"\nresolution-markers = ["sys_platform == \'darwin\'"]\n'
    '[[package]]\nname = "torch"\nversion = "2.7.1"\nresolution-markers = ["sys_platform == \'win32\'"]\n'
    '[[package]]\nname = "torch"\nversion = "2.6.0+cpu"\nresolution-markers = ["sys_platform == \'linux\'"]\n'
    '[[package]]\nname = "torch"\nversion = "2.6.0+cu124"\nresolution-markers = ["sys_platform == \'linux\'"]\n'
)


@pytest.mark.parametrize(
    ("machine", "torch", "code", "line"),
    [
        (ADA, "2.7.1", "locked", 5),
        (AMPERE, "2.6.0", "locked", 13),
        (OLD_DRIVER, "2.6.0", "lock-build", 13),
        (NO_CARD, "2.6.0", "locked", 9),
    ],
)
def test_the_entry_of_a_lock_is_the_one_for_this_computer(
    tmp_path: Path, machine: Machine, torch: str, code: str, line: int
) -> None:
    pyproject = "[project]\nname = 't'\nversion = '1'\ndependencies = ['torch>=2.6']\n"
    found = decided(tmp_path, {"pyproject.toml": pyproject, "uv.lock": UV}, machine)
    assert build(found)[0] == torch
    [one] = [one for one in found.remarks if one.params.get("file") == "uv.lock"]
    assert (one.key.rpartition(".")[2], one.params["line"]) == (code, line)


def test_each_extra_is_cited_by_its_own_line_and_its_own_cuda(tmp_path: Path) -> None:
    pyproject = (
        "[project]\nname = 't'\nversion = '1'\n[project.optional-dependencies]\n"
        "cpu = ['torch==1.10.*']\ncuda = ['torch==1.10.*']\n"
        "[tool.uv.sources]\ntorch = [{ index = 'c', extra = 'cpu' }, { index = 'g', extra = 'cuda' }]\n"
        "[[tool.uv.index]]\nname = 'g'\nurl = 'https://download.pytorch.org/whl/cu113'\n"
        "[[tool.uv.index]]\nname = 'c'\nurl = 'https://download.pytorch.org/whl/cpu'\n"
    )
    found = decided(tmp_path, {"pyproject.toml": pyproject}, BLACKWELL)
    places = {one.name: [at.line for at in one.origins] for one in found.relaxed}
    assert (places["torch"], relaxed(found)["cuda"][0]) == ([5, 6], "cu113")


def test_names_in_lines_are_packages_where_something_says_so(tmp_path: Path) -> None:
    tasks = "walker-walk\ndog-trot\ncup-catch\n"
    for name, words, is_told in (
        ("tasks.txt", tasks, False),
        ("more.txt", f"{tasks}einops\n", True),
        ("more.txt", f"{tasks}spin==1.0\n", True),
        ("pip_requirements.txt", tasks, True),
    ):
        files: dict[str, str | bytes] = {"requirements.txt": "torch\n", name: words}
        found = decided(tmp_path / f"{name}{len(words)}", files, AMPERE)
        assert bool(codes(found) & {"not-read-too", "other-lists"} or "walker-walk" in rest(found)) == is_told


def test_only_the_comment_behind_a_bound_binds_nothing(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.3.1  # 2.2 is broken, 2.3.1 - 2.7.1 work\n"}
    [told] = said(decided(tmp_path, files, AMPERE), "in-words")
    assert told["text"] == "2.2 is broken, 2.3.1 - 2.7.1 work"


def test_the_project_itself_is_no_package_that_no_file_asks_for(tmp_path: Path) -> None:
    pyproject = "[project]\nname = 'my_lab'\nversion = '1'\ndependencies = ['torch']\n"
    readme = "# My lab\nIt runs with torch, plyfile==1.0 and `my-lab==0.6.1`.\n"
    found = decided(tmp_path, {"pyproject.toml": pyproject, "README.md": readme}, AMPERE)
    assert [one["packages"] for one in said(found, "named-apart")] == ["plyfile==1.0"]


def test_a_numpy_of_a_readme_is_in_the_plan_and_not_told_as_left_out(tmp_path: Path) -> None:
    readme = "# t\n```\nconda install 'numpy<1.24'\nconda install pytorch=1.13.1\n```\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "einops\n", "a.py": "import numpy\n"}
    found = decided(tmp_path, files, AMPERE)
    assert not codes(found) & {"needed-too", "recommended-too"}
    assert "<1.24" in found.numpy


def test_names_of_conda_are_not_offered_as_those_of_the_index(tmp_path: Path) -> None:
    readme = "# t\n```\nconda install -c conda-forge gym-atari tqdm\nconda install pytorch=1.13.1 cuda90\n```\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "einops\n"}
    found = decided(tmp_path, files, AMPERE)
    told = {code: [one["packages"] for one in said(found, code)] for code in ("recommended-conda", "recommended-too")}
    assert told == {"recommended-conda": ["gym-atari"], "recommended-too": ["tqdm"]}
    assert [tag.tag for tag in found.understood.tags] == ["cu90"]


def test_a_folder_that_another_line_installs_is_named_with_that_line(tmp_path: Path) -> None:
    readme = "# t\n```\npip install ./one\n# Optional: two\npip install ./two\n```\n"
    setup = "from setuptools import setup\nsetup(name='%s')\n"
    files: dict[str, str | bytes] = {
        "README.md": readme,
        "requirements.txt": "torch\n",
        "one/setup.py": setup % "one",
        "two/setup.py": setup % "two",
    }
    [told] = said(decided(tmp_path, files, AMPERE), "folders-too")
    assert (told["line"], told["packages"]) == (3, "./one, ./two (README.md:5)")


def test_a_package_that_builds_without_a_card_is_not_left_out_for_want_of_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.13.1\nMinkowskiEngine==0.5.4\n"}
    found = decided(tmp_path, files, NO_CARD)
    assert (without(found), codes(found) & {"no-card", "compiler"}) == ((), {"compiler"})


def test_a_toolkit_that_its_source_does_not_build_with_is_not_asked_for(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.5\nMinkowskiEngine\n"}
    assert not codes(decided(tmp_path, files, ADA)) & {"toolkit", "toolkit-since"}


def test_the_pin_of_what_is_left_out_without_a_card_says_which_torch_is_meant(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "triton==2.0.0\neinops\n", "a.py": "import torch\n"}, NO_CARD)
    assert (build(found)[0], without(found)) == ("2.0.1", ("triton",))


def test_what_moves_with_torch_is_named_by_its_own_release(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.0.1\ntriton==2.0.0\n"}, BLACKWELL)
    assert relaxed(found)["triton"][:2] == ("==2.0.0", "3.3.1")
    kept = decided(tmp_path / "kept", {"requirements.txt": "torch==2.0.1\ntriton>=3\n"}, BLACKWELL)
    assert "triton" not in relaxed(kept)


@pytest.mark.parametrize(("line", "is_told"), [("torch-geometric==2.3.1", False), ("torch-geometric==2.2.0", True)])
def test_what_is_plain_python_is_not_told_as_native_code(tmp_path: Path, line: str, is_told: bool) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.0.1\n{line}\n", "README.md": "pip install dlib\n"}
    lines = project_lines(decided(tmp_path, files, AMPERE), "en")
    [*told] = [one.strip() for one in lines.split("\n") if "native code" in one]
    assert told == ["Packages with native code: torch-geometric, torch-scatter, torch-sparse"] * is_told


def test_what_a_moved_pin_needed_is_not_told_again(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.13.1\nlibrosa==0.6.0\n"}
    found = decided(tmp_path, files, BLACKWELL)
    assert "librosa" in relaxed(found)
    assert not [one for one in said(found, "wheel-of-pin") if "librosa" in str(one["packages"])]


def test_a_list_for_this_system_that_has_most_of_the_other_counts_for_what_both_have(tmp_path: Path) -> None:
    others = "torch==2.0.1\nnumpy==1.23.5\nscipy==1.10.0\ntqdm\nrich\neinops\n"
    own = "torch\nnumpy\nscipy==1.7.3\ntqdm\nrich\n"
    files: dict[str, str | bytes] = {"requirements.txt": others, "requirements_win.txt": own}
    found = decided(tmp_path / "a", files, ADA)
    lines = {one.name: str(one.origin) for one in found.understood.packages}
    assert (build(found)[0], "1.23" in found.numpy, lines["scipy"]) == ("2.0.1", False, "requirements_win.txt:3")
    assert lines["einops"] == "requirements.txt:6"
    some: dict[str, str | bytes] = {**files, "requirements_win.txt": "numpy\nscipy==1.7.3\n"}
    assert "==1.23.5" in decided(tmp_path / "b", some, ADA).numpy


def test_what_conda_has_for_other_systems_alone_is_not_to_be_had_by_it(tmp_path: Path) -> None:
    readme = "# t\n```\nconda install -c conda-forge graph-tool=2.45 ffmpeg\n```\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": readme}
    told = {"conda-programs": "ffmpeg", "conda-elsewhere": "graph-tool"}
    assert {code: said(decided(tmp_path, files, ADA), code)[0]["packages"] for code in told} == told
    [one] = said(decided(tmp_path, files, AMPERE), "conda-programs")
    assert one["packages"] == "graph-tool, ffmpeg"
    listed: dict[str, str | bytes] = {"environment.yml": "dependencies:\n- pytorch\n- hmmer\n- gcc\n- kalign2==2.04\n"}
    told = {"conda-libraries": "gcc", "conda-libraries-elsewhere": "hmmer, kalign2"}
    found = decided(tmp_path / "listed", listed, ADA)
    assert {code: said(found, code)[0]["packages"] for code in told} == told
    assert said(decided(tmp_path / "linux", listed, AMPERE), "conda-libraries")[0]["count"] == 3


def test_the_call_that_a_start_comes_to_first_is_named_with_how_many_others(tmp_path: Path) -> None:
    load = "import torch\nx = torch.load('a')\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==1.13.1\n",
        "README.md": "# t\n```\ncd src\npython main.py\n```\n",
        "a_tool.py": load,
        "src/main.py": "from model import x\n",
        "src/model.py": load,
    }
    found = decided(tmp_path, files, BLACKWELL)
    [one] = [one for one in found.remarks if one.key.endswith(".code-option")]
    assert text(one, "en").startswith("src/model.py, line 2 (and 1 more) calls torch.load")


def test_a_part_that_tries_itself_wants_no_card_of_the_program_that_is_started(tmp_path: Path) -> None:
    card = "import torch\nx = torch.zeros(1)\nif __name__ == '__main__':\n    x.cuda()\n"
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\n",
        "README.md": "# t\n```\npython main.py\n```\n",
        "drop.py": card,
        "main.py": "from drop import x\n",
    }
    assert "named-no-card" not in codes(decided(tmp_path / "a", files, NO_CARD))
    files["main.py"] = f"from drop import x\n{card}"
    assert said(decided(tmp_path / "b", files, NO_CARD), "named-no-card")[0]["file"] == "main.py"
