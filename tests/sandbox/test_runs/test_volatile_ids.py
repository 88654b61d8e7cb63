"""Tests whose ids change from run to run are still told to be the same test."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sandbox.test_runs.four_runs import aligned, steady_form
from sandbox.values import Outcome, TestResult, TestRun

TODAY = date.today().isoformat()


def run(*ids: str) -> TestRun:
    return TestRun(True, tuple(TestResult(test_id, Outcome.PASSED) for test_id in ids))


def ids(found: TestRun) -> list[str]:
    return [result.id for result in found.results]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"t.py::t[23:27:31 {TODAY}]", f"t.py::t[23:28:21 {TODAY}]"),
        (
            f"a.ts::casting > should not cast {TODAY}T08:53:14.867Z",
            f"a.ts::casting > should not cast {TODAY}T08:53:16.311Z",
        ),
        (
            "t.py::t[<object object at 0x7f3b2c1d4e50>]",
            "t.py::t[<object object at 0x7f00aa112233>]",
        ),
        (
            "t.py::t[7f0c9a52-1111-4222-8333-0123456789ab]",
            "t.py::t[aaaaaaaa-1111-4222-8333-0123456789ab]",
        ),
    ],
)
def test_a_volatile_id_takes_the_spelling_of_the_reference(first: str, second: str) -> None:
    assert ids(aligned(run("t.py::other", second), run("t.py::other", first))) == [
        "t.py::other",
        first,
    ]


@pytest.mark.parametrize(
    "test_id",
    [
        "t.py::t",
        "t.py::t[2013-11-10T01:23:45]",
        "a.ts::on 2013-11-10T01:23:45Z",
        "t.py::t[0xff]",
        "t.py::t[12:30]",
        "t.py::t[99-99-2026]",
    ],
)
def test_a_fixed_parameter_stays(test_id: str) -> None:
    assert steady_form(test_id) == test_id


def test_a_changed_parameter_is_another_test() -> None:
    assert ids(aligned(run("t.py::t[2]"), run("t.py::t[1]"))) == ["t.py::t[2]"]


def test_several_volatile_ids_are_matched_in_order_and_the_rest_is_left() -> None:
    yesterday = (date.today() - timedelta(days=1)).isoformat()
    kept = run(f"t.py::t[{yesterday}-a]", f"t.py::t[{yesterday}-b]")
    now = run(f"t.py::t[{TODAY}-a]", f"t.py::t[{TODAY}-b]", f"t.py::t[{TODAY}-c]")
    assert ids(aligned(now, kept)) == [*ids(kept), f"t.py::t[{TODAY}-c]"]
