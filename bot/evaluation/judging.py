"""What judges are asked about, whole: enough to ask them again without the evaluation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.apart import apart
from bot.configuration import Configuration
from bot.context import EvaluationContext
from bot.diff.unified import unified, unified_within
from bot.evidence.case import Case, open_case
from bot.evidence.damage import told_unnoticed
from bot.evidence.kinds import WEIGHING
from bot.evidence.test_plan.whole import score_plan
from bot.judges.agents import Agents
from bot.judges.criteria_grading import grade_change
from bot.judges.deliberation import hold_deliberation
from bot.judges.inputs import told_differences
from bot.judges.material import DIFF_CHARS, Material
from bot.judges.patch_opinion import ask_on_patch
from bot.judges.weighing import can_run_head, weigh, why_not_asked
from bot.values import (
    Criterion,
    Deliberation,
    Judgement,
    MemberVerdict,
    Observed,
    Requirements,
    Task,
    TaskRubric,
    Verdict,
)
from bot.values.rules import INSTRUCTION
from bot.verdict.gate import BesideVerdicts, conclude
from bot.verdict.hunks import served_hunks
from bot.verdict.outcome import verdicts
from bot.verdict.patch_reasons import patch_reasons
from sandbox.values import Diff


@dataclass(frozen=True, slots=True)
class Judging:
    """The task, the change, and what was seen."""

    task: Task
    diff: Diff
    requirements: Requirements
    observed: Observed
    configuration: Configuration
    criteria: tuple[Criterion, ...] = ()
    rubrics: tuple[TaskRubric, ...] = ()

    @property
    def case(self) -> Case:
        """The facts that rules look at."""
        return open_case(self.requirements, self.observed, self.configuration)

    @classmethod
    def of(cls, case: EvaluationContext, task: Task, observed: Observed) -> Judging:
        """What an evaluation lays before its judges."""
        configuration = case.policy.configuration
        diff, planned = case.checkout.diff, case.planned
        criteria = case.policy.kept_criteria
        return cls(
            task, diff, planned.requirements, observed, configuration, criteria, planned.rubrics
        )


async def ask_judges(judging: Judging, agents: Agents) -> Deliberation:
    """Ask the judges about everything that oracles leave to them. Raises SandboxError.

    Nobody is paid where the gate fails anyway, and nothing is run where head is not built.
    """
    observed, requirements = judging.observed, judging.requirements
    if not_asked := why_not_asked(observed):
        return Deliberation(not_asked=not_asked)
    if agents.acting and not can_run_head(observed):
        agents = replace(agents, acting=replace(agents.acting, reads_only=True))
    timeout_s = judging.configuration.limits.minutes * 60
    found = await apart(timeout_s, _by_rules, judging)
    spoken = next((f.message for f in observed.integrity if f.rule == INSTRUCTION), "")
    whole, shown = unified(judging.diff), unified_within(judging.diff, DIFF_CHARS)
    looked = observed.second_look.inputs if observed.second_look else ()
    claims = observed.claims
    material = Material(
        task=judging.task,
        diff=whole,
        evidence=observed.evidence,
        words_to_judges=spoken,
        tests=observed.tests,
        shown_diff=shown,
        unnoticed=told_unnoticed(observed.damage),
        differing=told_differences(looked),
        claimed=claims.steps if claims and claims.for_judges else (),
    )
    policy = judging.configuration.judges
    held = await hold_deliberation(agents, requirements, found, material, policy)
    held = replace(held, found=found)
    if held.problem:
        return held
    grading = await grade_change(agents, material, judging.criteria, requirements.preferences)
    seen = replace(material, evidence=(*held.evidence, *observed.evidence))
    is_binding = any(one.is_golden for one in judging.rubrics)
    samples = policy.count if is_binding else 1  # what advises is asked once
    patch = await ask_on_patch(agents, seen, judging.rubrics, samples)
    return replace(held, grading=grading, patch=patch, usage=agents.session.usage)


def _by_rules(judging: Judging) -> tuple[Verdict, ...]:
    return verdicts(judging.case, WEIGHING)


def judged(
    judging: Judging, deliberation: Deliberation, members: tuple[MemberVerdict, ...] = ()
) -> Judgement:
    """Judge every requirement on its own, weigh what judges said, then let the gate conclude.

    `members` are the pull requests of a merge group.
    """
    requirements, observed = judging.requirements, judging.observed
    case = judging.case
    found = deliberation.found or verdicts(case, WEIGHING)
    found = weigh(requirements, found, deliberation, observed.evidence)
    beside = BesideVerdicts(
        members,
        None if deliberation.problem else deliberation.grading,
        patch_reasons(deliberation, observed.evidence, judging.rubrics, judging.configuration),
    )
    return Judgement(
        requirements,
        found,
        conclude(case, found, beside),
        score_plan(requirements, observed),
        hunks=served_hunks(judging.diff, case, found, (*observed.evidence, *deliberation.evidence)),
    )
