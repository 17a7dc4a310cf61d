"""The doctor by the command line, in true conda prefixes: the user's own packages, two installers, exit statuses."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.line.world import PYTHON, TORCH, World

pytestmark = pytest.mark.slow


def prefix_of(world: World) -> Path:
    return world.home / "state" / "envs" / "demo"


def site_of(world: World) -> Path:
    return prefix_of(world) / "lib" / f"python{PYTHON}" / "site-packages"


@pytest.fixture
def ready(conda_world: World) -> World:
    done = conda_world.run("setup", "--yes", "--name", "demo", *conda_world.sources)
    assert done.returncode == 0, done.stderr
    return conda_world


def doctor(world: World, *arguments: str) -> tuple[int, dict[str, object], str]:
    done = world.run("doctor", "--prefix", str(prefix_of(world)), "--json", *arguments)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def code(document: dict[str, object]) -> object:
    cause = document["cause"]
    return cause["code"] if isinstance(cause, dict) else None


def shadow(world: World) -> Path:
    """`pip install --user torch` of another day."""
    user_site = world.home / "user" / ".local" / "lib" / f"python{PYTHON}" / "site-packages"
    (user_site / "torch").mkdir(parents=True)
    (user_site / "torch" / "__init__.py").write_text("raise ImportError('an old torch of the user')\n")
    return user_site


def test_user_site_shadow_is_told_and_mended_without_touching_the_users_packages(ready: World) -> None:
    user_site = shadow(ready)
    status, document, _ = doctor(ready)
    assert (status, code(document)) == (1, "user-site-shadow")
    assert f"{user_site}/torch" in json.dumps(document).replace("~", str(ready.home / "user"))
    assert "Repair it with" in ready.run("doctor", "--prefix", str(prefix_of(ready))).stderr
    status, document, said = doctor(ready, "--repair", "--yes")
    assert status == 0, said
    assert "for you to do" not in said
    assert document["repair"]["packages"] == []  # type: ignore[index]
    assert "Repaired, and the test passes." in said
    assert (user_site / "torch" / "__init__.py").is_file()
    status, document, _ = doctor(ready)
    assert (status, document["verdict"], document["others"]) == (0, "nothing-wrong", [])
    done = ready.run("doctor", "--prefix", str(prefix_of(ready)), "--undo")
    assert done.returncode == 0, done.stderr
    assert code(doctor(ready)[1]) == "user-site-shadow"


def test_conda_and_pip_copies_become_one(ready: World) -> None:
    """conda's pytorch was there first; pip's torch lies over it."""
    site, meta = site_of(ready), prefix_of(ready) / "conda-meta"
    (site / f"torch-2.5.1-py{PYTHON}.egg-info").mkdir()
    (site / f"torch-2.5.1-py{PYTHON}.egg-info" / "PKG-INFO").write_text("Name: torch\nVersion: 2.5.1\n")
    (prefix_of(ready) / "lib" / "libtorch_cpu.so").write_bytes(b"conda's")
    (site / "torch" / "__init__.py").write_text("raise ImportError('files of two builds')\n")
    files = ["lib/libtorch_cpu.so", f"lib/python{PYTHON}/site-packages/torch/__init__.py"]
    record = {
        "name": "pytorch",
        "version": "2.5.1",
        "build": "py_0",
        "subdir": "linux-64",
        "channel": "x",
        "files": files,
    }
    (meta / "pytorch-2.5.1-py_0.json").write_text(json.dumps(record))
    status, document, _ = doctor(ready)
    assert (status, code(document)) == (1, "two-copies")
    status, document, said = doctor(ready, "--repair", "--yes")
    assert status == 0, said
    assert [package["name"] for package in document["repair"]["packages"]] == ["torch"]  # type: ignore[index]
    assert not (meta / "pytorch-2.5.1-py_0.json").exists()
    assert not (prefix_of(ready) / "lib" / "libtorch_cpu.so").exists()
    assert ready.import_check(prefix_of(ready), "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert doctor(ready)[1]["verdict"] == "nothing-wrong"


def test_nothing_is_wrong(ready: World) -> None:
    """Also where there is no card: the CPU build is what was meant."""
    status, document, _ = doctor(ready)
    assert (status, document["verdict"], document["cause"]) == (0, "nothing-wrong", None)
    ruled_out = {look["check"] for look in document["looks"] if look["state"] == "ruled-out"}  # type: ignore[attr-defined]
    assert {"interpreter", "presence", "copies", "files", "shadow", "libraries", "build", "companions"} <= ruled_out
    page = ready.home / "out" / "fine.html"
    assert doctor(ready, "--save", str(page))[0] == 0
    assert "<h2>Found</h2>" not in page.read_text(encoding="utf-8"), "no card is of no matter for the CPU build"
    assert [look["check"] for look in document["looks"] if look["state"] == "found"] == []  # type: ignore[attr-defined]
    done = ready.run("doctor", "--prefix", str(prefix_of(ready)), "--repair", "--yes")
    assert done.returncode == 0
    assert "Nothing is wrong" in done.stdout
    assert len(ready.runs()) == 1, "no repair was begun"


def test_a_cuda_build_without_a_card_is_a_matter_of_the_machine(world: World) -> None:
    done = world.run("setup", "--yes", "--name", "demo", "--variant", "cu126", "--with", "none", *world.sources)
    assert done.returncode == 3
    status, document, _ = doctor(world)
    assert (status, document["verdict"]) == (3, "machine")
    assert document["cause"]["scope"] == "machine"  # type: ignore[index]
    status, document, _ = doctor(world, "--repair", "--yes")
    assert (status, document["repair"]) == (3, None)


def test_without_importing(ready: World) -> None:
    status, document, _ = doctor(ready, "--no-import")
    assert (status, document["verdict"], document["verification"]) == (0, "not-tested", None)


def test_usage(world: World) -> None:
    for arguments in (("--prefix", "/no/such/place"), ("--repair",), ("--prefix", str(world.home), "--undo")):
        done = world.run("doctor", *arguments)
        assert done.returncode == 2, done.stderr
        assert done.stderr.splitlines()[-2].startswith("✗ ")


def test_an_unknown_prefix_is_not_repaired_without_a_yes(ready: World) -> None:
    done = ready.run("doctor", "--prefix", str(prefix_of(ready)), "--repair")
    assert (done.returncode, "--yes" in done.stderr) == (2, True)


def test_the_answer_is_saved_as_a_page(ready: World) -> None:
    shadow(ready)
    page, data = ready.home / "out" / "answer.html", ready.home / "out" / "answer.json"
    assert doctor(ready, "--save", str(page))[0] == 1
    assert doctor(ready, "--save", str(data))[0] == 1
    text = page.read_text(encoding="utf-8")
    assert "user-site" not in text or "own packages" in text
    assert "from your own packages" in text
    for private in (str(ready.home / "user"), os.environ.get("USER", "no-user-name") + "@"):
        assert private not in text
    assert json.loads(data.read_text(encoding="utf-8"))["kind"] == "doctor"


def test_the_next_start_says_what_has_been_replaced(ready: World) -> None:
    (info,) = prefix_of(ready).glob("lib/python3.*/site-packages/numpy-*.dist-info")
    info.rename(info.with_name("numpy-1.0.0.dist-info"))
    done = ready.run("setup", "--dry-run", "--name", "other", *ready.sources)
    assert f"doctor --prefix {prefix_of(ready)} --repair" in done.stderr, done.stderr
    assert "numpy" in done.stderr.splitlines()[0]
