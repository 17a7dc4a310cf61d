"""`torch-wizard pick`: the verdict for this computer, or for one machine file or a whole lab of them.

A bad file among several is named and passed over, the others are answered, and the exit status is 2 in the end. The
sources are asked for this computer only: what a described machine would reach is not known here. In the text table the
best is marked, the other cells say in three words why not; shown is the newest patch of the newest releases, and always
the best. `--json` has everything. One file: the table and the document are one answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.cli.command import Arguments, command, flag, option
from wizard.cli.help import N_
from wizard.cli.options import (
    AS_OF,
    BUILD,
    JSON,
    NETWORK,
    NO_MACHINE_FILES,
    SOURCES,
    choices_from,
    names_network,
    network_from,
)
from wizard.cli.tables import align, width
from wizard.cli.terminal import Terminal
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.data.model import Matrix
from wizard.compatibility.data.ordering import variant_key, version_key
from wizard.compatibility.explain import (
    after_update,
    cuda_numbers,
    pick_document,
    variant_name,
    why_not,
    why_not_newest,
)
from wizard.compatibility.model import Candidate, Choices, Verdict
from wizard.compatibility.other_makers import card_words
from wizard.compatibility.resolve import Judge, canonical, check_choices
from wizard.machine.machine_file import read_machine_file
from wizard.machine.model import Machine
from wizard.model.errors import ExitStatus, UsageError, WizardError
from wizard.model.messages import Message, message, text

if TYPE_CHECKING:  # what asks the sources is loaded by who does
    from wizard.app.session import Session
    from wizard.run.model import Facts
    from wizard.run.select.learned_rows import JudgedBuild
    from wizard.transfer.proxy.model import Network

_ROWS = 6
_MOST_COLUMNS = 7
_GAP = "  "


@command(
    "pick",
    option("--machine", takes_several=True, metavar="FILE...", help=N_("machine files, or a folder of them")),
    option(
        "--project",
        metavar="PATH",
        help=N_("decide for what this project (folder, file or address) asks; nothing of it is run"),
    ),
    flag("--strict", help=N_("with --project: exactly what it asks, or exit status 1")),
    AS_OF,
    JSON,
    flag("--explain", help=N_("every link of the proof with its source, and all others")),
    flag("--offline", help=N_("ask no source: decide by the shipped tables alone")),
    *BUILD,
    *SOURCES,
    *NETWORK,
)
def pick(arguments: Arguments, terminal: Terminal) -> int:
    choices, matrix = canonical(choices_from(arguments)), load_matrix()
    if not arguments.project and (arguments.strict or arguments.as_of):
        from wizard.cli.project import check_is_of_project

        check_is_of_project(arguments, "strict", "as_of")
    is_live = not (arguments.machine or choices.offline or arguments.project)
    network = network_from(arguments) if is_live or names_network(arguments) else None
    check_choices(choices, matrix)
    if matrix.overlay and matrix.overlay.problems:
        from wizard.cli.sources.matrices import warn_of_overlay

        warn_of_overlay(terminal)
    if is_live:
        return _pick_here(network, choices, arguments, terminal)
    tell = _teller(arguments, choices, matrix, terminal)
    if not arguments.machine:
        from wizard.machine.probe import probe  # who asks for another computer waits for none of it

        return tell(probe(), None)
    files, is_named = _files(arguments.machine)
    if _names_sources(choices):
        terminal.say(message("matrices.sources-not-asked"))
    status = ExitStatus.DONE
    for file in files:
        try:
            status = max(status, tell(read_machine_file(file), file.name if is_named else None))
        except UsageError as error:
            if not is_named:
                raise
            terminal.error(error)
            status = ExitStatus.USAGE
    return status


def _teller(
    arguments: Arguments, choices: Choices, matrix: Matrix, terminal: Terminal
) -> Callable[[Machine, str | None], ExitStatus]:
    """Return what answers for one machine: for torch alone, or for a project."""
    if arguments.project:
        from wizard.cli.project import project_teller

        return project_teller(arguments, choices, matrix, terminal)
    judge = Judge(matrix).judge

    def tell(machine: Machine, name: str | None) -> ExitStatus:
        verdict, left_out = _of_named(judge(machine, choices), machine, matrix, choices)
        _tell(verdict, machine, name, arguments, terminal, left_out)
        return ExitStatus.DONE

    return tell


def _of_named(verdict: Verdict, machine: Machine, matrix: Matrix, choices: Choices) -> tuple[Verdict, dict[str, Any]]:
    """Return the verdict that counts what --with names, and what the document has of that."""
    if not choices.extras:
        return verdict, {}
    from wizard.project.named import with_named

    verdict, named = with_named(machine, matrix, choices, verdict)
    return verdict, {"left_out": list(named.left_out)}


def _tell(
    verdict: Verdict,
    machine: Machine,
    name: str | None,
    arguments: Arguments,
    terminal: Terminal,
    left_out: dict[str, Any],
) -> None:
    if arguments.json:
        terminal.document({**pick_document(verdict, name, terminal.language), **left_out})
        return
    if name:
        terminal.line(f"== {name}")
    terminal.line(render(verdict, terminal.language, machine if arguments.explain else None))


def _names_sources(choices: Choices) -> bool:
    return bool(choices.index or choices.torch_index or choices.find_links or choices.channel)


def _files(given: Sequence[str]) -> tuple[list[Path], bool]:
    """The files in the order of the arguments, and whether answers must say which file they are for."""
    files = [file for name in given for file in _files_of(Path(name))]
    if not files:
        raise UsageError(NO_MACHINE_FILES, path=given[0])
    return files, len(files) > 1 or Path(given[0]).is_dir()


def _files_of(path: Path) -> list[Path]:
    return sorted(path.glob("*.json")) if path.is_dir() else [path]


def _pick_here(network: Network | None, choices: Choices, arguments: Arguments, terminal: Terminal) -> int:
    """With what the sources that this computer reaches would give, and what they have beyond the tables."""
    from wizard.app.session import Session

    session = Session(network)
    facts = session.probe()
    verdict = session.judge(facts.machine, choices)
    verdict, left_out = _of_named(verdict, facts.machine, session.matrix, choices)
    carried, news = _live(session, facts, choices)
    if arguments.json:
        document = {**pick_document(verdict, None, terminal.language), **left_out}
        terminal.document({**document, **_live_document(carried, news, terminal)})
        return ExitStatus.DONE
    _tell(verdict, facts.machine, None, arguments, terminal, left_out)
    terminal.line(terminal.words(carried))
    for line in _news_lines(news, terminal):
        terminal.line(line)
    return ExitStatus.DONE


def _live(session: Session, facts: Facts, choices: Choices) -> tuple[Message, tuple[JudgedBuild, ...]]:
    try:
        selected = session.select_build(facts, choices)
    except WizardError as error:
        found = error.summary
        if error.code == "no-source-answers" or error.code.startswith("network-"):
            return found, ()
    else:
        build = f"torch {selected.candidate.torch}+{selected.candidate.variant}"
        found = message("cli.carried", build=build, python=selected.python, source=selected.torch_source.name)
    return found, session.news(facts, choices)


def _live_document(carried: Message, news: tuple[JudgedBuild, ...], terminal: Terminal) -> dict[str, Any]:
    from wizard.cli.sources.matrices import news_document

    return {
        "carried": carried.to_json(terminal.language),
        "new": [
            {
                **news_document(one.build),
                "fits": one.fits,
                "reasons": [{"code": reason.code, "text": terminal.words(reason.message)} for reason in one.reasons],
            }
            for one in news
        ],
    }


def _news_lines(news: tuple[JudgedBuild, ...], terminal: Terminal) -> Iterator[str]:
    from wizard.cli.sources.matrices import told

    yield from dict.fromkeys(f"{told(one.build, terminal)} {terminal.words(_fit(one, terminal))}" for one in news)
    if any(one.fits for one in news):
        yield terminal.words(message("matrices.refresh"))


def _fit(one: JudgedBuild, terminal: Terminal) -> Message:
    if one.fits is None:
        return message("matrices.unjudged")
    if one.fits:
        return message("matrices.fits")
    return message("matrices.fits-not", why=terminal.words(one.reasons[0].message))


def render(verdict: Verdict, language: str | None = None, explained: Machine | None = None) -> str:
    """`explained`: the machine, when everything is to be explained: sources, CUDA numbers, all other builds."""
    others = "\n".join(text(words, language) for card in verdict.others for words in card_words(card))
    parts = [others, _headline(verdict, language), _chain(verdict, language, explained is not None)]
    parts += [_table(verdict, language)]
    parts += [why_not_newest(verdict, language) or "", after_update(verdict, language) or ""]
    parts += ["\n".join(text(notice, language) for notice in verdict.notices)]
    if explained:
        parts += ["\n".join(text(words, language) for words in cuda_numbers(explained, verdict))]
        parts += [_others(verdict, language)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _headline(verdict: Verdict, language: str | None) -> str:
    best = verdict.best
    if best is None:
        return text(message("plan.table.none"), language)
    title = message(
        "plan.table.title", torch=best.torch, variant=variant_name(best.variant, language), python=best.python or "?"
    )
    companions = message(
        "plan.table.companions", torchvision=best.torchvision or "–", torchaudio=best.torchaudio or "–"
    )
    return f"{text(title, language)}\n{text(companions, language)}"


def _chain(verdict: Verdict, language: str | None, with_sources: bool) -> str:
    """The proof: card, code in the wheel, driver, Python, system, wheel."""
    lines = []
    for link in verdict.best.proof if verdict.best else ():
        sign = "·" if link.message.key in ("plan.proof.no-gpu", "plan.proof.cpu") else "✓"  # of these nothing is proved
        lines.append(f"  {sign} {text(link.message, language)}")
        if with_sources and link.source:
            lines.append(f"      [{text(message(f'matrices.sure.{link.confidence}'), language)}] {link.source}")
    return "\n".join([text(message("plan.explain.chain"), language), *lines]) if lines else ""


def _others(verdict: Verdict, language: str | None) -> str:
    rows = [
        [f"{candidate.torch}+{candidate.variant}", text(words, language)]
        for candidate in verdict.candidates
        if (words := why_not(candidate, verdict))
    ]
    names = max((width(name) for name, _ in rows), default=0)
    lines = [f"  {name}{' ' * (names - width(name))}{_GAP}{words}" for name, words in rows]
    return "\n".join([text(message("plan.explain.others"), language), *lines]) if lines else ""


def _table(verdict: Verdict, language: str | None) -> str:
    cells = {(candidate.torch, candidate.variant): candidate for candidate in verdict.candidates}
    releases = _releases(verdict)
    variants = _variants(verdict, releases)
    head = [text(message("plan.table.torch"), language), *(variant_name(tag, language) for tag in variants)]
    rows = [
        [torch, *(_cell(cells.get((torch, tag)), verdict.best, language) for tag in variants)] for torch in releases
    ]
    return align([head, *rows])


def _releases(verdict: Verdict) -> list[str]:
    """The newest patch of the newest minor releases, and the best."""
    newest: dict[tuple[int, ...], str] = {}
    for torch in sorted({candidate.torch for candidate in verdict.candidates}, key=version_key):
        newest[version_key(torch)[:2]] = torch
    shown = set(sorted(newest.values(), key=version_key, reverse=True)[:_ROWS])
    if verdict.best:
        shown.add(verdict.best.torch)
    return sorted(shown, key=version_key, reverse=True)


def _variants(verdict: Verdict, releases: Sequence[str]) -> list[str]:
    shown = {candidate.variant for candidate in verdict.candidates if candidate.torch in releases}
    ordered = sorted(shown, key=variant_key, reverse=True)
    if len(ordered) <= _MOST_COLUMNS:
        return ordered
    keep = set(ordered[: _MOST_COLUMNS - 1]) | {ordered[-1]} | ({verdict.best.variant} if verdict.best else set())
    return [tag for tag in ordered if tag in keep]


def _cell(candidate: Candidate | None, best: Candidate | None, language: str | None) -> str:
    if candidate is None:
        return text(message("plan.cell.not-published"), language)
    if candidate.fits:
        is_best = best is not None and (candidate.torch, candidate.variant) == (best.torch, best.variant)
        return text(message("plan.cell.best" if is_best else "plan.cell.fits"), language)
    return text(candidate.reasons[0].short, language)
