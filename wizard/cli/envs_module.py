"""`torch-wizard envs module`: a module file (Lmod, Environment Modules) for an environment."""

from __future__ import annotations

import argparse
from pathlib import Path

from wizard.cli.new_file import write_new
from wizard.cli.terminal import Terminal
from wizard.environments.module_file import (
    lua_module,
    module_facts,
    module_name,
    modules_folder,
    tcl_module,
    usual_name,
)
from wizard.errors import ExitStatus, UsageError
from wizard.i18n import message
from wizard.session.environments import find_environment


def module(arguments: argparse.Namespace, terminal: Terminal) -> int:
    found = find_environment(arguments.environment)
    if any(ord(sign) < 32 for sign in str(found.prefix)):
        raise UsageError("module-place", path=str(found.prefix).replace("\n", " "))
    output = Path(arguments.output).expanduser().absolute() if arguments.output else None
    is_lua = arguments.format == "lua" or (arguments.format is None and output is not None and output.suffix == ".lua")
    torch = f"{found.torch}+{found.variant}" if found.torch and found.variant else found.torch
    facts = module_facts(found.prefix, torch, found.python)
    text = lua_module(facts) if is_lua else tcl_module(facts)
    if output is None:
        terminal.line(text.rstrip("\n"))
        return ExitStatus.DONE
    if output.is_dir():
        output = output / usual_name(found.prefix, is_lua)
    write_new(output, text, in_new_folder=True)  # a module is called by its folder too: torch/2.14
    terminal.say(
        message("fleet.module.saved", path=str(output), folder=str(modules_folder(output)), name=module_name(output))
    )
    return ExitStatus.DONE
