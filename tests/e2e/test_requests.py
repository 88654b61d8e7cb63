"""What people and machines ask for besides opening a pull request."""

from __future__ import annotations

import json
import re

import pytest

from bot.demo.forge.operator import NewRepository
from tests.e2e.project import ASKED, BREAKS, CALC, FIX
from tests.e2e.town import Place, Town, eventually, report, verdicts_of
from tests.world import git

pytestmark = pytest.mark.real
ON_REQUEST = {".github/assay.yml": "triggers: [command]\n"}


def test_commands_by_a_writer_and_by_a_stranger(town: Town) -> None:
    place = town.place(ON_REQUEST)
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    declined = place.completed(sha)
    assert (declined.conclusion, "/judge" in declined.summary) == ("action_required", True)

    by_stranger = place.command(number, "/judge", town.zoe)
    helped = place.command(number, "/judge help")
    unknown = place.command(number, "/judge --base_url=http://evil.invalid")
    idle = place.command(number, "/judge cancel")
    said = eventually(lambda: _answers(place, number), "an answer to help, mistake and cancel")
    town.settle()
    assert place.reactions(by_stranger) == ["confused"]
    assert [place.reactions(one) for one in (helped, unknown, idle)] == [["eyes"]] * 3
    assert len(place.runs(sha)) == 1, "nothing was run"
    assert "does not understand" not in said[helped]
    assert "does not understand" in said[unknown]
    assert "nothing to cancel" in said[idle]

    asked = place.command(number, "/judge\n\nplease")
    assert place.completed(sha, 2).conclusion == "success"
    assert place.reactions(asked) == ["eyes", "rocket"]
    texts = [one.text("body") for one in place.comments(number)]
    assert sum("You need write access" in text for text in texts) == 1
    assert len(texts) == 2 + len(said), "one verdict, one answer a command, one to the stranger"


def _answers(place: Place, number: int) -> dict[int, str]:
    """What Assay said to three commands, by the id of the command; empty until all are there."""
    bodies = [one.text("body") for one in place.comments(number)]
    replies = [(re.match(r"<!-- assay:reply to (\d+) -->", body), body) for body in bodies]
    found = {int(match[1]): body for match, body in replies if match}
    return found if len(found) == 3 else {}


def test_judge_cancel_stops_what_runs(town: Town) -> None:
    place = town.place()
    sha = place.push(
        "slow", {"test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(300)\n"}
    )
    number = place.open("slow", ASKED)
    eventually(lambda: place.runs(sha), "a check run")
    cancel = place.command(number, "/judge cancel")
    run = place.completed(sha)
    assert run.conclusion == "cancelled"
    assert "ben asked for it" in run.summary
    eventually(lambda: "rocket" in place.reactions(cancel), "the rocket")
    assert place.verdicts(number) == []


@pytest.mark.slow
def test_rerun_of_the_check_run_and_of_the_suite(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    place.click(place.completed(sha), town.ben)
    again = place.completed(sha, 2)
    assert again.conclusion == "success"
    town.operator.control("POST", f"check-runs/{again.id}/rerun-suite", sender="ben")
    assert place.completed(sha, 3).conclusion == "success"
    assert len(place.comments(number)) == 1


def test_a_first_time_contributors_fork_waits_for_the_button(town: Town) -> None:
    place = town.place()
    fork = f"zoe/{place.name.rpartition('/')[2]}"
    bare = town.operator.repository(NewRepository(fork, fork_of=place.name))
    git(place.tree, "checkout", "--quiet", "-B", "mean", "main")
    sha = Place(town, fork, place.tree, bare).push("mean", FIX, new=False)
    number = town.operator.pull_request(
        town.zoe, place.name, title=ASKED, body="", head="zoe:mean", base="main"
    )
    waiting = place.completed(sha)
    assert waiting.conclusion == "action_required"
    assert [button.identifier for button in waiting.actions] == ["approve"]
    place.click(waiting, town.zoe, "approve")
    town.settle()
    assert len(place.runs(sha)) == 1, "a stranger's click changes nothing"
    place.click(waiting, town.ben, "approve")
    assert place.completed(sha, 2).conclusion == "success"
    assert len(place.comments(number)) == 1


def test_a_merge_group_is_judged_by_its_members(town: Town) -> None:
    place = town.place()
    good, bad = place.push("good", FIX), place.push("bad", BREAKS)
    numbers = {name: place.open(name, ASKED) for name in ("good", "bad")}
    base = git(place.tree, "rev-parse", "main")
    assert place.completed(good).conclusion == "success"
    assert place.completed(bad).conclusion == "failure"
    for name, expected in (("good", "success"), ("bad", "failure")):
        branch = f"gh-readonly-queue/main/pr-{numbers[name]}-{base}"
        files = {**(FIX if name == "good" else BREAKS), "queued.txt": f"by the queue: {name}\n"}
        sha = place.push(branch, files)
        town.operator.control(
            "POST", "merge-groups", repository=place.name, head_ref=branch, base_ref="main"
        )
        run = place.completed(sha)
        assert run.conclusion == expected, run.summary


def test_a_member_that_failed_blocks_a_group_that_holds_together(town: Town) -> None:
    place = town.place()
    bad = place.push("bad", BREAKS)
    number = place.open("bad", ASKED)
    assert place.completed(bad).conclusion == "failure"
    base = git(place.tree, "rev-parse", "main")
    branch = f"gh-readonly-queue/main/pr-{number}-{base}"
    sha = place.push(branch, FIX)
    town.operator.control("POST", "merge-groups", repository=place.name, head_ref=branch)
    run = place.completed(sha)
    assert run.conclusion == "failure"
    assert f"#{number}" in run.summary.replace("&#8203;", "")


def _diff(place: Place) -> str:
    return git(place.tree, "diff", "main", "HEAD") + "\n"


def _dispatch(place: Place, **payload: object) -> None:
    place.rest("POST", "dispatches", event_type="agent-patch", client_payload=payload)


def test_an_agents_diff_and_branch_are_answered_on_the_issue(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    diff = _diff(place)
    issue = place.issue(ASKED)
    done = {"thought": "I add it.", "action": "vi calc.py", "observation": ""}
    log = json.dumps({"trajectory": [done]})
    _dispatch(place, base="main", diff=diff, issue=issue, agent="patchwork", trajectory=log)
    (text,) = eventually(lambda: place.verdicts(issue), "an answer to the diff")
    assert "of the task met" in text or "of the task is met" in text
    assert "What the agent's log claims (SWE-agent, 1 step)" in text
    assert "$ vi calc.py" in text
    _dispatch(place, base="main", branch="mean", issue=issue)
    run = place.completed(sha)
    assert (run.conclusion, run.name) == ("success", "Assay (patch)"), (
        "it is no verdict on the commit"
    )
    assert eventually(lambda: len(place.verdicts(issue)) == 2, "an answer to the branch")


def test_an_agents_patch_that_cannot_be_judged_gets_a_clear_answer(town: Town) -> None:
    place = town.place()
    place.push("mean", FIX)
    diff = _diff(place)
    place.push("main", {"calc.py": "# gone\n"} | dict.fromkeys(("test_calc.py",)), new=True)
    first, second, third = (place.issue(ASKED) for _ in range(3))
    _dispatch(place, base="main", diff=diff.replace("Add up", "Sum up"), issue=first)
    _dispatch(place, base="main", diff=diff, branch="mean", issue=second)
    _dispatch(place, base="nowhere", diff=diff, issue=third)
    (text,) = eventually(lambda: place.verdicts(first), "an answer")
    assert "does not apply" in text
    assert "either a unified diff" in eventually(lambda: place.verdicts(second), "an answer")[0]
    assert "nowhere" in eventually(lambda: place.verdicts(third), "an answer")[0]


def test_a_broken_configuration_is_named_by_key(town: Town) -> None:
    place = town.place({".github/assay.yml": "gate: {unverifed: allow}\n"})
    sha = place.push("mean", FIX)  # a change that mends it is judged: see test_configuration
    place.open("mean", ASKED)
    run = place.completed(sha)
    assert run.conclusion == "action_required"
    assert "gate.unverifed" in run.summary.replace("&#8203;", "")


def test_a_configured_check_runs_bases_script_on_both_sides(town: Town) -> None:
    check = "import calc, sys\nsys.exit(0 if hasattr(calc, 'mean') else 'there is no mean')\n"
    place = town.place(
        {
            ".github/assay.yml": "requirements:\n  - {id: M1, text: There is a mean,"
            " check: python tools/check.py}\n",
            "tools/check.py": check,
        }
    )
    good = place.push("good", FIX)
    place.open("good", ASKED)
    cheat = place.push("cheat", {"tools/check.py": "", "calc.py": CALC + "\n# nothing\n"})
    place.open("cheat", ASKED)
    run = place.completed(good)
    assert verdicts_of(run)["M1"] == "satisfied"
    (evidence,) = [one for one in report(run).items("evidence") if one.text("action") == "bash"]
    assert evidence.text("transition") == "fixed"
    assert verdicts_of(place.completed(cheat))["M1"] == "unsatisfied"
