"""What the programs of a project use and newer releases of NumPy, Python or torch no longer have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, build, codes, decided
from wizard.project.decide import ProjectDecision
from wizard.project.versions import meets

FLOAT = "import numpy as np\n\n\ndef f(x):\n    return x.astype(np.float)\n"
GONE = {"code-holds", "code-fails", "code-option", "code-never", "code-whole"}


def told(found: ProjectDecision) -> list[tuple[str, object, object, object]]:
    lines = [one for one in found.remarks if one.key.rpartition(".")[2] in GONE]
    return [(one.key.rpartition(".")[2], one.params["file"], one.params["line"], one.params["name"]) for one in lines]


def test_numpy_stays_below_the_release_that_lacks_a_name_and_python_with_it(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n", "main.py": FLOAT}, ADA)
    assert (found.numpy, build(found)[2]) == ("<1.24", "3.11")  # of 3.12 no such NumPy has a wheel
    assert told(found) == [("code-holds", "main.py", 5, "numpy.float")]
    assert "<1.24" in [one.specifier for one in found.understood.constraints if one.name == "numpy"]


@pytest.mark.parametrize(
    "program",
    [
        "import numpy as np\n\n\ndef f(x):\n    return x.astype(np.float32)\n",
        "import numpy as np\n\ntry:\n    kind = np.float\nexcept AttributeError:\n    kind = float\n",
        "import numpy as np\n\nif np.__version__ < '1.20':\n    print(np.float)\n",
        "import numpy as np\n\nif not hasattr(np, 'float'):\n    np.float = float\nprint(np.float)\n",
        "import numpy as np\n\nnp.float = float\nprint(np.float)\n",
        "import torch as np\n\nprint(np.float)\n",
        "def f(np):\n    return np.float\n",
        "# np.float\nimport numpy as np\n",
        "import numpy as np\nnp.float(\n",
    ],
)
def test_what_is_no_use_of_the_name_holds_nothing(tmp_path: Path, program: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n", "main.py": program}, ADA)
    assert (found.numpy, told(found)) == ("", [])


@pytest.mark.parametrize("file", ["tests/a.py", "third_party/net/a.py", "examples/a.py", "pkg/test_a.py"])
def test_programs_that_no_start_needs_hold_nothing(tmp_path: Path, file: str) -> None:
    assert decided(tmp_path, {"requirements.txt": "torch\n", file: FLOAT}, ADA).numpy == ""


def test_a_pin_of_a_release_without_the_name_counts_and_the_line_is_none_that_is_reached(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\nnumpy==1.26.4\n", "main.py": FLOAT}, ADA)
    assert (found.numpy, told(found), found.is_exact) == ("==1.26.4", [], True)


def test_a_pin_that_has_the_name_is_no_news(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"requirements.txt": "torch\nnumpy==1.23.5\n", "main.py": FLOAT}, ADA)
    assert (found.numpy, told(found)) == ("==1.23.5", [])
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.8.1\nnumpy==1.17.1\n", "main.py": FLOAT}
    moved = decided(tmp_path / "moved", files, BLACKWELL)  # no wheel of it for any Python of this torch
    assert (moved.numpy, [one for one in told(moved) if one[0] != "code-option"]) == (">=1.19.3,<1.20", [])


BOOL = "import numpy as np\n\n\ndef f(x):\n    return x.astype(np.bool)\n"


def test_a_name_that_came_back_holds_numpy_below_the_gap_where_it_is_below_2(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.8.1\nnumpy<2\n", "main.py": BOOL}
    found = decided(tmp_path / "a", files, AMPERE)
    assert told(found) == [("code-holds", "main.py", 5, "numpy.bool")]
    assert not any(meets(found.numpy, one) for one in ("1.24.4", "1.26.4", "2.0.0"))
    assert meets(found.numpy, "1.23.5")
    open_ended = decided(tmp_path / "b", {**files, "requirements.txt": "torch\n"}, ADA)  # 2 and newer have it
    assert (open_ended.numpy, told(open_ended)) == ("", [])
    pinned = decided(tmp_path / "c", {**files, "requirements.txt": "torch\nnumpy==1.26.4\n"}, ADA)
    assert (pinned.numpy, told(pinned)) == ("==1.26.4", [])


def test_a_numpy_name_that_is_gone_since_2_4_holds_it_below(tmp_path: Path) -> None:
    program = "import numpy as np\n\n\ndef f(x, y):\n    return np.in1d(x, y)\n"
    found = decided(tmp_path, {"requirements.txt": "torch\n", "main.py": program}, ADA)
    assert (found.numpy, told(found)) == ("<2.4", [("code-holds", "main.py", 5, "numpy.in1d")])


def test_a_line_that_fails_with_the_python_that_is_asked_for_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nnumpy==1.23.5\n", "main.py": FLOAT}
    files["pyproject.toml"] = '[project]\nname = "x"\nversion = "1"\nrequires-python = "==3.12.*"\n'
    found = decided(tmp_path, files, ADA)
    assert told(found) == [("code-fails", "main.py", 5, "numpy.float")]
    found = decided(tmp_path, {**files, "requirements.txt": "torch\n"}, ADA)
    assert (told(found), found.numpy) == ([("code-fails", "main.py", 5, "numpy.float")], "")
    assert "numpy" not in [one.name for one in found.understood.constraints]


def test_python_stays_below_the_release_without_what_is_imported_first(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "main.py": "from collections import Mapping\n"}
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[2], told(found)) == ("3.9", [("code-holds", "main.py", 1, "collections.Mapping")])
    within = "import collections\n\n\ndef f(x):\n    return isinstance(x, collections.Mapping)\n"
    assert not GONE & codes(decided(tmp_path / "b", {**files, "main.py": within}, AMPERE))
    both = "try:\n    from collections.abc import Mapping\nexcept ImportError:\n    from collections import Mapping\n"
    assert not GONE & codes(decided(tmp_path / "c", {**files, "main.py": both}, AMPERE))
    own: dict[str, str | bytes] = {"requirements.txt": "torch\n", "main.py": "import imp\n", "imp.py": ""}
    assert not GONE & codes(decided(tmp_path / "d", own, AMPERE))


def test_a_python_that_has_to_move_moves_within_what_programs_need(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - python=3.7\n  - pytorch=1.10\n"}
    files["main.py"] = "from collections import Mapping\n"
    found = decided(tmp_path, files, BLACKWELL)
    [moved] = [one for one in found.relaxed if one.name == "python"]
    assert (moved.given, moved.asked, [str(at) for at in moved.origins]) == ("3.9", "==3.7.*", ["environment.yml:2"])


def test_a_module_that_torch_no_longer_has_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "util/misc.py": "from torch._six import inf\n"}
    assert told(decided(tmp_path / "a", files, BLACKWELL)) == [("code-fails", "util/misc.py", 1, "torch._six")]
    assert told(decided(tmp_path / "a", files, AMPERE)) == [("code-holds", "util/misc.py", 1, "torch._six")]
    files["requirements.txt"] = "torch==1.13.1\n"
    assert told(decided(tmp_path / "b", files, AMPERE)) == []


FFI = "from torch.utils.ffi import create_extension\n"


def test_what_no_torch_of_the_tables_has_is_told_as_running_with_none(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==0.4.1\n", "ops/nms.py": "import torch\n" + FFI}
    for number, on in enumerate((BLACKWELL, AMPERE, ADA)):
        found = told(decided(tmp_path / str(number), files, on))
        assert found == [("code-never", "ops/nms.py", 2, "torch.utils.ffi")]
    files["requirements.txt"] = "torch>=1.8\n"
    found = told(decided(tmp_path / "newer", files, AMPERE))  # what they run with one that lacks it gets there never
    assert found == [("code-never", "ops/nms.py", 2, "torch.utils.ffi")]


@pytest.mark.parametrize(
    ("file", "program"),
    [
        ("a.py", f"try:\n    {FFI}except ImportError:\n    create_extension = None\n"),
        ("a.py", f"import torch\n\nif torch.__version__ < '1.0':\n    {FFI}"),
        ("tests/a.py", FFI),
        ("third_party/nms/build.py", FFI),
        ("a.py", "# " + FFI),
        ("a.py", "import torch\n\n\ndef f(x):\n    return torch.fft.rfft(x)\n"),
        ("a.py", "import torch\n\n\ndef f(x):\n    return torch.linalg.solve(x, x)\n"),
    ],
)
def test_what_does_not_use_what_torch_lacks_is_not_named(tmp_path: Path, file: str, program: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n", file: program}, AMPERE)
    assert (told(found), build(found)[0]) == ([], "2.14.1")


@pytest.mark.parametrize(("name", "torch"), [("rfft", "1.7.1"), ("lstsq", "1.12.1"), ("symeig", "1.13.1")])
def test_torch_stays_below_the_release_that_lacks_a_function(tmp_path: Path, name: str, torch: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "a.py": f"import torch\nx = torch.{name}\n"}
    found = decided(tmp_path / "a", files, AMPERE)
    assert (build(found)[0], told(found)) == (torch, [("code-holds", "a.py", 2, f"torch.{name}")])
    assert told(decided(tmp_path / "b", files, BLACKWELL)) == [("code-fails", "a.py", 2, f"torch.{name}")]


LOADS = "import torch\n\n\ndef load(file):\n    saved = torch.load(file)\n"


@pytest.mark.parametrize(
    "use",
    [
        "    return saved['ema' if 'ema' in saved else 'model'].float().eval()\n",
        "    return saved.eval()\n",
        "    return saved['args'].depth\n",
        "    return torch.load(file)['model'].to('cpu').state_dict()\n",
        "    return torch.load(file).eval()\n",
    ],
)
def test_a_whole_model_that_an_open_torch_refuses_to_load_is_told(tmp_path: Path, use: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=1.7\n", "main.py": LOADS + use}
    line = 6 if "torch.load" in use else 5
    assert told(decided(tmp_path / "a", files, AMPERE)) == [("code-whole", "main.py", line, "torch.load")]
    assert told(decided(tmp_path / "b", {**files, "requirements.txt": "torch<2.6\n"}, AMPERE)) == []
    assert told(decided(tmp_path / "c", {**files, "requirements.txt": "torch>=2.7\n"}, AMPERE)) == []
    given = {**files, "main.py": (LOADS + use).replace("(file)", "(file, weights_only=False)")}
    assert told(decided(tmp_path / "d", given, AMPERE)) == []


@pytest.mark.parametrize(
    "use",
    [
        "    net.load_state_dict(saved['model'])\n    net.eval()\n",
        "    return saved['model'].items()\n",
        "    return saved['args'].get('depth')\n",
        "    return saved['weight'].float()\n",
    ],
)
def test_weights_alone_that_are_loaded_are_none_of_that(tmp_path: Path, use: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=1.7\n", "main.py": LOADS + use}
    assert told(decided(tmp_path, files, AMPERE)) == []


def test_what_torch_may_refuse_to_load_is_told_where_it_moves(tmp_path: Path) -> None:
    load = "import torch\n\nprint(torch.load('a.pt'))\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.13.1\n", "main.py": load}
    assert told(decided(tmp_path / "a", files, BLACKWELL)) == [("code-option", "main.py", 3, "torch.load")]
    assert told(decided(tmp_path / "b", files, AMPERE)) == []
    assert told(decided(tmp_path / "c", {**files, "requirements.txt": "torch\n"}, BLACKWELL)) == []
    image = {
        **files,
        "requirements.txt": "torch\n",
        "Dockerfile": "FROM pytorch/pytorch:2.5.1-cuda11.8-cudnn9-runtime\n",
    }
    found = decided(tmp_path / "image", image, BLACKWELL)
    assert [one.params["other_file"] for one in found.remarks if ".code-option" in one.key] == ["Dockerfile"]
    for option in ("weights_only=False", "pickle_module=dill"):
        given = {**files, "main.py": load.replace("'a.pt'", f"'a.pt', {option}")}
        assert told(decided(tmp_path / option, given, BLACKWELL)) == []


@pytest.mark.parametrize(
    ("look", "said"),
    [
        ("float(torchvision.__version__[:3]) < 0.7", [("code-fails", "util/misc.py", 3, "_new_empty_tensor")]),
        ("tuple_of(torchvision.__version__) < (0, 7)", []),
    ],
)
def test_a_look_that_takes_0_10_for_0_1_keeps_nothing_from_newer_releases(
    tmp_path: Path, look: str, said: list[tuple[str, str, int, str]]
) -> None:
    program = f"import torchvision\nif {look}:\n    from torchvision.ops import _new_empty_tensor\n"
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "util/misc.py": program}
    found = decided(tmp_path, files, BLACKWELL)
    assert [(*one[:3], str(one[3]).rpartition(".")[2]) for one in told(found)] == said
    assert build(decided(tmp_path, files, AMPERE))[0] == ("1.8.1" if said else "2.14.1")


AUDIO: dict[str, str | bytes] = {"requirements.txt": "torch>=2.0\ntorchaudio>=2.0\n"}
EITHER = "try:\n    from torchaudio import AudioMetaData\nexcept ImportError:\n    {}\n"


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("from torchaudio import AudioMetaData\n", 1),
        ("import torchaudio as ta\n\n\ndef f(p):\n    return ta.info(p)\n", 5),
        (EITHER.format("from torchaudio.backend.common import AudioMetaData"), 2),
        (EITHER.format("AudioMetaData = None"), 0),
        ("import torchaudio\n\nif hasattr(torchaudio, 'info'):\n    print(torchaudio.info('a.wav'))\n", 0),
    ],
)
def test_torch_stays_within_what_lists_leave_open_below_the_torchaudio_that_lacks_a_name(
    tmp_path: Path, program: str, line: int
) -> None:
    found = decided(tmp_path, {**AUDIO, "io.py": program}, BLACKWELL)
    assert (build(found)[0] == "2.8.0") == (line > 0)
    assert [(one, at) for one, _, at, _ in told(found)] == [("code-holds", line)] * (line > 0)
    assert found.is_exact


def test_a_pin_without_the_name_is_kept(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.9.1\ntorchaudio\n"}
    found = decided(tmp_path, {**files, "a.py": "from torchaudio import AudioMetaData\n"}, BLACKWELL)
    assert build(found)[0] == "2.9.1"


def test_a_name_of_torchvision_is_told_where_torch_moves_past_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.12.1\ntorchvision==0.13.1\n"}
    files["net/vgg.py"] = "from torchvision.models.vgg import model_urls\n"
    name = "torchvision.models.vgg.model_urls"
    assert told(decided(tmp_path / "a", files, BLACKWELL)) == [("code-fails", "net/vgg.py", 1, name)]
    assert told(decided(tmp_path / "b", files, AMPERE)) == []


CYTHON = "import numpy as np\ncimport numpy as np\n\ndef f(int n):\n    return np.zeros(n, dtype=np.int)\n"


def notebook(*lines: str, kind: str = "code") -> str:
    source = ",\n".join(f"    {json.dumps(line)}" for line in lines)
    return f'{{\n "cells": [\n  {{\n   "cell_type": "{kind}",\n   "source": [\n{source}\n   ]\n  }}\n ]\n}}\n'


def test_cython_that_a_setup_compiles_is_read_too(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n", "utils/box.pyx": CYTHON}, ADA)
    assert (found.numpy, told(found)) == ("<1.24", [("code-holds", "utils/box.pyx", 5, "numpy.int")])


@pytest.mark.parametrize(
    "program",
    [
        "import numpy as np\ncimport numpy as np\n\ncdef np.int_t f(np.ndarray[np.float_t] x):\n    return x[0]\n",
        "cimport numpy as np\nctypedef np.int kind\n",
        'import numpy as np\n\ndef f():\n    """Return np.int of it."""\n    return 1  # np.float\n',
        "import numpy as np\ntry:\n    kind = np.int\nexcept AttributeError:\n    kind = int\n",
        "import numpy as np\nif not hasattr(np, 'int'):\n    np.int = int\nkind = np.int\n",
        "import numpy as np\nif np.__version__ < '1.20':\n    kind = np.int\nelse:\n    kind = int\n",
        "import numpy as np\nprint(np.random.int)\n",
    ],
)
def test_what_is_no_use_in_cython_holds_nothing(tmp_path: Path, program: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n", "box.pyx": program}, ADA)
    assert (found.numpy, told(found)) == ("", [])


def test_a_cell_of_a_notebook_is_read_too(tmp_path: Path) -> None:
    text = notebook("!pip install x\n", "%matplotlib inline\n", "import numpy as np\n", "x = np.zeros(3, np.float)")
    found = decided(tmp_path, {"requirements.txt": "torch\n", "run.ipynb": text}, ADA)
    assert (found.numpy, told(found)) == ("<1.24", [("code-holds", "run.ipynb", 9, "numpy.float")])


def test_a_cell_with_signs_of_python_that_a_shell_has_too_is_read(tmp_path: Path) -> None:
    text = notebook("import numpy as np\n", "if 7 % 2 != 0:\n", "    x = np.float  # why?\n", "np.zeros?")
    found = decided(tmp_path, {"requirements.txt": "torch\n", "run.ipynb": text}, ADA)
    assert told(found) == [("code-holds", "run.ipynb", 8, "numpy.float")]


@pytest.mark.parametrize(
    "text",
    [
        notebook("import numpy as np\n", "print(np.float)\n", kind="markdown"),
        notebook("import numpy as np\n", "# np.float\n", "np.float(\n"),
        notebook("%%bash\n", "import numpy as np\n", "np.float\n"),
        notebook("import numpy as np\n", "np.float = float\n", "print(np.float)\n"),
        '{"cells": 3, "x": "np.float"}',
        "np.float",
    ],
)
def test_what_is_no_use_in_a_notebook_holds_nothing(tmp_path: Path, text: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch\n", "run.ipynb": text}, ADA)
    assert (found.numpy, told(found)) == ("", [])


@pytest.mark.parametrize(
    ("requires", "line", "numpy", "told"),
    [
        ("numpy==1.24.3", "numpy", "<2", {"built-holds"}),
        ("numpy==1.24.3", "numpy==1.26.4", "==1.26.4", set()),
        ("numpy==1.24.3", "numpy>=2", ">=2", set()),
        ("numpy>=1.20", "numpy", "", set()),
        ("numpy>=2.0", "numpy", "", set()),
        ("numpy==1.24.3 ; python_version < '3.9'", "numpy", "", set()),
        ("cython==0.29.35", "numpy", "", set()),
    ],
)
def test_what_is_built_with_an_older_numpy_holds_it_there(
    tmp_path: Path, requires: str, line: str, numpy: str, told: set[str]
) -> None:
    pyproject = f'[build-system]\nrequires = ["setuptools", "{requires}"]\n'
    found = decided(tmp_path, {"pyproject.toml": pyproject, "requirements.txt": f"torch>=2.4\n{line}\n"}, AMPERE)
    assert (found.numpy, codes(found) & {"built-holds", "built-fails", "code-holds", "code-fails"}) == (numpy, told)
    assert numpy != "<2" or "numpy<2" in map(str, found.understood.constraints)
    assert numpy != ">=2" or "numpy<2" not in map(str, found.understood.constraints)


@pytest.mark.parametrize("line", ["torch>=2.5.0", "torch==2.5.1"])
def test_a_name_that_no_torch_of_the_lines_has_is_told_and_moves_nothing(tmp_path: Path, line: str) -> None:
    program = "import torch\n\n\ndef f(x):\n    return torch.symeig(x)\n"
    files: dict[str, str | bytes] = {"requirements.txt": f"{line}\n", "main.py": program}
    found = decided(tmp_path, files, AMPERE)
    alone = decided(tmp_path / "alone", {"requirements.txt": f"{line}\n"}, AMPERE)
    assert (build(found), found.is_exact) == (build(alone), True)
    assert told(found) == [("code-fails", "main.py", 5, "torch.symeig")]


def test_of_a_name_that_came_back_with_the_torch_that_is_taken_nothing_is_told(tmp_path: Path) -> None:
    program = "import torch\n\n\ndef f(file):\n    return torch.load(file)\n"
    found = decided(tmp_path, {"requirements.txt": "torch==2.7.1\n", "main.py": program}, AMPERE)
    assert told(found) == []
