"""A class profile made of a plan: why there is none, where only folders of this computer had the build."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.app import values
from wizard.app.classroom import profile_of_plan
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.model.errors import ErrorText, WizardError
from wizard.run.select.select_build import NO_SOURCE, NO_SOURCE_ANSWERS, NO_SOURCE_SOME_SILENT


@pytest.mark.parametrize("why", [NO_SOURCE, NO_SOURCE_SOME_SILENT, NO_SOURCE_ANSWERS])
def test_a_folder_that_alone_had_it_is_named(why: ErrorText, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many of the other sources were silent is not what lacks."""

    def refuse(*asked: object) -> None:
        raise WizardError(why, silent="4", asked="5", build="torch", reasons=())

    monkeypatch.setattr("wizard.classroom.profile.make.make_profile", refuse)
    facts = replace(values.FACTS, settings=replace(values.FACTS.settings, find_links=("file:///srv/wheels",)))
    with pytest.raises(WizardError) as caught:
        profile_of_plan(facts, load_matrix(), values.plan("run-1"), Choices(), lambda: False)
    assert (caught.value.code, caught.value.params["url"]) == ("profile-local", "file:///srv/wheels")
