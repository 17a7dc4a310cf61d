"""What knows only Linux is not collected on Windows."""

from __future__ import annotations

import sys

collect_ignore = ["test_both_sides.py"] if sys.platform == "win32" else []
