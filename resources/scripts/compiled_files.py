"""Which compiled files (.pyc) below a folder can this Python not read? Run by the Python that would load them.

Prints as its last line one JSON list: paths, how many files were looked at, and how many there are. After so many
seconds (the second word) it stops and says how far it came: torch and NumPy are read first.
Standard library only; Python >= 3.6. Runs nothing of what it reads.
A file of another Python, or one whose first bytes are cut, is passed over: Python makes it anew by itself.
"""

import importlib.util
import json
import marshal
import sys
import time
from pathlib import Path

FIRST = ("torch", "numpy")
HEADER = 16 if sys.version_info >= (3, 7) else 12  # bytes; PEP 552


def unreadable(folder: Path, ends: float) -> "tuple[list[str], int, int]":
    found = []  # type: list[str]
    files = sorted(folder.rglob(f"__pycache__/*.{sys.implementation.cache_tag}*.pyc"))
    files.sort(key=lambda path: path.relative_to(folder).parts[0] not in FIRST)
    for number, path in enumerate(files):
        if time.monotonic() > ends:
            return found, number, len(files)
        try:
            data = path.read_bytes()
            if data[:4] == importlib.util.MAGIC_NUMBER and len(data) >= HEADER:
                marshal.loads(data[HEADER:])
        except OSError:
            continue
        except (EOFError, ValueError, TypeError):
            found.append(str(path))
    return found, len(files), len(files)


if __name__ == "__main__":
    print("\n" + json.dumps(unreadable(Path(sys.argv[1]), time.monotonic() + float(sys.argv[2]))))
