"""Whether this tree may become a release: `python resources/installer/release.py v0.2.0`.

The tag, the one version (wizard/__init__.py) and the newest dated section of CHANGELOG.md must be the same. With a
second argument the notes of that release are written to that file: its section of the changelog, then docs/download.md.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import build

_SECTION = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\S+))?$", re.MULTILINE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def complaints(tag: str, version: str, changelog: str) -> list[str]:
    found = [(match["version"], match["date"] or "") for match in _SECTION.finditer(changelog)]
    dated = [name for name, date in found if _DAY.fullmatch(date)]
    said = []
    if tag != f"v{version}":
        said.append(f"the tag {tag} is not v{version}, which wizard/__init__.py says")
    if not dated or dated[0] != version:
        said.append(f"CHANGELOG.md has no section “## [{version}] - YYYY-MM-DD” above all older ones")
    if any(not _DAY.fullmatch(date) for _, date in found[2:]):
        said.append("CHANGELOG.md has an older section without a date, which no notes would hold")
    return said


def notes(version: str, changelog: str, download: str) -> str:
    """The section of that version without its heading, then the page. Raise LookupError where there is none."""
    found = list(_SECTION.finditer(changelog))
    ends = [match.start() for match in found[1:]] + [len(changelog)]
    for match, end in zip(found, ends, strict=True):
        if match["version"] == version:
            return f"{changelog[match.end() : end].strip()}\n\n{download}"
    raise LookupError(f"CHANGELOG.md has no section of {version}")


def main() -> int:
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    changelog = (build.ROOT / "CHANGELOG.md").read_text("utf-8")
    said = complaints(sys.argv[1], build.version(), changelog)
    if len(sys.argv) == 3 and not said:
        download = (build.ROOT / "docs" / "download.md").read_text("utf-8")
        download = download.replace("OWNER/NAME", os.environ.get("GITHUB_REPOSITORY", "OWNER/NAME"))
        Path(sys.argv[2]).write_text(notes(build.version(), changelog, download), "utf-8")
    print("\n".join(said) or f"{sys.argv[1]} may be released")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
