"""What judges are asked about, whole: enough to ask them again without the evaluation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.agents.chambers import Chambers
from bot.agents.criteria_grading import grade_change
from bot.agents.deliberation import hold_deliberation
from bot.agents.dossier import Dossier
from bot.configuration import Configuration
from bot.judge import Beside, conclude, count_met, score_plan, unified, verdicts, weigh
from bot.judge.rules import INSTRUCTION
from bot.models import Criterion, Deliberation, Judgement, Observed, Requirements, Standing, Task
from bot.stages.docket import Case
from sandbox.models import Diff


@dataclass(frozen=True, slots=True)
class Matter:
    """The task, the change, and what was seen."""

    task: Task
    diff: Diff
    requirements: Requirements
    observed: Observed
    configuration: Configuration
    criteria: tuple[Criterion, ...] = ()

    @classmethod
    def of(cls, case: Case, task: Task, observed: Observed) -> Matter:
        """What an evaluation lays before its judges."""
        configuration = case.policy.configuration
        diff, asked = case.checkout.diff, case.planned.requirements
        return cls(task, diff, asked, observed, configuration, case.policy.kept_criteria)


async def put_before_judges(matter: Matter, chambers: Chambers) -> Deliberation:
    """Ask the judges about everything that oracles leave to them. Raises SandboxError."""
    observed, requirements = matter.observed, matter.requirements
    found = verdicts(requirements, observed, matter.configuration)
    spoken = next((f.message for f in observed.integrity if f.rule == INSTRUCTION), "")
    dossier = Dossier(matter.task, unified(matter.diff), observed.evidence, spoken)
    policy = matter.configuration.judges
    held = await hold_deliberation(chambers, requirements, found, dossier, policy)
    if held.problem:
        return held
    grading = await grade_change(chambers, dossier, matter.criteria, requirements.preferences)
    return replace(held, grading=grading, usage=chambers.session.usage)


def judged(
    matter: Matter, deliberation: Deliberation, members: tuple[Standing, ...] = ()
) -> Judgement:
    """Judge every requirement on its own, weigh what judges said, then let the gate conclude.

    `members` are the pull requests of a merge group.
    """
    requirements, observed = matter.requirements, matter.observed
    found = verdicts(requirements, observed, matter.configuration)
    found = weigh(requirements, found, deliberation)
    beside = Beside(members, None if deliberation.problem else deliberation.grading)
    met = count_met(requirements, found)
    return Judgement(
        requirements,
        found,
        conclude(requirements, found, observed, matter.configuration, beside),
        met.independently,
        met.with_prerequisites,
        score_plan(requirements, observed),
    )
