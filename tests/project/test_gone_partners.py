"""What the programs of a project use and newer releases of the packages beside torch no longer have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, build, decided
from wizard.project.decide import ProjectDecision

Files = dict[str, str | bytes]
SAID = ("code-holds", "code-fails", "code-none", "code-beside")
STARTED = "```\npython main.py\n```\n"


def told(found: ProjectDecision) -> list[tuple[str, object, object]]:
    lines = [(one.key.rpartition(".")[2], one) for one in found.remarks]
    return [
        (code, f"{one.params['file']}:{one.params['line']}", one.params["name"]) for code, one in lines if code in SAID
    ]


def bounds(found: ProjectDecision) -> list[str]:
    return [str(one) for one in found.understood.constraints if one.group == "code"]


GRAPH = "import networkx as nx\n\n\ndef f(x):\n    return nx.from_numpy_matrix(x)\n"


@pytest.mark.parametrize(
    ("line", "codes", "bound"),
    [
        ("networkx", ["code-holds"], ["networkx<3"]),
        ("networkx>=2.5", ["code-holds"], ["networkx<3"]),
        ("networkx==3.2", [], []),  # its authors run it with that
        ("networkx==2.8", [], ["networkx<3"]),
        ("tqdm", [], ["networkx<3"]),  # which binds nothing where nobody asks for it
    ],
)
def test_a_package_that_lines_leave_open_is_held_where_it_has_a_name(
    tmp_path: Path, line: str, codes: list[str], bound: list[str]
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch\n{line}\n", "main.py": GRAPH}, ADA)
    assert [one[0] for one in told(found)] == codes
    assert bounds(found) == bound
    assert build(found)[2] == "3.12"


def test_what_no_line_asks_for_is_told_of_programs_that_a_readme_starts(tmp_path: Path) -> None:
    files: Files = {"requirements.txt": "torch\n", "main.py": "import part\n", "part.py": GRAPH, "a.py": GRAPH}
    assert told(decided(tmp_path / "a", files, ADA)) == []
    found = decided(tmp_path / "b", {**files, "README.md": STARTED}, ADA)
    assert told(found) == [("code-beside", "part.py:5", "networkx.from_numpy_matrix")]


def test_a_release_that_no_wheel_of_this_python_has_is_told_with_one_that_has(tmp_path: Path) -> None:
    program = "import tensorflow as tf\n\n\ndef f():\n    return tf.Session()\n"
    found = decided(tmp_path / "a", {"requirements.txt": "torch\ntensorflow\n", "main.py": program}, ADA)
    assert told(found) == [("code-none", "main.py:5", "tensorflow.Session")]
    [said] = [one.params for one in found.remarks if one.key.endswith("code-none")]
    assert (said["python"], said["older"], bounds(found)) == (build(found)[2], "3.7", [])
    new = program.replace("tensorflow as", "tensorflow.compat.v1 as")
    assert told(decided(tmp_path / "b", {"requirements.txt": "torch\ntensorflow\n", "main.py": new}, ADA)) == []


def test_what_a_setup_leaves_out_is_a_persons_to_add(tmp_path: Path) -> None:
    program = "from MinkowskiEngine import convert_to_int_tensor\n"
    found = decided(tmp_path, {"requirements.txt": "torch\nMinkowskiEngine\n", "main.py": program}, AMPERE)
    assert told(found) == [("code-beside", "main.py:1", "MinkowskiEngine.convert_to_int_tensor")]


@pytest.mark.parametrize(
    ("package", "program", "is_told"),
    [
        ("pytorch-lightning", "import pytorch_lightning as pl\npl.Trainer(gpus=1)\n", True),
        ("pytorch-lightning", "from pytorch_lightning import Trainer\nTrainer(devices=1)\n", False),
        ("librosa", "import librosa\nlibrosa.filters.mel(22050, 1024)\n", True),
        ("librosa", "import librosa\nlibrosa.filters.mel(sr=22050, n_fft=1024)\n", False),
        ("librosa", "import librosa\nlibrosa.load('a.wav', 22050)\n", True),
        ("librosa", "import librosa\nlibrosa.load('a.wav', sr=22050)\n", False),
        ("pillow", "from PIL import Image\nprint(Image.ANTIALIAS)\n", True),
        ("pillow", "from PIL import Image\nprint(getattr(Image, 'ANTIALIAS', 1))\n", False),
        ("scikit-learn", "from sklearn.externals import joblib\n", True),
        ("moviepy", "from moviepy.editor import VideoFileClip\n", True),
        ("moviepy", "try:\n    from moviepy.editor import A\nexcept ImportError:\n    from moviepy import A\n", False),
    ],
)
def test_calls_and_imports_of_older_releases_are_known(
    tmp_path: Path, package: str, program: str, is_told: bool
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch\n{package}\n", "main.py": program}, AMPERE)
    assert bool(told(found)) == is_told


def test_a_function_of_a_started_program_bounds_python_where_that_costs_little(tmp_path: Path) -> None:
    within = "import collections\n\n\ndef f(x):\n    return isinstance(x, collections.Iterable)\n"
    files: Files = {"requirements.txt": "torch\n", "main.py": within, "README.md": STARTED}
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[2], told(found)) == ("3.9", [("code-holds", "main.py:5", "collections.Iterable")])
    assert told(decided(tmp_path / "b", {**files, "README.md": "Have fun.\n"}, AMPERE)) == []
    clock = "import time\n\n\ndef f():\n    return time.clock()\n"
    found = decided(tmp_path / "c", {**files, "main.py": clock}, AMPERE)
    assert (build(found)[2], told(found)) == ("3.12", [("code-fails", "main.py:5", "time.clock")])
    first = {**files, "main.py": "from fractions import gcd\n"}
    assert build(decided(tmp_path / "d", first, AMPERE))[2] == "3.8"


def test_of_several_lines_that_of_a_started_program_is_told(tmp_path: Path) -> None:
    program = "import numpy as np\nx = np.float\n"
    files: Files = {"requirements.txt": "torch\n", "a.py": program, "main.py": "import z\n", "z.py": program}
    assert [one[1] for one in told(decided(tmp_path / "a", files, ADA))] == ["a.py:2"]
    assert [one[1] for one in told(decided(tmp_path / "b", {**files, "README.md": STARTED}, ADA))] == ["z.py:2"]


def test_an_old_networkx_that_no_newer_python_imports_has_no_wheel(tmp_path: Path) -> None:
    for number, (line, is_lacking) in enumerate((("networkx>=2.2,<2.3", True), ("networkx==2.5", False))):
        found = decided(tmp_path / str(number), {"requirements.txt": f"torch==1.13.1\n{line}\n"}, AMPERE)
        said = [one.params["packages"] for one in found.remarks if one.key.endswith("wheel-of-pin")]
        assert said == ["networkx"] * is_lacking
        assert build(found)[2] == "3.10"


@pytest.mark.parametrize(
    ("program", "torch"),
    [("from torchtext.data import Field\n", "1.7.1"), ("from torchtext.legacy import data\n", "1.10.2")],
)
def test_what_torchtext_lacks_holds_the_torch_that_it_goes_with(tmp_path: Path, program: str, torch: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\ntorchtext\n", "main.py": program}, AMPERE)
    assert build(found)[0] == torch
