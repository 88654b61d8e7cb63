"""Says what changed from base to head; the transition is the evidence."""

from __future__ import annotations

from bot.values import Transition
from sandbox.values import Observation


def passed(observation: Observation | None) -> bool | None:
    """Whether an action passed; None when what was seen proves nothing."""
    if observation is None or observation.exit_code is None:
        return None
    if observation.timed_out or observation.problem:
        return None
    return observation.exit_code == 0


def transition(base: Observation | None, head: Observation | None) -> Transition:
    """The transition of one action."""
    return between(passed(base), passed(head))


def between(before: bool | None, after: bool | None) -> Transition:
    """The transition between two sides that passed, failed, or prove nothing (None)."""
    if before is None or after is None:
        return Transition.UNKNOWN
    if before and after:
        return Transition.HELD
    if after:
        return Transition.FIXED
    return Transition.REGRESSED if before else Transition.STILL_FAILING
