"""The gate's answer in one line for people."""

from __future__ import annotations

from bot.clipping import clip_line
from bot.judge.outcome import MetCount
from bot.judge.requirements import BUILDS, NOTHING_REGRESSES, TESTS_NOT_WEAKENED
from bot.models import Conclusion, GateReason

MAX_TITLE = 119


def headline(conclusion: Conclusion, met: MetCount, reasons: tuple[GateReason, ...]) -> str:
    """One line under 120 characters: how much is met, and the first reason that decided."""
    counted = f"{met.independently} of {met.total} requirements met"
    if conclusion is Conclusion.SUCCESS:
        return f"All {met.total} requirements met"
    if conclusion is Conclusion.NEUTRAL:
        return clip_line(f"{counted}; what could not be verified is allowed here", MAX_TITLE)
    return clip_line(f"{counted}; {_in_short(reasons)}", MAX_TITLE)


def _in_short(reasons: tuple[GateReason, ...]) -> str:
    first = reasons[0]
    if first.rule not in ("requirement", "unverified"):
        return _SHORT.get(first.rule, first.text)
    unmet = first.rule == "requirement"
    words = _BASELINE_UNMET if unmet else _BASELINE_UNVERIFIED
    ids = dict.fromkeys(r.text.split(" ", 1)[0] for r in reasons if r.rule == first.rule)
    asked = [requirement for requirement in ids if requirement not in words]
    phrases = [words[requirement] for requirement in ids if requirement in words]
    if asked:
        state = (
            f"{'is' if len(asked) == 1 else 'are'} not met" if unmet else "could not be verified"
        )
        phrases.append(f"{_listed(asked)} {state}")
    return ", ".join(phrases)


def _listed(ids: list[str]) -> str:
    shown = ids if len(ids) <= 3 else [*ids[:2], f"{len(ids) - 2} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


_BASELINE_UNMET = {
    BUILDS: "head does not build",
    NOTHING_REGRESSES: "tests that passed fail now",
    TESTS_NOT_WEAKENED: "tests were weakened",
}
_BASELINE_UNVERIFIED = {
    BUILDS: "it could not be built",
    NOTHING_REGRESSES: "regressions could not be ruled out",
    TESTS_NOT_WEAKENED: "a person must read how the tests were changed",
}
_SHORT = {
    "build": "head does not build",
    "regression": "tests that passed fail now",
    "own-tests": "its own new tests fail",
    "integrity": "tests were weakened",
    "forged": "test results were forged",
    "expectation": "changed expectations need a person",
    "member": "a pull request of the group did not pass",
    "score": "there is no score to compare",
    "patch": "the patch as a whole did not pass",
    "syntax": "a changed file does not parse",
    "lint": "new linter findings block here",
    "scope": "changes outside the task block here",
}
