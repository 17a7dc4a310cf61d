"""The lock: text in, values out; and the real uv on folders of real wheels."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.install import wheels
from tests.line.wheel import build_wheel
from tests.servers.index_server import IndexServer
from tests.servers.mirror_server import MirrorServer, Ways
from wizard.install.lock import LockRequest, _failure, compile_lock, parse_lock, project_text, python_platform
from wizard.model.errors import Cancelled, WizardError
from wizard.model.messages import LANGUAGES, text
from wizard.process import Request, run
from wizard.system import paths
from wizard.system.paths import HOME_VARIABLE
from wizard.transfer.download.sizes import with_sizes

# From `uv pip compile --format pylock.toml` (uv 0.13.8), shortened.
SAMPLE = """
lock-version = "1.0"
created-by = "uv"
requires-python = ">=3.11"

[[packages]]
name = "filelock"
version = "4.2.11"
sdist = { url = "https://a.invalid/filelock-4.2.11.tar.gz", hashes = { sha256 = "0c" } }
wheels = [{ url = "https://a.invalid/filelock-4.2.11-py3-none-any.whl", size = 17, hashes = { sha256 = "02AB" } }]

[[packages]]
name = "torch"
version = "2.13.0+cpu"
wheels = [{ url = "https://a.invalid/torch-2.13.0%2Bcpu-cp311-cp311-linux_x86_64.whl", hashes = { sha256 = "67" } }]
"""


PLAIN = LockRequest(("torch==1.0", "extra"), "3.12", "linux", "x86_64", "2.36", no_index=True)


def test_a_lock_is_read() -> None:
    lock = parse_lock(SAMPLE)
    assert [(file.name, file.version, file.size) for file in lock.files] == [
        ("filelock", "4.2.11", 17),
        ("torch", "2.13.0+cpu", None),
    ]
    torch = lock.find("torch")
    assert torch is not None
    assert torch.filename == "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl"
    assert lock.files[0].sha256 == "02ab"
    assert lock.total_bytes is None


@pytest.mark.parametrize("text", ["", "packages = 5", "[[packages]]\nname = 'a'", "not toml ["])
def test_what_is_no_lock_is_said_to_be_none(text: str) -> None:
    with pytest.raises(WizardError) as caught:
        parse_lock(text)
    assert caught.value.code == "lock-unreadable"


@pytest.mark.parametrize(
    ("os", "arch", "glibc", "name"),
    [
        ("linux", "x86_64", "2.36", "x86_64-manylinux_2_36"),
        ("linux", "aarch64", "2.99", "aarch64-manylinux_2_40"),
        ("linux", "x86_64", None, "x86_64-unknown-linux-musl"),
        ("windows", "x86_64", None, "x86_64-pc-windows-msvc"),
    ],
)
def test_targets_have_uv_names(os: str, arch: str, glibc: str | None, name: str) -> None:
    assert python_platform(replace(PLAIN, os=os, arch=arch, glibc=glibc)) == name


def test_text_in_a_project_cannot_break_out() -> None:
    text = project_text(replace(PLAIN, requirements=('a"]\n[tool.uv]\nx="', "b\\c")))
    assert text.count("[tool.uv]") == 1
    assert "\n[tool.uv]" not in text


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def compile_for(workdir: Path, wanted: LockRequest) -> dict[str, str]:
    lock = compile_lock(wanted, workdir, lambda line: None, lambda: False)
    return {file.name: file.version for file in lock.files}


def bound(tmp_path: Path) -> LockRequest:
    """Ask for torch from a folder of its own, and for what another folder has beside a newer torch."""
    return replace(
        PLAIN,
        requirements=("torch", "extra"),
        torch_index=(tmp_path / "bound").as_uri(),
        torch_layout="flat",
        find_links=((tmp_path / "others").as_uri(),),
    )


@pytest.mark.parametrize(
    ("companion", "requires"),
    [
        pytest.param("torch", (), id="a newer torch in another folder never wins"),
        pytest.param("torchaudio", ("torchaudio",), id="nor one that another package brings along"),
    ],
)
def test_torch_and_its_companions_come_from_its_own_source_only(
    workdir: Path, tmp_path: Path, companion: str, requires: tuple[str, ...]
) -> None:
    """uv by itself binds direct requirements only."""
    for name in {"torch", companion}:
        wheels.build(tmp_path / "bound", name, "1.0")
    wheels.build(tmp_path / "others", companion, "99.0")
    wheels.build(tmp_path / "others", "extra", "3.0", requires=requires)
    assert compile_for(workdir, bound(tmp_path)) == {"torch": "1.0", companion: "1.0", "extra": "3.0"}


def test_what_the_source_of_torch_lacks_is_told_with_who_needs_it(workdir: Path, tmp_path: Path) -> None:
    """Not as if the packages did not go together."""
    wheels.build(tmp_path / "bound", "torch", "1.0")
    wheels.build(tmp_path / "others", "torchvision", "99.0")
    wheels.build(tmp_path / "others", "middle", "3.0", requires=("torchvision",))
    wheels.build(tmp_path / "others", "extra", "3.0", requires=("middle",))
    wanted = bound(tmp_path)
    with pytest.raises(WizardError) as raised:
        compile_for(workdir, wanted)
    assert (raised.value.code, raised.value.params) == ("lock-no-pair", {"name": "torchvision", "by": "middle"})
    assert compile_for(workdir, replace(wanted, apart=("torchvision",)))["middle"] == "3.0"


@pytest.mark.parametrize(("strategy", "common"), [("first-index", "2.0"), ("unsafe-best-match", "99.0")])
def test_what_was_added_gives_only_what_the_main_index_lacks(
    workdir: Path, tmp_path: Path, strategy: str, common: str
) -> None:
    """Unless the highest version was asked for by the strategy's name."""
    wheels.build(tmp_path / "lab", "lab_tools", "1.0")
    wheels.build(tmp_path / "lab", "extra", "99.0")
    wheels.build(tmp_path / "main", "extra", "2.0")
    wheels.build(tmp_path / "main", "other", "5.0")
    with IndexServer(tmp_path / "lab") as lab, IndexServer(tmp_path / "main") as main:
        wanted = replace(
            PLAIN,
            requirements=("lab-tools", "extra", "other"),
            no_index=False,
            default_index=main.simple,
            extra_indexes=(lab.simple,),
            index_strategy=strategy,
        )
        assert compile_for(workdir, wanted) == {"lab-tools": "1.0", "extra": common, "other": "5.0"}


def test_a_constraint_holds_for_what_another_package_brings_and_brings_nothing(workdir: Path, tmp_path: Path) -> None:
    for name, version in (("middle", "3.0"), ("middle", "26.0.1"), ("alone", "1.0")):
        wheels.build(tmp_path / "others", name, version)
    wheels.build(tmp_path / "others", "extra", "3.0", requires=("middle",))
    wanted = replace(PLAIN, requirements=("extra",), find_links=((tmp_path / "others").as_uri(),))
    held = replace(wanted, constraints=("middle<26.0.0", "alone<2"))
    assert compile_for(workdir, held) == {"extra": "3.0", "middle": "3.0"}
    assert compile_for(workdir, wanted) == {"extra": "3.0", "middle": "26.0.1"}


def test_sizes_of_local_files_are_known(workdir: Path, tmp_path: Path) -> None:
    wheel = wheels.build(tmp_path / "links", "torch", "1.0")
    wanted = replace(PLAIN, requirements=("torch==1.0",), find_links=(wheel.parent.as_uri(),))
    lock = with_sizes(compile_lock(wanted, workdir, lambda line: None, lambda: False))
    assert lock.total_bytes == wheel.stat().st_size


def test_no_solution_is_said_in_uv_words(workdir: Path, tmp_path: Path) -> None:
    wheels.build(tmp_path / "links", "torch", "1.0")
    wanted = replace(PLAIN, requirements=("torch==9.9",), find_links=((tmp_path / "links").as_uri(),))
    with pytest.raises(WizardError) as caught:
        compile_for(workdir, wanted)
    assert caught.value.code == "lock-no-solution"
    assert "torch==9.9" in caught.value.details


def test_a_source_that_is_not_there(workdir: Path) -> None:
    wanted = replace(
        PLAIN,
        no_index=False,
        default_index="http://127.0.0.1:9/simple",
        environment={"UV_HTTP_RETRIES": "0"},
    )
    with pytest.raises(WizardError) as caught:
        compile_for(workdir, wanted)
    assert caught.value.code == "lock-network"


@pytest.mark.parametrize(
    ("ways", "code", "told"),
    [
        (Ways(lost=("extra-3.0-py3-none-any.whl",)), "lock-refused", "404"),
        (Ways(refuses="files"), "lock-refused", "403"),
        (Ways(portal="files"), "lock-damaged", "extra 3.0"),
    ],
    ids=["lost", "refused", "portal"],
)
def test_a_source_that_lists_what_it_does_not_give(
    workdir: Path, tmp_path: Path, ways: Ways, code: str, told: str
) -> None:
    """It answers, so it is not the network; and it lists the file, so it is not the wish."""
    wheels.build(tmp_path / "mirror", "extra", "3.0")
    with MirrorServer(tmp_path / "mirror", ways) as mirror:
        wanted = replace(PLAIN, requirements=("extra==3.0",), no_index=False, default_index=mirror.simple)
        with pytest.raises(WizardError) as caught:
            compile_for(workdir, wanted)
    assert caught.value.code == code, caught.value.details
    for language in LANGUAGES:
        assert told in text(caught.value.summary, language)
        assert text(caught.value.hint, language)


@pytest.mark.parametrize("words", ["No space left on device (os error 28)", "There is not enough space on the disk."])
def test_a_full_disk_is_no_conflict(words: str) -> None:
    """uv's own words: it unpacks a wheel to read about it where a source has no metadata apart."""
    script = f"import sys; print('error: Failed to unzip wheel\\n  Caused by: {words}', file=sys.stderr); sys.exit(2)"
    error = _failure(run(Request((sys.executable, "-c", script))), {})
    assert (error.code, error.params["folder"]) == ("fetch-no-space", str(paths.home()))


def test_cancel_ends_it(workdir: Path) -> None:
    with pytest.raises(Cancelled):
        compile_lock(PLAIN, workdir, lambda line: None, lambda: True)


@pytest.mark.parametrize(("python", "taken"), [("3.6", True), ("3.6.15", True), ("3.6.1", False)])
def test_a_python_without_a_patch_release_is_the_newest_of_it(tmp_path: Path, python: str, taken: bool) -> None:
    """torch 1.10 takes 3.6.2 and newer; uv alone takes "3.6" for 3.6.0."""
    tag = "cp36-cp36m-manylinux1_x86_64"
    build_wheel(tmp_path / "wheels", "torch", "1.10.2", {"torch/__init__.py": b""}, tag=tag, python=">=3.6.2")
    links = ((tmp_path / "wheels").as_uri(),)
    request = LockRequest(("torch==1.10.2",), python, "linux", "x86_64", "2.36", find_links=links, no_index=True)
    (tmp_path / "work").mkdir()
    if not taken:
        with pytest.raises(WizardError, match="do not go together"):
            compile_lock(request, tmp_path / "work", lambda line: None, lambda: False)
        return
    lock = compile_lock(request, tmp_path / "work", lambda line: None, lambda: False)
    assert [file.filename for file in lock.files] == [f"torch-1.10.2-{tag}.whl"]
    assert f'requires-python = ">={python}"' in lock.text
