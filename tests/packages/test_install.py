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
from tests.packages.conftest import ask
from wizard import paths
from wizard.errors import Cancelled, WizardError
from wizard.packages.install import SCRATCH_NAME, Installer, Ready
from wizard.packages.record import PART_SUFFIX, check_record, is_installed, remove_partial
from wizard.packages.thin import write_thin
from wizard.packages.unpack import Unpacker
from wizard.packages.wheel import read_wheel

ROOT = Path(__file__).resolve().parents[2]


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
    seen: list[Path] = []
    Installer(python).install([wheel], seen.append)
    assert seen == [wheel]
    assert ask(python, "import rich_demo, rich_demo_extra; print(rich_demo.answer, rich_demo_extra.more)") == "42 1"
    assert (site_packages / "rich_demo/lib/large.so").read_bytes() == wheels.LIBRARY
    assert (site_packages / "rich_demo/data/ü.txt").read_text(encoding="utf-8") == "Größe"
    assert os.access(site_packages / "rich_demo/bin/tool", os.X_OK)
    assert not os.access(site_packages / "rich_demo/lib/large.so", os.X_OK) or sys.platform == "win32"
    for script, answer in (("rich_demo-new", "from the script 42"), ("rich_demo-old", "old script")):
        found = python.with_name(script + (".exe" if sys.platform == "win32" and script.endswith("new") else ""))
        assert subprocess.run([str(found)], capture_output=True, text=True, check=True).stdout.strip() == answer
    assert check_record(site_packages, wheel) == ()
    assert check_record(site_packages, site_packages / "rich_demo-1.0.dist-info") == ()
    assert is_installed(wheel, site_packages)
    assert not (site_packages / "rich_demo-1.0.dist-info/direct_url.json").exists()
    assert not (python.parent.parent / SCRATCH_NAME).exists()


def test_the_result_is_what_uv_alone_would_make(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    Installer(python).install([wheel])
    ours = tree(site_packages)
    remove_partial(wheel, site_packages)
    command = [str(paths.uv_executable()), "pip", "install", "-q", "--no-config", "--offline", "--no-index"]
    command += [
        "--cache-dir",
        str(tmp_path / "cache"),
        "--python",
        str(python),
        "--find-links",
        str(tmp_path),
        "rich_demo",
    ]
    subprocess.run(command, check=True)
    theirs = tree(site_packages)
    record = "rich_demo-1.0.dist-info/RECORD"
    assert record_lines(ours.pop(record)) == record_lines(theirs.pop(record))
    assert ours == theirs


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_every_way_of_packing(tmp_path: Path, python: Path, site_packages: Path, method: int) -> None:
    wheel = wheels.build(tmp_path, "packed", files={"packed/big.bin": wheels.LIBRARY}, method=method)
    if method == zipfile.ZIP_BZIP2:
        with pytest.raises(WizardError) as caught:  # no installer takes it
            Installer(python).install([wheel])
        assert caught.value.code == "install-failed"
        return
    Installer(python).install([wheel])
    assert (site_packages / "packed/big.bin").read_bytes() == wheels.LIBRARY


def test_wheels_that_are_there_are_left_alone(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    Installer(python).install([wheel])
    before = (site_packages / "rich_demo/lib/large.so").stat().st_mtime_ns
    seen: list[Path] = []
    Installer(python).install([wheel], seen.append)
    assert seen == [wheel]
    assert (site_packages / "rich_demo/lib/large.so").stat().st_mtime_ns == before


@pytest.mark.parametrize("harm", ["cut", "gone", "no-dist-info", "part-left"])
def test_a_half_install_is_made_whole(tmp_path: Path, python: Path, site_packages: Path, harm: str) -> None:
    wheel, neighbour = wheels.rich(tmp_path), wheels.build(tmp_path, "neighbour")
    Installer(python).install([wheel, neighbour])
    large = site_packages / "rich_demo/lib/large.so"
    if harm == "cut":
        large.write_bytes(b"half")
    elif harm == "gone":
        (site_packages / "rich_demo/__init__.py").unlink()
    elif harm == "no-dist-info":
        for path in (site_packages / "rich_demo-1.0.dist-info").iterdir():
            path.unlink()
    else:
        large.rename(large.with_name("large.so.torch-setup-part"))
    assert not is_installed(wheel, site_packages)
    Installer(python).install([wheel, neighbour])
    assert check_record(site_packages, wheel) == ()
    assert not list(site_packages.rglob("*.torch-setup-part"))


def test_remove_partial_takes_only_what_the_wheel_lists(tmp_path: Path, python: Path, site_packages: Path) -> None:
    first = wheels.build(tmp_path, "first", files={"shared/first.py": b"", "first.py": b"x"})
    second = wheels.build(tmp_path, "second", files={"shared/second.py": b""})
    Installer(python).install([first, second])
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


def test_a_record_cannot_reach_outside(tmp_path: Path, site_packages: Path) -> None:
    precious = site_packages.parent / "precious.txt"
    precious.write_text("x")
    wheel = wheels.build(tmp_path, "evil", files={"../precious.txt": b"y", "evil.py": b""})
    remove_partial(wheel, site_packages)
    assert precious.read_text() == "x"
    precious.unlink()


def test_check_record_names_what_is_wrong(tmp_path: Path, python: Path, site_packages: Path) -> None:
    wheel = wheels.rich(tmp_path)
    Installer(python).install([wheel])
    (site_packages / "rich_demo/lib/large.so").write_bytes(b"short")
    (site_packages / "rich_demo/data/ü.txt").unlink()
    assert set(check_record(site_packages, wheel)) == {"rich_demo/lib/large.so", "rich_demo/data/ü.txt"}


def test_a_thin_wheel_is_a_wheel_without_its_bulk(tmp_path: Path) -> None:
    wheel = read_wheel(wheels.rich(tmp_path))
    thin = tmp_path / "thin" / wheel.path.name
    thin.parent.mkdir()
    write_thin(wheel, thin)
    left_out = {member.filename for member in wheel.bulk}
    assert left_out == {"rich_demo/lib/large.so", "rich_demo/bin/tool"}
    with zipfile.ZipFile(thin) as small, zipfile.ZipFile(wheel.path) as whole:
        assert small.testzip() is None
        assert set(small.namelist()) == set(whole.namelist()) - left_out
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
    seen: list[Path] = []
    Installer(python).install([wheel], seen.append)
    assert seen == [wheel]
    assert check_record(site_packages, wheel) == ()


def test_a_broken_uv_is_replaced_by_pip_or_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: Path
) -> None:
    monkeypatch.setattr(paths, "uv_executable", lambda: tmp_path / "no-such-uv")
    with pytest.raises(WizardError) as caught:  # this environment has no pip either
        Installer(python).install([wheels.build(tmp_path)])
    assert caught.value.code == "install-failed"


@pytest.mark.parametrize("content", [b"", b"<html>", b"PK\3\4 and nothing else"])
def test_what_is_no_wheel_is_refused(tmp_path: Path, python: Path, content: bytes) -> None:
    path = tmp_path / "bad-1.0-py3-none-any.whl"
    path.write_bytes(content)
    with pytest.raises(WizardError) as caught:
        Installer(python).install([path])
    assert caught.value.code == "install-bad-wheel"


def test_damaged_bulk_is_noticed(tmp_path: Path, python: Path) -> None:
    wheel = wheels.build(tmp_path, "broken", files={"broken/big.bin": wheels.LIBRARY})
    data = bytearray(wheel.read_bytes())
    for at in range(100_000, 100_100):
        data[at] ^= 0x55
    wheel.write_bytes(data)
    with pytest.raises(WizardError) as caught:
        Installer(python).install([wheel])
    assert caught.value.code in ("install-bad-wheel", "install-failed")


def test_a_python_that_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(WizardError) as caught:
        Installer(tmp_path / "python")
    assert caught.value.code == "install-no-python"


def test_cancel_leaves_no_thread_and_no_scratch(tmp_path: Path, python: Path) -> None:
    ready: Ready = queue.SimpleQueue()
    ready.put(wheels.rich(tmp_path))
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
    code = (
        "import sys; from pathlib import Path; from wizard.packages.install import Installer;"
        "Installer(Path(sys.argv[1]), threads=1).install([Path(item) for item in sys.argv[2:]])"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(python), *map(str, found)], cwd=ROOT)
    with child:
        until = time.monotonic() + 20
        while not list(site_packages.glob("kill*/big.bin*")) and time.monotonic() < until:
            time.sleep(0.005)
        child.kill()
    Installer(python).install(found)
    assert [check_record(site_packages, wheel) for wheel in found] == [()] * len(found)
    assert not list(site_packages.rglob("*.torch-setup-part"))
    assert not (python.parent.parent / SCRATCH_NAME).exists()


def wait_for(unpacker: Unpacker, path: Path) -> None:
    while not unpacker.is_done(path):
        unpacker.wait(0.05)


def test_unpacking_stops_when_asked(tmp_path: Path) -> None:
    wheel = read_wheel(wheels.rich(tmp_path))
    unpacker = Unpacker(1, lambda: True)
    unpacker.add(wheel, tmp_path / "out", {})
    try:
        with pytest.raises(Cancelled):
            wait_for(unpacker, wheel.path)
    finally:
        unpacker.close()
    assert not (tmp_path / "out/rich_demo/lib/large.so").exists()
