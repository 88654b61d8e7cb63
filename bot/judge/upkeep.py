"""Judges demands that change no behaviour: by `held` and by what the diff touches (DESIGN 3.4).

Nothing here reads meaning: it sees that base's tests hold and that the right kind of file changed.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.judge.baseline import satisfied, unsatisfied, unverified
from bot.judge.behaviour import judge_behaviour
from bot.judge.case import ASKED, Case
from bot.judge.categories import Area, upkeep_area
from bot.judge.paths import (
    is_automation,
    is_build_file,
    is_changelog,
    is_document,
    is_source_path,
    is_test_path,
)
from bot.judge.rules import ASSERTION_TRIVIAL, TEST_SKIPPED
from bot.models import Category, Requirement, TestChange, Verdict, VerdictOutcome
from sandbox.models import Outcome


def judge_upkeep(requirement: Requirement, case: Case) -> Verdict:
    """Satisfied when base's tests hold on head and a file of the demanded kind changed."""
    area = upkeep_area(requirement.text) or Area.CODE
    if case.observed.code_changes and _is_the_authors_word_alone(case):
        return _by_behaviour(requirement, case)
    if not case.nothing_regressed:
        return unverified(
            requirement,
            "It asks for no change of behavior, and nothing showed that behavior stays the same.",
            f"See the regressions (B2) first.{case.allow_hint}",
        )
    if area is Area.TESTS:
        return _tests_added(requirement, case)
    return _by_files(requirement, area, case)


def _by_files(requirement: Requirement, area: Area, case: Case) -> Verdict:
    if case.observed.changes_truncated:
        return unverified(
            requirement,
            "The change is too large to list all files that it touches.",
            "Split the pull request, or read it yourself.",
        )
    if _edits_tests_alone(case):
        return unverified(
            requirement,
            "Only tests were edited, so nothing shows what these edits are for.",
            f"Explain the edits in the issue, or revert them.{case.allow_hint}",
        )
    touched = tuple(path for path in case.observed.changed_paths if belongs_to(path, area))
    if not touched:
        return unverified(
            requirement,
            f"The changed files do not include {_SPOKEN[area]}.",
            f"Add it and push.{case.allow_hint}",
        )
    shown = ", ".join(f"`{path}`" for path in touched[:3])
    return satisfied(
        requirement,
        f"Base's tests pass on head, and {_SPOKEN[area]} changed: {shown}. Whether the change is good is "
        "for a reviewer to say.",
        case,
    )


def _is_the_authors_word_alone(case: Case) -> bool:
    """Whether nobody but the author says what the change is, and says that it changes no behaviour."""
    asked = [r for r in case.requirements.items if r.category in ASKED]
    return all(not r.trust.is_asked and r.category is Category.UPKEEP for r in asked)


def _by_behaviour(requirement: Requirement, case: Case) -> Verdict:
    """Ask of changed code what any change is asked; its own title must not lower the bar."""
    verdict = judge_behaviour(requirement, case)
    if verdict.outcome is not VerdictOutcome.UNVERIFIED:
        return verdict
    shown = ", ".join(f"`{path}`" for path in case.observed.code_changes[:3])
    return unverified(
        requirement,
        f"Only the author says that behavior stays the same, but the code of {shown} changed. "
        "Passing tests do not show that nothing else did.",
        f"Link the issue that asks for it, or add a test that shows what changed.{case.allow_hint}",
    )


def _edits_tests_alone(case: Case) -> bool:
    """Upkeep that is not about tests has no reason to edit them unless the source moved too."""
    paths = case.observed.changed_paths
    return any(map(is_test_path, paths)) and not any(map(is_source_path, paths))


def belongs_to(path: str, area: Area) -> bool:
    """Whether a changed path is of the kind that an area of upkeep is about."""
    kinds: dict[Area, Callable[[str], bool]] = {
        Area.CHANGELOG: is_changelog,
        Area.DOCUMENTATION: is_document,
        Area.AUTOMATION: lambda p: is_automation(p) or is_build_file(p),
        Area.DEPENDENCIES: lambda p: is_build_file(p) or is_automation(p),
        Area.CHORE: lambda p: is_source_path(p) or is_build_file(p) or is_automation(p),
        Area.RELEASE: lambda p: not is_test_path(p),
    }
    return kinds.get(area, is_source_path)(path)


def _tests_added(requirement: Requirement, case: Case) -> Verdict:
    weak = {f.path for f in case.observed.integrity if f.rule in (ASSERTION_TRIVIAL, TEST_SKIPPED)}
    new = tuple(
        c
        for c in case.observed.tests.comparisons
        if c.written_by_author
        and c.head_on_head is Outcome.PASSED
        and (c.base_on_base is None or c.change is TestChange.FAIL_TO_PASS)
        and c.path not in weak
    )
    if new:
        ids = tuple(c.id for c in new)
        return satisfied(
            requirement,
            f"{len(new)} new test{'s' if len(new) != 1 else ''} pass{'es' if len(new) == 1 else ''} on head.",
            case,
            ids,
        )
    return unsatisfied(requirement, "No new test that passes was found on head.", case)


_SPOKEN = {
    Area.DOCUMENTATION: "documentation",
    Area.CHANGELOG: "a changelog entry",
    Area.TESTS: "a test",
    Area.TYPING: "source code",
    Area.DEPENDENCIES: "a dependency or build file",
    Area.AUTOMATION: "an automation file",
    Area.CODE: "source code",
    Area.RELEASE: "a release file",
    Area.CHORE: "code, build or automation",
}
