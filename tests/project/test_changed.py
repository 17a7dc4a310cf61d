"""On which day a project was last changed, by what lies in its folder, and what it gets by that day."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.project.deciding import AMPERE, decided
from tests.tools import needs
from wizard.app.project_address import bring_project
from wizard.compatibility.model import Choices
from wizard.project.changed import changed_on
from wizard.project.decide import ProjectDecision
from wizard.project.read import read_project
from wizard.project.search.files import ProjectFolder

WANTS_GIT = needs("git")
DAY = "2022-03-14"


def git(folder: Path, *words: str) -> str:
    calm = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(folder)}
    who = {f"GIT_{kind}_{of}": "a@b" for kind in ("AUTHOR", "COMMITTER") for of in ("NAME", "EMAIL")}
    dates = {"GIT_COMMITTER_DATE": f"{DAY}T23:30:00 -0000", "GIT_AUTHOR_DATE": "2020-01-01T00:00:00 -0000"}
    environment = {**os.environ, **calm, **who, **dates}
    done = subprocess.run(["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def day(folder: Path) -> str:
    return changed_on(ProjectFolder(folder), [])


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy by git with many commits, the last on that day."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "feature/new-one")
    for number in range(30):
        (folder / "below").mkdir(exist_ok=True)
        for name in ("requirements.txt", "a.py", "below/b.py"):
            (folder / name).write_text(f"torch\n# {number}\n")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "x")
    return folder


@WANTS_GIT
def test_of_a_copy_by_git_its_newest_commit_counts_however_it_is_kept(copy: Path, tmp_path: Path) -> None:
    assert day(copy) == DAY
    assert day(copy / "below") == DAY, "a part of it"
    git(copy, "gc", "-q")
    assert list((copy / ".git" / "objects" / "pack").glob("*.idx"))
    assert not (copy / ".git" / "refs" / "heads" / "feature" / "new-one").exists()
    assert day(copy) == DAY, "packed, with its branch"
    git(copy, "checkout", "-q", "--detach")
    assert day(copy) == DAY
    git(tmp_path, "clone", "-q", "--depth", "1", copy.as_uri(), "clone")
    assert day(tmp_path / "clone") == DAY


@WANTS_GIT
@pytest.mark.parametrize("of", ["*.idx", "*.pack"])
def test_what_git_keeps_and_is_broken_says_nothing(copy: Path, of: str) -> None:
    git(copy, "gc", "-q")
    [path] = (copy / ".git" / "objects" / "pack").glob(of)
    whole = path.read_bytes()
    path.chmod(0o644)
    for size in range(0, len(whole) - 20, max(1, len(whole) // 60)):
        path.write_bytes(whole[:size])
        assert day(copy) in ("", DAY)
        path.write_bytes(whole[:size] + b"\xff" * (len(whole) - size))
        assert day(copy) in ("", DAY)
    path.write_bytes(b"")
    assert day(copy) == ""


@pytest.mark.parametrize(
    "head", ["", "ref: refs/heads/../../../../etc/passwd\n", "ref: refs/heads/none\n", "0" * 40, "x" * 9_000_000]
)
def test_a_head_that_leads_nowhere_says_nothing(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text("import torch\n")
    os.utime(tmp_path / "a.py", (1.5e9, 1.5e9))
    entry = struct.pack(">10I20sH", *[0] * 2, int(1.5e9), *[0] * 6, 13, b"", 4) + b"a.py" + b"\0" * 6
    (tmp_path / ".git" / "index").write_bytes(struct.pack(">4sII", b"DIRC", 2, 1) + entry)
    (tmp_path / ".git" / "HEAD").write_text(head)
    assert day(tmp_path) == ""
    (tmp_path / ".git" / "HEAD").unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / ".git" / "HEAD")
    assert day(tmp_path) == ""
    shutil.rmtree(tmp_path / ".git")
    (tmp_path / ".git").write_text("gitdir: ../elsewhere\n")  # a copy beside another
    assert day(tmp_path) == ""


@pytest.mark.parametrize(("then", "said"), [("2022-03-14", DAY), ("1980-01-01", ""), ("2107-12-31", "")])
def test_of_an_archive_the_day_of_its_newest_file_counts(tmp_path: Path, then: str, said: str) -> None:
    year, month, of_month = map(int, then.split("-"))
    with zipfile.ZipFile(tmp_path / "net.zip", "w") as archive:
        for name, hour in (("a.py", 12), ("b.py", 11)):
            archive.writestr(zipfile.ZipInfo(f"net/{name}", (year, month, of_month, hour, 0, 0)), "torch\n")
    made = bring_project(str(tmp_path / "net.zip"), lambda: False, tmp_path / "projects")
    assert day(made) == said
    for path in made.iterdir():
        path.write_text("torch\n")
    assert day(made) == datetime.now(timezone.utc).date().isoformat(), "who changes it has it of today"


def aged(folder: Path, days: int, choices: Choices = Choices()) -> ProjectDecision:  # noqa: B008 (frozen)
    """Return the decision for a project that was last changed so many days ago."""
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nnumpy==1.26.4\ntransformers\nxformers\nold @ https://a.example/x\n"
    }
    decided(folder, files, AMPERE)
    then = (datetime.now(timezone.utc) - timedelta(days=days)).timestamp()
    for path in folder.iterdir():
        os.utime(path, (then, then))
    return decided(folder, {}, AMPERE, choices)


def test_what_an_old_project_leaves_open_is_taken_of_its_time(tmp_path: Path) -> None:
    found = aged(tmp_path / "a", 1000)
    [said] = [one for one in found.remarks if one.key == "project.remark.as-of"]
    assert (said.params["day"], said.params["packages"]) == (found.as_of, "transformers")
    assert found.as_of == (datetime.now(timezone.utc) - timedelta(days=1000)).date().isoformat()
    assert aged(tmp_path / "b", 500).as_of == ""
    late = aged(tmp_path / "e", 3600)
    assert [one.key for one in late.remarks if "as-of" in one.key] == ["project.remark.as-of-late"]
    assert late.as_of == ""
    decided(tmp_path / "f", {"requirements.txt": "torch\nMinkowskiEngine\ntransformers\n"}, AMPERE)
    os.utime(tmp_path / "f/requirements.txt", (1.5e9, 1.5e9))
    built = [one for one in decided(tmp_path / "f", {}, AMPERE).remarks if one.key == "project.remark.as-of-late"]
    assert [one.params["packages"] for one in built] == ["minkowskiengine, transformers"]  # a person builds the first
    assert aged(tmp_path / "c", 1000, Choices(as_of="today")).as_of == ""
    assert aged(tmp_path / "d", 2, Choices(as_of="2023-05-01")).as_of == "2023-05-01"


@pytest.mark.parametrize(
    ("url", "is_told"),
    [
        ("git+https://github.com/huggingface/transformers", True),
        ("git+https://github.com/huggingface/transformers.git#egg=transformers", True),
        ("git+https://github.com/huggingface/transformers@v4.28.0", False),
        ("git+https://github.com/huggingface/transformers.git@0a1b2c3#egg=transformers", False),
        ("https://a.example/transformers-4.28.0-py3-none-any.whl", False),
    ],
)
def test_the_newest_state_of_a_repository_is_told_beside_old_code(tmp_path: Path, url: str, is_told: bool) -> None:
    for days, told in ((1000, is_told), (30, False)):
        folder = tmp_path / str(days)
        folder.mkdir()
        then = (datetime.now(timezone.utc) - timedelta(days=days)).timestamp()
        (folder / "requirements.txt").write_text(f"torch\ntransformers @ {url}\n")
        os.utime(folder / "requirements.txt", (then, then))
        found = decided(folder, {}, AMPERE)
        assert ("project.remark.as-of-heads" in [one.key for one in found.remarks]) == told


def test_what_another_line_pins_or_the_plan_bounds_is_not_left_open(tmp_path: Path) -> None:
    conda = "dependencies:\n- python=3.10\n- numpy=1.22.3\n- scipy=1.10\n- pytorch\n- pip:\n  - pandas\n  - tqdm\n"
    given = {"environment.yml": conda, "constraints.txt": "pandas==1.5.3\n", "setup.py": "import setuptools\n"}
    given["requirements.txt"] = "-c constraints.txt\npandas\nrich\nrich==12.0 ; python_version < '3.11'\n"
    given |= {"a.py": "import librosa\nlibrosa.output.write_wav('a', b, 1)\n"}
    for number, (more, seconds, left) in enumerate((("", 1.68e9, ["tqdm"]), ("librosa\n", 1.5e9, ["tqdm"]))):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, words in given.items():
            (folder / name).write_text(words + (more if name == "requirements.txt" else ""))
            os.utime(folder / name, (seconds, seconds))
        told = [
            one for one in decided(folder, {}, AMPERE).remarks if one.key.rpartition(".")[2] in ("as-of", "as-of-late")
        ]
        assert [str(one.params["packages"]).split(", ") for one in told] == [left]


def test_a_project_of_pins_alone_is_told_nothing_of_days(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.3.0\nnumpy==1.26.4\n")
    os.utime(tmp_path / "requirements.txt", (1.65e9, 1.65e9))
    assert read_project(tmp_path).changed == "2022-04-15"
    (tmp_path / "other.txt").write_text("of today")
    assert read_project(tmp_path / "requirements.txt").changed == "2022-04-15", "what lies beside one file is not its"
    (tmp_path / "other.txt").unlink()
    found = decided(tmp_path, {}, AMPERE)
    assert "project.remark.as-of" not in [one.key for one in found.remarks]


@pytest.mark.parametrize(
    ("then", "python"), [("2021-06-01", "3.9"), ("2022-06-01", "3.10"), ("2023-06-01", "3.11"), ("2026-01-01", "3.12")]
)
def test_the_python_is_the_newest_that_a_torch_of_that_day_had(tmp_path: Path, then: str, python: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch<2.5\n"}, AMPERE, Choices(as_of=then))
    assert found.python == python


@WANTS_GIT
def test_what_was_written_since_and_what_git_does_not_have_is_of_its_own_day(copy: Path) -> None:
    later = datetime(2024, 5, 1, tzinfo=timezone.utc).timestamp()
    for name in ("other", "bel"):
        (copy / name).mkdir()
        (copy / name / "a.py").write_text("import torch\n")
        os.utime(copy / name / "a.py", (later, later))
        assert day(copy / name) == "2024-05-01", "somebody's folder within another's copy"
    (copy / "out.txt").write_text("what a run has written")
    assert day(copy) == DAY
    (copy / "a.py").write_text("import torch\n")
    git(copy, "status")
    assert day(copy) == datetime.now(timezone.utc).date().isoformat()


@WANTS_GIT
def test_git_folders_without_end_take_no_memory(copy: Path) -> None:
    git(copy, "gc", "-q")
    [pack] = (copy / ".git" / "objects" / "pack").glob("*.pack")
    head = git(copy, "rev-parse", "HEAD")
    for path in (pack, copy / ".git" / "index", copy / ".git" / "objects" / head[:2] / head[2:]):
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        with path.open("wb") as file:
            file.truncate(200 << 30)
        assert day(copy) in ("", DAY, datetime.now(timezone.utc).date().isoformat())
        path.unlink()


def test_a_file_of_the_future_says_nothing(tmp_path: Path) -> None:
    for name, seconds in (("a.py", 1.65e9), ("b.py", 4e9)):
        (tmp_path / name).write_text("import torch\n")
        os.utime(tmp_path / name, (seconds, seconds))
    assert day(tmp_path) == "2022-04-15"


@pytest.mark.parametrize(("seconds", "is_told"), [(1.65e9, True), (1.75e9, False)])
def test_a_load_that_is_older_than_the_torch_which_refuses_it_is_told(
    tmp_path: Path, seconds: float, is_told: bool
) -> None:
    files = {"requirements.txt": "torch\nnumpy==2.2.0\n", "a.py": "import torch\nstate = torch.load('a.pt')\n"}
    for name, words in files.items():
        (tmp_path / name).write_text(words)
        os.utime(tmp_path / name, (seconds, seconds))
    found = [one for one in decided(tmp_path, {}, AMPERE).remarks if one.key == "project.remark.code-option-old"]
    assert [(one.params["line"], one.params["argument"]) for one in found] == ([(2, "weights_only")] if is_told else [])


def test_an_import_that_no_line_declares_may_be_brought_by_another_package(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nsome-net-of-nobody\n",
        "README.md": "`python run.py`\n",
        "run.py": "import torch\nimport tqdm\nimport nobody_knows_this\n",
    }
    found = [one for one in decided(tmp_path, files, AMPERE).remarks if one.key == "project.remark.undeclared-perhaps"]
    assert [one.params["packages"] for one in found] == ["tqdm (run.py:2)"]


@WANTS_GIT
def test_a_submodule_is_no_change(copy: Path) -> None:
    """git keeps no length of its folder."""
    git(copy, "update-index", "--add", "--cacheinfo", f"160000,{git(copy, 'rev-parse', 'HEAD')},sub")
    git(copy, "commit", "-q", "-m", "x")
    (copy / "sub").mkdir()
    assert day(copy) == DAY
