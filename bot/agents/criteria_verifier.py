"""The Verifier (AgentEval): tries every criterion on the good, the bad and damaged solutions."""

from __future__ import annotations

from bot.agents.chambers import Chambers
from bot.agents.criteria_critic import EXAMPLE_CHARS, TASK_CHARS, Brief, propose_criteria
from bot.agents.criteria_quantifier import quantify
from bot.judge.criteria_trial import Trial, try_criteria
from bot.judge.worsened import worsened
from bot.models import Criterion, Grading
from sandbox.concurrently import concurrently

CRITIC_SAMPLES = 2


async def find_criteria(chambers: Chambers, brief: Brief, repeats: int) -> tuple[Trial, ...]:
    """Propose, merge and try criteria; the kept ones have no `why_not`. Raises ModelProblem."""
    criteria = await propose_criteria(chambers, brief, CRITIC_SAMPLES)
    return await verify(chambers, brief, criteria, repeats)


async def verify(
    chambers: Chambers, brief: Brief, criteria: tuple[Criterion, ...], repeats: int
) -> tuple[Trial, ...]:
    """Grade all solutions `repeats` times and say which criteria hold."""

    async def graded(solution: str) -> Grading:
        enclose = chambers.delimiter.enclose
        shown = "\n\n".join(
            (enclose("task", brief.task, TASK_CHARS), enclose("solution", solution, EXAMPLE_CHARS))
        )
        return await quantify(chambers, criteria, shown, repeats)

    solutions = (brief.good, brief.bad, *(one.text for one in worsened(brief.good)))
    good, bad, *damaged = await concurrently(*map(graded, solutions))
    return try_criteria(good, bad, tuple(damaged))
