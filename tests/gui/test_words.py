"""The words of the window: in another language while it runs, and no command among them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QFileInfo, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.app import values
from tests.explain.in_the_wild import WILD
from tests.gui import scenes
from tests.gui.conftest import MakeWindow
from tests.gui.fake_session import FakeSession, report
from tests.gui.fake_tools import FakeTools
from tests.gui.test_pictures import MACHINES, MachineSession
from tests.gui.walking import go_to, press, settle, visible
from tests.sentences import labels, messages
from wizard.app.pages.check import Looks, restart_rows
from wizard.app.pages.order import ORDER, PageId
from wizard.app.use.explain import answer
from wizard.compatibility.data.load import load_matrix
from wizard.compatibility.model import Choices
from wizard.gui.pages.build.grid import BuildGrid
from wizard.gui.shell.splash import SIZE
from wizard.gui.shell.translator import Translator
from wizard.gui.shell.window import WizardWindow
from wizard.gui.widgets.advice import Advice
from wizard.gui.widgets.code import CodeLine
from wizard.gui.widgets.commands import apart, plain, with_pages
from wizard.model.catalogue import translate
from wizard.model.errors import WizardError
from wizard.model.marks import PAGE_NAMES, in_terminal, in_window, page_name
from wizard.model.messages import LANGUAGES, message, text
from wizard.run.model import SelectedBuild

UNMARKED = re.compile(  # where it stands in the words themselves, a sentence lacks a mark (`model.marks`)
    r"torch-wizard|\bsudo (?!with\b)[a-z]|(?<![\w-])--[a-z]|(?<![\w-])[A-Z][A-Z_0-9]+=|\b(?:export|unset) [A-Z]"
    r"|(?<![\w-])(?:pip3?|uv|conda|apt|apt-get|dnf|wsl|docker|nvidia-smi|python3?|git|ulimit) "
    r"(?:(?:install|uninstall|run|create|config|clean|update|activate|add|lock|sync|checkout)\b|-{1,2}\w)"
)
NOT_TO_BE_TYPED = {"error.bootstrap-root.hint", "error.bootstrap-root.summary", "safety.foreign-home"}  # was done
OF_THE_TERMINAL = {  # errors of what was typed there, and its questions
    *("add-nothing", "not-as-asked-twice"),
    *(
        "delete-needs-name",
        "doctor-needs-prefix",
        "engine-conda-other",
        "host-option",
        "job-needs-file",
        "job-option",
        "needs-yes",
    ),
    *("not-as-asked", "nothing-declared", "profile-hosts", "profile-make-what", "profile-option", "project-alone"),
    *("project-hosts", "project-missing", "project-offline", "project-relax", "settings-not-lasting"),
    *("share-no-class", "undo-json-list", "update-one", "window-cannot-load", "window-no-display", "window-no-library"),
}


@pytest.mark.parametrize("page", ORDER[:6])
def test_the_language_is_switched_live_and_back(page: PageId, qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()
    go_to(qtbot, window, page)
    english = shown_texts(window)
    window.rail.languages["zh_CN"].click()
    qtbot.waitUntil(lambda: len(shown_texts(window)) == len(english))
    chinese = shown_texts(window)
    sources = {label for context, label in labels() if translate(label, "zh_CN", context) != label}  # conda is conda
    left = {text for text in chinese if text in sources}
    assert left == set(), "still English"
    window.rail.languages["en"].click()
    qtbot.waitUntil(lambda: shown_texts(window) == english)


def test_what_is_seen_and_heard_in_chinese_has_its_colon(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession
) -> None:
    scenes.rich(session)
    window = make_window()
    window.rail.languages["zh_CN"].click()
    told: set[str] = set()
    for page in ORDER[:6]:
        go_to(qtbot, window, page)
        told |= {one.accessibleName() for one in window.findChildren(QWidget)} | set(shown_texts(window))
        for grid in visible(window, BuildGrid):
            model = grid.model()
            cells = (model.index(row, place) for row in range(model.rowCount()) for place in range(model.columnCount()))
            told |= {str(cell.data(Qt.ItemDataRole.AccessibleTextRole) or "") for cell in cells}
    window.page.trouble.show_error(WizardError("no-source", "无法连接到服务器。", "请检查网络。"))
    told.add(window.page.trouble.accessibleName())
    window.navigator.show_run("run-1")
    window.navigator.put_run_over(report(False), "/home/li/torch-envs/torch")
    window.navigator.go_next()
    settle(qtbot, window)
    told |= {one.accessibleName() for one in window.page.findChildren(QWidget)}
    assert any("：" in words for words in told)
    other = re.compile(r"[一-鿿][:,;] |[:,;] ?[一-鿿]|:$|。 |[\w)]\. \d+ [一-鿿]")
    assert [words for words in told if other.search(words)] == []


def test_no_sentence_in_chinese_has_a_colon_or_a_comma_of_another_script() -> None:
    """Beside a blank, too: what fills it may be Chinese. Commands and addresses have their own."""
    other = re.compile(
        r"[一-鿿”）》]\s?[:,;](?=\s|$|\{|%)|[:,;] ?[“（]|%\d ?[:,;](?=\s|$|[一-鿿])"
        r"|(?<!\")[:,;] [一-鿿]|[一-鿿] ?\(%\d\)"
    )
    said = {sentence: translate(sentence, "zh_CN", context) for context, sentence in labels()}
    said |= {code: translate(sentence, "zh_CN", code) for code, sentence in messages() if not code.startswith("cli.")}
    plain_words = {key: re.sub(r"`[^`]*`", "", words) for key, words in said.items()}
    assert {key: words for key, words in plain_words.items() if other.search(words)} == {}


def test_the_file_dialog_speaks_chinese_as_a_whole(qtbot: QtBot, qapp: QApplication) -> None:
    translator = Translator(qapp, "zh_CN")
    dialog = QFileDialog(None, "项目文件夹")
    qtbot.addWidget(dialog)
    shown = [one.text() for one in dialog.findChildren(QLabel)]
    kinds = [dialog.iconProvider().type(QFileInfo("/")), QApplication.translate("QAbstractFileIconProvider", "Folder")]
    translator.set_language("en")
    assert [word for word in (*shown, *kinds) if re.search("[A-Za-z]{2}", word)] == []


def shown_texts(window) -> list[str]:  # type: ignore[no-untyped-def]
    return sorted(
        one.text() for kind in (QLabel, QAbstractButton) for one in visible(window, kind) if getattr(one, "text", str)()
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_the_window_is_a_command(language: str, qapp: QApplication) -> None:
    translator = Translator(qapp, language)
    left = {}
    for code, sentence in messages():
        is_typed = code.startswith("error.") and code.split(".")[1] in OF_THE_TERMINAL
        if code.startswith("cli.") or code in NOT_TO_BE_TYPED or is_typed:
            continue
        words = apart(in_window(translate(sentence, language, code), language))[0]
        if UNMARKED.search(words) or any(sign in words for sign in ("`", "{option}")):
            left[code] = words
    translator.set_language("en")
    assert left == {}


def test_a_latin_word_has_a_space_beside_a_chinese_one(qapp: QApplication) -> None:
    """Also where the window leaves out what only the terminal says."""
    touching = re.compile("[A-Za-z0-9)][一-鿿]|[一-鿿][A-Za-z0-9(]")
    translator, left = Translator(qapp, "zh_CN"), {}
    for code, sentence in messages():
        words = translate(sentence, "zh_CN", code)
        shown = in_window(words, "zh_CN")
        if any(touching.search(one) for one in (apart(shown)[0], plain(shown), in_terminal(words, "zh_CN"))):
            left[code] = words
    translator.set_language("en")
    assert left == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_to_do_after_the_test_names_no_program_of_the_terminal(language: str, qapp: QApplication) -> None:
    translator = Translator(qapp, language)
    areas = ("diagnosis.", "machine.")
    repairs = {code: words for code, words in messages() if code.startswith(areas)}
    said = {code: apart(in_window(translate(words, language, code), language)) for code, words in repairs.items()}
    translator.set_language("en")
    assert said["diagnosis.gpu-memory-full.repair"][1] == ("nvidia-smi",)
    assert [words for words, _ in said.values() if "nvidia-smi" in words] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_of_explain_is_a_command(language: str, qapp: QApplication) -> None:
    """With the names and addresses that the texts of people bring into it."""
    translator = Translator(qapp, language)
    left, known = set(), (values.FACTS, values.VERDICT, load_matrix())
    for _, pasted in WILD[::2]:
        given = answer(pasted, lambda: known)
        for one in (*(words for found in given.found for words in (found.cause, found.fix)), *given.reasons):
            words = apart(translator.signed(one))[0]
            if UNMARKED.search(words) and one.key not in NOT_TO_BE_TYPED:
                left.add(words)
    translator.set_language("en")
    assert left == set()


def unmarked_pages(words: str, language: str) -> list[str]:
    """Return the pages that a template names without their mark, in what the window says."""
    said = re.sub(r"`[^`]*`|\|[^\]|]*\]", "", words)
    names = "|".join(re.escape(page_name(page, language)) for page in PAGE_NAMES)
    around = (
        rf"“({names})”页|页面 ?“({names})”" if language == "zh_CN" else rf"\bpage “?({names})\b|“?({names})”? page\b"
    )
    return [found[0] for found in re.finditer(around, said)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_that_a_sentence_names_can_be_a_link(language: str) -> None:
    assert unmarked_pages("on the page Source, or “{page.build}” [on {page.place}|on the page Place]", "en")
    left = {code: unmarked_pages(translate(said, language, code), language) for code, said in (*messages(), *labels())}
    assert {code: names for code, names in left.items() if names} == {}


def test_no_label_of_the_window_is_a_command() -> None:
    assert [words for _, words in labels() if UNMARKED.search(words.replace("&", ""))] == []


def test_the_window_checks_and_a_count_goes_with_one_too() -> None:
    """Who looks at, examines and checks does the same; what is looked for is not known to be there."""
    other = re.compile(r"\b(?:Look(?:s|ing)?|Examin\w+)\b(?! (?:for|it up|into))|\bto examine\b")
    several = re.compile(r"%\d (?:of yours|packages|files|environments|computers)\b")
    assert [label for _, label in labels() if other.search(label.replace("&", "")) or several.search(label)] == []


def test_no_button_and_no_name_of_a_check_is_a_word_of_the_trade() -> None:
    """What stands open; the settings' own names and commands are folded."""
    trade = re.compile(r"activation|backend|package store|find-links|wheel|\bindex\b", re.IGNORECASE)
    shown = [words.replace("&", "") for _, words in labels()]
    shown += [words for code, words in messages() if code.startswith(("verify.name.", "flow.store.", "check."))]
    assert [words for words in shown if trade.search(words)] == []


@pytest.mark.parametrize(
    ("said", "shown", "below"),
    [
        (
            "Start it with `--shm-size=8g` or `--ipc=host`; otherwise use fewer workers.",
            "Start it with option 1 below or option 2; otherwise use fewer workers.",
            ("--shm-size=8g", "--ipc=host"),
        ),
        (
            "“`ulimit -v`” must say unlimited; build with `--no-build-isolation`.",
            "The command below must say unlimited; build with the option below.",
            ("ulimit -v", "--no-build-isolation"),
        ),
        ("Run: `unset LD_PRELOAD`, and start it.", "Run the command below, and start it.", ("unset LD_PRELOAD",)),
        ("Set `A_B=1` and try `C_D=1`.", "Use setting 1 below and try setting 2.", ("A_B=1", "C_D=1")),
        ("Try: `A_B=0 python -c 1`", "Try: run the command below.", ("A_B=0 python -c 1",)),
        ("Then run: `a x` and type: `b y`", "Then run command 1 below and type command 2.", ("a x", "b y")),
        ("Inside: `wsl -l -v` must show 2.", "Inside: the command below must show 2.", ("wsl -l -v",)),
        (
            "Less memory: `A_B=1`; or ComfyUI: `--x`",
            "Less memory: use the setting below; or ComfyUI: use the option below.",
            ("A_B=1", "--x"),
        ),
        ("Make it [on the page {page.place}.|with --prefix]", "Make it on the page “Place”.", ()),
        ("Look at `a | b`[| (--x)]: “{page.doctor}”.", "Look at the command below: “Check or repair”.", ("a | b",)),
    ],
)
def test_what_stands_in_the_place_of_marks(said: str, shown: str, below: tuple[str, ...], qapp: QApplication) -> None:
    words, commands = apart(in_window(said, "en"))
    assert (with_pages(words), commands) == (shown, below)


def test_what_fills_a_blank_is_no_mark(qapp: QApplication) -> None:
    hostile = "/a`b`/[c|d]/{page.place}/\ufdd0e\ufdd2"
    told = message("a.code", "Run `ls {path}`.", path=hostile)
    plain = hostile.replace("\ufdd0", "").replace("\ufdd2", "")
    assert text(told, "en") == f"Run ls {plain}."
    assert apart(Translator(qapp, "en").signed(told)) == ("Run the command below.", (f"ls {plain}",))


def test_options_and_commands_stand_below_with_their_names(qtbot: QtBot) -> None:
    advice = Advice(in_window("In a container: `--gpus all` and `--ipc=host`, then `uv sync`.", "en"))
    qtbot.addWidget(advice)
    names = [one.text() for one in advice.fold.findChildren(QLabel)]
    assert advice.text() == "In a container: use option 1 below and option 2, then the command below."
    assert [name for name in names if name.startswith(("Option", "Command"))] == ["Option 1", "Option 2", "Command"]
    assert [line.code for line in advice.fold.findChildren(CodeLine)] == ["--gpus all", "--ipc=host", "uv sync"]


def test_a_setting_stands_below_with_its_name(qtbot: QtBot) -> None:
    advice = Advice(in_window("Run once with `CUDA_LAUNCH_BLOCKING=1`, then run `nvidia-smi`.", "en"))
    qtbot.addWidget(advice)
    assert advice.text() == "Run once with the setting below, then run the command below."
    assert {one.text() for one in advice.fold.findChildren(QLabel)} >= {"Setting", "Command"}
    assert set(advice.commands) == {"CUDA_LAUNCH_BLOCKING=1", "nvidia-smi"}


def test_chinese_runs_into_the_word_for_a_command(qapp: QApplication) -> None:
    translator = Translator(qapp, "zh_CN")
    asked = apart(in_window("请在同一环境中运行：`python --version`", "zh_CN"))
    by_the_way = apart(in_window("请先运行 `wsl --shutdown`，再重启。", "zh_CN"))
    setting = apart(in_window("请设置 `NCCL_P2P_DISABLE=1`，并运行 `nvidia-smi`。", "zh_CN"))
    several = apart(
        in_window("先看：`nvidia-smi`，再运行 `wsl --update`；WSL：`wsl -l -v` 应显示 2；vLLM：`--x`", "zh_CN")
    )
    shows = apart(in_window("在 Windows 中 `wsl -l -v` 应显示 2，再在其中 `wsl --update`", "zh_CN"))
    translator.set_language("en")
    assert shows[0] == "在 Windows 中下面的命令 1 应显示 2，再在其中运行命令 2。"
    assert several[0] == "先看：运行下面的命令 1，再运行命令 2；WSL：命令 3 应显示 2；vLLM：使用下面的选项。"
    assert asked == ("请在同一环境中运行下面的命令。", ("python --version",))
    assert by_the_way == ("请先运行下面的命令，再重启。", ("wsl --shutdown",))
    assert setting == ("请使用下面的设置，并运行下面的命令。", ("NCCL_P2P_DISABLE=1", "nvidia-smi"))


def dead_mirror(session: FakeSession) -> None:
    write = scenes.write_settings(session)
    write.write_text("[global]\nindex-url = https://pypi.douban.com/simple\n", encoding="utf-8")
    (session.around.home / ".condarc").unlink()
    session.looks = Looks(scenes.findings(session))


def all_at_once(session: FakeSession) -> None:
    """A dead mirror, a dead proxy, a restart that is due, an older driver, what others changed."""
    scenes.rich(session)
    session.selected = values.SELECTED
    around = restart_rows("pending.xml")
    proxy = replace(session.facts.settings, environment={"HTTPS_PROXY": "http://proxy.example:3128"})
    session.facts = replace(session.facts, requirements=(*session.facts.requirements, *around), settings=proxy)
    session.looks = replace(session.looks, has_dead_proxy=True)


def of_machine(name: str) -> Callable[[FakeSession], None]:
    def put(session: FakeSession) -> None:
        one = MACHINES[name]()
        other = MachineSession(session.root, one)
        session.facts, session.looks = other.facts, other.looks
        session.propose = other.propose  # type: ignore[method-assign]

    return put


@pytest.mark.parametrize(
    ("scene", "most"),
    [
        (dead_mirror, 170),
        (all_at_once, 200),
        *(
            pytest.param(of_machine(name), 170, marks=() if name == "amd" else pytest.mark.slow, id=name)
            for name in ("two-cards", "too-old", "laptop", "mig", "amd", "intel", "no-card", "board")
        ),
    ],
)
def test_few_words_stand_between_the_start_and_install(
    scene: Callable[[FakeSession], None],
    most: int,
    qtbot: QtBot,
    make_window: MakeWindow,
    session: FakeSession,
    side: FakeTools,
) -> None:
    """With figures, buttons, a dead mirror in two places and a broken environment; the rail is read once."""
    scene(session)
    assert count_words(qtbot, make_window(), session) <= most


def count_words(qtbot: QtBot, window: WizardWindow, session: FakeSession) -> int:
    """Return how many are read on the way that the program proposes: Welcome, Check, what is chosen, Review."""
    window.resize(*SIZE)
    qtbot.waitUntil(lambda: "(" in window.page.manage.text())  # type: ignore[attr-defined]
    counted = [words_of(window), words_of(window, is_rail=True)]
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: window.navigator.state.looks is not None and not window.tasks.busy)
    qtbot.waitUntil(lambda: any(re.match(r"\d more", text) for text in shown_texts(window)))
    counted.append(words_of(window))
    session.hold.add("preview")
    press(qtbot, window.footer.primary)
    qtbot.waitUntil(lambda: "/home/li/torch-envs/torch" in shown_texts(window))
    counted.append(words_of(window))
    session.hold.clear()
    session.let_go.set()
    qtbot.waitUntil(lambda: window.navigator.state.preview is not None and not window.navigator.chooses)
    qtbot.waitUntil(lambda: "Nothing changed yet." in shown_texts(window))
    counted.append(words_of(window))
    assert min(counted) > 10, "each page was there"
    return sum(counted)


def words_of(window: WizardWindow, is_rail: bool = False) -> int:
    kinds = (one for kind in (QLabel, QAbstractButton) for one in visible(window, kind))
    said = [one.text() for one in kinds if window.rail.isAncestorOf(one) is is_rail]  # type: ignore[attr-defined]
    return sum(any(letter.isalnum() for letter in word) for text in said for word in text.split())


@pytest.mark.parametrize(
    "name",
    [
        "recorded",
        *(
            pytest.param(name, marks=() if name in ("laptop", "mig", "board") else pytest.mark.slow)
            for name in ("two-cards", "too-old", "laptop", "mig", "amd", "intel", "no-card", "board")
        ),
    ],
)
def test_a_student_whose_computer_is_well_reads_at_most_two_hundred(
    name: str, qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    """From the start to Install, the rail counted on each of the four pages."""
    side.seen = replace(side.seen, broken=None)
    if name == "recorded":
        rows = tuple(row for row in session.facts.requirements if row.state == "ok")
        session.facts = replace(session.facts, requirements=rows)
    else:
        of_machine(name)(session)
        takes_best(session)
    window = make_window()
    window.resize(*SIZE)
    once = words_of(window, is_rail=True)
    read = count_words(qtbot, window, session) + 3 * once
    assert read <= 200


def test_where_a_dead_mirror_is_warned_of_no_more_is_read(
    qtbot: QtBot, make_window: MakeWindow, session: FakeSession, side: FakeTools
) -> None:
    dead_mirror(session)
    side.seen = replace(side.seen, broken=None)
    window = make_window()
    window.resize(*SIZE)
    once = words_of(window, is_rail=True)
    assert count_words(qtbot, window, session) + 3 * once <= 200


def takes_best(session: FakeSession) -> None:
    """Let the sources have what the rule chooses for that machine."""
    best, select = session.propose(session.facts, Choices()).best, session.select_build
    assert best is not None

    def selects(*asked: Any) -> SelectedBuild:
        return replace(select(*asked), candidate=best)

    session.select_build = selects  # type: ignore[method-assign]
