"""What tests leave open as damaged copies show: results that none compares, parts that none needs.

Some see that a result is another one than on base, and not whether it is the right one. And a change may do
what no test needs, and of which the task does not speak.
"""

from __future__ import annotations

import re

from bot.evidence.damage import called_in, near_what_is_noticed
from bot.task.categories import asks_for_speed
from bot.values import DamageSeen, TestComparison
from bot.verdict.claims import Claim, Gap
from sandbox.damage.values import (
    ALTERED,
    AS_ON_BASE,
    EXTENDED,
    NEAR,
    PARAMETER,
    PASSED_OVER,
    REMEMBERED,
    RESULTS,
    SAME,
    TERM,
    UNWRAPPED,
    Damage,
    DamageTrial,
)
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


# --- what no test needs -----------------------------------------------------------------------


def asks_unseen(claim: Claim) -> Gap | None:
    """The change does something of which neither the task nor any test speaks.

    It asks for a value, passes over an error, keeps a result, or does otherwise what base did. What there
    was no time to try is no better.
    """
    seen = claim.case.observed.damage
    if seen is None:
        return None
    is_near = near_what_is_noticed(claim.tests, claim.case.groups.proofs, seen)
    found = next((one for one in seen.unneeded if is_near(one.damage)), None)
    if found is None:
        late = next(filter(is_near, seen.late), None)
        return _not_tried(late, seen) if late else None
    near = (near for one in claim.inputs for near in one.near)
    is_only_faster = asks_for_speed(claim.requirement) and not any(one.differs for one in near)
    may_be = claim.case.regressions or is_only_faster
    if found.damage.kind in (ALTERED, EXTENDED) and may_be:
        return None  # the tests that it breaks say so; and what is only faster gives what it gave
    damage, count = found.damage, len(found.unnoticed)
    passing = f"all {count} tests pass" if count != 1 else "the only test passes"
    place = f"{damage.path}:{damage.line}"
    where = f"{passing}, too, where {damage.what} ({place}), and the task does not speak of"
    if damage.kind == PASSED_OVER:
        but = f"{where} errors. So nothing shows that this one may be passed over."
        instead = "let the error through"
    elif damage.kind == REMEMBERED:
        but = f"{where} caches. So nothing shows that its result may be kept when what it reads changes."
        instead = "work it out each time"
    elif damage.kind == PARAMETER:
        but = f"{passing}, too, where {damage.what} ({place}). So nothing shows what it is for."
        instead = "take it out"
    elif damage.kind in (ALTERED, EXTENDED, UNWRAPPED):
        but = f"{where} it. So nothing shows what this part of the change is for."
        instead = "take this part back"
    else:
        what = "term" if damage.kind == TERM else "condition"
        but = f"{where} this value. So nothing shows what the {what} is for."
        instead = f"take this {what} out"
    step = f"Add a test that fails where {damage.what}, or {instead}"
    return Gap(but, step, (seen.evidence_id,))


def _not_tried(one: Damage, seen: DamageSeen) -> Gap:
    return Gap(
        f"the time for damaged copies was over before all tests were run where {one.what} "
        f"({one.path}:{one.line}), and the task does not speak of it. So nobody knows what this is for.",
        "Make the tests quicker, or raise `limits.damage` or `limits.minutes` on the base branch",
        (seen.evidence_id,),
    )
