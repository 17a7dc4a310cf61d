"""The Ansible collection, driven by the real ansible-core against several hosts on this machine, from loopback."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.classroom.profile.known import make_official
from tests.classroom.server.test_line import profile_of
from tests.line.world import PYTHON, ROOT, TORCH, World
from tests.thorough import times
from wizard.classroom.profile.read import read_profile
from wizard.classroom.profile.write import profile_file
from wizard.environment.remove.unfinished import mark_begun

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ansible runs on Linux")
COLLECTION = ROOT / "resources" / "ansible"
_RESULT = re.compile(r"^(ok|changed|fatal|failed|skipping): \[(\w+)\].*?=> (\{.*\})$", re.MULTILINE)
_RECAP = re.compile(r"^(\w+) +: ok=(\d+) +changed=(\d+) +unreachable=(\d+) +failed=(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Play:
    text: str
    status: int
    results: Mapping[str, dict[str, Any]]  # of the last task that told something, by host
    recap: Mapping[str, tuple[int, int]]  # changed, failed


class Room:
    """Hosts of this machine: each with a home of its own, all with the program of this tree."""

    def __init__(self, world: World) -> None:
        self.world, self.folder = world, world.home / "room"
        (self.folder / "ansible_collections" / "torch_setup").mkdir(parents=True)
        (self.folder / "ansible_collections" / "torch_setup" / "torch").symlink_to(COLLECTION)
        program = self.folder / "torch-wizard"
        program.write_text(
            f'#!/bin/sh\ncd {shlex.quote(str(ROOT))} && exec {shlex.quote(sys.executable)} -m wizard "$@"\n'
        )
        program.chmod(0o755)
        self.program = program

    def home(self, host: str) -> Path:
        """In the account's own folder, as on hosts; what is for people has ~ in its place."""
        return self.world.home / "user" / "hosts" / host

    def play(
        self,
        hosts: Mapping[str, Mapping[str, str]],
        tasks: list[dict[str, Any]] | None = None,
        *options: str,
        variables: Mapping[str, Any] | None = None,
    ) -> Play:
        """`hosts`: their own variables. Without tasks, the role."""
        given = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "torch_setup_program": [str(self.program)],
            **(variables or {}),
        }
        inventory = {
            "all": {
                "hosts": {name: {"torch_setup_home": str(self.home(name)), **more} for name, more in hosts.items()},
                "vars": given,
            }
        }
        book: dict[str, Any] = {"hosts": "all", "gather_facts": False}
        book |= {"tasks": tasks} if tasks else {"roles": ["torch_setup.torch.torch_setup"]}
        (self.folder / "room.yml").write_text(json.dumps(inventory))
        (self.folder / "play.yml").write_text(json.dumps([book]))
        done = subprocess.run(
            [str(Path(sys.executable).with_name("ansible-playbook")), "-v", "-i", "room.yml", "play.yml", *options],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=170,
            stdin=subprocess.DEVNULL,
        )
        results = {
            host: json.loads(found)
            for _, host, found in _RESULT.findall(done.stdout)
            if '"msg"' in found or '"prefix"' in found
        }
        recap = {host: (int(changed), int(failed)) for host, _, changed, _, failed in _RECAP.findall(done.stdout)}
        return Play(done.stdout + done.stderr, done.returncode, results, recap)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in self.world.environment.items() if name != "TORCH_WIZARD_HOME"}
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        return {
            **kept,
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder),
            "ANSIBLE_LOCAL_TEMP": str(self.folder / "tmp"),
            "ANSIBLE_REMOTE_TEMP": str(self.folder / "remote"),
            "TMPDIR": str(temporary),
            "ANSIBLE_NOCOLOR": "1",
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_HOME": str(self.folder / "ansible"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }


@pytest.fixture
def room(world: World) -> Room:
    return Room(world)


def class_profile(room: Room, wheels: Path) -> Path:
    """With addresses at which the files are."""
    path = profile_of(room.world, wheels, room.folder / "class.torchlab")
    profile = read_profile(path).profile

    def at(name: str) -> str:
        server = room.world.torch if name == "torch" else room.world.packages
        return f"{server.url}/files/"

    locks = tuple(
        replace(lock, files=tuple(replace(file, urls=(at(file.name) + file.filename,)) for file in lock.files))
        for lock in profile.locks
    )
    path.write_bytes(profile_file(replace(profile, locks=locks)).data)
    return path


def archive(room: Room) -> Path:
    """As the release's: one folder, with the program in it."""
    made = room.folder / "TorchSetup-linux.tar.xz"
    with tarfile.open(made, "w:xz") as tar:
        tar.add(room.program, "TorchSetup/torch-wizard")
    return made


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Of what a setup makes: environments, runs, downloads."""
    there = (path for part in ("envs", "runs", "downloads") for path in (folder / part).rglob("*"))
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in there if not path.is_dir()}


def test_a_room_from_its_profile(room: Room, wheels: Path) -> None:
    """Dry run, setup, once more; one host has a profile that is none, and does not stop the others."""
    good, bad = class_profile(room, wheels), room.folder / "bad.torchlab"
    for host in ("one", "two", "three"):
        make_official(room.world, room.home(host))
    bad.write_text("schema = 1\ntitle = 3\n")
    sound: dict[str, dict[str, str]] = {"one": {}} if times(2, 1) == 1 else {"one": {}, "two": {}}
    hosts = {**sound, "three": {"torch_setup_profile": str(bad)}}
    given = {
        "torch_setup_profile": str(good),
        "torch_setup_reports": str(room.folder / "reports"),
        "torch_setup_profile_dest": "{{ torch_setup_home }}/class.torchlab",
    }

    dry = room.play({"one": {}}, None, "--check", "--diff", variables=given)
    assert (dry.status, dry.recap) == (0, {"one": (1, 0)}), dry.text
    assert f"+torch {TORCH}+cpu" in dry.text
    assert files(room.home("one")) == {}
    assert not (room.home("one") / "class.torchlab").exists()

    first = room.play(hosts, None, variables=given)
    assert first.status == 2, first.text
    assert [first.recap[host][1] for host in hosts] == [*(0 for _ in sound), 1], first.text
    for host in sound:
        told = first.results[host]
        assert (told["torch"], told["gpu_test_passed"], told["changed"]) == (f"{TORCH}+cpu", True, True)
        assert room.world.import_check(Path(told["prefix"]), "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
        report = json.loads((room.folder / "reports" / f"{host}.json").read_text())
        assert report["status"] == 0
    failed = first.results["three"]
    assert failed["code"] == "profile-bad"
    assert "title" in failed["msg"]
    assert "Traceback" not in first.text
    assert not (room.home("three") / "envs").exists()

    before = files(room.home("one"))
    requests = len(room.world.torch.requests) + len(room.world.packages.requests)
    second = room.play(sound, None, variables=given)
    assert second.recap == dict.fromkeys(sound, (0, 0)), second.text
    assert files(room.home("one")) == before
    assert len(room.world.torch.requests) + len(room.world.packages.requests) == requests, "nobody is asked anything"


def test_a_dry_run_on_a_fresh_host(room: Room, wheels: Path) -> None:
    """The program comes as its archive, for so long; nothing of it is left, and the same line without --check works."""
    made = archive(room)
    make_official(room.world, room.home("one"))
    given = {
        "torch_setup_archive": str(made),
        "torch_setup_program": [],
        "torch_setup_program_dir": "{{ torch_setup_home }}/program",
        "torch_setup_profile": str(class_profile(room, wheels)),
        "torch_setup_profile_dest": "{{ torch_setup_home }}/class.torchlab",
    }
    dry = room.play({"one": {}}, None, "--check", "--diff", variables=given)
    assert (dry.status, dry.recap["one"][1]) == (0, 0), dry.text
    assert f"+torch {TORCH}+cpu" in dry.text
    assert not (room.home("one") / "program").exists()
    assert files(room.home("one")) == {}
    assert list((room.folder / "temporary").iterdir()) == []
    for left in (made.name, f"{made.name}.part"):  # of an unpacking that lost its power
        (room.home("one") / "program" / left / "share").mkdir(parents=True)
    first = room.play({"one": {}}, None, variables=given)
    assert first.status == 0, first.text
    assert [path.name for path in (room.home("one") / "program").rglob("*")] == [made.name, "torch-wizard"]
    gone = {**given, "torch_setup_profile": "", "torch_setup_name": "class", "torch_setup_state": "absent"}
    assert room.play({"one": {}}, None, "--check", variables=gone).recap == {"one": (1, 0)}
    assert room.home("one").joinpath("envs", "class").is_dir()
    taken = room.play({"one": {}}, None, variables=gone)
    assert taken.recap == {"one": (1, 0)}, taken.text
    assert not room.home("one").joinpath("envs", "class").exists()
    assert room.play({"one": {}}, None, variables=gone).recap == {"one": (0, 0)}


def test_a_new_version_of_a_class_and_the_way_back(room: Room, wheels: Path) -> None:
    """The one before is kept and comes back: when it is asked for, and when the new one cannot be made."""
    make_official(room.world, room.home("one"))
    old, new, broken = (room.folder / f"{name}.torchlab" for name in ("old", "new", "broken"))
    profile = read_profile(class_profile(room, wheels)).profile
    old.write_bytes(profile_file(profile).data)
    new.write_bytes(profile_file(replace(profile, title="Deep learning 102")).data)
    locks = tuple(
        replace(
            lock, files=tuple(replace(file, sha256="0" * 64) if file.name == "numpy" else file for file in lock.files)
        )
        for lock in profile.locks
    )
    broken.write_bytes(profile_file(replace(profile, locks=locks)).data)
    prefix = room.home("one") / "envs" / "class"
    kept = prefix.with_name(".class.previous")

    def play(profile: Path, state: str, *options: str) -> Play:
        tasks = [
            {
                "name": "Set up",
                "torch_setup.torch.torch_setup": {
                    "program": "{{ torch_setup_program }}",
                    "home": "{{ torch_setup_home }}",
                    "state": state,
                    **({"name": "class"} if state == "previous" else {"profile": str(profile)}),
                },
            }
        ]
        return room.play({"one": {}}, tasks, *options)

    assert play(old, "latest").recap == {"one": (1, 0)}
    (prefix / "of-the-first").touch()
    refused = play(new, "present")
    assert refused.results["one"]["code"] == "profile-name-other", refused.text
    assert "With state=latest" in refused.results["one"]["msg"]
    assert play(new, "latest", "--check").recap == {"one": (1, 0)}
    assert not kept.exists()
    replaced = play(new, "latest")
    assert replaced.recap == {"one": (1, 0)}, replaced.text
    assert replaced.results["one"]["previous"] == str(kept)
    assert (kept / "of-the-first").exists()
    assert play(new, "latest").recap == {"one": (0, 0)}

    failed = play(broken, "latest")
    assert failed.recap == {"one": (0, 1)}, failed.text
    assert "in its place again" in failed.results["one"]["msg"]
    assert play(new, "present").recap == {"one": (0, 0)}, "nothing of the attempt is left"

    back = play(old, "previous")
    assert back.recap == {"one": (1, 0)}, back.text
    assert (prefix / "of-the-first").exists()
    assert not kept.exists()
    assert room.world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert play(old, "present").recap == {"one": (0, 0)}, "the program knows it as what the first profile made"
    assert play(old, "previous").recap == {"one": (0, 0)}


def test_the_newest_torch_in_the_place_of_an_older_one(room: Room) -> None:
    """Without a profile: what a plan made anew would give; a card that fails its test brings the older one back."""
    tasks = task(
        room.world,
        packages=["none"],
        state="{{ state }}",
        variant="{{ build | default(omit) }}",
        gpu_test="{{ gpu_test | default(omit) }}",
    )
    prefix = room.home("one") / "envs" / "lab"
    made = room.play({"one": {"build": "cu126", "gpu_test": "reported", "state": "present"}}, tasks)
    assert made.recap == {"one": (1, 0)}, made.text
    newest = room.play({"one": {"state": "latest"}}, tasks)
    assert newest.recap == {"one": (1, 0)}, newest.text
    assert newest.results["one"]["torch"] == f"{TORCH}+cpu"
    assert room.play({"one": {"state": "latest"}}, tasks).recap == {"one": (0, 0)}
    failed = room.play({"one": {"build": "cu126", "state": "latest"}}, tasks)
    assert failed.recap == {"one": (0, 1)}, failed.text
    assert room.world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"


def task(world: World, **more: Any) -> list[dict[str, Any]]:
    given = {
        "program": "{{ torch_setup_program }}",
        "home": "{{ torch_setup_home }}",
        "name": "lab",
        "engine": "venv",
        "python": PYTHON,
        "index": world.packages.simple,
        "torch_index": world.torch.simple,
        **more,
    }
    return [{"name": "Set up", "torch_setup.torch.torch_setup": given}]


def cut_off(room: Room, host: str) -> Path:
    """As a host that lost its power in the middle: a run without an end. Returns its folder."""
    environment = {**room.world.environment, "TORCH_WIZARD_HOME": str(room.home(host))}
    begun = subprocess.run(
        [str(room.program), "setup", "--name", "lab", "--plan-only", "--with", "none", *room.world.sources],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    plan = json.loads(begun.stdout)
    prefix, run = room.home(host) / "envs" / "lab", Path(plan["plan"]).parent
    prefix.parent.mkdir(parents=True)
    mark_begun(prefix, plan["run"])
    (run / "events.jsonl").touch()
    return run


def test_choices_without_a_profile(room: Room) -> None:
    """What was cut off is made anew, what is there as asked stays, what is something else is not touched; a card that
    fails its test fails the host, each time; no address is shown."""
    tasks = task(
        room.world, packages=["none"], variant="{{ build | default(omit) }}", gpu_test="{{ gpu_test | default(omit) }}"
    )
    run = cut_off(room, "one")
    first = room.play({"one": {}, "two": {"build": "cu126"}}, tasks)
    assert first.recap == {"one": (1, 0), "two": (0, 1)}, first.text
    assert not run.exists()
    prefix = room.home("one") / "envs" / "lab"
    assert room.world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert (first.results["two"]["changed"], first.results["two"]["gpu_test_passed"]) == (True, False)
    assert "NVIDIA" in first.results["two"]["msg"], first.text
    assert room.world.torch.simple not in first.text, "it might have held a password"

    again = room.play({"one": {}, "two": {"build": "cu126"}}, tasks)
    assert again.recap == {"one": (0, 0), "two": (0, 1)}, "installed both, and the card of one still without a test"
    assert not again.results["two"]["changed"]

    other = room.play({"one": {"build": "cu126"}, "two": {"build": "cu126", "gpu_test": "reported"}}, tasks)
    assert other.recap == {"one": (0, 1), "two": (0, 0)}, other.text
    assert other.results["one"]["code"] == "present-other"
    assert "variant cpu" in other.results["one"]["msg"]
    assert other.results["two"]["gpu_test_passed"] is False
