"""Real environments by the built-in engine from a real channel: complete, counted, cancelled, killed, taken back."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import re
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.channel.build_channel import with_dependency
from wizard.environment.conda.records import environments_list, read_records
from wizard.environment.create.rattler_engine import RattlerEngine
from wizard.environment.layout import is_conda_prefix, site_packages_of
from wizard.environment.model import Target
from wizard.environment.naming import is_environment
from wizard.environment.remove.unfinished import mark_begun, mark_complete, remove_unfinished
from wizard.model.errors import Cancelled, WizardError
from wizard.process import Request, run
from wizard.system import paths

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python"),
]


def target(prefix: Path, minor: str, *channels: str, cuda: str | None = None) -> Target:
    return Target(prefix, minor, "rattler", channels=channels, cuda=cuda)


def never() -> bool:
    return False


@contextmanager
def served(folder: Path, token: str = "", chunk: int = 65536, pause: float = 0.0) -> Iterator[str]:
    """The channel over HTTP on loopback; packages may come slowly, everything may need a password."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if token and self.headers.get("Authorization") != f"Basic {base64.b64encode(token.encode()).decode()}":
                self.send_error(401)
            else:
                super().do_GET()

        def copyfile(self, source: object, outputfile: object) -> None:
            try:
                while data := source.read(chunk):  # type: ignore[attr-defined]
                    outputfile.write(data)  # type: ignore[attr-defined]
                    time.sleep(pause)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def log_message(self, *_: object) -> None: ...

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://{token + '@' if token else ''}127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_environments_share_the_cache(tmp_path: Path, minor: str, conda_channel: str) -> None:
    """rattler links what it fetched; metadata of conda and files with a path in them are each environment's own."""
    folders = [tmp_path / "one", tmp_path / "other"]
    for prefix in folders:
        RattlerEngine().create(target(prefix, minor, conda_channel), lambda *each: None, never)
    one, other = ({file.relative_to(prefix): file.lstat() for file in prefix.rglob("*.py")} for prefix in folders)
    shared = [path for path, status in one.items() if status.st_ino == other[path].st_ino]
    assert len(shared) > len(one) * 9 // 10
    assert all(one[path].st_nlink == 3 for path in shared), "both and the cache"
    edited = folders[0] / "conda-meta" / "history"
    assert not edited.samefile(folders[1] / "conda-meta" / "history")


def test_a_whole_environment_under_an_awkward_path(prefix: Path, minor: str, conda_channel: str) -> None:
    environments_list().parent.mkdir()
    environments_list().write_bytes(b"/users/own/env")  # conda itself leaves no newline at the end
    told: list[tuple[int, int | None, str]] = []
    mark_begun(prefix, "run-1")
    created = RattlerEngine().create(target(prefix, minor, conda_channel), lambda *each: told.append(each), never)
    mark_complete(prefix)
    records = read_records(prefix)
    assert (created.engine, created.packages, created.prefix) == ("rattler", len(records), prefix)
    assert created.python_version.startswith(f"{minor}.")
    assert {"python", "pip"} <= {record.name for record in records}
    script = "import ssl, pip, sys, sysconfig; sys.stdout.write(sys.prefix + '|' + sysconfig.get_path('purelib'))"
    said = run(Request((str(created.python), "-I", "-c", script)))
    assert said.ok, said.tail()
    assert said.stdout == f"{prefix}|{prefix}/lib/python{minor}/site-packages"
    assert any(site_packages_of(prefix, created.python_version, "linux").glob("pip-*.dist-info/RECORD"))
    assert run(Request((str(prefix / "bin" / "pip"), "--version"))).ok  # a shebang with a space would not run
    assert told[0][1] is None
    assert told[-1][0] == told[-1][1]
    assert [each[0] for each in told] == sorted(each[0] for each in told)
    assert is_environment(prefix)
    assert is_conda_prefix(prefix)
    assert environments_list().read_bytes() == f"/users/own/env\n{prefix}\n".encode()


def test_condas_own_records_are_complete_and_readable(prefix: Path, minor: str, conda_channel: str) -> None:
    RattlerEngine().create(target(prefix, minor, conda_channel), lambda *_: None, never)
    meta = prefix / "conda-meta"
    assert {stat.S_IMODE(path.stat().st_mode) for path in meta.iterdir()} == {0o644}
    history = (meta / "history").read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"==> \d{4}-\d\d-\d\d \d\d:\d\d:\d\d <==", history[0])
    assert history[-1] == f"# update specs: {[f'python {minor}.*', 'pip']!r}"
    assert [line for line in history if line.startswith("+")] == [f"+{record}" for record in read_records(prefix)]
    assert f"+{conda_channel}/noarch::pip-" in "\n".join(history)
    placed = next((prefix / "lib" / f"python{minor}").glob("_sysconfigdata*.py"))
    recorded = json.loads(next(meta.glob("python-*.json")).read_text(encoding="utf-8"))
    replaced = [entry for entry in recorded["paths_data"]["paths"] if entry.get("prefix_placeholder")]
    if replaced:  # Debian's Python has no prefix of its own to replace
        assert str(prefix) in placed.read_text(encoding="utf-8")


def test_over_http_with_a_password_bytes_are_counted_and_the_password_is_kept(
    prefix: Path, minor: str, conda_channel_folder: Path
) -> None:
    with served(conda_channel_folder, token="ann:s3cret") as address:
        created = RattlerEngine().create(target(prefix, minor, address), lambda *_: None, never)
    sizes = sum(path.stat().st_size for path in conda_channel_folder.glob("*/*.tar.bz2"))
    assert created.bytes_downloaded == sizes
    for kept in (prefix / "conda-meta").iterdir():
        assert "s3cret" not in kept.read_text(encoding="utf-8"), kept
    assert stat.S_IMODE((paths.cache_dir() / "rattler").stat().st_mode) == 0o700


def test_the_cuda_version_reaches_the_solver(prefix: Path, minor: str, conda_channel_folder: Path) -> None:
    channel = with_dependency("python", "__cuda >=99", conda_channel_folder, prefix.parent.parent / "cuda").as_uri()
    with pytest.raises(WizardError) as caught:
        RattlerEngine().create(target(prefix, minor, channel), lambda *_: None, never)
    assert caught.value.code == "env-unsolvable"
    assert "__cuda" in caught.value.details
    created = RattlerEngine().create(target(prefix, minor, channel, cuda="99.1"), lambda *_: None, never)
    assert created.packages >= 2


def test_what_the_channel_cannot_do_has_a_name(
    home: Path, prefix: Path, minor: str, conda_channel: str, tmp_path: Path
) -> None:
    def code(wanted: str, channel: str) -> tuple[str, str]:
        with pytest.raises(WizardError) as caught:
            RattlerEngine().create(target(prefix, wanted, channel), lambda *_: None, never)
        assert not prefix.exists()
        return caught.value.code, str(caught.value) + caught.value.details

    assert code("3.99", conda_channel)[0] == "env-unsolvable"
    assert code(minor, (tmp_path / "nothing").as_uri())[0] == "env-channel-unreachable"
    with served(tmp_path) as address:
        missing, said = code(minor, address.replace("//", "//ann:s3cret@"))
    assert missing == "env-channel-unreachable"
    assert "s3cret" not in said
    assert not environments_list().exists()


def test_cancelled_in_the_middle_then_taken_back(
    home: Path, prefix: Path, minor: str, conda_channel_folder: Path
) -> None:
    """The child is stopped while bytes come in; afterwards the machine is as before."""
    seen: list[int] = []
    mark_begun(prefix, "run-1")
    with served(conda_channel_folder, chunk=4096, pause=0.01) as address, pytest.raises(Cancelled):
        RattlerEngine().create(
            target(prefix, minor, address), lambda done, *_: seen.append(done), lambda: any(done > 0 for done in seen)
        )
    assert own_children() == []
    assert not environments_list().exists()
    assert remove_unfinished(prefix, "run-1")
    assert list(home.iterdir()) == []


def test_killed_while_linking_is_a_crash_that_can_be_taken_back_and_tried_again(
    home: Path, prefix: Path, minor: str, conda_channel: str, conda_channel_folder: Path
) -> None:
    killed: list[int] = []

    def kill_once() -> bool:
        """Asked twenty times a second; the prefix is half filled when it strikes. Cancels nothing."""
        if (prefix / "lib").exists() and not killed:
            for child in own_children():
                killed.append(child.pid)
                child.kill()
        return False

    mark_begun(prefix, "run-1")
    # Slowly served, so that the small packages are linked while the large one still comes in.
    with served(conda_channel_folder, chunk=32768, pause=0.01) as address, pytest.raises(WizardError) as caught:
        RattlerEngine().create(target(prefix, minor, address), lambda *_: None, kill_once)
    assert killed
    assert caught.value.code == "env-crashed"
    assert own_children() == []
    assert remove_unfinished(prefix, "run-1")
    assert list(home.iterdir()) == []
    mark_begun(prefix, "run-1")
    assert RattlerEngine().create(target(prefix, minor, conda_channel), lambda *_: None, never).packages >= 2


def own_children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if "_rattler" in _line(child)]


def _line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []
