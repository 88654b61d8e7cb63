"""From an evaluation to the view model: choose, group, cap and scrub."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from bot.report.model import (
    EvidenceView,
    JudgesView,
    ObservationView,
    ReportView,
    RequirementView,
    Score,
    Subject,
    TestGroup,
    TestsView,
    TestView,
)
from bot.report.pictures import picture_rows
from bot.report.slim import SHOWN_CHANGES, TESTS_PER_GROUP, slim
from bot.report.view_parts import (
    Reached,
    analysis_rows,
    patch_view,
    plan_view,
    repeat,
    rubric_views,
)
from bot.text import scrub_tree
from bot.text.clipping import clip_middle
from bot.values import (
    Acceptance,
    ActionKind,
    Decider,
    Deliberation,
    Evaluation,
    EvaluationRequest,
    Evidence,
    ExampleKind,
    FourWay,
    Grading,
    Impact,
    Judgement,
    Observed,
    Task,
    TaskSource,
    TestChange,
    TestComparison,
    Trigger,
    Verdict,
    VerdictOutcome,
)
from sandbox.values import Finding, Observation, Outcome, TestRun

OUTPUT_CHARACTERS = 20_000
"""Head and tail of an output that a report keeps."""
_LOOKS = (ActionKind.READ, ActionKind.SEARCH)
_CALLS = (ActionKind.BASH, ActionKind.SHELL_INTERACTION)
TASK_CHARACTERS = 20_000
IMPACT_TESTS = 20
_MOST_IDS = 8


def view(evaluation: Evaluation, secrets: tuple[str, ...] = (), home: str = "") -> ReportView:
    """Everything that a report shows, scrubbed of controls and of secrets (also the exact `secrets`).

    `home` is the repository's page, to which commits, issues and files are linked.
    """
    return _view(scrub_tree(slim(evaluation), secrets), home)


def _view(evaluation: Evaluation, home: str) -> ReportView:
    observed = evaluation.observed or _NOTHING_OBSERVED
    deliberation = evaluation.deliberation or Deliberation()
    evidence = tuple(map(_evidence, (*observed.evidence, *deliberation.evidence)))
    subject = _subject(evaluation, home)
    reached = Reached(observed.impact, observed.tests.comparisons)
    head_sha = "" if evaluation.request.is_uncommitted else evaluation.head_sha
    shown = _Tests(evaluation.base_sha, head_sha, reached)
    judgement, task, gate = evaluation.judgement, evaluation.task, evaluation.gate
    warnings = _once((*evaluation.warnings, *(task.warnings if task else ())))
    return ReportView(
        id=evaluation.request.id,
        subject=subject,
        judged=judgement is not None,
        conclusion=gate.conclusion,
        title=gate.title,
        reasons=gate.reasons,
        next_steps=_next_steps(evaluation),
        problem=evaluation.problem,
        task_sources=_sources(task) if task else (),
        requirements=_requirements(evaluation, observed.tests, evidence, shown),
        preferences=judgement.requirements.preferences if judgement else (),
        remarks=_once(judgement.requirements.remarks if judgement else (), warnings),
        score=_score(judgement),
        tests=_tests(observed.tests, shown) if evaluation.observed else None,
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
        grading=_grading(evaluation),
        usage=deliberation.usage,
        unread=judgement.requirements.unread if judgement else (),
        unreproduced=tuple(
            one.example
            for one in observed.examples
            if one.example.kind is ExampleKind.REPORTED and one.base.holds is False
        ),
        rubrics=rubric_views(evaluation.rubrics),
        patch=patch_view(deliberation, evidence),
        judges=_judges(deliberation),
        analyses=analysis_rows(deliberation.analyses, evidence),
        planned=plan_view(evaluation.plan, evaluation.plan_digest) if evaluation.plan else None,
        acceptances=_acceptances(judgement),
        acceptable=evaluation.acceptable,
        hunks=judgement.hunks if judgement else (),
        claims=observed.claims,
    )


def _acceptances(judgement: Judgement | None) -> tuple[Acceptance, ...]:
    """What people decided; the files that it is about are for Assay alone."""
    return tuple(replace(one, places=()) for one in judgement.acceptances) if judgement else ()


def _sources(task: Task) -> tuple[TaskSource, ...]:
    return tuple(
        replace(source, text=clip_middle(source.text, TASK_CHARACTERS)) for source in task.sources
    )


def _once(lines: tuple[str, ...], said: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Each line once, and none that was said already."""
    return tuple(line for line in dict.fromkeys(lines) if line not in said)


_NOTHING_OBSERVED = Observed((), FourWay(()), (), (), None, None)


def _judges(deliberation: Deliberation) -> JudgesView | None:
    """What there is to show of judges; None where none was asked."""
    problem = deliberation.problem or deliberation.not_asked
    if not (deliberation.panels or deliberation.canary or problem):
        return None
    return JudgesView(deliberation.panels, deliberation.canary, problem)


def _impact(impact: Impact) -> Impact:
    """With as many tests of each symbol as a report shows."""
    symbols = (replace(one, tests=one.tests[:IMPACT_TESTS]) for one in impact.symbols)
    return replace(impact, symbols=tuple(symbols))


def _subject(evaluation: Evaluation, home: str) -> Subject:
    request = evaluation.request
    return Subject(
        repository=request.repository,
        label=_label(request),
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


def _label(request: EvaluationRequest) -> str:
    if request.trigger is Trigger.AGENT_PATCH:
        by = f" by {request.agent}" if request.agent else ""
        return f"patch{by} for issue #{request.issue}" if request.issue else f"patch{by}"
    if request.trigger is Trigger.MERGE_GROUP:
        return "merge group"
    if request.number:
        return f"pull request #{request.number}"
    return f"{request.base_ref}…{request.head_ref or request.head_sha[:10]}"


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


def _grading(evaluation: Evaluation) -> Grading | None:
    """The grades, unless the judges' words count for nothing in this run."""
    held = evaluation.deliberation
    return held.grading if held and not held.problem else None


def _score(judgement: Judgement | None) -> Score:
    if judgement is None:
        return Score(0, 0, 0)
    checks = {r.id for r in judgement.requirements.items if r.category.is_of_project}
    satisfied = VerdictOutcome.SATISFIED
    answered = {one.requirement_id for one in judgement.verdicts}
    unmet = {one.requirement_id for one in judgement.verdicts if one.outcome is not satisfied}
    return Score(
        total=len(judgement.requirements.items),
        met_independently=judgement.met_independently,
        met_with_prerequisites=judgement.met_with_prerequisites,
        checks=len(checks),
        met_checks=len(checks & answered - unmet),
    )


def _requirements(
    evaluation: Evaluation,
    tests: FourWay,
    evidence: tuple[EvidenceView, ...],
    shown: _Tests,
) -> tuple[RequirementView, ...]:
    """Every requirement, also one that nobody answered: the denominator is the list."""
    judgement = evaluation.judgement
    if judgement is None:
        return ()
    accepted = {one.subject: one for one in _acceptances(judgement) if not one.void}
    verdicts = {verdict.requirement_id: verdict for verdict in judgement.verdicts}
    compared = {comparison.id: comparison for comparison in tests.comparisons}
    seen = {item.id: item for item in evidence}
    rows = []
    for requirement in judgement.requirements.items:
        verdict = verdicts.get(requirement.id) or Verdict(
            requirement.id, VerdictOutcome.UNVERIFIED, Decider.NOBODY, "Nothing answered it."
        )
        named = tuple(shown.of(compared[name]) for name in verdict.tests if name in compared)
        cited = tuple(seen[name] for name in verdict.evidence_ids if name in seen)
        given, is_open = accepted.get(requirement.id), requirement.id in evaluation.acceptable
        rows.append(RequirementView(requirement, verdict, named, cited, given, is_open))
    return tuple(rows)


def _tests(tests: FourWay, shown: _Tests) -> TestsView:
    groups = {change: _changed_so(change, tests) for change in TestChange}
    return TestsView(
        problem=tests.problem,
        evidence_id=tests.evidence_id,
        shown=tuple(
            TestGroup(
                change,
                tuple(shown.of(one) for one in groups[change][:TESTS_PER_GROUP]),
                len(groups[change]),
            )
            for change in SHOWN_CHANGES
            if groups[change]
        ),
        ids=tuple(
            (change, tuple(t.id for t in group)) for change, group in groups.items() if group
        ),
        total=len(tests.comparisons),
        folders=tests.folders,
        not_run=tests.not_run,
    )


def _changed_so(change: TestChange, tests: FourWay) -> tuple[TestComparison, ...]:
    return tuple(comparison for comparison in tests.comparisons if comparison.change is change)


@dataclass(frozen=True, slots=True)
class _Tests:
    """Shows single tests: how to repeat each, and what it reaches.

    `head_sha` is empty for a work tree: no clone holds its commit.
    """

    base_sha: str
    head_sha: str
    reached: Reached

    def of(self, comparison: TestComparison) -> TestView:
        message = clip_middle(comparison.message, OUTPUT_CHARACTERS // 5)
        capped = replace(comparison, message=message)
        command = repeat(comparison, self.base_sha, self.head_sha)
        return TestView(capped, command, self.reached.of(comparison))


def _evidence(item: Evidence) -> EvidenceView:
    told = [trial for one in item.damage for trial in one.damages if trial.damage.is_telling]
    return EvidenceView(
        id=item.id,
        goal=item.step.goal,
        guidance=item.step.guidance,
        action=item.step.action,
        requirement_ids=item.step.requirement_ids,
        transition=item.transition,
        is_asserted=_is_asserted(item),
        base=_observation(item.base, item.step.action) if item.base else None,
        head=_observation(item.head, item.step.action) if item.head else None,
        pictures=picture_rows(item.base, item.head),
        damages_noticed=sum(bool(one.noticed) for one in told),
        damages_tried=len(told),
    )


def _is_asserted(item: Evidence) -> bool:
    """Whether an exit code means something: what a model only looks at, or only calls, asserts nothing."""
    is_a_models = item.step.is_proposed or item.id.startswith("A-")
    return item.step.action not in _LOOKS and not (is_a_models and item.step.action in _CALLS)


_RAN = {
    ActionKind.DAMAGE: "ran on damaged copies of head",
    ActionKind.SECOND_LOOK: "called again elsewhere",
    ActionKind.NEARBY_INPUTS: "called on both sides",
    ActionKind.EXAMPLES: "called as the task shows",
}


def _observation(seen: Observation, action: ActionKind) -> ObservationView:
    ran = _RAN.get(action)  # it has no exit code of its own
    return ObservationView(
        command=seen.command,
        result=ran or _result(seen),
        failed=(seen.exit_code != 0 and not ran) or seen.timed_out or bool(seen.problem),
        output=clip_middle(seen.output, OUTPUT_CHARACTERS),
        seconds=seen.seconds,
        truncated=seen.truncated or len(seen.output) > OUTPUT_CHARACTERS,
        problem=seen.problem,
        tests=_tests_in_words(seen.tests) if seen.tests else "",
    )


def _result(seen: Observation) -> str:
    if seen.timed_out:
        return "timed out"
    return "did not finish" if seen.exit_code is None else f"exit code {seen.exit_code}"


def _tests_in_words(run: TestRun) -> str:
    counts = Counter(result.outcome for result in run.results)
    words = ", ".join(
        f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome]
    )
    doubts = "" if run.complete else f" (incomplete: {run.problem or 'results are missing'})"
    forged = "; somebody else wrote into the result channel" if run.forged else ""
    return f"{words or 'no test ran'}{doubts}{forged}"


def _findings(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(
        replace(
            finding,
            message=clip_middle(finding.message, OUTPUT_CHARACTERS // 5),
            hunk=clip_middle(finding.hunk, OUTPUT_CHARACTERS // 5),
        )
        for finding in findings
    )
