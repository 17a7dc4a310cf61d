"""`envs export`: another environment, made from it by the real uv on loopback, holds the same."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.line.world import World
from tests.reuse.world import site_of, versions
from wizard.environment.conda.records import read_records

TOOLS = {"pip", "setuptools", "wheel"}


@pytest.fixture
def ready(world: World) -> World:
    done = world.run("setup", "--yes", "--name", "demo", *world.sources)
    assert done.returncode == 0, done.stderr
    return world


def prefix_of(world: World) -> Path:
    return world.home / "state" / "envs" / "demo"


def exported(world: World, form: str, path: Path) -> str:
    done = world.run("envs", "export", "demo", "--format", form, "-o", str(path))
    assert done.returncode == 0, done.stderr
    return done.stderr


def made_again(world: World, path: Path, *command: str) -> dict[str, str]:
    prefix = world.home / f"again from {path.name}"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True, timeout=120)
    uv = Path(sys.executable).with_name("uv")
    environment = {**world.environment, "UV_CACHE_DIR": str(world.home / "uv")}
    environment |= {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}  # nothing but loopback answers
    done = subprocess.run(
        [uv, "pip", *command, path.name, "--no-config", "--python", prefix / "bin" / "python"],
        cwd=path.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return versions(prefix)


def own(found: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): version for name, version in found.items() if name not in TOOLS}


def test_requirements(ready: World) -> None:
    path = ready.home / "requirements.txt"
    exported(ready, "requirements", path)
    text = path.read_text(encoding="utf-8")
    assert "torch==2.13.0+cpu\n" in text
    assert f"--find-links {ready.torch.simple}/torch/\n" in text
    assert "pip==" not in text
    assert own(made_again(ready, path, "install", "-r")) == own(versions(prefix_of(ready)))


def test_a_lock_with_hashes(ready: World) -> None:
    path = ready.home / "pylock.toml"
    said = exported(ready, "pylock", path)
    assert "Left out" not in said
    text = path.read_text(encoding="utf-8")
    wheel = next((ready.torch.root).glob("torch-*cpu-*.whl"))
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() in text
    assert own(made_again(ready, path, "sync")) == own(versions(prefix_of(ready)))
    path.write_text(text.replace(hashlib.sha256(wheel.read_bytes()).hexdigest(), "0" * 64))
    (ready.home / "again from pylock.toml").rename(ready.home / "old")
    with pytest.raises(AssertionError, match="(?i)hash"):
        made_again(ready, path, "sync")


def test_the_same_hashes_for_a_copy(ready: World) -> None:
    """A clone has no run of its own; the wheels are told by name, version and tags."""
    assert ready.run("envs", "clone", "demo", "--name", "copy").returncode == 0
    one, other = (ready.run("envs", "export", name, "--format", "pylock").stdout for name in ("demo", "copy"))
    assert "[[packages]]" in one
    assert one == other


def test_conda_explicit(conda_world: World) -> None:
    world = conda_world
    assert world.run("setup", "--yes", "--name", "demo", *world.sources).returncode == 0
    path = world.home / "explicit.txt"
    exported(world, "conda-explicit", path)
    lines = path.read_text(encoding="utf-8").splitlines()
    listed = lines[lines.index("@EXPLICIT") + 1 :]
    assert any("/python-3" in line for line in listed)
    assert "# by pip, not in this list: torch==2.13.0+cpu" in lines
    assert not any(line.startswith("# by pip, not in this list: pip==") for line in lines)
    for line in listed:
        url, _, digest = line.partition("#")
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert hashlib.md5(answer.read(), usedforsecurity=False).hexdigest() == digest, url


def test_conda_environment_yml(conda_world: World) -> None:
    """conda's own part by its records, and all the rest for pip, in a section that makes the same again."""
    world = conda_world
    assert world.run("setup", "--yes", "--name", "demo", *world.sources).returncode == 0
    path = world.home / "environment.yml"
    exported(world, "conda", path)
    data = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    assert (data["name"], data["channels"]) == ("demo", [world.channel])
    *conda, by_pip = data["dependencies"]
    assert conda == [f"{record.name}={record.version}" for record in read_records(prefix_of(world))]
    assert "torch==2.13.0+cpu" in by_pip["pip"]
    wanted = world.home / "pip section.txt"  # what conda hands to pip
    wanted.write_text("\n".join(by_pip["pip"]) + "\n", encoding="utf-8")
    again = made_again(world, wanted, "install", "-r")
    assert own(again) == own(versions(prefix_of(world)))


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CONDA_EXE"), reason="opt-in: set CONDA_EXE (docs/environments.md)")
def test_conda_itself_makes_it_again(conda_world: World) -> None:
    world = conda_world
    assert world.run("setup", "--yes", "--name", "demo", *world.sources).returncode == 0
    path, prefix = world.home / "environment.yml", world.home / "again"
    exported(world, "conda", path)
    command = [os.environ["CONDA_EXE"], "env", "create", "--yes", "--prefix", str(prefix), "--file", str(path)]
    done = subprocess.run(command, env=world.environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert versions(prefix) == versions(prefix_of(world))
    assert world.import_check(prefix, "import torch; print(torch.__version__)") == "2.13.0+cpu"


def test_json_says_all(ready: World) -> None:
    done = ready.run("envs", "export", "demo", "--format", "json")
    document = json.loads(done.stdout)
    assert (document["schema"], document["torch"], document["variant"]) == (1, "2.13.0", "cpu")
    torch = next(each for each in document["packages"] if each["name"] == "torch")
    assert torch["version"] == "2.13.0+cpu"
    assert len(torch["sha256"]) == 64
    assert torch["url"].startswith(ready.torch.url)


def test_what_is_in_no_index_is_named(ready: World) -> None:
    site = site_of(prefix_of(ready))
    commit, digest = {"vcs": "git", "commit_id": "a" * 40}, {"hashes": {"sha256": "b" * 64}}
    for name, direct in (
        ("handmade", {"url": "file:///home/me/handmade", "dir_info": {"editable": True}}),
        ("cloned", {"url": "https://me:secret@git.example/cloned", "vcs_info": commit}),
        ("inner", {"url": "https://git.example/all", "subdirectory": "libs/inner", "vcs_info": commit}),
        ("linked", {"url": "https://x.example/linked-1.0-py3-none-any.whl", "archive_info": digest}),
        ("behind", {"url": "https://me:secret@x.example/behind-1.0-py3-none-any.whl", "archive_info": digest}),
        ("signed", {"url": "https://x.example/signed-1.0-py3-none-any.whl?token=secret", "archive_info": digest}),
    ):
        info = site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "direct_url.json").write_text(json.dumps(direct))
    for name, below in (("whole", ""), ("beta-kit", "/libs/beta")):  # as pip clones what is editable
        (prefix_of(ready) / "src" / name / ".git").mkdir(parents=True)
        origin = (
            f'[core]\n\tbare = false\n[remote "origin"]\n\turl = https://me:secret@git.example/{name}\n\tfetch = +\n'
        )
        (prefix_of(ready) / "src" / name / ".git" / "config").write_text(origin)
        (prefix_of(ready) / "src" / name / ".git" / "HEAD").write_text("b" * 40 + "\n")
        info = site / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        url = (prefix_of(ready) / "src" / name).as_uri() + below
        (info / "direct_url.json").write_text(json.dumps({"url": url, "dir_info": {"editable": True}}))
    done = ready.run("envs", "export", "demo")
    assert f"whole @ git+https://git.example/whole@{'b' * 40}\n" in done.stdout
    assert f"beta-kit @ git+https://git.example/beta-kit@{'b' * 40}#subdirectory=libs/beta\n" in done.stdout
    options = [line for line in done.stdout.splitlines() if line.startswith("--")]
    assert len(options) == len(set(options)), options
    assert "# not from an index: handmade==1.0" in done.stdout
    assert f"cloned @ git+https://git.example/cloned@{'a' * 40}" in done.stdout
    assert f"inner @ git+https://git.example/all@{'a' * 40}#subdirectory=libs/inner" in done.stdout
    assert "\nlinked @ https://x.example/linked-1.0-py3-none-any.whl\n" in done.stdout
    assert "\n# not from an index: behind==1.0 (https://x.example/behind-1.0-py3-none-any.whl)\n" in done.stdout
    assert (
        "\n# not from an index: signed==1.0 (https://x.example/signed-1.0-py3-none-any.whl?token=***)\n" in done.stdout
    )
    assert "secret" not in done.stdout
    assert "behind, handmade, signed." in done.stderr
    assert "secret" not in ready.run("envs", "export", "demo", "--format", "json").stdout


def test_never_over_a_file_that_is_there(ready: World) -> None:
    path = ready.home / "mine.txt"
    path.write_text("mine")
    done = ready.run("envs", "export", "demo", "-o", str(path))
    assert (done.returncode, path.read_text()) == (2, "mine")
    assert ready.run("envs", "export", "demo", "--format", "conda").returncode == 2
    assert ready.run("envs", "export", "demo", "-o", str(ready.home / "no" / "folder")).returncode == 1
