"""Windows libraries of the tests' own: a PE file of 64 bits with nothing but an import table."""

from __future__ import annotations

import struct

_SECTION, _FILE, _MEMORY = 0x200, 0x200, 0x1000


def library(*imports: str, magic: int = 0x20B) -> bytes:
    """It imports these, as a linker would write it (Microsoft's "PE Format")."""
    names, table, place = b"", b"", _MEMORY + 20 * (len(imports) + 1)
    for name in imports:
        table += struct.pack("<5I", 1, 0, 0, place + len(names), 1)
        names += name.encode() + b"\0"
    body = table + bytes(20) + names
    directories = struct.pack("<II", 0, 0) + struct.pack("<II", _MEMORY if imports else 0, len(table)) + bytes(14 * 8)
    options = struct.pack("<H", magic) + bytes((112 if magic == 0x20B else 96) - 2) + directories
    head = b"MZ" + bytes(0x3A) + struct.pack("<I", 0x40)
    head += b"PE\0\0" + struct.pack("<2H12x2H", 0x8664, 1, len(options), 0x2022) + options
    head += b".rdata\0\0" + struct.pack("<4I16x", len(body), _MEMORY, len(body), _FILE)
    assert len(head) <= _SECTION
    return head.ljust(_SECTION, b"\0") + body
