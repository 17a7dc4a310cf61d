"""Which failure of a source of packages lets the next one take its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.app import values
from tests.sentences import error_text
from wizard.compatibility.model import Choices
from wizard.model.errors import WizardError
from wizard.model.lock import Lock
from wizard.run.model import SelectedBuild
from wizard.run.plan.other_packages import locked_somewhere
from wizard.sources.model import Layout, Origin, Source, SourceKind
from wizard.transfer.http import SourceUnreachable

FIRST, SECOND = (
    Source(
        f"{name}-{SourceKind.PACKAGES.value}",
        Layout.SIMPLE,
        Origin.MIRROR,
        f"https://{name}.example/simple",
        name.title(),
    )
    for name in ("first", "second")
)
SELECTED = replace(
    values.SELECTED, package_sources=(FIRST,), packages_measured=True, further={"packages": (FIRST, SECOND)}
)


def lock_or(error: WizardError) -> Lock:
    def lock(selected: SelectedBuild) -> Lock:
        if selected.package_sources[0] == FIRST:
            raise error
        return values.LOCK

    made, selected = locked_somewhere(values.FACTS, Choices(), SELECTED, lock, lambda: False)
    assert selected.package_sources == (SECOND,)
    return made


@pytest.mark.parametrize("code", ["lock-network", "lock-refused", "lock-damaged", "lock-silent", "lock-no-solution"])
def test_what_the_resolver_could_not_do(code: str) -> None:
    assert lock_or(WizardError(code)) == values.LOCK


@pytest.mark.parametrize("code", ["source-timeout", "source-offline", "source-redirects", "source-tls"])
def test_a_page_that_could_not_be_read(code: str) -> None:
    assert lock_or(SourceUnreachable(code, source="First")) == values.LOCK


def test_a_wheel_of_it_that_did_not_come() -> None:
    assert lock_or(WizardError("fetch-slow", file="a.whl", source="First")) == values.LOCK


def test_what_is_not_its_fault_stays() -> None:
    for error in (
        SourceUnreachable(error_text("source-timeout"), source="Torch's own"),
        WizardError("fetch-no-space", folder="/", needed=1, free=0),
    ):
        with pytest.raises(WizardError) as caught:
            lock_or(error)
        assert caught.value is error
