"""Looks whether a change is seen only with the values that its conditions ask for, and nobody speaks of."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from bot.context import EvaluationContext
from bot.evidence.said_values import is_mentioned
from bot.evidence.tests.four_way import assertion_line
from bot.services import Services
from bot.values import TestChange, TestComparison
from sandbox.damage.one_value import BothResults, with_other_values
from sandbox.damage.trial import Trials
from sandbox.damage.values import OF_VALUES, Damage, OneValue
from sandbox.elsewhere.inside.calls import ADDRESS
from sandbox.test_runs.four_runs import failed, passed

_MOST = 2
_LEAST = 2


async def for_one_value(
    services: Services,
    case: EvaluationContext,
    tests: Iterable[TestComparison],
    trials: Trials,
    asking: Iterable[Damage],
) -> tuple[OneValue, ...]:
    """Return the conditions without whose values tests that prove the change see nothing of it.

    `asking` is what the task does not speak of; of handlers of errors nothing is said here. None is begun
    when the time of the trials is over.
    """
    turned = {
        one.id: one
        for one in tests
        if one.change is TestChange.FAIL_TO_PASS and one.written_by_author and one.assertion
    }
    # Each is there twice: always true, and always false.
    said = case.planned.requirements
    conditions = {
        (*one.function, one.names): one
        for one in asking
        if one.kind in OF_VALUES and not is_mentioned(one, said)
    }
    found = []
    end = time.monotonic() + trials.seconds
    for condition in [*conditions.values()][:_MOST] if turned else ():
        blind: dict[str, int] = {}
        left_s = end - time.monotonic()
        limits = replace(trials.limits, timeout_s=min(trials.limits.timeout_s, max(1.0, left_s)))
        for project in trials.concerned if left_s > 0 else ():
            base = case.built.at(next(iter(project.tests.values()), "")).base
            if base is None or base.failure is not None:
                continue
            own = {one: path for one, path in project.tests.items() if one in turned}
            asked = replace(project, tests=own)
            ways = await with_other_values(
                services.sandbox, replace(trials, limits=limits), asked, base, condition.names
            )
            for one in asked.tests:
                told = [way[one] for way in ways if one in way]
                times = _blind_times(turned[one], told) if len(told) == len(ways) else 0
                blind |= {one: times} if times >= _LEAST else {}
        if blind:
            found.append(OneValue(condition, tuple(blind), min(blind.values())))
    return tuple(found)


def in_words(seen: OneValue) -> str:
    """Say what was seen, as a line of the evidence."""
    one, count = seen.damage, len(seen.tests)
    tests = f"{count} tests fail" if count != 1 else "1 test fails"
    return (
        f"{one.path}:{one.line}: with other values in place of {', '.join(one.names)} "
        f"(tried {seen.times} times), {tests} on head as on base"
    )


def _blind_times(test: TestComparison, ways: Iterable[BothResults]) -> int:
    """How often a test fails on head as on base, in the way in which it did fail on base; 0 if once not.

    What passes on both says nothing: the other value may be one for which base is right.
    """
    times = 0
    for on_base, on_head in ways:
        lines = [ADDRESS.sub("", assertion_line(one.message)) for one in (on_base, on_head)]
        if passed(on_base.outcome) and passed(on_head.outcome):
            continue
        is_as_on_base = failed(on_base.outcome) and failed(on_head.outcome) and lines[0] == lines[1]
        if not is_as_on_base or _kind(lines[0]) != _kind(test.assertion):
            return 0
        times += 1
    return times


def _kind(line: str) -> str:
    return line.partition(":")[0]
