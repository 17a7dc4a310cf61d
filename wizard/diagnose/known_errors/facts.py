"""Read the facts that an error text names itself: versions, builds, pins, cards, systems, libraries, places. One file:
every fact is an expression and the few lines that read it.

Only what stands in the text; what follows from it is in `fact_checks`. What is wanted ("requires torch==…") is kept
apart from what is there.
"""

from __future__ import annotations

from dataclasses import dataclass

from wizard.compatibility.data.ordering import version_key
from wizard.diagnose.known_errors.facts_beside import (
    asked_memory,
    caller,
    failed_file,
    free_memory,
    held_memory,
    last_groups,
    last_word,
    made_for,
    pip_conflicts,
)
from wizard.diagnose.known_errors.match import clean, in_english
from wizard.model.capability import ComputeCapability
from wizard.model.patterns import compiled

_TAG = r" ?\+ ?(cu\d+|cpu|xpu|rocm[\w.]*\d)"
_VERSION = r"(\d+\.\d+\.\d+)(\.?(?:dev|a|b|rc)\d*)?(?:" + _TAG + ")?"
_THERE = (
    r"(?i)(requires |requirement |depends on |want |satisfies |collecting |with |for )?"
    r"\b{name}(?: version(?: is)?)?[\"'`*| ]{{0,30}}(?:==|=|:|：|-| |\|)[ \"'`*|]{{0,4}}" + _VERSION
)
# A torch of which only that is known: a nightly, another maker's, or one of two numbers.
_SOME_TORCH = r"(?i)\b(?:py)?torch(?:\.__version__\)?| version)?(?:\W{1,12}| is )v?(\d\.\d{1,2})(?:\D|$)"
_NIGHTLY = (
    r"(?i)\b(?:py)?torch(?:\.__version__\)?| version)?(?:\W{1,12}| is \W?)(\d\.\d{1,2}\.\d+(?:\.dev|a0\+)\w[\w.+]*)"
)
# A line that is only a version with its build, as print(torch.__version__) leaves it.
_BARE_BUILD = (
    r"(?m)(?:^[ \t>*'\"`-]{0,8}|[Vv]ersion: )([12]\.\d{1,2}\.\d{1,2})(\.?(?:dev|a|b|rc)\d*)?"
    r"\+(cu\d{2,3}|cpu|xpu|rocm[\d.]*\d)\b"
)
# Rows of `conda list`, also as PyTorch's own report shows them. Conda hides a torch that its own package brought.
_CONDA_ROW = r"^(?:\[conda\] )?pytorch(?:-gpu|-cpu)? +(\d+\.\d+\.\d+) +\S*(?:py3|cuda|cpu)\S*"
_PIP_ROW = r"^(?:\[conda\] )?torch +(\d+\.\d+\.\d+\S*) +pypi_\d"
_SAID_BY_PYTHON = r"(?:torch\.__version__\)?\s*['\"]?|PyTorch version \()" + _VERSION
_WANTED = (
    r"(?:requirement |distribution found for |candidates for |no version of )(torch|torchvision|torchaudio)(?:==| \()"
    r"(\d+\.\d+(?:\.\d+)?)(\.?(?:dev|a|b|rc)\d*)?(?:\+(cu\d+|cpu|xpu|rocm[\d.]*\d))?"
)
_NO_WHEEL = r"Because (torch|torchvision|torchaudio)==" + _VERSION + " has no wheels"
_LISTED = r"\(from versions: (\d[^)\n]*)\)"
_CAPABILITY = (
    r"(GPUs with )?(?:CUDA capability sm_(\d{2,3})\b|(?:compute|cuda) capability(?: \(CC\))? (\d{1,2}\.\d)\b"
    r"|\bno sm_(\d{2,3}) (?:kernels?|code|support|binar))"
)
_ABOUT_THE_CARD = (
    r"(?i:kernel ?image (?:is )?(?:not )?available)|NoKernelImage|CUDA error: invalid device function"
    r"|NVIDIA driver on your system is too old|\bis_available\(\)|(?i:cuda available\W{1,4}false|unhandled cuda error)"
    r"|CUBLAS_STATUS_(?:EXECUTION_FAILED|NOT_SUPPORTED|ARCH_MISMATCH)"
    r"|(?i:no [\w ]{0,20}(?:GPU|accelerator)[\w ]{0,24}(?:detected|found|discovered))"
)
_PACKED = r"(?m)\bPyInstaller\b|\b_MEI\d+[\\/]|^\s*torch[\\/]\w+[\\/]\w+\.py:\d+:"
_TORCH_WORDS = r"(?i)torch|c10|cuda|cudnn|xpu|\bhip\b|UR_RESULT"
_NVIDIA = (
    r"(?i)\b(?:RTX|GTX)[ -]?\d{3,4}|\bcu1\d\d\b|flash_attn|_cuda\.(?:cpython|so)|\blib(?:cudart|cublas|cudnn|nvrtc)\b"
    r"|\b(?:GeForce|Quadro|A100|H100|H200|B200|L40S?|V100|P100|GB10)\b"
    r"|\bCUDA error|cudaError|\bnvcc\b|detected CUDA version"
    r"|\bNVIDIA (?:T|A|MX|P|K|L)\d|\bMX ?[1-5][1-7]0\b|英伟达|\bN ?卡"
)
_AMD = (
    r"(?i)/whl/(?:nightly/|test/)?rocm\d|\bzluda|patchzluda|\bhip[ -]?sdk|\bradeon (?:rx|pro|vii|r[x\d])"
    r"|\bAMD [5679]\d00|\bInstinct\b|\bRX ?(?:[5679]\d[05]0|[45][5-9]0|9\d{3}) ?(?:XTX?|GRE|M|S)?\b|\bStrix\b"
    r"|\bA卡[^住死]|(?:^|[^\d.])[679]\d[05]0 ?(?:XTX?|GRE)\b"
    r"|\bRyzen AI\b|\b[678]80M\b|\b8[04-6]\d0S\b|\bgfx(?:9|1[0-2])\w{2,3}\b|\bMI[23]\d{2}X?\b"
)
_NO_CUDA_BUILD = r"(?i)\b(?:rocm|xpu)[ -]?\d|\+(?:rocm|xpu)\b|/whl/(?:nightly/)?(?:rocm|xpu)"
_INTEL = (
    r"(?i)\bintel(?:\(R\))? arc\b|\barc(?:\(TM\))? (?:Pro )?[AB]\d{2,3}\b|\[Arc [AB]\d{3}|\bintel[ -](?:xpu|gpu)\b"
    r"|\bIris ?(?:\(R\))? ?Xe\b"
)
_OWN_PYTHON = r"(?i)([A-Z]:\\[^\s\"'<>|:]*?\\python_embed\w*)\\"
_CARD = r"(?i)(?:^|[^A-Za-z])(RTX|GTX)[ -]?(\d{3,4})"
_TESLA = r"(?:^|[^\w.-])(P40|P100|V100|M40|M60|K80)(?:$|[^\w.])"
# As people write it: "5090", "5060TI". The series since the RTX 20 alone, for other numbers have four digits, too.
_BARE_CARD = r"(?im)(?:^|[^\w.:/\\,-])(20[678]0|[345]0[5-9]0)(?: ?(?:ti|super|d))*\b"
_NUMBER = r"(?i) ?(?:[.:\d%/]|(?:m?s|[kmgt]i?b|steps?|it|seconds?|tokens?)\b)"
_DRIVER_CUDA = r"driver on your system is too old \(found version (\d{2})(\d{2})0\)"
_VIRTUAL_CUDA = r"\b__cuda(?:=|==| )(\d{2}\.\d)\b"
_DRIVER = (
    r"(?i)(?:\bdrivers?|\bkmd|驱动(?:程序)?)(?:[ ,](?:is|are|version|installed|updated|latest|newest|to|the)){0,4}"
    r"[版本号是为到已经更新最了的]{0,8}[:：=,]?[ *(v]{0,4}(\d{3}\.\d{2,3}(?:\.\d{2})?)\b"
)
_PYTHON = (
    r"(?i)[\\/]python(3\.\d{1,2})[\\/]|[\\/]Python(3)(\d{1,2})[\\/]|\bC?Python(?: version)?[: ]{1,2}v?(3\.\d{1,2})\b"
    r"|\bpython==?(3\.\d{1,2})\b|matching Python ABI tag \(e\.g\., .cp3(\d{1,2})"
)
_COMPANIONS = r"(?i)\b(?:lib)?(xformers|torchcodec)"
_LOADING = r"undefined symbol|DLL load failed|cannot open shared object|or one of its dependencies"
_VISION = r"torchvision::\w+|has no attribute .register_fake|module .torchvision. has no attribute"
_BITS = r"\b32[ -]bit \(|\bMSC v\.\d+ 32 bit|\bwin32\) on win32"
_WHEEL = r"\b(torch|torchvision|torchaudio)-(\d+\.\d+\.\d+)(?:(?:\+|%2B)(cu\d+|cpu))?-cp3(\d{1,2})-\w+-(\w+)\.whl"
_INDEX = r"/whl/(?:test/)?(cu\d+(?:\.\d+)*|cpu)\b"
_GLIBC = r"(?i)(?:GNU libc\)|\bglibc)(?: version| 版本)?[ :=(是]{0,3}(2\.\d{1,2})\b"
_WANTS_GLIBC = r"manylinux_2_(\d{2})_\w+\.whl"
_BUILT_FOR = r"\b(PyTorch|Python) +[\w.+]+(?: with CUDA \d+)? \(you have ([\w.+]+)\)"
_DLL_ERROR = r"(?:WinError|Errno) (\d{1,5})\b"
_LIBRARY = r"\b(lib[\w.+-]*?\.so(?:\.\d+)*|[\w.-]+\.dll)\b"
_CUDA_LIBRARY = r"\blib(?:cudart|cublas|cublasLt|nvrtc|cupti)\.so\.(1[1-9])\b|\bcudart64_(1[1-9])\d*\.dll"
_IN_TRACE = r"(?:site|dist)-packages[\\/]+(\w+)[\\/.]"
# Folders may be called "Li Ming".
_ENVIRONMENT = r"((?:/|[A-Z]:\\)(?:[^\s\"'<>|]|\w \w)*?)[\\/](?:lib[\\/]python3\.\d{1,2}|Lib)[\\/]site-packages"


# What only one system's texts hold. Two systems in one text: none is believed.
_SYSTEMS = {
    "windows": r"WinError|\b[A-Z]:\\|win_amd64|win_arm64|\b(?i:windows) ?1[01]\b|\[MSC v\.",
    "macos": r"macosx_\d|(?:^|[^\w:])/Users/|(?:^|[^'\"])\bdarwin\b(?:$|[^'\"])|\bmacOS\b|\bMac\b|\bApple M\d|\.dylib\b"
    r"|(?i:\bmac ?(?:book|mini|studio)|apple silicon)|苹果电脑",
    "linux": r"manylinux|linux_(?:x86_64|aarch64)|/home/|/usr/|/opt/|\.so[.\d]*:",
}
_WSL = r"(?i)\bWSL ?2?\b|microsoft-standard|/mnt/c/Users/"
_CONTAINER = r"(?i)\bdocker|\bpodman|\bkubernetes|\bk8s\b|\bcontainers?\b|容器|镜像"
_ARCHES = {"aarch64": r"aarch64|\barm64\b|_arm64\b", "x86_64": r"x86_64|(?:_|\b)amd64\b"}


@dataclass(frozen=True, slots=True)
class Named:
    """A package with its version; `tag` is `cu128` or `cpu`, empty where the text does not say."""

    name: str
    version: str
    tag: str = ""

    @property
    def text(self) -> str:
        return f"{self.name} {self.version}" + (f"+{self.tag}" if self.tag else "")


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Empty or None: the text does not say, or says two things."""

    torch: Named | None = None
    torchvision: Named | None = None
    twice: tuple[str, str] | None = None  # conda's pytorch and pip's torch, where a list of conda holds both
    wanted: Named | None = None
    listed: tuple[str, ...] = ()  # what the index has for this Python, as pip lists it
    capability: ComputeCapability | None = None
    cards: frozenset[str] = frozenset()  # "RTX 5090", where the text says that code for the card is missing
    driver_cuda: str = ""
    driver: str = ""
    python: str = ""
    is_wsl: bool = False
    is_in_container: bool = False
    os: str = ""  # "windows", "linux", "macos"
    arch: str = ""  # "x86_64", "aarch64"
    wheel: Named | None = None  # a file's name: the torch of another Python may stand in it
    wheel_python: str = ""
    index: str = ""  # "cu128" of an address that ends in /whl/cu128
    error: str = ""  # "WinError 127", "Errno 13"
    library: str = ""  # "libcudart.so.12", "c10.dll"
    library_cuda: int = 0  # the major version that the library's name says
    package: str = ""  # whose file is the last one in the trace
    environment: str = ""  # the folder that holds site-packages
    memory: tuple[float, float] | None = None  # GiB asked for in one piece, GiB of the card
    free: tuple[float, float] | None = None  # GiB asked for, GiB of the card that were free
    is_of_several: bool = False  # it names two builds of torch or torchvision: of two environments, or before and after
    shows_amd: bool = False  # it names such a card, or what stands in for CUDA on one
    shows_intel: bool = False
    has_other_build: bool = False  # it names AMD's or Intel's build
    says_torch: bool = False  # also a nightly's, or one of two numbers
    nightly: str = ""  # "2.9.0.dev20250722+cu128"
    glibc: str = ""  # of the text's system
    wants_glibc: str = ""  # as a wheel's name says it
    made_for: tuple[str, str] | None = None  # a build beside torch, and the torch (two numbers) of which its name tells
    companions: tuple[str, ...] = ()  # those of which the tables know the release for each torch
    torches: tuple[str, ...] = ()  # all torch versions that it names
    is_of_loading: bool = False  # a library or a function in it was not found
    is_of_vision: bool = False  # what fails is torchvision's own part of torch
    is_32_bit: bool = False
    conflicts: tuple[str, ...] = ()  # what pip's report names, with torch first
    held: tuple[str, float, float] | None = None  # another process, GiB that it has of the card, GiB of the card
    failed_file: str = ""  # the package beside torch whose file could not be loaded
    called_by: str = ""  # whose is the last file of the trace that is neither torch's nor Python's
    own_python: str = ""  # the folder of a portable Python that an application brings
    is_packed: bool = False  # an application in one file: nothing can be installed into it
    names_torch: bool = True
    is_of_torch: bool = True  # by its own name, not by CUDA's alone
    shows_nvidia: bool = False  # its computer has such a card, or is set up for one


def parse_facts(text: str) -> TextFacts:
    """Return the last fact of each kind: what ends a log is nearer to the failure."""
    words = compiled(_BUILT_FOR).sub(r"\1 \2", in_english(clean(text)))
    wheel = last_groups(_WHEEL, words)
    error = last_groups(rf"({_DLL_ERROR})", words)
    major = last_groups(_CUDA_LIBRARY, words)
    return TextFacts(
        torch=_there("torch", words) or _said_by_python(words) or _there("pytorch", words) or _bare_build(words),
        torchvision=_there("torchvision", words),
        twice=_twice(words),
        wanted=_wanted_facts(words),
        listed=_listed(words),
        capability=_capability(words),
        cards=_cards(words),
        driver_cuda=_driver_cuda(words),
        driver=last_word(_DRIVER, words),
        python=_python(words),
        is_wsl=bool(compiled(_WSL).search(words)),
        is_in_container=bool(compiled(_CONTAINER).search(words)),
        os="linux" if compiled(_WSL).search(words) else _only(_SYSTEMS, words),
        arch=_only(_ARCHES, words),
        wheel=Named(wheel[0] or "", wheel[1] or "", wheel[2] or "") if wheel else None,
        wheel_python=f"3.{wheel[3]}" if wheel else "",
        index=last_word(_INDEX, words),
        error=(error[0] or "") if error else "",
        library=last_word(_LIBRARY, words),
        library_cuda=int(major[0] or major[1] or 0) if major else 0,
        package=last_word(_IN_TRACE, words),
        environment=last_word(_ENVIRONMENT, words),
        memory=asked_memory(words),
        free=free_memory(words),
        is_of_several=any(len(_builds(name, words)) > 1 for name in ("torch", "torchvision")),
        shows_amd=bool(compiled(_AMD).search(words)),
        shows_intel=bool(compiled(_INTEL).search(words)),
        has_other_build=bool(compiled(_NO_CUDA_BUILD).search(words)),
        says_torch=bool(compiled(_SOME_TORCH).search(words)),
        nightly=last_word(_NIGHTLY, words),
        glibc=last_word(_GLIBC, words),
        wants_glibc=f"2.{wanted}" if (wanted := last_word(_WANTS_GLIBC, words)) else "",
        made_for=made_for(words),
        companions=tuple(sorted({match[1].lower() for match in compiled(_COMPANIONS).finditer(words)})),
        torches=_torches(words),
        is_of_loading=bool(compiled(_LOADING).search(words)),
        is_of_vision=bool(compiled(_VISION).search(words)),
        is_32_bit=bool(compiled(_BITS).search(words)),
        conflicts=pip_conflicts(words),
        held=held_memory(words),
        failed_file=failed_file(words),
        called_by=caller(words),
        own_python=last_word(_OWN_PYTHON, words).replace("\\\\", "\\"),
        is_packed=bool(compiled(_PACKED).search(words)),
        names_torch=bool(compiled(_TORCH_WORDS).search(words)),
        is_of_torch=bool(compiled(r"(?i)torch").search(words)),
        shows_nvidia=bool(compiled(_NVIDIA).search(words)),
    )


def _only(expressions: dict[str, str], words: str) -> str:
    there = [name for name, expression in expressions.items() if compiled(expression).search(words)]
    return there[0] if len(there) == 1 else ""


def _python(words: str) -> str:
    found = last_groups(_PYTHON, words)
    if found is None:
        return ""
    in_path, major, minor, said, pinned, of_tag = found
    return in_path or (f"{major}.{minor}" if major else "") or said or pinned or (f"3.{of_tag}" if of_tag else "")


def _there(name: str, words: str) -> Named | None:
    found = [match for match in compiled(_THERE.format(name=name)).finditer(words) if not match[1]]
    return _named(name.replace("pytorch", "torch"), found[-1].groups()[1:]) if found else None


def _twice(words: str) -> tuple[str, str] | None:
    of_conda, of_pip = last_word(_CONDA_ROW, words), last_word(_PIP_ROW, words)
    return (of_conda, of_pip) if of_conda and of_pip else None


def _said_by_python(words: str) -> Named | None:
    found = last_groups(_SAID_BY_PYTHON, words)
    return _named("torch", found) if found else None


def _torches(words: str) -> tuple[str, ...]:
    """Of releases: companions are made for no nightly and no build of NVIDIA's own."""
    said = (match[2] for match in compiled(_THERE.format(name="(?:py)?torch")).finditer(words) if not match[3])
    known = last_groups(_SAID_BY_PYTHON, words)
    return tuple(dict.fromkeys((*said, *((known[0] or "",) if known else ()))))


def _builds(name: str, words: str) -> frozenset[tuple[str, str]]:
    """Those with a tag: a plain number may be the same build."""
    found = (match for match in compiled(_THERE.format(name=name)).finditer(words) if not match[1])
    return frozenset((match[2], match[4]) for match in found if match[4])


def _bare_build(words: str) -> Named | None:
    found = last_groups(_BARE_BUILD, words)
    return _named("torch", found) if found else None


def _wanted_facts(words: str) -> Named | None:
    found = last_groups(_WANTED, words) or last_groups(_NO_WHEEL, words)
    return _named(found[0] or "", found[1:]) if found else None


def _listed(words: str) -> tuple[str, ...]:
    listed = last_word(_LISTED, words).split(", ")
    return tuple(version for version in listed if version[:1].isdigit())


def _named(name: str, groups: tuple[str | None, ...]) -> Named | None:
    """Return None for a nightly: no table holds it."""
    version, unfinished, tag = groups
    if unfinished or not version:
        return None
    return Named(name, version if version.count(".") == 2 else f"{version}.0", (tag or "").lower())


def _capability(words: str) -> ComputeCapability | None:
    said = [match for match in compiled(_CAPABILITY).finditer(words) if not match[1]]  # not what a program demands
    if not said:
        return None
    _, arch, dotted, lacking = said[-1].groups()
    arch = arch or lacking
    return ComputeCapability.from_arch(f"sm_{arch}") if arch else ComputeCapability.parse(dotted or "")


def _cards(words: str) -> frozenset[str]:
    """A card that is only mentioned is not what the error is about: the text asks for code, or whether it is seen."""
    if not compiled(_ABOUT_THE_CARD).search(words):
        return frozenset()
    named = frozenset(f"{match[1]} {match[2]}".upper() for match in compiled(_CARD).finditer(words))
    named |= frozenset(f"Tesla {match[1]}" for match in compiled(_TESLA).finditer(words))
    bare = (match for match in compiled(_BARE_CARD).finditer(words) if _is_no_number(match.span(1), words))
    return named or frozenset(f"RTX {match[1]}" for match in bare)


def _is_no_number(span: tuple[int, int], words: str) -> bool:
    start, end = span
    return not words[:start].lower().endswith(("line ", "port ")) and not compiled(_NUMBER).match(words[end:])


def _driver_cuda(words: str) -> str:
    found = last_groups(_DRIVER_CUDA, words)
    if found:
        return f"{int(found[0] or 0)}.{int(found[1] or 0)}"
    virtual = last_word(_VIRTUAL_CUDA, words)
    return virtual if version_key(virtual) else ""
