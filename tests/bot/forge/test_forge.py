"""The forge by itself: its limits, its git, its pages, and the check that checks it."""

from __future__ import annotations

import subprocess

import httpx
import pytest

from bot.demo.forge.operator import NewRepository
from bot.demo.forge.state import State
from bot.github import CheckReport, CheckStatus
from bot.github.client import InstallationTokens
from bot.github.transport import AppKey
from bot.values import Conclusion
from tests.contract.openapi import Description
from tests.world import Place, World, git

pytestmark = pytest.mark.real


def refused(call: object) -> int:
    assert isinstance(call, httpx.HTTPStatusError)
    return call.response.status_code


async def installation_token(world: World) -> str:
    """A token with all of the app's permissions, as the client uses it."""
    key = AppKey(str(world.app.id), world.app.private_key)
    return (await InstallationTokens(world.manners(), key).token(world.installation)).value


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"head_sha": "0" * 40},
        {"status": "done"},
        {"status": "completed"},
        {"conclusion": "great"},
        {"conclusion": "stale"},
        {"output": {"title": "t"}},
        {"output": {"title": "t", "summary": "s" * 65_536}},
        {"output": {"title": "t", "summary": "s", "text": "s" * 65_536}},
        {"actions": [{"label": "x" * 21, "description": "d", "identifier": "i"}]},
        {"actions": [{"label": "x", "description": "d" * 41, "identifier": "i"}]},
        {"actions": [{"label": "x", "description": "d", "identifier": "i" * 21}]},
        {"actions": [{"label": "x", "description": "d", "identifier": "i"}] * 4},
    ],
)
async def test_a_check_run_that_github_would_refuse_is_refused(
    place: Place, change: dict[str, object]
) -> None:
    token = await installation_token(place.world)
    body = {"name": "Assay", "head_sha": place.head(), **change}
    reply = place.world.post(f"v3/repos/{place.name}/check-runs", token, body)
    assert reply.status_code == 422, reply.text


async def test_too_many_or_odd_annotations_are_refused(place: Place) -> None:
    token = await installation_token(place.world)
    good = {
        "path": "a",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "notice",
        "message": "m",
    }
    for remarks in (
        [good] * 51,
        [{**good, "start_line": 0}],
        [{**good, "end_line": 0}],
        [{**good, "annotation_level": "loud"}],
        [{**good, "message": "m" * 70_000}],
    ):
        output = {"title": "t", "summary": "s", "annotations": remarks}
        body = {"name": "Assay", "head_sha": place.head(), "output": output}
        reply = place.world.post(f"v3/repos/{place.name}/check-runs", token, body)
        assert reply.status_code == 422, reply.text


def test_a_person_makes_no_check_runs(place: Place) -> None:
    with pytest.raises(httpx.HTTPStatusError) as caught:
        place.world.operator.as_person(
            place.world.ada,
            "POST",
            f"repos/{place.name}/check-runs",
            name="Assay",
            head_sha=place.head(),
        )
    assert refused(caught.value) == 403


def test_a_stranger_sees_nothing_private(world: World) -> None:
    place = world.new_place(private=True)
    for path in ("", f"/pulls/{place.number}", f"/issues/{place.number}/comments"):
        with pytest.raises(httpx.HTTPStatusError) as caught:
            world.operator.as_person(world.bob, "GET", f"repos/{place.name}{path}")
        assert refused(caught.value) == 404
    assert world.get(f"{world.web}/{place.name}/").status_code == 404


@pytest.mark.parametrize("user", ["", "bob:{bob}@", "x-access-token:ghs_wrong@"])
def test_git_refuses_who_may_not(world: World, user: str) -> None:
    place = world.new_place(private=True)
    login = user.format(bob=world.bob.token)
    address = f"http://{login}{world.web.partition('//')[2]}/{place.name}.git"
    with pytest.raises(subprocess.CalledProcessError):
        git(place.tree, "ls-remote", address)
    public = world.new_place()
    address = f"http://{login}{world.web.partition('//')[2]}/{public.name}.git"
    with pytest.raises(subprocess.CalledProcessError):
        git(public.tree, "push", address, "HEAD:refs/heads/evil")


def test_a_commit_of_a_fork_is_fetched_by_its_sha(place: Place) -> None:
    world = place.world
    bare = world.operator.repository(NewRepository("bob/" + place.name[4:], fork_of=place.name))
    (place.tree / "new.py").write_text("")
    git(place.tree, "add", "--all")
    git(place.tree, "commit", "--quiet", "-m", "Mine")
    git(place.tree, "push", "--quiet", str(bare), "HEAD:refs/heads/mine")
    world.operator.pull_request(
        world.bob, place.name, title="Mine", head="bob:mine", base="main", body=""
    )
    sha, clone = place.head(), place.tree.parent / f"clone-{place.name[4:]}"
    clone.mkdir()
    git(clone, "init", "--quiet")
    git(clone, "fetch", "--quiet", "--depth=1", f"{world.web}/{place.name}.git", sha)
    assert git(clone, "rev-parse", "FETCH_HEAD") == sha


def test_file_contents_are_served(place: Place) -> None:
    reply = place.world.operator.as_person(
        place.world.ada, "GET", f"repos/{place.name}/contents/hello.py?ref=feature"
    )
    assert reply.text("encoding") == "base64"
    assert reply.text("sha") == git(place.tree, "rev-parse", "HEAD:hello.py")


async def test_the_page_shows_comment_checks_and_a_blocked_merge(world: World) -> None:
    place = world.new_place(required_check="Assay")
    address = f"{world.web}/{place.name}/pull/{place.number}"
    assert "has not reported yet" in world.get(address).text
    async with world.github().repository(place.name) as repository:
        await repository.put_comment(
            place.number,
            "<!-- assay -->",
            "## Not yet\n\n| a | b |\n|---|---|\n| `x` | 1 |\n\n<details><summary>More</summary>\n\nhid\n"
            "</details>\n\n<script>alert(1)</script><img src=x onerror=alert(1)>"
            "[x](javascript:alert(1))",
        )
        for number, conclusion in enumerate((Conclusion.FAILURE, Conclusion.SUCCESS)):
            await repository.put_check_run(
                CheckReport(
                    name="Assay",
                    head_sha=place.head(),
                    external_id=f"e{number}",
                    status=CheckStatus.COMPLETED,
                    conclusion=conclusion,
                    title=f"{conclusion} it is",
                    summary="<b>s</b>",
                )
            )
            page = world.get(address)
            blocked = conclusion is Conclusion.FAILURE
            assert ("Merging is blocked" in page.text) is blocked
            assert f"{conclusion} it is" in page.text
    assert "<h2>Not yet</h2>" in page.text
    assert "<table>" in page.text
    assert "<details>" in page.text
    for evil in ("<script", "onerror", 'href="javascript'):
        assert evil not in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    (run, *_) = world.operator.as_person(
        world.ada, "GET", f"repos/{place.name}/commits/{place.head()}/check-runs"
    ).items("check_runs")
    assert "success it is" in world.get(run.text("html_url")).text
    assert "Greet the world" in world.get(f"{world.web}/{place.name}/").text


def test_the_pages_of_a_commit_and_a_file_show_them_as_text(place: Place) -> None:
    evil = "print('hi')\n# <script>alert(1)</script>\n"
    (place.tree / "sub dir").mkdir()
    (place.tree / "sub dir" / "evil.py").write_text(evil)
    (place.tree / "picture.bin").write_bytes(b"\0\1")
    git(place.tree, "add", "--all")
    git(place.tree, "commit", "--quiet", "-m", "Add <b>it</b>\n\nBecause & why")
    git(place.tree, "push", "--quiet", str(place.bare), "HEAD:refs/heads/feature")
    home, sha = f"{place.world.web}/{place.name}", place.head()

    file = place.world.get(f"{home}/blob/{sha}/sub%20dir/evil.py")
    assert file.status_code == 200
    assert '<tr id="L2">' in file.text
    assert "# &lt;script&gt;alert(1)&lt;/script&gt;" in file.text
    assert "default-src 'none'" in file.headers["Content-Security-Policy"]
    assert "binary file" in place.world.get(f"{home}/blob/{sha}/picture.bin").text
    commit = place.world.get(f"{home}/commit/{sha}").text
    assert "Add &lt;b&gt;it&lt;/b&gt;" in commit
    assert "Because &amp; why" in commit
    assert "+# &lt;script&gt;" in commit
    for page in (file.text, commit):
        assert "<script" not in page
        assert "<b>it" not in page


@pytest.mark.parametrize(
    "page",
    [
        "commit/0000000000000000000000000000000000000000",
        "commit/--output=x",
        "blob/{sha}/none.py",
        "blob/{sha}/../hello.py",
        "blob/{sha}/hello%00.py",
        "blob/--batch/hello.py",
    ],
)
def test_a_commit_or_file_that_is_not_there_has_no_page(place: Place, page: str) -> None:
    address = f"{place.world.web}/{place.name}/{page.format(sha=place.head())}"
    assert place.world.get(address).status_code == 404


def test_pages_of_a_private_repository_show_nothing(world: World) -> None:
    place = world.new_place(private=True)
    for page in (f"commit/{place.head()}", f"blob/{place.head()}/hello.py"):
        assert world.get(f"{world.web}/{place.name}/{page}").status_code == 404


def test_lists_come_in_pages(place: Place) -> None:
    for number in range(5):
        place.world.operator.comment(place.world.ada, place.name, place.number, str(number))
    address = f"{place.world.web}/api/v3/repos/{place.name}/issues/{place.number}/comments"
    found, pages = [], 0
    with httpx.Client(timeout=60) as client:
        url: str = f"{address}?per_page=2"
        while url:
            reply = client.get(url)
            found += [item["body"] for item in reply.json()]
            pages += 1
            url = reply.links.get("next", {}).get("url", "")
    assert (found, pages) == (["0", "1", "2", "3", "4"], 3)


def test_an_unknown_query_is_refused(place: Place) -> None:
    for query in ("query Other { viewer { login } }", "mutation M { x }", ""):
        body = {"query": query, "variables": {"owner": "ada", "name": place.name[4:]}}
        reply = place.world.post("graphql", place.world.ada.token, body)
        assert reply.json()["errors"]
    if place.world.checker:
        place.world.faults()  # these queries were wrong on purpose


def test_the_state_survives_a_restart(place: Place) -> None:
    place.world.operator.comment(place.world.ada, place.name, place.number, "kept")
    again = State(place.world.forge.folder)
    try:
        assert [row.body for row in again.comments(place.name, place.number)] == ["kept"]
    finally:
        again.close()


# --- the check itself ---


def test_the_check_runs_on_every_exchange(place: Place) -> None:
    if place.world.checker is None:
        pytest.skip("npm cannot give GitHub's description: the forge ran without validation")
    before = place.world.checker.checked.get("pulls/get", 0)
    place.world.operator.as_person(
        place.world.ada, "GET", f"repos/{place.name}/pulls/{place.number}"
    )
    assert place.world.checker.checked["pulls/get"] == before + 1


def test_the_check_notices_what_is_wrong(described: tuple[Description, object] | None) -> None:
    if described is None:
        pytest.skip("npm cannot give GitHub's description")
    rest = described[0]
    assert rest.request_faults("issues/create-comment", {}, b'{"body": 1}')
    assert rest.request_faults("issues/create-comment", {}, b"{}")
    assert rest.request_faults("issues/create-comment", {}, b'{"body": "x", "bdy": "x"}')
    assert not rest.request_faults("issues/create-comment", {}, b'{"body": "x"}')
    assert rest.request_faults("pulls/list", {"stat": "open"}, b"")
    assert rest.request_faults("pulls/list", {"state": "opened"}, b"")
    assert rest.request_faults("pulls/list", {"page": "one"}, b"")
    assert rest.reply_faults("issues/create-comment", 201, b'{"id": 1}')
    assert rest.reply_faults("issues/create-comment", 204, b"")
    assert rest.reply_faults("checks/create", 201, b"not json")
    assert not rest.reply_faults("issues/create-comment", 404, b'{"message": "Not Found"}')
    assert rest.webhook_faults("pull_request", {"action": "opened"})
    assert rest.webhook_faults("pull_request", {"action": "exploded"})


def test_an_operation_that_github_lacks_is_noticed(world: World) -> None:
    if world.checker is None:
        pytest.skip("npm cannot give GitHub's description: the forge ran without validation")
    world.get(f"{world.web}/api/v3/repos/ada/x/invented")
    assert any("no such operation" in fault for fault in world.faults())


async def test_a_review_stands_on_lines_of_the_diff(place: Place) -> None:
    token = await installation_token(place.world)
    path = f"v3/repos/{place.name}/pulls/{place.number}/reviews"
    good = {"path": "hello.py", "line": 1, "side": "RIGHT", "body": "text"}
    wanted = {"commit_id": place.head(), "event": "COMMENT", "body": "all", "comments": [good]}
    for bad in (
        {"path": "other.py"},
        {"line": 2},
        {"line": 1, "start_line": 2},
        {"body": " "},
        {"body": "x" * 70_000},
    ):
        reply = place.world.post(path, token, {**wanted, "comments": [good, {**good, **bad}]})
        assert reply.status_code == 422, reply.text
    for odd in ({"body": ""}, {"event": "APPROVE"}, {"commit_id": "0" * 40}):
        assert place.world.post(path, token, {**wanted, **odd}).status_code == 422
    assert place.world.post(path, token, wanted).status_code == 200

    def lines() -> list[int]:
        listed = f"repos/{place.name}/pulls/{place.number}/comments"
        found = place.world.operator.as_person(place.world.ada, "GET", listed)
        return [one.integer("line") for one in found.items()]

    assert lines() == [1]
    place.commit("feature", {"hello.py": "# first\nprint('hello, world')\n"})
    assert lines() == [2]
    place.commit("feature", {"hello.py": "# first\nprint('hello, you')\n"})
    assert lines() == [0], "it is outdated"
    path = f"repos/{place.name}/pulls/{place.number}/reviews"
    (review,) = place.world.operator.as_person(place.world.ada, "GET", path).items()
    assert (review.text("state"), review.text("user", "login")) == ("COMMENTED", "assay[bot]")
