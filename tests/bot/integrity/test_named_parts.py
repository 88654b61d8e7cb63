"""Errors, members and statuses that a task names, and that nothing has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.integrity import inspect_integrity
from bot.values import (
    Category,
    FourWay,
    Requirement,
    Requirements,
    TestChange,
    TestComparison,
    Trust,
    rules,
)
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

BEFORE = "def run(jobs):\n    return [job() for job in jobs]\n"
AFTER = "def run(jobs):\n    return [job() for job in jobs if job]\n"
TEST = TestComparison(
    "tests/test_jobs.py::test_run", TestChange.FAIL_TO_PASS, path="tests/test_jobs.py"
)


def found(asked: str, after: str = AFTER, test: str = "", **others: str) -> list[str]:
    """What is said of jobs that are run otherwise; `others` are files that stay."""
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    sides = (Tree({"jobs.py": one, **others}) for one in (BEFORE, after))
    ran = FourWay((replace(TEST, source=test),))
    findings = inspect_integrity(Diff((changed("jobs.py", BEFORE, after),)), *sides, ran, wanted)
    return [one.message for one in findings if one.rule == rules.PART_MISSING]


ERROR = (
    "`run` should run all of them and then reject with an `AggregateError` that holds the errors."
)
EXIT = (
    "Print `unknown` to\nstandard error and leave with exit status 3, so that our scripts can tell."
)
STATUS = "Where `limit` is no whole number, answer 404."
MEMBER = "It should be answered with 405, and `headers.Allow` has to list its methods."


@pytest.mark.parametrize(
    ("asked", "said", "line"),
    [
        (ERROR, "`AggregateError`", "    throw new AggregateError(errors)"),
        ("`run` must raise JobsError.", "`JobsError`", "    raise JobsError from None"),
        (EXIT, "the exit status 3", "    return 3"),
        (STATUS, "the status 404", "    return reply(404)"),
        (STATUS, "the status 404", "    return reply(HTTPStatus.NOT_FOUND)"),
        (STATUS, "the status 404", "    raise NotFound"),
        ("`run(jobs, at_once=2)` runs two at a time.", "`at_once`", "    at_once = 2"),
        (
            "Also, `run` needs a `max_wait` (seconds), and ends then instead of waiting.",
            "`max_wait`",
            "    max_wait = 2",
        ),
        (MEMBER, "`headers.Allow`", '    headers["allow"] = methods; status = 405'),
    ],
)
def test_what_is_asked_for_and_nowhere_is_told(asked: str, said: str, line: str) -> None:
    assert any(f"The task asks for {said}, and neither" in one for one in found(asked))
    assert not found(asked, f"{AFTER}{line}\n")
    assert not found(asked, test=f"def test_run():\n{line}\n")
    assert not found(asked, **{"other.py": f"def other():\n{line}\n"})
    assert found(asked, f"{AFTER}    # {line}\n")
    assert found(asked, **{"README.md": line})


@pytest.mark.parametrize(
    "asked",
    [
        "Today `run` ends with an `AggregateError`.",
        "`run` should not raise an `AggregateError`.",
        "`run` should return all instead of raising an AggregateError.",
        "`run` must still raise a `JobsError`.",
        "`run` should raise a `ZeroDivisionError` for no jobs.",  # as a division does
        "`run` should leave with exit status 0.",
        "I get a 404.",
        "Maybe `run(jobs, at_once=2)` would do.",
        "`get(jobs, at_once=2)` of another library has that.",
        "`run(jobs, at_once=2)` is not wanted.",
        "The file `setup.cfg` should be read.",
        "```\nit should raise a JobsError\n```",
    ],
)
def test_what_nobody_asks_for_is_not(asked: str) -> None:
    assert not found(asked)
