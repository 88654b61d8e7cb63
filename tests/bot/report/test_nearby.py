"""Which calls near the tested ones a report shows of those that differ between the sides."""

from __future__ import annotations

from dataclasses import replace

from bot.report.tests_views import AlsoChanged, also_changed, untried
from sandbox.elsewhere.values import BothSides, TestedInput, Unmeasured


def with_near(call: str, base: str, head: str, *near: tuple[str, str, str]) -> TestedInput:
    both = tuple(BothSides(*one) for one in near)
    return TestedInput(BothSides(call, base, head), "size", "test_size.py", "test_size", near=both)


def test_other_kinds_of_results_come_first_and_the_farthest_call_last() -> None:
    found = also_changed(
        [
            with_near(
                "size(512)",
                "returned '512.0 B'",
                "returned '512 B'",
                ("size(513)", "returned '513.0 B'", "returned '513 B'"),
                ("size(1024)", "returned '1.0 KB'", "returned '1 KB'"),
                ("size(1500)", "returned '1.5 KB'", "returned '1.5 KB'"),
                ("size(-1)", "raised ValueError", "returned '-1 B'"),
                ("size(count='many')", "returned '7.0 B'", "returned '7 B'"),
                ("size(514)", "returned '514.0 B'", "returned '514 B'"),
            )
        ]
    )
    assert found is not None
    assert (found.differing, found.near) == (5, 6)
    assert [one.call for one in found.calls] == ["size(-1)", "size(1024)", "size(count='many')"]


def test_nothing_is_shown_where_nothing_differs_or_nothing_was_measured() -> None:
    same = ("size(1)", "returned 1", "returned 1")
    assert also_changed([with_near("size(0)", "returned 0", "returned 2", same)]) is None
    other = ("size(1)", "returned 1", "returned 2")
    new = TestedInput(
        BothSides("size(0)", "", "returned 2"),
        "size",
        "test_size.py",
        "test_size",
        near=(BothSides(*other),),
        problem=Unmeasured.NEW,
    )
    assert also_changed([new]) is None
    assert also_changed([with_near("size(0)", "returned 0", "returned 2", other)]) == AlsoChanged(
        1, 1, (BothSides(*other),)
    )


def test_why_only_the_tests_inputs_were_tried() -> None:
    tried = with_near("size(0)", "returned 0", "returned 2")
    new = replace(tried, problem=Unmeasured.NEW)
    assert untried([new, tried]) is None
    assert untried([new]) is Unmeasured.NEW
    assert untried([]) is Unmeasured.NO_CALLS
