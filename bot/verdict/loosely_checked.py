"""Tests that see that a result is another one than on base, and not whether it is the right one."""

from __future__ import annotations

import re

from bot.evidence.damage import called_in
from bot.values import TestComparison
from bot.verdict.claims import Claim, Gap
from sandbox.damage.values import AS_ON_BASE, NEAR, RESULTS, SAME, DamageTrial
from sandbox.elsewhere.values import TestedInput

_ANSWERED = re.compile(r"(?:returned|resolved) ")
_A_NUMBER = re.compile(rf"({_ANSWERED.pattern})-?\d")
_BY_MISTAKE = re.compile(r"\s*(?:\w+: )?(?:TypeError|AttributeError)\b")
_MANY_VALUES = re.compile(
    r"(?i)\b(?:not|never|\w+n't|without|no longer|nothing|at (?:most|least)|than|up to|below|above|under|"
    r"over|between|within|exceed\w*|max\w*|min|minim\w*|limit\w*|capp?\w*|clamp\w*|bound\w*|range\w*|positive|negative|"
    r"non-?\w+|random\w*|unique\w*|distinct\w*|differ\w*|increas\w*|decreas\w*|grow\w*|shrink\w*|approx\w*|"
    r"types?|integers?|floats?|crash\w*|fail\w*|errors?|throw\w*|rais(?:e|es|ed|ing)|refus\w*|reject\w*)\b"
)
"""A demand that many values meet: a right test of it may pass with another one."""
_SOME_RANGE = re.compile(
    r"(?i)\b(?:at (?:most|least)|than|up to|below|above|under|over|between|within|exceed\w*|max\w*|min|"
    r"minim\w*|limit\w*|capp?\w*|clamp\w*|bound\w*|range\w*|random\w*|unique\w*|approx\w*|about|roughly|nearest|"
    r"estimat\w*|toleran\w*|jitter\w*|backoff|sampl\w*|elapsed|durations?|timeouts?|types?|integers?|floats?)\b"
)
"""A demand that numbers near each other meet."""
_NEARBY = "it passes as well where `{}` returns a number near by."
_OTHER = "it passes as well where `{}` returns another value of the same type."
_SHAPE = "on base's code a `TypeError` is all that it fails with, and "


def checks_loosely(claim: Claim) -> Gap | None:
    """All tests pass where another number comes back, too, or see no more than another shape than base's.

    Only where base answers at all calls that were seen: where it raises, that head does not may be all that
    is asked for.
    """
    seen = claim.case.observed.damage
    if seen is None or seen.problem or seen.is_of_base:
        return None
    trials = [one for one in seen.trials if one.damage.kind != SAME]
    found = [_passed_with(test, claim, trials) for test in claim.tests]
    if not found or not all(found):
        return None
    return Gap(
        f"{found[0]} So nothing shows that the right value comes back.",
        "Let the test compare what comes back with the expected value",
        (*claim.case.damage_ids, *claim.nearby),
    )


def _passed_with(test: TestComparison, claim: Claim, trials: list[DamageTrial]) -> str:
    """Say with what a test passes as well; "" where it may show what comes back."""
    called = called_in(test)
    ran = [one for one in trials if test.id in one.ran and one.damage.symbol in called]
    values = [one for one in ran if one.damage.kind == "result"]
    passed = {_place(one): one for one in values if test.id in one.unnoticed}
    noticed = [one for one in ran if test.id in one.noticed]
    calls = [one for one in claim.inputs if test.makes(one.path, one.test)]
    near = [one for one in ran if one.damage.kind == NEAR]
    if not passed and not any(test.id in one.noticed for one in near):
        return _passed_near(claim, near, calls)
    if not passed or any(_place(one) not in passed for one in noticed if not _is_back(one)):
        return ""  # it compares what another function does
    one = next(iter(passed.values()))
    own = [call for call in calls if call.function.rpartition(".")[2] == one.damage.symbol]
    if _is_any_number(own) and any(each.damage.kind in RESULTS for each in noticed):
        demand = claim.requirement.with_detail
        if not _MANY_VALUES.search(demand):
            return _OTHER.format(one.damage.symbol)
    is_emptied = any(each.damage.kind == "emptied" for each in ran)
    is_only_back = is_emptied and all(_is_back(each) for each in noticed)
    answers = bool(own) and all(_ANSWERED.match(each.tested.on_base) for each in own)
    if is_only_back and answers and _BY_MISTAKE.match(test.assertion):
        return _SHAPE + _OTHER.format(one.damage.symbol)
    return ""


def _passed_near(claim: Claim, near: list[DamageTrial], calls: list[TestedInput]) -> str:
    """Say of which function a number near by passes as well, where a demand leaves no room for it."""
    demand = claim.requirement.with_detail
    for one in near if not _SOME_RANGE.search(demand) else ():
        own = [call for call in calls if call.function.rpartition(".")[2] == one.damage.symbol]
        if _is_any_number(own):
            return _NEARBY.format(one.damage.symbol)
    return ""


def _place(trial: DamageTrial) -> tuple[str, str]:
    return trial.damage.path, trial.damage.symbol


def _is_back(trial: DamageTrial) -> bool:
    """Whether a trial only has what base has."""
    return trial.damage.kind in AS_ON_BASE


def _is_any_number(calls: list[TestedInput]) -> bool:
    """Whether calls give a number on both sides, and some another one."""
    both = [(one.tested.on_base, one.tested.on_head) for one in calls]
    found = [(_A_NUMBER.match(base), _A_NUMBER.match(head)) for base, head in both]
    is_number = all(base and head and base[1] == head[1] for base, head in found)
    return is_number and any(base != head for base, head in both)
