"""The start file as a person runs it: real processes, a real `.venv`, real pip."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from tests.start.conftest import Tree, load, stop

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="stand-ins for apt are shell scripts"),
]


def test_a_first_start_installs_and_later_starts_only_hand_over(tree: Tree) -> None:
    first = tree.start("setup", "--name", "我 的", QT_QPA_PLATFORM="offscreen")
    assert first.returncode == 0, first.stderr
    said = json.loads(first.stdout)  # one document: nothing of the start's own on stdout
    assert said["arguments"] == ["setup", "--name", "我 的"]
    assert said["prefix"] == str(tree.folder / ".venv")
    assert said["cwd"] == str(tree.folder.parent)
    assert "Making the Python environment" in first.stderr

    calls, log = tree.tools.calls, tree.log
    for arguments in (["probe"], ["fail"], []):
        again = tree.start(*arguments, QT_QPA_PLATFORM="offscreen")
        assert again.returncode == (7 if arguments == ["fail"] else 0)
        assert json.loads(again.stdout)["arguments"] == arguments
        assert again.stderr == ""
    assert (tree.tools.calls, tree.log, tree.builds) == (calls, log, 1)

    silent = tree.start(LANG="zh_CN.UTF-8", TORCH_WIZARD_LANG="")
    assert json.loads(silent.stdout)["arguments"] == ["setup"]
    assert silent.stderr == "这里没有图形界面，因此在终端中运行安装。\n"

    tested = tree.start("test", "-k", "a b")
    parallel, count, *rest = json.loads(tested.stdout)["arguments"]
    assert parallel == "-n"
    assert int(count) > 1
    assert rest == ["--dist", "worksteal", "-k", "a b"]
    assert json.loads(tested.stdout)["platform"] == "offscreen"
    assert json.loads(tested.stdout)["cwd"] == str(tree.folder)
    assert "[test,freeze]" in tree.log
    assert tree.builds == 2
    assert json.loads(tree.start("test", QT_QPA_PLATFORM="xcb").stdout)["platform"] == "xcb"
    assert json.loads(tree.start("test", DISPLAY=":77").stdout)["platform"] is None
    assert tree.builds == 2

    with (tree.folder / "pyproject.toml").open("a") as project:
        project.write("# a new requirement\n")
    assert tree.start("probe").returncode == 0
    assert tree.builds == 3
    assert "-m venv" not in tree.log

    (tree.folder / "requires").write_text("Requires-Dist: no-such-thing\n")
    with (tree.folder / "pyproject.toml").open("a") as project:
        project.write("# one that the closed port of the tests' index cannot give\n")
    failed = tree.start("probe")
    assert failed.returncode == 1
    assert failed.stdout == ""
    cause, log = failed.stderr.splitlines()[-2:]
    assert cause.startswith("The packages could not be fetched: the network")
    assert log == f"The whole output is in {tree.folder / '.venv/start/log.txt'}"
    assert "no-such-thing" in tree.log


def test_a_moved_environment_is_made_again(tree: Tree) -> None:
    assert tree.start("probe").returncode == 0
    moved = Tree(tree.folder.rename(tree.folder.with_name("moved")), tree.tools)
    started = moved.start("probe")
    assert "Making the Python environment" in started.stderr
    assert json.loads(started.stdout)["prefix"] == str(moved.folder / ".venv")
    # Whole again, then broken in the ways that a look at the folder shows (the remaking is the same).
    start, stamp = load(moved.folder / "start.py"), moved.folder / ".venv/start/stamp.json"
    assert start.is_whole(json.loads(stamp.read_text()))
    for broken in ("bin/python", "pyvenv.cfg", "lib/python*/site-packages/tiny_marker"):
        path = next((moved.folder / ".venv").glob(broken))
        path.rename(path.with_name("aside"))
        assert not start.is_whole(json.loads(stamp.read_text())), broken
        path.with_name("aside").rename(path)


def test_two_starts_at_once_prepare_once(tree: Tree) -> None:
    (tree.folder / "slow").touch()
    with tree.popen("one") as one:
        tree.wait_for_build()
        with tree.popen("two") as two:
            assert two.stderr is not None
            assert "waiting" in two.stderr.readline()
            (tree.folder / "slow").unlink()
            assert json.loads(two.communicate(timeout=120)[0])["arguments"] == ["two"]
        assert json.loads(one.communicate(timeout=120)[0])["arguments"] == ["one"]
    assert (one.returncode, two.returncode, tree.builds) == (0, 0, 1)


def test_a_start_that_was_stopped_or_killed_is_taken_up_by_the_next_one(tree: Tree) -> None:
    (tree.folder / "slow").touch()
    with tree.popen("probe") as stopped:
        tree.wait_for_build()
        stop(stopped, signal.SIGINT)
        out, err = stopped.communicate(timeout=60)
    assert stopped.returncode == 130
    assert out == ""
    assert err.endswith("Stopped.\n")
    assert "Traceback" not in err

    with tree.popen("probe") as killed:
        tree.wait_for_build(2)
        killed.kill()  # pip lives on, and holds the lock
        killed.communicate()
    with tree.popen("probe") as waiting:
        assert waiting.stderr is not None
        assert waiting.stderr.readline() == "Another start is preparing this folder; waiting for it.\n"
        (tree.folder / "slow").unlink()
        out, err = waiting.communicate(timeout=120)
    assert waiting.returncode == 0
    assert json.loads(out)["arguments"] == ["probe"]
    assert "Making the Python environment" not in err  # what was there was good


def test_a_folder_that_cannot_be_used_is_named(tree: Tree) -> None:
    (tree.folder / ".venv").write_text("a file")
    failed = tree.start("probe")
    assert failed.returncode == 1
    assert str(tree.folder / ".venv") in failed.stderr
    assert "Traceback" not in failed.stderr


def test_an_older_python_is_told_so(tree: Tree) -> None:
    (tree.folder / "old.py").write_text(
        "import runpy, sys\nsys.version_info = (3, 9, 0)\nrunpy.run_path('start.py', run_name='__main__')\n"
    )
    said = subprocess.run(
        [sys.executable, "old.py"], cwd=tree.folder, env=tree.environment(), capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert said.stderr.startswith("Torch Setup needs Python 3.10 or newer")
    assert said.stderr.count("\n") == 1
    assert not (tree.folder / ".venv").exists()
