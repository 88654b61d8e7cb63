"""Shows the crosswise test runs as evidence: what broke, or was proven, can be read where it ran."""

from __future__ import annotations

from dataclasses import replace

from bot.evidence.transitions import transition
from bot.task.requirements import NOTHING_REGRESSES
from bot.values import Evidence, Step
from sandbox.test_runs.four_way import Crossed
from sandbox.values import Observation


def crossed_evidence(
    step: Step,
    own: tuple[Observation | None, Observation | None],
    crossed: Crossed,
    suffix: str = "",
) -> tuple[Evidence, ...]:
    """Base's tests on head's code beside base's own run, and head's tests on base's beside head's own.

    `own` are base's and head's full runs; `suffix` tells the runs of several projects apart.
    """
    base_tests = replace(
        step,
        id=f"{step.id}b{suffix}",
        goal="Run base's version of the changed tests on head's code.",
        guidance="In head's tree with base's test files. Only what differs between the two is run.",
        requirement_ids=(NOTHING_REGRESSES,),
    )
    head_tests = replace(
        step,
        id=f"{step.id}h{suffix}",
        goal="Run head's version of the changed tests on base's code.",
        guidance="In base's tree with head's test files: a new test must fail here to prove anything.",
        requirement_ids=(),
    )
    sides = (
        (base_tests, own[0], crossed.base_on_head),
        (head_tests, crossed.head_on_base, own[1]),
    )
    return tuple(_evidence(one, base, head) for one, base, head in sides if base and head)


def _evidence(step: Step, base: Observation, head: Observation) -> Evidence:
    return Evidence(step.id, step, base, head, transition(base, head))
