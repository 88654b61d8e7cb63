"""Annotations stand on changed lines only, within GitHub's limits, the blocking ones first."""

from __future__ import annotations

from dataclasses import replace

from bot.report.checks import annotate
from bot.report.view import view
from bot.values import Evaluation, Need, ServedHunk, WhyNotMeasured
from bot.values.conclusions import Annotation, AnnotationLevel
from sandbox.values import ChangeStatus, Diff, FileChange, Finding, Hunk, Severity, Side
from tests.bot.report.examples import regression, success, weakened_tests

DIFF = Diff(
    (
        FileChange(
            "slugify.py",
            ChangeStatus.MODIFIED,
            hunks=(Hunk(1, 3, 1, 4, (" a", "-b", "+c", "+import re", " d", "\\ No newline")),),
        ),
        FileChange(
            "tests/test_slugify.py",
            ChangeStatus.MODIFIED,
            hunks=(Hunk(40, 2, 40, 2, (" def test():", "-    old", "+    new")),),
        ),
    )
)


def found(evaluation: Evaluation, *findings: Finding) -> tuple[Annotation, ...]:
    assert evaluation.observed
    observed = replace(evaluation.observed, findings=findings)
    return annotate(view(replace(evaluation, observed=observed)), DIFF)


def finding(line: int, **values: object) -> Finding:
    return replace(
        Finding("F401", Severity.ADVISE, "slugify.py", line, "unused", tool="ruff"),
        **values,  # type: ignore[arg-type]
    )


def test_a_finding_on_a_changed_line_becomes_an_annotation() -> None:
    assert found(success(), finding(3)) == (
        Annotation("slugify.py", 3, 3, AnnotationLevel.WARNING, "unused", "ruff F401"),
    )


def test_unchanged_lines_other_files_and_base_are_left_alone() -> None:
    assert found(success(), finding(1), finding(4), finding(99), finding(0)) == ()
    assert found(success(), finding(3, path="other.py")) == ()
    assert found(success(), finding(3, side=Side.BASE)) == ()


def test_a_finding_that_reaches_into_changed_lines_counts() -> None:
    (annotation,) = found(success(), finding(1, end_line=2))

    assert (annotation.start_line, annotation.end_line) == (1, 2)


def test_what_blocks_comes_first() -> None:
    first, second = found(weakened_tests(), finding(2))

    assert first.level is AnnotationLevel.FAILURE
    assert first.path == "tests/test_slugify.py"
    assert second.level is AnnotationLevel.WARNING


def test_a_regressed_test_on_a_changed_line_is_shown_with_its_message() -> None:
    (annotation,) = found(regression())

    assert annotation.title.startswith("fails on head: tests/test_slugify.py::")
    assert "AssertionError: assert 'one-two-' == 'one-two'" in annotation.message


def test_the_changed_symbol_that_a_failing_test_reaches_is_annotated() -> None:
    core = FileChange(
        "src/slugify/core.py",
        ChangeStatus.MODIFIED,
        hunks=(Hunk(10, 5, 10, 5, (" a", " b", " def truncate", " x", "-old", "+new")),),
    )
    remarks = annotate(view(regression()), Diff((*DIFF.files, core)))
    (on_symbol,) = [one for one in remarks if one.path == core.path]

    assert remarks[0].path == "tests/test_slugify.py"
    assert (on_symbol.path, on_symbol.start_line, on_symbol.level) == (
        "src/slugify/core.py", 14, AnnotationLevel.WARNING,
    )  # fmt: skip
    assert on_symbol.title == "1 failing test reaches truncate"
    assert on_symbol.message == (
        "tests/test_slugify.py::test_truncates_at_word_boundary: "
        "AssertionError: assert 'one-two-' == 'one-two'"
    )


def test_a_symbol_of_a_test_that_passes_is_left_alone() -> None:
    core = FileChange("src/slugify/core.py", ChangeStatus.MODIFIED, hunks=DIFF.files[0].hunks)
    assert annotate(view(success()), Diff((core,))) == ()


def test_a_message_fits_and_holds_no_secret() -> None:
    token = "ghp_" + "a1B2" * 9
    (annotation,) = found(success(), finding(3, message=token + "é" * 100_000, rule="x" * 999))

    assert len(annotation.message.encode()) < 64 * 1024
    assert len(annotation.title) <= 255
    assert token not in annotation.message


def test_a_hunk_that_nothing_needs_is_a_notice_and_no_more() -> None:
    shown = success()
    assert shown.judgement
    hunks = (
        ServedHunk("slugify.py", 2, 3, Need.UNNEEDED, runs=2),
        ServedHunk("slugify.py", 9, 9, Need.NEEDED, ("R1",)),
        ServedHunk("slugify.py", 20, 20, Need.NOT_MEASURED, why=WhyNotMeasured.LIMIT),
    )
    judged = replace(shown, judgement=replace(shown.judgement, hunks=hunks))
    (notice,) = found(judged)
    assert (notice.path, notice.start_line, notice.end_line) == ("slugify.py", 2, 3)
    assert notice.level is AnnotationLevel.NOTICE
    assert notice.title == "Nothing that ran without this change alone failed"

    each = tuple(replace(hunks[0], first=line) for line in (2, 9))
    assert found(replace(shown, judgement=replace(shown.judgement, hunks=each))) == ()
