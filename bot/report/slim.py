"""Leave out what no report shows, before anything is looked at letter by letter.

An author can make ten thousand tests with long names and messages; scrubbing costs about a second
for two megabytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from bot.text.clipping import clip_middle
from bot.values import Evaluation, Evidence, Observed, Plan, Step, TestChange
from sandbox.values import Finding, Observation

TESTS_PER_GROUP = 200
FINDINGS = 500
STEPS = 120
MESSAGE_CHARACTERS = 20_000
"""Kept of one message before scrubbing; far more than is shown, so that no cut halves a secret there."""
TEXT_CHARACTERS = 200_000
"""Likewise, of one text of the task."""

SHOWN_CHANGES = (
    TestChange.PASS_TO_FAIL,
    TestChange.NEW_FAILING,
    TestChange.EXPECTATION_CHANGED,
    TestChange.NEVER_FAILED,
    TestChange.FLAKY,
    TestChange.REMOVED,
    TestChange.UNKNOWN,
    TestChange.FAIL_TO_PASS,
    TestChange.STILL_FAILING,
)
"""The changes that can matter for a verdict, the worst first; the rest is only counted."""


def slim(evaluation: Evaluation) -> Evaluation:
    """The same evaluation with only the texts that a report may show."""
    request = replace(evaluation.request, patch="", trajectory="", task_text="", description="")
    observed = _observed(evaluation.observed) if evaluation.observed else None
    judgement = evaluation.judgement
    if judgement is not None:  # the test plan's items themselves go: their scores say what is shown
        requirements = judgement.requirements
        items = tuple(replace(requirement, item=None) for requirement in requirements.items)
        judgement = replace(judgement, requirements=replace(requirements, items=items))
    plan = evaluation.plan
    if plan is not None:  # the first steps, with the beginnings of their arguments
        added = tuple(replace(one, step=_step(one.step)) for one in plan.extensions[:STEPS])
        plan = Plan(tuple(map(_step, plan.steps[:STEPS])), added)
    told = evaluation.deliberation
    if told is not None:
        told = replace(told, evidence=tuple(map(_evidence, told.evidence)), found=())
    task = evaluation.task
    if task is not None:
        cut = (replace(one, text=clip_middle(one.text, TEXT_CHARACTERS)) for one in task.sources)
        task = replace(task, sources=tuple(cut), named=())
    return replace(
        evaluation,
        request=request,
        task=task,
        observed=observed,
        deliberation=told,
        judgement=judgement,
        plan=plan,
    )


def _step(step: Step) -> Step:
    return replace(step, arguments=tuple(one[:1_000] for one in step.arguments[:20]))


def _observed(observed: Observed) -> Observed:
    seen: Counter[TestChange] = Counter()
    kept = []
    for comparison in observed.tests.comparisons:
        seen[comparison.change] += 1
        is_shown = comparison.change in SHOWN_CHANGES and seen[comparison.change] <= TESTS_PER_GROUP
        message, assertion = comparison.message[:MESSAGE_CHARACTERS], comparison.assertion
        if not is_shown:
            message = assertion = ""
        kept.append(replace(comparison, source="", message=message, assertion=assertion))
    return replace(
        observed,
        evidence=tuple(map(_evidence, observed.evidence)),
        tests=replace(observed.tests, comparisons=tuple(kept)),
        findings=tuple(map(_finding, observed.findings[:FINDINGS])),
        integrity=tuple(map(_finding, observed.integrity[:FINDINGS])),
        changed_paths=(),
        located=(),
        fixes=(),
    )


def _evidence(item: Evidence) -> Evidence:
    return replace(
        item,
        step=replace(item.step, arguments=()),
        base=_observation(item.base) if item.base else None,
        head=_observation(item.head) if item.head else None,
    )


def _observation(seen: Observation) -> Observation:
    """Of single results only the outcome is shown, as a number."""
    tests = seen.tests and replace(
        seen.tests,
        results=tuple(
            replace(result, id="", message="", path="", source="") for result in seen.tests.results
        ),
    )
    return replace(seen, tests=tests, findings=(), item=None)


def _finding(finding: Finding) -> Finding:
    return replace(
        finding,
        message=finding.message[:MESSAGE_CHARACTERS],
        hunk=finding.hunk[:MESSAGE_CHARACTERS],
    )
