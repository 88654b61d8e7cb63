"""Weighs calls with an empty input that divide by zero on head (rule 1: author's tests may be lowered).

Where base answered, or the task or the function's own words speak of an empty input, the crash is a
failing oracle. Else nobody said that it may be empty: that asks a person, and is never "satisfied".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.evidence.case import Case
from bot.evidence.oracle import unsatisfied, unverified
from bot.task.categories import ASKED
from bot.text.words import words_of
from bot.values import (
    ActionKind,
    Conclusion,
    Decider,
    GateReason,
    Requirement,
    Verdict,
    VerdictOutcome,
)
from sandbox.edges.empty_calls import ANSWERS, DIVIDES_BY_ZERO

_EMPTY = "empti"
_MEND = "Handle the empty input, or document that it raises ZeroDivisionError."


@dataclass(frozen=True, slots=True)
class Crash:
    """One call that divides by zero on head and did not on base."""

    evidence_id: str
    path: str
    call: str
    promise: str  # the function's docstring
    base_answered: bool

    @property
    def is_broken_promise(self) -> bool:
        """Whether it is wrong whatever the task says."""
        return self.base_answered or _EMPTY in words_of(self.promise)

    @property
    def is_private(self) -> bool:
        """Whether its callers may be trusted to keep the empty input away."""
        name = self.call.partition("(")[0]
        return name.startswith("_") or "._" in self.call

    @property
    def told(self) -> str:
        """What was seen, as the beginning of a sentence."""
        return f"`{self.call}` ({self.path}) ends in a ZeroDivisionError on head"


def crashes(case: Case) -> Iterator[Crash]:
    """The calls that crash on head only, in the order of the plan."""
    for evidence in case.observed.evidence:
        if evidence.step.action is not ActionKind.DYNAMIC_EXECUTION or not evidence.head:
            continue
        on_base = evidence.base.findings if evidence.base else ()
        before = {(f.path, f.message): f.rule for f in on_base}
        for f in evidence.head.findings:
            was = before.get((f.path, f.message), "")
            if f.rule == DIVIDES_BY_ZERO and was != DIVIDES_BY_ZERO:
                answered = was == ANSWERS
                yield Crash(evidence.id, f.path, f.message, f.hunk, base_answered=answered)


def with_crashes(verdict: Verdict, requirement: Requirement, case: Case) -> Verdict:
    """Lower the verdict of a demand whose function was seen to crash; others stay as they are."""
    if requirement.category not in ASKED or verdict.outcome is VerdictOutcome.UNSATISFIED:
        return verdict
    tied: list[Crash] = []
    for crash in crashes(case):
        name = crash.call.partition("(")[0] if "()." not in crash.call else crash.call
        if case.is_sole(requirement) or words_of(name) & words_of(requirement.text):
            tied.append(crash)
    is_spoken_of = _EMPTY in words_of(f"{requirement.text} {requirement.detail}")
    wrong = next((c for c in tied if c.is_broken_promise or is_spoken_of), None)
    if wrong:
        lowered = unsatisfied(requirement, f"{wrong.told}{_why(wrong)}.", case, next_step=_MEND)
        return replace(lowered, evidence_ids=(wrong.evidence_id,))
    doubt = next((crash for crash in tied if not crash.is_private), None)
    if doubt is None or verdict.decided_by is not Decider.AUTHORS_TEST:
        return verdict
    reason = f"{doubt.told}, and nothing says what an empty input should give. {verdict.reason}"
    lowered = unverified(requirement, reason, _MEND)
    return replace(lowered, evidence_ids=(doubt.evidence_id, *verdict.evidence_ids))


def _why(crash: Crash) -> str:
    if crash.base_answered:
        return "; base returns a value"
    if crash.is_broken_promise:
        return "; its docstring mentions an empty input"
    return "; the task mentions an empty input"


def crash_reasons(case: Case, cited: set[str]) -> Iterator[GateReason]:
    """What no verdict told: a broken promise blocks, another crash of a public function asks."""
    for crash in crashes(case):
        if crash.evidence_id in cited or (crash.is_private and not crash.is_broken_promise):
            continue
        wrong = crash.is_broken_promise
        yield GateReason(
            "crash",
            Conclusion.FAILURE if wrong else Conclusion.ACTION_REQUIRED,
            crash.told
            + (_why(crash) if wrong else ", and nothing says what an empty input should give")
            + ".",
            _MEND,
        )
