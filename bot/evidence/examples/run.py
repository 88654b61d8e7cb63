"""Makes the calls that the task shows on both sides, and says whether they give what it shows."""

from __future__ import annotations

import ast
import math
import shlex
from dataclasses import replace

from bot.context import Case
from bot.evidence.seen import Place, Seen, on_both, showing, sides
from bot.services import Services
from bot.values import Example, ExampleOutcome, ExampleSeen, Step
from sandbox.base import Completed
from sandbox.edges.calls import NOT_TRIED
from sandbox.edges.examples import RAISED, Shown, ShownCalls, make_calls
from sandbox.values import Observation, Side


async def call_as_shown(services: Services, case: Case, step: Step) -> Seen:
    """Make every call that the requirements hold as an example; nothing where a side was not built."""
    examples = case.planned.requirements.examples
    calls = tuple(one.call for one in examples)
    changed = case.checkout.diff.changed_paths
    places = sides(case, case.built.decisive)
    if any(one.environment is None or one.environment.failure for one in places):
        return Seen()

    async def run(place: Place) -> tuple[tuple[Shown, ...], Completed]:
        asked = ShownCalls(place.tree, place.environment, calls, changed)
        return await make_calls(services.sandbox, asked)

    base, head = await on_both(run, places)
    seen = tuple(
        ExampleSeen(example, _outcome(example, before), _outcome(example, after))
        for example, before, after in zip(examples, base[0], head[0], strict=True)
    )
    shown = showing(
        step, _observation(Side.BASE, seen, base[1]), _observation(Side.HEAD, seen, head[1])
    )
    return replace(shown, examples=seen)


def _observation(side: Side, seen: tuple[ExampleSeen, ...], run: Completed) -> Observation:
    outcomes = [(one.example, one.base if side is Side.BASE else one.head) for one in seen]
    lines = [f"{example.said_call} {outcome.did}" for example, outcome in outcomes]
    told = [
        outcome.holds is example.must_hold
        for example, outcome in outcomes
        if outcome.holds is not None
    ]
    exit_code = int(not all(told)) if told else None
    problem = "" if told else "None of these calls could be made here."
    calls = (
        f"python -c {shlex.quote(f'…; print({example.said_call})')}" for example, _ in outcomes
    )
    return Observation(
        side, "\n".join(calls), exit_code, "\n".join(lines), run.seconds, problem=problem
    )


def _outcome(example: Example, shown: Shown) -> ExampleOutcome:
    if shown.outcome == NOT_TRIED:
        return ExampleOutcome(None, f"was not made: {shown.said}")
    did = f"{'raises' if shown.outcome == RAISED else 'returns'} `{shown.said}`"
    return ExampleOutcome(_holds(example, shown), did)


def _holds(example: Example, shown: Shown) -> bool | None:
    """Whether a call gives what is shown; None where a value of another form cannot be compared."""
    if example.error:
        return example.error in shown.errors
    if shown.outcome == RAISED:
        return False
    if shown.said in example.results or shown.said == example.said_result:
        return True
    value = _read(shown.literal)
    if value is None:
        return None
    wanted = [read for one in example.results if (read := _read(one))]
    if any(_same(value[0], one[0]) for one in wanted):
        return True
    is_as_printed = str(value[0]) == example.said_result.strip("'\"")  # 7 may be meant as "7"
    return False if wanted and not is_as_printed else None


def _read(literal: str) -> tuple[object] | None:
    try:
        return (ast.literal_eval(literal),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _same(one: object, other: object) -> bool:
    """Equality as people show it: a tuple for a list, and numbers as they are printed."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other
