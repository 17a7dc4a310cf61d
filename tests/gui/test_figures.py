"""Numbers as people read them."""

from __future__ import annotations

import pytest

from wizard.gui.widgets import figures


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (8_500_000, "8.5 MB"),
        (885_300_000, "885 MB"),
        (999_600_000, "1 GB"),
        (1_240_000_000, "1.24 GB"),
        (81e9, "81 GB"),
        (16_641_020, "16.6 MB"),
        (2_904_394_012, "2.9 GB"),
        (3e12, "3000 GB"),
    ],
)
def test_bytes(count: float, text: str) -> None:
    assert figures.bytes_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.42, "0.4 s"), (9.96, "10 s"), (59.4, "59 s"), (61, "1 min"), (3700, "1 h 2 min")]
)
def test_seconds(seconds: float, text: str) -> None:
    assert figures.seconds_text(seconds) == text


def test_time_left_is_coarse() -> None:
    assert figures.left_text(43.2) == "Download: about 45 s left"
    assert figures.about_text(0.2) == "about 1 s"


@pytest.mark.parametrize(
    ("variant", "text"), [("cu126", "CUDA 12.6"), ("cu92", "CUDA 9.2"), ("cpu", "CPU"), ("xpu", "xpu")]
)
def test_variants(variant: str, text: str) -> None:
    assert figures.variant_text(variant) == text


def test_a_running_figure_keeps_its_decimals() -> None:
    """Else it jumps in width: 1.59, 1.6, 1.61."""
    running = [figures.part_text("%1 of %2", done, 2_900_000_000) for done in (1_594_000_000, 1_600_000_000)]
    assert running == ["1.59 of 2.90 GB", "1.60 of 2.90 GB"]
    assert figures.part_text("%1 of %2", 0, 2_900_000_000) == "0 B of 2.90 GB"
    assert figures.part_text("%1 of %2", 2_900_000_000, 2_900_000_000) == "2.90 GB"
    assert figures.part_text("%1 of %2", 2_897_000_000, 2_900_000_000) == "2.90 of 2.90 GB"
    assert figures.part_text("%1 of %2", 9_990_000_000, 12_000_000_000) == "9.99 of 12.0 GB", "three digits each"
    assert figures.part_text("%1 of %2", 600, 900) == "600 of 900 B"
