"""The torch that answers is the one that was installed."""

from __future__ import annotations

import pytest

from wizard.model.lock import Lock, LockedFile
from wizard.run.steps.verify import _other_torch


@pytest.mark.parametrize(
    ("locked", "imported", "is_told"),
    [
        ("2.13.0+cpu", "2.13.0+cpu", False),
        ("2.13.0+cpu", "2.13.0", False),  # a build whose own words have no local part
        ("2.15.0", "2.15.0+cu132", False),  # the index's own
        ("2.13.0+cpu", "9.13.0+cpu", True),
        ("2.13.0+cu126", "2.13.0+cpu", True),
        ("2.13.0+cpu", None, False),  # no torch: told elsewhere
    ],
)
def test_another_torch_than_the_installed_one_is_a_failure(locked: str, imported: str | None, is_told: bool) -> None:
    lock = Lock((LockedFile("torch", locked, "torch.whl", ("",), ""),), "")
    found = list(_other_torch(lock, imported))
    assert [(one.name, one.state) for one in found] == ([("import", "failed")] if is_told else [])
