"""Marks in a sentence: what the window says in another way than the terminal.

    `pip install x`                       a command, an option or a setting of another program
    {page.source}                         the name of a page of the window
    [on the page {page.place}|--prefix]   what the window says, and what the terminal says

They are read before the blanks are filled, so what fills a blank is never taken for one. A mark holds no other of its
kind.
"""

from __future__ import annotations

import re

from wizard.model.catalogue import N_, translate

# Where the window's words hold a command, and the id of a page: characters that Unicode leaves to a program's inside.
COMMAND, PAGE, END = "\ufdd0", "\ufdd1", "\ufdd2"
UNSIGNED = dict.fromkeys(map(ord, (COMMAND, PAGE, END)))
PAGE_NAMES = {
    "welcome": N_("Welcome"),
    "check": N_("Check"),
    "build": N_("Build"),
    "source": N_("Source"),
    "place": N_("Place"),
    "review": N_("Review"),
    "install": N_("Install"),
    "verify": N_("Verify"),
    "environments": N_("Environments"),
    "doctor": N_("Check or repair"),
    "explain": N_("Explain an error"),
    "undo": N_("Undo changes"),
    "versions": N_("PyTorch versions"),
    "class": N_("Class"),
    "far-host": N_("Another computer"),
}
_EITHER = re.compile(r"(?P<command>`[^`]*`)|\[(?P<window>[^\[\]|]*)\|(?P<terminal>[^\]]*)\]")
_COMMAND = re.compile("`([^`]*)`")
_PAGE = re.compile(r"\{page\.([a-z-]+)\}")


def page_name(page: str, language: str) -> str:
    return translate(PAGE_NAMES[page], language)


def in_terminal(template: str, language: str) -> str:
    """Return a sentence as the terminal and files say it, without marks."""
    template = _EITHER.sub(lambda found: found["terminal"] if found["command"] is None else found[0][1:-1], template)
    return _PAGE.sub(lambda found: page_name(found[1], language), template)


def in_window(template: str, language: str = "") -> str:
    """Return a sentence as the window says it, with signs around the commands and the ids of pages."""
    template = _EITHER.sub(lambda found: found[0] if found["command"] else found["window"], template)
    template = _COMMAND.sub(rf"{COMMAND}\1{END}", template)
    return _PAGE.sub(rf"{PAGE}\1{END}", template)
