"""A pull request's life on the forge, seen by the people round it."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from tests.e2e.project import ASKED, BREAKS, CALC, FIX, PROJECT, TESTS
from tests.e2e.town import Town, deliver, eventually, report, verdicts_of
from tests.world import git

pytestmark = pytest.mark.real


def test_opened_shows_every_stage_then_one_comment_and_a_report(printing_town: Town) -> None:
    place = printing_town.place()
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    run = place.completed(sha)
    seen = printing_town.shown[sha]
    assert seen[0] == "queued: Waiting for a worker"
    assert [line for line in seen if line.startswith("in_progress: ")], seen
    met = "completed: The requirement of the task is met"
    eventually(lambda: seen[-1].startswith(met), met)  # what was shown is noted after the answer
    assert run.conclusion == "success"
    comment = place.verdict(number)
    assert comment.startswith(f"<!-- assay:pull-request {number} -->\n")
    assert set(verdicts_of(run).values()) == {"satisfied"}
    assert report(run).items("tests", "fail_to_pass")
    _check_pages(run.details_url)


def _check_pages(link: str) -> None:
    page = httpx.get(link, timeout=60)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    address = link.replace("?", ".pdf?", 1)
    first = httpx.get(address, timeout=60)  # the verdict is out before the PDF is printed
    assert first.status_code in (200, 202)
    eventually(lambda: httpx.get(address, timeout=60).content.startswith(b"%PDF-"), "the PDF")
    for wrong in (link.partition("?")[0], f"{link[:-2]}xx"):
        assert httpx.get(wrong, timeout=60).status_code == 404
        assert httpx.get(wrong.replace("?", ".json?", 1), timeout=60).status_code == 404


def test_newer_head_cancels_the_older_and_updates_the_one_comment(town: Town) -> None:
    place = town.place()
    slow = {"test_slow.py": "import time, unittest\n\n\nclass T(unittest.TestCase):\n"
            "    def test_slow(self):\n        time.sleep(60)\n"}  # fmt: skip
    first = place.push("change", {**FIX, **slow})
    number = place.open("change", ASKED)
    eventually(lambda: any(r.status == "in_progress" for r in place.runs(first)), "a start")
    second = place.push("change", {"test_slow.py": None}, new=False)
    assert place.completed(second).conclusion == "success"
    old = place.completed(first)
    assert old.conclusion == "cancelled"
    assert "A newer commit was pushed" in old.summary
    before = place.verdict(number)
    third = place.push("change", BREAKS, new=False)
    assert place.completed(third).conclusion == "failure"
    (after,) = eventually(
        lambda: [text for text in place.verdicts(number) if text != before], "a new comment text"
    )
    assert third[:7] in after
    assert len(place.comments(number)) == 1


def slow_test(seconds: int) -> dict[str, str]:
    body = f"    def test_slow(self):\n        time.sleep({seconds})\n"
    return {"test_slow.py": f"import time, unittest\n\n\nclass T(unittest.TestCase):\n{body}"}


@pytest.mark.slow
def test_the_comment_remembers_and_says_what_is_being_judged(town: Town) -> None:
    place = town.place()
    first = place.push("change", FIX)
    number = place.open("change", ASKED)
    assert place.completed(first).conclusion == "success"
    before = place.verdict(number)

    second = place.push("change", {**BREAKS, **slow_test(6)}, new=False)
    (judging,) = eventually(
        lambda: [text for text in place.verdicts(number) if f"Judging <code>{second[:12]}" in text
                 or f"Judging [<code>{second[:12]}" in text],
        "the comment to say what is being judged",
    )  # fmt: skip
    headline = next(line for line in before.splitlines() if line.startswith("## "))
    assert headline in judging, "the last verdict stays readable"
    assert judging.splitlines()[0] == before.splitlines()[0]
    assert place.completed(second).conclusion == "failure"
    after = place.verdict(number)
    assert "Judging" not in after
    assert f"Since the verdict on [<code>{first[:12]}" in after
    assert "still passes. (B2): satisfied → unsatisfied" in after
    assert "<summary>Earlier verdicts (1)</summary>" in after

    third = place.push("change", slow_test(60), new=False)
    eventually(lambda: third[:12] in place.verdict(number), "the comment to say so again")
    place.command(number, "/judge cancel")
    assert place.completed(third).conclusion == "cancelled"
    eventually(lambda: place.verdict(number) == after, "the comment as it was")
    assert len(place.comments(number)) == 1


def test_edits_of_title_and_text_are_judged_again_others_are_not(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    place.completed(sha)
    (opened,) = place.deliveries("pull_request", "opened")
    edited = {**json.loads(opened.payload), "action": "edited", "changes": {}}
    assert deliver(town, "pull_request", edited) == 202
    town.settle()
    assert len(place.runs(sha)) == 1
    place.rest(
        "PATCH", f"pulls/{number}", body="- [ ] `mean` of no prices is zero\n- [ ] `moon` is blue"
    )
    run = place.completed(sha, 2)
    assert "unverified" in verdicts_of(run).values()
    assert len(place.runs(sha)) == 2
    assert len(place.comments(number)) == 1


def test_a_document_that_the_issue_links_on_the_forge_is_read_from_base(town: Town) -> None:
    spec = "# Mean\n\n## Requirements\n\n- `mean` of no prices is zero\n- `median` is there too\n"
    place = town.place({"docs/spec.md": spec})
    address = f"{town.environment['GHE_HOST']}/{place.name}/blob/main/docs/spec.md"
    issue = place.issue("A mean", f"As {address} says.")
    sha = place.push("mean", {**FIX, "docs/spec.md": "# Nothing\n"})
    place.open("mean", f"Closes #{issue}")
    run = place.completed(sha)
    rows = {row.text("text"): row for row in report(run).items("requirements")}
    origin = f"docs/spec.md, linked by issue #{issue}"
    asked = ("`mean` of no prices is zero", "`median` is there too")
    assert [rows[text].text("origin") for text in asked] == [origin, origin]
    assert [rows[text].text("verdict") for text in asked] == ["satisfied", "unverified"]


@pytest.mark.parametrize(
    ("by", "conclusion"), [("mara", "success"), ("ben", "success"), ("zoe", "action_required")]
)
def test_an_issue_permits_nothing_to_the_author_who_opened_it_without_write_access(
    town: Town, by: str, conclusion: str
) -> None:
    """mara owns the repository and ben may write to it; the pull request is by whoever is no mara."""
    place = town.place(
        {"test_nothing.py": TESTS.replace("adds_up", "of_none").replace("[1, 2]), 3", "[]), 0")}
    )
    author = town.zoe if by == "zoe" else town.ben
    issue = town.operator.issue(
        getattr(town, by),
        place.name,
        "Count the bag",
        "`total([1, 2])` should give `4`: a bag for what is bought costs 1.",
    )
    tests = {"test_calc.py": TESTS.replace("3)", "4)")}
    sha = place.push(
        "bag", {"calc.py": CALC.replace("sum(prices)", "sum(prices) + bool(prices)"), **tests}
    )
    number = town.operator.pull_request(
        author, place.name, title="Count the bag", body=f"Closes #{issue}", head="bag", base="main"
    )
    if by == "zoe":
        place.command(number, "/judge")
    eventually(lambda: place.verdicts(number), "the verdict")
    run = place.completed(sha)
    assert run.conclusion == conclusion
    told = "was opened by the author of this pull request" in place.verdict(number)
    assert told is (by == "zoe")


def test_a_stage_that_is_told_too_late_opens_no_check_run_again(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    town.operator.fault("checks/update", "late", seconds=4.0)
    before = _updates(town)
    number = place.open("mean", ASKED)
    eventually(lambda: _updates(town) > before, "a stage on its way to the check run")
    place.command(number, "/judge")
    run = place.completed(sha, count=2, timeout_s=300.0)  # before the sweep mends it
    assert run.conclusion == "success"
    time.sleep(5.0)  # until the late one was told
    place.completed(sha, count=2, timeout_s=300.0)
    assert [run.conclusion for run in place.runs(sha)] == ["cancelled", "success"]


def _updates(town: Town) -> int:
    return town.operator.control("GET", "calls").integer("checks/update")


def test_a_draft_is_left_alone_until_it_is_ready(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED, draft=True)
    place.deliveries("pull_request", "opened")
    town.settle()
    assert place.runs(sha) == []
    town.operator.control("POST", "pulls/ready", repository=place.name, number=number)
    assert place.completed(sha).conclusion == "success"


def test_the_same_delivery_again_does_nothing(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    place.open("mean", ASKED)
    place.completed(sha)
    (delivery,) = place.deliveries("pull_request", "opened")
    town.operator.control("POST", f"deliveries/{delivery.id}/redeliver")
    (again,) = place.deliveries("pull_request", "opened")
    assert (again.attempts, again.status) == (2, 202)
    town.settle()
    assert len(place.runs(sha)) == 1


def test_a_linked_issue_that_is_not_there_is_said(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED, "Closes #404.")
    assert place.completed(sha).conclusion == "success"
    assert "issue #404 is linked but cannot be read" in place.verdict(number).replace("&#8203;", "")


def test_an_empty_diff_has_nothing_to_judge(town: Town) -> None:
    place = town.place()
    sha = place.push("empty", {})
    place.open("empty", "Change nothing")
    run = place.completed(sha)
    assert run.conclusion == "action_required"
    assert "nothing to judge" in run.summary


def test_words_in_a_repository_without_tests_need_none(town: Town) -> None:
    place = town.place()
    place.push("main", dict.fromkeys(PROJECT) | {"README.md": "Hello\n"}, new=False)
    sha = place.push("words", {"README.md": "Hello, world\n"})
    place.open("words", "Greet the world")
    run = place.completed(sha)
    assert run.conclusion == "success"
    (b2,) = [one for one in report(run).items("requirements") if one.text("id") == "B2"]
    assert b2.text("reason") == "Not applicable: base has no tests."


def test_a_branch_that_is_deleted_at_once_is_judged_all_the_same(town: Town) -> None:
    place = town.place()
    sha = place.push("gone", FIX)
    place.open("gone", ASKED)
    git(place.bare, "update-ref", "-d", "refs/heads/gone")
    town.operator.refresh(place.name)
    assert place.completed(sha).conclusion == "success"


def test_a_branch_that_is_pushed_again_at_once_is_judged_at_its_new_head(town: Town) -> None:
    place = town.place()
    old = place.push("moved", FIX)
    number = place.open("moved", ASKED)
    new = place.push("moved", FIX | {"note.txt": "newer"})
    assert place.completed(new).conclusion == "success"
    assert new[:7] in place.verdict(number)
    town.settle()
    assert all(run.conclusion == "cancelled" for run in place.runs(old))
