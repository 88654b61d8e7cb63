"""`/judge rubric` on the forge: drafted from issue and base, edited by people, golden by two of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest

from bot.demo.forge.operator import Person
from bot.text.json_reading import Payload
from tests.e2e.judges import DRAFTING, JUDGING_PATCH, Judges, everything
from tests.e2e.project import FIX
from tests.e2e.town import Place, Town, deliver, eventually, report
from tests.endpoint import Asked, Said

pytestmark = [pytest.mark.real, pytest.mark.slow]
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


def judged(place: Place, *pulls: tuple[int, str]) -> list[Payload]:
    """Asks for verdicts on pull requests (number, head), all at once; gives the machine's reports."""
    counts = [len(place.runs(sha)) + 1 for _, sha in pulls]
    for number, _ in pulls:
        place.command(number, "/judge", place.town.mara)
    return [
        report(place.completed(sha, count)) for (_, sha), count in zip(pulls, counts, strict=True)
    ]


def told(found: Payload) -> str:
    """The conclusion and its reasons."""
    reasons = [one.text("text") for one in found.items("reasons")]
    return "\n".join([found.text("conclusion"), *reasons])


@dataclass(frozen=True, slots=True)
class Scene:
    """An issue and three pull requests for it: two of zoe's, who may not write, and one of ben's."""

    place: Place
    judges: Judges
    issue: int
    first: tuple[int, str]
    second: tuple[int, str]
    bens: tuple[int, str]

    @property
    def invalid(self) -> str:
        """What blocks, with the version that two people approved."""
        return f"INVALID by the rubric of issue #{self.issue}, version 2"


def test_a_rubric_from_draft_to_golden(judged_town: tuple[Town, Judges]) -> None:
    town, judges = judged_town
    judges.told |= {DRAFTING: drafter, JUDGING_PATCH: doubter}
    place = town.place(ON_REQUEST)
    issue = place.issue("No mean of asteroids", "Beside `total`: the mean of no prices is 0.")
    people = (("first", town.zoe), ("second", town.zoe), ("bens", town.ben))
    scene = Scene(place, judges, issue, *(opened(place, name, by, issue) for name, by in people))
    _is_drafted_from_issue_and_base(scene)
    _takes_two_people(scene)
    _holds_every_patch_but_an_approvers_own(scene)
    _is_not_changed_by_an_edit(scene)


def _is_drafted_from_issue_and_base(scene: Scene) -> None:
    place, issue, judges = scene.place, scene.issue, scene.judges
    assert "stands [here]" in reply(place, scene.first[0], "/judge rubric", place.town.ben)
    assert "- mean of no prices is zero" in form(place, issue).text("body")
    asked = judges.asked(DRAFTING, "No mean of asteroids")
    assert len(asked) == 2
    assert "def total(prices)" in everything(asked[0], "user")
    assert "def total(prices)" in everything(asked[1], "tool")
    assert all(MARKED not in everything(one) for one in asked), "no word of a patch gets there"


def _takes_two_people(scene: Scene) -> None:
    place, issue, town = scene.place, scene.issue, scene.place.town
    edit(place, issue, "Nothing of the kind is there.", "Nobody wrote it.")
    by_stranger = place.command(issue, "/judge rubric approve", town.zoe)
    eventually(lambda: place.reactions(by_stranger) == ["confused"], "a refusal")
    refused = reply(place, scene.bens[0], "/judge rubric approve", town.ben)
    assert "author of a pull request does not count" in refused
    for number in (scene.first[0], issue):
        once = reply(place, number, "/judge rubric approve", town.ben)
        assert "has 1 of 2 approvals (ben)" in once
    (advised,) = judged(place, scene.first)
    assert told(advised).startswith("success\n"), told(advised)
    assert "Advice only" in told(advised)
    golden = reply(place, issue, "/judge rubric approve", town.mara)
    assert "is golden" in golden
    assert "Nobody wrote it" in golden


def _holds_every_patch_but_an_approvers_own(scene: Scene) -> None:
    paid = paid_for_patches(scene.place.town)
    *zoes, bens = judged(scene.place, scene.first, scene.second, scene.bens)
    for blocked in map(told, zoes):
        assert blocked.startswith("action_required\n"), blocked
        assert scene.invalid in blocked
    assert "Advice only" in told(bens), "one of its two approvers is its author"
    assert paid_for_patches(scene.place.town) > paid


def _is_not_changed_by_an_edit(scene: Scene) -> None:
    place, issue, ben = scene.place, scene.issue, scene.place.town.ben
    edit(place, issue, "Nobody wrote it.", "All is well.")
    assert "version 2 stays golden" in reply(place, issue, "/judge rubric", ben)
    assert "All is well" in form(place, issue).text("body"), "what people wrote is not drafted over"
    _replay_approval(place, place.town.mara)
    late = reply(place, issue, "/judge rubric approve", ben)
    assert "has 1 of 2 approvals (ben)" in late, "nobody approves what was not there yet"
    assert "version 2 stays golden" in late
    (still,) = judged(place, scene.second)
    assert scene.invalid in told(still), "version 3 is a draft"
    assert "All is well" not in str(still.value)
    assert len(scene.judges.asked(DRAFTING, "No mean of asteroids")) == 2


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
    page = town.metrics()
    found = re.search(rf"^{name}{{{re.escape(wanted)}}} (\S+)$", page, re.MULTILINE)
    return float(found[1]) if found else 0.0


def paid_for_patches(town: Town) -> float:
    return metric(town, "assay_model_usd_total", role="patch", model="test-model")


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
        assert usd == pytest.approx((tokens_in + 2 * tokens_out) / 1e6)
        assert min(tokens_in, tokens_out, seconds) > 0
