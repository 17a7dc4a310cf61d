"""Of a script's branches for one torch or one CUDA each, those for what is decided count, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.deciding import ADA, AMPERE, BLACKWELL, NO_CARD, build, codes, decided
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.machine.model import Machine
from wizard.project.decide import ProjectDecision, decide
from wizard.project.read import read_project

_SCRIPT = """conda install pytorch==2.4.0 torchvision==0.19.0 pytorch-cuda=11.8 -c pytorch -c nvidia
pip install pillow
case $PYTORCH_VERSION in
    2.1.0) pip install xformers==0.0.22.post7 --index-url https://download.pytorch.org/whl/cu121;;
    2.4.0) pip install xformers==0.0.27.post2 ;;
    *) echo "Unsupported" ;;
esac
case "${CUDA_MAJOR_VERSION}" in
    11) pip install spconv-cu118;;
    12) pip install spconv-cu120;;
esac
pip install einops
"""


def _told(found: ProjectDecision) -> dict[str, tuple[object, object]]:
    said = [one for one in found.remarks if one.key.startswith("project.remark.branch")]
    return {one.key.rpartition(".")[2]: (one.params["line"], one.params["packages"]) for one in said}


@pytest.mark.parametrize(
    ("on", "native", "told"),
    [
        (AMPERE, ["xformers", "spconv-cu118"], {"branch": (5, "xformers==0.0.27.post2, spconv-cu118")}),
        (BLACKWELL, ["spconv-cu120"], {"branch": (10, "spconv-cu120"), "branch-none": (4, "xformers")}),
        (NO_CARD, ["xformers"], {"branch": (5, "xformers==0.0.27.post2"), "branch-none": (9, "spconv")}),
    ],
)
def test_the_branch_of_what_is_decided_counts_and_no_other(
    tmp_path: Path, on: Machine, native: list[str], told: dict[str, tuple[int, str]]
) -> None:
    found = decided(tmp_path, {"setup.sh": _SCRIPT, "README.md": "`bash setup.sh`\n"}, on)
    assert ([one.name for one in found.understood.native], _told(found)) == (native, told)
    [more] = [one.params["packages"] for one in found.remarks if one.key.endswith("beside-taken")]
    assert more == "pillow, einops", "what is in no branch counts for all"


def test_a_script_that_is_opened_itself_takes_the_branch_and_keeps_its_cuda(tmp_path: Path) -> None:
    (tmp_path / "setup.sh").write_text(_SCRIPT, "utf-8")
    project = read_project(tmp_path / "setup.sh")
    found = decide(project, AMPERE, load_matrix(), Choices())
    assert build(found)[:2] == ("2.4.0", "cu118")
    assert [one.name for one in found.understood.rest] == ["pillow", "xformers", "spconv-cu118", "einops"]
    assert not {"branch", "branch-none", "contradiction"} & codes(found)


@pytest.mark.parametrize(
    ("condition", "is_taken"),
    [
        ('[ "$CUDA_VERSION" = "11.8" ]', True),
        ('[[ "$CUDA_VERSION" == "12.1" ]]', False),
        ('[ "$CUDA_VERSION" = "11.8" ] && [ "$TORCH_VERSION" = "2.1.0" ]', False),
        ('[ "$CUDA_VERSION" = "12.1" ] || [ -n "$FORCE" ]', True),
        ('[ "$XFORMERS" = true ]', True),
    ],
)
def test_a_condition_on_torch_or_its_cuda_is_a_branch_and_any_other_may_hold(
    tmp_path: Path, condition: str, is_taken: bool
) -> None:
    script = f"pip install torch==2.4.0+cu118\nif {condition} ; then\n    pip install xformers==0.0.27.post2\nfi\n"
    found = decided(tmp_path, {"setup.sh": script, "README.md": "`bash setup.sh`\n"}, ADA)
    assert [one.name for one in found.understood.native] == ["xformers"] * is_taken
    after = decided(tmp_path, {"setup.sh": f"{script}pip install spconv-cu118\n"}, ADA)
    assert [one.name for one in after.understood.native][-1] == "spconv-cu118", "behind fi nothing is asked"


def test_of_branches_on_one_line_each_has_its_own(tmp_path: Path) -> None:
    line = 'case $TORCH in 2.1|2.2) pip install xformers==0.0.23;; 2.4*) pip install "xformers==0.0.27.post2";; esac\n'
    found = decided(tmp_path, {"install.sh": f"pip install torch==2.4.0\n{line}"}, AMPERE)
    assert _told(found) == {"branch": (2, "xformers==0.0.27.post2")}
    both = decided(tmp_path, {"install.sh": f"pip install torch==2.2.0\n{line}"}, AMPERE)
    assert _told(both) == {"branch": (2, "xformers==0.0.23")}


@pytest.mark.parametrize(
    "script",
    [
        'if [[ "$OSTYPE" == "darwin"* ]]; then\n    export TORCH_COMMAND="pip install torch==1.12.1"\nfi\n{0}',
        'if [[ "$OSTYPE" == "darwin"* ]]; then export TORCH_COMMAND="pip install torch==1.12.1"; fi\n{0}',
        'case "$OSTYPE" in\ndarwin*)\n  TORCH_COMMAND="pip install torch==1.12.1"\n  ;;\nesac\n{0}',
    ],
)
def test_what_a_script_sets_for_a_mac_counts_nowhere_else(tmp_path: Path, script: str) -> None:
    after = 'if echo "$gpu" | grep -q AMD && [[ -z "${TORCH_COMMAND}" ]]\nthen\n  export A=1\nfi\npip install einops\n'
    files: dict[str, str | bytes] = {"install.sh": script.format(after), "requirements.txt": "torch\n"}
    found = decided(tmp_path, files, AMPERE)
    assert (build(found)[0], found.understood.torch) == ("2.14.1", ())
    assert "recommended" not in codes(found)


_OF_MAKERS = """conda install pytorch==2.4.0 pytorch-cuda=12.4 -c pytorch -c nvidia
case $PLATFORM in
    hip) pip install torch==2.4.1 --index-url https://download.example/whl/rocm6.1 ;;
esac
if [ "$PLATFORM" = "cuda" ] ; then
    pip install pillow flash-attn
elif [ "$PLATFORM" = "hip" ] ; then
    git clone https://github.example/ROCm/flash-attention.git && cd flash-attention && python setup.py install
    case $PYTORCH_VERSION in
        2.4.1\\+rocm6.1) pip install xformers==0.0.28 --index-url https://download.example/whl/rocm6.1 ;;
    esac
fi
"""


@pytest.mark.parametrize("on", [ADA, NO_CARD])
def test_a_branch_for_another_makers_cards_asks_for_nothing_here(tmp_path: Path, on: Machine) -> None:
    found = decided(tmp_path, {"setup.sh": _OF_MAKERS, "README.md": "`bash setup.sh`\n"}, on)
    assert build(found)[0] == "2.4.0", "xformers 0.0.28 goes with torch 2.4.1"
    assert not [one for one in found.understood.native if one.name == "xformers"]
    assert not [one for one in found.remarks if "rocm" in str(one.params).lower()]
