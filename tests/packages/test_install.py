"""Real wheels, installed by the real uv (and by pip) into a real virtual environment."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

from tests.packages import wheels
from tests.packages.conftest import ask, stored_wheel
from wizard import paths
from wizard.errors import Cancelled, WizardError
from wizard.packages.install import SCRATCH_NAME, Installer, Ready
from wizard.packages.record import PART_SUFFIX, check_record, is_installed, remove_partial
from wizard.packages.store import Entry
from wizard.packages.store.thin import write_thin
from wizard.packages.wheel import plain_members, read_wheel

ROOT = Path(__file__).resolve().parents[2]


def stored(*found: Path) -> list[Entry]:
    """In the store of this test."""
    return [stored_wheel(wheel) for wheel in found]


def tree(folder: Path) -> dict[str, bytes]:
    """Everything but what names this very install."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and path.name not in ("direct_url.json", "uv_cache.json", "REQUESTED")
    }


def record_lines(text: bytes) -> set[str]:
    return {
        line for line in text.decode().splitlines() if not line.split(",")[0].endswith(("REQUESTED", "uv_cache.json"))
    }


def test_a_wheel_with_everything_works(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    entries = stored(wheel)
    seen: list[Entry] = []
    Installer(python).install(entries, seen.append)
    assert seen == entries
    assert ask(python, "import rich_demo, rich_demo_extra; print(rich_demo.answer, rich_demo_extra.more)") == "42 1"
    assert (site_packages / "rich_demo/lib/large.so").read_bytes() == wheels.LIBRARY
    assert (site_packages / "rich_demo/data/ü.txt").read_text(encoding="utf-8") == "Größe"
    assert os.access(site_packages / "rich_demo/bin/tool", os.X_OK)
    assert not os.access(site_packages / "rich_demo/lib/large.so", os.X_OK) or sys.platform == "win32"
    for script, answer in (("rich_demo-new", "from the script 42"), ("rich_demo-old", "old script")):
        # On Windows a program is made of an entry point; a script of the old kind needs its Python named.
        is_program = sys.platform != "win32" or script.endswith("new")
        found = [str(python.with_name(script))] if is_program else [str(python), str(python.with_name(script))]
        assert subprocess.run(found, capture_output=True, text=True, check=True).stdout.strip() == answer
    assert check_record(site_packages, wheel) == ()
    assert check_record(site_packages, site_packages / "rich_demo-1.0.dist-info") == ()
    assert is_installed(wheel, site_packages)
    assert not (site_packages / "rich_demo-1.0.dist-info/direct_url.json").exists()
    assert not (python.parent.parent / SCRATCH_NAME).exists()


def uv_alone(python: Path, folder: Path, name: str) -> None:
    options = ("--no-config", "--offline", "--no-index", "--cache-dir", str(folder / "cache"))
    command = [str(paths.uv_executable()), "pip", "install", "-q", *options, "--find-links", str(folder)]
    subprocess.run([*command, "--python", str(python), name], check=True)


def test_the_result_is_what_uv_alone_would_make(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    Installer(python).install(stored(wheel))
    ours = tree(site_packages)
    remove_partial(wheel, site_packages)
    uv_alone(python, tmp_path, "rich_demo")
    theirs = tree(site_packages)
    record = "rich_demo-1.0.dist-info/RECORD"
    assert record_lines(ours.pop(record)) == record_lines(theirs.pop(record))
    assert ours == theirs


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_every_way_of_packing(tmp_path: Path, python: Path, site_packages: Path, method: int) -> None:
    wheel = wheels.build(tmp_path, "packed", files={"packed/big.bin": wheels.LIBRARY}, method=method)
    if method == zipfile.ZIP_BZIP2:
        with pytest.raises(WizardError) as caught:  # no installer takes it
            Installer(python).install(stored(wheel))
        assert caught.value.code == "install-failed"
        return
    Installer(python).install(stored(wheel))
    assert (site_packages / "packed/big.bin").read_bytes() == wheels.LIBRARY


def test_wheels_that_are_there_are_left_alone(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    entries = stored(wheel)
    Installer(python).install(entries)
    before = (site_packages / "rich_demo/lib/large.so").stat().st_mtime_ns
    seen: list[Entry] = []
    Installer(python).install(entries, seen.append)
    assert seen == entries
    assert (site_packages / "rich_demo/lib/large.so").stat().st_mtime_ns == before


@pytest.mark.parametrize("harm", ["cut", "gone", "no-dist-info", "part-left"])
def test_a_half_install_is_made_whole(tmp_path: Path, python: Path, site_packages: Path, harm: str) -> None:
    wheel, neighbour = wheels.rich(tmp_path), wheels.build(tmp_path, "neighbour")
    Installer(python).install(stored(wheel, neighbour))
    large = site_packages / "rich_demo/lib/large.so"
    if harm == "cut":
        large.unlink()
        large.write_bytes(b"half")
    elif harm == "gone":
        (site_packages / "rich_demo/__init__.py").unlink()
    elif harm == "no-dist-info":
        for path in (site_packages / "rich_demo-1.0.dist-info").iterdir():
            path.unlink()
    else:
        large.rename(large.with_name("large.so.torch-setup-part"))
    assert not is_installed(wheel, site_packages)
    Installer(python).install(stored(wheel, neighbour))
    assert check_record(site_packages, wheel) == ()
    assert not list(site_packages.rglob("*.torch-setup-part"))


def test_remove_partial_takes_only_what_the_wheel_lists(tmp_path: Path, python: Path, site_packages: Path) -> None:
    first = wheels.build(tmp_path, "first", files={"shared/first.py": b"", "first.py": b"x"})
    second = wheels.build(tmp_path, "second", files={"shared/second.py": b""})
    Installer(python).install(stored(first, second))
    (site_packages / "shared/mine.txt").write_text("the user's own")
    remove_partial(first, site_packages)
    assert not (site_packages / "first.py").exists()
    assert not (site_packages / "first-1.0.dist-info").exists()
    assert sorted(path.name for path in (site_packages / "shared").iterdir()) == ["mine.txt", "second.py"]
    assert check_record(site_packages, second) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_remove_partial_follows_no_link(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.build(tmp_path, "linked", files={"linked/a.py": b"x"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("precious")
    (site_packages / "linked").symlink_to(outside)
    remove_partial(wheel, site_packages)
    assert (outside / "a.py").read_text() == "precious"
    (site_packages / "linked").unlink()


def test_remove_partial_in_a_folder_that_others_fill(tmp_path: Path, site_packages: Path) -> None:
    """As NVIDIA's wheels do: each has its files in folders that all the others have too."""
    files = {f"vendor/cu13/include/{name}.h": b"x" for name in "ab"} | {"vendor/cu13/lib/a/b.so": bytes(2 << 20)}
    wheel = wheels.build(tmp_path, "vendor_one", files=files)
    include, lib = site_packages / "vendor/cu13/include", site_packages / "vendor/cu13/lib"
    for folder in (include / "a.h", lib / "a"):
        folder.parent.mkdir(parents=True, exist_ok=True)
    (include / "a.h").write_text("half")
    (include / "other.h").write_text("of another wheel")
    (lib / "a").mkdir()
    (lib / "a" / ("b.so" + PART_SUFFIX)).write_text("half")
    assert remove_partial(wheel, site_packages) == 2
    left = sorted(path.relative_to(site_packages).as_posix() for path in (site_packages / "vendor").rglob("*"))
    assert left == ["vendor/cu13", "vendor/cu13/include", "vendor/cu13/include/other.h"]
    assert remove_partial(wheel, site_packages) == 0
    shutil.rmtree(site_packages / "vendor")


def test_a_record_takes_nothing_of_another_package(tmp_path: Path, python: Path, site_packages: Path) -> None:
    """Its own RECORD lists another's files, which it does not hold, and those of no package at all."""
    other = wheels.build(tmp_path, "other", files={"other/a.py": b"a", "both.py": b"x"})
    Installer(python).install(stored(other))
    (site_packages / "notes.txt").write_text("the user's own")
    evil = wheels.build(tmp_path, "evil", files={"evil.py": b"", "both.py": b"y"})
    listed = ["other/a.py", "other-1.0.dist-info/RECORD", "other-1.0.dist-info/METADATA", "notes.txt", "../../bin/pip"]
    with_lines(evil, listed)
    (site_packages / "evil.py").write_text("half")
    assert remove_partial(evil, site_packages) == 1
    assert check_record(site_packages, other) == ()
    assert (site_packages / "both.py").read_bytes() == b"x"
    assert (site_packages / "notes.txt").exists()
    assert not (site_packages / "evil.py").exists()
    (site_packages / "notes.txt").unlink()
    remove_partial(other, site_packages)


def with_lines(wheel: Path, listed: list[str]) -> None:
    """Adds lines to the RECORD of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    record = next(name for name in held if name.endswith("/RECORD"))
    held[record] += "".join(f"{path},,\n" for path in listed).encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)


def test_after_a_crash_a_file_of_the_right_length_is_not_believed(
    tmp_path: Path, python: Path, site_packages: Path
) -> None:
    """A power cut leaves zeros where the bytes had not reached the disk yet."""
    wheel = wheels.build(tmp_path, "cut", files={"cut/a.py": b"answer = 42\n", "cut/big.so": b"\x7f" * (2 << 20)})
    entries = stored(wheel)
    Installer(python).install(entries)
    for name in ("a.py", "big.so"):
        path = site_packages / "cut" / name
        path.write_bytes(bytes(path.stat().st_size))
    Installer(python).install(entries)
    assert (site_packages / "cut" / "a.py").read_bytes()[:1] == b"\0", "sizes alone are right"
    assert not is_installed(wheel, site_packages, deep=True)
    Installer(python, deep=True).install(stored(wheel))  # the store has noticed it, too
    assert (site_packages / "cut" / "a.py").read_bytes() == b"answer = 42\n"
    assert is_installed(wheel, site_packages, deep=True)
    remove_partial(wheel, site_packages)


def test_a_record_cannot_reach_outside(tmp_path: Path, site_packages: Path) -> None:
    precious = site_packages.parent / "precious.txt"
    precious.write_text("x")
    wheel = wheels.build(tmp_path, "evil", files={"../precious.txt": b"y", "evil.py": b""})
    remove_partial(wheel, site_packages)
    assert precious.read_text() == "x"
    precious.unlink()


def test_check_record_names_what_is_wrong(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    Installer(python).install(stored(wheel))
    large = site_packages / "rich_demo/lib/large.so"
    large.unlink()
    large.write_bytes(b"short")
    (site_packages / "rich_demo/data/ü.txt").unlink()
    assert set(check_record(site_packages, wheel)) == {"rich_demo/lib/large.so", "rich_demo/data/ü.txt"}


def test_a_thin_wheel_is_a_wheel_without_its_plain_files(tmp_path: Path) -> None:
    wheel = read_wheel(wheels.rich(tmp_path))
    thin = tmp_path / "thin" / wheel.path.name
    thin.parent.mkdir()
    left_out = plain_members(wheel)
    write_thin(wheel, left_out, thin)
    assert set(left_out) == {f"rich_demo/{name}" for name in ("__init__.py", "lib/large.so", "bin/tool", "data/ü.txt")}
    assert set(read_wheel(thin).left_out) == set(left_out)
    assert read_wheel(wheel.path).left_out == ()
    with zipfile.ZipFile(thin) as small, zipfile.ZipFile(wheel.path) as whole:
        assert small.testzip() is None
        assert set(small.namelist()) == set(whole.namelist()) - set(left_out)
        for member in small.infolist():
            original = whole.getinfo(member.filename)
            assert small.read(member) == whole.read(original)
            assert (member.external_attr, member.date_time) == (original.external_attr, original.date_time)
    assert thin.stat().st_size < 20_000


def test_pip_takes_over_when_uv_cannot_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site_packages: Path, python: Path
) -> None:
    """The running Python has pip; it installs into a folder of its own here."""

    def missing() -> Path:
        raise FileNotFoundError("uv")

    monkeypatch.setattr(paths, "uv_executable", missing)
    subprocess.run([str(python), "-m", "ensurepip"], check=True, capture_output=True)
    wheel = wheels.rich(tmp_path)
    entries = stored(wheel)
    seen: list[Entry] = []
    Installer(python).install(entries, seen.append)
    assert seen == entries
    assert check_record(site_packages, wheel) == ()


def test_a_broken_uv_is_replaced_by_pip_or_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: Path
) -> None:
    monkeypatch.setattr(paths, "uv_executable", lambda: tmp_path / "no-such-uv")
    with pytest.raises(WizardError) as caught:  # this environment has no pip either
        Installer(python).install(stored(wheels.rich(tmp_path)))
    assert caught.value.code == "install-failed"


def test_what_needs_no_installer_is_as_uv_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site_packages: Path, python: Path
) -> None:
    monkeypatch.setattr(paths, "uv_executable", lambda: tmp_path / "no-such-uv")
    wheel = wheels.rich(tmp_path, old_script=False)
    Installer(python).install(stored(wheel))
    program = python.with_name("rich_demo-new.exe" if sys.platform == "win32" else "rich_demo-new")
    for _ in range(2):  # ours, then uv's
        done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "from the script 42"
        assert (python.parent.parent / "share" / "rich_demo.txt").read_text() == "shared\n"
        assert ask(python, "from importlib.metadata import version; print(version('rich_demo'))") == "1.0"
        assert is_installed(wheel, site_packages, deep=True)
        assert check_record(site_packages, wheel) == ()
        found = tree(site_packages)
        if not (site_packages / "rich_demo-1.0.dist-info/uv_cache.json").exists():
            ours = found
            monkeypatch.undo()
            remove_partial(wheel, site_packages)
            uv_alone(python, tmp_path, "rich_demo")
    info = "rich_demo-1.0.dist-info"
    own = {f"{info}/{name}" for name in ("RECORD", "INSTALLER", "uv_cache.json")}
    assert {path: text for path, text in ours.items() if path not in own} == {
        path: text for path, text in found.items() if path not in own
    }
    listed, theirs = ({line.split(",")[0] for line in record_lines(each[f"{info}/RECORD"])} for each in (ours, found))
    assert listed - own == theirs - own
    assert ours[f"{info}/INSTALLER"] == b"torch-setup\n"


def test_an_uninstall_takes_out_what_came_without_an_installer(
    tmp_path: Path, site_packages: Path, python: Path
) -> None:
    before = {path for path in python.parent.parent.rglob("*") if path.is_file()}
    Installer(python).install(stored(wheels.rich(tmp_path, old_script=False)))
    subprocess.run(
        [str(paths.uv_executable()), "pip", "uninstall", "-q", "--python", str(python), "rich_demo"], check=True
    )
    after = {path for path in python.parent.parent.rglob("*") if path.is_file() and path.name != ".lock"}  # uv's own
    assert after <= before


def test_a_record_without_an_installer_lists_only_what_the_wheel_brought(
    tmp_path: Path, site_packages: Path, python: Path
) -> None:
    """An uninstall deletes what it lists."""
    wheel = wheels.build(tmp_path)
    with_lines(wheel, ["../../../precious.txt", "demo-1.0.dist-info/more.txt"])
    Installer(python).install(stored(wheel))
    listed = (site_packages / "demo-1.0.dist-info/RECORD").read_text()
    assert "precious" not in listed
    assert "more.txt" not in listed
    assert "demo/__init__.py" in listed


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damaged_metadata_in_the_store_are_told(tmp_path: Path, python: Path, method: int) -> None:
    entry = stored(wheels.build(tmp_path, method=method))[0]
    with zipfile.ZipFile(entry.wheel) as archive:
        member = archive.getinfo("demo-1.0.dist-info/METADATA")
    with entry.wheel.open("r+b") as stream:
        stream.seek(member.header_offset + 30 + len(member.filename))
        stream.write(b"\xff" * 8)
    with pytest.raises(WizardError) as caught:
        Installer(python).install([entry])
    assert caught.value.code == "install-bad-wheel"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_metadata_are_not_written_through_a_link(tmp_path: Path, site_packages: Path, python: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("x")
    info = site_packages / "demo-1.0.dist-info" / "licenses"
    info.mkdir(parents=True)
    (info / "L").symlink_to(precious)
    wheel = wheels.build(tmp_path / "wheels", files={"demo.py": b"", "demo-1.0.dist-info/licenses/L": b"y"})
    Installer(python).install(stored(wheel))
    assert precious.read_text() == "x"
    assert (info / "L").read_bytes() == b"y"


def test_a_python_that_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(WizardError) as caught:
        Installer(tmp_path / "python")
    assert caught.value.code == "install-no-python"


def test_cancel_leaves_no_thread_and_no_scratch(tmp_path: Path, python: Path) -> None:
    ready: Ready = queue.SimpleQueue()
    ready.put(*stored(wheels.rich(tmp_path)))
    stop = threading.Event()
    threading.Timer(0.7, stop.set).start()
    with pytest.raises(Cancelled):
        Installer(python).pipeline(ready, is_cancelled=stop.is_set)  # nothing ever ends the queue
    assert not (python.parent.parent / SCRATCH_NAME).exists()
    assert [thread for thread in threading.enumerate() if "_work" in thread.name] == []


def test_a_killed_install_is_resumed(tmp_path: Path, python: Path, site_packages: Path) -> None:
    names = [f"kill{number}" for number in range(6)]
    found = [
        wheels.build(tmp_path, name, files={f"{name}/__init__.py": b"", f"{name}/big.bin": wheels.LIBRARY * 3})
        for name in names
    ]
    entries = stored(*found)
    code = (
        "import sys; from pathlib import Path; from wizard.packages.install import Installer;"
        "from wizard.packages.store.folder import read_entry;"
        "Installer(Path(sys.argv[1]), threads=1).install([read_entry(Path(item)) for item in sys.argv[2:]])"
    )
    folders = [str(entry.folder) for entry in entries]
    child = subprocess.Popen([sys.executable, "-c", code, str(python), *folders], cwd=ROOT)
    with child:
        until = time.monotonic() + 60
        while not list(site_packages.glob("kill*/big.bin*")) and time.monotonic() < until:
            time.sleep(0.005)
        child.kill()
    Installer(python).install(stored(*found))
    assert [check_record(site_packages, wheel) for wheel in found] == [()] * len(found)
    assert not list(site_packages.rglob("*.torch-setup-part"))
    assert not (python.parent.parent / SCRATCH_NAME).exists()


def test_metadata_of_gigabytes_are_not_unpacked(tmp_path: Path, python: Path) -> None:
    """Zeros pack to a thousandth: the wheel is small."""
    wheel = wheels.build(tmp_path)
    with (
        zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("demo-1.0.dist-info/entry_points.txt", "w") as large,
    ):
        for _ in range(65):
            large.write(bytes(1 << 20))
    with pytest.raises(WizardError) as caught:
        Installer(python).install(stored(wheel))
    assert caught.value.code == "install-bad-wheel"
    assert "bytes of metadata" in caught.value.details


def test_a_package_that_is_removed_before_its_turn_is_told(tmp_path: Path, python: Path) -> None:
    """With the whole store, say."""
    here, gone = stored(wheels.build(tmp_path, "here"), wheels.build(tmp_path, "gone"))
    shutil.rmtree(gone.folder)
    with pytest.raises(WizardError) as caught:
        Installer(python).install([here, gone])
    assert caught.value.code == "install-wheel-gone"
    assert caught.value.params["file"] == gone.wheel.name


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ("odd-1.0.data/data/pyvenv.cfg", "install-own-files"),
        ("odd-1.0.data/data/bin/activate", "install-own-files"),
        ("odd-1.0.data/data/bin/./activate.fish", "install-own-files"),
        ("odd-1.0.data/data/Scripts/Activate.ps1", "install-own-files"),
        ("odd-1.0.data/data/Scripts/python.exe", "install-own-files"),
        ("odd-1.0.data/data/conda-meta/history", "install-own-files"),
        ("odd-1.0.data/scripts/python3", "install-own-files"),
        ("../../../../../ESCAPED", "install-leads-out"),
        ("odd-1.0.data/data/../../ESCAPED", "install-leads-out"),
        ("odd-1.0.data/data//tmp/ESCAPED", "install-leads-out"),
        ("..\\..\\ESCAPED", "install-leads-out"),
    ],
)
def test_what_makes_the_environment_is_no_wheels_to_write(
    inside: str, code: str, tmp_path: Path, python: Path, site_packages: Path
) -> None:
    prefix = python.parent.parent
    before = tree(prefix)
    entries = stored(wheels.build(tmp_path, "odd", files={"odd.py": b"", inside: b"evil"}))
    with pytest.raises(WizardError) as caught:
        Installer(python).install(entries)
    assert caught.value.code == code
    assert caught.value.params["wheel"] == "odd-1.0-py3-none-any.whl"
    assert tree(prefix) == before


@pytest.mark.parametrize("name", ["python3", "../../ESCAPED"])
def test_a_program_is_no_way_around_that(name: str, tmp_path: Path, python: Path, site_packages: Path) -> None:
    text = f"[console_scripts]\n{name} = odd:main\n".encode()
    entries = stored(wheels.build(tmp_path, "odd", files={"odd.py": b"", "odd-1.0.dist-info/entry_points.txt": text}))
    before = tree(python.parent.parent)
    with pytest.raises(WizardError) as caught:
        Installer(python).install(entries)
    assert caught.value.code in ("install-own-files", "install-leads-out")
    assert tree(python.parent.parent) == before


def test_programs_that_are_only_called_alike_come(tmp_path: Path, python: Path, site_packages: Path) -> None:
    names = ("activate-global-python-argcomplete", "python-config-of-odd")
    files = {f"odd-1.0.data/scripts/{name}": b"#!python\n" for name in names}
    Installer(python).install(stored(wheels.build(tmp_path, "odd", files={"odd.py": b"", **files})))
    assert all((python.parent / name).exists() for name in names)


@pytest.mark.parametrize("names", [("torch", "helper"), ("helper", "torch"), ("helper", "other")])
def test_two_packages_with_one_file_are_named(
    names: tuple[str, str], tmp_path: Path, python: Path, site_packages: Path
) -> None:
    """Of torch's family also where the file has the same length."""
    second = b"answer = 2\n" if "torch" in names else b"answer = 20\n"
    made = [
        wheels.build(tmp_path, name, files={"torch/__init__.py": text})
        for name, text in zip(names, (b"answer = 1\n", second), strict=True)
    ]
    with pytest.raises(WizardError) as caught:
        Installer(python).install(stored(*made))
    assert caught.value.code == "install-same-file"
    assert caught.value.params == {"path": "torch/__init__.py", "first": made[0].name, "second": made[1].name}


def test_packages_may_share_a_file_that_is_the_same(tmp_path: Path, python: Path, site_packages: Path) -> None:
    both = [
        wheels.build(tmp_path, name, files={"shared/__init__.py": b"# all\n", f"shared/{name}.py": b""})
        for name in ("torch", "helper")
    ]
    Installer(python).install(stored(*both))
    assert sorted(path.name for path in (site_packages / "shared").glob("*.py")) == [
        "__init__.py",
        "helper.py",
        "torch.py",
    ]
