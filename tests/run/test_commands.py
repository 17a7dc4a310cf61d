"""The commands of the Review page, as a person's own shell takes them."""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from wizard.compatibility.model import Candidate, Choices, Plan, PlanSource
from wizard.model.lock import Lock, LockedFile
from wizard.model.messages import message
from wizard.run.plan.commands import equivalent_commands, quote_of
from wizard.sources.read import default_index_url

PLAN = Plan(
    id="r",
    created=0.0,
    candidate=Candidate("2.13.0", "cpu", "3.12", None, None, True),
    choices=Choices(),
    prefix="C:\\Users\\O'Neil & 李雷\\env",
    engine="venv",
    engine_reason=message("step.preflight.done"),
    python="3.12",
    base_python="C:\\Program Files\\Python312\\python.exe",
    channels=(),
    sources=(),
    requirements=("torch==2.13.0+cpu", "numpy>=2"),
    gpu_expected=False,
    machine={},
)
NOTHING = Lock((), "")


def test_for_cmd() -> None:
    create, install = equivalent_commands(PLAN, NOTHING, "cmd")
    prefix = '"C:\\Users\\O\'Neil & 李雷\\env"'
    assert create == f'"C:\\Program Files\\Python312\\python.exe" -m venv {prefix}'
    assert install == f'uv pip install --python {prefix} torch==2.13.0+cpu "numpy>=2"'


@pytest.mark.skipif(os.name != "nt", reason="only Windows has cmd")
def test_cmd_hands_each_word_on(tmp_path: Path) -> None:
    script = tmp_path / "what was said.py"
    script.write_text("import sys; print(ascii(sys.argv[1:]))", encoding="utf-8")
    words = [PLAN.prefix, "numpy>=2", "torch @ https://a.invalid/t%2Bcu.whl#sha256=0", "python=3.12", "a^b|c", "plain"]
    line = " ".join(map(quote_of("cmd"), (sys.executable, str(script), *words)))
    done = subprocess.run(f'cmd /S /C "{line}"', capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == words


def test_for_powershell() -> None:
    """A quoted program alone would be printed, not run; a quote inside is written twice."""
    create, install = equivalent_commands(PLAN, NOTHING, "powershell")
    prefix = "'C:\\Users\\O''Neil & 李雷\\env'"
    assert create == f"& 'C:\\Program Files\\Python312\\python.exe' -m venv {prefix}"
    assert install == f"uv pip install --python {prefix} torch==2.13.0+cpu 'numpy>=2'"
    assert equivalent_commands(replace(PLAN, base_python="C:\\Python312\\python.exe"), NOTHING, "powershell")[
        0
    ].startswith("C:")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_for_the_shells_of_linux(shell: str) -> None:
    plan = replace(PLAN, prefix="/home/o'neil/my env", base_python="/opt/py 3/bin/python3")
    create, install = (shlex.split(line) for line in equivalent_commands(plan, NOTHING, shell))
    assert create == ["/opt/py 3/bin/python3", "-m", "venv", plan.prefix]
    assert install == ["uv", "pip", "install", "--python", plan.prefix, "torch==2.13.0+cpu", "numpy>=2"]


def test_the_official_index_is_named_before_one_that_was_added() -> None:
    """Said by nothing it would be asked last; a folder's versions are named, as uv puts them beside every index."""
    own = (
        PlanSource("torch", "simple", "official", None),
        PlanSource("packages", "simple", "official", None),
        PlanSource("packages", "simple", "user-settings", "https://lab.example/simple"),
        PlanSource("packages", "flat", "user-settings", "https://lab.example/files"),
    )
    file = LockedFile("numpy", "2.1.0", "n.whl", ("https://x.example/n.whl",), "", None)
    lock = Lock((file,), "")
    words = shlex.split(equivalent_commands(replace(PLAN, sources=own), lock, "bash")[1])
    assert words[words.index("--find-links") :] == [
        "--find-links",
        "https://lab.example/files",
        "--index",
        default_index_url(),
        "--default-index",
        "https://lab.example/simple",
        "--index-strategy",
        "first-index",
        "numpy==2.1.0",
        "torch==2.13.0+cpu",
    ]


def test_no_index() -> None:
    own = (PlanSource("packages", "flat", "user-settings", "https://lab.example/files"),)
    assert " --no-index " in equivalent_commands(replace(PLAN, sources=own), NOTHING, "bash")[1]


def test_conda() -> None:
    plan = replace(PLAN, engine="conda", conda="C:\\mini forge\\conda.exe", channels=("conda-forge",))
    line = equivalent_commands(plan, NOTHING, "powershell")[0]
    assert line.startswith("& 'C:\\mini forge\\conda.exe' create -p ")
    assert line.endswith(" --override-channels -c conda-forge python=3.12 pip")
