"""`torch-wizard matrices show | check | refresh`: what the decision knows, whether it is sound, and what is new."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.cli.command import Arguments, CommandGroup, argument, flag, option
from wizard.cli.help import N_
from wizard.cli.options import JSON, find_links
from wizard.cli.tables import align
from wizard.cli.terminal import Terminal
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.model import PLATFORMS
from wizard.compatibility.data.ordering import branch_of, version_key
from wizard.compatibility.model import Choices
from wizard.machine.host.operating_system import normal_arch
from wizard.model.errors import ExitStatus, UsageError
from wizard.model.messages import message, text
from wizard.model.table_update import tables_in_use
from wizard.system import paths

if TYPE_CHECKING:
    from wizard.app.use import tables as use_cases
    from wizard.run.select.new_builds import NewBuild

matrices = CommandGroup("matrices")
_PYTHONS = "Python (experimental)"


@matrices.add(
    "show",
    N_("the releases, or one with its builds"),
    argument("torch", "[TORCH]", N_("a torch release, such as 2.14.1 (default: all)"), required=False),
    JSON,
)
def _show(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import tables as use_cases

    document = use_cases.document(load_matrix(), arguments.torch)
    if arguments.json:
        terminal.document(document)
        return ExitStatus.DONE
    releases = document["releases"]
    terminal.line(_builds_table(releases[0]) if arguments.torch else _releases_table(releases))
    warn_of_overlay(terminal)
    return ExitStatus.DONE


def _releases_table(releases: list[Mapping[str, Any]]) -> str:
    drivers = "builds with their oldest driver (Linux/Windows)"
    head = ["torch", "released", "torchvision", "torchaudio", _PYTHONS, "confidence", drivers]
    rows = [
        [
            one["torch"],
            one["released"],
            one["torchvision"] or "?",
            one["torchaudio"] or "?",
            _pythons(*one["builds"]),
            one["confidence"],
            ", ".join(_with_drivers(one["builds"])),
        ]
        for one in reversed(releases)
    ]
    return align([head, *rows])


def _with_drivers(builds: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each CUDA tag with the driver branches that run it: `cu126 525/528`."""
    for variant in dict.fromkeys(build["variant"] for build in builds if build["advertised"]):
        of_it = [build for build in builds if build["variant"] == variant and build["driver_floor"]]
        floors = {build["platform"].partition("_")[0]: str(branch_of(build["driver_floor"])) for build in of_it}
        yield f"{variant} {floors.get('linux', '-')}/{floors.get('win', '-')}" if floors else variant


def _builds_table(release: Mapping[str, Any]) -> str:
    head = ["build", "platform", _PYTHONS, "driver", "code", "MB", "confidence", "source"]
    rows = [
        [
            f"{release['torch']}+{one['variant']}",
            one["platform"],
            _pythons(one),
            one["driver_floor"] or "-",
            _span(one["architectures"] or ["-"]),
            str(round(one["bytes"] / 1e6)) if one["bytes"] else "-",
            one["confidence"],
            one["source"],
        ]
        for one in release["builds"]
    ]
    return align([head, *rows])


def _pythons(*builds: Mapping[str, Any]) -> str:
    """Those with a wheel of any of the builds; in parentheses where PyTorch calls every such wheel experimental."""
    full = {python for build in builds for python in build["pythons"]}
    early = {python for build in builds for python in build["experimental_pythons"]} - full
    spans = [_span(sorted(full, key=version_key))] if full else []
    spans += [f"({_span(sorted(early, key=version_key))})"] if early else []
    return " ".join(spans) or "-"


def _span(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{items[0]} … {items[-1]}"


@matrices.add(
    "check",
    N_("is every row well formed and does it agree with the others?"),
    argument("folder", "[FOLDER]", N_("tables elsewhere (default: ours and the overlay)"), required=False),
    JSON,
)
def _check(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import tables as use_cases

    folder = Path(arguments.folder) if arguments.folder else None
    if folder is not None and not folder.is_dir():
        raise UsageError(
            "no-matrices",
            "There is no folder {path}.",
            "Give a folder with tables such as releases.csv, or leave it out.",
            path=str(folder),
        )
    problems = use_cases.check(folder)
    pins = None if problems else use_cases.count_pins(folder)
    if arguments.json:
        counts = asdict(pins) if pins else None
        terminal.document({"schema": use_cases.SCHEMA, "problems": list(problems), "pins": counts})
        return ExitStatus.FAILED if problems else ExitStatus.DONE
    for problem in problems:
        terminal.line(problem)
    terminal.say(message("matrices.unsound" if problems else "matrices.sound", count=len(problems)))
    if pins:
        terminal.say(
            message(
                "matrices.pins",
                "Builds that can be the best since torch 2.6 (each Python counted): {best}; with a wheel "
                "pinned by SHA-256: {pinned}; under each of its names: {whole}. Of the other {open}, "
                "nothing but the official page tells a false wheel from the true one.",
                open=pins.best - pins.pinned,
                **asdict(pins),
            )
        )
    return ExitStatus.FAILED if problems else ExitStatus.DONE


@matrices.add(
    "refresh",
    N_("ask the sources for newer releases and keep them on this computer"),
    flag("--remove", help=N_("forget all that was learnt this way")),
    flag("--all-platforms", help=N_("not only this computer's")),
    option("--torch-index", metavar="URL", help=N_("torch wheels, simple or flat")),
    option("--index", metavar="URL", help=N_("Python packages")),
    find_links(N_("a folder or page of wheels")),
    JSON,
)
def _refresh(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import tables as use_cases
    from wizard.app.use.network import load_network, with_network
    from wizard.toolconfig.settings import read_user_settings

    if arguments.remove:
        return _forget(arguments, terminal)
    choices = Choices(index=arguments.index, torch_index=arguments.torch_index, find_links=tuple(arguments.find_links))
    settings = with_network(read_user_settings(os.environ, Path.home(), paths.os_name()), load_network())
    done = use_cases.refresh(choices, settings, _platforms(arguments.all_platforms), lambda: False)
    if arguments.json:
        terminal.document(_document(done))
        return ExitStatus.DONE
    for words in dict.fromkeys(terminal.words(words) for _, words in done.silent):
        terminal.write(f"! {words}")
    fresh = [build for build in done.builds if build not in done.before]
    for line in dict.fromkeys(told(build, terminal) for build in fresh):  # of several systems often the same
        terminal.line(line)
    taken = len(done.taken) - len(done.before)
    folder = done.overlay.folder if done.overlay else ""
    terminal.say(
        message(
            "matrices.learnt",
            "New builds that are now known on this computer ({folder}): {count}. Take them back [on the page "
            "{page.versions}.|with: torch-wizard matrices refresh --remove]",
            count=taken,
            folder=folder,
        )
        if taken
        else message(
            "matrices.nothing-new", "The sources have nothing that can be used and that the tables do not know."
        )
    )
    return ExitStatus.DONE


def _platforms(every: bool) -> tuple[str, ...]:
    own = PLATFORMS.get((paths.os_name(), normal_arch(platform.machine())))
    return tuple(PLATFORMS.values()) if every or own is None else (own,)


def _forget(arguments: Arguments, terminal: Terminal) -> int:
    from wizard.app.use import tables as use_cases

    was_there = use_cases.forget()
    if arguments.json:
        terminal.document({"schema": use_cases.SCHEMA, "removed": was_there})
    else:
        terminal.say(message("matrices.forgotten" if was_there else "matrices.no-overlay"))
    return ExitStatus.DONE


def _document(done: use_cases.Refreshed) -> dict[str, Any]:
    from wizard.app.use import tables as use_cases

    return {
        "schema": use_cases.SCHEMA,
        "new": [news_document(build) for build in done.builds],
        "taken": [f"{build.torch}+{build.variant} {build.platform}" for build in done.taken],
        "overlay": done.overlay.folder if done.overlay else None,
        "silent": [text(source.label) for source, _ in done.silent],
    }


def news_document(build: NewBuild) -> dict[str, Any]:
    """Return a build that was learnt from a source as JSON values."""
    return {
        "torch": build.torch,
        "variant": build.variant,
        "platform": build.platform,
        "pythons": list(build.pythons),
        "architectures": None if build.architectures is None else list(build.architectures),
        "evidence": build.evidence,
        "confidence": build.confidence,
        "as_of": build.as_of or None,
        "source": text(build.source.label),
        "file": build.file,
        "read_bytes": build.read_bytes,
    }


def told(build: NewBuild, terminal: Terminal) -> str:
    """One line of a new build for people."""
    params = {"build": f"{build.torch}+{build.variant or '?'}", "source": build.source.label}
    if build.architectures is None:
        why = terminal.words(build.failure) if build.failure else "?"
        return terminal.words(message("matrices.kernels-unknown", why=why, **params))
    if not build.architectures:
        return terminal.words(
            message(
                "matrices.new-cpu", "New in {source}, not in our tables: torch {build}, for the processor.", **params
            )
        )
    first, last = build.architectures[0], build.architectures[-1]
    sure = terminal.words(message(f"matrices.sure.{build.confidence}"))
    return terminal.words(message("matrices.new", first=first, last=last, date=build.as_of, sure=sure, **params))


def warn_of_overlay(terminal: Terminal) -> None:
    """A damaged overlay, or an update that does not count, is named wherever the data are used; the shipped data
    answer."""
    tables = tables_in_use()
    if tables.update and tables.left_out == "damaged":
        terminal.say(
            message(
                "update.left-out.damaged",
                "The tables of update {number} are damaged, so this program's own count. Fetch them again, or "
                "take them back, [on the page {page.versions}.|with: torch-wizard update (--undo)]",
                number=tables.update.version,
            )
        )
    elif tables.update and tables.left_out:
        terminal.say(
            message(
                "update.left-out.program",
                "The tables of update {number} were checked by program {program}, so this program's own count. "
                "Ask anew [on the page {page.versions}.|with: torch-wizard update]",
                number=tables.update.version,
                program=tables.update.program,
            )
        )
    overlay = load_matrix().overlay
    if overlay and overlay.problems:
        terminal.say(
            message(
                "matrices.damaged",
                "What was learnt earlier ({folder}) is damaged and was left out: {first}. Take it away [on the "
                "page {page.versions}.|with: torch-wizard matrices refresh --remove]",
                folder=overlay.folder,
                first=overlay.problems[0],
            )
        )
