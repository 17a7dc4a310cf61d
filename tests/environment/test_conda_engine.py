"""The conda engine drives a stand-in conda as real processes: true prefixes, recorded failures, kills."""

from __future__ import annotations

import itertools
import signal
import sys
from pathlib import Path

import pytest

from tests.stand_in.conda import StandInConda, recorded
from wizard.environment.conda.engine import CondaEngine, check_conda_prefix
from wizard.environment.conda.find import conda_environment
from wizard.environment.conda.records import environments_list, read_records
from wizard.environment.layout import site_packages_of
from wizard.environment.model import Target
from wizard.environment.naming import is_environment
from wizard.environment.remove.unfinished import MARKER, mark_begun, mark_complete
from wizard.model.errors import UsageError, WizardError
from wizard.process import Request, run
from wizard.run.steps.create import engine_named

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the test channel holds a Linux Python")


@pytest.mark.slow
def test_a_whole_environment_that_conda_owns(order: Target, conda: StandInConda, conda_channel_folder: Path) -> None:
    told: list[tuple[int, int | None, str]] = []
    mark_begun(order.prefix, "run-1")
    conda.install(fetch_pause=0.05)
    created = engine_named("conda").create(order, lambda *each: told.append(each), lambda: False)
    mark_complete(order.prefix)
    assert (created.engine, created.prefix) == ("conda", order.prefix)
    assert created.python_version.startswith(f"{order.python}.")
    assert created.packages == len(read_records(order.prefix)) >= 2
    assert any(site_packages_of(order.prefix, created.python_version, "linux").glob("pip-*.dist-info/RECORD"))
    assert is_environment(order.prefix)
    assert run(Request((str(created.python), "-I", "-c", "import ssl, pip"))).ok
    assert environments_list().read_text(encoding="utf-8") == f"{order.prefix}\n"  # conda wrote it, we not again
    sizes = sum(path.stat().st_size for path in conda_channel_folder.glob("*/*.tar.bz2"))
    assert created.bytes_downloaded == sizes
    figures = [(done, total) for done, total, _ in told if total is not None]
    assert {total for _, total in figures} == {sizes}
    assert [done for done, _ in figures] == sorted(done for done, _ in figures)
    whole = [path.stat().st_size for path in conda_channel_folder.glob("*/*.tar.bz2")]
    sums = {sum(some) for count in range(len(whole) + 1) for some in itertools.combinations(whole, count)}
    assert {done for done, _ in figures} - sums, "in between too, from the partial files"
    assert figures[-1] == (sizes, sizes)


def test_the_commands_are_the_agreed_ones(order: Target, conda: StandInConda, conda_channel: str) -> None:
    CondaEngine().create(order, lambda *_: None, lambda: False)
    assert [call["role"] for call in conda.calls()] == ["info", "plan", "create"]
    wanted = [
        "--override-channels",
        "--channel",
        conda_channel,
        "--no-default-packages",
        "--json",
        "--yes",
        f"python={order.python}",
        "pip",
    ]
    dry, real = conda.calls("plan")[0]["argv"], conda.calls("create")[0]["argv"]
    assert real == ["create", "--prefix", str(order.prefix), *wanted]
    assert dry == ["create", "--prefix", f"{order.prefix}.torch-setup-plan", *wanted, "--dry-run"]


def test_terms_are_never_accepted_whatever_the_environment_says(
    order: Target, conda: StandInConda, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "CONDA_PLUGINS_AUTO_ACCEPT_TOS"):
        monkeypatch.setenv(name, "yes")
    for name in ("CONDA_SUBDIR", "CONDA_DRY_RUN", "CONDA_PREFIX", "CONDA_SHLVL", "CONDA_ALWAYS_YES"):
        monkeypatch.setenv(name, "1")
    cache = str(conda.root.parent / "own-cache")
    monkeypatch.setenv("CONDA_PKGS_DIRS", cache)
    monkeypatch.setenv("CONDARC", "/own/condarc")
    CondaEngine({"HTTPS_PROXY": "http://127.0.0.1:3128"}).create(order, lambda *_: None, lambda: False)
    assert not conda.has_accepted_terms
    for call in conda.calls():
        said = call["environment"]
        assert not {"CI", "CONDA_SUBDIR", "CONDA_DRY_RUN", "CONDA_PREFIX", "CONDA_SHLVL", "CONDA_ALWAYS_YES"} & set(
            said
        )
        assert said["CONDA_PLUGINS_AUTO_ACCEPT_TOS"] == "no"
        assert said["CONDA_PKGS_DIRS"] == cache, "the user's own cache and settings stay theirs"
        assert said["CONDARC"] == "/own/condarc"
        assert said["HTTPS_PROXY"] == "http://127.0.0.1:3128"
        assert said["CONDA_OVERRIDE_CUDA"] == ""
    assert conda_environment({}, "12.6")["CONDA_OVERRIDE_CUDA"] == "12.6"


def test_an_environment_that_is_there_is_never_replaced(order: Target, conda: StandInConda) -> None:
    """conda itself would replace it and say success."""
    CondaEngine().create(order, lambda *_: None, lambda: False)
    (order.prefix / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        CondaEngine().create(order, lambda *_: None, lambda: False)
    assert (order.prefix / "notes.txt").read_text() == "mine"
    assert len(conda.calls("create")) == 1
    assert len(conda.calls("info")) == 1, "refused before conda is even asked"


@pytest.mark.parametrize("inside", ["thesis.docx", "conda-meta"])
def test_a_folder_with_anything_in_it_is_refused(order: Target, conda: StandInConda, inside: str) -> None:
    """conda would take it in, and delete the user's file with the environment later."""
    (order.prefix / inside).mkdir(parents=True)
    with pytest.raises(UsageError) as caught:
        CondaEngine().create(order, lambda *_: None, lambda: False)
    assert caught.value.code == "target-not-empty"
    assert conda.calls() == []


def test_an_empty_folder_and_our_own_mark_are_fine(order: Target, conda: StandInConda) -> None:
    order.prefix.mkdir(parents=True)
    mark_begun(order.prefix, "run-1")
    CondaEngine().create(order, lambda *_: None, lambda: False)
    assert conda.calls("create")[0]["inside"] == [MARKER]
    assert (order.prefix / MARKER).is_file(), "still ours to remove until the run is through"


@pytest.mark.parametrize("name", ["my torch", "a:b", "a#b"])
def test_names_that_conda_refuses_are_refused_first(order: Target, conda: StandInConda, home: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        CondaEngine().create(
            Target(home / name, "3.12", "conda", conda=conda.executable), lambda *_: None, lambda: False
        )
    assert caught.value.code == "conda-name-characters"
    assert conda.calls() == []
    check_conda_prefix(home / "a b" / "fine")


@pytest.mark.parametrize(
    ("role", "name", "code"),
    [
        ("plan", "err_tos", "conda-terms"),
        ("create", "err_tos", "conda-terms"),
        ("plan", "err_404", "conda-channel-missing"),
        ("plan", "err_http", "conda-unreachable"),
        ("create", "err_offline", "conda-set-offline"),
        ("create", "err_perm", "conda-no-permission"),
        ("plan", "err_gpu", "conda-virtual-package"),
        ("plan", "err_unsat", "conda-package-missing"),
    ],
)
def test_a_recorded_failure_ends_it_with_its_sentence(
    order: Target, conda: StandInConda, role: str, name: str, code: str
) -> None:
    conda.install(say={role: {"stdout": recorded(f"{name}.json"), "code": 1}})
    with pytest.raises(WizardError) as caught:
        CondaEngine().create(order, lambda *_: None, lambda: False)
    assert caught.value.code == code
    assert not conda.has_accepted_terms
    assert len(conda.calls("create")) == (role == "create")
    assert not order.prefix.exists()


@pytest.mark.parametrize(
    ("role", "said", "code"),
    [
        ("info", {"stdout": "hello"}, "conda-no-answer"),
        ("info", {"code": 3}, "conda-no-answer"),
        ("plan", {"stdout": "Solving environment: done"}, "conda-no-answer"),
        ("plan", {"stdout": '{"success": true}'}, "conda-no-answer"),
        ("plan", {"stdout": recorded("mamba_unsolvable.json")}, "conda-package-missing"),  # status 0, success false
        ("create", {"signal": signal.SIGKILL}, "conda-killed"),
        ("create", {"stderr": "OSError: [Errno 28] No space left on device", "code": 1}, "env-disk-full"),
    ],
)
def test_odd_ends(order: Target, conda: StandInConda, role: str, said: dict[str, object], code: str) -> None:
    conda.install(say={role: said})
    with pytest.raises(WizardError) as caught:
        CondaEngine().create(order, lambda *_: None, lambda: False)
    assert caught.value.code == code


def test_success_without_an_environment_is_not_believed(order: Target, conda: StandInConda) -> None:
    conda.install(makes=False)
    with pytest.raises(WizardError) as caught:
        CondaEngine().create(order, lambda *_: None, lambda: False)
    assert caught.value.code == "env-broken"


def test_a_python_that_the_channel_lacks(order: Target, conda: StandInConda) -> None:
    with pytest.raises(WizardError) as caught:
        CondaEngine().plan(Target(order.prefix, "3.99", "conda", channels=order.channels, conda=order.conda))
    assert caught.value.code == "conda-package-missing"
    assert caught.value.params["packages"] == "python=3.99"


def test_the_plan_changes_nothing_and_knows_the_bytes(
    order: Target, conda: StandInConda, home: Path, conda_channel_folder: Path
) -> None:
    plan = CondaEngine().plan(order)
    assert plan.bytes_to_fetch == sum(path.stat().st_size for path in conda_channel_folder.glob("*/*.tar.bz2"))
    assert plan.python is not None
    assert plan.python.startswith(order.python)
    assert sorted(path.name for path in home.iterdir()) == ["miniforge3"]


# -- mamba and micromamba ----------------------------------------------------------------------------------------------


def test_micromamba_installs_into_our_marked_prefix(home: Path, order: Target, conda_place: Path) -> None:
    """Its `create` refuses a folder that holds our mark."""
    mamba = StandInConda(home / "micromamba", "micromamba").install()
    mark_begun(conda_place, "run-1")
    target = Target(conda_place, order.python, "conda", channels=order.channels, conda=mamba.executable)
    created = CondaEngine().create(target, lambda *_: None, lambda: False)
    assert created.packages >= 2
    dry, real = mamba.calls("plan")[0], mamba.calls("create")[0]
    assert (dry["argv"][0], real["argv"][0]) == ("create", "install")
    assert real["inside"] == [MARKER, "conda-meta"]
    assert "--no-default-packages" not in real["argv"]


def test_micromambas_words_become_sentences(home: Path, order: Target) -> None:
    words = "error    libmamba Could not solve for environment specs\ncritical libmamba x\n"
    mamba = StandInConda(home / "micromamba", "micromamba").install(
        say={"plan": {"stdout": recorded("mamba_virtual.json"), "stderr": words, "code": 1}}
    )
    target = Target(order.prefix, order.python, "conda", channels=order.channels, conda=mamba.executable)
    with pytest.raises(WizardError) as caught:
        CondaEngine().create(target, lambda *_: None, lambda: False)
    assert caught.value.code == "conda-virtual-package"
