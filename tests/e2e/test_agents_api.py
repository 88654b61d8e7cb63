"""Patches by the API, through the real web process and worker, against the forge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from bot.text.json_reading import Payload
from tests.e2e.project import ASKED, BREAKS, FIX
from tests.e2e.town import Place, Town, eventually, report, token_for
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]


@contextmanager
def agent(town: Town, place: Place, *options: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {token_for(town, place.name, *options)}"}
    with httpx.Client(base_url=town.public_url, headers=headers, timeout=120) as api:
        yield api


def posted(api: httpx.Client, place: Place, **patch: object) -> Payload:
    reply = api.post("/api/v1/patches", json={"repository": place.name, **patch})
    assert reply.status_code == 202, reply.text
    return Payload.parse(reply.content)


def verdict(api: httpx.Client, accepted: Payload) -> Payload:
    """Waits until a patch has ended."""

    def look() -> Payload | None:
        reply = api.get(accepted.text("status_url")).raise_for_status()
        answer = Payload.parse(reply.content)
        return answer if answer.text("status") not in ("queued", "running") else None

    return eventually(look, "the end of the evaluation")


def diff_of(place: Place) -> str:
    return git(place.tree, "diff", "main", "HEAD") + "\n"


def test_a_patch_for_an_issue_is_heard_and_answered_there(town: Town) -> None:
    place = town.place()
    place.push("mean", FIX)
    issue = place.issue(ASKED)
    with agent(town, place, "--with-report") as api:
        patch = {"diff": diff_of(place), "issue": issue, "task": "@mara /judge all is *done*"}
        accepted = posted(api, place, **patch)
        told: list[tuple[str, Payload]] = []
        with api.stream("GET", accepted.text("events_url")) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            name = ""
            for line in stream.iter_lines():
                kind, _, rest = line.partition(": ")
                name = rest if kind == "event" else name
                if kind == "data":
                    told.append((name, Payload.parse(rest)))
        assert [name for name, _ in told][-1] == "conclusion"
        assert {name for name, _ in told[:-1]} == {"stage"}
        numbers = [one.integer("progress", "number") or one.integer("number") for _, one in told]
        assert numbers == sorted(numbers)
        end = told[-1][1]
        assert (end.text("conclusion"), end.integer("met")) == ("success", 4), end.value
        whole = httpx.get(end.text("report", "json"), timeout=60).json()
        assert whole["id"] == accepted.text("id")
        assert whole["subject"]["agent"] == ""
    (comment,) = eventually(lambda: place.verdicts(issue), "the comment on the issue")
    assert "of the task met" in comment or "of the task is met" in comment
    assert "@mara /judge" not in comment


def test_what_cannot_be_judged_is_a_problem(town: Town) -> None:
    place = town.place()
    place.push("mean", FIX)
    diff = diff_of(place)
    with agent(town, place) as api:
        stale = posted(api, place, diff=diff.replace("Add up", "Sum up"), task=ASKED)
        gone = posted(api, place, base="0" * 40, diff=diff, task=ASKED)
        for accepted, words in ((stale, "does not apply"), (gone, "does not exist")):
            end = verdict(api, accepted)
            assert (end.text("status"), end.text("conclusion")) == ("done", "action_required")
            assert end.integer("problem", "status") == 422
            assert words in end.text("problem", "detail"), json.dumps(end.value)
            assert end.items("rows") == ()
            assert not end.has("report")


def test_a_branch_is_judged_without_a_check_run_and_the_same_patch_once(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    with agent(town, place) as api, agent(town, place) as other:
        patch = {"base": "main", "branch": "mean", "task": ASKED}
        first = posted(api, place, **patch, agent="one")
        second = posted(other, place, **patch, agent="two")
        assert first.text("id") == second.text("id")
        end = verdict(other, second)
        assert end.text("conclusion") == "success", json.dumps(end.value)
    assert place.runs(sha) == [], (
        "a verdict on a task of the agent's own stands for no pull request"
    )


def test_a_wrong_base_and_a_token_of_another_place(town: Town) -> None:
    place, elsewhere = town.place(), town.place()
    with agent(town, place) as api:
        for body, status, words in (
            ({"repository": place.name, "base": "nowhere"}, 422, "no branch nowhere"),
            ({"repository": place.name, "issue": 99_999}, 422, "no issue #99999"),
            ({"repository": elsewhere.name}, 403, "for no other repository"),
        ):
            whole = {"diff": "--- a/x\n", "task": ASKED, **body}
            reply = api.post("/api/v1/patches", json=whole)
            assert (reply.status_code, reply.headers["content-type"]) == (
                status,
                "application/problem+json",
            )
            assert words in reply.json()["detail"]


def test_pull_requests_of_agents_carry_the_agents_name(town: Town) -> None:
    configured = "agents:\n  - {name: Patch_work*, branches: ['patchwork/**']}\n"
    place = town.place({".github/assay.yml": configured})
    by_branch = place.push("patchwork/mean", FIX)
    place.open("patchwork/mean", ASKED)
    place.push("mean", FIX)
    message = "Add mean\n\nCo-authored-by: Claude <noreply@anthropic.com>"
    git(place.tree, "commit", "--quiet", "--amend", "-m", message)
    by_trailer = place.push("mean", {"notes.txt": "More.\n"}, new=False)
    number = place.open("mean", ASKED)
    for sha, agent in ((by_branch, "Patch_work*"), (by_trailer, "Claude Code")):
        assert report(place.completed(sha)).text("subject", "agent") == agent
    assert "Agent: Claude Code." in place.verdict(number)
    (row,) = place.runs(by_branch)
    page = httpx.get(row.details_url, timeout=60).text
    assert "<dt>Agent</dt><dd>Patch_work*</dd>" in page


def test_patches_for_one_task_are_judged_by_one_plan_and_ranked(town: Town) -> None:
    place = town.place()
    with agent(town, place) as api:
        ids: dict[str, str] = {}
        for name, files in (("half", {"calc.py": FIX["calc.py"]}), ("good", FIX), ("bad", BREAKS)):
            place.push(name, files)
            plan_of = {"plan_of": ids["half"]} if ids else {}
            accepted = posted(api, place, diff=diff_of(place), task=ASKED, **plan_of)
            ids[name] = accepted.text("id")
            verdict(api, accepted)
        reply = api.get("/api/v1/rankings", params={"patch": list(ids.values())})
        assert reply.status_code == 200, reply.text
        ranks = Payload.parse(reply.content).items("ranks")
    assert [one.text("name") for one in ranks] == [ids[name] for name in ("good", "half", "bad")]
    assert [one.integer("place") for one in ranks] == [1, 2, 3]
    assert ranks[1].text("reason").startswith("Its conclusion is action_required")
