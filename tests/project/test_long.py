"""Texts of very many lines of one kind: each is gone through a few times, however many there are, and cut where nobody
reads on.

Counted in calls, which are the same on each computer; times are not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import pytest

from tests.project.deciding import AMPERE, decided
from tests.project.test_read import codes, one, project_of
from wizard.project.search import reader
from wizard.project.search.files import MOST_LINES

FEW, MANY = 100, 800  # lines
TIMES = MANY / FEW

# A line of one kind, with its number in `{n}`, and the file that is full of it.
LINES = {
    "a program in words": ("README.md", "needs ffmpeg"),
    "a command that goes on": ("README.md", "apt-get install \\"),
    "an install that goes on": ("README.md", "pip install \\"),
    "conda's that goes on": ("README.md", "conda install a{n} \\"),
    "torch in words": ("README.md", "- torch==1.{n}"),
    "a pin": ("README.md", "pip install a{n}==1.{n}"),
    "a list that is not there": ("README.md", "pip install -r requirements{n}.txt"),
    "a folder": ("README.md", "pip install -e ./a{n}"),
    "a repository": ("README.md", "git clone https://github.com/a/b{n} && cd b{n} && pip install . && cd .."),
    "a step": ("README.md", "```\nwget https://example.org/{n}.whl\n```"),
    "a heading": ("README.md", "## Windows {n}"),
    "a fence": ("README.md", "```"),
    "a program that is started": ("README.md", "python run{n}.py"),
    "a Dockerfile's": ("Dockerfile", "RUN apt-get install -y lib{n}-dev && pip install a{n} \\"),
    "a script's": ("install.sh", "bash other{n}.sh; pip install a{n}; cd a{n}"),
    "a list's that nobody can read": ("requirements.txt", "??? {n}"),
    "a list's": ("requirements.txt", "a{n}==1.{n}"),
    "a list's for torch": ("requirements.txt", "torch==1.{n}"),
    "a comment with a Python": ("requirements.txt", "# Python 3.8"),
    "an import": ("run.py", "import module{n}"),
}


def work(folder: Path, file: str, line: str, lines: int) -> int:
    """Return how many calls a plan takes."""
    folder.mkdir()
    count = 0

    def counted(frame: FrameType, event: str, what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    words = "\n".join(line.replace("{n}", str(number)) for number in range(lines))
    files: dict[str, str | bytes] = {"README.md": "`python run.py`\n", file: words}
    files["pyproject.toml"] = '[project]\nname = "net"\nversion = "1"\ndependencies = ["torch>=2"]\n'
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        decided(folder, files, AMPERE)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("kind", LINES)
def test_more_lines_take_as_much_more_work(tmp_path: Path, kind: str) -> None:
    work(tmp_path / "first", *LINES[kind], 2)  # which also reads the tables
    few, many = (work(tmp_path / str(lines), *LINES[kind], lines) for lines in (FEW, MANY))
    assert many < 1.4 * TIMES * few


def test_a_readme_is_read_for_its_commands_a_few_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, read = list[str](), reader.read_commands

    def counted(file: str, *others: object) -> None:
        names.append(file)
        read(file, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "read_commands", counted)
    monkeypatch.setattr("wizard.project.formats.by_name.read_commands", counted)
    project_of(tmp_path, {"requirements.txt": "torch\n", "README.md": "pip install -r requirements.txt\n"})
    assert names.count("README.md") <= 2


@pytest.mark.parametrize("file", ["README.md", "docs/install.rst", "Dockerfile", "install.sh"])
def test_a_text_that_nobody_reads_to_its_end_is_cut_and_that_is_told(tmp_path: Path, file: str) -> None:
    words = "\n" * (MOST_LINES - 1) + "RUN pip install torch==2.1.0\nRUN pip install torch==2.2.0\n"
    found = project_of(tmp_path, {"requirements.txt": "numpy\n", file: words})
    assert one(found, "torch").specifier == "==2.1.0"
    assert "too-long" in codes(found)


def test_of_one_remark_no_more_are_made_than_anybody_reads(tmp_path: Path) -> None:
    found = project_of(tmp_path, {"requirements.txt": "torch\n" + "".join(f"??? {n}\n" for n in range(9_000))})
    assert codes(found) == ["unreadable-line"] * 200


def test_a_command_that_goes_on_where_the_text_ends_is_read(tmp_path: Path) -> None:
    found = project_of(tmp_path, {"requirements.txt": "numpy\n", "Dockerfile": "RUN pip install \\\n torch==2.1.0 \\"})
    assert one(found, "torch").specifier == "==2.1.0"
