"""VS Code and Jupyter with an environment: a script stands for the editor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stand_in import put_program
from tests.waiting import wait_until
from wizard.app.use import environments
from wizard.environment.activate.programs import (
    NOTEBOOK_PACKAGE,
    find_editor,
    find_notebook,
    jupyter_folder,
    notebook_lacks,
    open_in_editor,
    register_kernel,
)
from wizard.environment.activate.scripts import scripts_folder
from wizard.environment.inspect.in_use import kernels_of
from wizard.environment.layout import python_of, site_packages_of
from wizard.model.errors import Cancelled, WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.system import places_windows
from wizard.undo.journal import UndoJournal


def put_editor(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put one where the system has it, and take the computer's own away."""
    for name in ("LOCALAPPDATA", "PROGRAMFILES"):
        monkeypatch.setenv(name, str(folder))
    if sys.platform == "win32":
        put_program(folder / "Microsoft VS Code" / "Code", script)
    else:
        monkeypatch.setenv("PATH", f"{put_program(folder / 'code', script).parent}{os.pathsep}{os.environ['PATH']}")


def test_the_editor_opens_with_the_environment_active(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, folder = tmp_path / "said", tmp_path / "my project 项目"
    folder.mkdir()
    script = f"""import os, pathlib, sys
said, new = {str(said)!r}, pathlib.Path({f"{said}.new"!r})
new.write_text("\\n".join((os.environ["VIRTUAL_ENV"], os.environ["PATH"], *sys.argv[1:])), encoding="utf-8")
new.replace(said)
"""
    put_editor(tmp_path / "editor", script, monkeypatch)
    open_in_editor(place, folder)
    wait_until(said.exists)
    prefix, path, option, shown = said.read_text(encoding="utf-8").split("\n")
    assert (prefix, option, shown) == (str(place), "--new-window", str(folder))
    assert path.startswith(f"{python_of(place).parent}{os.pathsep}")


def test_without_an_editor_there_is_a_sentence(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATH", "LOCALAPPDATA", "PROGRAMFILES"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(WizardError) as caught:
        open_in_editor(place)
    assert caught.value.code == "editor-none"
    assert str(python_of(place)) in text(caught.value.hint, "zh_CN")


def test_a_jupyter_of_the_environment_or_of_the_person_is_found(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert find_notebook(place) is None
    put_program(tmp_path / "theirs" / "jupyter-notebook", "")
    monkeypatch.setenv("PATH", str(tmp_path / "theirs"))
    assert (find_notebook(place) or "").startswith("jupyter notebook")
    own = put_program(scripts_folder(place) / "jupyter-lab", "")
    assert (find_notebook(place) or "").startswith("jupyter lab")
    own.unlink()


def test_the_notebook_server_of_an_environment_is_known_again(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that stands still, with the option by which Jupyter's process is known, and the file that it writes."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    put_program(scripts_folder(place) / "jupyter-lab", "")
    monkeypatch.setattr(environments, "list_in_jupyter", lambda prefix: ("torch-1234", "PyTorch (torch)"))
    begun: list[subprocess.Popen[bytes]] = []

    def start(prefix: Path, command: str) -> None:
        option = command.split()[-1]
        sleeping = [sys.executable, "-c", "import time; time.sleep(60)", option]
        begun.append(subprocess.Popen(sleeping, env={**os.environ, "VIRTUAL_ENV": str(prefix)}))
        told = {"pid": begun[0].pid, "url": "http://localhost:8889/", "token": "secret", "port": 8889}
        (tmp_path / f"jpserver-{begun[0].pid}.json").write_text(json.dumps(told), encoding="utf-8")

    (tmp_path / "jpserver-1.json").write_text('{"pid": 1, "url": "http://localhost:8888/"}', encoding="utf-8")
    (tmp_path / "jpserver-2.json").write_text("{", encoding="utf-8")
    option = "--MultiKernelManager.default_kernel_name=torch-1234"  # of another environment of this name
    others = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", option])
    try:
        first = environments.open_notebook(place, start, lambda: False)
        again = environments.open_notebook(place, start, lambda: False)
        assert first == environments.Notebook("http://localhost:8889/?token=secret", False)
        assert again == environments.Notebook("http://localhost:8889/?token=secret", True)
        assert len(begun) == 1, "no second server"
    finally:
        for process in (others, *begun):
            process.kill()
            process.wait()
    with pytest.raises(Cancelled):
        environments.open_notebook(place, lambda prefix, command: None, lambda: True)
    monkeypatch.setattr(environments, "_NOTEBOOK_SECONDS", 0.0)
    with pytest.raises(WizardError) as caught:
        environments.open_notebook(place, lambda prefix, command: None, lambda: False)
    assert caught.value.code == "notebook-silent"


def test_windows_starts_the_program_and_not_the_batch_file() -> None:
    """`code` on PATH is bin\\code.cmd, which a process cannot be started from; most people have none there."""
    found = places_windows.editors({"LOCALAPPDATA": "L"}, [Path("P", "Microsoft VS Code", "bin", "code.cmd")])
    assert Path("P", "Microsoft VS Code", "Code.exe") in found
    assert Path("L", "Programs", "Microsoft VS Code", "Code.exe") in found


def test_a_kernel_is_registered_found_and_taken_back(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WizardError) as caught:
        register_kernel(place, "torch", "PyTorch (torch)")
    assert caught.value.code == "kernel-no-package"
    assert all("ipykernel" in text(caught.value.summary, language) for language in LANGUAGES)
    (site_packages_of(place, "3.12") / "ipykernel").mkdir(parents=True)
    file = register_kernel(place, "torch", "PyTorch (环境)")
    spec = json.loads(file.read_text(encoding="utf-8"))
    assert spec["argv"][0] == str(python_of(place))
    assert spec["display_name"] == "PyTorch (环境)"
    assert notebook_lacks(place) == NOTEBOOK_PACKAGE
    put_program(scripts_folder(place) / "jupyter-lab", "")
    assert notebook_lacks(place) == ""
    assert [one.name for one in kernels_of(place, os.environ, tmp_path)] == ["torch"]
    (change,) = UndoJournal().changes()
    assert text(change.reason, "zh_CN") == "在 Jupyter 中列出“PyTorch (环境)”"
    UndoJournal().undo(change.id, lambda file, now: pytest.fail("it was not edited"))
    assert not file.exists()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"JUPYTER_DATA_DIR": "J", "APPDATA": "A"}, Path("J")),
        ({"APPDATA": "A"}, Path("A", "jupyter")),
        ({"XDG_DATA_HOME": "X"}, Path("X", "jupyter")),
        ({}, Path("H", ".local", "share", "jupyter")),
    ],
)
def test_where_jupyter_looks(environment: dict[str, str], expected: Path) -> None:
    assert jupyter_folder(environment, Path("H")) == expected


def test_no_editor_is_found_by_a_folder_of_its_name(tmp_path: Path) -> None:
    for name in ("code", "Microsoft VS Code/Code.exe"):
        (tmp_path / name).mkdir(parents=True)
    assert find_editor({"PATH": str(tmp_path), "PROGRAMFILES": str(tmp_path)}) is None
