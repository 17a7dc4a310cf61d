"""`setup --profile FILE`: the class profile's part of a setup, before anything is looked at."""

from __future__ import annotations

import argparse
from pathlib import Path

from wizard.cli.terminal import Terminal
from wizard.i18n import message
from wizard.plan.model import Choices
from wizard.profile.model import ProfileFile
from wizard.profile.read import read_profile
from wizard.session.place import target_prefix
from wizard.session.profile import check_target, profile_choices


def with_profile(
    arguments: argparse.Namespace, choices: Choices, terminal: Terminal
) -> tuple[ProfileFile | None, Choices]:
    """The profile that was named, and the choices that it leaves. Raises UsageError `profile-…`."""
    if not arguments.profile:
        return None, choices
    file = read_profile(Path(arguments.profile).expanduser())
    terminal.language = terminal.language or file.profile.language
    return file, profile_choices(file.profile, choices)


def is_there(file: ProfileFile | None, choices: Choices, terminal: Terminal) -> bool:
    """A second setup from the same profile changes nothing, and takes no time. Raises UsageError `profile-…`."""
    if file is None or not check_target(file, choices):
        return False
    terminal.say(message("profile.already", prefix=str(target_prefix(choices))))
    return True
