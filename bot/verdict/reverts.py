"""Judges a change that takes back a commit exactly: what asks for that is met, and who wants it is asked for.

No test can show that a revert is wanted. An issue that asks for it by the commit's title, number or sha does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.evidence.case import Case
from bot.evidence.oracle import satisfied, unverified
from bot.text.words import sentences
from bot.values import Category, Conclusion, FourWay, GateReason, Requirement, Trust, Verdict

_TAKES_BACK = "The change takes back commit `{sha}` exactly"
_ACCEPT = "If this revert is wanted, accept it."
_VERB = r"\b(?:revert|undo|back out|roll back|take back)"
_ASKS = re.compile(rf"(?i){_VERB}\b")
_NOT = re.compile(
    r"(?i)(?:\b(?:not|never|without|before|unless|if|whether|should we)\b|n['\u2019]t\b)[^,;:]{0,40}"
    rf"{_VERB}\b|\?\s*$"
)
_POINTS_BACK = re.compile(rf"(?i){_VERB} (?:it|that|this|(?:this|that|the) commit)\b(?! \w)")
_NUMBER = re.compile(r" ?\(#(\d{1,9})\)$")
_SHA = re.compile(r"\b[0-9a-f]{7,64}\b")


def judge_revert(requirement: Requirement, case: Case) -> Verdict | None:
    """What an exact revert shows of a demand: that it is made. None of what asks for something else.

    Of other words of the author's no test shows anything, since the change is nothing else.
    """
    tests = case.observed.tests
    told = _TAKES_BACK.format(sha=tests.takes_back[:12])
    if tests.takes_back and _asks(requirement, tests):
        return satisfied(requirement, f"{told}.", case)
    if tests.takes_back and requirement.trust is Trust.AUTHOR:
        return unverified(requirement, f"{told}. No test shows whether that is wanted.", _ACCEPT)
    return None


def revert_reasons(case: Case) -> Iterator[GateReason]:
    """A person says whether a commit is to be taken back, where nobody who may ask does."""
    tests = case.observed.tests
    asked = (one for one in case.requirements.items if one.trust.is_asked)
    if not tests.takes_back or any(_asks(one, tests) for one in asked):
        return
    gone = tests.taken_back
    named = f"{len(gone)} of them" if len(gone) > 1 else f"`{''.join(gone)}`"
    with_tests = f", with what its tests expected ({named})" if gone else ""
    told = f"{_TAKES_BACK.format(sha=tests.takes_back[:12])}{with_tests}."
    said = f"{told} Whether that is wanted is for a person to say."
    yield GateReason("revert", Conclusion.ACTION_REQUIRED, said, _ACCEPT, tests=gone)


def _asks(requirement: Requirement, tests: FourWay) -> bool:
    """Whether a demand names the commit in a sentence that asks to revert it, or in the one just before.

    A title speaks for its text.
    """
    if requirement.category is Category.BASELINE:
        return False
    number = _NUMBER.search(tests.takes_back_title)
    title = _NUMBER.sub("", tests.takes_back_title)
    said = requirement.with_detail if requirement.is_title else requirement.text
    is_named = False
    # The commit's title may hold any words and marks, so that it is read as one name.
    for one in sentences(said.replace(title, "\0") if len(title.split()) > 1 else said):
        by_number = number is not None and re.search(rf"#{number[1]}(?!\d)", one)
        by_sha = any(map(tests.takes_back.startswith, _SHA.findall(one)))
        points_back = is_named and _POINTS_BACK.search(one)
        is_named = bool("\0" in one or by_number or by_sha)
        if (is_named or points_back) and _ASKS.search(one) and not _NOT.search(one):
            return True
    return False
