"""What one step showed, and the one way to take it on both sides."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from bot.context import EvaluationContext, Project
from bot.values import Evidence, ExampleSeen, FourWay, Impact, Located, Part, Step
from bot.values.four_way import transition
from sandbox.base import Limits
from sandbox.concurrently import concurrently
from sandbox.values import Environment, Finding, Fix, Observation, Side

T = TypeVar("T")

_LONGEST_RUN = 0.8  # of `limits.minutes`


@dataclass(frozen=True, slots=True)
class Seen:
    """What one step showed: evidence that verdicts may cite, the tests four ways, findings new on head
    and linters' own fixes of them, what the task's examples did, and hints that no verdict rests on."""

    evidence: tuple[Evidence, ...] = ()
    tests: FourWay | None = None
    findings: tuple[Finding, ...] = ()
    fixes: tuple[Fix, ...] = ()
    examples: tuple[ExampleSeen, ...] = ()
    impact: Impact | None = None
    located: tuple[Located, ...] = ()


def limits(case: EvaluationContext) -> Limits:
    """Let one run take most of the time: when it hangs, the rest suffices to say which run it was."""
    minutes = case.policy.configuration.limits.minutes
    return Limits(timeout_s=minutes * 60 * _LONGEST_RUN)


class Both(NamedTuple, Generic[T]):
    """The same of base and of head."""

    base: T
    head: T


class ShownBoth(NamedTuple, Generic[T]):
    """What one thing showed on each side; None on base where that side is off."""

    base: T | None
    head: T


@dataclass(frozen=True, slots=True)
class StepSide:
    """One side of a step: its tree, and what is built of it. Nothing is done where it `is_off`."""

    side: Side
    tree: str
    environment: Environment | None
    is_off: bool = False


def sides(case: EvaluationContext, project: Project) -> Both[StepSide]:
    """Both sides, with the environments of a project."""
    is_off = Part.BASE_SIDE in case.request.without
    return Both(
        StepSide(Side.BASE, case.checkout.base_tree, project.base, is_off),
        StepSide(Side.HEAD, case.checkout.head_tree, project.head),
    )


async def on_both(
    run: Callable[[StepSide], Coroutine[Any, Any, T]], places: Both[StepSide]
) -> ShownBoth[T]:
    """Do one thing on both sides at the same time; the first error ends both."""
    if places.base.is_off:
        return ShownBoth(None, await run(places.head))
    base, head = await concurrently(run(places.base), run(places.head))
    return ShownBoth(base, head)


def showing(
    step: Step, base: Observation | None, head: Observation, findings: tuple[Finding, ...] = ()
) -> Seen:
    """One piece of evidence: what both sides showed, and what changed between them."""
    evidence = Evidence(step.id, step, base, head, transition(base, head))
    return Seen((evidence,), findings=findings)
