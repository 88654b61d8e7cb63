"""Judges what always holds: it builds, nothing regresses, tests are not weakened."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.judge.case import Case
from bot.judge.pages import compare_pages
from bot.judge.plan_evidence import item_evidence
from bot.judge.requirements import BUILDS, NOTHING_REGRESSES, PAGES_WORK
from bot.judge.rules import NEEDS_READER, NOT_ABOUT_TESTS, UNREAD_CHANGES
from bot.judge.way_out import way_out
from bot.judge.whole_plan import is_held_on_base, is_regressed
from bot.judge.witnesses import test_ids
from bot.models import (
    Decider,
    Evidence,
    PlanItem,
    Requirement,
    TestChange,
    Transition,
    Verdict,
    VerdictOutcome,
)
from sandbox.models import Finding, Severity

_LOOK_YOURSELF = "Look at the pages and their pictures, then decide by hand."
_ERROR = re.compile(r"\berror(\[\w+\])?: ", re.I)
MEND = "Mend what the evidence shows and push; what was meant to change belongs into the issue."


def judge_baseline(requirement: Requirement, case: Case) -> Verdict:
    """The verdict for one of the baseline requirements B1 to B4."""
    if requirement.id == PAGES_WORK:
        return _pages_work(requirement, case)
    if requirement.id == BUILDS:
        return _builds(requirement, case)
    if requirement.id == NOTHING_REGRESSES:
        return _nothing_regresses(requirement, case)
    return _tests_not_weakened(requirement, case)


def _builds(requirement: Requirement, case: Case) -> Verdict:
    base, head, needs = case.observed.built_base, case.observed.built_head, case.observed.needs
    if head:
        return satisfied(requirement, "It builds on head.", case)
    if head is False:
        return _does_not_build(requirement, case)
    if needs:
        return unverified(
            requirement,
            f"The machine that judges lacks {', '.join(needs)}.",
            "Install what is missing there (`assay doctor` says how), then ask again with /judge.",
        )
    if base:
        return unverified(
            requirement,
            "It was built on base, and on head there is nothing left to build.",
            "Tell whether the build files were meant to go.",
        )
    return satisfied(requirement, "There is nothing to build on either side.", case)


def _does_not_build(requirement: Requirement, case: Case) -> Verdict:
    base, needs = case.observed.built_base, case.observed.needs
    if base:
        said = f"It builds on base and does not build on head{_first_error(case)}."
        verdict = unsatisfied(requirement, said, case)
        return replace(
            verdict, evidence_ids=case.build_ids, next_step="Mend what the build's output says."
        )
    if base is None and not needs:
        return unverified(
            requirement,
            f"There is nothing to build on base, and head does not build here{_first_error(case)}.",
            "Read the build's output: mend the code, or install what this machine lacks.",
        )
    return unverified(
        requirement,
        "It builds neither on base nor on head, so this change cannot be judged by running it.",
        "Set `setup.install` and `setup.test` in `.github/assay.yml`, or repair the base branch.",
    )


def _first_error(case: Case) -> str:
    """Return the first error of head's build, as the end of a sentence; "" when none can be told."""
    builds = (e.head for e in case.observed.evidence if e.id in case.build_ids)
    lines = [line for seen in builds if seen for line in seen.output.splitlines()]
    first = next((line.strip() for line in lines if _ERROR.search(line)), "")
    return f": {first[:200]}" if first else ""


def _nothing_regresses(requirement: Requirement, case: Case) -> Verdict:
    return _by_the_plan(requirement, case) or _by_the_tests(requirement, case)


def _by_the_tests(requirement: Requirement, case: Case) -> Verdict:
    broken = case.regressions
    if broken:
        return unsatisfied(
            requirement,
            f"{_tests(len(broken))} that passed on base fail{_s(len(broken))} on head: {test_ids(broken)}.",
            case,
            tuple(test.id for test in broken),
        )
    if case.only_exit_code is Transition.REGRESSED:
        return unsatisfied(requirement, "The tests pass on base and fail on head.", case)
    return _unbroken(requirement, case)


def _unbroken(requirement: Requirement, case: Case) -> Verdict:
    """No test is seen to break; whether that means anything depends on what was seen at all."""
    if case.is_configuration_alone:
        return satisfied(requirement, "Both sides run the same code.", case)
    if case.why_tests_prove_nothing:
        return unverified(
            requirement,
            case.why_tests_prove_nothing,
            way_out(case),
        )
    if case.witnesses.undecided or case.skipped:
        return _not_seen_to_hold(requirement, case)
    if not case.nothing_regressed and case.only_exit_code is not Transition.FIXED:
        return unverified(
            requirement,
            "No test passed on base, so a regression could not be seen.",
            "Add tests to the base branch, or set `setup.test` in `.github/assay.yml`.",
        )
    return _held(requirement, case)


def _not_seen_to_hold(requirement: Requirement, case: Case) -> Verdict:
    """Tests that passed on base, and of which nothing says whether they would pass on head."""
    undecided, skipped = case.witnesses.undecided, case.skipped
    torn = tuple(test for test in undecided if test.change is TestChange.FLAKY)
    unseen = tuple(test for test in undecided if test not in torn)
    told = (
        (torn, "fail on head in some runs and pass in others"),
        (unseen, "were not seen to pass on head"),
        (skipped, "are skipped, expected to fail or not collected on head"),
    )
    parts = [f"{len(tests)} {what}: {test_ids(tests)}." for tests, what in told if tests]
    return unverified(
        requirement,
        f"Of the tests that passed on base, {' '.join(parts)}",
        "Let these tests run and pass on head. If one is to go, say so in the issue, then comment `/judge`.",
    )


def _held(requirement: Requirement, case: Case) -> Verdict:
    """Nothing that was run broke; tests that were not run could have."""
    if case.observed.left_out:
        return unverified(
            requirement,
            f"{_held_reason(case)} But {case.observed.left_out}",
            "Name one line that runs all tests as `setup.test` in `.github/assay.yml`.",
        )
    return satisfied(requirement, _held_reason(case), case)


def _by_the_plan(requirement: Requirement, case: Case) -> Verdict | None:
    """Where no test passed on base, the items of its test plan are what could regress."""
    if case.tests_passed_on_base or (case.suite is not None and case.why_tests_prove_nothing):
        return None
    found = [
        (r, item_evidence(r, case.observed)) for r in case.requirements.items if r.item is not None
    ]
    held = [(r, seen) for r, seen in found if seen and is_held_on_base(r, seen)]
    broken = [r for r, _ in held if is_regressed(r, case.observed)]
    ids = tuple(seen.id for _, seen in held)
    if broken:
        names = ", ".join(r.id for r in broken[:10])
        reason = f"Items of the test plan that base fulfils fail on head: {names}."
        return replace(unsatisfied(requirement, reason, case), evidence_ids=ids)
    if held:
        reason = (
            f"{len(held)} item(s) of the test plan hold on base, and none of them fails on head."
        )
        return replace(satisfied(requirement, reason, case), evidence_ids=ids)
    if found and all(r.item is None or _fails_on_base(r.item, seen) for r, seen in found):
        reason = "On base no test passes and no item of the test plan holds: nothing could regress."
        return satisfied(requirement, reason, case) if _base_could_run(case) else None
    return None


def _base_could_run(case: Case) -> bool:
    return case.observed.built_base is not False and not case.observed.needs


def _fails_on_base(item: PlanItem, seen: Evidence | None) -> bool:
    """Whether an item was run on base and did not end well there; one without a command cannot."""
    if item.problem or not item.cases:
        return True
    base = seen.base if seen else None
    was_run = base is not None and base.item is not None and bool(base.item.cases)
    return was_run and base is not None and base.exit_code != 0 and not base.timed_out


def _held_reason(case: Case) -> str:
    kept = len(case.witnesses.kept)
    if not kept:
        return "The tests pass on head; only their exit code is known."
    return f"{_tests(kept)} passed on base and pass{'es' if kept == 1 else ''} on head; none fails now."


def weakenings(case: Case) -> tuple[Finding, ...]:
    """The findings that decide whether tests were weakened: those that block, else those to read."""
    about = [f for f in case.observed.integrity if f.rule not in NOT_ABOUT_TESTS]
    blocking = [f for f in about if f.severity is Severity.BLOCK]
    unread = [f for f in about if f.rule == UNREAD_CHANGES]
    return tuple(blocking or unread or [f for f in about if f.rule in NEEDS_READER])


def _tests_not_weakened(requirement: Requirement, case: Case) -> Verdict:
    deciding = weakenings(case)
    first = deciding[0] if deciding else None
    if first and first.severity is Severity.BLOCK:
        more = f" ({len(deciding) - 1} more)" if len(deciding) > 1 else ""
        return unsatisfied(requirement, f"{first.path}: {first.message}{more}", case)
    if case.observed.changes_truncated or (first and first.rule == UNREAD_CHANGES):
        return unverified(
            requirement,
            "The change is too large to be read whole, so weakened tests could be hidden in it.",
            "Split the pull request, or read its tests by hand.",
        )
    if first:
        return unverified(
            requirement,
            f"{first.path}{f':{first.line}' if first.line else ''}: {first.message}",
            "Read this content: it can change what the tests report.",
        )
    remarks = sum(f.rule not in NOT_ABOUT_TESTS for f in case.observed.integrity)
    told = f"; {remarks} remark{'s' if remarks != 1 else ''} to read below" if remarks else ""
    return satisfied(requirement, f"The diff weakens no test{told}.", case)


def _pages_work(requirement: Requirement, case: Case) -> Verdict:
    seen = case.look
    if seen is None or seen.head is None or seen.head.problem:
        why = seen.head.problem if seen and seen.head else "The pages were not looked at."
        return unverified(requirement, why, _LOOK_YOURSELF)
    changes = compare_pages(seen.base, seen.head)
    told = [*changes.broken, *changes.doubts]
    more = f" ({len(told) - 1} more)" if len(told) > 1 else ""
    if changes.broken:
        verdict = unsatisfied(requirement, f"{told[0]}{more}", case)
    elif changes.doubts:
        verdict = unverified(requirement, f"{told[0]}{more}", _LOOK_YOURSELF)
    elif seen.head.exit_code != 0:
        verdict = unverified(requirement, "Not every page was seen on head.", _LOOK_YOURSELF)
    else:
        pages = ", ".join(f"`{path}`" for path in seen.step.arguments)
        verdict = satisfied(requirement, f"No new fault was seen on {pages}.", case)
    return replace(verdict, evidence_ids=(seen.id,))


def satisfied(
    requirement: Requirement, reason: str, case: Case, tests: tuple[str, ...] = ()
) -> Verdict:
    """A verdict that an oracle gives, citing the tests' evidence."""
    return Verdict(
        requirement.id, VerdictOutcome.SATISFIED, Decider.ORACLE, reason, case.suite_ids, tests
    )


def unsatisfied(
    requirement: Requirement,
    reason: str,
    case: Case,
    tests: tuple[str, ...] = (),
    next_step: str = MEND,
) -> Verdict:
    """A failing oracle binds; nothing excuses it."""
    return Verdict(
        requirement.id,
        VerdictOutcome.UNSATISFIED,
        Decider.ORACLE,
        reason,
        case.suite_ids,
        tests,
        next_step=next_step,
    )


def unverified(requirement: Requirement, reason: str, next_step: str) -> Verdict:
    """Could not tell; says what a person can do next."""
    return Verdict(
        requirement.id,
        VerdictOutcome.UNVERIFIED,
        Decider.NOBODY,
        reason,
        next_step=next_step,
    )


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"


def _s(count: int) -> str:
    return "s" if count == 1 else ""
