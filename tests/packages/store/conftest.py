"""A builder of the store that leaves nothing half done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from wizard import paths
from wizard.packages.store import PackageStore
from wizard.packages.store.build import StoreBuilder
from wizard.packages.store.folder import BUILDING


@pytest.fixture
def builder() -> Iterator[StoreBuilder]:
    made = StoreBuilder(PackageStore(), "run")
    yield made
    made.close()
    assert [path.name for path in (paths.store_dir() / BUILDING).iterdir()] == []
