"""A project from its address: by a real git from a real git server, or as an archive that may be hostile."""

from __future__ import annotations

import io
import json
import stat
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.servers.fault_server import FaultServer
from tests.servers.git_server import GitServer, publish
from tests.tools import needs
from wizard.app import project_address
from wizard.app.project_address import archive_url, bring_project, brought_before, is_address, parse_address
from wizard.cli.main import main
from wizard.model.errors import Cancelled, UsageError, WizardError
from wizard.model.messages import text
from wizard.project.read import read_project
from wizard.system import paths

FOLDER = Path(__file__).resolve().parents[1] / "data" / "machines"
WANTS_GIT = needs("git")


@pytest.mark.parametrize(
    ("given", "repository", "name", "ref"),
    [
        ("https://github.com/o/n", "https://github.com/o/n", "n", ""),
        ("https://github.com/o/n.git/", "https://github.com/o/n", "n", ""),
        ("https://github.com/o/n/tree/dev/src#readme", "https://github.com/o/n", "n", "dev"),
        ("https://gitlab.com/g/s/n/-/tree/v1.2?x=1", "https://gitlab.com/g/s/n", "n", "v1.2"),
        ("https://git.example/o/n.git@dev", "https://git.example/o/n", "n", "dev"),
        ("git+https://github.com/o/n@v2#egg=n", "https://github.com/o/n", "n", "v2"),
        ("git@github.com:o/n.git", "https://github.com/o/n", "n", ""),
    ],
)
def test_what_people_copy_is_understood(given: str, repository: str, name: str, ref: str) -> None:
    assert is_address(given)
    found = parse_address(given)
    assert (found.repository, found.name, found.ref) == (repository, name, ref)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("http://github.com/o/n", "project-address"),
        ("ext::sh -c id", ""),
        ("ext://sh", "project-address"),
        ("file:///etc", "project-address"),
        ("ssh://git@host.example/o/n", "project-address"),
        ("https://github.com/", "project-address"),
        ("https://github.com/o/..", "project-address"),
        ("https://github.com/o/n/tree/--upload-pack=id", "project-address"),
        ("https://me:secret@github.com/o/n", "project-address-login"),
    ],
)
def test_what_is_no_address_of_a_repository_is_refused(given: str, code: str) -> None:
    if not code:
        assert not is_address(given)
        return
    with pytest.raises(UsageError) as caught:
        parse_address(given)
    assert caught.value.code == code
    assert "secret" not in str(caught.value.summary.params)


def test_where_a_host_has_its_archives() -> None:
    assert archive_url(parse_address("https://github.com/o/n")) == "https://github.com/o/n/archive/HEAD.zip"
    assert archive_url(parse_address("https://github.com/o/n/tree/dev")) == "https://github.com/o/n/archive/dev.zip"
    assert archive_url(parse_address("https://git.example/o/n")) is None


def no_window(*arguments: object) -> int:
    return 99


@pytest.fixture
def git_server(tmp_path: Path) -> Iterator[GitServer]:
    publish(tmp_path / "served", "captions", {"requirements.txt": "torch\nrequests\n"})
    with GitServer(tmp_path / "served") as server:
        yield server


@WANTS_GIT
def test_a_repository_is_cloned_once_and_its_hooks_do_not_run(
    git_server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "templates" / "hooks"
    templates.mkdir(parents=True)
    hook = templates / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(templates.parent))
    address = f"{git_server.address}/captions.git"
    assert brought_before(address, tmp_path / "projects") is None
    folder = bring_project(address, lambda: False, tmp_path / "projects")
    assert folder == brought_before(address, tmp_path / "projects") == tmp_path / "projects" / "captions"
    assert {one.name for one in read_project(folder).statements} == {"torch", "requests"}
    assert not (tmp_path / "ran").exists()
    (folder / "mine.txt").write_text("work")
    assert bring_project(address, lambda: False, tmp_path / "projects") == folder, "it is there already"
    assert (folder / "mine.txt").exists()
    assert [one.name for one in (tmp_path / "projects").iterdir()] == ["captions"], "nothing is left of the making"


def test_git_is_told_to_write_long_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git for Windows ends a clone at the first file beyond 260 characters else."""
    asked = tmp_path / "asked"
    monkeypatch.setattr(paths, "find_program", lambda name: sys.executable)
    code = f"import sys; open({str(asked)!r}, 'w').write(' '.join(sys.argv)); sys.exit(1)"
    real = project_address.run
    monkeypatch.setattr(
        project_address,
        "run",
        lambda request, **how: real(replace(request, argv=(sys.executable, "-c", code, *request.argv[1:])), **how),
    )
    with pytest.raises(WizardError):
        bring_project("https://git.example/o/n", lambda: False, tmp_path / "projects")
    assert "-c core.longpaths=true" in asked.read_text()


def test_a_downloaded_archive_is_unpacked_once(tmp_path: Path) -> None:
    archive = tmp_path / "captions-main.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("captions-main/requirements.txt", "torch\nrequests\n")
        made.writestr("captions-main/src/it.py", "import torch\n")
    folder = bring_project(str(archive), lambda: False, tmp_path / "projects")
    assert folder == tmp_path / "projects" / "captions-main"
    assert {one.name for one in read_project(folder).statements} == {"torch", "requests"}
    assert bring_project(str(archive), lambda: False, tmp_path / "projects") == folder, "it is there already"
    (folder / "requirements.txt").write_text("torch\n")
    again = bring_project(str(archive), lambda: False, tmp_path / "projects")
    assert again.name == "captions-main-2", "what the person changed is not written over, and not taken for the archive"
    with zipfile.ZipFile(archive, "w"):
        pass
    with pytest.raises(WizardError, match="has no files"):  # and no other folder is taken for an empty one
        bring_project(str(archive), lambda: False, tmp_path / "projects")
    assert not (tmp_path / "projects" / "captions-main-3").exists()
    archive.write_bytes(b"PK broken")
    with pytest.raises(WizardError, match="cannot be read"):
        bring_project(str(archive), lambda: False, tmp_path / "projects")


@WANTS_GIT
def test_pick_takes_an_address(
    git_server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    address = f"{git_server.address}/captions.git"
    status = main(("pick", "--project", address, "--machine", str(FOLDER / "v100-linux-580.json"), "--json"), no_window)
    told = capsys.readouterr()
    assert status == 0, told.err
    assert json.loads(told.out)["project"] == str(tmp_path / project_address.PROJECTS / "captions")
    assert address.removesuffix(".git") in told.err
    assert main(("pick", "--project", address, "--offline"), no_window) == 2


@WANTS_GIT
def test_another_folder_of_that_name_stays(git_server: GitServer, tmp_path: Path) -> None:
    (tmp_path / "projects" / "captions").mkdir(parents=True)
    folder = bring_project(f"{git_server.address}/captions.git", lambda: False, tmp_path / "projects")
    assert folder.name == "captions-2"


def test_a_project_without_files_leaves_no_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "nothing.zip", "w") as archive:
        archive.mkdir("nothing")
    with pytest.raises(WizardError) as caught:
        bring_project(str(tmp_path / "nothing.zip"), lambda: False, tmp_path / "projects")
    assert caught.value.code == "project-empty"
    assert not (tmp_path / "projects").exists()


@WANTS_GIT
def test_a_repository_that_is_not_there_leaves_nothing(git_server: GitServer, tmp_path: Path) -> None:
    with pytest.raises(WizardError) as caught:
        bring_project(f"{git_server.address}/gone.git", lambda: False, tmp_path / "projects")
    assert caught.value.code == "project-not-fetched"
    assert not (tmp_path / "projects").exists()


@WANTS_GIT
@pytest.mark.parametrize("bound", ["MOST_BYTES", "MOST_FILES"])
def test_one_that_is_too_large_is_left(
    bound: str, git_server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_address, bound, 2)
    with pytest.raises(WizardError) as caught:
        bring_project(f"{git_server.address}/captions.git", lambda: False, tmp_path / "projects")
    assert caught.value.code == "project-too-large"
    assert not (tmp_path / "projects").exists()


@WANTS_GIT
def test_it_can_be_called_off(git_server: GitServer, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        bring_project(f"{git_server.address}/captions.git", lambda: True, tmp_path / "projects")


def archive(*members: tuple[str, bytes], link: str = "") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            file.writestr(name, data)
        if link:
            info = zipfile.ZipInfo(link)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            file.writestr(info, b"/etc/passwd")
    return made.getvalue()


def brought(data: bytes, tmp_path: Path) -> Path:
    with FaultServer() as server:
        return bring_project(server.add("/captions.zip", data), lambda: False, tmp_path / "projects")


def test_an_archive_is_unpacked_without_links_and_without_git_settings(tmp_path: Path) -> None:
    data = archive(
        ("captions-HEAD/requirements.txt", b"torch\n"),
        ("captions-HEAD/.git/config", b"[core]\n\tfsmonitor = id\n"),
        ("captions-HEAD/src/a.py", b"1\n"),
        link="captions-HEAD/link.txt",
    )
    folder = brought(data, tmp_path)
    assert sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()) == [
        "requirements.txt",
        "src/a.py",
    ]


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "a\\..\\out.txt", "C:/out.txt"])
def test_a_name_that_leads_out_refuses_the_whole_archive(name: str, tmp_path: Path) -> None:
    with pytest.raises(WizardError) as caught:
        brought(archive(("requirements.txt", b"torch\n"), (name, b"x")), tmp_path)
    assert caught.value.code == "project-archive-unsafe"
    assert not (tmp_path / "projects").exists()


def test_an_archive_that_swells_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_address, "MOST_BYTES", 1_000_000)
    with pytest.raises(WizardError) as caught:
        brought(archive(("requirements.txt", b"torch\n"), ("zeros", bytes(2_000_000))), tmp_path)
    assert caught.value.code == "project-archive-too-large"


def test_who_has_an_archive_that_swells_is_not_sent_to_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_address, "MOST_BYTES", 1_000_000)
    here = tmp_path / "captions.zip"
    here.write_bytes(archive(("requirements.txt", b"torch\n"), ("zeros", bytes(2_000_000))))
    with pytest.raises(WizardError) as caught:
        bring_project(str(here), lambda: False, tmp_path / "projects")
    said = text(caught.value.hint, "en")
    assert "unpack" in said
    assert "git" not in said


@pytest.mark.parametrize("data", [b"", b"<html>Please sign in</html>", b"PK\x03\x04 broken"])
def test_what_is_no_archive_is_told(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(WizardError) as caught:
        brought(data, tmp_path)
    assert caught.value.code == "project-not-fetched"


@WANTS_GIT
def test_an_address_that_gives_nothing_leaves_no_folder(git_server: GitServer, tmp_path: Path) -> None:
    for was_there in (False, True):
        place = tmp_path / str(was_there)
        if was_there:
            place.mkdir()
        with pytest.raises(WizardError):
            bring_project(f"{git_server.address}/nothing.git", lambda: False, place)
        assert place.exists() is was_there
