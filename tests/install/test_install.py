"""Real wheels, installed by the real uv (and by pip) into a real virtual environment."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from tests.abilities import needs_pip_programs
from tests.install import wheels
from tests.install.conftest import ask, stored
from tests.install.files import tree
from tests.waiting import processes_about, wait_until
from wizard.install.installer import SCRATCH_NAME, Installer, Ready
from wizard.install.record import check_record, is_installed, remove_partial
from wizard.install.store import StoreEntry
from wizard.install.store.link import Linker
from wizard.install.store.unpack import write_thin
from wizard.install.wheel import plain_members, read_wheel
from wizard.model.errors import Cancelled, WizardError
from wizard.system import paths

ROOT = Path(__file__).resolve().parents[2]


def record_lines(text: bytes) -> set[str]:
    return {
        line for line in text.decode().splitlines() if not line.split(",")[0].endswith(("REQUESTED", "uv_cache.json"))
    }


def test_a_wheel_with_everything_works(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    entries = stored(wheel)
    seen: list[StoreEntry] = []
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


def test_a_folder_that_two_packages_share_may_go_meanwhile(tmp_path: Path, site_packages: Path) -> None:
    """The links of one wait for their turn while what is left of the other is taken out."""
    (entry,) = stored(wheels.build(tmp_path, "vendor_one", files={"vendor/lib/one.so": b"1"}))
    broken = wheels.build(tmp_path, "vendor_two", files={"vendor/lib/two.so": b"2"})
    turn = threading.Event()
    linker = Linker(lambda: not turn.wait(60))
    links = linker.begin(entry, site_packages)
    (site_packages / "vendor/lib/two.so").write_bytes(b"h")
    assert remove_partial(broken, site_packages) == 1
    assert not (site_packages / "vendor").exists()
    turn.set()
    for link in links:
        link.result()
    linker.close()
    assert (site_packages / "vendor/lib/one.so").read_bytes() == b"1"
    shutil.rmtree(site_packages / "vendor")


def uv_alone(python: Path, folder: Path, *names: str) -> None:
    options = ("--no-config", "--offline", "--no-index", "--cache-dir", str(folder / "cache"))
    command = [str(paths.uv_executable()), "pip", "install", "-q", *options, "--find-links", str(folder)]
    subprocess.run([*command, "--python", str(python), *names], check=True)


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
    seen: list[StoreEntry] = []
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


@pytest.mark.slow
@needs_pip_programs
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
    seen: list[StoreEntry] = []
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


def test_programs_and_list_are_those_of_uv(tmp_path: Path, python: Path, site_packages: Path) -> None:
    """pip has a program for the Python that it is in; a file of the other scheme lies in the same folder."""
    programs = b"[console_scripts]\npip = pip:main\npip3 = pip:main\n"
    whole = {"pip/__init__.py": b"", "pip-1.0.dist-info/entry_points.txt": programs}
    other = {"other/__init__.py": b"", "other-1.0.data/platlib/other_more.py": b"more = 1\n"}
    pair = wheels.build(tmp_path, "pip", files=whole), wheels.build(tmp_path, "other", files=other)
    found = []
    for install in (
        lambda: Installer(python).install(stored(*pair)),
        lambda: uv_alone(python, tmp_path, "pip", "other"),
    ):
        install()
        lists = (site_packages / f"{name}-1.0.dist-info/RECORD" for name in ("pip", "other"))
        listed = {line.split(",")[0] for path in lists for line in record_lines(path.read_bytes())}
        made = sorted(path.name for path in python.parent.glob("pip*"))
        found.append((made, listed - {f"{name}-1.0.dist-info/INSTALLER" for name in ("pip", "other")}))
        for path in (*pair, *python.parent.glob("pip*")):
            remove_partial(path, site_packages) if path in pair else path.unlink()
    assert found[0] == found[1]
    assert len(found[0][0]) == 3


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
        "import sys; from pathlib import Path; from wizard.install.installer import Installer;"
        "from wizard.install.store.folder import read_entry;"
        "Installer(Path(sys.argv[1])).install([read_entry(Path(item)) for item in sys.argv[2:]])"
    )
    folders = [str(entry.folder) for entry in entries]
    child = subprocess.Popen([sys.executable, "-c", code, str(python), *folders], cwd=ROOT)
    with child:
        wait_until(lambda: list(site_packages.glob("kill*/big.bin*")), pause=0.005)
        child.kill()
    # uv ends with it, a moment later: the system sends it its signal when its parent is gone.
    wait_until(lambda: not processes_about(python.parent.parent))
    Installer(python).install(stored(*found))
    assert [check_record(site_packages, wheel) for wheel in found] == [()] * len(found)
    assert not list(site_packages.rglob("*.torch-setup-part"))
    assert not (python.parent.parent / SCRATCH_NAME).exists()


def test_a_package_that_is_removed_before_its_turn_is_told(tmp_path: Path, python: Path) -> None:
    """With the whole store, say."""
    here, gone = stored(wheels.build(tmp_path, "here"), wheels.build(tmp_path, "gone"))
    shutil.rmtree(gone.folder)
    with pytest.raises(WizardError) as caught:
        Installer(python).install([here, gone])
    assert caught.value.code == "install-wheel-gone"
    assert caught.value.params["file"] == gone.wheel.name
