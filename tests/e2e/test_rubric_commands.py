"""`/judge rubric` on the forge: drafted from issue and base, edited by people, golden by two of them."""

from __future__ import annotations

import json
import re

import httpx
import pytest

from bot.forge.operator import Person
from bot.payload import Payload
from tests.e2e.judges import DRAFTING, JUDGING_PATCH, Judges, everything
from tests.e2e.project import FIX
from tests.e2e.town import Place, Town, deliver, eventually, report
from tests.endpoint import Asked, Said

pytestmark = pytest.mark.real
ON_REQUEST = {".github/assay.yml": "triggers: [command]\n"}
MARKED = "WORD-OF-THE-PATCH"
"""Stands in everything that a pull request brings: title, text, branch, commits' files."""
DRAFT = {
    "root_cause": "Nothing of the kind is there.",
    "requirements": ["mean of no prices is zero"],
    "acceptable": ["another name of the argument"],
    "unacceptable": [],
}


def drafter(asked: Asked) -> Said:
    """Reads the file that it is about, then drafts."""
    if not any(one["role"] == "tool" for one in asked["messages"]):
        return Said(tool_calls=(("read_file", json.dumps({"path": "calc.py"})),))
    return Said(text=json.dumps(DRAFT))


def doubter(asked: Asked) -> Said:
    """Holds every patch to be wrong."""
    return Said(
        text=json.dumps(
            {
                "thought": "t",
                "justification": "It was run.",
                "minimality": "nothing",
                "verdict": "INVALID",
                "evidence": ["E1"],
            }
        )
    )


def opened(place: Place, branch: str, by: Person, issue: int) -> tuple[int, str]:
    """A pull request for the issue that waits for `/judge`; gives its number and head."""
    files = {**FIX, f"notes/{branch}.txt": f"{MARKED}\n"}
    files["calc.py"] = FIX["calc.py"] + f"\n# {MARKED} {branch}\n"
    sha = place.push(f"{branch}-{MARKED}", files)
    number = place.town.operator.pull_request(
        by,
        place.name,
        title=f"Add a mean {MARKED}",
        body=f"Closes #{issue}. {MARKED}",
        head=f"{branch}-{MARKED}",
        base="main",
    )
    place.completed(sha)
    return number, sha


def reply(place: Place, number: int, line: str, by: Person) -> str:
    """Gives a command and waits for its one answer."""
    marker = f"<!-- assay:reply to {place.command(number, line, by)} -->"

    def look() -> list[str]:
        bodies = [one.text("body") for one in place.comments(number)]
        return [body for body in bodies if body.startswith(marker)]

    (body,) = eventually(look, f"an answer to {line}")
    return body


def form(place: Place, issue: int) -> Payload:
    """The one comment with the rubric."""
    (found,) = [
        one for one in place.comments(issue) if one.text("body").startswith("<!-- assay:rubric")
    ]
    return found


def edit(place: Place, issue: int, old: str, new: str) -> None:
    """Mara changes the rubric in the browser."""
    there = form(place, issue)
    body = there.text("body")
    assert old in body
    path = f"issues/comments/{there.integer('id')}"
    place.rest("PATCH", path, place.town.mara, body=body.replace(old, new))


def judged(place: Place, number: int, sha: str) -> Payload:
    """Asks for a verdict and waits for it; gives the machine's report."""
    count = len(place.runs(sha)) + 1
    place.command(number, "/judge", place.town.mara)
    return report(place.completed(sha, count))


def told(found: Payload) -> str:
    """The conclusion and its reasons."""
    reasons = [one.text("text") for one in found.items("reasons")]
    return "\n".join([found.text("conclusion"), *reasons])


def test_a_rubric_from_draft_to_golden(judged_town: tuple[Town, Judges]) -> None:
    town, judges = judged_town
    judges.told |= {DRAFTING: drafter, JUDGING_PATCH: doubter}
    place = town.place(ON_REQUEST)
    issue = place.issue("No mean of asteroids", "Beside `total`: the mean of no prices is 0.")
    first, first_sha = opened(place, "first", town.zoe, issue)
    second, second_sha = opened(place, "second", town.zoe, issue)
    bens, bens_sha = opened(place, "bens", town.ben, issue)

    assert "stands [here]" in reply(place, first, "/judge rubric", town.ben)
    drafted = form(place, issue).text("body")
    assert "- mean of no prices is zero" in drafted
    asked = judges.asked(DRAFTING, "No mean of asteroids")
    assert len(asked) == 2
    assert "def total(prices)" in everything(asked[0], "user")
    assert "def total(prices)" in everything(asked[1], "tool")
    assert all(MARKED not in everything(one) for one in asked), "no word of a patch gets there"

    edit(place, issue, "Nothing of the kind is there.", "Nobody wrote it.")
    by_stranger = place.command(issue, "/judge rubric approve", town.zoe)
    eventually(lambda: place.reactions(by_stranger) == ["confused"], "a refusal")
    refused = reply(place, bens, "/judge rubric approve", town.ben)
    assert "author of a pull request does not count" in refused
    assert "has 1 of 2 approvals (ben)" in reply(place, first, "/judge rubric approve", town.ben)
    assert "has 1 of 2 approvals (ben)" in reply(place, issue, "/judge rubric approve", town.ben)
    advised = judged(place, first, first_sha)
    assert told(advised).startswith("success\n"), told(advised)
    assert "Advice only" in told(advised)

    golden = reply(place, issue, "/judge rubric approve", town.mara)
    assert "is golden" in golden
    assert "Nobody wrote it" in golden
    for number, sha in ((first, first_sha), (second, second_sha)):
        blocked = told(judged(place, number, sha))
        assert blocked.startswith("action_required\n"), blocked
        assert f"INVALID by the rubric of issue #{issue}, version 2" in blocked
    assert "Advice only" in told(judged(place, bens, bens_sha)), "its author approved it himself"

    edit(place, issue, "Nobody wrote it.", "All is well.")
    assert "version 2 stays golden" in reply(place, issue, "/judge rubric", town.ben)
    assert "All is well" in form(place, issue).text("body"), "what people wrote is not drafted over"
    _replay_approval(place, town.mara)
    late = reply(place, issue, "/judge rubric approve", town.ben)
    assert "has 1 of 2 approvals (ben)" in late, "nobody approves what was not there yet"
    assert "version 2 stays golden" in late
    still = judged(place, second, second_sha)
    assert f"INVALID by the rubric of issue #{issue}, version 2" in told(still), "v3 is a draft"
    assert "All is well" not in str(still.value)
    assert len(judges.asked(DRAFTING, "No mean of asteroids")) == 2


def _replay_approval(place: Place, by: Person) -> None:
    """An approval from before the edit comes late, as from a worker that was away."""
    for row in place.deliveries("issue_comment", "created"):
        payload = json.loads(row.payload)
        given = (payload["sender"]["login"], payload["comment"]["body"])
        if given == (by.login, "/judge rubric approve"):
            assert deliver(place.town, "issue_comment", payload) == 202
    place.town.settle()


def metric(town: Town, name: str, **labels: str) -> float:
    """One number of `/metrics`; 0 where it is not there."""
    wanted = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    page = httpx.get(f"{town.public_url}/metrics", timeout=60).text
    found = re.search(rf"^{name}{{{re.escape(wanted)}}} (\S+)$", page, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_metrics_count_what_drafting_and_planning_cost(judged_town: tuple[Town, Judges]) -> None:
    town, judges = judged_town
    judges.told[DRAFTING] = drafter
    place = town.place(ON_REQUEST)
    issue = place.issue("No mean of comets", "The mean of no prices has to be 0.")
    number, _ = opened(place, "comets", town.zoe, issue)
    town.settle()

    def paid(role: str) -> list[float]:
        role_of = {"role": role, "model": "test-model"}
        return [
            metric(town, "assay_model_calls_total", **role_of, **{"from": "endpoint"}),
            metric(town, "assay_model_tokens_total", **role_of, direction="in"),
            metric(town, "assay_model_tokens_total", **role_of, direction="out"),
            metric(town, "assay_model_usd_total", **role_of),
            metric(town, "assay_model_seconds_total", **role_of),
        ]

    roles = ("rubric", "comprehension", "planner")
    before = {role: paid(role) for role in roles}
    reply(place, issue, "/judge rubric", town.ben)
    reply(place, number, "/judge plan", town.ben)
    town.settle()
    for role in roles:
        added = [after - was for was, after in zip(before[role], paid(role), strict=True)]
        calls, tokens_in, tokens_out, usd, seconds = added
        assert calls == (2 if role == "rubric" else 1), role
        assert usd == pytest.approx((100 * tokens_in + 200 * tokens_out) / 1e6)
        assert min(tokens_in, tokens_out, seconds) > 0
