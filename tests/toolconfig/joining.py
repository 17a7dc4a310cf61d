"""Lines to bytes with the line ends of one system, or of two."""

from __future__ import annotations


def joined(lines: list[str], newline: str, is_closed: bool, codec: str = "utf-8") -> bytes:
    """`newline` "mixed": every third line ends as on Windows. `is_closed`: the last line has an end."""
    ends = [
        "\r\n" if newline == "mixed" and at % 3 == 0 else newline.replace("mixed", "\n") for at in range(len(lines))
    ]
    if ends and not is_closed:
        ends[-1] = ""
    return "".join(line + end for line, end in zip(lines, ends, strict=True)).encode(codec)
