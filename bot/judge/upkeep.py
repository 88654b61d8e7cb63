"""Judges demands that change no behaviour: by `held` and by what the diff touches (DESIGN 3.4).

Nothing here reads meaning: it sees that base's tests hold and that the right kind of file changed.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from bot.judge.baseline import satisfied, unsatisfied, unverified
from bot.judge.case import Case
from bot.judge.categories import Area, upkeep_area
from bot.judge.rules import ASSERTION_TRIVIAL, TEST_SKIPPED
from bot.models import Requirement, TestChange, Verdict
from sandbox.models import Outcome

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|testing)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$"
)
_CHANGELOG = re.compile(
    r"(?i)(?:^|/)(?:change(?:s|log)|news|history|release[-_ ]?notes?)[^/]*(?:/|$)"
)
_DOCUMENT = re.compile(r"(?i)(?:^|/)docs?/|\.(?:md|rst|txt|adoc)$|(?:^|/)readme")
_AUTOMATION = re.compile(
    r"(?:^|/)(?:\.github|\.circleci|\.ci)/|(?:^|/)(?:tox\.ini|\.gitlab-ci\.yml|Makefile|noxfile\.py|"
    r"\.pre-commit-config\.yaml|azure-pipelines\.yml|\.travis\.yml)$"
)
_BUILD_FILE = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*|[^/]*\.lock|package[^/]*\.json|"
    r"go\.(?:mod|sum)|Cargo\.toml|poetry\.lock|uv\.lock|Pipfile[^/]*|\.pre-commit-config\.yaml)$|requirements/"
)


def judge_upkeep(requirement: Requirement, case: Case) -> Verdict:
    """Satisfied when base's tests hold on head and a file of the demanded kind changed."""
    area = upkeep_area(requirement.text) or Area.CODE
    if not case.nothing_regressed:
        return unverified(
            requirement,
            "It asks for no change of behaviour, and it could not be seen that behaviour holds.",
            f"See B2 first.{case.allow_hint}",
        )
    if area is Area.TESTS:
        return _tests_added(requirement, case)
    if case.observed.changes_truncated:
        return unverified(
            requirement,
            "The change is too large to see all files that it touches.",
            "Split the pull request, or read it by hand.",
        )
    touched = tuple(path for path in case.observed.changed_paths if belongs_to(path, area))
    if not touched:
        return unverified(
            requirement,
            f"Nothing that looks like {_SPOKEN[area]} is among the changed files.",
            f"Point to where it was done, or do it.{case.allow_hint}",
        )
    shown = ", ".join(f"`{path}`" for path in touched[:3])
    return satisfied(
        requirement,
        f"Behaviour holds (base's tests pass on head), and {_SPOKEN[area]} changed: {shown}. "
        "Whether the words or the structure are good is for a reader.",
        case,
    )


def belongs_to(path: str, area: Area) -> bool:
    """Whether a changed path is of the kind that an area of upkeep is about."""
    if area is Area.CHANGELOG:
        return _CHANGELOG.search(path) is not None
    if area is Area.DOCUMENTATION:
        return _DOCUMENT.search(path) is not None and not _BUILD_FILE.search(path)
    if area is Area.AUTOMATION:
        return _AUTOMATION.search(path) is not None or _BUILD_FILE.search(path) is not None
    if area is Area.DEPENDENCIES:
        return _BUILD_FILE.search(path) is not None or _AUTOMATION.search(path) is not None
    if area is Area.RELEASE:
        return not is_test_path(path)
    return is_source_path(path)


def is_test_path(path: str) -> bool:
    """Whether a path belongs to the tests."""
    return _TEST_PATH.search(path) is not None


def is_source_path(path: str) -> bool:
    """Whether a path is code that ships: neither test, document, build nor automation file."""
    if is_test_path(path) or _DOCUMENT.search(path) or _AUTOMATION.search(path):
        return False
    return not _BUILD_FILE.search(path) and PurePosixPath(path).suffix not in ("", ".lock", ".toml")


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
        return satisfied(requirement, f"{len(new)} new test(s) pass on head.", case, ids)
    return unsatisfied(requirement, "No new test of worth was collected on head.", case)


_SPOKEN = {
    Area.DOCUMENTATION: "documentation",
    Area.CHANGELOG: "a changelog entry",
    Area.TESTS: "a test",
    Area.TYPING: "source code",
    Area.DEPENDENCIES: "a dependency or build file",
    Area.AUTOMATION: "an automation file",
    Area.CODE: "source code",
    Area.RELEASE: "a release file",
}
