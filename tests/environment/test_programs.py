"""VS Code and Jupyter with an environment: a script stands for the editor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.stand_in import put_program
from tests.waiting import wait_until
from wizard.app import notebook
from wizard.app.pages.after_setup import kernel_name
from wizard.environment.activate.programs import (
    KERNEL_PACKAGE,
    NOTEBOOK_PACKAGE,
    find_editor,
    find_notebook,
    jupyter_folder,
    open_in_editor,
    register_kernel,
    servers_among,
    stop_servers,
)
from wizard.environment.activate.scripts import scripts_folder
from wizard.environment.inspect.in_use import RunningProgram, kernels_of
from wizard.environment.layout import python_of, site_packages_of
from wizard.environment.model import Environment, EnvironmentKind, EnvironmentState
from wizard.model.errors import Cancelled, WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.system import places_windows
from wizard.system.paths import os_name
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
    assert command_in(place).startswith("jupyter notebook")
    own = put_program(scripts_folder(place) / "jupyter-lab", "")
    assert command_in(place).startswith("jupyter lab")
    own.unlink()


def command_in(prefix: Path) -> str:
    found = find_notebook(prefix)
    return found.command if found else ""


def test_a_jupyter_of_another_environment_opens_notebooks_of_this_one(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what Jupyter starts here is lacking then, and that Jupyter is started where it lies."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    others = [
        Environment(name, tmp_path / name, kind, state, python="3.12", torch=None, variant=None)
        for name, kind, state in (
            ("system", EnvironmentKind.SYSTEM, EnvironmentState.OK),
            ("broken", EnvironmentKind.VENV, EnvironmentState.BROKEN),
            ("without", EnvironmentKind.VENV, EnvironmentState.OK),
            ("torch", EnvironmentKind.RATTLER, EnvironmentState.OK),
        )
    ]
    monkeypatch.setattr(notebook, "list_environments", lambda: others)
    for name in ("system", "broken"):
        put_program(scripts_folder(tmp_path / name) / "jupyter-lab", "")
    assert notebook.notebook_state(place).lacks == NOTEBOOK_PACKAGE
    put_program(scripts_folder(tmp_path / "torch") / "jupyter-notebook", "")
    assert notebook.notebook_state(place).lacks == KERNEL_PACKAGE
    (site_packages_of(place, "3.12") / KERNEL_PACKAGE).mkdir(parents=True)
    assert notebook.notebook_state(place).lacks == ""
    begun: list[tuple[Path, str, Path]] = []
    with pytest.raises(Cancelled):
        notebook.open_notebook(place, lambda *told: begun.append(told), lambda: True)
    ((active, command, meant),) = begun
    assert (active, meant) == (tmp_path / "torch", place)
    assert command.split()[-1] == f"--MultiKernelManager.default_kernel_name={kernel_name(str(place), os_name())}"


SERVER = """
import http.server, json, os, pathlib, sys, threading
class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        is_meant = (self.path, self.headers["Authorization"]) == ("/api/shutdown", "token secret")
        self.send_response(200 if is_meant else 403)
        self.end_headers()
        if is_meant:
            file.with_suffix(".asked").touch()
            threading.Thread(target=server.shutdown).start()
server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
told = {"pid": os.getpid(), "url": f"http://127.0.0.1:{server.server_port}/", "token": "secret"}
file = pathlib.Path(sys.argv[1]) / f"jpserver-{os.getpid()}.json"
new = file.with_suffix(".new")
new.write_text(json.dumps(told))
new.replace(file)
server.serve_forever()
"""


def test_the_notebook_server_of_an_environment_is_known_again_and_ended(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that answers as Jupyter does, with the option by which its process is known, and the file that it
    writes. It is asked to end itself, and no other Jupyter is."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    put_program(scripts_folder(place) / "jupyter-lab", "")
    monkeypatch.setattr(notebook, "_kernel", lambda prefix: "torch-1234")
    monkeypatch.setattr(notebook, "list_in_jupyter", lambda prefix: ("torch-1234", "PyTorch (torch)"))
    option = "--MultiKernelManager.default_kernel_name=torch-1234"
    begun: list[subprocess.Popen[bytes]] = []

    def serve(prefix: Path, *options: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-c", SERVER, str(tmp_path), *options]
        return subprocess.Popen(argv, env={**os.environ, "VIRTUAL_ENV": str(prefix)})

    def start(active: Path, command: str, meant: Path) -> None:
        begun.append(serve(active, command.split()[-1]))

    (tmp_path / "jpserver-1.json").write_text('{"pid": 1, "url": "http://localhost:8888/"}', encoding="utf-8")
    (tmp_path / "jpserver-2.json").write_text("{", encoding="utf-8")
    others = [serve(tmp_path / "another", option), serve(place)]  # of another environment of this name; not ours
    try:
        first = notebook.open_notebook(place, start, lambda: False)
        again = notebook.open_notebook(place, start, lambda: False)
        assert first.address.endswith("/?token=secret")
        assert (first.was_there, again) == (False, notebook.Notebook(first.address, True))
        assert len(begun) == 1, "no second server"
        wait_until(lambda: len(list(tmp_path.glob("jpserver-*.json"))) == 5)
        assert notebook.notebook_state(place).address == first.address
        notebook.stop_notebook(place)
        assert begun[0].wait(30) == 0
        assert (tmp_path / f"jpserver-{begun[0].pid}.asked").is_file()
        assert [one.poll() for one in others] == [None, None]
        assert notebook.notebook_state(place).address == ""
        running = [RunningProgram(one.pid, "python", "") for one in others]
        assert [process.pid for process, _ in servers_among(running)] == [others[0].pid], "it has our option"
        (tmp_path / f"jpserver-{others[0].pid}.json").write_text(
            json.dumps({"pid": others[0].pid, "url": "http://127.0.0.1:9/"}), encoding="utf-8"
        )
        stop_servers(servers_among(running))
        assert not psutil.pid_exists(others[0].pid), "it did not answer"
        assert others[1].poll() is None
    finally:
        for process in (*others, *begun):
            process.kill()
            process.wait()
    with pytest.raises(Cancelled):
        notebook.open_notebook(place, lambda *told: None, lambda: True)
    monkeypatch.setattr(notebook, "_SECONDS", 0.0)
    with pytest.raises(WizardError) as caught:
        notebook.open_notebook(place, lambda *told: None, lambda: False)
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
