"""The order of the pages, what going back throws away, and what a started run locks."""

from __future__ import annotations

from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.app import values
from wizard.app.pages.check import Looks
from wizard.app.pages.navigator import Navigator, WrongWay
from wizard.app.pages.order import ORDER, PAGES, AppState, PageId
from wizard.app.pages.unreachable import why_not
from wizard.app.use.settings import Used, UsePlan
from wizard.compatibility.model import TODAY, Choices, Reason
from wizard.model.messages import message, text
from wizard.project.model import Project
from wizard.run.model import Requirement

PERSISTENT = UsePlan("tuna", (), (), ())
BLOCKING = Requirement("disk", "problem", message("k"), mandatory=True)


def walk(navigator: Navigator, until: PageId) -> None:
    """Fills the pages with good values, pressing Next."""
    fill = {
        PageId.CHECK: lambda: (navigator.put_facts(values.FACTS), navigator.put_looks(Looks())),
        PageId.BUILD: lambda: (
            navigator.put_verdict(Choices(), values.VERDICT, values.VERDICT.best),
            navigator.put_news(()),
        ),
        PageId.SOURCE: lambda: (navigator.put_selected_build(values.SELECTED), navigator.put_persistent((PERSISTENT,))),
        PageId.PLACE: lambda: navigator.put_place(replace(navigator.state.choices, name="torch"), ()),
        PageId.REVIEW: lambda: navigator.put_preview(values.preview("run-1")),
        PageId.INSTALL: lambda: navigator.put_run_over({"schema": 1}),
    }
    while navigator.page is not until:
        if navigator.page is PageId.REVIEW and navigator.state.preview:
            navigator.show_run("run-1")
            continue
        fill.get(navigator.page, lambda: None)()
        if navigator.page is not PageId.REVIEW:
            navigator.go_next()


def test_eight_pages_in_the_order_of_the_design() -> None:
    assert [page.value for page in ORDER] == [
        "welcome",
        "check",
        "build",
        "source",
        "place",
        "review",
        "install",
        "verify",
    ]


def test_every_value_belongs_to_one_page() -> None:
    made = [name for spec in PAGES for name in spec.makes]
    of_the_person = [
        "choices",
        "profile",
        "classroom",
        "trusted",
        "project",
        "picks_source",
        "strict",
        "hand_on",
        "for_class",
        "used",
    ]
    remembered = ["asked", "planned"]  # of later pages, for a person who goes back
    assert sorted([*made, *of_the_person, *remembered]) == sorted(field.name for field in fields(AppState))


def test_next_needs_what_the_page_makes() -> None:
    navigator = Navigator()
    navigator.go_next()
    for page in ORDER[1:6]:
        assert navigator.page is page
        assert not navigator.may_go_next()
        with pytest.raises(WrongWay):
            navigator.go_next()
        walk(navigator, ORDER[ORDER.index(page) + 1])


@pytest.mark.parametrize("page", [PageId.CHECK, PageId.PLACE])
def test_a_blocking_requirement_stops(page: PageId) -> None:
    navigator = Navigator()
    walk(navigator, page)
    if page is PageId.CHECK:
        navigator.put_facts(replace(values.FACTS, requirements=(BLOCKING,)))
    else:
        navigator.put_place(Choices(name="x"), (BLOCKING,))
    assert not navigator.may_go_next()


@pytest.mark.parametrize("target", ORDER[1:5])
def test_going_back_throws_later_values_away(target: PageId) -> None:
    navigator = Navigator()
    walk(navigator, PageId.REVIEW)
    before = navigator.state
    navigator.go_to(target)
    state, blank = navigator.state, AppState()
    for spec in PAGES:
        for name in spec.makes:
            kept = ORDER.index(spec.id) <= ORDER.index(target)
            assert getattr(state, name) == getattr(before if kept else blank, name), name
    assert state.choices.name == "torch", "what was typed stays as a suggestion"


def test_changing_an_early_choice_clears_the_later_ones() -> None:
    navigator = Navigator()
    walk(navigator, PageId.SOURCE)
    navigator.put_selected_build(values.SELECTED)
    navigator.go_back()
    navigator.put_verdict(Choices(torch="2.13.0"), values.VERDICT, values.VERDICT.best)
    assert navigator.state.selected is None


def test_the_rail_leads_back_but_never_ahead() -> None:
    navigator = Navigator()
    walk(navigator, PageId.SOURCE)
    assert [page for page in ORDER if navigator.may_go_to(page)] == list(ORDER[:4])
    with pytest.raises(WrongWay):
        navigator.go_to(PageId.REVIEW)


def test_a_preview_that_is_thrown_away_is_dropped_once() -> None:
    dropped: list[str] = []
    navigator = Navigator(dropped.append)
    walk(navigator, PageId.REVIEW)
    navigator.put_preview(values.preview("run-1"))
    navigator.go_back()
    navigator.go_back()
    assert dropped == ["run-1"]


def test_a_started_run_is_not_dropped_and_locks_the_pages_before_it() -> None:
    dropped: list[str] = []
    navigator = Navigator(dropped.append)
    walk(navigator, PageId.INSTALL)
    assert navigator.state.run_is_going
    assert not navigator.may_go_back()
    assert [page for page in ORDER if navigator.may_go_to(page)] == [PageId.WELCOME, PageId.INSTALL]
    navigator.go_to(PageId.WELCOME)
    assert navigator.state == AppState()
    assert dropped == []


def test_a_page_that_cannot_be_opened_says_why_and_what_leads_there() -> None:
    navigator = Navigator()

    def why(page: PageId) -> str:
        assert not navigator.may_open(page)
        return text(why_not(navigator.state, navigator.page, page), "en")

    assert navigator.may_lead_to(PageId.BUILD), "a setup is begun for it"
    walk(navigator, PageId.BUILD)
    assert not navigator.may_lead_to(PageId.PLACE)
    assert why(PageId.PLACE) == "The page Place comes later. Press “Next” on the page Build first."
    walk(navigator, PageId.INSTALL)
    assert why(PageId.SOURCE).startswith("The setup has begun, so the page Source is closed.")
    of_project = replace(AppState(), project=cast(Project, object()))
    decided = why_not(of_project, PageId.CHECK, PageId.SOURCE)
    assert text(decided, "zh_CN").startswith("“下载源”页面的内容由班级配置文件或项目决定。")


def test_a_message_leads_through_the_pages_before_its_own() -> None:
    navigator = Navigator()
    with pytest.raises(WrongWay):
        navigator.lead_to(PageId.INSTALL)
    navigator.lead_to(PageId.SOURCE)
    assert (navigator.page, navigator.hurries) == (PageId.CHECK, True)
    navigator.put_facts(values.FACTS)
    navigator.go_next()
    navigator.put_verdict(Choices(), values.VERDICT, values.VERDICT.best)
    assert navigator.chooses
    navigator.go_next()
    assert (navigator.page, navigator.hurries, navigator.chooses) == (PageId.SOURCE, False, False)


def test_after_a_run_a_message_begins_another_setup_and_leaves_one_that_goes_alone() -> None:
    navigator = Navigator()
    walk(navigator, PageId.INSTALL)
    assert not navigator.may_lead_to(PageId.SOURCE)
    navigator.put_run_over({}, "/somewhere")
    navigator.lead_to(PageId.SOURCE)
    assert (navigator.page, navigator.state) == (PageId.CHECK, AppState())


def test_what_a_failed_run_was_for_is_chosen_again_on_its_pages_alone() -> None:
    navigator = Navigator()
    walk(navigator, PageId.INSTALL)
    assert not navigator.may_choose_again(PageId.BUILD), "it goes on"
    navigator.put_run_over(None, has_failed=True)
    assert [page for page in ORDER if navigator.may_choose_again(page)] == list(ORDER[1:6])
    chosen = navigator.state.choices
    navigator.choose_again(PageId.BUILD)
    assert (navigator.page, navigator.state.choices, navigator.state.run_id) == (PageId.BUILD, chosen, None)
    assert navigator.state.verdict is not None
    navigator.restart()
    navigator.show_run("of-before")
    navigator.put_run_over(None, has_failed=True)
    assert not navigator.may_choose_again(PageId.BUILD), "another window chose what that one was for"


def test_a_profile_is_not_given_up_for_a_page_that_it_decides() -> None:
    def ran(ask: tuple[str, ...]) -> Navigator:
        navigator = Navigator()
        walk(navigator, PageId.PLACE)
        profile = cast(Any, SimpleNamespace(profile=SimpleNamespace(ask=ask)))
        navigator._state = replace(navigator.state, profile=profile, selected=None, preview=values.preview("run-1"))
        navigator.show_run("run-1")
        navigator.put_run_over(None, has_failed=True)
        return navigator

    navigator = ran(("name",))
    assert not navigator.may_choose_again(PageId.SOURCE)
    assert not navigator.may_lead_to(PageId.SOURCE), "said why, and nothing is lost"
    navigator.choose_again(PageId.PLACE)
    assert (navigator.page, navigator.state.profile is None) == (PageId.PLACE, False)
    assert not ran(()).may_choose_again(PageId.PLACE)


def test_a_finished_run_leads_to_verify_and_the_log_stays_open_to_view() -> None:
    navigator = Navigator()
    walk(navigator, PageId.VERIFY)
    assert navigator.may_go_to(PageId.INSTALL)
    assert not navigator.may_go_to(PageId.SOURCE)
    assert not navigator.may_go_next()


def test_another_engine_makes_the_election_stale_but_another_name_does_not() -> None:
    navigator = Navigator()
    walk(navigator, PageId.PLACE)
    navigator.put_place(replace(navigator.state.choices, name="other"), ())
    assert not navigator.state.election_is_stale
    navigator.put_place(replace(navigator.state.choices, engine="venv"), ())
    assert navigator.state.election_is_stale
    navigator.go_next()
    navigator.put_selected_build(values.SELECTED)
    assert not navigator.state.election_is_stale
    assert navigator.state.place == (), "the place is still the one that was checked"


def test_listeners_hear_every_change() -> None:
    heard: list[PageId] = []
    navigator = Navigator()
    navigator.listen(lambda: heard.append(navigator.page))
    navigator.go_next()
    navigator.put_facts(values.FACTS)
    assert heard == [PageId.CHECK, PageId.CHECK]


def test_what_was_written_stays_written_wherever_one_goes() -> None:
    navigator = Navigator()
    walk(navigator, PageId.REVIEW)
    used = Used(None, (), ())
    navigator.begin(True)
    assert not navigator.may_go_back()
    assert [page for page in ORDER if navigator.may_go_to(page)] == [PageId.REVIEW], "while it is being written"
    navigator.put_used(used, ())
    navigator.begin(False)
    navigator.go_back()
    assert navigator.state.used == (used,)
    assert navigator.state.persistent == ()


def test_another_way_to_the_network_needs_another_election_and_nothing_else() -> None:
    navigator = Navigator()
    walk(navigator, PageId.SOURCE)
    navigator.put_selected_build(values.SELECTED)
    navigator.put_persistent((PERSISTENT,))
    facts = replace(values.FACTS, seconds=9.0)
    navigator.put_network(facts)
    state = navigator.state
    assert (state.facts, state.selected, state.persistent) == (facts, None, ())
    assert state.verdict is not None


def test_limits_change_the_plan_and_nothing_else() -> None:
    dropped: list[str] = []
    navigator = Navigator(dropped.append)
    walk(navigator, PageId.REVIEW)
    preview = values.preview("run-1")
    navigator.put_preview(preview)
    navigator.put_limits(replace(preview.plan, choices=replace(preview.plan.choices, limit_rate=5, connections=2)))
    state = navigator.state
    assert (state.choices.limit_rate, state.choices.connections, state.choices.name) == (5, 2, "torch")
    assert state.preview is not None
    assert state.preview.plan.choices.limit_rate == 5
    assert not state.election_is_stale
    assert dropped == []


def test_a_build_that_does_not_fit_goes_on_only_when_it_was_asked_for_by_name() -> None:
    navigator = Navigator()
    walk(navigator, PageId.BUILD)
    unfit = values.candidate("2.15.0", "cu132", values.TOO_OLD)
    navigator.put_verdict(Choices(), values.VERDICT, unfit)
    assert not navigator.may_go_next()
    navigator.put_verdict(Choices(torch="2.15.0", variant="cu132"), values.VERDICT, unfit)
    assert navigator.may_go_next()
    absent = values.candidate("2.15.0", "cu92", Reason("not-published", {}))
    navigator.put_verdict(Choices(torch="2.15.0", variant="cu92"), values.VERDICT, absent)
    assert not navigator.may_go_next()


def test_another_file_of_a_project_has_its_own_day() -> None:
    """“Newest packages” was ticked for the file that was open before."""
    navigator = Navigator()
    navigator.open_project(cast(Project, object()), Choices(name="net"))
    navigator.put_newest(True)
    assert navigator.state.choices.as_of == TODAY
    navigator.replace_project(cast(Project, object()))
    assert navigator.state.choices == Choices(name="net")


def test_a_setup_says_of_which_class_it_is() -> None:
    """The page that is to save it is named, until another run is shown."""
    assert AppState().of_class is None
    chosen = AppState(for_class=True)
    assert chosen.of_class
    assert "Save class profile…" in text(chosen.of_class, "en")
    assert replace(chosen, run_id="of another setup").of_class is None
