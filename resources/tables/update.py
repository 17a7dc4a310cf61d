"""Makes what `torch-wizard update` takes: `python resources/tables/update.py OUT --number N --key KEYFILE`.

OUT gets `update.json` with its signature, and the tables of `matrices/` in a folder of that number: all of it is
uploaded, the document last. The number is one more than the last that was signed; KEYFILE is one of minisign's without
a password (`torch-wizard profile key`), whose public half stands in `resources/updates/source.toml` of the copies
in the field. Nothing is made of tables that the checks refuse.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from wizard import __version__  # noqa: E402
from wizard.app.use.tables import check  # noqa: E402
from wizard.classroom.profile.signature import ENDING, SecretKey, parse_secret, sign  # noqa: E402
from wizard.model.table_update import DOCUMENT, parse_document, table_names  # noqa: E402

DAYS = 90  # how long a copy is believed: as long as whoever serves it may hold back the next one


def make(out: Path, tables: Path, key: SecretKey, number: int, **more: object) -> None:
    """Write document, signature and tables. `more`: fields of the document in place of the usual ones.

    Raises ValueError for tables or fields that no program would take.
    """
    if problems := check(tables):
        raise ValueError("; ".join(problems))
    files = {name: (tables / name).read_bytes() for name in sorted(table_names(tables))}
    today = datetime.datetime.now(datetime.timezone.utc).date()
    document = {
        "kind": "torch-setup-tables",
        "schema": 1,
        "version": number,
        "date": today.isoformat(),
        "expires": (today + datetime.timedelta(days=DAYS)).isoformat(),
        "program": __version__,
        "tables": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in files.items()
        },
        **more,
    }
    data = (json.dumps(document, indent=1) + "\n").encode()
    parse_document(data)
    folder = out / str(number)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (out / (DOCUMENT + ENDING)).write_bytes(sign(data, key, f"tables number {number}"))
    (out / DOCUMENT).write_bytes(data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--number", type=int, required=True)
    parser.add_argument("--key", type=Path, required=True)
    parser.add_argument("--program", help="the oldest that may take them (default: this one)", default=__version__)
    parser.add_argument("--newest", nargs=2, metavar=("VERSION", "PAGE"), help="the newest program, and its page")
    told = parser.parse_args()
    more: dict[str, object] = {"program": told.program}
    if told.newest:
        more["newest"] = dict(zip(("version", "page"), told.newest, strict=True))
    last = json.loads((told.out / DOCUMENT).read_bytes())["version"] if (told.out / DOCUMENT).exists() else 0
    if told.number <= last:  # who has seen the other document of that number believes neither
        parser.error(f"{told.out} has number {last}: take {last + 1}")
    key = parse_secret(told.key.read_text(encoding="utf-8"), str(told.key))
    make(told.out, ROOT / "matrices", key, told.number, **more)
    print(f"{told.out}: number {told.number}, {len(list((told.out / str(told.number)).iterdir()))} tables")
    return 0


if __name__ == "__main__":
    sys.exit(main())
