"""What judges that reason may change of the oracles' verdicts, and what they may not.

A failing oracle binds; no panel excuses it. A passing one of trusted origin binds too. The author's
own tests may be refuted by a step that fails on head. Where no oracle decides, the panel does.
"""

from __future__ import annotations

from dataclasses import replace

from bot.evidence.own_steps.weigh import refutes, why_no_refutation
from bot.judges.citations import failing_on_head
from bot.values import (
    Analysis,
    Category,
    Decider,
    Deliberation,
    Evidence,
    Observed,
    PanelResult,
    Requirement,
    Requirements,
    Transition,
    Verdict,
    VerdictOutcome,
)
from bot.values.verdicts import with_blockers

OPEN_TO_JUDGES = (
    Category.BEHAVIOUR,
    Category.KEEP,
    Category.UPKEEP,
    Category.CRITERION,
    Category.PROHIBITION,
)
"""Baseline and configured checks are the oracles' alone."""


def why_not_asked(observed: Observed) -> str:
    """Why judges are asked nothing: the gate fails whatever they say. Empty where they are asked."""
    if observed.built_head is False and observed.built_base:
        return "Not asked: base builds, but head does not."
    return ""


def can_run_head(observed: Observed) -> bool:
    """Whether what judges run on head can show anything: it was built, or there is nothing to build."""
    is_lacking = observed.built_head is None and bool(observed.needs)
    return observed.built_head is not False and not is_lacking


def is_for_judges(requirement: Requirement, verdict: Verdict) -> bool:
    """Whether judges may add anything: nobody decided, or only the author's own tests did."""
    if requirement.category not in OPEN_TO_JUDGES:
        return False
    if verdict.outcome is VerdictOutcome.UNVERIFIED:
        return True
    return (
        verdict.outcome is VerdictOutcome.SATISFIED and verdict.decided_by is Decider.AUTHORS_TEST
    )


def weigh(
    requirements: Requirements,
    found: tuple[Verdict, ...],
    deliberation: Deliberation,
    planned: tuple[Evidence, ...] = (),
) -> tuple[Verdict, ...]:
    """The verdicts after deliberation; those of oracles stay. `planned` is the evidence of the plan."""
    if deliberation.problem:
        return tuple(
            _unasked(verdict, deliberation.problem)
            if is_for_judges(requirement, verdict)
            else verdict
            for requirement, verdict in zip(requirements.items, found, strict=True)
        )
    analyses = {one.requirement_id: one for one in deliberation.analyses}
    panels = {one.requirement_id: one for one in deliberation.panels}
    evidence = {one.id: one for one in (*planned, *deliberation.evidence)}
    weighed = []
    for requirement, verdict in zip(requirements.items, found, strict=True):
        analysis = analyses.get(requirement.id)
        taken = (*analysis.evidence_ids, *(one.id for one in planned)) if analysis else ()
        given = verdict
        seen = tuple(evidence[id_] for id_ in taken if id_ in evidence)
        refuting = _refuting(analysis, seen)
        if is_for_judges(requirement, verdict):
            deciding = deciding_steps(requirement, verdict, analysis, seen)
            given = _by_analyst(given, analysis, deciding)
        if is_for_judges(requirement, given):
            panel = panels.get(requirement.id)
            own = (*planned, *deliberation.evidence)
            is_fact = panel is not None and failing_on_head(requirement, panel.evidence_ids, own)
            given = _by_panel(given, panel, Decider.STEP if is_fact else Decider.PANEL)
            given = _not_against(given, verdict, refuting)
        weighed.append(given)
    return with_blockers(weighed, requirements.items)


def deciding_steps(
    requirement: Requirement,
    verdict: Verdict,
    analysis: Analysis | None,
    taken: tuple[Evidence, ...],
) -> tuple[str, ...]:
    """The steps by which an analyst lowers a verdict; where there is one, a panel can raise nothing.

    Where tests of the author's pass, even if the change may be made for them, each that refutes does;
    where nothing speaks for the requirement, only one that asserts something does, or, of what must stay,
    a line of the plan that passes on base and fails on head.
    """
    refuting = _refuting(analysis, taken)
    if _rests_on_tests(verdict):
        return refuting
    is_kept = requirement.category is Category.KEEP
    telling = {
        one.id
        for one in taken
        if refutes(one, requirement.id) or (is_kept and one.transition is Transition.REGRESSED)
    }
    return tuple(id_ for id_ in refuting if id_ in telling)


def _rests_on_tests(verdict: Verdict) -> bool:
    return verdict.outcome is VerdictOutcome.SATISFIED or bool(
        verdict.outcome is VerdictOutcome.UNVERIFIED and verdict.tests
    )


def _refuting(analysis: Analysis | None, taken: tuple[Evidence, ...]) -> tuple[str, ...]:
    """The steps by which an analyst refutes its requirement, each held to what it showed.

    `taken` are those that it took, and those of the plan.
    """
    if analysis is None or analysis.outcome is not VerdictOutcome.UNSATISFIED:
        return ()
    about, known = analysis.requirement_id, {one.id: one for one in taken}
    return tuple(
        id_
        for id_ in analysis.refuted_by
        if id_ in known and not why_no_refutation(known[id_], about)
    )


def _by_analyst(verdict: Verdict, analysis: Analysis | None, deciding: tuple[str, ...]) -> Verdict:
    """A step that fails on head lowers a verdict; an analyst's word alone does not."""
    if analysis is None or not deciding:
        return verdict
    also = "The author's own tests pass, but step" if _rests_on_tests(verdict) else "Step"
    return replace(
        verdict,
        outcome=VerdictOutcome.UNSATISFIED,
        decided_by=Decider.STEP,
        reason=f"{also} {deciding[0]} fails on head: {analysis.reason}",
        evidence_ids=(*deciding, *verdict.evidence_ids),
        next_step="Fix what the failing step shows, and push.",
    )


def _by_panel(verdict: Verdict, panel: PanelResult | None, decider: Decider) -> Verdict:
    """The panel decides what nobody did; it never raises a verdict that an oracle lowered."""
    if panel is None or verdict.outcome is not VerdictOutcome.UNVERIFIED:
        return verdict
    if panel.outcome is VerdictOutcome.UNVERIFIED and not panel.is_heard:
        return _unasked(verdict, panel.reason)
    if panel.outcome is VerdictOutcome.UNVERIFIED or not panel.is_agreed:
        return replace(verdict, reason=f"{verdict.reason} The panel: {panel.reason}")
    # Whoever reads the verdict alone has to see that there is another opinion.
    dissent = "".join(f" Judge {o.judge} dissents: {o.outcome.value}." for o in panel.dissent)
    return replace(
        verdict,
        outcome=panel.outcome,
        decided_by=decider if panel.outcome is VerdictOutcome.UNSATISFIED else Decider.PANEL,
        reason=f"{panel.reason}{dissent}",
        evidence_ids=panel.evidence_ids,
        next_step=(
            ""
            if panel.outcome is VerdictOutcome.SATISFIED
            else "Fix what the cited evidence shows, and push."
        ),
    )


def _unasked(verdict: Verdict, why: str) -> Verdict:
    """Where no judge could add anything, a person reads why, and that it need not stay so."""
    if verdict.outcome is not VerdictOutcome.UNVERIFIED:
        return verdict
    return replace(
        verdict,
        reason=f"{verdict.reason} {why}",
        next_step=f"{verdict.next_step} {_ASK_JUDGES}".strip(),
    )


_ASK_JUDGES = "For a second opinion, fix what prevented judging, then comment `/judge`."


def _not_against(given: Verdict, before: Verdict, failing: tuple[str, ...]) -> Verdict:
    """A panel does not talk away a step of the analyst that fails on head: a person looks at it."""
    if given.outcome is not VerdictOutcome.SATISFIED or not failing:
        return given
    return replace(
        before,
        reason=f"The panel says satisfied, but step {failing[0]} of the analyst fails on head.",
        evidence_ids=(*failing, *given.evidence_ids),
        next_step=f"Look at step {failing[0]} in the evidence, and fix the code if the step is right.",
    )
