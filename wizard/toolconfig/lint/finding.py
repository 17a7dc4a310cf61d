"""What the lint finds, as values: a finding, its repairs, and the install that it is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wizard.model.messages import Message, Scalar, message
from wizard.process import redact
from wizard.toolconfig.model import Option

_PASSED = ("mirror", "source")  # `meets`: the setup goes on without it, and another program alone is held up


@dataclass(frozen=True, slots=True)
class LintContext:
    """What this install is about, as far as it is known. `current_variants`: those of the newest release."""

    os: str
    gpu: str | None = None  # the first NVIDIA card's name; None: there is none
    torch: str | None = None
    variant: str | None = None
    python: str | None = None  # "3.12"
    current_variants: tuple[str, ...] = ()
    condas: tuple[str, ...] = ()  # kinds that are installed: conda, mamba, micromamba

    @property
    def build(self) -> str:
        return f"torch {self.torch}+{self.variant}" if self.torch and self.variant else "torch"


@dataclass(frozen=True, slots=True)
class OptionFix:
    """One value of an option: taken out (`new` None), put in (`old` None) or replaced."""

    option: Option
    old: str | None
    new: str | None = None

    def applied(self, values: Sequence[str]) -> list[str]:
        """Return the option's values after the fix: one added, replaced or taken out."""
        if self.old is None:
            return [*values, *([self.new] if self.new is not None and self.new not in values else [])]
        replaced = (self.new if value == self.old else value for value in values)
        return [value for value in replaced if value is not None]

    @property
    def is_possible(self) -> bool:
        """Tell whether it can be made here: a variable is for the user to change, and an index of uv's is known by its
        address alone."""
        is_renamed = self.option.spelled.startswith("index[") and self.old is not None and self.new is not None
        return self.option.path is not None and not is_renamed


@dataclass(frozen=True, slots=True)
class LintFinding:
    """`severity`: error (it breaks or endangers an install) | warning | note. `meets`: what this program's own install,
    where it follows the setting, too, does about it: around | source | mirror | stops (`lint.meets`). Without repairs
    the remedy is for the user's own hand."""

    code: str
    severity: str
    tool: str  # pip | uv | conda | python
    place: str  # the file, or the variable
    line: int | None
    value: str  # without passwords
    cause: Message
    fix: Message
    effect: Message
    repairs: tuple[OptionFix, ...] = ()
    meets: str = ""

    @property
    def touches(self) -> bool:
        return bool(self.meets)

    @property
    def hinders(self) -> bool:
        """Tell whether this program's own install fails by it."""
        return self.meets == "stops"

    @property
    def met(self) -> Message | None:
        """Return what it means for this program's own install; None where that does not follow it."""
        return Message(f"lint.meets.{self.meets}") if self.touches else None

    @property
    def is_fixable(self) -> bool:
        return bool(self.repairs)


def finding(
    code: str,
    severity: str,
    option: Option,
    position: int = 0,
    *,
    repairs: tuple[OptionFix, ...] = (),
    meets: str = "",
    words: tuple[str, str, str] = ("cause", "fix", "effect"),
    **params: Scalar,
) -> LintFinding:
    """Return a finding. `words` picks the sentences below `lint.<code>`. A variable is never repaired: nobody can for
    the user."""
    value = option.values[position] if position < len(option.values) else ""
    shown = {"value": redact(value), "place": option.place, "tool": option.tool.value, "key": option.key, **params}
    cause, fix, effect = (Message(f"lint.{code}.{word}", shown) for word in words)
    if option.path is None:
        fix = message("lint.variable.fix", name=option.spelled)
        if meets in _PASSED:
            fix = message("lint.variable.fix-passed", name=option.spelled, tool=option.tool.value)
    possible = repairs if all(repair.is_possible for repair in repairs) else ()
    return LintFinding(
        code,
        severity,
        option.tool.value,
        option.place,
        option.line(position),
        redact(value),
        cause,
        fix,
        effect,
        possible,
        meets,
    )
