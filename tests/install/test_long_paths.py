"""Packages in an environment whose files lie beyond 260 characters: looked at and taken out by the extended form."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.install import wheels
from wizard.install import record, wheel_data
from wizard.install.wheel import read_wheel
from wizard.model import distributions
from wizard.system import links


def test_every_look_goes_by_the_extended_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows' rule is stood in: the plain name is found by nobody, the extended one is."""
    real, plain = tmp_path / "site", tmp_path / "too long"
    for module in (links, wheel_data):
        monkeypatch.setattr(module, "extended", lambda path: path.replace(str(plain), str(real)))
    wheel = read_wheel(
        wheels.build(tmp_path / "made", "demo", files={"demo/__init__.py": b"", "demo/a.py": b"a = 1\n"})
    )
    for name in ("demo/__init__.py", "demo/a.py"):
        (real / name).parent.mkdir(parents=True, exist_ok=True)
        (real / name).write_bytes(b"a = 1\n" if name.endswith("a.py") else b"")
    assert record.is_touched(wheel, plain)
    folders = {name: str(plain) for name in ("purelib", "platlib", "scripts", "data")}
    wheel_data.write_rest(wheel, folders, Path(sys.executable))
    entries = distributions.read_record(real / wheel.dist_info)
    assert record.check_record(plain, wheel.path) == ()
    assert distributions.changed_files(plain, entries, "demo") == ()
    (real / "demo/a.py").write_bytes(b"b = 2\n")
    assert distributions.changed_files(plain, entries, "demo") == ("demo/a.py",)
    assert record.remove_partial(wheel, plain) == len(entries)
    assert list(real.iterdir()) == []
    assert not plain.exists()
