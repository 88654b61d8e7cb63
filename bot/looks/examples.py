"""Makes the calls that the task shows on both sides, and says whether they give what it shows."""

from __future__ import annotations

import ast
import math
import shlex

from bot.judge import transition
from bot.looks.seen import Seen
from bot.models import Evidence, Example, ExampleKind, ExampleOutcome, ExampleSeen, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.base import Completed
from sandbox.concurrently import concurrently
from sandbox.edges.examples import NOT_TRIED, RAISED, Shown, ShownCalls, make_calls
from sandbox.models import Environment, Observation, Side


async def call_as_shown(services: Services, case: Case, step: Step) -> Seen:
    """Make every call that the requirements hold as an example; nothing where a side was not built."""
    examples = case.planned.requirements.examples
    built = case.built.decisive
    if not _is_built(built.base) or not _is_built(built.head):
        return Seen()
    calls = tuple(one.call for one in examples)
    changed = case.checkout.diff.changed_paths
    trees = case.checkout.base_tree, case.checkout.head_tree
    sides = [
        make_calls(services.sandbox, ShownCalls(side, tree, environment, calls, changed))
        for side, tree, environment in (
            (Side.BASE, trees[0], built.base),
            (Side.HEAD, trees[1], built.head),
        )
        if environment is not None
    ]
    (base, base_run), (head, head_run) = await concurrently(*sides)
    seen = tuple(
        ExampleSeen(example, _outcome(example, before), _outcome(example, after))
        for example, before, after in zip(examples, base, head, strict=True)
    )
    shown_base = _observation(Side.BASE, seen, base_run)
    shown_head = _observation(Side.HEAD, seen, head_run)
    evidence = Evidence(step.id, step, shown_base, shown_head, transition(shown_base, shown_head))
    return Seen((evidence,), examples=seen)


def _is_built(environment: Environment | None) -> bool:
    return environment is not None and environment.failure is None


def _observation(side: Side, seen: tuple[ExampleSeen, ...], run: Completed) -> Observation:
    outcomes = [(one.example, one.base if side is Side.BASE else one.head) for one in seen]
    lines = [f"{example.said_call} {outcome.did}" for example, outcome in outcomes]
    told = [
        outcome.holds is (example.kind is not ExampleKind.REPORTED)
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
