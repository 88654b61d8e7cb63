"""Judges what always holds: it builds, nothing regresses, tests are not weakened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.evidence.case import Case
from bot.evidence.damage import of_base
from bot.evidence.oracle import satisfied, unsatisfied, unverified, way_out
from bot.evidence.pages.weigh import compare_pages
from bot.evidence.test_plan.ended import item_evidence
from bot.evidence.test_plan.whole import is_held_on_base, is_regressed
from bot.evidence.tests.four_way import why_it_failed
from bot.evidence.tests.results import test_ids
from bot.task.requirements import BUILDS, NOTHING_REGRESSES, PAGES_WORK, SEEN_BY
from bot.values import (
    ActionKind,
    Evidence,
    FourWay,
    PlanItem,
    Requirement,
    TestChange,
    TestComparison,
    TestedFolder,
    Transition,
    Verdict,
    VerdictOutcome,
)
from bot.values.rules import NEEDS_READER, NOT_ABOUT_TESTS, UNREAD_CHANGES
from bot.verdict.building import first_error, judge_building
from sandbox.test_runs.four_runs import failed, is_below, passed
from sandbox.values import Finding, Severity, Side

_MOST_TOLD = 4
_LOOK_YOURSELF = "Look at the pages and their pictures."
_REGRESSED = Transition.REGRESSED
_FIX_WEAKENED = "Restore what the tests checked before, fix the code instead, and push."
_FIX_PAGES = "Fix the pages and push."


def judge_baseline(requirement: Requirement, case: Case) -> Verdict:
    """The verdict for one of the baseline requirements B1 to B4."""
    # What a measurement cannot tell, since a part is off, is never said to hold.
    without = case.observed.without
    missed = [part for part, ids in SEEN_BY.items() if part in without and requirement.id in ids]
    if missed:
        reason = f"Not looked at: this measurement goes without {missed[0]}."
        return unverified(requirement, reason, "Judge it with everything.")

    if requirement.id == PAGES_WORK:
        return _pages_work(requirement, case)
    if requirement.id == BUILDS:
        return judge_building(requirement, case)
    if requirement.id == NOTHING_REGRESSES:
        return _nothing_regresses(requirement, case)
    return _tests_not_weakened(requirement, case)


def _nothing_regresses(requirement: Requirement, case: Case) -> Verdict:
    by_the_plan = _by_the_plan(requirement, case)
    if by_the_plan is None and case.is_untested:
        found = satisfied(requirement, "Not applicable: base has no tests.", case)
    else:
        found = by_the_plan or _by_the_tests(requirement, case)
    tests = case.observed.tests
    if found.outcome is VerdictOutcome.UNVERIFIED and case.observed.builds_on_head_only:
        why = f"Base does not build{first_error(case, Side.BASE)}. So no test could run there."
        return replace(found, reason=f"{why}{_what_was_run(tests)}")
    if found.outcome is not VerdictOutcome.SATISFIED:
        return replace(found, reason=f"{found.reason}{_what_was_run(tests)}")
    return unverified(requirement, _what_was_not(tests), _RUN_THE_REST) if tests.not_run else found


_RUN_THE_REST = (
    "List these folders under `projects` in `.github/assay.yml` on the base branch, with the `setup` "
    "that builds and tests each, or run their tests yourself."
)


def _by_the_tests(requirement: Requirement, case: Case) -> Verdict:
    if broken := _broken(requirement, case):
        return broken
    if case.is_configuration_alone:
        return satisfied(requirement, "Both sides run the same code.", case)
    told = [
        f"{_named(one.folder)}: {one.problem}" for one in case.observed.tests.folders if one.problem
    ]
    if case.observed.tests.problem or told:
        said = case.observed.tests.problem or " ".join(told[:_MOST_TOLD])
        missing = _not_fetched(case)  # what cannot be loaded may be made from it
        what_to_do = _FETCH_SUBMODULES if missing else way_out(case)
        return unverified(requirement, f"{said} Also, {missing}" if missing else said, what_to_do)
    if case.groups.undecided or case.skipped:
        return _not_seen_to_hold(requirement, case)
    if not case.tests_passed_on_base and case.only_exit_code is not Transition.FIXED:
        return _nothing_passed(requirement, case)
    return _held(requirement, case)


def _nothing_passed(requirement: Requirement, case: Case) -> Verdict:
    """Base has no test to hold, none that is as it was, or none that passes here: then it says why."""
    base = case.suite.base if case.suite else None
    outcomes = base.tests.results if base and base.tests else ()
    failing = [one for one in outcomes if failed(one.outcome)]
    if any(passed(one.outcome) for one in outcomes):
        return unverified(
            requirement,
            "The change edits or removes every test that passed on base, or what its file loads, so no "
            "regression could be found.",
            "Look at the edited tests, or add tests to the base branch that hold on both sides.",
        )
    if not failing:
        return unverified(
            requirement,
            "No test passed on base, so no regression could be found.",
            "Add tests to the base branch, or set `setup.test` in `.github/assay.yml`.",
        )
    return unverified(
        requirement,
        f"Every test of base fails here, so no regression could be found: {why_it_failed(failing[0])}.",
        "Fix the tests of the base branch, or compare what the tests did before by hand. Where they need "
        "another version of the language, let Assay judge on a machine that has it.",
    )


def _broken(requirement: Requirement, case: Case) -> Verdict | None:
    """A test that passed on base and fails on head, or a whole run where only its exit code is known."""
    broken = case.regressions
    if broken:
        errors = tuple(dict.fromkeys(test.not_loaded for test in broken if test.not_loaded))
        why = f" Not loaded: {'; '.join(errors[:3])}." if errors else ""
        verdict = unsatisfied(
            requirement,
            f"{_tests(len(broken))} that passed on base fail{_s(len(broken))} on head.{why}",
            case,
            tuple(test.id for test in broken),
        )
        return replace(verdict, evidence_ids=case.broken_ids)
    failing = [one for one in case.observed.tests.folders if one.transition is _REGRESSED]
    if case.only_exit_code is _REGRESSED or failing:
        where = _in_folders(failing)
        return unsatisfied(requirement, f"The tests{where} pass on base and fail on head.", case)
    return None


def _not_seen_to_hold(requirement: Requirement, case: Case) -> Verdict:
    """Tests that passed on base, and of which nothing says whether they would pass on head."""
    undecided, skipped = case.groups.undecided, case.skipped
    # The runner of the change may not know these any more, or its packages break them.
    if by_runner := [test for test in undecided if test.runner_of_base]:
        count, first = len(by_runner), by_runner[0]
        said = f" {first.assertion}." if first.assertion else ""
        return unverified(
            requirement,
            f"{_tests(count)} of base fail{_s(count)} with {first.runner_of_head}, which the change brings, "
            f"and pass{'es' if count == 1 else ''} on head's code with base's packages "
            f"({first.runner_of_base}): {test_ids(by_runner)}.{said}",
            "Check that this new version is the reason, and no other package, and that the edited "
            "tests demand what they did before.",
        )

    torn = tuple(test for test in undecided if test.change is TestChange.FLAKY)
    unseen = tuple(test for test in undecided if test not in torn)
    told = (
        (torn, "Passed on base, sometimes fail on head"),
        (unseen, "Passed on base, not seen to pass on head"),
        (skipped, "Passed on base, skipped, expected to fail or not collected on head"),
    )
    parts = [f"{what}: {test_ids(tests)}." for tests, what in told if tests]
    return unverified(
        requirement,
        " ".join(parts),
        "Let these tests run and pass on head. If one is to go, say so in the issue, then comment `/judge`.",
    )


_FETCH_SUBMODULES = (
    "Let Assay read the submodule: install the App on its repository, or run `git submodule update "
    "--init --recursive` in a local clone. Then comment `/judge`."
)


def _not_fetched(case: Case) -> str:
    """Return a sentence, to stand behind other words, about submodules that a run may read; "" for none."""
    missing = case.observed.missing_submodules
    if not missing:
        return ""
    first, more = missing[0], len(missing) - 1
    also = f" {more} more submodule{'s' * (more > 1)} could not be fetched." if more else ""
    why = f"{first.reason[:1].lower()}{first.reason[1:]}"
    return f"submodule {first.path} at {first.sha[:12]} could not be fetched: {why}{also}"


def _held(requirement: Requirement, case: Case) -> Verdict:
    """Nothing that was run broke; tests that were not run could have."""
    if not_fetched := _not_fetched(case):
        return unverified(requirement, f"{_held_reason(case)} But {not_fetched}", _FETCH_SUBMODULES)
    if case.observed.left_out:
        return unverified(
            requirement,
            f"{_held_reason(case)} But {case.observed.left_out}",
            "Set `setup.test` in `.github/assay.yml` to one command that runs all tests.",
        )
    return satisfied(requirement, _held_reason(case), case)


def _by_the_plan(requirement: Requirement, case: Case) -> Verdict | None:
    """Where no test passed on base, the items of its test plan are what could regress."""
    if case.tests_passed_on_base or (case.suite is not None and case.observed.tests.problem):
        return None
    found = [
        (r, item_evidence(r, case.observed)) for r in case.requirements.items if r.item is not None
    ]
    held = [(r, seen) for r, seen in found if seen and is_held_on_base(r, seen)]
    broken = [r for r, _ in held if is_regressed(r, case.observed)]
    ids = tuple(seen.id for _, seen in held)
    if broken:
        names = ", ".join(r.id for r in broken[:10])
        reason = f"Items of the test plan pass on base and fail on head: {names}."
        return replace(unsatisfied(requirement, reason, case), evidence_ids=ids)
    if held:
        reason = (
            f"{len(held)} item(s) of the test plan pass on base, and none of them fails on head."
        )
        return replace(satisfied(requirement, reason, case), evidence_ids=ids)
    if found and all(r.item is None or _fails_on_base(r.item, seen) for r, seen in found):
        reason = "On base no test and no item of the test plan passes, so nothing could regress."
        could_run = case.observed.built_base is not False and not case.observed.needs
        return satisfied(requirement, reason, case) if could_run else None
    return None


def _fails_on_base(item: PlanItem, seen: Evidence | None) -> bool:
    """Whether an item was run on base and did not end well there; one without a command cannot."""
    if item.problem or not item.cases:
        return True
    base = seen.base if seen else None
    was_run = base is not None and base.item is not None and bool(base.item.cases)
    return was_run and base is not None and base.exit_code != 0 and not base.timed_out


def _held_reason(case: Case) -> str:
    """Say how many tests held, and in which folders they stand."""
    kept, tests = case.groups.kept, case.observed.tests
    if not kept:
        return f"The tests{_in_folders(tests.folders)} pass on head. Only their exit code is known."
    by_code = [one for one in tests.folders if one.transition]
    more = f" The tests{_in_folders(by_code)} pass too, by their exit code." if by_code else ""
    ends = "es" if len(kept) == 1 else ""
    told = _counted(kept, tests)
    meant = "".join(f" {why}" for t in case.groups.expectations if (why := case.why_meant(t)))
    unseen = of_base(case.observed.damage)
    before = ""
    # What fails on both sides could not show that the change broke something.
    if failing := case.groups.still_failing:
        count = len(failing)
        before = f" {_tests(count)} fail{_s(count)} on both sides: {test_ids(failing, 5)}."
    return f"{told} passed on base and pass{ends} on head.{more}{before}{meant}{unseen}"


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
        return unsatisfied(
            requirement, f"{first.path}: {first.message}{more}", case, next_step=_FIX_WEAKENED
        )
    if case.observed.changes_truncated or (first and first.rule == UNREAD_CHANGES):
        return unverified(
            requirement,
            "The change is too large to read whole, so it could hide weakened tests.",
            "Split the pull request, or read all of its tests.",
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
    seen = next(iter(case.seen_by(ActionKind.SCREENSHOT)), None)
    if seen is None or seen.head is None or seen.head.problem:
        why = seen.head.problem if seen and seen.head else "The pages were not opened."
        return unverified(requirement, why, _LOOK_YOURSELF)
    changes = compare_pages(seen.base, seen.head)
    told = [*changes.broken, *changes.doubts]
    more = f" ({len(told) - 1} more)" if len(told) > 1 else ""
    if changes.broken:
        verdict = unsatisfied(requirement, f"{told[0]}{more}", case, next_step=_FIX_PAGES)
    elif changes.doubts:
        verdict = unverified(requirement, f"{told[0]}{more}", _LOOK_YOURSELF)
    elif seen.head.exit_code != 0:
        verdict = unverified(requirement, "Not every page could be opened on head.", _LOOK_YOURSELF)
    else:
        pages = ", ".join(f"`{path}`" for path in seen.step.arguments)
        verdict = satisfied(requirement, f"No new fault was found on {pages}.", case)
    return replace(verdict, evidence_ids=(seen.id,))


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"


def _s(count: int) -> str:
    return "s" if count == 1 else ""


# --- words for the folders whose tests were run, and for those that were not ------------------------


def _in_folders(folders: Sequence[TestedFolder]) -> str:
    """Words such as " in packages/alpha/ and packages/beta/"; "" for the whole repository."""
    names = [_named(one.folder) for one in folders]
    return f" in {_listed(names)}" if any(one.folder for one in folders) else ""


def _counted(tests: Iterable[TestComparison], ran: FourWay) -> str:
    """Words such as "48 tests in packages/alpha/ and 12 in packages/beta/"."""
    found: Counter[str] = Counter()
    for test in tests:
        inside = [one.folder for one in ran.folders if is_below(test.path, (one.folder,))]
        found[max(inside, key=len, default="")] += 1
    return _counts(found)


def _what_was_run(ran: FourWay) -> str:
    """A sentence of its own, with a space before it, for a reason that does not say it; "" for nothing."""
    found = {one.folder: max(one.base, one.head) for one in ran.folders if one.base or one.head}
    was = "was" if sum(found.values()) == 1 else "were"
    return f" {_counts(found)} {was} run." if found else ""


def _what_was_not(ran: FourWay) -> str:
    """Say what was run, and what the change can break beside it."""
    names = _listed([_named(one.folder) for one in ran.folders]) or "nothing"
    was = "were" if len(ran.folders) > 1 else "was"
    told: list[str] = []
    for one in ran.not_run[:_MOST_TOLD]:
        uses = ", ".join(f"`{name}`" for name in one.uses)
        told.append(
            f"{_named(one.folder)} {f'uses {uses}' if uses else 'is changed too'} ({one.why})"
        )
    if (more := len(ran.not_run) - _MOST_TOLD) > 0:
        told.append(f"and {more} more")
    return f"Only {names} {was} run; {'; '.join(told)}.{_what_was_run(ran)}"


def _counts(found: Mapping[str, int]) -> str:
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{count} in {_named(folder)}" for folder, count in ordered]
    if ordered:
        folder, count = ordered[0]
        told[0] = f"{count} test{'' if count == 1 else 's'} in {_named(folder)}"
    return _listed(told)


def _named(folder: str) -> str:
    return f"{folder}/" if folder else "the root directory"


def _listed(names: Sequence[str]) -> str:
    told, more = list(names[:_MOST_TOLD]), len(names) - _MOST_TOLD
    if more > 0:
        told.append(f"{more} more")
    return " and ".join(filter(None, (", ".join(told[:-1]), *told[-1:])))
