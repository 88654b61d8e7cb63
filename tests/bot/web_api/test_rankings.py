"""Several patches for one task: one plan, and what can be ranked when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.report.machine import machine
from bot.report.view import view
from bot.store import Ended, EvaluationState
from bot.values import Conclusion, Evaluation
from bot.web.api.models import PROBLEM_TYPE
from tests.bot.report.examples import regression, success
from tests.bot.web_api.conftest import PATCH, ApiClient


def judged(api: ApiClient, identifier: str, evaluation: Evaluation) -> None:
    """Ends an evaluation with the report of an example."""
    api.artifacts.put(identifier, "report.json", machine(view(evaluation)).encode())
    end = Ended(EvaluationState.DONE, evaluation.gate.conclusion, "Judged", report_key=identifier)
    api.records.ended(identifier, end)


def ranked(api: ApiClient, *names: str) -> Any:
    query = "&".join(f"patch={name}" for name in names)
    return api.fetch(f"rankings?{query}")


def test_a_second_patch_is_judged_by_the_plan_of_the_first(api: ApiClient) -> None:
    first = api.posted()
    body = {**PATCH, "diff": PATCH["diff"].replace("+b", "+c"), "plan_of": first}
    early = api.post(body)
    assert (early.status_code, early.headers["Retry-After"]) == (409, "10")
    api.records.started(first, "observe")
    second = api.posted(body)
    assert api.request(second).plan_of == first
    api.records.started(second, "observe")
    third = api.posted({**body, "diff": PATCH["diff"].replace("+b", "+d"), "plan_of": second})
    assert api.request(third).plan_of == first, "the plan itself is kept with the first"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"plan_of": "nothing"}, "there is no patch"),
        ({"task": "Another"}, "another base commit, task or issue"),
        ({"base": "b" * 39 + "0"}, "another base commit, task or issue"),
        ({"issue": 3}, "another base commit, task or issue"),
    ],
)
def test_the_plan_of_another_question_is_refused(
    change: dict[str, object], told: str, api: ApiClient
) -> None:
    first = api.posted()
    api.records.started(first, "observe")
    answer = api.post({**PATCH, "plan_of": first, **change})
    assert (answer.status_code, answer.mimetype) == (422, PROBLEM_TYPE)
    assert told in answer.get_json()["detail"]
    assert len(api.records.recent()) == 1


def test_patches_are_ranked_once_they_are_judged(api: ApiClient) -> None:
    first, second = api.posted(), api.posted({**PATCH, "description": "x"})
    third = api.posted({**PATCH, "description": "y"})
    judged(api, first, regression())
    judged(api, second, success())
    assert ranked(api, first, second, third).status_code == 409
    judged(api, third, success())
    ranks = ranked(api, first, second, third).get_json()["ranks"]
    assert [(one["place"], one["is_tied"]) for one in ranks] == [(1, True), (1, True), (3, False)]
    assert {one["name"] for one in ranks[:2]} == {second, third}
    assert (ranks[2]["name"], ranks[2]["unmet"]) == (first, ["B2"])


def test_what_cannot_be_ranked_is_a_problem(api: ApiClient) -> None:
    first, second = api.posted(), api.posted({**PATCH, "description": "x"})
    judged(api, first, success())
    asked = success()
    assert asked.judgement
    fewer = asked.judgement.requirements.items[:-1]
    requirements = type(asked.judgement.requirements)(fewer)
    other = replace(asked, judgement=replace(asked.judgement, requirements=requirements))
    judged(api, second, other)
    answer = ranked(api, first, second)
    assert (answer.status_code, "plan_of" in answer.get_json()["detail"]) == (422, True)
    assert ranked(api, first).status_code == 422
    assert ranked(api, first, first).status_code == 422
    assert ranked(api, first, "nothing").status_code == 404
    api.records.ended(second, Ended(EvaluationState.DONE, Conclusion.SUCCESS))
    strange = api.records.issue_token("octo/other", days=1).secret
    assert api.fetch(f"rankings?patch={first}&patch={second}", strange).status_code == 404
