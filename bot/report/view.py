"""From an evaluation to the view model: choose, group, cap and scrub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.report.evidence_views import EvidenceView, evidence_view, shown_as
from bot.report.model import (
    JudgesView,
    PlannedRow,
    PlanView,
    ReportView,
    RequirementView,
    RubricView,
    Score,
    Subject,
)
from bot.report.slim import slim
from bot.report.tests_views import (
    MESSAGE_CHARACTERS,
    Reached,
    ShownTests,
    also_changed,
    tests_view,
    untried,
)
from bot.text import scrub_tree
from bot.text.clipping import clip_middle
from bot.values import (
    Acceptance,
    Decider,
    Deliberation,
    Evaluation,
    ExampleKind,
    FourWay,
    Impact,
    Judgement,
    Observed,
    Plan,
    Step,
    Trigger,
    Verdict,
    VerdictOutcome,
)
from sandbox.values import Finding

TASK_CHARACTERS = 20_000
IMPACT_TESTS = 20
_MOST_IDS = 8
_MOST_STEPS = 120
_ARGUMENTS_CHARACTERS = 400


def view(evaluation: Evaluation, secrets: tuple[str, ...] = (), home: str = "") -> ReportView:
    """Everything that a report shows, scrubbed of controls and of secrets (also the exact `secrets`).

    `home` is the repository's page, to which commits, issues and files are linked.
    """
    return _view(scrub_tree(slim(evaluation), secrets), home)


def _view(evaluation: Evaluation, home: str) -> ReportView:
    observed = evaluation.observed or _NOTHING_OBSERVED
    deliberation = evaluation.deliberation or Deliberation()
    evidence = tuple(map(evidence_view, (*observed.evidence, *deliberation.evidence)))
    seen = {one.id: one for one in evidence}
    reached = Reached(observed.impact, observed.tests.comparisons)
    head_sha = "" if evaluation.request.is_uncommitted else evaluation.head_sha
    shown = ShownTests(evaluation.base_sha, head_sha, reached)
    judgement, task, gate = evaluation.judgement, evaluation.task, evaluation.gate
    warnings = _once((*evaluation.warnings, *(task.warnings if task else ())))
    return ReportView(
        id=evaluation.request.id,
        subject=_subject(evaluation, home),
        judged=judgement is not None,
        conclusion=gate.conclusion,
        title=gate.title,
        reasons=gate.reasons,
        next_steps=_next_steps(evaluation),
        problem=evaluation.problem,
        task_sources=tuple(
            replace(source, text=clip_middle(source.text, TASK_CHARACTERS))
            for source in (task.sources if task else ())
        ),
        requirements=_requirements(evaluation, observed, seen, shown),
        preferences=judgement.requirements.preferences if judgement else (),
        remarks=_once(judgement.requirements.remarks if judgement else (), warnings),
        score=_score(judgement),
        tests=tests_view(observed.tests, shown) if evaluation.observed else None,
        evidence=evidence,
        findings=_findings(observed.findings),
        integrity=_findings(observed.integrity),
        needs=observed.needs,
        built_base=observed.built_base,
        built_head=observed.built_head,
        environment=evaluation.environment,
        environment_digest=evaluation.environment_digest,
        seconds=evaluation.seconds,
        warnings=warnings,
        plan=judgement.plan if judgement else None,
        impact=_impact(observed.impact) if observed.impact else None,
        grading=None if deliberation.problem else deliberation.grading,
        usage=deliberation.usage,
        unread=judgement.requirements.unread if judgement else (),
        not_apart=judgement.requirements.not_apart if judgement else (),
        unreproduced=tuple(
            one.example
            for one in observed.examples
            if one.example.kind is ExampleKind.REPORTED and one.base.holds is False
        ),
        rubrics=tuple(shown_as(RubricView, one) for one in evaluation.rubrics),
        patch_opinion=deliberation.patch,
        judges=_judges(deliberation),
        analyses=deliberation.analyses,
        planned=_plan(evaluation.plan, evaluation.plan_digest) if evaluation.plan else None,
        acceptances=_acceptances(judgement),
        acceptable=evaluation.acceptable,
        hunks=judgement.hunks if judgement else (),
        claims=observed.claims,
    )


def _acceptances(judgement: Judgement | None) -> tuple[Acceptance, ...]:
    """What people decided; the files that it is about are for Assay alone."""
    return tuple(replace(one, places=()) for one in judgement.acceptances) if judgement else ()


def _once(lines: tuple[str, ...], said: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Each line once, and none that was said already."""
    return tuple(line for line in dict.fromkeys(lines) if line not in said)


_NOTHING_OBSERVED = Observed((), FourWay(()), (), (), None, None)


def _judges(deliberation: Deliberation) -> JudgesView | None:
    """What there is to show of judges; None where none was asked."""
    panels = deliberation.panels
    unheard = panels[0].reason if panels and not any(one.is_heard for one in panels) else ""
    problem = deliberation.problem or deliberation.not_asked or unheard
    if not (deliberation.panels or deliberation.canary or problem):
        return None
    return JudgesView(deliberation.panels, deliberation.canary, problem)


def _impact(impact: Impact) -> Impact:
    """With as many tests of each symbol as a report shows."""
    symbols = (replace(one, tests=one.tests[:IMPACT_TESTS]) for one in impact.symbols)
    return replace(impact, symbols=tuple(symbols))


def _subject(evaluation: Evaluation, home: str) -> Subject:
    request = evaluation.request
    if request.trigger is Trigger.AGENT_PATCH:
        label = f"patch by {request.agent}" if request.agent else "patch"
        label += f" for issue #{request.issue}" if request.issue else ""
    elif request.trigger is Trigger.MERGE_GROUP:
        label = "merge group"
    elif request.number:
        label = f"pull request #{request.number}"
    else:
        label = f"{request.base_ref}…{request.head_ref or request.head_sha[:10]}"
    return Subject(
        repository=request.repository,
        label=label,
        number=request.number,
        issue=request.issue,
        base_sha=evaluation.base_sha,
        head_sha=evaluation.head_sha,
        base_ref=request.base_ref,
        head_ref="" if request.head_ref == evaluation.head_sha else request.head_ref,
        trigger=request.trigger.value,
        actor=request.actor,
        agent=evaluation.agent or request.agent,
        home="" if request.trigger is Trigger.AGENT_PATCH else home,  # its head is on no branch
    )


def _next_steps(evaluation: Evaluation) -> tuple[str, ...]:
    """What a person can do, said once each, the deciding rule's advice first."""
    judgement = evaluation.judgement
    steps = [reason.next_step for reason in evaluation.gate.reasons]
    if judgement:
        decided = {one.subject for one in judgement.acceptances if not one.void}
        steps += [
            verdict.next_step
            for verdict in judgement.verdicts
            if verdict.outcome is not VerdictOutcome.SATISFIED
            and verdict.requirement_id not in decided
        ]
    if evaluation.acceptable:
        ids = " ".join(evaluation.acceptable[:_MOST_IDS])
        steps.append(
            "If it is right as it stands, someone with write access who did not open this pull request "
            f"can accept it: comment `/judge accept {ids} <reason>`, or click “Accept unverified” on the "
            "check run."
        )
    return tuple(dict.fromkeys(step for step in steps if step))


def _score(judgement: Judgement | None) -> Score:
    if judgement is None:
        return Score(0, 0, 0)
    met = judgement.met
    return Score(
        total=met.total,
        met_independently=met.independently,
        met_with_prerequisites=met.with_prerequisites,
        checks=met.all_checks,
        met_checks=met.checks,
    )


def _requirements(
    evaluation: Evaluation, observed: Observed, seen: Mapping[str, EvidenceView], shown: ShownTests
) -> tuple[RequirementView, ...]:
    """Every requirement, also one that nobody answered: the denominator is the list."""
    judgement = evaluation.judgement
    if judgement is None:
        return ()
    accepted = {one.subject: one for one in _acceptances(judgement) if not one.void}
    verdicts = {verdict.requirement_id: verdict for verdict in judgement.verdicts}
    compared = {comparison.id: comparison for comparison in observed.tests.comparisons}
    rows = []
    for requirement in judgement.requirements.items:
        verdict = verdicts.get(requirement.id) or Verdict(
            requirement.id, VerdictOutcome.UNVERIFIED, Decider.NOBODY, "Nothing answered it."
        )
        tests = [compared[name] for name in verdict.tests if name in compared]
        named = tuple(map(shown.of, tests))
        cited = tuple(seen[id_] for id_ in verdict.evidence_ids if id_ in seen)
        given, is_open = accepted.get(requirement.id), requirement.id in evaluation.acceptable
        row = RequirementView(requirement, verdict, named, cited, given, is_open)
        is_met = verdict.outcome is VerdictOutcome.SATISFIED
        if is_met and observed.second_look and not requirement.category.is_of_project:
            inputs = [
                one
                for one in observed.second_look.inputs
                if any(test.makes(one.path, one.test) for test in tests)
            ]
            rests_on_tests = verdict.decided_by is Decider.AUTHORS_TEST
            row = replace(
                row,
                also=also_changed(inputs),
                untried=untried(inputs) if rests_on_tests else None,
            )
        rows.append(row)
    return tuple(rows)


def _findings(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(
        replace(
            finding,
            message=clip_middle(finding.message, MESSAGE_CHARACTERS),
            hunk=clip_middle(finding.hunk, MESSAGE_CHARACTERS),
        )
        for finding in findings
    )


def _plan(plan: Plan, digest: str) -> PlanView:
    """The steps in order; those that were added carry their reason."""
    rows = [_row(step, "") for step in plan.steps[:_MOST_STEPS]]
    added = [_row(one.step, one.reason) for one in plan.extensions[:_MOST_STEPS]]
    return PlanView(digest, tuple(rows), tuple(added))


def _row(step: Step, reason: str) -> PlannedRow:
    arguments = " ".join(step.arguments)[:_ARGUMENTS_CHARACTERS]
    asked = step.requirement_ids
    return shown_as(PlannedRow, step, requirements=asked, arguments=arguments, reason=reason)
