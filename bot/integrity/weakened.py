"""Tests made weaker: what their code shows, and what the four ways show beyond it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from bot.diff.kinds import is_test_file
from bot.diff.lines import TextReader, is_gone, old_path
from bot.diff.paths import is_test_module
from bot.integrity.adaptation import is_only_adapted, is_only_moved
from bot.integrity.inspection import Inspection, TestStanding, make_finding
from bot.integrity.languages import language_of
from bot.integrity.loosening import Arrival, Arrivals, TestFileVersion, Weakening, compare_tests
from bot.integrity.other_tests import read_other_tests
from bot.integrity.test_code import CodeOfTests, read_tests
from bot.task.permissions import permission_for
from bot.values import TestChange, TestComparison
from bot.values.rules import (
    ASSERTION_LOOSENED,
    EXPECTATION_CHANGED,
    TEST_ADAPTED,
    TEST_FILE_DELETED,
    TEST_FOLLOWS_MOVE,
    adapted,
    moved,
)
from sandbox.values import FileChange, Finding, Outcome, Severity, Side


def weakened_tests(inspection: Inspection) -> Iterator[Finding]:
    """Tests deleted, skipped, loosened or emptied, file by file."""
    changed = [c for c in inspection.diff.files if _is_test_change(c)]
    before = {old_path(c): _read(old_path(c), inspection.before(c)) for c in changed}
    after = {c.path: _read(c.path, inspection.after(c)) for c in changed if not is_gone(c)}
    arrivals = Arrivals(_arrived(changed, before, after))
    changes = {change.path: change for change in changed}
    for change in changed:
        base, head = before.get(old_path(change)), after.get(change.path)
        if is_gone(change) and base is None:
            message = "This test file was deleted."
            yield make_finding(TEST_FILE_DELETED, change, 0, message, Side.BASE)
            continue
        versions = TestFileVersion(old_path(change), base), TestFileVersion(change.path, head)
        for remark in compare_tests(*versions, arrivals):
            place = changes.get(remark.path, change)
            yield _weighed(remark, change, place, inspection.standing)


def _arrived(
    changed: list[FileChange],
    before: dict[str, CodeOfTests | None],
    after: dict[str, CodeOfTests | None],
) -> Iterator[Arrival]:
    """The tests of changed files that their own base versions have not."""
    for change in changed:
        base, head = before.get(old_path(change)), after.get(change.path)
        known = {test.name for test in base.tests} if base else set()
        for test in head.tests if head else ():
            if test.name not in known:
                yield Arrival(change.path, test)


def _is_test_change(change: FileChange) -> bool:
    return any(
        is_test_module(path)
        or path.endswith(".rs")  # Rust's tests stand beside the code
        or (is_test_file(path) and language_of(path) is not None)
        for path in (change.path, old_path(change))
    )


def _read(path: str, text: str | None) -> CodeOfTests | None:
    """The tests of a file, in whatever language it is."""
    if text is None:
        return None
    language = language_of(path)
    return read_tests(text) if language is None else read_other_tests(text, language)


def _weighed(
    remark: Weakening, change: FileChange, place: FileChange, standing: TestStanding
) -> Finding:
    """A remark as a finding at its `place`; the test's results are those of the file on base."""
    path = old_path(change)
    finding = make_finding(remark.rule, place, remark.line, remark.message, remark.side)
    if remark.side is Side.BASE:
        blocks = standing.deletion_blocks(path, remark.test)
    else:
        blocks = not remark.is_new_test and standing.base_version_fails(path, remark.test)
    return replace(finding, severity=Severity.BLOCK) if blocks else finding


def changed_expectations(inspection: Inspection) -> Iterator[Finding]:
    """What four ways show and the syntax does not: fixtures, snapshots, values."""
    changes = {change.path: change for change in inspection.diff.files}
    for test in inspection.standing.tests:
        change = changes.get(test.path)
        if change is None or not _is_edited_until_green(test):
            continue
        if test.id in inspection.standing.grown:
            continue
        loosened = test.change is TestChange.PASS_TO_FAIL
        if _is_adapted(test, change, inspection):
            if _follows_a_move(change, inspection):
                yield make_finding(TEST_FOLLOWS_MOVE, change, test.line, moved(test.id))
            else:
                yield make_finding(TEST_ADAPTED, change, test.line, adapted(test.id))
        elif loosened and not permission_for(inspection.standing.permitted, test):
            message = f"`{test.id}` now passes on base's code, too; its base version fails on head."
            found = make_finding(ASSERTION_LOOSENED, change, test.line, message)
            yield replace(found, severity=Severity.BLOCK)
        else:
            message = f"What `{test.id}` expects was changed; its base version fails on head."
            yield make_finding(EXPECTATION_CHANGED, change, test.line, message)


def _is_edited_until_green(test: TestComparison) -> bool:
    if test.change is TestChange.EXPECTATION_CHANGED:
        return True
    return test.change is TestChange.PASS_TO_FAIL and test.head_on_head is Outcome.PASSED


def _is_adapted(test: TestComparison, change: FileChange, inspection: Inspection) -> bool:
    before, after = inspection.before(change), inspection.after(change)
    _, _, name = test.id.split("[", 1)[0].partition("::")
    return bool(before and after and name) and is_only_adapted(before or "", after or "", name)


def _follows_a_move(change: FileChange, inspection: Inspection) -> bool:
    """Whether the code that the test imports from another place now is the same code."""
    before, after = inspection.before(change) or "", inspection.after(change) or ""
    paths = inspection.diff.changed_paths
    return is_only_moved(
        before, after, _modules(inspection.base, paths), _modules(inspection.head, paths)
    )


def _modules(tree: TextReader, paths: tuple[str, ...]) -> Callable[[str], str | None]:
    """Read modules by their dotted names, where the change touches their files."""

    def read(module: str) -> str | None:
        stem = module.replace(".", "/")
        for path in paths:
            folders = f"/{path}"
            if folders.endswith((f"/{stem}.py", f"/{stem}/__init__.py")):
                text = tree.read(path)
                if text is not None:
                    return text
        return None

    return read
