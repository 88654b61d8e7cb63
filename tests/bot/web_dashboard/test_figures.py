"""The figures of a repository, and what an address asks for."""

from __future__ import annotations

import pytest
from werkzeug.datastructures import MultiDict

from bot.store import EvaluationFacts, EvaluationFilter, JudgedEvaluation
from bot.web.dashboard.figures import DAY_S, DAYS, Share, Spend, figures
from bot.web.dashboard.pages import MOST_PAGES, asked_for

NOW_S = 100 * DAY_S + 5.0


def row(
    conclusion: str = "success", number: int = 1, days_ago: int = 0, **facts: object
) -> JudgedEvaluation:
    known = EvaluationFacts(**facts)  # type: ignore[arg-type]
    return JudgedEvaluation(number, conclusion, NOW_S - days_ago * DAY_S, known)


def test_shares_are_of_what_came_to_a_conclusion() -> None:
    rows = [row(number=1), row("failure", number=1), row("action_required", number=2)]
    found = figures(rows, NOW_S)

    assert found.passes == Share(1, 3) and found.passes.percent == 33
    assert found.pull_requests == Share(1, 2)  # of number 1 the newest counts
    assert found.conclusions == (("success", 1), ("failure", 1), ("action_required", 1))


def test_agents_stand_beside_one_another() -> None:
    rows = [
        row(agent="devin", met=1, total=4, usd=0.5),
        row("failure", agent="devin", met=3, total=4),
        row(met=2, total=2),
    ]
    devin, people = figures(rows, NOW_S).agents

    assert (devin.name, devin.passes, devin.requirements) == ("devin", Share(1, 2), Share(4, 8))
    assert devin.spend == Spend(0.5, 1) and people.spend == Spend(0, 0)
    assert people.name == ""


def test_the_days_end_today_and_older_ones_are_left_out() -> None:
    found = figures([row(), row("failure"), row(days_ago=29), row(days_ago=30)], NOW_S)

    assert len(found.days) == DAYS
    assert (found.days[-1].passed, found.days[-1].stopped) == (1, 1)
    assert (found.days[0].date, found.days[0].total) == ("1970-03-13", 1)
    assert sum(day.total for day in found.days) == 3


def test_of_nothing_there_are_figures_too() -> None:
    found = figures([], NOW_S)
    assert found.passes.percent is None and found.busiest == 1 and found.agents == ()


@pytest.mark.parametrize(
    ("query", "wanted", "page"),
    [
        ({}, EvaluationFilter(), 1),
        ({"number": "#7", "page": "3"}, EvaluationFilter(number=7), 3),
        ({"number": "99999999999999999999"}, EvaluationFilter(number=2**31 - 1), 1),
        ({"number": "-1", "page": "-5"}, EvaluationFilter(), 1),
        ({"number": "\u0663", "page": "x"}, EvaluationFilter(), 1),
        ({"page": "9" * 30}, EvaluationFilter(), MOST_PAGES),
        ({"conclusion": "anything"}, EvaluationFilter(), 1),
        ({"repository": "o/n" * 9_000}, EvaluationFilter(repository=("o/n" * 9_000)[:300]), 1),
    ],
)
def test_what_is_not_understood_narrows_nothing(
    query: dict[str, str], wanted: EvaluationFilter, page: int
) -> None:
    asked = asked_for(MultiDict(query))
    assert (asked.wanted, asked.page) == (wanted, page)


def test_an_address_of_a_page_keeps_the_filters() -> None:
    asked = asked_for(MultiDict({"repository": "o/n&x=<", "conclusion": "failure"}))
    assert asked.address("/", 2) == "/?repository=o%2Fn%26x%3D%3C&conclusion=failure&page=2"
    assert asked_for(MultiDict({})).address("/") == "/"
