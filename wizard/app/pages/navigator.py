"""Where the person is, what has been reached, and what going back throws away.

Not a view and not the session: it holds one frozen AppState and the name of a page. Listeners are told
after every change; a preview that is thrown away is handed to `on_drop`, for it owns files.

One file: every way to go is a change of the one state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wizard.app.pages.order import ORDER, AppState, PageId, made_after, spec_of, way
from wizard.app.pages.report import read_report
from wizard.compatibility.model import TODAY, Candidate, Choices, Plan, Verdict
from wizard.run.model import Facts, Preview, Requirement, SelectedBuild

if TYPE_CHECKING:
    from wizard.app.pages.check import Looks
    from wizard.app.project import ProjectRequest
    from wizard.app.use.settings import Used, UsePlan
    from wizard.classroom.join import Classroom
    from wizard.classroom.profile.model import ProfileFile
    from wizard.project.model import Project
    from wizard.run.select.learned_rows import JudgedBuild

Listener = Callable[[], None]
OnDrop = Callable[[str], None]
_LED_TO = ORDER[ORDER.index(PageId.CHECK) : ORDER.index(PageId.INSTALL)]  # nothing is installed by a message


class WrongWay(Exception):
    """A page was asked for that the state does not allow: a mistake in the window, never the person's."""


class Navigator:
    def __init__(self, on_drop: OnDrop | None = None) -> None:
        self._state = AppState()
        self._page = ORDER[0]
        self._hurries = False
        self._hurries_to = PageId.REVIEW
        self._listeners: list[Listener] = []
        self._on_drop = on_drop

    # -- where we are

    @property
    def state(self) -> AppState:
        return self._state

    @property
    def page(self) -> PageId:
        return self._page

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def may_go_next(self) -> bool:
        return self._page is not ORDER[-1] and spec_of(self._page).may_go_next(self._state)

    def may_go_back(self) -> bool:
        return self._page is not ORDER[0] and self._state.run_id is None and not self._state.is_beginning

    def is_done(self, page: PageId) -> bool:
        is_passed = ORDER.index(page) < ORDER.index(self._page)  # or decided: by a profile, a project
        return is_passed or (page is self._page is PageId.VERIFY and not self.has_failed(page))

    def may_go_to(self, page: PageId) -> bool:
        """What the rail lets the person click: pages that were reached. A started run cannot be un-decided,
        so from then on only its own two pages and the start are left."""
        if page not in way(self._state):
            return False
        if page is self._page or self._state.is_beginning:
            return page is self._page
        if self._state.run_id is None:
            return self.is_done(page)
        if page is PageId.VERIFY:
            return self._state.report is not None
        return page in (PageId.WELCOME, PageId.INSTALL)

    def may_open(self, page: PageId) -> bool:
        """Tell whether a message that names this page can lead there."""
        if page is PageId.SOURCE and self._state.request is not None and self._page is not page:
            return self._state.run_id is None and not self._state.is_beginning
        return page is not self._page and self.may_go_to(page)

    # -- moving

    @property
    def hurries(self) -> bool:
        """On the way to Review by what each page proposes; any page that needs the person ends it."""
        return self._hurries and ORDER.index(self._page) < ORDER.index(self._hurries_to)

    @property
    def chooses(self) -> bool:
        """On that way, or at its end until Review has its plan: what is shown meanwhile is one calm page."""
        here, end = ORDER.index(self._page), ORDER.index(self._hurries_to)
        return self._hurries and PageId.CHECK is not self._page and here < end + (self._hurries_to is PageId.REVIEW)

    def hurry(self, to: PageId = PageId.REVIEW) -> None:
        """The pages up to this one are gone through as they stand: where all is well, or to the one that is not."""
        self._hurries, self._hurries_to = True, to
        self.go_next()

    def may_lead_to(self, page: PageId) -> bool:
        """Tell whether a message can go through the pages up to this one: in a new setup where none is under way. A
        profile whose run failed is not given up for what it decides."""
        if self._state.is_beginning or self._state.run_is_going or page not in _LED_TO:
            return False
        if self._state.profile is not None and self._state.report is None and page not in way(self._state):
            return False
        return self._begins_anew or (page in way(self._state) and not self.is_done(page) and self._may_come_to_next)

    def lead_to(self, page: PageId) -> None:
        """Go through the pages up to this one as they stand. Raises WrongWay where that cannot be."""
        if not self.may_lead_to(page):
            raise WrongWay(f"through to {page.value} from {self._page.value}")
        if self._begins_anew:
            self.restart()
        self._hurries, self._hurries_to = True, page
        if self.may_go_next():
            self.go_next()

    @property
    def _begins_anew(self) -> bool:
        return self._page is PageId.WELCOME or self._state.run_over

    @property
    def _may_come_to_next(self) -> bool:
        """Check goes on by itself as soon as it knows the computer."""
        return self.may_go_next() or (self._page is PageId.CHECK and self._state.facts is None)

    def stop_hurrying(self) -> None:
        self._hurries = False

    def go_next(self) -> None:
        if not self.may_go_next():
            raise WrongWay(f"next from {self._page.value}")
        pages = way(self._state)
        self._move(pages[pages.index(self._page) + 1], self._state)

    def go_back(self) -> None:
        """Show the page before this one. Raises WrongWay where there is none."""
        if not self.may_go_back():
            raise WrongWay(f"back from {self._page.value}")
        self._hurries = False
        pages = way(self._state)
        self.go_to(pages[pages.index(self._page) - 1])

    def go_to(self, page: PageId) -> None:
        """Show a page of the way; Welcome begins anew. Raises WrongWay where it cannot be reached yet."""
        if not self.may_go_to(page):
            raise WrongWay(f"to {page.value} from {self._page.value}")
        self._hurries = False
        if page is PageId.WELCOME:
            self.restart()
        elif self._state.run_id is None:
            self._move(page, self._cleared(self._state, page))
        else:
            self._move(page, self._state)

    def open_page(self, page: PageId, opens_network: bool = False) -> None:
        """Show a page that a message names, a project's source too. Raises WrongWay where it cannot be reached."""
        if page is not PageId.SOURCE or not self.may_open(page):
            self.go_to(page)
            return
        self._hurries = False
        self._move(page, replace(self._cleared(self._picking(page), page), opens_network=opens_network))

    def restart(self) -> None:
        """Back to the start. The choices stay as suggestions, a run that is going goes on by itself."""
        self._hurries = False
        is_own = self._state.run_id is None and self._state.profile is None and self._state.project is None
        kept = self._state.choices if is_own else Choices()
        self._move(ORDER[0], AppState(choices=kept))

    def may_choose_again(self, page: PageId) -> bool:
        """Tell whether the run has ended without a result and this window has chosen on that page what it was for."""
        state = self._state
        is_own = state.preview is not None and state.preview.plan.id == state.run_id
        is_asked = page in way(state) or (page is PageId.SOURCE and state.request is not None)
        return is_own and state.run_over and state.report is None and page in _LED_TO and is_asked

    def choose_again(self, page: PageId, opens_network: bool = False) -> None:
        """Back to a page with what was chosen before, for a run that failed and is removed. Raises WrongWay where this
        window did not choose it."""
        if self._state.run_is_going or self._state.preview is None:
            raise WrongWay(f"to {page.value} from {self._page.value}")
        last = PageId.PLACE if page is PageId.REVIEW else page  # its plan was removed with the run
        cleared = self._cleared(self._picking(page), last)
        self._move(page, replace(cleared, prefix="", opens_network=opens_network))

    def open_profile(
        self,
        profile: ProfileFile,
        choices: Choices,
        classroom: Classroom | None = None,
        hand_on: bool = False,
        trusted: frozenset[str] = frozenset(),
    ) -> None:
        """A class profile is carried out: on to the look at this computer. `choices`: as the profile says; `trusted`:
        hosts of it that the person said yes to."""
        self._hurries = False
        state = AppState(choices=choices, profile=profile, classroom=classroom, hand_on=hand_on, trusted=trusted)
        self._move(PageId.CHECK, state)

    def open_setup_for_class(self) -> None:
        """A new setup, to be saved as a class profile: the look at this computer comes first."""
        self.restart()
        self._move(PageId.CHECK, replace(self._state, for_class=True))

    def open_project(self, project: Project, choices: Choices) -> None:
        """A project decides the build; the look at this computer comes first. `choices`: where it goes."""
        self._hurries = False
        self._move(PageId.CHECK, AppState(choices=choices, project=project))

    # -- what the pages found out; each one throws away what was made after its page

    def put_facts(self, facts: Facts | None) -> None:
        self._put(PageId.CHECK, replace(self._state, facts=facts, looks=None))

    def put_looks(self, looks: Looks) -> None:
        """Beside the facts: nothing hangs on them."""
        self._move(self._page, replace(self._state, looks=looks))

    def put_news(self, news: tuple[JudgedBuild, ...]) -> None:
        self._move(self._page, replace(self._state, news=news))

    def put_verdict(self, choices: Choices, verdict: Verdict, picked: Candidate | None) -> None:
        self._put(PageId.BUILD, replace(self._state, choices=choices, verdict=verdict, picked=picked))

    def replace_project(self, project: Project) -> None:
        """Another file of it decides, also on its day; the look at this computer stays."""
        choices = replace(self._state.choices, as_of=None)
        self._put(PageId.CHECK, replace(self._state, project=project, choices=choices))

    def take_torch(self, torch: str) -> None:
        """Another torch than a project asks for, which no source has: Build shows what differs then, for its yes."""
        state = replace(self._state, choices=replace(self._state.choices, torch=torch))
        self._move(PageId.BUILD, self._cleared(state, PageId.CHECK))

    def put_request(self, request: ProjectRequest) -> None:
        """What the project gets on this computer; what was agreed to was another one's."""
        self._put(PageId.BUILD, replace(self._state, request=request, agreed=False, planned=None))

    def put_agreed(self, agreed: bool, strict: bool, trusted: frozenset[str]) -> None:
        self._put(PageId.BUILD, replace(self._state, agreed=agreed, strict=strict, trusted=trusted))

    def put_newest(self, is_newest: bool) -> None:
        """Whether what an old project leaves open is none of its time; its Python hangs on that, too."""
        choices = replace(self._state.choices, as_of=TODAY if is_newest else None)
        self._put(PageId.BUILD, replace(self._state, choices=choices))

    def put_parts(self, request: ProjectRequest) -> None:
        """Whether what lies on no index is installed last; nothing that was decided hangs on it."""
        choices = replace(self._state.choices, parts=request.choices.parts)
        self._put(PageId.BUILD, replace(self._state, choices=choices, request=request, planned=None))

    def put_sources(self, choices: Choices) -> None:
        """Take sources that were chosen by hand: the build has to be selected again."""
        self._put(PageId.SOURCE, replace(self._unelected(), choices=choices))

    def put_network(self, facts: Facts) -> None:
        """Another way to the network: the same computer, but the sources have to be asked again."""
        self._put(PageId.SOURCE, replace(self._unelected(), facts=facts))

    def put_selected_build(self, selected: SelectedBuild) -> None:
        """Take over the build that was chosen; from Review only the preview is made anew."""
        state = replace(self._state, selected=selected, selected_for=self._state.choices, asked=selected)
        if self._page is PageId.REVIEW:  # the engine was changed on Place: only the preview hangs on it
            self._put(PageId.PLACE, state)
        else:
            self._put(PageId.SOURCE, state)

    def put_persistent(self, plans: tuple[UsePlan, ...]) -> None:
        """Written when the setup begins; the plan of the setup does not hang on it."""
        self._move(self._page, replace(self._state, persistent=plans))

    def put_place(self, choices: Choices, place: tuple[Requirement, ...] | None) -> None:
        self._put(PageId.PLACE, replace(self._state, choices=choices, place=place))

    def put_preview(self, preview: Preview) -> None:
        self._put(PageId.REVIEW, replace(self._state, preview=preview, planned=preview))

    def keep_limits(self, rate: int | None, connections: int | None) -> None:
        """For who comes back to Review; no page shows them meanwhile, so nobody is told."""
        self._state = replace(
            self._state, choices=replace(self._state.choices, limit_rate=rate, connections=connections)
        )

    def put_limits(self, plan: Plan) -> None:
        """The plan was saved again with these limits; nothing else of it has changed."""
        self.keep_limits(plan.choices.limit_rate, plan.choices.connections)
        state = self._state
        if state.preview:
            state = replace(state, preview=replace(state.preview, plan=plan))
        self._move(self._page, state)

    def put_used(self, used: Used, rest: tuple[UsePlan, ...]) -> None:
        """One of the mirrors was written into the settings; `rest` are still to be."""
        self._move(self._page, replace(self._state, used=(*self._state.used, used), persistent=rest))

    # -- the run

    def begin(self, is_beginning: bool) -> None:
        """Settings are written and the worker is started: until that is done, nobody turns the page."""
        self._move(self._page, replace(self._state, is_beginning=is_beginning))

    def show_run(self, run_id: str, for_jupyter: bool = False) -> None:
        """A run was started, resumed or found going: from here on it is the only thing that counts."""
        state = replace(self._state, run_id=run_id, run_over=False, run_failed=False, report=None, is_beginning=False)
        is_same = self._state.run_id == run_id
        state = replace(state, for_jupyter=for_jupyter or (is_same and self._state.for_jupyter))
        self._move(PageId.INSTALL, state, drop=False)

    def put_run_over(self, report: Mapping[str, Any] | None, prefix: str = "", has_failed: bool = False) -> None:
        """The worker is through; with a report there is something to verify."""
        over = replace(self._state, run_over=True, run_failed=has_failed, report=report, prefix=prefix)
        self._move(self._page, over, drop=False)

    def has_failed(self, page: PageId) -> bool:
        """Tell whether the run ended with an error, or the test of its environment."""
        if page is PageId.INSTALL:
            return self._state.run_failed
        if page is PageId.VERIFY and self._state.report is not None:
            view = read_report(self._state.report)
            return not view.ok or view.gpu_ok is False
        return False

    # -- inside

    def _picking(self, page: PageId) -> AppState:
        """A project's source is asked for as soon as a message has led there."""
        picks = self._state.picks_source or (page is PageId.SOURCE and self._state.project is not None)
        return replace(self._state, picks_source=picks)

    def _unelected(self) -> AppState:
        return replace(self._state, selected=None, selected_for=None, asked=None, persistent=())

    def _put(self, page: PageId, state: AppState) -> None:
        self._move(self._page, self._cleared(state, page))

    @staticmethod
    def _cleared(state: AppState, page: PageId) -> AppState:
        blank = AppState()
        return replace(state, **{name: getattr(blank, name) for name in made_after(page)})

    def _move(self, page: PageId, state: AppState, drop: bool = True) -> None:
        before = self._state
        self._state, self._page = state, page
        if drop and self._on_drop and before.preview and before.run_id is None:
            still = state.preview and state.preview.plan.id == before.preview.plan.id
            if not still:
                self._on_drop(before.preview.plan.id)
        for listener in tuple(self._listeners):
            listener()
