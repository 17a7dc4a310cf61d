"""The commands of what is left out, as Windows has them: its paths, its shell, its file:// addresses."""

from __future__ import annotations

import hashlib
import json
import subprocess
from nturl2path import url2pathname as ntpath_of
from pathlib import Path, PureWindowsPath

import pytest

from tests.app import values
from tests.project.test_read import project_of
from tests.tools import needs
from wizard.app import project_parts
from wizard.app.project import request_of
from wizard.app.project_parts import Outside, about_parts, asked_parts, outside
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices, ProjectPart
from wizard.model.messages import message, text
from wizard.project.answer import project_document, project_lines
from wizard.run.plan.commands import quote_of
from wizard.run.steps.parts import build_environment, pip_words
from wizard.run.steps.parts_outcome import PartsOutcome, lacking_needs, why_failed
from wizard.system import paths
from wizard.transfer.address import file_path

PREFIX = "C:\\Users\\Li Wei\\torch-envs\\demo"
SETUP = "from setuptools import setup\nsetup(name='part')\n"


def found(folder: Path, files: dict[str, str | bytes]) -> list[Outside]:
    request = request_of(project_of(folder, files), values.FACTS, load_matrix(), Choices(parts=True))
    return list(outside(request, values.SELECTED, values.FACTS.machine))


def command(one: Outside) -> str:
    return str(one.way.params["command"])


@pytest.mark.parametrize(("shell", "call"), [("powershell", "& '{}'"), ("cmd", '"{}"')])
def test_a_command_runs_where_its_path_has_a_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str, call: str
) -> None:
    """PowerShell took the quoted program for a text, and told of an unexpected -m."""
    monkeypatch.setattr(paths, "os_name", lambda: "windows")
    monkeypatch.setattr(project_parts, "this_users_shell", lambda os: shell)
    monkeypatch.setattr(project_parts, "target_prefix", lambda choices: PREFIX)
    address = "git+https://git.example/a/b"
    files: dict[str, str | bytes] = {"requirements.txt": f"torch\npart @ {address}\n"}
    [one] = found(tmp_path, files)
    python = PureWindowsPath(PREFIX, *(("Scripts",) if values.SELECTED.engine == "venv" else ()), "python.exe")
    words = f"-m pip install --no-deps {quote_of(shell)(address)}"
    assert command(one) == f"{call.format(python)} {words}"


def test_a_folder_that_a_file_address_names_is_put_in_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`file:///C:/…` was looked for as `/C:/…`, and %20 as it stands: its name alone counted, on the package index."""
    part = tmp_path / "its part"
    part.mkdir()
    (part / "setup.py").write_text(SETUP, encoding="utf-8")
    [one] = found(tmp_path, {"requirements.txt": f"torch\npart @ {part.as_uri()}\n"})
    assert one.part is not None
    assert one.part.words == str(part)
    assert "file:" not in command(one)
    assert found(tmp_path, {"requirements.txt": "torch\npart @ file:///nobody/has/it\n"}) == []
    monkeypatch.setattr("urllib.request.url2pathname", ntpath_of)
    assert str(file_path("file:///C:/my%20code/part")) == "C:\\my code\\part"


@needs("git")
def test_pips_git_may_write_long_paths_where_nobody_has_settings_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(name: str) -> str:
        environment = build_environment(values.plan("run"), None)
        return subprocess.run(["git", "config", name], env=environment, capture_output=True, text=True).stdout.strip()

    assert told("core.longpaths") == "true"
    own = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "own.word", "GIT_CONFIG_VALUE_0": "kept"}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    assert told("own.word") == "kept"


def test_pip_is_given_windows_paths_as_they_are() -> None:
    part = ProjectPart("part", "C:\\my code\\part", values.SELECTED.engine_reason, is_editable=True)
    prefix, held = Path(PREFIX), Path("C:\\runs\\1\\parts-constraints.txt")
    assert pip_words(part, prefix, held)[-4:] == ("--src", str(prefix / "src"), "-e", "C:\\my code\\part")


def test_a_part_that_another_one_needs_is_not_advised_from_the_index() -> None:
    said = "it 1.0 requires core, which is not installed.\nit 1.0 requires rich, which is not installed.\n"
    parts = [ProjectPart(name, name, values.SELECTED.engine_reason) for name in ("it", "core")]
    told = [one.message.params["needed"] for one in lacking_needs(said, (), Path(PREFIX), parts)]
    assert told == ["rich"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("./不在", "“./不在” is not there"),
        ("./nope", "“./nope” is not there"),
        ("-e ../../../etc", "“../../../etc” lies outside the project"),
        ("foo @ file:///etc/passwd", "“file:///etc/passwd” lies outside the project"),
        ("git+ssh://-oProxyCommand=touch%20x/a/b.git", "an option where a host or a revision belongs"),
        ("git+ssh://me@-oProxyCommand=touch/a/b.git", "an option where a host or a revision belongs"),
        ("git+https://git.example/a/b.git@--upload-pack=touch", "an option where a host or a revision belongs"),
        ("b @ git+https://git.example/a/b.git@%2d-upload-pack=touch", "an option where a host or a revision belongs"),
    ],
)
def test_what_no_command_adds_is_told_without_one(tmp_path: Path, line: str, said: str) -> None:
    [one] = found(tmp_path / "its" / "project", {"requirements.txt": f"torch\n{line}\n"})
    words = text(one.way, "en")
    assert said in words
    assert (one.part, "pip" in words, "`" in words) == (None, False, False)


def test_a_hash_behind_a_path_is_read_and_looked_at(tmp_path: Path) -> None:
    wheel = tmp_path / "x-1.0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    right = f"sha256={hashlib.sha256(b'a wheel').hexdigest()}"
    for place in (f"./{wheel.name}", wheel.name, wheel.as_uri(), f"x @ {wheel.as_uri()}", f"x @ file:./{wheel.name}"):
        for digest, is_right in ((right, True), (right.upper().replace("SHA", "sha"), True), ("sha256=abc", False)):
            [one] = found(tmp_path, {"requirements.txt": f"torch\n{place}#{digest}\n"})
            assert (one.part is not None) == is_right, (place, digest)
            if one.part is None:
                assert "another content than the hash" in text(one.way, "en")
                continue
            assert (one.part.name, one.part.words, one.part.digest) == ("x", str(wheel), digest)
    kept, wrong = right.replace("=", ":"), f"sha256:{'0' * 64}"
    for hashes, is_right in (((kept,), True), ((wrong,), False), ((wrong, kept), True)):
        line = " ".join((f"./{wheel.name}", *(f"--hash={one}" for one in hashes)))
        [one] = found(tmp_path, {"requirements.txt": f"torch\n{line}\n"})
        assert (one.part and one.part.digest) == (right if is_right else None), line
    far = f"torch\nx @ https://files.example/{wheel.name} --hash={wrong}"
    for line, words in ((far, f"https://files.example/{wheel.name}#sha256={'0' * 64}"), (f"{far} --hash={kept}", None)):
        [one] = found(tmp_path, {"requirements.txt": f"{line}\n"})
        assert (one.part and one.part.words) == words, "pip holds it against one hash behind an address"
    line = f'torch\n{wheel.name}#{right} ; sys_platform == "win32"\n'
    assert found(tmp_path, {"requirements.txt": line}) == [], "a marker behind it is one"


@pytest.mark.parametrize("line", ["./{}", "{}", "x @ https://files.example/{}"])
def test_a_wheel_for_another_system_or_python_is_no_part(tmp_path: Path, line: str) -> None:
    for tag, is_here in (("py3-none-any", True), ("cp311-cp311-win_amd64", False), ("cp39-cp39-any", False)):
        name = f"x-1.0-{tag}.whl"
        (tmp_path / name).write_bytes(b"")
        request = request_of(
            project_of(tmp_path, {"requirements.txt": f"torch==2.9.0\n{line.format(name)}\n"}),
            values.FACTS,
            load_matrix(),
            Choices(parts=True, python="3.12"),
        )
        [one] = outside(request, values.SELECTED, values.FACTS.machine)
        assert (one.part is not None, asked_parts(request) != ()) == (is_here, is_here), tag
        told = [text(each, "en") for each in request.decision.remarks if each.key.endswith("wheel-elsewhere")]
        assert bool(told) == (not is_here)
        if not is_here:
            assert "its wheel is made for Python 3." in text(one.way, "en")
            assert "the wheel of x is made for Python 3." in told[0]


def test_of_wheels_for_several_systems_the_one_for_this_is_the_part(tmp_path: Path) -> None:
    names = [f"x-1.0-py3-none-{tag}.whl" for tag in ("win_amd64", "any")]
    for name in names:
        (tmp_path / name).write_bytes(b"")
    [one] = found(tmp_path, {"requirements.txt": "\n".join(("torch", *names, ""))})
    assert one.part is not None
    assert one.part.words == str(tmp_path / names[1])


def test_a_login_that_is_hidden_is_to_be_filled_in(tmp_path: Path) -> None:
    for address in ("git+https://user:tok3n@git.example/a/b.git", "git+https://git.example/a/b.git?pat=tok3n"):
        [one] = found(tmp_path, {"requirements.txt": f"torch\n{address}\n"})
        words = text(one.way, "en")
        assert "with yours in place of ***" in words
        assert (one.part, "tok3n" in words, "***" in command(one)) == (None, False, True)


def test_a_file_address_without_slashes_is_a_folder_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "setup.py").write_text(SETUP, encoding="utf-8")
    for line in ("file:./old", "-e file:./old", "old @ file:./old", "file:old"):
        project = project_of(tmp_path, {"requirements.txt": f"torch\n{line}\n"})
        assert not any("another computer" in text(one, "en") for one in project.remarks)
        [one] = found(tmp_path, {"requirements.txt": f"torch\n{line}\n"})
        assert one.part is not None
        assert (one.part.name, one.part.words) == ("old", str(tmp_path / "old"))


def test_no_query_of_an_address_is_told(tmp_path: Path) -> None:
    """Neither in a line that is quoted, nor as a package's name."""
    lines = (
        "x @ https://127.0.0.1:1/w/x-1.0-py3-none-any.whl?X-Amz-Signature=s1ecret&auth=s2ecret",
        "git+https://git.example/a/z.git?pat=s3ecret",
        "https://c.example/some?q=s4ecret words that cannot be read",
        "--extra-index-url https://u:pw@h.example/simple?t=s5ecret",
    )
    project = project_of(tmp_path, {"requirements.txt": "\n".join(("torch", *lines, ""))})
    decision = request_of(project, values.FACTS, load_matrix(), Choices(parts=True)).decision
    told = project_lines(decision, "en", project) + json.dumps(project_document(project, decision, None, "en"))
    assert "ecret" not in told, told
    assert {"x", "z", "some"} <= {one.name for one in decision.understood.rest}
    for one in found(tmp_path, {}):
        assert "ecret" not in text(one.way, "en")


# pip 23.2's words of an extension in C; nvcc and MSVC give the place in parentheses.
_COMPILED = """
      running build_ext
      gcc -Wall -fPIC -c bad.c -o build/bad.o
      {first}
          1 | #include "Nope.h"
            |          ^~~~~~~~
      bad.c:9:1: error: expected ';' before '}}' token
      compilation terminated.
      error: Command '['gcc', '-Wall', '-fPIC', '-c', 'bad.c', '-o', 'build/bad.o']' returned non-zero exit status 1.
      [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip.
  ERROR: Failed building wheel for bad
ERROR: Could not build wheels for bad, which is required to install pyproject.toml-based projects
"""


@pytest.mark.parametrize(
    "first",
    [
        "bad.c:1:10: fatal error: Nope.h: No such file or directory",
        'my code/ops.cu(3): error: identifier "x" is undefined',
        "ops.cpp(3): fatal error C1083: Cannot open include file: 'Nope.h'",
    ],
)
def test_a_part_that_cannot_be_compiled_fails_for_the_compilers_first_error(first: str) -> None:
    assert why_failed(_COMPILED.format(first=first)) == first
    other = "bad.c:1:10: error: tried only\n  fatal: repository 'x' not found\n  [end of output]\n"
    assert why_failed(other) == "fatal: repository 'x' not found"
    assert why_failed("nothing known") == ""


# pip 23.2's words, of setuptools 80, git 2.39 and CMake.
_FLAT = """
  × Getting requirements to build wheel did not run successfully.
  │ exit code: 1
  ╰─> [14 lines of output]
      error: Multiple top-level packages discovered in a flat-layout: ['b', 'a'].

      To avoid accidental inclusion of unwanted files or directories,
      setuptools will not proceed with this build.

      1. set up custom discovery (`find` directive with `include` or `exclude`)

      To find more information, look for "package discovery" on setuptools docs.
      [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip.
error: subprocess-exited-with-error
"""
_EMPTY = """
  Running command git clone --filter=blob:none --quiet http://127.0.0.1:9/x.git /tmp/pip-req-build-1
  warning: You appear to have cloned an empty repository.
  error: subprocess-exited-with-error

  × git rev-parse HEAD did not run successfully.
  │ exit code: 128
  ╰─> [2 lines of output]
      HEAD
      fatal: ambiguous argument 'HEAD': unknown revision or path not in the working tree.
      Use '--' to separate paths from revisions, like this:
      'git <command> [<revision>...] -- [<file>...]'
      [end of output]
"""
_NO_ARCHIVE = """
ERROR: Exception:
Traceback (most recent call last):
  File "/v/lib/python3.11/tarfile.py", line 1877, in gzopen
    t = cls.taropen(name, mode, fileobj, **kwargs)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
gzip.BadGzipFile: Not a gzipped file (b'<!')

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/v/lib/python3.11/tarfile.py", line 1881, in gzopen
    raise ReadError("not a gzip file") from e
tarfile.ReadError: not a gzip file
"""
_CMAKE = """
  ╰─> [26 lines of output]
      CMake Error at CMakeLists.txt:3 (find_package):
        By not providing FindTorch.cmake in CMAKE_MODULE_PATH this project has asked CMake
        to find a package

      -- Configuring incomplete, errors occurred!
      Traceback (most recent call last):
        File "<string>", line 3, in <module>
        File "/v/lib/python3.11/subprocess.py", line 413, in check_call
          raise CalledProcessError(retcode, cmd)
      subprocess.CalledProcessError: Command '['cmake', '..']' returned non-zero exit status 1.
      [end of output]
"""
_RAISED = """
  ╰─> [9 lines of output]
      error: tried before
      Traceback (most recent call last):
        File "<string>", line 3, in <module>
          check()
      RuntimeError:
      The detected CUDA version (12.8) mismatches the version that was used to compile
      PyTorch (13.0). Please make sure to use the same CUDA versions.

      [end of output]
"""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (_FLAT, "error: Multiple top-level packages discovered in a flat-layout: ['b', 'a']."),
        (_EMPTY, "You appear to have cloned an empty repository"),
        (
            _EMPTY.replace("warning: You", "You"),
            "fatal: ambiguous argument 'HEAD': unknown revision or path not in the",
        ),
        (_NO_ARCHIVE, "tarfile.ReadError: not a gzip file"),
        (_CMAKE, "CMake Error at CMakeLists.txt:3 (find_package): By not providing FindTorch.cmake"),
        (_RAISED, "RuntimeError: The detected CUDA version (12.8) mismatches the version that was used to compile"),
        ("  ╰─> [2 lines of output]\n      words\n      the last ones\n      [end of output]\n", "the last ones"),
    ],
)
def test_the_reason_of_a_part_that_failed_is_its_last_error_and_no_hint(said: str, reason: str) -> None:
    assert why_failed(said).startswith(reason)


def test_a_part_that_failed_and_spoiled_something_counts_once() -> None:
    part = ProjectPart("lib", "/code/lib", message("x"))
    found = PartsOutcome()
    found.is_left(part)
    found.note(message("x"), part)
    assert found.left == [part]


@pytest.mark.parametrize(
    "table",
    [
        "[tool.uv]\npackage = false\n",
        "[tool.poetry]\npackage-mode = false\n",
        "[tool.pdm]\ndistribution = false\n",
        "[tool.rye]\nvirtual = true\n",
        "",
    ],
)
def test_a_project_that_says_so_is_no_package_that_could_be_installed(tmp_path: Path, table: str) -> None:
    project = '[project]\nname = "it"\nversion = "1"\ndependencies = ["torch"]\n'
    keys = [one.way.key for one in found(tmp_path, {"pyproject.toml": project + table})]
    assert keys == ([] if table else ["project.left.self"])


@pytest.mark.parametrize("head", ["[project]\nname = 'mypkg'\n", "[tool.poetry]\nname = 'mypkg'\n", "[build-system]\n"])
def test_the_project_itself_is_called_as_its_package(tmp_path: Path, head: str) -> None:
    files: dict[str, str | bytes] = {"pyproject.toml": f"{head}\n", "requirements.txt": "torch\n", "setup.py": SETUP}
    request = request_of(project_of(tmp_path, files), values.FACTS, load_matrix(), Choices())
    [said] = about_parts(outside(request, values.SELECTED, values.FACTS.machine), False)
    name = "mypkg" if "mypkg" in head else tmp_path.name
    assert (said.params["packages"], asked_parts(request)) == (name, (name,))
