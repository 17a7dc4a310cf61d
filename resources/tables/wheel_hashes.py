"""The SHA-256 of torch's wheels: `python resources/tables/wheel_hashes.py index | locks REPOSITORY…`.

`index` reads the list of the default package index. `locks` reads every lock file in the whole history of git
repositories (uv.lock, pdm.lock, poetry.lock, pixi.lock, pylock.toml, requirements, Nix) that name files of torch's own
index, whose pages it cannot ask: folders called OWNER+NAME, or OWNER+NAME/repo. Both merge what they find into
`matrices/wheel_hashes.csv`. A row is `high` when two owners, or an owner and the index, agree; the same lock copied by
two of them counts once. A name that stands for several files (the torch index has companions for aarch64 under several
CUDA tags without saying so in their names) has a row for each; else a hash that one owner alone names against a sure
one is named and left out, and so are two of which none is sure. What lay in the index's `test` and `nightly` folders is
no release, and what lay on another host than the index's own (Jetson's, a lab's) is another wheel of that name.
"""

from __future__ import annotations

import argparse
import base64
import csv
import datetime
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from urllib.parse import unquote

from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from wizard.compatibility.data.model import PLATFORMS  # noqa: E402
from wizard.compatibility.data.pins import wheel_keys  # noqa: E402
from wizard.sources.known_sources import default_index  # noqa: E402
from wizard.sources.read import Reader  # noqa: E402
from wizard.sources.table import official_places  # noqa: E402

TABLE = ROOT / "matrices" / "wheel_hashes.csv"
COLUMNS = ("file", "sha256", "as_of", "confidence", "source")
PROJECTS = ("torch", "torchvision", "torchaudio")
INDEX = "default index"
OLDEST = Version("2.6")
_SOURCES_KEPT = 2
_LOCK_FILES = re.compile(
    r"(^|/)((uv|pdm|poetry|pixi)\.lock|pylock[^/]*\.toml|requirements[^/]*\.(txt|lock)|[^/]*hashes\.nix)$"
)
_WHEEL = re.compile(r"(?<![A-Za-z0-9_.-])((?:torch|torchvision|torchaudio)-\d[^\s\"'/#<>]*?\.whl)")
_ADDRESS = re.compile(r"https?://[^\s\"'<>]*$")
_SOURCE = re.compile(r"^\[package\.source\]\s[^\[]*?^url = \"([^\"]+)\"", re.MULTILINE)  # Poetry's, below the files
_PREVIEW = re.compile(r"/whl/(test|nightly)/[^\s\"']*$")
_HEX = re.compile(r"sha256[\"'\s:=]{1,6}([0-9a-f]{64})\b")
_BASE64 = re.compile(r"sha256-([A-Za-z0-9+/]{43}=)")
_REACH = 300  # characters after a wheel's name in which its hash stands, before the next wheel


@dataclass(frozen=True, slots=True)
class Sighting:
    """Somebody's word on one file. `owner`: whose; two sightings of one owner are one."""

    file: str
    sha256: str
    owner: str
    source: str


def in_index(known: set[tuple[str, str]]) -> Iterator[Sighting]:
    """Yield what the default index lists. Raises SourceUnreachable."""
    with Reader() as reader:
        for project in PROJECTS:
            for offer in reader.offers(default_index(), project):
                if offer.sha256 and not offer.yanked and is_wanted(offer.filename, known):
                    yield Sighting(offer.filename, offer.sha256, INDEX, INDEX)


def in_repository(folder: Path, known: set[tuple[str, str]], seen_blobs: set[str]) -> Iterator[Sighting]:
    """Yield what the lock files in a repository's history say, the newest first. Raises CalledProcessError."""
    name = (folder.parent if folder.name == "repo" else folder).name.replace("+", "/", 1)
    for commit, path, blob in _versions(folder):
        if blob in seen_blobs:
            continue
        seen_blobs.add(blob)
        text = subprocess.run(["git", "-C", folder, "cat-file", "blob", blob], capture_output=True, check=False).stdout
        for file, sha256 in hashes_in(text.decode(errors="replace")):
            if is_wanted(file, known):
                yield Sighting(file, sha256, name.split("/")[0].lower(), f"{name}@{commit[:10]}:{path}")


def _versions(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (commit, path, blob) of each state of each lock file."""
    command = [
        "git",
        "-C",
        str(folder),
        "log",
        "--all",
        "--no-renames",
        "--diff-filter=AM",
        "--raw",
        "--no-abbrev",
        "--format=%H",
        "--",
        "*.lock",
        "*pylock*",
        "*requirements*",
        "*hashes.nix",
    ]
    commit = ""
    for line in subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="replace").splitlines():
        if not line.startswith(":"):
            commit = line.strip() or commit
            continue
        told, _, path = line.partition("\t")
        if _LOCK_FILES.search(path):
            yield commit, path, told.split()[3]


def hashes_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield (file, SHA-256 in lower-case hex) for each wheel of an official place that is followed by its hash."""
    found = [match for match in _WHEEL.finditer(text) if _is_official(text, match.start())]
    for match, following in zip_longest(found, found[1:]):
        end = min(match.end() + _REACH, following.start() if following else len(text))
        after = text[match.end() : end]
        if in_hex := _HEX.search(after):
            yield unquote(match[1]), in_hex[1]
        elif in_base64 := _BASE64.search(after):
            yield unquote(match[1]), base64.b64decode(in_base64[1]).hex()


def _is_official(text: str, place: int) -> bool:
    """Return whether the wheel named at `place` lies at an official place, as far as the lock file says where."""
    begin = max(0, place - 200)
    if _PREVIEW.search(text, begin, place):
        return False
    address = _ADDRESS.search(text, begin, place)
    end = text.find("[[package]]", place)
    source = None if address else _SOURCE.search(text, place, end if end >= 0 else len(text))
    url = address[0] if address else source[1] if source else None
    return url is None or official_places().has_wheels(url)


def known_versions() -> set[tuple[str, str]]:
    """Return (project, version) of the releases in the tables, from the oldest wanted one on."""
    with (ROOT / "matrices" / "releases.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if Version(row["torch"]) >= OLDEST]
    return {(project, row[project]) for row in rows for project in PROJECTS if row[project]}


def is_wanted(file: str, known: set[tuple[str, str]]) -> bool:
    """Return whether a build of the tables may have it: a release, a CUDA tag, a platform and a Python of theirs."""
    keys = wheel_keys(file)
    if not keys or not file.isascii() or file != file.lower():
        return False
    version, _, local = file.split("-")[1].partition("+")
    is_platform = any(file.removesuffix(".whl").endswith(name) for name in PLATFORMS.values()) or (
        "manylinux" in file and file.removesuffix(".whl").endswith(("x86_64", "aarch64"))
    )
    is_variant = local in ("", "cpu") or re.fullmatch(r"cu\d{3}", local) is not None
    is_known = all((key.project, version) in known and not key.python.endswith("t") for key in keys)
    return is_known and is_platform and is_variant


def merged(rows: Iterable[dict[str, str]], sightings: Iterable[Sighting]) -> tuple[list[dict[str, str]], list[str]]:
    """Return the rows of the table, and what was left out: hashes that one owner names against several others."""
    told: defaultdict[str, defaultdict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    dates: dict[tuple[str, str], str] = {}
    for row in rows:
        dates[row["file"], row["sha256"]] = row["as_of"]
        for source in row["source"].split(" | "):
            owner = source if source == INDEX else source.split("/")[0].lower()
            told[row["file"]][row["sha256"]][owner] = source
    for one in sightings:
        told[one.file][one.sha256].setdefault(one.owner, one.source)
    today = datetime.date.today().isoformat()
    made, left_out = [], []
    for file in sorted(told, key=_order):
        is_one = "+" in file or "aarch64" not in file
        is_sure = is_one and any(map(_is_sure, told[file].values()))
        is_open = not is_sure and not (is_one and len(told[file]) > 1)
        for sha256, sources in sorted(told[file].items()):
            if _is_sure(sources) or is_open:
                made.append(_row(file, sha256, sources, dates.get((file, sha256), today)))
            else:
                left_out.append(f"{file} {sha256}: {', '.join(sources.values())}")
    return made, left_out


def _is_sure(sources: dict[str, str]) -> bool:
    return len(sources) > 1 or INDEX in sources


def _row(file: str, sha256: str, sources: dict[str, str], as_of: str) -> dict[str, str]:
    order = sorted(sources.values(), key=lambda source: source != INDEX)  # stable: the first seen first
    confidence = "high" if len(sources) > 1 else "medium"
    cells = (file, sha256, as_of, confidence, " | ".join(order[:_SOURCES_KEPT]))
    return dict(zip(COLUMNS, cells, strict=True))


def _order(file: str) -> tuple[int, Version, str]:
    project, version = file.split("-")[:2]
    return PROJECTS.index(project), Version(version), file


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("index", "locks"))
    parser.add_argument("repositories", nargs="*", type=Path)
    parser.add_argument("--table", type=Path, default=TABLE)
    arguments = parser.parse_args()
    known = known_versions()
    with arguments.table.open(encoding="utf-8", newline="") as file:
        before = list(csv.DictReader(file))
    blobs: set[str] = set()
    repositories = (in_repository(folder, known, blobs) for folder in arguments.repositories)
    sightings = in_index(known) if arguments.what == "index" else chain.from_iterable(repositories)
    rows, left_out = merged(before, sightings)
    with arguments.table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for hash_left_out in left_out:
        print(f"left out: {hash_left_out}")
    sure = sum(row["confidence"] == "high" for row in rows)
    print(f"{len(rows)} files (before: {len(before)}), {sure} from two sources or more, {len(left_out)} left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
