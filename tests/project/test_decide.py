"""What a project gets on a machine: kept where it runs, else the smallest step away, each with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_read import project_of
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Driver, Gpu, Machine
from wizard.model.capability import ComputeCapability
from wizard.model.messages import LANGUAGES, text
from wizard.project.companions import companion, torch_of
from wizard.project.decide import ProjectDecision, decide


def machine(os: str, capability: str = "", driver: str = "") -> Machine:
    cards = (Gpu("nvidia", "card", None, ComputeCapability.parse(capability)),) if capability else ()
    return Machine(os, "x86_64", "2.35" if os == "linux" else None, Driver(driver) if driver else None, cards)


ANY = Choices()
BLACKWELL = machine("linux", "12.0", "580.126.09")
PASCAL = machine("windows", "6.1", "552.44")
ADA = machine("windows", "8.9", "576.88")
AMPERE = machine("linux", "8.0", "535.288.01")
NO_CARD = machine("linux")
OLD_DRIVER = machine("linux", "8.6", "470.256.02")


def decided(folder: Path, files: dict[str, str | bytes], on: Machine, choices: Choices = ANY) -> ProjectDecision:
    found = decide(project_of(folder, files), on, load_matrix(), choices)
    said = [*found.remarks, *(one.why for one in found.relaxed)]
    assert all(text(words, language) for words in said for language in LANGUAGES)
    return found


def build(found: ProjectDecision) -> tuple[str, str, str | None]:
    assert found.candidate
    return found.candidate.torch, found.candidate.variant, found.python


def without(found: ProjectDecision) -> tuple[str, ...]:
    return tuple(one.name for one in found.left_out)


def relaxed(found: ProjectDecision) -> dict[str, tuple[str, str, str]]:
    return {one.name: (one.asked, one.given, one.why.key) for one in found.relaxed}


def codes(found: ProjectDecision) -> set[str]:
    return {remark.key.rpartition(".")[2] for remark in found.remarks}


PINNED: dict[str, str | bytes] = {
    "requirements.txt": "--extra-index-url https://download.pytorch.org/whl/cu117\ntorch==1.13.1+cu117\n"
    "torchvision==0.14.1+cu117\ntorch-scatter==2.1.0+pt113cu117\neinops\n"
}


def test_a_pin_that_runs_is_kept_with_its_cuda(tmp_path: Path) -> None:
    found = decided(tmp_path, PINNED, AMPERE)
    assert build(found) == ("1.13.1", "cu117", "3.11")
    assert found.relaxed == ()
    assert found.numpy == "<2"
    assert [one.name for one in found.understood.rest] == ["torch-scatter", "einops"]


def test_a_pin_without_code_for_the_card_moves_by_the_smallest_step_with_what_hangs_on_it(tmp_path: Path) -> None:
    found = decided(tmp_path, PINNED, BLACKWELL)
    assert build(found) == ("2.7.1", "cu128", "3.12")
    assert relaxed(found) == {
        "torch": ("==1.13.1", "2.7.1", "reason.no-kernels-for-gpu"),
        "cuda": ("cu117", "cu128", "project.why.cuda"),
        "torchvision": ("==0.14.1", "0.22.1", "project.why.pair"),
        "torch-scatter": ("==2.1.0", "torch 2.7.1", "project.why.with-torch"),
    }
    assert [origin.line for one in found.relaxed for origin in one.origins] == [2, 2, 3, 4]


def test_torch_and_python_move_where_both_are_impossible(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - python=3.8.5\n  - pytorch=1.12.1\n"}
    found = decided(tmp_path, files, BLACKWELL)
    assert build(found)[0] == "2.7.1"
    assert build(found)[2] == "3.9"
    assert set(relaxed(found)) == {"torch", "python"}


def test_a_range_gets_the_newest_that_fits_the_driver(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.0\n"}
    assert build(decided(tmp_path, files, OLD_DRIVER))[:2] == ("2.7.1", "cu118")
    assert decided(tmp_path, files, OLD_DRIVER).relaxed == ()


def test_only_the_index_moves_where_torch_need_not(tmp_path: Path) -> None:
    words = '[project]\ndependencies = ["torch==2.8.0"]\n[[tool.uv.index]]\nurl = "https://download.pytorch.org/whl/cu128"\n'
    found = decided(tmp_path, {"pyproject.toml": words}, machine("linux", "6.1", "580.65"))
    assert build(found)[:2] == ("2.8.0", "cu126")
    assert set(relaxed(found)) == {"cuda"}


def test_without_a_card_the_cpu_build_and_no_card_packages(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.3.1+cu121\nxformers==0.0.27\nflash-attn\n"}
    found = decided(tmp_path, files, NO_CARD)
    assert build(found)[:2] == ("2.3.1", "cpu")
    assert relaxed(found)["cuda"] == ("cu121", "cpu", "project.why.no-gpu")
    assert without(found) == ("xformers", "flash-attn")


def test_windows_has_triton_under_another_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.6.0\ntriton==3.2.0\nflash-attn>=2.7\n"}
    found = decided(tmp_path, files, ADA)
    assert relaxed(found) == {"triton": ("==3.2.0", "triton-windows", "project.why.triton")}
    files = {"requirements.txt": "torch==2.6.0\ntriton>=2 ; sys_platform == 'linux'\n"}
    assert relaxed(decided(tmp_path, files, ADA)) == {}, "a line for another system moves nothing"
    assert without(found) == ("flash-attn",)


def test_what_is_left_out_is_not_also_said_to_move_with_torch(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==9.9.9\nflash-attn==2.7.4\n"}
    found = decided(tmp_path, files, ADA)
    assert without(found) == ("flash-attn",)
    assert set(relaxed(found)) == {"torch"}
    assert set(relaxed(decided(tmp_path, files, AMPERE))) == {"torch", "flash-attn"}


def test_the_names_of_wheels_imply_torch_and_python(tmp_path: Path) -> None:
    wheel = "https://files.example/flash_attn-2.8.3+cu128torch2.9.0-cp313-cp313-win_amd64.whl"
    assert build(decided(tmp_path, {"requirements.txt": f"torch\n{wheel}\n"}, ADA)) == ("2.9.1", "cu128", "3.13")


@pytest.mark.parametrize(("made_with", "expected"), [("cu128", "cu128"), ("cu12", "cu128"), ("cu13", "cu130")])
def test_a_wheel_implies_its_cuda_where_torch_is_not_named(tmp_path: Path, made_with: str, expected: str) -> None:
    wheel = f"https://files.example/flash_attn-2.8.3+{made_with}torch2.9.0cxx11abiTRUE-cp313-cp313-linux_x86_64.whl"
    found = decided(tmp_path, {"requirements.txt": f"flash-attn @ {wheel}\neinops\n"}, BLACKWELL)
    assert build(found) == ("2.9.1", expected, "3.13")
    assert "implied" in codes(found)
    assert not codes(found) & {"undeclared", "newer", "newer-none"}, "the line itself is a ready wheel"
    assert found.relaxed == ()


def test_xformers_implies_its_torch(tmp_path: Path) -> None:
    assert torch_of("xformers", "0.0.28.post3") == "2.5.1"
    assert build(decided(tmp_path, {"requirements.txt": "torch\nxformers==0.0.28.post3\n"}, AMPERE))[0] == "2.5.1"


def test_the_persons_python_gives_way_only_for_more(tmp_path: Path) -> None:
    wish = Choices(python="3.13")
    found = decided(tmp_path / "a", {"requirements.txt": "torch==2.3.1\n"}, ADA, wish)
    assert (build(found), set(relaxed(found))) == (("2.6.0", "cu126", "3.13"), {"torch"})
    both: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - python=3.8\n  - pytorch=1.12.1\n"}
    found = decided(tmp_path / "b", both, ADA, wish)
    assert (build(found), set(relaxed(found))) == (("1.12.1", "cu116", "3.8"), {"python"})


def test_a_lock_is_kept_where_it_runs_and_said(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pyproject.toml": '[project]\ndependencies = ["torch>=2.2"]\n',
        "uv.lock": '[[package]]\nname = "torch"\nversion = "2.5.1"\n',
    }
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0] == "2.5.1"
    assert "locked" in codes(found)
    assert "lock-left" in codes(decided(tmp_path, files, BLACKWELL))


def test_the_cuda_of_a_lock_is_kept_where_it_runs(tmp_path: Path) -> None:
    locked = 'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "2.8.0+cu128"\n'
    for on in (BLACKWELL, AMPERE, ADA):
        found = decided(tmp_path, {"pylock.toml": locked}, on)
        assert build(found)[:2] == ("2.8.0", "cu128")
        assert found.relaxed == ()


def test_a_readme_counts_where_nothing_is_declared_and_its_lines_are_alternatives(tmp_path: Path) -> None:
    readme = "pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118\npip install torch==2.7.1\n"
    found = decided(tmp_path / "a", {"README.md": readme, "requirements.txt": "einops\n"}, BLACKWELL)
    assert build(found)[:2] == ("2.7.1", "cu128")
    assert "recommended" in codes(found)
    declared: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "torch==2.4.1\n"}
    assert build(decided(tmp_path / "b", declared, AMPERE))[0] == "2.4.1"


def test_files_for_other_computers_are_left_out(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements_windows.txt": "torch==2.5.1\n",
        "requirements_linux.txt": "torch==2.6.0\n",
        "requirements_rocm.txt": "torch==2.3.0\n",
    }
    found = decided(tmp_path / "a", files, AMPERE)
    assert build(found)[0] == "2.6.0"
    assert build(decided(tmp_path / "a", files, ADA))[0] == "2.5.1"
    only: dict[str, str | bytes] = {"requirements_windows.txt": "torch==2.5.1\n", "requirements.txt": "einops\n"}
    found = decided(tmp_path / "b", only, AMPERE)
    assert (build(found)[0], "other-system" in codes(found)) == ("2.5.1", True)


def test_an_index_of_a_file_for_another_system_makes_nobody_take_the_cpu_build(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "einops\n",
        "requirements_macOS.txt": "--extra-index-url https://download.pytorch.org/whl/cpu\ntorch==2.3.0\n",
        "README.md": "pip install torch==1.10.1+cu111 torchvision==0.11.2 -f https://download.pytorch.org/whl/cu111\n"
        "pip install torch==2.3.0 torchvision==0.18.0 --index-url https://download.pytorch.org/whl/cu118\n",
    }
    found = decided(tmp_path, files, ADA)
    assert build(found)[:2] == ("2.3.0", "cu118")
    assert found.relaxed == ()  # torchvision 0.18.0 is one of the two that are told


def test_an_index_gives_way_to_the_pin_that_names_its_cuda(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.10.0+cu128 ; platform_machine == 'x86_64'\n"
        "torch==2.10.0+cu130 ; platform_machine == 'aarch64'\n",
        "pyproject.toml": '[[tool.uv.index]]\nname = "a"\nurl = "https://download.pytorch.org/whl/cu130"\n',
    }
    found = decided(tmp_path, files, BLACKWELL)
    assert (build(found)[:2], found.relaxed) == (("2.10.0", "cu128"), ())


def test_a_recommended_line_means_its_torch_and_its_cuda_together(tmp_path: Path) -> None:
    readme = "pip install torch==2.4.0 --index-url https://download.pytorch.org/whl/cu121\n"
    readme += "pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124\n"
    files: dict[str, str | bytes] = {"README.md": readme, "requirements.txt": "xformers==0.0.27.post2\n"}
    assert build(decided(tmp_path, files, AMPERE))[:2] == ("2.4.0", "cu121")


def test_torch_of_one_folder_below_is_read_and_of_several_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements-dev.txt": "ruff\n",
        "speech/pyproject.toml": '[project]\nrequires-python = ">=3.10"\ndependencies = ["torch>=2.2,<2.10"]\n',
        "speech_mlx/pyproject.toml": '[project]\ndependencies = ["mlx"]\n',
    }
    found = decided(tmp_path / "a", files, ADA)
    assert (build(found)[0], "torch-below" in codes(found)) == ("2.9.1", True)
    assert "undeclared" not in codes(found)
    assert [one.name for one in found.understood.rest] == ["ruff"]
    found = decided(tmp_path / "b", {**files, "train/requirements.txt": "torch==2.1.0\n"}, ADA)
    assert {"torch-in-parts", "undeclared"} <= codes(found)
    assert any("speech, train" in text(remark, "en") for remark in found.remarks)
    found = decided(tmp_path / "c", {"requirements.txt": "torch\n", "train/requirements.txt": "torch==2.1.0\n"}, ADA)
    assert (build(found)[0], codes(found) & {"torch-below", "torch-in-parts"}) == ("2.14.1", set())


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


def test_wheels_that_end_before_the_torch_are_told_with_the_nearest(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nmmcv\ntorchtext\nflash-attn\ntorch-scatter\n"}
    told = {
        remark.params["name"]: remark.params.get("nearest")
        for remark in decided(tmp_path, files, BLACKWELL).remarks
        if remark.key.startswith("project.native.newer")
    }
    assert told == {"mmcv": None, "torchtext": None, "flash-attn": "2.8.0", "torch-scatter": "2.12.1"}
    kept = decided(tmp_path, {"requirements.txt": "torch==2.4.1\nmmcv\nflash-attn\ntorch-scatter\n"}, AMPERE)
    assert not {"newer", "newer-none"} & codes(kept)


def test_a_system_that_has_the_wheels_that_others_lack(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ndeepspeed\nbitsandbytes\nsageattention\ngsplat\n"}
    assert {"compiler", "no-wheel"}.isdisjoint(codes(decided(tmp_path, files, ADA)))
    assert "compiler" in codes(decided(tmp_path, files, BLACKWELL))
    assert without(decided(tmp_path, files, NO_CARD)) == ("sageattention", "gsplat")


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


def test_packages_that_choose_their_torch_are_named(tmp_path: Path) -> None:
    assert "chooses-torch" in codes(decided(tmp_path, {"requirements.txt": "torch\nvllm\n"}, BLACKWELL))
    for words in ("torch==2.9.0\nvllm\n", "torch\nbitsandbytes\n"):
        assert "chooses-torch" not in codes(decided(tmp_path, {"requirements.txt": words}, BLACKWELL))


def test_what_was_chosen_by_hand_is_the_reason(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.1.2\n"}, NO_CARD, Choices(torch="2.13.0"))
    assert relaxed(found)["torch"] == ("==2.1.2", "2.13.0", "project.why.by-hand")


def test_pins_outside_the_tables_and_of_other_makers(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"requirements.txt": "torch==1.6.0\n"}, AMPERE)
    assert build(found)[0] == "1.7.1"
    assert relaxed(found)["torch"][2] == "project.why.unknown-release"
    found = decided(tmp_path / "b", {"requirements.txt": "torch==2.7.1+xpu\n"}, AMPERE)
    assert (build(found)[0], "other-maker" in codes(found)) == ("2.7.1", True)


def test_a_cpu_pin_is_kept_and_said(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.1.0+cpu\n"}, AMPERE)
    assert build(found)[:2] == ("2.1.0", "cpu")
    assert "cpu-asked" in codes(found)


def test_exports_lose_their_paths_and_parts(tmp_path: Path) -> None:
    words = "torch==2.3.1\nattrs @ file:///croot/attrs_1/work\nnvidia-cublas-cu12==12.1.3.1\n"
    found = decided(tmp_path, {"requirements.txt": words}, AMPERE)
    assert {"file-paths", "nvidia-parts"} <= codes(found)
    assert [one.name for one in found.understood.rest] == ["attrs"]


def test_companions_are_known_by_their_patterns() -> None:
    assert [row.name for name in ("dgl-cuda10-2", "cupy-cuda11x", "mmcv-full") if (row := companion(name))] == [
        "dgl",
        "cupy-cuda12x",
        "mmcv",
    ]
    assert companion("einops") is None


def test_a_comment_is_a_hint_where_torch_is_not_asked_for(tmp_path: Path) -> None:
    assert "commented" in codes(decided(tmp_path / "a", {"requirements.txt": "# torch==2.1.0\neinops\n"}, AMPERE))
    found = decided(tmp_path / "b", {"requirements.txt": "# torch==2.1.0\ntorch\n"}, AMPERE)
    assert {"commented", "undeclared"} & codes(found) == set()


def test_a_host_that_nobody_knows_is_named_once(tmp_path: Path) -> None:
    words = "--extra-index-url https://wheels.stranger.invalid/simple\n-f https://wheels.stranger.invalid/more\ntorch\n"
    words += "-f https://data.pyg.org/whl/torch-2.6.0+cu124.html\n--index-url https://[bad\n"
    project = project_of(tmp_path, {"requirements.txt": words})
    found = decide(project, AMPERE, load_matrix(), ANY, lambda url: True)
    said = [text(one, "en") for one in found.remarks if one.key.endswith("foreign-index")]
    assert len(said) == 1
    assert "requirements.txt, line 1" in said[0]
    assert "wheels.stranger.invalid" in said[0]


def test_markers_count_for_the_python_that_is_taken(tmp_path: Path) -> None:
    words = "torch==1.13.1; python_version < '3.9'\ntorch==2.4.1; python_version >= '3.9'\n"
    words += "torch==9; sys_platform=='win32'\n"
    files: dict[str, str | bytes] = {"requirements.txt": words}
    assert build(decided(tmp_path / "a", files, AMPERE)) == ("2.4.1", "cu124", "3.12")
    old = {**files, "environment.yml": "dependencies:\n  - python=3.8\n"}
    found = decided(tmp_path / "b", old, AMPERE)
    assert (build(found)[0], build(found)[2], found.relaxed) == ("1.13.1", "3.8", ())
    assert "contradiction" not in codes(found)


def test_a_cuda_that_a_release_never_had_becomes_the_nearest(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.6.0+cu121\n"}, ADA)
    assert build(found)[:2] == ("2.6.0", "cu124")
    assert relaxed(found) == {"cuda": ("cu121", "cu124", "reason.not-published")}


def test_the_cuda_of_a_pixi_system_is_no_package(tmp_path: Path) -> None:
    words = '[dependencies]\npytorch = "*"\neinops = "*"\n[system-requirements]\ncuda = "12"\n'
    assert [one.name for one in decided(tmp_path, {"pixi.toml": words}, AMPERE).understood.rest] == ["einops"]


def test_a_line_for_another_python_moves_nothing(tmp_path: Path) -> None:
    lines = "torch>=2.0\nnumpy<=1.26.4; python_version<='3.9'\n"
    found = decided(tmp_path, {"requirements.txt": lines}, AMPERE)
    assert found.numpy == ""
    assert "numpy" not in relaxed(found)


def test_a_package_that_has_its_cuda_in_its_name_moves_with_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - pytorch>=2\n  - dgl-cuda11.3\n"}
    assert relaxed(decided(tmp_path, files, BLACKWELL))["dgl-cuda11-3"] == (
        "dgl-cuda11-3",
        "dgl (cu132)",
        "project.why.cuda-in-name",
    )
    assert relaxed(decided(tmp_path, files, NO_CARD))["dgl-cuda11-3"][1] == "dgl (cpu)"
    pinned: dict[str, str | bytes] = {"environment.yml": "dependencies:\n  - pytorch=1.12.1\n  - dgl-cuda11.3=0.9\n"}
    assert "dgl-cuda11-3" not in relaxed(decided(tmp_path / "b", pinned, AMPERE))


def test_the_parts_of_pyg_that_conda_names(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pixi.toml": '[dependencies]\npytorch = "2.2.*"\npytorch-scatter = { version = "*", channel = "pyg" }\n',
        "environment.yml": "dependencies:\n  - pyg=2.5\n",
    }
    found = decided(tmp_path, files, AMPERE)
    assert [native.name for native in found.understood.native] == ["torch-geometric", "torch-scatter"]


def test_the_files_of_a_folder_for_requirements_are_taken_by_that(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements/win-linux-cuda.txt": "torch==2.3.1\neinops\n",
        "requirements/linux-rocm.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.1\ntorch==2.3.0\n",
        "requirements/mac-mps.txt": "torch==2.2.0\n",
    }
    found = decided(tmp_path / "a", files, ADA)
    assert (build(found)[0], [one.name for one in found.understood.rest]) == ("2.3.1", ["einops"])
    beside: dict[str, str | bytes] = {**files, "requirements.txt": "torch==2.5.1\n"}
    assert build(decided(tmp_path / "b", beside, ADA))[0] == "2.5.1"


@pytest.mark.parametrize("maker", ["maca", "camb", "ascend"])
def test_files_for_the_cards_of_other_makers_bound_nothing(tmp_path: Path, maker: str) -> None:
    files: dict[str, str | bytes] = {
        "requirements_cuda.txt": "torch<=2.12.1\n",
        f"requirements_{maker}.txt": "torch<2.7\n",
    }
    assert build(decided(tmp_path, files, BLACKWELL))[0] == "2.12.1"


def test_a_line_for_the_pythons_that_are_asked_is_what_torch_is_near_to(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": 'torch==2.1.0 ; python_version >= "3.10"\n',
        "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.1.0"\n',
    }
    assert build(decided(tmp_path, files, BLACKWELL))[0] == "2.7.1"
