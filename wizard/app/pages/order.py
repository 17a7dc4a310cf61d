"""The pages in their order, those beside the wizard, and what they have gathered so far: one frozen value.

The eight pages in their order, as data: what each one makes, and when its Next may be pressed.

A page's values depend on those of the pages before it; so whatever changes on one page makes the values
of every later page worthless. That one rule is all that the navigator knows.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.app.pages.build import is_forced
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.model.messages import Message, message
from wizard.run.model import Facts, Preview, Requirement, SelectedBuild

if TYPE_CHECKING:
    from wizard.app.pages.check import Looks
    from wizard.app.project import ProjectRequest
    from wizard.app.use.settings import Used, UsePlan
    from wizard.classroom.join import Classroom
    from wizard.classroom.profile.model import ProfileFile
    from wizard.project.model import Project
    from wizard.run.select.learned_rows import JudgedBuild


# What the pages have gathered so far: one frozen value, `None` where a page has not been through yet.
#
# `choices` is what the person typed and survives going back, and so does `used`, for what was written stays written.
# Everything else is made from the choices and does not.


@dataclass(frozen=True, slots=True)
class AppState:
    choices: Choices = Choices()
    facts: Facts | None = None
    looks: Looks | None = None  # settings, driver and environments, looked at beside the facts
    verdict: Verdict | None = None
    picked: Candidate | None = None  # the person's cell of the grid, or the best
    news: tuple[JudgedBuild, ...] | None = None  # builds that the tables do not know
    selected: SelectedBuild | None = None
    selected_for: Choices | None = None  # the choices that `selected` answers
    persistent: tuple[UsePlan, ...] = ()  # the mirrors to be used for good, with the difference that was shown
    place: tuple[Requirement, ...] | None = None
    preview: Preview | None = None
    is_beginning: bool = False  # Install was pressed, and the worker is not there yet
    run_id: str | None = None
    for_jupyter: bool = False  # that run puts in what Jupyter lacks, to list the environment there afterwards
    opens_network: bool = False  # on the page Source, whose proxy a message blamed
    run_over: bool = False
    run_failed: bool = False  # it ended by itself, without a report
    prefix: str = ""  # of the environment that the run made
    report: Mapping[str, Any] | None = None
    profile: ProfileFile | None = None  # of a class: it decides what its `ask` does not name
    classroom: Classroom | None = None  # where that profile came from, and who has its files
    trusted: frozenset[str] = frozenset()  # hosts of that profile or project that the person said yes to
    project: Project | None = None  # decides the build, and what is installed beside it
    picks_source: bool = False  # of a project, whose source is not asked for otherwise
    strict: bool = False  # exactly as that project asks, or not at all
    request: ProjectRequest | None = None  # what it asks of this computer
    agreed: bool = False  # the person said yes to what differs from it
    hand_on: bool = False  # to the rest of the class, once this computer is ready
    for_class: bool = False  # a teacher chooses it, to be saved as a class profile
    asked: SelectedBuild | None = None  # what the sources had when they were asked last, still known on earlier pages
    planned: Preview | None = None  # of a project, likewise
    used: tuple[Used, ...] = ()  # settings files that were changed on the way, each with what takes it back

    @property
    def run_is_going(self) -> bool:
        return self.run_id is not None and not self.run_over

    @property
    def has_chosen(self) -> bool:
        """Return whether the person chose what to set up; else the program did."""
        choices, given = self.choices, (self.project, self.profile)
        asked = (choices.torch, choices.variant, choices.companions, choices.python, choices.extras, choices.reuse)
        return any(asked) or any(one is not None for one in given)

    @property
    def named_sources(self) -> Choices:
        """Return the sources that the person named, and nothing else of the choices."""
        named = self.choices
        return Choices(index=named.index, torch_index=named.torch_index, find_links=named.find_links)

    @property
    def of_class(self) -> Message | None:
        """Return which class the setup is of, or that it is chosen for one; None: neither."""
        if self.profile is not None:
            return message("flow.class.of", "Class: {title}", title=self.profile.profile.title)
        is_own = self.preview is not None and self.preview.plan.id == self.run_id
        if not self.for_class or not (self.run_id is None or is_own):
            return None
        return message(
            "flow.class.for",
            "This setup is for the class: “Save class profile…” on the page {page.review} saves it.",
        )

    @property
    def election_is_stale(self) -> bool:
        """Return whether something that the selection depends on (the engine, say) was changed on a later page."""
        if self.selected is None or self.selected_for is None:
            return True
        return _without_place(self.selected_for) != _without_place(self.choices)


def _without_place(choices: Choices) -> Choices:
    return replace(choices, name=None, prefix=None, limit_rate=None, connections=None, cache_dir=None, temp_dir=None)


# The pages beside the wizard: environments, doctor, explain, undo, versions, class, another computer. They are no steps
# and know no Next.
#
# A visit lies on top of the wizard, which stays where it is; going back takes the top one off. Nothing of the wizard's
# state is touched here, and nothing here outlives the window.

Listener = Callable[[], None]


class SideId(str, enum.Enum):
    ENVIRONMENTS = "environments"
    DOCTOR = "doctor"
    EXPLAIN = "explain"
    UNDO = "undo"
    VERSIONS = "versions"
    CLASS = "class"
    FAR_HOST = "far-host"


SIDE_ORDER: tuple[SideId, ...] = tuple(SideId)


@dataclass(frozen=True, slots=True)
class Visit:
    """`prefix`: the environment or the class profile that it is about; None: the person chooses. `text`: what is to be
    explained, which package is to be added, or where the pack of that profile goes."""

    page: SideId
    prefix: Path | None = None
    text: str = ""


class SideFlow:
    def __init__(self) -> None:
        self._visits: tuple[Visit, ...] = ()
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    @property
    def here(self) -> Visit | None:
        """None: the wizard itself is shown."""
        return self._visits[-1] if self._visits else None

    def open(self, page: SideId, prefix: Path | None = None, text: str = "") -> None:
        """On top of where we are. A page is never twice in the way back."""
        kept = tuple(visit for visit in self._visits if visit.page is not page)
        self._move((*kept, Visit(page, prefix, text)))

    def switch(self, page: SideId) -> None:
        """In the place of where we are, as the rail does it."""
        if self.here is None or self.here.page is not page:
            self._move((Visit(page),))

    def back(self) -> None:
        self._move(self._visits[:-1])

    def close(self) -> None:
        if self._visits:
            self._move(())

    def _move(self, visits: tuple[Visit, ...]) -> None:
        self._visits = visits
        for listener in tuple(self._listeners):
            listener()


class PageId(str, enum.Enum):
    WELCOME = "welcome"
    CHECK = "check"
    BUILD = "build"
    SOURCE = "source"
    PLACE = "place"
    REVIEW = "review"
    INSTALL = "install"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class PageSpec:
    """`makes`: fields of AppState that belong to this page. `may_go_next` looks at the state only."""

    id: PageId
    makes: tuple[str, ...]
    may_go_next: Callable[[AppState], bool]


def _checked(state: AppState) -> bool:
    return state.facts is not None and not any(item.blocks for item in state.facts.requirements)


def is_all_well(state: AppState) -> bool:
    """No problem was found, no card that would be idle and no disk that is nearly full: what the pages propose needs
    nobody's opinion."""
    if state.looks is not None and state.looks.is_against:
        return False
    return state.facts is not None and not any(
        row.state == "problem" or (row.name, row.state) == ("disk", "warning") for row in state.facts.requirements
    )


def _picked(state: AppState) -> bool:
    if state.project is not None:
        return _is_agreed(state)
    return state.picked is not None and (state.picked.fits or is_forced(state.picked, state.choices))


def _is_agreed(state: AppState) -> bool:
    """Each difference from what the project asks has its yes. Of a host without one nothing is taken."""
    request = state.request
    if request is None:
        return False
    if state.strict:
        return request.decision.is_exact
    return not request.decision.differing or state.agreed


def _has_source(state: AppState) -> bool:
    """A project's plan chooses among the sources by itself; the page only says which there are."""
    return state.selected is not None or state.project is not None


def _placed(state: AppState) -> bool:
    return state.place is not None and not any(item.blocks for item in state.place)


PAGES: tuple[PageSpec, ...] = (
    PageSpec(PageId.WELCOME, (), lambda state: True),
    PageSpec(PageId.CHECK, ("facts", "looks"), _checked),
    PageSpec(PageId.BUILD, ("verdict", "picked", "news", "request", "agreed"), _picked),
    PageSpec(PageId.SOURCE, ("selected", "selected_for", "persistent"), _has_source),
    PageSpec(PageId.PLACE, ("place",), _placed),
    PageSpec(PageId.REVIEW, ("preview", "is_beginning"), lambda state: state.preview is not None),
    PageSpec(
        PageId.INSTALL,
        ("run_id", "for_jupyter", "opens_network", "run_over", "run_failed"),
        lambda state: state.report is not None,
    ),
    PageSpec(PageId.VERIFY, ("report", "prefix"), lambda state: True),
)
ORDER: tuple[PageId, ...] = tuple(spec.id for spec in PAGES)


_DECIDED = (PageId.BUILD, PageId.SOURCE, PageId.PLACE)  # by a class profile
_PLACE_IS_ASKED = ("name", "place")


def way(state: AppState) -> tuple[PageId, ...]:
    """The pages that are gone through: a class profile leaves out those that it decides, a project the source, unless
    a message led there."""
    if state.project is not None:
        return tuple(page for page in ORDER if page is not PageId.SOURCE or state.picks_source)
    if state.profile is None:
        return ORDER
    asked = state.profile.profile.ask
    left_out = [page for page in _DECIDED if page is not PageId.PLACE or not set(asked) & set(_PLACE_IS_ASKED)]
    return tuple(page for page in ORDER if page not in left_out)


def spec_of(page: PageId) -> PageSpec:
    return PAGES[ORDER.index(page)]


def made_after(page: PageId) -> tuple[str, ...]:
    """The fields that become worthless when something on `page` changes."""
    return tuple(name for spec in PAGES[ORDER.index(page) + 1 :] for name in spec.makes)
