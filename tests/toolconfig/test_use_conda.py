"""A mirror for good in conda's settings: the name leads to it, the channels stay, conda is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.stand_in import put_program
from tests.toolconfig import readers
from tests.toolconfig.using import FORGE, OLD, RC, ROOT, answers, use
from tests.toolconfig.world import Computer
from wizard.toolconfig.model import Tool
from wizard.toolconfig.use import conda_request
from wizard.toolconfig.verify import ToolAnswer

SOURCES = """
import json, pathlib, sys
log = pathlib.Path({log!r})
log.write_text((log.read_text() if log.exists() else "") + " ".join(sys.argv[1:]) + "\\n")
if sys.argv[1] == "config":
    import ruamel.yaml
    rc = pathlib.Path({rc!r})
    own = ruamel.yaml.YAML(typ="safe", pure=True).load(rc.read_text())
    rest = {{"cmd_line": {{"json": True}}, "envvars": {{"solver": "classic"}}}}
    print(json.dumps({{str(rc): own, **json.loads({more!r}), **rest}}))
sys.exit({status})
"""


def install_conda(computer: Computer, more: str = "{}", status: int = 0) -> Path:
    """Prints what `conda config --show-sources --json` printed on a real computer, with this home's file in it."""
    log = computer.home / "conda-log"
    script = SOURCES.format(log=str(log), rc=str(computer.home / RC), more=more, status=status)
    put_program(computer.home / "bin" / "conda", script)
    computer.environ["PATH"] = f"{computer.home / 'bin'}{os.pathsep}{computer.environ['PATH']}"
    return log


def test_conda_is_led_to_the_mirror_asked_and_its_lists_cleaned(computer: Computer) -> None:
    log = install_conda(computer)
    used = use(computer, "tuna", "conda")
    assert answers(used) == {Tool.CONDA: ToolAnswer.CONFIRMED}
    parent = FORGE.removesuffix("/conda-forge")
    assert readers.read_conda((computer.home / RC).read_bytes()) == {
        "custom_channels": {"conda-forge": parent},
        "channels": ["conda-forge"],
    }
    assert log.read_text().splitlines() == ["config --show-sources --json", "clean --index-cache --yes"]
    assert [words.key for words in used.after] == ["settings-file.cleaned"]
    again = use(computer, "tuna", "conda")
    assert (again.change, again.after) == (None, ())


def test_a_stronger_conda_file_is_found_by_conda_itself(computer: Computer) -> None:
    install_conda(computer, json.dumps({"/opt/conda/.condarc": {"custom_channels": {"conda-forge": OLD}}}))
    assert answers(use(computer, "tuna", "conda")) == {Tool.CONDA: ToolAnswer.DIFFERS}


def test_a_conda_that_fails_is_not_believed(computer: Computer) -> None:
    install_conda(computer, status=1)
    used = use(computer, "tuna", "conda")
    assert [words.key for words in used.after] == ["settings-file.not-cleaned"]


def test_the_users_own_channels_stay(computer: Computer) -> None:
    computer.write(RC, "channels:\n  - https://me:hunter2@corp.example/x\n  - bioconda\n")
    request = conda_request(FORGE, computer.around)
    assert [edit.key for edit in request.edits] == ["custom_channels.conda-forge"]
    assert [notice.key for notice in request.notices] == ["settings-file.forge-not-used"]
    assert "hunter2" not in str(request.notices)
    computer.write(RC, "channels: [bioconda, conda-forge]\n")
    assert conda_request(FORGE, computer.around).notices == ()


def test_what_the_mirror_does_not_serve_is_said(computer: Computer) -> None:
    computer.write(RC, "channels: [conda-forge, defaults]\n")
    assert [notice.key for notice in conda_request(FORGE, computer.around).notices] == ["settings-file.defaults-stays"]
    assert conda_request(None, computer.around).notices == ()


def test_the_named_conda_is_the_one_that_is_asked(computer: Computer) -> None:
    """On no PATH, so that it would not be found."""
    log = install_conda(computer)
    path = computer.environ["PATH"].removeprefix(f"{computer.home / 'bin'}{os.pathsep}")
    command = [sys.executable, "-m", "wizard", "--lang", "en", "mirrors", "use", "tuna", "--kind", "conda", "--yes"]
    reading: dict[str, Any] = {"capture_output": True, "encoding": "utf-8", "timeout": 120}
    command += ["--conda", str(next((computer.home / "bin").iterdir()))]
    environment = {**computer.environ, "PATH": path}
    done = subprocess.run(command, cwd=ROOT, env=environment, **reading)
    assert done.returncode == 0, done.stderr
    assert log.read_text().splitlines() == ["config --show-sources --json", "clean --index-cache --yes"]
    command[-1] = str(computer.home / "nowhere")
    refused = subprocess.run(command, cwd=ROOT, env=environment, **reading)
    assert refused.returncode == 2, refused.stderr
