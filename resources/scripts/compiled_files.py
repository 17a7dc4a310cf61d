"""Which compiled files (.pyc) below a folder can this Python not read? Run by the Python that would load them.

Prints one JSON list of paths as its last line. Standard library only; Python >= 3.6. Runs nothing of what it reads.
A file of another Python, or one whose first bytes are cut, is passed over: Python makes it anew by itself.
"""

import importlib.util
import json
import marshal
import sys
from pathlib import Path

HEADER = 16 if sys.version_info >= (3, 7) else 12  # bytes; PEP 552


def unreadable(folder: Path) -> "list[str]":
    found = []
    for path in sorted(folder.rglob(f"__pycache__/*.{sys.implementation.cache_tag}*.pyc")):
        try:
            data = path.read_bytes()
            if data[:4] == importlib.util.MAGIC_NUMBER and len(data) >= HEADER:
                marshal.loads(data[HEADER:])
        except OSError:
            continue
        except (EOFError, ValueError, TypeError):
            found.append(str(path))
    return found


if __name__ == "__main__":
    print("\n" + json.dumps(unreadable(Path(sys.argv[1]))))
