"""Numbers for people: bytes, speed, time. Decimal units, as disks and networks are sold."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from wizard.model.messages import bytes_text


def exact_bytes_text(count: int) -> str:
    return QCoreApplication.translate("Figures", "%1 bytes").replace("%1", f"{count:,}")


def rate_text(per_second: float) -> str:
    return f"{bytes_text(per_second)}/s"


def seconds_text(seconds: float) -> str:
    """Return a time as words: 4.2 s, 12 s, 3 min or 1 h 20 min."""
    if seconds < 59.5:
        words = f"{seconds:.1f}" if seconds < 9.95 else f"{seconds:.0f}"
        return QCoreApplication.translate("Figures", "%1 s").replace("%1", words)
    minutes = round(seconds / 60)
    if minutes < 60:
        return QCoreApplication.translate("Figures", "%1 min").replace("%1", str(minutes))
    words = QCoreApplication.translate("Figures", "%1 h %2 min")
    return words.replace("%1", str(minutes // 60)).replace("%2", str(minutes % 60))


def left_text(seconds: float) -> str:
    """Time left of the download, coarser the longer it is: nobody believes seconds of an hour. The bar beside it is of
    the whole setup."""
    if seconds < 1:
        return QCoreApplication.translate("Figures", "Download almost done")
    coarse = seconds if seconds < 20 else round(seconds / 5) * 5
    return QCoreApplication.translate("Figures", "Download: about %1 left").replace(
        "%1", seconds_text(round(coarse)).replace(".0", "")
    )


def about_text(seconds: float) -> str:
    """How long something will take: at least 1 s, in steps of 5 s below ten minutes, then in minutes."""
    coarse = max(1, round(seconds)) if seconds < 20 else round(seconds / 5) * 5
    if 60 <= coarse < 600 and coarse % 60:
        words = QCoreApplication.translate("Figures", "%1 min %2 s")
        words = words.replace("%1", str(coarse // 60)).replace("%2", str(coarse % 60))
    else:
        words = seconds_text(coarse).replace(".0", "")
    return QCoreApplication.translate("Figures", "about %1").replace("%1", words)


def build_text(build: str) -> str:
    """`2.14.1+cu126` as people say it, after the name of torch."""
    torch, _, variant = build.partition("+")
    return f"torch {torch} + {variant_text(variant)}" if variant else f"torch {torch}"


def variant_text(variant: str) -> str:
    """`cu126` as people say it."""
    if variant == "cpu":
        return QCoreApplication.translate("Figures", "CPU")
    digits = variant.removeprefix("cu")
    return f"CUDA {digits[:-1]}.{digits[-1]}" if digits.isdigit() and len(digits) > 1 else variant


def part_text(words: str, done: int, total: int) -> str:
    """Put both into the words: `1.60 of 2.90 GB`, the unit once where both have the same; all of it:
    `12.3 MB`. Both have as many digits: `2.90 of 2.9 GB` looked unfinished."""
    part, whole = bytes_text(done, keeps_zeros=True), bytes_text(total, keeps_zeros=True)
    if done == total:
        return whole
    number, _, unit = part.rpartition(" ")
    part = number if number and unit == whole.rpartition(" ")[2] else part
    return words.replace("%2", whole).replace("%1", part)
