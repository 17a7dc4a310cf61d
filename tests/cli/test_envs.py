"""`torch-wizard envs` as a person and a program meet it: documents, sentences, exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clone import ROOT, Call, typed
from tests.environment.cheap import add_torch, add_wheel, make_conda, make_venv
from tests.waiting import wait_until
from wizard.environment.remove.trash import Deletion, new_deletion, put_away

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="Linux environments")]
_OTHERS = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_EXE",
    "MAMBA_EXE",
    "MAMBA_ROOT_PREFIX",
    "WORKON_HOME",
    "PYENV_ROOT",
)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCH_WIZARD_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def call(tmp_path: Path, state: Path) -> Call:
    kept = {key: value for key, value in os.environ.items() if key not in _OTHERS}
    environment = {**kept, "TORCH_WIZARD_LANG": "en", "HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    (tmp_path / "home").mkdir()

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return typed(*arguments, env=environment, cwd=tmp_path)

    return run


def listed(call: Call, *more: str) -> dict[str, dict[str, object]]:
    done = call("envs", "list", "--json", *more)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    return {row["name"]: row for row in document["environments"] if row["engine"] != "system"}


def test_the_list_for_programs_and_for_people(call: Call, state: Path) -> None:
    assert listed(call) == {}
    torch = make_venv(state / "envs" / "with torch 环境")
    add_torch(torch, "2.14.1+cu126", "'12.6'")
    make_venv(state / "envs" / "broken", home=state / "gone")
    rows = listed(call)
    row = rows["with torch 环境"]
    assert (row["prefix"], row["state"], row["torch"], row["variant"]) == (str(torch), "ok", "2.14.1", "cu126")
    assert row["size"] is None
    assert rows["broken"]["state"] == "broken"
    size = listed(call, "--sizes")["with torch 环境"]["size"]
    assert isinstance(size, dict)
    assert size["files"] > 4
    assert listed(call)["with torch 环境"]["size"] == size  # kept
    done = call("envs", "list")
    assert done.returncode == 0
    assert "2.14.1+cu126" in done.stdout
    assert "out of reach" in done.stderr
    chinese = call("--lang", "zh_CN", "envs", "list").stdout
    assert "引擎" in chinese
    assert not {"rattler", "system", "base"} & set(chinese.split()), "who made it is said in words"


def test_show_says_what_a_deletion_would_take_along(call: Call, state: Path) -> None:
    prefix = make_conda(state / "envs" / "demo")
    (prefix / "thesis.txt").write_text("ten years")
    done = call("envs", "show", "demo", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    one = json.loads(done.stdout)["environment"]
    assert (one["prefix"], one["refusal"]) == (str(prefix), None)
    assert one["deletion"]["unowned"] == [{"path": "thesis.txt", "files": 1, "bytes": 9, "folder": False}]
    (prefix / "conda-meta" / "frozen").write_text('{"message": "managed by lab"}')
    one = json.loads(call("envs", "show", prefix, "--json").stdout)["environment"]
    assert one["deletion"] is None
    assert one["refusal"]["code"] == "delete-frozen"
    assert "managed by lab" in one["refusal"]["summary"]
    assert "managed by lab" in call("envs", "show", "demo").stdout


def test_a_way_back_that_was_cut_off_is_told_where_one_looks(call: Call, state: Path) -> None:
    prefix = make_venv(state / "envs" / "lab")
    kept = prefix / ".torch-setup-aside" / "20261101-1"
    kept.mkdir(parents=True)
    (kept / "list.json").write_text(json.dumps({"site": "lib"}))
    assert "cut off" not in call("envs", "list").stderr
    rows = json.loads(call("envs", "list", "--json").stdout)["environments"]
    assert not any("unfinished" in row for row in rows)
    (kept / "going-back").touch()
    for typed_line in (("envs", "list"), ("doctor", "--prefix", prefix, "--no-import")):
        done = call(*typed_line)
        assert "was cut off" in done.stderr, typed_line
        assert f"envs restore {prefix}" in done.stderr
    rows = json.loads(call("envs", "list", "--json").stdout)["environments"]
    (row,) = (row for row in rows if row["prefix"] == str(prefix))
    assert (row["unfinished"]["code"], str(prefix) in row["unfinished"]["hint"]) == ("restore-under-way", True)


def test_delete_wants_the_right_name(call: Call, state: Path) -> None:
    prefix = make_venv(state / "envs" / "demo")
    (prefix / "notes").mkdir()
    (prefix / "notes" / "a.txt").write_text("x")
    without = call("envs", "delete", "demo")
    assert (without.returncode, without.stdout) == (2, "")
    assert "--yes demo" in without.stderr
    wrong = call("envs", "delete", prefix, "--yes", "dem")
    assert wrong.returncode == 2
    assert "“dem”" in wrong.stderr
    assert prefix.is_dir()
    done = call("envs", "delete", prefix, "--yes", "demo")
    assert (done.returncode, done.stdout) == (0, "")
    lines = done.stderr.splitlines()
    assert "no package" in lines[0]
    assert lines[1].startswith("    notes/")
    assert "demo goes" in lines[2]
    assert list(prefix.parent.iterdir()) == []


@pytest.mark.parametrize("name", ["nothing", "", "/no/such/folder", "."])
def test_what_is_not_there(call: Call, state: Path, name: str) -> None:
    make_venv(state / "envs" / "demo")
    done = call("envs", "delete", name, "--yes", "demo")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert (state / "envs" / "demo").is_dir()
    if name == "nothing":
        assert "Choose one of these, or give its folder: demo" in done.stderr, "environments before interpreters"


def test_two_of_one_name_need_the_folder(call: Call, state: Path, tmp_path: Path) -> None:
    first = make_venv(state / "envs" / "demo")
    second = make_venv(tmp_path / "home" / ".virtualenvs" / "demo")
    done = call("envs", "delete", "demo", "--yes", "demo")
    assert done.returncode == 2
    assert str(first) in done.stderr
    assert str(second) in done.stderr
    assert call("envs", "delete", second, "--yes", "demo").returncode == 0
    assert (first.is_dir(), second.exists()) == (True, False)


def test_refused_through_a_link_and_while_in_use(call: Call, state: Path, tmp_path: Path) -> None:
    prefix = make_venv(tmp_path / "elsewhere" / "demo")
    link = tmp_path / "link"
    link.symlink_to(prefix)
    done = call("envs", "delete", link, "--yes", "link")
    assert done.returncode == 2
    assert str(prefix) in done.stderr
    code = "import sys; print('on', flush=True); sys.stdin.read()"
    child = subprocess.Popen(
        [prefix / "bin" / "python", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "on\n"
        done = call("envs", "delete", prefix, "--yes", "demo")
    finally:
        child.kill()
        child.communicate()
    assert done.returncode == 1
    assert f"({child.pid})" in done.stderr
    assert (prefix / "pyvenv.cfg").exists()


def wait_until_finished(deletion: Deletion, state: Path) -> None:
    log = state / "logs" / "deletions.txt"
    wait_until(lambda: not deletion.trash.exists() and not deletion.note.exists(), log.read_text)


def test_an_interrupted_deletion_is_shown_and_finished_by_the_next_start(call: Call, state: Path) -> None:
    prefix = make_venv(state / "envs" / "demo")
    add_wheel(prefix, "numpy", "2.3.0", {"numpy/a.py": ""})
    deletion = new_deletion(prefix)
    put_away(deletion)
    rows = listed(call)
    assert rows.get("demo", {}).get("state") in (None, "deleting")  # the background may be faster
    wait_until_finished(deletion, state)
    assert list(prefix.parent.iterdir()) == []
    assert listed(call) == {}


def test_show_says_how_to_use_what_works(call: Call, state: Path) -> None:
    prefix = make_venv(state / "envs" / "demo")
    said = call("envs", "show", "demo").stdout
    assert f"{prefix}/bin/python my_program.py" in said
    assert "ipykernel install" in said
    assert "Jupyter" in call("--lang", "zh_CN", "envs", "show", "demo").stdout
    make_venv(state / "envs" / "broken", home=state / "gone")
    assert "my_program" not in call("envs", "show", "broken").stdout


@pytest.mark.parametrize(
    "arguments", [("setup", "--yes", "--name", "../bad"), ("run", "no-such-plan"), ("resume",)], ids=lambda a: a[0]
)
def test_other_starts_finish_what_was_interrupted_too(call: Call, state: Path, arguments: tuple[str, ...]) -> None:
    deletion = new_deletion(make_venv(state / "envs" / "demo"))
    put_away(deletion)
    call(*arguments)
    wait_until_finished(deletion, state)


def test_finish_by_hand(call: Call, state: Path) -> None:
    prefix = make_venv(state / "envs" / "demo")
    put_away(new_deletion(prefix))
    done = call("envs", "finish")
    assert done.returncode == 0
    assert str(prefix) in done.stderr
    assert list(prefix.parent.iterdir()) == []
    assert call("envs", "finish").stderr == ""


@pytest.mark.parametrize("what", ["folder", "pipe", "rubbish", "unreadable"])
def test_a_list_of_condas_that_cannot_be_read_hides_nothing_else(
    call: Call, state: Path, tmp_path: Path, what: str
) -> None:
    prefix = make_venv(state / "envs" / "demo")
    theirs = tmp_path / "home" / ".conda" / "environments.txt"
    theirs.parent.mkdir()
    if what == "folder":
        theirs.mkdir()
    elif what == "pipe":
        os.mkfifo(theirs)
    elif what == "rubbish":
        theirs.write_bytes(b"\0\0\xff\xfe\n/\n..\n/proc/self\n/dev/null\n" + b"/a" * 3000)
    else:
        theirs.symlink_to(theirs)
    assert listed(call).keys() == {"demo"}
    assert call("envs", "delete", "demo", "--yes", "demo").returncode == 0
    assert not prefix.exists()


def test_a_folder_that_is_no_environment_is_called_so(call: Call, state: Path, tmp_path: Path) -> None:
    done = call("envs", "show", tmp_path)
    assert done.returncode == 2
    assert "is not a Python environment" in done.stderr


def test_without_a_terminal_program_the_line_to_paste_is_there(
    call: Call, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = make_venv(state / "envs" / "demo")
    (prefix / "bin" / "activate").touch()
    done = call("envs", "terminal", "demo")
    assert (done.returncode, done.stdout) == (1, f"source {prefix}/bin/activate\n")
    assert "No terminal program" in done.stderr
