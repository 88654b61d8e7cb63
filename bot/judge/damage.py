"""Says what a test's answer to damage shows: one that passes whatever is damaged proves nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.models import DamageSeen, TestComparison
from sandbox.damage.values import DamageTrial

_CALLED = re.compile(r"([A-Za-z_$][\w$]*)\s*\(")


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
    measured. Of a function that the test itself calls, some damage must be noticed: what it notices
    elsewhere may be what keeps it green.
    """
    ran = [one for one in _trials(seen) if test.id in _ran(one)]
    telling = [one for one in ran if one.damage.is_telling] or ran
    noticed = [one for one in telling if test.id in one.noticed]
    if not noticed:
        return bool(telling)
    called = set(_CALLED.findall(test.source))
    own = [one for one in ran if one.damage.symbol in called]
    return bool(own) and not any(test.id in one.noticed for one in own)


def _trials(seen: DamageSeen | None) -> tuple[DamageTrial, ...]:
    return seen.trials if seen and not seen.problem else ()


def _ran(one: DamageTrial) -> set[str]:
    return {*one.noticed, *one.unnoticed}
