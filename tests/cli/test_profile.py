"""A class profile for real: made from an index on loopback, then set up on a machine that has never seen that index."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.profile.examples import entry, profile
from tests.classroom.profile.known import list_hosts_of, make_official
from tests.compatibility.machines import FOLDER
from tests.line.wheel import build_wheel
from tests.line.world import PYTHON, TORCH, World
from tests.servers.index_server import IndexServer
from wizard.classroom.profile.model import Profile, ProfileEnvironment, ProfileSources
from wizard.classroom.profile.read import read_profile
from wizard.classroom.profile.signature import new_key, secret_text, signature_path, verify
from wizard.classroom.profile.write import profile_file
from wizard.classroom.server.server import ServeOptions
from wizard.classroom.server.share import serve_pack
from wizard.cli.main import main
from wizard.system.paths import MATRICES_VARIABLE, matrices_dir

pytestmark = pytest.mark.slow

MAKE = tuple(f"--name deep --torch {TORCH} --python {PYTHON} --with none --engine venv --platform linux".split())
Call = Callable[..., "tuple[int, str]"]


def made(world: World, path: Path, *more: str) -> Path:
    done = world.run("profile", "make", "-o", str(path), *MAKE, *_indexes(world), *more)
    assert done.returncode == 0, done.stderr
    make_official(world)
    return path


def _indexes(world: World) -> tuple[str, ...]:
    return "--index", world.packages.simple, "--torch-index", world.torch.simple


def stored(world: World) -> dict[str, str]:
    """The verified downloads of this home by name, with their true SHA-256."""
    base = world.home / "state" / "downloads"
    files = [path for path in base.rglob("*.whl") if path.is_file()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_from_an_index_to_a_profile_to_exactly_these_files(world: World, tmp_path: Path) -> None:
    path = made(world, tmp_path / "class.torchlab", "--variant", "cpu,cu126", "--title", "深度学习")
    file = read_profile(path)
    entry = next(lock for lock in file.profile.locks if lock.variant == "cpu")
    on_server = {
        wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest()
        for wheel in (*world.packages.files(), *world.torch.files())
    }
    assert {each.filename: each.sha256 for each in entry.files}.items() <= on_server.items()
    assert all(each.size for each in file.profile.files)
    again = made(world, tmp_path / "again.torchlab", "--variant", "cpu,cu126", "--title", "深度学习")
    assert again.read_bytes() == path.read_bytes()

    world.packages.requests.clear()
    world.torch.requests.clear()
    done = world.run("setup", "--profile", str(path), "--yes")
    assert done.returncode == 0, done.stderr
    assert "深度学习" in done.stderr
    assert stored(world) == {each.filename: each.sha256 for each in entry.files}
    pages = [asked for asked in (*world.packages.paths(), *world.torch.paths()) if asked.startswith("/simple")]
    assert pages == ["/simple/torch/"], "only the official word on torch is asked for"
    prefix = world.home / "state" / "envs" / "deep"
    assert world.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    run = world.runs()[-1]
    assert json.loads((run / "report.json").read_text(encoding="utf-8"))["plan"]["profile_sha256"] == file.sha256

    _a_second_setup_changes_nothing(world, path)
    _a_name_that_is_taken(world, tmp_path)


def _a_second_setup_changes_nothing(world: World, path: Path) -> None:
    before = len(world.runs()), len(world.packages.paths()), len(world.torch.paths())
    done = world.run("setup", "--profile", str(path), "--yes")
    assert (done.returncode, "already" in done.stderr) == (0, True)
    assert (len(world.runs()), len(world.packages.paths()), len(world.torch.paths())) == before


def _a_name_that_is_taken(world: World, tmp_path: Path) -> None:
    """Two profiles with one environment name; then an environment that no profile made; then one that changed."""
    other = made(world, tmp_path / "other.torchlab", "--variant", "cpu", "--ask", "name")
    told = world.run("setup", "--profile", str(other), "--yes")
    assert told.returncode == 2
    assert "another class profile" in told.stderr
    assert len(told.stderr.strip().splitlines()) == 2
    hand_made = world.home / "state" / "envs" / "mine"
    hand_made.mkdir()
    (hand_made / "pyvenv.cfg").write_text("")
    told = world.run("setup", "--profile", str(other), "--yes", "--name", "mine")
    assert told.returncode == 2
    assert "was not made from this class profile" in told.stderr
    assert list(hand_made.iterdir()) == [hand_made / "pyvenv.cfg"]


def test_a_wheel_that_was_altered_on_the_server_is_refused(world: World, tmp_path: Path) -> None:
    path = made(world, tmp_path / "class.torchlab", "--variant", "cpu")
    victim = next(each for each in read_profile(path).profile.files if each.name == "numpy")
    with IndexServer(tmp_path) as liar:
        folder = tmp_path / "altered"
        bad = build_wheel(folder, "numpy", "2.3.0", {"numpy/__init__.py": b"import os  # not what was locked\n"})
        text = path.read_text(encoding="utf-8").replace(victim.urls[0], f"{liar.url}/files/{bad.name}")
        text = text.replace(f"size = {victim.size}\n", f"size = {bad.stat().st_size}\n")
        path.write_text(text, encoding="utf-8")
        done = world.run("setup", "--profile", str(path), "--yes", "--trust", "127.0.0.1")
    assert done.returncode == 1, done.stderr
    assert victim.release in done.stderr
    (log,) = (world.home / "state" / "runs").glob("*/log.txt")
    assert victim.filename in log.read_text(encoding="utf-8")
    assert "numpy-2.3.0-py3-none-any.whl" not in stored(world)
    assert not (world.home / "state" / "envs" / "deep" / ".torch-setup.json").exists()


def test_the_built_in_engine_brings_the_python_from_the_profiles_channel(
    world: World, conda_channel_folder: Path, tmp_path: Path
) -> None:
    with IndexServer(conda_channel_folder) as channel:
        made(world, tmp_path / "c.torchlab", "--variant", "cpu", "--channel", channel.url, "--engine", "rattler")
        done = world.run("setup", "--profile", str(tmp_path / "c.torchlab"), "--dry-run", "--trust", "127.0.0.1")
    assert done.returncode == 0, done.stderr
    assert f"--override-channels -c {channel.url} python={PYTHON}" in done.stderr
    assert world.runs() == []


def test_a_room_without_internet_gets_its_python_from_the_pack(
    world: World, conda_channel_folder: Path, tmp_path: Path
) -> None:
    """The admin has a network; the students have a class server and nothing else: no channel, no index."""
    path, pack = tmp_path / "class.torchlab", tmp_path / "pack 包"
    with (
        IndexServer(conda_channel_folder) as channel,
        IndexServer(world.packages.root) as packages,
        IndexServer(world.torch.root) as torch,
    ):
        admin = World(tmp_path, packages, torch)
        made(admin, path, "--variant", "cpu", "--channel", channel.url, "--engine", "rattler")
        done = admin.run("pack", "build", str(path), "-o", str(pack), "--trust", channel.url)
        assert done.returncode == 0, done.stderr
    file = read_profile(path)
    python = {package.file.filename: package.file for package in file.profile.conda}
    shown = world.run("profile", "show", str(path), "--json")
    assert json.loads(shown.stdout)["locks"][0]["conda"] == {
        "packages": len(python),
        "bytes": sum(one.size or 0 for one in python.values()),
    }

    student = World(tmp_path / "student", world.packages, world.torch)
    (student.home / "user").mkdir(parents=True)
    with serve_pack(
        pack, ServeOptions("127.0.0.1", 0), False, lambda value: None, lambda count: None, lambda: False
    ) as on:
        done = student.run(
            "setup",
            "--pack",
            on.addresses[0],
            "--class",
            file.sha256[:16],
            "--yes",
            "--label",
            "seat 1",
            "--trust",
            "127.0.0.1",
        )
        sent = on.server.counted.bytes_sent
    assert done.returncode == 0, done.stderr
    assert "no conda channel is asked" in done.stderr
    assert sent >= sum(one.size or 0 for one in file.profile.files)
    prefix = student.home / "state" / "envs" / "deep"
    assert student.import_check(prefix, "import pip, torch; print(torch.__version__)") == f"{TORCH}+cpu"
    records = [json.loads(one.read_text(encoding="utf-8")) for one in (prefix / "conda-meta").glob("*.json")]
    assert {(one["fn"], one["sha256"], one["url"]) for one in records} == {
        (name, one.sha256, one.urls[0]) for name, one in python.items()
    }


def test_a_release_that_only_the_admin_has_learnt(world: World, tmp_path: Path) -> None:
    """The tables of both know nothing of it; the admin's overlay does, and the profile takes its rows along."""
    old = tmp_path / "old tables"
    shutil.copytree(matrices_dir(), old)
    learnt = world.home / "state" / "matrices-overlay"
    learnt.mkdir(parents=True)
    for name in ("releases", "builds", "arch_list"):
        head, *rows = (old / f"{name}.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        (learnt / f"{name}.csv").write_text(
            "".join([head, *(row for row in rows if row.startswith(f"{TORCH},"))]), encoding="utf-8"
        )
    for name in ("releases", "builds", "arch_list", "wheel_sizes", "numpy_bounds", "wheel_hashes"):
        rows = (old / f"{name}.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [row for row in rows if not row.startswith((f"{TORCH},", f"torch-{TORCH}"))]
        (old / f"{name}.csv").write_text("".join(kept), encoding="utf-8")
    admin = replace(world, more={MATRICES_VARIABLE: str(old)})
    path = tmp_path / "class.torchlab"
    done = admin.run("profile", "make", "-o", str(path), "--variant", "cpu", *MAKE, *_indexes(world))
    assert done.returncode == 0, done.stderr
    assert f"knows torch {TORCH}" in done.stderr
    assert "Torch Setup 0.1.0 or newer" in done.stderr
    student = replace(admin, home=tmp_path / "student")
    (student.home / "user").mkdir(parents=True)
    make_official(student)
    done = student.run("setup", "--profile", str(path), "--yes")
    assert done.returncode == 0, done.stderr
    assert f"does not know torch {TORCH} yet" in done.stderr
    prefix = student.home / "state" / "envs" / "deep"
    assert student.import_check(prefix, "import torch; print(torch.__version__)") == f"{TORCH}+cpu"
    assert not (student.home / "state" / "matrices-overlay").exists()


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line in this process: for what is refused before anything is begun."""
    monkeypatch.setenv("TORCH_WIZARD_LANG", "en")

    def run(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(arguments, lambda session, file, self_test: 99)
        return status, capsys.readouterr().err

    return run


def saved(path: Path, made: Profile) -> Path:
    list_hosts_of(made)
    path.write_bytes(profile_file(made).data)
    return path


def test_a_card_that_would_lie_idle_is_told_with_the_reason(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path / "class.torchlab", profile(entry("windows", "cu126"), entry("windows", "cpu")))
    for machine, told in (("rtx-5070-ti-windows-581", True), ("intel-only-windows", False)):
        main(("profile", "check", str(path), "--machine", str(FOLDER / f"{machine}.json")), lambda *_: 99)
        lines = capsys.readouterr().out.splitlines()
        assert "+cpu" in lines[1], lines
        assert any("NVIDIA card is not used" in line for line in lines) == told, lines
        assert any("+cu126" in line for line in lines[2:]) == told, lines


def test_the_driver_that_suffices_for_the_build_at_the_end_is_told_once(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = (entry("linux", "cu128", "2.11.0"), entry("linux", "cu132"), entry("linux", "cpu"))
    path = saved(tmp_path / "class.torchlab", profile(*entries))
    main(("profile", "check", str(path), "--machine", str(FOLDER / "rtx-5070-ti-linux-550.json")), lambda *_: 99)
    said = capsys.readouterr().out
    assert said.count("580") == 1, said
    assert "with NVIDIA driver 580.65.06 or newer it would take torch 2.14.1+cu132" in said
    assert "570" not in said


def test_a_driver_that_suffices_has_an_end_where_the_card_has_one(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = json.loads((FOLDER / "gtx-1080-windows-595.json").read_text(encoding="utf-8"))
    old |= {"os": "linux", "glibc": "2.36", "os_version": None, "driver": {"version": "390.157", "cuda": "9.1"}}
    (tmp_path / "gtx-1080.json").write_text(json.dumps(old), encoding="utf-8")
    path = saved(tmp_path / "class.torchlab", profile(entry("linux", "cu126"), entry("linux", "cpu")))
    main(("profile", "check", str(path), "--machine", str(tmp_path / "gtx-1080.json")), lambda *_: 99)
    said = capsys.readouterr().out
    assert "driver from 525.60.13 to 580 it would take torch 2.14.1+cu126; do not install a newer one" in said


def test_what_a_newer_driver_would_change_is_counted_for_the_room(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path / "class.torchlab", profile(*(entry("windows", tag) for tag in ("cu130", "cu126", "cpu"))))
    room = [
        str(FOLDER / f"{name}-windows-{driver}.json") for name, driver in (("rtx-5070-ti", 572), ("gtx-1660-ti", 546))
    ]
    room.append(str(FOLDER / "intel-only-windows.json"))
    main(("profile", "check", str(path), "--machine", *room), lambda *_: 99)
    names = "rtx-5070-ti-windows-572.json, gtx-1660-ti-windows-546.json"
    said = f"With NVIDIA driver 580, 2 of 3 computers would take torch 2.14.1+cu130: {names}."
    assert said in capsys.readouterr().out.splitlines()
    main(("profile", "check", str(path), "--json", "--machine", *room), lambda *_: 99)
    document = json.loads(capsys.readouterr().out)
    update = {"driver": "580", "torch": "2.14.1", "variant": "cu130"}
    assert [one["after_driver_update"] for one in document["machines"]] == [update, update, None]
    assert document["driver_updates"] == [{**update, "machines": names.split(", ")}]


def test_a_wrong_option_of_make_is_named_as_it_was_typed_and_before_anything_is_asked(
    call: Call, tmp_path: Path
) -> None:
    common = ("--platform", "linux", "--variant", "cpu", "--index", "http://127.0.0.1:9/simple")
    for place in ("/etc", "~/../x"):
        status, told = call("profile", "make", "-o", str(tmp_path / "x.torchlab"), "--place", place, *common)
        assert (status, "--place cannot be" in told) == (2, True), told
    status, told = call("profile", "make", "-o", str(tmp_path / "no" / "x.torchlab"), *common)
    assert (status, "could not be written" in told, "Asking" in told) == (1, True, False), told


def test_only_what_the_profile_asks_for_may_be_chosen(call: Call, tmp_path: Path) -> None:
    path = saved(tmp_path / "class.torchlab", profile(entry("linux", "cu126"), ask=("variant",)))
    for options, word in (
        (("--name", "x"), "--name"),
        (("--prefix", str(tmp_path / "p")), "--prefix"),
        (("--with", "x"), "--with"),
        (("--torch", TORCH), "--torch"),
        (("--index", "https://example.org/"), "--index"),
        (("--reuse",), "--reuse"),
        (("--engine", "rattler"), "--engine"),
    ):
        status, told = call("setup", "--profile", str(path), "--yes", *options)
        assert (status, word in told) == (2, True), (options, told)
    status, told = call("setup", "--profile", str(path), "--yes", "--variant", "cpu")
    assert (status, "It has: linux x86_64, torch 2.14.1+cu126" in told) == (2, True), told
    status, told = call("setup", "--profile", str(path), "--yes", "--variant", "cu126")
    assert (status, "fits this computer: torch 2.14.1+cu126" in told) == (1, True), told
    assert not (tmp_path / "own-home" / "runs").exists() or not list((tmp_path / "own-home" / "runs").iterdir())


def test_a_profile_that_allows_class_servers_only_asks_nobody_else(call: Call, tmp_path: Path) -> None:
    made = profile(
        entry("linux", "cpu", python=PYTHON),
        environment=ProfileEnvironment("deep", "venv"),
        sources=ProfileSources(only_share=True),
    )
    status, told = call("setup", "--profile", str(saved(tmp_path / "c.torchlab", made)), "--yes")
    assert (status, "class server only" in told) == (1, True), told
    assert not (tmp_path / "own-home" / "envs").exists()


def test_bad_profiles_are_one_sentence_and_nothing_changes(call: Call, tmp_path: Path) -> None:
    path = saved(tmp_path / "class.torchlab", profile(entry("linux", "cpu")))
    sound = path.read_text(encoding="utf-8")
    for old, new, said in (
        ("schema = 1", "schema = 4", "newer version"),
        ('name = "deep"', 'name = "../deep"', "environment.name"),
        ('sha256 = "', 'sha256 = "00', "lock[0].file[0].sha256"),
        ("[environment]", "[environment", "not a class profile"),
    ):
        path.write_text(sound.replace(old, new), encoding="utf-8")
        status, told = call("setup", "--profile", str(path), "--yes")
        assert (status, said in told) == (2, True), told
        assert len(told.strip().splitlines()) == 2
    assert call("profile", "check", str(path))[0] == 2
    assert not (tmp_path / "own-home" / "envs").exists()


def test_make_says_what_it_was_not_told(call: Call, tmp_path: Path) -> None:
    path = str(tmp_path / "x.torchlab")
    for options, said in (
        (("--platform", "windows"), "which graphics cards"),
        (("--platform", "macos", "--variant", "cpu"), "macos"),
        (("--variant", "cu999"), "cu999"),
        (("--torch", "9.9.9"), "9.9.9"),
        (("--name", "../x"), "--name"),
        (("--place", "/etc"), "--place"),
        (("--share", "http://u:hunter2@x/"), "--share"),
        (("--ask", "all"), "--ask"),
        (("--title", "<b>"), "--title"),
        (("--with", "name @ http://x/y.whl"), "name @"),
    ):
        status, told = call("profile", "make", "-o", path, *options)
        assert (status, said in told, "hunter2" in told) == (2, True, False), told
    assert not Path(path).exists()


def test_a_profile_signed_as_it_is_made(world: World, tmp_path: Path) -> None:
    """With a key in a file; with one's own; and nothing is made with a key that is none."""
    key_file = tmp_path / "teacher.key"
    key = new_key()
    key_file.write_text(secret_text(key))
    path = made(world, tmp_path / "class.torchlab", "--variant", "cpu", "--sign", str(key_file))
    signed = signature_path(path).read_bytes()
    assert verify(path.read_bytes(), signed, key.public) == key.public
    done = world.run("profile", "verify", str(path), "--key", key.public.text)
    assert done.returncode == 0, done.stderr
    own = world.run("profile", "sign", str(path))
    assert own.returncode == 0, own.stderr
    changed = world.run("profile", "verify", str(path))
    assert changed.returncode == 2, "another key than the one that was remembered"
    assert key.public.fingerprint in changed.stderr
    assert world.run("profile", "sign", str(path), "--key", str(key_file)).returncode == 0
    assert world.run("profile", "verify", str(path)).returncode == 0
    key_file.write_text("nothing")
    none = world.run("profile", "make", "-o", str(tmp_path / "b.torchlab"), "--variant", "cpu", "--sign", str(key_file))
    assert (none.returncode, (tmp_path / "b.torchlab").exists()) == (2, False)
