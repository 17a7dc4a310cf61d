"""That what moves, or is dropped, is said with its own reason: CUDA without a card, pages of wheels, pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, PASCAL, build, codes, decided, relaxed, without
from wizard.model.messages import text


def test_a_cpu_line_of_a_readme_hides_no_dropped_cuda(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "torch==2.2.2+cu121\n",
        "README.md": "pip install torch==2.2.2+cpu\n",
    }
    assert relaxed(decided(tmp_path, files, NO_CARD))["cuda"][1] == "cpu"
    assert relaxed(decided(tmp_path, files, AMPERE)) == {}


def test_an_open_cuda_is_said_to_be_dropped_without_a_card(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"environment.yml": "dependencies:\n- pytorch\n- pytorch-cuda >= 11.7\n"}
    assert relaxed(decided(tmp_path, files, NO_CARD))["cuda"][:2] == ("cuda", "cpu")
    for on in (BLACKWELL, AMPERE):
        found = decided(tmp_path, files, on)
        assert (found.relaxed, codes(found) & {"other-maker", "cpu-asked"}) == ((), set())


def test_the_page_of_wheels_moves_with_torch_and_is_named(tmp_path: Path) -> None:
    page = "https://data.pyg.org/whl/torch-2.0.1+cu117.html"
    files: dict[str, str | bytes] = {"requirements.txt": f"-f {page}\ntorch==2.0.1\ntorch-scatter\ntorch-sparse\n"}
    moved = relaxed(decided(tmp_path, files, BLACKWELL))
    assert moved["torch-scatter"][0] == page
    assert "torch-sparse" not in moved
    assert "torch-scatter" not in relaxed(decided(tmp_path, files, AMPERE))


def test_why_a_torchvision_moves_is_the_reason_against_its_torch(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.6,<3\ntorchvision>=0.21,<0.22\n"}
    found = decided(tmp_path, files, BLACKWELL)
    assert list(relaxed(found)) == ["torchvision"]
    [why] = [text(one.why) for one in found.relaxed]
    assert "goes with torch 2.6.0 alone; that one: " in why
    assert relaxed(decided(tmp_path, files, AMPERE)) == {}


def test_a_linked_wheel_that_is_made_for_the_plan_is_ready(tmp_path: Path) -> None:
    wheel = "https://git.example/a/flash_attn-2.8.2+cu128torch2.7.1cxx11abiFALSE-cp311-cp311-win_amd64.whl"
    words = "torch==2.7.1+cu128\n{}; sys_platform == 'win32'\n"
    files: dict[str, str | bytes] = {"requirements.txt": words.format(f"flash-attn @ {wheel} ")}
    found = decided(tmp_path, files, ADA)
    assert (build(found), without(found)) == (("2.7.1", "cu128", "3.11"), ())
    linux = wheel.replace("win_amd64", "linux_x86_64")
    other: dict[str, str | bytes] = {"requirements.txt": words.format(f"flash-attn @ {linux} ")}
    assert without(decided(tmp_path, other, ADA)) == ("flash-attn",)


@pytest.mark.parametrize(
    ("line", "key", "nearest"),
    [
        ("flash-attn", "elsewhere-nearest", ("2.13.0", "cu126")),
        ("flash-attn==2.8.2", "elsewhere-nearest", ("2.8.0", "cu128")),
        ("torch==2.11.0\nflash-attn", "elsewhere", None),
        ("flash-attn==2.3.0", "elsewhere-none", None),
        ("mamba-ssm", "torch-unknown", None),
    ],
)
def test_where_others_have_a_wheel_for_windows_the_nearest_torch_is_named(
    tmp_path: Path, line: str, key: str, nearest: tuple[str, str] | None
) -> None:
    """Its makers have none there; for Linux the nearest torch was named alone."""
    found = decided(tmp_path, {"requirements.txt": f"{line}\n"}, ADA)
    [told] = [one for one in found.remarks if one.key.rpartition(".")[2].startswith(("elsewhere", "torch-unknown"))]
    assert told.key == f"project.native.{key}"
    assert not nearest or (told.params["nearest"], told.params["variant"]) == nearest
    assert without(found) == (line.rpartition("\n")[2].partition("=")[0],)
    assert not {"elsewhere", "torch-unknown"} & codes(decided(tmp_path, {"requirements.txt": f"{line}\n"}, AMPERE))


def test_a_torch_that_only_a_page_of_wheels_names_moves_as_a_recommended_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "einops\n",
        "README.md": "pip install torch-scatter -f https://data.pyg.org/whl/torch-1.13.0+cu117.html\n",
    }
    found = decided(tmp_path, files, BLACKWELL)
    assert relaxed(found)["torch"][:2] == ("==1.13.*", "2.7.1")
    assert not codes(found) & {"undeclared", "newer"}
    assert build(decided(tmp_path, files, AMPERE))[0] == "1.13.1"


def test_what_is_declared_and_has_wheels_up_to_a_torch_decides_an_open_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "flash-attn>=2.0\n"}
    found = decided(tmp_path, files, BLACKWELL)
    assert (build(found)[0], codes(found) & {"implied", "undeclared"}) == ("2.8.0", {"implied"})
    extra = "[project]\nname = 'a'\ndependencies = ['torch']\n[project.optional-dependencies]\nfast = ['flash-attn']\n"
    assert build(decided(tmp_path / "extra", {"pyproject.toml": extra}, BLACKWELL))[0] != "2.8.0"
    old_card = build(decided(tmp_path / "old", files, PASCAL))[0]
    assert old_card != "2.8.0", "there it is left out, and decides nothing"


def test_a_pair_of_an_image_that_becomes_another_patch_is_named_with_its_line(tmp_path: Path) -> None:
    image = "FROM python:3.10\nRUN pip install torch==2.0.0 torchaudio==2.0.0\n"
    found = decided(tmp_path / "image", {"requirements.txt": "tqdm\n", "Dockerfile": image}, AMPERE)
    assert relaxed(found)["torchaudio"][:2] == ("==2.0.0", "2.0.1")
    assert [str(at) for one in found.relaxed for at in one.origins] == ["Dockerfile:2"]
    readme = "# t\n```\npip install torch==2.0.0 torchaudio==2.0.0\n```\n"
    assert not relaxed(decided(tmp_path / "readme", {"requirements.txt": "tqdm\n", "README.md": readme}, AMPERE))
    files: dict[str, str | bytes] = {"requirements.txt": "tqdm\n", "README.md": readme.replace("0.0\n", "0.1\n")}
    assert not relaxed(decided(tmp_path / "both", {**files, "Dockerfile": image}, AMPERE))


def test_the_torch_of_a_torchvision_that_a_readme_installs_has_not_moved(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "# net\n```\npip install torchvision==0.8.2\n```\n",
        "Dockerfile": "FROM pytorch/pytorch:1.6.0-cuda10.1-cudnn7-devel\n",
        "requirements.txt": "matplotlib\n",
    }
    found = decided(tmp_path / "old", files, PASCAL)
    assert (build(found)[0], relaxed(found)) == ("1.7.1", {})
    assert relaxed(decided(tmp_path / "new", files, BLACKWELL))["torch"][0] == "==1.7.1, ==1.6.0"
    files["Dockerfile"] = "FROM pytorch/pytorch:1.8.0-cuda11.1-cudnn8-devel\n"
    assert build(decided(tmp_path / "known", files, PASCAL))[0] == "1.8.0"
