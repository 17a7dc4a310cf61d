"""Where downloads and package caches go, and where temporary files: a choice of its own each, beside the environment.

What an option says counts for its run (it is in the plan) and, after a yes, for later starts; it is kept in the
program's settings file. In force is what stands in two variables of this process, which its children inherit. Every
start takes what was saved, so nothing is imported here that takes its time.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.model.errors import UsageError, WizardError
from wizard.safety.state import read_settings, write_settings
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.compatibility.model import Choices

DEFAULT = "default"  # the word that takes a choice back
_KEY = "volumes"
_VARIABLES = {"cache": paths.CACHE_VARIABLE, "temp": paths.TEMP_VARIABLE, "store": paths.STORE_VARIABLE}


def take_saved() -> None:
    """For this start and its children; what the shell says goes before."""
    saved = read_settings(paths.settings_file()).get(_KEY)
    for name, variable in _VARIABLES.items():
        place = saved.get(name) if isinstance(saved, dict) else None
        if isinstance(place, str) and Path(place).is_absolute() and "\0" not in place:
            os.environ.setdefault(variable, place)


def with_volumes(choices: Choices) -> Choices:
    """Puts the wishes in force; the choices then name what is in force, so that a resumed run takes the same."""
    for variable, wish in ((paths.CACHE_VARIABLE, choices.cache_dir), (paths.TEMP_VARIABLE, choices.temp_dir)):
        if wish == DEFAULT:
            os.environ.pop(variable, None)
        elif wish is not None:
            os.environ[variable] = absolute(wish)
    cache, temp = paths.chosen_cache(), paths.chosen_temp()
    return replace(choices, cache_dir=str(cache) if cache else None, temp_dir=str(temp) if temp else None)


def absolute(wish: str) -> str:
    """Raises UsageError `bad-prefix`."""
    from wizard.environment.naming import BAD_PREFIX

    if not wish.strip() or "\0" in wish:
        raise UsageError(BAD_PREFIX, path=wish)
    return os.path.normpath(Path(wish).expanduser().absolute())


def prepare(choices: Choices) -> None:
    """Right before the work: in force, and there. Raises WizardError `cache-dir-not-writable`, `temp-dir-…`."""
    with_volumes(choices)
    for name, folder in (("cache-dir", paths.chosen_cache()), ("temp-dir", paths.chosen_temp())):
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WizardError(f"{name}-not-writable", details=str(error), path=str(folder)) from error


def remember(wished: Choices) -> None:
    """What was asked for, for later starts; nothing where nothing was. Raises WizardError `state-not-writable`."""
    wishes = {"cache": wished.cache_dir, "temp": wished.temp_dir}
    if not any(wishes.values()):
        return
    every = read_settings(paths.settings_file())
    saved = every.get(_KEY)
    known = dict(saved) if isinstance(saved, dict) else {}
    for name, wish in wishes.items():
        if wish == DEFAULT:
            known.pop(name, None)
        elif wish:
            known[name] = absolute(wish)
    _save({**every, _KEY: known})


def save_place(name: str, place: Path) -> None:
    """Put one place in force, for this process and for later starts. Raises WizardError `state-not-writable`."""
    every = read_settings(paths.settings_file())
    saved = every.get(_KEY)
    _save({**every, _KEY: {**(saved if isinstance(saved, dict) else {}), name: str(place)}})
    os.environ[_VARIABLES[name]] = str(place)


def _save(settings: dict[str, Any]) -> None:
    try:
        write_settings(paths.settings_file(), settings)
    except OSError as error:
        raise WizardError("state-not-writable", details=str(error), path=str(paths.home())) from error
