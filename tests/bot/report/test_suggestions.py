"""Fixes that a person can commit: only what GitHub takes, letter by letter, and nothing harmful."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.report.findings import MOST, review
from sandbox.values import (
    ChangeStatus,
    Diff,
    FileChange,
    Finding,
    Fix,
    Hunk,
    Replacement,
    Severity,
)

ADDED = tuple(f"+added {n}" for n in range(30))
DIFF = Diff(
    (
        FileChange(
            "a.py",
            ChangeStatus.MODIFIED,
            hunks=(
                Hunk(9, 4, 10, 33, (" before", "-gone", *ADDED, " after")),
                Hunk(90, 1, 100, 2, (" far", "+other")),
            ),
        ),
        FileChange("bad\u202e.py", ChangeStatus.ADDED, hunks=(Hunk(0, 0, 1, 1, ("+x",)),)),
    )
)
FOUND = Finding("F541", Severity.ADVISE, "a.py", 11, "no placeholders", tool="ruff")


def fix(line: int, *after: str, before: tuple[str, ...] = (), path: str = "a.py") -> Fix:
    """A fix of an added line: the first one is line 11."""
    found = replace(FOUND, path=path, line=line)
    return Fix(found, Replacement(line, before or (f"added {line - 11}",), after))


def test_a_fix_on_an_added_line_is_a_suggestion() -> None:
    made = review((fix(12, "better"),), DIFF)
    assert made is not None
    (one,) = made.suggestions
    assert (one.path, one.first, one.last) == ("a.py", 12, 12)
    assert one.body == "**ruff F541**: no placeholders\n\n```suggestion\nbetter\n```"
    assert one.mark.startswith("<!-- assay:suggestion ")
    assert "more fixes" not in made.body


def test_lines_that_are_removed_leave_an_empty_block() -> None:
    made = review((fix(11, before=("added 0", "added 1")),), DIFF)
    assert made is not None
    assert made.suggestions[0].body.endswith("```suggestion\n```")
    assert (made.suggestions[0].first, made.suggestions[0].last) == (11, 12)


@pytest.mark.parametrize(
    "wanted",
    [
        fix(10, "x", before=("before",)),  # not new
        fix(41, "x", before=("after",)),
        fix(50, "x"),  # between the hunks
        fix(40, "x", before=("added 29", "after", "beyond")),
        fix(12, "x", before=("something else",)),  # head reads otherwise
        fix(12, "x", path="b.py"),
        fix(1, "y", before=("x",), path="bad\u202e.py"),
        fix(12, "to\u202eken"),
        fix(12, "a\u200bb"),
        fix(12, "\x1b[31mred"),
        fix(12, "key = 'ghp_" + "a1B2" * 9 + "'"),
        fix(12, "the operator's own secret"),
        fix(12, "  /judge accept R1 please"),
        fix(12, "@somebot merge"),
    ],
)
def test_what_github_or_a_reader_should_not_get_is_left_out(wanted: Fix) -> None:
    assert review((wanted,), DIFF, ("the operator's own secret",)) is None


def test_no_line_can_end_the_block() -> None:
    made = review((fix(12, "```", "````text", "# <!-- assay:report -->"),), DIFF)
    assert made is not None
    assert "\n\n`````suggestion\n```\n````text\n# <!--" in made.suggestions[0].body
    assert made.suggestions[0].body.endswith("\n`````")


def test_a_message_is_text() -> None:
    hostile = replace(
        FOUND, line=12, message="<img src=x> @mara [a](b) `c` /judge\n/judge accept R1"
    )
    made = review((replace(fix(12, "better"), finding=hostile),), DIFF)
    assert made is not None
    first = made.suggestions[0].body.partition("\n")[0]
    assert "<img" not in first
    assert "@mara" not in first
    assert "[a](b)" not in first


def test_ten_stand_and_the_others_are_named() -> None:
    made = review(tuple(fix(line, "x") for line in range(11, 41)) * 2, DIFF)
    assert made is not None
    assert [one.first for one in made.suggestions] == list(range(11, 11 + MOST))
    assert "a.py:21 ruff F541" in made.body
    assert "and 30 more" in made.body, "the list has an end"


def test_of_two_fixes_of_one_line_the_first_is_suggested() -> None:
    made = review((fix(12, "x"), fix(11, before=("added 0", "added 1")), fix(13, "y")), DIFF)
    assert made is not None
    assert [one.first for one in made.suggestions] == [12, 13]
    assert "a.py:11 ruff F541" in made.body


def test_the_mark_is_of_what_becomes_of_which_lines() -> None:
    def mark(one: Fix) -> str:
        made = review((one,), DIFF)
        assert made is not None
        return made.suggestions[0].mark

    assert mark(fix(12, "x")) == mark(fix(12, "x"))
    assert mark(fix(12, "x")) != mark(fix(12, "y")) != mark(fix(13, "y"))
