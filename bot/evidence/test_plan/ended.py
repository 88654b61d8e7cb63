"""How one command of a test plan ended, and whether its exit code binds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bot.text.clipping import clip
from bot.text.words import words_of
from bot.values import ActionKind, Evidence, ItemKind, Observed, PlanItem, Requirement, Requirements
from sandbox.terminal.values import CaseRun

ITEM_ACTIONS = (ActionKind.SHELL_INTERACTION, ActionKind.FILE_COMPARISON)


def item_evidence(requirement: Requirement, observed: Observed) -> Evidence | None:
    """Return the evidence of the step that ran a test plan's item."""
    found = (e for e in observed.evidence if e.step.action in ITEM_ACTIONS)
    return next((e for e in found if requirement.id in e.step.requirement_ids), None)


_ABOUT_ERRORS = re.compile(
    r"(?i)\b(invalid|illegal|incorrect|wrong|unknown|unrecogni[sz]ed|unsupported|non-?exist\w*|"
    r"missing|error\w*|exception\w*|refus\w*|reject\w*|robust\w*|fault\w*|fail\w*|usage|help)\b"
)
_WITHOUT_ERRORS = re.compile(r"(?i)\b(no|without|free of)( \w+){0,2} (errors?|exceptions?|fail\w*)")
_TRACEBACK = "Traceback (most recent call last):"
_END_OF_INPUT = re.compile(r"(?m)^EOFError\b.*\s*\Z")
_REDIRECTED = re.compile(r"(?<!<)<\s*[\w./-]+")
_TELLING = (
    "the program system confirms shows displays prints outputs successfully message user correctly"
)
_LEAST_WORDS = 2
_INTERRUPTED = (130, 2)
_CRASHES = range(128 + 4, 128 + 12)  # SIGILL to SIGSEGV, without what ends a program politely


def has_crashed(case: CaseRun) -> bool:
    """Whether a signal or an uncaught exception ended it, other than for want of input."""
    if case.exit_code in _CRASHES:
        return True
    is_traced = bool(case.exit_code) and _TRACEBACK in case.output
    return is_traced and not (is_out_of_input(case) or _is_interrupted(case))


def may_fail(case: CaseRun, item: PlanItem) -> bool:
    """Whether an exit code other than 0 may be right: an error was asked for, or the input ended."""
    if is_out_of_input(case) or _is_interrupted(case):
        return True
    if item.kind is ItemKind.UNIT_TEST:
        return False
    prose = f"{item.metric} {item.description} {item.expected_output}"
    return bool(_ABOUT_ERRORS.search(_WITHOUT_ERRORS.sub(" ", prose)))


def is_out_of_input(case: CaseRun) -> bool:
    """Whether it asked for more than the plan gives; nobody can say that it must not."""
    return case.asked_for_more or bool(_END_OF_INPUT.search(case.output.rstrip()))


def _is_interrupted(case: CaseRun) -> bool:
    typed = case.typed.casefold()
    return case.exit_code in _INTERRUPTED and ("ctrl" in typed or "^c" in typed)


def screens(case: CaseRun) -> Iterator[str]:
    """What it printed between one input and the next, and the next screen with it.

    A program that is slow to print looks as if it waited, so a list may be on two of them.
    """
    places = [0, *case.typed_at, len(case.output)]
    for number in range(len(places) - 1):
        yield case.output[places[number] : places[min(number + 2, len(places) - 1)]]


def confirms_nothing(case: CaseRun, item: PlanItem) -> bool:
    """Whether it ended by a traceback at the end of its input, and printed no word that is expected.

    Either alone shows little: the plan may type too little, and other words may say the same.
    """
    said, is_traced, _ = case.output.partition(_TRACEBACK)
    letters = [letter for letter in said if letter.isalpha()]
    if not is_traced or not case.exit_code or sum(map(str.isascii, letters)) < 0.9 * len(letters):
        return False
    wanted = words_of(item.expected_output) - words_of(_TELLING)
    return len(wanted) >= _LEAST_WORDS and not wanted & words_of(said)


ProgramEnding = tuple[str, int]
"""A program, whatever it is given to read, and an exit code of it."""


def ending(case: CaseRun) -> ProgramEnding:
    """How a command ended; 0 where it did not."""
    return _REDIRECTED.sub(" ", case.command).strip(), case.exit_code or 0


def plain_endings(requirements: Requirements, observed: Observed) -> frozenset[ProgramEnding]:
    """The exit codes that a program ends with where no error was asked for, in two items or more.

    Such a code does not speak of a wrong input, so it is no answer to one either.
    """
    counted: Counter[ProgramEnding] = Counter()
    for requirement in requirements.items:
        evidence = item_evidence(requirement, observed) if requirement.item else None
        run = evidence.head.item if evidence and evidence.head else None
        cases = run.cases if run else ()
        counted.update(
            {
                ending(case)
                for case in cases
                if requirement.item and case.exit_code and not may_fail(case, requirement.item)
            }
        )
    return frozenset(one for one, count in counted.items() if count > 1)


def short(case: CaseRun) -> str:
    """The command, capped for a sentence."""
    return clip(case.command, 80)


def last(case: CaseRun) -> str:
    """The last line that it printed, capped."""
    lines = [line.strip() for line in case.output.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""
