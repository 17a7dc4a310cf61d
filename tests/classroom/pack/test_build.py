"""A pack holds every file of its profile once, goes on where it was interrupted, and fetches only what changed."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.pack.classes import Class, make_class, publish
from tests.clone import typed
from tests.servers.fault_server import FaultServer
from wizard.classroom.code import code_of
from wizard.classroom.pack.build import BuildOptions, build
from wizard.classroom.pack.check import others
from wizard.classroom.pack.listing import Built, listing_to_json
from wizard.classroom.pack.make import check_pack, read_listing, wanted_of
from wizard.classroom.pack.opened import base_of, open_pack
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.transfer.download import Downloads, Fetcher, FetchProgress
from wizard.transfer.download.fetcher import Options


def built(course: Class, folder: Path, own: Path | None = None, **options: object) -> Built:
    store = Downloads(own or folder.parent / "own")
    return build(wanted_of(course.file), folder, BuildOptions(**options), store)  # type: ignore[arg-type]


def problems(folder: Path) -> list[tuple[str, str]]:
    checked = check_pack(folder, lambda count: None, lambda: False)
    return [(problem.kind, problem.path) for problem in checked.problems]


def test_every_file_is_fetched_once_and_the_pack_is_whole(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    done = built(course, pack)
    assert done.bytes_fetched == course.union == sum(origin.sent.values())
    assert (pack / "profile.torchlab").read_bytes() == course.file.data
    assert problems(pack) == []
    assert others(pack, done.listing) == ()
    assert not (pack / ".building").exists()
    for file in course.file.profile.files:
        assert hashlib.sha256((pack / "wheels" / file.filename).read_bytes()).hexdigest() == file.sha256


def test_pip_can_take_the_pack_for_an_index(course: Class, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    built(course, pack)
    page = (pack / "simple" / "torch" / "index.html").read_text()
    torch = course.file.profile.locks[0].files[0]
    assert f"../../wheels/{torch.filename.replace('+', '%2B')}#sha256={torch.sha256}" in page
    assert 'href="numpy/"' in (pack / "simple" / "index.html").read_text()
    people = (pack / "index.html").read_text(encoding="utf-8")
    assert "Deep learning 101" in people
    assert "U 盘" in people


def test_what_this_computer_has_is_copied(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    own = tmp_path / "own"
    Fetcher(Downloads(own)).fetch(course.file.profile.locks[0].files)
    before = sum(origin.sent.values())
    done = built(course, tmp_path / "pack", own)
    windows_torch = course.file.profile.locks[1].files[0]
    assert sum(origin.sent.values()) - before == windows_torch.size
    assert done.bytes_copied == course.union - (windows_torch.size or 0)


def test_an_interrupted_build_goes_on(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    pack, seen = tmp_path / "pack", []

    def watch(progress: FetchProgress) -> None:
        seen.append(progress.files_done)

    with pytest.raises(Cancelled):
        build(
            wanted_of(course.file),
            pack,
            BuildOptions(connections=1),
            Downloads(tmp_path / "own"),
            watch,
            lambda: bool(seen and seen[-1] >= 2),
        )
    assert not (pack / "pack.json").exists()
    got = sum(origin.sent.values())
    assert got > 0
    done = built(course, pack)
    assert done.bytes_present > 0
    assert problems(pack) == []
    assert sum(origin.sent.values()) <= course.union + 1_000_000  # what was in flight at the cut


def test_another_folder_is_left_alone(course: Class, tmp_path: Path) -> None:
    theirs = tmp_path / "thesis"
    theirs.mkdir()
    (theirs / "chapter1.txt").write_text("words")
    with pytest.raises(UsageError) as caught:
        built(course, theirs)
    assert caught.value.code == "pack-folder-taken"
    assert [path.name for path in theirs.iterdir()] == ["chapter1.txt"]


def test_an_update_fetches_what_changed_and_removes_nothing_unasked(
    course: Class, origin: FaultServer, tmp_path: Path
) -> None:
    pack = tmp_path / "pack"
    built(course, pack)
    newer = make_class(origin.root, seed=2, builds=(("linux", "cu128"),))
    publish(origin, newer)
    before = sum(origin.sent.values())
    done = built(newer, pack)
    torch = newer.file.profile.locks[0].files[0]
    assert sum(origin.sent.values()) - before == torch.size
    old = {f"wheels/{lock.files[0].filename}" for lock in course.file.profile.locks}
    assert set(done.kept) == old
    assert all((pack / path).exists() for path in old)
    assert set(others(pack, done.listing)) == old
    # The words said that they stay until somebody asks: two updates later they are known still.
    assert set(built(newer, pack).kept) == old
    assert set(built(newer, pack, remove=True).removed) == old
    assert others(pack, open_pack(base_of(str(pack))).listing) == ()
    assert problems(pack) == []


def test_further_files_lie_in_the_pack_and_stay(course: Class, tmp_path: Path) -> None:
    pack, some, odd = tmp_path / "pack", tmp_path / "setup.tar.xz", tmp_path / "a:b.sh"
    for path in (some, odd):
        path.write_bytes(b"program")
    second = tmp_path / "Miniforge3-26.3.2-3-Linux-x86_64.sh"
    second.write_bytes(b"installer")
    built(course, pack, program=(some, second))
    assert {path.name for path in (pack / "program").iterdir()} == {some.name, second.name}
    again = built(course, pack)
    assert {entry.path for entry in again.listing.entries} >= {f"program/{some.name}", f"program/{second.name}"}
    for wrong in (odd, tmp_path / "nowhere.sh", tmp_path):
        with pytest.raises(UsageError) as caught:
            built(course, pack, program=(wrong,))
        assert caught.value.code == "pack-program-none"
    assert problems(pack) == []


def test_a_list_of_a_stranger_removes_nothing_outside_the_packs_own_folders(course: Class, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    listing = built(course, pack).listing
    (tmp_path / "thesis.txt").write_text("words")
    (pack / "results" / "seat.json").write_text("{}")
    kept = ("results/seat.json", "pack.json", "profile.torchlab", f"wheels/{course.file.profile.files[0].filename}")
    (pack / "pack.json").write_bytes(listing_to_json(replace(listing, unneeded=kept)))
    assert built(course, pack, remove=True).removed == ()
    assert (pack / "results" / "seat.json").exists()
    assert problems(pack) == []
    (pack / "pack.json").write_bytes(listing_to_json(replace(listing, unneeded=("../thesis.txt",))))
    with pytest.raises(WizardError) as caught:
        built(course, pack, remove=True)
    assert caught.value.code == "pack-unreadable"
    assert (tmp_path / "thesis.txt").exists()


def test_an_update_removes_what_it_is_asked_to(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    built(course, pack)
    (pack / "wheels" / "mine.txt").write_text("the admin's own")
    newer = make_class(origin.root, seed=2, builds=(("linux", "cu128"),))
    publish(origin, newer)
    done = built(newer, pack, remove=True)
    assert len(done.removed) == 2
    assert not any((pack / path).exists() for path in done.removed)
    assert (pack / "wheels" / "mine.txt").exists()
    assert problems(pack) == []


def test_check_names_each_bad_file_and_update_mends_it(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    built(course, pack)
    torch, numpy, small, sympy = course.file.profile.locks[0].files
    (pack / "wheels" / numpy.filename).unlink()
    wheel = pack / "wheels" / torch.filename
    wheel.write_bytes(b"x" + wheel.read_bytes()[1:])
    (pack / "wheels" / sympy.filename).write_bytes(b"short")
    assert sorted(problems(pack)) == sorted(
        [
            ("missing", f"wheels/{numpy.filename}"),
            ("altered", f"wheels/{torch.filename}"),
            ("size", f"wheels/{sympy.filename}"),
        ]
    )
    before = sum(origin.sent.values())
    built(course, pack)
    assert problems(pack) == []
    wanted = sum(file.size or 0 for file in (torch, numpy, sympy))
    assert sum(origin.sent.values()) - before == wanted


def test_a_foreign_profile_in_the_pack_is_named(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    built(course, pack)
    other = make_class(origin.root, builds=(("linux", "cu128"),))
    (pack / "profile.torchlab").write_bytes(other.file.data)
    torch = other.file.profile.locks[0].files[0]
    assert {("profile", "profile.torchlab"), ("not-listed", torch.filename)} <= set(problems(pack))


# -- volumes that hold no large file ----------------------------------------------------------------------------


def test_large_files_are_split_and_joined_on_use(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    done = built(course, pack, part=128 * 1024)
    lock = course.file.profile.locks[0]
    torch = lock.files[0]
    assert f"wheels/{torch.filename}" in done.split
    parts = sorted(path.name for path in (pack / "wheels").glob(f"{torch.filename}.*"))
    assert parts == [f"{torch.filename}.{number:03}" for number in (1, 2, 3)]
    assert not (pack / "wheels" / torch.filename).exists()
    assert problems(pack) == []
    opened = open_pack(base_of(str(pack)))
    from_stick = [_only(file, opened.address_of(file)) for file in lock.files]
    before = sum(origin.sent.values())
    paths = Fetcher(Downloads(tmp_path / "student")).fetch(from_stick).paths
    assert paths[0].read_bytes() == course.data[torch.sha256]
    assert sum(origin.sent.values()) == before
    # A part that was altered is named by itself, and no wrong byte comes out of it.
    broken = pack / "wheels" / parts[1]
    broken.write_bytes(b"y" + broken.read_bytes()[1:])
    assert problems(pack) == [("altered", f"wheels/{parts[1]}")]
    with pytest.raises(WizardError) as caught:
        Fetcher(Downloads(tmp_path / "other"), options=Options(backoff=0.01)).fetch(from_stick)
    assert caught.value.code == "fetch-hash-mismatch"


def test_an_unsplit_pack_is_split_when_it_must(course: Class, origin: FaultServer, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    built(course, pack)
    done = built(course, pack, part=128 * 1024)
    assert done.split
    assert problems(pack) == []


def _only(file: object, url: str | None) -> object:
    from dataclasses import replace

    assert url
    return replace(file, urls=(url,))  # type: ignore[type-var]


def test_a_newer_pack_says_so_on_the_command_line(course: Class, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    built(course, pack)
    text = (pack / "pack.json").read_text().replace('"schema": 1', '"schema": 7')
    (pack / "pack.json").write_text(text)
    for look in (lambda: read_listing(pack), lambda: open_pack(base_of(str(pack)))):
        with pytest.raises(WizardError) as caught:
            look()
        assert caught.value.params["path"] == str(pack), "a folder, as it was typed"
    done = _command("pack", "check", str(pack))
    assert done.returncode == 1
    assert "newer version" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_commands_build_and_check(course: Class, tmp_path: Path) -> None:
    profile, pack = course.write(tmp_path / "course.torchlab"), tmp_path / "pack"
    done = _command("pack", "build", str(profile), "-o", str(pack))
    assert (done.returncode, "--trust 127.0.0.1:" in done.stderr, pack.exists()) == (2, True, False), done.stderr
    done = _command("pack", "build", str(profile), "-o", str(pack), "--trust", "127.0.0.1")
    assert done.returncode == 0, done.stderr
    assert code_of(course.file.sha256) in done.stderr
    assert _command("pack", "check", str(pack)).returncode == 0
    (pack / "wheels" / course.file.profile.files[0].filename).unlink()
    checked = _command("pack", "check", str(pack))
    assert checked.returncode == 1
    assert course.file.profile.files[0].filename in checked.stderr
    assert _command("pack", "update", str(pack)).returncode == 2
    assert _command("pack", "update", str(pack), "--trust", "127.0.0.1").returncode == 0
    assert _command("pack", "check", str(pack)).returncode == 0


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TORCH_WIZARD_LANG": "en"}
    return typed(*arguments, env=environment)
