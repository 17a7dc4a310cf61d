"""Texts of very many lines of one kind: each is gone through a few times, however many there are, and cut where nobody
reads on.

Counted in calls, which are the same on each computer; times are not.
"""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path
from types import FrameType

import pytest

from tests.project.deciding import AMPERE, decided
from tests.project.test_read import codes, one, project_of
from wizard.project.model import FileLine
from wizard.project.read import read_project
from wizard.project.search import notes, reader
from wizard.project.search.files import MOST_LINES, ProjectFolder

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
    "a list of cards": ("README.md", 'TORCH_CUDA_ARCH_LIST="8.0;8.6" pip install ./a{n}'),
    "a list of cards in a block": ("README.md", '```\nTORCH_CUDA_ARCH_LIST="8.0;8.6" python setup.py a{n}\n```'),
    "a list of cards below a heading": ("README.md", '## Install a{n}\nTORCH_CUDA_ARCH_LIST="8.0" pip install a{n}'),
}


COMPILED = "from torch.utils.cpp_extension import CUDAExtension\nit = CUDAExtension('it', ['it.cu'])\n"


def work(folder: Path, file: str, line: str, lines: int) -> int:
    """Return how many calls a plan takes."""
    folder.mkdir()
    count = 0

    def counted(frame: FrameType, event: str, what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    words = "\n".join(line.replace("{n}", str(number)) for number in range(lines))
    files: dict[str, str | bytes] = {"README.md": "`python run.py`\n", "build.py": COMPILED, file: words}
    files["pyproject.toml"] = '[project]\nname = "net"\nversion = "1"\ndependencies = ["torch>=2"]\n'
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        decided(folder, files, AMPERE)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.slow
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


def test_each_file_is_read_as_often_for_many_submodules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, names = ProjectFolder.read, list[str]()

    def counted(self: ProjectFolder, name: str) -> str | None:
        names.append(name)
        return read(self, name)

    monkeypatch.setattr(ProjectFolder, "read", counted)
    counts = []
    for count in (2, 40):
        modules = (f'[submodule "m{n}"]\n\tpath = lib/m{n}\n\turl = https://example.org/m{n}\n' for n in range(count))
        files: dict[str, str | bytes] = {"requirements.txt": "torch\n", ".gitmodules": "".join(modules)}
        files |= {f"m{n}.py": "import torch\nimport m0.a\n" for n in range(20)} | {"build.sh": "cd lib/m1 && make\n"}
        names.clear()
        found = project_of(tmp_path / str(count), files)
        assert {"submodules", "submodules-aside"} & set(codes(found))
        counts.append(len(names))
    assert counts[0] == counts[1]


@pytest.mark.slow
def test_settings_that_choose_a_class_are_not_kept(tmp_path: Path) -> None:
    """Gigabytes of data may lie beside a program; each file is let go before the next one is read."""
    program = "import torch\n@torch.compile\ndef f(x):\n    return x\nclass Way:\n    pass\n"
    ways = "from way import Way\nWAYS.register_module(module=Way, name='Way_2')\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "way.py": program, "ways.py": ways}
    files |= {f"data/{n}.json": '{"a": 1}\n' * 60_000 for n in range(30)}  # 16 MB
    project_of(tmp_path, files)
    tracemalloc.start()
    try:
        read_project(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
    finally:
        tracemalloc.stop()


def test_of_many_sentences_in_two_languages_each_is_held_against_some(monkeypatch: pytest.MonkeyPatch) -> None:
    held = list[object]()
    monkeypatch.setattr(notes, "_is_translation", lambda *both: bool(held.append(both)))
    said = (("You must have CUDA 11.{}", "必须安装 CUDA 12.{}") * 800)[:1600]
    assert len([*notes._once(FileLine("README.md", n, one.format(n)) for n, one in enumerate(said))]) == 1600
    assert len(held) <= 1600 * 200


def test_what_stands_above_a_part_is_short_whatever_its_line() -> None:
    words = f"# a\n## {'title ' * 9_000}\n{'leads ' * 9_000}:\n\n" + "- CUDA 11 is needed\n" * 9
    assert max(len(one.above) for one in notes._parts(words)) < 3_000


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
