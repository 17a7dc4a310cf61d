"""What is done to a disk in another way on each system: this system's side (`disk_linux`, `disk_windows`).

The sides have the same names; tests/windows/test_seam.py holds one against the other, and the type checker each against
its callers.
"""

import sys

if sys.platform == "win32":
    from wizard.system.disk_windows import (
        BINARY,
        Positioned,
        append_whole,
        change_stamp,
        entry_status,
        insist,
        is_true_folder_entry,
        move_blocks,
        open_folder,
        open_own,
        open_quietly,
        room_of,
        share_blocks,
        sync_data,
        sync_folder,
        take_owner,
        user_ids,
        user_name,
    )
else:
    from wizard.system.disk_linux import (
        BINARY,
        Positioned,
        append_whole,
        change_stamp,
        entry_status,
        insist,
        is_true_folder_entry,
        move_blocks,
        open_folder,
        open_own,
        open_quietly,
        room_of,
        share_blocks,
        sync_data,
        sync_folder,
        take_owner,
        user_ids,
        user_name,
    )

__all__ = [
    "BINARY",
    "Positioned",
    "append_whole",
    "change_stamp",
    "entry_status",
    "insist",
    "is_true_folder_entry",
    "move_blocks",
    "open_folder",
    "open_own",
    "open_quietly",
    "room_of",
    "share_blocks",
    "sync_data",
    "sync_folder",
    "take_owner",
    "user_ids",
    "user_name",
]
