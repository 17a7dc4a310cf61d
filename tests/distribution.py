"""How tests are handed to several processes: a file at a time, so that what its tests share is made once.

What shares more than a file stays together, too: the frozen program, which takes a minute to make, and the start file's
environments. (xdist's own groups are marked by a name at the end of a test's id, which newer releases of pytest leave
off: then no group holds.)

Folders in which whole programs run are slow as a whole, but for the few files that walk the whole line once.
"""

from __future__ import annotations

import pytest

_TOGETHER = ("tests/frozen/", "tests/start/")
_WHOLE_PROGRAMS = ("tests/fleet/", "tests/frozen/", "tests/line/", "tests/reuse/", "tests/start/")
_NOT_SLOW = ("tests/line/test_setup.py", "tests/line/test_window.py")


def together(nodeid: str) -> str:
    """The name of what goes to one process."""
    file = nodeid.split("::", 1)[0]
    return next((folder for folder in _TOGETHER if file.startswith(folder)), file)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(_WHOLE_PROGRAMS) and not item.nodeid.startswith(_NOT_SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(nodeid)

    config.option.loadscopereorder = False  # as they are listed: the short ones come last
    return ByFile(config, log)
