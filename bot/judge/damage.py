"""Says what a test's answer to damage and a second look at its calls show: whether it proves anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.judge.witnesses import call_witnesses
from bot.models import DamageSeen, Observed, TestComparison
from sandbox.damage.values import DamageTrial
from sandbox.elsewhere.values import Difference, SecondLook

MOST_FILES = 5
_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*)\s*\(")


@dataclass(frozen=True, slots=True)
class Noticed:
    """How many damages at least one of some tests noticed, out of how many they were run on."""

    noticed: int
    of: int

    def __str__(self) -> str:
        return f"{self.noticed} of {self.of} damage{'s' if self.of != 1 else ''} noticed"


def noticed_by(tests: Iterable[TestComparison], seen: DamageSeen | None) -> Noticed | None:
    """Count over the damages that tell something; None where none was measured."""
    ids = {test.id for test in tests}
    trials = [one for one in _trials(seen) if one.damage.is_telling and ids & _ran(one)]
    if not trials:
        return None
    return Noticed(sum(bool(ids.intersection(one.noticed)) for one in trials), len(trials))


def is_blind(test: TestComparison, seen: DamageSeen | None) -> bool:
    """Whether a test passes however the change is damaged, so that it shows nothing of it.

    A damage that only takes a name away, or makes a function raise, counts where no other could be
    measured; where a test noticed such a one, what stands in other files is nothing that it is about. Of a
    function that the test itself calls, some damage must be noticed: what it notices elsewhere may be what
    keeps it green.
    """
    ran = [one for one in _trials(seen) if test.id in _ran(one)]
    telling = [one for one in ran if one.damage.is_telling] or ran
    noticed = [one for one in telling if test.id in one.noticed]
    if not noticed:
        near = {one.damage.path for one in ran if test.id in one.noticed}
        return any(not near or one.damage.path in near for one in telling)
    called = set(_CALLED.findall(test.source))
    own = [one for one in ran if one.damage.symbol in called]
    return bool(own) and not any(test.id in one.noticed for one in own)


def kept_that_reach(observed: Observed) -> frozenset[str]:
    """Base's tests that held and that reach, by the code graph, what changed: they ought to notice."""
    symbols = observed.impact.symbols if observed.impact else ()
    paths = list(dict.fromkeys(place.path for one in symbols for place in one.tests))[:MOST_FILES]
    kept = call_witnesses(observed.tests).kept
    return frozenset(test.id for test in kept if test.path in paths)


def of_base(seen: DamageSeen | None) -> str:
    """What is to be said where base's tests reach the change and notice no damage to it; else ""."""
    if seen is None or not seen.is_of_base:
        return ""
    trials = [one for one in _trials(seen) if _ran(one) and one.damage.is_telling]
    if not trials or any(one.noticed for one in trials):
        return ""
    count = len({test for one in trials for test in one.unnoticed})
    return (
        f" But the {count} test{'s' if count != 1 else ''} of base that reach what changed noticed none of "
        f"{len(trials)} damages to it, so they say little about it."
    )


def _trials(seen: DamageSeen | None) -> tuple[DamageTrial, ...]:
    return seen.trials if seen and not seen.problem else ()


def _ran(one: DamageTrial) -> set[str]:
    return {*one.noticed, *one.unnoticed}


def differing_call(tests: Iterable[TestComparison], seen: SecondLook | None) -> Difference | None:
    """The first call of these tests that gives something else outside of the test runner."""
    for one in seen.differences if seen else ():
        if any(one.path == test.path and one.test in test.id for test in tests):
            return one
    return None
