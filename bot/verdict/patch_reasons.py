"""What the verdict on the whole patch and changes that nobody asked for may do at the gate.

The verdict on the patch may ask a person, or block; never help:

- VALID changes nothing: no requirement becomes satisfied by it, and nothing that blocks stops blocking.
- By a draft, or without a rubric, it is advice.
- By a golden rubric INVALID blocks. It is a `failure` only where it cites a failing oracle (a step that
  regressed, or one that a judge took for a requirement of the rubric and that fails on head): that
  binds by itself. A model alone against passing oracles asks a person (no model overrules
  an oracle, and a doubt is never a pass).
- By a golden rubric, no verdict or a doubtful one asks a person too: "could not tell" is never a pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.configuration import Configuration, UnverifiedPolicy, Weight
from bot.evidence.case import Case
from bot.evidence.own_steps.weigh import refutes
from bot.task.categories import NARROW, upkeep_area
from bot.values import (
    Category,
    Conclusion,
    Deliberation,
    Evidence,
    GateReason,
    PatchOpinion,
    TaskRubric,
    Transition,
    Validity,
)
from bot.values.four_way import passed
from bot.values.rules import NEXT_STEPS, OUT_OF_SCOPE
from bot.verdict.upkeep import named_changes

RULE = "patch"


def patch_reasons(
    deliberation: Deliberation,
    observed: tuple[Evidence, ...],
    rubrics: tuple[TaskRubric, ...],
    configuration: Configuration,
) -> tuple[GateReason, ...]:
    """At most one reason. `observed` is the evidence that no judge made."""
    opinion = deliberation.patch
    if deliberation.problem:
        return _unasked(deliberation.problem, rubrics, configuration)
    if opinion is None or not opinion.is_golden:
        return _advice(opinion)
    if opinion.validity is Validity.VALID and not opinion.is_unsure:
        return ()
    text = _told(opinion)
    if opinion.validity is not Validity.INVALID:
        return (GateReason(RULE, _unverified(configuration), text, _READ),)
    cited = [one for one in (*observed, *deliberation.evidence) if one.id in opinion.evidence_ids]
    ids = {id_ for one in rubrics if one.is_golden for id_ in one.requirement_ids}
    if not opinion.is_unsure and any(
        passed(one.head) is False
        and (one.transition is Transition.REGRESSED or any(refutes(one, id_) for id_ in ids))
        for one in cited
    ):
        return (
            GateReason(
                RULE, Conclusion.FAILURE, text, "Fix what the cited evidence shows, and push."
            ),
        )
    return (GateReason(RULE, Conclusion.ACTION_REQUIRED, text, _READ),)


_READ = "Compare the change with the rubric. The report shows what the judges saw."


def _unasked(
    problem: str, rubrics: tuple[TaskRubric, ...], configuration: Configuration
) -> tuple[GateReason, ...]:
    """Judges who cannot be asked, or not be believed, give no verdict; what they said is nothing."""
    golden = [one.name for one in rubrics if one.is_golden]
    if not golden:
        return ()
    text = f"The patch as a whole got no verdict by the {'; '.join(golden)}: {problem}"
    return (GateReason(RULE, _unverified(configuration), text, _READ),)


def _unverified(configuration: Configuration) -> Conclusion:
    is_allowed = configuration.gate.unverified is UnverifiedPolicy.ALLOW
    return Conclusion.NEUTRAL if is_allowed else Conclusion.ACTION_REQUIRED


def _advice(opinion: PatchOpinion | None) -> tuple[GateReason, ...]:
    if opinion is None or opinion.validity is not Validity.INVALID:
        return ()
    return (GateReason(RULE, Conclusion.SUCCESS, f"Advice only: {_told(opinion)}"),)


def _told(opinion: PatchOpinion) -> str:
    by = f"by the {opinion.rubric}" if opinion.rubric else "without a rubric"
    doubts = f" {' '.join(opinion.doubts)}" if opinion.doubts else ""
    if opinion.validity is None:
        why = opinion.problem or "The judges did not agree."
        return f"The patch as a whole got no verdict {by}: {why}{doubts}"
    split = " with doubts" if sum(map(bool, opinion.votes)) > 1 else ""
    word = f"{opinion.validity.value}{split}"
    return f"The patch as a whole was judged {word} {by}: {opinion.justification}{doubts}"


def scope_reasons(case: Case) -> Iterator[GateReason]:
    """Source in a task that is about none, and files that nothing asked speaks of."""
    weight = Conclusion.SUCCESS
    if case.configuration.gate.scope is Weight.BLOCK:
        weight = Conclusion.FAILURE
    beyond = [found.path for found in case.observed.integrity if found.rule == OUT_OF_SCOPE]
    shown = ", ".join(f"`{path}`" for path in beyond[:3])
    unasked = f"The task does not mention {shown}." if beyond else ""
    for message in (_source_in_a_narrow_task(case), unasked):
        if message:
            yield GateReason("scope", weight, message)


def _source_in_a_narrow_task(case: Case) -> str:
    """A task about documents, tests or automation only has no business in the source."""
    asked = case.requirements.beside_baseline
    areas = {upkeep_area(r.text) for r in asked if r.category is Category.UPKEEP}
    if not asked or any(r.category is not Category.UPKEEP for r in asked) or not areas <= NARROW:
        return ""
    beyond = named_changes(case)
    return (
        f"The task is about {', '.join(sorted(a for a in areas if a))}, but source files changed: "
        f"{', '.join(f'`{path}`' for path in beyond[:3])}."
        if beyond
        else ""
    )


def reasons_for_a_person(case: Case) -> Iterator[GateReason]:
    """What newly leaves the process, and words that tell reviewers what to answer: a person looks."""
    for finding in case.observed.integrity:
        if finding.rule in NEXT_STEPS:
            where = f"{finding.path}:{finding.line}: " if finding.path else ""
            yield GateReason(
                "integrity",
                _unverified(case.configuration),
                f"{where}{finding.message}",
                NEXT_STEPS[finding.rule],
                finding_rules=(finding.rule,),
            )
