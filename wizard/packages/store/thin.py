"""A *thin* wheel: the same wheel without its plain members, for uv to install in a fraction of the time.

uv leaves the missing files out of the RECORD that it writes; `record.complete_record` adds them once they are
in place (`link.py`), so every tool can uninstall the package. Compressed bytes are copied as they are.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

from wizard.packages.wheel import THIN, Wheel

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_UTF8 = 0x800
_VERSION = 20
_AHEAD = 1 << 20  # the members lie one behind the other


def local_data_offset(stream: BinaryIO, member: zipfile.ZipInfo) -> int:
    """Where a member's bytes begin: its local header has lengths of its own."""
    stream.seek(member.header_offset)
    header = stream.read(_LOCAL.size)
    if len(header) < _LOCAL.size or header[:4] != b"PK\3\4":
        raise zipfile.BadZipFile(f"no local header for {member.filename}")
    name_length, extra_length = struct.unpack("<2H", header[26:30])
    return member.header_offset + _LOCAL.size + int(name_length) + int(extra_length)


def write_thin(wheel: Wheel, left_out: Collection[str], target: Path) -> None:
    """Write the wheel without these members. Raises OSError, zipfile.BadZipFile, struct.error (more than the plain zip
    format holds)."""
    directory: list[bytes] = []
    with wheel.path.open("rb", _AHEAD) as source, target.open("wb", _AHEAD) as out:
        for member in sorted(wheel.members, key=lambda member: member.header_offset):
            if member.filename in left_out:
                continue
            source.seek(local_data_offset(source, member))
            directory.append(_copy(member, source.read(member.compress_size), out))
        start = out.tell()
        central = b"".join(directory)
        out.write(central)
        comment = THIN if directory and left_out else b""
        out.write(_END.pack(b"PK\5\6", 0, 0, len(directory), len(directory), len(central), start, len(comment)))
        out.write(comment)


def _copy(member: zipfile.ZipInfo, data: bytes, out: BinaryIO) -> bytes:
    """Writes the member; returns its line of the central directory."""
    name = member.filename.encode("utf-8")
    year, month, day, hour, minute, second = member.date_time
    common = (
        (hour << 11) | (minute << 5) | (second // 2), ((year - 1980) << 9) | (month << 5) | day,
        member.CRC, member.compress_size, member.file_size,
    )  # fmt: skip
    offset = out.tell()
    out.write(_LOCAL.pack(b"PK\3\4", _VERSION, _UTF8, member.compress_type, *common, len(name), 0) + name + data)
    made_by_unix = 3 << 8 | _VERSION
    head = (b"PK\1\2", made_by_unix, _VERSION, _UTF8, member.compress_type)
    return _CENTRAL.pack(*head, *common, len(name), 0, 0, 0, 0, member.external_attr, offset) + name
