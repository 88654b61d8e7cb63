"""What a requirement names: the code that a judge's step has to be about."""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass

from bot.text.words import words_of
from bot.values import Requirement

_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")
_CALLED = re.compile(r"\b([A-Za-z_]\w+)\(|\b(\w*[a-z0-9]_\w+|[a-z]+[A-Z]\w*)\b")
_NOT_OURS = frozenset((*dir(builtins), *keyword.kwlist, "null", "undefined", "true", "false"))
_SHOWN_WORDS = 60


@dataclass(frozen=True, slots=True)
class Named:
    """`code` are the identifiers that it writes as code, without those of the language itself; where it
    writes none, `nearby` are those of the task that it stands in ("It should raise an error").
    """

    text: str
    code: frozenset[str]
    nearby: frozenset[str]
    stems: frozenset[str]

    @classmethod
    def of(cls, requirement: Requirement, around: str = "") -> Named:
        """What the requirement's own words name; `around` is the task as others than the author tell it."""
        whole = f"{requirement.text}\n{requirement.detail}"
        code = _code_in(requirement.text) or _code_in(requirement.detail)
        return cls(requirement.text, code, _code_in(around), words_of(whole))

    @property
    def identifiers(self) -> frozenset[str]:
        """The names in code that it is about."""
        return self.code or self.nearby

    @property
    def words(self) -> str:
        """What it names, for a sentence."""
        if self.code:
            return " or ".join(f"`{one}`" for one in sorted(self.code)[:3])
        text = " ".join(self.text.split())
        return f"“{text if len(text) <= _SHOWN_WORDS else text[: _SHOWN_WORDS - 1] + '…'}”"

    def is_met_by(self, *names: str) -> bool:
        """Whether one of these is about it: an identifier in it, else a telling word that both have."""
        if self.code:
            return any(self.code.intersection(_IDENTIFIER.findall(name)) for name in names)
        if any(self.nearby.intersection(_IDENTIFIER.findall(name)) for name in names):
            return True
        return not self.stems or any(self.stems & words_of(name) for name in names)


def _code_in(text: str) -> frozenset[str]:
    quoted = [name for part in _QUOTED.findall(text) for name in _IDENTIFIER.findall(part)]
    called = [one or other for one, other in _CALLED.findall(text)]
    return frozenset((*quoted, *called)) - _NOT_OURS
