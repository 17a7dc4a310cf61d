"""The guard in the activation of an environment, in every shell of this computer: a foreign folder stays out."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.stand_in import make_environment, site_packages
from tests.tools import needs
from wizard.diagnose.repair.guards import guard_files, write_guards

_ENDINGS = {"sh": "", "bash": "", "dash": "", "zsh": "", "fish": ".fish", "csh": ".csh", "tcsh": ".csh"}
SHELLS = [pytest.param(name, marks=needs(name)) for name in _ENDINGS]
_UNFOLD = {
    "fish": "set -q LD_LIBRARY_PATH; and echo [(string join : $LD_LIBRARY_PATH)]; or echo unset",
    # In one line, `if` would put in the value before it asks whether there is one.
    ".csh": 'if ( $?LD_LIBRARY_PATH ) then\necho "[$LD_LIBRARY_PATH]"\nelse\necho unset\nendif',
    "": 'echo "${LD_LIBRARY_PATH+[}${LD_LIBRARY_PATH-unset}${LD_LIBRARY_PATH+]}"',
}


def sourced(shell: str, script: Path, variables: dict[str, str]) -> str:
    ending = _ENDINGS[shell]
    told = _UNFOLD["fish"] if shell == "fish" else _UNFOLD[ending]
    word = {"": ".", ".fish": "source", ".csh": "set prompt = '> '\nsource"}[ending]  # venv's own file wants a prompt
    options = {"fish": ["--no-config"], "csh": ["-f"], "tcsh": ["-f"]}.get(shell, [])
    done = subprocess.run(
        [str(shutil.which(shell)), *options, "-c", f"{word} {shlex.quote(str(script))}\n{told}"],
        env={"PATH": "/usr/bin:/bin", "HOME": str(script.parent), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("kind", ["venv", "conda"])
def test_every_shell_keeps_the_folder_out(shell: str, kind: str, tmp_path: Path) -> None:
    prefix, foreign = tmp_path / "an env", f"{tmp_path}/it's cuda $8"
    if kind == "venv":
        make_environment(prefix)
        script = prefix / "bin" / f"activate{_ENDINGS[shell]}"
    else:
        (prefix / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
        (prefix / "conda-meta").mkdir()
        (prefix / "conda-meta" / "history").touch()
        script = prefix / "etc" / "conda" / "activate.d" / f"torch-setup-libraries{_ENDINGS[shell] or '.sh'}"
    write_guards(guard_files(prefix, site_packages(prefix), False, (foreign, "/opt/old")))
    paths = ("/usr/lib/mine", foreign, "/opt/old", "/opt/older")
    assert sourced(shell, script, {"LD_LIBRARY_PATH": ":".join(paths)}) == "[/usr/lib/mine:/opt/older]"
    assert sourced(shell, script, {"LD_LIBRARY_PATH": foreign}) == "unset"
    assert sourced(shell, script, {}) == "unset"


def test_a_second_guard_replaces_the_first(tmp_path: Path) -> None:
    prefix = tmp_path / "env"
    make_environment(prefix)
    before = {path: path.read_text() for path in (prefix / "bin").glob("activate*")}
    for folders in (("/opt/a",), ("/opt/b",)):
        files = guard_files(prefix, site_packages(prefix), False, folders)
        write_guards(files)
    for path in files:
        assert "/opt/a" not in path.read_text()
        assert path.read_text().startswith(before.get(path, ""))
    assert guard_files(prefix, site_packages(prefix), False, ()) == {}
