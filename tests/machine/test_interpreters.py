"""Interpreters: the launcher's lists, and real files, scripts and virtual environments in a made home."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine.answers import recorded
from wizard.machine.asking import asker
from wizard.machine.host.interpreters import (
    candidates,
    is_interpreter_path,
    parse_answer,
    parse_launcher_list,
    probe_pythons,
)

linux_only = pytest.mark.skipif(sys.platform == "win32", reason="scripts stand for interpreters")
_BASE = Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def test_launcher_lists() -> None:
    assert parse_launcher_list(recorded("py-0p.txt")) == (
        r"C:\Users\张 三\AppData\Local\Programs\Python\Python312\python.exe",
        r"C:\Python311-32\python.exe",
        r"C:\ProgramData\Anaconda3\python.exe",
    )
    assert parse_launcher_list(recorded("py-0p-old.txt")) == (
        r"C:\Program Files\Python38\python.exe",
        r"C:\Python27\python.exe",
    )
    assert parse_launcher_list("No installed Pythons found!\r\n") == ()


@linux_only
def test_names() -> None:
    good = ("/usr/bin/python3", "/usr/bin/python3.12", "/x/python")
    bad = (
        "/usr/bin/python3-config",
        "/usr/bin/python3.12-gdb.py",
        "/u/.pyenv/shims/python3",
        "/x/python2.7",
        "/x/pythonw",
        "/mnt/WindowsApps/python",
        "/x/python3.13t",
        "/x/python.exe",
    )
    assert all(is_interpreter_path(Path(name)) for name in good)
    assert not any(is_interpreter_path(Path(name)) for name in bad)


def _script(path: Path, said: dict[str, object] | str, code: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = said if isinstance(said, str) else json.dumps(said)
    path.write_text(f"#!/bin/sh\necho noise from a hook\ncat <<'END'\n{text}\nEND\nexit {code}\n")
    path.chmod(0o755)
    return path


def _words(version: str, **changed: object) -> dict[str, object]:
    release = [int(part) for part in version.split(".")[:2]]
    return {
        "version": version,
        "name": "cpython",
        "is_64_bit": True,
        "is_free_threaded": False,
        "has_venv": True,
        "release": release,
        "executable": "/x",
        "prefix": "/base",
        "base_prefix": "/base",
        **changed,
    }


@linux_only
def test_who_is_fit(tmp_path: Path) -> None:
    home = tmp_path / "home"
    versions = home / ".pyenv" / "versions"
    old = _script(versions / "3.9.18/bin/python3.9", _words("3.9.18"))
    bare = _script(versions / "3.12.1/bin/python3.12", _words("3.12.1", has_venv=False))
    conda = _script(home / "on-path" / "python3.13", _words("3.13.2", base_prefix=str(tmp_path), prefix=str(tmp_path)))
    (tmp_path / "conda-meta").mkdir()
    _script(versions / "pypy/bin/python3", _words("3.11.9", name="pypy"))
    _script(versions / "small/bin/python3", _words("3.11.8", is_64_bit=False))
    _script(versions / "free/bin/python3", _words("3.14.0", is_free_threaded=True))
    _script(versions / "broken/bin/python3", "Traceback", 1)
    _script(versions / "silent/bin/python3", "")
    _script(versions / "liar/bin/python3", '{"version": 3}')
    _script(home / ".pyenv" / "shims" / "python3", _words("3.99.0"))
    (home / "on-path" / "python3").symlink_to(conda)
    (home / "on-path" / "python").symlink_to(home / "nowhere")
    (versions / "empty/bin").mkdir(parents=True)
    (versions / "empty/bin/python3").touch(0o755)
    known = {"PATH": f"{home / 'on-path'}:{home / '.pyenv' / 'shims'}:{tmp_path / 'gone'}"}
    found = probe_pythons(asker(lambda: False), known, home, tmp_path / "root")
    ours = [(row.executable, row.version, row.has_venv) for row in found if str(tmp_path) in row.executable]
    assert ours == [
        (str(bare), "3.12.1", False),
        (str(old), "3.9.18", True),
        (str(conda), "3.13.2", True),  # conda's last
    ]


@linux_only
@pytest.mark.parametrize("option", ["--symlinks", "--copies"])
def test_a_virtual_environment_gives_its_base(tmp_path: Path, option: str) -> None:
    made = tmp_path / "env"
    subprocess.run([str(_BASE), "-m", "venv", "--without-pip", option, str(made)], check=True)
    found = probe_pythons(asker(lambda: False), {"PATH": str(made / "bin")}, tmp_path, tmp_path / "root")
    assert not [row for row in found if str(made) in row.executable]
    assert (str(_BASE), platform.python_version()) in [(row.executable, row.version) for row in found]


@linux_only
def test_one_interpreter_under_many_names_comes_once(tmp_path: Path) -> None:
    real = _script(tmp_path / "root/usr/bin/python3.12", _words("3.12.1"))
    (real.parent / "python3").symlink_to("python3.12")
    (tmp_path / "root" / "bin").symlink_to("usr/bin")
    known = {"PATH": f"{tmp_path / 'root/bin'}:{tmp_path / 'root/usr/bin'}"}
    assert list(candidates(known, tmp_path, tmp_path / "root")) == [real]


def test_this_python_is_found() -> None:
    found = probe_pythons(asker(lambda: False), {"PATH": ""})
    assert platform.python_version() in [row.version for row in found]


@pytest.mark.parametrize("said", ["", "x", "[]", "null", "{}", '{"version": "3", "release": [3]}'])
def test_noise_is_no_answer(said: str) -> None:
    assert parse_answer(said) is None
