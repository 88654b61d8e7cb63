"""A way out for people: accept what could not be verified, override what failed, by the right person."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.demo.forge.operator import NewRepository
from bot.demo.forge.rows import CheckRow
from bot.demo.town import await_ready, running_part
from bot.store import Store
from tests.e2e.project import ASKED, BREAKS, FIX
from tests.e2e.talking import answer_to
from tests.e2e.town import Place, Town, deliver, eventually, report, running_forge, running_town
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]
UNTESTED = {"calc.py": FIX["calc.py"]}
"""Does what was asked, and has no test that shows it."""
UNRELATED = "shapes.py"


def _opened(place: Place, branch: str, *, by_mara: bool = True) -> int:
    author = place.town.mara if by_mara else place.town.ben
    return place.town.operator.pull_request(
        author, place.name, title=ASKED, body="", head=branch, base="main"
    )


def _waiting(town: Town, files: dict[str, str] | None = None) -> tuple[Place, str, int]:
    """A pull request by mara whose requirement could not be verified."""
    place = town.place(files)
    sha = place.push("mean", UNTESTED)
    number = _opened(place, "mean")
    run = place.completed(sha)
    assert run.conclusion == "action_required"
    assert [button.identifier for button in run.actions] == ["rerun", "accept", "explain"]
    assert "/judge accept R1" in run.summary
    return place, sha, number


def _concluded(place: Place, sha: str, conclusion: str) -> CheckRow:
    def look() -> CheckRow | None:
        run = place.runs(sha)[-1]
        return run if run.conclusion == conclusion else None

    return eventually(look, f"{conclusion} on {sha[:8]}")


def _accepted(run: CheckRow) -> dict[str, str]:
    """Subject → who and how, of the decisions that count, from the report behind a check run."""
    given = report(run).items("acceptances")
    return {
        one.text("subject"): f"{one.text('kind')} by {one.text('actor')}"
        for one in given
        if not one.text("void")
    }


def _void(run: CheckRow) -> dict[str, str]:
    given = report(run).items("acceptances")
    return {one.text("subject"): one.text("void") for one in given if one.text("void")}


def test_a_writer_accepts_and_nothing_is_run_again(town: Town) -> None:
    place, sha, number = _waiting(town)
    comment = place.command(number, "/judge accept r1 because I read it @everyone\n\n/merge `now`")
    run = _concluded(place, sha, "success")
    eventually(lambda: "rocket" in place.reactions(comment), "the rocket")
    assert len(place.runs(sha)) == 1, "nothing was judged again"
    assert [one.identifier for one in run.actions] == ["rerun", "explain"], (
        "nothing is left to accept"
    )
    assert "accepted by @ben" in run.title
    assert _accepted(run) == {"R1": "accepted by ben"}
    (row,) = [one for one in report(run).items("requirements") if one.text("id") == "R1"]
    assert row.text("verdict") == "unverified"
    assert row.text("accepted", "reason") == "I read it @everyone /merge `now`"
    assert report(run).text("conclusion") == "success"

    (text,) = place.verdicts(number)
    assert "I read it" in text
    assert "@everyone" not in text
    assert not re.search(r"(?<![\w;>])@ben", text), "nobody is mentioned"
    assert not re.search(r"^\s*/merge", text, re.MULTILINE)

    place.command(number, "/judge")
    again = place.completed(sha, 2)
    assert (again.conclusion, _accepted(again)) == ("success", {"R1": "accepted by ben"})


def test_a_task_with_unjudged_sentences_is_accepted_where_the_configuration_asks(
    town: Town,
) -> None:
    place = town.place({".github/assay.yml": "gate: {unjudged: block}\n"})
    more = "The result should be rounded to two digits."
    issue = place.issue(ASKED, f"Empty lists fail today.\n\n{more}\n")
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED, f"Fixes #{issue}")
    run = place.completed(sha)
    assert run.conclusion == "action_required"
    assert f"“{more}” was not judged on its own" in run.summary
    assert "/judge accept R1" in run.summary

    place.command(number, "/judge accept R1 it is rounded where it is shown", town.mara)
    assert _accepted(_concluded(place, sha, "success")) == {"R1": "accepted by mara"}


def test_authors_do_not_accept_their_own_change(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", UNTESTED)
    number = _opened(place, "mean", by_mara=False)
    run = place.completed(sha)
    by_author = place.command(number, "/judge accept R1 I wrote it well", town.ben)
    assert "You opened this pull request" in answer_to(place, number, by_author)
    as_admin = place.command(number, "/judge override R1 as I like", town.ben)
    assert "Only an administrator" in answer_to(place, number, as_admin)
    place.click(run, town.ben, "accept")
    eventually(
        lambda: sum("You opened" in one.text("body") for one in place.comments(number)) == 2,
        "an answer to the click",
    )
    place.click(run, town.zoe, "accept")
    town.settle()
    assert place.runs(sha)[-1].conclusion == "action_required"

    place.click(place.runs(sha)[-1], town.mara, "accept")
    run = _concluded(place, sha, "success")
    assert _accepted(run) == {"R1": "accepted by mara"}

    newer = place.push("mean", {"calc.py": FIX["calc.py"] + "\nONE = 1\n"}, new=False)
    assert place.completed(newer).conclusion == "action_required"
    by_pusher = place.command(number, "/judge accept R1 as before", town.mara)
    told = answer_to(place, number, by_pusher)
    assert "You pushed the newest commit" in told
    assert "/judge override" in told
    assert place.runs(newer)[-1].conclusion == "action_required"


def test_the_author_of_a_fork_has_no_way_to_accept(town: Town) -> None:
    place = town.place()
    fork = f"zoe/{place.name.rpartition('/')[2]}"
    bare = town.operator.repository(NewRepository(fork, fork_of=place.name))
    git(place.tree, "checkout", "--quiet", "-B", "mean", "main")
    sha = Place(town, fork, place.tree, bare).push("mean", UNTESTED, new=False)
    number = town.operator.pull_request(
        town.zoe, place.name, title=ASKED, body="", head="zoe:mean", base="main"
    )
    waiting = place.completed(sha)
    place.click(waiting, town.ben, "approve")
    assert place.completed(sha, 2).conclusion == "action_required"
    before = len(place.comments(number))
    commands = ("/judge accept R1 it is mine", "/judge", "/judge override R1 please")
    asked = [place.command(number, line, town.zoe) for line in commands]
    town.settle()
    assert [place.reactions(one) for one in asked] == [["confused"]] * 3
    texts = [one.text("body") for one in place.comments(number)]
    (told,) = [text for text in texts if "You need write access" in text]
    assert len(told.splitlines()) == 2, "the hidden marker and one line"
    assert len(texts) == before + 1, "one answer, however often somebody tries"
    assert place.runs(sha)[-1].conclusion == "action_required"

    # The click on a fork's check run names no pull request.
    place.click(place.runs(sha)[-1], town.ben, "accept")
    assert _accepted(_concluded(place, sha, "success")) == {"R1": "accepted by ben"}


def test_a_failing_check_is_overridden_by_administrators_only_and_loudly(town: Town) -> None:
    place = town.place()
    sha = place.push("bad", {**UNTESTED, **BREAKS})
    number = _opened(place, "bad")
    run = place.completed(sha)
    assert run.conclusion == "failure"
    refused = place.command(number, "/judge accept B2 R1 it is fine")
    told = answer_to(place, number, refused)
    assert "B2 failed a check" in told
    assert "/judge override B2" in told
    town.settle()
    assert _accepted(place.runs(sha)[-1]) == {"R1": "accepted by ben"}
    assert place.runs(sha)[-1].conclusion == "failure"

    place.command(number, "/judge override B2 the sum was wrong before", town.mara)
    run = _concluded(place, sha, "success")
    assert run.title.startswith("OVERRIDDEN by @mara")
    assert "**OVERRIDDEN**" in run.summary
    assert "who opened this pull request" in run.summary
    assert _accepted(run) == {"B2": "overridden by mara", "R1": "accepted by ben"}
    assert "## ⚠️ OVERRIDDEN" in place.verdicts(number)[0]


def test_what_is_not_understood_gets_one_helpful_line(town: Town) -> None:
    place, sha, number = _waiting(town)
    expected = {
        "/judge accept": "/judge accept R1",
        "/judge accept R1": "Say why",
        "/judge accept R1 because": "Say why",
        "/judge accept B1 it builds": "B1 is satisfied already",
        "/judge accept R9 no such thing": "has no",
        "/judge accept expectation as it is": "has no",
        f"/judge accept {'R9 ' * 500}": "Say why",
    }
    for line, answer in expected.items():
        told = answer_to(place, number, place.command(number, line))
        assert answer in told.replace("&#8203;", ""), (line, told)
        assert len(told.splitlines()) == 1, told
    assert place.runs(sha)[-1].conclusion == "action_required"
    newer = place.push("mean", {"slow.txt": ""}, new=False)
    place.completed(newer)
    early = place.command(number, "/judge accept R9, R1 and B3: seen @all /merge")
    told = answer_to(place, number, early)
    assert "R9" in told
    assert "B3 is satisfied already" in told
    assert _accepted(_concluded(place, newer, "success")) == {"R1": "accepted by ben"}


def test_a_push_keeps_or_voids_what_was_accepted(town: Town) -> None:
    shapes = "def area(side):\n    return side * side\n"
    place, sha, number = _waiting(town, {UNRELATED: shapes, "README.md": "Sums.\n"})
    place.command(number, "/judge accept R1 seen")
    _concluded(place, sha, "success")

    changes = {
        "README.md": "Sums and means.\n",
        UNRELATED: shapes.replace("side * side", "side**2"),
    }
    beside = place.push("mean", changes, new=False)
    run = place.completed(beside)
    assert (run.conclusion, _accepted(run)) == ("success", {"R1": "accepted by ben"})
    assert sha[:12] in run.summary.replace("&#8203;", ""), "it says for which commit it was given"

    again = place.push("mean", {"calc.py": FIX["calc.py"] + "\nONE = 1\n"}, new=False)
    run = place.completed(again)
    assert run.conclusion == "action_required"
    assert _accepted(run) == {}
    assert "calc.py" in _void(run)["R1"]
    assert "does not count any more" in place.verdict(number)

    later = place.push("mean", {"README.md": "Sums, means.\n"}, new=False)
    run = place.completed(later)
    assert (run.conclusion, _void(run)) == ("action_required", {}), "void once, void for good"
    place.command(number, "/judge accept R1 seen again")
    assert _accepted(_concluded(place, later, "success")) == {"R1": "accepted by ben"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("report.py", "from calc import mean\n\n\ndef shown():\n    return mean([])\n"),
        ("conftest.py", "ONE = 1\n"),
        ("settings.json", "{}\n"),
    ],
)
def test_in_doubt_a_push_voids(town: Town, path: str, text: str) -> None:
    place, sha, number = _waiting(town)
    place.command(number, "/judge accept R1 seen")
    _concluded(place, sha, "success")
    run = place.completed(place.push("mean", {path: text}, new=False))
    assert run.conclusion == "action_required"
    assert path in _void(run)["R1"]


def test_a_requirement_that_is_gone_takes_its_acceptance_along(town: Town) -> None:
    place, sha, number = _waiting(town)
    place.command(number, "/judge accept R1 seen")
    _concluded(place, sha, "success")
    place.rest("PATCH", f"pulls/{number}", title="median of no prices is one")
    run = place.completed(sha, 2)
    assert run.conclusion == "action_required"
    assert "something else" in _void(run)["R1"]


def test_two_accepts_at_once_and_a_delivery_that_comes_again(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", UNTESTED)
    number = town.operator.pull_request(
        town.zoe, place.name, title=ASKED, body="", head="mean", base="main"
    )
    place.completed(sha)
    with ThreadPoolExecutor(2) as pool:
        people = (town.mara, town.ben)
        said = list(
            pool.map(lambda one: place.command(number, "/judge accept R1 seen", one), people)
        )
    run = _concluded(place, sha, "success")
    town.settle()
    replies = [one.text("body") for one in place.comments(number)]
    (late,) = [text for text in replies if "was accepted by" in text and "already" in text]
    (who,) = _accepted(run).values()
    assert who in ("accepted by mara", "accepted by ben")
    assert len(replies) == 2, "one verdict, and one answer to who came second"

    first = next(one for one in said if f"reply to {one} " not in late)
    (sent,) = [
        row
        for row in place.deliveries("issue_comment", "created")
        if json.loads(row.payload)["comment"]["id"] == first
    ]
    assert deliver(town, "issue_comment", json.loads(sent.payload)) == 202
    town.settle()
    assert [one.text("body") for one in place.comments(number)] == replies
    assert _accepted(place.runs(sha)[-1]) == {"R1": who}


def test_a_worker_killed_between_the_decision_and_its_publication(tmp_path: Path) -> None:
    settings = {"ASSAY_LONGEST_WAIT_S": "1"}
    with running_forge(tmp_path) as town, ExitStack() as stack:
        environment = {**town.environment, **settings}
        web = stack.enter_context(running_part("web", tmp_path, environment))
        await_ready(town.public_url, tmp_path, web)
        with running_part("worker", tmp_path, environment) as worker:
            place, sha, number = _waiting(town)
            stuck = {"operation": "checks/update", "kind": "status", "status": 503, "calls": 10_000}
            town.operator.control("POST", "faults", **stuck)
            place.command(number, "/judge accept R1 seen")
            with Store(f"sqlite:///{Path(environment['ASSAY_HOME']) / 'records.db'}") as records:
                name = place.name
                eventually(lambda: records.acceptances(name, number), "the kept decision")
            eventually(lambda: "accepted by" in place.verdicts(number)[0], "half of the answer")
            worker.kill()
        assert place.runs(sha)[-1].conclusion == "action_required"
        town.operator.control("DELETE", "faults")
        stack.enter_context(running_part("worker", tmp_path, environment))
        run = _concluded(place, sha, "success")
        town.settle()
        assert _accepted(run) == {"R1": "accepted by ben"}
        assert (len(place.runs(sha)), len(place.verdicts(number))) == (1, 1)
        with Store(f"sqlite:///{Path(environment['ASSAY_HOME']) / 'records.db'}") as records:
            assert len(records.acceptances(place.name, number)) == 1


def test_a_decision_while_another_verdict_is_about_to_be_published_counts(tmp_path: Path) -> None:
    with running_town(tmp_path, ASSAY_LONGEST_WAIT_S="1") as town:
        place, sha, number = _waiting(town)
        stuck = {
            "operation": "issues/list-comments",
            "kind": "status",
            "status": 503,
            "calls": 10_000,
        }
        database = Path(town.environment["ASSAY_HOME"]) / "records.db"
        with Store(f"sqlite:///{database}") as records:
            town.operator.control("POST", "faults", **stuck)
            place.command(number, "/judge")

            def publishing() -> bool:
                newest = records.latest(place.name, number)
                return newest is not None and newest.stage == "publish" and bool(newest.problem)

            eventually(publishing, "a second verdict that cannot be published")
            place.command(number, "/judge accept R1 seen")
            eventually(lambda: records.acceptances(place.name, number), "the kept decision")
        town.operator.control("DELETE", "faults")
        run = place.completed(sha, 2)
        run = _concluded(place, sha, "success")
        assert _accepted(run) == {"R1": "accepted by ben"}
        assert len(place.verdicts(number)) == 1


def test_a_merge_group_counts_an_accepted_member(town: Town) -> None:
    place, sha, number = _waiting(town)
    base = git(place.tree, "rev-parse", "main")
    branch = f"gh-readonly-queue/main/pr-{number}-{base}"
    place.command(number, "/judge accept R1 seen")
    _concluded(place, sha, "success")
    group = place.push(branch, {**UNTESTED, "queued.txt": ""})
    members = [number]
    town.operator.control(
        "POST", "merge-groups", repository=place.name, head_ref=branch, members=members
    )
    run = place.completed(group)
    assert run.conclusion == "success", run.summary
    assert f"#{number}" in run.summary.replace("&#8203;", "")
    assert "accepted by" in run.summary
