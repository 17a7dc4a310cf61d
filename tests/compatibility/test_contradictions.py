"""Where sources contradict each other, the data have decided: each case here has its reason in matrices/README.md."""

from __future__ import annotations

import pytest

from wizard.compatibility.data.load import load_matrix
from wizard.system.paths import matrices_dir

MATRIX = load_matrix(matrices_dir())


def pythons(torch: str, variant: str, platform: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    build = MATRIX.build(torch, variant, platform)
    assert build
    return build.pythons, build.experimental_pythons


@pytest.mark.parametrize("torch", ["2.2.0", "2.2.1", "2.2.2"])
@pytest.mark.parametrize("platform", ["linux_x86_64", "win_amd64", "linux_aarch64"])
def test_python_3_12_begins_with_2_2_as_an_experiment(torch: str, platform: str) -> None:
    default = next(
        build for build in MATRIX.builds if build.torch == torch and build.platform == platform and build.pypi_default
    )
    assert (default.pythons[-1], default.experimental_pythons) == ("3.11", ("3.12",))


@pytest.mark.parametrize(
    ("torch", "torchvision", "torchaudio"),
    [
        ("2.0.0", "0.15.1", "2.0.1"),  # 0.15.0 and 2.0.0 are withdrawn
        ("1.10.0", "0.11.1", "0.10.0"),  # 0.11.0 is withdrawn
        ("2.0.1", "0.15.2", "2.0.2"),
        ("1.10.2", "0.11.3", "0.10.2"),
        ("1.7.0", "0.8.1", "0.7.0"),
    ],
)
def test_pairs_that_lists_on_the_web_have_wrong_or_lack(torch: str, torchvision: str, torchaudio: str) -> None:
    release = MATRIX.releases[torch]
    assert (release.torchvision, release.torchaudio) == (torchvision, torchaudio)


@pytest.mark.parametrize(
    ("torch", "variant"),
    [
        ("1.7.0", "cu92"),
        ("1.7.1", "cu92"),
        ("1.8.0", "cu101"),
        ("1.8.1", "cu101"),
        ("1.10.0", "cu111"),
        ("1.10.1", "cu111"),
        ("1.11.0", "cu115"),
        ("1.10.2", "cu113"),
    ],
)
def test_builds_that_lists_on_the_web_lack(torch: str, variant: str) -> None:
    assert MATRIX.build(torch, variant, "linux_x86_64")


@pytest.mark.parametrize("torch", ["1.11.0", "1.12.0", "1.12.1"])
def test_cu102_is_for_linux_only_in_the_end(torch: str) -> None:
    assert MATRIX.build(torch, "cu102", "linux_x86_64")
    assert MATRIX.build(torch, "cu102", "win_amd64") is None


def test_python_3_11_for_1_13_on_linux_and_the_first_3_13_wheels() -> None:
    assert "3.11" in sum(pythons("1.13.1", "cu117", "linux_x86_64"), ())
    stable, experimental = pythons("2.5.1", "cu124", "linux_x86_64")
    assert ("3.13" in stable, "3.13" in experimental) == (False, True)
    assert "3.13" not in sum(pythons("2.5.1", "cu124", "win_amd64"), ())


def test_the_readme_gives_the_reasons() -> None:
    text = (matrices_dir() / "README.md").read_text(encoding="utf-8")
    for word in ("0.15.0", "0.11.0", "cu92", "cu115", "cu102", "3.13", "cu134"):
        assert word in text.partition("## Where sources contradict")[2], word
