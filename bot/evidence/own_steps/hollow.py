"""Tells whether a judge's own step that passes on head tests what was asked, or only that head is head.

The analyst that wrote it reads the change, and the change can talk it into a test that fails on base,
passes on head and tests nothing asked: a file or a name that only head has, another function. So each
assertion must rest on something that the project's code does, and that must be what the requirement
names. What is doubtful here raises no verdict; it says so, and the analyst can write a better one.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.evidence.own_steps.hollow_lines import REPOSITORY_TESTS, line_problem, names_in_line
from bot.evidence.own_steps.hollow_tests import Claim, claims_of
from bot.text.words import words_of
from bot.values import ActionKind, Category, Evidence, Requirement
from sandbox.values import Observation

OPEN_TO_TALK = (Category.BEHAVIOUR, Category.KEEP, Category.CRITERION, Category.PROHIBITION)
"""Upkeep is shown by what stands in files: there, looking is enough."""
_LINES = (ActionKind.BASH, ActionKind.SHELL_INTERACTION, ActionKind.FILE_COMPARISON)
_MISSING = re.compile(
    r"has no attribute '(\w+)'|cannot import name '(\w+)'|name '(\w+)' is not defined"
    r"|No module named '([\w.]+)'|\b(\w+) is not (?:defined|a function)"
    r"|does not provide an export named '(\w+)'|can't open file '([^'\n]+)'"
    r"|Cannot find (?:module|package) '([^'\n]+)'|No such file or directory: '([^'\n]+)'"
    r"|(?<![\w./-])'?([\w./-]+)'?: No such file or directory"
    r"|(?<![\w./-])([\w./-]+): (?:command )?not found"
    r"|file or directory not found: (\S+)"
)


def hollow_problem(evidence: Evidence, requirement: Requirement, around: str) -> str:
    """Why a step of a judge that passes on head shows nothing of the requirement; empty when it may.

    `around` is the task as others than the author tell it.
    """
    step, named = evidence.step, Named.of(requirement, around)
    if requirement.category not in OPEN_TO_TALK:
        return ""
    if step.action is ActionKind.UNIT_TESTS:
        return REPOSITORY_TESTS
    if step.action is ActionKind.DYNAMIC_EXECUTION:
        line, *rest = step.arguments or ("",)
        texts = dict(zip(rest[::2], rest[1::2], strict=True))
        found = line_problem(line, tuple(texts)) if line else ""
        return found or _files_problem(texts, named) or _missing(evidence.base, named)
    if step.action in _LINES:
        return _line_problem("".join(step.arguments[:1]), named) or _missing(evidence.base, named)
    if step.action is ActionKind.INTERACTION and not named.is_met_by(" ".join(step.arguments)):
        return f"No act of it is about {named.words}."
    return ""


def _files_problem(texts: dict[str, str], named: Named) -> str:
    claims = [claim for path, text in texts.items() for claim in claims_of(path, text)]
    if not claims:
        return "It asserts nothing that can be read in its files: write less, and one assertion a line."
    return next(filter(None, (_claim_problem(claim, named) for claim in claims)), "")


def _claim_problem(claim: Claim, named: Named) -> str:
    where = f"Line {claim.line} of {claim.path}" if claim.line else claim.path
    if not claim.is_done:
        if named.asks_for(claim.looked_at):
            return ""
        return f"{where} asserts nothing that the project's code does or returns."
    if not named.is_met_by(*claim.names):
        return f"{where} tests nothing that is about {named.words}."
    return ""


def _line_problem(line: str, named: Named) -> str:
    found = line_problem(line)
    if found or named.is_met_by(*names_in_line(line)):
        return found
    return f"Its line runs nothing that is about {named.words}."


def _missing(base: Observation | None, named: Named) -> str:
    """A name that is new on head is no behaviour, unless it is the one that was asked for."""
    for name in _missing_names(base):
        if not named.has_called_for(name):
            return (
                f"It fails on base because `{name}` is not there, which the requirement does not name: "
                "that shows only that the name is new."
            )
    return ""


def _missing_names(base: Observation | None) -> Iterator[str]:
    if base is None:
        return
    messages = [one.message for one in base.tests.results] if base.tests else []
    for text in (base.output, *messages):
        for found in _MISSING.finditer(text):
            yield next(filter(None, found.groups()))


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

    def has_called_for(self, name: str) -> bool:
        """Whether a name that base lacks was asked for: written in it, or made of its words alone."""
        if self.code:
            is_file = not name.isidentifier() and name in self.text
            return is_file or name.rsplit(".", 1)[-1] in self.code
        return name in self.nearby or (bool(parts := words_of(name)) and parts <= self.stems)

    def asks_for(self, looked_at: frozenset[str]) -> bool:
        """Whether it asks that something is there: each name or file that is looked at stands in it."""
        return bool(looked_at) and all(
            one in self.code or (not one.isidentifier() and one in self.text) for one in looked_at
        )


def _code_in(text: str) -> frozenset[str]:
    quoted = [name for part in _QUOTED.findall(text) for name in _IDENTIFIER.findall(part)]
    called = [one or other for one, other in _CALLED.findall(text)]
    return frozenset((*quoted, *called)) - _NOT_OURS
