"""Unpack the program's archive: `unpack.py ARCHIVE FOLDER`. The folder is there whole, or not at all.

By Python, which is on every host of Ansible's: a small Debian has no xz, and tar unpacks nothing without it.
"""

import os
import shutil
import sys
import tarfile

archive, folder = (os.path.expanduser(given) for given in sys.argv[1:])
begun = folder + ".part"
for left in (begun, folder):  # by a run that lost its power
    if os.path.lexists(left):
        shutil.rmtree(left)
with tarfile.open(archive) as opened:
    if hasattr(tarfile, "tar_filter"):
        opened.extraction_filter = tarfile.tar_filter
    opened.extractall(begun)
(top,) = os.listdir(begun)
os.rename(os.path.join(begun, top), folder)
os.rmdir(begun)
os.remove(archive)
