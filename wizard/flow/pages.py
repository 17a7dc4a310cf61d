"""The eight pages in their order, as data: what each one makes, and when its Next may be pressed.

A page's values depend on those of the pages before it; so whatever changes on one page makes the values
of every later page worthless. That one rule is all that the navigator knows.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from wizard.flow.grid import is_forced
from wizard.flow.state import State


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
    """`makes`: fields of State that belong to this page. `may_go_next` looks at the state only."""

    id: PageId
    makes: tuple[str, ...]
    may_go_next: Callable[[State], bool]


def _checked(state: State) -> bool:
    return state.facts is not None and not any(item.blocks for item in state.facts.requirements)


def is_all_well(state: State) -> bool:
    """No problem was found and no disk that is nearly full: what the pages propose needs nobody's opinion."""
    return state.facts is not None and not any(
        row.state == "problem" or (row.name, row.state) == ("disk", "warning") for row in state.facts.requirements
    )


def _picked(state: State) -> bool:
    return state.picked is not None and (state.picked.fits or is_forced(state.picked, state.choices))


def _placed(state: State) -> bool:
    return state.place is not None and not any(item.blocks for item in state.place)


PAGES: tuple[PageSpec, ...] = (
    PageSpec(PageId.WELCOME, (), lambda state: True),
    PageSpec(PageId.CHECK, ("facts", "looks"), _checked),
    PageSpec(PageId.BUILD, ("verdict", "picked", "news"), _picked),
    PageSpec(PageId.SOURCE, ("election", "elected_for", "lasting"), lambda state: state.election is not None),
    PageSpec(PageId.PLACE, ("place",), _placed),
    PageSpec(PageId.REVIEW, ("preview", "is_beginning"), lambda state: state.preview is not None),
    PageSpec(PageId.INSTALL, ("run_id", "run_over"), lambda state: state.report is not None),
    PageSpec(PageId.VERIFY, ("report", "prefix"), lambda state: True),
)
ORDER: tuple[PageId, ...] = tuple(spec.id for spec in PAGES)


_DECIDED = (PageId.BUILD, PageId.SOURCE, PageId.PLACE)  # by a class profile
_PLACE_IS_ASKED = ("name", "place")


def way(state: State) -> tuple[PageId, ...]:
    """The pages that are gone through: a class profile leaves out those that it decides."""
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
