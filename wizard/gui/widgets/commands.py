"""Names of pages, and what the window says in the place of commands, since nobody has to type there.

Sentences are said by the terminal, too. A command or an option of this program becomes the page that does the same; the
commands of other programs are taken out of the sentence and shown below it, under “In a terminal”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from wizard.app.pages.order import PageId, SideId


def page_name(page: PageId) -> str:
    """Return a page's name in the language of the window."""
    names = {
        PageId.WELCOME: QCoreApplication.translate("Rail", "Welcome"),
        PageId.CHECK: QCoreApplication.translate("Rail", "Check"),
        PageId.BUILD: QCoreApplication.translate("Rail", "Build"),
        PageId.SOURCE: QCoreApplication.translate("Rail", "Source"),
        PageId.PLACE: QCoreApplication.translate("Rail", "Place"),
        PageId.REVIEW: QCoreApplication.translate("Rail", "Review"),
        PageId.INSTALL: QCoreApplication.translate("Rail", "Install"),
        PageId.VERIFY: QCoreApplication.translate("Rail", "Verify"),
    }
    return names[page]


def side_name(page: SideId) -> str:
    """Return the name of a page beside the way in the language of the window."""
    names = {
        SideId.ENVIRONMENTS: QCoreApplication.translate("Rail", "Environments"),
        SideId.DOCTOR: QCoreApplication.translate("Rail", "Check or repair"),
        SideId.EXPLAIN: QCoreApplication.translate("Rail", "Explain an error"),
        SideId.UNDO: QCoreApplication.translate("Rail", "Undo changes"),
        SideId.VERSIONS: QCoreApplication.translate("Rail", "PyTorch versions"),
        SideId.CLASS: QCoreApplication.translate("Rail", "Class"),
        SideId.FAR_HOST: QCoreApplication.translate("Rail", "Another computer"),
    }
    return names[page]


_PAGES: dict[
    str, PageId | SideId
] = {  # of several words the longer come first; any other command has its place on the first page
    "mirrors lint": PageId.CHECK,
    "mirrors": PageId.SOURCE,
    "doctor": SideId.DOCTOR,
    "verify": SideId.DOCTOR,
    "pick": PageId.BUILD,
    "probe": PageId.CHECK,
    "envs": SideId.ENVIRONMENTS,
    "store": SideId.ENVIRONMENTS,
    "undo": SideId.UNDO,
    "matrices": SideId.VERSIONS,
    "update": SideId.VERSIONS,
    "explain": SideId.EXPLAIN,
    "pack": SideId.CLASS,
    "profile": SideId.CLASS,
    "setup --host": SideId.FAR_HOST,
    "resume --host": SideId.FAR_HOST,
}
_OPTIONS = {
    PageId.PLACE: ("engine", "conda", "into", "reuse", "prefix", "name", "cache-dir", "temp-dir", "shared"),
    PageId.BUILD: ("torch", "variant", "with", "python"),
    PageId.SOURCE: ("channel", "index", "torch-index", "find-links", "mirror", "ca-file", "proxy", "no-proxy"),
}
_PAGE_OF = {option: page for page, options in _OPTIONS.items() for option in options}
_VALUE = (
    r"(?:[ =](?:[A-Z]{3,}|none|default|rattler|venv|official|race|地址|主机|文件夹?|\{[a-z]+\}|“\{[a-z]+\}”"
    r"|https?://[!-~]+[A-Za-z0-9/]))?"
)
_OPTION = rf"--({'|'.join(_PAGE_OF)})(?![\w-]){_VALUE}"
_SEVERAL = rf"{_OPTION}(?:(?:, or |, | or | and | ?、| ?或 ?| ?和 ?){_OPTION})*"
_WORDS = (
    r"(?: (?:--?[a-z][a-z-]*|[A-Z]{3,}|-|[“\"]?\{[a-z]+\}[”\"]?|名称|环境(?:路径)?|文件夹?|(?:add|all|check|clone"
    r"|delete|demo einops|history|key|lint|list|make|move|prune|refresh|restore|serve|show|sign|test|torch|update"
    r"|verify)\b))*"
)
_CALL = rf"[“`\"]?torch-wizard ([a-z]+(?: lint| --host)?){_WORDS}[”`\"]?"
_OF_OTHERS = (  # stay, to be shown below the sentence
    r"(?:index-url|extra-index-url|no-deps|torch-backend|shm-size|device|link-mode|cpu|tp|tensor-parallel-size"
    r"|mem-fraction-static)\b"
)
_DROPPED = re.compile(  # what says the same a second time, for the terminal: in brackets, or after the window's way
    r" ?[(（](?:or: |or with: |or |也可以用? ?|或用? ?|in a terminal: |终端中用 ?|leave out |without |去掉 ?|加上 ?"
    rf"|不加 ?|仅有 )?[“`]?(?:torch-wizard\b|--(?!{_OF_OTHERS})[a-z]"
    r"|\{how\}|\{option\})[^)）]*[)）]"
    rf"|(?<=Resume), or run {_CALL}|(?<=“继续”)，或运行 ?{_CALL}"
    rf"|(?:(?<=page Place)|(?<=page Build)|(?<=page Source)),? or(?: with)? {_SEVERAL}(?: with its folder)?"
    rf"|(?:(?<=页面)|(?<=页面选择)|(?<=页面填写))(?:，或|或)用? ?{_SEVERAL}(?: ?指定其文件夹)?"
    r"|用(?:这条|下面的)命令(?=\w*：)|(?:(?:用|运行)以下|(?<=撤销|恢复|清除))命令(?=\w*：“?torch-wizard)"
)
_SAID = re.compile(rf"(?P<way>\b(?:with|by|[Rr]un):? |: |[：:]|用 ?|运行[：:]? ?)?(?:{_CALL}|{_SEVERAL})(?P<gap> ?)")

# Commands of other programs stand in quotes, or between the parts of a sentence: a program, and what it is to do. So do
# options alone, for a command that the reader has.
_PROGRAM = (
    r"(?:sudo )?(?:python(?:[\d.]*|\{python\}) -m |py -m )?(?!uv install|nvidia-smi show)(?:pip3?|uvx?|conda|mamba"
    r"|apt|apt-get|dnf|pacman|wsl|docker|nvidia-smi|nvidia-ctk|nvidia-cuda-mps-control|nvcc|prime-select|mokutil"
    r"|modprobe|dmesg|ldd|python3?|py|brew|ubuntu-drivers|ldconfig|venv|ensurepip|bitsandbytes|systemctl|torchrun|accelerate"
    r"|py-spy|git|ssh-keygen|minisign|dkms|mim|cat|ss|df|free|findmnt|ulimit|uname|lsmod|ls|ln|test|env)"
)
_FIRST = (
    r"(?:(?:install|uninstall|run|list|show|cache|config|create|update|clean|remove|activate|init|freeze|check|add|sync"
    r"|lock|self|tool(?= (?:install|run))|python|pip(?= [a-z])|venv|cdi|runtime|download|env|info|search|tos|mig"
    r"|nvidia|isolate|launch|dump|checkout|on-demand|status|FOLDER|/(?:dev|etc)/[a-z_]+)(?![\w-])"
    r"|-{1,2}\w[\w-]*(?:=[!-~]+(?<![,.;:)]))?|\|)"
)
_PROSE = (
    r"(?:or|and|do|does|for|says|which|if|names|lists|sets|gives|in|into|on|of|with|from|by|to|that|then|there|first"
    r"|once|again|anew|alone|must|shows?|prints|works?|whether|looked|bring|change|suffices)(?![\w-])"
)
_MORE = (
    rf"(?: (?!\(|{_PROSE})"
    r"(?:\"[^\"]*\"|'[^']*'|[!-~…]+?(?=[,.;:)?”]*(?:[^!-~…]|$))|(?:程序名|名称|文件夹?|环境名?|路径|端口号)(?:/[!-~]+)?(?![一-鿿])))*"
)
_SHELL = r"export [A-Z_]+=(?:\$\([^)]*\)|[!-~]+(?<![,.;:)]))|sudo ldconfig|ssh \{host\}"
_ADDRESS = r"https?://(?:(?![,;)])[!-~…])+(?<![.:])"
_SETTING = (
    rf"(?:=(?:(?![,;)])[!-~…])+(?<![.:])| (?:{_ADDRESS}|\d[\d.]*\d|[A-Z]{{3,}}|\{{[a-z]+\}}|all|fp8|half"
    r"|flashinfer|conda-forge|unsafe-best-match|localhost:\d+|nvidia\.com/gpu=all)(?![\w-]))"
)
_ALONE = rf"(?:--(?!strict)[a-z][a-z0-9_-]*(?<!-){_SETTING}?|-[a-z]{_SETTING})"
_ASSIGNED = (
    r"(?<![\w./$:-])(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|PYTHON[A-Z0-9]+)=(?:(?![,;)])[!-~…]|,(?=[a-z])|文件夹)+(?<![.:])"
)
_COMMAND = (
    rf"[“`\"](?P<quoted>(?:{_PROGRAM}|[^“”`\"]*python(?:\.exe|\}})) {_FIRST}[^”`]*?|{_SHELL})"
    r"(?:[”`]|\"(?=[\s,.;:)，。；：）一-鿿]|$))"
    rf"|(?<![\w./-])(?<!\$\()(?P<bare>(?:{_ASSIGNED} )?{_PROGRAM} {_FIRST}{_MORE}|{_SHELL})"
)
# What shows the cards needs no verb: it is to be run where the sentence says so, and else is a program's name.
_SMI = "nvidia-smi"
_ASKED = "|".join(
    f"(?<={way})"
    for way in (
        *("[Rr]un ", "[Ll]ook at ", "look by ", "[Ss]ee with ", r"\bsee ", r"[\")], and ", "order: ", r"\+cu…: "),
        *("container: ", "运行 ", "运行：", "请看 ", "先看 ", "：看 ", "或看 ", "用 ", "以及 ", "位置查看 "),
    )
)
_CARDS = (
    rf"{_SMI} (?:topo|dmon|pmon)(?: -{{1,2}}[a-z0-9]+(?: [a-z](?![a-z]))?)*|npu-smi info"
    r"|cat (?:/[\w.-]+)+(?<!\.)|unset [A-Z_]+"
    r"|(?:(?<=[(（])|(?<=用 )|(?<=Windows: ))set [A-Z0-9_]+=\w+|\$env:[A-Z_]+=\w+"
    rf"|(?:{_ASKED}){_SMI}(?![\w-]| (?:show|fail|must|显示|必须|能))|(?<=[(（]){_SMI}(?=[)）；;]| 可以查看）)"
    rf"|^{_SMI}(?= in the very)|(?<=whether ){_SMI}(?= and)"
)
_FOREIGN = re.compile(_COMMAND)
_APART = re.compile(
    rf"(?<![\w./-])(?P<cards>{_CARDS})|{_COMMAND}|(?P<setting>{_ASSIGNED})"
    rf"|[“`\"]?(?<![A-Za-z0-9_./-])(?P<option>{_ALONE}(?: {_ALONE})*)[”`\"]?"
)


_SETTING_ALONE = re.compile(_ASSIGNED)
_ENDS_IN_NUMBER = re.compile(r"下面的.. \d+$")


def in_window(words: str, language: str) -> str:
    """Return a sentence with the names of pages in the place of this program's commands and options."""
    shown, at = "", 0
    for foreign in [*_FOREIGN.finditer(words), None]:  # what those do with their own options is not ours
        part = _DROPPED.sub("", words[at : foreign.start() if foreign else None])
        part = _SAID.sub(lambda found: _page(found, language), part).replace("   ", " ")
        shown += part.replace(" “", "“") if language == "zh_CN" else part
        if foreign:
            shown, at = shown + foreign[0], foreign.end()
    shown = shown.replace("torch-wizard", "Torch Setup")
    is_end = shown.endswith(("”", "页面")) and not words.endswith(shown[-4:])
    return _ended(shown) if is_end else shown


def _ended(words: str) -> str:
    """What ends in a command has no full stop after it, so that it can be copied; a sentence has one."""
    is_chinese = words.endswith(("页面", "命令", "选项", "的设置")) or _ENDS_IN_NUMBER.search(words)
    return f"{words}{'。' if is_chinese else '.'}"


def _page(found: re.Match[str], language: str) -> str:
    command, option, way = found[2], found[3], found["way"] or ""
    known: Iterator[PageId | SideId] = (_PAGES[one] for one in _PAGES if command.startswith(one))
    page = _PAGE_OF[option] if option else next(known, PageId.WELCOME)
    if page is SideId.DOCTOR and "--undo" in found[0]:
        page = SideId.ENVIRONMENTS  # a repair is one of the changes that are taken back there
    shown = side_name(page) if isinstance(page, SideId) else page_name(page)
    if language == "zh_CN":
        before = way if way in ("：", ":", "") else "打开" if way.startswith("运行") else "在"
        return f"{before}“{shown}”页面"
    before = (
        f"{way[0].replace('R', 'O').replace('r', 'o')}pen the page "
        if way[:1] in ("R", "r")
        else way
        if way in (": ", "")
        else "on the page "
    )
    return f"{before}“{shown}”{found['gap']}"


def apart(words: str) -> tuple[str, tuple[str, ...]]:
    """Return the words, and the commands and options of other programs that stood in them; the words say which is meant
    where."""
    found = tuple(dict.fromkeys(map(_taken, _APART.finditer(words))))

    def named(each: re.Match[str]) -> str:
        part = _taken(each)
        kind = kind_of(part)
        alike = [one for one in found if kind_of(one) == kind]
        if len(alike) > 1:
            numbered = {
                "option": QCoreApplication.translate("Advice", "option %1 below"),
                "setting": QCoreApplication.translate("Advice", "setting %1 below"),
                "command": QCoreApplication.translate("Advice", "command %1 below"),
            }
            one = numbered[kind].replace("%1", str(alike.index(part) + 1))
        else:
            one = {
                "option": QCoreApplication.translate("Advice", "the option below"),
                "setting": QCoreApplication.translate("Advice", "the setting below"),
                "command": QCoreApplication.translate("Advice", "the command below"),
            }[kind]
        begins = not words[: each.start()].strip() or words[: each.start()].endswith(". ")
        return one[0].upper() + one[1:] if begins else one

    said = _APART.sub(named, words).replace("run: ", "run ").replace("Run: ", "Run ")
    said = re.sub(r"\b([Ss])et (?=(?:the )?setting)", lambda verb: "Use " if verb[1] == "S" else "use ", said)
    said = re.sub("设(?:置|为)? ?(?=下面的设置)", "使用", said)
    said = re.sub("(?:运行[： ]|(?<=[里中]) ?)(?=下[面方]的命令)", "运行", said)
    said = re.sub(r"(?<=[一-鿿，、；。：（）”]) (?=下面的)|(?<=下面的..) (?=[一-鿿（])", "", said)
    said = re.sub(r"(下面的.. \d)(?=[一-鿿])", r"\1 ", said)
    is_end = said.endswith(("below", "下面的命令", "下面的选项", "下面的设置")) or _ENDS_IN_NUMBER.search(said)
    return _ended(said) if is_end else said, found


def _taken(each: re.Match[str]) -> str:
    return each["cards"] or each["quoted"] or each["bare"] or each["setting"] or each["option"]


def kind_of(part: str) -> str:
    """Tell what was taken out of a sentence: an option of a command that the reader has, a setting, a command."""
    if part.startswith("-"):
        return "option"
    return "setting" if _SETTING_ALONE.fullmatch(part) else "command"
