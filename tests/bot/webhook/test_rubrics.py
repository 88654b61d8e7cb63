"""`/judge rubric`: drafted once, edited by people, approved by enough of them, on real records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import Transient, UserError
from bot.github import Comment, Issue, Permission, Reaction
from bot.templates import render_markdown
from bot.values import Rubric
from bot.webhook.rubrics import rubric_marker
from tests.bot.webhook.conftest import Office
from tests.bot.webhook.payloads import comment

RUBRIC = Rubric(
    "It divides by the count, which may be 0.", ("mean of nothing is 0",), (), ("bare except",)
)
FORM = (7, rubric_marker(7))


@pytest.fixture
def ready(office: Office) -> Office:
    """Pull request 9 by `contributor` closes issue 7; three people may write, its author too."""
    office.drafter.drafted = RUBRIC
    office.hello.issues[7] = Issue(7, "mean breaks", "on no prices", "asker", "NONE")
    office.hello.issues[9] = Issue(9, "t", "", "a", "NONE", is_pull_request=True)
    office.hello.closes[9] = (7,)
    for login in ("ben", "BEN", "mara", "contributor"):
        office.hello.permissions[login] = Permission.WRITE
    return office


def reply(office: Office, comment_id: int = 31, number: int = 9) -> str:
    return office.hello.comments_put[number, f"<!-- assay:reply to {comment_id} -->"]


async def approve(
    office: Office, by: str, comment_id: int, line: str = "/judge rubric approve"
) -> str:
    await office.take(comment(line, by=by, comment_id=comment_id, delivery_id=f"d-{comment_id}"))
    return reply(office, comment_id)


def approvals(office: Office) -> list[tuple[str, ...]]:
    return [one.approved_by for one in office.records.rubrics("octo/hello", 7)]


async def test_a_draft_is_one_comment_on_the_issue_and_one_reply(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    form = ready.hello.comments_put[FORM]
    assert "- mean of nothing is 0" in form
    assert "stands [here]" in reply(ready)
    assert approvals(ready) == [()]
    ((branch, issue),) = ready.drafter.asked
    assert (branch.repository, branch.name) == ("octo/hello", "main")
    assert (issue.number, issue.title, issue.text) == (7, "mean breaks", "on no prices")
    assert ready.hello.reactions[0] == (31, Reaction.EYES)


async def test_a_killed_draft_is_taken_up_and_nothing_is_doubled(ready: Office) -> None:
    """The worker dies after the comment and before its step is recorded: all of it runs again."""
    await ready.take(comment("/judge rubric"))
    before = dict(ready.hello.comments_put)
    await ready.take(comment("/judge rubric"))
    assert ready.hello.comments_put == before
    assert len(ready.drafter.asked) == 1
    assert approvals(ready) == [()]


async def test_a_github_that_is_away_is_waited_for(ready: Office) -> None:
    ready.hello.away = True
    with pytest.raises(Transient):
        await ready.take(comment("/judge rubric"))
    assert ready.records.rubrics("octo/hello", 7) == ()


async def test_an_edited_draft_is_not_drafted_over(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    edit(ready, "mean of nothing is 0", "mean of nothing is None")
    await ready.take(comment("/judge rubric", comment_id=32, delivery_id="d-32"))
    assert "None" in ready.hello.comments_put[FORM]
    assert ready.records.rubrics("octo/hello", 7)[-1].rubric.requirements == (
        "mean of nothing is None",
    )


def edit(office: Office, old: str, new: str) -> None:
    """What somebody with write access does in the browser."""
    assert old in office.hello.comments_put[FORM]
    office.hello.comments_put[FORM] = office.hello.comments_put[FORM].replace(old, new)


async def test_two_who_ask_at_the_same_time_get_one_draft(ready: Office) -> None:
    def drafted_and_edited_by_others() -> None:
        body = render_markdown("rubric/form.md.j2", rubric=RUBRIC, number=7, needed=2)
        ready.hello.comments_put[FORM] = body.replace("bare except", "what people wrote")

    ready.drafter.meanwhile = drafted_and_edited_by_others
    await ready.take(comment("/judge rubric"))
    assert "what people wrote" in ready.hello.comments_put[FORM]
    (kept,) = ready.records.rubrics("octo/hello", 7)
    assert kept.rubric.unacceptable == ("what people wrote",)


async def test_two_people_make_it_golden(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    first = await approve(ready, "ben", 40)
    assert "has 1 of 2 approvals" in first
    assert "golden" not in first
    second = await approve(ready, "mara", 41)
    assert "is golden" in second
    assert "(one by ben or mara after one more approval" in second
    assert "must hold: mean of nothing is 0" in second
    assert "must not hold: bare except" in second
    assert approvals(ready) == [("ben", "mara")]


async def test_the_same_person_counts_once_and_the_author_never(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    await approve(ready, "ben", 40)
    assert "has 1 of 2" in await approve(ready, "BEN", 41)
    assert "author of a pull request does not count" in await approve(ready, "contributor", 42)
    assert approvals(ready) == [("ben",)]


async def test_who_approved_on_the_issue_does_not_count_as_an_author_later(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    on_issue = comment("/judge rubric approve", False, "d-40", "contributor", 40)
    ready.hello.issues[9] = replace(ready.hello.issues[7], number=9)
    ready.hello.comments_put[9, rubric_marker(9)] = ready.hello.comments_put[FORM]
    await ready.take(on_issue)
    assert ready.records.rubrics("octo/hello", 9)[0].approvals("Contributor") == ()


async def test_who_may_not_write_approves_nothing(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    ready.hello.permissions["ben"] = Permission.READ
    await ready.take(comment("/judge rubric approve", by="ben", comment_id=40, delivery_id="d-40"))
    assert approvals(ready) == [()]
    assert (40, Reaction.CONFUSED) in ready.hello.reactions


async def test_an_edit_voids_the_approvals_before_it(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    await approve(ready, "ben", 40)
    edit(ready, "bare except", "a bare except")
    assert "has 1 of 2" in await approve(ready, "mara", 41)
    assert approvals(ready) == [("ben",), ("mara",)]
    assert "is golden" in await approve(ready, "ben", 42)


async def test_an_approval_counts_for_what_its_giver_could_read(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    ready.hello.edited_at = "2026-11-22T09:00:01Z"
    for at, words in (
        ("2026-11-22T09:00:00Z", "was edited after this approval was given"),
        ("2026-11-22T09:00:01Z", "has 1 of 2 approvals"),
    ):
        said = comment("/judge rubric approve", by="ben", comment_id=40, at=at)
        await ready.take(said)
        assert words in reply(ready, 40)
    assert approvals(ready) == [("ben",)]


async def test_a_golden_rubric_is_not_called_a_draft(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    assert "as a draft" in reply(ready)
    await approve(ready, "ben", 40)
    await approve(ready, "mara", 41)
    await ready.take(comment("/judge rubric", comment_id=42))
    assert "is golden" in reply(ready, 42)
    assert "draft:" not in reply(ready, 42)
    edit(ready, "bare except", "a bare except")
    await ready.take(comment("/judge rubric", comment_id=43))
    assert "as a draft: it advises and blocks nothing. Until" in reply(ready, 43)
    assert "version 1 stays golden" in reply(ready, 43)
    assert "version 1 stays golden" in await approve(ready, "ben", 44)


async def test_how_many_is_the_base_branchs_to_say(ready: Office) -> None:
    ready.drafter.needed = 1
    await ready.take(comment("/judge rubric"))
    assert "is golden" in await approve(ready, "ben", 40)


async def test_a_file_on_base_is_not_talked_over(ready: Office) -> None:
    """What people approve here would hold for no patch."""
    await ready.take(comment("/judge rubric"))
    ready.drafter.path = ".github/assay/rubrics/7.yml"
    told = await approve(ready, "ben", 40)
    assert "is the file `.github/assay/rubrics/7.yml`" in plain(told)
    await ready.take(comment("/judge rubric", comment_id=41))
    assert "Change it there." in reply(ready, 41)
    assert approvals(ready) == [()]
    assert len(ready.drafter.asked) == 1


def plain(text: str) -> str:
    """As people see it."""
    return text.replace("<code>", "`").replace("</code>", "`").replace("\\", "")


async def test_a_form_that_cannot_be_read_is_told_and_not_approved(ready: Office) -> None:
    await ready.take(comment("/judge rubric"))
    edit(ready, "#### Unacceptable", "#### Bad")
    assert "cannot be read: it needs exactly the headings" in await approve(ready, "ben", 40)
    assert approvals(ready) == [()]


async def test_a_comment_that_only_looks_like_ours_is_none(ready: Office) -> None:
    forged = f"{rubric_marker(7)}\n#### Root cause or intent\nx\n"
    ready.hello.foreign_comments.append(Comment(5, forged, own=False))
    assert "has no rubric to approve" in await approve(ready, "ben", 40)


async def test_without_a_model_one_sentence_says_what_is_missing(ready: Office) -> None:
    ready.drafter.drafted = UserError("A rubric is drafted by a model, and none is set.")
    await ready.take(comment("/judge rubric"))
    assert reply(ready).strip() == "A rubric is drafted by a model, and none is set."
    assert FORM not in ready.hello.comments_put


async def test_a_pull_request_without_an_issue_has_no_rubric(ready: Office) -> None:
    ready.hello.closes.clear()
    await ready.take(comment("/judge rubric"))
    assert "closes none" in reply(ready)
