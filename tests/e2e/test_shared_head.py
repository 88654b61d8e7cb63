"""One commit in two open pull requests: its one check never passes for the better of them."""

from __future__ import annotations

import pytest

from bot.demo.forge.rows import CheckRow
from tests.e2e.project import ASKED, BREAKS, FIX, TESTS
from tests.e2e.town import Place, Town, eventually
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]

BROKEN = {"calc.py": BREAKS["calc.py"], "test_calc.py": TESTS.replace(", 3)", ", 4)")}
"""Wrong for main; on a branch that has it already nothing is wrong."""
FIX_OF_BROKEN = {
    "calc.py": FIX["calc.py"].replace("sum(prices)\n", "sum(prices) + 1\n"),
    "test_mean.py": FIX["test_mean.py"],
}
BLOCKED = "action_required"


def agreed(place: Place, sha: str, conclusion: str, count: int) -> list[CheckRow]:
    """Wait until every check run of the commit is completed and says the same, oldest first."""

    def look() -> list[CheckRow] | None:
        runs = place.runs(sha)
        said = {(run.status, run.conclusion) for run in runs}
        return runs if len(runs) == count and said == {("completed", conclusion)} else None

    told = [(run.status, run.conclusion, run.title) for run in place.runs(sha)]
    return eventually(look, f"{count} check runs that say {conclusion}, not {told}", 120)


def on_a_branch_of_ones_own(town: Town) -> tuple[Place, str]:
    """A commit that breaks main, and a branch `mine` where it looks harmless."""
    place = town.place(required_check="Assay")
    place.push("mine", BROKEN)
    git(place.tree, "checkout", "--quiet", "-B", "both", "mine")
    return place, place.push("both", FIX_OF_BROKEN, new=False)


def test_a_branch_of_ones_own_does_not_turn_the_check_green(town: Town) -> None:
    place, sha = on_a_branch_of_ones_own(town)
    bad = place.open("both", ASKED)
    assert place.completed(sha).conclusion == BLOCKED
    harmless = place.open("both", ASKED, base="mine")
    _, newest = agreed(place, sha, BLOCKED, 2)
    assert newest.title.startswith(f"#{bad} has the same commit")
    assert f"#{bad}" in newest.summary and f"#{harmless}" in newest.summary

    # The bad one goes: the other's own verdict is shown again, with nobody asking for it.
    place.rest("PATCH", f"pulls/{bad}", state="closed")
    eventually(lambda: place.runs(sha)[-1].conclusion == "success" or None, "its own verdict", 120)
    assert "has the same commit" not in place.runs(sha)[-1].title


def test_the_green_one_first(town: Town) -> None:
    place, sha = on_a_branch_of_ones_own(town)
    harmless = place.open("both", ASKED, base="mine")
    assert place.completed(sha).conclusion == "success"
    bad = place.open("both", ASKED)
    first, second = agreed(place, sha, BLOCKED, 2)
    assert first.title.startswith(f"#{bad} has the same commit")
    assert not second.title.startswith("#")
    assert f"#{harmless}" in second.summary

    # The bad one is pushed on: the commit is the harmless one's alone.
    git(place.tree, "checkout", "--quiet", "both")
    place.push("both", {"NOTES.md": "More.\n"}, new=False)
    town.settle()
    assert BLOCKED in {run.conclusion for run in place.runs(sha)}, "both moved on together"


def test_a_draft_that_nobody_judged_and_both_at_once(town: Town) -> None:
    place, sha = on_a_branch_of_ones_own(town)
    draft = place.open("both", ASKED, draft=True)
    harmless = place.open("both", ASKED, base="mine")
    run = place.completed(sha)
    assert (run.conclusion, run.title) == (
        "action_required",
        f"#{draft} has the same commit: it has not been judged",
    )
    place.rest("POST", f"issues/{draft}/comments", town.ben, body="/judge")
    place.rest("POST", f"issues/{harmless}/comments", town.ben, body="/judge")
    agreed(place, sha, BLOCKED, 3)
