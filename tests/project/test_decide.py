"""What a project gets on a machine: kept where it runs, else the smallest step away, each with its reason.

One file: each rule of the choice in a few lines.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.project.deciding import (
    ADA,
    AMPERE,
    ANY,
    BLACKWELL,
    NO_CARD,
    OLD_DRIVER,
    PASCAL,
    build,
    codes,
    decided,
    machine,
    relaxed,
    without,
)
from tests.project.test_read import project_of
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine
from wizard.model.messages import text
from wizard.project.decide import decide

PINNED: dict[str, str | bytes] = {
    "requirements.txt": "--extra-index-url https://download.pytorch.org/whl/cu117\ntorch==1.13.1+cu117\n"
    "torchvision==0.14.1+cu117\ntorch-scatter==2.1.0+pt113cu117\neinops\n"
}


def test_a_pin_that_runs_is_kept_with_its_cuda(tmp_path: Path) -> None:
    found = decided(tmp_path, PINNED, AMPERE)
    assert build(found) == ("1.13.1", "cu117", "3.10")
    assert found.relaxed == ()
    assert found.numpy == "<2"
    assert [one.name for one in found.understood.rest] == ["torch-scatter", "einops"]


def test_a_pin_without_code_for_the_card_moves_by_the_smallest_step_with_what_hangs_on_it(tmp_path: Path) -> None:
    found = decided(tmp_path, PINNED, BLACKWELL)
    assert build(found) == ("2.7.1", "cu128", "3.10"), "the other pins are of the age of that torch"
    assert relaxed(found) == {
        "torch": ("==1.13.1", "2.7.1", "reason.no-kernels-for-gpu"),
        "cuda": ("cu117", "cu128", "project.why.cuda"),
        "torchvision": ("==0.14.1", "0.22.1", "project.why.pair"),
        "torch-scatter": ("==2.1.0", "torch-scatter (torch 2.7.1)", "project.why.with-torch"),
    }
    assert [origin.line for one in found.relaxed for origin in one.origins] == [2, 2, 3, 4]


def test_a_range_gets_the_newest_that_fits_the_driver(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.0\n"}
    assert build(decided(tmp_path, files, OLD_DRIVER))[:2] == ("2.7.1", "cu118")
    assert decided(tmp_path, files, OLD_DRIVER).relaxed == ()


def test_only_the_index_moves_where_torch_need_not(tmp_path: Path) -> None:
    words = '[project]\ndependencies = ["torch==2.8.0"]\n[[tool.uv.index]]\nurl = "https://download.pytorch.org/whl/cu128"\n'
    found = decided(tmp_path, {"pyproject.toml": words}, machine("linux", "6.1", "580.65"))
    assert build(found)[:2] == ("2.8.0", "cu126")
    assert set(relaxed(found)) == {"cuda"}


def test_a_cuda_that_lacks_what_goes_beside_torch_is_not_told_to_lack_code_for_the_card(tmp_path: Path) -> None:
    words = '[project]\ndependencies = ["torch==2.13.0", "torchaudio>=2.4"]\n'
    words += '[[tool.uv.index]]\nurl = "https://download.pytorch.org/whl/cu132"\n'
    found = decided(tmp_path, {"pyproject.toml": words}, BLACKWELL)
    assert relaxed(found)["cuda"] == ("cu132", "cu130", "project.why.cuda-pair")
    lines = (
        "--extra-index-url https://download.pytorch.org/whl/cu118\ntorch==2.2.2+cu118\nxformers==0.0.25.post1+cu118\n"
    )
    found = decided(tmp_path / "library", {"requirements.txt": lines}, ADA, Choices(python="3.13"))
    assert relaxed(found)["cuda"][2] == "project.why.cuda-library"


def test_two_lines_that_nothing_meets_are_told_and_the_first_counts(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.3.1\n",
        "setup.cfg": "[options]\ninstall_requires =\n  torch>=2.4\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0] == "2.3.1"
    said = [text(remark, "en") for remark in found.remarks]
    assert any("requirements.txt, line 1" in words and "setup.cfg, line 3" in words for words in said)


@pytest.mark.parametrize(("on", "expected"), [(BLACKWELL, "2.15.0"), (PASCAL, "2.14.1"), (NO_CARD, "2.15.0")])
def test_a_project_without_torch_gets_our_own_rule_and_is_told(tmp_path: Path, on: Machine, expected: str) -> None:
    found = decided(tmp_path, {"requirements.txt": "transformers\n"}, on)
    assert build(found)[0] == expected
    assert "undeclared" in codes(found)


def test_two_lines_of_any_package_are_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\nnumpy>=2\nscipy>=1.5,<3\npandas==2.*\npillow<9\nrich>1 ; python_version < '3'\n",
        "pyproject.toml": '[project]\ndependencies = ["numpy<2", "scipy!=1.5.*", "pandas~=2.1", "pillow>=10"]\n',
        "requirements-more.txt": "rich<1\n",
    }
    found = decided(tmp_path, files, BLACKWELL)
    told = [remark.params["one"] for remark in found.remarks if remark.key == "project.remark.contradiction"]
    assert told == ["numpy>=2", "pillow<9"]
    assert [one.name for one in found.understood.rest] == ["rich", "numpy", "scipy", "pandas", "pillow"]


def test_what_is_meant_for_another_computer_is_not_named(tmp_path: Path) -> None:
    elsewhere = "flash-attn ; sys_platform == 'win32'\npywin32 ; sys_platform == 'win32'\n"
    words = f"torch\n{elsewhere}old ; python_version < '3.9'\n"
    found = decided(tmp_path, {"requirements.txt": words}, BLACKWELL)
    assert (found.understood.rest, without(found)) == ((), ())
    assert not {"no-card", "no-wheel", "compiler"} & codes(found)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"requirements.txt": "torch==2.13.0\ntorch<2.10\n"}, True),
        ({"requirements.txt": "torch\nnumpy==1.26.4\nnumpy>=2\n"}, True),
        ({"requirements.txt": "torch==2.13.0\n", "README.md": "pip install torch==2.1.0\n"}, False),
        ({"requirements.txt": "torch==2.13.0\n", "Dockerfile": "RUN pip install torch==2.1.0\n"}, False),
        ({"requirements.txt": "torch==2.13.0\ntorch>=2.10\n"}, False),
        ({"requirements.txt": "torch>=2.20,<1\n"}, True),
        ({"requirements.txt": "torch\nscipy>=2,<1\n"}, True),
    ],
)
def test_lines_that_stand_against_each_other_are_not_exactly_as_asked(
    tmp_path: Path, files: dict[str, str | bytes], expected: bool
) -> None:
    found = decided(tmp_path, files, BLACKWELL)
    assert found.relaxed == ()
    assert found.is_exact is not expected


@pytest.mark.slow
def test_thousands_of_lines_about_torch_are_weighed_in_seconds_and_counted(tmp_path: Path) -> None:
    lines = [f"torch=={one % 3 + 1}.{one % 17}.{one}" if one % 3 else f"torch>=1.{one}" for one in range(10_000)]
    begun = time.process_time()
    found = decided(tmp_path, {"requirements.txt": "\n".join(["torch==2.13.0", *lines])}, BLACKWELL)
    assert time.process_time() - begun < 20
    assert build(found)[0] == "2.13.0"
    assert len(found.remarks) < 20
    assert "contradictions-more" in codes(found)


def test_a_package_that_moves_to_the_library_for_this_cuda_is_named_with_more_than_its_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.7.1\nbitsandbytes==0.41.0\n"}
    given = {name: words[1] for name, words in relaxed(decided(tmp_path, files, BLACKWELL)).items()}
    assert given
    assert not given.keys() & set(given.values())


@pytest.mark.parametrize("on", [AMPERE, ADA])
def test_xformers_is_kept_with_the_cuda_that_it_was_made_with(tmp_path: Path, on: Machine) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.0.1\nxformers==0.0.22\n"}
    found = decided(tmp_path / "a", files, on)
    assert (build(found)[:2], found.is_exact) == (("2.0.1", "cu118"), True)
    files["requirements.txt"] = "torch==2.1.0+cu118\nxformers==0.0.22.post7\n"
    assert [*relaxed(decided(tmp_path / "b", files, on))] == ["xformers"]


def test_torch_that_is_asked_for_on_another_system_alone_is_told(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch>=2.4 ; sys_platform == 'darwin'\n"}, NO_CARD)
    assert "torch-elsewhere" in codes(found)
    both = "torch>=2.4 ; sys_platform == 'darwin'\ntorch ; sys_platform == 'linux'\n"
    assert "torch-elsewhere" not in codes(decided(tmp_path, {"requirements.txt": both}, NO_CARD))


def test_what_was_chosen_by_hand_is_the_reason(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.1.2\n"}, NO_CARD, Choices(torch="2.13.0"))
    assert relaxed(found)["torch"] == ("==2.1.2", "2.13.0", "project.why.by-hand")


def test_pins_outside_the_tables_and_of_other_makers(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"requirements.txt": "torch==1.6.0\n"}, AMPERE)
    assert build(found)[0] == "1.7.1"
    assert relaxed(found)["torch"][2] == "project.why.older-cuda"
    found = decided(tmp_path / "b", {"requirements.txt": "torch==2.7.1+xpu\n"}, AMPERE)
    assert (build(found)[0], "other-maker" in codes(found)) == ("2.7.1", True)


def test_a_cpu_pin_is_kept_and_said(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.1.0+cpu\n"}, AMPERE)
    assert build(found)[:2] == ("2.1.0", "cpu")
    assert "cpu-asked" in codes(found)


def test_a_host_that_nobody_knows_is_named_once(tmp_path: Path) -> None:
    words = "--extra-index-url https://wheels.stranger.invalid/simple\n-f https://wheels.stranger.invalid/more\ntorch\n"
    words += "-f https://data.pyg.org/whl/torch-2.6.0+cu124.html\n--index-url https://[bad\n"
    project = project_of(tmp_path, {"requirements.txt": words})
    found = decide(project, AMPERE, load_matrix(), ANY, lambda url: True)
    said = [text(one, "en") for one in found.remarks if one.key.endswith("foreign-index")]
    assert len(said) == 1
    assert "requirements.txt, line 1" in said[0]
    assert "wheels.stranger.invalid" in said[0]
    assert "nothing is asked of it unless you trust it" in said[0], "also where that was said already"


def test_of_two_lines_the_one_for_this_system_is_taken(tmp_path: Path) -> None:
    link = "git+https://example.org/a/gfpgan@fixed"
    lines = f"torch\n{link}#egg=gfpgan ; platform_system != 'Windows'\ngfpgan\n"
    found = {
        os: [one.url for one in decided(tmp_path / os, {"requirements.txt": lines}, computer).understood.rest]
        for os, computer in (("linux", AMPERE), ("windows", ADA))
    }
    assert found == {"linux": [f"{link}#egg=gfpgan"], "windows": [""]}


def test_a_cuda_that_a_release_never_had_becomes_the_nearest(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.6.0+cu121\n"}, ADA)
    assert build(found)[:2] == ("2.6.0", "cu124")
    assert relaxed(found) == {"cuda": ("cu121", "cu124", "reason.not-published")}


def test_the_cuda_of_a_pixi_system_is_no_package(tmp_path: Path) -> None:
    words = '[dependencies]\npytorch = "*"\neinops = "*"\n[system-requirements]\ncuda = "12"\n'
    assert [one.name for one in decided(tmp_path, {"pixi.toml": words}, AMPERE).understood.rest] == ["einops"]


def test_what_is_of_use_on_windows_alone_is_left_out_elsewhere(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\npywin32==304\neinops\n"}
    assert (without(decided(tmp_path / "a", files, NO_CARD)), without(decided(tmp_path / "b", files, ADA))) == (
        ("pywin32",),
        (),
    )


def test_an_image_that_is_numbered_by_its_month_says_no_torch(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch\n",
        "Dockerfile": "FROM nvcr.io/nvidia/pytorch:22.11-py3\n",
    }
    assert relaxed(decided(tmp_path, files, NO_CARD)) == {}


@pytest.mark.parametrize("pin", ["triton==2.0.0", "torchdata==0.6.1"])
def test_what_is_pinned_to_one_torch_decides_it_where_that_runs_and_else_moves(tmp_path: Path, pin: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch>=2.0.1\n{pin}\n"}
    assert build(decided(tmp_path / "a", files, AMPERE))[0] == "2.0.1"
    found = decided(tmp_path / "b", files, BLACKWELL)
    name, _, version = pin.partition("==")
    assert relaxed(found)[name][0] == f"=={version}"


def test_what_runs_on_newer_cards_alone_is_left_out_on_older_ones(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.8.0\nflash-attn\n"}
    volta = machine("linux", "7.0", "535.288.01")
    assert (without(decided(tmp_path / "a", files, volta)), without(decided(tmp_path / "b", files, AMPERE))) == (
        ("flash-attn",),
        (),
    )


def test_another_patch_of_a_pair_is_a_difference(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.0.0\ntorchvision==0.15.0\n"}
    assert relaxed(decided(tmp_path, files, NO_CARD))["torchvision"][:2] == ("==0.15.0", "0.15.1")


def test_pytorch_cuda_chooses_the_build_beside_a_toolkit(tmp_path: Path) -> None:
    lines = "dependencies:\n- pytorch=1.13.1\n- pytorch-cuda=11.6\n- cudatoolkit=11.7.0\n- opencv=4.6\n"
    found = decided(tmp_path, {"environment.yml": lines}, AMPERE)
    assert (build(found)[:2], [one.name for one in found.understood.rest]) == (("1.13.1", "cu116"), ["opencv-python"])


def test_a_build_of_which_little_is_known_is_nearer_than_another_torch(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==1.8.0\n"}, AMPERE)
    assert (build(found)[:2], relaxed(found)) == (("1.8.0", "cu111"), {})


def test_a_repository_is_said_to_come_as_source(tmp_path: Path) -> None:
    lines = "torch\ngit+https://git.example/a/marching.git\ngit+https://git.example/a/torchmcubes.git\n"
    lines += "r3m @ https://git.example/b/r3m/archive/b23.tar.gz\nready @ https://a.example/ready-1-py3-none-any.whl\n"
    found = decided(tmp_path, {"requirements.txt": lines}, NO_CARD)
    [told] = [one.params["packages"] for one in found.remarks if one.key == "project.remark.as-source"]
    assert (told, "compiler" in codes(found)) == ("marching, r3m", True)


def test_what_another_maker_or_system_alone_has_is_left_out_and_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements/ascend.txt": "torch<2.10\ntorch-npu\n",
        "requirements/cuda.txt": "torch<=2.12.1\naccelerate\n",
    }
    found = decided(tmp_path / "npu", files, NO_CARD)
    assert build(found)[0] == "2.12.1"
    assert [one.name for one in found.understood.rest] == ["accelerate"]
    mac = {"requirements.txt": "torch==2.1.2\npyobjc-core==10.1\ntensorflow-macos==2.15.0\nuvloop\n"}
    assert without(decided(tmp_path / "mac", {**mac}, AMPERE)) == ("pyobjc-core", "tensorflow-macos")
    assert without(decided(tmp_path / "windows", {**mac}, ADA)) == ("pyobjc-core", "tensorflow-macos", "uvloop")


def test_nightly_builds_are_not_taken_and_that_is_said(tmp_path: Path) -> None:
    words = "--index-url https://download.pytorch.org/whl/nightly/cu128\ntorch\n"
    found = decided(tmp_path, {"requirements.txt": words}, BLACKWELL)
    assert build(found)[0] == decided(tmp_path / "n", {"requirements.txt": "torch\n"}, BLACKWELL).candidate.torch  # type: ignore[union-attr]
    assert "nightly" in codes(found)


def test_names_that_mean_another_package_and_what_is_built_with_one(tmp_path: Path) -> None:
    found = decided(tmp_path, {"reqs.txt": "torch\nsklearn==0.0\ntensorflow-gpu==2.4.0\n"}, AMPERE)
    assert [one.name for one in found.understood.rest] == ["scikit-learn", "tensorflow-gpu"]
    assert build(found)[2] == "3.8"
    assert "read-as" in codes(found)


def test_an_old_numpy_that_goes_with_the_torch_is_kept_to_its_patch(tmp_path: Path) -> None:
    for torch, numpy in (("2.0.1", "==1.21.6"), ("1.7.1", "==1.15.4")):
        found = decided(tmp_path / torch, {"requirements.txt": f"torch=={torch}\nnumpy{numpy}\n"}, AMPERE)
        assert found.numpy.startswith(numpy)
        assert relaxed(found) == {}


def test_torchaudio_says_which_torch_is_meant_where_none_is_named(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torchaudio==2.5.1+cu121\n"}, BLACKWELL)
    assert build(found)[0] == "2.7.1"
    assert relaxed(found)["torchaudio"][:2] == ("==2.5.1", "2.7.1")


def test_torch_comes_for_a_cuda_that_torchaudio_goes_with_and_else_it_is_told(tmp_path: Path) -> None:
    free = decided(tmp_path / "a", {"requirements.txt": "torch\ntorchaudio\n"}, BLACKWELL)
    assert build(free)[:2] == ("2.15.0", "cu130")
    assert free.candidate
    assert free.candidate.torchaudio == "2.11.0"
    index = "--index-url https://download.pytorch.org/whl/cu132\ntorch==2.15.0\ntorchaudio\n"
    firm = decided(tmp_path / "b", {"requirements.txt": index}, BLACKWELL)
    assert build(firm)[:2] == ("2.15.0", "cu132")
    assert relaxed(firm) == {"torchaudio": ("*", "–", "project.why.pair-not-made")}


def test_a_source_with_a_marker_holds_for_its_system_alone(tmp_path: Path) -> None:
    words = """[project]
dependencies = ["torch==2.2.1; sys_platform == 'linux'", "torchvision==0.17.1; sys_platform == 'linux'", "einops"]
[tool.uv.sources]
torch = { index = "cu", marker = "sys_platform == 'linux'" }
[[tool.uv.index]]
name = "cu"
url = "https://download.pytorch.org/whl/cu118"
"""
    assert build(decided(tmp_path, {"pyproject.toml": words}, AMPERE))[:2] == ("2.2.1", "cu118")
    found = decided(tmp_path, {"pyproject.toml": words}, ADA)
    assert (relaxed(found), build(found)[1]) == (
        {},
        build(decided(tmp_path / "b", {"a-requirements.txt": "torch\n"}, ADA))[1],
    )


def test_all_bounds_of_numpy_hold_together(tmp_path: Path) -> None:
    pyproject = '[project]\nname = "x"\ndependencies = ["numpy>=1.23.5,<2.0.0"]\n'
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nnumpy>=1.24.2\n", "pyproject.toml": pyproject}
    assert decided(tmp_path, files, AMPERE).numpy == ">=1.24.2,<2.0.0,>=1.23.5"
    files["requirements.txt"] = "torch\nnumpy==1.22.4\nnumpy>=1.21; python_version<'3.11'\n"
    found = decided(tmp_path, files, AMPERE)
    assert (found.numpy, found.relaxed) == ("==1.22.4,>=1.21", ())
    assert "contradiction" in codes(found)


def test_lines_of_one_package_that_hold_here_and_stand_against_each_other_are_told(tmp_path: Path) -> None:
    words = "torch\nscipy==1.10.1\nscipy>=1.12; sys_platform == 'linux'\npandas<2\npandas>2; python_version<'3.0'\n"
    found = decided(tmp_path, {"requirements.txt": words}, AMPERE)
    told = [one for one in found.remarks if one.key == "project.remark.contradiction"]
    assert [one.params["other"] for one in told] == ["scipy>=1.12"]


def test_two_lines_of_which_neither_is_kept_say_what_is_taken(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.0.1\n", "README.md": "`pip install torch==2.2.0`\n"}
    found = decided(tmp_path / "a", files, BLACKWELL)
    [said] = [one for one in found.remarks if ".contradiction" in one.key]
    assert (said.key.rpartition(".")[2], said.params["given"]) == ("contradiction-moved", build(found)[0])
    assert {"contradiction", "contradiction-moved"} & codes(decided(tmp_path / "b", files, AMPERE)) == {"contradiction"}


def test_torchvision_is_planned_where_only_a_package_needs_it(tmp_path: Path) -> None:
    for words, pairs in (
        ("torch==2.7.1\ntimm>=0.9\n", {"torchvision"}),
        ("torch==2.7.1\ntimm\ntorchvision==0.22.1\n", {"torchvision"}),
        ("torch==2.7.1\neinops\n", set()),
    ):
        asks = decided(tmp_path, {"requirements.txt": words}, NO_CARD).understood
        assert set(asks.pairs) == pairs, words
        assert [one.specifier for one in asks.pairs.get("torchvision", ())] in ([], [""], ["==0.22.1"]), words
        assert "torchvision" not in [one.name for one in asks.rest]


def test_where_one_file_pins_an_unknown_torch_the_known_one_of_another_counts(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==1.5.1+cu101\ntorchvision==0.6.1+cu101\ntqdm\n",
        "Dockerfile": "RUN pip install torch==1.8.2 torchvision==0.9.2\n",
    }
    found = decided(tmp_path, files, OLD_DRIVER)
    assert build(found)[0] == "1.8.1"
    assert [one.specifier for one in found.understood.torch] == ["==1.8.2"]
    [said] = [one.params for one in found.remarks if one.key == "project.remark.unknown-torch"]
    assert (said["file"], said["line"], said["other_file"], said["other"]) == (
        "requirements.txt",
        1,
        "Dockerfile",
        "torch==1.8.2",
    )
    assert not found.is_exact
    del files["Dockerfile"]
    assert "unknown-torch" not in codes(decided(tmp_path / "alone", files, OLD_DRIVER))


def test_no_bound_of_numpy_is_said_twice(tmp_path: Path) -> None:
    words = "torch==1.13.0\nnumpy>=1.23.2,<2\n"
    assert decided(tmp_path, {"requirements.txt": words}, OLD_DRIVER).numpy.count("<2") == 1


def test_a_release_older_than_the_tables_moves_for_what_the_oldest_of_them_lacks(tmp_path: Path) -> None:
    pinned: dict[str, str | bytes] = {"requirements.txt": "torch==1.6.0\n"}
    assert relaxed(decided(tmp_path / "a", pinned, BLACKWELL))["torch"][2] == "project.why.older"
    assert relaxed(decided(tmp_path / "b", pinned, NO_CARD))["torch"][2] == "project.why.unknown-release"
    for on, why in ((ADA, "project.why.translated"), (AMPERE, "reason.no-kernels-for-gpu")):
        [moved] = decided(tmp_path / "c", pinned, on).relaxed
        cause = moved.why.params["why"]
        assert (moved.given, moved.why.key) == ("1.7.1", "project.why.older-cuda")
        assert (moved.why.params["build"], getattr(cause, "key", "")) == ("1.7.0+cu102", why)
    assert relaxed(decided(tmp_path / "d", pinned, PASCAL))["torch"][2] == "project.why.unknown-release"


@pytest.mark.parametrize(
    ("files", "is_said"),
    [
        ({"requirements.txt": "timm\n", "Dockerfile": "FROM x\nRUN pip install torch torchvision\n"}, True),
        ({"requirements.txt": "timm\n", "README.md": "# t\n```\npip install torch\n```\n"}, False),
        ({"Dockerfile": "FROM x\nRUN pip install torch timm\n"}, False),
        ({"requirements.txt": "timm\n", "Dockerfile": "FROM x\nRUN pip install torch==2.3.1\n"}, False),
    ],
)
def test_that_no_list_asks_for_torch_is_said_beside_a_dockerfile(
    tmp_path: Path, files: dict[str, str | bytes], is_said: bool
) -> None:
    assert ("undeclared" in codes(decided(tmp_path, files, AMPERE))) == is_said


@pytest.mark.parametrize(
    ("line", "package", "torch"),
    [("torch==1.4.0", "torch", "1.7.0"), ("torchvision==0.15.2", "torchvision", "2.0.1")],
)
def test_the_reason_of_what_moves_is_the_cards(tmp_path: Path, line: str, package: str, torch: str) -> None:
    """One variant of that release was never published for Windows, and the others have no code for the card."""
    card = machine("windows", "12.0", "581.80")
    found = decided(tmp_path, {"requirements.txt": f"{line}\n"}, card)
    [moved] = [one for one in found.relaxed if one.name == package]
    why = text(moved.why, "en")
    assert f"torch {torch} holds no code for this card" in why
    assert "not published" not in why


def test_a_torch_of_a_commit_is_no_build_of_a_maker(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.1.0a0+git12345\n"}, NO_CARD)
    assert ([*relaxed(found)], "other-maker" in codes(found)) == (["torch"], False)
    found = decided(tmp_path / "maker", {"requirements.txt": "torch==2.4.0+rocm6.0\n"}, BLACKWELL)
    [said] = [text(one, "en") for one in found.remarks if one.key.endswith("other-maker")]
    torch, variant, _ = build(found)
    assert torch != "2.4.0"
    assert f"this platform has none, and torch {torch} is taken as {variant}." in said


def test_what_is_asked_of_torch_is_what_the_lines_for_this_python_ask(tmp_path: Path) -> None:
    lines = 'torch==2.3.1; python_version<"3.9"\ntorch==2.5.1; python_version>="3.9"\n'
    found = decided(tmp_path, {"requirements.txt": lines}, machine("windows", "12.0", "581.80"))
    [moved] = found.relaxed
    assert (moved.asked, [one.line for one in moved.origins]) == ("==2.5.1", [2])
    assert "2.3.1" not in text(moved.why, "en")


@pytest.mark.parametrize(
    ("files", "name", "file", "line"),
    [
        (
            {"pyproject.toml": "[project]\nname = 'x'\nrequires-python = '<3.9'\ndependencies = ['torch>=2.6']\n"},
            "torch",
            "pyproject.toml",
            3,
        ),
        ({"requirements.txt": "torch>=2.0,<2.2\ntorchvision>=0.17\n"}, "torchvision", "requirements.txt", 1),
    ],
)
def test_what_no_computer_can_satisfy_is_told_as_two_lines(
    tmp_path: Path, files: dict[str, str | bytes], name: str, file: str, line: int
) -> None:
    """The one that is not kept, and in its reason the one that stands against it."""
    [one] = [each for each in decided(tmp_path, files, AMPERE).relaxed if each.name == name]
    assert (one.why.params["file"], one.why.params["line"]) == (file, line)
    assert [at.line for at in one.origins] != [line]
