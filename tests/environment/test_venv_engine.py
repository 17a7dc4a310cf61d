"""Real virtual environments by the machine's own Python."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.abilities import is_wine
from tests.stand_in import put_program
from tests.waiting import processes_about
from wizard.environment.create.venv_engine import VenvEngine
from wizard.environment.layout import python_of, site_packages_of
from wizard.environment.model import Target
from wizard.environment.remove.unfinished import mark_begun, remove_unfinished
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.process import Request, run

pytestmark = pytest.mark.slow

OS_NAME = "windows" if os.name == "nt" else "linux"


def target(prefix: Path, minor: str, base: Path | None) -> Target:
    return Target(prefix, minor, "venv", base_python=base)


def test_an_environment_under_an_awkward_path(
    prefix: Path, minor: str, base_python: Path, base_has_ensurepip: bool
) -> None:
    told: list[str] = []
    mark_begun(prefix, "run-1")
    created = VenvEngine().create(target(prefix, minor, base_python), lambda *args: told.append(args[2]), lambda: False)
    assert created.prefix == prefix
    assert created.python == python_of(prefix, OS_NAME)
    assert created.python_version.startswith(f"{minor}.")
    assert created.engine == "venv"
    assert told
    said = run(
        Request((str(created.python), "-I", "-X", "utf8", "-c", "import ssl, sys; sys.stdout.write(sys.prefix)"))
    )
    assert said.ok, said.tail()
    assert Path(said.stdout) == prefix
    assert site_packages_of(prefix, created.python_version, OS_NAME).is_dir()
    if base_has_ensurepip:
        assert created.packages >= 1
        assert any(site_packages_of(prefix, created.python_version, OS_NAME).glob("pip-*.dist-info/RECORD"))
        if not is_wine():  # whose pip is Debian's, without the programs that start it on Windows
            name = "Scripts/pip.exe" if OS_NAME == "windows" else "bin/pip"
            said = run(Request((str(prefix / name), "--version")))  # a shebang with a space would not run
            assert said.ok, said.tail()


def test_a_python_without_ensurepip_still_makes_one(
    prefix: Path, minor: str, base_python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian splits ensurepip off. Here the same Python is asked, and says that it has none."""
    from wizard.environment.create import venv_engine
    from wizard.environment.inspect.prefix import PythonFacts, ask_python

    facts = ask_python(base_python)
    monkeypatch.setattr(venv_engine, "ask_python", lambda python: PythonFacts(facts.version, True, False))
    created = VenvEngine().create(target(prefix, minor, base_python), lambda *_: None, lambda: False)
    assert created.packages == 0
    assert not any(site_packages_of(prefix, created.python_version, OS_NAME).glob("pip-*.dist-info/RECORD"))
    assert run(Request((str(created.python), "-c", "import ssl"))).ok


def test_wrong_or_missing_pythons_are_refused_before_anything(
    prefix: Path, minor: str, base_python: Path, tmp_path: Path
) -> None:
    def code(wanted: str, base: Path | None) -> str:
        with pytest.raises(WizardError) as caught:
            VenvEngine().create(target(prefix, wanted, base), lambda *_: None, lambda: False)
        assert not prefix.exists()
        return caught.value.code

    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    assert code("3.1", base_python) == "env-wrong-python"
    assert code(minor, None) == code(minor, tmp_path / "nothing") == "env-no-base-python"
    assert code(minor, broken) == "env-broken"
    prefix.mkdir(parents=True)
    (prefix / "thesis").touch()
    with pytest.raises(UsageError):
        VenvEngine().create(target(prefix, minor, base_python), lambda *_: None, lambda: False)
    assert [path.name for path in prefix.iterdir()] == ["thesis"]


def test_cancelled_in_the_middle_leaves_no_process_and_nothing_after_removal(
    home: Path, prefix: Path, minor: str, base_python: Path
) -> None:
    mark_begun(prefix, "run-1")

    def is_cancelled() -> bool:
        return (prefix / "pyvenv.cfg").exists()

    with pytest.raises(Cancelled):
        VenvEngine().create(target(prefix, minor, base_python), lambda *_: None, is_cancelled)
    assert (prefix / "pyvenv.cfg").exists()
    for _ in range(20):  # the system ends what was killed a moment later; ensurepip would go on for seconds
        if processes_about(prefix):
            time.sleep(0.02)
    assert processes_about(prefix) == []
    assert remove_unfinished(prefix, "run-1")
    # pip asks a Rust compiler for its version, and that one may make its own folder.
    assert [path for path in home.iterdir() if path.name != ".rustup"] == []


def test_the_venv_module_failing_is_told_with_its_words(
    prefix: Path, minor: str, base_python: Path, tmp_path: Path
) -> None:
    script = f"""import subprocess, sys
if "--prompt" in sys.argv:
    sys.exit("OSError: [Errno 28] No space left on device")
sys.exit(subprocess.call([{str(base_python)!r}, *sys.argv[1:]]))
"""
    wrapper = put_program(tmp_path / "python-wrapper", script)
    with pytest.raises(WizardError) as caught:
        VenvEngine().create(target(prefix, minor, wrapper), lambda *_: None, lambda: False)
    assert caught.value.code == "env-disk-full"
    assert "No space left" in caught.value.details
