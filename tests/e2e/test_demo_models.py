"""`assay demo` as a newcomer types it, with a model set: the plan, the steps, the panel and the report.

The judges are scripted (`tests.demo_judges`) and asked over the wire. One is convinced, three never
agree, one stays alone with its evidence; and the conclusions are those that the demo expects.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

from bot.report.machine import ReportDocument, RequirementDocument, read_machine
from bot.values import VerdictOutcome
from tests.demo_judges import MODEL, NEGATIVE, PASTED, WORDED, DemoJudges
from tests.endpoint import Asked, model_endpoint

pytestmark = [pytest.mark.real, pytest.mark.slow]
PRICES = json.dumps({MODEL: [0.5, 1.5]})


@dataclass(frozen=True, slots=True)
class Reported:
    """One pull request's report in its formats, and the folder that they lie in."""

    folder: Path
    document: ReportDocument
    markdown: str
    html: str

    def asked_for(self, words: str) -> RequirementDocument:
        (row,) = [one for one in self.document.requirements if words in one.text]
        return row


@dataclass(frozen=True, slots=True)
class Shown:
    """What the command showed, what the models were asked, and the report of each pull request."""

    folder: Path
    done: subprocess.CompletedProcess[str]
    asked: list[Asked]
    reports: dict[int, Reported]


def assay(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot.cli", *words],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={**os.environ, "COLUMNS": "200", **environment},
    )


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("demo") / "town"
    with model_endpoint(DemoJudges().answer) as endpoint:
        done = assay(
            *("demo", "--folder", str(folder)),
            ASSAY_MODEL=MODEL,
            ASSAY_MODEL_URL=endpoint.url,
            ASSAY_MODEL_KEY="key",
            ASSAY_MODEL_PRICES=PRICES,
        )
        asked = list(endpoint.asked)
    reports = {}
    for file in (folder / "assay" / "artifacts").glob("*/report.json"):
        document = read_machine(file.read_bytes())
        texts = (file.with_suffix(end).read_text() for end in (".md", ".html"))
        reports[document.subject.number] = Reported(file.parent, document, *texts)
    return Shown(folder, done, asked, reports)


def test_the_demo_comes_out_as_expected(shown: Shown) -> None:
    assert shown.done.returncode == 0, shown.done.stdout + shown.done.stderr
    for line in ("#4 success", "#5 action_required", "#6 failure", "#7 failure"):
        assert f"{line} (as expected)" in shown.done.stdout
    assert set(shown.reports) == {4, 5, 6, 7}


def test_the_plan_is_shown_with_goal_guidance_and_what_was_added(shown: Shown) -> None:
    for report in shown.reports.values():
        planned = report.document.planned
        assert planned is not None and planned.digest[:16] in report.markdown
        assert planned.digest in report.html
        own = [one.id for one in report.document.evidence if one.id.startswith("A-")]
        assert own
        for id_ in own:
            assert f"added: {id_} " in report.markdown
        for text in (report.markdown, report.html):
            assert "The planned step “Ask the author.” was left out" in text
            assert "Base and head differ." in report.html
    actions = {one.action for one in shown.reports[4].document.evidence}
    assert actions >= {"unit_tests", "static_linter", "bash", "search", "read", "dynamic_execution"}


def test_every_verdict_says_how_to_see_it_again(shown: Shown) -> None:
    for report in shown.reports.values():
        assert "Head was built by" in report.markdown and "uv pip install" in report.html
        assert "--task task.md" in report.html
        for one in report.document.evidence:
            if one.action in ("damage", "second_look", "nearby_inputs"):
                continue  # many runs on copies that are gone; the evidence lists them
            assert one.command, f"{one.id} {one.action} has no line to type"
        for row in report.document.requirements:
            assert row.reason and (row.evidence or row.verdict == "unverified")
            for id_ in row.evidence:
                assert f'id="evidence-{id_.lower()}"' in report.html.lower()
    weakened = shown.reports[6]
    assert "git restore -s" in weakened.markdown, "base's version of the test, on head's code"


def test_one_dissents_asks_and_is_convinced(shown: Shown) -> None:
    report = shown.reports[4]
    row = report.asked_for(PASTED)
    assert (row.verdict, row.decided_by, row.evidence) == ("satisfied", "panel", (f"A-{row.id}-1",))
    assert report.document.judges is not None
    (panel,) = report.document.judges.panels
    said = [[one.outcome.value for one in each.opinions] for each in panel.rounds]
    assert [sorted(one) for one in said] == [
        ["satisfied", "satisfied", "unverified"],
        ["satisfied", "satisfied", "unverified"],
        ["satisfied"] * 3,
    ]
    acts = [{one.act.value for one in each.statements} for each in panel.rounds]
    assert acts[1] == {"maintain", "agree", "disagree", "query"}
    assert acts[2] == {"maintain", "agree", "disagree", "change"}
    assert all(one.explanation for each in panel.rounds for one in each.statements)
    assert panel.dissent == ()
    assert "query. Which step ran exactly this" in report.markdown


def test_one_stays_alone_and_its_evidence_is_shown(shown: Shown) -> None:
    report = shown.reports[6]
    row = report.asked_for(WORDED)
    assert (row.verdict, row.decided_by) == ("satisfied", "panel")
    assert report.document.judges is not None
    panels = report.document.judges.panels  # the title is a demand of its own
    (panel,) = (one for one in panels if one.requirement_id == row.id)
    (alone,) = panel.dissent
    assert alone.outcome is VerdictOutcome.UNSATISFIED
    assert alone.evidence_ids == (f"A-{row.id}-2",)
    assert len(panel.rounds) == 5, "blind, and all four of negotiation"
    for text in (report.markdown, report.html):
        assert "whoever pays, a cent is lost" in text
        section = text[text.index("What the judges said") :]
        section = section[: section.index("The patch as a whole")]
        for output in ("[4, 3, 3]", "[3, 3, 3]", "print(split(10, 3))", "at least one person"):
            assert output in section, "both sides, and the lines that repeat them"


def test_no_agreement_is_for_a_person(shown: Shown) -> None:
    report = shown.reports[5]
    row = report.asked_for(NEGATIVE)
    assert (row.verdict, row.decided_by) == ("unverified", "nobody")
    assert "The judges did not agree" in row.reason and row.next_step
    assert row.text[:30] in report.document.title
    assert report.document.judges is not None
    (panel,) = report.document.judges.panels
    assert {one.outcome.value for one in panel.rounds[-1].opinions} == {
        "satisfied",
        "unsatisfied",
        "unverified",
    }
    assert report.document.analyses[-1].outcome is VerdictOutcome.UNVERIFIED


def test_what_it_cost_is_told_by_role(shown: Shown) -> None:
    for report in shown.reports.values():
        roles = {one.role.value: one for one in report.document.usage}
        assert set(roles) >= {"comprehension", "planner", "analyst", "patch"}
        assert report.document.cost == pytest.approx(sum(one.usd or 0 for one in roles.values()))
        assert report.document.cost and report.document.cost > 0
        for role, one in roles.items():
            assert f"| {role} | {MODEL} | {one.calls} |" in report.markdown
            assert f"<td>{role}</td>" in report.html
    assert set(roles_of(shown, 4)) >= {"panel"}
    paid = sum(
        one.calls - one.cached
        for number in shown.reports
        for one in shown.reports[number].document.usage
    )
    assert paid == len(shown.asked), "every call is in somebody's bill"


def roles_of(shown: Shown, number: int) -> list[str]:
    return [one.role.value for one in shown.reports[number].document.usage]


@pytest.mark.parametrize("number", [4, 5, 6, 7])
def test_the_record_says_it_again_and_shows_its_prompts(shown: Shown, number: int) -> None:
    report = shown.reports[number]
    bundle = str(report.folder / "replay.json")
    again = assay("replay", bundle, ASSAY_HOME=str(shown.folder / "elsewhere"))
    assert again.returncode == 0, again.stdout + again.stderr
    for row in report.document.requirements:
        assert re.search(rf"│ {row.id} +│ {row.verdict} +│ {row.verdict} +│", again.stdout)
    told = assay("replay", bundle, "--prompts").stdout
    prompts, counted = told.split("Input tokens, medians:")
    calls = {one.role.value: one.calls for one in report.document.usage}
    for role, made in calls.items():
        assert len(re.findall(rf"^===== call \d+: {role}\b", prompts, re.MULTILINE)) == made
        assert re.search(rf"│ {role} +│ {made} +│", counted)
    tokens = [one.input_tokens for one in report.document.usage if one.role.value == "planner"]
    assert re.search(rf"planner +│ 1 +│ {median(tokens):,.0f} +│", counted)
