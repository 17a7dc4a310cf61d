"""A builder of the store that leaves nothing half done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from wizard.install.store import PackageStore
from wizard.install.store.build import StoreBuilder
from wizard.install.store.folder import BUILDING
from wizard.system import paths


@pytest.fixture
def builder() -> Iterator[StoreBuilder]:
    made = StoreBuilder(PackageStore(), "run")
    yield made
    made.close()
    assert [path.name for path in (paths.store_dir() / BUILDING).iterdir()] == []
