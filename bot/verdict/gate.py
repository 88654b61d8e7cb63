"""Turns verdicts into one conclusion that explains itself.

Each rule reads the facts and yields reasons; the worst reason is the conclusion. GitHub counts
`neutral` as passing, so it appears only where the repository's configuration allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bot.configuration import UnverifiedPolicy, Weight
from bot.evidence.case import Case
from bot.evidence.empty_inputs import crash_reasons
from bot.evidence.test_plan.whole import graded_reason, is_regressed, score_plan, score_reason
from bot.evidence.tests.results import test_ids
from bot.task.requirements import BUILDS, NOTHING_REGRESSES, TESTS_NOT_WEAKENED, in_words
from bot.values import (
    ABLATED,
    Conclusion,
    GateReason,
    GateResult,
    Grading,
    MemberVerdict,
    Requirement,
    Verdict,
    VerdictOutcome,
)
from bot.values.rules import FOR_A_PERSON, NOT_ABOUT_TESTS, OUT_OF_SCOPE
from bot.values.verdicts import count_met
from bot.verdict.baseline import weakenings
from bot.verdict.expectations import expectation_reasons
from bot.verdict.headline import headline
from bot.verdict.patch_reasons import reasons_for_a_person, scope_reasons
from bot.verdict.reverts import revert_reasons
from sandbox.values import Severity

_WEIGHT = {
    Conclusion.SUCCESS: 0,
    Conclusion.NEUTRAL: 1,
    Conclusion.TIMED_OUT: 2,
    Conclusion.ACTION_REQUIRED: 3,
    Conclusion.FAILURE: 4,
    Conclusion.CANCELLED: 5,
}
EXIT_CODES = {
    Conclusion.SUCCESS: 0,
    Conclusion.NEUTRAL: 0,
    Conclusion.FAILURE: 1,
    Conclusion.TIMED_OUT: 3,
    Conclusion.ACTION_REQUIRED: 3,
    Conclusion.CANCELLED: 3,
}
"""What `assay judge` exits with; 2 is kept for usage and set-up errors."""
_VERDICT_WEIGHT = {
    VerdictOutcome.SATISFIED: 0,
    VerdictOutcome.UNVERIFIED: 1,
    VerdictOutcome.UNSATISFIED: 2,
}


@dataclass(frozen=True, slots=True)
class BesideVerdicts:
    """What the gate hears beside the verdicts: a merge group's members, grades, the patch's reasons."""

    members: tuple[MemberVerdict, ...] = ()
    grading: Grading | None = None
    patch: tuple[GateReason, ...] = ()


@dataclass(frozen=True, slots=True)
class _Facts:
    case: Case
    verdicts: dict[str, Verdict]
    beside: BesideVerdicts

    def outcome(self, requirement_id: str) -> VerdictOutcome:
        verdict = self.verdicts.get(requirement_id)
        return verdict.outcome if verdict else VerdictOutcome.UNVERIFIED


Rule = Callable[[_Facts], Iterator[GateReason]]


def conclude(
    case: Case, verdicts: tuple[Verdict, ...], beside: BesideVerdicts = BesideVerdicts()
) -> GateResult:
    """The conclusion of one evaluation; every rule that spoke is in `reasons`, the worst first.

    `beside` is what speaks beside the verdicts.
    """
    # Of several verdicts on one requirement the worst counts.
    counting: dict[str, Verdict] = {}
    for verdict in verdicts:
        known = counting.get(verdict.requirement_id)
        if known is None or _VERDICT_WEIGHT[verdict.outcome] > _VERDICT_WEIGHT[known.outcome]:
            counting[verdict.requirement_id] = verdict
    facts = _Facts(case, counting, beside)
    reasons = list(dict.fromkeys(reason for rule in _RULES for reason in rule(facts)))
    conclusion = worst(reasons)
    ordered = sorted(reasons, key=lambda reason: -_WEIGHT[reason.conclusion])
    requirements = case.requirements
    met = count_met(requirements, tuple(facts.verdicts.values()))
    texts = {requirement.id: requirement.shown for requirement in requirements.items}
    title = headline(conclusion, met, tuple(ordered), texts, len(requirements.not_apart))
    return GateResult(conclusion, title, tuple(ordered))


def worst(reasons: Iterable[GateReason]) -> Conclusion:
    """The conclusion of the reason that weighs most."""
    conclusions = (reason.conclusion for reason in reasons)
    return max(conclusions, key=_WEIGHT.__getitem__, default=Conclusion.SUCCESS)


# --- the rules -------------------------------------------------------------------------------


def _requirements_are_met(facts: _Facts) -> Iterator[GateReason]:
    for requirement in facts.case.requirements.items:
        if not requirement.mandatory:
            continue
        outcome = facts.outcome(requirement.id)
        if outcome is VerdictOutcome.UNSATISFIED:
            yield _about(requirement, facts, "requirement", Conclusion.FAILURE)
        elif outcome is VerdictOutcome.UNVERIFIED:
            yield _about(requirement, facts, "unverified", _of_unverified(requirement, facts))


def _of_unverified(requirement: Requirement, facts: _Facts) -> Conclusion:
    gate, observed = facts.case.configuration.gate, facts.case.observed
    unbuilt = requirement.id == BUILDS and observed.built_head is False
    if gate.unverified is UnverifiedPolicy.ALLOW and not unbuilt:
        return Conclusion.NEUTRAL
    looks = [one for one in observed.evidence if requirement.id in one.step.requirement_ids]
    sides = [side for one in looks for side in (one.base, one.head) if side is not None]
    is_late = any(side.timed_out for side in sides)
    return Conclusion.TIMED_OUT if is_late else Conclusion.ACTION_REQUIRED


def _nothing_regressed(facts: _Facts) -> Iterator[GateReason]:
    broken = facts.case.regressions
    if broken and facts.outcome(NOTHING_REGRESSES) is not VerdictOutcome.UNSATISFIED:
        yield GateReason(
            "regression",
            Conclusion.FAILURE,
            f"Passed on base and fails on head: {test_ids(broken)}.",
            tests=tuple(test.id for test in broken),
        )


def _still_builds(facts: _Facts) -> Iterator[GateReason]:
    observed = facts.case.observed
    told = facts.outcome(BUILDS) is VerdictOutcome.UNSATISFIED
    if observed.built_head is False and observed.built_base and not told:
        yield GateReason("build", Conclusion.FAILURE, "Base builds, but head does not.")


def _own_tests_pass(facts: _Facts) -> Iterator[GateReason]:
    """A failing oracle binds, also when no requirement speaks of it."""
    charged = {test for verdict in facts.verdicts.values() for test in verdict.tests}
    failing = [t for t in facts.case.groups.failures if t.id not in charged]
    if failing:
        excuse = facts.case.excuse(failing)
        why, step = excuse or ("", "Fix the new tests or the code that they test, and push.")
        yield GateReason(
            "own-tests",
            Conclusion.ACTION_REQUIRED if excuse else Conclusion.FAILURE,
            f"New tests fail on head: {test_ids(failing)}. {why}".rstrip(),
            step,
            tests=tuple(test.id for test in failing),
        )


def _integrity_is_clean(facts: _Facts) -> Iterator[GateReason]:
    told = facts.outcome(TESTS_NOT_WEAKENED) is VerdictOutcome.UNSATISFIED
    for finding in facts.case.observed.integrity:
        blocks = finding.severity is Severity.BLOCK
        is_told = blocks and told and finding.rule not in NOT_ABOUT_TESTS
        if is_told or finding.rule in FOR_A_PERSON | {OUT_OF_SCOPE}:
            continue
        yield GateReason(
            "integrity",
            Conclusion.FAILURE if blocks else Conclusion.SUCCESS,
            f"{finding.path}:{finding.line}: {finding.message}",
            finding_rules=(finding.rule,),
        )


def _results_are_genuine(facts: _Facts) -> Iterator[GateReason]:
    for evidence in facts.case.observed.evidence:
        head = evidence.head.tests if evidence.head else None
        base = evidence.base.tests if evidence.base else None
        if head and head.forged:
            yield GateReason(
                "forged",
                Conclusion.ACTION_REQUIRED if base and base.forged else Conclusion.FAILURE,
                "The code under test wrote its own test results.",
                "Remove the code that writes to the test runner's results.",
            )


def _expectations_are_asked_for(facts: _Facts) -> Iterator[GateReason]:
    """In a merge group every member was asked for itself."""
    if not facts.beside.members:
        yield from revert_reasons(facts.case)
        yield from expectation_reasons(facts.case)


def _calls_do_not_crash(facts: _Facts) -> Iterator[GateReason]:
    cited = {id_ for verdict in facts.verdicts.values() for id_ in verdict.evidence_ids}
    yield from crash_reasons(facts.case, cited)


def _files_parse(facts: _Facts) -> Iterator[GateReason]:
    """A parser is an oracle: a changed file that it refuses on head, and not on base, is broken."""
    broken = [f for f in facts.case.observed.findings if f.severity is Severity.BLOCK]
    if broken:
        first, files = broken[0], len({finding.path for finding in broken})
        more = f" So are {files - 1} more of the changed files." if files > 2 else ""
        more = " So is one more changed file." if files == 2 else more
        yield GateReason(
            "syntax",
            Conclusion.FAILURE,
            f"`{first.tool}` rejects {first.path}:{first.line} on head: {first.message}.{more}",
            f"Fix the file until `{first.tool}` accepts it, and push.",
            finding_rules=tuple(dict.fromkeys(finding.rule for finding in broken)),
        )


def _linter_is_content(facts: _Facts) -> Iterator[GateReason]:
    observed = facts.case.observed
    findings = [f for f in observed.findings if f.severity is not Severity.BLOCK]
    if findings:
        blocks = facts.case.configuration.gate.lint is Weight.BLOCK
        first = findings[0]
        yield GateReason(
            "lint",
            Conclusion.FAILURE if blocks else Conclusion.SUCCESS,
            f"{len(findings)} new linter finding(s), the first: "
            f"{first.path}:{first.line} {first.rule} {first.message}",
            finding_rules=tuple(dict.fromkeys(finding.rule for finding in findings)),
        )


def _score_is_reached(facts: _Facts) -> Iterator[GateReason]:
    least = facts.case.configuration.gate.min_score
    if least > 0:
        plan = score_plan(facts.case.requirements, facts.case.observed)
        grading = facts.beside.grading
        yield (
            graded_reason(grading, least)
            if plan is None and grading is not None
            else score_reason(plan, least)
        )


def _no_item_regressed(facts: _Facts) -> Iterator[GateReason]:
    """An item of the plan that base fulfils and head fails blocks, also when none is mandatory."""
    broken = [
        requirement
        for requirement in facts.case.requirements.items
        if requirement.item is not None
        and not requirement.mandatory
        and facts.outcome(requirement.id) is VerdictOutcome.UNSATISFIED
        and is_regressed(requirement, facts.case.observed)
    ]
    for requirement in broken:
        yield _about(requirement, facts, "regression", Conclusion.FAILURE)


def _members_passed(facts: _Facts) -> Iterator[GateReason]:
    for member in facts.beside.members:
        passes = member.is_waived or member.is_left_out
        if passes or member.conclusion is Conclusion.SUCCESS:
            for one in member.accepted:
                text = f"Pull request #{member.number} of the merge group: {one.subject} was "
                text += f"{one.kind.value} by @{one.actor}: {one.reason}"
                yield GateReason("member", Conclusion.SUCCESS, text)
            continue
        said = member.conclusion.value if member.conclusion else "not judged"
        failed = member.conclusion is Conclusion.FAILURE
        yield GateReason(
            "member",
            Conclusion.FAILURE if failed else Conclusion.ACTION_REQUIRED,
            f"The conclusion of pull request #{member.number} in this merge group: {said}.",
            f"Remove #{member.number} from the queue, or comment `/judge` on it.",
        )


def _is_measured_whole(facts: _Facts) -> Iterator[GateReason]:
    """A measurement that goes without a part is no verdict that anything may be merged by."""
    if without := facts.case.observed.without:
        text = f"Judged without {', '.join(without)}, to measure what that adds."
        yield GateReason(ABLATED, Conclusion.ACTION_REQUIRED, text, "Judge it with everything.")


_RULES: tuple[Rule, ...] = (
    _still_builds,
    _nothing_regressed,
    _requirements_are_met,
    _own_tests_pass,
    _integrity_is_clean,
    _results_are_genuine,
    _expectations_are_asked_for,
    _members_passed,
    _score_is_reached,
    _no_item_regressed,
    lambda facts: iter(facts.beside.patch),
    _is_measured_whole,
    lambda facts: iter((*scope_reasons(facts.case), *reasons_for_a_person(facts.case))),
    _calls_do_not_crash,
    _files_parse,
    _linter_is_content,
)


# --- words -----------------------------------------------------------------------------------


def _about(
    requirement: Requirement, facts: _Facts, rule: str, conclusion: Conclusion
) -> GateReason:
    """The reason that a requirement's verdict gives."""
    verdict = facts.verdicts.get(requirement.id)
    weakening = weakenings(facts.case) if requirement.id == TESTS_NOT_WEAKENED else ()
    reason = verdict.reason if verdict else "No verdict was given."
    return GateReason(
        rule,
        conclusion,
        f"{in_words(requirement)}: {reason}",
        verdict.next_step if verdict else "Comment `/judge` to try again.",
        requirement_ids=(requirement.id,),
        tests=verdict.tests if verdict else (),
        finding_rules=tuple(dict.fromkeys(finding.rule for finding in weakening)),
    )
