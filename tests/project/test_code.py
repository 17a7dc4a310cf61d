"""What the programs of a project want of the computer: a card, a system, its programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, NO_CARD, PASCAL, codes, decided
from wizard.machine.model import Machine

Files = dict[str, str | bytes]
README: Files = {"requirements.txt": "torch\n", "README.md": "# It\n```\npython train.py\n```\n"}


def places(folder: Path, files: Files, on: Machine, code: str) -> list[str]:
    remarks = decided(folder, {**README, **files}, on).remarks
    return [f"{one.params['file']}:{one.params['line']}" for one in remarks if one.key == f"project.remark.{code}"]


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (
            {"train.py": "from net import Net\nm = Net(1).cuda()\n", "net.py": "class Net: pass\n"},
            "train.py:2",
        ),
        (
            {
                "train.py": "from net import Agent as A\ndef main():\n    A(1)\nmain()\n",
                "net.py": "class Agent:\n    def __init__(self, cfg):\n        self.model = Net(cfg).cuda()\n",
            },
            "net.py:3",
        ),
        ({"train.py": "import torch\ndef main():\n    assert torch.cuda.is_available()\nmain()\n"}, "train.py:3"),
        ({"train.py": "import fire\ndef run():\n    x = labels(1, 'cuda')\nfire.Fire(run)\n"}, "train.py:3"),
    ],
)
def test_a_card_is_wanted_by_what_a_start_reaches_in_other_files_too(tmp_path: Path, files: Files, place: str) -> None:
    assert places(tmp_path, files, NO_CARD, "named-no-card") == [place]
    assert "named-no-card" not in codes(decided(tmp_path / "b", {**README, **files}, AMPERE))


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": "import net\n", "net.py": "if __name__ == '__main__':\n    Net().cuda()\n"},
        {"train.py": "from net import Net\n", "net.py": "def test_net():\n    Net().cuda()\n"},
        {
            "train.py": "from net import Net\nNet()\n",
            "net.py": "class Net:\n    def __init__(self, gpu):\n        if gpu:\n            self.cuda()\n",
        },
        {"train.py": "import torch\nwith torch.autocast('cuda'):\n    pass\nprint('cuda')\n"},
    ],
)
def test_a_test_of_its_own_below_main_and_a_choice_want_no_card(tmp_path: Path, files: Files) -> None:
    assert "named-no-card" not in codes(decided(tmp_path, {**README, **files}, NO_CARD))


_FLAG = "parser.add_argument('--cuda', action='store_false',\n    help='use CUDA')\nargs = parser.parse_args()\n"


@pytest.mark.parametrize(
    ("program", "is_told"),
    [
        (f"{_FLAG}if args.cuda:\n    net.cuda()\n", True),
        (f"{_FLAG}args.cuda = args.cuda and torch.cuda.is_available()\n", False),
        (_FLAG.replace("store_false", "store_true") + "if args.cuda:\n    net.cuda()\n", False),
        (_FLAG.replace("--cuda", "--no-cuda") + "if args.cuda:\n    net.cuda()\n", False),
    ],
)
def test_an_option_that_takes_the_card_away_is_told(tmp_path: Path, program: str, is_told: bool) -> None:
    assert places(tmp_path, {"train.py": program}, NO_CARD, "card-switch") == ["train.py:1"] * is_told


def test_what_only_words_ask_for_has_its_programs_looked_at_too(tmp_path: Path) -> None:
    files: Files = {"README.md": "## Requirements\n- PyTorch 2.4.1\n", "train.py": "from n import N\nN().cuda()\n"}
    assert "named-no-card" in codes(decided(tmp_path, files, NO_CARD))


@pytest.mark.parametrize(
    ("program", "code", "names"),
    [
        ("import tty\nimport termios\n", "unix-module", "tty (train.py:1), termios (train.py:2)"),
        ("import os\nos.environ['MUJOCO_GL'] = 'egl'\n", "unix-setting", "MUJOCO_GL=egl"),
        ("def f():\n    dist.init_process_group(backend='nccl')\n", "unix-backend", "nccl"),
        ("def f(backend='nccl'):\n    dist.init_process_group(backend)\n", "unix-backend", "nccl"),
        ("try:\n    import termios\nexcept ImportError:\n    pass\n", "", ""),
        ("import os\nif os.name == 'posix':\n    import fcntl\n", "", ""),
        ("def f():\n    init_process_group('gloo' if os.name == 'nt' else 'nccl')\n", "", ""),
        ("import os\nos.environ['MUJOCO_GL'] = 'glfw'\n", "", ""),
    ],
)
def test_what_windows_lacks_is_told_there_alone(tmp_path: Path, program: str, code: str, names: str) -> None:
    files: Files = {**README, "train.py": program}
    said = [one for one in decided(tmp_path / "a", files, ADA).remarks if ".unix-" in one.key]
    assert [(one.key.rpartition(".")[2], one.params["names"]) for one in said] == [(code, names)] * bool(code)
    assert not [one for one in decided(tmp_path / "b", files, AMPERE).remarks if ".unix-" in one.key]


_LOCK = (
    'version = 1\n[[package]]\nname = "it"\nversion = "1.0"\nsource = {{ editable = "." }}\ndependencies = [\n'
    '    {{ name = "aim"{0} }},\n]\n[[package]]\nname = "aim"\nversion = "1.0"\ndependencies = [{{ name = "rocks" }}]\n'
    'wheels = [{{ url = "https://a/aim-1.0-py3-none-any.whl" }}]\n[[package]]\nname = "rocks"\nversion = "1.0"\n'
    'wheels = [{{ url = "https://a/rocks-1.0-cp311-cp311-manylinux_2_24_x86_64.whl" }}]\n'
)


@pytest.mark.parametrize(("marker", "is_told"), [("", True), (", marker = \"sys_platform == 'linux'\"", False)])
def test_a_lock_without_a_wheel_for_windows_is_told_there(tmp_path: Path, marker: str, is_told: bool) -> None:
    files: Files = {"uv.lock": _LOCK.format(marker)}
    files["pyproject.toml"] = '[project]\nname = "it"\nversion = "1.0"\ndependencies = ["torch", "aim"]\n'
    assert ("unix-lock" in codes(decided(tmp_path / "a", files, ADA))) == is_told
    assert "unix-lock" not in codes(decided(tmp_path / "b", files, AMPERE))


def test_a_lock_without_a_wheel_for_linux_is_told_there(tmp_path: Path) -> None:
    """Not where it was made for Windows alone: of others uv writes down no wheel. torch comes from its own place."""
    lock = _LOCK.format("").replace("manylinux_2_24_x86_64", "win_amd64")
    files: Files = {"uv.lock": lock}
    files["pyproject.toml"] = '[project]\nname = "it"\nversion = "1.0"\ndependencies = ["torch", "aim"]\n'
    [said] = [one for one in decided(tmp_path / "a", files, AMPERE).remarks if one.key.endswith("lock-without-linux")]
    assert said.params["names"] == "rocks"
    assert "lock-without-linux" not in codes(decided(tmp_path / "b", files, ADA))
    for number, changed in enumerate(
        (
            lock.replace("version = 1\n", "version = 1\nsupported-markers = [\"sys_platform == 'win32'\"]\n", 1),
            lock.replace('"rocks"', '"torch"'),
            lock.replace("win_amd64", "manylinux2014_x86_64"),
        )
    ):
        assert "lock-without-linux" not in codes(decided(tmp_path / str(number), {**files, "uv.lock": changed}, AMPERE))


def test_a_backend_that_compiles_and_the_groups_that_uv_takes_unasked_are_read(tmp_path: Path) -> None:
    files: Files = {
        "pyproject.toml": '[build-system]\nrequires = ["meson-python"]\nbuild-backend = "mesonpy"\n'
        '[project]\nname = "it"\nversion = "1.0"\ndependencies = ["torch"]\n'
        '[dependency-groups]\nbuild = ["ninja"]\nmore = ["einops"]\ndev = ["pytest"]\n'
        '[tool.uv]\ndefault-groups = ["build", "dev"]\n'
    }
    found = decided(tmp_path / "a", files, AMPERE)
    [said] = [one.params for one in found.remarks if one.key.endswith("own-backend")]
    assert (said["line"], said["backend"]) == (3, "mesonpy")
    assert [one.name for one in found.understood.rest] == ["ninja"]
    plain: Files = {"pyproject.toml": str(files["pyproject.toml"]).replace('"mesonpy"', '"hatchling.build"')}
    assert "own-backend" not in codes(decided(tmp_path / "b", plain, AMPERE))


@pytest.mark.parametrize(
    ("number", "is_told"),
    [(0, True), (1, False), (2, False)],
)
def test_triton_that_programs_import_and_an_old_card_send_nobody_to_wsl(
    tmp_path: Path, number: int, is_told: bool
) -> None:
    files: Files = {"README.md": "# It\nIt only supports Linux.\n", "requirements.txt": "torch\ntriton\n"}
    files["a.py"] = "import triton\n" if number < 2 else ""
    on = (PASCAL, ADA, PASCAL)[number]
    found = codes(decided(tmp_path, files, on))
    assert ("made-old-card" in found, "named-systems-alone" in found, "named-systems" in found) == (
        is_told,
        is_told,
        not is_told,
    )


@pytest.mark.parametrize(
    ("files", "is_told"),
    [
        ({"README.md": "# It\nThis needs a GPU with CUDA and bfloat16 support.\n"}, True),
        ({"README.md": "# It\nbf16 is faster, and needs no more memory.\n"}, False),
        ({"train.py": "import torch\nnet = load('a', torch_dtype=torch.bfloat16)\n"}, True),
        ({"train.py": "import torch\nif big:\n    net = load('a', torch_dtype=torch.bfloat16)\n"}, False),
        ({"train.py": "ok = torch.cuda.is_bf16_supported()\nnet = load('a', torch_dtype=torch.bfloat16)\n"}, False),
    ],
)
def test_bfloat16_is_told_for_cards_that_do_not_have_it(tmp_path: Path, files: Files, is_told: bool) -> None:
    for number, on in enumerate((PASCAL, AMPERE, NO_CARD)):
        found = codes(decided(tmp_path / str(number), {**README, **files}, on))
        assert ("named-bfloat16" in found) == (is_told and on is PASCAL)


def _built_by(backend: str) -> Files:
    return {"pyproject.toml": f'[build-system]\nrequires = []\nbuild-backend = "{backend}"\n'}


_SETUP = "import pkg_resources\nfrom setuptools import setup\nsetup(name='it', install_requires=['torch'])\n"


@pytest.mark.parametrize(
    ("files", "code", "is_told"),
    [
        ({"setup.py": _SETUP, "README.md": "`pip install -e .`\n"}, "old-setup", True),
        ({"setup.py": _SETUP, "README.md": "`pip install it`\n"}, "old-setup", False),
        ({"setup.py": _SETUP, "README.md": "`pip install -e .`\n", **_built_by("hatchling.build")}, "old-setup", False),
        (
            {"setup.py": _SETUP, "README.md": "`pip install -e .`\n", **_built_by("setuptools.build_meta")},
            "old-setup",
            True,
        ),
        ({"requirements.txt": "torch\ngym==0.21.0\n"}, "old-build", True),
        ({"requirements.txt": "torch\ngym\n"}, "old-build", False),
        ({"requirements.txt": "torch\ngym>=0.26\n"}, "old-build", False),
    ],
)
def test_the_setuptools_that_an_old_source_is_built_with_is_told(
    tmp_path: Path, files: Files, code: str, is_told: bool
) -> None:
    assert (code in codes(decided(tmp_path, files, AMPERE))) == is_told
