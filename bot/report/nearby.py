"""Calls near those of the tests that give something else on head, too: each of them should be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from sandbox.elsewhere.values import BothSides, TestedInput, Unmeasured, calls_near

_MOST_SHOWN = 3
_MOST_READ = 200


@dataclass(frozen=True, slots=True)
class AlsoChanged:
    """How many of the calls near the tested ones differ between the sides, and the most telling of them."""

    differing: int
    near: int
    calls: tuple[BothSides, ...]


def also_changed(inputs: Iterable[TestedInput]) -> AlsoChanged | None:
    """Return what differs near tested inputs; None for nothing.

    First come results that are unlike those which the tests show, by their signs other than letters and
    digits, then by their letters too; last the call that is least like a tested one.
    """
    inputs = [one for one in inputs if not one.problem]
    near = calls_near(inputs)
    differing = [both for both in near if both.differs]
    if not differing:
        return None
    shown: list[BothSides] = []
    for ignored in (r"\w", r"\d"):
        known = {_results(one.tested, ignored) for one in inputs}
        known.update(_results(one, ignored) for one in shown)
        for both in islice(differing, _MOST_READ):
            kind = _results(both, ignored)
            if kind not in known and len(shown) < _MOST_SHOWN - 1:
                known.add(kind)
                shown.append(both)
    tested = [one.tested.call for one in inputs]
    rest = sorted(
        (both for both in differing[:_MOST_READ] if both not in shown),
        key=lambda both: max(SequenceMatcher(None, both.call, one).ratio() for one in tested),
    )
    return AlsoChanged(len(differing), len(near), tuple((*shown, *rest)[:_MOST_SHOWN]))


def untried(inputs: Iterable[TestedInput]) -> Unmeasured | None:
    """Return why nothing but the tests' own inputs was tried; None where something was."""
    problems = [one.problem for one in inputs] or [Unmeasured.NO_CALLS]
    return problems[0] if all(problems) else None


def _results(both: BothSides, ignored: str) -> tuple[str, ...]:
    """What both sides give, without some signs; an error is known by its name."""
    return tuple(
        one if one.startswith("raised ") else re.sub(ignored, "", one)
        for one in (both.on_base, both.on_head)
    )
