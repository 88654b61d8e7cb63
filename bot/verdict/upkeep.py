"""Judges changes and demands without behaviour: by `held` and by what the diff touches.

Nothing here reads meaning: it sees that base's tests hold and that the right kind of file changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from bot.diff.paths import (
    is_automation,
    is_build_file,
    is_changelog,
    is_document,
    is_linter_file,
    is_source_path,
    is_test_path,
)
from bot.evidence.case import Case
from bot.evidence.damage import in_lines, noticed_by, with_counted
from bot.evidence.oracle import satisfied, unsatisfied, unverified
from bot.evidence.tests.results import told_of
from bot.task.categories import ASKED, NARROW, Area, upkeep_area, version_of
from bot.text.clipping import listed
from bot.values import (
    ActionKind,
    Category,
    Requirement,
    TestChange,
    TestComparison,
    Trust,
    Verdict,
    VerdictOutcome,
)
from bot.values.rules import ASSERTION_TRIVIAL, NEW_TEST_SKIPPED, TEST_SKIPPED
from bot.verdict.behaviour import judge_behaviour
from sandbox.damage.values import OF_LINES
from sandbox.elsewhere.values import Otherwise
from sandbox.values import ChangedFile, ChangeKind, Outcome

_CLAIMS_A_CHANGE = re.compile(
    r"^(?:feat|perf|revert)\b"
    r"|\b(?:fix|bugfix|fixe[sd]|resolve[sd]?|repairs?|prevents?|implements?|no longer)\b",
    re.I,
)
_OF_TYPES = re.compile(
    r"\bTS\d{4}\b|(?i:\b(?:mypy|pyright|typescript|typings|type[ -](?:hint|annotation|check|definition)\w*)\b"
    r"|\.d\.ts\b)"
)
_ASKS_FOR_TESTS = re.compile(
    r"(?i)(?:\w+(?:\([^)]{0,40}\))?!?: )?(?:please )?(?:add|write|include|create|more)\b"
)
_SPEAKS_OF_TESTS = re.compile(
    r"\b(?:tests?|tested|testing|cover(?:s|age|ing)?|specs?|fixtures?)\b", re.I
)


def judge_by_kind(requirement: Requirement, case: Case) -> Verdict | None:
    """What the diff decides of an author's own words, whatever they are; None where it decides nothing.

    Where the program stays the same there is nothing to prove, nor where only what runs its checks changes;
    where only tests change, new ones are it. But not where somebody claims that the program changed ("Fix the
    crash").
    """
    is_of_checks = case.moving == {ChangeKind.SETUP} and any(
        map(is_automation, case.observed.changed_paths)
    )
    is_decided = case.is_inert or case.only_tests_changed or is_of_checks
    if requirement.trust is not Trust.AUTHOR or not is_decided:
        return None
    if not (case.nothing_regressed or case.is_untested):
        return unverified(
            requirement,
            f"{_only(case)} changed, but nothing showed that the tests still pass.",
            "See the regressions (B2) first.",
        )
    claims = _CLAIMS_A_CHANGE.search(requirement.text) is not None
    if is_of_checks:
        return None if claims else _by_files(requirement, Area.AUTOMATION, case)
    if case.only_tests_changed:
        claims = claims and _SPEAKS_OF_TESTS.search(requirement.text) is None
        return _tests_added(requirement, case) if _new_tests(case) and not claims else None
    holds = "Base has no tests" if case.is_untested else "Base's tests pass on head"
    return satisfied(
        requirement,
        f"{_only(case)} changed, so the program does what it did and no test is needed. {holds}. "
        "Whether the words are right is for a reviewer to say.",
        case,
    )


def _only(case: Case) -> str:
    """The kinds of a change that leaves the program as it is, with some of its files."""
    kinds = dict.fromkeys(one.kind for one in case.observed.kinds)
    named = " and ".join(_KINDS.get(kind, "build files") for kind in kinds)
    return f"Only {named} ({_shown(case.observed.changed_paths)})"


_KINDS = {
    ChangeKind.DOCUMENTATION: "documentation",
    ChangeKind.COMMENTS: "comments and docstrings",
    ChangeKind.FORMATTING: "formatting",
    ChangeKind.TYPES: "types",
    ChangeKind.UNUSED: "code that nothing uses",
    ChangeKind.POLICY: "Assay's configuration",
    ChangeKind.TESTS: "tests",
}


def judge_upkeep(requirement: Requirement, case: Case) -> Verdict:
    """Satisfied when base's tests hold on head and a file of the demanded kind changed."""
    area = upkeep_area(requirement.text) or Area.CODE
    if case.code_changes and _nobody_asks_for_code(case):
        return _by_behaviour(requirement, case)
    if not (case.nothing_regressed or case.is_untested):
        return unverified(
            requirement,
            "It asks for no change of behavior, and nothing showed that behavior stays the same.",
            "See the regressions (B2) first.",
        )
    if area is Area.TESTS:
        return _tests_added(requirement, case)
    new = (Category.BEHAVIOUR, Category.CRITERION)
    is_new = any(one.category in new for one in case.requirements.items)
    if area not in (Area.CODE, Area.DEPENDENCIES) or not case.code_changes or is_new:
        return _by_files(requirement, area, case)
    if held := _by_what_holds(requirement, case):
        return held
    return _not_held(requirement, case)


def _not_held(requirement: Requirement, case: Case) -> Verdict:
    """Say that behavior is to stay, and which damage to the changed lines no test that holds noticed."""
    seen, shown = in_lines(case.observed.damage), named_changes(case)
    counted = noticed_by(case.groups.held, seen)
    if counted is None:
        return unverified(
            requirement,
            f"Behavior is to stay as it is, and no damage to the changed lines of {_shown(shown)} was tried "
            "that tests could notice.",
            "Read these lines. If they do what they did, a person can accept it.",
        )
    held = {test.id for test in case.groups.held}
    trials = (one for one in (seen.trials if seen else ()) if one.damage.is_telling)
    unseen = next((o.damage for o in trials if held & {*o.ran} and not held & {*o.noticed}), None)
    told = f" None noticed that {unseen.what} ({unseen.path}:{unseen.line})." if unseen else ""
    return unverified(
        requirement,
        "Behavior is to stay as it is, and tests that hold on both sides were not seen to notice all damage "
        f"to the changed lines of {_shown(shown)} ({counted}).{told}",
        "Add a test of what must stay: it passes on base and on head, and fails when that breaks.",
    )


def _by_files(requirement: Requirement, area: Area, case: Case) -> Verdict:
    if case.observed.changes_truncated:
        return unverified(
            requirement,
            "The change is too large to list all files that it touches.",
            "Split the pull request, or read all of it.",
        )
    paths = case.observed.changed_paths
    if any(map(is_test_path, paths)) and not any(map(is_source_path, paths)):
        return unverified(
            requirement,
            "Only tests were edited, so nothing shows what these edits are for.",
            "Explain the edits in the issue, or revert them.",
        )
    touched = tuple(one for one in paths if belongs_to(one, area, case.observed.kinds))
    if not touched:
        return unverified(
            requirement,
            f"The changed files do not include {_SPOKEN[area]}.",
            "Add it and push.",
        )
    version = version_of(requirement.text) if area is Area.DEPENDENCIES else ""
    if version and version in case.observed.unnamed:
        return unverified(
            requirement,
            f"No changed line of {_shown(touched)} has the version {version}.",
            "Bring the version that is asked for, or correct the title or the issue, and push.",
        )
    holds = "Base has no tests" if case.is_untested else "Base's tests pass on head"
    kinds = dict.fromkeys(one.kind for one in case.observed.kinds if one.path in touched)
    spoken = _SPOKEN[area]
    if area is Area.CODE and kinds and {*kinds} <= {*_KINDS}:
        spoken = " and ".join(_KINDS[kind] for kind in kinds)
    return satisfied(
        requirement,
        f"{holds}, and {spoken} changed: {_shown(touched)}. Whether the change is good is for a "
        "reviewer to say.",
        case,
    )


def _nobody_asks_for_code(case: Case) -> bool:
    """Whether all that is said of the change is the author's word, or asks for no source at all."""
    asked = [r for r in case.requirements.items if r.category in ASKED]
    return all(
        r.category is Category.KEEP
        or (
            r.category is Category.UPKEEP
            and (not r.trust.is_asked or upkeep_area(r.text) in NARROW)
        )
        for r in asked
    )


def _by_behaviour(requirement: Requirement, case: Case) -> Verdict:
    """Ask of changed code what any change is asked; no title lowers the bar."""
    verdict = judge_behaviour(requirement, case)
    if verdict.outcome is not VerdictOutcome.UNVERIFIED:
        return verdict
    # Who drops a release of Python, or takes another dependency, leaves the program as it is, too.
    is_of_source = (upkeep_area(requirement.text) or Area.CODE) in (Area.CODE, Area.DEPENDENCIES)
    if is_of_source and case.nothing_regressed:
        if held := _by_what_holds(requirement, case):
            return held
        if noticed_by(case.groups.held, in_lines(case.observed.damage)):
            return _not_held(requirement, case)
    is_text = all(map(is_document, case.code_changes))
    what = "The project's code may read {}, which changed" if is_text else "Code changed ({})"
    return unverified(
        requirement,
        f"{what.format(_shown(named_changes(case)))}, whatever the title calls it. "
        "Passing tests do not show that all else stayed as it was.",
        "Link the issue that asks for it, or add a test that shows what changed.",
    )


def _by_what_holds(requirement: Requirement, case: Case) -> Verdict | None:
    """Satisfied where tests that hold on both sides notice all damage in the changed lines.

    What there was no time to try might have gone unnoticed. None where some did.
    """
    if other := _comes_otherwise(requirement, case):
        return other
    seen = in_lines(case.observed.damage)
    noticing = {id_ for one in (seen.trials if seen else ()) for id_ in one.noticed}
    seeing = tuple(test for test in case.groups.held if test.id in noticing)
    counted = noticed_by(case.groups.held, seen)
    if not counted or counted.noticed < counted.of:
        return None
    untried = sum(one.kind in OF_LINES for one in seen.untried) if seen else 0
    if late := untried + sum(one.is_cut_off for one in (seen.trials if seen else ())):
        return unverified(
            requirement,
            "Behavior is to stay as it is, and there was no time to try all damage to the changed lines of "
            f"{_shown(named_changes(case))}: {counted}, {late} not tried in time.",
            "Raise `limits.damage` or `limits.minutes` in `.github/assay.yml` on the base branch, then "
            "comment `/judge`.",
        )
    given = satisfied(
        requirement,
        f"Behavior is to stay as it is: {told_of(seeing, 'holds', 'hold')} on base and "
        f"on head, and would notice damage to the changed lines ({counted}).",
        case,
        tuple(test.id for test in seeing),
    )
    given = replace(given, evidence_ids=(*given.evidence_ids, *case.damage_ids))
    return with_counted(given, counted)


def judge_types(requirement: Requirement, case: Case) -> Verdict | None:
    """What speaks of types is met where these changed, no code did and base's tests hold; None for others.

    A build file may say that they are there.
    """
    said = "\n".join((requirement.with_detail, *case.requirements.said))
    has_types = any(one.kind is ChangeKind.TYPES for one in case.observed.kinds)
    is_beside = case.moving == {ChangeKind.SETUP} and not case.observed.changes_truncated
    is_inert = case.is_inert or (has_types and is_beside)
    is_about_them = is_inert and not case.groups.proofs and _OF_TYPES.search(said)
    if not is_about_them or not (case.nothing_regressed or case.is_untested):
        return None
    return satisfied(
        requirement,
        f"It speaks of types. {_only(case)} changed, so the program does what it did. Whether the types are "
        "right is for a reviewer to say.",
        case,
    )


def judge_speed(requirement: Requirement, case: Case) -> Verdict | None:
    """What is to be faster does what it did where tests that hold would notice; None where something broke.

    How fast it is nobody measures: that is its author's word, and open where somebody else asks for it.
    """
    if not case.nothing_regressed or case.is_untested:
        return None
    held = _by_what_holds(requirement, case) or _not_held(requirement, case)
    if held.outcome is not VerdictOutcome.SATISFIED:
        return replace(held, reason=f"{held.reason} How fast it is was not measured either.")
    if not requirement.trust.is_asked:
        return replace(held, reason=f"{held.reason} How fast it is was not measured.")
    given = unverified(
        requirement,
        f"{held.reason} But how fast it is was not measured.",
        "Assay does not measure speed. Say in the pull request how long it takes on base and on head: a "
        "person can then accept it.",
    )
    return replace(given, evidence_ids=held.evidence_ids)


def _comes_otherwise(requirement: Requirement, case: Case) -> Verdict | None:
    """A call near those of tests that hold comes otherwise on head, where behavior is to stay as it is."""
    look = case.observed.second_look
    found = (one for one in look.otherwise if one.how is Otherwise.DEFAULT) if look else ()
    first = next(iter(found), None)
    if first is None:
        return None
    given = unverified(
        requirement,
        first.told(
            "Behavior is to stay as it is, but near what base's tests call, `{call}` {base} on base and "
            "{head} on head."
        ),
        "Let such a call give what it gave, or let the task ask for the change.",
    )
    ids = case.ids_of(ActionKind.NEARBY_INPUTS)
    return replace(given, evidence_ids=(*given.evidence_ids, *ids))


def named_changes(case: Case) -> tuple[str, ...]:
    """The files of code to name: a document that code may read, only where nothing else changed."""
    return tuple(one for one in case.code_changes if not is_document(one)) or case.code_changes


def _shown(paths: tuple[str, ...]) -> str:
    return listed(f"`{path}`" for path in paths)


def belongs_to(path: str, area: Area, changed: tuple[ChangedFile, ...] = ()) -> bool:
    """Whether a changed path is of the kind that an area of upkeep is about."""
    if any(one.path == path and one.kind is _BY_KIND.get(area) for one in changed):
        return True
    kinds: dict[Area, Callable[[str], bool]] = {
        Area.CHANGELOG: is_changelog,
        Area.DOCUMENTATION: is_document,
        Area.AUTOMATION: lambda p: is_automation(p) or is_build_file(p) or is_linter_file(p),
        Area.DEPENDENCIES: lambda p: is_build_file(p) or is_automation(p),
        Area.CODE: lambda p: is_source_path(p) or is_linter_file(p),
        Area.CHORE: lambda p: (
            is_source_path(p) or is_build_file(p) or is_automation(p) or is_linter_file(p)
        ),
        Area.RELEASE: lambda p: not is_test_path(p),
    }
    return kinds.get(area, is_source_path)(path)


_BY_KIND = {Area.DOCUMENTATION: ChangeKind.COMMENTS, Area.TYPING: ChangeKind.TYPES}


def _tests_added(requirement: Requirement, case: Case) -> Verdict:
    if new := _new_tests(case):
        ids = tuple(c.id for c in new)
        words = "s pass" if len(new) != 1 else " passes"
        return satisfied(requirement, f"{len(new)} new test{words} on head.", case, ids)
    if case.only_tests_changed and not _ASKS_FOR_TESTS.match(requirement.text):
        return unverified(
            requirement,
            "Tests were edited and none is new, so no run shows whether they are better now.",
            "Read these edits. If they are right, a person can accept them.",
        )
    return unsatisfied(requirement, "No new test that passes was found on head.", case)


def _new_tests(case: Case) -> tuple[TestComparison, ...]:
    """Tests that the change adds and that pass, out of files without trivial or skipped ones."""
    idle = (ASSERTION_TRIVIAL, TEST_SKIPPED, NEW_TEST_SKIPPED)
    weak = {f.path for f in case.observed.integrity if f.rule in idle}
    return tuple(
        c
        for c in case.observed.tests.comparisons
        if c.written_by_author
        and c.head_on_head is Outcome.PASSED
        and (c.base_on_base is None or c.change is TestChange.FAIL_TO_PASS)
        and c.path not in weak
    )


_SPOKEN = {
    Area.DOCUMENTATION: "documentation",
    Area.CHANGELOG: "a changelog entry",
    Area.TESTS: "a test",
    Area.TYPING: "source code",
    Area.DEPENDENCIES: "a dependency, build or CI file",
    Area.AUTOMATION: "an automation file",
    Area.CODE: "source code",
    Area.RELEASE: "a release file",
    Area.CHORE: "code, build or automation",
}
