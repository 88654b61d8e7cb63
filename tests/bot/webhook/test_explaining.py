"""The button "Explain": an answer that fits into a comment, whatever the evidence prints."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.report.model import ReportView
from bot.report.view import view
from bot.store import Ended, EvaluationState
from bot.values import Conclusion, Evaluation, EvaluationRequest
from tests.bot.report.examples import regression
from tests.bot.webhook.conftest import NoVerdicts, Office
from tests.bot.webhook.payloads import HEAD, clicked, pull_request

EXPLAIN = {"requested_action": {"identifier": "explain"}}


@dataclass
class Shown(NoVerdicts):
    """One verdict, as people see it."""

    seen: ReportView

    async def evaluation(self, request: EvaluationRequest) -> Evaluation:
        return regression()

    async def shown(self, request: EvaluationRequest) -> ReportView:
        return self.seen


async def explained(office: Office, shown: ReportView) -> str:
    office.adapters = replace(office.adapters, verdicts=Shown(shown))
    await office.take(pull_request("opened"))
    how = Ended(EvaluationState.DONE, Conclusion.FAILURE, "1 of 2", report_key="k")
    office.records.ended(office.latest.id, how)
    await office.take(clicked("requested_action", office.latest.id, **EXPLAIN))
    marker = f"<!-- assay:explained {office.latest.id} -->"
    return office.hello.comments_put[9, marker]


async def test_what_is_not_met_is_explained(office: Office) -> None:
    body = await explained(office, view(regression()))
    assert "**B2** Nothing that worked stops working" in body
    assert "Fix what fails here and push." in body
    assert "**B1**" not in body, "what is met needs no word"


async def test_long_evidence_leaves_requirements_out(office: Office) -> None:
    shown = view(regression())
    row = next(one for one in shown.unmet if one.evidence)
    head = row.evidence[0].head
    assert head
    loud = replace(head, failed=True, output="@x <b> " * 2_000, command="`$(x)` | " * 500)
    piece = replace(row.evidence[0], goal="_*x*_ " * 500, head=loud)
    rows = tuple(
        replace(
            row,
            requirement=replace(row.requirement, id=f"R{number}", text="[x](y) " * 500),
            verdict=replace(row.verdict, reason="<script> @all " * 500),
            evidence=(piece,) * 9,
        )
        for number in range(9)
    )
    body = await explained(office, replace(shown, requirements=rows))
    assert 10_000 < len(body) <= 65_000
    assert "**R0**" in body
    assert "R8" in body.partition("Not shown here:")[2]


async def test_a_click_on_an_older_commit_is_left_alone(office: Office) -> None:
    office.adapters = replace(office.adapters, verdicts=Shown(view(regression())))
    await office.take(pull_request("opened"))
    office.hello.push(9, "e" * 40)
    await office.take(clicked("requested_action", office.latest.id, **EXPLAIN))
    assert office.hello.comments_put == {}
    assert office.latest.head_sha == HEAD
